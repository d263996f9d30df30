// What validation says of frictions and reactions that a program, or the reader of joints, adds.

#include <gtest/gtest.h>

#include "complaints_of.hpp"
#include "dalembert/model/system.hpp"

namespace dalembert::model::friction_test {
namespace {

using expr::multiplier;

Model slider() {
  System s("slider");
  auto [x, y] = s.coordinates("x", "y");
  s.kinetic(pow(dot(x), 2) + pow(dot(y), 2)).constrain("guide", y == 0);
  return s.model();
}

std::string complaints(const Friction& friction) {
  Model m = slider();
  m.frictions.push_back(friction);
  return complaint_lines(validate(m));
}

TEST(ValidateFriction, TakesALinearNormalForceAndADirection) {
  const Expr v = expr::coordinate("x", 1), x = expr::coordinate("x");
  EXPECT_EQ(complaints({"guide", {x * multiplier("guide") + 2}, {-v, Expr(0)}}), "");
}

TEST(ValidateFriction, SaysWhatIsWrong) {
  const Expr v = expr::coordinate("x", 1), N = multiplier("guide");
  const std::vector<Expr> direction{-v, Expr(0)};
  EXPECT_NE(complaints({"guide", {}, direction})
                .find("friction of joint 'guide': its normal force has 0 components instead of 1 "
                      "to 3"),
            std::string::npos);
  EXPECT_NE(complaints({"guide", {N}, {-v}})
                .find("friction of joint 'guide': its direction has 1 components instead of 2"),
            std::string::npos);
  EXPECT_NE(complaints({"guide", {pow(N, 2)}, direction})
                .find("friction of joint 'guide': its normal force is not linear in the "
                      "multipliers"),
            std::string::npos);
  EXPECT_NE(complaints({"guide", {multiplier("rail")}, direction})
                .find("friction of joint 'guide': unknown constraint 'rail' in a normal force"),
            std::string::npos);
  EXPECT_NE(complaints({"guide", {N}, {N, Expr(0)}}).find("the multiplier of 'guide' cannot stand"),
            std::string::npos);
}

TEST(ValidateReactions, HaveNamesOfTheirOwn) {
  Model m = slider();
  m.outputs.push_back({"guide_force", multiplier("guide")});
  m.reactions.push_back({"guide.fy", multiplier("guide")});
  EXPECT_EQ(complaint_lines(validate(m)), "");
  m.reactions.push_back({"guide.fy", multiplier("guide")});
  EXPECT_NE(complaint_lines(validate(m)).find("'guide.fy' is the name of an output already"),
            std::string::npos);
}

}  // namespace
}  // namespace dalembert::model::friction_test
