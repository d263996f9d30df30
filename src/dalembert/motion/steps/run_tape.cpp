#include "dalembert/motion/steps/run_tape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <vector>

#include "dalembert/codegen/tape_passes.hpp"
#include "dalembert/flow/tapes/time_kinks.hpp"
#include "dalembert/motion/steps/rk8.hpp"
#include "dalembert/motion/steps/rk8_coefficients.hpp"
#include "dalembert/motion/steps/whole_step.hpp"

namespace dalembert::motion {

namespace {

using codegen::Instruction;
using codegen::Operation;
using codegen::Tape;
using Register = std::uint32_t;
using Row = std::vector<Register>;

constexpr std::size_t longest_equations = 600;  // operations of y': twelve times that make a step

/// Writes the tape of a run. Constants and parameters are gathered first: registers are numbered
/// behind them.
class RunWriter {
 public:
  RunWriter(const Flow& flow, const SimulationOptions& options)
      : layout_{flow.size},
        size_(flow.size),
        n_(flow.n),
        step_(make_step_tape(flow.derivative)),
        conditions_(flow.conditions),
        options_(options) {
    for (const double x : step_.constants) add_constant(x);
    for (const double x : conditions_.constants) add_constant(x);
    const StepControlOptions control;
    for (const double x :
         {0.0, 1.0, 2.0, 1.01, 0.01, static_cast<double>(size_), control.safety, control.min_factor,
          control.max_factor, options.duration, options.max_step, options.rtol, largest,
          10 * std::numeric_limits<double>::epsilon(), std::numeric_limits<double>::min(),
          attempts_followed() - 1})
      add_constant(x);
    run_.parameters = step_.parameters + static_cast<Register>(size_);
    run_.inputs = static_cast<Register>(layout_.entries());
  }

  Tape write() {
    const Register t = input(RunTapeLayout::t), wanted = input(RunTapeLayout::h);
    const Row y = row(input(RunTapeLayout::y), size_);
    copy_prologue(step_, step_moved_);
    copy_prologue(conditions_, conditions_moved_);
    run_.prologue = count(run_.code);

    // The length of the step and its end.
    const Register duration = constant(options_.duration), most = constant(options_.max_step);
    const Register rest = subtract(duration, t);
    const Register last = add_(Operation::min, subtract(multiply(constant(1.01), wanted), rest),
                               subtract(most, rest));
    const Register h = choose(last, rest, wanted);
    const Register t_new = choose(last, duration, sum(t, h));

    Row inputs{t, h};
    inputs.insert(inputs.end(), y.begin(), y.end());
    const Row found = copy(step_, step_moved_, inputs);
    const auto part = [&](std::size_t i) {
      return Row(found.begin() + static_cast<long>(i * size_),
                 found.begin() + static_cast<long>((i + 1) * size_));
    };
    const Row y_new = part(dop853::step_stages), e5 = part(dop853::step_stages + 1),
              e3 = part(dop853::step_stages + 2);

    // `trust` is not negative where all stages have values: what is not finite makes it no number.
    Register trust = constant(1.0);
    for (std::size_t i = 0; i < dop853::step_stages; ++i) {
      const Register doubt = found[(dop853::step_stages + 3) * size_ + i];
      trust = add_(Operation::min, subtract(constant(1.0), doubt), trust);
    }
    Register trouble = constant(0.0);
    for (std::size_t stage = 0; stage < dop853::step_stages; ++stage) {
      if (stage > 0 && dop853::b[stage] != 0) continue;  // y_new tells
      for (const Register k : part(stage)) trouble = sum(trouble, subtract(k, k));
    }
    for (const Register x : y_new) trouble = sum(trouble, subtract(x, x));
    trust = sum(trust, trouble);

    const Register error = measure(y, y_new, e5, e3, h);
    trust = add_(Operation::min, subtract(constant(largest), error), trust);
    if (!conditions_.outputs.empty()) {
      Row at{t_new};
      at.insert(at.end(), y_new.begin(), y_new.begin() + static_cast<long>(n_));
      const Register doubt = copy(conditions_, conditions_moved_, at).front();
      // Only of steps that are accepted.
      const Register holds = subtract(constant(1.0), doubt);
      trust =
          add_(Operation::min, choose(subtract(constant(1.0), error), holds, constant(0.0)), trust);
    }
    decide(t, wanted, y, h, t_new, y_new, error, trust);
    codegen::remove_unused(run_);
    return std::move(run_);
  }

