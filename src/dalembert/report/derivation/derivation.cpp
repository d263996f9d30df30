#include "dalembert/report/derivation/derivation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "dalembert/flow/values.hpp"
#include "dalembert/mechanics/formulations/linear_system.hpp"
#include "dalembert/mechanics/formulations/parts.hpp"
#include "dalembert/mechanics/manifold.hpp"
#include "dalembert/report/derivation/words.hpp"

namespace dalembert::report {

namespace {

using expr::Expr;
using mechanics::Formulation;
using mechanics::Setting;

constexpr std::size_t long_left_side = 48;

/// left = right; where the left side is long all of it may be broken.
Display::Line line(const Math& left, const Math& right, std::string number = {}) {
  if (left.text.size() <= long_left_side) return {left, "=", right, std::move(number)};
  return {{},
          "",
          {left.text + " = " + right.text, left.latex + " = " + right.latex},
          std::move(number)};
}

void add_step(std::vector<Block>& blocks, const StepText& step, int level) {
  blocks.emplace_back(Heading{level, step.title, step.number});
  if (!step.sentence.empty()) blocks.emplace_back(Paragraph{runs_of(step.sentence)});
  Display display;
  for (const StepLine& each : step.lines) {
    if (each.right) {
      display.lines.push_back(line(each.left, math(*each.right), each.number));
    } else {
      display.lines.push_back({{}, "", each.left, each.number});
    }
  }
  if (!display.lines.empty()) blocks.emplace_back(std::move(display));
}

/// Equations one below the other; if one has a long left side all are written in one piece.
Display equations_display(const Formulation& f) {
  Display display;
  bool whole = false;
  for (const auto& equation : f.equations)
    whole = whole || math(equation.left).text.size() > long_left_side;
  for (const auto& equation : f.equations) {
    const Math left = math(equation.left), right = math(equation.right);
    if (whole) {
      display.lines.push_back(
          {{}, "", {left.text + " = " + right.text, left.latex + " = " + right.latex}, {}});
    } else {
      display.lines.push_back({left, "=", right, {}});
    }
  }
  return display;
}

std::string level_word(mechanics::Level level) {
  switch (level) {
    case mechanics::Level::position:
      return "of positions, differentiated twice";
    case mechanics::Level::velocity:
      return "of velocities, differentiated once";
    case mechanics::Level::acceleration:
      return "of accelerations, taken as it is";
  }
  return {};
}

void add_model(std::vector<Block>& blocks, const Setting& s) {
  const auto& model = s.model();
  blocks.emplace_back(Heading{1, "The model"});
  if (!model.description.empty()) blocks.emplace_back(Paragraph{{model.description}});
  Runs coordinates{std::string("Coordinates: ")};
  for (std::size_t i = 0; i < s.n; ++i) {
    if (i > 0) coordinates.emplace_back(std::string(", "));
    coordinates.emplace_back(math(s.eq().q[i]));
  }
  coordinates.emplace_back(std::string("."));
  blocks.emplace_back(Paragraph{std::move(coordinates)});

  Display display;
  if (model.kinetic) {
    display.lines.push_back(line({"T", "T"}, math(mechanics::tidy(s.eq().kinetic))));
    if (model.potential && !s.eq().potential.is_zero())
      display.lines.push_back(line({"V", "V"}, math(mechanics::tidy(s.eq().potential))));
    if (model.dissipation && !model.dissipation->expr.is_zero())
      display.lines.push_back(line({"D", "D"}, math(mechanics::tidy(model.dissipation->expr))));
  } else {
    for (std::size_t i = 0; i < s.n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        if (s.M(i, j).is_zero()) continue;
        display.lines.push_back(
            line({fmt::format("M_{},{}", i + 1, j + 1), fmt::format("M_{{{}{}}}", i + 1, j + 1)},
                 math(mechanics::tidy(s.M(i, j)))));
      }
    }
  }
  const auto along = [&](const std::vector<Expr>& list, const char* text, const char* latex) {
    for (std::size_t i = 0; i < s.n; ++i) {
      if (list[i].is_zero()) continue;
      const Math q = math(s.eq().q[i]);
      display.lines.push_back(
          line({fmt::format("{}_{}", text, q.text), fmt::format("{}_{{{}}}", latex, q.latex)},
               math(mechanics::tidy(list[i]))));
    }
  };
  std::vector<Expr> forces;
  for (const auto& force : model.forces) forces.push_back(force.expr);
  along(forces, model.kinetic ? "F" : "Q", model.kinetic ? "F" : "Q");
  along(s.eq().C, "C", "C");
  blocks.emplace_back(std::move(display));
  const bool friction =
      std::any_of(s.C.begin(), s.C.end(), [](const Expr& e) { return !e.is_zero(); });
  if (friction) {
    blocks.emplace_back(Paragraph{runs_of(
        "The constraints are not ideal: under a virtual displacement v their forces do the work "
        "«v.C|v \\cdot C».")});
  }
  blocks.emplace_back(Paragraph{runs_of(
      "Sign convention: «M q'' = Q + Q_ideal + Q_nonideal|M \\ddot q = Q + Q^{\\mathrm{i}} + "
      "Q^{\\mathrm{ni}}».")});
}

void add_constraints(std::vector<Block>& blocks, const Setting& s) {
  blocks.emplace_back(Heading{1, "The constraints"});
  if (s.eq().constraints.empty()) {
    blocks.emplace_back(Paragraph{{std::string("There are none.")}});
    return;
  }
  for (std::size_t j = 0; j < s.eq().constraints.size(); ++j) {
    const auto& row = s.eq().constraints[j];
    blocks.emplace_back(Paragraph{{fmt::format("'{}', {}:", row.name, level_word(row.level))}});
    std::vector<Expr> terms;
    for (const auto& entry : mechanics::row_of_A(s.eq(), j))
      terms.push_back(entry.value * s.acceleration(entry.column));
    Display display;
    display.lines.push_back(line(math(row.residual), {"0", "0"}));
    if (row.level != mechanics::Level::acceleration) {
      display.lines.push_back(
          line(math(mechanics::tidy(expr::sum(terms))), math(mechanics::tidy(s.eq().b[j]))));
    }
    blocks.emplace_back(std::move(display));
  }
  if (!s.split.redundant.empty()) {
    blocks.emplace_back(Paragraph{
        {fmt::format("Redundant, and left out where independent constraints are needed: {}.",
                     redundant_names(s))}});
  }
}

void add_formulation(std::vector<Block>& blocks, const Setting& s, const Formulation& f,
                     int level) {
  blocks.emplace_back(Heading{level, std::string(heading_of(f.method))});
  if (f.method == "vakonomic") {
    blocks.emplace_back(Note{{std::string(
        "These are not the equations of mechanics, unless the constraints are integrable. They are "
        "given for contrast.")}});
  }
  List remarks;
  for (const std::string& text : choice_texts(s, f)) remarks.items.push_back({text + "."});
  if (!remarks.items.empty()) blocks.emplace_back(std::move(remarks));
  for (const mechanics::Step& step : f.steps) add_step(blocks, step_text(f, step), level + 1);
  if (f.runnable) {
    blocks.emplace_back(equations_display(f));
    if (const auto explicit_form = mechanics::solved(f, s)) {
      blocks.emplace_back(Paragraph{{std::string("Solved for the accelerations:")}});
      // Multipliers that have a step of their own are told there.
      const std::size_t told = f.multipliers ? f.multipliers->solution.size() : 0;
      Display display;
      for (std::size_t i = 0; i + told < f.unknowns.size(); ++i)
        display.lines.push_back(line(math(f.unknowns[i]), math((*explicit_form)[i])));
      blocks.emplace_back(std::move(display));
    }
  }
  if (f.multipliers) add_step(blocks, step_text(*f.multipliers), level + 1);
  if (f.method == "vakonomic") {
    for (Block& block : vakonomic_contrast(s)) blocks.push_back(std::move(block));
  }
}

void add_sources(std::vector<Block>& blocks) {
  blocks.emplace_back(Heading{1, "Sources of the numbers"});
  blocks.emplace_back(List{{
      {std::string(
          "G: D. T. Greenwood, Advanced Dynamics, Cambridge University Press, chapter 5.")},
      {std::string("U97: F. E. Udwadia, R. E. Kalaba and E. Hee-Chang, 1997.")},
      {std::string("U01: F. E. Udwadia and R. E. Kalaba, Journal of Applied Mechanics 68, 2001.")},
      {std::string("U05: F. E. Udwadia, 2005.")},
      {std::string("T: docs/theory.md of this program.")},
  }});
}

std::string verdict(const mechanics::Agreement& a) {
  if (!a.ruled_out.empty()) return "ruled out: " + a.ruled_out;
  if (a.given_up) return "not compared: that takes too long";
  const bool proof = a.result.how == mechanics::How::proof;
  if (a.result.holds) {
    return proof
               ? "agrees, proven"
               : fmt::format("agrees at random states to {:.0e}", std::max(a.result.error, 1e-50));
  }
  if (!a.mechanical) return fmt::format("differs ({})", a.result.failed);
  return "does NOT agree: " + a.result.failed;
}

void add_comparison(std::vector<Block>& blocks, const Setting& s, const expr::Patience& patience) {
  blocks.emplace_back(Heading{1, "Comparison"});
  blocks.emplace_back(
      Paragraph{runs_of("Each formulation against Lagrange's principle «Z^T (M q'' - Q - C) = "
                        "0|Z^T (M \\ddot q - Q - C) "
                        "= 0», «A q'' = b|A \\ddot q = b»: its equations are shown to be "
                        "combinations of these, for all "
                        "positions, velocities and parameters.")});
  Table table{{{std::string("formulation")}, {std::string("verdict")}}, {}};
  for (const mechanics::Agreement& a : mechanics::compare_formulations(s, {}, patience))
    table.rows.push_back({{a.method}, {verdict(a)}});
  blocks.emplace_back(std::move(table));
}

Document begin(const Setting& s, const std::string& subtitle) {
  Document document;
  document.title = s.model().name;
  document.subtitle = subtitle;
  add_model(document.blocks, s);
  add_constraints(document.blocks, s);
  for (Block& block : instant_blocks(s.model())) document.blocks.push_back(std::move(block));
  return document;
}

}  // namespace

