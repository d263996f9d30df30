#include "dalembert/flow/instants/marks.hpp"

#include <algorithm>

#include "dalembert/expr/functions.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/model/assembly/places.hpp"

namespace dalembert::flow {

namespace {

using expr::Expr;
using expr::Op;

bool depends_on_state(const Expr& e) {
  return expr::find_symbol(
             e,
             [](const expr::Symbol& s) {
               return (s.kind != expr::SymbolKind::parameter && s.kind != expr::SymbolKind::time) ||
                      model::is_reaction(s);
             })
      .has_value();
}

std::optional<Mark> kink_of(const Expr& e) {
  if (!expr::is_function(e.op())) return std::nullopt;
  switch (expr::function_info(e.op()).kinks) {
    case expr::Kinks::none:
      return std::nullopt;
    case expr::Kinks::at_zero:
    case expr::Kinks::at_cut:
      return Mark{e.args()[0]};
    case expr::Kinks::where_equal:
      return Mark{e.args()[0] - e.args()[1]};
    case expr::Kinks::at_whole_numbers:
      return Mark{expr::sin(expr::pi() * e.args()[0])};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Expr> pole_of(const Expr& e) {
  if (e.is(Op::power)) {
    const Expr& exponent = e.args()[1];
    if (exponent.is(Op::constant) && exponent.value() < 0) return e.args()[0];
  }
  if (e.is(Op::tan) || e.is(Op::sec)) return expr::cos(e.args()[0]);
  if (e.is(Op::cot) || e.is(Op::csc)) return expr::sin(e.args()[0]);
  return std::nullopt;
}

std::vector<Mark> marks_of(const Expr& e) {
  std::vector<Mark> marks;
  for (const Expr& part : expr::postorder(std::span(&e, 1))) {
    const std::optional<Expr> pole = pole_of(part);
    for (const std::optional<Mark>& mark :
         {pole ? std::optional(Mark{*pole, true}) : std::nullopt, kink_of(part)}) {
      if (!mark || !depends_on_state(mark->expr)) continue;
      const auto known = std::ranges::find_if(
          marks, [&](const Mark& other) { return same(other.expr, mark->expr); });
      if (known == marks.end()) {
        marks.push_back(*mark);
      } else {
        known->pole = known->pole || mark->pole;
      }
    }
  }
  return marks;
}

bool depends_on_time_alone(const Expr& e) {
  const auto is_time = [](const expr::Symbol& s) { return s.kind == expr::SymbolKind::time; };
  return !depends_on_state(e) && expr::find_symbol(e, is_time).has_value();
}

}  // namespace dalembert::flow
