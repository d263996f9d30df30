#pragma once
/// Names of a model file for links and joints, whose own names may be anything.

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace dalembert::exchange {

class NameBook {
 public:
  /// Names that are taken from the start.
  explicit NameBook(std::set<std::string> taken) : taken_(std::move(taken)) {}

  /// `wanted` with what cannot be in a name replaced by '_' and, where that means something else
  /// already, with `suffix` or a number behind it.
  std::string give(std::string_view wanted, std::string_view suffix);

 private:
  bool is_free(const std::string& name) const;

  std::set<std::string> taken_;
};

}  // namespace dalembert::exchange
