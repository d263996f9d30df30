/// One step of Dormand and Prince's explicit Runge–Kutta method of order 8 for y' = f(t, y), with
/// its error estimate of orders 5 and 3, its continuous output of order 7, and the rules that
/// choose the length of the step.
///
///   k₀ = f(t, y),   kᵢ = f(t + cᵢ h, y + h Σ_{j<i} aᵢⱼ kⱼ),  i = 1 … 11,   y_new = y + h Σ bᵢ kᵢ
///
/// The method is that of the code DOP853: E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary
/// Differential Equations I, 2nd ed. (Springer 1993), called HNW below: sections II.5 for the
/// method, II.6 for the continuous output, II.4 for the length of the step.
///
/// A stepper knows one step only. The loop around it belongs to the caller, who may replace the
/// state between two steps, for instance by its projection onto the constraints; nothing passes
/// from one step to the next but by `advance` or `start`. In outline, with failures left out:
///
///     stepper.start(t, y, f);
///     double h = stepper.initial_step(f, tolerance, t_end - t);
///     while (stepper.t() != t_end) {
///       const auto [accepted, h_next] = controller.decide(h, stepper.attempt(f, h, tolerance));
///       if (accepted) {
///         stepper.prepare_dense(f);               // only if samples fall within the step
///         stepper.interpolate(theta, sample);
///         stepper.start(t_next, projected, f);    // or stepper.advance(f), with y_new as it is
///       }
///       if (step_underflow(stepper.t(), h_next)) break;
///       h = h_next;                               // or what remains to t_end, if that is less
///     }
///
/// Steps may be positive or negative. Nothing allocates memory after construction.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace dalembert::motion {

/// A reference to an object callable as bool(double t, std::span<const double> y,
/// std::span<double> dydt), which writes dydt = f(t, y). It returns false where f has no value (a
/// singular matrix, the root of a negative number); the step is then rejected and shortened. Values
/// that are not finite count as no value, whatever is returned.
///
/// Nothing is owned: the object must outlive the reference. As a parameter it takes a lambda
/// written in place.
class Derivative {
 public:
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, Derivative> &&
             std::is_object_v<std::remove_reference_t<F>> &&
             std::is_invocable_r_v<bool, F&, double, std::span<const double>, std::span<double>>)
  Derivative(F&& f) noexcept  // NOLINT(google-explicit-constructor): a lambda passes for one
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* object, double t, std::span<const double> y, std::span<double> dydt) {
          return static_cast<bool>((*static_cast<std::remove_reference_t<F>*>(object))(t, y, dydt));
        }) {}

  bool operator()(double t, std::span<const double> y, std::span<double> dydt) const {
    return call_(object_, t, y, dydt);
  }

 private:
  void* object_;
  bool (*call_)(void*, double, std::span<const double>, std::span<double>);
};

/// The error allowed in each component over one step:
///
///   scᵢ = absoluteᵢ + relative · max(|yᵢ|, |y_newᵢ|, referenceᵢ)
///
/// Components from `leading` on are recorded beside the others, which do not depend on them: they
/// have a norm of their own, of which a tenth counts, so that they neither dilute the errors of the
/// others nor govern the steps.
///
/// `reference` measures a component against something other than itself: accumulated work against
/// the energy of the system, say. A component whose scale is zero tolerates no error at all. Each
/// span has one entry for each component, or is empty, which stands for zeros; neither is copied.
struct Tolerance {
  double relative = 1e-9;             ///< ≥ 0, without unit
  std::span<const double> absolute;   ///< ≥ 0, in the unit of each component
  std::span<const double> reference;  ///< ≥ 0, in the unit of each component
  std::size_t leading = std::numeric_limits<std::size_t>::max();  ///< all that there are

  /// scᵢ for a step that takes component i from y to y_new.
  double scale(std::size_t i, double y, double y_new) const;
};

/// The method with its storage, 27 vectors of the size of y. Copies are independent.
///
/// Size 0 is allowed: f is still called, with empty spans, and may still fail; the error of a step
/// is 0. Calling out of order (a step before a start, an interpolation before its preparation) is a
/// bug of the caller's and trips an assertion.
class Rk8 {
 public:
  explicit Rk8(std::size_t size);

  std::size_t size() const { return size_; }

  /// Places the start of the next step at (t, y) and evaluates f there. False if y is not finite or
  /// f has no value there; no step can then be attempted. y is copied, and may be y() or y_new().
  [[nodiscard]] bool start(double t, std::span<const double> y, Derivative f);

