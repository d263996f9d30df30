#include "dalembert/study/linear/jump_watch.hpp"

#include "dalembert/expr/graph.hpp"
#include "dalembert/expr/print.hpp"
#include "dalembert/expr/table.hpp"
#include "dalembert/flow/values.hpp"
#include "dalembert/model/assembly/places.hpp"

namespace dalembert::study {

namespace {

using expr::Expr;

bool moves(const flow::Motion& motion, const Expr& g, const std::vector<std::size_t>& parameters) {
  bool state = false, known = true;
  for (const Expr& s : expr::symbols(std::span(&g, 1))) {
    switch (s.symbol().kind) {
      case expr::SymbolKind::coordinate:
        state = true;
        known = known && s.symbol().order < 2;
        break;
      case expr::SymbolKind::parameter:
        for (const std::size_t i : parameters)
          state = state || motion.model().parameters[i].name == s.symbol().name;
        break;
      case expr::SymbolKind::time:
        break;
      case expr::SymbolKind::ideal_force:
      case expr::SymbolKind::nonideal_force:
      case expr::SymbolKind::multiplier:
      case expr::SymbolKind::auxiliary:
        known = false;
        break;
    }
  }
  return state && known;
}

}  // namespace

JumpWatch::JumpWatch(const flow::Motion& motion, const std::vector<std::size_t>& parameters,
                     bool kinks) {
  const auto& eq = motion.equations();
  std::vector<Expr> roots = eq.Q;
  roots.insert(roots.end(), eq.b.begin(), eq.b.end());
  const auto C = mechanics::full_C(eq);
  roots.insert(roots.end(), C.begin(), C.end());
  for (const auto* entries : {&eq.M, &eq.A}) {
    for (const auto& entry : *entries) roots.push_back(entry.value);
  }
  std::vector<Expr> outputs;
  for (const Expr& e : expr::postorder(roots)) {
    const bool whole = e.is(expr::Op::floor);
    const bool larger = e.is(expr::Op::min) || e.is(expr::Op::max);
    if (e.is(expr::Op::table)) {
      if (e.table()->degree() > (kinks ? 1 : 0) || !moves(motion, e.args()[0], parameters))
        continue;
      Expr piece = 0;
      for (const double node : e.table()->nodes()) piece += expr::step(e.args()[0] - Expr(node));
      outputs.push_back(piece);
      words_.push_back(expr::to_text(e, 200));
      continue;
    }
    const bool kink = larger || e.is(expr::Op::abs);
    if (kink ? !kinks
             : !whole && !e.is(expr::Op::sign) && !e.is(expr::Op::step) && !e.is(expr::Op::choose))
      continue;
    const Expr g = larger ? e.args()[0] - e.args()[1] : e.args()[0];
    if (!moves(motion, g, parameters)) continue;
    outputs.push_back(whole ? expr::floor(g) : expr::sign(g));
    words_.push_back(expr::to_text(e, 200));
  }
  kernel_ =
      codegen::make_kernel(codegen::make_tape(outputs, flow::state_symbols(eq), eq.parameters));
  workspace_ = kernel_.workspace(motion.parameters());
  now_.resize(outputs.size());
  before_.resize(outputs.size());
}

const std::string* JumpWatch::look(double t, std::span<const double> y, std::size_t n) {
  if (words_.empty()) return nullptr;
  inputs_.assign(1, t);
  inputs_.insert(inputs_.end(), y.begin(), y.begin() + 2 * static_cast<std::ptrdiff_t>(n));
  kernel_.evaluate(workspace_, inputs_, now_);
  const std::string* found = nullptr;
  for (std::size_t i = 0; i < now_.size(); ++i) {
    if (looked_ && now_[i] != before_[i]) found = &words_[i];
  }
  before_ = now_;
  looked_ = true;
  return found;
}

}  // namespace dalembert::study
