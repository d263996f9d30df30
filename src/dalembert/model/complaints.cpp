#include "dalembert/model/complaints.hpp"

#include <algorithm>
#include <tuple>

#include "dalembert/expr/parse.hpp"
#include "dalembert/expr/suggest.hpp"

namespace dalembert::model {

std::string Complaints::did_you_mean(std::string_view word,
                                     std::span<const std::string> candidates) {
  constexpr std::size_t fixed_cost = 200;  // of one comparison, in steps of the inner loop
  for (const std::string& candidate : candidates) {
    const std::size_t cost =
        fixed_cost + word.size() * std::min<std::size_t>(candidate.size(), 200);
    if (budget_ == 0) return {};
    budget_ -= std::min(budget_, cost);
  }
  return expr::did_you_mean(word, candidates);
}

std::vector<Diagnostic> Complaints::take() {
  std::stable_sort(found_.begin(), found_.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.where.line, a.where.column) < std::tie(b.where.line, b.where.column);
  });
  return std::move(found_);
}

std::string shortened(std::string_view text, std::size_t characters) {
  std::size_t end = 0;
  for (; end < text.size() && characters > 0; --characters) {
    end += std::max<std::size_t>(1, expr::utf8_length(text.substr(end)));
  }
  return end < text.size() ? std::string(text.substr(0, end)) + "..." : std::string(text);
}

std::string with_article(std::string_view noun) {
  const bool vowel =
      !noun.empty() && std::string_view("aeiou").find(noun.front()) != std::string_view::npos;
  return (vowel ? "an " : "a ") + std::string(noun);
}

std::string in_quotes(std::string_view name) {
  return "'" + shortened(name, 60) + "'";
}

}  // namespace dalembert::model
