#pragma once
/// From a draft to a model: names are looked up, expressions parsed, statements put together, and
/// every rule judged, in one pass over the sections in the order in which they need each other.
/// Whatever is complained of is left out of the model or put right in it, so that the assembly goes
/// on and one mistake is told once.

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "dalembert/expr/parse.hpp"
#include "dalembert/model/assembly/lookup.hpp"
#include "dalembert/model/draft.hpp"
#include "dalembert/model/formula_places.hpp"

namespace dalembert::model {

class InitialValues;

/// Place and orientation in the frame that a body is given in.
struct BodyPose {
  Vector position = {};
  Turn turn = {};
  Vector center = {};
  std::vector<std::array<Expr, 4>> quaternions = {};
  /// Of `turn` only the gimbal is wanted: its rotation and its spin stay what they are.
  bool only_gimbal = false;
};

struct Assembly {
  /// `complaints` are those that there are about the draft already.
  Assembly(const Draft& draft, Complaints complaints);

  /// What nodes (see InitialValues) follow from the angular velocity of which body.
  std::vector<std::pair<std::size_t, std::string>> rates_from_spins;
  Complaints complaints;
  std::optional<Draft> without_indices;  ///< what is said, where that has indices
  const Draft& draft;
  Names names;
  Lets lets;
  Model model;

  /// All of the model but for the last rules.
  void run();
  /// The rules for a model as a whole.
  void judge();
  /// Only names, and what they stand for.
  void run_names();
  /// Only what initial values depend on, and they themselves.
  void run_initial();

 private:
  /// Where a let comes from: a place to complain at, and how to complain at the very name in it.
  struct LetSource {
    Location where;
    std::string owner;  ///< whose name is broken if the let is
    std::function<void()> complain;
  };
  /// A body on its way: what is said of it, and what is known so far.
  struct BodyAtWork {
    const BodyStatement* said = nullptr;
    std::string frame = {};  ///< the body in whose frame it is given; empty: ground
    bool broken = false;
    std::size_t quaternions = 0;  ///< that move, as far as known when its lets were made
  };

  // Mathematics; nothing where there is something to complain of.
  std::optional<Expr> expression(const Formula& formula, const Place& place,
                                 LetUse use = LetUse::value);
  std::optional<Vector> vector(const VectorFormula& formula, const Place& place,
                               LetUse use = LetUse::value);
  /// Why a symbol may not stand in a place, unknown names included.
  std::optional<std::string> objection_to(const expr::Symbol& symbol, const Place& place) const;
  /// The expression of a program, with what its joints tell in the place of "pin.fx".
  std::optional<Expr> with_joints(const Formula& formula, const Place& place, LetUse use);
  /// One equation, or three between vectors.
  std::optional<std::vector<expr::Equation>> equations(const ConstraintStatement& constraint);
  std::optional<std::vector<expr::Equation>> equations(const Formula& text, const Place& place);
  /// A number, or an expression of numbers.
  std::optional<double> number_in(const Formula& formula, std::string_view what);
  std::optional<long> whole_number(const Formula& formula, std::string_view what, long least,
                                   long most);
  template <class Parse>
  auto parse(const Formula& formula, const Place& place, LetUse use, Parse parse_text)
      -> std::optional<std::decay_t<decltype(*parse_text({}, {}))>>;
  std::optional<expr::Value> number_or_vector(const Formula& formula, const Place& place,
                                              LetUse use);
  /// The same with its place; the rest of what is said is in vain where it cannot be read.
  std::optional<Located> located(const std::optional<Formula>& formula, const Place& place,
                                 bool& good);
  std::optional<LocatedVector> located(const std::optional<VectorFormula>& formula,
                                       const Place& place, bool& good);
  void points_at(const std::optional<std::array<VectorFormula, 2>>& said, const Place& place,
                 bool& good, std::array<LocatedVector, 2>& points);

  // Names.
  void declare_names();
  void declare_coordinates();
  void declare_tables();
  std::shared_ptr<const expr::Table> table_of(const TableStatement& said);
  void declare_bodies();
  void unknown_coordinate(std::string_view name, Location where);

