#include "dalembert/study/states/accelerations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "dalembert/flow/state/conditions.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/flow/tapes/eliminated_system.hpp"
#include "dalembert/flow/tapes/short_equations.hpp"
#include "dalembert/flow/values.hpp"
#include "dalembert/solve/names.hpp"
#include "dalembert/study/states/lane_rows.hpp"

namespace dalembert::study {

namespace {

using codegen::Value;
using motion::Motion;
using motion::State;
using motion::Status;

constexpr double evaluator_nanoseconds = 3000;  // of a small system
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// t q v -> q'', and with `forces` Q, Q_ideal, Q_nonideal, the multipliers of Q_ideal and those
/// while C acts; then doubt, which counts the rows taken for dependent too.
codegen::Tape written_tape(const motion::ShortEquations& lean, bool forces) {
  const mechanics::Equations& eq = lean.equations;
  codegen::TapeBuilder tape(motion::state_symbols(eq), eq.parameters);
  codegen::Margin margin(tape);
  const motion::EliminatedSystem system(tape, eq, lean.rows, margin);
  const auto solution = system.solve(margin);
  system.require_other_rows(solution, margin);
  std::vector<Value> outputs = solution.qdd;
  const auto append = [&](const std::vector<Value>& part) {
    outputs.insert(outputs.end(), part.begin(), part.end());
  };
  if (forces) {
    for (const expr::Expr& Q : eq.Q) outputs.push_back(tape.lower(Q));
    append(solution.ideal);
    append(solution.nonideal);
    append(solution.ideal_multipliers);
    append(solution.multipliers);
  }
  outputs.push_back(margin.doubt());
  return tape.finish(outputs);
}

/// States that tell which constraints are independent: the initial one, and one beside it, should
/// that be a special one. The choice must depend on nothing that a caller asks for.
std::vector<State> telling_states(const Motion& motion) {
  std::vector<State> states;
  if (auto start = motion::initial_state(motion)) states.push_back(start->state);
  auto written = motion.written_initial_state();
  State beside = written ? *written
                         : State{0, std::vector<double>(motion.coordinates()),
                                 std::vector<double>(motion.coordinates())};
  for (std::size_t i = 0; i < motion.coordinates(); ++i) {
    const auto k = static_cast<double>(i + 1);
    beside.q[i] += 0.1 * std::cos(2.7 * k);
    beside.v[i] += 0.1 * std::sin(1.9 * k);
  }
  states.push_back(std::move(beside));
  return states;
}

std::optional<motion::ShortEquations> find_lean(const Motion& motion) {
  if (motion.method() != motion::Method::m_inverse) return std::nullopt;
  std::optional<motion::ShortEquations> best;
  for (const State& state : telling_states(motion)) {
    auto lean = motion::short_equations(motion, state);
    if (lean && (!best || lean->rows.size() > best->rows.size())) best = std::move(lean);
    if (best && best->rows.size() == motion.constraints()) break;
  }
  return best;
}

bool finite(const double* x, std::size_t count) {
  return std::all_of(x, x + count, [](double value) { return std::isfinite(value); });
}

/// Has the rows of the next block brought near while the kernel runs: it is done with the present
/// ones sooner than memory would notice that they are read in order.
template <int for_writing>
void fetch(const double* row, std::size_t stride, std::size_t rows) {
  constexpr std::size_t line = 8;
  for (std::size_t k = 0; k < rows * stride; k += line)
    __builtin_prefetch(row + rows * stride + k, for_writing);
}

template <class From, class To>
void copy_row(const From& from, To* to, std::size_t i, std::size_t size) {
  if (to != nullptr) std::copy_n(from.begin(), size, to + i * size);
}

}  // namespace

struct Accelerations::Written {
  StateKernels acceleration;
  std::optional<StateKernels> forces;  ///< none where multipliers are not unique

  explicit Written(const motion::ShortEquations& lean) : acceleration(written_tape(lean, false)) {
    if (lean.rows.size() == lean.equations.b.size()) forces.emplace(written_tape(lean, true));
  }
};

/// What one thread works with.
struct Accelerations::Worker {
  std::optional<StateLanes> acceleration, forces;
  std::optional<motion::Evaluator> evaluator;

  Worker(const Written* written, const Motion& motion) {
    if (written == nullptr) return;
    acceleration.emplace(written->acceleration, motion.parameters());
    if (written->forces) forces.emplace(*written->forces, motion.parameters());
  }

