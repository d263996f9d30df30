#pragma once
/// The linear systems of one formulation of one model, each derived once for a choice of
/// constraints, coordinates and quasi-velocities, and kept: whoever comes back to a choice finds it
/// ready. One library is shared by all evaluators of a motion, in all threads.

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/mechanics/formulations/formulations.hpp"
#include "dalembert/solve/rooms.hpp"

namespace dalembert::flow {

/// H x = rho + G C,  q'' = K x + g  (mechanics/formulations/linear_system.hpp) as kernels.
struct RunnableFormulation {
  /// Where an output of a kernel goes in a dense matrix.
  struct Slot {
    std::uint32_t row, column;
  };

  mechanics::Split split;
  bool own_quasi_velocities = false;    ///< as asked for
  bool model_quasi_velocities = false;  ///< the model's quasi-velocities are in use
  std::size_t size = 0;                 ///< of x
  std::size_t states = 0;               ///< mu, one for each of split.rows; 0 but for `vakonomic`
  std::size_t first_state_rate = 0;     ///< mu_j' is x[first_state_rate + j]
  std::vector<Slot> H, G, K, Psi;
  codegen::Kernel system;            ///< t q v mu -> H rho G K g
  codegen::Kernel quasi_velocities;  ///< t q v -> Psi, n x n, if the model's are in use
};

class FormulationLibrary {
 public:
  /// What it is given must outlive it.
  FormulationLibrary(const mechanics::FormulationInfo& info, const model::Model& model,
                     const mechanics::Equations& eq);

  const mechanics::FormulationInfo& info() const { return info_; }

  /// The formulation for a choice, derived with pivots that are good at `values` unless it is there
  /// already. Fails in one line, which begins with the method's name, where the model rules the
  /// formulation out or the choice cannot be solved for. Deriving costs milliseconds to seconds.
  expr::Result<std::shared_ptr<const RunnableFormulation>, std::string> get(
      const mechanics::Split& split, bool own_quasi_velocities, const expr::Values& values);

  /// The same, derived anew: for a state at which the pivots of the one that is there serve no
  /// more.
  expr::Result<std::shared_ptr<const RunnableFormulation>, std::string> renew(
      const mechanics::Split& split, bool own_quasi_velocities, const expr::Values& values);

 private:
  expr::Result<std::shared_ptr<const RunnableFormulation>, std::string> derive(
      const mechanics::Split& split, bool own_quasi_velocities, const expr::Values& values) const;
  std::string said(const std::string& reason) const;

  const mechanics::FormulationInfo& info_;
  const model::Model& model_;
  const mechanics::Equations& eq_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<const RunnableFormulation>> known_;
};

}  // namespace dalembert::flow
