#include "dalembert/report/check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dalembert/expr/print.hpp"
#include "dalembert/flow/values.hpp"
#include "dalembert/mechanics/manifold.hpp"
#include "dalembert/motion/doubts.hpp"
#include "dalembert/motion/reactions.hpp"
#include "dalembert/report/check_parts.hpp"
#include "dalembert/report/derivation/derivation.hpp"
#include "dalembert/report/document/document.hpp"
#include "dalembert/report/instants.hpp"
#include "dalembert/solve/names.hpp"

namespace dalembert::report {

namespace {

using mechanics::Agreement;
using mechanics::How;

constexpr std::size_t indent = 13;

/// Beyond these, comparing all formulations takes minutes: operations in the equations, and those
/// times the square of the number of constraints that directions are eliminated with. The relation
/// of a quaternion makes every proof dearer.
constexpr std::size_t most_operations = 3000;
constexpr std::size_t most_eliminated = 20000;

bool too_large_to_compare(const motion::Motion& motion, std::size_t rank) {
  // Matrices of expressions are full, however few of their entries there are.
  const std::size_t n = motion.coordinates();
  const std::size_t size = std::max(mechanics::count_operations(motion.equations()), n * n / 4);
  const std::size_t dearer = motion.model().quaternions.empty() ? 1 : 4;
  return size > most_operations || dearer * size * (1 + rank) * (1 + rank) > most_eliminated;
}

/// "holonomic, scleronomic"
std::string kind_text(const mechanics::ConstraintClass& c) {
  std::string kind = c.holonomic()                               ? "holonomic"
                     : c.level == mechanics::Level::acceleration ? "acceleration level"
                     : !c.linear    ? "nonholonomic, nonlinear in velocities"
                     : c.integrable ? "nonholonomic"
                                    : "linear in velocities, integrability not decided";
  if (c.holonomic() && c.level == mechanics::Level::velocity) kind += " (integrable)";
  return kind + (c.rheonomic ? ", rheonomic" : ", scleronomic") +
         (c.level == mechanics::Level::velocity && !c.catastatic ? ", acatastatic" : "");
}

/// "holonomic: w' = 0, which integrates to w = const"
std::string combination_text(const mechanics::HolonomicCombination& combination) {
  constexpr std::size_t longest = 300;
  std::string text = fmt::format("holonomic: {} = 0", expr::to_text(combination.rate, longest));
  if (combination.integral)
    text += fmt::format(", which integrates to {} = const",
                        expr::to_text(*combination.integral, longest));
  return text;
}

std::string dependence_text(const CheckReport& r, std::size_t j) {
  const auto found =
      std::find_if(r.redundant.begin(), r.redundant.end(),
                   [j](const mechanics::Redundancy& x) { return x.constraint == j; });
  if (found == r.redundant.end()) return "independent";
  std::vector<std::string> names;
  for (const std::size_t i : found->of) names.push_back(r.motion->model().constraints[i].name);
  const std::string of = names.empty() ? "" : " on " + motion::quoted_list(names);
  if (found->given_up)
    return "dependent" + of + " at this state; whether in general takes too long to decide";
  if (!found->result.holds) return "dependent" + of + " at this state, not in general";
  if (!found->combination.empty()) return "redundant: = " + found->combination;
  return "redundant: depends" + of +
         (found->result.how == How::proof ? "" : " (seen at random states)");
}

/// Text folded at `width`, the lines after the first indented.
std::string folded(const std::string& text, std::size_t width) {
  std::string result;
  std::size_t column = indent;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (column + word.size() > width && column > indent) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
    at = end + 1;
  }
  return result;
}

std::string labelled(const std::string& label, const std::string& text) {
  return fmt::format("{:<{}}{}\n", label, indent, folded(text, 100));
}

std::string joined(const std::vector<std::string>& names, const char* between) {
  std::string result;
  for (const std::string& name : names) result += (result.empty() ? "" : between) + name;
  return result;
}

/// "energy", "momentum of phi"
std::string name_of(const CheckReport& r, const mechanics::ConservedQuantity& quantity) {
  std::string name = mechanics::to_string(quantity.kind);
  if (quantity.coordinate) name += " of " + r.motion->model().coordinates[*quantity.coordinate];
  return name;
}

void add_conserved(std::string& text, const CheckReport& r) {
  constexpr std::size_t longest = 400;
  if (model::has_instants(r.motion->model())) {
    text += labelled("conserved", instants_do_not_conserve);
    return;
  }
  if (!r.conserved) return;
  std::string label = "conserved";
  const auto add = [&](const std::string& line) {
    text += labelled(label, line);
    label.clear();
  };
  for (const mechanics::ConservedQuantity& quantity : r.conserved->proven) {
    const auto value = text_within(quantity.value, longest);
    add(name_of(r, quantity) + (value ? " = " + *value : ", too long to show here (--json)"));
  }
  if (r.conserved->energy == true) return;
  add(fmt::format("{}: {}",
                  r.conserved->energy ? "energy is not conserved"
                                      : "whether energy is conserved is not decided",
                  why_no_energy(r.motion->model(), r.conserved->why_not)));
}

void add_formulations(std::string& text, const CheckReport& r) {
  std::vector<std::string> proven, numeric;
  double error = 0;
  std::vector<std::string> lines;
  for (const Agreement& a : r.agreements) {
    if (!a.ruled_out.empty()) {
      lines.push_back("ruled out: " + a.ruled_out);
    } else if (a.given_up) {
      lines.push_back(fmt::format("{}: not compared, because that takes too long{}", a.method,
                                  r.agreements.size() > 1
                                      ? "; --method " + a.method + " allows more time for it alone"
                                      : ""));
    } else if (!a.mechanical) {
      const bool proof = a.result.how == How::proof;
      if (a.result.holds) {
        lines.push_back(
            fmt::format("vakonomic = m-inverse: {} ({})", proof ? "proven" : "at random states",
                        r.motion->constraints() == 0 ? "there are no constraints"
                                                     : "its further terms vanish here"));
      } else {
        lines.emplace_back(
            "vakonomic differs: for nonholonomic constraints the multiplier rule is not the motion "
            "of mechanics (below)");
      }
    } else if (!a.result.holds) {
      lines.push_back(fmt::format("{} does NOT agree: {}", a.method, a.result.failed));
      if (a.result.witness) lines.push_back("  " + witness_text(*a.result.witness));
    } else if (a.result.how == How::proof) {
      proven.push_back(a.method);
    } else {
      numeric.push_back(a.method);
      error = std::max(error, a.result.error);
    }
  }
  std::string label = "formulations";
  const auto add = [&](const std::string& line) {
    text += labelled(label, line);
    label.clear();
  };
  if (!proven.empty()) add(joined(proven, " = ") + "   proven");
  if (!numeric.empty())
    add(fmt::format("{}   at random states on the constraints, to {:.0e}", joined(numeric, " = "),
                    std::max(error, 1e-50)));
  for (const std::string& line : lines) add(line);
  if (!r.compared) {
    add("not compared: for equations of this size that would take minutes; --method NAME compares "
        "one of them");
  }
}

}  // namespace

