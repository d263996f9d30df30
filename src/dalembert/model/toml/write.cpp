// A draft as a model file.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "dalembert/expr/characters.hpp"
#include "dalembert/expr/print.hpp"
#include "dalembert/model/toml/draft_texts.hpp"
#include "dalembert/model/toml/literal.hpp"
#include "dalembert/model/toml/spelling.hpp"

namespace dalembert::model {

namespace {

constexpr std::size_t width = 100;  ///< columns after which sums and lists are broken

/// The text of a formula in quotes; on lines of its own where it has several.
std::string text_literal(const std::string& text) {
  if (text.find('\n') == std::string::npos || text.find_first_of("\"\\") != std::string::npos)
    return toml_string(text);
  std::string result = "\"\"\"\n";
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = toml_string(std::string_view(text).substr(begin, end - begin));
    result += line.substr(1, line.size() - 2);
    if (end < text.size()) result += '\n';
    begin = end + 1;
  }
  return result + "\"\"\"";
}

/// A long text, broken before the signs between terms.
std::string broken_sum(std::string_view text) {
  std::string result;
  std::size_t column = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = std::min(text.find_first_of("+-", begin + 1), text.size());
    while (end < text.size() && !(text[end - 1] == ' ' && text.substr(end + 1, 1) == " "))
      end = std::min(text.find_first_of("+-", end + 1), text.size());
    const std::size_t size = end - begin - (end < text.size() ? 1 : 0);
    if (column > 0 && column + 1 + size > width) {
      result += '\n';
      column = 0;
    } else if (column > 0) {
      result += ' ';
      ++column;
    }
    result += text.substr(begin, size);
    column += size;
    begin = end;
  }
  return result;
}

/// A number as TOML writes it, where it is one of a few digits; any other expression in quotes.
std::string expression_text(const Expr& e, const std::string& text, bool alone = false) {
  if (e.is(expr::Op::constant)) {
    const double nearest = e.value().get_d();
    std::string digits = fmt::format("{}", nearest);
    if (digits.find_first_not_of("-.0123456789") == std::string::npos && same(Expr(nearest), e))
      return digits;
  }
  return text.size() > width && alone ? text_literal(broken_sum(text)) : toml_string(text);
}

std::string list_text(const std::vector<std::string>& items) {
  return fmt::format("[{}]", fmt::join(items, ", "));
}

std::vector<std::string> words_of(const std::vector<Word>& words) {
  std::vector<std::string> items;
  for (const Word& word : words) items.push_back(toml_string(word.text));
  return items;
}

constexpr std::string_view to_word(Adjust adjust) {
  return adjust == Adjust::none ? "none" : adjust == Adjust::nearest ? "nearest" : "velocity";
}

constexpr std::string_view to_word(Project project) {
  return project == Project::none ? "none" : project == Project::both ? "both" : "velocity";
}

/// Writes a draft twice: first to see which expressions of the program there are, then with their
/// texts, which may need further lets.
class DraftWriter {
 public:
  explicit DraftWriter(const Draft& draft) : draft_(draft) {}

  Result<std::string, ModelError> write() {
    write_all();
    if (!wrong_.empty()) return Failure{ModelError{draft_.source, wrong_}};
    const bool has_lets =
        std::any_of(draft_.lets.begin(), draft_.lets.end(), [](const LetStatement& let) {
          return std::any_of(
              let.value.parts.begin(), let.value.parts.end(),
              [](const Formula& part) { return part.form == Formula::Form::expression; });
        });
    if (expressions_.of_bodies.empty() && expressions_.others.empty() && !has_lets)
      return std::move(text_);
    texts_ = texts_of(draft_, expressions_);
    text_.clear();
    write_all();
    return std::move(text_);
  }

 private:
  /// A formula where no let may stand.
  std::string plain(const Formula& formula) {
    constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
    switch (formula.form) {
      case Formula::Form::number:
        return formula.text;
      case Formula::Form::text:
        return text_literal(formula.text);
      case Formula::Form::expression:
        return expression_text(formula.expr, expr::to_text(formula.expr, unlimited));
      case Formula::Form::refused:
        break;
    }
    wrong_.push_back({"what was refused cannot be written", formula.where});
    return "0";
  }

  std::string value(const Formula& formula) {
    if (formula.form != Formula::Form::expression) return plain(formula);
    return expression_text(formula.expr, text_of(formula.expr));
  }

