#include "dalembert/exchange/xml_depth.hpp"

#include <algorithm>

namespace dalembert::exchange {

namespace {

/// The byte behind the next `end`, or the end of the text.
std::size_t behind(std::string_view xml, std::string_view end, std::size_t from) {
  const std::size_t found = xml.find(end, from);
  return found == std::string_view::npos ? xml.size() : found + end.size();
}

/// The byte behind the `>` of a tag, quoted attributes skipped.
std::size_t behind_tag(std::string_view xml, std::size_t from) {
  for (std::size_t i = from; i < xml.size(); ++i) {
    if (xml[i] == '>') return i + 1;
    if (xml[i] == '"' || xml[i] == '\'') {
      i = xml.find(xml[i], i + 1);
      if (i == std::string_view::npos) break;
    }
  }
  return xml.size();
}

}  // namespace

std::optional<std::size_t> first_too_deep(std::string_view xml, int most) {
  int depth = 0;
  for (std::size_t i = xml.find('<'); i < xml.size(); i = xml.find('<', i)) {
    const std::string_view rest = xml.substr(i);
    if (rest.starts_with("<!--")) {
      i = behind(xml, "-->", i + 4);
    } else if (rest.starts_with("<![CDATA[")) {
      i = behind(xml, "]]>", i);
    } else if (rest.starts_with("<?")) {
      i = behind(xml, "?>", i);
    } else if (rest.starts_with("<!")) {
      i = behind(xml, ">", i);
    } else if (rest.starts_with("</")) {
      depth = std::max(0, depth - 1);
      i = behind(xml, ">", i);
    } else {
      const std::size_t end = behind_tag(xml, i + 1);
      if (xml.substr(i, end - i).ends_with("/>")) {
        i = end;
        continue;
      }
      if (++depth > most) return i;
      i = end;
    }
  }
  return std::nullopt;
}

}  // namespace dalembert::exchange
