// Documents as plain text.
#include <gtest/gtest.h>

#include <sstream>

#include "dalembert/report/document/document.hpp"
#include "dalembert/report/document/document_parts.hpp"

namespace dalembert::report::document_text_test {
namespace {

std::string text(Block block) {
  Document d;
  d.blocks.push_back(std::move(block));
  return to_text(d);
}

Math math(const std::string& typed) {
  return {typed, typed};
}

std::string right(const std::string& line, const std::string& number) {
  return line + std::string(100 - columns(line) - number.size(), ' ') + number + "\n";
}

TEST(ToText, Title) {
  Document d;
  d.title = "A title";
  d.subtitle = "and more";
  EXPECT_EQ(to_text(d), "A title\nand more\n" + std::string(100, '=') + "\n");
}

TEST(ToText, Headings) {
  EXPECT_EQ(text(Heading{1, "Énergie", {}}), "\nÉnergie\n=======\n");
  EXPECT_EQ(text(Heading{2, "Energies", {}}), "Energies\n--------\n");
  EXPECT_EQ(text(Heading{3, "Step 1", {}}), "Step 1\n");
  EXPECT_EQ(text(Heading{3, "Step 1", "G5.216"}), right("Step 1", "(G5.216)"));
}

TEST(ToText, Contents) {
  Document d;
  d.contents = true;
  d.blocks = {Heading{1, "One", "5"}, Heading{2, "Two", {}}, Heading{3, "Three", {}}};
  EXPECT_EQ(to_text(d).substr(0, 10 + 102 + 8),
            "\nContents\n" + right("  One", "(5)") + "    Two\n" + "\n");
}

TEST(ToText, ParagraphsAreWrappedAndFormulasKeptTogether) {
  Runs runs;
  for (int i = 0; i < 60; ++i) {
    runs.emplace_back(std::string("word ("));
    runs.emplace_back(math("x + y"));
    runs.emplace_back(std::string("), "));
  }
  std::istringstream lines(text(Paragraph{runs}));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 100U);
    EXPECT_NE(line.back(), ' ');
    EXPECT_TRUE(line.ends_with("word") || line.ends_with("(x + y),")) << line;
  }
}

TEST(ToText, FormulasAreAlignedAtTheRelation) {
  EXPECT_EQ(text(Display{{{math("φ''"), "=", math("0"), "1"}, {math("x"), "≡", math("y"), {}}}}),
            right("    φ'' = 0", "(1)") + "      x ≡ y\n");
}

TEST(ToText, OneSideIsIndentedOnly) {
  EXPECT_EQ(text(Display{{{{}, "", math("x = y"), {}}}}), "    x = y\n");
  EXPECT_EQ(text(Display{{{math("x = y"), "", {}, {}}}}), "    x = y\n");
}

TEST(ToText, LongRightSidesAreBrokenAndTheNumberStandsAtTheEnd) {
  std::string sum = "aaaaaaaaaaaaaaaaaaa";
  for (int i = 0; i < 5; ++i) sum += " + aaaaaaaaaaaaaaaaaaa";
  EXPECT_EQ(text(Display{{{math("x"), "=", math(sum), "5.216"}}}),
            "    x = aaaaaaaaaaaaaaaaaaa + aaaaaaaaaaaaaaaaaaa + aaaaaaaaaaaaaaaaaaa\n" +
                right("        + aaaaaaaaaaaaaaaaaaa + aaaaaaaaaaaaaaaaaaa + aaaaaaaaaaaaaaaaaaa",
                      "(5.216)"));
}

TEST(ToText, LongLeftSidesStartAtTheMargin) {
  const std::string left = "d/dt(" + std::string(40, 'T') + ") - dT/dq";
  EXPECT_EQ(text(Display{{{math(left), "=", math("Q"), {}}}}), "    " + left + " = Q\n");
}

TEST(ToText, TablesAreAlignedByWhatIsSeen) {
  EXPECT_EQ(text(Table{{{"a"}, {"b"}}, {{{"φφφ"}, {math("x^2")}}, {{"中"}, {"y"}}, {{"z"}}}}),
            "a    b\n───  ───\nφφφ  x^2\n中   y\nz\n");
  EXPECT_EQ(text(Table{}), "");
}

TEST(ToText, WideTablesAreWrapped) {
  std::string words;
  for (int i = 0; i < 40; ++i) words += "word ";
  std::istringstream lines(text(Table{{{"name"}, {"meaning"}}, {{{"a"}, {words}}}}));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(columns(line), 100U);
  EXPECT_GT(count, 3);
}

TEST(ToText, ListsNotesAndCode) {
  EXPECT_EQ(text(List{{{"one"}, {"two ", math("x")}}}), "  - one\n  - two x\n");
  EXPECT_EQ(text(Note{{"look"}}), "  │ Note: look\n");
  EXPECT_EQ(text(Code{"a\n\n  b\n"}), "    a\n\n      b\n");
}

}  // namespace
}  // namespace dalembert::report::document_text_test