  /// The same where dydt = f(t, y) is known already, both being finite. Both are copied.
  void start(double t, std::span<const double> y, std::span<const double> dydt);

  /// Tries a step of length h from the start, by 11 evaluations of f. Leaves y_new() and returns
  /// the error in units of the tolerance: the step is good enough if that is ≤ 1. From the two
  /// estimates e⁵ = Σ (bᵢ − b̂⁵ᵢ) kᵢ = O(h⁵) and e³ = Σ (bᵢ − b̂³ᵢ) kᵢ = O(h³), each component
  /// divided by its scale, and with ‖·‖ the root mean square,
  ///
  ///   error = |h| ‖e⁵‖² / √(‖e⁵‖² + 0.01 ‖e³‖²) = O(h⁸)
  ///
  /// the larger of that of the leading components and a tenth of that of the others, if any.
  /// Returns +∞ if a stage has no value or if a number in it is not finite; y_new() is then
  /// meaningless. The start stays, so that a shorter step can be tried. h is finite and not 0.
  [[nodiscard]] double attempt(Derivative f, double h, const Tolerance& tolerance);

  /// Makes the continuous output of the step last attempted: evaluates f at its end and at three
  /// points more. Costs nothing when done already. False if f has no value at one of them; the
  /// caller then does best to reject the step.
  [[nodiscard]] bool prepare_dense(Derivative f);

  /// y(t + θh) in the step last attempted, 0 ≤ θ ≤ 1, with a local error O(h⁸): order 7. It meets
  /// y() and y_new() at the ends, with their derivatives. Needs prepare_dense. O(size).
  void interpolate(double theta, std::span<double> y) const;

  /// Its derivative by t there, with a local error O(h⁷).
  void interpolate_slope(double theta, std::span<double> dydt) const;

  /// Makes the end of the step last attempted the start of the next: start(t_new(), y_new(), f),
  /// without the evaluation where prepare_dense has made it. False if f has no value there; then
  /// nothing changes.
  [[nodiscard]] bool advance(Derivative f);

  /// A first step length (HNW II.4, "starting step size", for order 8). It has the sign of `limit`
  /// and at most its modulus; limit is not 0 and may be infinite. With norms as in the error, over
  /// the leading components,
  ///
  ///   h₀ = ‖y‖ / (100 ‖f‖),   y'' ≈ (f(t + h₀, y + h₀ f) − f) / h₀,
  ///   h⁸ max(‖f‖, ‖y''‖) = 1/100,   h ≤ 100 h₀
  ///
  /// where h₀ = 10⁻⁶ if y or f vanishes, and components of zero scale are left out of the norms.
  /// The rule is not homogeneous in time: it starts slow motions with short steps, which then grow.
  /// One evaluation of f; where f has no value at the end of h₀, h₀ is shortened, a few times.
  double initial_step(Derivative f, const Tolerance& tolerance, double limit);

  /// h |λ| for the largest eigenvalue that the last step felt, as DOP853 estimates it (E. Hairer,
  /// G. Wanner, Solving Ordinary Differential Equations II, section IV.2): from the last stage and
  /// the end of the step, which stand at the same time,
  ///
  ///   |h| ‖f(y_end) − f(y₁₁)‖ / ‖y_end − y₁₁‖
  ///
  /// over the first `count` components, each divided by its scale, so that units do not matter. The
  /// end is given by the caller, who may have projected it. 0 if the two states are the same. After
  /// a successful attempt, before the next start.
  double stiffness(std::span<const double> y_end, std::span<const double> dydt_end,
                   std::size_t count, const Tolerance& tolerance) const;

  double t() const { return t_; }                                   ///< start of the step
  double t_new() const { return t_ + h_; }                          ///< end of the last attempt
  std::span<const double> y() const { return row(y_row); }          ///< state at the start
  std::span<const double> dydt() const { return row(k_row); }       ///< f(t(), y())
  std::span<const double> y_new() const { return row(y_new_row); }  ///< state at the end
  std::int64_t evaluations() const { return evaluations_; }         ///< calls of f so far

 private:
  // How far the step has come. Each phase includes those before it.
  enum class Phase { unset, started, attempted, end_evaluated, dense };

