#pragma once
/// First derivatives of what the rows of a motion with instants do (flow/instants/kernels.hpp): of
/// accelerations and forces in a mode, of impulses, of projections, by
///
///     z = (q, v, t, theta),     2n + 1 + |theta| columns,
///
/// theta some parameters of the model, the discretes among them. All of these solve for n numbers s
/// (accelerations, changes of velocities or of positions) and forces or impulses p of the rows
///
///     M s - A^T p = F,     and for each row one of
///     A_j s + r_j = 0      held, r_j = -b_j, a rate or a residual
///     p_j = c_j            free (c_j = 0) or given
///     p_j + L d_j = 0      slides, L = mu p_gap or the limit of dry friction, d a direction
///
/// and so their changes along Z (a matrix with a column for each direction in z) solve the same
/// equations linearised. Where rows depend on each other, the p of least norm is taken.

#include <Eigen/Core>
#include <Eigen/LU>
#include <Eigen/QR>
#include <cstdint>
#include <span>
#include <vector>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/flow/compiled.hpp"
#include "dalembert/flow/instants/kernels.hpp"
#include "dalembert/flow/instants/modes.hpp"

namespace dalembert::flow {

struct InstantDerivativeKernels {
  struct Slot {
    std::uint32_t row, column;
  };
  using Slots = std::vector<Slot>;
  std::vector<std::size_t> theta;    ///< in Model::parameters
  std::vector<std::size_t> outputs;  ///< in Motion::outputs, those that are differentiated
  std::size_t joint_forces = 0;
  bool of_split = false;  ///< whether outputs contain ideal or non-ideal forces

  Slots inertia, ideal, rows, applied, added;  ///< of M a, A^T p, A a, Q, C by z
  Slots b, laws, laws_R, lengths, joints, joints_a, joints_p, joints_R;
  codegen::Kernel dynamics;  ///< -> M, A, the forces of joints, and the slots above

  Slots residual, rate, whens, whens_a, whens_R, settings, settings_R;
  Slots y, y_a, y_F, y_N, y_p, y_R;
  codegen::Kernel further;  ///< -> residual, rate of all rows, and the slots above
};

/// `outputs` in Motion::outputs. Cost: as make_derivative_kernels.
InstantDerivativeKernels make_instant_derivative_kernels(const Motion& motion,
                                                         std::vector<std::size_t> theta,
                                                         std::vector<std::size_t> outputs);

enum class RowRule : std::uint8_t { free, given, held, slides };

/// What is to be solved, see above.
struct RowTask {
  enum class Turn : std::uint8_t {
    fixed,   ///< directions do not change
    before,  ///< they are those of the rates at the state
    after    ///< they are those of the rates with A s added
  };
  std::vector<RowRule> rules;    ///< by row
  const Modes* modes = nullptr;  ///< of all elements, for what slides
  std::span<const TouchLaw> laws;
  bool forces = false;            ///< whether F = Q + C stands on the right, else 0
  bool without_friction = false;  ///< F = Q alone
  Turn turn = Turn::fixed;
  double slowest = 0;  ///< below this speed directions do not turn
};

class InstantDerivatives {
 public:
  InstantDerivatives(const Motion& motion, const InstantDerivativeKernels& kernels);
  /// Other values of the parameters.
  void bind(const Motion& motion);

  Eigen::Index z() const { return z_; }
  /// A state, with s and p, and the reactions of the rows (RowSystem::reactions). `further` too,
  /// where residuals, events, settings or outputs are asked for.
  void place(double t, std::span<const double> q, std::span<const double> v,
             const Eigen::VectorXd& s, const Eigen::VectorXd& p, std::span<const double> reactions,
             bool further);
  /// Forces for the outputs, before place.
  void set_split(const Eigen::VectorXd& ideal, const Eigen::VectorXd& nonideal);

  const Eigen::VectorXd& residuals() const { return residuals_; }
  const Eigen::VectorXd& rates() const { return rates_; }
  const Eigen::MatrixXd& A() const { return A_; }

