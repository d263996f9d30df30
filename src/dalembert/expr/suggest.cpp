#include "dalembert/expr/suggest.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "dalembert/expr/parse.hpp"

namespace dalembert::expr {

namespace {

std::vector<std::string_view> characters(std::string_view text) {
  std::vector<std::string_view> result;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(text));
    result.push_back(text.substr(0, length));
    text.remove_prefix(std::min(length, text.size()));
  }
  return result;
}

}  // namespace

std::size_t edit_distance(std::string_view a_text, std::string_view b_text) {
  // Optimal string alignment: three rows of the table of distances between prefixes.
  const auto a = characters(a_text);
  const auto b = characters(b_text);
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  if (word.size() > 200) return {};
  const std::size_t length = characters(word).size();
  std::size_t best = std::max<std::size_t>(1, length / 3) + 1;
  std::string result;
  for (const std::string& candidate : candidates) {
    if (candidate == word || candidate.size() > 200) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best && distance < std::max(length, characters(candidate).size())) {
      best = distance;
      result = candidate;
    }
  }
  return result;
}

std::string other_name_of_function(std::string_view name) {
  static constexpr const char* condition = "; write cases as if(x < y, a, b), with <, <=, > or >=";
  static constexpr const char* step = "; did you mean 'step', which is 1 where x >= 0?";
  static constexpr const char* clamp = "; did you mean 'clamp', as in clamp(x, low, high)?";
  static constexpr const char* table =
      "; a function through points is a [[table]], called by its name";
  static const std::unordered_map<std::string_view, const char*> known = {
      {"ifelse", condition},
      {"ite", condition},
      {"iif", condition},
      {"where", condition},
      {"piecewise", condition},
      {"cases", condition},
      {"select", condition},
      {"cond", condition},
      {"heaviside", step},
      {"Heaviside", step},
      {"unitstep", step},
      {"UnitStep", step},
      {"unit_step", step},
      {"stepfun", step},
      {"table", table},
      {"lookup", table},
      {"interp", table},
      {"interp1", table},
      {"interpolate", table},
      {"spline", table},
      {"ln", "; the natural logarithm is 'log'"},
      {"lg", "; the logarithm to base 10 is 'log10'"},
      {"log2", "; write log(x)/log(2)"},
      {"sgn", "; it is called 'sign'"},
      {"signum", "; it is called 'sign'"},
      {"fabs", "; it is called 'abs'"},
      {"pow", "; a power is written x^y"},
      {"arcsin", "; it is called 'asin'"},
      {"arccos", "; it is called 'acos'"},
      {"arctan", "; it is called 'atan'"},
      {"arctan2", "; it is called 'atan2'"},
      {"arcsinh", "; it is called 'asinh'"},
      {"arsinh", "; it is called 'asinh'"},
      {"arccosh", "; it is called 'acosh'"},
      {"arcosh", "; it is called 'acosh'"},
      {"arctanh", "; it is called 'atanh'"},
      {"artanh", "; it is called 'atanh'"},
      {"clip", clamp},
      {"saturate", clamp},
      {"limit", clamp},
      {"ceil", "; write -floor(-x)"},
      {"ceiling", "; write -floor(-x)"},
      {"round", "; write floor(x + 1/2)"},
      {"trunc", "; write sign(x)*floor(abs(x))"},
      {"mod", "; write x - y*floor(x/y)"},
      {"fmod", "; write x - y*floor(x/y)"}};
  const auto found = known.find(name);
  return found == known.end() ? std::string() : found->second;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::string found = nearest(word, candidates);
  return found.empty() ? std::string() : "; did you mean '" + found + "'?";
}

}  // namespace dalembert::expr
