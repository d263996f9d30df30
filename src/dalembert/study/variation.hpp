#pragma once
/// What varies from run to run, and how: `theta=uniform(0.8, 1.4)`, `m=[1, 2, 3]`.
///
/// Lists, `linspace` and `logspace` make a grid, the Cartesian product of their values, the first
/// variation slowest; run i has cell i mod G of it. Random variations are drawn anew for each run,
/// and belong to it (random.hpp).

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dalembert/expr/parse.hpp"
#include "dalembert/model/model.hpp"

namespace dalembert::study {

enum class Law { list, linspace, logspace, uniform, loguniform, normal };

struct Variation {
  std::string name;  ///< of a parameter, of a coordinate (`theta`) or a velocity (`theta'`)
  Law law = Law::list;
  std::vector<double> values;  ///< of a list
  double a = 0, b = 0;         ///< ends; mean and standard deviation of a normal distribution
  std::uint64_t count = 1;     ///< values of a list, linspace or logspace
};

inline constexpr std::uint64_t most_runs = 1'000'000'000;

inline bool is_random(const Variation& v) {
  return v.law == Law::uniform || v.law == Law::loguniform || v.law == Law::normal;
}

/// Value number i of a variation that is not random.
double grid_value(const Variation& variation, std::uint64_t i);

/// The value of a random variation, the j-th of the study, in a run.
double drawn_value(const Variation& variation, std::uint64_t seed, std::uint64_t run,
                   std::uint32_t j);

/// G, the product of the counts of the variations that are not random; most_runs + 1 if it is more
/// than that.
std::uint64_t grid_size(std::span<const Variation> variations);

/// All values of a run, one a variation.
void values_of_run(std::span<const Variation> variations, std::uint64_t seed, std::uint64_t run,
                   std::span<double> values);

/// "theta = uniform(0.8, 1.4)": the same text for the same variation, numbers in full.
std::string to_string(const Variation& variation);

/// The text before the first `=`, without blanks. Fails where there is none.
expr::Result<std::string, model::Diagnostic> varied_name(const std::string& text);

/// A number that stands in a variation, as text.
using Number = std::function<expr::Result<double, expr::ParseError>(std::string_view)>;

/// `text` is all of NAME=SPEC.
expr::Result<Variation, model::Diagnostic> read_variation(const std::string& text,
                                                          const Number& number);

}  // namespace dalembert::study
