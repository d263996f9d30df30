// Where long formulas are broken.
#include "dalembert/report/document/document_formula.hpp"

#include <gtest/gtest.h>

#include "dalembert/report/document/document_parts.hpp"

namespace dalembert::report::document_formula_test {
namespace {

using Lines = std::vector<std::string>;

TEST(BreakText, KeepsWhatFits) {
  EXPECT_EQ(break_text("a + b", 5), Lines{"a + b"});
  EXPECT_EQ(break_text("", 5), Lines{""});
}

TEST(BreakText, BreaksBeforeTheSignsOutsideParentheses) {
  EXPECT_EQ(break_text("aaaa*(b + c) + dddd - eeee", 12),
            (Lines{"aaaa*(b + c)", "+ dddd", "- eeee"}));
  EXPECT_EQ(break_text("aaaa*(b + c) + dddd - eeee", 20), (Lines{"aaaa*(b + c) + dddd", "- eeee"}));
}

TEST(BreakText, LeavesRoomForWhatStandsBefore) {
  EXPECT_EQ(break_text("aaa + bbb + ccc", 9), (Lines{"aaa + bbb", "+ ccc"}));
  EXPECT_EQ(break_text("aaa + bbb + ccc", 9, 4), (Lines{"aaa", "+ bbb", "+ ccc"}));
}

TEST(BreakText, BreaksInsideParenthesesWhereItMust) {
  EXPECT_EQ(break_text("m*(aaaaaa + bbbbbb + cccccc)", 20),
            (Lines{"m*(aaaaaa + bbbbbb", "+ cccccc)"}));
}

TEST(BreakText, SmallParenthesesStayWhole) {
  EXPECT_EQ(break_text("aaaaaaaaaaaaaaa*sin(b + c)*(dddddd + eeeeee + ffffff)", 24),
            (Lines{"aaaaaaaaaaaaaaa*sin(b + c)*(dddddd", "+ eeeeee + ffffff)"}));
}

TEST(BreakText, PrefersTheRelation) {
  EXPECT_EQ(break_text("aaa + bbb = cc + dd", 12), (Lines{"aaa + bbb", "= cc + dd"}));
}

TEST(BreakText, OverflowsWhereThereIsNoSum) {
  EXPECT_EQ(break_text("aaaaaaaaaa*bbbbbbbbbb", 8), Lines{"aaaaaaaaaa*bbbbbbbbbb"});
  EXPECT_EQ(break_text("1e-5*x^(-2)", 4), Lines{"1e-5*x^(-2)"});
}

TEST(BreakText, CountsCharactersNotBytes) {
  EXPECT_EQ(break_text("φφφφ + θθθθ", 11), Lines{"φφφφ + θθθθ"});
}

TEST(BreakLatex, NeverInsideBraces) {
  const std::string formula = "\\sqrt{a + b + c + d + e + f}";
  EXPECT_EQ(break_latex(formula, 3), Lines{formula});
  EXPECT_EQ(break_latex("\\begin{pmatrix} a + b & c \\end{pmatrix} + d", 2),
            (Lines{"\\begin{pmatrix} a + b & c \\end{pmatrix}", "+ d"}));
}

TEST(BreakLatex, ClosesAndOpensDelimiters) {
  EXPECT_EQ(break_latex("\\left(a + b + c\\right)", 4),
            (Lines{"\\left(a + b \\right.", "\\left. {} + c\\right)"}));
}

TEST(BreakLatex, AnEscapedBraceIsNoGroup) {
  EXPECT_EQ(break_latex("\\left\\{a + b\\right\\} + c", 4.2),
            (Lines{"\\left\\{a + b\\right\\}", "+ c"}));
}

TEST(BreakLatex, WideFractionsBecomeProducts) {
  EXPECT_EQ(break_latex("\\frac{a + b + c + d}{e}", 5),
            (Lines{"\\frac{1}{e} \\left(a + b \\right.", "\\left. {} + c + d\\right)"}));
  EXPECT_EQ(break_latex("\\frac{a}{e}", 5), Lines{"\\frac{a}{e}"});
  EXPECT_EQ(break_latex("\\frac{2 x \\left(a + b + c\\right)}{e}", 6),
            (Lines{"\\frac{2 x}{e} \\left(a + b \\right.", "\\left. {} + c\\right)"}));
  EXPECT_EQ(break_latex("\\frac{\\left(6 \\left(a + b\\right) + c\\right) d}{e}", 9).front(),
            "\\frac{1}{e} \\left(6 \\left(a + b\\right) + c\\right) d");
  EXPECT_EQ(break_latex("x \\frac{a}{b + c + d + e + f}", 7).front().substr(0, 9), "x a \\left");
}

TEST(BreakLatex, UnbalancedTextIsNoDanger) {
  for (const char* text : {"{", "}", "\\", "\\left", "\\frac{", "\\frac{a}{", "\\frac{a}", "^",
                           "_{", "\\right) + a", "a + {b + c", "\\begin", "}} + {{ - a = "}) {
    EXPECT_FALSE(break_latex(text, 1).empty()) << text;
    EXPECT_FALSE(latex_terms(text, 1).empty()) << text;
  }
  EXPECT_GT(latex_width(std::string(100000, '{')), 0);
  EXPECT_FALSE(break_latex(std::string(100000, '{'), 1).empty());
}

TEST(LatexTerms, OneForEachTerm) {
  EXPECT_EQ(latex_terms("a + \\frac{b + c}{d} - e", 30), (Lines{"a", "+ \\frac{b + c}{d}", "- e"}));
  EXPECT_EQ(latex_terms("a \\equiv b + \\left(c - d\\right)", 30),
            (Lines{"a", "\\equiv b", "+ \\left(c - d\\right)"}));
}

TEST(LatexWidth, IsNearTheTruth) {  // measured with pdflatex
  EXPECT_NEAR(latex_width("m g r \\sin \\theta"), 3.9, 0.5);
  EXPECT_NEAR(latex_width("\\frac{2 \\dot{\\theta} \\left(\\dot{\\psi} + \\dot{\\phi} \\cos "
                          "\\theta\\right)}{\\sin \\theta}"),
              7.25, 0.7);
  EXPECT_NEAR(latex_width("Q^{\\mathrm{i}}_{x}"), 1.2, 0.3);
}

TEST(LatexRelation, Signs) {
  EXPECT_EQ(latex_relation(""), "");
  EXPECT_EQ(latex_relation("="), "=");
  EXPECT_EQ(latex_relation("≡"), "\\equiv");
  EXPECT_EQ(latex_relation("a&\\b"), "\\mathrel{\\text{a\\&b}}");
}

TEST(DocumentParts, MendsText) {
  EXPECT_EQ(mended("a\r\nb\rc\td\x01"), "a\nb\nc    d");
  EXPECT_EQ(mended("\xff\xc3"), "\uFFFD\uFFFD");
  EXPECT_EQ(mended("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");  // half of a surrogate pair
  EXPECT_EQ(mended("a\u202eb"), "ab");                      // would turn the line around
  EXPECT_EQ(one_line("a\nb"), "a b");
}

TEST(DocumentParts, Columns) {
  EXPECT_EQ(columns("abc"), 3U);
  EXPECT_EQ(columns("φ₁é"), 3U);
  EXPECT_EQ(columns("e\u0301"), 1U);
  EXPECT_EQ(columns("中文"), 4U);
}

TEST(DocumentParts, CharactersGoThereAndBack) {
  for (const char32_t c : {U'a', U'é', U'≡', U'😀'}) {
    std::string text;
    append_utf8(text, c);
    std::string_view rest = text;
    EXPECT_EQ(take_character(rest), c);
    EXPECT_TRUE(rest.empty());
  }
}

TEST(DocumentParts, AnchorsAreThoseOfGitHub) {
  Document d;
  d.title = "Title";
  for (const char* title : {"The model", "The model", "d'Alembert: φ & Ω!", "", "", "title"})
    d.blocks.emplace_back(Heading{1, title, {}});
  EXPECT_EQ(anchors(d),
            (Lines{"the-model", "the-model-1", "dalembert-φ--ω", "-1", "-2", "title-1"}));
}

}  // namespace
}  // namespace dalembert::report::document_formula_test
