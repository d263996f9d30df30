// Contacts, friction that sticks and events, said as the equations of their modes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/mechanics/formulations/parts.hpp"
#include "dalembert/report/derivation/words.hpp"

namespace dalembert::report {

namespace {

using expr::Expr;

/// A formula in one piece.
Display::Line whole(std::string text, std::string latex) {
  return {{}, "", {std::move(text), std::move(latex)}, {}};
}

Display::Line equation(const Math& left, const Expr& right) {
  const Math value = math(mechanics::tidy(right));
  return whole(left.text + " = " + value.text, left.latex + " = " + value.latex);
}

Display::Line vanishes(const Expr& e) {
  const Math value = math(mechanics::tidy(e));
  return whole(value.text + " = 0", value.latex + " = 0");
}

Math symbol(std::string_view text, std::size_t number, std::size_t part = 0) {
  const std::string index =
      part == 0 ? fmt::format("{}", number) : fmt::format("{},{}", number, part);
  const std::string letter(text);
  return {fmt::format("{}_{}", letter, index), fmt::format("{}_{{{}}}", letter, index)};
}

std::string in_runs(const Math& m) {
  return fmt::format("«{}|{}»", m.text, m.latex);
}

/// The slips s_k of the element `number`, and what its friction R_k is while it slides and sticks,
/// at most `sliding` and `sticking`.
void add_friction(std::vector<Block>& blocks, const std::vector<model::Located>& slips,
                  std::size_t number, const Math& sliding, const Math& sticking) {
  Display display;
  const bool two = slips.size() == 2;
  for (std::size_t k = 0; k < slips.size(); ++k)
    display.lines.push_back(equation(symbol("s", number, two ? k + 1 : 0), slips[k].expr));
  const Math s = symbol("s", number), R = symbol("R", number);
  const std::string vector = two ? "\\mathbf " : "";
  display.lines.push_back(
      whole(fmt::format("slides: {} = -{} {}/|{}|", R.text, sliding.text, s.text, s.text),
            fmt::format("\\text{{slides:}}\\quad {0}{1} = -{2}\\,\\frac{{{0}{3}}}{{\\lvert {0}{3} "
                        "\\rvert}}",
                        vector, R.latex, sliding.latex, s.latex)));
  display.lines.push_back(
      whole(fmt::format("sticks: {} = 0, |{}| <= {}", s.text, R.text, sticking.text),
            fmt::format("\\text{{sticks:}}\\quad {0}{1} = 0,\\quad \\lvert {0}{2} \\rvert \\le {3}",
                        vector, s.latex, R.latex, sticking.latex)));
  blocks.emplace_back(std::move(display));
  blocks.emplace_back(Paragraph{{std::string(
      two ? "While it sticks these rows are held as those of constraints on velocities:"
          : "While it sticks this row is held as that of a constraint on velocities:")}});
  Display rows;
  for (const model::Located& slip : slips)
    rows.lines.push_back(vanishes(expr::time_derivative(slip.expr)));
  blocks.emplace_back(std::move(rows));
}

Math times(const Expr& coefficient, const Math& force) {
  const Math mu = math(mechanics::tidy(coefficient));
  const bool plain = coefficient.is(expr::Op::symbol) || coefficient.is(expr::Op::constant);
  return {(plain ? mu.text : "(" + mu.text + ")") + "*" + force.text,
          (plain ? mu.latex : "\\left(" + mu.latex + "\\right)") + "\\," + force.latex};
}

void add_contact(std::vector<Block>& blocks, const model::Contact& contact, std::size_t number) {
  blocks.emplace_back(
      Paragraph{{fmt::format("Contact '{}' opens and closes by itself:", contact.name)}});
  const Math g = symbol("g", number), N = symbol("N", number);
  Display display;
  display.lines.push_back(equation(g, contact.gap.expr));
  display.lines.push_back(whole(fmt::format("{0} >= 0, {1} >= 0, {0}*{1} = 0", g.text, N.text),
                                fmt::format("0 \\le {} \\perp {} \\ge 0", g.latex, N.latex)));
  blocks.emplace_back(std::move(display));
  blocks.emplace_back(Paragraph{
      runs_of(fmt::format("While it is closed this row is held as that of a constraint, with the "
                          "multiplier {}; it opens where that would have to pull:",
                          in_runs(N)))});
  Display row;
  row.lines.push_back(vanishes(expr::time_derivative(expr::time_derivative(contact.gap.expr))));
  blocks.emplace_back(std::move(row));
  const Math e = math(mechanics::tidy(contact.restitution.expr));
  const bool alone = contact.restitution.expr.is(expr::Op::symbol) ||
                     contact.restitution.expr.is(expr::Op::constant);
  const Math factor = alone ? e : Math{"(" + e.text + ")", "\\left(" + e.latex + "\\right)"};
  std::string law;
  switch (contact.impact) {
    case model::ImpactLaw::newton:
      law = fmt::format(
          "It closes by an impact. By Newton's law «{0}'+ >= -{2}*{0}'-|\\dot {1}^+ "
          "\\ge -{3}\\,\\dot {1}^-», with equality where there is an impulse.",
          g.text, g.latex, factor.text, factor.latex);
      break;
    case model::ImpactLaw::poisson:
      law = fmt::format(
          "It closes by an impact. By Poisson's law the impulse of expansion is at "
          "least «{}|{}» times that of compression.",
          factor.text, factor.latex);
      break;
    case model::ImpactLaw::energetic:
      law = fmt::format(
          "It closes by an impact. By Stronge's law the work regained in expansion "
          "is «{}^2|{}^2» times that of compression.",
          factor.text, factor.latex);
      break;
  }
  if (contact.restitution.expr.is_zero()) law = "It closes by an impact, without a bounce.";
  blocks.emplace_back(Paragraph{runs_of(law)});
  if (!contact.friction) return;
  const Expr sticking =
      contact.static_friction ? contact.static_friction->expr : contact.friction->expr;
  blocks.emplace_back(Paragraph{
      runs_of(fmt::format("Coulomb's law for its friction {}:", in_runs(symbol("R", number))))});
  add_friction(blocks, contact.slip, number, times(contact.friction->expr, N), times(sticking, N));
}

void add_event(std::vector<Block>& blocks, const model::Model& model, const model::Event& event) {
  using Target = model::Event::Set::Target;
  const auto formula = [](const Math& m) { return in_runs(m); };
  std::string sentence = fmt::format("Event '{}': ", event.name);
  if (event.when) {
    using Direction = model::Event::Direction;
    sentence += fmt::format("where {} {}", formula(math(mechanics::tidy(event.when->expr))),
                            event.direction == Direction::both     ? "changes its sign"
                            : event.direction == Direction::rising ? "rises through zero"
                                                                   : "falls through zero");
  } else {
    sentence += fmt::format("every {} s", formula(math(mechanics::tidy(event.every->expr))));
  }
  for (std::size_t i = 0; i < event.set.size(); ++i) {
    const model::Event::Set& set = event.set[i];
    const Expr target = set.target == Target::discrete
                            ? expr::parameter(model.parameters[set.index].name)
                            : expr::coordinate(model.coordinates[set.index],
                                               set.target == Target::velocity ? 1 : 0);
    sentence += fmt::format("{} {} becomes {}", i == 0 ? "," : " and", formula(math(target)),
                            formula(math(mechanics::tidy(set.value.expr))));
  }
  if (event.stop) sentence += event.set.empty() ? ", the motion ends" : ", and the motion ends";
  blocks.emplace_back(Paragraph{runs_of(sentence + ".")});
}

}  // namespace

std::vector<Block> instant_blocks(const model::Model& model) {
  std::vector<Block> blocks;
  if (!model.contacts.empty() || !model.dry_frictions.empty()) {
    blocks.emplace_back(Heading{1, "Contacts and friction"});
    blocks.emplace_back(Paragraph{{std::string(
        "The equations below are those of the motion while all contacts are open and nothing rubs. "
        "What is closed or sticks joins the constraints, what slides exerts its friction; which "
        "of them do is decided for all together.")}});
  }
  std::size_t number = 0;
  for (const model::Contact& contact : model.contacts) add_contact(blocks, contact, ++number);
  for (const model::DryFriction& friction : model.dry_frictions) {
    ++number;
    blocks.emplace_back(Paragraph{runs_of(fmt::format(
        "Friction '{}', Coulomb's law for {}:", friction.name, in_runs(symbol("R", number))))});
    const model::Located& sticking =
        friction.static_limit ? *friction.static_limit : friction.limit;
    const auto limit = [](const model::Located& e) {
      const Math m = math(mechanics::tidy(e.expr));
      const bool alone = e.expr.is(expr::Op::symbol) || e.expr.is(expr::Op::constant);
      return alone ? m : Math{"(" + m.text + ")", "\\left(" + m.latex + "\\right)"};
    };
    add_friction(blocks, friction.slip, number, limit(friction.limit), limit(sticking));
  }
  if (!model.events.empty()) blocks.emplace_back(Heading{1, "Events"});
  for (const model::Event& event : model.events) add_event(blocks, model, event);
  return blocks;
}

}  // namespace dalembert::report
