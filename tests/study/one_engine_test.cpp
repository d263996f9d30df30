// The same request gives the same bits by `simulate` and by an ensemble, whatever its lanes,
// threads and engine: over all models, and over random parameters and starts of each; through
// singular configurations too, where a lane is carried and comes back.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <initializer_list>

#include "../model_files.hpp"
#include "dalembert/expr/differentiate.hpp"
#include "dalembert/model/model.hpp"
#include "dalembert/motion/simulate.hpp"
#include "ensemble_runs.hpp"

namespace dalembert::study::one_engine_test {
namespace {

constexpr std::size_t variations = 3;

motion::SimulationOptions request_of(const motion::Motion& motion) {
  motion::SimulationOptions options = motion::simulation_options(motion);
  options.duration = std::min(options.duration, 2.0);
  options.times.clear();
  options.samples = 23;
  return options;
}

/// As the model says; then every parameter a little larger and smaller, by parts that differ.
Prepare somewhat_varied(const motion::Motion& motion) {
  return [&motion](std::size_t number) {
    study::Run run;
    run.parameters = motion.parameters();
    for (std::size_t k = 0; k < run.parameters.size(); ++k) {
      const double part = std::sin(1.0 + static_cast<double>(7 * k));
      run.parameters[k] *= 1 + 0.01 * static_cast<double>(number) * part;
    }
    const auto initial = motion::initial_state(motion.with_parameters(run.parameters));
    if (initial) {
      run.start = initial->state;
    } else {
      run.problem = "no start";
    }
    return run;
  };
}

/// What an ensemble would tell of the run.
Record by_itself(const motion::Motion& motion, const study::Run& run,
                 const motion::SimulationOptions& options) {
  Record record;
  const auto keep = [&](const motion::Sample& s) {
    Row row{s.t, {}};
    for (const auto part : {s.q, s.v, s.qdd, s.ideal, s.nonideal})
      row.values.insert(row.values.end(), part.begin(), part.end());
    row.values.insert(row.values.end(), {s.kinetic, s.potential});
    row.values.insert(row.values.end(), s.outputs.begin(), s.outputs.end());
    record.rows.push_back(std::move(row));
    return true;
  };
  const motion::Summary summary =
      motion::simulate(motion.with_parameters(run.parameters), run.start, options, keep);
  record.outcome.complete = summary.complete;
  record.outcome.t = summary.t;
  record.outcome.steps = summary.steps;
  record.outcome.rejected = summary.rejected;
  return record;
}

class OneEngineOn : public testing::TestWithParam<std::filesystem::path> {};

/// Compares every number of so many runs of the request by both doors.
void expect_one_engine(const motion::Motion& motion, const motion::SimulationOptions& request,
                       const Prepare& prepare, std::size_t count,
                       std::initializer_list<int> widths) {
  for (const int lanes : widths) {
    EnsembleOptions options;
    options.simulation = request;
    options.lanes = lanes;
    options.threads = lanes == 1 ? 1 : 2;
    options.engine = lanes == 1 ? codegen::Engine::interpreter : codegen::Engine::automatic;
    const Records records = collect(motion, numbers(count), prepare, options, true);
    EXPECT_EQ(records.size(), count);
    for (const auto& [number, record] : records) {
      SCOPED_TRACE(testing::Message() << "run " << number << ", " << lanes << " lanes");
      const study::Run run = prepare(number);
      if (!run.problem.empty()) continue;
      const Record alone = by_itself(motion, run, request);
      EXPECT_EQ(record.outcome.complete, alone.outcome.complete) << record.outcome.reason;
      EXPECT_EQ(record.outcome.t, alone.outcome.t);
      EXPECT_EQ(record.outcome.steps, alone.outcome.steps);
      EXPECT_EQ(record.outcome.rejected, alone.outcome.rejected);
      ASSERT_EQ(record.rows.size(), alone.rows.size());
      for (std::size_t i = 0; i < alone.rows.size(); ++i) {
        const std::vector<double>&a = record.rows[i].values, &b = alone.rows[i].values;
        ASSERT_EQ(record.rows[i].t, alone.rows[i].t);
        ASSERT_TRUE(same_bits(a, b)) << "row " << i;
      }
      if (!record.outcome.complete) continue;
      std::vector<double> end = record.outcome.q, row = alone.rows.back().values;
      end.insert(end.end(), record.outcome.v.begin(), record.outcome.v.end());
      row.resize(end.size());
      EXPECT_TRUE(same_bits(end, row)) << "the end";
    }
  }
}

void expect_one_engine(const motion::Motion& motion, const motion::SimulationOptions& request) {
  expect_one_engine(motion, request, somewhat_varied(motion), variations, {1, 8});
}

TEST_P(OneEngineOn, RunAndEnsembleHaveTheSameBits) {
  const motion::Motion motion = motion::compile(model::read_model(GetParam()).value()).value();
  expect_one_engine(motion, request_of(motion));
}

TEST_P(OneEngineOn, TheSameByTaylorSeries) {
  const motion::Motion motion = motion::compile(model::read_model(GetParam()).value()).value();
  motion::SimulationOptions request = request_of(motion);
  request.integrator = motion::Integrator::taylor;
  expect_one_engine(motion, request);
}

TEST(OneEngine, TheSameByExactSeriesAndByChoice) {
  for (const char* name : {"double_pendulum", "rolling_disk", "pendulum"}) {
    SCOPED_TRACE(name);
    const motion::Motion motion = bundled(name);
    motion::SimulationOptions request = request_of(motion);
    request.rtol = 1e-14;
    request.integrator = motion::Integrator::taylor;
    expect_one_engine(motion, request);
    request.integrator = motion::Integrator::automatic;
    for (const double rtol : {1e-6, 1e-9, 1e-12}) {
      request.rtol = rtol;
      expect_one_engine(motion, request);
    }
  }
}

// Each run comes to its kinks at other times, and some come to where both sides lead back.
TEST(OneEngine, TheSameThroughKinksBySeries) {
  const motion::Motion motion = motion::compile(model::read_model_text(R"toml(
coordinates = ["x", "y"]
[parameters]
k = 40.0
mu = 0.2
[energy]
kinetic = "(x'^2 + y'^2)/2 + x'*y'/4"
[forces]
x = "-k*max(0, abs(x) - 1) - sign(x - y)/4"
y = "-mu*sign(y') - if(y < 0.3, y, 2*y) - floor(2*y)/8"
[initial]
x = 0.2
"x'" = 2
"y'" = 1
)toml",
                                                                       "kinks.toml")
                                                    .value())
                                    .value();
  motion::SimulationOptions request;
  request.integrator = motion::Integrator::taylor;
  request.duration = 3;
  request.samples = 31;
  request.rtol = 1e-8;
  const Prepare prepare = [&motion](std::size_t number) {
    study::Run run;
    run.parameters = motion.parameters();
    run.start = motion::initial_state(motion).value().state;
    run.start.q[0] += 0.03 * static_cast<double>(number);
    run.start.v[1] -= 0.05 * static_cast<double>(number);
    return run;
  };
  expect_one_engine(motion, request, prepare, 11, {1, 4, 8});
}

TEST(OneEngine, OptionsMeanTheSameAtBothDoors) {
  for (const char* name : {"slider_crank", "rolling_disk"}) {
    const motion::Motion motion = bundled(name);
    for (const model::Project project :
         {model::Project::both, model::Project::velocity, model::Project::none}) {
      SCOPED_TRACE(testing::Message() << name << ", project " << static_cast<int>(project));
      motion::SimulationOptions request = request_of(motion);
      request.project = project;
      expect_one_engine(motion, request);
      request.rtol = 1e-5;
      request.atol = 1e-7;
      expect_one_engine(motion, request);
      request.max_step = 0.01;
      expect_one_engine(motion, request);
      request.max_steps = 50;
      expect_one_engine(motion, request);
      request.integrator = motion::Integrator::taylor;
      expect_one_engine(motion, request);
    }
  }
}

// The rod's length is said twice. Off the constraints the two rows do not agree on velocities, and
// with positions left alone nothing brings them together: that is drift, not a reason to end.
TEST(OneEngine, VelocitiesAloneAreProjectedWhereRowsDepend) {
  const motion::Motion motion = bundled("slider_crank");
  motion::SimulationOptions request = motion::simulation_options(motion);
  request.project = model::Project::velocity;
  const Record record = by_itself(motion, somewhat_varied(motion)(0), request);
  EXPECT_TRUE(record.outcome.complete);
  request.project = model::Project::both;
  const Record reference = by_itself(motion, somewhat_varied(motion)(0), request);
  ASSERT_EQ(record.rows.size(), reference.rows.size());
  // At rtol 1e-9, with errors that grow with the 80 radians the crank turns.
  for (std::size_t i = 0; i < record.rows.size(); ++i)
    EXPECT_NEAR(record.rows[i].values[0], reference.rows[i].values[0], 1e-5) << i;
}

/// A linkage that has singular configurations, and states of it by the angle and rate of its crank.
struct Linkage {
  motion::Motion motion;
  std::function<motion::State(double angle, double rate)> state;
};

/// Four bars by their angles from the line of the pivots: the coupler stays parallel to it. Where
/// the crank lies on that line a row vanishes or two depend; of equal bars both.
Linkage four_bars(double crank, double coupler) {
  using expr::cos, expr::dot, expr::pow, expr::sin;
  model::System s("four bars");
  auto [a, b, c] = s.coordinates("a", "b", "c");
  const expr::Expr x = crank * cos(a) + coupler * cos(b) / 2;
  const expr::Expr y = crank * sin(a) + coupler * sin(b) / 2;
  const auto square = [](const expr::Expr& e) { return pow(expr::time_derivative(e), 2); };
  s.kinetic(pow(dot(a), 2) / 8 + pow(dot(c), 2) / 4 + 3 * (square(x) + square(y)) / 2 +
            pow(dot(b), 2) / 3);
  s.potential(6 * y);
  s.constrain("x", crank * cos(a) + coupler * cos(b) == coupler + crank * cos(c));
  s.constrain("y", crank * sin(a) + coupler * sin(b) == crank * sin(c));
  s.initial(a, 0.4).initial(c, 0.4).initial(dot(a), 9).initial(dot(c), 9);
  return {motion::compile(s.model()).value(), [](double angle, double rate) {
            return motion::State{0, {angle, 0, angle}, {rate, 0, rate}};
          }};
}

/// Crank and rod of one length, the rod's length said twice: at right angles the slider stands on
/// the pivot and might stay there.
Linkage slider_crank_of_equal_lengths() {
  using expr::cos, expr::dot, expr::pow, expr::sin;
  constexpr double R = 0.4;
  model::System s("slider-crank");
  auto [theta, phi, x] = s.coordinates("theta", "phi", "x");
  s.kinetic(pow(dot(theta), 2) / 20 + pow(dot(x), 2) / 4);
  s.constrain("x", R * cos(theta) + R * cos(phi) == x);
  s.constrain("y", R * sin(theta) == R * sin(phi));
  s.constrain("rod", pow(x - R * cos(theta), 2) + pow(R * sin(theta), 2) == expr::Expr(R * R));
  const auto state = [](double angle, double rate) {
    return motion::State{
        0, {angle, angle, 2 * R * std::cos(angle)}, {rate, rate, -2 * R * std::sin(angle) * rate}};
  };
  const motion::State start = state(0.2, 6);
  s.initial(theta, start.q[0]).initial(phi, start.q[1]).initial(x, start.q[2]);
  s.initial(dot(theta), 6).initial(dot(phi), 6).initial(dot(x), start.v[2]);
  return {motion::compile(s.model()).value(), state};
}

Linkage bundled_parallelogram() {
  return {bundled("parallelogram"), [](double angle, double rate) {
            constexpr double r = 0.5, d = 1.25;
            const double c = r * std::cos(angle), z = r * std::sin(angle);
            return motion::State{0, {c, z, d + c, z}, {-z * rate, c * rate, -z * rate, c * rate}};
          }};
}

// Of eleven runs in neighbouring lanes some pass singular configurations, early or late, and some
// turn too slowly to come to one.
TEST(OneEngine, LanesAreCarriedThroughSingularConfigurations) {
  constexpr std::size_t runs = 11;
  for (const Linkage& linkage : {bundled_parallelogram(), four_bars(0.5, 1.25),
                                 four_bars(0.75, 0.75), slider_crank_of_equal_lengths()}) {
    const Prepare prepare = [&](std::size_t number) {
      const auto k = static_cast<double>(number);
      const bool turns = number % 3 != 1;
      const double angle = turns ? 0.2 + 0.11 * k : 0.9 + 0.01 * k;
      return study::Run{
          linkage.motion.parameters(), linkage.state(angle, turns ? 8 + 0.3 * k : 0.05), {}};
    };
    for (const auto integrator : {motion::Integrator::rk8, motion::Integrator::taylor}) {
      for (const double rtol : {1e-9, 1e-6}) {
        SCOPED_TRACE(testing::Message() << linkage.motion.model().name << ", "
                                        << to_string(integrator) << ", rtol " << rtol);
        motion::SimulationOptions request;
        request.duration = 1.5;
        request.samples = 41;
        request.rtol = rtol;
        request.atol = 1e-3 * rtol;
        request.integrator = integrator;
        expect_one_engine(linkage.motion, request, prepare, runs, {1, 4, 8});
        EnsembleOptions options;
        options.simulation = request;
        const Records records = collect(linkage.motion, numbers(runs), prepare, options, true);
        for (const auto& [number, record] : records) {
          EXPECT_TRUE(record.outcome.complete) << number << ": " << record.outcome.reason;
          EXPECT_TRUE(record.outcome.alone || number % 3 == 1) << number;
        }
      }
    }
  }
}

// A step that leads over a singular configuration may lead beyond the end of the motion, too.
TEST(OneEngine, AMotionEndsWhereItShouldNextToASingularConfiguration) {
  const Linkage linkage = bundled_parallelogram();
  const Prepare prepare = [&](std::size_t) {
    return study::Run{linkage.motion.parameters(), linkage.state(0.3, 11), {}};
  };
  for (double duration = 0.26; duration < 0.3; duration += 0.001) {
    SCOPED_TRACE(duration);
    motion::SimulationOptions request;
    request.duration = duration;
    request.samples = 3;
    expect_one_engine(linkage.motion, request, prepare, 1, {1, 8});
  }
}

TEST(OneEngine, ALaneIsTakenBackBehindASingularConfiguration) {
  const Linkage linkage = bundled_parallelogram();
  motion::SimulationOptions request;
  request.integrator = motion::Integrator::taylor;
  const motion::State start = linkage.state(0.3, 11);
  const auto all = [](const motion::Sample&) { return true; };
  request.duration = 0.2;  // it is flat at about 0.26
  const motion::Summary before = motion::simulate(linkage.motion, start, request, all);
  request.duration = 2;
  const motion::Summary whole = motion::simulate(linkage.motion, start, request, all);
  EXPECT_EQ(before.passage_count, 0);
  EXPECT_GT(whole.passage_count, 5);
  EXPECT_GT(before.taylor_steps, 0);
  EXPECT_GT(whole.taylor_steps, 3 * before.taylor_steps);
  EXPECT_LT(whole.taylor_steps, whole.steps);
}

INSTANTIATE_TEST_SUITE_P(Models, OneEngineOn, testing::ValuesIn(model_files()),
                         [](const auto& file) { return file.param.stem().string(); });

}  // namespace
}  // namespace dalembert::study::one_engine_test
