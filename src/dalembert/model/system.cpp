#include "dalembert/model/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include "dalembert/model/assembly/assembly.hpp"
#include "dalembert/model/assembly/lets.hpp"
#include "dalembert/model/energy_of_bodies.hpp"
#include "dalembert/model/table.hpp"

namespace dalembert::model {

namespace {

Location place_of(const System::Caller& at) {
  if (at.line() == 0) return {};
  return {static_cast<int>(at.line()), 0, 0, at.file_name()};
}

/// The statement of a name, replaced in its place or added.
template <class Statement>
void say(std::vector<Statement>& statements, Statement said) {
  const auto found =
      std::find_if(statements.begin(), statements.end(), [&](const Statement& other) {
        if constexpr (requires { said.name->text; }) {
          return other.name->text == said.name->text;
        } else {
          return other.name == said.name;
        }
      });
  if (found == statements.end()) {
    statements.push_back(std::move(said));
  } else {
    *found = std::move(said);
  }
}

/// A name for what has none: its number, which no other has.
template <class Statement>
Word title_of(const std::string& name, std::string_view prefix,
              const std::vector<Statement>& statements, Location at) {
  if (!name.empty()) return {name, at};
  for (std::size_t number = statements.size() + 1;; ++number) {
    Word title{fmt::format("{}{}", prefix, number), at};
    if (std::none_of(statements.begin(), statements.end(),
                     [&](const Statement& other) { return other.name->text == title.text; }))
      return title;
  }
}

std::optional<Formula> said(const std::optional<Located>& value, Location at) {
  return value ? std::optional(Formula(value->expr, at)) : std::nullopt;
}

std::optional<Formula> said(const std::optional<Expr>& value, Location at) {
  return value ? std::optional(Formula(*value, at)) : std::nullopt;
}

std::optional<VectorFormula> said(const std::optional<LocatedVector>& value, Location at) {
  return value ? std::optional(VectorFormula(value->vector, at)) : std::nullopt;
}

std::optional<std::array<VectorFormula, 2>> said(const std::array<LocatedVector, 2>& points,
                                                 Location at) {
  if (points[0].vector.is_zero() && points[1].vector.is_zero()) return std::nullopt;
  return std::array{VectorFormula(points[0].vector, at), VectorFormula(points[1].vector, at)};
}

TurnStatement said(const Turn& turn, Location at) {
  TurnStatement statement;
  statement.form = TurnStatement::Form::given;
  statement.turn = turn;
  statement.where = at;
  return statement;
}

InertiaStatement said(const Matrix& inertia, Location at) {
  InertiaStatement statement;
  statement.where = at;
  for (const auto& row : inertia.m)
    statement.rows.push_back(VectorFormula(Vector{row[0], row[1], row[2]}, at));
  return statement;
}

Formula number(double x) {
  Formula formula;
  formula.form = Formula::Form::number;
  formula.text = fmt::format("{}", x);
  return formula;
}

/// What differs from what goes without saying.
SimulationStatement said(const Simulation& simulation) {
  const Simulation usual;
  SimulationStatement statement;
  const auto add = [](std::string_view name, double value, double otherwise,
                      std::optional<Definition>& definition) {
    if (value != otherwise) definition = Definition{std::string(name), {}, number(value)};
  };
  const bool has_times = !simulation.times.empty();
  if (!has_times && !same(simulation.duration.expr, usual.duration.expr))
    statement.duration = Definition{"duration", {}, Formula(simulation.duration.expr)};
  if (!has_times) add("samples", simulation.samples, usual.samples, statement.samples);
  add("rtol", simulation.rtol, usual.rtol, statement.rtol);
  add("atol", simulation.atol, usual.atol, statement.atol);
  add("rank_tolerance", simulation.rank_tolerance, usual.rank_tolerance, statement.rank_tolerance);
  add("max_step", simulation.max_step, usual.max_step, statement.max_step);
  add("max_steps", static_cast<double>(simulation.max_steps), static_cast<double>(usual.max_steps),
      statement.max_steps);
  if (has_times) {
    statement.times.emplace();
    for (const double t : simulation.times) statement.times->push_back(number(t));
  }
  if (simulation.method != usual.method) statement.method = Word{simulation.method, {}};
  if (simulation.integrator != usual.integrator)
    statement.integrator = Word{simulation.integrator, {}};
  if (simulation.precision != usual.precision) statement.precision = Word{simulation.precision, {}};
  if (simulation.project != usual.project) statement.project = simulation.project;
  if (simulation.multipliers) statement.multipliers = true;
  return statement;
}

ViewStatement said(const View& view, char up_by_gravity) {
  ViewStatement statement;
  if (view.up != up_by_gravity || view.up_sign != 1) statement.up = view.up;
  statement.up_sign = view.up_sign;
  statement.ground = said(view.ground, {});
  statement.no_ground = view.no_ground;
  for (const ViewPoint& point : view.points)
    statement.points.push_back({Word{point.name, point.where}, point.where, point.at,
                                said(point.radius, {}), said(point.mass, {}), point.trail});
  for (const ViewSegment& segment : view.segments)
    statement.segments.push_back({Word{segment.name, segment.where}, segment.where, segment.from,
                                  segment.to, segment.style, said(segment.radius, {})});
  for (const ViewArrow& arrow : view.arrows)
    statement.arrows.push_back(
        {Word{arrow.name, arrow.where}, arrow.where, arrow.at, arrow.vector, arrow.kind});
  return statement;
}

}  // namespace

System::System(std::string name) {
  draft_.name.text = std::move(name);
  draft_.coordinates.emplace();
}

Expr System::coordinate(std::string_view name, Caller at) {
  std::vector<Word>& all = draft_.coordinates->items;
  if (std::none_of(all.begin(), all.end(), [&](const Word& other) { return other.text == name; }))
    all.push_back({std::string(name), place_of(at)});
  return expr::coordinate(name);
}

std::vector<Expr> System::family(std::string_view name, long first, long last, Caller at) {
  if (first < 0) throw std::invalid_argument("the index of a name must not be negative");
  std::vector<Expr> members;
  for (long i = first; i <= last; ++i)
    members.push_back(coordinate(expr::indexed_name(name, std::span(&i, 1)), at));
  return members;
}

Expr System::parameter(std::string_view name, const Expr& value, Caller at) {
  const Location where = place_of(at);
  say(draft_.parameters, {std::string(name), where, Formula(value, where)});
  return expr::parameter(name);
}

Expr System::input(std::string_view name, const Expr& value, Caller at) {
  const Location where = place_of(at);
  say(draft_.inputs, {std::string(name), where, Formula(value, where)});
  return expr::parameter(name);
}

System::Function System::table(std::string name, const std::vector<double>& x,
                               const std::vector<double>& y, expr::Interpolation interpolation,
                               expr::Outside outside, Caller at) {
  if (const std::string reason = table_objection(x, y); !reason.empty())
    throw std::invalid_argument(fmt::format("table '{}': {}", name, reason));
  TableStatement said;
  said.name = name;
  said.where = place_of(at);
  said.read_x = x;
  said.read_y = y;
  said.is_read = true;
  said.interpolation = interpolation;
  said.outside = outside;
  say(draft_.tables, std::move(said));
  return Function(expr::Table::through(std::move(name), x, y, interpolation, outside));
}

Expr System::discrete(std::string_view name, const Expr& start, Caller at) {
  const Location where = place_of(at);
  say(draft_.discretes, {std::string(name), where, Formula(start, where)});
  return expr::parameter(name);
}

System& System::description(std::string text) {
  draft_.description.text = std::move(text);
  return *this;
}

System& System::kinetic(const Expr& energy, Caller at) {
  if (!draft_.energy) draft_.energy.emplace().where = place_of(at);
  draft_.energy->kinetic = Formula(energy, place_of(at));
  return *this;
}

System& System::potential(const Expr& energy, Caller at) {
  if (!draft_.energy) draft_.energy.emplace().where = place_of(at);
  draft_.energy->potential = Formula(energy, place_of(at));
  return *this;
}

System& System::lagrangian(const Expr& L, Caller at) {
  if (!draft_.energy) draft_.energy.emplace().where = place_of(at);
  draft_.energy->lagrangian = Formula(L, place_of(at));
  return *this;
}

System& System::dissipation(const Expr& rayleigh, Caller at) {
  if (!draft_.energy) draft_.energy.emplace().where = place_of(at);
  draft_.energy->dissipation = Formula(rayleigh, place_of(at));
  return *this;
}

System& System::mass_matrix(const std::vector<std::vector<Expr>>& M, Caller at) {
  draft_.mass_matrix.clear();
  for (const std::vector<Expr>& row : M) {
    std::vector<Formula>& entries = draft_.mass_matrix.emplace_back();
    for (const Expr& e : row) entries.emplace_back(e, place_of(at));
  }
  return *this;
}

Body System::add_body(const BodySpec& spec, BodyKind kind, Location at) {
  const Body* parent = nullptr;
  for (const Body& other : bodies_) {
    if (other.name == spec.frame) parent = &other;
  }
  if (!spec.frame.empty() && spec.frame != ground && parent == nullptr)
    throw std::invalid_argument(
        fmt::format("'{}' is not a body of the system '{}'", spec.frame, draft_.name.text));
  if (!spec.quaternion.empty() && spec.quaternion.size() != 4)
    throw std::invalid_argument("a quaternion has four components");
  if (parent != nullptr && parent->kind == BodyKind::particle)
    throw std::invalid_argument(fmt::format("'{}' is a particle: it has no axes", spec.frame));
  BodyStatement statement;
  statement.kind = kind;
  statement.name = spec.name;
  statement.where = at;
  if (parent != nullptr) statement.frame = Word{spec.frame, at};
  statement.position = VectorFormula(spec.position, at);
  if (!spec.center.is_zero()) statement.center = VectorFormula(spec.center, at);
  if (kind != BodyKind::frame) statement.mass = Formula(spec.mass, at);
  if (kind == BodyKind::body) statement.inertia = said(spec.inertia, at);

  Body body;
  body.name = spec.name;
  body.frame = parent == nullptr ? std::string() : spec.frame;
  body.kind = kind;
  body.mass = spec.mass;
  body.inertia = spec.inertia;
  body.center = spec.center;
  body.origin = spec.position;
  Turn turn = spec.orientation;
  if (!spec.quaternion.empty()) {
    TurnStatement quaternion;
    quaternion.form = TurnStatement::Form::quaternion;
    quaternion.where = at;
    std::array<Expr, 4> e;
    for (std::size_t i = 0; i < 4; ++i) {
      coordinate_of(spec.quaternion[i], 0);
      e[i] = spec.quaternion[i];
      quaternion.angles.emplace_back(e[i], at);
    }
    statement.orientation = Orientation{quaternion};
    turn = turn_by_quaternion(e);
  } else if (!is_identity(turn.rotation)) {
    statement.orientation = Orientation{said(turn, at)};
  }
  body.gimbal = turn.gimbal;
  body.gimbal_axes = turn.gimbal_axes;
  if (parent != nullptr) {
    body.origin = parent->origin + parent->rotation * spec.position;
    turn = Turn{parent->rotation, parent->spin, 1, {}} * turn;
  }
  body.rotation = turn.rotation;
  body.spin = turn.spin;
  body.center_of_mass = body.origin + body.rotation * body.center;
  body.velocity = expr::time_derivative(body.center_of_mass);
  say(draft_.bodies, std::move(statement));
  say(bodies_, body);
  return body;
}

Body System::body(const BodySpec& spec, Caller at) {
  return add_body(spec, BodyKind::body, place_of(at));
}

Body System::particle(std::string name, const Expr& mass, const Vector& position, std::string frame,
                      Caller at) {
  BodySpec spec;
  spec.name = std::move(name);
  spec.mass = mass;
  spec.position = position;
  spec.frame = std::move(frame);
  return add_body(spec, BodyKind::particle, place_of(at));
}

Body System::frame(std::string name, const Vector& position, const Turn& orientation,
                   std::string parent, Caller at) {
  BodySpec spec;
  spec.name = std::move(name);
  spec.position = position;
  spec.orientation = orientation;
  spec.frame = std::move(parent);
  return add_body(spec, BodyKind::frame, place_of(at));
}

System& System::gravity(const Vector& acceleration, Caller at) {
  draft_.gravity = VectorFormula(acceleration, place_of(at));
  view_.up = acts_along_y(acceleration) ? 'y' : 'z';
  return *this;
}

Vector System::point(const Body& body, const Vector& place) {
  return body.origin + body.rotation * place;
}

System& System::joint(const JointSpec& spec, Caller caller) {
  const Location at = place_of(caller);
  JointStatement joint;
  joint.name = spec.name;
  joint.where = at;
  joint.kind = spec.kind;
  joint.bodies = pair_of(spec.bodies, at);
  joint.points = said(spec.points, at);
  for (std::size_t i = 0; i < 2; ++i) {
    joint.axes[i] = said(spec.axes[i], at);
    joint.references[i] = said(spec.references[i], at);
  }
  if (spec.frames) {
    joint.frames_where = at;
    joint.frames.emplace();
    for (std::size_t i = 0; i < 2; ++i) {
      Turn turn;
      turn.rotation = (*spec.frames)[i];
      (*joint.frames)[i].push_back(said(turn, at));
    }
  }
  joint.normal = said(spec.normal, at);
  joint.semi_axes = said(spec.semi_axes, at);
  joint.length = said(spec.length, at);
  joint.motion = said(spec.motion, at);
  joint.radius = said(spec.radius, at);
  joint.shape = spec.shape;
  joint.contact = spec.contact;
  if (spec.friction)
    joint.friction =
        FrictionStatement{Formula(spec.friction->mu.expr, at), said(spec.friction->radius, at),
                          said(spec.friction->slip, at), at};
  say(draft_.joints, std::move(joint));
  return *this;
}

System& System::spring(const SpringSpec& spec, Caller caller) {
  const Location at = place_of(caller);
  SpringStatement spring;
  spring.name = title_of(spec.name, "", draft_.springs, at);
  spring.where = at;
  if (spec.joint) {
    spring.joint = Word{*spec.joint, at};
  } else {
    spring.bodies = pair_of(spec.bodies, at);
    spring.points = said(spec.points, at);
  }
  spring.stiffness = said(spec.stiffness, at);
  spring.damping = said(spec.damping, at);
  spring.rest = said(spec.rest, at);
  say(draft_.springs, std::move(spring));
  return *this;
}

System& System::point_force(const PointForceSpec& spec, Caller caller) {
  const Location at = place_of(caller);
  PointForceStatement force;
  force.name = title_of(spec.name, "", draft_.point_forces, at);
  force.where = at;
  force.body = Word{body_name(spec.body), at};
  force.point = VectorFormula(spec.point.vector, at);
  force.force = said(spec.force, at);
  force.torque = said(spec.torque, at);
  force.in_body_axes = spec.in_body_axes;
  say(draft_.point_forces, std::move(force));
  return *this;
}

std::size_t System::body_index(std::string_view name) const {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i].name == name) return i;
  }
  throw std::invalid_argument(
      fmt::format("'{}' is not a body of the system '{}'", name, draft_.name.text));
}

