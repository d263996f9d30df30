#include "dalembert/study/statistic.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "dalembert/model/system.hpp"

namespace dalembert::study::statistic_test {
namespace {

motion::Motion bead() {
  model::System s("bead");
  const auto x = s.coordinate("x");
  s.kinetic(pow(expr::dot(x), 2) / 2);
  s.output("height", 2 * x);
  return motion::compile(s.model()).value();
}

std::string refusal(const std::string& text) {
  const std::vector<std::string> texts{text};
  const auto statistics = read_statistics(bead(), texts);
  EXPECT_FALSE(statistics) << text;
  return statistics ? "" : statistics.error().diagnostics.front().message;
}

TEST(Statistic, NamesAndColumns) {
  const std::vector<std::string> texts{"max(x)", " mean( x'' ) ", "final(height)",
                                       "rms(energy.kinetic)"};
  const auto statistics = read_statistics(bead(), texts);
  ASSERT_TRUE(statistics);
  const auto columns = sample_columns(bead());
  EXPECT_EQ(columns, (std::vector<std::string>{"t", "x", "x'", "x''", "ideal.x", "nonideal.x",
                                               "energy.kinetic", "energy.potential", "height"}));
  EXPECT_EQ((*statistics)[1].name, "mean(x'')");
  EXPECT_EQ(columns[(*statistics)[1].column], "x''");
  EXPECT_EQ((*statistics)[2].reduction, Reduction::final);
}

TEST(Statistic, Mistakes) {
  EXPECT_EQ(refusal("maxx(x)"), "--stat 'maxx(x)': no statistic 'maxx'; did you mean 'max'?");
  EXPECT_EQ(refusal("(x)"),
            "--stat '(x)': no statistic ''; there are min, max, mean, rms and final");
  EXPECT_EQ(refusal("max(hight)"),
            "--stat 'max(hight)': unknown quantity 'hight'; did you mean 'height'?");
  EXPECT_EQ(refusal("x"), "--stat 'x': expected min, max, mean, rms or final of something: max(x)");
  EXPECT_EQ(refusal(""), "--stat '': expected min, max, mean, rms or final of something: max(x)");
  EXPECT_NE(refusal("max()").find("unknown quantity ''"), std::string::npos);
  const std::vector<std::string> twice{"max(x)", "max( x )"};
  EXPECT_EQ(read_statistics(bead(), twice).error().diagnostics.front().message,
            "--stat 'max( x )': asked for twice");
}

double reduced(Reduction reduction, std::initializer_list<double> values) {
  Accumulator accumulator;
  for (const double x : values) accumulator.add(reduction, x);
  return accumulator.result(reduction);
}

TEST(Statistic, Reductions) {
  EXPECT_EQ(reduced(Reduction::min, {2, -1, 5}), -1);
  EXPECT_EQ(reduced(Reduction::max, {-2, -1, -5}), -1);
  EXPECT_EQ(reduced(Reduction::mean, {2, -1, 5}), 2);
  EXPECT_EQ(reduced(Reduction::rms, {3, 4, 0, 0}), 2.5);
  EXPECT_EQ(reduced(Reduction::final, {2, -1, 5}), 5);
  const double none = std::nan("");
  for (const Reduction r : {Reduction::min, Reduction::max, Reduction::mean, Reduction::rms}) {
    EXPECT_TRUE(std::isnan(reduced(r, {1, none, 2})));
    EXPECT_TRUE(std::isnan(reduced(r, {none, 1, 2})));
    EXPECT_TRUE(std::isnan(reduced(r, {})));
  }
}

}  // namespace
}  // namespace dalembert::study::statistic_test
