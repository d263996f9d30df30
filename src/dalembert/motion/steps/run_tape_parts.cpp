#include "dalembert/motion/steps/run_tape_parts.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "dalembert/flow/projection.hpp"
#include "dalembert/motion/steps/height_chords.hpp"
#include "dalembert/motion/steps/lane_projection.hpp"
#include "dalembert/motion/steps/rk8_coefficients.hpp"

namespace dalembert::motion {

namespace {

using Register = TapeSheet::Register;
using Row = TapeSheet::Row;

void append(Row& row, const Row& more) {
  row.insert(row.end(), more.begin(), more.end());
}
Row section(const Row& row, std::size_t first, std::size_t count) {
  const auto begin = row.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

/// Sum of w_j k_j[i] over the weights that are not zero, as lanes add them.
Register weighted(TapeSheet& s, const dop853::Weights& w, const std::vector<Row>& k,
                  std::size_t i) {
  Register sum = s.multiply(s.constant(w[0]), k[0][i]);
  for (std::size_t j = 1; j < k.size(); ++j) {
    if (w[j] != 0) sum = s.fused(s.constant(w[j]), k[j][i], sum);
  }
  return sum;
}

}  // namespace

CorrectionWriter::CorrectionWriter(TapeSheet& sheet, const Flow& flow, model::Project project)
    : sheet_(sheet), n_(flow.n), reduced_(flow.reduced) {
  if (!flow.positions.outputs.empty() && project == model::Project::both)
    positions_ = sheet.source(flow.positions);
  if (!flow.velocities.outputs.empty() && !reduced_ && project != model::Project::none)
    velocities_ = sheet.source(flow.velocities);
}

std::pair<Row, Register> CorrectionWriter::project(Register t, const Row& y, Register guard) {
  Row projected = y;
  Register worst = sheet_.constant(0.0);
  const auto level = [&](TapeSheet::Source& source, std::size_t first) {
    const Register left = correct(source, t, projected, first, guard);
    worst = sheet_.largest(worst, sheet_.choose(guard, left, sheet_.constant(0.0)));
  };
  if (positions_) level(*positions_, 0);
  if (velocities_) level(*velocities_, n_);
  return {std::move(projected), worst};
}

/// A turn evaluates the tape at x + dx, and takes that if the residual falls; at first dx = -0,
/// which changes no bit of x. Returns the residual.
Register CorrectionWriter::correct(TapeSheet::Source& level, Register t, Row& y, std::size_t first,
                                   Register guard) {
  TapeSheet& s = sheet_;
  const Register zero = s.constant(0.0), no = s.constant(-1.0);
  Row before{guard, s.constant(most_corrections),
             s.constant(std::numeric_limits<double>::infinity())};
  append(before, section(y, first, n_));
  append(before, Row(n_, s.constant(-0.0)));
  const Row variable = s.begin_loop(before);
  const Register turns = variable[1], current = variable[2];
  const Row x = section(variable, 3, n_), dx = section(variable, 3 + n_, n_);

  Row there;
  for (std::size_t i = 0; i < n_; ++i) there.push_back(s.sum(x[i], dx[i]));
  Row state = y;
  std::ranges::copy(there, state.begin() + static_cast<std::ptrdiff_t>(first));
  Row inputs{t};
  append(inputs, section(state, 0, n_));
  append(inputs, reduced_ ? Row(n_, zero) : section(state, n_, n_));
  const Row found = s.copy(level, inputs);
  const Register residual = found[n_], doubt = found[n_ + 1];

  // What is no number makes all that follows none, and the loop ends.
  const Register falls = s.choose(s.subtract(residual, current), no, zero);
  const Register halves = s.subtract(s.divide(current, s.constant(2.0)), residual);
  const Register next = s.choose(falls, residual, current);
  const Register large = s.choose(s.subtract(s.constant(projection_goal), next), no, zero);
  Register goes_on = s.least(s.least(large, halves), s.subtract(s.constant(1.0), doubt));
  goes_on = s.least(goes_on, s.subtract(turns, s.constant(1.0)));
  Row after{goes_on, s.subtract(turns, s.constant(1.0)), next};
  append(after, s.choose(falls, there, x));
  append(after, section(found, 0, n_));
  s.end_loop(after);
  std::ranges::copy(x, y.begin() + static_cast<std::ptrdiff_t>(first));
  return current;
}

Row HeightWriter::watch(const RunStep& step, const Row& y_end, const Row& start) {
  TapeSheet& s = sheet_;
  Row inputs{step.t_new};
  append(inputs, y_end);
  const Row end = s.copy(heights_, inputs);
  const Register near = turning(start, end);
  const Register zero = s.constant(0.0), no = s.constant(-1.0), quarter = s.constant(0.25);

  Row before{s.choose(near, no, zero), quarter, zero};
  append(before, start);
  const Row variable = s.begin_loop(before);
  const Register part = variable[1];
  const Register last = s.subtract(part, s.constant(1.0));
  const Row there = s.choose(last, end, within(step, y_end, part));
  const Register trust = s.least(variable[2], vanishing(section(variable, 3, start.size()), there));
  Row after{s.subtract(s.constant(0.75), part), s.sum(part, quarter), trust};
  append(after, there);
  s.end_loop(after);
  s.demand(zero, s.choose(near, vanishing(start, end), variable[2]));
  return end;
}

/// Not negative where no height may vanish on the chord.
Register HeightWriter::vanishing(const Row& before, const Row& now) {
  TapeSheet& s = sheet_;
  const Register zero = s.constant(0.0), one = s.constant(1.0), no = s.constant(-1.0);
  Register safe = zero;
  for (std::size_t first = 0; first < before.size(); first += n_) {
    Register a = zero, b = zero, ab = zero;
    for (std::size_t i = first; i < first + n_; ++i) {
      a = s.sum(a, s.multiply(before[i], before[i]));
      b = s.sum(b, s.multiply(now[i], now[i]));
      ab = s.sum(ab, s.multiply(before[i], now[i]));
    }
    const Register way = s.subtract(s.sum(a, b), s.multiply(s.constant(2.0), ab));
    const Register none = s.subtract(zero, way);
    // A divisor that is none where it is not asked for would make a choice none.
    const Register part =
        s.choose(none, zero, s.divide(s.subtract(a, ab), s.choose(none, one, way)));
    const Register falls = s.subtract(part, one), rises = s.subtract(zero, part);
    const Register between = s.subtract(a, s.multiply(part, s.subtract(a, ab)));
    const Register least = s.choose(falls, b, s.choose(rises, a, between));
    const Register limit = s.choose(
        falls, s.multiply(s.constant(least_height * least_height), a),
        s.choose(rises, zero, s.multiply(s.constant(least_chord * least_chord), s.least(a, b))));
    safe = s.least(safe, s.choose(s.subtract(limit, least), no, zero));
  }
  return safe;
}

/// Not negative where no height turns far.
Register HeightWriter::turning(const Row& before, const Row& now) {
  TapeSheet& s = sheet_;
  const Register zero = s.constant(0.0), no = s.constant(-1.0);
  Register near = zero;
  for (std::size_t first = 0; first < before.size(); first += n_) {
    Register a = zero, b = zero, ab = zero;
    for (std::size_t i = first; i < first + n_; ++i) {
      a = s.sum(a, s.multiply(before[i], before[i]));
      b = s.sum(b, s.multiply(now[i], now[i]));
      ab = s.sum(ab, s.multiply(before[i], now[i]));
    }
    const Register limit = s.multiply(s.multiply(s.constant(farthest_turn), a), b);
    near = s.least(near, s.choose(s.subtract(zero, ab), no, zero));
    near = s.least(near, s.choose(s.subtract(limit, s.multiply(ab, ab)), no, zero));
  }
  return near;
}

/// The heights where Lanes::find_within looks.
Row HeightWriter::within(const RunStep& step, const Row& y_end, Register part) {
  TapeSheet& s = sheet_;
  const Register one = s.constant(1.0), two = s.constant(2.0);
  const Register rest = s.subtract(one, part);
  const Register from = s.multiply(s.multiply(rest, rest), s.sum(one, s.multiply(two, part)));
  const Register to =
      s.multiply(s.multiply(part, part), s.subtract(s.constant(3.0), s.multiply(two, part)));
  const Register slope = s.multiply(s.multiply(part, rest), step.h);
  Row q, v;
  for (std::size_t i = 0; i < n_; ++i) {
    const Register v_start = step.y[n_ + i], v_end = y_end[n_ + i];
    const Register way = s.subtract(s.multiply(rest, v_start), s.multiply(part, v_end));
    q.push_back(s.sum(s.sum(s.multiply(from, step.y[i]), s.multiply(to, y_end[i])),
                      s.multiply(slope, way)));
    v.push_back(s.sum(s.multiply(rest, v_start), s.multiply(part, v_end)));
  }
  Row inputs{s.sum(step.t, s.multiply(part, step.h))};
  append(inputs, q);
  append(inputs, v);
  return s.copy(heights_, inputs);
}

SampleWriter::SampleWriter(TapeSheet& sheet, const Flow& flow, const SimulationOptions& options,
                           const RunSampling& sampling, const RunTapeLayout& layout,
                           CorrectionWriter& corrections)
    : sheet_(sheet),
      flow_(flow),
      options_(options),
      sampling_(sampling),
      layout_(layout),
      corrections_(corrections),
      derivative_(sheet.source(flow.derivative)),
      sample_(sheet.source(flow.sample)) {}

/// When sample `number` is due (SampleTimes).
Register SampleWriter::time(Register number) {
  TapeSheet& s = sheet_;
  const Register last = s.constant(static_cast<double>(options_.samples - 1));
  const Register length = s.constant(options_.duration - options_.from);
  const Register even =
      s.sum(s.constant(options_.from), s.divide(s.multiply(length, number), last));
  return s.choose(s.subtract(number, last), s.constant(options_.duration), even);
}

/// Not negative where sample `number` is due until then.
Register SampleWriter::pending(Register number, Register until) {
  TapeSheet& s = sheet_;
  const Register last = s.constant(static_cast<double>(options_.samples - 1));
  return s.least(s.subtract(last, number), s.subtract(until, time(number)));
}

/// The rates at a time and state; what is in trouble makes `trouble` more than 0, or no number.
Row SampleWriter::stage(const Row& inputs, Row& trouble) {
  TapeSheet& s = sheet_;
  const Register zero = s.constant(0.0);
  Row found = s.copy(derivative_, inputs);
  const Register doubt = found[flow_.size];
  found.resize(flow_.size);
  for (const Register k : found) trouble[0] = s.fused(k, zero, trouble[0]);
  trouble[1] = s.largest(trouble[1], doubt);
  return found;
}

/// As LaneArithmetic::prepare_dense.
void SampleWriter::prepare(const RunStep& step) {
  TapeSheet& s = sheet_;
  const std::size_t size = flow_.size;
  const Register zero = s.constant(0.0), no = s.constant(-1.0);
  const Register number = s.input(layout_.sample());
  const Register last = s.constant(static_cast<double>(options_.samples - 1));
  const Register within = s.least(step.candidate, s.subtract(last, number));
  const Register guard =
      s.choose(s.subtract(time(number), step.t_new), no, within);  // not at the very end
  Row before(3 + 7 * size, zero);
  before[0] = guard;
  const Row variable = s.begin_loop(before);
  std::vector<Row> k = step.stages;
  Row trouble{zero, zero};
  Row inputs{s.sum(step.t, step.h)};
  append(inputs, step.y_new);
  k.push_back(stage(inputs, trouble));
  for (std::size_t i = dop853::step_stages + 1; i < dop853::all_stages; ++i) {
    inputs = {s.fused(s.constant(dop853::c[i]), step.h, step.t)};
    for (std::size_t e = 0; e < size; ++e)
      inputs.push_back(s.fused(step.h, weighted(s, dop853::a[i], k, e), step.y[e]));
    k.push_back(stage(inputs, trouble));
  }
  Row after{no, trouble[0], trouble[1]};
  for (std::size_t e = 0; e < size; ++e) {
    const Register difference = s.subtract(step.y_new[e], step.y[e]);
    const Register from = k[0][e], to = k[dop853::step_stages][e];
    after.push_back(difference);
    after.push_back(s.subtract(s.multiply(step.h, from), difference));
    after.push_back(
        s.subtract(s.multiply(s.constant(2.0), difference), s.multiply(step.h, s.sum(from, to))));
    for (const dop853::Weights& d : dop853::d)
      after.push_back(s.multiply(step.h, weighted(s, d, k, e)));
  }
  s.end_loop(after);
  s.demand(variable[1], zero);
  s.demand(variable[2], s.constant(1.0));
  dense_ = section(variable, 3, 7 * size);
}

/// LaneArithmetic::interpolate
Row SampleWriter::interpolate(const RunStep& step, Register theta) {
  TapeSheet& s = sheet_;
  const Register rest = s.subtract(s.constant(1.0), theta);
  Row y;
  for (std::size_t e = 0; e < flow_.size; ++e) {
    const Row r = section(dense_, 7 * e, 7);
    Register value = r[6];
    for (std::size_t c = 6; c-- > 0;)
      value = s.sum(r[c], s.multiply(c % 2 == 1 ? theta : rest, value));
    y.push_back(s.sum(step.y[e], s.multiply(theta, value)));
  }
  return y;
}

/// study::Accumulator::add
Register SampleWriter::gather(const RunSum& sum, Register value, Register x) {
  TapeSheet& s = sheet_;
  switch (sum.kind) {
    case RunSum::Kind::least:
      return s.least(x, value);
    case RunSum::Kind::largest:
      return s.largest(x, value);
    case RunSum::Kind::sum:
      return s.sum(value, x);
    case RunSum::Kind::squares:
      return s.sum(value, s.multiply(x, x));
    case RunSum::Kind::last:
      break;
  }
  return x;
}

/// The columns of a sample at t and y; as Lanes::observed_value.
Row SampleWriter::observe(const Row& place, Register& trouble) {
  TapeSheet& s = sheet_;
  const std::size_t n = flow_.n;
  const Register zero = s.constant(0.0), one = s.constant(1.0);
  const Row seen = s.copy(sample_, place);
  for (std::size_t i = 4 * n; i < 4 * n + 3; ++i)  // energies
    trouble = s.largest(trouble, s.multiply(seen[i], zero));
  trouble = s.largest(trouble, s.choose(s.subtract(one, seen.back()), zero, one));
  Row row = section(place, 0, 1 + n);
  append(row, section(seen, 0, 4 * n + 2));
  append(row, section(seen, 4 * n + 3, seen.size() - (5 * n + 4)));
  return row;
}

Row SampleWriter::take(const RunStep& step, Register accepted, const Row& y_end,
                       Register residual) {
  TapeSheet& s = sheet_;
  const Register zero = s.constant(0.0), one = s.constant(1.0), no = s.constant(-1.0);
  const Register first = s.input(layout_.sample());
  Row before{s.least(accepted, pending(first, step.behind)), zero, residual, first};
  append(before, s.inputs(layout_.sum(), layout_.sums));
  const Row variable = s.begin_loop(before);
  const Register number = variable[3], at = time(number);

  const Register part = s.divide(s.subtract(at, step.t), step.h);
  const Register theta = s.choose(part, s.choose(s.subtract(one, part), part, one), zero);
  const Register at_end = s.subtract(at, step.t_new);
  const Row near = s.choose(at_end, y_end, interpolate(step, theta));
  Row y = near;
  Register trouble = variable[1], worst = zero;
  if (corrections_.needed()) {
    std::tie(y, worst) = corrections_.project(at, near, s.choose(at_end, no, zero));
    trouble = s.largest(
        trouble, s.choose(s.subtract(s.constant(flow::projection_tolerance), worst), zero, one));
  }
  Row row{at};
  append(row, y);
  if (!sampling_.states) row = observe(row, trouble);
  const Register next = s.sum(number, one);
  Row after{s.least(accepted, pending(next, step.behind)), trouble, s.largest(variable[2], worst),
            next};
  for (std::size_t i = 0; i < layout_.sums; ++i)
    after.push_back(gather(sampling_.sums[i], variable[4 + i], row[sampling_.sums[i].column]));
  s.end_loop(after, sampling_.rows ? std::optional(codegen::LoopRow{number, row}) : std::nullopt);
  // Of a step that is not accepted nothing was taken.
  s.demand(variable[1], zero);
  return section(variable, 2, 2 + layout_.sums);
}

}  // namespace dalembert::motion
