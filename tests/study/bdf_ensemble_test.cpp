// An ensemble of a stiff model is run by the integrator that the model asks for.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/model/model.hpp"
#include "dalembert/study/ensemble.hpp"

namespace dalembert::study::bdf_ensemble_test {
namespace {

TEST(Ensemble, OfAStiffModelIsRunByBdf) {
  const auto motion =
      motion::compile(
          model::read_model(std::string(DALEMBERT_MODELS) + "/stiff_shaft.toml").value())
          .value();
  const motion::State start = motion::initial_state(motion).value().state;
  EnsembleOptions options;
  options.simulation = motion::simulation_options(motion);
  options.simulation.duration = 1;
  options.threads = 2;
  std::array<Outcome, 3> outcomes;
  const std::vector<std::size_t> runs = {0, 1, 2};
  const auto prepare = [&](std::size_t) { return study::Run{motion.parameters(), start, ""}; };
  const auto keep = [&](std::size_t run, const Outcome& outcome) { outcomes[run] = outcome; };
  run_ensemble(motion, runs, prepare, {}, keep, options);
  options.simulation.integrator = motion::Integrator::rk8;
  std::array<Outcome, 3> stiff = outcomes;
  run_ensemble(motion, runs, prepare, {}, keep, options);
  for (const std::size_t run : runs) {
    EXPECT_TRUE(stiff[run].complete) << stiff[run].reason;
    EXPECT_TRUE(stiff[run].alone);
    EXPECT_EQ(stiff[run].q, stiff[0].q);  // the same run: the same bits
    EXPECT_LT(5 * stiff[run].steps, outcomes[run].steps);
  }
}

}  // namespace
}  // namespace dalembert::study::bdf_ensemble_test
