#pragma once
/// A model and what varies in it: how each run of a study starts.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/flow/compiled.hpp"
#include "dalembert/study/ensemble.hpp"
#include "dalembert/study/parameter_flow.hpp"
#include "dalembert/study/quick_start.hpp"
#include "dalembert/study/variation.hpp"

namespace dalembert::study {

struct PlanOptions {
  std::map<std::string, std::string> settings;  ///< as in --set
  std::optional<std::string> method;
  std::vector<std::string> variations;  ///< as in --vary
  std::uint64_t seed = 0;
  /// Initial values in place of the model's, of all runs: coordinates ("theta") and velocities
  /// ("theta'") of the model, each once, by expressions of its parameters.
  std::vector<std::pair<std::string, expr::Expr>> initial = {};
};

/// Immutable: asked by many threads at once.
class Plan {
 public:
  /// The one motion all runs share. Initial values that vary, then those given in place of the
  /// model's, are parameters of it, the last ones.
  const motion::Motion& motion() const { return motion_; }
  const std::vector<Variation>& variations() const { return variations_; }
  std::uint64_t seed() const { return seed_; }
  /// Whether the duration that the model asks for is not the same for all runs.
  bool duration_varies() const;
  /// Whether an expression of parameters has other values in other runs.
  bool varies(const expr::Expr& e) const { return flow_.varies(e); }

  /// What varies, in a run: one value a variation.
  void values(std::uint64_t run, std::span<double> values) const {
    values_of_run(variations_, seed_, run, values);
  }

  /// Values of parameters and initial values that are given in a run, by name: what varies, and
  /// initial values in place of the model's. `parameters`: as prepare() has them.
  struct Given {
    std::map<std::string, double> parameters;
    std::vector<std::pair<std::string, double>> initial;
  };
  Given given(const std::vector<double>& parameters) const;

  /// Where a run starts: on the constraints, adjusted as the model allows, or why it cannot.
  Run prepare(std::uint64_t run) const;

 private:
  friend model::Result<Plan, model::ModelError> make_plan(const model::Model& model,
                                                          const PlanOptions& options);
  Plan(motion::Motion motion, ParameterFlow flow, std::vector<Variation> variations,
       std::vector<std::size_t> targets, std::size_t own, std::vector<std::string> freed,
       std::uint64_t seed)
      : motion_(std::move(motion)),
        quick_start_(motion_),
        flow_(std::move(flow)),
        variations_(std::move(variations)),
        targets_(std::move(targets)),
        own_(own),
        freed_(std::move(freed)),
        seed_(seed) {}

  motion::Motion motion_;
  QuickStart quick_start_;
  ParameterFlow flow_;
  std::vector<Variation> variations_;
  std::vector<std::size_t> targets_;  ///< which parameter each variation sets
  std::size_t own_;                   ///< parameters before those of initial values
  std::vector<std::string> freed_;    ///< initial values that are parameters, those behind
  std::uint64_t seed_;
};

/// Fails with all that is wrong with the variations, or with the model.
model::Result<Plan, model::ModelError> make_plan(const model::Model& model,
                                                 const PlanOptions& options);

}  // namespace dalembert::study
