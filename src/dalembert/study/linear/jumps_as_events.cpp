#include "dalembert/study/linear/jumps_as_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/evaluate.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/expr/print.hpp"
#include "dalembert/expr/table.hpp"
#include "dalembert/flow/instants/kernels.hpp"
#include "dalembert/flow/values.hpp"

namespace dalembert::study {

namespace {

using expr::Expr;

/// Tables of more nodes are left to end the columns.
constexpr std::size_t most_nodes = 1000;
/// Of the discretes' names, which have a point in them as none that is written has.
constexpr std::string_view prefix = "jump.";

/// Every expression of a model that the motion depends on; first those that are differentiated,
/// `differentiated` of them. Outputs may jump where they like.
std::vector<Expr*> expressions_of(model::Model& model, std::size_t& differentiated) {
  std::vector<Expr*> all;
  for (auto* energy : {&model.kinetic, &model.potential, &model.dissipation}) {
    if (*energy) all.push_back(&(*energy)->expr);
  }
  for (auto& row : model.mass_matrix) {
    for (auto& entry : row) all.push_back(&entry.expr);
  }
  for (auto& constraint : model.constraints) all.push_back(&constraint.residual);
  for (auto& contact : model.contacts) {
    all.push_back(&contact.gap.expr);
    for (auto& slip : contact.slip) all.push_back(&slip.expr);
  }
  for (auto& friction : model.dry_frictions) {
    for (auto& slip : friction.slip) all.push_back(&slip.expr);
  }
  differentiated = all.size();
  for (auto& force : model.forces) all.push_back(&force.expr);
  for (auto& c : model.virtual_work) all.push_back(&c.expr);
  for (auto& event : model.events) {
    if (event.when) all.push_back(&event.when->expr);
    for (auto& set : event.set) all.push_back(&set.value.expr);
  }
  for (auto& contact : model.contacts) {
    all.push_back(&contact.restitution.expr);
    if (contact.friction) all.push_back(&contact.friction->expr);
    if (contact.static_friction) all.push_back(&contact.static_friction->expr);
  }
  for (auto& friction : model.dry_frictions) {
    all.push_back(&friction.limit.expr);
    if (friction.static_limit) all.push_back(&friction.static_limit->expr);
  }
  return all;
}

/// All of the equations of motion, with the rows of contacts and frictions.
std::vector<Expr> equations_of(const flow::Motion& motion) {
  const mechanics::Equations& eq =
      motion.instants() != nullptr ? motion.instants()->equations : motion.equations();
  std::vector<Expr> all = eq.Q;
  all.insert(all.end(), eq.b.begin(), eq.b.end());
  const auto C = mechanics::full_C(eq);
  all.insert(all.end(), C.begin(), C.end());
  for (const auto* entries : {&eq.M, &eq.A}) {
    for (const auto& entry : *entries) all.push_back(entry.value);
  }
  return all;
}

class Rewriting {
 public:
  Rewriting(const flow::Motion& motion, const flow::State& start,
            const std::vector<std::size_t>& parameters)
      : motion_(motion), start_(start), model_(motion.model()), values_(motion.parameters()) {
    for (const std::size_t i : parameters) changing_.push_back(motion.model().parameters[i].name);
    for (const std::size_t i : motion.model().discretes)
      changing_.push_back(motion.model().parameters[i].name);
  }

  expr::Result<flow::Motion, std::string> run() {
    std::size_t differentiated = 0;
    const std::vector<Expr*> all = expressions_of(model_, differentiated);
    std::vector<Expr> roots;
    for (const Expr* e : all) roots.push_back(*e);
    for (const Expr& e : expr::postorder(std::span(roots).first(differentiated)))
      differentiated_.emplace(e, e);
    for (const Expr& e : expr::postorder(roots)) {
      if (!replace(e)) return expr::Failure{problem_};
    }
    if (levels_.empty()) return smooth(motion_);
    const std::vector<Expr> replaced = expr::substitute(roots, map_);
    for (std::size_t i = 0; i < all.size(); ++i) *all[i] = replaced[i];
    model_.simulation.method = "m-inverse";
    model_.simulation.integrator = "rk8";
    auto compiled = flow::compile(std::move(model_), {});
    if (!compiled) return expr::Failure{to_string(compiled.error())};
    std::vector<double> values = std::move(values_);
    // Outputs of the engine may have added parameters of their own.
    for (std::size_t i = values.size(); i < compiled->parameters().size(); ++i)
      values.push_back(compiled->parameters()[i]);
    return smooth(compiled->with_parameters(std::move(values)));
  }