const std::string& System::body_name(std::size_t body) const {
  if (body < bodies_.size()) return bodies_[body].name;
  throw std::invalid_argument(fmt::format("the system '{}' has {} bodies, and no number {}",
                                          draft_.name.text, bodies_.size(), body));
}

BodyPair System::pair_of(const std::array<std::optional<std::size_t>, 2>& bodies,
                         Location at) const {
  BodyPair pair;
  for (std::size_t i = 0; i < 2; ++i)
    pair[i] = Word{bodies[i] ? body_name(*bodies[i]) : std::string(ground), at};
  return pair;
}

const std::string& System::coordinate_of(const Expr& along, int highest_order) const {
  if (!along.is(expr::Op::symbol) || along.symbol().kind != expr::SymbolKind::coordinate ||
      along.symbol().order > highest_order) {
    throw std::invalid_argument(
        fmt::format("the system '{}' expects {} here", draft_.name.text,
                    highest_order == 0 ? "a coordinate" : "a coordinate or a velocity"));
  }
  for (const Word& coordinate : draft_.coordinates->items) {
    if (coordinate.text == along.symbol().name) return coordinate.text;
  }
  throw std::invalid_argument(fmt::format("'{}' is not a coordinate of the system '{}'",
                                          along.symbol().name, draft_.name.text));
}

