#pragma once
/// From a TOML document, or what a program says in its place, to a draft: which sections and keys
/// there are, and what kind of value each takes. What they mean is none of its business. Whatever
/// is complained of is left out of the draft or marked as refused in it, so that reading goes on
/// and one mistake is told once.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dalembert/model/complaints.hpp"
#include "dalembert/model/draft.hpp"
#include "dalembert/model/toml/document.hpp"

namespace dalembert::model {

struct Reader {
  explicit Reader(std::shared_ptr<const Source> source);

  TextIndex index;
  Complaints complaints;
  Draft draft;

  /// The draft of a whole document.
  void read(const Value& document);

  // Pieces of a document; each complains about what it cannot use.
  bool expect(const Value& value, Kind kind, std::string_view what);
  const std::string* string(const Value& value, std::string_view what);
  /// Complains about keys that are not among those known; `where` ends the sentence.
  void check_keys(const Value& table, std::span<const std::string_view> known,
                  std::string_view where);
  /// A number or a boolean as it is spelt.
  std::string_view literal(const Value& value) const;
  /// A number or a text; `what` is expected, "an expression".
  Formula formula(const Value& value, std::string_view what = "an expression");
  /// A text alone.
  Formula text(const Value& value, std::string_view what);
  Definition definition(const Entry& entry, std::string_view what = "an expression");
  /// An array of three formulas, or the text of a vector.
  VectorFormula vector(const Value& value);
  std::optional<Word> word(const Value& value, std::string_view what);
  /// An array of names: `list` and `item` are what is expected.
  Words words(const Entry& entry, std::string_view list, std::string_view item);
  /// What a statement is said for: `for` of its table, a range or an array of them.
  Ranges ranges(const Value& table);
  /// One of a few words; complains with the nearest.
  std::optional<std::size_t> choice(const Value& value, std::string_view what,
                                    std::span<const std::string_view> words);
  /// The place of a string's content or of any other value.
  Location content_place(const Value& value) const;

 private:
  void read_key(const Entry& entry);
  void read_coordinates(const Entry& entry);
  void read_lets(const Value& table);
  /// name = value, line by line.
  std::vector<Definition> definitions(const Value& table);
  void each_entry(const Value& table, const std::function<void(const Entry&)>& use);
  /// Tables [[key]]; false: it is something else, which has been complained of.
  bool each_table(const Value& list, std::string_view key,
                  const std::function<void(const Value&)>& use);
  /// The name of something that expressions use, a body say; nothing, and the draft is incomplete,
  /// where there is none.
  std::optional<Word> needed_name(const Value& table, std::string_view key);
  void read_energy(const Value& table);
  void read_mass_matrix(const Value& matrix);
  void read_constraint(const Value& table);
  void read_independent(const Value& table);
  void read_initial(const Value& table);
  void read_simulation(const Value& table);
  void read_body(const Value& table, std::string_view section, BodyKind kind);
  void read_inertia(const Value& value, BodyStatement& body);
  void read_solid(const Value& table, BodyStatement& body);
  TurnStatement read_turn(const Value& table);
  Orientation read_orientation(const Value& value);
  void read_joint(const Value& table);
  void read_spring(const Value& table);
  void read_point_force(const Value& table);
  void read_table(const Value& table);
  void read_event(const Value& table);
  void read_contact(const Value& table);
  void read_dry_friction(const Value& table);
  void read_view(const Value& table);
  /// Complains about a key of the whole file that slipped into a table.
  bool is_misplaced(const Entry& entry);
};

/// The entry of a table, or null.
const Entry* find(const Value& table, std::string_view key);

}  // namespace dalembert::model
