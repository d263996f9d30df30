#include "dalembert/cli/run_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "dalembert/cli/commands.hpp"
#include "dalembert/expr/suggest.hpp"
#include "dalembert/report/layout.hpp"

namespace dalembert::cli {

std::optional<Formats> formats_from(const std::string& text) {
  Formats formats;
  std::string_view rest = text;
  while (true) {
    const std::string name(rest.substr(0, rest.find(',')));
    if (name == "csv" || name == "both") formats.csv = true;
    if (name == "hdf5" || name == "both") formats.hdf5 = true;
    if (name != "csv" && name != "hdf5" && name != "both") {
      complain(
          fmt::format("--format {}: expected csv, hdf5 or both{}", text,
                      expr::did_you_mean(name, std::vector<std::string>{"csv", "hdf5", "both"})));
      return std::nullopt;
    }
    if (name.size() == rest.size()) return formats;
    rest.remove_prefix(name.size() + 1);
  }
}

RunFiles::RunFiles(const std::filesystem::path& directory, const motion::Motion& motion,
                   const motion::State& start, long rows, Formats formats, bool page,
                   const std::vector<std::string>& further, const std::string& earlier)
    : directory_(directory), summary_(directory / "summary.json") {
  if (formats.csv) {
    csv_.emplace(directory / "trajectory.csv");
    csv_writer_.emplace(*csv_, motion, further);
    if (!earlier.empty()) {
      csv_->write(earlier);
      is_told_ = true;
    }
  }
  if (model::has_instants(motion.model())) events_.emplace(directory / "events.csv");
  if (formats.hdf5) table_.emplace(directory / "trajectory.h5", motion);
  if (page) {
    page_.emplace(directory / "report.html");
    recorder_.emplace(motion, rows);
    recorder_->set_start(start);
  }
}

bool RunFiles::write(const motion::Sample& sample, std::span<const double> further) {
  if (recorder_) recorder_->add(sample);
  const bool told = std::exchange(is_told_, false);
  return (!csv_ || told || csv_writer_->write(sample, further)) &&
         (!table_ || table_->write(sample));
}

std::optional<std::string> RunFiles::error() const {
  if (csv_ && csv_->error()) return csv_->error();
  if (table_ && table_->error()) return table_->error();
  if (events_ && events_->error()) return events_->error();
  if (summary_.error()) return summary_.error();
  return page_ ? page_->error() : std::nullopt;
}

std::optional<std::string> RunFiles::finish(const motion::Motion& motion,
                                            const motion::SimulationOptions& options,
                                            const motion::Summary& summary,
                                            const std::string& summary_text,
                                            const std::string& events_text) {
  summary_.write(summary_text);
  if (events_) events_->write(events_text);
  event_rows_ = static_cast<std::size_t>(std::ranges::count(events_text, '\n')) - 1;
  if (page_ && !error())
    page_->write(report::page_html(report::page_data(motion, options, summary, *recorder_)));
  const std::array texts = {csv_ ? &*csv_ : nullptr, events_ ? &*events_ : nullptr, &summary_,
                            page_ ? &*page_ : nullptr};
  for (report::OutputFile* file : texts) {
    if (file != nullptr && !file->complete()) return error();
  }
  // All texts are written; now each gets its name, after the table, which alone can still fail to
  // be closed. Should a name be refused, those given before are taken back.
  if (table_ && !table_->commit(summary.complete)) return error();
  const std::array names = {"trajectory.csv", "events.csv", "summary.json", "report.html"};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i] == nullptr || texts[i]->commit()) continue;
    std::error_code ignored;
    for (std::size_t k = 0; k < i; ++k)
      if (texts[k] != nullptr) std::filesystem::remove(directory_ / names[k], ignored);
    if (table_) std::filesystem::remove(directory_ / "trajectory.h5", ignored);
    return error();
  }
  return std::nullopt;
}

std::string RunFiles::text(const motion::Summary& summary) const {
  const std::string rows =
      fmt::format(" ({} row{}{})", summary.samples, summary.samples == 1 ? "" : "s",
                  summary.complete ? "" : ", incomplete");
  std::string text;
  if (csv_) text += "trajectory.csv" + rows + ", ";
  if (table_) text += "trajectory.h5" + rows + ", ";
  if (events_) {
    text += fmt::format("events.csv ({}), ", report::count(event_rows_, "row"));
  }
  text += "summary.json";
  if (page_) text += ", report.html";
  std::string left;
  const auto look = [&](bool written, const char* name) {
    std::error_code ignored;
    if (!written && std::filesystem::exists(directory_ / name, ignored))
      left += (left.empty() ? "" : ", ") + std::string(name);
  };
  look(csv_.has_value(), "trajectory.csv");
  look(table_.has_value(), "trajectory.h5");
  look(events_.has_value(), "events.csv");
  look(page_.has_value(), "report.html");
  if (!left.empty()) text += fmt::format(" (of an earlier run: {})", left);
  return text;
}

}  // namespace dalembert::cli