System& System::force(const Expr& along, const Expr& value, Caller at) {
  const Location where = place_of(at);
  draft_.forces.push_back({coordinate_of(along, 0), where, Formula(value, where)});
  return *this;
}

System& System::constrain(const std::string& name, const expr::Equation& equation, double weight,
                          Caller at) {
  const Location where = place_of(at);
  ConstraintStatement constraint;
  constraint.name = title_of(name, "constraint ", draft_.constraints, where);
  constraint.where = where;
  constraint.equation = Formula(equation.lhs, where);
  constraint.right_side = equation.rhs;
  if (weight != 1) {
    constraint.weight = number(weight);
    constraint.weight->where = where;
  }
  say(draft_.constraints, std::move(constraint));
  return *this;
}

System& System::servo(const std::string& name, const expr::Equation& equation,
                      const std::vector<Expr>& by, Caller at) {
  const Location where = place_of(at);
  ConstraintStatement constraint;
  constraint.name = title_of(name, "constraint ", draft_.constraints, where);
  constraint.where = where;
  constraint.equation = Formula(equation.lhs, where);
  constraint.right_side = equation.rhs;
  constraint.by.emplace();
  constraint.by->where = where;
  for (const Expr& input : by) {
    if (!input.is(expr::Op::symbol) || input.symbol().kind != expr::SymbolKind::parameter)
      throw std::invalid_argument("a constraint is enforced by inputs: their symbols");
    constraint.by->items.push_back({input.symbol().name, where});
  }
  say(draft_.constraints, std::move(constraint));
  return *this;
}

