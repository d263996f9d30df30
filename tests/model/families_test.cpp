// Families of coordinates, indexed statements and sums: what is written with indices is the same
// model as what is written out by hand.
#include <dalembert/model/draft.hpp>
#include <dalembert/model/edit.hpp>
#include <dalembert/model/system.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "complaints_of.hpp"
#include "facts_of.hpp"

namespace dalembert::model::families_test {
namespace {

std::string facts_of_text(const std::string& text) {
  const auto model = read_model_text(text, "model.toml");
  return model ? fmt::format("{}", fmt::join(facts_of(*model), "\n"))
               : "refused: " + complaint_lines(model.error().diagnostics);
}

/// A chain of n masses and springs with everything that may have an index, and by hand.
constexpr std::string_view indexed = R"toml(name = "chain"
coordinates = ["y", "x[1..n]"]
[sizes]
n = 4
[parameters]
"m[i = 1..n]" = "1 + i/10"
k = 3
[let]
"gap[1]" = "x[1]"
"gap[i = 2..n]" = "x[i] - x[i-1]"
"p[i = 1..n]" = ["x[i]", "i", 0]
[energy]
kinetic = "y'^2 + sum(i = 1..n, m[i]*x[i]'^2)/2"
potential = "k*sum(i = 1..n, gap[i]^2)/2 + sum(i = 1..2, j = i..2, i*j*x[i]*x[j])"
[forces]
"x[i]" = "-0.1*i*x[i]'"
[virtual_work]
"x[1..2]" = "x[1]'"
[[constraint]]
for = "i = 1..n-1"
name = "link [i]"
equation = "x[i+1]' - x[i]' = i*y'"
[outputs]
"stretch[i = 1..n]" = "gap[i]"
last = "ideal.x[n] + p[2].y"
[initial]
"x[i]" = "i/10"
"x[2..n]'" = 0.5
adjust = "nearest"
hold = ["x[1..2]'"]
)toml";

constexpr std::string_view by_hand = R"toml(name = "chain"
coordinates = ["y", "x1", "x2", "x3", "x4"]
[parameters]
m1 = "1 + 1/10"
m2 = "1 + 2/10"
m3 = "1 + 3/10"
m4 = "1 + 4/10"
k = 3
[let]
gap1 = "x1"
gap2 = "x2 - x1"
gap3 = "x3 - x2"
gap4 = "x4 - x3"
p1 = ["x1", 1, 0]
p2 = ["x2", 2, 0]
p3 = ["x3", 3, 0]
p4 = ["x4", 4, 0]
[energy]
kinetic = "y'^2 + (m1*x1'^2 + m2*x2'^2 + m3*x3'^2 + m4*x4'^2)/2"
potential = "k*(gap1^2 + gap2^2 + gap3^2 + gap4^2)/2 + (x1^2 + 2*x1*x2 + 4*x2^2)"
[forces]
x1 = "-0.1*x1'"
x2 = "-0.1*2*x2'"
x3 = "-0.1*3*x3'"
x4 = "-0.1*4*x4'"
[virtual_work]
x1 = "x1'"
x2 = "x1'"
[[constraint]]
name = "link 1"
equation = "x2' - x1' = y'"
[[constraint]]
name = "link 2"
equation = "x3' - x2' = 2*y'"
[[constraint]]
name = "link 3"
equation = "x4' - x3' = 3*y'"
[outputs]
stretch1 = "gap1"
stretch2 = "gap2"
stretch3 = "gap3"
stretch4 = "gap4"
last = "ideal.x4 + p2.y"
[initial]
x1 = "1/10"
x2 = "2/10"
x3 = "3/10"
x4 = "4/10"
"x2'" = 0.5
"x3'" = 0.5
"x4'" = 0.5
adjust = "nearest"
hold = ["x1'", "x2'"]
)toml";

TEST(Families, AreTheModelWrittenOutByHand) {
  EXPECT_EQ(facts_of_text(std::string(indexed)), facts_of_text(std::string(by_hand)));
}

