#include "dalembert/expr/algebra_canonical.hpp"

#include <algorithm>

#include "dalembert/expr/functions.hpp"
#include "dalembert/expr/graph.hpp"

namespace dalembert::expr::algebra {

namespace {

bool is_plain(const Expr& e) {
  return e.is(Op::symbol) || e.is(Op::pi) || e.is(Op::constant);
}

/// A symbol or number, or a multiple of a symbol: in one form already.
bool is_simple(const Expr& e) {
  if (is_plain(e)) return true;
  return e.is(Op::product) && e.args().size() == 2 && e.args()[0].is(Op::constant) &&
         is_plain(e.args()[1]);
}

/// A sum of multiples of symbols, which building has collected.
bool is_linear(const Expr& e) {
  return is_simple(e) ||
         (e.is(Op::sum) && std::all_of(e.args().begin(), e.args().end(), is_simple));
}

/// A function with arguments that the ring compares by node.
bool has_arguments(const Expr& e, Mode mode) {
  if (e.is(Op::power)) return !e.args()[1].is(Op::constant) || mode == Mode::display;
  if (e.is(Op::table)) return true;
  if (!is_function(e.op())) return false;
  return mode == Mode::display || (!e.is(Op::sqrt) && !e.is(Op::abs));
}

class Rewriter {
 public:
  Rewriter(Mode mode, std::size_t terms, const Writer& write)
      : mode_(mode), terms_(terms), write_(write) {}

  Expr argument(const Expr& e) {
    if (mode_ == Mode::decide ? is_linear(e) : is_simple(e)) return e;
    if (const auto found = written_.find(e); found != written_.end()) return found->second;
    Expr result;
    try {
      const Ring ring(std::span(&e, 1), mode_, terms_);
      result = write_(ring, ring.value(e));
    } catch (const GaveUp&) {
      result = e;
    } catch (const Undefined&) {
      result = e;
    }
    written_.emplace(e, result);
    return result;
  }

 private:
  Mode mode_;
  std::size_t terms_;
  const Writer& write_;
  ExprMap written_;
};

}  // namespace

std::vector<Expr> with_canonical_arguments(std::span<const Expr> roots, Mode mode,
                                           std::size_t terms, const Writer& write) {
  Rewriter rewriter(mode, terms, write);
  std::unordered_map<const Node*, Expr> image;
  std::vector<Expr> args;
  for (const Expr& e : postorder(roots)) {
    args.clear();
    bool changed = false;
    const bool rewrites = has_arguments(e, mode) && !(e.is(Op::power) && is_rational_operation(e));
    for (const Expr& arg : e.args()) {
      args.push_back(image.at(arg.node()));
      if (rewrites) args.back() = rewriter.argument(args.back());
      changed = changed || !same(args.back(), arg);
    }
    image.emplace(e.node(), changed ? rebuild(e, args) : e);
  }
  std::vector<Expr> result;
  result.reserve(roots.size());
  for (const Expr& root : roots) result.push_back(image.at(root.node()));
  return result;
}

}  // namespace dalembert::expr::algebra
