#pragma once
/// What the bench's programs have in common: each is a process that holds one system in one
/// library and answers requests, one line of JSON each, on standard input.
///
///     {"do": "prepare", ...}             -> {"values": [...], ...}  what is computed at the state
///                                           given, for the comparison between programs
///     {"do": "time", "seconds": 0.02}    -> {"seconds": 1.2e-6, "calls": 16000}  of one item
///
/// A request that cannot be met is answered by {"error": "why"}. The driver (benches/run.py) asks
/// two programs in turn, so that what disturbs the machine disturbs both.

#include <exception>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "timing.hpp"

namespace dalembert::bench {

using Json = nlohmann::json;

/// Something ready to be timed.
struct Prepared {
  std::function<void()> work;
  std::function<void()> overhead = {};  ///< what each call does before the work; taken off
  double items = 1;                     ///< how many each call of `work` computes
  std::vector<double> values;           ///< what it computes, in an order all programs agree on
  Json notes = Json::object();
};

using Prepare = std::function<Prepared(const Json& request)>;

/// Answers until standard input ends.
inline int serve(const Prepare& prepare) {
  Prepared prepared;
  long calls = 0;
  for (std::string line; std::getline(std::cin, line);) {
    Json answer;
    try {
      const Json request = Json::parse(line);
      const double slice = request.value("seconds", 0.02);
      if (request.at("do") == "prepare") {
        prepared = prepare(request);
        calls = 0;
        answer = prepared.notes;
        answer["values"] = prepared.values;
      } else if (request.at("do") == "time") {
        if (calls == 0) calls = calibrate(prepared.work, slice);
        double seconds = time_slice(prepared.work, calls);
        if (prepared.overhead) seconds -= time_slice(prepared.overhead, calls);
        answer["seconds"] = seconds / prepared.items;
        answer["calls"] = calls;
      } else {
        answer["error"] = "unknown request";
      }
    } catch (const std::exception& problem) {
      answer = {{"error", problem.what()}};
    }
    std::cout << answer.dump() << std::endl;
  }
  return 0;
}

}  // namespace dalembert::bench