TEST(Families, SurviveWritingAndReading) {
  const auto draft = read_draft_text(std::string(indexed), "model.toml");
  ASSERT_TRUE(draft);
  const auto text = to_toml(*draft);
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("\"x[1..n]\""), std::string::npos) << *text;
  EXPECT_NE(text->find("for = \"i = 1..n-1\""), std::string::npos) << *text;
  EXPECT_EQ(facts_of_text(*text), facts_of_text(std::string(by_hand)));
  EXPECT_EQ(*to_toml(*read_draft_text(*text, "model.toml")), *text);
}

TEST(Families, BodiesJointsAndSpringsAreTheChainOfTheModels) {
  std::ifstream file(std::string(DALEMBERT_MODELS) + "/chain.toml");
  const std::string chain{std::istreambuf_iterator<char>(file), {}};
  // The same coordinates in the same order, then the bodies and joints of the file in a few lines.
  const std::size_t bodies = chain.find("[[body]]");
  const std::string text = chain.substr(0, bodies) + R"toml([[body]]
for = "i = 1..8"
name = "link[i]"
mass = "m"
inertia = ["m*l^2/1200", "m*l^2/12", "m*l^2/12"]
position = ["x[i]", "y[i]", "z[i]"]
orientation = { quaternion = ["a[i]", "b[i]", "c[i]", "d[i]"] }

[[joint]]
name = "joint1"
type = "ball"
bodies = ["ground", "link[1]"]
points = [[0, 0, 0], ["-l/2", 0, 0]]

[[joint]]
for = ["i = 2..8"]
name = "joint[i]"
type = "ball"
bodies = ["link[i-1]", "link[i]"]
points = [["l/2", 0, 0], ["-l/2", 0, 0]]

[initial]
"x[k = 1..8]" = "(2*k - 1)*l/2"
"y[k = 1..8]'" = "w*x[k]"
"d[k = 1..8]'" = "w/2"
)toml" + chain.substr(chain.find("\n[simulation]"));
  EXPECT_EQ(facts_of_text(text), facts_of_text(chain));
}

TEST(Families, AFreeInitialValueOfAMemberLeavesTheOthers) {
  const auto model = read_model_text(std::string(indexed), "model.toml");
  ASSERT_TRUE(model);
  const Model free = with_free_initial_values(*model, std::vector<std::string>{"x2"});
  EXPECT_EQ(free.parameters.back().name, "x2_start");
  EXPECT_EQ(facts_of_text(*to_toml(*free.draft)).find("refused"), std::string::npos);
  EXPECT_TRUE(expr::same(free.initial.q[3].expr, model->initial.q[3].expr));
}

TEST(Families, AProgramNamesItsMembersTheSameWay) {
  System s("chain");
  const std::vector<Expr> x = s.family("x", 1, 3);
  ASSERT_EQ(x.size(), 3U);
  Expr T = 0;
  for (const Expr& one : x) T += pow(dot(one), 2) / 2;
  s.kinetic(T);
  const auto read = read_model_text(
      "name = \"chain\"\ncoordinates = [\"x[1..3]\"]\n[energy]\nkinetic = \"sum(i = 1..3, "
      "x[i]'^2/2)\"\n",
      "model.toml");
  ASSERT_TRUE(read);
  EXPECT_EQ(facts_of(s.model()), facts_of(*read));
}

TEST(Families, AreRemovedAndRenamedByTheirName) {
  auto draft = *read_draft_text(std::string(indexed), "model.toml");
  EXPECT_TRUE(rename(draft, Part::coordinate, "x", "u"));
  EXPECT_TRUE(rename(draft, Part::let, "gap", "slack"));
  EXPECT_FALSE(rename(draft, Part::coordinate, "x3", "v"));
  std::string expected(by_hand);
  for (const auto& [from, to] : {std::pair{"x", "u"}, std::pair{"gap", "slack"}}) {
    for (int i = 1; i <= 4; ++i) {
      const std::string name = fmt::format("{}{}", from, i), other = fmt::format("{}{}", to, i);
      for (std::size_t at = 0; (at = expected.find(name, at)) != std::string::npos;)
        expected.replace(at, name.size(), other);
    }
  }
  EXPECT_EQ(facts_of_text(*to_toml(draft)), facts_of_text(expected));
  EXPECT_TRUE(remove(draft, Part::output, "stretch"));
  EXPECT_EQ(draft.outputs.size(), 1U);
}