  /// The change of (s, p), n + rows numbers for each column of Z; `rest` is that of r_j of held
  /// rows and of -c_j of given ones. False where they have no solution.
  bool solve(const RowTask& task, const Eigen::MatrixXd& Z, const Eigen::MatrixXd& rest,
             Eigen::MatrixXd& change);
  /// s and p themselves: rows held with r, given with c = -r, sliding with L = mu p_gap, the others
  /// free; F = 0 where none is given.
  bool solve_values(const RowTask& task, const Eigen::VectorXd& r, Eigen::VectorXd& s,
                    Eigen::VectorXd& p, const Eigen::VectorXd* F = nullptr);
  bool unique() const { return unique_; }

  // Changes along Z, with `change` as solve gives it.
  Eigen::MatrixXd change_of_b(const Eigen::MatrixXd& Z) const { return b_ * Z; }
  Eigen::MatrixXd change_of_residuals(const Eigen::MatrixXd& Z) const { return residual_ * Z; }
  Eigen::MatrixXd change_of_rates(const Eigen::MatrixXd& Z) const { return rate_ * Z; }
  const Eigen::MatrixXd& residual_z() const { return residual_; }
  const Eigen::MatrixXd& rate_z() const { return rate_; }
  const Eigen::MatrixXd& when_z() const { return whens_; }
  /// Of the laws of elements: three rows for each contact, two for each friction, as
  /// InstantKernels::laws, reactions held.
  const Eigen::MatrixXd& law_z() const { return laws_; }
  Eigen::MatrixXd change_of_laws(const Eigen::MatrixXd& Z, const Eigen::MatrixXd& reactions) const {
    return laws_ * Z + laws_R_ * reactions;
  }
  Eigen::MatrixXd change_of_reactions(const Eigen::MatrixXd& Z,
                                      const Eigen::MatrixXd& change) const;
  Eigen::MatrixXd change_of_whens(const Eigen::MatrixXd& Z, const Eigen::MatrixXd& change,
                                  const Eigen::MatrixXd& reactions) const;
  Eigen::MatrixXd change_of_settings(const Eigen::MatrixXd& Z,
                                     const Eigen::MatrixXd& reactions) const {
    return settings_ * Z + settings_R_ * reactions;
  }
  /// `ideal` and `nonideal` are looked at where kernels.of_split.
  Eigen::MatrixXd change_of_outputs(const Eigen::MatrixXd& Z, const Eigen::MatrixXd& change,
                                    const Eigen::MatrixXd& reactions, const Eigen::MatrixXd& ideal,
                                    const Eigen::MatrixXd& nonideal) const;
  /// d(A s), by row.
  Eigen::MatrixXd change_of_products(const Eigen::MatrixXd& Z,
                                     const Eigen::MatrixXd& change) const {
    return rows_ * Z + A_ * change.topRows(n_);
  }
  /// d(A^T p) and dC.
  Eigen::MatrixXd change_of_row_forces(const Eigen::MatrixXd& Z,
                                       const Eigen::MatrixXd& change) const;
  Eigen::MatrixXd change_of_C(const Eigen::MatrixXd& Z) const { return added_ * Z; }
  /// The first row of an element in law_z.
  Eigen::Index law_row(std::size_t element) const { return law_rows_[element]; }

 private:
  void assemble(const RowTask& task);
  void add_slides(const RowTask& task);
  void add_slide_changes(const RowTask& task, const Eigen::MatrixXd& Z);
  void find_reaction_rows();
  bool factor();

  const InstantKernels& all_;
  const InstantDerivativeKernels& kernels_;
  Eigen::Index n_, rows_count_, z_;
  codegen::Workspace dynamics_space_, further_space_;
  std::vector<double> inputs_, dynamics_out_, further_out_;
  Eigen::MatrixXd M_, A_, inertia_, ideal_, rows_, applied_, added_, b_, laws_, laws_R_, lengths_,
      joints_, joints_a_, joints_p_, joints_R_, residual_, rate_, whens_, whens_a_, whens_R_,
      settings_, settings_R_, y_, y_a_, y_F_, y_N_, y_p_, y_R_;
  Eigen::VectorXd joint_values_, residuals_, rates_;
  Eigen::MatrixXd reaction_u_, reaction_z_;  ///< by (s, p), and by z
  std::vector<Eigen::Index> law_rows_;
  Eigen::MatrixXd K_, rhs_;
  Eigen::VectorXd mass_scale_, row_scale_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> qr_;
  bool unique_ = true;
};

}  // namespace dalembert::flow
