#pragma once
/// A guard before TinyXML, which descends into elements by recursion, compares every attribute of
/// an element with all before it, and has its own view of what is not an element.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace dalembert::exchange {

inline constexpr int deepest_element = 100;
inline constexpr int most_attributes = 64;  ///< of one element

struct XmlObjection {
  std::size_t begin = 0, end = 0;  ///< bytes
  std::string message;
};

/// The first place of a text that TinyXML must not be given, if there is one: elements nested too
/// deep, too many attributes, and whatever could be read in two ways, so that this guard would
/// count other elements than the parser finds: what is not closed, a '>' within a processing
/// instruction, declarations within a document type, a '<' that begins nothing. Linear in the text.
std::optional<XmlObjection> objection_to_xml(std::string_view xml);

}  // namespace dalembert::exchange
