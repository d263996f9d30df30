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
  ASSERT_EQ((*iteration)->run(p, x, status), std::nullopt);
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
  ASSERT_EQ((*iteration)->run(p, x, status), std::nullopt);
  EXPECT_EQ(status, (std::vector<double>{1, status_of_large_angle, status_of_large_angle}));
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
}

TEST(Iterated, WhatOnlyALibraryKnowsIsNotWrittenOut) {
  Iterated it = cosine();
  EXPECT_TRUE(can_be_iterated(it.tape));
  it.tape.code[1].operation = Operation::exp;
  EXPECT_FALSE(can_be_iterated(it.tape));
  EXPECT_FALSE(iterate_here(it));
  if (machine() != nullptr) {
    EXPECT_FALSE(machine()->ptx(it));
  }
}

TEST(Iterated, WithoutAGraphicsProcessorThatIsSaid) {
  const auto iteration = iterate_on_graphics(cosine());
  if (iteration) GTEST_SKIP() << "there is one: " << (*iteration)->device();
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
  ASSERT_EQ((*there)->run(p, x, status), std::nullopt);
  ASSERT_EQ((*here)->run(p, y, other), std::nullopt);
  EXPECT_EQ(x, y);
  EXPECT_EQ(status, other);
}

}  // namespace
}  // namespace dalembert::codegen::iterated_test
