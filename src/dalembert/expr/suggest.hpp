#pragma once
/// "Did you mean ...?"

#include <span>
#include <string>
#include <string_view>

namespace dalembert::expr {

/// Edits (insert, delete, replace, swap neighbours) from a to b, counted in UTF-8 characters.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `word` if it is near enough to be meant (at most a third of its length,
/// at least one edit), else empty. Ties go to the first.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// "; did you mean 'phi'?" or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// What to write for a function that other languages have and ours has not, or has under another
/// name: "; write floor(x + 1/2)". Nothing for a word that is not known.
std::string other_name_of_function(std::string_view name);

}  // namespace dalembert::expr
