#pragma once
/// Many motions of one system, with other parameters or other starts, W at a time in SIMD lanes and
/// on as many threads as asked for.
///
/// Each run has its own steps and error control, so that what becomes of it depends on nothing but
/// itself: the same bits whatever the number of threads and lanes, and whatever its neighbours do.
/// Where the elimination in the kernel cannot vouch for a run (a pivot or a residual says so), its
/// steps are taken by `solve`, which decides ranks, until the kernel vouches again; one that fails
/// there too has failed, with the reason.

#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/motion/simulate.hpp"

namespace dalembert::study {

/// One run before it starts. All of a run's numbers follow from this.
struct Run {
  std::vector<double> parameters;
  motion::State start;  ///< on the constraints
  std::string problem;  ///< why it cannot start; empty if it can
};

/// A run at one instant. Spans live until the receiver returns.
struct EnsembleSample {
  double t;
  std::span<const double> q, v, qdd;        ///< n
  std::span<const double> ideal, nonideal;  ///< n: M q'' = Q + ideal + nonideal
  double kinetic, potential;
  std::span<const double> outputs;  ///< as Motion::outputs
};

/// A run when it is over.
struct Outcome {
  bool complete = false;
  std::string reason;        ///< why it is not
  double t = 0;              ///< how far it came
  std::vector<double> q, v;  ///< there
  long steps = 0, rejected = 0;
  double largest_residual = 0;  ///< scaled, after projection
  double energy_change = 0;     ///< h(t) - h(0)
  bool alone = false;           ///< steps of it were taken outside its lane
  /// Of samples that were summed up where the steps were taken, and not handed over: the study's
  /// statistics. Else empty.
  std::vector<double> statistics = {};
};

struct EnsembleOptions {
  motion::SimulationOptions simulation;  ///< `samples` and `times` count only if there is on_sample
  int threads = 0;                       ///< 0: one a core
  int lanes = 0;                         ///< 0: codegen::widest_lanes()
  codegen::Engine engine = codegen::Engine::automatic;
  const std::atomic<bool>* stop = nullptr;
};

/// Called from worker threads, several at once for different runs; the samples of one run come in
/// order and before its end, each once.
using Prepare = std::function<Run(std::size_t run)>;
using OnSample = std::function<void(std::size_t run, const EnsembleSample&)>;
using OnFinished = std::function<void(std::size_t run, const Outcome&)>;

/// Runs those numbered in `runs`, in any order. `on_sample` may be empty: then none are made, and
/// steps are those of the integrator alone. Runs that `stop` interrupts are not reported.
void run_ensemble(const motion::Motion& motion, std::span<const std::size_t> runs,
                  const Prepare& prepare, const OnSample& on_sample, const OnFinished& on_finished,
                  const EnsembleOptions& options);

}  // namespace dalembert::study
