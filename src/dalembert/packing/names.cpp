#include "dalembert/packing/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include "dalembert/expr/characters.hpp"

namespace dalembert::packing {

namespace {

constexpr std::array greek = {
    "alpha", "beta",   "gamma",   "delta", "epsilon", "zeta",    "eta",  "theta", "iota",
    "kappa", "lambda", "mu",      "nu",    "xi",      "omicron", "pi",   "rho",   "final_sigma",
    "sigma", "tau",    "upsilon", "phi",   "chi",     "psi",     "omega"};

// Of C, C++, Python and JavaScript, what their standard headers take, and names of files beside
// them.
constexpr auto reserved = std::to_array<std::string_view>(
    {"and",      "arguments", "as",         "asm",       "assert",   "async",    "auto",
     "await",    "bool",      "break",      "case",      "catch",    "char",     "class",
     "complex",  "const",     "continue",   "debugger",  "def",      "default",  "del",
     "delete",   "do",        "double",     "elif",      "else",     "enum",     "eval",
     "except",   "explicit",  "export",     "extends",   "extern",   "false",    "False",
     "finally",  "float",     "for",        "friend",    "from",     "function", "global",
     "goto",     "if",        "implements", "import",    "in",       "inline",   "instanceof",
     "int",      "interface", "is",         "lambda",    "let",      "long",     "main",
     "math",     "model",     "mutable",    "namespace", "new",      "None",     "nonlocal",
     "not",      "np",        "null",       "numpy",     "operator", "or",       "package",
     "pass",     "private",   "protected",  "public",    "raise",    "register", "restrict",
     "return",   "short",     "signed",     "sizeof",    "static",   "struct",   "super",
     "switch",   "template",  "this",       "throw",     "true",     "True",     "try",
     "typedef",  "typeof",    "typename",   "union",     "unsigned", "using",    "var",
     "virtual",  "void",      "volatile",   "while",     "with",     "xor",      "yield",
     "Infinity", "NaN",       "undefined",  "sin",       "cos",      "tan",      "exp",
     "log",      "pow",       "sqrt",       "fma",       "floor",    "time",     "test",
     "exit",     "abs",       "j0",         "j1",        "y0",       "y1",       "fmu",
     "fmi2",     "fmi3",      "stdio",      "stdlib",    "string",   "stdint",   "stdbool",
     "stddef"});

std::size_t length_of(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

std::string spelled(char32_t c) {
  if (c >= 0x3b1 && c <= 0x3c9) return greek[c - 0x3b1];
  if (c >= 0x391 && c <= 0x3a9) {
    std::string name = greek[c - 0x391];
    name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
    return name;
  }
  return fmt::format("u{:04x}", static_cast<unsigned>(c));
}

}  // namespace

std::string identifier(std::string_view name) {
  std::string text;
  for (std::size_t at = 0; at < name.size();) {
    const char c = name[at];
    if (name.substr(at).starts_with("''")) {
      text += "_ddot";
      at += 2;
    } else if (c == '\'') {
      text += "_dot";
      ++at;
    } else if (static_cast<unsigned char>(c) < 0x80) {
      text += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
      ++at;
    } else {
      const std::size_t length = std::min(length_of(c), name.size() - at);
      text += spelled(expr::decode(name.substr(at, length)));
      at += length;
    }
  }
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0 || text[0] == '_')
    text = "m" + text;
  if (std::ranges::find(reserved, text) != reserved.end()) text += "_";
  return text;
}

std::string NameBook::take(std::string name, std::string_view separator) {
  std::string free = name;
  for (int i = 2; !used_.insert(free).second; ++i) free = fmt::format("{}{}{}", name, separator, i);
  return free;
}

std::string literal_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '?') result += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      result += ' ';
    } else {
      result += c;
    }
  }
  return result;
}

std::string xml_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

std::string comment_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '/' && !result.empty() && result.back() == '*') result += ' ';
    if (c == '*' && !result.empty() && result.back() == '/') result += ' ';
    result += static_cast<unsigned char>(c) < 0x20 || c == '\\' || c == '?' ? ' ' : c;
  }
  return result;
}

}  // namespace dalembert::packing
