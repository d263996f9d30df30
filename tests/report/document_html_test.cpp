// Documents as HTML. How they look in a browser is tested in tests/web.
#include <gtest/gtest.h>

#include "dalembert/report/document/document.hpp"
#include "dalembert/report/document/document_page.hpp"
#include "dalembert/report/document/katex.hpp"
#include "dalembert/report/page/base64.hpp"

namespace dalembert::report::document_html_test {
namespace {

std::string main_of(const std::string& page) {
  const std::size_t begin = page.find("<main>\n") + 7;
  return page.substr(begin, page.find("</main>") - begin);
}

std::string html(Block block) {
  Document d;
  d.blocks.push_back(std::move(block));
  return main_of(to_html(d));
}

std::size_t occurrences(const std::string& text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++count;
  return count;
}

/// What stands behind a mark, up to the next semicolon.
std::string fields_behind(const std::string& text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return "no such mark";
  const std::size_t begin = at + mark.size();
  return text.substr(begin, text.find(';', begin) - begin);
}

TEST(ScriptSource, IsTheDigestThatBrowsersCompute) {
  // The example of the specification, Content Security Policy Level 3, section 6.7.
  EXPECT_EQ(script_source("alert('Hello, world.');"),
            "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='");
}

TEST(ToHtml, IsCompleteInItself) {
  Document d;
  d.title = "A <title>";
  const std::string page = to_html(d);
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>\n"));
  EXPECT_TRUE(page.ends_with("</html>\n"));
  EXPECT_NE(page.find("<title>A &lt;title&gt;</title>"), std::string::npos);
  const std::string policy = fields_behind(page, "default-src 'none'; script-src ");
  std::string scripts;
  for (std::size_t at = 0; (at = page.find("<script>", at)) != std::string::npos; ++at) {
    const std::size_t begin = at + std::string_view("<script>").size();
    scripts += (scripts.empty() ? "" : " ") + script_source(std::string_view(page).substr(
                                                  begin, page.find("</script>", begin) - begin));
  }
  EXPECT_EQ(policy, scripts);
  EXPECT_EQ(occurrences(page, "<script>"), 2U);
  EXPECT_EQ(occurrences(page, "</script"), 2U);
  EXPECT_EQ(occurrences(page, "</style"), 1U);
  EXPECT_EQ(occurrences(page.substr(0, page.find("<script>")), "src="), 0U);
  EXPECT_EQ(occurrences(page, "url("), occurrences(page, "url(data:font/woff2;base64,"));
}

TEST(ToHtml, Headings) {
  EXPECT_EQ(html(Heading{1, "A & b", "G5.216"}),
            "<h2 id=\"a--b\"><a href=\"#a--b\">A &amp; b</a>"
            "<span class=\"number\">(G5.216)</span></h2>\n");
  EXPECT_TRUE(html(Heading{2, "A", {}}).starts_with("<h3"));
  EXPECT_TRUE(html(Heading{9, "A", {}}).starts_with("<h4"));
}

TEST(ToHtml, Contents) {
  Document d;
  d.contents = true;
  EXPECT_EQ(occurrences(to_html(d), "<nav"), 0U);
  d.blocks = {Heading{1, "One", {}}, Heading{2, "Two", {}}, Heading{3, "Three", {}}};
  const std::string page = to_html(d);
  EXPECT_NE(page.find("<li><a href=\"#one\">One</a></li>\n<li class=\"inner\"><a href=\"#two\">"),
            std::string::npos);
  EXPECT_EQ(occurrences(page, "</li>"), 2U);
  d.contents = false;
  EXPECT_EQ(occurrences(to_html(d), "<nav"), 0U);
}

TEST(ToHtml, TextIsText) {
  EXPECT_EQ(html(Paragraph{{"<b>\"a\" & 'c'</b>", Math{"", "a < b"}}}),
            "<p>&lt;b&gt;&quot;a&quot; &amp; &#39;c&#39;&lt;/b&gt;"
            "<span class=\"math\">a &lt; b</span></p>\n");
  EXPECT_EQ(html(Paragraph{{Math{"a<b", ""}}}), "<p>a&lt;b</p>\n");
}

TEST(ToHtml, FormulasAreAlignedAndNumbered) {
  EXPECT_EQ(html(Display{{{{"x", "x"}, "≡", {"y", "y"}, "1"}}}),
            "<div class=\"formulas numbered\">\n"
            "<div class=\"left\"><span class=\"math display\">x</span></div>"
            "<div class=\"relation\"><span class=\"math display\">\\equiv</span></div>"
            "<div class=\"right\"><span class=\"math display\">y</span>"
            "<span class=\"number\">(1)</span></div>\n</div>\n");
  EXPECT_EQ(html(Display{{{{}, "", {"y", "y"}, {}}}}),
            "<div class=\"formulas whole\">\n"
            "<div class=\"right\"><span class=\"math display\">y</span></div>\n</div>\n");
}

TEST(ToHtml, TheTermsOfLongFormulasCanFlow) {
  std::string sum = "\\mathrm{abcdefghijklm}";
  for (int i = 0; i < 5; ++i) sum += " + \\mathrm{abcdefghijklm}";
  const std::string text = html(Display{{{{"x", "x"}, "=", {"", sum}, {}}}});
  EXPECT_EQ(occurrences(text, "<span class=\"math display\">{} + \\mathrm"), 5U);
}

TEST(ToHtml, TablesListsNotesAndCode) {
  EXPECT_EQ(html(Table{{{"a"}}, {{{"x"}, {"<"}}, {{"y"}}}}),
            "<div class=\"table\"><table>\n<thead>\n<tr><th>a</th><th></th></tr>\n</thead>\n"
            "<tbody>\n<tr><td>x</td><td>&lt;</td></tr>\n<tr><td>y</td><td></td></tr>\n</tbody>\n"
            "</table></div>\n");
  EXPECT_EQ(html(List{{{"<"}}}), "<ul>\n<li>&lt;</li>\n</ul>\n");
  EXPECT_NE(html(Note{{"<"}}).find("</span>&lt;</p></aside>"), std::string::npos);
  EXPECT_EQ(html(Code{"a\n  </pre>"}), "<pre><code>a\n  &lt;/pre&gt;</code></pre>\n");
}

TEST(Katex, IsBuiltIn) {
  EXPECT_GT(katex_script().size(), 100000U);
  EXPECT_NE(katex_script().find("katex"), std::string_view::npos);
  EXPECT_EQ(katex_script().find("</script"), std::string_view::npos);
  EXPECT_EQ(page_script().find("</script"), std::string_view::npos);
  EXPECT_EQ(page_style().find("</style"), std::string_view::npos);
}

TEST(Katex, FontsComeAsTheyAreNeeded) {
  const std::string plain = katex_style("x");
  EXPECT_EQ(occurrences(plain, "@font-face"), 7U);
  EXPECT_EQ(occurrences(plain, "url("), 7U);
  EXPECT_EQ(occurrences(plain, "base64,d09GMg"), 7U);  // "wOF2"
  EXPECT_EQ(occurrences(katex_style("\\mathbf{x} \\mathcal{L}"), "@font-face"), 9U);
  EXPECT_NE(plain.find(".katex{"), std::string::npos);
}

}  // namespace
}  // namespace dalembert::report::document_html_test
