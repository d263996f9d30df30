#pragma once
/// A model as it is being said: one typed value that a file, a program and the Python package fill,
/// that can be read back, changed and written, and that `assemble` turns into a Model.
///
///     file ──read_draft──►  Draft  ──assemble──►  Model
///     System ──────────────►  │  ──to_toml──►  file
///
/// A draft is a list of statements, each with its origin. It knows the form of what is said, not
/// its meaning: names are not looked up, expressions not parsed, nothing is compared with anything
/// else. All of that is judged once, by `assemble`, which reports everything that is wrong together
/// and each thing where it was said.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dalembert/expr/indices.hpp"
#include "dalembert/expr/parse.hpp"
#include "dalembert/expr/result.hpp"
#include "dalembert/expr/table.hpp"
#include "dalembert/model/joint.hpp"
#include "dalembert/model/kinematics.hpp"
#include "dalembert/model/model.hpp"
#include "dalembert/model/touching.hpp"

namespace dalembert::model {

/// Mathematics as its author gave it: the text or the number of a file, an expression of a program.
struct Formula {
  /// `refused`: what stands there is no mathematics and has been complained of. It takes part in
  /// nothing, and nothing more is said about it.
  enum class Form : std::uint8_t { refused, text, number, expression };

  Form form = Form::refused;
  std::string text = {};   ///< of a text; of a number as it is spelt, "0.10"
  Expr expr = 0;           ///< of a program
  Location where = {};     ///< of the text, without quotes
  Location literal = {};   ///< with them
  std::size_t offset = 0;  ///< where the literal begins in Draft::source, in bytes
  /// How the text came out of the one in the source, where sums and indices were written out.
  std::shared_ptr<const expr::WrittenOut> written = {};

  Formula() = default;
  Formula(const Expr& e, Location place = {})
      : form(Form::expression), expr(e), where(place), literal(place) {}
};

/// Three formulas, or one whose value is a vector. None: refused.
struct VectorFormula {
  std::vector<Formula> parts = {};
  Location where = {};

  VectorFormula() = default;
  VectorFormula(const Vector& v, Location place = {});
};

/// A name, or another text that is no mathematics.
struct Word {
  std::string text = {};
  Location where = {};
};

struct Words {
  std::vector<Word> items = {};
  Location where = {};   ///< of the list
  Location key = {};     ///< of what it is called
  bool refused = false;  ///< something in it was no name and has been complained of
};

/// What a statement is said for, each of "i = 1..5": once for every value of i. Its name and its
/// formulas may use i.
using Ranges = std::vector<Word>;

/// name = value. The name may have indices: "th[2]", "x[i = 1..6]", and "th[i]" for a whole family.
struct Definition {
  std::string name = {};
  Location where = {};  ///< of the name
  Formula value = {};
};

/// name = a number or a vector
struct LetStatement {
  std::string name = {};
  Location where = {};
  VectorFormula value = {};  ///< of one part: what it is follows from what stands in it
};

/// One step of an orientation, from the axes that the ones before it have led to.
struct TurnStatement {
  enum class Form : std::uint8_t {
    refused,
    axes,        ///< about the axes that `letters` name, by `angles`: "zxz" and three of them
    axis,        ///< about `axis`, by one angle
    quaternion,  ///< four components, in `angles`
    given        ///< `turn`, as a program worked it out; a file cannot say this
  };

