#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <dalembert/expr/suggest.hpp>

#include <algorithm>
#include <vector>

namespace dalembert::expr::suggest_test {
namespace {

TEST(EditDistance, CountsInsertDeleteReplaceAndSwap) {
  EXPECT_EQ(edit_distance("phi", "phi"), 0u);
  EXPECT_EQ(edit_distance("phi", "phy"), 1u);
  EXPECT_EQ(edit_distance("phi", "ph"), 1u);
  EXPECT_EQ(edit_distance("phi", "phii"), 1u);
  EXPECT_EQ(edit_distance("phi", "pih"), 1u);
  EXPECT_EQ(edit_distance("coupelr", "coupler"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("", ""), 0u);
}

TEST(EditDistance, CountsCharactersNotBytes) {
  EXPECT_EQ(edit_distance("φ", "θ"), 1u);
  EXPECT_EQ(edit_distance("φ1", "φ"), 1u);
  EXPECT_EQ(edit_distance("aφ", "φa"), 1u);
}

TEST(EditDistance, IsSymmetricAndBoundedByTheLongerWord) {
  EXPECT_TRUE(rc::check("random byte strings", [](const std::string& a, const std::string& b) {
    RC_ASSERT(edit_distance(a, b) == edit_distance(b, a));
    RC_ASSERT(edit_distance(a, b) <= std::max(a.size(), b.size()));
    RC_ASSERT((edit_distance(a, b) == 0) == (a == b));
  }));
}

TEST(Nearest, IsWithinAThirdOfTheLength) {
  const std::vector<std::string> names = {"theta", "coupler", "phi", "x"};
  EXPECT_EQ(nearest("phy", names), "phi");
  EXPECT_EQ(nearest("thetta", names), "theta");
  EXPECT_EQ(nearest("cuopelr", names), "coupler");
  EXPECT_EQ(nearest("crank", names), "");
  EXPECT_EQ(nearest("zeta", names), "");
}

TEST(Nearest, ReplacesNoWholeWord) {
  const std::vector<std::string> names = {"x"};
  EXPECT_EQ(nearest("y", names), "");
}

TEST(Nearest, TiesGoToTheFirst) {
  const std::vector<std::string> names = {"x1", "x2"};
  EXPECT_EQ(nearest("x3", names), "x1");
}

TEST(DidYouMean, IsTheEndOfASentence) {
  const std::vector<std::string> names = {"phi"};
  EXPECT_EQ(did_you_mean("phy", names), "; did you mean 'phi'?");
  EXPECT_EQ(did_you_mean("omega", names), "");
}

}  // namespace
}  // namespace dalembert::expr::suggest_test
