// Every reference trajectory at rtol 1e-12: samples, forces, constraints all the way, and the
// energy-work balance.
#include "seed.hpp"

namespace dalembert::reference_trajectories_test {
namespace {

constexpr double trajectory_tolerance = 1e-9;
constexpr double residual_tolerance = 1e-12;  // of a constraint's scale
constexpr double balance_tolerance = 1e-9;    // of the energy in play

const Seed trajectory_seeds[] = {
    {"particle", "refs/u01_particle"},
    {"flat_body", "refs/g51_flat_body"},
    {"dumbbell", "refs/g52_dumbbell"},
    {"rolling_disk", "refs/g53_rolling_disk"},
    {"rotating_wire", "refs/rheonomic_rotating_wire"},
    {"appell_hamel", "refs/nonlinear_appell_hamel"},
    {"coulomb_helix", "refs/coulomb_helix"},
    {"two_masses", "refs/singular_mass_up06"},
    {"pendulum", "reduced/pendulum"},
    {"double_pendulum", "reduced/double_pendulum"},
    {"slider_crank", "reduced/slider_crank"},
};

class ReferenceTrajectory : public testing::TestWithParam<Seed> {};

TEST_P(ReferenceTrajectory, AgreesAtEverySample) {
  const nlohmann::json trajectory = load_data(GetParam().data)["trajectory"];
  const Motion motion = compile_seed(GetParam().model);
  SimulationOptions options = simulation_options(motion);
  options.rtol = 1e-12;
  options.atol = 1e-13;
  options.times = as_list(reference::vector(trajectory["t"]));
  options.duration = options.times.back();

  std::size_t row = 0;
  const auto check = [&](const char* key, std::span<const double> values, double floor) {
    if (!trajectory.contains(key)) return;
    EXPECT_LE(relative_error(as_vector(values), reference::vector(trajectory[key][row]), floor),
              trajectory_tolerance)
        << key << " at t = " << options.times[row];
  };
  const Summary summary =
      simulate(motion, initial_state(motion).value().state, options, [&](const Sample& sample) {
        check("q", sample.q, 1);
        check("qd", sample.v, 1);
        check("qdd", sample.qdd, 1);
        check("Qc_ideal", sample.ideal, 1);
        check("Qc_nonideal", sample.nonideal, 1);
        ++row;
        return true;
      });
  EXPECT_TRUE(summary.complete) << summary.reason;
  EXPECT_EQ(row, options.times.size());
  EXPECT_LE(summary.largest_residual, residual_tolerance);
  EXPECT_LE(summary.relative_balance_error(), balance_tolerance);
  EXPECT_EQ(summary.rank_change_count, 0);
}

INSTANTIATE_TEST_SUITE_P(Models, ReferenceTrajectory, testing::ValuesIn(trajectory_seeds),
                         [](const auto& seed) { return seed.param.model; });

TEST(EveryMethod, GivesTheSameMotionOfTheRollingDisk) {
  std::vector<double> reference;
  for (const char* method : every_method) {
    const Motion motion = compile_seed("rolling_disk", {{}, method});
    SimulationOptions options = simulation_options(motion);
    options.rtol = 1e-12;
    options.times = {5};
    options.duration = 5;
    std::vector<double> end;
    const Summary summary =
        simulate(motion, initial_state(motion).value().state, options, [&](const Sample& s) {
          end.assign(s.q.begin(), s.q.end());
          return true;
        });
    ASSERT_TRUE(summary.complete) << method << ": " << summary.reason;
    if (reference.empty()) reference = end;
    EXPECT_LE(relative_error(as_vector(end), as_vector(reference), 1), trajectory_tolerance)
        << method;
  }
}

}  // namespace
}  // namespace dalembert::reference_trajectories_test
