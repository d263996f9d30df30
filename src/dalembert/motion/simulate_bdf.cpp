// Stiff systems: variable-order, variable-step backward differentiation formulas by CVODE of
// SUNDIALS, Newton iterations with the exact Jacobian, and the projection within CVODE's step, so
// that its history stays on the constraints.

#include <cvode/cvode_ls.h>
#include <cvode/cvode_proj.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "dalembert/flow/jacobian.hpp"
#include "dalembert/motion/cvode_handles.hpp"
#include "dalembert/motion/simulation_core.hpp"
#include "dalembert/solve/entry_solver.hpp"

namespace dalembert::motion {

namespace {

using namespace cvode;  // NOLINT(google-build-using-namespace): its handles and nothing else

/// The multiplier rule has no mechanical accelerations, with weights the constraints may contradict
/// each other, and friction of joints solves equations of its own: CVODE's difference quotients
/// serve there.
bool has_exact_jacobian(const Motion& motion) {
  return is_mechanical(motion.method()) && motion.method() != Method::weighted &&
         motion.equations().frictions.empty();
}

class Bdf {
 public:
  explicit Bdf(SimulationCore& core)
      : core_(core),
        size_(static_cast<sunindextype>(core.size())),
        context_(make_context()),
        y_(N_VNew_Serial(size_, context_.get())),
        matrix_(SUNDenseMatrix(size_, size_, context_.get())),
        solver_(SUNLinSol_Dense(y_.get(), matrix_.get(), context_.get())),
        memory_(CVodeCreate(CV_BDF, context_.get())),
        projected_y_(core.size()),
        start_(core.size()) {
    if (has_exact_jacobian(core.motion())) jacobian_.emplace(core.motion());
  }

  void run() {
    const double end = core_.options().duration;
    if (!core_.begin() || !core_.give_start() || !core_.find_step_ends()) return;
    if (!(end > core_.t())) {
      core_.summary().complete = true;
      return;
    }
    set_up();
    while (core_.t() < end) {
      if (!core_.may_go_on()) break;
      if (!step()) break;
    }
    gather_counts();
    core_.summary().complete = core_.summary().reason.empty();
  }

 private:
  void set_up() {
    void* const memory = memory_.get();
    std::copy(core_.y().begin(), core_.y().end(), values(y_.get()).begin());
    check(
        CVodeSetErrHandlerFn(memory, [](int, const char*, const char*, char*, void*) {}, nullptr));
    check(CVodeInit(memory, call_derivative, core_.t(), y_.get()));
    check(CVodeSetUserData(memory, this));
    check(CVodeWFtolerances(memory, call_weights));
    check(CVodeSetLinearSolver(memory, solver_.get(), matrix_.get()));
    if (jacobian_) check(CVodeSetJacFn(memory, call_jacobian));
    check(CVodeSetMaxErrTestFails(memory, most_failures));
    check(CVodeSetMaxConvFails(memory, most_failures));
    check(CVodeSetStabLimDet(memory, SUNTRUE));
    if (core_.options().project != model::Project::none) {
      check(CVodeSetProjFn(memory, call_projection));
      // The error off the constraints counts like any other, as it does with rk8.
      check(CVodeSetProjErrEst(memory, SUNFALSE));
      check(CVodeSetMaxNumProjFails(memory, most_failures));
    }
  }

  bool step() {
    void* const memory = memory_.get();
    core_.forget_failure();
    projected_ = true;
    drift_ = 0;
    std::copy(core_.y().begin(), core_.y().end(), start_.begin());
    check(CVodeSetMinStep(memory, smallest_step(core_.t())));
    const double longest = std::min(core_.options().max_step, core_.turns().longest_step());
    check(CVodeSetMaxStep(memory, std::isfinite(longest) ? longest : 0));
    const StepEnd step_end = core_.step_end();
    check(CVodeSetStopTime(memory, step_end.before));
    double t_new = core_.t();
    counting_ = true;
    const int flag = CVode(memory, core_.options().duration, y_.get(), &t_new, CV_ONE_STEP);
    count_rejected();
    if (flag < 0) {
      core_.give_up(projected_);
      return false;
    }
    std::copy(values(y_.get()).begin(), values(y_.get()).end(), core_.y().begin());
    const auto interpolate = [&](double time, std::span<double> y) {
      check(CVodeGetDky(memory, time, 0, y_.get()));
      std::copy(values(y_.get()).begin(), values(y_.get()).end(), y.begin());
      return false;
    };
    const bool ended = t_new >= step_end.before;
    const double behind = ended ? step_end.behind : t_new;
    if (!core_.accept(t_new, behind, drift_, interpolate)) return false;
    if (core_.rebound() && jacobian_) jacobian_->bind(core_.motion());
    if (core_.rank_changed() || behind > t_new) restart();
    return true;
  }

