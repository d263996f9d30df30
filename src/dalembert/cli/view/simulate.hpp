#pragma once
/// The answer to one request, line by line (docs/page.md).

#include <string>

#include "dalembert/cli/view/job.hpp"
#include "dalembert/cli/view/workbench.hpp"

namespace dalembert::cli {

/// Computes what the job asks for and hands it its lines. Whatever goes wrong, memory included,
/// becomes its last line; nothing is thrown.
void simulate_for_page(Job& job, Workbench& bench) noexcept;

/// {"error": {"text", "diagnostics": [...]}} without an end of line.
std::string error_json(const model::ModelError& error,
                       const std::vector<std::string>& unknown = {});
std::string error_json(const std::string& message);

}  // namespace dalembert::cli
