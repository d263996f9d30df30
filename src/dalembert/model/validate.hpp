#pragma once
/// Bounds and sentences that the reader of [simulation] and the check of a finished model share.

#include <span>
#include <string>
#include <string_view>

#include "dalembert/expr/expr.hpp"

namespace dalembert::model {

inline constexpr long largest_samples = 1'000'000'000;
inline constexpr long largest_steps = 1'000'000'000'000'000;

/// Strictly between 0 and `most`, which may be infinite; and the sentence for what is not.
bool is_between(double x, double most);
std::string between_message(std::string_view name, double most);

/// Whether the derivatives of e by the symbols are free of them. What cancels beyond the local
/// rules is not seen.
bool is_affine(const expr::Expr& e, std::span<const expr::Expr> variables);

}  // namespace dalembert::model