std::string internal_text(const study::InternalDynamics& internal) {
  using Verdict = study::InternalDynamics::Verdict;
  const auto states = [&] {
    const auto count = internal.eigenvalues.size();
    return fmt::format("{} state{}", count, count == 1 ? "" : "s");
  };
  const auto largest = [&] { return internal.eigenvalues.real().maxCoeff(); };
  switch (internal.verdict) {
    case Verdict::none:
      return "none: the constraints determine the motion";
    case Verdict::stable:
      return fmt::format("{}, stable: the largest real part of an eigenvalue is {:.4g}", states(),
                         largest());
    case Verdict::unstable:
      return fmt::format(
          "{}, unstable: an eigenvalue has the real part {:.4g}, and the inputs will "
          "grow without bound",
          states(), largest());
    case Verdict::open:
      return fmt::format(
          "{}, no eigenvalue with a positive real part; those on the imaginary axis "
          "leave stability open",
          states());
    case Verdict::not_judged:
      break;
  }
  return "stability not judged: " + internal.reason;
}

std::string witness_text(const expr::Witness& witness) {
  std::string at;
  std::size_t shown = 0;
  for (const auto& [symbol, value] : witness.at) {
    if (++shown > 12) {
      at += ", ...";
      break;
    }
    at += fmt::format("{}{} = {}", at.empty() ? "" : ", ", expr::to_text(symbol),
                      expr::to_text(expr::Expr(value)));
  }
  return fmt::format("the difference is {} at {}", witness.value, at);
}

std::optional<std::string> text_within(const expr::Expr& e, std::size_t longest) {
  std::string text = expr::to_text(e, longest + 1);
  if (text.size() > longest) return std::nullopt;
  return text;
}