  // The rows of the storage: the stages k, the coefficients of the continuous output, then vectors.
  static constexpr std::size_t k_row = 0;
  static constexpr std::size_t dense_row = 16;
  static constexpr std::size_t y_row = 23;
  static constexpr std::size_t y_new_row = 24;
  static constexpr std::size_t scratch_row = 25;
  static constexpr std::size_t last_stage_row = 26;  ///< y₁₁, the argument of the last stage
  static constexpr std::size_t row_count = 27;

  std::span<const double> row(std::size_t r) const { return {storage_.data() + r * size_, size_}; }
  std::span<double> row(std::size_t r) { return {storage_.data() + r * size_, size_}; }

  bool evaluate(Derivative f, double t, std::span<const double> y, std::span<double> dydt);
  template <std::size_t first, std::size_t last>
  bool evaluate_stages(Derivative f);
  bool evaluate_end(Derivative f);
  double error_norm(const Tolerance& tolerance, std::size_t from, std::size_t to) const;

  std::size_t size_;
  std::vector<double> storage_;
  double t_ = 0;
  double h_ = 0;
  std::int64_t evaluations_ = 0;
  Phase phase_ = Phase::unset;
};

/// How the length of the next step follows from the error of the last (HNW II.4).
struct StepControlOptions {
  /// Aim at this part of the length that would just be accepted. At order 8 less than 0.9 costs a
  /// few steps more, and saves most of the rejected ones.
  double safety = 0.8;
  double min_factor = 1.0 / 3.0;  ///< a step is at least this many times the one before
  double max_factor = 6.0;        ///< a step is at most this many times the one before
  double failure_factor = 0.1;    ///< the same where the error is not finite
  double beta = 0.0;  ///< weight of the error before the last: 0 none; 0.04 calms a rough sequence
  double max_step = std::numeric_limits<double>::infinity();  ///< bound on |h|, in units of time
};

/// What projecting the end of a step may change, in units of the tolerance.
inline constexpr double correction_allowance = 10;
/// Quantities smaller than this are resolved to a part of their own size (SimulationOptions::atol).
inline constexpr double small_size = 1e-4;
/// Attempted steps after which the pace is looked at.
inline constexpr long pace_window = 20000;

/// Accepts or rejects steps, and proposes the next length. With err the error of this step in units
/// of tolerance and err_old that of the last accepted one (at least 10⁻⁴, and 10⁻⁴ at first),
///
///   h_next = h · safety · err^(−(1/8 − beta/5)) · err_old^beta
///
/// kept within the factors. beta > 0 gives the proportional–integral controller of E. Hairer, G.
/// Wanner, Solving Ordinary Differential Equations II, section IV.2. A rejected step leaves err_old
/// out and never lengthens; the first step accepted after a rejection is not followed by a longer
/// one. An error that is not finite rejects with failure_factor: so a caller that cannot use a step
/// for reasons of its own passes +∞ in its place.
class StepController {
 public:
  explicit StepController(const StepControlOptions& options = {}) : options_(options) {}

  struct Decision {
    bool accepted;  ///< err ≤ 1
    double h_next;  ///< length of the next step, or of the same one tried again; signed like h
  };
  Decision decide(double h, double error);

  std::int64_t accepted() const { return accepted_; }  ///< steps accepted so far
  std::int64_t rejected() const { return rejected_; }  ///< steps rejected so far

 private:
  StepControlOptions options_;
  double previous_error_ = 1e-4;
  bool after_rejection_ = false;
  std::int64_t accepted_ = 0;
  std::int64_t rejected_ = 0;
};

/// Tells from Rk8::stiffness of each accepted step whether stability, not accuracy, keeps the steps
/// short (Hairer & Wanner II, IV.2, as DOP853 does): h |λ| lies at the edge of the region of
/// stability, above 6.1, in 15 steps, with never 6 in a row between them that lie inside.
class StiffnessDetector {
 public:
  /// True if the steps up to this one show a stiff system.
  bool add(double h_lambda);

 private:
  static constexpr double edge = 6.1;
  static constexpr int enough = 15;
  static constexpr int forgotten = 6;
  int stiff_ = 0;
  int inside_ = 0;
};

/// The least |h| that is worth a step at time t: 10 ε |t|, below which the rounding of t outweighs
/// the step, and never below the smallest normal number.
double smallest_step(double t);

/// True if h is too short to make a step at time t, or is not a number. A last step to a given end
/// may be shorter than this: it is the caller's part to see that the end has been reached.
bool step_underflow(double t, double h);

}  // namespace dalembert::motion