expr::Result<Setting, std::string> setting_near(const motion::Motion& motion,
                                                const motion::State& state) {
  const motion::Acceleration at = motion.acceleration(state.t, state.q, state.v, state.mu);
  std::optional<std::size_t> rank;
  if (at.status == motion::Status::ok) rank = static_cast<std::size_t>(at.rank);
  const expr::Values values = motion::values_at(motion.model(), motion.parameters(), state);
  const mechanics::Reference reference =
      mechanics::reference_near(motion.model(), motion.equations(), values, rank);
  return mechanics::prepare(motion.model(), motion.equations(), reference.values,
                            mechanics::split_coordinates(motion.model(), motion.equations(),
                                                         reference.values, reference.rank));
}

std::vector<Block> vakonomic_contrast(const Setting& s) {
  std::vector<Block> blocks;
  const auto f = mechanics::vakonomic(s);
  if (!f) return blocks;
  blocks.emplace_back(Heading{2, "How the multiplier rule departs from mechanics", "G5.23, G5.24"});
  // Z^T of both sides: lambda = -mu' drops out, and what is left is made of mu itself.
  std::vector<Expr> residual(f->residuals.begin(),
                             f->residuals.begin() + static_cast<std::ptrdiff_t>(s.n));
  const std::vector<Expr> Mq = s.M * f->accelerations;
  for (std::size_t i = 0; i < s.n; ++i) residual[i] -= Mq[i] - s.eq().Q[i];
  std::vector<Expr> departure =
      mechanics::with_velocities(s, mechanics::transpose(f->Z) * residual, f->velocities);
  expr::AlgebraOptions on_positions;  // where the constraints on positions hold
  for (const auto& row : s.eq().constraints) {
    if (row.level == mechanics::Level::position) on_positions.modulo.push_back(row.residual);
  }
  Display display;
  for (std::size_t r = 0; r < s.r; ++r) {
    const Expr brief = mechanics::tidy(departure[r]);
    if (brief.is_zero() || expr::proven_zero(brief, on_positions)) continue;
    const Math q = math(s.eq().q[s.split.independent[r]]);
    display.lines.push_back(line({"Delta_" + q.text, "\\Delta_{" + q.latex + "}"}, math(brief)));
  }
  if (display.lines.empty()) {
    blocks.emplace_back(
        Paragraph{runs_of("Here it does not: projected on the virtual displacements the terms with "
                          "«mu|\\mu» vanish, and (G5.23) is (G5.24) with «lambda = -mu'|\\lambda = "
                          "-\\dot\\mu». This is so whenever the constraints are integrable.")});
    return blocks;
  }
  blocks.emplace_back(Paragraph{runs_of(
      "Mechanics asks that the constraint forces do no work under virtual displacements, which "
      "gives "
      "(G5.24) with multipliers «lambda|\\lambda». The multiplier rule asks instead that varied "
      "paths obey "
      "the constraints, which gives (G5.23): «-mu'|-\\dot\\mu» in place of «lambda|\\lambda» and "
      "further "
      "terms with «mu|\\mu» itself. Projected on the virtual displacements, where reactions drop "
      "out, "
      "these further terms are left on the side of inertia. They vanish for all motions only if "
      "the "
      "constraints are integrable; they do not here, and the motion depends on an initial value of "
      "«mu|\\mu» that mechanics does not know.")});
  blocks.emplace_back(std::move(display));
  return blocks;
}

