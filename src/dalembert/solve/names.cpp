#include "dalembert/solve/names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dalembert::solve {

std::string quoted_list(std::span<const std::string> names) {
  constexpr std::size_t most = 6;
  const std::size_t shown = std::min(names.size(), most);
  const bool cut = shown < names.size();
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == shown && !cut;
    if (i > 0) text += last ? " and " : ", ";
    text += fmt::format("'{}'", names[i]);
  }
  if (cut) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

}  // namespace dalembert::solve
