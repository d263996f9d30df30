/// What each step of a derivation is called and what is said in front of its formulas.

#include <algorithm>

#include "dalembert/report/derivation/words_methods.hpp"

namespace dalembert::report {

namespace {

using mechanics::Fact;
using mechanics::Quantity;
using mechanics::StepKind;

struct StepWords {
  std::string_view title;
  std::string_view number;
  std::string_view sentence;
  std::string_view without = {};  ///< the sentence if nothing is listed; the same if empty
};

StepWords words_of(StepKind kind) {
  switch (kind) {
    case StepKind::law:
      break;  // the method's own words
    case StepKind::matrices:
      return {"Matrices", "T.1", "Entries that are not listed are zero."};
    case StepKind::constraint_forces:
      return {"Constraint forces", "U01.11-12",
              "«S = A M^-1 A^T|S = A M^{-1} A^T», «e = b - A M^-1 Q|e = b - A M^{-1} Q»."};
    case StepKind::solved_accelerations:
      return {"Accelerations", "U05.9",
              "Unconstrained acceleration, then what the ideal and the non-ideal constraint force "
              "add."};
    case StepKind::dependent_velocities:
      return {"Dependent velocities", "G5.197",
              "The constraints, solved for the dependent velocities."};
    case StepKind::quasi_velocities:
      return {"Quasi-velocities", "G5.43",
              "The velocities to work with, the last of them zero by the constraints, and the "
              "«q'|\\dot q» by them."};
    case StepKind::virtual_displacements:
      return {"Virtual displacements", "",
              "Directions that the constraints leave free, «A δq = 0|A\\, \\delta q = 0».",
              "No constraint: every variation is free."};
    case StepKind::kinetic_energy_by_u:
      return {"Constrained kinetic energy", "", "The kinetic energy by the free quasi-velocities."};
    case StepKind::kinetic_energy_split:
      return {"Constrained kinetic energy", "G5.212",
              "The kinetic energy with the dependent velocities substituted."};
    case StepKind::virtual_work_by_u:
      return {"Virtual work", "",
              "The work of the applied forces (and of the non-ideal constraint forces) under a "
              "virtual displacement «δq = Phi δtheta|\\delta q = \\Phi\\, \\delta\\theta»."};
    case StepKind::virtual_work_split:
      return {"Virtual work", "G5.213",
              "The work of the applied forces (and of the non-ideal constraint forces) under a "
              "virtual displacement «δq_D = B δq_I|\\delta q_D = B\\, \\delta q_I»."};
    case StepKind::momenta:
      return {"Momenta", "", "From the unconstrained kinetic energy, then put on the constraints."};
    case StepKind::hamel_coefficients:
      return {"Hamel's coefficients", "G5.57",
              "They are antisymmetric in their lower indices; of each pair one is shown, and the "
              "others are zero.",
              "All of them are zero: every quasi-velocity is the rate of a true coordinate."};
    case StepKind::voronets_coefficients:
      return {"Voronets' coefficients", "problem 5.3",
              "Of those antisymmetric in I and J one of each pair is shown; the others are zero.",
              "All of them are zero: the constraints are integrable."};
    case StepKind::transpositions_of_all:
      return {"Transpositional terms", "T.2",
              "Variation and time derivative are made to commute for the quasi-coordinates "
              "«theta|\\theta»; for the coordinates they then differ by"};
    case StepKind::transpositions_of_dependent:
      return {"Transpositional terms", "T.3",
              "For the independent coordinates variation and time derivative commute; for the "
              "dependent ones they differ by what the constraints force on them, and the "
              "unconstrained momenta weigh that difference."};
    case StepKind::allowed_accelerations:
      return {"Accelerations allowed by the constraints", "",
              "The differentiated constraints, solved for the dependent accelerations."};
    case StepKind::free_accelerations:
      return {"Accelerations", "", "The accelerations by the free ones."};
    case StepKind::gauss_function:
      return {"Gauss' function", "",
              "The departure from the free motion, up to terms without accelerations."};
    case StepKind::energy_of_acceleration:
      return {"Energy of acceleration", "", "Terms without accelerations do not matter."};
    case StepKind::augmented_lagrangian:
      return {"Augmented Lagrangian", "G5.19",
              "The constraints are added to L with multipliers, and all coordinates are varied "
              "freely."};
  }
  return {};
}

constexpr std::string_view velocities_without_constraints =
    "The velocities to work with, and the «q'|\\dot q» by them.";

std::string_view sentence_of(const mechanics::Step& step, const StepWords& words) {
  if (step.facts.empty() && !words.without.empty()) return words.without;
  const bool free = std::ranges::none_of(
      step.facts, [](const Fact& fact) { return fact.quantity == Quantity::zero_velocity; });
  if (step.kind == StepKind::quasi_velocities && free) return velocities_without_constraints;
  return words.sentence;
}

/// The number of a line's own formula, where that is not the step's.
std::string number_of(const Fact& fact, const Fact* before) {
  if (fact.quantity == Quantity::hamel_of_time) return "G5.58";
  const bool first = before == nullptr || before->quantity != fact.quantity;
  return fact.quantity == Quantity::velocity_by_u && first ? "G5.50" : "";
}

}  // namespace

StepText step_text(const mechanics::Formulation& f, const mechanics::Step& step) {
  if (step.kind == StepKind::law) {
    const LawWords& law = words_of(f.method).law;
    return {std::string(law.title),
            std::string(law.number),
            std::string(law.sentence),
            {{{std::string(law.text), std::string(law.latex)}}}};
  }
  const StepWords words = words_of(step.kind);
  StepText result{std::string(words.title),
                  std::string(words.number),
                  std::string(sentence_of(step, words)),
                  {}};
  const Fact* before = nullptr;
  for (const Fact& fact : step.facts) {
    result.lines.push_back({notation(fact), fact.value, number_of(fact, before)});
    before = &fact;
  }
  return result;
}

StepText step_text(const mechanics::Multipliers& multipliers) {
  using Outcome = mechanics::Multipliers::Outcome;
  StepText result{
      "Multipliers",
      "",
      "The equations of motion, solved for the accelerations and put into the constraints. The "
      "forces of the constraints are «Q_ideal + Q_nonideal = C + A^T lambda|Q^{\\mathrm{i}} + "
      "Q^{\\mathrm{ni}} = C + A^T \\lambda», and «Q_ideal = A^T lambda|Q^{\\mathrm{i}} = A^T "
      "\\lambda» where «C = 0|C = 0».",
      {{{"A M^-1 A^T lambda = b - A M^-1 (Q + C)",
         R"(A M^{-1} A^T \lambda = b - A M^{-1} (Q + C))"}}}};
  if (multipliers.mass_replaced)
    result.sentence +=
        " M is singular; «M + A^T A|M + A^T A» and «Q + A^T b|Q + A^T b» stand in for M and Q.";
  if (multipliers.outcome == Outcome::in_C)
    result.sentence += " C contains the multipliers: they are left to this system.";
  if (multipliers.outcome == Outcome::too_long)
    result.sentence += " Solved, this is too long to read here: they are left to this system.";
  for (std::size_t j = 0; j < multipliers.solution.size(); ++j)
    result.lines.push_back({math(multipliers.symbols[j]), multipliers.solution[j]});
  return result;
}

}  // namespace dalembert::report
