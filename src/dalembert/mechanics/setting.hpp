#pragma once
/// What every formulation starts from: a model's equations, the choice of independent constraints
/// and coordinates, and the kinematics that follows from it,
///
///     A_D q_D' + A_I q_I' + a_t = 0   =>   q_D' = B q_I' + B_t,
///     B = -A_D^-1 A_I,   B_t = -A_D^-1 a_t,
///
/// (G5.197), and in every case, constraints nonlinear in the velocities included,
///
///     q_D'' = B q_I'' + z,   z = A_D^-1 b,      dq = Z dq_I,   Z = [1; B].

#include <optional>
#include <string>
#include <vector>

#include "dalembert/expr/result.hpp"
#include "dalembert/mechanics/matrix.hpp"
#include "dalembert/mechanics/split.hpp"

namespace dalembert::mechanics {

using expr::Result;

/// Made by `prepare`. Model and equations are the caller's and must outlive it.
struct Setting {
  Setting(const model::Model& model, const Equations& equations)
      : n(equations.q.size()), model_(&model), equations_(&equations) {}

  const model::Model& model() const { return *model_; }
  const Equations& eq() const { return *equations_; }
  /// The same choices for other equations between the same coordinates.
  Setting with_equations(const Equations& equations) const;

  // The choices.
  expr::Values values;                ///< the reference state, where pivots are judged
  Split split;                        ///< k constraints, k dependent and r independent coordinates
  bool own_quasi_velocities = false;  ///< ignore the model's, take u_r = q_I'
  bool explain = true;                ///< make steps and printed equations, which cost time

  std::size_t n = 0;         ///< coordinates
  std::size_t k = 0, r = 0;  ///< independent constraints, and directions they leave

  // Inertia and forces.
  Matrix M;                    ///< n x n
  bool mass_singular = false;  ///< at the reference state
  std::vector<Expr> applied;   ///< Q^a of (T.1), n: all forces that are not of inertia
  std::vector<Expr> C;         ///< n: auxiliary symbols where the model's C is not zero, else 0

  // The independent constraints, A q'' = b.
  Matrix A;                                    ///< k x n
  std::vector<Expr> b;                         ///< k
  std::vector<Expr> a_t;                       ///< k, if velocity_level
  bool velocity_level = true;                  ///< every constraint has a form at that level ...
  bool linear = true;                          ///< ... linear in the velocities: A q' + a_t = 0
  std::optional<std::size_t> not_linear = {};  ///< the constraint that is to blame if not

  // The dependent coordinates by the independent ones.
  Matrix B;               ///< k x r
  std::vector<Expr> B_t;  ///< k, if linear
  std::vector<Expr> z;    ///< k

  std::string coordinate_name(std::size_t i) const { return model().coordinates[i]; }
  Expr acceleration(std::size_t i) const { return expr::coordinate(model().coordinates[i], 2); }
  /// C as the model gives it, for the symbols above.
  Expr with_model_C(const Expr& e) const;

 private:
  const model::Model* model_;
  const Equations* equations_;
};

/// Fails in one line where the dependent coordinates cannot be solved for at the reference state.
Result<Setting, std::string> prepare(const model::Model& model, const Equations& eq,
                                     const expr::Values& values, Split split, bool explain = true);

/// Whether a symmetric matrix (n x n), scaled to unit diagonal, has a pivot below 1e-12 at the
/// reference state.
bool is_singular(const Matrix& M, const expr::Values& values);

}  // namespace dalembert::mechanics