Document derivation(const Setting& s, const Formulation& f) {
  Document document = begin(s, std::string(heading_of(f.method)));
  add_formulation(document.blocks, s, f, 1);
  add_sources(document.blocks);
  return document;
}

Document derivation_of_model(const Setting& s) {
  return begin(s, "");
}

void say_what_is_derived(const expr::Patience& patience, const mechanics::FormulationInfo& info) {
  const auto all = mechanics::formulations();
  const auto number = std::ranges::find(all, info.name, &mechanics::FormulationInfo::name);
  patience.say(
      fmt::format("deriving {} ({} of {})", info.name, number - all.begin() + 1, all.size()));
}

namespace {

std::vector<Block> formulation_blocks(const Setting& s, const mechanics::FormulationInfo& info) {
  std::vector<Block> blocks;
  auto f = info.derive(s);
  if (!f) {
    blocks.emplace_back(Heading{1, std::string(title_of(info.name))});
    blocks.emplace_back(Paragraph{{"This model rules it out: " + f.error() + "."}});
    return blocks;
  }
  const bool shown = info.name == "scaled" || info.name == "extended-dalembert";
  if (shown && f->steps.size() > 1) f->steps.resize(1);
  add_formulation(blocks, s, *f, 1);
  if (shown)
    blocks.emplace_back(
        Paragraph{{std::string("Matrices and result are those of the M-inverse above.")}});
  return blocks;
}

}  // namespace

Document derivation_of_all(const Setting& s, const expr::Patience& patience) {
  patience.say("writing the model down");
  Document document = begin(s, "Equations of motion in every formulation");
  document.contents = true;
  for (const mechanics::FormulationInfo& info : mechanics::formulations()) {
    say_what_is_derived(patience, info);
    auto blocks = expr::within(patience.most, [&] { return formulation_blocks(s, info); });
    if (blocks) {
      std::ranges::move(*blocks, std::back_inserter(document.blocks));
    } else {
      document.blocks.emplace_back(Heading{1, std::string(title_of(info.name))});
      document.blocks.emplace_back(
          Paragraph{{fmt::format("Left out here: it takes long to derive for this model. "
                                 "`--method {}` derives it alone.",
                                 info.name)}});
    }
  }
  add_comparison(document.blocks, s, patience);
  add_sources(document.blocks);
  return document;
}

}  // namespace dalembert::report
