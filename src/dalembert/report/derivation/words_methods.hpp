#pragma once
/// What is said of a formulation whatever the model. Internal to the folder.

#include <string_view>

#include "dalembert/report/derivation/words.hpp"

namespace dalembert::report {

/// A law in general symbols, under its heading.
struct LawWords {
  std::string_view title, number, sentence;
  std::string_view text, latex;
};

struct MethodWords {
  std::string_view name;   ///< "suslov"
  std::string_view title;  ///< "Suslov's principle"
  LawWords law;
  std::string_view heading = {};  ///< over its derivation, if not the title
};

/// Throws std::invalid_argument for a name that no formulation has.
const MethodWords& words_of(std::string_view method);

}  // namespace dalembert::report
