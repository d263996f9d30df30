#pragma once
/// Turns of hinges counted along a motion. Where no function of the coordinates gives the angle of
/// a hinge without a jump (model::Joint::near), it is known but for whole turns; continuity tells
/// these. The angle is the one nearest to a reference that is held through a step and follows the
/// angle from step to step, so that within a step everything is smooth.

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/flow/compiled.hpp"

namespace dalembert::flow {

/// The hinges whose turns matter to accelerations: whoever computes these at single states, without
/// a motion that leads there, has them for angles between -pi and pi.
std::vector<std::string> hinges_that_count(const Motion& motion);

class TurnCounter {
 public:
  explicit TurnCounter(const Motion& motion);

  bool empty() const { return angles_.empty(); }  ///< nothing to count

  /// Counts at a state, the next of a motion. True if the references have moved: then
  /// `parameters` are to be used from here on. At the first state angles are between -pi and pi.
  bool count(double t, std::span<const double> q, std::span<const double> v);
  /// Whether on the way from the state last counted to this one a hinge turns so far that stages in
  /// between may have lost the turn.
  bool is_too_far(double t, std::span<const double> q, std::span<const double> v);
  /// How long a step from the state last counted may be, as its rates tell.
  double longest_step() const;

  const std::vector<double>& parameters() const { return parameters_; }

 private:
  /// Angles and rates there, the angle as the rates tell the turn since the last state counted.
  void look(double t, std::span<const double> q, std::span<const double> v);

  codegen::Kernel kernel_;  ///< t q v -> angles rates
  codegen::Workspace workspace_;
  std::vector<double> parameters_;
  std::vector<std::size_t> places_;  ///< of the references among the parameters
  std::vector<double> inputs_, out_, angles_, rates_;
  double t_ = 0;
  bool started_ = false;
};

/// The parameters with which the expressions of a motion have the values of a recorded state.
class RecordedTurns {
 public:
  explicit RecordedTurns(const Motion& motion);
  bool empty() const { return places_.empty(); }
  /// `outputs` as Motion::outputs, of that state.
  const std::vector<double>& parameters(std::span<const double> outputs);
  const std::vector<double>& parameters() const { return parameters_; }  ///< the last

 private:
  struct Place {
    std::size_t parameter, output;
  };
  std::vector<double> parameters_;
  std::vector<Place> places_;
};

}  // namespace dalembert::flow
