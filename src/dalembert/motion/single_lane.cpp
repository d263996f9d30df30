#include "dalembert/motion/single_lane.hpp"

#include <algorithm>
#include <cmath>

#include "dalembert/motion/steps/rk8_coefficients.hpp"

namespace dalembert::motion {

namespace {

constexpr std::size_t count_weighted() {
  std::size_t count = 0;
  for (std::size_t i = 0; i < dop853::step_stages; ++i) count += dop853::b[i] != 0 ? 1 : 0;
  return count;
}

/// The stages that a step's end depends on directly.
constexpr auto weighted_stages = [] {
  std::array<std::size_t, count_weighted()> stages{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < dop853::step_stages; ++i) {
    if (dop853::b[i] != 0) stages[count++] = i;
  }
  return stages;
}();
static_assert(weighted_stages.size() <= ModelFlow::power_lanes);

/// Those of the continuous output.
constexpr auto further_stages = [] {
  std::array<std::size_t, dop853::all_stages - dop853::step_stages> stages{};
  for (std::size_t i = 0; i < stages.size(); ++i) stages[i] = dop853::step_stages + i;
  return stages;
}();
static_assert(further_stages.size() <= ModelFlow::power_lanes);

}  // namespace

SingleLane::SingleLane(SimulationCore& core, const ModelFlow& flow)
    : core_(core),
      careful_(core),
      flow_(flow),
      n_(flow.flow.n),
      size_(flow.flow.size),
      powers_(flow.powers, core.motion().parameters()),
      power_(dop853::all_stages),
      stage_(size_),
      y_(core.size()),
      y_end_(core.size()),
      last_stage_(size_),
      last_slope_(size_),
      rates_(size_),
      pulse_rates_(size_ - n_),
      pulse_state_(2 * (size_ - n_)),
      absolute_(2 * (size_ - n_), core.options().atol),
      y_within_(size_ + lane_pack) {
  for (std::size_t l = 0; l < pack; ++l)
    powers_.bind(static_cast<int>(l), core.motion().parameters());
  if (flow.flow.reduced) velocities_ = LaneKernel(flow.one_lane.sample, core.motion().parameters());
}

void SingleLane::run() {
  core_.pulses().resize(size_ - n_, 2 * (size_ - n_));
  Lanes lanes(core_.motion(), flow_.one_lane, core_.options(), true, *this);
  lanes.run();
  conclude(lanes);
  if (!over_) core_.may_go_on();  // interrupted: it says so
}

/// What the lane knows of the motion, before it forgets.
void SingleLane::conclude(const Lanes& lanes) {
  if (concluded_) return;
  concluded_ = true;
  const auto in_step = static_cast<long>(lanes.by_series() ? 2 : dop853::step_stages);
  const auto further = static_cast<long>(lanes.by_series() ? 0 : further_stages.size());
  core_.count_evaluations(in_step * lanes.attempts(0) + further * dense_steps_);
  core_.note_unknown_kinks(lanes.step_ends(0));
}

bool SingleLane::is_interrupted() const {
  const std::atomic<bool>* stop = core_.options().stop;
  return stop != nullptr && stop->load(std::memory_order_relaxed);
}

bool SingleLane::next(LaneRun& run) {
  if (begun_) return false;
  begun_ = true;
  run.parameters = core_.motion().parameters();
  run.start.t = core_.t();
  run.start.q.assign(core_.q(core_.y()).begin(), core_.q(core_.y()).end());
  run.start.v.assign(core_.v(core_.y()).begin(), core_.v(core_.y()).end());
  return true;
}

void SingleLane::sample(const Lanes& lanes, std::size_t lane, const LaneSample& sample) {
  std::ranges::copy(sample.q, y_.begin());
  std::ranges::copy(sample.v, y_.begin() + static_cast<std::ptrdiff_t>(n_));
  const bool within = lanes.within_step(lane);
  // What was integrated to the end is known up to here as well.
  if (within && refined_) refine_to(lanes, lanes.theta(lane));
  const bool at_end = lanes.at_end(lane);
  for (std::size_t c = 0; c < work_components; ++c) {
    y_[2 * n_ + c] = within ? work_within(lanes.theta(lane), c) : at_end ? work_new_[c] : work_[c];
  }
  if (within && core_.options().doubts) watch_pulse(lanes, sample.t, lanes.step().h[0]);
  if (!over_ && !core_.record(y_, sample)) over_ = true;
}

void SingleLane::end(const Lanes& lanes, std::size_t, const LaneEnd& end) {
  conclude(lanes);
  core_.summary().rejected = end.rejected;
  if (!over_ && end.limit.kind != LaneLimit::Kind::none) {
    core_.fail_at(end.limit);
  } else if (!over_) {
    core_.summary().complete = true;
  }
  over_ = true;
}

bool SingleLane::begins(const Lanes& lanes, std::size_t lane) {
  core_.take_step_ends(lanes.step_ends(lane));  // so that no memory is taken later
  over_ = !careful_.begin_in_lane();
  return !over_;
}

bool SingleLane::carry(Lanes& lanes, std::size_t lane, LanePlace& place) {
  if (over_) return false;
  core_.pulses().resize(n_, core_.size());
  over_ = !careful_.carry(lanes, lane, place);
  core_.pulses().resize(size_ - n_, 2 * (size_ - n_));
  if (over_) {
    conclude(lanes);
    return false;
  }
  core_.set_works(core_.works(core_.y()));
  work_ = {};
  return true;
}

/// Component `component` of stage i of the step; of one lane, in packs.
double SingleLane::stage(const LaneStep& step, std::size_t i, std::size_t component) const {
  const std::size_t p = component / lane_pack;
  return step.k[(p * lane_stages + i) * lane_pack + component % lane_pack];
}

/// y where stage i was evaluated.
void SingleLane::write_stage(const LaneStep& step, std::size_t i, std::span<double> y) const {
  for (std::size_t j = 0; j < size_; ++j) {
    if (i == dop853::step_stages) {
      y[j] = step.y_new[j];
      continue;
    }
    double sum = 0;
    for (std::size_t k = 0; k < i; ++k) {
      if (dop853::a[i][k] != 0) sum += dop853::a[i][k] * stage(step, k, j);
    }
    y[j] = step.y[j] + step.h[0] * sum;
  }
}

/// The powers at these stages, all at once. False where the tape cannot vouch for them.
bool SingleLane::find_powers(const LaneStep& step, std::span<const std::size_t> stages) {
  for (std::size_t l = 0; l < pack; ++l) {  // lanes beyond the last stage repeat it
    const std::size_t i = stages[std::min(l, stages.size() - 1)];
    write_stage(step, i, stage_);
    powers_.in[l] = step.t[0] + dop853::c[i] * step.h[0];
    for (std::size_t j = 0; j < size_; ++j) powers_.in[(1 + j) * pack + l] = stage_[j];
  }
  powers_.run();
  for (std::size_t l = 0; l < stages.size(); ++l) {
    double total = 0;
    for (std::size_t c = 0; c < work_components; ++c) {
      power_[stages[l]][c] = powers_.out[c][l];
      total += powers_.out[c][l];
    }
    if (!std::isfinite(total) || !(powers_.out[work_components][l] <= 1)) return false;
  }
  return true;
}

/// As the error of a step, of the works alone, in units of what is allowed.
double SingleLane::largest_work_error(double h) const {
  const Tolerance tolerance = core_.tolerance();
  double largest = 0;
  for (std::size_t c = 0; c < work_components; ++c) {
    double e5 = 0, e3 = 0, way = 0;
    for (const std::size_t i : weighted_stages) {
      e5 += dop853::e5[i] * power_[i][c];
      e3 += dop853::e3[i] * power_[i][c];
      way += dop853::b[i] * power_[i][c];
    }
    if (e5 == 0 && e3 == 0) continue;
    const double scale = tolerance.scale(2 * n_ + c, work_[c], work_[c] + h * way);
    e5 /= scale;
    e3 /= scale;
    largest = std::max(largest, std::abs(h) * e5 * e5 / std::sqrt(e5 * e5 + 0.01 * e3 * e3));
  }
  return largest;
}

/// The work from t + from h to t + to h, by the powers at eight points between.
bool SingleLane::find_gauss(const Lanes& lanes, double from, double to, Works& work) {
  constexpr std::array<double, 4> places{0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                         0.9602898564975363};
  constexpr std::array<double, 4> weights{0.3626837833783620, 0.3137066458778873,
                                          0.2223810344533745, 0.1012285362903763};
  static_assert(2 * places.size() == pack);
  const LaneStep& step = lanes.step();
  const double middle = (from + to) / 2, half = (to - from) / 2;
  for (std::size_t l = 0; l < pack; ++l) {
    const double place = places[l / 2] * (l % 2 == 0 ? half : -half);
    lanes.interpolate(middle + place, y_within_);
    powers_.in[l] = step.t[0] + (middle + place) * step.h[0];
    for (std::size_t j = 0; j < size_; ++j) powers_.in[(1 + j) * pack + l] = y_within_[j];
  }
  powers_.run();
  double total = 0;
  for (std::size_t c = 0; c < work_components; ++c) {
    work[c] = 0;
    for (std::size_t l = 0; l < pack; ++l) work[c] += weights[l / 2] * powers_.out[c][l];
    work[c] *= half * step.h[0];
    total += work[c];
  }
  for (std::size_t l = 0; l < pack; ++l) {
    if (!(powers_.out[work_components][l] <= 1)) return false;
  }
  return std::isfinite(total);
}

/// Adds to `work` that of a part of the step, of which `whole` is a first guess, halved until the
/// halves agree with it. False where they do not, as over a pole.
bool SingleLane::refine(const Lanes& lanes, double from, double to, const Works& whole, int depth,
                        Works& work) {
  constexpr int deepest = 16;
  const double middle = (from + to) / 2;
  Works left, right;
  if (!find_gauss(lanes, from, middle, left) || !find_gauss(lanes, middle, to, right)) return false;
  const Tolerance tolerance = core_.tolerance();
  bool agree = true;
  for (std::size_t c = 0; c < work_components; ++c) {
    const double sum = left[c] + right[c];
    const double size = work_[c] + std::abs(left[c]) + std::abs(right[c]);
    agree &= std::abs(sum - whole[c]) <= tolerance.scale(2 * n_ + c, work_[c], size);
  }
  if (!agree) {
    return depth < deepest && refine(lanes, from, middle, left, depth + 1, work) &&
           refine(lanes, middle, to, right, depth + 1, work);
  }
  for (std::size_t c = 0; c < work_components; ++c) work[c] += left[c] + right[c];
  return true;
}

/// Brings the partial work of a refined step to t + theta h.
bool SingleLane::refine_to(const Lanes& lanes, double theta) {
  if (theta < theta_) {
    theta_ = 0;
    partial_ = {};
  }
  Works whole;
  if (!find_gauss(lanes, theta_, theta, whole) || !refine(lanes, theta_, theta, whole, 0, partial_))
    return false;
  theta_ = theta;
  return true;
}

bool SingleLane::advance_work(Lanes& lanes) {
  const LaneStep& step = lanes.step();
  const double h = step.h[0];
  within_ = lanes.samples_within(0);
  refined_ = lanes.by_series();
  if (!refined_ && !find_powers(step, weighted_stages)) return false;
  if (refined_ || largest_work_error(h) > 1) {
    refined_ = true;
    ++dense_steps_;
    theta_ = 0;
    partial_ = {};
    if (!lanes.prepare_dense(0) || !refine_to(lanes, 1)) return false;
    for (std::size_t c = 0; c < work_components; ++c) work_new_[c] = work_[c] + partial_[c];
    return true;
  }
  if (within_ && !find_powers(step, further_stages)) return false;
  for (std::size_t c = 0; c < work_components; ++c) {
    const auto weighted = [&](const dop853::Weights& weights) {
      double sum = 0;
      for (std::size_t i = 0; i < dop853::all_stages; ++i) {
        if (weights[i] != 0) sum += weights[i] * power_[i][c];
      }
      return h * sum;
    };
    const double difference = weighted(dop853::b);
    work_new_[c] = work_[c] + difference;
    if (!within_) continue;
    const double first = h * power_[0][c], last = h * power_[dop853::step_stages][c];
    dense_[c] = {difference,
                 first - difference,
                 2 * difference - (first + last),
                 weighted(dop853::d[0]),
                 weighted(dop853::d[1]),
                 weighted(dop853::d[2]),
                 weighted(dop853::d[3])};
  }
  if (within_) ++dense_steps_;
  return true;
}

/// As Rk8::interpolate.
double SingleLane::work_within(double theta, std::size_t c) const {
  if (refined_) return work_[c] + partial_[c];
  double value = dense_[c][6];
  for (std::size_t k = 6; k-- > 0;) value = dense_[c][k] + (k % 2 == 1 ? theta : 1 - theta) * value;
  return work_[c] + theta * value;
}

/// The projected end of the step, as the core has states.
void SingleLane::write_end(const Lanes& lanes) {
  const double* end = lanes.y_end();
  std::copy_n(end, n_, y_end_.begin());
  if (!velocities_) {
    std::copy_n(end + n_, n_, y_end_.begin() + static_cast<std::ptrdiff_t>(n_));
  } else {
    velocities_.in[0] = lanes.t_new(0);
    std::copy_n(end, size_, velocities_.in + 1);
    velocities_.run();
    for (std::size_t i = 0; i < n_; ++i) y_end_[n_ + i] = *velocities_.out[i];
  }
  std::ranges::copy(work_new_, y_end_.begin() + static_cast<std::ptrdiff_t>(2 * n_));
}

bool SingleLane::accepts(Lanes& lanes, std::size_t) {
  const LaneStep& step = lanes.step();
  if (!lanes.by_series()) {
    lanes.keep_stages();
    write_stage(step, dop853::step_stages - 1, last_stage_);
    for (std::size_t j = 0; j < size_; ++j)
      last_slope_[j] = stage(step, dop853::step_stages - 1, j);
  }
  if (!advance_work(lanes)) return false;
  write_end(lanes);
  return true;
}

bool SingleLane::goes_on(const Lanes& lanes, std::size_t) {
  if (over_) return false;
  work_ = work_new_;
  core_.summary().rejected = lanes.rejected(0);
  std::ranges::copy(y_end_, core_.y().begin());
  if (!core_.end_step(lanes.behind(0), lanes.drift(0))) {
    over_ = true;
    return false;
  }
  if (lanes.by_series()) ++core_.summary().taylor_steps;
  if (!lanes.by_series() && lanes.behind(0) == lanes.t_new(0) && stiffness_.add(stiffness(lanes)))
    core_.note_stiffness(lanes.t_new(0));
  return true;
}

/// h |lambda| of the step just taken, as Rk8::stiffness. y is at its end already.
double SingleLane::stiffness(const Lanes& lanes) {
  const LaneStep& step = lanes.step();
  lanes.find_rates(rates_);
  double change = 0, distance = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    const double scale = step.atol[i] + step.rtol * std::abs(step.y[i]);
    if (scale == 0) continue;
    const double df = (rates_[i] - last_slope_[i]) / scale;
    const double dy = (step.y[i] - last_stage_[i]) / scale;
    change += df * df;
    distance += dy * dy;
  }
  return distance > 0 ? lanes.length(0) * std::sqrt(change / distance) : 0;
}

/// Compares the slope of the interpolated velocities with what the tape finds at a sample.
void SingleLane::watch_pulse(const Lanes& lanes, double t, double length) {
  const std::size_t k = size_ - n_;
  const std::span<double> slopes = core_.pulses().expect(length);
  lanes.interpolate_slope(lanes.theta(0), y_within_);
  std::copy_n(y_within_.begin() + static_cast<std::ptrdiff_t>(n_), k,
              slopes.begin() + static_cast<std::ptrdiff_t>(k));
  lanes.find_rates_at_sample(t, rates_);
  for (std::size_t i = 0; i < k; ++i) {
    pulse_rates_[i] = rates_[n_ + i];
    pulse_state_[k + i] = lanes.y_sample()[n_ + i];
  }
  core_.pulses().look(t, pulse_rates_, pulse_state_, {core_.options().rtol, absolute_, {}});
}

void integrate_in_lane(SimulationCore& core) {
  if (const ModelFlow* flow = core.motion().flow()) {
    SingleLane(core, *flow).run();
  } else {
    CarefulStepper(core).integrate();
  }
}

}  // namespace dalembert::motion
