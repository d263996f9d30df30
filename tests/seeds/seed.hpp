#pragma once
/// What the tests of worked examples share: a model of `models/` beside its reference values.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "../motion/reference_data.hpp"
#include "dalembert/dalembert.hpp"

namespace dalembert {

struct Seed {
  std::string model;  ///< of models/
  std::string data;   ///< of tests/data, without ".json"
  bool energies = true;
};

inline void PrintTo(const Seed& seed, std::ostream* out) {
  *out << seed.model;
}

inline nlohmann::json load_data(const std::string& name) {
  std::ifstream file(std::string(DALEMBERT_TEST_DATA) + "/" + name + ".json");
  if (!file) throw std::runtime_error("no test data " + name);
  return nlohmann::json::parse(file);
}

inline Motion compile_seed(const std::string& name, const CompileOptions& options = {}) {
  return compile(read_model(std::string(DALEMBERT_MODELS) + "/" + name + ".toml").value(), options)
      .value();
}

inline Eigen::VectorXd as_vector(std::span<const double> x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

inline std::vector<double> as_list(const Eigen::VectorXd& x) {
  return {x.begin(), x.end()};
}

/// |x - reference| / max(|reference|, floor), in the largest component.
inline double relative_error(const Eigen::VectorXd& x, const Eigen::VectorXd& reference,
                             double floor) {
  return (x - reference).lpNorm<Eigen::Infinity>() /
         std::max(reference.lpNorm<Eigen::Infinity>(), floor);
}

inline const char* const every_method[] = {"m-inverse", "scaled", "extended-dalembert", "weighted",
                                           "multipliers"};

/// The models with references of their own: states with every intermediate result, and
/// trajectories.
inline const Seed reference_seeds[] = {
    {"particle", "refs/u01_particle"},
    {"flat_body", "refs/g51_flat_body"},
    {"dumbbell", "refs/g52_dumbbell"},
    {"rolling_disk", "refs/g53_rolling_disk"},
    {"rotating_wire", "refs/rheonomic_rotating_wire"},
    {"appell_hamel", "refs/nonlinear_appell_hamel"},
    {"coulomb_helix", "refs/coulomb_helix"},
};

}  // namespace dalembert
