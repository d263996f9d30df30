#include "dalembert/motion/doubts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "dalembert/expr/functions.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/solve/names.hpp"

namespace dalembert::motion {

namespace {

using expr::Expr;
using expr::Op;

constexpr int most_iterations = 200;
constexpr double settled = 1e-10;           // of the largest acceleration, between two iterations
constexpr double onset = 1e-6;              // s, or of a shorter duration: how far q' is moved
constexpr double noticeable = 1e-3;         // of the acceleration: a jump
constexpr double ahead = 0.01;              // of the duration: to see a law that is zero at rest
constexpr std::size_t most_examined = 600;  // n + m

bool has_ideal_force(const Expr& e) {
  return expr::find_symbol(
             e, [](const expr::Symbol& s) { return s.kind == expr::SymbolKind::ideal_force; })
      .has_value();
}

bool has_kinks(Op op) {
  if (!expr::is_function(op)) return false;
  const expr::Kinks kinks = expr::function_info(op).kinks;
  return kinks != expr::Kinks::none && kinks != expr::Kinks::at_cut;
}

/// Whether e has a function of velocities that may jump: a sign, a size, a quotient, a root.
bool may_jump(const Expr& e) {
  return std::ranges::any_of(expr::postorder(e), [](const Expr& node) {
    const bool kinked =
        has_kinks(node.op()) || (node.is(Op::power) && !(node.args()[1].is(Op::constant) &&
                                                         node.args()[1].value().get_den() == 1 &&
                                                         sgn(node.args()[1].value()) > 0));
    return kinked && expr::find_symbol(node, [](const expr::Symbol& s) {
                       return s.kind == expr::SymbolKind::coordinate && s.order == 1;
                     }).has_value();
  });
}

bool may_jump(const Motion& motion) {
  const auto& eq = motion.equations();
  const auto jumps = [](const Expr& e) { return may_jump(e); };
  return std::ranges::any_of(eq.frictions, [](const auto& f) { return !f.sliding.empty(); }) ||
         std::ranges::any_of(eq.C, jumps) || std::ranges::any_of(eq.Q, jumps);
}

double duration_of(const Motion& motion) {
  const double duration =
      model::evaluate(motion.model().simulation.duration.expr, motion.model(), motion.parameters());
  return std::isfinite(duration) && duration > 0 ? duration : 1;
}

State moved(const State& state, const Eigen::VectorXd& qdd, double time) {
  State result = state;
  for (std::size_t i = 0; i < result.v.size(); ++i)
    result.v[i] += time * qdd[static_cast<Eigen::Index>(i)];
  return result;
}

Acceleration acceleration_at(const Motion& motion, const State& state) {
  return motion.acceleration(state.t, state.q, state.v, state.mu);
}

/// The coordinates that fit, for a sentence.
std::string coordinates_where(const Motion& motion, const auto& fits) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < motion.coordinates(); ++k) {
    if (fits(static_cast<Eigen::Index>(k))) names.push_back(motion.model().coordinates[k]);
  }
  return quoted_list(names);
}

/// Where two accelerations differ most, each coordinate in the measure of its mass.
Eigen::Index most_different(const Eigen::MatrixXd& M, const Eigen::VectorXd& a,
                            const Eigen::VectorXd& b) {
  Eigen::Index worst = 0;
  (M.diagonal().cwiseAbs().cwiseSqrt().cwiseProduct(a - b)).cwiseAbs().maxCoeff(&worst);
  return worst;
}

/// The reaction and q'' where the law has the reaction as it is, at a state that `evaluator` has
/// decided. Nothing where the iteration does not settle.
struct Settled {
  Eigen::VectorXd reaction, qdd;
};
std::optional<Settled> settle(Evaluator& evaluator) {
  Eigen::VectorXd C = evaluator.C(), before = evaluator.acceleration();
  Settled result{C, before};
  for (int k = 0; k < most_iterations; ++k) {
    if (!evaluator.reconsider_law(C, result.reaction, result.qdd)) return std::nullopt;
    const double size = std::max(result.qdd.norm(), before.norm());
    if ((result.qdd - before).norm() <= settled * size) return result;
    before = result.qdd;
  }
  return std::nullopt;
}

}  // namespace

