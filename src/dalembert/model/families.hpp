#pragma once
/// Families and indexed statements, written out: "th[1..6]" as th1 ... th6, a statement for
/// i = 1..5 as five of them, sums as their terms.

#include <optional>
#include <string_view>

#include "dalembert/model/complaints.hpp"
#include "dalembert/model/draft.hpp"

namespace dalembert::model {

/// Characters that the statements of a model may have together once they are written out, beside
/// those that stand in it.
inline constexpr std::size_t longest_written_out = 4u << 20;

/// The draft without families, ranges and sums; nothing where it has none of them. What is wrong
/// with an index is complained of and left out: a formula is refused then, and a statement whose
/// name cannot be known leaves the draft incomplete.
std::optional<Draft> written_out(const Draft& draft, Complaints& complaints);

/// The name of a statement without the indices behind it.
std::string_view family_of(std::string_view name);

}  // namespace dalembert::model
