#include "dalembert/report/page/page_equations.hpp"

#include <fmt/format.h>

#include <optional>

#include "dalembert/expr/effort.hpp"
#include "dalembert/report/derivation/derivation.hpp"

namespace dalembert::report {

namespace {

// Of more operations nobody reads the equations.
constexpr std::size_t most_operations = 1000;
// Coordinates and constraints.
constexpr std::size_t most_printed = 200;
// Some tenths of a second; a double pendulum takes almost all of it.
constexpr double most_effort = 1.5e6;

std::string shell_word(const std::string& text) {
  const bool plain = !text.empty() && text.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_-./+,:@%") == std::string::npos;
  if (plain) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// 1234567 as "1 234 567", with spaces that do not break.
std::string grouped(std::size_t k) {
  std::string digits = std::to_string(k);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, "\u00a0");
  }
  return digits;
}

}  // namespace

PageEquations page_equations(const motion::Motion& motion, const motion::State& state,
                             const std::atomic<bool>* stop) {
  const std::string method(motion::to_string(motion.method()));
  const auto& source = motion.model().source;
  const std::string command =
      source ? fmt::format("dalembert derive {}", shell_word(source->path)) : "dalembert derive";
  const auto* info = mechanics::find_formulation(method);
  if (info == nullptr) {
    return {"", fmt::format("The method '{}' is a numerical one. The formulations are shown by: {}",
                            method, command)};
  }
  const std::string way_out = fmt::format("Where they are wanted: {} --method {}", command, method);
  const std::size_t n = motion.coordinates(), m = motion.constraints();
  if (n + m > most_printed) {
    return {"", fmt::format("The equations of motion are too many to print here: {} coordinates "
                            "and {} constraints. {}",
                            grouped(n), grouped(m), way_out)};
  }
  const std::size_t operations = mechanics::count_operations(motion.equations());
  if (operations > most_operations) {
    return {"",
            fmt::format("The equations of motion are too large to print here: {} operations. {}",
                        grouped(operations), way_out)};
  }
  std::optional<expr::Result<mechanics::Setting, std::string>> setting;
  try {
    const std::atomic<bool> never = false;
    const expr::Effort until_stopped(stop != nullptr ? *stop : never);
    auto result = expr::within(most_effort, [&]() -> PageEquations {
      setting = setting_near(motion, state);
      if (!*setting) return {"", setting->error()};
      const auto formulation = info->derive(**setting);
      if (!formulation) return {"", formulation.error()};
      return {to_html_fragment(derivation(**setting, *formulation)), ""};
    });
    if (result) return *std::move(result);
    std::optional<std::string> model;
    if (setting && *setting) {
      model = expr::within(most_effort / 4,
                           [&] { return to_html_fragment(derivation_of_model(**setting)); });
    }
    return {model.value_or(""), "The equations of motion take long to derive. " + way_out};
  } catch (const expr::Effort::Spent&) {
    return {"", "The run was interrupted before the equations of motion were derived. " + way_out};
  }
}

}  // namespace dalembert::report