 private:
  static constexpr double largest = std::numeric_limits<double>::max();

  /// Beyond so many attempts a lane looks at the pace of the motion.
  double attempts_followed() const {
    return static_cast<double>(std::min<long>(pace_window, options_.max_steps));
  }

  template <class T>
  static Register count(const std::vector<T>& x) {
    return static_cast<Register>(x.size());
  }
  void add_constant(double x) {
    const auto [place, added] =
        constant_.try_emplace(std::bit_cast<std::uint64_t>(x), count(run_.constants));
    if (added) run_.constants.push_back(x);
  }
  Register constant(double x) const { return constant_.at(std::bit_cast<std::uint64_t>(x)); }
  Register input(std::size_t i) const { return run_.first_input() + static_cast<Register>(i); }
  Register atol(std::size_t i) const {
    return count(run_.constants) + step_.parameters + static_cast<Register>(i);
  }
  static Row row(Register first, std::size_t size) {
    Row result(size);
    for (std::size_t i = 0; i < size; ++i) result[i] = first + static_cast<Register>(i);
    return result;
  }

  Register add_(Operation operation, Register a, Register b, Register c = 0) {
    run_.code.push_back({operation, a, b, c});
    return run_.first_result() + count(run_.code) - 1;
  }
  Register sum(Register a, Register b) { return add_(Operation::add, a, b); }
  Register subtract(Register a, Register b) { return add_(Operation::subtract, a, b); }
  Register multiply(Register a, Register b) { return add_(Operation::multiply, a, b); }
  Register divide(Register a, Register b) { return add_(Operation::divide, a, b); }
  Register abs(Register a) { return add_(Operation::abs, a, a); }
  Register root(Register a) { return add_(Operation::sqrt, a, a); }
  /// a where `by` is not negative, else b; no number where it is none.
  Register choose(Register by, Register a, Register b) { return add_(Operation::choose, a, b, by); }

  /// Where the constants and parameters of a tape are in this one, and its prologue.
  void copy_prologue(const Tape& tape, Row& moved) {
    moved.resize(tape.registers());
    for (Register r = 0; r < count(tape.constants); ++r) moved[r] = constant(tape.constants[r]);
    for (Register p = 0; p < tape.parameters; ++p)
      moved[count(tape.constants) + p] = count(run_.constants) + p;
    for (Register i = 0; i < tape.prologue; ++i) repeat(tape, i, moved);
  }

  void repeat(const Tape& tape, Register i, Row& moved) {
    const Instruction& one = tape.code[i];
    const Register c = codegen::operands(one.operation) == 3 ? moved[one.c] : 0;
    moved[tape.first_result() + i] = add_(one.operation, moved[one.a], moved[one.b], c);
  }

  /// The tape with these inputs; its outputs.
  Row copy(const Tape& tape, Row& moved, const Row& inputs) {
    std::ranges::copy(inputs, moved.begin() + tape.first_input());
    for (Register i = tape.prologue; i < tape.code.size(); ++i) repeat(tape, i, moved);
    Row outputs;
    for (const Register r : tape.outputs) outputs.push_back(moved[r]);
    return outputs;
  }

  /// As lanes measure it (motion/steps/lane_arithmetic_body.hpp), with the sums in the same order.
  Register measure(const Row& y, const Row& y_new, const Row& e5, const Row& e3, Register h) {
    Register s5 = constant(0.0), s3 = constant(0.0);
    for (std::size_t i = 0; i < size_; ++i) {
      const Register scale = sum(atol(i), multiply(constant(options_.rtol),
                                                   add_(Operation::max, abs(y[i]), abs(y_new[i]))));
      const Register weight = divide(constant(1.0), scale);
      const Register r5 = multiply(e5[i], weight), r3 = multiply(e3[i], weight);
      s5 = sum(s5, multiply(r5, r5));
      s3 = sum(s3, multiply(r3, r3));
    }
    const Register both = sum(s5, multiply(constant(0.01), s3));
    const Register under = root(multiply(constant(static_cast<double>(size_)), both));
    const Register none = add_(Operation::negate, both, both);  // 0, or negative
    return choose(none, constant(0.0), divide(multiply(abs(h), s5), under));
  }

