/// The choices that a derivation made, said.

#include <fmt/format.h>

#include "dalembert/expr/print.hpp"
#include "dalembert/mechanics/formulations/formulations.hpp"
#include "dalembert/mechanics/objections.hpp"
#include "dalembert/report/derivation/words.hpp"

namespace dalembert::report {

namespace {

using mechanics::Setting;

std::vector<std::string> names_of(const Setting& s, const std::vector<std::size_t>& coordinates) {
  std::vector<std::string> names;
  for (const std::size_t i : coordinates) names.push_back(s.coordinate_name(i));
  return names;
}

std::string said(const Setting& s, const mechanics::ConstraintsLeftOut& /*choice*/) {
  return fmt::format("{} {} left out: redundant beside the other constraints", redundant_names(s),
                     s.split.redundant.size() == 1 ? "is" : "are");
}

std::string said(const Setting& s, const mechanics::CoordinatesSplit& /*choice*/) {
  const std::vector<std::string> independent = names_of(s, s.split.independent);
  const std::vector<std::string> dependent = names_of(s, s.split.dependent);
  std::string remark = fmt::format("independent {}, dependent {} ({})",
                                   independent.empty() ? "none" : name_list(independent),
                                   dependent.empty() ? "none" : name_list(dependent),
                                   s.split.wished ? "as the model says" : "chosen by the program");
  if (const std::string reason = mechanics::why_not_heeded(s); !reason.empty())
    remark += ": " + reason;
  return remark;
}

std::string said(const Setting& s, const mechanics::QuasiVelocitiesTaken& choice) {
  std::vector<std::string> names;
  for (std::size_t r = 0; r < choice.u.size(); ++r)
    names.push_back(fmt::format("{} = {}'", expr::to_text(choice.u[r]),
                                s.coordinate_name(s.split.independent[r])));
  return fmt::format(
      "quasi-velocities chosen by the program: {}{}", name_list(names),
      choice.model_had_others ? " (those of the model are singular at this state)" : "");
}

std::string said(const Setting& /*s*/, const mechanics::DirectionsOfModel& /*choice*/) {
  return "the virtual displacements are those of the model's quasi-velocities";
}

std::string said(const Setting& /*s*/, const mechanics::MassReplaced& choice) {
  return choice.singular_too
             ? "M is singular, and so is M + A^T A: the accelerations of this model are not unique"
             : "M is singular; M + A^T A and Q + A^T b stand in for M and Q, which changes neither "
               "accelerations nor forces";
}

std::string said(const Setting& /*s*/, const mechanics::EquationMultiplied& choice) {
  return fmt::format("the {} equation is printed multiplied by {}", choice.of,
                     expr::to_text(choice.factor));
}

std::string said(const Setting& s, const mechanics::MultiplierBelongs& choice) {
  return fmt::format("{} belongs to constraint '{}'", expr::to_text(choice.multiplier),
                     s.eq().constraints[choice.constraint].name);
}

}  // namespace

std::string redundant_names(const Setting& s) {
  std::vector<std::string> names;
  for (const std::size_t j : s.split.redundant)
    names.push_back("'" + s.eq().constraints[j].name + "'");
  return name_list(names);
}

std::vector<std::string> choice_texts(const Setting& s, const mechanics::Formulation& f) {
  std::vector<std::string> texts;
  for (const mechanics::Choice& choice : f.choices)
    texts.push_back(std::visit([&s](const auto& made) { return said(s, made); }, choice));
  return texts;
}

std::vector<std::string> formulation_remarks(const Setting& s, const mechanics::Formulation& f) {
  std::vector<std::string> remarks = choice_texts(s, f);
  const auto* const info = mechanics::find_formulation(f.method);
  if (info != nullptr && !info->mechanical) {
    remarks.insert(
        remarks.begin(),
        "not the motion of mechanics, unless the constraints are integrable; given for contrast");
  }
  return remarks;
}

std::string name_list(const std::vector<std::string>& names) {
  std::string result;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) result += i + 1 == names.size() ? " and " : ", ";
    result += names[i];
  }
  return result;
}

}  // namespace dalembert::report
