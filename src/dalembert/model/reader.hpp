#pragma once
/// What the sections of a model file share while it is read. Whatever is reported is left out of
/// the model or put right in it, so that reading goes on and one mistake is told once.

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dalembert/expr/parse.hpp"
#include "dalembert/model/body_source.hpp"
#include "dalembert/model/document.hpp"
#include "dalembert/model/lookup.hpp"
#include "dalembert/model/model.hpp"

namespace dalembert::model {

/// An initial value that is a parameter instead of what is written.
struct FreeInitialValue {
  std::size_t node = 0;  ///< see InitialValues
  Named parameter;
};

struct Reader {
  explicit Reader(std::shared_ptr<const Source> source);

  std::shared_ptr<const Source> source;
  TextIndex index;
  Complaints complaints;
  Names names;
  Lets lets;
  JointValues joint_values;
  Model model;
  std::vector<FreeInitialValue> free_initial;

  /// The model of a whole document.
  void read(const Value& document);

  // Pieces of a document; each complains about what it cannot use.
  bool expect(const Value& value, Kind kind, std::string_view what);
  const std::string* string(const Value& value, std::string_view what);
  /// Complains about keys that are not among those known; `where` ends the sentence.
  void check_keys(const Value& table, std::span<const std::string_view> known,
                  std::string_view where);
  std::optional<Expr> expression(const Value& value, const Place& place,
                                 LetUse use = LetUse::value);
  /// One equation, or three between vectors.
  std::optional<std::vector<expr::Equation>> equations(const Value& value, const Place& place);
  /// An array of three expressions, or an expression whose value is a vector.
  std::optional<Vector> vector(const Value& value, const Place& place, LetUse use = LetUse::value);
  /// A number, or an expression of numbers.
  std::optional<double> number_in(const Value& value, std::string_view what);
  std::optional<long> whole_number(const Value& value, std::string_view what, long least,
                                   long most);
  /// One of a few words; complains with the nearest.
  std::optional<std::size_t> choice(const Value& value, std::string_view what,
                                    std::span<const std::string_view> words);
  /// The place of a string's content or of any other value.
  Location content_place(const Value& value) const;

  // Sections.
  void read_key(const Entry& entry);
  void read_coordinates(const Entry* entry);
  /// The entries of a table whose names are free, now declared.
  std::vector<const Entry*> declare(const Value& table, NameKind kind);
  void read_parameters(const std::vector<const Entry*>& declared);
  /// Lets, and the geometry of bodies, which is kept in lets of its own.
  void read_lets(const std::vector<const Entry*>& declared);
  void declare_bodies(const Value& document);
  /// From the lets to Model::bodies, with the constraints of quaternions.
  void finish_bodies();
  void read_gravity(const Value& value);
  /// The energies of the bodies join those that are written.
  void add_bodies_to_energy();
  void declare_joints(const Value& list);
  /// Joints with their constraints and reactions; springs, which join the energies; forces at
  /// points, which join [forces].
  void read_joints();
  void read_springs(const Value& list);
  void read_point_forces(const Value& list);
  void read_energy(const Value& table);
  void read_mass_matrix(const Value& matrix);
  void read_components(const Value& table, const Place& place, std::vector<Located>& components);
  void read_constraints(const Value& list);
  void read_quasi_velocities(const Value& table);
  void read_independent(const Value& table);
  void read_outputs(const Value& table);
  void read_initial(const Value& table);
  void read_simulation(const Value& table);
  void read_view(const Value& table);

 private:
  /// Where a let comes from: a place to complain at, and how to complain at the very name in it.
  struct LetSource {
    Location where;
    std::string owner;  ///< whose name is broken if the let is
    std::function<void()> complain;
  };

  struct JointSource {
    std::string name;
    const Value* table = nullptr;
    Location where = {};
  };

  std::optional<Expr> exact(const Value& number);
  template <class Parse>
  auto parse(const Value& value, const Place& place, LetUse use, Parse parse_text)
      -> std::optional<std::decay_t<decltype(*parse_text({}, {}))>>;
  std::optional<expr::Value> number_or_vector(const Value& value, const Place& place, LetUse use);
  void order_parameters(const std::vector<const Entry*>& declared);
  void find_vectors(const std::vector<const Entry*>& declared);
  void add_let(std::string name, LetSource from);
  void define_let(const Entry& entry, DepthFirst& walk);
  bool complete_let(std::size_t let);
  void report_circle(std::string_view what, const std::vector<std::size_t>& circle,
                     const std::function<std::string(std::size_t)>& name,
                     const std::function<Location(std::size_t)>& where);

  void add_body_lets(const BodySource& written);
  void define_body_lets(BodySource& written, DepthFirst& walk);
  std::optional<BodyPose> read_pose(const BodySource& written, LetUse use);
  bool read_orientation(const Value& value, LetUse use, BodyPose& pose);
  bool read_turn(const Value& table, LetUse use, BodyPose& pose);
  /// Tables [[key]].
  bool expect_tables(const Value& list, std::string_view key);
  bool read_joint(const JointSource& written);
  /// The name of something that expressions do not use: as written, or its number.
  std::string title_of(const Value& table, std::string_view key, std::size_t number,
                       Location& where);
  void read_mass(const BodySource& written, Body& body);
  void read_inertia(const BodySource& written, Body& body);
  void read_solid(const BodySource& written, Body& body);
  /// Complains about a key of the whole file that slipped into a table.
  bool is_misplaced(const Entry& entry);
  void unknown_coordinate(std::string_view name, Location where);
  void read_mu(const Value& table);
  /// `given` are the nodes (see InitialValues) with a value of their own.
  void read_hold(const Entry& entry, const std::vector<std::size_t>& given);
  void read_times(const Value& list, const Entry* duration);

  /// Of all constraints that are written, whether or not they could be read.
  std::vector<std::string> constraint_names;
  std::vector<LetSource> let_sources;
  std::vector<BodySource> body_sources;
  std::vector<JointSource> joint_sources;
  std::optional<Vector> gravity;
  bool body_refused = false;  ///< because of its name
};

/// What a body, a particle or a frame may say of its drawing.
inline constexpr std::array<std::string_view, 6> drawn_keys = {"shape",     "radius", "length",
                                                               "thickness", "size",   "axis"};

/// The entry of a table, or null.
const Entry* find(const Value& table, std::string_view key);

}  // namespace dalembert::model
