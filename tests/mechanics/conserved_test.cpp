/// What is found to be conserved: closed forms, and what must not be claimed.

#include "dalembert/mechanics/conserved.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dalembert/expr/algebra.hpp"
#include "dalembert/expr/print.hpp"
#include "setting_of.hpp"

namespace dalembert::mechanics::conserved_test {
namespace {

/// A particle of mass m in (x, y, z) with what is said further; it starts at (1/2, 1/4, 2).
std::unique_ptr<Prepared> particle(const std::string& potential, const std::string& further = "",
                                   const std::string& initial = "") {
  return prepared_text(fmt::format(
      "name = \"test\"\ncoordinates = [\"x\", \"y\", \"z\"]\n[parameters]\nm = 3\nk = 2\nc = 2\n"
      "[energy]\nkinetic = \"m*(x'^2 + y'^2 + z'^2)/2\"\npotential = \"{}\"\n{}\n"
      "[initial]\nx = 0.5\ny = 0.25\nz = 2\n{}",
      potential, further, initial));
}

std::string constraint(const std::string& equation) {
  return fmt::format("[[constraint]]\nname = \"c\"\nequation = \"{}\"\n", equation);
}

/// Everything that is proven, with what it is called: "momentum m*x'".
std::vector<std::string> found(const Prepared& p) {
  std::vector<std::string> result;
  for (const ConservedQuantity& quantity : find_conserved(p.setting()).proven)
    result.push_back(to_string(quantity.kind) + " " + expr::to_text(quantity.value));
  return result;
}

using Texts = std::vector<std::string>;
const std::string kinetic = "m*x'^2/2 + m*y'^2/2 + m*z'^2/2";

using Obstacle = EnergyObstacle::Kind;
using Why = std::vector<EnergyObstacle>;

TEST(Conserved, AFreeParticleKeepsSevenQuantities) {
  EXPECT_EQ(found(*particle("0")),
            (Texts{"energy " + kinetic, "momentum m*x'", "momentum m*y'", "momentum m*z'",
                   "angular momentum m*x*y' - m*y*x'", "angular momentum m*x*z' - m*z*x'",
                   "angular momentum m*y*z' - m*z*y'"}));
}

TEST(Conserved, ACyclicCoordinateIsNamed) {
  const auto p = particle("k*x^2 + c*y");
  const ConservedQuantities quantities = find_conserved(p->setting());
  ASSERT_EQ(quantities.proven.size(), 2u);
  EXPECT_EQ(quantities.proven[1].coordinate, 2u);
  EXPECT_EQ(quantities.energy, true);
}

TEST(Conserved, WhatHoldsForTheGivenParametersOnlyIsNotClaimed) {
  // k and c have the same value: so x^2 + y^2 is turned into itself, but only for these.
  EXPECT_EQ(found(*particle("k*x^2 + c*y^2 + z")).size(), 1u);
  EXPECT_EQ(found(*particle("k*x^2 + k*y^2 + z")).size(), 2u);
}

TEST(Conserved, AConstraintMustLetTheDirectionFree) {
  // Nothing acts along z but the constraint: its reaction.
  EXPECT_EQ(found(*particle("k*x^2", constraint("z = x"))),
            (Texts{"energy " + kinetic + " + k*x^2", "momentum m*y'"}));
  // Along x and z together it does not.
  EXPECT_EQ(found(*particle("0", constraint("z = x + 1.5"))),
            (Texts{"energy " + kinetic, "momentum m*y'", "momentum m*x' + m*z'",
                   "momentum m*y*x' - 2*m*x*y' + m*y*z'"}));  // about the normal of the plane
  // A knife edge lets no constant direction free but that of its own angle.
  EXPECT_EQ(found(*particle("0", constraint("x'*sin(z) = y'*cos(z)"))),
            (Texts{"energy " + kinetic, "momentum m*z'"}));
}

TEST(Conserved, WhatIsZeroOrTheSameOnTheConstraintsIsNotToldAgain) {
  // z p_x is conserved as well, where z = 2; z' is zero.
  EXPECT_EQ(found(*particle("k*y", constraint("z = k"))),
            (Texts{"energy " + kinetic + " + k*y", "momentum m*x'"}));
}

TEST(Conserved, NonIdealForcesCount) {
  const std::string edge = constraint("z = x + 1.5");
  EXPECT_EQ(found(*particle("0", edge + "[virtual_work]\ny = \"-y'\"\n")),
            (Texts{"momentum m*x' + m*z'"}));
  // Square to the velocity: it turns the motion and does no work.
  EXPECT_EQ(found(*particle("0", edge + "[virtual_work]\nx = \"y'\"\ny = \"-x'\"\n")),
            (Texts{"energy " + kinetic}));
}

TEST(Conserved, GyroscopicForcesDoNoWork) {
  EXPECT_EQ(found(*particle("k*z", "[forces]\nx = \"y'\"\ny = \"-x'\"\n")).front(),
            "energy " + kinetic + " + k*z");
}

TEST(Conserved, ForcesThatRestForTheGivenParametersAreNotJudged) {
  const auto p = particle("k*z", "[forces]\nx = \"-(k - c)*x'\"\n");
  EXPECT_FALSE(find_conserved(p->setting()).energy.has_value());
  EXPECT_EQ(find_conserved(p->setting()).why_not, (Why{{Obstacle::undecided}}));
}

TEST(Conserved, ForcesThatHaveAPotentialAreCounted) {
  EXPECT_EQ(found(*particle("0", "[forces]\nx = \"-k*y\"\ny = \"-k*x\"\nz = \"cos(t)\"\n")),
            (Texts{}));
  EXPECT_EQ(found(*particle("0", "[forces]\nx = \"-k*y\"\ny = \"-k*x\"\n")),
            (Texts{"energy " + kinetic + " + k*x*y", "momentum m*z'"}));
  EXPECT_EQ(find_conserved(particle("0", "[forces]\nx = \"-k*y\"\n")->setting()).energy, false);
}

TEST(Conserved, AModelGivenByItsMassMatrixKeepsItsEnergyToo) {
  const auto p = prepared_text(
      "name = \"polar\"\ncoordinates = [\"r\", \"phi\"]\nmass_matrix = [[1, 0], [0, \"r^2\"]]\n"
      "[forces]\nr = \"r*phi'^2 - r\"\nphi = \"-2*r*r'*phi'\"\n[initial]\nr = 1\n\"phi'\" = 1\n");
  EXPECT_EQ(found(*p), (Texts{"energy r'^2/2 + r^2*phi'^2/2 + r^2/2", "momentum r^2*phi'"}));
}

TEST(Conserved, AMotionThatIsPrescribedMayDoWork) {
  const ConservedQuantities driven =
      find_conserved(particle("0", constraint("z = 2 + t^2"))->setting());
  EXPECT_FALSE(driven.energy.has_value());
  EXPECT_EQ(driven.why_not, (Why{{Obstacle::constraint_moves, 0}}));
  const ConservedQuantities fast = find_conserved(
      particle("0", constraint("x'^2 + y'^2 = k"), "\"x'\" = \"sqrt(k)\"\n")->setting());
  EXPECT_EQ(fast.why_not, (Why{{Obstacle::constraint_not_homogeneous, 0}}));
  // Linear in the velocities without a term of its own, though t occurs: it does none.
  EXPECT_EQ(find_conserved(particle("0", constraint("z' = t*x'"))->setting()).energy, true);
}

TEST(Conserved, WhatTakesTooMuchEffortIsNotClaimed) {
  const auto p = prepared_model("rolling_disk");
  expr::Patience none;
  none.most = 10;
  for (const ConservedQuantity& quantity : find_conserved(p->setting(), none).proven)
    EXPECT_NE(quantity.kind, ConservedKind::momentum);  // h has nothing that is to be proven
}

}  // namespace
}  // namespace dalembert::mechanics::conserved_test
