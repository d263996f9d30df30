#include "dalembert/report/remarks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "dalembert/expr/graph.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/flow/values.hpp"
#include "dalembert/motion/doubts.hpp"
#include "dalembert/motion/reactions.hpp"
#include "dalembert/report/layout.hpp"
#include "dalembert/solve/method.hpp"
#include "dalembert/solve/names.hpp"

namespace dalembert::report {

namespace {

constexpr double suspicious_balance = 1e-3;    // of the energy in play
constexpr std::size_t most_unknown_lines = 6;  // about joints

/// What is doubted of limits that reactions decide.
std::string how_found(const motion::Motion& motion) {
  return motion.instants() != nullptr
             ? "one answer was found for frictions that limit each other through their reactions"
             : "the normal forces of friction were traced from zero friction";
}

bool has_friction(const motion::Motion& motion, const std::vector<bool>& unique) {
  const auto& model = motion.model();
  for (std::size_t k = 0; k < unique.size(); ++k) {
    const auto of_joint = [&](const auto& f) { return f.joint == model.joints[k].name; };
    if (!unique[k] && (std::ranges::any_of(model.frictions, of_joint) ||
                       std::ranges::any_of(model.dry_frictions, of_joint)))
      return true;
  }
  return false;
}

/// Rows of A that depend on others where the constraints hold are independent a little beside them.
/// A state that has drifted off by more than the tolerance of rank makes them so, and what they
/// then demand is the drift's doing, not that of mechanics.
std::string rank_by_drift(const motion::Motion& motion, const motion::Summary& s) {
  if (!(s.largest_residual > motion.fundamental_options().rank_tolerance)) return "";
  const auto rise = std::ranges::find_if(
      s.rank_changes, [](const motion::RankChange& change) { return change.to > change.from; });
  if (rise == s.rank_changes.end()) return "";
  return fmt::format(
      "the rank of the constraints rose from {} to {} at t = {}, where the state had drifted off "
      "them "
      "(residual up to {}): do not trust this motion from there on; project = \"both\" keeps it on "
      "them",
      rise->from, rise->to, brief(rise->t, 4), brief(s.largest_residual, 2));
}

}  // namespace

std::string shared_reactions(const motion::Motion& motion, const std::vector<bool>& unique) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < unique.size(); ++k) {
    if (!unique[k]) names.push_back(motion.model().joints[k].name);
  }
  if (names.empty()) return "";
  return fmt::format(
      "of joint{} {}: not unique, because constraints are redundant; of minimum norm{}",
      names.size() == 1 ? "" : "s", motion::quoted_list(names),
      has_friction(motion, unique) ? ", and friction follows it" : "");
}

std::vector<std::string> unknown_reactions(const motion::Motion& motion) {
  std::vector<std::string> lines;
  std::size_t more = 0;
  for (const model::Joint& joint : motion.model().joints) {
    const auto unknown = motion::find_unknown(motion.model(), joint.name);
    if (unknown.components.empty()) continue;
    if (lines.size() == most_unknown_lines) {
      ++more;
    } else {
      lines.push_back(fmt::format("{} of joint '{}' not known: {}",
                                  fmt::join(unknown.components, ", "), joint.name, unknown.reason));
    }
  }
  if (more > 0) lines.push_back(fmt::format("and likewise of {}", count(more, "more joint")));
  const auto& notes = motion.model().reaction_notes;
  lines.insert(lines.end(), notes.begin(), notes.end());
  return lines;
}

bool on_constraints(const motion::Residuals& residuals) {
  const auto small = [](double x) { return x <= motion::initial_tolerance; };
  return std::ranges::all_of(residuals.scaled, small) &&
         std::ranges::all_of(residuals.scaled_rate, small);
}

