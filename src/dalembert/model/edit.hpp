#pragma once
/// Changing a draft: statements by the part of the model they belong to and their names.

#include <string>
#include <string_view>

#include "dalembert/model/draft.hpp"

namespace dalembert::model {

/// What a name belongs to. Coordinates, parameters, discrete values, lets, bodies and joints share
/// one set of names, and so do constraints, joints, contacts and friction; each of the others has
/// its own. Initial values and multipliers are known by what they are of
/// ("x", "x'", a constraint), forces along coordinates and virtual work by the coordinate; families
/// by their name without indices, "th" for "th[1..6]".
enum class Part : std::uint8_t {
  coordinate,
  parameter,
  let,
  body,  ///< particles and frames too
  joint,
  spring,
  point_force,
  force,
  constraint,
  virtual_work,
  quasi_velocity,
  output,
  initial,
  multiplier,
  discrete,
  event,
  contact,
  friction
};

/// Takes the statements of a name out of a draft; false if there are none. What uses the name stays
/// as it is, and `assemble` complains of it.
bool remove(Draft& draft, Part part, std::string_view name);

/// Gives a statement another name, and what uses the name too: in texts, in expressions and where
/// statements name each other. False if there is none.
bool rename(Draft& draft, Part part, std::string_view from, std::string_view to);

/// Gives a constraint, joint, contact or friction another title where a formula speaks of it,
/// behind `lambda.` and `reaction.`
void rename_title(Formula& formula, std::string_view from, std::string_view to);

/// An expression with one name in place of another, be it of a coordinate, its rates and the forces
/// along it, or of a parameter.
Expr renamed(const Expr& e, std::string_view from, std::string_view to);

}  // namespace dalembert::model