  /// The same, in several lines where it is long.
  std::string value_alone(const Formula& formula) {
    if (formula.form != Formula::Form::expression) return plain(formula);
    return expression_text(formula.expr, text_of(formula.expr), true);
  }

  /// As a part of a longer text.
  std::string term_text(const Formula& formula) {
    if (formula.form == Formula::Form::text) return formula.text;
    if (formula.form == Formula::Form::expression) return text_of(formula.expr);
    const auto number = exact_number(formula.text);
    return number ? expr::to_text(Expr(*number)) : plain(formula);
  }

  /// What needs no name to be looked up.
  static std::optional<Expr> known_value(const Formula& formula) {
    if (formula.form == Formula::Form::expression) return formula.expr;
    if (formula.form != Formula::Form::number) return std::nullopt;
    const auto number = exact_number(formula.text);
    return number ? std::optional(Expr(*number)) : std::nullopt;
  }

  std::string text_of(const Expr& e) {
    if (texts_ && in_bodies_) return texts_->of_bodies[next_of_bodies_++];
    if (texts_) return texts_->others[next_++];
    (in_bodies_ ? expressions_.of_bodies : expressions_.others).push_back(e);
    return {};
  }

  std::string value(const VectorFormula& formula) {
    if (formula.parts.size() == 1) return value(formula.parts.front());
    if (formula.parts.empty())
      wrong_.push_back({"what was refused cannot be written", formula.where});
    std::vector<std::string> items;
    for (const Formula& part : formula.parts) items.push_back(value(part));
    return list_text(items);
  }

  std::string value(const std::array<VectorFormula, 2>& pair) {
    const std::string first = value(pair[0]);
    return list_text({first, value(pair[1])});
  }

  std::string value(const std::vector<Formula>& formulas) {
    std::vector<std::string> items;
    for (const Formula& formula : formulas) items.push_back(value(formula));
    return list_text(items);
  }

  std::string value(const Vector& vector) { return value(VectorFormula(vector)); }

  std::string turn(const TurnStatement& turn, std::vector<std::string>& steps) {
    switch (turn.form) {
      case TurnStatement::Form::axes:
        steps.push_back(
            fmt::format("{{ axes = \"{}\", angles = {} }}", turn.letters, value(turn.angles)));
        return {};
      case TurnStatement::Form::axis: {
        const std::string axis = value(turn.axis);
        steps.push_back(
            fmt::format("{{ axis = {}, angle = {} }}", axis, value(turn.angles.front())));
        return {};
      }
      case TurnStatement::Form::quaternion:
        steps.push_back(fmt::format("{{ quaternion = {} }}", value(turn.angles)));
        return {};
      case TurnStatement::Form::given:
        for (const TurnStep& step : turn.turn.steps) {
          const std::vector<Formula> angles(step.angles.begin(), step.angles.end());
          if (!step.letters.empty()) {
            steps.push_back(
                fmt::format("{{ axes = \"{}\", angles = {} }}", step.letters, value(angles)));
          } else {
            const std::string axis = value(step.axis);
            steps.push_back(
                fmt::format("{{ axis = {}, angle = {} }}", axis, value(angles.front())));
          }
        }
        if (!turn.turn.steps.empty() || is_identity(turn.turn.rotation)) return {};
        return "the program computed it, and a file can only state axes and angles";
      case TurnStatement::Form::refused:
        break;
    }
    return "what was refused cannot be written";
  }

  std::string orientation(const Orientation& orientation, std::string_view owner) {
    std::vector<std::string> steps;
    for (const TurnStatement& said : orientation) {
      const std::string reason = turn(said, steps);
      if (!reason.empty())
        wrong_.push_back(
            {fmt::format("the orientation of '{}' cannot be written: {}", owner, reason),
             said.where});
    }
    return steps.size() == 1 ? steps.front() : list_text(steps);
  }