const std::string six = "coordinates = [\"th[1..6]\", \"z\"]\n[energy]\n";

TEST(Families, WhatIsWrongWithAnIndexIsToldAtItsPlace) {
  const auto kinetic = [](const std::string& text) {
    return complaints_of(six + "kinetic = \"" + text + "\"\n");
  };
  EXPECT_EQ(kinetic("th[7]'^2"), "3:12+5 th[7]: the family th goes from 1 to 6\n");
  EXPECT_EQ(kinetic("sum(i = 1..6, th[i+1]'^2)"), "3:26+7 th[7]: the family th goes from 1 to 6\n");
  EXPECT_EQ(kinetic("th[-1]'^2"), "3:12+6 th[-1]: the family th goes from 1 to 6\n");
  EXPECT_EQ(kinetic("th[1, 2]'^2"), "3:12+8 th[1, 2]: the family th has 1 index\n");
  EXPECT_EQ(kinetic("ht[1]'^2"), "3:12+5 ht[1]: there is no family 'ht'; did you mean 'th'?\n");
  EXPECT_EQ(
      kinetic("th[i]'^2"),
      "3:12+5 'i' is not an index here; 'for' and 'sum' give one its range, as in i = 1..6\n");
  EXPECT_EQ(kinetic("th[1.5]'^2"), "3:15+2 an index is a whole number\n");
  EXPECT_EQ(kinetic("th[1'^2"), "3:14+3 '[' is not closed after the index\n");
  EXPECT_EQ(kinetic("sum(th[1]', i = 1..6)"),
            "3:12+21 'sum' begins with its index: sum(i = 1..6, m*x[i]^2)\n");
  EXPECT_EQ(kinetic("sum(i = 1..6)"),
            "3:16+8 the terms of a sum follow its ranges: sum(i = 1..6, m*x[i]^2)\n");
  EXPECT_EQ(kinetic("sum(i = 1..6, th[i]'^2"), "3:15+1 '(' is never closed\n");
  EXPECT_EQ(kinetic("sum(i = 6..1, th[i]'^2)"), "3:20+4 the range goes from 6 to 1, backwards\n");
  EXPECT_EQ(kinetic("sum(z = 1..6, th[z]'^2)"),
            "3:16+1 'z' is the name of a coordinate and cannot be that of an index\n");
  EXPECT_EQ(kinetic("sum(th2 = 1..6, th[th2]'^2)"),
            "3:16+3 'th2' is a member of the family 'th' and cannot be the name of an index\n");
  EXPECT_EQ(kinetic("sum(th7 = 1..6, th[th7]'^2)"), "");
  EXPECT_EQ(kinetic("sum(i = 1..2, sum(i = 1..2, i*z'^2))"), "3:30+1 'i' is an index already\n");
  EXPECT_EQ(kinetic("sum(i = 1..2, i'*z'^2)"), "3:26+2 'i' is an index, a number\n");
  // What the parser finds is told at the place in the text, once for all terms.
  EXPECT_EQ(kinetic("sum(i = 1..6, th[i]'^2 + wrong*i)"), "3:37+5 unknown name 'wrong'\n");
}

TEST(Families, ASizeDoesNotHideAMember) {
  EXPECT_EQ(complaints_of("coordinates = [\"x[1..2]\"]\n[sizes]\nx1 = 3\n[energy]\n"
                          "kinetic = \"x[1]'^2 + x[2]'^2\"\n"),
            "3:1+2 'x1' is a member of the family 'x' and cannot be the name of an index\n");
}

