#pragma once
/// How what an impact does changes with the state in which it happens: the law of each phase
/// (flow/instants/impacts.hpp), differentiated with the modes that were found in it.

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "dalembert/flow/instants/derivatives.hpp"
#include "dalembert/flow/instants/row_system.hpp"
#include "dalembert/motion/instants/instant.hpp"

namespace dalembert::study {

/// The state (q, q') of an instant with its change X along the columns of Z = (X, dt, d theta).
struct ChangingState {
  double t = 0;
  std::vector<double> x;
  Eigen::MatrixXd Z;

  std::size_t n() const { return x.size() / 2; }
  std::span<double> q() { return std::span(x).first(n()); }
  std::span<double> v() { return std::span(x).last(n()); }
};

/// Takes `state` through an impact, or through the rest of bounces without end. False where its
/// equations cannot be solved.
bool follow_impact(flow::RowSystem& system, flow::InstantDerivatives& derivatives,
                   const motion::Reset& reset, std::span<const model::Contact> contacts,
                   ChangingState& state);

/// Brings a state onto the constraints as RowSystem::project_positions and project_velocities do
/// with all contacts open, step by step of Newton's method. False if that does not converge.
bool follow_projection(const flow::RowSystem& system, flow::InstantDerivatives& derivatives,
                       ChangingState& state);

}  // namespace dalembert::study
