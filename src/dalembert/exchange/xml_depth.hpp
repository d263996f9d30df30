#pragma once
/// A guard before XML libraries, which descend into elements by recursion.

#include <cstddef>
#include <optional>
#include <string_view>

namespace dalembert::exchange {

/// The byte at which an element opens that lies deeper than `most` others, if there is one.
/// Comments, CDATA and quoted attributes are told from elements; nothing else is checked.
std::optional<std::size_t> first_too_deep(std::string_view xml, int most);

}  // namespace dalembert::exchange
