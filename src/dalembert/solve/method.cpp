#include "dalembert/solve/method.hpp"

namespace dalembert::solve {

std::optional<Method> method_from_string(std::string_view name) {
  for (const auto& [value, its_name] : methods) {
    if (its_name == name) return value;
  }
  return std::nullopt;
}

std::string method_names() {
  std::string text;
  for (std::size_t i = 0; i < methods.size(); ++i) {
    if (i > 0) text += i + 1 == methods.size() ? " and " : ", ";
    text += methods[i].second;
  }
  return text;
}

std::string_view method_note(Method method) {
  return is_mechanical(method) ? ""
                               : "vakonomic: the multiplier rule; NOT the mechanical motion unless "
                                 "the constraints are holonomic";
}

}  // namespace dalembert::solve
