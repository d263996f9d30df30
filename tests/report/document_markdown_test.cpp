// Documents as Markdown.
#include <gtest/gtest.h>

#include "dalembert/report/document/document.hpp"

namespace dalembert::report::document_markdown_test {
namespace {

std::string markdown(Block block) {
  Document d;
  d.blocks.push_back(std::move(block));
  return to_markdown(d);
}

TEST(ToMarkdown, TitleContentsAndHeadings) {
  Document d;
  d.title = "A *title*";
  d.subtitle = "below";
  d.contents = true;
  d.blocks = {Heading{1, "One & two", "G5.216"}, Heading{2, "In it", {}}, Heading{3, "Step", {}}};
  EXPECT_EQ(to_markdown(d),
            "# A \\*title\\*\n\n*below*\n\n- [One \\& two](#one--two)\n  - [In it](#in-it)\n\n"
            "## One \\& two\n\n*(G5.216)*\n\n### In it\n\n#### Step\n");
}

TEST(ToMarkdown, TextIsText) {
  EXPECT_EQ(markdown(Paragraph{{"a_b *c* <d> | `e` $5 [f](g) \\ ~ &amp;"}}),
            "a\\_b \\*c\\* \\<d\\> \\| \\`e\\` \\$5 \\[f\\](g) \\\\ \\~ \\&amp;\n");
  EXPECT_EQ(markdown(Paragraph{{"# no heading"}}), "\\# no heading\n");
  EXPECT_EQ(markdown(Paragraph{{"1. no list"}}), "1\\. no list\n");
  EXPECT_EQ(markdown(Paragraph{{"- no list"}}), "\\- no list\n");
  EXPECT_EQ(markdown(Paragraph{{"two\n\nlines"}}), "two  lines\n");
}

TEST(ToMarkdown, InlineFormulas) {
  EXPECT_EQ(markdown(Paragraph{{"so ", Math{"x", " x_{1} "}, "."}}), "so $x_{1}$.\n");
  EXPECT_EQ(markdown(Paragraph{{Math{"a*b", ""}}}), "a\\*b\n");
  EXPECT_EQ(markdown(Paragraph{{Math{"", "\\text{\\$}"}}}), "$`\\text{\\$}`$\n");
}

TEST(ToMarkdown, OneFormula) {
  EXPECT_EQ(markdown(Display{{{{"x", "x"}, "=", {"y", "y"}, "5.216"}}}),
            "```math\nx = y \\tag{5.216}\n```\n");
  EXPECT_EQ(markdown(Display{{{{}, "", {"y", "y"}, {}}}}), "```math\ny\n```\n");
  EXPECT_EQ(markdown(Display{}), "");
}

TEST(ToMarkdown, SeveralFormulas) {
  EXPECT_EQ(markdown(Display{{{{"x", "x"}, "=", {"y", "y"}, "1"}, {{}, "≡", {"z", "z"}, {}}}}),
            "```math\n\\begin{align*}\nx &= y \\tag{1} \\\\\n&\\equiv z\n\\end{align*}\n```\n");
}

TEST(ToMarkdown, TablesKeepTheirBars) {
  EXPECT_EQ(markdown(Table{{{"a"}, {"b"}}, {{{"x|y"}, {Math{"", "|x| + \\|v\\|"}}}, {{"1. z"}}}}),
            "| a | b |\n| --- | --- |\n| x\\|y | $\\vert x\\vert  + \\Vert v\\Vert$ |\n"
            "| 1. z |  |\n");
}

TEST(ToMarkdown, ListsNotesAndCode) {
  EXPECT_EQ(markdown(List{{{"one"}, {"two"}}}), "- one\n- two\n");
  EXPECT_EQ(markdown(Note{{"look"}}), "> [!IMPORTANT]\n> look\n");
  EXPECT_EQ(markdown(Code{"a = \"b\""}), "```\na = \"b\"\n```\n");
  EXPECT_EQ(markdown(Code{"```\nx\n````\n"}), "`````\n```\nx\n````\n`````\n");
}

}  // namespace
}  // namespace dalembert::report::document_markdown_test
