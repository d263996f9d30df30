#pragma once
/// The C around the tapes, inside the program: the files of packing/sources. They are C with two
/// kinds of gaps: `model_`, `MODEL_` and `@model@`, where the name of the model goes, and comments
/// /*@GAP@*/, where text made for the model goes.

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace dalembert::packing {

struct Template {
  std::string_view name;  ///< of the file
  std::string_view text;
};
std::span<const Template> templates();

/// The template of that name with its gaps filled; a gap that is not given stays empty. The texts
/// that fill gaps have names of the model in them already.
std::string fill(std::string_view name, const std::string& prefix,
                 const std::map<std::string, std::string>& gaps);

}  // namespace dalembert::packing
