// Documents as LaTeX. That the files compile is tested with pdflatex in tests/web.
#include <gtest/gtest.h>

#include "dalembert/report/document/document.hpp"
#include "dalembert/report/document/document_characters.hpp"

namespace dalembert::report::document_latex_test {
namespace {

/// What stands between \begin{document} and \end{document}.
std::string body(const Document& document) {
  const std::string text = to_latex(document);
  const std::string begin = "\\begin{document}\n";
  const std::string end = "\\end{document}\n";
  EXPECT_TRUE(text.ends_with(end));
  const std::size_t start = text.find(begin) + begin.size();
  return text.substr(start, text.size() - end.size() - start);
}

std::string latex(Block block) {
  Document d;
  d.blocks.push_back(std::move(block));
  return body(d);
}

TEST(ToLatex, TitleAndContents) {
  Document d;
  d.title = "50% φ";
  d.contents = true;
  EXPECT_NE(body(d).find("\\bfseries 50\\% φ\\par"), std::string::npos);
  EXPECT_NE(body(d).find("\\tableofcontents"), std::string::npos);
  EXPECT_NE(to_latex(d).find("pdftitle={50\\% phi}"), std::string::npos);
  d.contents = false;
  EXPECT_EQ(body(d).find("\\tableofcontents"), std::string::npos);
}

TEST(ToLatex, Headings) {
  EXPECT_EQ(latex(Heading{1, "A & b", {}}),
            "\n\\section[\\texorpdfstring{A \\& b}{A \\& b}]{A \\& b}\n");
  EXPECT_EQ(latex(Heading{2, "φ", "G5"}),
            "\n\\subsection[\\texorpdfstring{φ}{phi}]{φ\\hfill{\\normalfont\\normalsize(G5)}}\n");
  EXPECT_EQ(latex(Heading{3, "S", {}}), "\n\\subsubsection[\\texorpdfstring{S}{S}]{S}\n");
}

TEST(ToLatex, TextIsText) {
  EXPECT_EQ(latex(Paragraph{{"\\input{x} $ # % & _ ^ ~ < > |"}}),
            "\n\\textbackslash{}input\\{x\\} \\$ \\# \\% \\& \\_ \\textasciicircum{} "
            "\\textasciitilde{} \\textless{} \\textgreater{} \\textbar{}\n");
  EXPECT_EQ(latex(Paragraph{{"a--b"}}), "\na-{}-{}b\n");
  EXPECT_EQ(latex(Paragraph{{"\xff"}}), "\n\\charactercode{FFFD}\n");
}

TEST(ToLatex, InlineFormulas) {
  EXPECT_EQ(latex(Paragraph{{"so ", Math{"x", "x_{1}"}, ", ", Math{"a_b", ""}}}),
            "\nso $x_{1}$, a\\_b\n");
}

TEST(ToLatex, FormulasAreAlignedAndNumbered) {
  EXPECT_EQ(latex(Display{{{{"x", "x"}, "=", {"y", "y"}, "5.216"}, {{}, "≡", {"z", "z"}, {}}}}),
            "\\begin{align*}\nx &= y \\tag{5.216} \\\\\n &\\equiv z\n\\end{align*}\n");
  EXPECT_EQ(latex(Display{}), "");
}

TEST(ToLatex, LongSumsAreBroken) {
  std::string sum = "\\mathrm{abcdefghijklm}";
  for (int i = 0; i < 5; ++i) sum += " + \\mathrm{abcdefghijklm}";
  const std::string text = latex(Display{{{{"x", "x"}, "=", {"", sum}, "1"}}});
  EXPECT_NE(text.find(" \\\\\n&\\quad {} + \\mathrm"), std::string::npos);
  EXPECT_EQ(text.find("\\tag{1}"), text.rfind("\\tag{1}"));
  EXPECT_GT(text.find("\\tag{1}"), text.rfind("\\\\"));
}

TEST(ToLatex, LongProductsAreMadeToFit) {
  std::string product;
  for (int i = 0; i < 90; ++i) product += "x ";
  EXPECT_NE(latex(Display{{{{"x", "x"}, "=", {"", product}, {}}}}).find("\\fitted{"),
            std::string::npos);
}

TEST(ToLatex, LongLeftSidesStartAtTheMargin) {
  std::string left = "a";
  for (int i = 0; i < 12; ++i) left += " + a";
  EXPECT_EQ(latex(Display{{{{"", left}, "=", {"0", "0"}, {}}}}),
            "\\begin{align*}\n&" + left + " = 0\n\\end{align*}\n");
}

TEST(ToLatex, Tables) {
  EXPECT_EQ(latex(Table{{{"a"}, {"b"}}, {{{"[x]"}, {Math{"", "y"}}}, {{"&"}}}}),
            "\n\\begin{longtable}{@{}ll@{}}\n\\hline\n{\\bfseries a} & {\\bfseries b} \\\\\n"
            "\\hline\\endhead\n{[x]} & {$y$} \\\\\n{\\&} &  \\\\\n\\hline\n\\end{longtable}\n");
  EXPECT_NE(latex(Table{{}, {{{std::string(200, 'a')}, {"b"}}}}).find("p{"), std::string::npos);
  EXPECT_EQ(latex(Table{}), "");
}

TEST(ToLatex, ListsNotesAndCode) {
  EXPECT_EQ(latex(List{{{"one"}, {"[two]"}}}),
            "\n\\begin{itemize}\n  \\item{} one\n  \\item{} [two]\n\\end{itemize}\n");
  EXPECT_EQ(latex(List{}), "");
  EXPECT_EQ(latex(Note{{"look"}}), "\n\\begin{notice}\nlook\n\\end{notice}\n");
  EXPECT_EQ(latex(Code{"a b\n\n\\end{code}'\n"}),
            "\n\\begin{code}\n\\codeline{a\\ b}\n\\codeline{}\n"
            "\\codeline{\\symbol{92}end\\symbol{123}code\\symbol{125}\\textquotesingle{}}\n"
            "\\end{code}\n");
}

TEST(CharacterDefinitions, OnlyThoseThatOccur) {
  EXPECT_EQ(character_definitions("plain é ą"), "");
  EXPECT_EQ(character_definitions("φ and φ"), "\\definecharacter{03C6}{\\ensuremath{\\phi}}\n");
  EXPECT_EQ(character_definitions("ж"),
            "\\ifunicodeengine\\else\n"
            "\\DeclareUnicodeCharacter{0436}{\\charactercode{0436}}\n\\fi\n");
}

TEST(InAscii, NamesAndCodes) {
  EXPECT_EQ(in_ascii("x φ ≤ ж"), "x phi <= U+0436");
}

}  // namespace
}  // namespace dalembert::report::document_latex_test