  Form form = Form::refused;
  std::string letters = {};
  std::vector<Formula> angles = {};
  VectorFormula axis = {};
  Turn turn = {};
  Location where = {};
};
using Orientation = std::vector<TurnStatement>;

/// Three principal moments, which is one row, or a matrix.
struct InertiaStatement {
  std::vector<VectorFormula> rows = {};
  Location where = {};
};

/// How a body is drawn.
struct SolidStatement {
  SolidKind kind = SolidKind::automatic;
  std::optional<Formula> radius = {};
  std::optional<Definition> length = {};  ///< under the name `length` or `thickness`
  std::optional<VectorFormula> size = {}, axis = {};
  Location where = {};
};

struct BodyStatement {
  BodyKind kind = BodyKind::body;
  std::string name = {};
  Location where = {};             ///< of the name
  std::optional<Word> frame = {};  ///< the body in whose axes the rest is said
  std::optional<VectorFormula> position = {}, center = {};
  std::optional<Orientation> orientation = {};
  std::optional<Formula> mass = {};
  std::optional<InertiaStatement> inertia = {};
  std::optional<SolidStatement> solid = {};
  bool refused = false;  ///< a part that is needed has been complained of
  Ranges over = {};
};

/// The bodies of a joint or a spring: two names, of bodies or of the ground. Empty: one that has
/// been complained of.
using BodyPair = std::array<std::optional<Word>, 2>;

struct FrictionStatement {
  Formula mu = {};
  std::optional<Formula> radius = {}, slip = {};
  Location where = {};
  std::optional<Formula> static_mu = {};
};

/// As in JointSpec, which says what the parts are.
struct JointStatement {
  std::string name = {};
  Location where = {};
  JointKind kind = JointKind::ball;
  BodyPair bodies = {};
  std::optional<std::array<VectorFormula, 2>> points = {};
  std::array<std::optional<VectorFormula>, 2> axes = {}, references = {};
  bool one_axis = false;  ///< said once for both bodies
  std::optional<std::array<Orientation, 2>> frames = {};
  Location frames_where = {};
  std::optional<VectorFormula> normal = {}, semi_axes = {};
  std::optional<Formula> length = {}, motion = {}, radius = {};
  std::optional<Shape> shape = {};
  bool contact = true;
  std::optional<FrictionStatement> friction = {};
  bool refused = false;
  Ranges over = {};
};

/// As in SpringSpec. A name is a title; without one, its number is.
struct SpringStatement {
  std::optional<Word> name = {};
  Location where = {};
  std::optional<Word> joint = {};  ///< instead of bodies and points
  BodyPair bodies = {};
  std::optional<std::array<VectorFormula, 2>> points = {};
  std::optional<Formula> stiffness = {}, damping = {}, rest = {};
  bool refused = false;
  Ranges over = {};
};

/// As in PointForceSpec.
struct PointForceStatement {
  std::optional<Word> name = {};
  Location where = {};
  std::optional<Word> body = {};
  std::optional<VectorFormula> point = {}, force = {}, torque = {};
  bool in_body_axes = false;
  bool refused = false;
  Ranges over = {};
};

/// A function F(s) by points. A file is read with its model: its numbers stand here.
struct TableStatement {
  std::string name = {};
  Location where = {};  ///< of the name
  std::vector<Formula> x = {}, y = {};
  Location x_where = {}, y_where = {};
  std::vector<double> read_x = {}, read_y = {};  ///< from a file
  bool is_read = false;
  expr::Interpolation interpolation = expr::Interpolation::linear;
  expr::Outside outside = expr::Outside::hold;
  bool refused = false;
};

struct ConstraintStatement {
  std::optional<Word> name = {};  ///< without one: "constraint N", N its number among all
  Location where = {};
  std::optional<Formula> equation = {};  ///< a text with its `=`; of a program, the left side
  std::optional<Expr> right_side = {};   ///< of a program
  std::optional<Formula> weight = {};
  std::optional<Words> by = {};  ///< the inputs that enforce it, in place of an ideal reaction
  Ranges over = {};
};

/// As in Event, which says what the parts are.
struct EventStatement {
  std::optional<Word> name = {};  ///< without one: "event N", N its number among all
  Location where = {};
  std::optional<Formula> when = {};     ///< a text with or without `=`; of a program, the left side
  std::optional<Expr> right_side = {};  ///< of a program
  std::optional<Formula> every = {};    ///< instead of `when`
  std::optional<Event::Direction> direction = {};
  Location direction_where = {};     ///< of its key
  std::vector<Definition> set = {};  ///< of "x", "x'" and discrete values
  bool stop = false;
  bool refused = false;
  Ranges over = {};
};

/// As in Contact; with `bodies` instead of gap and slip as in TouchSpec.
struct ContactStatement {
  std::optional<Word> name = {};  ///< without one: "contact N"
  Location where = {};
  std::optional<Formula> gap = {}, restitution = {};
  std::optional<BodyPair> bodies = {};
  std::optional<std::array<VectorFormula, 2>> points = {};
  std::optional<VectorFormula> normal = {}, axis = {}, semi_axes = {}, size = {};
  std::optional<TouchShape> shape = {};
  std::optional<Formula> radius = {}, length = {};
  std::optional<ImpactLaw> impact = {};
  std::optional<Formula> friction = {}, static_friction = {};
  std::vector<Formula> slip = {};
  bool refused = false;
  Ranges over = {};
};

/// As in DryFriction.
struct DryFrictionStatement {
  std::optional<Word> name = {};  ///< without one: "friction N"
  Location where = {};
  std::vector<Formula> slip = {};
  std::optional<Formula> limit = {}, static_limit = {};
  bool refused = false;
  Ranges over = {};
};

/// `lagrangian` instead of the kinetic and the potential energy.
struct EnergyStatement {
  std::optional<Formula> kinetic = {}, potential = {}, dissipation = {};
  std::optional<Formula> lagrangian = {};
  Location where = {};
};

struct InitialStatement {
  std::vector<Definition> values = {};  ///< of "x" and "x'"
  std::optional<Adjust> adjust = {};
  std::vector<Definition> mu = {};  ///< by constraint
  std::optional<Words> hold = {};
  Location where = {};
};

/// Numbers are formulas without names in them.
struct SimulationStatement {
  std::optional<Definition> duration = {}, samples = {}, rtol = {}, atol = {}, rank_tolerance = {},
                            max_step = {}, max_steps = {};
  std::optional<std::vector<Formula>> times = {};
  Location times_where = {}, times_key = {};
  std::optional<Word> method = {}, integrator = {}, precision = {};
  std::optional<Project> project = {};
  std::optional<bool> multipliers = {};
};

struct ViewPointStatement {
  std::optional<Word> name = {};
  Location where = {};
  VectorFormula at = {};
  std::optional<Formula> radius = {}, mass = {};
  bool trail = true;
  bool refused = false;
  Ranges over = {};
};

struct ViewSegmentStatement {
  std::optional<Word> name = {};
  Location where = {};
  VectorFormula from = {}, to = {};
  SegmentStyle style = SegmentStyle::rod;
  std::optional<Formula> radius = {};
  bool refused = false;
  Ranges over = {};
};

struct ViewArrowStatement {
  std::optional<Word> name = {};
  Location where = {};
  VectorFormula at = {}, vector = {};
  ArrowKind kind = ArrowKind::other;
  bool refused = false;
  Ranges over = {};
};

struct ViewStatement {
  std::optional<char> up = {};  ///< 'y' or 'z'; absent: against gravity
  int up_sign = 1;
  std::optional<Formula> ground = {};
  bool no_ground = false;
  std::vector<ViewPointStatement> points = {};
  std::vector<ViewSegmentStatement> segments = {};
  std::vector<ViewArrowStatement> arrows = {};
};

struct Draft {
  Word name = {}, description = {};
  /// Whole numbers that indices and their ranges may use.
  std::vector<Definition> sizes = {};
  std::optional<Words> coordinates = {};  ///< "x", and families: "th[1..6]"
  std::vector<Definition> parameters = {};
  std::vector<Definition> discretes = {};  ///< parameters that events change
  std::vector<Definition> inputs = {};     ///< parameters that are set from outside
  std::vector<TableStatement> tables = {};
  std::vector<LetStatement> lets = {};
  std::optional<VectorFormula> gravity = {};
  std::vector<BodyStatement> bodies = {};
  std::optional<EnergyStatement> energy = {};
  std::vector<std::vector<Formula>> mass_matrix = {};
  std::vector<Definition> forces = {}, virtual_work = {};  ///< by coordinate
  std::vector<JointStatement> joints = {};
  std::vector<SpringStatement> springs = {};
  std::vector<PointForceStatement> point_forces = {};
  std::vector<ConstraintStatement> constraints = {};
  std::vector<EventStatement> events = {};
  std::vector<ContactStatement> contacts = {};
  std::vector<DryFrictionStatement> dry_frictions = {};
  std::vector<Definition> quasi_velocities = {}, outputs = {};
  std::optional<Words> independent = {};
  std::optional<InitialStatement> initial = {};
  SimulationStatement simulation = {};
  ViewStatement view = {};

