#pragma once
/// Places of a program, as model::Location keeps them: the file, and the call that said something.

#include <string_view>

namespace dalembert::python {

/// For model::Location::program: the name of the file, behind which stands the call. It lives
/// forever; equal ones are the same.
const char* program_name(std::string_view file, std::string_view call);

/// The call of such a name, "s.force(...)".
std::string_view program_call(const char* program);

}  // namespace dalembert::python
