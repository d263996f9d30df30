// A draft as a model file.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "dalembert/expr/characters.hpp"
#include "dalembert/expr/print.hpp"
#include "dalembert/model/draft.hpp"
#include "dalembert/model/families.hpp"
#include "dalembert/model/toml/literal.hpp"
#include "dalembert/model/toml/spelling.hpp"
#include "dalembert/model/toml/texts.hpp"

namespace dalembert::model {

namespace {

/// A number as TOML writes it, where it is one of a few digits; any other expression in quotes.
std::string expression_text(const Expr& e, const std::string& text) {
  if (e.is(expr::Op::constant)) {
    const double nearest = e.value().get_d();
    std::string digits = fmt::format("{}", nearest);
    if (digits.find_first_not_of("-.0123456789") == std::string::npos && same(Expr(nearest), e))
      return digits;
  }
  return toml_string(text);
}

std::string list_text(const std::vector<std::string>& items) {
  return fmt::format("[{}]", fmt::join(items, ", "));
}

std::string words_text(const std::vector<Word>& words) {
  std::vector<std::string> items;
  for (const Word& word : words) items.push_back(toml_string(word.text));
  return list_text(items);
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
    if (expressions_.empty()) return std::move(text_);
    texts_ = texts_of(expressions_, {}, names());
    text_.clear();
    write_all();
    return std::move(text_);
  }

 private:
  std::set<std::string> names() const {
    Complaints none;
    const std::optional<Draft> without_indices = written_out(draft_, none);
    const Draft& said = without_indices ? *without_indices : draft_;
    std::set<std::string> taken;
    if (said.coordinates) {
      for (const Word& name : said.coordinates->items) taken.insert(name.text);
    }
    for (const Definition& parameter : said.parameters) taken.insert(parameter.name);
    for (const Definition& size : draft_.sizes) taken.insert(size.name);
    for (const LetStatement& let : said.lets) taken.insert(let.name);
    for (const BodyStatement& body : said.bodies) taken.insert(body.name);
    for (const JointStatement& joint : said.joints) taken.insert(joint.name);
    return taken;
  }

