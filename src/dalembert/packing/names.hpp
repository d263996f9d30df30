#pragma once
/// Names of a model as other languages take them.

#include <set>
#include <string>
#include <string_view>

namespace dalembert::packing {

/// A name as an identifier of C (and Python and JavaScript): Greek letters are spelled out, a prime
/// is _dot and a double one _ddot, other signs become _, other letters uXXXX; a word that one of
/// the languages keeps for itself gets a _ at its end. Depends on the name alone.
std::string identifier(std::string_view name);

/// Names that are in use. `take` gives a name that is not: NAME, NAME_2, NAME_3 ... in the order of
/// asking.
class NameBook {
 public:
  std::string take(std::string name, std::string_view separator = "_");

 private:
  std::set<std::string> used_;
};

/// For a string literal of C (and Python and JavaScript), without its quotes; for XML; for a comment
/// of C.
std::string literal_text(std::string_view text);
std::string xml_text(std::string_view text);
std::string comment_text(std::string_view text);

}  // namespace dalembert::packing
