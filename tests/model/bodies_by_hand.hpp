#pragma once
/// Bodies put together from coordinates without the help of the reader: a rigid body by Euler
/// angles or by a quaternion, a particle, a frame that turns by itself. Their coordinates are named
/// NAMEx, NAMEy ... and are added to the model, as are the kinetic energies and, for a quaternion,
/// the constraint of unit length.

#include <dalembert/expr/differentiate.hpp>
#include <dalembert/model/joint.hpp>
#include <dalembert/model/model.hpp>

#include <string>

namespace dalembert::model::by_hand {

inline Expr coordinate(Model& model, const std::string& name) {
  model.coordinates.push_back(name);
  for (auto* list : {&model.forces, &model.virtual_work, &model.initial.q, &model.initial.v})
    list->emplace_back();
  return expr::coordinate(name);
}

inline Vector place(Model& model, const std::string& name) {
  return {coordinate(model, name + "x"), coordinate(model, name + "y"),
          coordinate(model, name + "z")};
}

/// Rotation by an angle about a coordinate axis.
inline Matrix rotation(std::size_t axis, const Expr& angle) {
  Matrix result = Matrix::identity();
  const std::size_t i = (axis + 1) % 3, j = (axis + 2) % 3;
  result[i][i] = result[j][j] = cos(angle);
  result[i][j] = -sin(angle);
  result[j][i] = sin(angle);
  return result;
}

/// w with R' = R [w]x.
inline Vector spin_of(const Matrix& R) {
  Matrix rate;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) rate[i][j] = expr::time_derivative(R[i][j]);
  }
  const Matrix W = transpose(R) * rate;
  return {W[2][1], W[0][2], W[1][0]};
}

inline std::size_t add(Model& model, Body body) {
  body.center_of_mass = body.origin + body.rotation * body.center;
  body.velocity = time_derivative(body.center_of_mass);
  Vector momentum;
  for (std::size_t i = 0; i < 3; ++i) momentum[i] = dot(body.inertia.column(i), body.spin);
  const Expr energy =
      body.mass * dot(body.velocity, body.velocity) / 2 + dot(momentum, body.spin) / 2;
  model.kinetic = Located{(model.kinetic ? model.kinetic->expr : Expr(0)) + energy, {}};
  if (!model.by_hand) model.by_hand.emplace();  // all of the energy is that of bodies
  model.bodies.push_back(std::move(body));
  return model.bodies.size() - 1;
}

inline Body rigid(const std::string& name, const Vector& origin, const Matrix& R, const Expr& mass,
                  const Vector& inertia) {
  Body body;
  body.name = name;
  body.mass = mass;
  body.inertia = Matrix::diagonal(inertia);
  body.origin = origin;
  body.rotation = R;
  body.spin = spin_of(R);
  return body;
}

/// z-x-z angles NAMEa, NAMEb, NAMEc.
inline std::size_t euler(Model& model, const std::string& name, const Expr& mass = 2,
                         const Vector& inertia = {1, 2, 2.5}) {
  const Vector origin = place(model, name);
  const Matrix R = rotation(2, coordinate(model, name + "a")) *
                   rotation(0, coordinate(model, name + "b")) *
                   rotation(2, coordinate(model, name + "c"));
  return add(model, rigid(name, origin, R, mass, inertia));
}

/// NAMEe0 .. NAMEe3. R is of second degree in them: a rotation only where their length is one.
inline std::size_t quaternion(Model& model, const std::string& name, const Expr& mass = 2,
                              const Vector& inertia = {1, 2, 2.5}) {
  const Vector origin = place(model, name);
  const Expr e0 = coordinate(model, name + "e0");
  const Vector e = {coordinate(model, name + "e1"), coordinate(model, name + "e2"),
                    coordinate(model, name + "e3")};
  Matrix R;
  const Matrix cross_e = {{{{0, -e.z, e.y}, {e.z, 0, -e.x}, {-e.y, e.x, 0}}}};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      R[i][j] = 2 * e[i] * e[j] + 2 * e0 * cross_e[i][j];
      if (i == j) R[i][j] += pow(e0, 2) - dot(e, e);
    }
  }
  Body body = rigid(name, origin, R, mass, inertia);
  const Vector rate = time_derivative(e);
  body.spin = 2 * (e0 * rate - expr::time_derivative(e0) * e - cross(e, rate));
  const std::size_t last = model.coordinates.size() - 1;
  model.quaternions.push_back({last - 3, last - 2, last - 1, last});
  model.constraints.push_back({name + ".unit", pow(e0, 2) + dot(e, e) - 1, 1, {}});
  return add(model, std::move(body));
}

inline std::size_t particle(Model& model, const std::string& name, const Expr& mass = 2) {
  Body body;
  body.name = name;
  body.kind = BodyKind::particle;
  body.mass = mass;
  body.origin = place(model, name);
  return add(model, std::move(body));
}

/// A place and axes that move as time says.
inline std::size_t frame(Model& model, const std::string& name, const Vector& origin,
                         const Matrix& R) {
  Body body = rigid(name, origin, R, 0, {});
  body.kind = BodyKind::frame;
  return add(model, std::move(body));
}

}  // namespace dalembert::model::by_hand