 private:
  /// The motion, if nothing is left in its equations that jumps.
  expr::Result<flow::Motion, std::string> smooth(flow::Motion motion) {
    using expr::Op;
    if (!model::has_instants(motion.model())) return motion;  // what jumps there ends the columns
    const std::vector<Expr> equations = equations_of(motion);
    for (const Expr& e : expr::postorder(equations)) {
      const bool jumps = e.is(Op::sign) || e.is(Op::step) || e.is(Op::floor) || e.is(Op::choose) ||
                         (e.is(Op::table) && e.table()->degree() == 0);
      if (jumps && moves(e.args()[0]))
        return expr::Failure{
            fmt::format("{} jumps, and no event stands for it", expr::to_text(e, 200))};
    }
    return motion;
  }

  bool replace(const Expr& e) {
    using expr::Op;
    if (e.is(Op::table)) return replace_table(e);
    if (e.is(Op::abs) || e.is(Op::min) || e.is(Op::max)) return replace_kink(e);
    if (!e.is(Op::sign) && !e.is(Op::step) && !e.is(Op::choose) && !e.is(Op::floor)) return true;
    const Expr g = expr::substitute(e.args()[0], map_);
    if (!moves(g)) return true;
    if (e.is(Op::floor)) {
      const auto level = level_of(g, true);
      if (!level) return false;
      map_[e] = *level;
      return true;
    }
    const auto level = level_of(g, false);
    if (!level) return false;
    if (e.is(Op::sign)) map_[e] = *level;
    if (e.is(Op::step)) map_[e] = expr::step(*level);
    if (e.is(Op::choose))
      map_[e] = expr::choose(*level, expr::substitute(e.args()[1], map_),
                             expr::substitute(e.args()[2], map_));
    return true;
  }

  /// A kink becomes a jump where it is differentiated.
  bool replace_kink(const Expr& e) {
    using expr::Op;
    if (!differentiated_.contains(e)) return true;
    const Expr a = expr::substitute(e.args()[0], map_);
    if (e.is(Op::abs)) {
      if (!moves(a)) return true;
      const auto level = level_of(a, false);
      if (!level) return false;
      map_[e] = *level * a;
      return true;
    }
    const Expr b = expr::substitute(e.args()[1], map_);
    if (!moves(a - b)) return true;
    const auto level = level_of(a - b, false);
    if (!level) return false;
    map_[e] = e.is(Op::max) ? expr::choose(*level, a, b) : expr::choose(*level, b, a);
    return true;
  }

  /// A table that holds its values jumps at each node at which they differ.
  bool replace_table(const Expr& e) {
    const expr::Table& table = *e.table();
    const Expr g = expr::substitute(e.args()[0], map_);
    if (table.degree() > 0 || table.order() > 0 || !moves(g)) return true;
    if (table.nodes().size() > most_nodes || table.outside() != expr::Outside::hold) {
      problem_ = fmt::format("the table '{}' jumps at its nodes", table.title());
      return false;
    }
    double before = table.value(table.nodes().front());
    Expr sum(before);
    for (const double node : table.nodes().subspan(1)) {
      const double value = table.value(node);
      const double last = std::exchange(before, value);
      if (value == last) continue;
      const auto level = level_of(g - Expr(node), false);
      if (!level) return false;
      sum += (Expr(value) - Expr(last)) * expr::step(*level);
    }
    map_[e] = sum;
    return true;
  }

