// Interpreter and machine code, alone and in lanes, give the same bits for every tape.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/codegen/machine_program.hpp"
#include "random_tape.hpp"

namespace dalembert::codegen::engines_test {
namespace {

/// The outputs in each lane; lane l has parameters and inputs of its own.
std::vector<std::vector<double>> run(const Kernel& kernel,
                                     const std::vector<std::vector<double>>& parameters,
                                     const std::vector<std::vector<double>>& inputs) {
  const auto W = static_cast<std::size_t>(kernel.lanes());
  Workspace workspace = kernel.workspace(parameters[0]);
  std::vector<double> in(kernel.inputs() * W);
  std::vector<double> out(kernel.outputs() * W);
  for (std::size_t l = 0; l < W; ++l) {
    if (l > 0) kernel.bind(workspace, static_cast<int>(l), parameters[l]);
    for (std::size_t i = 0; i < kernel.inputs(); ++i) in[i * W + l] = inputs[l][i];
  }
  kernel.evaluate(workspace, in, out);
  std::vector<std::vector<double>> result(W);
  for (std::size_t l = 0; l < W; ++l)
    for (std::size_t i = 0; i < kernel.outputs(); ++i) result[l].push_back(out[i * W + l]);
  return result;
}

Kernel compiled(const Tape& tape, int lanes, Level level) {
  const std::atomic<bool> stop = false;
  auto program = machine_program(tape, lanes, level, stop);
  if (program == nullptr) throw std::logic_error("not compiled");
  return {std::make_shared<const Tape>(tape), std::move(program), lanes};
}

/// Whether a kernel does in each lane what `perform` says; where not, says it.
bool agrees(const Kernel& kernel, Random& random) {
  const Tape& tape = kernel.tape();
  std::vector<std::vector<double>> parameters;
  std::vector<std::vector<double>> inputs;
  for (int l = 0; l < kernel.lanes(); ++l) {
    parameters.push_back(random_values(random, tape.parameters));
    inputs.push_back(random_values(random, tape.inputs));
  }
  const auto values = run(kernel, parameters, inputs);
  for (std::size_t l = 0; l < values.size(); ++l) {
    const std::vector<double> expected = performed(tape, parameters[l], inputs[l]);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (same_bits(values[l][i], expected[i])) continue;
      ADD_FAILURE() << "lane " << l << " of " << values.size() << ", output " << i << ": "
                    << values[l][i] << " instead of " << expected[i];
      return false;
    }
  }
  return true;
}

Tape any_tape() {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const auto prologue = *rc::gen::inRange<std::size_t>(0, 12);
  const auto size = *rc::gen::inRange<std::size_t>(0, 80);
  return random_tape(random, prologue, size, true);
}

class Engines : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { setenv("DALEMBERT_CACHE", "off", 1); }

  void need_machine() const {
    if (GetParam() > widest_lanes())
      GTEST_SKIP() << "no vectors of " << GetParam() << " on this machine";
    if (machine() == nullptr) GTEST_SKIP() << "no libdalembert_machine.so";
  }
};

TEST_P(Engines, InterpreterPerformsEveryOperation) {
  EXPECT_TRUE(rc::check([&] {
    const Kernel kernel = interpreted(any_tape(), GetParam());
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    RC_ASSERT(agrees(kernel, random));
  }));
}

TEST_P(Engines, MachineCodePerformsEveryOperation) {
  need_machine();
  if (IsSkipped()) return;
  EXPECT_TRUE(rc::check([&] {
    const Level level = *rc::gen::element(Level::quick, Level::good);
    const Kernel kernel = compiled(any_tape(), GetParam(), level);
    RC_ASSERT(kernel.engine() == Engine::machine);
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    for (int repeat = 0; repeat < 4; ++repeat) RC_ASSERT(agrees(kernel, random));
  }));
}

TEST_P(Engines, EachOperationAloneOnEveryPairOfValues) {
  need_machine();
  if (IsSkipped()) return;
  Tape tape;
  tape.inputs = 3;
  for (auto f = Operation::add; static_cast<std::size_t>(f) < plain_operations;
       f = static_cast<Operation>(static_cast<int>(f) + 1)) {
    tape.outputs.push_back(static_cast<std::uint32_t>(tape.registers()));
    tape.code.push_back({f, 0, operands(f) > 1 ? 1U : 0U, 2});
  }
  Random random(5);
  for (const Level level : {Level::quick, Level::good}) {
    const Kernel kernel = compiled(tape, GetParam(), level);
    for (int repeat = 0; repeat < 2000; ++repeat) ASSERT_TRUE(agrees(kernel, random));
  }
}

TEST_P(Engines, TapesOfManyChunksAgree) {
  for (const std::size_t size : {999U, 1000U, 1001U, 5000U}) {
    Random random(size);
    const Tape tape = random_tape(random, 1500, size, false);
    ASSERT_TRUE(agrees(interpreted(tape, GetParam()), random)) << size;
    if (machine() == nullptr || GetParam() > widest_lanes()) continue;
    for (const Level level : {Level::quick, Level::good})
      ASSERT_TRUE(agrees(compiled(tape, GetParam(), level), random)) << size;
  }
}

