#pragma once
/// Steps over one smooth piece of a motion with instants, with continuous output: what the loop
/// over pieces (motion/instants/run.hpp) asks of a method. Of Rk8, whose words these are
/// (motion/steps/rk8.hpp), and of backward differentiation formulas.

#include <functional>
#include <memory>
#include <span>

#include "dalembert/motion/steps/rk8.hpp"

namespace dalembert::motion {

class PieceStepper {
 public:
  PieceStepper() = default;
  PieceStepper(const PieceStepper&) = delete;
  PieceStepper& operator=(const PieceStepper&) = delete;
  virtual ~PieceStepper() = default;

  /// A new piece begins at (t, y): nothing is known from before. False if f has no value there.
  [[nodiscard]] virtual bool start(double t, std::span<const double> y, Derivative f) = 0;
  /// The same piece goes on from the end of the last step, where y may have been projected.
  [[nodiscard]] virtual bool go_on(double t, std::span<const double> y, Derivative f) = 0;
  /// A step of length h, or of less where the method chooses lengths itself. Leaves y_new and
  /// t_new; the error in units of the tolerance, infinite where there is no step. May be called
  /// again from the same start.
  [[nodiscard]] virtual double attempt(Derivative f, double h, const Tolerance& tolerance) = 0;
  /// The step just attempted, ended sooner.
  [[nodiscard]] virtual double cut(Derivative f, double h, const Tolerance& tolerance) = 0;
  [[nodiscard]] virtual bool prepare_dense(Derivative f) = 0;
  /// y at t + theta (t_new - t), after prepare_dense.
  virtual void interpolate(double theta, std::span<double> y) = 0;
  virtual double initial_step(Derivative f, const Tolerance& tolerance, double limit) = 0;
  /// Whether it chooses the lengths of steps and judges their errors.
  virtual bool chooses_steps() const = 0;

  virtual double t() const = 0;
  virtual double t_new() const = 0;
  virtual std::span<const double> y() const = 0;
  virtual std::span<const double> y_new() const = 0;
  virtual std::int64_t evaluations() const = 0;
};

std::unique_ptr<PieceStepper> make_rk8_stepper(std::size_t size);

/// Brings the end of a step, the second, onto what holds, from a start, the first. False where that
/// is not possible or changes too much.
using EndProjection =
    std::function<bool(double t, std::span<const double> start, std::span<double> end)>;

/// By CVODE, orders 1 to 5, Newton's iterations with difference quotients. A piece begins with
/// order 1. `project` is empty where nothing is to be projected.
std::unique_ptr<PieceStepper> make_bdf_stepper(std::size_t size, EndProjection project);

}  // namespace dalembert::motion
