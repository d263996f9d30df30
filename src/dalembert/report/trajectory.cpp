#include "dalembert/report/trajectory.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <limits>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "dalembert/expr/graph.hpp"
#include "dalembert/report/csv.hpp"

namespace dalembert::report {

namespace {

bool has_other_work(const motion::Motion& motion) {
  return !motion.equations().other_power.is_zero();
}

}  // namespace

std::string_view to_string(Group group) {
  switch (group) {
    case Group::time:
      return "time";
    case Group::position:
      return "position";
    case Group::velocity:
      return "velocity";
    case Group::acceleration:
      return "acceleration";
    case Group::ideal:
      return "ideal";
    case Group::nonideal:
      return "nonideal";
    case Group::residual:
      return "residual";
    case Group::energy:
      return "energy";
    case Group::work:
      return "work";
    case Group::multiplier:
      return "multiplier";
    case Group::output:
      return "output";
    case Group::reaction:
      return "reaction";
    case Group::balance:
      return "balance";
  }
  return {};
}

std::vector<Column> trajectory_columns(const motion::Motion& motion) {
  const auto& model = motion.model();
  std::vector<Column> columns{{"t", Group::time}};
  for (const auto& [primes, group] :
       {std::pair("", Group::position), {"'", Group::velocity}, {"''", Group::acceleration}}) {
    for (const auto& name : model.coordinates) columns.push_back({name + primes, group});
  }
  for (const auto& [prefix, group] :
       {std::pair("ideal.", Group::ideal), {"nonideal.", Group::nonideal}}) {
    for (const auto& name : model.coordinates) columns.push_back({prefix + name, group});
  }
  for (const auto& row : motion.equations().constraints) {
    columns.push_back({"constraint." + row.name, Group::residual});
    if (row.level == model::Level::position)
      columns.push_back({"constraint." + row.name + "'", Group::residual});
  }
  for (const char* name : {"energy.kinetic", "energy.potential"})
    columns.push_back({name, Group::energy});
  for (const char* name : {"work.applied", "work.ideal", "work.nonideal"})
    columns.push_back({name, Group::work});
  if (has_other_work(motion)) columns.push_back({"work.other", Group::work});
  if (!motion::is_mechanical(motion.method())) {
    for (const auto& row : motion.equations().constraints)
      columns.push_back({"mu." + row.name, Group::multiplier});
  }
  for (std::size_t i = 0; i < motion.outputs().size(); ++i) {
    const std::string& name = motion.outputs()[i].name;
    const bool is_work = name == "work.friction" || name == "work.impact";
    columns.push_back({name, i < model.outputs.size() ? Group::output
                             : is_work                ? Group::work
                                                      : Group::reaction});
  }
  return columns;
}

TrajectoryRow::TrajectoryRow(const motion::Motion& motion)
    : has_other_work_(has_other_work(motion)),
      n_(motion.coordinates()),
      mu_(motion::is_mechanical(motion.method()) ? 0 : motion.constraints()),
      size_(trajectory_columns(motion).size()) {
  for (const auto& row : motion.equations().constraints)
    has_rate_.push_back(row.level == model::Level::position);
}

template <class AnySample, class Number>
void TrajectoryRow::write(const AnySample& s, std::span<Number> row) const {
  Number* out = row.data();
  const auto add = [&out](Number value) {
    *out++ = std::isnan(value) ? std::numeric_limits<Number>::quiet_NaN() : value;
  };
  add(s.t);
  for (const auto& values : {s.q, s.v, s.qdd, s.ideal, s.nonideal}) {
    for (const Number x : values) add(x);
  }
  for (std::size_t j = 0; j < has_rate_.size(); ++j) {
    add(s.residuals[j]);
    if (has_rate_[j]) add(s.rates[j]);
  }
  for (const Number x : {s.kinetic, s.potential, s.work_applied, s.work_ideal, s.work_nonideal})
    add(x);
  if (has_other_work_) add(s.work_other);
  for (const Number x : s.mu) add(x);
  for (const Number x : s.outputs) add(x);
}

void TrajectoryRow::fill(const motion::Sample& sample, std::span<double> row) const {
  write(sample, row);
}
void TrajectoryRow::fill(const motion::ExtendedSample& sample, std::span<long double> row) const {
  write(sample, row);
}

template <class AnySample, class Number>
AnySample TrajectoryRow::read_any(std::span<const Number> row,
                                  std::vector<Number>& residuals) const {
  const std::size_t m = has_rate_.size();
  const auto take = [&row](std::size_t count) {
    const std::span<const Number> taken = row.first(count);
    row = row.subspan(count);
    return taken;
  };
  AnySample s{};
  s.t = take(1)[0];
  for (auto* values : {&s.q, &s.v, &s.qdd, &s.ideal, &s.nonideal}) *values = take(n_);
  residuals.assign(2 * m, 0);
  for (std::size_t j = 0; j < m; ++j) {
    residuals[j] = take(1)[0];
    if (has_rate_[j]) residuals[m + j] = take(1)[0];
  }
  s.residuals = std::span(residuals).first(m);
  s.rates = std::span(residuals).last(m);
  for (Number* x : {&s.kinetic, &s.potential, &s.work_applied, &s.work_ideal, &s.work_nonideal})
    *x = take(1)[0];
  if (has_other_work_) s.work_other = take(1)[0];
  s.mu = take(mu_);
  s.outputs = row;
  return s;
}

motion::Sample TrajectoryRow::read(std::span<const double> row,
                                   std::vector<double>& residuals) const {
  return read_any<motion::Sample>(row, residuals);
}
motion::ExtendedSample TrajectoryRow::read(std::span<const long double> row,
                                           std::vector<long double>& residuals) const {
  return read_any<motion::ExtendedSample>(row, residuals);
}

TrajectoryWriter::TrajectoryWriter(OutputFile& file, const motion::Motion& motion,
                                   const std::vector<std::string>& further)
    : file_(file), layout_(motion), further_(further.size()), row_(layout_.size()) {
  std::string header;
  std::unordered_set<std::string_view> unknown;
  for (const auto& reaction : motion.model().unknown_reactions) unknown.insert(reaction.name);
  for (const Column& column : trajectory_columns(motion)) {
    header += (header.empty() ? "" : ",") + csv_field(column.name);
    unknown_.push_back(column.group == Group::reaction && unknown.contains(column.name));
  }
  for (const std::string& name : further) header += "," + csv_field(name);
  of_multipliers_.resize(unknown_.size());
  const std::vector<model::Named>& outputs = motion.outputs();
  const std::size_t first = unknown_.size() - outputs.size();
  for (std::size_t i = 0; i < motion.model().outputs.size(); ++i) {
    of_multipliers_[first + i] = expr::find_symbol(outputs[i].expr, [](const expr::Symbol& s) {
                                   return s.kind == expr::SymbolKind::multiplier;
                                 }).has_value();
  }
  file_.write(header + "\n");
}

bool TrajectoryWriter::write(const motion::Sample& sample, std::span<const double> further) {
  layout_.fill(sample, row_);
  if (sample.extended != nullptr) {
    extended_.resize(row_.size());
    layout_.fill(*sample.extended, extended_);
  }
  text_.clear();
  for (std::size_t i = 0; i < row_.size(); ++i) {
    const bool blank = unknown_[i] || (of_multipliers_[i] && std::isnan(row_[i]));
    if (!blank && sample.extended != nullptr) {
      fmt::format_to(std::back_inserter(text_), FMT_COMPILE("{:.21g}"), extended_[i]);
    } else if (!blank) {
      fmt::format_to(std::back_inserter(text_), FMT_COMPILE("{}"), row_[i]);
    }
    text_ += ',';
  }
  for (std::size_t i = 0; i < further_; ++i) {
    if (i < further.size() && !std::isnan(further[i]))
      fmt::format_to(std::back_inserter(text_), FMT_COMPILE("{}"), further[i]);
    text_ += ',';
  }
  text_.back() = '\n';
  return file_.write(text_);
}

}  // namespace dalembert::report