bool CheckReport::passed() const {
  return consistent && start_problem.empty() && rank_at_start == rank &&
         std::all_of(agreements.begin(), agreements.end(),
                     [](const Agreement& a) {
                       return !a.mechanical || !a.ruled_out.empty() || a.given_up || a.result.holds;
                     }) &&
         std::all_of(redundant.begin(), redundant.end(),
                     [](const mechanics::Redundancy& x) { return x.given_up || x.result.holds; });
}

CheckReport check(const motion::Motion& motion, const motion::State& state, std::string_view method,
                  const expr::Patience& patience) {
  CheckReport r;
  r.motion = &motion;
  const expr::Values values = motion::values_at(motion.model(), motion.parameters(), state);
  const auto& model = motion.model();
  const auto& eq = motion.equations();
  const motion::Acceleration at_start = motion.acceleration(state.t, state.q, state.v);
  std::optional<std::size_t> rank;
  r.unique.assign(motion.constraints(), true);
  r.unique_reactions = motion::calc_unique_reactions(motion, state);
  if (at_start.status == motion::Status::ok) {
    rank = static_cast<std::size_t>(at_start.rank);
    r.unique = at_start.unique;
    r.mass_singular = at_start.mass_singular;
    r.warnings = motion::friction_doubts(motion, state, "at the start", false);
  } else {
    r.start_problem = at_start.problem;
  }
  if (!model.servos.empty()) {
    patience.say("looking at the internal dynamics");
    r.internal = study::find_internal_dynamics(motion, state);
  }
  r.classes = mechanics::classify(model, eq, values, patience);
  patience.say("choosing independent constraints and coordinates");
  const mechanics::Reference reference = mechanics::reference_near(model, eq, values, rank);
  r.rank = reference.rank;
  r.rank_at_start = reference.rank_given;
  const mechanics::Split split =
      mechanics::split_coordinates(model, eq, reference.values, reference.rank);
  const auto prepared = expr::within(
      patience.most, [&] { return mechanics::prepare(model, eq, reference.values, split, false); });
  if (!prepared) {
    r.compared = false;
    for (const std::size_t j : split.redundant) r.redundant.push_back({j, {}, {}, {}, true});
    return r;
  }
  const auto& setting = *prepared;
  if (!setting) {
    r.start_problem = setting.error();
    return r;
  }
  r.redundant = mechanics::examine_redundant(*setting, patience);
  // What impacts, friction and events change is not kept.
  if (!model::has_instants(model)) r.conserved = mechanics::find_conserved(*setting, patience);
  r.compared = !method.empty() || !too_large_to_compare(motion, r.rank);
  if (r.compared) r.agreements = mechanics::compare_formulations(*setting, method, patience);
  for (const Agreement& a : r.agreements) {
    if (a.mechanical || !a.ruled_out.empty() || a.given_up || a.result.holds) continue;
    const auto contrast = expr::within(patience.most, [&] { return vakonomic_contrast(*setting); });
    Document document;
    if (contrast) document.blocks = *contrast;
    r.contrast = to_text(document);
  }
  return r;
}

