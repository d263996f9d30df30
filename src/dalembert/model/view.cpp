#include "dalembert/model/view.hpp"

#include <array>

namespace dalembert::model {

std::string_view to_string(SolidKind kind) {
  constexpr std::array<std::string_view, 8> names{"automatic", "none", "sphere", "disk",
                                                  "cylinder",  "rod",  "box",    "ellipsoid"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view to_string(SegmentStyle style) {
  constexpr std::array<std::string_view, 3> names{"rod", "line", "spring"};
  return names[static_cast<std::size_t>(style)];
}

std::string_view to_string(ArrowKind kind) {
  constexpr std::array<std::string_view, 4> names{"applied", "ideal", "nonideal", "other"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace dalembert::model
