#pragma once
/// Bounds and sentences that the reader of [simulation] and the check of a finished model share.

#include <string>
#include <string_view>

namespace dalembert::model {

inline constexpr long largest_samples = 1'000'000'000;
inline constexpr long largest_steps = 1'000'000'000'000'000;

/// Strictly between 0 and `most`, which may be infinite; and the sentence for what is not.
bool is_between(double x, double most);
std::string between_message(std::string_view name, double most);

}  // namespace dalembert::model
