// Tapes iterated: the code for graphics processors, and the same on this one.
#include "dalembert/codegen/iterated.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "dalembert/codegen/elementary.hpp"
#include "dalembert/codegen/graphics.hpp"
#include "dalembert/codegen/kernel.hpp"
#include "dalembert/codegen/machine.hpp"

namespace dalembert::codegen::iterated_test {
namespace {

/// x -> p cos(x) + 0.25, n -> n + 1, until n is 40: registers 0.25 1 40 | p | x n | ...
Iterated cosine() {
  Iterated it;
  it.tape.constants = {0.25, 1, 40};
  it.tape.parameters = 1;
  it.tape.inputs = 2;
  it.tape.code = {{Operation::multiply, 3, 1},         // 6: p 1, before the loop
                  {Operation::cos, 4, 4},              // 7
                  {Operation::multiply_add, 6, 7, 0},  // 8
                  {Operation::add, 5, 1},              // 9
                  {Operation::subtract, 9, 2},         // 10
                  {Operation::subtract, 1, 1},         // 11: 0
                  {Operation::choose, 1, 11, 10}};     // 12
  it.tape.prologue = 1;
  it.tape.outputs = {8, 9, 12};
  return it;
}

TEST(Iterated, HasTheBitsOfTheTapeRunAgainAndAgain) {
  const Iterated it = cosine();
  auto iteration = iterate_here(it);
  if (!iteration) GTEST_SKIP() << iteration.error();
  constexpr std::size_t count = 100;
  std::vector<double> p(count), x(2 * count), status(count, 7);
  for (std::size_t s = 0; s < count; ++s) {
    p[s] = 0.5 + 0.01 * static_cast<double>(s);
    x[s] = 0.1 * static_cast<double>(s);
    x[count + s] = static_cast<double>(s % 30);  // some take longer than others
  }
  const std::vector<double> start = x;
  ASSERT_EQ((*iteration)->run(p, x, {}, status), std::nullopt);
  for (std::size_t s = 0; s < count; ++s) {
    double y = start[s], n = start[count + s];
    for (; n < 40; ++n) y = std::fma(p[s], sincos(y).cos, 0.25);
    EXPECT_EQ(std::memcmp(&y, &x[s], sizeof y), 0) << s << ": " << y << " " << x[s];
    EXPECT_EQ(x[count + s], 40);
    EXPECT_EQ(status[s], 1);
  }
}

TEST(Iterated, SaysWhereAnAngleIsTooLarge) {
  auto iteration = iterate_here(cosine());
  if (!iteration) GTEST_SKIP() << iteration.error();
  std::vector<double> p{1, 1e12, 1}, x{0, 0, 2e9, 0, 0, 0}, status(3);
  ASSERT_EQ((*iteration)->run(p, x, {}, status), std::nullopt);
  EXPECT_EQ(status, (std::vector<double>{1, status_of_large_angle, status_of_large_angle}));
}

/// While y >= 1: z = y; while z >= 4: z / 4; a row y z; y / 2. Registers 0.5 0.25 1 4 | x k | guard
/// y k, guard z | ...
Iterated halves() {
  Iterated it;
  it.tape.constants = {0.5, 0.25, 1, 4};
  it.tape.inputs = 7;
  it.tape.code = {{Operation::subtract, 4, 2},   // 11: x - 1, where the outer one is entered
                  {Operation::subtract, 7, 3},   // 12: the outer loop begins
                  {Operation::multiply, 10, 1},  // 13: the inner one
                  {Operation::subtract, 13, 3},  // 14
                  {Operation::multiply, 7, 0},   // 15: behind the inner one
                  {Operation::subtract, 15, 2},  // 16
                  {Operation::add, 8, 2}};       // 17
  it.variables = 5;
  it.loops = {{1, 7, 6, {{6, 11, 16}, {7, 4, 15}, {8, 5, 17}}, LoopRow{8, {7, 10}}},
              {2, 4, 9, {{9, 12, 14}, {10, 7, 13}}, std::nullopt}};
  it.tape.outputs = {7, 8, 2};
  it.demands = {{4, 3}};
  return it;
}

TEST(Iterated, LoopsWithinLoopsTurnAsOftenAsEachStartAsks) {
  const Iterated it = halves();
  ASSERT_EQ(it.size(), 2U);
  ASSERT_EQ(it.width(), 2U);
  auto iteration = iterate_here(it);
  if (!iteration) GTEST_SKIP() << iteration.error();
  constexpr std::size_t count = 4, most = 5;
  std::vector<double> x{0.5, 1, 4, 20, 0, 0, 0, 0}, status(count), rows(2 * most * count, -1);
  ASSERT_EQ((*iteration)->run({}, x, rows, status), std::nullopt);
  for (std::size_t s = 0; s < count; ++s) {
    double y = std::vector<double>{0.5, 1, 4, 20}[s];
    EXPECT_EQ(status[s], y <= 4 ? 1 : status_of_demand);
    std::size_t k = 0;
    for (; y >= 1; y /= 2, ++k) {
      double z = y;
      while (z >= 4) z /= 4;
      EXPECT_EQ(rows[2 * k * count + s], y);
      EXPECT_EQ(rows[(2 * k + 1) * count + s], z);
    }
    EXPECT_EQ(x[s], y);
    EXPECT_EQ(x[count + s], static_cast<double>(k));
    for (; k < most; ++k) EXPECT_EQ(rows[2 * k * count + s], -1) << "beyond the last turn";
  }
}

TEST(Iterated, IsTextForTheDriverOfGraphicsProcessorsWithEveryOperationRounded) {
  const Machine* maker = machine();
  if (maker == nullptr) GTEST_SKIP() << "without LLVM";
  const auto text = maker->ptx(cosine());  // null where LLVM's verifier objects
  ASSERT_TRUE(text);
  EXPECT_NE(text->find(".visible .entry iterate("), std::string::npos);
  EXPECT_NE(text->find(".target sm_70"), std::string::npos);
  EXPECT_NE(text->find("atom.global.add.u32"), std::string::npos) << *text;
  EXPECT_NE(text->find("fma.rn.f64"), std::string::npos);
  // Without .rn the driver's assembler would contract products and sums.
  for (const char* contracted : {"\tadd.f64", "\tsub.f64", "\tmul.f64", "div.full", "div.approx"})
    EXPECT_EQ(text->find(contracted), std::string::npos) << contracted;
  EXPECT_EQ(text->find("call"), std::string::npos);
  EXPECT_NE(text->find("ld.const.f64"), std::string::npos) << "constants stand in their bank";
  EXPECT_TRUE(maker->ptx(halves()));
}

TEST(Iterated, WhatOnlyALibraryKnowsIsNotWrittenOut) {
  Iterated it = cosine();
  EXPECT_TRUE(can_be_iterated(it.tape));
  it.tape.code[1].operation = Operation::table;
  EXPECT_FALSE(can_be_iterated(it.tape));
  it.tape.code[1].operation = Operation::exp;
  EXPECT_FALSE(can_be_iterated(it.tape));
  EXPECT_FALSE(iterate_here(it));
  if (machine() != nullptr) {
    EXPECT_FALSE(machine()->ptx(it));
  }
}

TEST(Iterated, WithoutAGraphicsProcessorThatIsSaid) {
  const auto iteration = iterate_on_graphics(cosine());
  if (iteration) GTEST_SKIP() << "there is one: " << iteration->front()->device();
  EXPECT_NE(iteration.error().find("graphics processor"), std::string::npos);
}

/// On a machine that has one: the same bits as here.
TEST(Iterated, OnAGraphicsProcessorHasTheSameBits) {
  auto there = iterate_on_graphics(cosine());
  auto here = iterate_here(cosine());
  if (!there || !here) GTEST_SKIP() << "no graphics processor to try it on";
  constexpr std::size_t count = 5000;
  std::vector<double> p(count), x(2 * count), status(count);
  for (std::size_t s = 0; s < count; ++s) {
    p[s] = 0.5 + 1e-3 * static_cast<double>(s);
    x[s] = 0.01 * static_cast<double>(s);
  }
  std::vector<double> y = x, other = status;
  ASSERT_EQ(there->front()->run(p, x, {}, status), std::nullopt);
  ASSERT_EQ((*here)->run(p, y, {}, other), std::nullopt);
  EXPECT_EQ(x, y);
  EXPECT_EQ(status, other);
}

}  // namespace
}  // namespace dalembert::codegen::iterated_test