  // Sections.
  void assemble_parameters();
  void order_parameters();
  /// Lets, and the poses of bodies, of which lets and other bodies may be made.
  void assemble_lets();
  void find_vectors();
  /// The source of all lets that have none yet.
  void lets_come_from(const LetSource& source);
  void define_let(const LetStatement& let, DepthFirst& walk);
  bool complete_let(std::size_t let);
  void report_circle(std::string_view what, const std::vector<std::size_t>& circle,
                     const std::function<std::string(std::size_t)>& name,
                     const std::function<Location(std::size_t)>& where);
  void define_pose(BodyAtWork& body, DepthFirst& walk);
  std::optional<BodyPose> pose_of(const BodyStatement& said, LetUse use, bool only_gimbal = false);
  bool add_orientation(const Orientation& orientation, LetUse use, BodyPose& pose);
  bool add_turn(const TurnStatement& said, LetUse use, BodyPose& pose);
  bool add_quaternion(const TurnStatement& said, LetUse use, BodyPose& pose);
  /// From the lets to Model::bodies, with the constraints of quaternions.
  void assemble_bodies();
  void assemble_mass(const BodyStatement& said, Body& body);
  void assemble_inertia(const BodyStatement& said, Body& body);
  void assemble_solid(const SolidStatement& said, Body& body);
  void assemble_gravity();
  void assemble_energy();
  void assemble_lagrangian(const Formula& said);
  void assemble_mass_matrix();
  /// The energies of the bodies join those that are said.
  void add_bodies_to_energy();
  /// Joints with their constraints and reactions; springs, which join the energies; forces at
  /// points, which join the forces.
  void assemble_joints();
  bool assemble_joint(const JointStatement& said);
  void assemble_spring(const SpringStatement& said, std::size_t number);
  void assemble_point_force(const PointForceStatement& said, std::size_t number);
  std::optional<std::size_t> body_named(const Word& name, bool& good);
  void bodies_named(const BodyPair& said, std::array<std::optional<std::size_t>, 2>& bodies,
                    std::array<Location, 2>& where, bool& good);
  void assemble_components(const std::vector<Definition>& said, const Place& place,
                           std::vector<Located>& components);
  std::vector<std::string> servo_inputs(const Words& said, const std::string& constraint);
  void assemble_constraints();
  /// Contacts, dry friction and events, in this order.
  void assemble_instants();
  void declare_contacts();
  void assemble_contact(const ContactStatement& said, const std::string& name,
                        const TouchRow& of_shapes);
  std::vector<TouchRow> touches(const ContactStatement& said, const std::string& name);
  void assemble_dry_friction(const DryFrictionStatement& said, const std::string& name);
  void assemble_event(const EventStatement& said, const std::string& name, bool is_new);
  /// Left minus right of what an event waits for.
  std::optional<Located> watched(const EventStatement& said);
  std::optional<Event::Set> set_by_event(const Definition& said, const std::string& event);
  std::vector<Located> slips(const std::vector<Formula>& said, bool& good);
  /// The parameters that stand for the reactions in use.
  void declare_reactions();
  void assemble_named(const std::vector<Definition>& said, std::string_view what,
                      const Place& place, std::vector<Named>& result);
  void assemble_independent();
  void assemble_initial();
  // Angular velocities of bodies, "disk.wx", which become rates of their orientations.
  struct Spin {
    std::array<std::pair<Expr, const Definition*>, 3> parts = {};
    bool broken = false;
  };
  using Spins = std::map<std::string, Spin>;
  /// A rate that follows from a spin, and the determinant by which it is divided.
  struct SpinRate {
    std::size_t node = 0;
    Expr determinant = 0;
    std::string body = {};
    Location where = {};
  };
  /// False: it is none.
  bool take_spin(const Definition& said, Spins& spins);
  void resolve_spin(const std::string& body, const Spin& spin,
                    const std::vector<std::size_t>& given, InitialValues& values,
                    std::vector<SpinRate>& rates);
  void place_spin_rates(const std::vector<SpinRate>& rates, InitialValues& values);
  /// The coordinates whose velocities stand in a vector.
  std::vector<std::size_t> rates_in(const Vector& v) const;
  /// `given` are the nodes (see InitialValues) with a value of their own.
  void assemble_hold(const Words& said, const std::vector<std::size_t>& given);
  void assemble_mu();
  /// What a let says, with markers for other lets in it.
  std::vector<Expr> values_of(const LetStatement& said);
  /// Constraints whose multipliers lets name: they were not known yet when the lets were read.
  void check_multipliers_of_lets();
  void assemble_simulation();
  void assemble_times(bool duration_known);
  void assemble_view();
  void require_positive(const Expr& e, std::string_view what, Location where);
  std::optional<Expr> positive(const std::optional<Formula>& formula, std::string_view key,
                               bool& good);
  /// A title as it is said, or its number, with `prefix` before it.
  std::string title_of(const std::optional<Word>& name, std::string_view what,
                       std::string_view prefix, std::size_t number);
  void check_shows_text(const Word& text, std::string_view what, std::string_view allowed,
                        std::string& target);

  FormulaPlaces formula_places;
  std::set<std::pair<int, int>> told_places;  ///< places in formulas with indices that are wrong
  JointValues joint_values;
  ForceNames force_names;
  std::vector<const Definition*> parameters;  ///< discrete values and inputs
  std::vector<std::vector<TouchRow>>
      contact_rows;  ///< by statement; of one without bodies one, empty
  std::vector<std::vector<std::string>> contact_names;  ///< of them; empty: taken already
  std::vector<std::string> dry_friction_names;          ///< likewise
  std::vector<const LetStatement*> let_statements;
  std::vector<LetSource> let_sources;
  std::vector<BodyAtWork> bodies;
  std::unordered_map<std::string, std::size_t> body_numbers;  ///< in Model::bodies
  std::vector<const JointStatement*> joints;
  Vector gravity = {};
  bool body_refused = false;  ///< because of its name
};

/// The model of a draft about which there may be complaints already.
Result<Model, ModelError> assemble(std::shared_ptr<const Draft> draft, Complaints complaints);

}  // namespace dalembert::model
