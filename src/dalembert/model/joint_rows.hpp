#pragma once
/// A joint as rows: what each demands, and the force and moment that its multiplier stands for.

#include <optional>
#include <string>
#include <vector>

#include "dalembert/model/joint.hpp"
#include "dalembert/model/joint_geometry.hpp"

namespace dalembert::model {

/// residual = 0, kept by `force` at the joint's point and `moment` on the second body, times the
/// row's multiplier.
struct Row {
  std::string name;  ///< of the constraint
  Expr residual;
  Vector force = {}, moment = {};
  bool kept = false;             ///< by the coordinates, as the author says
  std::vector<Expr> parts = {};  ///< whose difference the residual is; empty: its own terms
};

/// The motion that a joint leaves and friction works against: speeds along orthogonal unit
/// directions, and the components of the force that presses the parts together, in multipliers.
struct Sliding {
  std::vector<Expr> speeds;
  std::vector<Vector> directions;
  bool turns = false;  ///< directions are axes, speeds angular velocities
  std::vector<Expr> normal;
};

struct JointRows {
  std::vector<Row> rows;
  Vector point = {};  ///< where the force acts
  std::optional<Vector> axis = {};
  std::vector<Expr> position, rate;
  std::string near = {};  ///< as in Joint
  Sliding sliding;        ///< with friction only
  std::vector<Condition> conditions = {};
};

/// For a joint that has passed `check_joint`.
JointRows joint_rows(const Model& model, const JointSpec& spec);

/// Those of a shape on a plane, see Shape.
JointRows rolling_rows(const Side& first, const Side& second, const JointSpec& spec,
                       Numbers& numbers);

/// What is wrong with a joint before it is looked at as geometry.
std::vector<Diagnostic> check_joint(const Model& model, const JointSpec& spec);

/// A force and moment of friction on the second body.
struct FrictionWrench {
  Vector force = {}, moment = {};
};
/// Of friction that `slip` makes smooth, for N = 1.
FrictionWrench friction_wrench(const JointSpec& spec, const Sliding& sliding);
/// The same along the coordinates, and N.
Friction friction_of(const Model& model, const JointSpec& spec, const Sliding& sliding);

/// Takes out of `sliding` the directions along which nothing can move. What comes back tells why
/// friction that sticks cannot be had in what is left.
std::optional<std::string> reduce_to_slips(Sliding& sliding);
/// Friction that sticks, as an element of its own: its slips are the sliding speeds, its limit is
/// mu N, or mu N r of what turns. Declares the reactions that it and its joint use.
DryFriction dry_friction_of(Model& model, const JointSpec& spec, const Sliding& sliding);
/// Its force and moment, in these reactions.
FrictionWrench dry_friction_wrench(const JointSpec& spec, const Sliding& sliding);

}  // namespace dalembert::model
