#pragma once
/// The equations of motion of a model as expressions:
///
///     M(q,t) q'' = Q(q,q',t) + Q_ideal + Q_nonideal,     A(q,q',t) q'' = b(q,q',t),
///     v.(Q_ideal + Q_nonideal) = v.C(q,q',t) for every v with A v = 0.
///
/// Matrices are kept sparse, as lists of their entries that are not identically zero.

#include <cstdint>
#include <string>
#include <vector>

#include "dalembert/model/model.hpp"

namespace dalembert::mechanics {

using expr::Expr;
using model::Level;

struct Entry {
  std::uint32_t row;
  std::uint32_t column;
  Expr value;
};

/// One constraint of the model, with what its differentiation passes through.
struct ConstraintRow {
  std::string name;
  Level level = Level::position;
  Expr residual;    ///< as written: left side minus right side
  Expr rate;        ///< its velocity-level form: d(residual)/dt for a position constraint, else the
                    ///< residual
  Expr scale;       ///< what the residual could have been had nothing cancelled: what "small" is
                    ///< measured against
  Expr rate_scale;  ///< the same for `rate`
};

/// Smooth friction of a joint, which adds N direction to C, with the c <= 3 components of the
/// normal force linear in the multipliers lambda of all constraints while C acts (theory 10):
///
///     N = |offset + normal lambda + inertia q''|,     M q'' = Q + C + A^T lambda.
///
/// Accelerations come in where coordinates keep a part of what presses: the bodies' inertia tells
/// it.
struct FrictionTerms {
  std::string joint;
  std::vector<Expr> offset;      ///< c
  std::vector<Entry> normal;     ///< c x m, row by row
  std::vector<Entry> inertia;    ///< c x n, row by row
  std::vector<Entry> direction;  ///< n x 1: the force for N = 1, of q, q', t
};

struct Equations {
  std::vector<Expr> q;  ///< the n position symbols
  std::vector<Expr> v;  ///< the n velocity symbols
  std::vector<Expr> parameters;

  std::vector<Entry> M;  ///< lower triangle, row by row
  std::vector<Expr>
      Q;  ///< n, the whole right-hand side (T.1), velocity-dependent inertia terms included
  std::vector<Entry> A;  ///< m x n, row by row
  std::vector<Expr> b;   ///< m
  std::vector<Expr> C;   ///< n; may contain ideal.x; without the friction of joints
  bool C_uses_ideal_force = false;
  std::vector<FrictionTerms> frictions;  ///< in the order of the model
  /// What Q and b could have been had none of their terms cancelled: below a fraction of that they
  /// are round-off.
  std::vector<Expr> Q_scale, b_scale;
  std::vector<Expr> A_scale;               ///< the same for each entry of A
  std::vector<ConstraintRow> constraints;  ///< m, in the order of the model

  /// The energy audit (T.4): dh/dt = applied_power + (Q_ideal + Q_nonideal).q' + other_power.
  Expr kinetic;    ///< T; for a model given by M: q'^T M q' / 2
  Expr potential;  ///< V
  Expr h;          ///< sum q_i' dL/dq_i' - L, which is T + V when T is homogeneous quadratic in q'
  Expr applied_power;  ///< of the applied forces that are not in V
  Expr other_power;    ///< -dL/dt (explicit time); for a model given by M: q'^T M' q' / 2
};

/// What a sum could have been had nothing cancelled: |a| + |b| for a + b, through products and
/// whole powers, (|a| + |b|) |c| for (a + b) c. Other functions count as they are.
Expr magnitude_of_terms(const Expr& e);

/// C with the friction of joints written out in the multipliers (n): what a reader is shown.
std::vector<Expr> full_C(const Equations& eq);

/// The number of different subexpressions in M, Q, A and b together.
std::size_t count_operations(const Equations& eq);

/// M, Q, A, b, C of a model by Lagrange's equations (T.1) and the table of theory section 1. The
/// model must be valid (model::validate). Cost: a few times the size of the model's expressions.
Equations lagrange(const model::Model& model);

}  // namespace dalembert::mechanics
