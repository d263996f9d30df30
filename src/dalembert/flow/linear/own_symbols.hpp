#pragma once
/// Symbols of the program's own, for what tapes are asked with, and lists of them.

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <string>
#include <vector>

#include "dalembert/expr/expr.hpp"

namespace dalembert::flow {

inline std::vector<expr::Expr> own_symbols(const std::string& name, std::size_t count) {
  std::vector<expr::Expr> list;
  for (std::size_t i = 0; i < count; ++i)
    list.push_back(expr::auxiliary(fmt::format("{}.{}", name, i)));
  return list;
}

inline void append_to(std::vector<expr::Expr>& list, const std::vector<expr::Expr>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

/// Copies x to where an iterator stands, and returns where it then does.
inline std::vector<double>::iterator place(std::vector<double>::iterator at,
                                           const Eigen::VectorXd& x) {
  return std::copy(x.begin(), x.end(), at);
}

}  // namespace dalembert::flow
