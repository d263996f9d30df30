// Backward differentiation formulas over the pieces of a motion with instants, by CVODE. Its
// polynomial through the last values is the continuous output; the difference to the start of the
// step, which it meets within the tolerance only, is taken away linearly. A root of it ends the
// step there, and the next piece begins with order 1.
#include <cvode/cvode_ls.h>
#include <cvode/cvode_proj.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "dalembert/motion/cvode_handles.hpp"
#include "dalembert/motion/instants/piece_stepper.hpp"

namespace dalembert::motion {

namespace {

bool is_finite(std::span<const double> x) {
  return std::ranges::all_of(x, [](double value) { return std::isfinite(value); });
}

class BdfStepper final : public PieceStepper {
 public:
  BdfStepper(std::size_t size, EndProjection project)
      : project_(std::move(project)),
        context_(cvode::make_context()),
        scratch_(N_VNew_Serial(static_cast<sunindextype>(size), context_.get())),
        matrix_(SUNDenseMatrix(static_cast<sunindextype>(size), static_cast<sunindextype>(size),
                               context_.get())),
        solver_(SUNLinSol_Dense(scratch_.get(), matrix_.get(), context_.get())),
        memory_(CVodeCreate(CV_BDF, context_.get())),
        y_(size),
        y_new_(size),
        end_(size),
        off_(size),
        projected_(size),
        slope_(size) {}

  bool start(double t, std::span<const double> y, Derivative f) override {
    ++evaluations_;
    if (!is_finite(y) || !f(t, y, slope_) || !is_finite(slope_)) return false;
    place(t, y);
    fresh_ = false;
    return true;
  }

  bool go_on(double t, std::span<const double> y, Derivative f) override {
    if (!fresh_ || t != end_time_) return start(t, y, f);
    place(t, y);
    moved_ = false;
    return true;
  }

  double attempt(Derivative f, double h, const Tolerance& tolerance) override {
    f_ = &f;
    tolerance_ = &tolerance;
    if (moved_ || !fresh_) begin();
    void* const memory = memory_.get();
    cvode::check(CVodeSetMinStep(memory, std::min(smallest_step(t_), h)));
    cvode::check(CVodeSetMaxStep(memory, h));
    cvode::check(CVodeSetStopTime(memory, t_ + h));
    double t_new = t_;
    moved_ = true;
    const int flag = CVode(memory, t_ + h, scratch_.get(), &t_new, CV_ONE_STEP);
    f_ = nullptr;
    tolerance_ = nullptr;
    if (flag < 0 || !(t_new > t_)) {
      fresh_ = false;
      return HUGE_VAL;
    }
    end_time_ = t_new_ = t_new;
    std::ranges::copy(cvode::values(scratch_.get()), y_new_.begin());
    end_ = y_new_;
    cvode::check(CVodeGetDky(memory, std::max(t_, first_time()), 0, scratch_.get()));
    for (std::size_t i = 0; i < y_.size(); ++i) off_[i] = y_[i] - cvode::values(scratch_.get())[i];
    return 0.5;
  }

  double cut(Derivative, double h, const Tolerance&) override {
    if (!(t_ + h <= end_time_)) return HUGE_VAL;
    look(t_ + h, y_new_);
    t_new_ = t_ + h;
    return 0.5;
  }

  bool prepare_dense(Derivative) override { return true; }

  void interpolate(double theta, std::span<double> y) override {
    look(std::clamp(t_ + theta * (t_new_ - t_), t_, end_time_), y);
  }

  double initial_step(Derivative, const Tolerance&, double limit) override { return limit; }
  bool chooses_steps() const override { return true; }
  double t() const override { return t_; }
  double t_new() const override { return t_new_; }
  std::span<const double> y() const override { return y_; }
  std::span<const double> y_new() const override { return y_new_; }
  std::int64_t evaluations() const override { return evaluations_; }

 private:
  void place(double t, std::span<const double> y) {
    t_ = t_new_ = t;
    std::ranges::copy(y, y_.begin());
    std::ranges::copy(y, y_new_.begin());
  }

  /// From t_ and y_, with order 1.
  void begin() {
    void* const memory = memory_.get();
    std::ranges::copy(y_, cvode::values(scratch_.get()).begin());
    if (made_) {
      cvode::check(CVodeReInit(memory, t_, scratch_.get()));
    } else {
      set_up();
    }
    made_ = fresh_ = true;
  }