std::string check_text(const CheckReport& r) {
  const motion::Motion& motion = *r.motion;
  const std::size_t n = motion.coordinates(), m = motion.constraints();
  std::string text = fmt::format("{} · {} coordinate{} · {} constraint{}\n", motion.model().name, n,
                                 n == 1 ? "" : "s", m, m == 1 ? "" : "s");
  std::size_t name_width = 0, kind_width = 0;
  for (const auto& c : r.classes.constraints) {
    name_width = std::max(name_width, c.name.size());
    kind_width = std::max(kind_width, kind_text(c).size());
  }
  std::string label = "constraints";
  for (std::size_t j = 0; j < m; ++j) {
    const auto& c = r.classes.constraints[j];
    text += fmt::format("{:<{}}{:<{}}   {:<{}}   {}\n", label, indent, c.name, name_width,
                        kind_text(c), kind_width, dependence_text(r, j));
    label.clear();
    if (c.integral)
      text += labelled("", fmt::format("'{}' integrates to {} = const", c.name,
                                       expr::to_text(*c.integral, 300)));
  }
  if (r.classes.holonomic_combinations && m > 0 &&
      std::any_of(r.classes.constraints.begin(), r.classes.constraints.end(), [](const auto& c) {
        return c.level == mechanics::Level::velocity && c.linear;
      })) {
    // Without explicit time the direction of time stays apart and is not counted.
    const bool rheonomic = std::any_of(r.classes.constraints.begin(), r.classes.constraints.end(),
                                       [](const auto& c) { return c.rheonomic || !c.catastatic; });
    std::string growth;
    for (const std::size_t in_time : r.classes.growth)
      growth += fmt::format("{}{}", growth.empty() ? "" : " → ", rheonomic ? in_time : in_time - 1);
    if (!growth.empty()) {
      growth = fmt::format(" (dimension of the allowed directions{}, closed under brackets: {})",
                           rheonomic ? " in (q, t)" : "", growth);
    }
    const std::size_t holonomic = *r.classes.holonomic_combinations;
    const std::size_t rank = r.classes.linear_rank;
    const std::string share =
        holonomic == 0      ? "no combination of the constraints linear in velocities is holonomic"
        : holonomic == rank ? "all constraints linear in velocities are holonomic together"
                            : fmt::format(
                                  "{} of {} independent combinations of the constraints linear "
                                  "in velocities {} holonomic",
                                  holonomic, rank, holonomic == 1 ? "is" : "are");
    text += labelled("", share + growth);
    for (const mechanics::HolonomicCombination& combination : r.classes.combinations)
      text += labelled("", combination_text(combination));
  }
  if (!r.classes.not_decided.empty())
    text += labelled("", "integrability is not decided: " + r.classes.not_decided);
  const std::size_t freedom = n - r.rank;
  text += fmt::format(
      "rank {} of {} · {} degree{} of freedom{}\n", r.rank, m, freedom, freedom == 1 ? "" : "s",
      r.start_problem.empty() ? " · accelerations and total constraint force are unique" : "");
  if (r.rank_at_start != r.rank) {
    text += labelled(
        "", fmt::format("the start is a singular state: the rank is {} there", r.rank_at_start));
  }
  if (r.mass_singular)
    text += labelled("", "the mass matrix is singular; the constraints make up for it");
  std::vector<std::string> shared;
  for (std::size_t j = 0; j < m; ++j) {
    if (!r.unique[j]) shared.push_back(motion.model().constraints[j].name);
  }
  if (!shared.empty()) {
    text += labelled(
        "", fmt::format("the share{} of {} {} not unique; printed shares have minimum norm",
                        shared.size() == 1 ? "" : "s", motion::quoted_list(shared),
                        shared.size() == 1 ? "is" : "are"));
  }
  label = "inputs";
  for (const model::ServoConstraint& servo : motion.model().servos) {
    text += labelled(label, fmt::format("'{}' is enforced by {}   relative degree {}, index {}",
                                        servo.name, motion::quoted_list(servo.inputs),
                                        servo.relative_degree, servo.index()));
    label.clear();
  }
  if (r.internal) text += labelled("", "internal dynamics: " + internal_text(*r.internal));
  label = "joints";
  for (std::size_t k = 0; k < r.unique_reactions.size(); ++k) {
    const model::Joint& joint = motion.model().joints[k];
    const auto unknown = motion::find_unknown(motion.model(), joint.name);
    std::string state =
        r.unique_reactions[k] ? "unique" : "not unique; the one printed has minimum norm";
    if (!unknown.components.empty()) {
      const std::string known = r.unique_reactions[k] ? "" : state + "; ";
      state = fmt::format("{}not known in {}: {}", known, fmt::join(unknown.components, ", "),
                          unknown.reason);
    }
    text += labelled(
        label, fmt::format("{}   {} of {} and {}   its reaction is {}", joint.name,
                           model::to_string(joint.kind), joint.bodies[0], joint.bodies[1], state));
    label.clear();
  }
  for (const std::string& note : motion.model().reaction_notes) text += labelled("", note);
  for (const InstantLine& line : instant_lines(motion.model()))
    text += labelled(line.label, line.text);
  if (!r.start_problem.empty()) {
    text += labelled("start", r.start_problem);
  } else if (r.adjusted) {
    text += labelled("start", fmt::format("adjusted to the nearest state on the constraints (as "
                                          "written its residual is {:.3g} of its scale)",
                                          r.residual));
  } else if (r.consistent) {
    text += labelled("start", fmt::format("consistent (residual {:.2g})", r.residual));
  } else {
    text +=
        labelled("start", fmt::format("NOT consistent: residual {:.3g} of its scale", r.residual));
  }
  for (const std::string& warning : r.warnings) text += labelled("warning", warning);
  add_conserved(text, r);
  add_formulations(text, r);
  if (!r.contrast.empty()) text += r.contrast;
  return text;
}

}  // namespace dalembert::report