  /// As Lanes::judge.
  void decide(Register t, Register wanted, const Row& y, Register h, Register t_new,
              const Row& y_new, Register error, Register trust) {
    const StepControlOptions control;
    const Register zero = constant(0.0), one = constant(1.0), left = constant(run_is_left);
    const Register accepted = subtract(one, error);
    const Register longest = input(layout_.longest());
    const Register factor = add_(
        Operation::max, multiply(constant(control.safety), divide(one, root(root(root(error))))),
        constant(control.min_factor));
    const Register longer = multiply(h, add_(Operation::min, factor, longest));
    // A step that had to end early tells nothing against longer ones.
    const Register kept = choose(subtract(h, wanted), longer, add_(Operation::max, longer, wanted));
    const Register h_accepted = add_(Operation::min, kept, constant(options_.max_step));
    const Register h_rejected = multiply(h, add_(Operation::min, factor, one));

    const Register t_next = choose(accepted, t_new, t);
    const Register steps = sum(input(layout_.steps()), choose(accepted, one, zero));
    const Register rejected = sum(input(layout_.rejected()), choose(accepted, zero, one));
    const Register smallest = add_(
        Operation::max, multiply(constant(10 * std::numeric_limits<double>::epsilon()), abs(t)),
        constant(std::numeric_limits<double>::min()));
    const Register long_enough = choose(accepted, zero, subtract(abs(h_rejected), smallest));
    const Register few_enough = subtract(constant(attempts_followed() - 1), sum(steps, rejected));
    const Register at_end = subtract(t_next, constant(options_.duration));
    Register status = choose(at_end, one, choose(few_enough, zero, left));
    status = choose(add_(Operation::min, long_enough, trust), status, left);

    run_.outputs.push_back(t_next);
    run_.outputs.push_back(choose(accepted, h_accepted, h_rejected));
    for (std::size_t i = 0; i < size_; ++i)
      run_.outputs.push_back(choose(accepted, y_new[i], y[i]));
    run_.outputs.push_back(choose(accepted, constant(control.max_factor), one));
    run_.outputs.push_back(steps);
    run_.outputs.push_back(rejected);
    run_.outputs.push_back(status);
  }

  RunTapeLayout layout_;
  std::size_t size_, n_;
  Tape step_;
  const Tape& conditions_;
  const SimulationOptions& options_;
  Tape run_;
  std::map<std::uint64_t, Register> constant_;  ///< by their bits
  Row step_moved_, conditions_moved_;
};

}  // namespace

expr::Result<codegen::Iterated, std::string> make_run_tape(const Motion& motion, const Flow& flow,
                                                           const SimulationOptions& options,
                                                           bool sampled) {
  const auto no = [](std::string reason) { return expr::Failure{std::move(reason)}; };
  if (options.integrator != Integrator::rk8) {
    return no(fmt::format("the integrator is {}, and only rk8 runs there",
                          to_string(options.integrator)));
  }
  if (sampled) return no("runs are sampled, which only lanes do");
  if (!motion.time_kinks().empty()) return no("forces jump or have kinks at known times");
  const bool projected =
      (!flow.positions.outputs.empty() && options.project == model::Project::both) ||
      (!flow.velocities.outputs.empty() && !flow.reduced &&
       options.project != model::Project::none);
  if (projected || !flow.positions.outputs.empty() || !flow.heights.outputs.empty())
    return no("steps are projected onto constraints, which only lanes do");
  const std::size_t operations = flow.derivative.code.size() - flow.derivative.prologue;
  if (operations > longest_equations) {
    return no(fmt::format("the equations take {} operations, more than {}", operations,
                          longest_equations));
  }
  codegen::Iterated iterated{RunWriter(flow, options).write()};
  if (!codegen::can_be_iterated(iterated.tape))
    return no("the equations have functions other than sine, cosine and square root");
  return iterated;
}

}  // namespace dalembert::motion
