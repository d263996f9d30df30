#pragma once
/// What an open page asks for, read from JSON that anybody may have written: what is not as it
/// should be is refused with a sentence.

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "dalembert/expr/result.hpp"

namespace dalembert::cli {

/// A motion of a model text. Numbers are finite; what they are worth is for the model to say.
struct SimulateRequest {
  std::string text;
  std::map<std::string, double> parameters;
  std::map<std::string, double> initial;  ///< "theta", "theta'"
  std::optional<double> duration, samples, rtol, atol;
  std::optional<std::string> method, integrator;
  bool equations = true;
};

struct SaveRequest {
  std::string text;
  bool replace = false;  ///< also what another program has written meanwhile
};

expr::Result<SimulateRequest, std::string> read_simulate_request(std::string_view body);
expr::Result<SaveRequest, std::string> read_save_request(std::string_view body);

}  // namespace dalembert::cli
