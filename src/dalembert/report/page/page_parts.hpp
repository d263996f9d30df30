#pragma once
/// What the documents of all pages have in common (docs/page.md). Not for the public.

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "dalembert/motion/simulate.hpp"

namespace dalembert::report {

/// "format", "program" and "headline".
nlohmann::ordered_json page_head(const std::string& headline);

/// "model". `start`, if not null, gives "initial"; of the parameters the first so many.
nlohmann::ordered_json model_json(const motion::Motion& motion, const motion::State* start,
                                  std::size_t most_parameters);

/// As the page holds it: text that is not UTF-8 is mended; what is not finite is null; `<` cannot
/// end an element.
std::string safe_text(const nlohmann::ordered_json& document);

}  // namespace dalembert::report
