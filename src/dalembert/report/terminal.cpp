#include "dalembert/report/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "dalembert/flow/values.hpp"
#include "dalembert/mechanics/classify.hpp"
#include "dalembert/motion/reactions.hpp"
#include "dalembert/report/events.hpp"
#include "dalembert/report/instants.hpp"
#include "dalembert/report/layout.hpp"
#include "dalembert/report/remarks.hpp"
#include "dalembert/solve/names.hpp"

namespace dalembert::report {

namespace {

constexpr std::size_t plotted_coordinates = 4;
constexpr long plot_width = 40;
constexpr std::size_t widest_matrix = 12;
constexpr std::size_t largest_to_classify =
    12;  // coordinates: it is to cost no time that is noticed
constexpr std::size_t most_operations_to_classify = 400;  // in the equations of motion
constexpr double most_effort_to_classify = 1e6;           // each constraint: a quarter of a second

std::string number(double x) {
  return std::isnan(x) ? "-" : fmt::format("{:.9g}", x == 0 ? 0.0 : x);
}

/// "holonomic", "holonomic and nonholonomic", ...; by their level where that is not decided.
std::string kinds(const motion::Motion& motion) {
  static constexpr std::array order = {"holonomic", "nonholonomic", "velocity level",
                                       "acceleration level"};
  std::array<bool, order.size()> found{};
  const auto& rows = motion.equations().constraints;
  const bool positions_only = std::all_of(rows.begin(), rows.end(), [](const auto& row) {
    return row.level == model::Level::position;
  });
  std::vector<std::optional<bool>> integrable(rows.size(), std::nullopt);
  std::vector<bool> linear(rows.size(), true);
  const auto start = motion.written_initial_state();
  if (positions_only) {
    integrable.assign(rows.size(), true);
  } else if (start && motion.coordinates() <= largest_to_classify &&
             motion.model().quaternions.empty() &&
             mechanics::count_operations(motion.equations()) <= most_operations_to_classify) {
    expr::Patience patience;
    patience.most = most_effort_to_classify;
    const auto classes = mechanics::classify(
        motion.model(), motion.equations(),
        motion::values_at(motion.model(), motion.parameters(), *start), patience);
    for (std::size_t j = 0; j < rows.size(); ++j) {
      integrable[j] = classes.constraints[j].integrable;
      linear[j] = classes.constraints[j].linear;
    }
  }
  for (std::size_t j = 0; j < rows.size(); ++j) {
    if (rows[j].level == model::Level::position || integrable[j].value_or(false)) {
      found[0] = true;
    } else if (rows[j].level == model::Level::acceleration) {
      found[3] = true;
    } else {
      found[integrable[j] || !linear[j] ? 1 : 2] = true;
    }
  }
  std::string text;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (found[k]) text += (text.empty() ? "" : " and ") + std::string(order[k]);
  }
  return text;
}

std::string matrix_text(const Eigen::MatrixXd& m) {
  std::vector<std::vector<std::string>> rows;
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    std::vector<std::string> row{""};
    for (Eigen::Index j = 0; j < m.cols(); ++j) row.push_back(number(m(i, j)));
    rows.push_back(std::move(row));
  }
  return table(rows, "  ");
}

/// A line for what every output must say of the method; empty if there is nothing to say.
std::string note_line(const motion::Motion& motion) {
  const auto note = motion::method_note(motion.method());
  return note.empty() ? "" : fmt::format("{}\n", note);
}

std::string listed(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string joints_text(const motion::Motion& motion, const motion::State& state,
                        const motion::Acceleration& solved) {
  const auto reactions = motion::calc_reactions(motion, state, solved);
  if (reactions.empty()) return "";
  std::vector<std::vector<std::string>> rows{{"joint", "on", "fx", "fy", "fz", "mx", "my", "mz",
                                              motion.model().frictions.empty() ? "" : "N", ""}};
  std::vector<bool> unique;
  for (const motion::JointReaction& joint : reactions) {
    std::vector<std::string> row{joint.name, joint.bodies[1]};
    for (const auto* part : {&joint.force, &joint.moment}) {
      for (const double x : *part) row.push_back(number(x));
    }
    row.push_back(joint.friction ? number(*joint.friction) : "");
    row.emplace_back(!joint.unique                      ? "not unique"
                     : joint.unknown.components.empty() ? "unique"
                                                        : "not all known");
    rows.push_back(std::move(row));
    unique.push_back(joint.unique);
  }
  std::string text = "\n" + table(rows, "  ") +
                     "  what the joint exerts on its second body, at the joint, along the fixed "
                     "axes\n";
  if (const std::string shared = shared_reactions(motion, unique); !shared.empty())
    text += "  reactions " + shared + "\n";
  for (const std::string& line : unknown_reactions(motion)) text += "  " + line + "\n";
  return text;
}

}  // namespace

