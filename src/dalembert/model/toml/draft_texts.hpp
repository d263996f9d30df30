#pragma once
/// The expressions of a draft as the texts of a file, by the names that the draft gives them: lets,
/// and what a program has asked its bodies for.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "dalembert/model/draft.hpp"

namespace dalembert::model {

/// The expressions of a draft but for those of parameters and lets, in the order of the file. What
/// describes bodies must not speak of them.
struct DraftExpressions {
  std::vector<Expr> of_bodies = {}, others = {};
};

struct DraftTexts {
  std::vector<std::string> of_bodies = {}, others = {};
  std::map<std::string, std::string> lets = {};  ///< "h", "p.x": those that are expressions
  /// Further lets, by name.
  std::vector<std::pair<std::string, std::string>> parts = {};
};

DraftTexts texts_of(const Draft& draft, const DraftExpressions& expressions);

}  // namespace dalembert::model