  void set_up() {
    void* const memory = memory_.get();
    cvode::check(
        CVodeSetErrHandlerFn(memory, [](int, const char*, const char*, char*, void*) {}, nullptr));
    cvode::check(CVodeInit(memory, call_derivative, t_, scratch_.get()));
    cvode::check(CVodeSetUserData(memory, this));
    cvode::check(CVodeWFtolerances(memory, call_weights));
    cvode::check(CVodeSetLinearSolver(memory, solver_.get(), matrix_.get()));
    cvode::check(CVodeSetMaxErrTestFails(memory, cvode::most_failures));
    cvode::check(CVodeSetMaxConvFails(memory, cvode::most_failures));
    cvode::check(CVodeSetStabLimDet(memory, SUNTRUE));
    if (!project_) return;
    cvode::check(CVodeSetProjFn(memory, call_projection));
    // The error off the constraints counts like any other, as it does with rk8.
    cvode::check(CVodeSetProjErrEst(memory, SUNFALSE));
    cvode::check(CVodeSetMaxNumProjFails(memory, cvode::most_failures));
  }

  /// Where the last step of CVODE began, rounding included.
  double first_time() {
    double length = 0;
    cvode::check(CVodeGetLastStep(memory_.get(), &length));
    return end_time_ - length;
  }

  void look(double time, std::span<double> y) {
    if (time == end_time_) {
      std::ranges::copy(end_, y.begin());
      return;
    }
    if (time <= t_) {
      std::ranges::copy(y_, y.begin());
      return;
    }
    cvode::check(CVodeGetDky(memory_.get(), std::max(time, first_time()), 0, look_.get()));
    const double left = (end_time_ - time) / (end_time_ - t_);
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] = cvode::values(look_.get())[i] + left * off_[i];
  }

  static BdfStepper& self(void* user) { return *static_cast<BdfStepper*>(user); }

  static int call_derivative(double t, N_Vector y, N_Vector dydt, void* user) {
    const std::span<double> rate = cvode::values(dydt);
    ++self(user).evaluations_;
    return (*self(user).f_)(t, cvode::values(y), rate) && is_finite(rate) ? 0 : 1;
  }

  static int call_weights(N_Vector y, N_Vector result, void* user) {
    const std::span<const double> state = cvode::values(y);
    const std::span<double> w = cvode::values(result);
    for (std::size_t i = 0; i < w.size(); ++i)
      w[i] = 1 / std::max(self(user).tolerance_->scale(i, state[i], state[i]),
                          std::numeric_limits<double>::min());
    return 0;
  }

  static int call_projection(double t, N_Vector y, N_Vector correction, double, N_Vector,
                             void* user) {
    BdfStepper& me = self(user);
    const std::span<const double> end = cvode::values(y);
    std::ranges::copy(end, me.projected_.begin());
    if (!me.project_(t, me.y_, me.projected_)) return 1;
    const std::span<double> change = cvode::values(correction);
    for (std::size_t i = 0; i < change.size(); ++i) change[i] = me.projected_[i] - end[i];
    return 0;
  }

  EndProjection project_;
  cvode::ContextHandle context_;
  cvode::VectorHandle scratch_;
  cvode::VectorHandle look_{N_VClone(scratch_.get())};
  cvode::MatrixHandle matrix_;
  cvode::SolverHandle solver_;
  cvode::MemoryHandle memory_;
  std::vector<double> y_, y_new_, end_, off_, projected_, slope_;
  double t_ = 0, t_new_ = 0;
  double end_time_ = 0;  ///< of the step, cut or not
  bool made_ = false;
  bool fresh_ = false;  ///< CVODE stands where the motion does
  bool moved_ = false;  ///< it has stepped since
  const Derivative* f_ = nullptr;
  const Tolerance* tolerance_ = nullptr;
  std::int64_t evaluations_ = 0;
};

}  // namespace

std::unique_ptr<PieceStepper> make_bdf_stepper(std::size_t size, EndProjection project) {
  return std::make_unique<BdfStepper>(size, std::move(project));
}

}  // namespace dalembert::motion
