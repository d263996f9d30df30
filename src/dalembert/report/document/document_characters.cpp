#include "dalembert/report/document/document_characters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "dalembert/report/document/document_parts.hpp"

namespace dalembert::report {

namespace {

struct Named {
  char32_t character;
  std::string_view latex;
  std::string_view ascii;
  bool math = true;
};

constexpr std::array named = {
    Named{0x00a0, "~", " ", false},
    Named{0x00ab, "\\ll", "<<"},
    Named{0x00ac, "\\neg", "not "},
    Named{0x00ad, "\\-", "", false},
    Named{0x00b0, "{}^{\\circ}", " deg"},
    Named{0x00b1, "\\pm", "+-"},
    Named{0x00b2, "{}^{2}", "^2"},
    Named{0x00b3, "{}^{3}", "^3"},
    Named{0x00b5, "\\mu", "mu"},
    Named{0x00b7, "\\cdot", "."},
    Named{0x00b9, "{}^{1}", "^1"},
    Named{0x00bb, "\\gg", ">>"},
    Named{0x00bc, "\\tfrac14", "1/4"},
    Named{0x00bd, "\\tfrac12", "1/2"},
    Named{0x00be, "\\tfrac34", "3/4"},
    Named{0x00d7, "\\times", "x"},
    Named{0x00f7, "\\div", "/"},
    Named{0x0391, "\\mathrm{A}", "Alpha"},
    Named{0x0392, "\\mathrm{B}", "Beta"},
    Named{0x0393, "\\Gamma", "Gamma"},
    Named{0x0394, "\\Delta", "Delta"},
    Named{0x0395, "\\mathrm{E}", "Epsilon"},
    Named{0x0396, "\\mathrm{Z}", "Zeta"},
    Named{0x0397, "\\mathrm{H}", "Eta"},
    Named{0x0398, "\\Theta", "Theta"},
    Named{0x0399, "\\mathrm{I}", "Iota"},
    Named{0x039a, "\\mathrm{K}", "Kappa"},
    Named{0x039b, "\\Lambda", "Lambda"},
    Named{0x039c, "\\mathrm{M}", "Mu"},
    Named{0x039d, "\\mathrm{N}", "Nu"},
    Named{0x039e, "\\Xi", "Xi"},
    Named{0x039f, "\\mathrm{O}", "Omicron"},
    Named{0x03a0, "\\Pi", "Pi"},
    Named{0x03a1, "\\mathrm{P}", "Rho"},
    Named{0x03a3, "\\Sigma", "Sigma"},
    Named{0x03a4, "\\mathrm{T}", "Tau"},
    Named{0x03a5, "\\Upsilon", "Upsilon"},
    Named{0x03a6, "\\Phi", "Phi"},
    Named{0x03a7, "\\mathrm{X}", "Chi"},
    Named{0x03a8, "\\Psi", "Psi"},
    Named{0x03a9, "\\Omega", "Omega"},
    Named{0x03b1, "\\alpha", "alpha"},
    Named{0x03b2, "\\beta", "beta"},
    Named{0x03b3, "\\gamma", "gamma"},
    Named{0x03b4, "\\delta", "delta"},
    Named{0x03b5, "\\varepsilon", "epsilon"},
    Named{0x03b6, "\\zeta", "zeta"},
    Named{0x03b7, "\\eta", "eta"},
    Named{0x03b8, "\\theta", "theta"},
    Named{0x03b9, "\\iota", "iota"},
    Named{0x03ba, "\\kappa", "kappa"},
    Named{0x03bb, "\\lambda", "lambda"},
    Named{0x03bc, "\\mu", "mu"},
    Named{0x03bd, "\\nu", "nu"},
    Named{0x03be, "\\xi", "xi"},
    Named{0x03bf, "o", "omicron"},
    Named{0x03c0, "\\pi", "pi"},
    Named{0x03c1, "\\rho", "rho"},
    Named{0x03c2, "\\varsigma", "sigma"},
    Named{0x03c3, "\\sigma", "sigma"},
    Named{0x03c4, "\\tau", "tau"},
    Named{0x03c5, "\\upsilon", "upsilon"},
    Named{0x03c6, "\\phi", "phi"},
    Named{0x03c7, "\\chi", "chi"},
    Named{0x03c8, "\\psi", "psi"},
    Named{0x03c9, "\\omega", "omega"},
    Named{0x03d1, "\\vartheta", "theta"},
    Named{0x03d5, "\\varphi", "phi"},
    Named{0x03d6, "\\varpi", "pi"},
    Named{0x03f1, "\\varrho", "rho"},
    Named{0x03f5, "\\epsilon", "epsilon"},
    Named{0x2009, "\\,", " ", false},
    Named{0x200b, "\\hspace{0pt}", "", false},
    Named{0x2010, "-", "-", false},
    Named{0x2011, "\\mbox{-}", "-", false},
    Named{0x2012, "\\textendash{}", "-", false},
    Named{0x2013, "\\textendash{}", "-", false},
    Named{0x2014, "\\textemdash{}", " - ", false},
    Named{0x2018, "\\textquoteleft{}", "'", false},
    Named{0x2019, "\\textquoteright{}", "'", false},
    Named{0x201a, ",", ",", false},
    Named{0x201c, "\\textquotedblleft{}", "\"", false},
    Named{0x201d, "\\textquotedblright{}", "\"", false},
    Named{0x201e, ",,", "\"", false},
    Named{0x2022, "\\bullet", "*"},
    Named{0x2026, "\\ldots", "..."},
    Named{0x202f, "\\,", " ", false},
    Named{0x2032, "{}'", "'"},
    Named{0x2033, "{}''", "''"},
    Named{0x2070, "{}^{0}", "^0"},
    Named{0x2074, "{}^{4}", "^4"},
    Named{0x2075, "{}^{5}", "^5"},
    Named{0x2076, "{}^{6}", "^6"},
    Named{0x2077, "{}^{7}", "^7"},
    Named{0x2078, "{}^{8}", "^8"},
    Named{0x2079, "{}^{9}", "^9"},
    Named{0x207a, "{}^{+}", "^+"},
    Named{0x207b, "{}^{-}", "^-"},
    Named{0x2080, "{}_{0}", "0"},
    Named{0x2081, "{}_{1}", "1"},
    Named{0x2082, "{}_{2}", "2"},
    Named{0x2083, "{}_{3}", "3"},
    Named{0x2084, "{}_{4}", "4"},
    Named{0x2085, "{}_{5}", "5"},
    Named{0x2086, "{}_{6}", "6"},
    Named{0x2087, "{}_{7}", "7"},
    Named{0x2088, "{}_{8}", "8"},
    Named{0x2089, "{}_{9}", "9"},
    Named{0x210f, "\\hbar", "hbar"},
    Named{0x2113, "\\ell", "l"},
    Named{0x2190, "\\leftarrow", "<-"},
    Named{0x2192, "\\rightarrow", "->"},
    Named{0x2194, "\\leftrightarrow", "<->"},
    Named{0x21d2, "\\Rightarrow", "=>"},
    Named{0x21d4, "\\Leftrightarrow", "<=>"},
    Named{0x21a6, "\\mapsto", "->"},
    Named{0x2200, "\\forall", "for all "},
    Named{0x2202, "\\partial", "d"},
    Named{0x2203, "\\exists", "exists "},
    Named{0x2206, "\\Delta", "Delta"},
    Named{0x2207, "\\nabla", "nabla"},
    Named{0x2208, "\\in", "in"},
    Named{0x2209, "\\notin", "not in"},
    Named{0x220f, "\\prod", "product"},
    Named{0x2211, "\\sum", "sum"},
    Named{0x2212, "-", "-"},
    Named{0x2213, "\\mp", "-+"},
    Named{0x2218, "\\circ", "o"},
    Named{0x2219, "\\cdot", "."},
    Named{0x221a, "\\surd", "sqrt"},
    Named{0x221d, "\\propto", "~"},
    Named{0x221e, "\\infty", "infinity"},
    Named{0x2225, "\\parallel", "||"},
    Named{0x2227, "\\wedge", "and"},
    Named{0x2228, "\\vee", "or"},
    Named{0x222b, "\\int", "integral"},
    Named{0x223c, "\\sim", "~"},
    Named{0x2248, "\\approx", "~"},
    Named{0x2260, "\\neq", "!="},
    Named{0x2261, "\\equiv", "="},
    Named{0x2264, "\\leq", "<="},
    Named{0x2265, "\\geq", ">="},
    Named{0x226a, "\\ll", "<<"},
    Named{0x226b, "\\gg", ">>"},
    Named{0x2297, "\\otimes", "x"},
    Named{0x22a5, "\\perp", "_|_"},
    Named{0x22c5, "\\cdot", "."},
    Named{0x2500, "-", "-"},
    Named{0x2713, "\\surd", "yes"},
    Named{0x27e8, "\\langle", "<"},
    Named{0x27e9, "\\rangle", ">"},
    Named{0x27f9, "\\Longrightarrow", "=>"},
};

const Named* find(char32_t c) {
  const auto* found =
      std::find_if(named.begin(), named.end(), [c](const Named& n) { return n.character == c; });
  return found == named.end() ? nullptr : found;
}

/// Letters that every LaTeX can build, in whatever font encoding.
bool is_known_to_latex(char32_t c) {
  if (c >= 0xc0 && c <= 0xff) return c != 0xd0 && c != 0xde && c != 0xf0 && c != 0xfe;
  constexpr std::u32string_view missing = U"ĐđĦħĸĿŀŉŊŋŦŧſ";
  if (c >= 0x100 && c <= 0x17f) return missing.find(c) == std::u32string_view::npos;
  return c == 0xa1 || c == 0xbf || c == 0xa7 || c == 0xb6 || c == 0xa9;
}

}  // namespace

std::string character_definitions(std::string_view body) {
  std::set<char32_t> present;
  while (!body.empty()) {
    const char32_t c = take_character(body);
    if (c >= 0x80) present.insert(c);
  }
  std::string common;
  std::string codes;
  for (const char32_t c : present) {
    const auto code = static_cast<unsigned>(c);
    if (const Named* known = find(c)) {
      common += fmt::format("\\definecharacter{{{:04X}}}{{{}}}\n", code,
                            known->math ? fmt::format("\\ensuremath{{{}}}", known->latex)
                                        : std::string(known->latex));
    } else if (!is_known_to_latex(c)) {
      codes +=
          fmt::format("\\DeclareUnicodeCharacter{{{0:04X}}}{{\\charactercode{{{0:04X}}}}}\n", code);
    }
  }
  if (!codes.empty()) common += "\\ifunicodeengine\\else\n" + codes + "\\fi\n";
  return common;
}

std::string in_ascii(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const char32_t c = take_character(text);
    if (c < 0x80) {
      result += static_cast<char>(c);
    } else if (const Named* known = find(c)) {
      result += known->ascii;
    } else {
      result += fmt::format("U+{:04X}", static_cast<unsigned>(c));
    }
  }
  return result;
}

}  // namespace dalembert::report