  /// One that remembers nothing which could change an answer. A formulation keeps its choice of
  /// coordinates.
  motion::Evaluator& fresh(const Motion& motion) {
    if (!evaluator || !motion::is_fundamental(motion.method())) evaluator.emplace(motion);
    return *evaluator;
  }
};

/// A worker for as long as one works.
class Accelerations::Lease {
 public:
  explicit Lease(const Accelerations& owner) : owner_(owner), worker_(owner.pool_.take()) {
    if (!worker_) worker_ = std::make_unique<Worker>(owner.written_.get(), owner.motion_);
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease() { owner_.pool_.give(std::move(worker_)); }
  Worker& operator*() { return *worker_; }
  Worker* operator->() { return worker_.get(); }

 private:
  const Accelerations& owner_;
  std::unique_ptr<Worker> worker_;
};

Accelerations::Accelerations(Motion motion) : motion_(std::move(motion)) {
  if (const auto lean = find_lean(motion_)) written_ = std::make_shared<const Written>(*lean);
}

Accelerations::Accelerations(const Accelerations& other, Motion motion)
    : motion_(std::move(motion)), written_(other.written_) {}

Accelerations::~Accelerations() = default;

Failures Accelerations::solve(const StateRows& states, const SolvedRows& results,
                              const Sharing& sharing) const {
  Failures all;
  std::mutex mutex;
  const double nanoseconds =
      written_ ? written_->acceleration.nanoseconds() : evaluator_nanoseconds;
  share(states.count, sharing, nanoseconds, [&](std::size_t begin, std::size_t end) {
    Failures part;
    solve_part(states, results, begin, end, part);
    if (part.count == 0) return;
    const std::lock_guard lock(mutex);
    if (all.count == 0 || part.first < all.first) all.first = part.first;
    all.count += part.count;
  });
  if (all.count > 0) all.problem = explain(states, all.first);
  return all;
}

void Accelerations::solve_part(const StateRows& states, const SolvedRows& results,
                               std::size_t begin, std::size_t end, Failures& failures) const {
  Lease worker(*this);
  const std::size_t n = motion_.coordinates(), m = motion_.constraints();
  const auto alone = [&](std::size_t i) {
    if (solve_alone(*worker, states, results, i)) return;
    if (failures.count++ == 0) failures.first = i;
  };
  const bool forces = results.applied != nullptr || results.ideal != nullptr ||
                      results.nonideal != nullptr || results.multipliers != nullptr ||
                      results.reactions != nullptr || results.unique != nullptr;
  std::optional<StateLanes>& kernels = forces ? worker->forces : worker->acceleration;
  if (!kernels || results.outputs != nullptr || results.mu_rate != nullptr) {
    for (std::size_t i = begin; i < end; ++i) alone(i);
    return;
  }
  const auto run = [&](LaneKernel& kernel, const LaneRows& rows, std::size_t i) {
    const auto W = static_cast<std::size_t>(kernel.kernel.lanes());
    alignas(64) double taint[8];
    const std::array parts{RowPart{states.t.row(i), states.t.stride, 1},
                           RowPart{states.q.row(i), states.q.stride, n},
                           RowPart{states.v.row(i), states.v.stride, n}};
    rows.load(parts, kernel.in, taint);
    fetch<0>(states.q.row(i), states.q.stride, W);
    fetch<0>(states.v.row(i), states.v.stride, W);
    if (results.acceleration != nullptr) fetch<1>(results.acceleration + i * n, n, W);
    kernel.run();
    const double* const* out = kernel.out.data();
    const auto store = [&](double* to, std::size_t size) {
      if (to != nullptr) rows.store(out, size, to + i * size, size, taint);
      out += size;
    };
    store(results.acceleration, n);
    if (forces) {
      store(results.applied, n);
      store(results.ideal, n);
      store(results.nonideal, n);
      store(results.multipliers, m);
      store(results.reactions, m);
      if (results.unique != nullptr) std::fill_n(results.unique + i * m, W * m, std::uint8_t{1});
    }
    for (unsigned refused = rows.refused(taint, *out); refused != 0; refused &= refused - 1)
      alone(i + static_cast<std::size_t>(std::countr_zero(refused)));
  };
  LaneKernel& lanes = kernels->lanes();
  const auto W = static_cast<std::size_t>(lanes.kernel.lanes());
  const LaneRows& wide = lane_rows(lanes.kernel.lanes());
  std::size_t i = begin;
  for (; i + W <= end; i += W) run(lanes, wide, i);
  for (; i < end; ++i) run(kernels->single(), lane_rows(1), i);
}

bool Accelerations::solve_alone(Worker& worker, const StateRows& states, const SolvedRows& results,
                                std::size_t i) const {
  const std::size_t n = motion_.coordinates(), m = motion_.constraints();
  const double t = *states.t.row(i);
  const std::span q(states.q.row(i), n), v(states.v.row(i), n);
  const bool mechanical = motion::is_mechanical(motion_.method());
  std::span<const double> mu;
  if (!mechanical) mu = {states.mu.row(i), m};
  const std::size_t outputs = 3 + motion_.outputs().size();
  bool solved = std::isfinite(t) && finite(q.data(), n) && finite(v.data(), n) &&
                finite(mu.data(), mu.size());
  motion::Evaluator& evaluator = worker.fresh(motion_);
  solved = solved && evaluator.decide(t, q, v, mu) == Status::ok;
  if (!solved) {
    for (double* to : {results.acceleration, results.applied, results.ideal, results.nonideal}) {
      if (to != nullptr) std::fill_n(to + i * n, n, not_a_number);
    }
    for (double* to : {results.multipliers, results.reactions, results.mu_rate}) {
      if (to != nullptr) std::fill_n(to + i * m, m, not_a_number);
    }
    if (results.unique != nullptr) std::fill_n(results.unique + i * m, m, std::uint8_t{0});
    if (results.outputs != nullptr)
      std::fill_n(results.outputs + i * outputs, outputs, not_a_number);
    return false;
  }
  copy_row(evaluator.acceleration(), results.acceleration, i, n);
  copy_row(evaluator.Q(), results.applied, i, n);
  copy_row(evaluator.ideal(), results.ideal, i, n);
  copy_row(evaluator.nonideal(), results.nonideal, i, n);
  copy_row(evaluator.mu_rate(), results.mu_rate, i, m);
  if (!mechanical) {  // by the multiplier rule there are no reactions
    for (double* to : {results.multipliers, results.reactions}) {
      if (to != nullptr) std::fill_n(to + i * m, m, not_a_number);
    }
  } else {
    if (results.multipliers != nullptr)
      copy_row(evaluator.solution().calc_multipliers(), results.multipliers, i, m);
    if (results.reactions != nullptr)
      copy_row(evaluator.calc_multipliers(), results.reactions, i, m);
  }
  if (results.unique != nullptr) copy_row(evaluator.solution().calc_unique(), results.unique, i, m);
  if (results.outputs != nullptr) {
    evaluator.observe();
    double* to = results.outputs + i * outputs;
    to[0] = evaluator.kinetic();
    to[1] = evaluator.potential();
    to[2] = evaluator.h();
    std::copy(evaluator.outputs().begin(), evaluator.outputs().end(), to + 3);
  }
  return true;
}

bool Accelerations::solve_one(double t, const double* q, const double* v,
                              double* acceleration) const {
  Failures failures;
  solve_part({1, {&t, 0}, {q, 0}, {v, 0}}, {.acceleration = acceleration}, 0, 1, failures);
  return failures.count == 0;
}

std::string Accelerations::explain(const StateRows& states, std::size_t i) const {
  const std::size_t n = motion_.coordinates();
  State state{*states.t.row(i),
              {states.q.row(i), states.q.row(i) + n},
              {states.v.row(i), states.v.row(i) + n}};
  if (!motion::is_mechanical(motion_.method()))
    state.mu.assign(states.mu.row(i), states.mu.row(i) + motion_.constraints());
  if (!std::isfinite(state.t)) return fmt::format("t is {}", state.t);
  for (std::size_t k = 0; k < n; ++k) {
    const std::string& name = motion_.model().coordinates[k];
    if (!std::isfinite(state.q[k])) return fmt::format("{} is {}", name, state.q[k]);
    if (!std::isfinite(state.v[k])) return fmt::format("{}' is {}", name, state.v[k]);
  }
  for (std::size_t j = 0; j < state.mu.size(); ++j) {
    if (!std::isfinite(state.mu[j]))
      return fmt::format("mu.{} is {}", motion_.model().constraints[j].name, state.mu[j]);
  }
  motion::Evaluator evaluator(motion_);
  switch (evaluator.decide(state.t, state.q, state.v, state.mu)) {
    case Status::mass_not_finite:
    case Status::constraints_not_finite:
    case Status::force_not_finite:
      return motion::explain_not_finite(motion_, state, "at this state").message;
    default:
      return evaluator.explain_failure();
  }
}

}  // namespace dalembert::study