  // Lines.
  void line(std::string_view key, const std::string& text) {
    text_ += fmt::format("{} = {}\n", toml_key(key), text);
  }
  void word(std::string_view key, std::string_view text) { line(key, toml_string(text)); }
  void word(std::string_view key, const std::optional<Word>& text) {
    if (text) word(key, text->text);
  }
  template <class T>
  void maybe(std::string_view key, const std::optional<T>& said) {
    if (said) line(key, value(*said));
  }
  void maybe(std::string_view key, const std::optional<Formula>& said) {
    if (said) line(key, value_alone(*said));
  }
  /// A list, in several lines where it is long; `rows`: one of them in each.
  void list(std::string_view key, const std::vector<std::string>& items, bool rows = false) {
    std::string text = list_text(items);
    if (key.size() + text.size() + 3 > width) {
      text = "[";
      std::size_t column = width;
      for (const std::string& item : items) {
        const bool breaks = rows || column + item.size() + 2 > width;
        text += breaks ? "\n  " : " ";
        column = (breaks ? 2 : column + 1) + item.size() + 1;
        text += item + ",";
      }
      text += "\n]";
    }
    line(key, text);
  }
  void table(std::string_view header) { text_ += fmt::format("\n{}\n", header); }
  void ranges(const Ranges& ranges) {
    if (!ranges.empty())
      line("for",
           ranges.size() == 1 ? toml_string(ranges.front().text) : list_text(words_of(ranges)));
  }
  void definitions(std::string_view header, const std::vector<Definition>& said) {
    if (said.empty()) return;
    table(header);
    for (const Definition& definition : said) line(definition.name, value_alone(definition.value));
  }
  /// By coordinate; what is said of one several times adds up.
  void components(std::string_view header, const std::vector<Definition>& said) {
    if (said.empty()) return;
    table(header);
    std::vector<std::string_view> order;
    std::unordered_map<std::string_view, std::vector<const Definition*>> terms_of;
    for (const Definition& term : said) {
      std::vector<const Definition*>& terms = terms_of[term.name];
      if (terms.empty()) order.push_back(term.name);
      terms.push_back(&term);
    }
    for (const std::string_view name : order) {
      const std::vector<const Definition*>& terms = terms_of[name];
      if (terms.size() == 1) {
        line(name, value_alone(terms.front()->value));
        continue;
      }
      std::optional<Expr> sum = Expr(0);
      for (const Definition* term : terms) {
        const std::optional<Expr> e = known_value(term->value);
        sum = sum && e ? std::optional(*sum + *e) : std::nullopt;
      }
      if (sum) {
        line(name, value_alone(Formula(*sum)));
        continue;
      }
      std::vector<std::string> texts;
      for (const Definition* term : terms) texts.push_back("(" + term_text(term->value) + ")");
      line(name, toml_string(fmt::format("{}", fmt::join(texts, " + "))));
    }
  }
  void number(const std::optional<Definition>& said) {
    if (said) line(said->name, plain(said->value));
  }

  void write_all() {
    next_ = next_of_bodies_ = 0;
    in_bodies_ = true;
    write_top();
    write_names();
    in_bodies_ = false;
    if (draft_.energy && (draft_.energy->kinetic || draft_.energy->potential ||
                          draft_.energy->dissipation || draft_.energy->lagrangian)) {
      table("[energy]");
      maybe("kinetic", draft_.energy->kinetic);
      maybe("potential", draft_.energy->potential);
      maybe("dissipation", draft_.energy->dissipation);
      maybe("lagrangian", draft_.energy->lagrangian);
    }
    in_bodies_ = true;
    for (const auto& [section, kind] :
         {std::pair{"[[particle]]", BodyKind::particle}, std::pair{"[[body]]", BodyKind::body},
          std::pair{"[[frame]]", BodyKind::frame}}) {
      for (const BodyStatement& body : draft_.bodies) {
        if (body.kind != kind) continue;
        table(section);
        write_body(body);
      }
    }
    in_bodies_ = false;
    for (const JointStatement& joint : draft_.joints) write_joint(joint);
    for (const SpringStatement& spring : draft_.springs) write_spring(spring);
    for (const PointForceStatement& force : draft_.point_forces) write_point_force(force);
    components("[forces]", draft_.forces);
    for (const ConstraintStatement& constraint : draft_.constraints) write_constraint(constraint);
    components("[virtual_work]", draft_.virtual_work);
    for (const ContactStatement& contact : draft_.contacts) write_contact(contact);
    for (const DryFrictionStatement& friction : draft_.dry_frictions) write_dry_friction(friction);
    for (const EventStatement& event : draft_.events) write_event(event);
    if (draft_.initial) write_initial(*draft_.initial);
    write_simulation(draft_.simulation);
    definitions("[outputs]", draft_.outputs);
    definitions("[quasi_velocities]", draft_.quasi_velocities);
    if (draft_.independent) {
      table("[independent]");
      list("coordinates", words_of(draft_.independent->items));
    }
    write_view(draft_.view);
  }

