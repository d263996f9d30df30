#include "dalembert/packing/templates.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace dalembert::packing {

namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

}  // namespace

std::string fill(std::string_view name, const std::string& prefix,
                 const std::map<std::string, std::string>& gaps) {
  const auto found =
      std::ranges::find_if(templates(), [&](const Template& one) { return one.name == name; });
  if (found == templates().end()) throw std::logic_error("no template " + std::string(name));
  std::string upper = prefix;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const std::string_view text = found->text;
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("/*@")) {
      const std::size_t end = rest.find("@*/");
      if (const auto gap = gaps.find(std::string(rest.substr(3, end - 3))); gap != gaps.end())
        result += gap->second;
      at += end + 3;
    } else if (rest.starts_with("@model@")) {
      result += prefix;
      at += 7;
    } else if ((at == 0 || !is_word(text[at - 1])) && rest.starts_with("MODEL_")) {
      result += upper + "_";
      at += 6;
    } else if ((at == 0 || !is_word(text[at - 1])) &&
               (rest.starts_with("model_") || rest.starts_with("model.c") ||
                rest.starts_with("model.h") || rest.starts_with("model.o"))) {
      result += prefix;
      at += 5;
    } else {
      result += text[at++];
    }
  }
  return result;
}

}  // namespace dalembert::packing
