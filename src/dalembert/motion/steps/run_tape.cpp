#include "dalembert/motion/steps/run_tape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>

#include "dalembert/flow/projection.hpp"
#include "dalembert/flow/tapes/time_kinks.hpp"
#include "dalembert/motion/steps/rk8.hpp"
#include "dalembert/motion/steps/rk8_coefficients.hpp"
#include "dalembert/motion/steps/run_tape_parts.hpp"
#include "dalembert/motion/steps/whole_step.hpp"

namespace dalembert::motion {

namespace {

using Register = TapeSheet::Register;
using Row = TapeSheet::Row;

constexpr std::size_t longest_equations = 600;  // operations of y': twelve times that make a step
constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// Writes the tape of a run.
class RunWriter {
 public:
  RunWriter(const Flow& flow, const SimulationOptions& options, const RunSampling& sampling,
            const RunTapeLayout& layout)
      : flow_(flow),
        options_(options),
        sampling_(sampling),
        layout_(layout),
        size_(flow.size),
        n_(flow.n),
        step_(make_step_tape(flow.derivative)),
        sheet_(step_.parameters + static_cast<std::uint32_t>(flow.size),
               static_cast<std::uint32_t>(layout.entries())) {}

  RunTape write() {
    TapeSheet& s = sheet_;
    TapeSheet::Source step = s.source(step_), conditions = s.source(flow_.conditions),
                      heights = s.source(flow_.heights);
    CorrectionWriter corrections(s, flow_, options_.project);
    std::optional<SampleWriter> samples;
    if (layout_.sampled) samples.emplace(s, flow_, options_, sampling_, layout_, corrections);

    // The length of the step and its end.
    const Register t = s.input(RunTapeLayout::t), wanted = s.input(RunTapeLayout::h);
    const Row y = s.inputs(RunTapeLayout::y, size_);
    const Register before =
        layout_.in_pieces ? s.input(layout_.before()) : s.constant(options_.duration);
    const Register rest = s.subtract(before, t);
    const Register last = s.least(s.subtract(s.multiply(s.constant(1.01), wanted), rest),
                                  s.subtract(s.constant(options_.max_step), rest));
    const Register h = s.choose(last, rest, wanted);
    const Register t_new = s.choose(last, before, s.sum(t, h));
    const Register behind =
        layout_.in_pieces ? s.choose(last, s.input(layout_.behind()), t_new) : t_new;

    Row inputs{t, h};
    inputs.insert(inputs.end(), y.begin(), y.end());
    const Row found = s.copy(step, inputs);
    const auto part = [&](std::size_t i) {
      return Row(found.begin() + static_cast<long>(i * size_),
                 found.begin() + static_cast<long>((i + 1) * size_));
    };
    const Row y_new = part(dop853::step_stages);
    look_at_stages(found, y_new);
    Register error =
        measure(y, y_new, part(dop853::step_stages + 1), part(dop853::step_stages + 2), h);
    const Register one = s.constant(1.0);
    const Register candidate = s.subtract(one, error);
    std::vector<Row> stages;
    for (std::size_t i = 0; i < dop853::step_stages; ++i) stages.push_back(part(i));
    const RunStep attempt{t, h, t_new, behind, candidate, y, y_new, stages};
    if (samples) samples->prepare(attempt);

    // The end, projected; what that changes is error too.
    Row y_end = y_new;
    Register residual = s.constant(0.0);
    if (layout_.projected) {
      Register worst{};
      std::tie(y_end, worst) = corrections.project(t_new, y_new, candidate);
      s.demand(s.choose(candidate, worst, s.constant(0.0)), s.constant(flow::projection_tolerance));
      error = s.largest(error, s.divide(change(y, y_new, y_end), s.constant(correction_allowance)));
      residual = s.largest(s.input(layout_.residual()), worst);
    }
    s.demand(error, s.constant(std::numeric_limits<double>::max()));
    const Register accepted = s.subtract(one, error);

    if (!flow_.conditions.outputs.empty()) {
      Row at{t_new};
      at.insert(at.end(), y_end.begin(), y_end.begin() + static_cast<long>(n_));
      s.demand(s.choose(accepted, s.copy(conditions, at).front(), s.constant(0.0)), one);
    }
    Row height;
    if (layout_.heights > 0) {
      HeightWriter watch(s, heights, n_);
      height = watch.watch(attempt, y_end, s.inputs(layout_.height(), layout_.heights));
      height = s.choose(accepted, height, s.inputs(layout_.height(), layout_.heights));
    }
    Row sampled;
    if (samples) sampled = samples->take(attempt, accepted, y_end, residual);
    return decide(attempt, wanted, error, accepted, before, y_end, residual, height, sampled);
  }

