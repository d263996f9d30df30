#pragma once
/// What is wrong with an option of the command line that is a small text of its own, shown with the
/// place:
///
///     error: --vary 'theta=unifrom(0, 1)': no distribution 'unifrom'; did you mean 'uniform'?
///         theta=unifrom(0, 1)
///               ^^^^^^^

#include <cstddef>
#include <string>

#include "dalembert/model/diagnostic.hpp"

namespace dalembert::study {

/// Bytes [begin, end) of the option's text are to blame.
model::Diagnostic option_error(const std::string& option, const std::string& text,
                               std::size_t begin, std::size_t end, const std::string& message);

}  // namespace dalembert::study