System& System::contact(const ContactSpec& spec, Caller caller) {
  const Location at = place_of(caller);
  ContactStatement contact;
  contact.name = title_of(spec.name, "contact ", draft_.contacts, at);
  contact.where = at;
  contact.gap = said(spec.gap, at);
  if (spec.bodies) {
    BodyPair pair;
    for (std::size_t i = 0; i < 2; ++i) {
      const std::string& body = (*spec.bodies)[i];
      pair[i] = Word{body == ground ? body : body_name(body_index(body)), at};
    }
    contact.bodies = pair;
  }
  if (spec.points)
    contact.points =
        std::array{VectorFormula((*spec.points)[0], at), VectorFormula((*spec.points)[1], at)};
  const auto vector = [&](const std::optional<Vector>& v) {
    return v ? std::optional(VectorFormula(*v, at)) : std::nullopt;
  };
  contact.normal = vector(spec.normal);
  contact.shape = spec.shape;
  contact.radius = said(spec.radius, at);
  contact.length = said(spec.length, at);
  contact.axis = vector(spec.axis);
  contact.semi_axes = vector(spec.semi_axes);
  contact.size = vector(spec.size);
  if (!spec.restitution.is_zero()) contact.restitution = Formula(spec.restitution, at);
  contact.impact = spec.impact;
  contact.friction = said(spec.friction, at);
  contact.static_friction = said(spec.static_friction, at);
  for (const Expr& slip : spec.slip) contact.slip.emplace_back(slip, at);
  say(draft_.contacts, std::move(contact));
  return *this;
}