std::vector<Remark> remarks(const motion::Motion& motion, const motion::Summary& s) {
  std::vector<Remark> result;
  const auto warn = [&](std::string_view label, std::string text) {
    result.push_back({label, std::move(text), true});
  };
  if (s.relative_balance_error() > suspicious_balance)
    warn("warning", "energy and work do not balance: do not trust this motion; tighten rtol");
  if (std::string doubt = rank_by_drift(motion, s); !doubt.empty())
    warn("warning", std::move(doubt));
  for (const std::string& doubt : s.doubts) warn("warning", doubt);
  if (s.gimbal) {
    warn(
        "gimbal lock",
        fmt::format("body '{}' {} that of its angles {} at t = {}; a quaternion has none",
                    s.gimbal->body, s.gimbal->determinant == 0 ? "passed through" : "came close to",
                    s.gimbal->axes, brief(s.gimbal->t, 4)));
  }
  if (s.stiff) {
    warn("stiff", fmt::format("from t = {}: stability, not accuracy, bounds the steps; integrator "
                              "= \"bdf\" is made for this",
                              brief(s.stiff->t, 4)));
  }
  for (const auto& output : s.not_finite) {
    warn("outputs",
         fmt::format("'{}' is not finite, first at t = {}", output.name, brief(output.t, 9)));
  }
  if (std::string shared = shared_reactions(motion, s.unique_reactions); !shared.empty())
    result.push_back({"reactions", std::move(shared), has_friction(motion, s.unique_reactions)});
  for (std::string& line : unknown_reactions(motion))
    result.push_back({"reactions", std::move(line), false});
  if (s.friction_not_assured) {
    warn("friction", fmt::format("from t = {} on {}; there may be others",
                                 brief(*s.friction_not_assured, 9), how_found(motion)));
  }
  return result;
}

std::vector<Remark> remarks(const motion::Motion& motion, const motion::State& state,
                            const motion::Acceleration& r, const motion::Residuals& residuals) {
  std::vector<Remark> result;
  const bool consistent_state = on_constraints(residuals);
  const bool fundamental = motion::is_fundamental(motion.method());
  if (!r.consistent && motion.method() != motion::Method::weighted) {
    const std::string conflict = motion::explain_conflict(r.conflicting, motion.constraint_names());
    result.push_back(
        {"note",
         fmt::format(
             "{}{}; the accelerations {}",
             consistent_state ? "" : "this state is not on the constraints, and ", conflict,
             fundamental ? "are a least-squares compromise" : "heed the independent ones only"),
         true});
  }
  if (!fundamental && !consistent_state) {
    result.push_back({"note",
                      fmt::format("this state is not on the constraints; where {} puts them in, it "
                                  "answers for a state that is",
                                  motion::to_string(motion.method())),
                      true});
  }
  if (!r.friction_assured) {
    result.push_back({"friction", how_found(motion) + "; there may be others", true});
  }
  for (std::string& doubt : motion::friction_doubts(motion, state, "here", true))
    result.push_back({"warning", std::move(doubt), true});
  return result;
}

std::vector<std::string> warnings(const std::vector<Remark>& remarks) {
  std::vector<std::string> result;
  for (const Remark& remark : remarks) {
    if (!remark.warning) continue;
    const bool plain = remark.label == "warning" || remark.label == "note";
    std::string sentence = plain ? remark.text : fmt::format("{}: {}", remark.label, remark.text);
    if (std::ranges::find(result, sentence) == result.end()) result.push_back(std::move(sentence));
  }
  return result;
}

std::vector<double> outputs_at(const motion::Motion& motion, const motion::State& state,
                               const motion::Acceleration& solved) {
  const auto& constraints = motion.model().constraints;
  const auto is_known = [&](const expr::Symbol& s) {
    if (s.kind == expr::SymbolKind::multiplier) {
      const auto row = static_cast<std::size_t>(
          std::ranges::find(constraints, s.name, &model::Constraint::name) - constraints.begin());
      return row < solved.unique.size() && solved.unique[row] &&
             static_cast<Eigen::Index>(row) < solved.reactions.size();
    }
    return s.kind != expr::SymbolKind::auxiliary;
  };
  std::vector<double> result;
  const expr::Values values = flow::values_at(motion, state, solved);
  for (const model::Named& output : motion.model().outputs) {
    const auto unknown = [&](const expr::Symbol& s) { return !is_known(s); };
    result.push_back(expr::find_symbol(output.expr, unknown)
                         ? std::numeric_limits<double>::quiet_NaN()
                         : expr::evaluate(output.expr, values));
  }
  return result;
}

}  // namespace dalembert::report