LawWatch::LawWatch(const Motion& motion)
    : reaction_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(motion.coordinates()))),
      terms_(reaction_) {
  if (!motion.equations().C_uses_ideal_force || !is_mechanical(motion.method())) return;
  for (std::size_t k = 0; k < motion.coordinates(); ++k) {
    const std::string& name = motion.model().coordinates[k];
    const bool used = std::ranges::any_of(motion.equations().C, [&](const Expr& e) {
      return expr::find_symbol(e,
                               [&](const expr::Symbol& s) {
                                 return s.kind == expr::SymbolKind::ideal_force && s.name == name;
                               })
          .has_value();
    });
    if (used) used_.push_back(k);
  }
}

std::optional<LawError> LawWatch::look(Evaluator& evaluator) {
  if (used_.empty()) return std::nullopt;
  const Eigen::VectorXd& lambda = evaluator.calc_multipliers();
  if (!lambda.allFinite()) return std::nullopt;
  evaluator.calc_constraint_force(lambda, reaction_, terms_);
  LawError worst;
  for (const std::size_t k : used_) {
    const auto i = static_cast<Eigen::Index>(k);
    const double used = evaluator.ideal()[i];
    const double size = std::max(std::abs(used), terms_[i]);
    const double relative = size > 0 ? std::abs(reaction_[i] - used) / size : 0;
    if (relative > worst.relative) worst = {k, used, reaction_[i], relative};
  }
  return worst;
}

std::string law_doubt(const Motion& motion, const State& state, const std::string& instant) {
  if (!motion.equations().C_uses_ideal_force || !is_mechanical(motion.method())) return "";
  LawWatch watch(motion);
  Evaluator evaluator(motion);
  if (evaluator.decide(state.t, state.q, state.v, state.mu) != Status::ok) return "";
  auto error = watch.look(evaluator);
  if (!error) return "";
  std::string when = instant;
  if (evaluator.C().isZero(0)) {  // at rest: as it will be
    const double time = ahead * duration_of(motion);
    const State later = moved(state, evaluator.acceleration(), time);
    if (evaluator.decide(later.t, later.q, later.v, later.mu) != Status::ok) return "";
    error = watch.look(evaluator);
    when = fmt::format("{}, once moving,", instant);
  }
  if (!error || !(error->relative > tolerable_law_error)) return "";
  const std::string who = coordinates_where(motion, [&](Eigen::Index k) {
    return has_ideal_force(motion.equations().C[static_cast<std::size_t>(k)]);
  });
  const Eigen::VectorXd shown = evaluator.acceleration();
  const auto right = settle(evaluator);
  const auto x = static_cast<Eigen::Index>(error->coordinate);
  const double acting = right ? right->reaction[x] : error->acting;
  std::string text = fmt::format(
      "[virtual_work] of {} uses the reaction without friction, and friction changes it: {} "
      "ideal.{} is {:.4g} in the law and the reaction {:.4g} while friction acts",
      who, when, motion.model().coordinates[error->coordinate], error->used, acting);
  if (acting != 0)
    text += fmt::format(" ({:.2g} % off)", 100 * std::abs(error->used - acting) / std::abs(acting));
  if (right) {
    const Eigen::Index k = most_different(evaluator.calc_M(), shown, right->qdd);
    text += fmt::format(", and {}'' is {:.4g} instead of {:.4g}",
                        motion.model().coordinates[static_cast<std::size_t>(k)], shown[k],
                        right->qdd[k]);
  } else {
    text += ", and with that one the law may have no answer";
  }
  return text +
         "; write it as [[friction]], with limit = \"mu*reaction.NAME\", or as `friction` of a "
         "joint, which use the actual reaction (docs/events-and-contacts.md, docs/joints.md)";
}