  void write_top() {
    if (draft_.name.where.line > 0 || !expr::first_hidden(draft_.name.text, ""))
      word("name", draft_.name.text);
    if (!draft_.description.text.empty()) word("description", draft_.description.text);
    if (draft_.coordinates) list("coordinates", words_of(draft_.coordinates->items));
    maybe("gravity", draft_.gravity);
    if (draft_.mass_matrix.empty()) return;
    std::vector<std::string> rows;
    for (const std::vector<Formula>& row : draft_.mass_matrix) rows.push_back(value(row));
    list("mass_matrix", rows, true);
  }

  void write_names() {
    definitions("[sizes]", draft_.sizes);
    if (!draft_.parameters.empty()) table("[parameters]");
    for (const Definition& parameter : draft_.parameters)
      line(parameter.name, plain(parameter.value));
    if (!draft_.inputs.empty()) table("[inputs]");
    for (const Definition& input : draft_.inputs) line(input.name, plain(input.value));
    for (const TableStatement& said : draft_.tables) write_table(said);
    if (!draft_.discretes.empty()) table("[discrete]");
    for (const Definition& discrete : draft_.discretes) line(discrete.name, plain(discrete.value));
    const bool parts = texts_ && !texts_->parts.empty();
    if (parts || !draft_.lets.empty()) table("[let]");
    if (parts) {
      for (const auto& [name, text] : texts_->parts)
        line(name, text.size() > width ? text_literal(broken_sum(text)) : toml_string(text));
    }
    for (const LetStatement& let : draft_.lets) write_let(let);
  }

  void write_table(const TableStatement& said) {
    if (said.refused)
      wrong_.push_back(
          {fmt::format("'{}' follows a function, which a file cannot state", said.name),
           said.where});
    table("[[table]]");
    word("name", said.name);
    const auto numbers = [this](const std::vector<Formula>& formulas,
                                const std::vector<double>& read) {
      std::vector<std::string> items;
      for (const Formula& formula : formulas) items.push_back(plain(formula));
      for (const double number : read) items.push_back(fmt::format("{}", number));
      return items;
    };
    list("x", numbers(said.x, said.read_x));
    list("y", numbers(said.y, said.read_y));
    word("interpolation", to_string(said.interpolation));
    if (said.outside == expr::Outside::error) word("outside", to_string(said.outside));
  }

  void write_let(const LetStatement& let) {
    const auto part = [&](const Formula& formula, const std::string& name, bool alone) {
      if (formula.form != Formula::Form::expression) return plain(formula);
      return texts_ ? expression_text(formula.expr, texts_->lets.at(name), alone) : std::string();
    };
    const std::vector<Formula>& parts = let.value.parts;
    if (parts.size() != 3) {
      line(let.name, parts.size() == 1 ? part(parts.front(), let.name, true) : value(let.value));
      return;
    }
    std::vector<std::string> items;
    for (std::size_t i = 0; i < 3; ++i)
      items.push_back(part(parts[i], let.name + "." + "xyz"[i], false));
    line(let.name, list_text(items));
  }

  void write_body(const BodyStatement& body) {
    ranges(body.over);
    word("name", body.name);
    word("frame", body.frame);
    maybe("mass", body.mass);
    if (body.inertia) {
      std::vector<std::string> rows;
      for (const VectorFormula& row : body.inertia->rows) rows.push_back(value(row));
      line("inertia", rows.size() == 1 ? rows.front() : list_text(rows));
    }
    maybe("position", body.position);
    maybe("center_of_mass", body.center);
    if (body.orientation) {
      const std::string text = orientation(*body.orientation, body.name);
      if (text != "[]") line("orientation", text);
    }
    if (!body.solid) return;
    const SolidStatement& solid = *body.solid;
    if (solid.kind != SolidKind::automatic) word("shape", to_string(solid.kind));
    maybe("radius", solid.radius);
    if (solid.length) line(solid.length->name, value(solid.length->value));
    maybe("size", solid.size);
    maybe("axis", solid.axis);
  }

