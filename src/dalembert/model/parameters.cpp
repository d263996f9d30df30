// Numbers for the parameters.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <unordered_map>

#include "dalembert/expr/evaluate.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/expr/indices.hpp"
#include "dalembert/expr/parse.hpp"
#include "dalembert/model/assembly/depth_first.hpp"
#include "dalembert/model/complaints.hpp"
#include "dalembert/model/draft.hpp"
#include "dalembert/model/families.hpp"
#include "dalembert/model/model.hpp"

namespace dalembert::model {

namespace {

class Evaluation {
 public:
  explicit Evaluation(const Model& model) : model_(model), settings_(model.parameters.size()) {
    for (const Named& parameter : model.parameters) {
      index_.emplace(parameter.name, definitions_.size());
      names_.push_back(parameter.name);
      if (!is_internal(parameter)) given_.push_back(parameter.name);
      definitions_.push_back(parameter.expr);
    }
  }

  void set(const std::string& said, const std::string& text) {
    const std::string name = expr::spelt_out(said);
    const std::string setting =
        fmt::format("--set {}={}: ", shortened(name, 60), shortened(text, 60));
    const auto found = index_.find(name);
    if (found == index_.end() && is_coordinate(name)) {
      wrong_settings_.add(
          {}, fmt::format("{}{} is a coordinate; --set gives values to parameters; say where a "
                          "coordinate starts with --at \"{}={}\", or in [initial]",
                          setting, in_quotes(name), shortened(name, 60), shortened(text, 60)));
      return;
    }
    if (const LetStatement* let = found == index_.end() ? find_let(name) : nullptr) {
      wrong_settings_.add({}, setting + let_objection(*let));
      return;
    }
    if (found == index_.end() && is_size(name)) {
      wrong_settings_.add(
          {},
          fmt::format("{}{} is a size: it decides what the model consists of; change it in [sizes]",
                      setting, in_quotes(name)));
      return;
    }
    if (found == index_.end() || is_internal(model_.parameters[found->second])) {
      wrong_settings_.add({}, fmt::format("{}unknown parameter {}{}", setting, in_quotes(name),
                                          wrong_settings_.did_you_mean(name, given_)));
      return;
    }
    const auto resolve = [this](std::string_view used, int primes) {
      return meaning(used, primes);
    };
    auto parsed = expr::parse(text, resolve);
    if (!parsed) {
      wrong_settings_.add({}, setting + parsed.error().message);
      return;
    }
    definitions_[found->second] = *std::move(parsed);
    settings_[found->second] = setting;
  }

  Result<std::vector<double>, ModelError> run() {
    if (wrong_settings_.empty()) evaluate_all();
    if (!wrong_settings_.empty()) return Failure{ModelError{nullptr, wrong_settings_.take()}};
    if (!wrong_values_.empty()) return Failure{ModelError{model_.source, wrong_values_.take()}};
    return std::move(values_);
  }

 private:
  /// A coordinate or a rate of one.
  bool is_coordinate(std::string_view name) const {
    while (name.ends_with('\'')) name.remove_suffix(1);
    return std::find(model_.coordinates.begin(), model_.coordinates.end(), name) !=
           model_.coordinates.end();
  }

  bool is_size(std::string_view name) const {
    return model_.draft && std::any_of(model_.draft->sizes.begin(), model_.draft->sizes.end(),
                                       [&](const Definition& size) { return size.name == name; });
  }

  const LetStatement* find_let(std::string_view name) {
    if (!model_.draft) return nullptr;
    if (!lets_) {
      Complaints none;
      const auto without_indices = written_out(*model_.draft, none);
      lets_ = without_indices ? without_indices->lets : model_.draft->lets;
    }
    const std::vector<LetStatement>& lets = *lets_;
    const auto found = std::find_if(lets.begin(), lets.end(),
                                    [&](const LetStatement& let) { return let.name == name; });
    return found == lets.end() ? nullptr : &*found;
  }

