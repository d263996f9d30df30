#pragma once
/// The keys of one table, [[joint]] say, read as what they are. What cannot be read has been
/// complained of and makes the whole `refused`; what is not there comes back empty.

#include <array>
#include <optional>
#include <string_view>

#include "dalembert/model/toml/reader.hpp"

namespace dalembert::model {

class Fields {
 public:
  /// `title` begins sentences: "a joint".
  Fields(Reader& reader, const Value& table, std::string_view title)
      : reader_(reader), table_(table), title_(title) {}

  /// An unknown key refuses the table: what is missing then is probably what was meant by it.
  void check_keys(std::span<const std::string_view> known, std::string_view where);
  bool has(std::string_view key) const { return find(table_, key) != nullptr; }
  std::optional<Formula> formula(std::string_view key);
  /// One formula, or an array of two.
  std::vector<Formula> one_or_two(std::string_view key);
  std::optional<VectorFormula> vector(std::string_view key);
  /// A vector that the table cannot do without.
  VectorFormula needed_vector(std::string_view key);
  /// One vector for each of two bodies.
  std::optional<std::array<VectorFormula, 2>> vectors(std::string_view key);
  /// An array of two things, one for each body.
  const Value* two(std::string_view key, std::string_view what);
  std::optional<bool> boolean(std::string_view key);
  std::optional<std::size_t> choice(std::string_view key, std::string_view what,
                                    std::span<const std::string_view> words);
  /// The same of the words for the values of an enumeration.
  template <class Value, std::size_t N>
  std::optional<Value> choice_of(std::string_view key, std::string_view what,
                                 const std::array<Value, N>& values) {
    std::array<std::string_view, N> words;
    for (std::size_t i = 0; i < N; ++i) words[i] = to_string(values[i]);
    const std::optional<std::size_t> chosen = choice(key, what, words);
    return chosen ? std::optional(values[*chosen]) : std::nullopt;
  }
  std::optional<Word> word(std::string_view key, std::string_view what);

  /// The name of something that expressions do not use, and `where` to speak of it.
  std::optional<Word> title(Location& where);
  /// The body that a key names; the ground is refused.
  std::optional<Word> body(std::string_view key);
  /// `bodies` or `body`, which is then on the ground.
  BodyPair bodies();

  /// Complains at a key and refuses the table.
  void refuse(std::string_view key, std::string message);
  void refuse() { refused_ = true; }
  bool is_refused() const { return refused_; }

 private:
  Reader& reader_;
  const Value& table_;
  std::string_view title_;
  bool refused_ = false;
};

}  // namespace dalembert::model