  /// A formula where no let may stand.
  std::string plain(const Formula& formula) {
    constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
    switch (formula.form) {
      case Formula::Form::number:
        return formula.text;
      case Formula::Form::text:
        return toml_string(formula.text);
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

  /// As a part of a longer text.
  std::string term_text(const Formula& formula) {
    if (formula.form == Formula::Form::text) return formula.text;
    if (formula.form == Formula::Form::expression) return text_of(formula.expr);
    const auto number = exact_number(formula.text);
    return number ? expr::to_text(Expr(*number)) : plain(formula);
  }

  std::string text_of(const Expr& e) {
    if (texts_) return texts_->roots[next_++];
    expressions_.push_back(e);
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
        return "it was worked out by the program, and a file can only say axes and angles";
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
  void table(std::string_view header) { text_ += fmt::format("\n{}\n", header); }
  void ranges(const Ranges& ranges) {
    if (!ranges.empty())
      line("for", ranges.size() == 1 ? toml_string(ranges.front().text) : words_text(ranges));
  }
  void definitions(std::string_view header, const std::vector<Definition>& said) {
    if (said.empty()) return;
    table(header);
    for (const Definition& definition : said) line(definition.name, value(definition.value));
  }
  /// By coordinate; what is said of one several times adds up.
  void components(std::string_view header, const std::vector<Definition>& said) {
    if (said.empty()) return;
    table(header);
    for (std::size_t i = 0; i < said.size(); ++i) {
      const auto is_same = [&](const Definition& other) { return other.name == said[i].name; };
      const auto rest = said.begin() + static_cast<std::ptrdiff_t>(i);
      if (std::any_of(said.begin(), rest, is_same)) continue;
      if (std::count_if(rest, said.end(), is_same) == 1) {
        line(said[i].name, value(said[i].value));
        continue;
      }
      std::vector<std::string> terms;
      for (auto term = rest; term != said.end(); ++term) {
        if (is_same(*term)) terms.push_back("(" + term_text(term->value) + ")");
      }
      line(said[i].name, toml_string(fmt::format("{}", fmt::join(terms, " + "))));
    }
  }
  void number(const std::optional<Definition>& said) {
    if (said) line(said->name, plain(said->value));
  }

  void write_all() {
    next_ = 0;
    write_top();
    write_names();
    for (const auto& [section, kind] :
         {std::pair{"[[particle]]", BodyKind::particle}, std::pair{"[[body]]", BodyKind::body},
          std::pair{"[[frame]]", BodyKind::frame}}) {
      for (const BodyStatement& body : draft_.bodies) {
        if (body.kind != kind) continue;
        table(section);
        write_body(body);
      }
    }
    for (const JointStatement& joint : draft_.joints) write_joint(joint);
    for (const SpringStatement& spring : draft_.springs) write_spring(spring);
    for (const PointForceStatement& force : draft_.point_forces) write_point_force(force);
    if (draft_.energy && (draft_.energy->kinetic || draft_.energy->potential ||
                          draft_.energy->dissipation || draft_.energy->lagrangian)) {
      table("[energy]");
      maybe("kinetic", draft_.energy->kinetic);
      maybe("potential", draft_.energy->potential);
      maybe("dissipation", draft_.energy->dissipation);
      maybe("lagrangian", draft_.energy->lagrangian);
    }
    components("[forces]", draft_.forces);
    for (const ConstraintStatement& constraint : draft_.constraints) write_constraint(constraint);
    components("[virtual_work]", draft_.virtual_work);
    definitions("[quasi_velocities]", draft_.quasi_velocities);
    if (draft_.independent) {
      table("[independent]");
      line("coordinates", words_text(draft_.independent->items));
    }
    if (draft_.initial) write_initial(*draft_.initial);
    write_simulation(draft_.simulation);
    definitions("[outputs]", draft_.outputs);
    write_view(draft_.view);
  }

  void write_top() {
    if (!expr::first_hidden(draft_.name.text, "")) word("name", draft_.name.text);
    if (!draft_.description.text.empty()) word("description", draft_.description.text);
    if (draft_.coordinates) line("coordinates", words_text(draft_.coordinates->items));
    maybe("gravity", draft_.gravity);
    if (draft_.mass_matrix.empty()) return;
    std::vector<std::string> rows;
    for (const std::vector<Formula>& row : draft_.mass_matrix) rows.push_back(value(row));
    line("mass_matrix", list_text(rows));
  }

  void write_names() {
    definitions("[sizes]", draft_.sizes);
    if (!draft_.parameters.empty()) table("[parameters]");
    for (const Definition& parameter : draft_.parameters)
      line(parameter.name, plain(parameter.value));
    const bool parts = texts_ && !texts_->parts.empty();
    if (parts || !draft_.lets.empty()) table("[let]");
    for (const LetStatement& let : draft_.lets) line(let.name, value(let.value));
    if (!parts) return;
    for (const auto& [name, text] : texts_->parts) word(name, text);
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
      line("bodies", words_text({*bodies[0], *bodies[1]}));
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
    if (constraint.equation && constraint.equation->form == Formula::Form::expression) {
      const std::string left = text_of(constraint.equation->expr);
      word("equation", left + " = " + text_of(constraint.right_side.value_or(Expr(0))));
    } else {
      maybe("equation", constraint.equation);
    }
    if (constraint.weight) line("weight", plain(*constraint.weight));
  }

  void write_initial(const InitialStatement& initial) {
    table("[initial]");
    for (const Definition& definition : initial.values)
      line(definition.name, value(definition.value));
    if (initial.adjust) word("adjust", to_word(*initial.adjust));
    if (initial.hold) line("hold", words_text(initial.hold->items));
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
    if (simulation.duration) line("duration", value(simulation.duration->value));
    number(simulation.samples);
    if (simulation.times) {
      std::vector<std::string> times;
      for (const Formula& time : *simulation.times) times.push_back(plain(time));
      line("times", list_text(times));
    }
    number(simulation.rtol);
    number(simulation.atol);
    number(simulation.rank_tolerance);
    number(simulation.max_step);
    number(simulation.max_steps);
    word("method", simulation.method);
    word("integrator", simulation.integrator);
    if (simulation.project) word("project", to_word(*simulation.project));
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
  std::vector<Expr> expressions_;  ///< in the order of the file
  std::optional<Texts> texts_;     ///< of them
  std::size_t next_ = 0;           ///< of the texts
};

}  // namespace

Result<std::string, ModelError> to_toml(const Draft& draft) {
  return DraftWriter(draft).write();
}

}  // namespace dalembert::model
