#pragma once
/// The kinematics that all formulations share: which constraints are independent, which coordinates
/// follow from which, and the directions the constraints leave free.
///
/// Of m constraints k are independent (`rows`); the others are redundant and left out. The k
/// constraints determine the rates of k dependent coordinates D from those of the r = n - k
/// independent ones I:
///
///     A_D q_D' + A_I q_I' + a_t = 0   =>   q_D' = B q_I' + B_t,   B = -A_D^-1 A_I,  B_t = -A_D^-1
///     a_t,
///
/// (G5.197), and in every case, constraints nonlinear in the velocities included,
///
///     q_D'' = B q_I'' + A_D^-1 b,      dq = Z dq_I,   Z = [1; B].
///
/// The inverse is never formed: A_D X = ... is eliminated symbolically, in an order of pivots that
/// is good at a reference state, on shared expressions. O(k^2 n) of them.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dalembert/expr/evaluate.hpp"
#include "dalembert/mechanics/equations.hpp"

namespace dalembert::mechanics {

using expr::Result;

/// A dense matrix of expressions, zero where nothing was said.
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), entries_(rows * columns) {}
  static Matrix identity(std::size_t size);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  bool empty() const { return entries_.empty(); }
  Expr& operator()(std::size_t i, std::size_t j) { return entries_[i * columns_ + j]; }
  const Expr& operator()(std::size_t i, std::size_t j) const { return entries_[i * columns_ + j]; }
  std::vector<Expr>& entries() { return entries_; }
  const std::vector<Expr>& entries() const { return entries_; }

 private:
  std::size_t rows_ = 0, columns_ = 0;
  std::vector<Expr> entries_;
};

Matrix transpose(const Matrix& a);
Matrix operator*(const Matrix& a, const Matrix& b);
std::vector<Expr> operator*(const Matrix& a, const std::vector<Expr>& x);
/// sum x_i y_i.
Expr dot(const std::vector<Expr>& x, const std::vector<Expr>& y);

/// Each expression replaced by its short form where that has fewer nodes; zeros are recognised.
Expr shortened(const Expr& e);
void shorten(std::vector<Expr>& list);

/// X with a X = right, by elimination with pivots that are large at `values`; nothing where a is
/// singular there.
std::optional<Matrix> solve(Matrix a, Matrix right, const expr::Values& values);

/// The entries of A in the row of a constraint.
std::span<const Entry> row_of_A(const Equations& eq, std::size_t constraint);

/// How the constraints of a model were split.
struct Split {
  /// Why the model's own choice was not taken: it names too many or too few, or they do not
  /// determine the others at the state.
  enum class Refusal : std::uint8_t { none, count, singular };

  std::vector<std::size_t> rows;         ///< k independent constraints, in the order of the model
  std::vector<std::size_t> redundant;    ///< the others
  std::vector<std::size_t> dependent;    ///< k coordinates, in the order of the model
  std::vector<std::size_t> independent;  ///< r = n - k coordinates; in the model's wish's order
  bool wished = false;                   ///< the model's own choice of [independent] was taken
  Refusal refusal = Refusal::none;       ///< none also where the model has no choice of its own
};

/// Rows and coordinates by elimination with complete pivoting of A at `values`, rows scaled to unit
/// length, columns by 1/sqrt(M_jj); earlier rows are preferred among those that serve. `rank`: as
/// many rows as that, else those with pivots above `tolerance`. The model's own [independent] is
/// taken where it can be, unless `own_choice`.
Split split_coordinates(const model::Model& model, const Equations& eq, const expr::Values& values,
                        std::optional<std::size_t> rank = {}, bool own_choice = false,
                        double tolerance = 1e-8);

/// What a formulation starts from: a model, its equations, and the choices made.
struct Setting {
  const model::Model* model = nullptr;
  const Equations* eq = nullptr;
  expr::Values values;  ///< the reference state, where pivots are judged
  Split split;
  bool own_quasi_velocities = false;  ///< ignore the model's, take u_r = q_I'
  bool explain = true;                ///< make steps and printed equations, which cost time

  // Follows from the above; filled by prepare().
  std::size_t n = 0, k = 0, r = 0;
  Matrix M;                    ///< n x n
  bool mass_singular = false;  ///< at the reference state
  Matrix A;                    ///< k x n, of the independent constraints
  std::vector<Expr> b, a_t;    ///< k; a_t only if velocity_level
  bool velocity_level = true;  ///< every constraint has a form at the level of velocities ...
  bool linear = true;          ///< ... that is linear in them: A q' + a_t = 0
  std::optional<std::size_t> not_linear = {};  ///< the constraint that is to blame if not
  std::vector<Expr> applied;  ///< Q^a of (T.1), n: all forces that are not of inertia
  std::vector<Expr> C;        ///< n: auxiliary symbols where the model's C is not zero, else 0
  Matrix B;                   ///< k x r
  std::vector<Expr> B_t;      ///< k, if linear
  std::vector<Expr> z;        ///< A_D^-1 b, k

  std::string coordinate_name(std::size_t i) const { return model->coordinates[i]; }
  Expr acceleration(std::size_t i) const { return expr::coordinate(model->coordinates[i], 2); }
  /// C as the model gives it, for the symbols above.
  Expr with_model_C(const Expr& e) const;
};

/// Fails in one line where the dependent coordinates cannot be solved for at the reference state.
Result<Setting, std::string> prepare(const model::Model& model, const Equations& eq,
                                     const expr::Values& values, Split split, bool explain = true);

/// Whether a symmetric matrix (n x n), scaled to unit diagonal, has a pivot below 1e-12 at the
/// reference state.
bool is_singular(const Setting& s, const Matrix& M);

/// Names that neither the model nor its quasi-velocities bear: the first of `stems` that is free
/// with 1, ..., count behind it.
std::vector<std::string> free_names(const model::Model& model,
                                    const std::vector<std::string>& stems, std::size_t count);

/// Quasi-velocities u_j = Psi_j q' + Psi_jt, j = 1..n, the last k being the constraints; q' = Phi u
/// + Phi_t. (G5.43, 50, 51, 61-65)
struct QuasiVelocities {
  std::vector<Expr> u;       ///< n symbols
  std::vector<Expr> u_rate;  ///< n symbols
  Matrix Psi;                ///< n x n
  std::vector<Expr> Psi_t;   ///< n
  Matrix Phi;                ///< n x n
  std::vector<Expr> Phi_t;   ///< n
  bool from_model = false;   ///< else u_r = q_I'
};

/// The model's quasi-velocities, or q_I' where it has none (or they do not serve at the reference
/// state). The constraints must be linear. Fails in one line.
Result<QuasiVelocities, std::string> quasi_velocities(const Setting& setting);

}  // namespace dalembert::mechanics