TEST_P(Engines, BindingOneLaneLeavesTheOthers) {
  Random random(3);
  const Tape tape = random_tape(random, 40, 200, false);
  for (const Engine engine : {Engine::interpreter, Engine::machine}) {
    const Kernel kernel = make_kernel(tape, {GetParam(), engine});
    ASSERT_TRUE(agrees(kernel, random));
  }
}

TEST_P(Engines, RunAgainAndAgainGivesTheSame) {
  // Values that pass between chunks share places: nothing of a run may be left for the next.
  Random random(9);
  const Tape tape = random_tape(random, 10, 4000, false);
  const Kernel kernel = make_kernel(tape, {GetParam(), Engine::machine});
  const auto W = static_cast<std::size_t>(GetParam());
  Workspace workspace = kernel.workspace(std::vector{0.5, 1.5, -0.25});
  std::vector<double> in(kernel.inputs() * W, 0.4);
  std::vector<double> first(kernel.outputs() * W);
  std::vector<double> again(kernel.outputs() * W);
  kernel.evaluate(workspace, in, first);
  kernel.evaluate(workspace, std::vector(in.size(), -1.7), again);
  kernel.evaluate(workspace, in, again);
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_TRUE(same_bits(first[i], again[i]));
}

// Sines that are written out in machine code know no large angles; who asks must not notice.
TEST_P(Engines, LargeAnglesInSomeLanes) {
  if (machine() == nullptr) GTEST_SKIP() << "no libdalembert_machine.so";
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Expr p = expr::parameter("p"), x = expr::coordinate("x");
  const Tape tape = make_tape(
      std::vector{expr::sin(p) * x, expr::cos(x) + expr::sin(x), expr::sin(expr::sin(x) * p)},
      std::vector{x}, std::vector{p});
  const std::vector<double> angles{0.5,   -0x1p30, 0x1.0000001p30, 1e22, infinity, -1e300,
                                   -1e-9, 3e5,     std::nan("")};
  for (const Level level : {Level::quick, Level::good}) {
    const Kernel kernel = compiled(tape, GetParam(), level);
    for (std::size_t first = 0; first < angles.size(); ++first) {
      std::vector<std::vector<double>> parameters, inputs;
      for (int l = 0; l < GetParam(); ++l) {
        const std::size_t at = first + static_cast<std::size_t>(l);
        inputs.push_back({angles[at % angles.size()]});
        parameters.push_back({angles[(3 * at + 1) % angles.size()]});
      }
      const auto values = run(kernel, parameters, inputs);
      for (std::size_t l = 0; l < values.size(); ++l) {
        const std::vector<double> expected = performed(tape, parameters[l], inputs[l]);
        for (std::size_t i = 0; i < expected.size(); ++i) {
          EXPECT_TRUE(same_bits(values[l][i], expected[i]))
              << "x = " << inputs[l][0] << ", p = " << parameters[l][0] << ", output " << i;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Widths, Engines, testing::Values(1, 4, 8));

TEST(EnginesDeathTest, WithoutTheLibraryEverythingIsInterpreted) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const char* place : {"off", "/nowhere/libdalembert_machine.so", "/proc/self/exe"}) {
    EXPECT_EXIT(
        {
          setenv("DALEMBERT_MACHINE", place, 1);
          Random random(1);
          const Kernel kernel = make_kernel(random_tape(random, 5, 50, true), {1, Engine::machine});
          const bool right = kernel.engine() == Engine::interpreter && agrees(kernel, random);
          std::exit(right ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
  }
}

TEST(EnginesDeathTest, ThePersonDecidesWhatAutomaticMeans) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  if (machine() == nullptr) GTEST_SKIP() << "no libdalembert_machine.so";
  const auto engine_with = [](const char* name) {
    setenv("DALEMBERT_ENGINE", name, 1);
    setenv("DALEMBERT_CACHE", "off", 1);
    Random random(1);
    return make_kernel(random_tape(random, 5, 50, true)).engine();
  };
  EXPECT_EXIT(std::exit(engine_with("machine") == Engine::machine ? 0 : 1),
              testing::ExitedWithCode(0), "");
  EXPECT_EXIT(std::exit(engine_with("interpreter") == Engine::interpreter ? 0 : 1),
              testing::ExitedWithCode(0), "");
}

TEST(Engines, LanesAreOneFourOrEight) {
  EXPECT_THROW(interpreted(Tape{}, 2), std::invalid_argument);
  EXPECT_THROW(make_kernel(Tape{}, {3, Engine::machine}), std::invalid_argument);
  EXPECT_THROW(make_kernel(Tape{}, {16, Engine::automatic}), std::invalid_argument);
}

TEST(Engines, CompilationStopsWhenItIsNoLongerWanted) {
  if (machine() == nullptr) GTEST_SKIP() << "no libdalembert_machine.so";
  setenv("DALEMBERT_CACHE", "off", 1);
  Random random(1);
  const std::atomic<bool> stop = true;
  EXPECT_EQ(machine_program(random_tape(random, 5, 50, true), 1, Level::good, stop), nullptr);
}

}  // namespace
}  // namespace dalembert::codegen::engines_test
