// The names in a text, as its words show them, without parsing it.
#include "dalembert/expr/parse.hpp"
#include "dalembert/expr/tokens.hpp"

namespace dalembert::expr {

namespace {

/// Calls `use` with the words of a text as far as it can be read: indices of names and all. What
/// follows then is an error, told elsewhere.
template <class Use>
void each_token(std::string_view text, const Use& use) {
  try {
    std::size_t at = 0;
    while (at < text.size()) {
      const char c = text[at];
      const bool bracket = c == '[' || c == ']';
      const Token token = bracket ? Token{TokenKind::open, at, at + 1} : next_token(text, at);
      if (token.kind == TokenKind::end) return;
      use(token);
      at = token.end;
      while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
    }
  } catch (const Stop&) {
    return;
  }
}

}  // namespace

std::vector<std::string_view> names_in(std::string_view text) {
  std::vector<std::string_view> names;
  TokenKind before = TokenKind::end;
  bool called = false;  // the name taken last may be a function's
  each_token(text, [&](const Token& token) {
    if (token.kind == TokenKind::open && called && text[token.begin] == '(') names.pop_back();
    called = token.kind == TokenKind::name && before != TokenKind::dot;
    if (called) names.push_back(text.substr(token.begin, token.end - token.begin));
    before = token.kind;
  });
  return names;
}

std::string renamed(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  std::size_t copied = 0;
  std::string_view owner, last;  // before the dot, if there is one; the name before
  each_token(text, [&](const Token& token) {
    const std::string_view word = text.substr(token.begin, token.end - token.begin);
    const bool free = owner.empty() || owner == "ideal" || owner == "nonideal";
    if (token.kind == TokenKind::name && word == from && free) {
      result.append(text.substr(copied, token.begin - copied)).append(to);
      copied = token.end;
    }
    owner = token.kind == TokenKind::dot ? last : std::string_view();
    last = token.kind == TokenKind::name ? word : std::string_view(".");
  });
  return result.append(text.substr(copied));
}

std::string with_titles(std::string_view text,
                        const std::function<std::string(std::string_view title)>& rename) {
  std::string result;
  std::size_t copied = 0;
  std::string_view owner, last;
  each_token(text, [&](const Token& token) {
    const std::string_view word = text.substr(token.begin, token.end - token.begin);
    if (token.kind == TokenKind::name && (owner == "lambda" || owner == "reaction")) {
      const std::string_view title = without_quotes(word);
      if (const std::string to = rename(title); to != title) {
        result.append(text.substr(copied, token.begin - copied)).append(title_text(to));
        copied = token.end;
      }
    }
    owner = token.kind == TokenKind::dot ? last : std::string_view();
    last = token.kind == TokenKind::name ? word : std::string_view(".");
  });
  return result.append(text.substr(copied));
}

}  // namespace dalembert::expr
