// A kernel becomes machine code while threads run it, and nobody can tell but by the time.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/codegen/machine.hpp"
#include "random_tape.hpp"

namespace dalembert::codegen::tiered_test {
namespace {

const std::vector<double> parameters{0.5, 1.5, -0.25};

class Tiered : public testing::Test {
 protected:
  void SetUp() override { setenv("DALEMBERT_CACHE", "off", 1); }

  static Kernel make(std::size_t size, int lanes = 1) {
    Random random(size);
    return make_kernel(random_tape(random, 10, size, false), {lanes, Engine::automatic});
  }

  /// Runs until the kernel is machine code, but not for ever; the outputs are the same all along.
  static void run_until_compiled(const Kernel& kernel, double input) {
    const auto W = static_cast<std::size_t>(kernel.lanes());
    Workspace workspace = kernel.workspace(parameters);
    const std::vector<double> in(kernel.inputs() * W, input);
    std::vector<double> out(kernel.outputs() * W);
    const std::vector<double> expected =
        performed(kernel.tape(), parameters, std::vector(kernel.inputs(), input));
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    for (int after = 0; after < 100;) {
      for (int repeat = 0; repeat < 100; ++repeat) kernel.evaluate(workspace, in, out);
      for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_TRUE(same_bits(out[i * W + W - 1], expected[i]));
      if (kernel.engine() == Engine::machine) ++after;
      ASSERT_LT(std::chrono::steady_clock::now(), give_up);
    }
  }
};

TEST_F(Tiered, StartsInterpretedAndBecomesMachineCode) {
  if (machine() == nullptr) GTEST_SKIP() << "no libdalembert_machine.so";
  const Kernel kernel = make(400);
  EXPECT_EQ(kernel.engine(), Engine::interpreter);
  run_until_compiled(kernel, 0.375);
}

TEST_F(Tiered, ManyThreadsRunItMeanwhile) {
  if (machine() == nullptr) GTEST_SKIP() << "no libdalembert_machine.so";
  // The second is long enough for quick code first.
  for (const std::size_t size : {300U, 4000U}) {
    const Kernel kernel = make(size);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&kernel, t] { run_until_compiled(kernel, 0.1 * t); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(kernel.engine(), Engine::machine);
  }
}

TEST_F(Tiered, LanesToo) {
  if (machine() == nullptr) GTEST_SKIP() << "no libdalembert_machine.so";
  if (widest_lanes() < 4) GTEST_SKIP() << "no vectors on this machine";
  run_until_compiled(make(400, widest_lanes()), 0.25);
}

TEST_F(Tiered, KernelsMayGoWhileTheyAreCompiled) {
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Kernel kernel = make(3000 + 500 * static_cast<std::size_t>(repeat % 3));
    Workspace workspace = kernel.workspace(parameters);
    std::vector<double> out(kernel.outputs());
    const std::vector<double> in(kernel.inputs(), 0.5);
    const Kernel copy = kernel;  // shares the program
    const std::vector<double> expected = performed(kernel.tape(), parameters, in);
    for (int run = 0; run <= 100 * repeat; ++run) {
      copy.evaluate(workspace, in, out);
      ASSERT_TRUE(std::equal(out.begin(), out.end(), expected.begin(), same_bits)) << repeat;
    }
  }
}

TEST_F(Tiered, WorkspaceMovesFromInterpreterToMachineCode) {
  if (machine() == nullptr) GTEST_SKIP() << "no libdalembert_machine.so";
  const Kernel kernel = make(500);
  Workspace early = kernel.workspace(parameters);
  run_until_compiled(kernel, 0.5);
  std::vector<double> out(kernel.outputs());
  const std::vector<double> in(kernel.inputs(), -0.7);
  kernel.evaluate(early, in, out);
  const std::vector<double> expected = performed(kernel.tape(), parameters, in);
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_TRUE(same_bits(out[i], expected[i]));
}

TEST_F(Tiered, ManyThreadsMayCompileAtOnce) {
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      Random random(t);
      for (int repeat = 0; repeat < 3; ++repeat) {
        const Kernel kernel = make_kernel(random_tape(random, 10, 200, true), {1, Engine::machine});
        Workspace workspace = kernel.workspace(parameters);
        const std::vector<double> in = random_values(random, kernel.inputs());
        std::vector<double> out(kernel.outputs());
        kernel.evaluate(workspace, in, out);
        const std::vector<double> expected = performed(kernel.tape(), parameters, in);
        for (std::size_t i = 0; i < out.size(); ++i) EXPECT_TRUE(same_bits(out[i], expected[i]));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

using TieredDeathTest = Tiered;

TEST_F(TieredDeathTest, ChildrenOfTheProcessMayEnd) {
  if (machine() == nullptr) GTEST_SKIP() << "no libdalembert_machine.so";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const Kernel kernel = make(400);
        run_until_compiled(kernel, 0.5);
        const pid_t child = fork();
        if (child == 0) std::exit(3);
        int status = 0;
        waitpid(child, &status, 0);
        std::exit(WIFEXITED(status) ? WEXITSTATUS(status) + 4 : 1);
      },
      testing::ExitedWithCode(7), "");
}

/// Ends a process that was forked, or has been. The leak checker takes what threads of its parent
/// held for lost.
[[noreturn]] void end(int status) {
#ifdef DALEMBERT_SANITIZED
  std::_Exit(status);
#else
  std::exit(status);
#endif
}

/// Exit status 7 if a child, forked when `before` is done, compiles a kernel of its own and those
/// of the process, and ends; a child that hangs is ended by a signal.
void expect_child_compiles(const std::function<void(const Kernel&)>& before,
                           const std::function<Kernel()>& make_kernel,
                           const std::function<void(const Kernel&)>& compile) {
  const Kernel kernel = make_kernel();
  before(kernel);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    compile(kernel);
    compile(make_kernel());
    end(testing::Test::HasFailure() ? 1 : 3);
  }
  int status = 0;
  waitpid(child, &status, 0);
  compile(kernel);
  end(WIFEXITED(status) ? WEXITSTATUS(status) + 4 : 1);
}

