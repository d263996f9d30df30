#include "dalembert/study/parts/rebuilt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "dalembert/expr/parse.hpp"
#include "dalembert/motion/request.hpp"

namespace dalembert::study {

namespace {

using expr::Failure;
using Json = nlohmann::json;

/// The first thing that is wrong, in a sentence of its own.
std::string sentence(const model::ModelError& error) {
  return error.diagnostics.front().message;
}

/// An initial value as it was given: a number, or an expression of parameters.
expr::Result<expr::Expr, std::string> initial_value(const std::string& text,
                                                    const model::Model& model) {
  const auto parsed = expr::parse(
      text, [&](std::string_view name, int primes) -> expr::Result<expr::Expr, std::string> {
        const bool known = primes == 0 && std::ranges::any_of(model.parameters, [&](const auto& p) {
                             return p.name == name && !model::is_internal(p);
                           });
        if (known) return expr::parameter(name);
        return Failure{fmt::format("unknown name '{}'", name)};
      });
  if (!parsed) return Failure{parsed.error().message};
  return *parsed;
}

class Reader {
 public:
  Reader(const Json& document, const std::string& name) : document_(document), name_(name) {}

  expr::Result<Study, std::string> read() const {
    auto model = model::read_model_text(document_.at("model").at("text").get<std::string>(),
                                        document_.at("model").value("file", name_));
    if (!model) return Failure{sentence(model.error())};
    std::map<std::string, std::string> settings, at;
    if (document_.contains("set")) document_.at("set").get_to(settings);
    if (document_.contains("at")) document_.at("at").get_to(at);
    std::vector<std::pair<std::string, expr::Expr>> initial;
    for (const auto& [coordinate, text] : at) {
      auto value = initial_value(text, *model);
      if (!value) return Failure{value.error()};
      initial.emplace_back(coordinate, *std::move(value));
    }
    auto plan = make_plan(*model, {settings, document_.at("method").get<std::string>(),
                                   document_.at("vary").get<std::vector<std::string>>(),
                                   document_.at("seed").get<std::uint64_t>(), std::move(initial)});
    if (!plan) return Failure{sentence(plan.error())};
    auto simulation = motion::requested_options(request(), plan->motion());
    if (!simulation) return Failure{simulation.error().sentence};
    if (!document_.contains("max_step")) simulation->max_step = HUGE_VAL;
    std::shared_ptr<const RunSensitivities> sensitivities;
    if (document_.contains("sensitivity")) {
      auto made = RunSensitivities::make(
          *model, *plan, settings, document_.at("sensitivity").get<std::vector<std::string>>());
      if (!made) return Failure{sentence(made.error())};
      sensitivities = *std::move(made);
    }
    auto statistics = statistics_of(
        *plan, document_.at("statistics").get<std::vector<std::string>>(), sensitivities.get());
    if (!statistics) return Failure{sentence(statistics.error())};
    const Json& samples = document_.at("samples");
    return Study{*std::move(plan),
                 document_.at("runs").get<std::uint64_t>(),
                 *std::move(simulation),
                 *std::move(statistics),
                 samples.is_object() && samples.at("kept").get<bool>(),
                 std::move(settings),
                 "dalembert " DALEMBERT_VERSION,
                 std::move(at),
                 std::move(sensitivities)};
  }

 private:
  motion::SimulationRequest request() const {
    motion::SimulationRequest request;
    request.duration = document_.at("duration").get<double>();
    request.rtol = document_.at("rtol").get<double>();
    request.atol = document_.at("atol").get<double>();
    request.integrator = document_.at("integrator").get<std::string>();
    if (document_.contains("max_step")) request.max_step = document_.at("max_step").get<double>();
    const Json& samples = document_.at("samples");
    if (!samples.is_object()) return request;
    if (samples.contains("times")) {
      request.times = samples.at("times").get<std::vector<double>>();
    } else {
      request.samples = samples.at("count").get<double>();
    }
    return request;
  }

  const Json& document_;
  const std::string& name_;
};

}  // namespace

expr::Result<Study, std::string> study_from_manifest(const std::string& text,
                                                     const std::string& name) {
  const Json document = Json::parse(text, nullptr, false);
  const std::string program = "dalembert " DALEMBERT_VERSION;
  if (!document.is_object() || !document.contains("program") ||
      !document.at("program").is_string()) {
    return Failure{fmt::format("'{}' is not the description of a study", name)};
  }
  const std::string theirs = document.at("program").get<std::string>();
  if (theirs != program) {
    return Failure{
        fmt::format("'{}' was written by {}, and this is {}: its results may differ in "
                    "the last bits; use that version",
                    name, theirs, program)};
  }
  try {
    auto study = Reader(document, name).read();
    if (!study) return Failure{fmt::format("'{}': {}", name, study.error())};
    if (const auto differs = difference(text, manifest(*study))) {
      return Failure{fmt::format("'{}' is not as this program writes it: {}", name, *differs)};
    }
    return study;
  } catch (const Json::exception&) {
    return Failure{fmt::format("'{}' is not the description of a study", name)};
  }
}

}  // namespace dalembert::study
