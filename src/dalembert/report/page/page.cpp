#include "dalembert/report/page/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "dalembert/report/document/document_parts.hpp"
#include "dalembert/report/json_values.hpp"
#include "dalembert/report/page/base64.hpp"
#include "dalembert/report/page/page_equations.hpp"
#include "dalembert/report/page/page_parts.hpp"
#include "dalembert/report/page/page_recorder.hpp"
#include "dalembert/report/page/page_template.hpp"
#include "dalembert/report/terminal.hpp"

namespace dalembert::report {

namespace {

using Json = nlohmann::ordered_json;

Json simulation_json(const motion::Motion& motion, const motion::SimulationOptions& options) {
  return {{"duration", options.duration - options.from},
          {"samples",
           options.times.empty() ? options.samples : static_cast<long>(options.times.size())},
          {"method", motion::to_string(motion.method())},
          {"integrator", motion::to_string(options.integrator)},
          {"rtol", options.rtol},
          {"atol", options.atol},
          {"max_step", std::isfinite(options.max_step) ? Json(options.max_step) : Json()}};
}

/// The table, with its numbers appended to `values`.
Json table_json(const PageRecorder::Implementation& recorded, double energy_scale,
                std::vector<double>& values) {
  Json table;
  table["columns"] = Json::array();
  for (const Column& column : recorded.columns)
    table["columns"].push_back({{"name", column.name}, {"group", to_string(column.group)}});
  table["index"] = values.size();
  table["rows"] = recorded.table.rows();
  table["total"] = recorded.table.total();
  table["thinned"] = recorded.table.thinned();
  recorded.table.append_columns(values);
  energy_scale = std::max(energy_scale, recorded.energy_scale);
  if (energy_scale > 0) {
    for (std::size_t i = values.size() - recorded.table.rows(); i < values.size(); ++i)
      values[i] /= energy_scale;
  }
  return table;
}

/// What happened at instants, as marks of the page: of those of one name and kind that follow each
/// other within a thousandth of the motion the first.
Json instants_json(const motion::SimulationOptions& options, const motion::Summary& summary) {
  const double apart = (options.duration - options.from) / 1000;
  std::map<std::pair<std::string_view, std::string_view>, double> last;
  Json marks = Json::array();
  for (const motion::EventRow& row : summary.events) {
    const auto [place, is_new] = last.try_emplace({row.name, row.kind}, row.t);
    if (!is_new && row.t - place->second < apart) continue;
    place->second = row.t;
    marks.push_back({{"t", row.t}, {"name", row.name}, {"kind", row.kind}});
  }
  return marks;
}

/// How to add a drawing, with an example that the model can take: its first coordinates as a place.
std::string drawing_hint(const model::Model& model) {
  std::string place;
  for (std::size_t i = 0; i < 3; ++i) {
    place += i == 0 ? "" : ", ";
    place += i < model.coordinates.size() ? '"' + model.coordinates[i] + '"' : "0";
  }
  return fmt::format(
      "This model says nothing about what to draw. Bodies and particles draw themselves; a model "
      "given by energies draws points and segments that its file names, for instance\n\n"
      "[[view.point]]\nname = \"end\"\nat = [{0}]\n\n"
      "[[view.segment]]\nname = \"line\"\nfrom = [0, 0, 0]\nto = [{0}]\n",
      place);
}

}  // namespace

PageData page_data(const motion::Motion& motion, const motion::SimulationOptions& options,
                   const motion::Summary& summary, const PageRecorder& recorder,
                   const PageOptions& page) {
  const PageRecorder::Implementation& recorded = recorder.implementation();
  const bool ended = summary.complete || !summary.reason.empty();
  const std::optional<motion::State> start = recorded.start();
  int rank = summary.rank;
  if (!ended && start) rank = motion.acceleration(start->t, start->q, start->v, start->mu).rank;

  PageData data;
  data.name = motion.model().name;
  Json document = page_head(headline(motion, rank));
  document["model"] = model_json(motion, start ? &*start : nullptr, page.parameters);
  document["simulation"] = simulation_json(motion, options);
  document["summary"] = ended ? summary_document(motion, options, summary) : Json();
  document["table"] = table_json(recorded, summary.energy_scale, data.values);
  document["instants"] = instants_json(options, summary);
  const bool drawn = !recorded.scene.empty();
  document["scene"] = drawn ? recorded.scene_value(data.values) : Json();
  document["drawing_hint"] = drawn ? "" : drawing_hint(motion.model());
  PageEquations equations;
  if (page.equations && start) equations = page_equations(motion, *start, options.stop);
  document["equations"] = {{"method", motion::to_string(motion.method())},
                           {"html", equations.html},
                           {"note", equations.note}};
  data.document = safe_text(document);
  return data;
}

namespace {

std::string_view bytes_of(const std::vector<double>& values) {
  static_assert(std::endian::native == std::endian::little);
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)};
}

/// The template with title and data in place of its marks; `data` appends what is to stand there.
template <class Data>
std::string filled(std::string_view title, std::size_t size, Data data) {
  static constexpr std::string_view title_mark = "<!--dalembert:title-->";
  static constexpr std::string_view data_mark = "<!--dalembert:data-->";
  const std::string_view page = page_template();
  const std::size_t title_at = page.find(title_mark);
  const std::size_t data_at = page.find(data_mark, title_at);
  if (data_at == std::string_view::npos) throw std::logic_error("the page has lost its marks");
  std::string html;
  html.reserve(page.size() + title.size() + size + 1024);
  html += page.substr(0, title_at);
  html += html_text(one_line(title));
  const std::size_t behind_title = title_at + title_mark.size();
  html += page.substr(behind_title, data_at - behind_title);
  data(html);
  html += page.substr(data_at + data_mark.size());
  return html;
}

}  // namespace

std::string base64(const std::vector<double>& values) {
  std::string text;
  append_base64(text, bytes_of(values));
  return text;
}

std::string page_html(const PageData& data) {
  const std::size_t size = data.document.size() + data.values.size() * 11;
  return filled(data.name + " · dalembert", size, [&](std::string& html) {
    html += "<script type=\"application/json\" id=\"dalembert-document\">";
    html += data.document;
    html += "</script>\n<script type=\"application/octet-stream\" id=\"dalembert-values\">";
    append_base64(html, bytes_of(data.values));
    html += "</script>";
  });
}

std::string live_page_html(const Live& live) {
  const std::string document =
      safe_text({{"file", live.file}, {"text", live.text}, {"can_save", live.can_save}});
  return filled(live.file + " · dalembert", document.size(), [&](std::string& html) {
    html += "<script type=\"application/json\" id=\"dalembert-live\">" + document + "</script>";
  });
}

}  // namespace dalembert::report