std::vector<std::string> rest_doubts(const Motion& motion, const State& state,
                                     const std::string& instant, bool all) {
  std::vector<std::string> result;
  if (motion.coordinates() + motion.constraints() > most_examined || !may_jump(motion))
    return result;
  const Acceleration here = acceleration_at(motion, state);
  if (here.status != Status::ok) return result;
  const double time = onset * std::min(1.0, duration_of(motion));
  const Acceleration near = acceleration_at(motion, moved(state, here.qdd, time));
  const Acceleration nearer = acceleration_at(motion, moved(state, here.qdd, time / 100));
  const bool solved = near.status == Status::ok && nearer.status == Status::ok;

  std::vector<std::string> starting, resting;
  std::size_t speed = 0;
  for (const auto& terms : motion.equations().frictions) {
    bool slides = false, will = false;
    for (std::size_t i = 0; i < terms.sliding.size(); ++i, ++speed) {
      slides = slides || here.slides[speed] != 0;
      will = will || (solved && nearer.slides[speed] != 0);
    }
    if (terms.sliding.empty() || slides) continue;
    (will ? starting : resting).push_back(terms.joint);
  }
  const auto size = [&](const Eigen::VectorXd& a) {
    return std::sqrt(std::abs(a.dot(here.M * a)));
  };
  if (solved) {
    const double jump = size(near.qdd - here.qdd), sooner = size(nearer.qdd - here.qdd);
    const double whole = std::max(size(here.qdd), size(near.qdd));
    if (sooner > noticeable * whole && sooner > jump / 2) {
      const std::string along = coordinates_where(motion, [&](Eigen::Index k) {
        const double change = std::abs(nearer.C[k] - here.C[k]) + std::abs(nearer.Q[k] - here.Q[k]);
        return change > noticeable * (std::abs(nearer.C[k]) + std::abs(nearer.Q[k]));
      });
      const bool holds = here.qdd.dot(here.M * nearer.qdd) <= 0;
      const Eigen::Index k = most_different(here.M, here.qdd, nearer.qdd);
      const std::string who =
          starting.empty() ? fmt::format("the law along {}", along)
                           : fmt::format("that of joint{} {}", starting.size() == 1 ? "" : "s",
                                         quoted_list(starting));
      const std::string shown = fmt::format(
          "friction at rest: {} has no direction {}, only [[friction]] and contacts stick, and "
          "{}'' = "
          "{:.4g} is without it",
          who, instant, motion.model().coordinates[static_cast<std::size_t>(k)], here.qdd[k]);
      if (holds) {
        result.push_back(shown + "; it is strong enough to hold: the system would stay at rest");
      } else if (all) {
        result.push_back(fmt::format("{}; it is too weak to hold, and once sliding {}'' is {:.4g}",
                                     shown, motion.model().coordinates[static_cast<std::size_t>(k)],
                                     nearer.qdd[k]));
      }
    }
  }
  if (all && !resting.empty()) {
    result.push_back(
        fmt::format("friction at rest: joint{} {} {} not slide {}; dry friction then has no "
                    "direction, and none "
                    "acts",
                    resting.size() == 1 ? "" : "s", quoted_list(resting),
                    resting.size() == 1 ? "does" : "do", instant));
  }
  return result;
}

std::vector<std::string> friction_doubts(const Motion& motion, const State& state,
                                         const std::string& instant, bool all) {
  std::vector<std::string> result;
  if (std::string law = law_doubt(motion, state, instant); !law.empty())
    result.push_back(std::move(law));
  std::ranges::move(rest_doubts(motion, state, instant, all), std::back_inserter(result));
  return result;
}

}  // namespace dalembert::motion