System& System::friction(const DryFrictionSpec& spec, Caller caller) {
  const Location at = place_of(caller);
  DryFrictionStatement friction;
  friction.name = title_of(spec.name, "friction ", draft_.dry_frictions, at);
  friction.where = at;
  for (const Expr& slip : spec.slip) friction.slip.emplace_back(slip, at);
  friction.limit = Formula(spec.limit, at);
  friction.static_limit = said(spec.static_limit, at);
  say(draft_.dry_frictions, std::move(friction));
  return *this;
}

/// "x", "x'" or a discrete value, as an event's `set` has it.
std::string System::settable_name(const Expr& target) const {
  if (target.is(expr::Op::symbol) && target.symbol().kind == expr::SymbolKind::parameter)
    return target.symbol().name;  // whether it is a discrete value is judged with the rest
  std::string name = coordinate_of(target, 1);
  if (target.symbol().order == 1) name += '\'';
  return name;
}

System& System::event(const EventSpec& spec, Caller caller) {
  const Location at = place_of(caller);
  EventStatement event;
  event.name = title_of(spec.name, "event ", draft_.events, at);
  event.where = at;
  if (spec.when) {
    event.when = Formula(spec.when->lhs, at);
    event.right_side = spec.when->rhs;
  }
  if (spec.direction != Event::Direction::both) {
    event.direction = spec.direction;
    event.direction_where = at;
  }
  event.every = said(spec.every, at);
  for (const auto& [target, value] : spec.set)
    event.set.push_back({settable_name(target), at, Formula(value, at)});
  event.stop = spec.stop;
  say(draft_.events, std::move(event));
  return *this;
}

