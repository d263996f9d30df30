#include "dalembert/study/variation.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace dalembert::study::variation_test {
namespace {

expr::Result<double, expr::ParseError> number(std::string_view text) {
  const auto none = [](std::string_view name, int) -> expr::Result<expr::Expr, std::string> {
    return expr::Failure{"unknown name '" + std::string(name) + "'"};
  };
  const auto parsed = expr::parse(text, none);
  if (!parsed) return expr::Failure{parsed.error()};
  return expr::to_double(parsed->value());
}

Variation read(const std::string& text) {
  auto variation = read_variation(text, number);
  EXPECT_TRUE(variation) << text;
  return variation ? *variation : Variation{};
}

/// The sentence behind the option, and the columns of the carets.
struct Complaint {
  std::string message;
  std::size_t begin = 0, end = 0;
};

Complaint complaint(const std::string& text) {
  const auto variation = read_variation(text, number);
  EXPECT_FALSE(variation) << text;
  if (variation) return {};
  const model::Diagnostic& d = variation.error();
  const std::string& carets = d.details[1];
  return {d.message.substr(d.message.find("': ") + 3), carets.find('^') - 4, carets.size() - 4};
}

TEST(Variation, ListsAndRangesGiveTheirValues) {
  const Variation list = read("m = [1, 1/2 ,-3e2]");
  EXPECT_EQ(list.name, "m");
  EXPECT_EQ(list.values, (std::vector<double>{1, 0.5, -300}));
  const Variation line = read("theta'=linspace(2, -1, 4)");
  EXPECT_EQ(line.name, "theta'");
  for (std::uint64_t i = 0; i < 4; ++i) EXPECT_EQ(grid_value(line, i), 2 - static_cast<double>(i));
  const Variation log = read("m=logspace(1/10, 1000, 5)");
  for (std::uint64_t i = 0; i < 5; ++i)
    EXPECT_NEAR(std::log10(grid_value(log, i)), static_cast<double>(i) - 1, 1e-15);
  EXPECT_EQ(grid_value(log, 0), 0.1);
  EXPECT_EQ(grid_value(log, 4), 1000);
  EXPECT_EQ(grid_value(read("m=linspace(3, 4, 1)"), 0), 3);
}

TEST(Variation, TheFirstOneIsTheSlowestOfTheGrid) {
  const std::vector<Variation> all{read("a=[1,2]"), read("b=uniform(0,1)"), read("c=[10,20,30]")};
  EXPECT_EQ(grid_size(all), 6);
  for (std::uint64_t run = 0; run < 12; ++run) {
    std::vector<double> values(3);
    values_of_run(all, 5, run, values);
    EXPECT_EQ(values[0], run % 6 < 3 ? 1 : 2);
    EXPECT_EQ(values[2], 10 * static_cast<double>(run % 3 + 1));
    EXPECT_EQ(values[1], drawn_value(all[1], 5, run, 1));
  }
}

TEST(Variation, DrawsStayInTheirRangeAndBelongToTheirRun) {
  const Variation flat = read("a=uniform(-2, 3)");
  const Variation log = read("a=loguniform(1e-3, 1e3)");
  const Variation bell = read("a=normal(10, 2)");
  double sum = 0, sum_of_logs = 0, sum_of_squares = 0;
  const int runs = 20000;
  for (std::uint64_t run = 0; run < runs; ++run) {
    const double x = drawn_value(flat, 1, run, 0);
    const double y = drawn_value(log, 1, run, 0);
    const double z = drawn_value(bell, 1, run, 0);
    ASSERT_TRUE(-2 <= x && x <= 3 && 1e-3 <= y && y <= 1e3);
    sum += x;
    sum_of_logs += std::log10(y);
    sum_of_squares += (z - 10) * (z - 10);
  }
  // Within 5 standard deviations of the mean of so many draws.
  const double root = std::sqrt(static_cast<double>(runs));
  EXPECT_NEAR(sum / runs, 0.5, 5 * 5 / std::sqrt(12.0) / root);
  EXPECT_NEAR(sum_of_logs / runs, 0, 5 * 6 / std::sqrt(12.0) / root);
  EXPECT_NEAR(sum_of_squares / runs, 4, 5 * 4 * std::sqrt(2.0) / root);
  EXPECT_NE(drawn_value(flat, 1, 7, 0), drawn_value(flat, 2, 7, 0));
  EXPECT_NE(drawn_value(flat, 1, 7, 0), drawn_value(flat, 1, 7, 1));
}

TEST(Variation, TheSameVariationHasTheSameText) {
  EXPECT_EQ(to_string(read("m=[ 1,2 ]")), "m = [1, 2]");
  EXPECT_EQ(to_string(read("m=[0.1]")), "m = [0.1]");
  EXPECT_EQ(to_string(read("x'=uniform( 1/4,2)")), "x' = uniform(0.25, 2)");
  EXPECT_EQ(to_string(read("m=logspace(1,10,3)")), "m = logspace(1, 10, 3)");
}

TEST(Variation, MistakesAreShownWhereTheyAre) {
  const auto expect = [](const std::string& text, const std::string& message, std::size_t begin,
                         std::size_t end) {
    const Complaint found = complaint(text);
    EXPECT_EQ(found.message, message) << text;
    EXPECT_EQ(found.begin, begin) << text;
    EXPECT_EQ(found.end, end) << text;
  };
  expect("a=unifrom(0, 1)", "no distribution 'unifrom'; did you mean 'uniform'?", 2, 9);
  expect("a=[]", "the list is empty", 2, 4);
  expect("a=[1, , 2]", "a number is missing here", 6, 7);
  expect("a=[1, 2", "'[' is never closed", 2, 3);
  expect("a=[1] 2", "nothing may follow the list", 5, 7);
  expect("a=uniform(2, 1)", "the range is empty: 2 is more than 1", 10, 14);
  expect("a=uniform(1, 1)", "the range from 1 to 1 is empty", 10, 14);
  expect("a=linspace(1, 1, 3)", "the range from 1 to 1 is empty", 11, 15);
  expect("a=linspace(1, 2, 0)", "the number of values must be a whole number from 1 to 1000000000",
         17, 18);
  expect("a=linspace(1, 2, 2.5)",
         "the number of values must be a whole number from 1 to 1000000000", 17, 20);
  expect("a=logspace(-1, 2, 3)", "both ends must be positive: they have logarithms", 11, 16);
  expect("a=loguniform(0, 2)", "both ends must be positive: they have logarithms", 13, 17);
  expect("a=normal(0, -1)", "a standard deviation must not be negative", 12, 14);
  expect("a=uniform(1)", "uniform takes 2 numbers, not 1: uniform(a, b)", 2, 12);
  expect("a=uniform(0, b)", "unknown name 'b'", 13, 14);
  expect("a=3",
         "expected a list as in [1, 2, 3], or linspace(a, b, n), logspace(a, b, n), uniform(a, "
         "b), loguniform(a, b), normal(mean, sd)",
         2, 3);
  expect("theta", "expected NAME=VALUES, as in theta=uniform(0.8, 1.4)", 0, 5);
  expect("=[1]", "expected NAME=VALUES, as in theta=uniform(0.8, 1.4)", 0, 4);
}

TEST(Variation, CaretsCountCharactersAndLongTextsAreCut) {
  EXPECT_EQ(complaint("φφ=[1, β]").begin, 7);
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "1, ";
  const Complaint far = complaint("a=[" + many + "oops]");
  EXPECT_EQ(far.message, "unknown name 'oops'");
  EXPECT_LT(far.end, 200);
}

}  // namespace
}  // namespace dalembert::study::variation_test