  std::shared_ptr<const Source> source = {};  ///< null for a draft of a program
  /// A program has said or changed some of it: the text of the source says something else.
  bool is_of_program = false;
  /// What expressions of the program may be called in a file, by texts such as "disk.x".
  std::vector<Definition> shown = {};
  /// Something that may have said names could not be read and has been complained of: names that
  /// are not known are no news then.
  bool incomplete = false;
};

/// Reads a model file as far as its form: TOML, the sections and keys there are, what kind of
/// value each takes.
Result<Draft, ModelError> read_draft(const std::string& path);

/// The same from text; `name` stands for the path in messages.
Result<Draft, ModelError> read_draft_text(std::string text, const std::string& name);

/// The model that a draft describes, or all that is wrong with it, in the order of the text. The
/// model keeps the draft.
Result<Model, ModelError> assemble(const Draft& draft);

/// The draft as a model file of the same meaning: reading it gives the same model, body by body of
/// one kind and with the same expressions. What a file cannot say is told: orientations that the
/// program worked out by itself. Lets are added where expressions of the program say the same thing
/// over and over.
Result<std::string, ModelError> to_toml(const Draft& draft);

/// The text of a model: that of its source, or, where a program has a hand in it, what `to_toml`
/// writes; empty where a file cannot say it.
std::string text_of(const Model& model);

/// What a name stands for, in coordinates, parameters and time. A joint has no value; bodies are
/// not among them, see Model::bodies.
struct Meaning {
  std::string name;
  std::optional<expr::Value> value;
};

/// The names of a draft that can be assembled, in their order.
std::vector<Meaning> meanings(const Draft& draft);

}  // namespace dalembert::model