std::string headline(const motion::Motion& motion, int rank) {
  const auto free =
      static_cast<std::size_t>(std::max(0, static_cast<int>(motion.coordinates()) - rank));
  std::string text =
      fmt::format("{} · {}", motion.model().name, count(motion.coordinates(), "coordinate"));
  if (motion.constraints() > 0) {
    text += fmt::format(" · {}, {}, rank {}", count(motion.constraints(), "constraint"),
                        kinds(motion), rank);
  }
  return text +
         fmt::format(" · {} of freedom", free == 1 ? "1 degree" : fmt::format("{} degrees", free));
}

Sparklines::Sparklines(const motion::Motion& motion, long samples) : samples_(samples) {
  const auto& names = motion.model().coordinates;
  names_.assign(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(
                                                   std::min(names.size(), plotted_coordinates)));
  values_.resize(names_.size());
  for (auto& row : values_) row.reserve(static_cast<std::size_t>(plot_width) + 2);
}

void Sparklines::add(const motion::Sample& sample) {
  const long width = std::min(plot_width, samples_);
  const bool first_of_bucket =
      seen_ == 0 || (seen_ * width) / samples_ != ((seen_ - 1) * width) / samples_;
  const bool last = seen_ == samples_ - 1;
  ++seen_;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (first_of_bucket) {
      values_[i].push_back(sample.q[i]);
    } else if (last) {
      values_[i].back() = sample.q[i];
    }
  }
}

std::string Sparklines::text() const {
  static constexpr const char* blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::vector<std::vector<std::string>> rows;
  std::string text;
  std::size_t name_width = 12;
  for (const std::string& name : names_) name_width = std::max(name_width, width(name));
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const auto& row = values_[i];
    if (row.empty()) continue;
    const auto [low, high] = std::minmax_element(row.begin(), row.end());
    std::string plot;
    for (const double x : row) {
      const double range = *high - *low;
      const double height = range > 0 ? (x - *low) / range : 0.5;
      plot += blocks[std::clamp(static_cast<int>(height * 8), 0, 7)];
    }
    text += fmt::format("  {}  {:>11.5g} {} {:.5g}\n", left(names_[i], name_width), row.front(),
                        plot, row.back());
  }
  return text;
}

namespace {

/// How many steps were taken by another method than was asked for.
std::string by_rk8(const motion::SimulationOptions& options, const motion::Summary& s) {
  if (s.chosen.value_or(options.integrator) != motion::Integrator::taylor ||
      s.taylor_steps == s.steps)
    return {};
  return s.taylor_steps == 0 ? ", all by rk8"
                             : fmt::format(", {} of them by rk8", s.steps - s.taylor_steps);
}

}  // namespace

std::string run_text(const motion::Motion& motion, const motion::SimulationOptions& options,
                     const motion::Summary& s, const Sparklines& plots) {
  std::string text = headline(motion, s.rank) + "\n";
  const bool extended = options.precision == motion::Precision::extended;
  text += fmt::format("{} · {}{}, rtol {} · {} s of motion in {} s, {}{}\n",
                      motion::to_string(motion.method()),
                      motion::to_string(s.chosen.value_or(options.integrator)),
                      extended ? " in extended precision" : "", brief(options.rtol, 3),
                      brief(s.t - options.from, 6), brief(s.seconds, 2),
                      count(static_cast<std::size_t>(s.steps), "step"), by_rk8(options, s));
  text += note_line(motion);
  if (s.chosen) text += fmt::format("  integrator    auto: {}\n", s.choice);
  if (motion.constraints() > 0) {
    text += fmt::format("  constraints   worst residual {:<8}  drift before projection {}\n",
                        brief(s.largest_residual, 2), brief(s.largest_drift, 2));
  }
  text += fmt::format(
      "  energy        balance error {:<8}   work: applied {}, ideal {}, non-ideal {}{}\n",
      brief(s.relative_balance_error(), 2), brief(s.work_applied, 3), brief(s.work_ideal, 3),
      brief(s.work_nonideal, 3),
      motion.equations().other_power.is_zero() ? ""
                                               : fmt::format(", other {}", brief(s.work_other, 3)));
  text += events_text(s);
  for (const Remark& remark : remarks(motion, s))
    text += fmt::format("  {:<12}  {}\n", remark.label, remark.text);
  for (std::size_t i = 0; i < std::min<std::size_t>(s.rank_changes.size(), 3); ++i) {
    const auto& change = s.rank_changes[i];
    text +=
        fmt::format("  rank          {} -> {} at t = {:.9g}\n", change.from, change.to, change.t);
  }
  if (s.rank_change_count > 3) {
    text +=
        fmt::format("  rank          {} changes in all, see summary.json\n", s.rank_change_count);
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(s.passages.size(), 3); ++i) {
    const auto& passage = s.passages[i];
    text += fmt::format(
        "  singular      passed a singular configuration at t = {:.9g} on its branch (rank {}, {} "
        "there)\n",
        passage.t, passage.rank, passage.rank_there);
  }
  if (s.passage_count > 3) {
    text += fmt::format("  singular      {} passages in all, see summary.json\n", s.passage_count);
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(s.switches.size(), 3); ++i) {
    const auto& change = s.switches[i];
    text += fmt::format("  {}   {} -> {} at t = {:.9g}\n",
                        change.quasi_velocities ? "quasi-vel. " : "dependent  ",
                        listed(change.from), listed(change.to), change.t);
  }
  if (s.switch_count > 3) {
    text += fmt::format("  dependent     {} switches in all, see summary.json\n", s.switch_count);
  }
  return text + plots.text();
}

