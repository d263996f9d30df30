#pragma once
/// What a PageRecorder has collected. Not for the public.

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/flow/state/turns.hpp"
#include "dalembert/report/page/page.hpp"
#include "dalembert/report/page/page_table.hpp"
#include "dalembert/report/page/scene.hpp"
#include "dalembert/report/trajectory.hpp"

namespace dalembert::report {

struct PageRecorder::Implementation {
  Implementation(const motion::Motion& motion, std::size_t samples, const PageLimits& limits);
  void add(const motion::Sample& sample);
  /// Where the motion started; nothing where the model does not allow any.
  std::optional<motion::State> start() const;
  /// With the last row as its last frame.
  nlohmann::ordered_json scene_value(std::vector<double>& values) const;

  std::vector<Column> columns;  ///< of trajectory.csv, and the energy balance
  PageTable table;              ///< the balance in units of energy
  SceneRecorder scene;
  /// Of energies and work so far: largest of |T|, |V - V(0)|, |work|. A summary's is no smaller.
  double energy_scale = 0;
  motion::State first;  ///< of the first sample
  std::optional<motion::State> given_start;

 private:
  double balance(const motion::Sample& sample);
  double h_at(double t, std::span<const double> q, std::span<const double> v);
  void add_frame(const motion::Sample& sample);
  void keep(const motion::Sample& sample);

  motion::Motion motion_;
  TrajectoryRow layout_;
  std::vector<double> row_;
  codegen::Kernel h_;  ///< t q v -> h V
  codegen::Workspace h_workspace_;
  motion::RecordedTurns turns_;
  std::size_t impact_work_;
  double h_start_ = 0, potential_start_ = 0;
  std::size_t most_frames_;
  std::size_t frame_every_ = 1;  ///< rows
  motion::Sample last_ = {};     ///< its spans lead to last_values_
  std::vector<double> last_values_;
  std::vector<motion::TouchSample> last_touches_;
  bool last_is_frame_ = false;
};

}  // namespace dalembert::report
