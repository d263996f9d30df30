#include "dalembert/flow/state/singular_start.hpp"

#include <algorithm>
#include <cmath>

namespace dalembert::flow {

namespace {

constexpr double look_aside = 0.02;  // of the size of the coordinates

double size_of(const std::vector<double>& x) {
  double size = 0;
  for (const double value : x) size = std::max(size, std::abs(value));
  return size;
}

}  // namespace

std::optional<int> singular_start_rank(const Motion& motion, Evaluator& evaluator,
                                       Projector& projector, const State& start) {
  if (!projector.tells_heights()) return std::nullopt;
  const auto& [t, q, v, mu] = start;
  if (evaluator.decide_rank(t, q, v) != Status::ok) return std::nullopt;
  projector.set_row_uncertainty(evaluator.row_uncertainty());
  if (projector.decide(t, q, v) != Status::ok) return std::nullopt;
  const int rank = projector.position_rank();
  const auto rows = std::ranges::count_if(motion.equations().constraints, [](const auto& c) {
    return c.level == model::Level::position;
  });
  const double speed = size_of(v);
  if (rank == rows || speed == 0) return std::nullopt;
  const double way = look_aside * (1 + size_of(q)) / speed;
  State aside = start;
  for (std::size_t i = 0; i < q.size(); ++i) aside.q[i] += way * v[i];
  projector.set_row_uncertainty({});
  if (!projector.nearest_positions(t + way, aside.q, aside.v).converged ||
      !projector.nearest_velocities(t + way, aside.q, aside.v).converged ||
      projector.decide(t + way, aside.q, aside.v) != Status::ok)
    return std::nullopt;
  return projector.position_rank() > rank ? std::optional(rank) : std::nullopt;
}

}  // namespace dalembert::flow
