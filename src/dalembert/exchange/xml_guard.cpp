#include "dalembert/exchange/xml_guard.hpp"

#include <fmt/format.h>

namespace dalembert::exchange {

namespace {

constexpr std::string_view white = " \t\r\n";

class XmlGuard {
 public:
  explicit XmlGuard(std::string_view xml) : xml_(xml) {}

  std::optional<XmlObjection> run() {
    while (!objection_ && (at_ = xml_.find('<', at_)) != std::string_view::npos) {
      const std::string_view rest = xml_.substr(at_);
      if (rest.starts_with("<!--")) {
        skip("<!--", "-->", "this comment is not closed by -->");
      } else if (rest.starts_with("<![CDATA[")) {
        skip("<![CDATA[", "]]>", "this CDATA section is not closed by ]]>");
      } else if (rest.starts_with("<?")) {
        instruction();
      } else if (rest.starts_with("<!")) {
        document_type();
      } else if (rest.starts_with("</")) {
        closing_tag();
      } else {
        opening_tag();
      }
    }
    return std::move(objection_);
  }

 private:
  void object(std::size_t begin, std::size_t end, std::string message) {
    objection_ = XmlObjection{begin, end, std::move(message)};
  }

  void skip(std::string_view begin, std::string_view end, const char* otherwise) {
    const std::size_t found = xml_.find(end, at_ + begin.size());
    if (found == std::string_view::npos) return object(at_, at_ + begin.size(), otherwise);
    at_ = found + end.size();
  }

  /// The quotation mark that closes the one at `i`, which begins the value of an attribute: both
  /// parsers then take what stands between for a value. Nothing after an objection.
  std::optional<std::size_t> closing_mark(std::size_t i) {
    const std::size_t before = xml_.find_last_not_of(white, i - 1);
    const std::size_t closed = xml_.find(xml_[i], i + 1);
    if (xml_[before] != '=') {
      object(i, i + 1, "this quotation mark does not begin the value of an attribute");
    } else if (closed == std::string_view::npos) {
      object(i, i + 1, "this quotation is not closed");
    } else {
      return closed;
    }
    return std::nullopt;
  }

  /// XML ends it with "?>"; TinyXML with the first '>', within quotes or not by what it says.
  void instruction() {
    for (std::size_t i = at_ + 2; i < xml_.size(); ++i) {
      if (xml_[i] == '"' || xml_[i] == '\'') {
        const auto closed = closing_mark(i);
        if (!closed) return;
        const std::size_t angle = xml_.substr(0, *closed).find_first_of("<>", i);
        i = angle == std::string_view::npos ? *closed : angle;
      }
      if (xml_[i] != '<' && xml_[i] != '>') continue;
      if (xml_[i] == '>' && xml_[i - 1] == '?' && i > at_ + 2) {
        at_ = i + 1;
        return;
      }
      return object(
          i, i + 1,
          fmt::format("'{}' within a processing instruction, which ends with ?>", xml_[i]));
    }
    object(at_, at_ + 2, "this processing instruction is not closed by ?>");
  }

  /// TinyXML ends it with the first '>', whatever stands in brackets and quotes before.
  void document_type() {
    const std::size_t end = xml_.find_first_of("<>[]", at_ + 2);
    if (end == std::string_view::npos) return object(at_, at_ + 2, "this is not closed by '>'");
    if (xml_[end] != '>') {
      return object(end, end + 1,
                    fmt::format("'{}' within <!...>: a document type with declarations of its own "
                                "is not read; remove it",
                                xml_[end]));
    }
    for (std::size_t i = at_; i < end; ++i) {
      if (xml_[i] != '"' && xml_[i] != '\'') continue;
      const std::size_t closed = xml_.find(xml_[i], i + 1);
      if (closed > end) return object(i, i + 1, "this quotation is not closed before '>'");
      i = closed;
    }
    at_ = end + 1;
  }

  void closing_tag() {
    const std::size_t end = xml_.find_first_of("<>", at_ + 2);
    if (end == std::string_view::npos || xml_[end] == '<')
      return object(at_, at_ + 2, "this closing tag has no '>'");
    if (depth_ == 0) return object(at_, end + 1, "this closes an element that was not opened");
    --depth_;
    at_ = end + 1;
  }

  void opening_tag() {
    const auto first = static_cast<unsigned char>(at_ + 1 < xml_.size() ? xml_[at_ + 1] : 0);
    const bool letter = (first | 0x20U) >= 'a' && (first | 0x20U) <= 'z';
    if (!letter && first != '_' && first < 0x80)
      return object(at_, at_ + 1, "'<' begins no element here; in a text it is written &lt;");
    int attributes = 0;
    for (std::size_t i = at_ + 1; i < xml_.size(); ++i) {
      const char c = xml_[i];
      if (c == '<') return object(at_, at_ + 1, "this tag has no '>'");
      if (c == '>') {
        if (xml_[i - 1] != '/' && ++depth_ > deepest_element)
          return object(at_, at_ + 1,
                        fmt::format("elements are nested more than {} deep", deepest_element));
        at_ = i + 1;
        return;
      }
      if (c == '=' && ++attributes > most_attributes)
        return object(i, i + 1,
                      fmt::format("an element with more than {} attributes", most_attributes));
      if (c != '"' && c != '\'') continue;
      const auto closed = closing_mark(i);
      if (!closed) return;
      i = *closed;
    }
    object(at_, at_ + 1, "this tag has no '>'");
  }

  std::string_view xml_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::optional<XmlObjection> objection_;
};

}  // namespace

std::optional<XmlObjection> objection_to_xml(std::string_view xml) {
  return XmlGuard(xml).run();
}

}  // namespace dalembert::exchange