 private:
  /// Beyond so many attempts a lane looks at the pace of the motion.
  double attempts_followed() const {
    return static_cast<double>(std::min<long>(pace_window, options_.max_steps));
  }

  /// All stages have values, and the tape vouches for them: what is not finite makes a sum no
  /// number.
  void look_at_stages(const Row& found, const Row& y_new) {
    TapeSheet& s = sheet_;
    for (std::size_t i = 0; i < dop853::step_stages; ++i)
      s.demand(found[(dop853::step_stages + 3) * size_ + i], s.constant(1.0));
    const Register zero = s.constant(0.0);
    for (std::size_t stage = 0; stage <= dop853::step_stages; ++stage) {
      const bool seen = stage > 0 && stage < dop853::step_stages && dop853::b[stage] != 0;
      if (seen) continue;  // by y_new
      Register sum = zero;
      for (std::size_t i = 0; i < size_; ++i) {
        const Register x = stage < dop853::step_stages ? found[stage * size_ + i] : y_new[i];
        sum = s.fused(x, zero, sum);
      }
      s.demand(sum, zero);
    }
  }

  /// atol + rtol max(|y|, |y_new|)
  Register scale(std::size_t i, const Row& y, const Row& y_new) {
    TapeSheet& s = sheet_;
    return s.sum(s.parameter(step_.parameters + i),
                 s.multiply(s.constant(options_.rtol), s.largest(s.abs(y[i]), s.abs(y_new[i]))));
  }

  /// As lanes measure it (motion/steps/lane_arithmetic_body.hpp), with the sums in the same order.
  Register measure(const Row& y, const Row& y_new, const Row& e5, const Row& e3, Register h) {
    TapeSheet& s = sheet_;
    Register s5 = s.constant(0.0), s3 = s.constant(0.0);
    for (std::size_t i = 0; i < size_; ++i) {
      const Register weight = s.divide(s.constant(1.0), scale(i, y, y_new));
      const Register r5 = s.multiply(e5[i], weight), r3 = s.multiply(e3[i], weight);
      s5 = s.sum(s5, s.multiply(r5, r5));
      s3 = s.sum(s3, s.multiply(r3, r3));
    }
    const Register both = s.sum(s5, s.multiply(s.constant(0.01), s3));
    const Register under = s.root(s.multiply(s.constant(static_cast<double>(size_)), both));
    const Register none = s.add(TapeSheet::Operation::negate, both, both);  // 0, or negative
    return s.choose(none, s.constant(0.0), s.divide(s.multiply(s.abs(h), s5), under));
  }

  /// LaneArithmetic::correction
  Register change(const Row& y, const Row& y_new, const Row& projected) {
    TapeSheet& s = sheet_;
    Register q_size = s.constant(0.0), v_size = s.constant(0.0);
    for (std::size_t i = 0; i < size_; ++i) {
      Register& largest = i < n_ ? q_size : v_size;
      largest = s.largest(largest, s.abs(projected[i]));
    }
    const Register rounding = s.constant(64 * epsilon);
    const Register of_q = s.multiply(rounding, q_size);
    const Register of_v = s.multiply(rounding, s.multiply(s.sum(s.constant(1.0), q_size), v_size));
    Register sum = s.constant(0.0);
    for (std::size_t i = 0; i < size_; ++i) {
      const Register part = s.divide(s.subtract(projected[i], y_new[i]),
                                     s.sum(scale(i, y, y_new), i < n_ ? of_q : of_v));
      sum = s.sum(sum, s.multiply(part, part));
    }
    return s.root(s.divide(sum, s.constant(static_cast<double>(size_))));
  }

