#include "dalembert/report/events.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "dalembert/report/csv.hpp"
#include "dalembert/report/layout.hpp"

namespace dalembert::report {

namespace {

constexpr std::size_t most_names = 4;  // of which a terminal tells

std::string noun(const std::string& kind) {
  return kind == "close" ? "closing" : kind == "open" ? "opening" : kind;
}

}  // namespace

std::vector<std::string> event_columns() {
  return {"t", "name", "kind", "impulse", "rate_before", "rate_after", "energy"};
}

std::string events_csv(std::span<const motion::EventRow> rows, const FurtherColumns& further) {
  std::string text = fmt::format("{}", fmt::join(event_columns(), ","));
  for (const std::string& name : further.names) text += "," + csv_field(name);
  text += '\n';
  const auto add = [&](double x) {
    text += ',';
    if (!std::isnan(x)) fmt::format_to(std::back_inserter(text), "{}", x);
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const motion::EventRow& row = rows[i];
    fmt::format_to(std::back_inserter(text), "{},{},{}", row.t, csv_field(row.name), row.kind);
    for (const double x : {row.impulse, row.rate_before, row.rate_after, row.energy}) add(x);
    if (i < further.rows.size()) std::ranges::for_each(further.rows[i], add);
    text += '\n';
  }
  return text;
}

std::string events_text(const motion::Summary& summary) {
  if (!summary.has_instants) return "";
  std::vector<std::string> names;
  long others = 0;
  for (const auto& [name, kinds] : summary.event_counts) {
    std::vector<std::string> counts;
    for (const auto& [kind, times] : kinds) {
      if (names.size() == most_names) others += times;
      counts.push_back(count(static_cast<std::size_t>(times), noun(kind)));
    }
    if (names.size() < most_names)
      names.push_back(fmt::format("{}: {}", name, fmt::join(counts, ", ")));
  }
  std::string text = names.empty() ? "none" : fmt::format("{}", fmt::join(names, "; "));
  if (others > 0) text += fmt::format("; {} more, see events.csv", others);
  text = fmt::format("  events        {}\n", text);
  if (summary.energy_lost != 0)
    text +=
        fmt::format("  energy lost   {} in impacts and friction\n", brief(summary.energy_lost, 3));
  return text;
}

}  // namespace dalembert::report
