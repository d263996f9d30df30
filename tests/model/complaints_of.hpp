#pragma once
/// What is wrong with a model, one complaint a line: "line:column+length message", or "program:
/// message" where it was said by a program.

#include <dalembert/model/model.hpp>

#include <string>

namespace dalembert::model {

inline std::string complaint_lines(const std::vector<Diagnostic>& diagnostics) {
  std::string lines;
  for (const Diagnostic& d : diagnostics) {
    lines += d.where.program != nullptr
                 ? "program: "
                 : std::to_string(d.where.line) + ":" + std::to_string(d.where.column) + "+" +
                       std::to_string(d.where.length) + " ";
    lines += d.message + "\n";
  }
  return lines;
}

inline std::string complaints_of(const std::string& text) {
  const auto model = read_model_text(text, "model.toml");
  return model ? "" : complaint_lines(model.error().diagnostics);
}

/// A good model of two coordinates, to which tests add; six lines.
inline const std::string plane = R"(coordinates = ["x", "y"]
[parameters]
m = 2
k = "m/4"
[energy]
kinetic = "m*(x'^2 + y'^2)/2"
)";

}  // namespace dalembert::model