  void bodies(const BodyPair& bodies) {
    if (!bodies[0] || !bodies[1]) return;
    if (bodies[0]->text == ground) {
      word("body", bodies[1]);
    } else {
      line("bodies", list_text(words_of({*bodies[0], *bodies[1]})));
    }
  }

  void write_joint(const JointStatement& joint) {
    table("[[joint]]");
    ranges(joint.over);
    word("name", joint.name);
    word("type", to_string(joint.kind));
    bodies(joint.bodies);
    maybe("points", joint.points);
    const auto& [first, second] = joint.axes;
    if (joint.one_axis || first.has_value() != second.has_value()) {
      maybe("axis", first ? first : second);
    } else if (first) {
      line("axes", value(std::array{*first, *second}));
    }
    if (joint.references[0] && joint.references[1])
      line("references", value(std::array{*joint.references[0], *joint.references[1]}));
    if (joint.frames) {
      const std::string one = orientation((*joint.frames)[0], joint.name);
      line("frames", list_text({one, orientation((*joint.frames)[1], joint.name)}));
    }
    maybe("normal", joint.normal);
    maybe("length", joint.length);
    maybe("motion", joint.motion);
    if (joint.shape) word("shape", to_string(*joint.shape));
    maybe("radius", joint.radius);
    maybe("semi_axes", joint.semi_axes);
    if (!joint.contact) line("contact", "false");
    if (!joint.friction) return;
    std::string friction = "mu = " + value(joint.friction->mu);
    if (joint.friction->radius) friction += ", radius = " + value(*joint.friction->radius);
    if (joint.friction->slip) friction += ", slip = " + value(*joint.friction->slip);
    line("friction", "{ " + friction + " }");
  }

  void write_spring(const SpringStatement& spring) {
    table("[[spring]]");
    ranges(spring.over);
    word("name", spring.name);
    word("joint", spring.joint);
    bodies(spring.bodies);
    maybe("points", spring.points);
    maybe("stiffness", spring.stiffness);
    maybe("damping", spring.damping);
    maybe(spring.joint ? "rest" : "length", spring.rest);
  }

  void write_point_force(const PointForceStatement& force) {
    table("[[force]]");
    ranges(force.over);
    word("name", force.name);
    word("body", force.body);
    maybe("point", force.point);
    maybe("force", force.force);
    maybe("torque", force.torque);
    if (force.in_body_axes) word("axes", "body");
  }

  void write_constraint(const ConstraintStatement& constraint) {
    table("[[constraint]]");
    ranges(constraint.over);
    word("name", constraint.name);
    equation("equation", constraint.equation, constraint.right_side);
    if (constraint.weight) line("weight", plain(*constraint.weight));
    if (constraint.by) list("by", words_of(constraint.by->items));
  }

  /// With the right side that a program gives apart.
  void equation(std::string_view key, const std::optional<Formula>& said,
                const std::optional<Expr>& right_side) {
    if (!said || said->form != Formula::Form::expression) {
      maybe(key, said);
      return;
    }
    const std::string left = text_of(said->expr);
    const std::string text = left + " = " + text_of(right_side.value_or(Expr(0)));
    line(key, text.size() > width ? text_literal(broken_sum(text)) : toml_string(text));
  }

  void write_event(const EventStatement& event) {
    table("[[event]]");
    ranges(event.over);
    word("name", event.name);
    equation("when", event.when, event.right_side);
    if (event.direction) word("direction", to_string(*event.direction));
    maybe("every", event.every);
    if (!event.set.empty()) {
      std::vector<std::string> values;
      for (const Definition& set : event.set)
        values.push_back(fmt::format("{} = {}", toml_key(set.name), value(set.value)));
      line("set", fmt::format("{{ {} }}", fmt::join(values, ", ")));
    }
    if (event.stop) line("stop", "true");
  }

  /// One formula as it is, two in a list.
  void slip(const std::vector<Formula>& said) {
    if (!said.empty()) line("slip", said.size() == 1 ? value(said.front()) : value(said));
  }