  /// Whether g depends on the state, or on time and what is to change, and on nothing that an
  /// event cannot watch.
  bool moves(const Expr& g) const {
    bool state = false, time = false, changes = false, known = true;
    for (const Expr& s : expr::symbols(std::span(&g, 1))) {
      const expr::Symbol& symbol = s.symbol();
      if (symbol.kind == expr::SymbolKind::coordinate) {
        state = true;
        known = known && symbol.order < 2;
      } else if (symbol.kind == expr::SymbolKind::parameter) {
        changes = changes || std::ranges::find(changing_, symbol.name) != changing_.end();
      } else if (symbol.kind == expr::SymbolKind::time) {
        time = true;
      } else {
        known = false;
      }
    }
    return (state || (time && changes)) && known;
  }

  double value_of(const Expr& e) const {
    const expr::Values known = flow::values_at(motion_, start_, solved_);
    return expr::evaluate(e, [&](const expr::Symbol& symbol) {
      for (std::size_t i = motion_.parameters().size(); i < values_.size(); ++i) {
        if (symbol.name == model_.parameters[i].name) return values_[i];
      }
      return known(symbol);
    });
  }

  std::optional<Expr> level_of(const Expr& g, bool whole) {
    for (const auto& [known, level, of_floor] : levels_) {
      if (of_floor == whole && same(known, g)) return level;
    }
    const double value = value_of(g);
    const double rest = whole ? value - std::round(value) : value;
    double level = whole ? std::floor(value) : (value < 0 ? -1 : 1);
    if (std::abs(rest) <= (whole ? 1e-12 * (1 + std::abs(value)) : 0)) {
      const double rate = value_of(expr::time_derivative(g));
      if (!(std::abs(rate) > 0)) {
        problem_ = fmt::format("{} stands at its jump at the start", expr::to_text(g, 200));
        return std::nullopt;
      }
      if (whole) level = std::round(value) - (rate < 0 ? 1 : 0);
      if (!whole) level = rate < 0 ? -1 : 1;
    }
    const std::string name = fmt::format("{}{}", prefix, levels_.size() + 1);
    Expr symbol = expr::parameter(name);
    model_.discretes.push_back(model_.parameters.size());
    model_.parameters.push_back({name, Expr(level), {}});
    values_.push_back(level);
    const auto add = [&](const Expr& when, model::Event::Direction direction, const Expr& next) {
      model::Event event;
      event.name = fmt::format("{}.{}", name, model_.events.size());
      while (std::ranges::find(model_.events, event.name, &model::Event::name) !=
             model_.events.end())
        event.name += '.';
      event.when = model::Located{when, {}};
      event.direction = direction;
      event.set.push_back(
          {model::Event::Set::Target::discrete, model_.discretes.back(), {next, {}}});
      model_.events.push_back(std::move(event));
    };
    using Direction = model::Event::Direction;
    if (whole) {
      add(g - symbol - Expr(1), Direction::rising, symbol + Expr(1));
      add(g - symbol, Direction::falling, symbol - Expr(1));
    } else {
      add(g, Direction::both, -symbol);
    }
    changing_.push_back(name);
    levels_.push_back({g, symbol, whole});
    return symbol;
  }

  struct Level {
    Expr g, symbol;
    bool whole;
  };

  const flow::Motion& motion_;
  const flow::State& start_;
  model::Model model_;
  std::vector<double> values_;
  std::vector<std::string> changing_;
  expr::ExprMap map_, differentiated_;
  std::vector<Level> levels_;
  flow::Acceleration solved_ = motion_.acceleration(start_.t, start_.q, start_.v, start_.mu);
  std::string problem_;
};

}  // namespace

expr::Result<flow::Motion, std::string> with_jumps_as_events(
    const flow::Motion& motion, const flow::State& start,
    const std::vector<std::size_t>& parameters) {
  return Rewriting(motion, start, parameters).run();
}

bool stands_for_jump(const model::Model& model, const model::Event& event) {
  return event.set.size() == 1 && event.set[0].target == model::Event::Set::Target::discrete &&
         model.parameters[event.set[0].index].name.starts_with(prefix);
}

}  // namespace dalembert::study
