// [simulation]: how the motion is computed.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "dalembert/model/reader.hpp"
#include "dalembert/model/validate.hpp"

namespace dalembert::model {

using std::string_view_literals::operator""sv;

namespace {

constexpr std::array keys = {"duration"sv,       "samples"sv,   "times"sv,      "rtol"sv,
                             "atol"sv,           "method"sv,    "integrator"sv, "project"sv,
                             "rank_tolerance"sv, "max_steps"sv, "max_step"sv};
constexpr std::array project_words = {"both"sv, "velocity"sv, "none"sv};
constexpr std::array project_values = {Project::both, Project::velocity, Project::none};

}  // namespace

std::optional<long> Reader::whole_number(const Value& value, std::string_view what, long least,
                                         long most) {
  const std::optional<double> x = number_in(value, what);
  if (!x) return std::nullopt;
  if (*x == std::floor(*x) && *x >= static_cast<double>(least) && *x <= static_cast<double>(most)) {
    return static_cast<long>(*x);
  }
  complaints.add(content_place(value),
                 fmt::format("{} must be a whole number from {} to {}", what, least, most));
  return std::nullopt;
}

void Reader::read_simulation(const Value& table) {
  if (!expect(table, Kind::table, "a table")) return;
  check_keys(table, keys, " in [simulation]");
  Simulation& simulation = model.simulation;
  const Entry* duration = find(table, "duration");
  const Entry* times = find(table, "times");
  const Entry* samples = find(table, "samples");
  bool duration_known = true;
  if (duration != nullptr) {
    const std::optional<Expr> e = expression(duration->value, places::duration);
    duration_known = e.has_value();
    if (e) simulation.duration = {*e, content_place(duration->value)};
  }
  if (samples != nullptr) {
    if (const auto n = whole_number(samples->value, "samples", 2, largest_samples)) {
      simulation.samples = static_cast<int>(*n);
    }
    if (times != nullptr) complaints.add(times->where, "give samples or times, not both");
  }
  if (times != nullptr) read_times(times->value, duration_known ? duration : nullptr);
  const auto tolerance = [&](std::string_view key, double most, double& result) {
    const Entry* entry = find(table, key);
    if (entry == nullptr) return;
    const std::optional<double> x = number_in(entry->value, key);
    if (!x) return;
    if (is_between(*x, most)) {
      result = *x;
    } else {
      complaints.add(content_place(entry->value), between_message(key, most));
    }
  };
  tolerance("rtol", 1, simulation.rtol);
  tolerance("atol", HUGE_VAL, simulation.atol);
  tolerance("rank_tolerance", 1, simulation.rank_tolerance);
  tolerance("max_step", HUGE_VAL, simulation.max_step);
  if (const Entry* entry = find(table, "max_steps")) {
    simulation.max_steps =
        whole_number(entry->value, "max_steps", 1, largest_steps).value_or(simulation.max_steps);
  }
  if (const Entry* entry = find(table, "method")) {
    if (const auto word = choice(entry->value, "method", known_methods())) {
      simulation.method = known_methods()[*word];
      simulation.method_where = content_place(entry->value);
    }
  }
  if (const Entry* entry = find(table, "integrator")) {
    if (const auto word = choice(entry->value, "integrator", known_integrators())) {
      simulation.integrator = known_integrators()[*word];
      simulation.integrator_where = content_place(entry->value);
    }
  }
  if (const Entry* entry = find(table, "project")) {
    if (const auto word = choice(entry->value, "project", project_words)) {
      simulation.project = project_values[*word];
    }
  }
}

void Reader::read_times(const Value& list, const Entry* duration) {
  if (!expect(list, Kind::array, "an array of numbers")) return;
  if (list.items.empty()) {
    complaints.add(list.where, "times must not be empty");
    return;
  }
  std::vector<double> times;
  for (const Value& item : list.items) {
    const std::optional<double> t = number_in(item, "a time");
    if (!t) return;
    if (*t < 0 || (!times.empty() && *t <= times.back())) {
      complaints.add(content_place(item), "times must not be negative and must increase");
      return;
    }
    times.push_back(*t);
  }
  const Expr last = *expression(list.items.back(), places::number);
  if (times.back() == 0) {
    complaints.add(list.where, "the last of the times must be positive");
    return;
  }
  if (duration == nullptr) {
    model.simulation.duration = {last, content_place(list.items.back())};
  } else if (!same(model.simulation.duration.expr, last)) {
    complaints.add(duration->where, "with times, the duration is the last of them: leave it out");
    return;
  }
  model.simulation.times = std::move(times);
}

}  // namespace dalembert::model