  /// Why a let cannot be set: what it is, and the parameters that it is made of, through other lets
  /// too.
  std::string let_objection(const LetStatement& let) {
    std::vector<std::string> parameters;
    std::vector<const LetStatement*> inside{&let};
    for (std::size_t i = 0; i < inside.size(); ++i) {
      for (const Formula& part : inside[i]->value.parts) {
        if (part.form != Formula::Form::text) continue;
        for (const std::string_view name : expr::names_in(part.text)) {
          const std::string word(name);
          const LetStatement* other = find_let(name);
          if (other != nullptr && std::find(inside.begin(), inside.end(), other) == inside.end())
            inside.push_back(other);
          if (index_.contains(word) &&
              std::find(parameters.begin(), parameters.end(), word) == parameters.end())
            parameters.push_back(word);
        }
      }
    }
    std::string made_of;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      made_of += i == 0 ? "" : i + 1 == parameters.size() ? " and " : ", ";
      made_of += shortened(parameters[i], 60);
    }
    const bool is_text =
        let.value.parts.size() == 1 && let.value.parts.front().form == Formula::Form::text;
    return fmt::format("{} is a let{}; --set gives values to parameters, {}", in_quotes(let.name),
                       is_text ? ", " + shortened(let.value.parts.front().text, 100) : "",
                       made_of.empty() ? "and there is none in it" : "of which it has " + made_of);
  }

  Result<Expr, std::string> meaning(std::string_view name, int primes) {
    if (!index_.contains(std::string(name))) {
      return Failure{fmt::format("unknown parameter {}{}", in_quotes(name),
                                 wrong_settings_.did_you_mean(name, given_))};
    }
    if (primes > 0)
      return Failure{fmt::format("{} is a parameter; it has no rate", in_quotes(name))};
    return expr::parameter(name);
  }

  void evaluate_all() {
    values_.assign(definitions_.size(), std::nan(""));
    const auto needs = [this](std::size_t i) {
      std::vector<std::size_t> found;
      for (const Expr& s : expr::symbols(std::span(&definitions_[i], 1)))
        found.push_back(index_of(s.symbol()));
      return found;
    };
    DepthFirst walk(definitions_.size(), needs, [this](std::size_t i) { return evaluate_one(i); });
    for (std::size_t i = 0; i < definitions_.size(); ++i) report(walk.visit(i));
  }

  std::size_t index_of(const expr::Symbol& symbol) const {
    const auto found = index_.find(symbol.name);
    if (symbol.kind != expr::SymbolKind::parameter || found == index_.end()) {
      throw std::invalid_argument("a parameter depends on '" + symbol.name +
                                  "', which is not a parameter");
    }
    return found->second;
  }

  bool evaluate_one(std::size_t i) {
    const auto value = [this](const expr::Symbol& s) { return values_[index_of(s)]; };
    values_[i] = expr::evaluate(definitions_[i], value);
    if (std::isfinite(values_[i])) return true;
    const std::string message =
        fmt::format("parameter {} is {}; it must be finite", in_quotes(names_[i]), values_[i]);
    if (settings_[i].empty()) {
      wrong_values_.add(model_.parameters[i].where, message);
    } else {
      wrong_settings_.add({}, settings_[i] + message);
    }
    return false;
  }

  void report(const std::vector<std::size_t>& circle) {
    if (circle.empty()) return;
    std::string setting;
    std::vector<std::string> along;
    for (const std::size_t i : circle) {
      along.push_back(shortened(names_[i], 60));
      if (setting.empty()) setting = settings_[i];
    }
    wrong_settings_.add({}, fmt::format("{}parameter {} depends on itself: {}", setting,
                                        in_quotes(along.front()), circle_text(along)));
  }

  const Model& model_;
  std::optional<std::vector<LetStatement>> lets_;  ///< without indices, once they are asked for
  std::vector<std::string> names_;
  std::vector<std::string> given_;  ///< of those that may be set
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<Expr> definitions_;
  std::vector<std::string> settings_;  ///< how a replaced value is announced, by parameter
  std::vector<double> values_;
  Complaints wrong_settings_;
  Complaints wrong_values_;
};

}  // namespace

bool is_internal(const Named& parameter) {
  return parameter.name.find('.') != std::string::npos;
}

Result<std::vector<double>, ModelError> parameter_values(
    const Model& model, const std::map<std::string, std::string>& settings) {
  Evaluation evaluation(model);
  for (const auto& [name, text] : settings) evaluation.set(name, text);
  return evaluation.run();
}

double evaluate(const Expr& e, const Model& model, const std::vector<double>& parameters) {
  if (parameters.size() != model.parameters.size()) {
    throw std::invalid_argument("one value is needed for each parameter of the model");
  }
  std::unordered_map<std::string_view, double> values;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    values.emplace(model.parameters[i].name, parameters[i]);
  return expr::evaluate(e, [&](const expr::Symbol& s) {
    const auto found = values.find(s.name);
    if (s.kind != expr::SymbolKind::parameter || found == values.end()) {
      throw std::invalid_argument("'" + s.name + "' is not a parameter of the model");
    }
    return found->second;
  });
}

}  // namespace dalembert::model
