// How a complaint looks.
#include <dalembert/model/diagnostic.hpp>

#include <gtest/gtest.h>

#include <string>

namespace dalembert::model::diagnostic_test {
namespace {

std::string shown(const std::string& text, Location where, const std::string& message = "wrong") {
  return to_string({std::make_shared<const Source>(Source{"a.toml", text}), {{message, where}}});
}

TEST(Diagnostic, TheExampleOfTheContractIsPrintedToTheLetter) {
  std::string text(13, '\n');
  text += "kinetic = \"m*(x'^2 + y'^2) + m*l^2*phy'^2/2\"\n";
  const ModelError error{std::make_shared<const Source>(Source{"dumbbell.toml", text}),
                         {{"unknown name 'phy'; did you mean 'phi'?", {14, 36, 3}}}};
  EXPECT_EQ(to_string(error),
            "dumbbell.toml:14:36: error: unknown name 'phy'; did you mean 'phi'?\n"
            "   14 | kinetic = \"m*(x'^2 + y'^2) + m*l^2*phy'^2/2\"\n"
            "      |                                    ^^^\n");
}

TEST(Diagnostic, WithoutAPlaceOrASourceOnlyTheSentenceIsShown) {
  EXPECT_EQ(shown("abc", {}), "a.toml: error: wrong\n");
  EXPECT_EQ(to_string({nullptr, {{"wrong", {}}}}), "error: wrong\n");
  EXPECT_EQ(to_string({nullptr, {{"wrong", {3, 1, 1}}}}), "error: wrong\n");
}

TEST(Diagnostic, TabsKeepTheMarksInLine) {
  EXPECT_EQ(shown("\ta\tb", {1, 4, 1}),
            "a.toml:1:4: error: wrong\n    1 | \ta\tb\n      | \t \t^\n");
}

TEST(Diagnostic, MarksStandUnderWideLettersByCharacter) {
  EXPECT_EQ(shown("φφ q", {1, 4, 1}), "a.toml:1:4: error: wrong\n    1 | φφ q\n      |    ^\n");
}

TEST(Diagnostic, LongLinesAreCutAroundThePlace) {
  const std::string a(300, 'a');
  EXPECT_EQ(shown(a + "q" + a, {1, 301, 1}), "a.toml:1:301: error: wrong\n    1 | ..." +
                                                 std::string(49, 'a') + "q" + std::string(50, 'a') +
                                                 "...\n      |    " + std::string(49, ' ') + "^\n");
  EXPECT_EQ(shown("q" + a, {1, 1, 1}),
            "a.toml:1:1: error: wrong\n    1 | q" + std::string(99, 'a') + "...\n      | ^\n");
  EXPECT_EQ(shown(a + "q", {1, 301, 1}), "a.toml:1:301: error: wrong\n    1 | ..." +
                                             std::string(99, 'a') + "q\n      |    " +
                                             std::string(99, ' ') + "^\n");
  EXPECT_EQ(shown(a, {1, 11, 290}), "a.toml:1:11: error: wrong\n    1 | ..." +
                                        std::string(100, 'a') + "...\n      |    " +
                                        std::string(100, '^') + "\n");
}

TEST(Diagnostic, PlacesBeyondTheTextAreHarmless) {
  EXPECT_EQ(shown("ab\r\n", {1, 9, 5}), "a.toml:1:9: error: wrong\n    1 | ab\n      |   ^\n");
  EXPECT_EQ(shown("ab", {7, 1, 5}), "a.toml:7:1: error: wrong\n    7 | \n      | ^\n");
  EXPECT_EQ(shown("", {1, 1, 1}), "a.toml:1:1: error: wrong\n    1 | \n      | ^\n");
}

TEST(Diagnostic, NothingThatATerminalWouldObeyIsPrinted) {
  EXPECT_EQ(shown("a\x1b[31m\xff\xc2\x9b", {1, 1, 1}, "bad '\x1b[0m\n'"),
            "a.toml:1:1: error: bad '?[0m?'\n    1 | a?[31m??\n      | ^\n");
}

TEST(Diagnostic, TwentyAreShownAndTheRestIsCounted) {
  ModelError error{nullptr, std::vector<Diagnostic>(23, {"wrong", {}})};
  std::string expected;
  for (int i = 0; i < 20; ++i) expected += "error: wrong\n";
  EXPECT_EQ(to_string(error), expected + "and 3 more\n");
}

TEST(Diagnostic, EndlessMessagesAreCut) {
  EXPECT_EQ(to_string({nullptr, {{std::string(9000, 'a'), {}}}}),
            "error: " + std::string(500, 'a') + "...\n");
}

}  // namespace
}  // namespace dalembert::model::diagnostic_test
