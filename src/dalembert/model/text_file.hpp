#pragma once
/// A text file as a whole, for what reads files written by people.

#include <string>

#include "dalembert/expr/result.hpp"
#include "dalembert/model/diagnostic.hpp"

namespace dalembert::model {

/// Its bytes, at most one more than `most`, so that the caller can see that it is too long. Fails
/// with the reason where there is no such file, it is a directory, or it cannot be read.
expr::Result<std::string, ModelError> read_text_file(const std::string& path, std::size_t most);

/// A complaint about a file as a whole.
ModelError whole_file(const std::string& path, std::string message);

}  // namespace dalembert::model
