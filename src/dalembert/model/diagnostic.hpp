#pragma once
/// What is wrong with a model, said so that its author can mend it: place, culprit, remedy.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dalembert::model {

/// The text a model was read from.
struct Source {
  std::string path;  ///< as the user wrote it
  std::string text;
};

/// A place in a source: line and column count from 1, columns and length in characters; or a line
/// of a program. Line 0: no place is known, as of a complaint about the file as a whole.
struct Location {
  int line = 0;
  int column = 0;
  int length = 0;
  const char* program = nullptr;  ///< the file of the program that said it; null: a source
};

struct Diagnostic {
  std::string message;
  Location where = {};
  std::vector<std::string> details = {};  ///< lines to print below, a way out for instance
};

/// One or more things wrong, in the order of the text. Never empty.
struct ModelError {
  std::shared_ptr<const Source> source;  ///< null for a model built by a program
  std::vector<Diagnostic> diagnostics;
};

/// The line of a text in which bytes [begin, end) stand, and below it what marks them: for texts
/// that stand in no source.
std::vector<std::string> quoted(std::string_view text, std::size_t begin, std::size_t end);

/// The whole message, ending in a newline: for each diagnostic
///
///     dumbbell.toml:14:36: error: unknown name 'phy'; did you mean 'phi'?
///        14 | kinetic = "m*(x'^2 + y'^2) + m*l^2*phy'^2/2"
///           |                                    ^^^
///
/// Lines too long for a screen are cut around the place.
std::string to_string(const ModelError& error);

}  // namespace dalembert::model