std::string evaluation_text(const motion::Motion& motion, const motion::State& state,
                            const motion::Acceleration& r, const motion::Residuals& residuals) {
  const auto& names = motion.model().coordinates;
  std::string text = headline(motion, r.rank) + "\n";
  text += fmt::format("{} · t = {} · M q'' = Q + Q_ideal + Q_nonideal\n{}\n",
                      motion::to_string(motion.method()), state.t, note_line(motion));
  std::vector<std::vector<std::string>> rows{
      {"", "q", "q'", "q'' free", "q''", "Q", "Q_ideal", "Q_nonideal"}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    rows.push_back({names[i], number(state.q[i]), number(state.v[i]), number(r.unconstrained[k]),
                    number(r.qdd[k]), number(r.Q[k]), number(r.ideal[k]), number(r.nonideal[k])});
  }
  text += table(rows, "  ");
  if (r.mass_singular) text += "  M is singular: there is no motion without the constraints\n";
  if (motion.constraints() > 0) {
    const bool mechanical = motion::is_mechanical(motion.method());
    // With C there are two: of Q_ideal, which knows nothing of C, and while C acts.
    const bool two = mechanical && !r.C.isZero(0);
    rows = {{"constraint", "residual", "its rate",
             two          ? "multiplier without C"
             : mechanical ? "multiplier"
                          : "mu",
             two          ? "while C acts"
             : mechanical ? ""
                          : "mu'"}};
    if (two) rows.front().emplace_back();
    bool shared = false;
    for (std::size_t j = 0; j < motion.constraints(); ++j) {
      const auto row = static_cast<Eigen::Index>(j);
      const bool position = motion.equations().constraints[j].level == model::Level::position;
      rows.push_back({motion.model().constraints[j].name, number(residuals.residual[j]),
                      position ? number(residuals.rate[j]) : "",
                      number(mechanical ? r.multipliers[row] : r.mu[row])});
      if (two) rows.back().push_back(number(r.reactions[row]));
      rows.back().emplace_back(!mechanical   ? number(r.mu_rate[row])
                               : r.unique[j] ? "unique"
                                             : "not unique");
      shared = shared || (mechanical && !r.unique[j]);
    }
    text += "\n" + table(rows, "  ");
    text += fmt::format("  rank {} of {} · |A q'' - b| = {}\n", r.rank, motion.constraints(),
                        brief(r.residual, 2));
    if (two)
      text +=
          "  Q_ideal has the multipliers without C; those while C acts (friction, virtual work) "
          "are what the constraints exert, and what joints report\n";
    if (shared)
      text +=
          "  multipliers that are not unique are those of minimum norm; the total Q_ideal is "
          "unique\n";
  }
  text += joints_text(motion, state, r);
  if (motion.instants() != nullptr)
    text += touch_states_text(flow::find_touch_states(motion, state.t, state.q, state.v));
  const std::vector<Remark> told = remarks(motion, state, r, residuals);
  for (const Remark& remark : told) {
    if (remark.label != "note" && remark.label != "warning")
      text += fmt::format("  {}\n", remark.text);
  }
  if (motion.coordinates() <= widest_matrix) {
    text += "\n  M\n" + matrix_text(r.M);
    if (motion.constraints() > 0) {
      Eigen::MatrixXd augmented(r.A.rows(), r.A.cols() + 1);
      augmented << r.A, r.b;
      text += "\n  A | b\n" + matrix_text(augmented);
    }
  }
  const char* gap = "\n";
  for (const Remark& remark : told) {
    if (remark.label != "warning") continue;
    text += fmt::format("{}warning: {}\n", std::exchange(gap, ""), remark.text);
  }
  return text;
}

}  // namespace dalembert::report
