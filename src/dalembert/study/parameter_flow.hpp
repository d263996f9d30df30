#pragma once
/// How parameters follow others: a parameter written as an expression of one that varies is
/// computed anew for each run.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dalembert/model/model.hpp"

namespace dalembert::study {

class ParameterFlow {
 public:
  /// `settings` as in --set, and known to be right (model::parameter_values took them); `varied`
  /// are numbers of parameters.
  ParameterFlow(const model::Model& model, const std::map<std::string, std::string>& settings,
                std::span<const std::size_t> varied);

  /// Whether a parameter varies, or is computed from one that does.
  bool varies(std::size_t parameter) const { return varies_[parameter]; }
  /// Whether an expression of parameters does.
  bool varies(const expr::Expr& e) const;

  /// Puts in those that follow; `parameters` holds the varied values and, for the others, those of
  /// the model. Says which one is not finite, if one is not.
  std::optional<std::string> complete(std::vector<double>& parameters) const;

 private:
  struct Step {
    std::size_t parameter;
    expr::Expr definition;
  };
  std::size_t index_of(const expr::Symbol& symbol) const;

  std::vector<std::string> names_;
  std::map<std::string, std::size_t, std::less<>> index_;
  std::vector<bool> varies_;
  std::vector<Step> steps_;  ///< each after those it needs
};

}  // namespace dalembert::study
