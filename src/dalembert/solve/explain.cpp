#include <dalembert/solve/fundamental.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

namespace dalembert::solve {

namespace {

using Names = std::span<const std::string>;

std::string coordinate(Names names, Eigen::Index i) {
  const auto at = static_cast<std::size_t>(i);
  return at < names.size() ? names[at] : fmt::format("coordinate {}", i + 1);
}

std::string constraint(Names names, Eigen::Index j) {
  const auto at = static_cast<std::size_t>(j);
  return at < names.size() ? fmt::format("constraint '{}'", names[at])
                           : fmt::format("constraint {}", j + 1);
}

// "x'' = 1, y'' = -0.5": the components that matter, the largest being 1, at most six of them.
std::string direction(const Eigen::VectorXd& v, Names names, std::string_view prime) {
  constexpr double kNegligible = 1e-9;
  constexpr int kMost = 6;
  Eigen::Index largest = 0;
  v.cwiseAbs().maxCoeff(&largest);
  std::string text;
  int count = 0;
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    const double component = v(i) / v(largest);
    if (!(std::abs(component) > kNegligible)) continue;
    if (count++ == kMost) return text + ", ...";
    text += fmt::format("{}{}{} = {:.3g}", count > 1 ? ", " : "", coordinate(names, i), prime,
                        component);
  }
  return text;
}

}  // namespace

std::string_view to_string(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::size_mismatch:
      return "size-mismatch";
    case Status::weights_not_positive:
      return "weights-not-positive";
    case Status::mass_not_finite:
      return "mass-not-finite";
    case Status::mass_asymmetric:
      return "mass-asymmetric";
    case Status::mass_indefinite:
      return "mass-indefinite";
    case Status::mass_undetermined:
      return "mass-undetermined";
    case Status::constraints_not_finite:
      return "constraints-not-finite";
    case Status::force_not_finite:
      return "force-not-finite";
    case Status::result_not_finite:
      return "result-not-finite";
    case Status::result_inaccurate:
      return "result-inaccurate";
    case Status::friction_undetermined:
      return "friction-undetermined";
    case Status::formulation_failed:
      return "formulation-failed";
  }
  return "";
}

std::string explain(const Diagnosis& d, Names coordinates, Names constraints) {
  switch (d.status) {
    case Status::ok:
      return "";
    case Status::size_mismatch:
      return "sizes do not fit: M must be n×n, Q and C must have n entries, A must be m×n and b "
             "must have m entries";
    case Status::weights_not_positive:
      if (d.row < 0) return "the method 'weighted' needs one weight per constraint, or none at all";
      return fmt::format("{}: its weight {:.6g} must be a positive number",
                         constraint(constraints, d.row), d.value);
    case Status::mass_not_finite:
      return fmt::format("the mass matrix entry ({}, {}) is {}", coordinate(coordinates, d.row),
                         coordinate(coordinates, d.column), d.value);
    case Status::mass_asymmetric:
      return fmt::format(
          "the mass matrix is not symmetric: its entries ({0}, {1}) and ({1}, {0}) differ by "
          "{2:.6g}",
          coordinate(coordinates, d.row), coordinate(coordinates, d.column), d.value);
    case Status::mass_indefinite:
      if (d.row >= 0) {
        return fmt::format(
            "the mass matrix couples {0} with {1} but gives {0} no inertia of its own, so that the "
            "motion {2} has negative "
            "kinetic energy; check the kinetic energy",
            coordinate(coordinates, d.row), coordinate(coordinates, d.column),
            direction(d.direction, coordinates, "'"));
      }
      return fmt::format(
          "the mass matrix is indefinite: the motion {} has negative kinetic energy (eigenvalue "
          "{:.3g} of the matrix scaled "
          "to unit diagonal); check the masses, the inertias and the signs in the kinetic energy",
          direction(d.direction, coordinates, "'"), d.eigenvalue);
    case Status::mass_undetermined:
      return fmt::format(
          "the acceleration is not determined: along {} there is neither inertia nor a constraint; "
          "give a mass to what moves "
          "there, constrain it, or use fewer coordinates",
          direction(d.direction, coordinates, "''"));
    case Status::constraints_not_finite:
      if (d.column < 0) {
        return fmt::format("{}: its right-hand side b in A q'' = b is {}",
                           constraint(constraints, d.row), d.value);
      }
      return fmt::format("{}: its coefficient of {}'' in A q'' = b is {}",
                         constraint(constraints, d.row), coordinate(coordinates, d.column),
                         d.value);
    case Status::force_not_finite:
      if (d.symbol == 'C') {
        return fmt::format("the virtual-work force C of {} is {}", coordinate(coordinates, d.row),
                           d.value);
      }
      return fmt::format("the applied force Q of {} is {}", coordinate(coordinates, d.row),
                         d.value);
    case Status::result_not_finite:
      return "the acceleration is not a finite number: the data overflow, or constraints that were "
             "independent at the start of "
             "a step have become dependent within it";
    case Status::result_inaccurate:
      return fmt::format(
          "the accelerations could not be computed accurately: a part of {:.2g} of the equations "
          "is left over, as happens when masses differ by many orders of magnitude or constraints "
          "are nearly dependent",
          d.value);
    case Status::friction_undetermined:
      return "the friction of the joints does not determine their reactions at this state";
    case Status::formulation_failed:
      return "the equations of the formulation cannot be solved at this state";
  }
  return "";
}

std::string explain_conflict(const std::vector<bool>& conflicting, Names constraints) {
  std::vector<Eigen::Index> rows;
  for (std::size_t j = 0; j < conflicting.size(); ++j) {
    if (conflicting[j]) rows.push_back(static_cast<Eigen::Index>(j));
  }
  if (rows.empty()) return "";
  if (rows.size() == 1) {
    return fmt::format(
        "{} cannot be fulfilled: no acceleration enters it at this state, yet its right-hand side "
        "is not zero",
        constraint(constraints, rows[0]));
  }
  std::string list;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string_view before = i == 0 ? "" : i + 1 == rows.size() ? " and " : ", ";
    list += fmt::format("{}{}", before, constraint(constraints, rows[i]));
  }
  return fmt::format("{} contradict each other: no acceleration fulfils them together", list);
}

std::string explain(const Fundamental& fundamental, Names coordinates, Names constraints) {
  if (fundamental.diagnosis().status != Status::ok)
    return explain(fundamental.diagnosis(), coordinates, constraints);
  std::vector<bool> conflicting;
  for (int j = 0; j < fundamental.constraints(); ++j)
    conflicting.push_back(fundamental.conflicting(j));
  return explain_conflict(conflicting, constraints);
}

std::string explain(const FundamentalResult& result, Names coordinates, Names constraints) {
  if (result.status != Status::ok) return explain(result.diagnosis, coordinates, constraints);
  return explain_conflict(result.conflicting, constraints);
}

}  // namespace dalembert::solve