System& System::virtual_work(const Expr& along, const Expr& value, Caller at) {
  const Location where = place_of(at);
  draft_.virtual_work.push_back({coordinate_of(along, 0), where, Formula(value, where)});
  return *this;
}

InitialStatement& System::start() {
  if (!draft_.initial) draft_.initial.emplace();
  return *draft_.initial;
}

System& System::initial(const Expr& position_or_velocity, const Expr& value, Caller at) {
  const Location where = place_of(at);
  std::string name = coordinate_of(position_or_velocity, 1);
  if (position_or_velocity.symbol().order == 1) name += '\'';
  say(start().values, {std::move(name), where, Formula(value, where)});
  return *this;
}

System& System::initial_spin(std::string_view body, const Vector& omega, Caller at) {
  const std::string& name = body_name(body_index(body));
  std::vector<Definition>& values = start().values;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string part = member(name, body_spin[i]);
    std::erase_if(values, [&](const Definition& value) { return value.name == part; });
    values.push_back({part, place_of(at), Formula(omega[i], place_of(at))});
  }
  return *this;
}

System& System::adjust(Adjust how) {
  start().adjust = how;
  return *this;
}

System& System::hold(const Expr& position_or_velocity, Caller at) {
  std::string name = coordinate_of(position_or_velocity, 1);
  if (position_or_velocity.symbol().order == 1) name += '\'';
  if (!start().hold) start().hold.emplace().key = place_of(at);
  std::vector<Word>& held = start().hold->items;
  if (std::none_of(held.begin(), held.end(), [&](const Word& other) { return other.text == name; }))
    held.push_back({std::move(name), place_of(at)});
  return *this;
}

System& System::mu(std::string constraint, const Expr& value, Caller at) {
  say(start().mu, {std::move(constraint), place_of(at), Formula(value, place_of(at))});
  return *this;
}

System& System::quasi_velocity(std::string name, const Expr& form, Caller at) {
  say(draft_.quasi_velocities, {std::move(name), place_of(at), Formula(form, place_of(at))});
  return *this;
}

System& System::independent(const std::vector<Expr>& chosen, Caller at) {
  Words words;
  for (const Expr& along : chosen) words.items.push_back({coordinate_of(along, 0), place_of(at)});
  draft_.independent = std::move(words);
  return *this;
}

System& System::output(std::string name, const Expr& value, Caller at) {
  say(draft_.outputs, {std::move(name), place_of(at), Formula(value, place_of(at))});
  return *this;
}

System& System::shape(std::string_view body, const Solid& solid, Caller caller) {
  const Location at = place_of(caller);
  SolidStatement statement;
  statement.kind = solid.kind;
  statement.radius = said(solid.radius, at);
  if (solid.length) statement.length = Definition{"length", at, Formula(*solid.length, at)};
  if (solid.size) statement.size = VectorFormula(*solid.size, at);
  const Solid usual;
  const bool along_usual = same(solid.axis[0], usual.axis[0]) &&
                           same(solid.axis[1], usual.axis[1]) && same(solid.axis[2], usual.axis[2]);
  if (!along_usual) statement.axis = VectorFormula(solid.axis, at);
  statement.where = at;
  draft_.bodies[body_index(body)].solid = std::move(statement);
  return *this;
}