  /// As Lanes::judge.
  RunTape decide(const RunStep& step, Register wanted, Register error, Register accepted,
                 Register before, const Row& y_end, Register residual, const Row& height,
                 const Row& sampled) {
    TapeSheet& s = sheet_;
    const StepControlOptions control;
    const Register zero = s.constant(0.0), one = s.constant(1.0), left = s.constant(run_is_left);
    const Register factor = s.largest(
        s.multiply(s.constant(control.safety), s.divide(one, s.root(s.root(s.root(error))))),
        s.constant(control.min_factor));
    const Register longer = s.multiply(step.h, s.least(factor, s.input(layout_.longest())));
    // A step that had to end early tells nothing against longer ones.
    const Register kept = s.choose(s.subtract(step.h, wanted), longer, s.largest(longer, wanted));
    const Register h_accepted = s.least(kept, s.constant(options_.max_step));
    const Register h_rejected = s.multiply(step.h, s.least(factor, one));

    const Register t_next = s.choose(accepted, step.behind, step.t);
    const Register steps = s.sum(s.input(layout_.steps()), s.choose(accepted, one, zero));
    const Register rejected = s.sum(s.input(layout_.rejected()), s.choose(accepted, zero, one));
    const Register smallest = s.largest(s.multiply(s.constant(10 * epsilon), s.abs(step.t)),
                                        s.constant(std::numeric_limits<double>::min()));
    const Register long_enough = s.choose(accepted, zero, s.subtract(s.abs(h_rejected), smallest));
    const Register few_enough =
        s.subtract(s.constant(attempts_followed() - 1), s.sum(steps, rejected));
    const Register at_end = s.subtract(t_next, before);
    Register status = s.choose(at_end, one, s.choose(few_enough, zero, left));
    status = s.choose(long_enough, status, left);

    Row outputs{t_next, s.choose(accepted, h_accepted, h_rejected)};
    const auto put_out = [&](const Row& row) {
      outputs.insert(outputs.end(), row.begin(), row.end());
    };
    put_out(s.choose(accepted, y_end, step.y));
    Row more = sampled;  // the residual first
    if (layout_.projected && sampled.empty()) more = {residual};
    if (layout_.projected) {
      outputs.push_back(s.choose(accepted, more.front(), s.input(layout_.residual())));
      more.erase(more.begin());
    } else if (!more.empty()) {
      more.erase(more.begin());
    }
    put_out(height);
    put_out(more);
    if (layout_.in_pieces) put_out(s.inputs(layout_.before(), 2));
    put_out({s.choose(accepted, s.constant(control.max_factor), one), steps, rejected, status});
    return {layout_, sampling_.states, s.finish(outputs)};
  }

  const Flow& flow_;
  const SimulationOptions& options_;
  const RunSampling& sampling_;
  RunTapeLayout layout_;
  std::size_t size_, n_;
  codegen::Tape step_;
  TapeSheet sheet_;
};

}  // namespace

expr::Result<RunTape, std::string> make_run_tape(const Motion& motion, const Flow& flow,
                                                 const SimulationOptions& options,
                                                 RunSampling sampling) {
  const auto no = [](std::string reason) { return expr::Failure{std::move(reason)}; };
  if (options.integrator != Integrator::rk8) {
    return no(fmt::format("the integrator is {}, and only rk8 runs there",
                          to_string(options.integrator)));
  }
  if (motion.instants() != nullptr)
    return no("there are events, contacts or friction that sticks, which only the CPU follows");
  if (sampling.any() && !options.times.empty())
    return no("the times of its samples are listed, and only evenly spaced ones work there");
  const std::size_t operations = flow.derivative.code.size() - flow.derivative.prologue;
  if (operations > longest_equations) {
    return no(fmt::format("the equations take {} operations, more than {}", operations,
                          longest_equations));
  }
  RunTapeLayout layout;
  layout.size = flow.size;
  layout.projected = (!flow.positions.outputs.empty() && options.project == model::Project::both) ||
                     (!flow.velocities.outputs.empty() && !flow.reduced &&
                      options.project != model::Project::none);
  if (options.project == model::Project::both) layout.heights = flow.heights.outputs.size();
  layout.sampled = sampling.any();
  layout.sums = sampling.sums.size();
  layout.in_pieces = !motion.time_kinks().empty();
  RunTape tape = RunWriter(flow, options, sampling, layout).write();
  if (sampling.rows && !codegen::can_be_iterated(tape.iterated.tape)) {
    sampling.states = true;
    tape = RunWriter(flow, options, sampling, layout).write();
  }
  if (!codegen::can_be_iterated(tape.iterated.tape))
    return no(
        "the equations, or what is sampled, have tables or functions other than sine, cosine and "
        "square root");
  return tape;
}

}  // namespace dalembert::motion