  /// Another rank, or the other side of a kink, is another right-hand side, of which the steps
  /// before tell nothing.
  void restart() {
    gather_counts();
    std::copy(core_.y().begin(), core_.y().end(), values(y_.get()).begin());
    check(CVodeReInit(memory_.get(), core_.t(), y_.get()));
  }

  void count_rejected() {
    long errors = 0, convergence = 0;
    check(CVodeGetNumErrTestFails(memory_.get(), &errors));
    check(CVodeGetNumStepSolveFails(memory_.get(), &convergence));
    core_.summary().rejected = rejected_before_ + errors + convergence + failed_projections_;
  }

  /// CVODE forgets its counts when it is started again, some of them only by the next step.
  void gather_counts() {
    if (!counting_) return;
    counting_ = false;
    count_rejected();
    rejected_before_ = core_.summary().rejected;
    failed_projections_ = 0;
    long jacobians = 0;
    check(CVodeGetNumJacEvals(memory_.get(), &jacobians));
    core_.summary().jacobians += jacobians;
    if (jacobian_) core_.count_evaluations(jacobians);
  }

  int jacobian(double t, N_Vector y, SUNMatrix matrix) {
    const std::span<const double> state = values(y);
    if (!jacobian_->evaluate(t, core_.q(state), core_.v(state),
                             core_.evaluator().solution().held()))
      return 1;
    // y = (q, q', work): the rows of q are those of the identity.
    const auto n = static_cast<Eigen::Index>(core_.motion().coordinates());
    SUNMatZero(matrix);
    for (Eigen::Index j = 0; j < 2 * n; ++j) {
      double* const column = SUNDenseMatrix_Column(matrix, j);
      if (j >= n) column[j - n] = 1;
      std::copy_n(jacobian_->acceleration().col(j).data(), n, column + n);
      std::copy_n(jacobian_->power().col(j).data(), SimulationCore::work_components,
                  column + 2 * n);
    }
    return 0;
  }

  /// The change that brings y onto the constraints. False if there is none, or it is too large.
  bool project(double t, N_Vector y, N_Vector correction) {
    const std::span<const double> end = values(y);
    std::copy(end.begin(), end.end(), projected_y_.begin());
    projected_ = core_.bring_onto_constraints(t, projected_y_, &drift_);
    if (!projected_) {
      std::copy(projected_y_.begin(), projected_y_.end(), core_.y().begin());
      return false;
    }
    if (!(core_.correction(start_, end, projected_y_) <= 1)) return false;
    const std::span<double> change = values(correction);
    for (std::size_t i = 0; i < change.size(); ++i) change[i] = projected_y_[i] - end[i];
    return true;
  }

  void weights(N_Vector y, N_Vector result) const {
    const Tolerance tolerance = core_.tolerance();
    const std::span<const double> state = values(y);
    const std::span<double> w = values(result);
    for (std::size_t i = 0; i < w.size(); ++i)
      w[i] =
          1 / std::max(tolerance.scale(i, state[i], state[i]), std::numeric_limits<double>::min());
  }

  static Bdf& self(void* user) { return *static_cast<Bdf*>(user); }
  static int call_derivative(double t, N_Vector y, N_Vector dydt, void* user) {
    const std::span<double> rate = values(dydt);
    if (!self(user).core_.derivative(t, values(y), rate)) return 1;
    return std::all_of(rate.begin(), rate.end(), [](double x) { return std::isfinite(x); }) ? 0 : 1;
  }
  static int call_weights(N_Vector y, N_Vector w, void* user) {
    self(user).weights(y, w);
    return 0;
  }
  static int call_jacobian(double t, N_Vector y, N_Vector, SUNMatrix matrix, void* user, N_Vector,
                           N_Vector, N_Vector) {
    return self(user).jacobian(t, y, matrix);
  }
  static int call_projection(double t, N_Vector y, N_Vector correction, double, N_Vector,
                             void* user) {
    if (self(user).project(t, y, correction)) return 0;
    ++self(user).failed_projections_;
    return 1;
  }

  SimulationCore& core_;
  sunindextype size_;
  ContextHandle context_;
  VectorHandle y_;
  MatrixHandle matrix_;
  SolverHandle solver_;
  MemoryHandle memory_;
  std::optional<Jacobian> jacobian_;
  std::vector<double> projected_y_, start_;
  long rejected_before_ = 0, failed_projections_ = 0;
  bool counting_ = false;  ///< CVODE has stepped since its counts were gathered
  double drift_ = 0;
  bool projected_ = true;
};

}  // namespace

void integrate_bdf(SimulationCore& core) {
  if (core.evaluator().solution().is_sparse()) {
    core.stop(fmt::format(
        "integrator bdf works on full matrices, for up to {} coordinates and constraints together",
        most_on_full_matrices));
    return;
  }
  Bdf(core).run();
}

}  // namespace dalembert::motion