TEST(Families, WhatIsWrongWithARangeOrAKeyIsToldAtIt) {
  const std::string good = six + "kinetic = \"sum(i = 1..6, th[i]'^2)\"\n";
  EXPECT_EQ(complaints_of(good + "[forces]\n\"th[7]\" = 1\n"),
            "5:1+7 th[7]: the family th goes from 1 to 6\n");
  EXPECT_EQ(complaints_of(good + "[let]\n\"x[i]\" = 1\n"),
            "5:1+6 give the range of i, as in x[i = 1..6]\n");
  EXPECT_EQ(complaints_of(good + "[[constraint]]\nfor = \"1..5\"\nequation = \"z = 0\"\n"),
            "5:8+4 a range for a statement names its index: for = \"i = 1..6\"\n");
  EXPECT_EQ(complaints_of(good + "[[constraint]]\nfor = 5\nequation = \"z = 0\"\n"),
            "5:7+1 expected a range such as \"i = 1..6\", found a number\n");
  EXPECT_EQ(complaints_of(good + "[[constraint]]\nfor = \"i = 1..5\"\nname = \"a\"\n"
                                 "equation = \"th[i] = i\"\n"),
            "6:9+1 'a' is already the name of a constraint (line 6)\n"
            "6:9+1 'a' is already the name of a constraint (line 6)\n"
            "6:9+1 'a' is already the name of a constraint (line 6)\n"
            "6:9+1 'a' is already the name of a constraint (line 6)\n");
  EXPECT_EQ(complaints_of(good + "[initial]\n\"th[i]\" = 0\n\"th[2]\" = 1\n"),
            "6:1+7 the initial value of th2 is given twice\n");
  EXPECT_EQ(complaints_of(good + "[sizes]\nn = 2.5\n"),
            "5:5+3 the size 'n' must be a whole number from 0 to 1000000\n");
  EXPECT_EQ(
      complaints_of("coordinates = [\"th[1..3]\", \"th2\"]\n[energy]\nkinetic = \"th2'^2\"\n"),
      "1:29+3 'th2' is already the name of a coordinate (line 1)\n");
}

TEST(Families, SmallTextsDoNotMakeEndlessModels) {
  EXPECT_EQ(
      complaints_of("coordinates = [\"x[1..1000000000]\"]\n[energy]\nkinetic = \"x[1]'^2\"\n"),
      "1:17+16 the range has 1000000000 members; at most 10000 are allowed\n");
  EXPECT_EQ(complaints_of(six + "kinetic = \"sum(i = 1..1000000000, z'^2)\"\n"),
            "3:20+13 the range has 1000000000 members; at most 10000 are allowed\n");
  const std::string nested = "kinetic = \"sum(i = 1..10000, j = 1..10000, k = 1..10000, z'^2)\"\n";
  EXPECT_EQ(complaints_of(six + nested),
            "3:57+5 too long once its sums and indices are written out\n");
  EXPECT_EQ(
      complaints_of(six + "kinetic = \"z'^2\"\n[[constraint]]\nfor = [\"i = 1..10000\", \"j = "
                          "1..10000\"]\nequation = \"z = i*j\"\n"),
      "5:9+12 the model is too long once its families, sums and indices are written out\n");
  EXPECT_EQ(complaints_of(six + "kinetic = \"z'^2 + th[999999999999]\"\n"),
            "3:22+9 an index of too many digits\n");
  std::string deep = "z'";
  for (int i = 0; i < 40; ++i) deep = fmt::format("sum(i{} = 1..1, {})", i, deep);
  EXPECT_EQ(complaints_of(six + "kinetic = \"" + deep + "\"\n").substr(0, 2), "3:");
}

TEST(Families, AnEmptySumIsZero) {
  EXPECT_EQ(facts_of_text(six + "kinetic = \"z'^2 + sum(i = 1..0, th[i]'^2)\"\n"),
            facts_of_text(six + "kinetic = \"z'^2\"\n"));
}

}  // namespace
}  // namespace dalembert::model::families_test
