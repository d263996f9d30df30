#pragma once
/// One motion through one lane of the engine (motion/lanes.hpp), with all that a SimulationCore
/// keeps account of: decisions, watches and rows at every step, and the work of the forces, which
/// is a quadrature by the stages of each accepted step,
///
///     W(t + h) = W(t) + h sum b_i P(t + c_i h, Y_i),
///
/// P the powers at the stages Y_i, eight at once. It follows the motion and never steers a step: a
/// force on a coordinate that is driven may vary faster than the motion tells. Where the step's own
/// estimate of the error is too large for the work, it is integrated along the continuous output,
/// by Gauss's rule of eight points on as many parts of the step as it takes.

#include <array>
#include <vector>

#include "dalembert/flow/tapes/lane_flow.hpp"
#include "dalembert/motion/careful_stepper.hpp"
#include "dalembert/motion/lanes.hpp"
#include "dalembert/motion/simulation_core.hpp"

namespace dalembert::motion {

class SingleLane final : public LaneClient {
 public:
  /// All arguments must outlive it.
  SingleLane(SimulationCore& core, const ModelFlow& flow);

  /// The whole motion, or as far as it comes; the summary says how that went. Before core.begin.
  void run();

  bool stopped() const override { return over_ || is_interrupted(); }
  bool next(LaneRun& run) override;
  void sample(const Lanes& lanes, std::size_t lane, const LaneSample& sample) override;
  void end(const Lanes& lanes, std::size_t lane, const LaneEnd& end) override;
  bool begins(const Lanes& lanes, std::size_t lane) override;
  bool carry(Lanes& lanes, std::size_t lane, LanePlace& place) override;
  bool accepts(Lanes& lanes, std::size_t lane) override;
  bool goes_on(const Lanes& lanes, std::size_t lane) override;

 private:
  static constexpr std::size_t work_components = SimulationCore::work_components;
  static constexpr std::size_t pack = ModelFlow::power_lanes;

  bool is_interrupted() const;
  void conclude(const Lanes& lanes);
  double stage(const LaneStep& step, std::size_t i, std::size_t component) const;
  void write_stage(const LaneStep& step, std::size_t i, std::span<double> y) const;
  bool find_powers(const LaneStep& step, std::span<const std::size_t> stages);
  using Works = std::array<double, work_components>;
  bool advance_work(Lanes& lanes);
  double largest_work_error(double h) const;
  bool find_gauss(const Lanes& lanes, double from, double to, Works& work);
  bool refine(const Lanes& lanes, double from, double to, const Works& whole, int depth,
              Works& work);
  void write_end(const Lanes& lanes);
  double work_within(double theta, std::size_t c) const;
  bool refine_to(const Lanes& lanes, double theta);
  double stiffness(const Lanes& lanes);
  void watch_pulse(const Lanes& lanes, double t, double length);

  SimulationCore& core_;
  CarefulStepper careful_;
  const ModelFlow& flow_;
  std::size_t n_, size_;
  LaneKernel powers_, velocities_;
  std::vector<std::array<double, work_components>> power_;  ///< by stage
  /// At both ends of the step, since the motion last came into the lane.
  std::array<double, work_components> work_{}, work_new_{};
  std::array<std::array<double, 7>, work_components> dense_{};  ///< of the work within it
  std::vector<double> stage_, y_, y_end_;  ///< a stage; states as the core has them
  std::vector<double> last_stage_, last_slope_, rates_, pulse_rates_, pulse_state_, absolute_;
  StiffnessDetector stiffness_;
  bool within_ = false;   ///< the work within the step is known, by `dense_`
  bool refined_ = false;  ///< it is integrated along the continuous output
  double theta_ = 0;      ///< up to here ...
  Works partial_{};       ///< ... with this result, from the start of the step
  codegen::AlignedVector y_within_;
  bool begun_ = false, over_ = false, concluded_ = false;
  long dense_steps_ = 0;
};

}  // namespace dalembert::motion
