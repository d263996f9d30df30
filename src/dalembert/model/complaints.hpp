#pragma once
/// What is found wrong while a model is read or checked.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dalembert/model/diagnostic.hpp"

namespace dalembert::model {

class Complaints {
 public:
  void add(Location where, std::string message, std::vector<std::string> details = {}) {
    found_.push_back({std::move(message), where, std::move(details)});
  }

  /// "; did you mean 'phi'?" or nothing. Searching many names for many words would take forever, so
  /// all searches together share a budget, enough for every complaint that will be shown.
  std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

  bool empty() const { return found_.empty(); }

  /// In the order of the text, those about the model as a whole first.
  std::vector<Diagnostic> take();

 private:
  std::vector<Diagnostic> found_;
  std::size_t budget_ = 20'000'000;
};

/// "a spring", "an arrow".
std::string with_article(std::string_view noun);

/// 'name', cut when it is too long to show.
std::string in_quotes(std::string_view name);

/// The first characters of a text, with "..." when there are more.
std::string shortened(std::string_view text, std::size_t characters);

}  // namespace dalembert::model
