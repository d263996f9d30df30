#pragma once
/// The keys of one table, [[joint]] say, read as what they are. What cannot be read has been
/// complained of and makes the whole `broken`; what is not there comes back empty.

#include <array>
#include <optional>
#include <string_view>

#include "dalembert/model/joint.hpp"
#include "dalembert/model/reader.hpp"

namespace dalembert::model {

class Fields {
 public:
  /// `title` begins sentences: "a joint".
  Fields(Reader& reader, const Value& table, std::string_view title)
      : reader_(reader), table_(table), title_(title) {}

  /// An unknown key breaks the table: what is missing then is probably what was meant by it.
  void check_keys(std::span<const std::string_view> known, std::string_view where);
  bool has(std::string_view key) const { return find(table_, key) != nullptr; }
  std::optional<Located> scalar(std::string_view key, const Place& place);
  std::optional<LocatedVector> vector(std::string_view key, const Place& place);
  /// One vector for each of two bodies.
  std::optional<std::array<LocatedVector, 2>> vectors(std::string_view key, const Place& place);
  /// An array of two things, one for each body.
  const Value* two(std::string_view key, std::string_view what);
  std::optional<bool> boolean(std::string_view key);
  std::optional<std::size_t> choice(std::string_view key, std::string_view what,
                                    std::span<const std::string_view> words);

  /// The body, in Model::bodies, that a key names; the ground is refused.
  std::size_t body(std::string_view key, Location& where);
  /// `bodies` or `body`, which is then on the ground.
  void bodies(std::array<std::optional<std::size_t>, 2>& bodies, std::array<Location, 2>& where);

  /// Complains at a key and makes the table broken.
  void refuse(std::string_view key, std::string message);
  void break_off() { broken_ = true; }
  bool is_broken() const { return broken_; }

 private:
  std::optional<std::size_t> body_named(const Value& value);

  Reader& reader_;
  const Value& table_;
  std::string_view title_;
  bool broken_ = false;
};

}  // namespace dalembert::model
