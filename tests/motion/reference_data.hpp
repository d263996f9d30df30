#pragma once

/// Reads the reference data of tests/data/refs: numbers are strings, decimal or "p/q", and are
/// rounded once to double.

#include <Eigen/Core>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace dalembert::reference {

inline nlohmann::json load(const std::string& name) {
  const std::string path = std::string(DALEMBERT_TEST_DATA) + "/refs/" + name + ".json";
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return nlohmann::json::parse(file);
}

inline double number(const nlohmann::json& value) {
  if (value.is_number()) return value.get<double>();
  const auto text = value.get<std::string>();
  const auto slash = text.find('/');
  if (slash == std::string::npos) return std::stod(text);
  return std::stod(text.substr(0, slash)) / std::stod(text.substr(slash + 1));
}

inline Eigen::VectorXd vector(const nlohmann::json& values) {
  Eigen::VectorXd x(static_cast<Eigen::Index>(values.size()));
  for (Eigen::Index i = 0; i < x.size(); ++i) x(i) = number(values[static_cast<std::size_t>(i)]);
  return x;
}

inline Eigen::MatrixXd matrix(const nlohmann::json& rows) {
  const auto columns = static_cast<Eigen::Index>(rows.empty() ? 0 : rows[0].size());
  Eigen::MatrixXd X(static_cast<Eigen::Index>(rows.size()), columns);
  for (Eigen::Index i = 0; i < X.rows(); ++i)
    X.row(i) = vector(rows[static_cast<std::size_t>(i)]).transpose();
  return X;
}

}  // namespace dalembert::reference
