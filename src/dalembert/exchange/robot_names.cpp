#include "dalembert/exchange/robot_names.hpp"

#include <algorithm>
#include <array>

#include "dalembert/expr/parse.hpp"

namespace dalembert::exchange {

namespace {

using std::string_view_literals::operator""sv;

/// Words of the model format that would be understood, but not by a reader.
constexpr std::array confusing = {"adjust"sv,   "hold"sv,  "mu"sv,  "ground"sv, "ideal"sv,
                                  "nonideal"sv, "point"sv, "dot"sv, "cross"sv,  "norm"sv};

std::string made_a_name(std::string_view wanted) {
  if (expr::is_name(wanted)) return std::string(wanted);
  std::string name;
  for (std::size_t i = 0; i < wanted.size();) {
    const std::size_t length = std::max<std::size_t>(1, expr::utf8_length(wanted.substr(i)));
    // Behind a letter, so that a digit may stand.
    const std::string character(wanted.substr(i, length));
    name += expr::is_name("a" + character) ? character : "_";
    i += length;
  }
  return expr::is_name(name) ? name : "_" + name;
}

}  // namespace

bool NameBook::is_free(const std::string& name) const {
  return !taken_.contains(name) && !expr::is_reserved(name) &&
         std::find(confusing.begin(), confusing.end(), name) == confusing.end();
}

std::string NameBook::give(std::string_view wanted, std::string_view suffix) {
  const std::string base = made_a_name(wanted);
  std::string name = base;
  if (!is_free(name)) name = base + std::string(suffix);
  for (int i = 2; !is_free(name); ++i) name = base + std::string(suffix) + std::to_string(i);
  taken_.insert(name);
  return name;
}

}  // namespace dalembert::exchange