  void write_contact(const ContactStatement& contact) {
    table("[[contact]]");
    ranges(contact.over);
    word("name", contact.name);
    maybe("gap", contact.gap);
    if (contact.bodies) bodies(*contact.bodies);
    maybe("points", contact.points);
    maybe("normal", contact.normal);
    if (contact.shape) word("shape", to_string(*contact.shape));
    maybe("radius", contact.radius);
    maybe("axis", contact.axis);
    maybe("length", contact.length);
    maybe("size", contact.size);
    maybe("semi_axes", contact.semi_axes);
    maybe("restitution", contact.restitution);
    if (contact.impact) word("impact", to_string(*contact.impact));
    maybe("friction", contact.friction);
    maybe("static_friction", contact.static_friction);
    slip(contact.slip);
  }

  void write_dry_friction(const DryFrictionStatement& friction) {
    table("[[friction]]");
    ranges(friction.over);
    word("name", friction.name);
    slip(friction.slip);
    maybe("limit", friction.limit);
    maybe("static_limit", friction.static_limit);
  }

  void write_initial(const InitialStatement& initial) {
    table("[initial]");
    for (const Definition& definition : initial.values)
      line(definition.name, value_alone(definition.value));
    if (initial.adjust) word("adjust", to_word(*initial.adjust));
    if (initial.hold) list("hold", words_of(initial.hold->items));
    if (initial.mu.empty()) return;
    std::vector<std::string> multipliers;
    for (const Definition& mu : initial.mu)
      multipliers.push_back(fmt::format("{} = {}", toml_key(mu.name), value(mu.value)));
    line("mu", fmt::format("{{ {} }}", fmt::join(multipliers, ", ")));
  }

  void write_simulation(const SimulationStatement& simulation) {
    const std::size_t before = text_.size();
    table("[simulation]");
    const std::size_t begin = text_.size();
    if (simulation.duration) line("duration", value_alone(simulation.duration->value));
    number(simulation.samples);
    if (simulation.times) {
      std::vector<std::string> times;
      for (const Formula& time : *simulation.times) times.push_back(plain(time));
      list("times", times);
    }
    number(simulation.rtol);
    number(simulation.atol);
    number(simulation.rank_tolerance);
    number(simulation.max_step);
    number(simulation.max_steps);
    word("method", simulation.method);
    word("integrator", simulation.integrator);
    word("precision", simulation.precision);
    if (simulation.project) word("project", to_word(*simulation.project));
    if (simulation.multipliers) line("multipliers", *simulation.multipliers ? "true" : "false");
    if (text_.size() == begin) text_.resize(before);
  }

  void write_view(const ViewStatement& view) {
    if (view.up || view.ground || view.no_ground) table("[view]");
    if (view.up) word("up", fmt::format("{}{}", view.up_sign < 0 ? "-" : "", *view.up));
    maybe("ground", view.ground);
    if (view.no_ground) line("ground", "false");
    for (const ViewPointStatement& point : view.points) {
      table("[[view.point]]");
      ranges(point.over);
      word("name", point.name);
      line("at", value(point.at));
      maybe("radius", point.radius);
      maybe("mass", point.mass);
      if (!point.trail) line("trail", "false");
    }
    for (const ViewSegmentStatement& segment : view.segments) {
      table("[[view.segment]]");
      ranges(segment.over);
      word("name", segment.name);
      line("from", value(segment.from));
      line("to", value(segment.to));
      word("style", to_string(segment.style));
      maybe("radius", segment.radius);
    }
    for (const ViewArrowStatement& arrow : view.arrows) {
      table("[[view.arrow]]");
      ranges(arrow.over);
      word("name", arrow.name);
      line("at", value(arrow.at));
      line("vector", value(arrow.vector));
      word("kind", to_string(arrow.kind));
    }
  }

  const Draft& draft_;
  std::string text_;
  std::vector<Diagnostic> wrong_;
  DraftExpressions expressions_;     ///< in the order of the file
  std::optional<DraftTexts> texts_;  ///< of them
  std::size_t next_ = 0, next_of_bodies_ = 0;
  bool in_bodies_ = false;  ///< what is written describes bodies
};

}  // namespace

Result<std::string, ModelError> to_toml(const Draft& draft) {
  return DraftWriter(draft).write();
}

std::string text_of(const Model& model) {
  const bool of_program = model.draft && (model.draft->is_of_program || !model.source);
  if (!of_program) return model.source ? model.source->text : std::string();
  const auto written = to_toml(*model.draft);
  return written ? *written : std::string();
}

}  // namespace dalembert::model