Expr System::ideal(const Expr& along) {
  return expr::ideal_force(coordinate_name(along));
}

Expr System::multiplier(std::string_view constraint) {
  return expr::multiplier(constraint);
}

Expr System::reaction(std::string_view of) {
  return expr::parameter(std::string(reaction_prefix).append(of));
}

Expr System::nonideal(const Expr& along) {
  return expr::nonideal_force(coordinate_name(along));
}

const std::string& System::coordinate_name(const Expr& along) {
  if (!along.is(expr::Op::symbol) || along.symbol().kind != expr::SymbolKind::coordinate ||
      along.symbol().order != 0) {
    throw std::invalid_argument("a constraint force stands along a coordinate");
  }
  return along.symbol().name;
}

System& System::remove(Part part, std::string_view name) {
  if (!model::remove(draft_, part, name))
    throw std::invalid_argument(
        fmt::format("the system '{}' has no such statement '{}'", draft_.name.text, name));
  if (part == Part::body) std::erase_if(bodies_, [&](const Body& b) { return b.name == name; });
  return *this;
}

System& System::rename(Part part, std::string_view from, std::string_view to) {
  if (!model::rename(draft_, part, from, to))
    throw std::invalid_argument(
        fmt::format("the system '{}' has no such statement '{}'", draft_.name.text, from));
  if (part == Part::body) {
    for (Body& body : bodies_) {
      if (body.name == from) body.name = to;
      if (body.frame == from) body.frame = to;
    }
  }
  if (part == Part::coordinate || part == Part::parameter) {
    const auto rename_all = [&](auto&... several) {
      const auto one = [&](Expr& e) { e = renamed(e, from, to); };
      const auto any = [&](auto& e) {
        if constexpr (requires { e.has_value(); }) {
          if (e) one(*e);
        } else if constexpr (std::is_same_v<std::decay_t<decltype(e)>, Vector>) {
          for (std::size_t i = 0; i < 3; ++i) one(e[i]);
        } else if constexpr (std::is_same_v<std::decay_t<decltype(e)>, Matrix>) {
          for (auto& row : e.m) std::for_each(row.begin(), row.end(), one);
        } else {
          one(e);
        }
      };
      (any(several), ...);
    };
    for (Body& body : bodies_)
      rename_all(body.mass, body.inertia, body.origin, body.rotation, body.spin, body.center,
                 body.center_of_mass, body.velocity, body.gimbal);
    rename_all(simulation_.duration.expr, view_.ground);
    for (ViewPoint& point : view_.points) rename_all(point.at, point.radius, point.mass);
    for (ViewSegment& segment : view_.segments)
      rename_all(segment.from, segment.to, segment.radius);
    for (ViewArrow& arrow : view_.arrows) rename_all(arrow.at, arrow.vector);
  }
  return *this;
}

Draft System::draft() const {
  Draft draft = draft_;
  draft.simulation = said(simulation_);
  Vector g;
  if (draft.gravity) {
    for (std::size_t i = 0; i < 3; ++i) g[i] = draft.gravity->parts[i].expr;
  }
  draft.view = said(view_, acts_along_y(g) ? 'y' : 'z');
  return draft;
}

Model System::model() const {
  Assembly assembly(draft_, {});
  assembly.run();
  Model& model = assembly.model;
  model.simulation = simulation_;
  if (!simulation_.times.empty() && same(simulation_.duration.expr, Simulation{}.duration.expr))
    model.simulation.duration.expr = simulation_.times.back();
  model.view = view_;
  model.draft = std::make_shared<const Draft>(draft());
  if (!assembly.complaints.empty()) {
    assembly.judge();
    model.refused = assembly.complaints.take();
  }
  return std::move(model);
}

}  // namespace dalembert::model