TEST_F(TieredDeathTest, ChildrenCompileWhateverTheThreadWasDoing) {
  if (machine() == nullptr) GTEST_SKIP() << "no libdalembert_machine.so";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto compile = [](const Kernel& kernel) { run_until_compiled(kernel, 0.5); };
  // Before a thread is there, while it is idle, and while it compiles the kernel.
  EXPECT_EXIT(expect_child_compiles([](const Kernel&) {}, [] { return make(400); }, compile),
              testing::ExitedWithCode(7), "");
  EXPECT_EXIT(expect_child_compiles(
                  compile, [] { return make(400); }, compile),
              testing::ExitedWithCode(7), "");
  for (const int runs : {2000, 4000, 8000}) {
    const auto begin = [runs](const Kernel& kernel) {
      Workspace workspace = kernel.workspace(parameters);
      for (int run = 0; run < runs && kernel.engine() == Engine::interpreter; ++run)
        kernel.run(workspace);
    };
    EXPECT_EXIT(expect_child_compiles(
                    begin, [] { return make(8000); }, compile),
                testing::ExitedWithCode(7), "");
  }
}

TEST_F(TieredDeathTest, ProcessMayEndWhileItCompiles) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const int runs : {6000, 7000, 10000}) {
    EXPECT_EXIT(
        {
          const Kernel kernel = make(20000);
          Workspace workspace = kernel.workspace(parameters);
          for (int run = 0; run < runs; ++run) kernel.run(workspace);
          std::exit(7);
        },
        testing::ExitedWithCode(7), "");
  }
}

}  // namespace
}  // namespace dalembert::codegen::tiered_test
