#include "dalembert/expr/graph.hpp"

#include "dalembert/expr/effort.hpp"
#include "dalembert/expr/node_index.hpp"

namespace dalembert::expr {

namespace {

constexpr double cost_of_visit = 0.0625;  // in terms

}  // namespace

NodeIndex::Slot& NodeIndex::place(std::span<Slot> slots, const Node* node) {
  std::size_t i = node->hash & (slots.size() - 1);
  while (slots[i].node != nullptr && slots[i].node != node) i = (i + 1) & (slots.size() - 1);
  return slots[i];
}

void NodeIndex::grow() {
  if (slots_.empty()) {
    few_.fill({});
    slots_ = few_;
    return;
  }
  std::vector<Slot> larger(4 * slots_.size());
  for (const Slot& slot : slots_) {
    if (slot.node != nullptr) place(larger, slot.node) = slot;
  }
  many_ = std::move(larger);
  slots_ = many_;
}

bool NodeIndex::insert(const Node* node) {
  if (2 * size_ >= slots_.size()) grow();
  Slot& slot = place(slots_, node);
  if (slot.node != nullptr) return false;
  slot.node = node;
  ++size_;
  return true;
}

std::uint32_t& NodeIndex::number(const Node* node) {
  return place(slots_, node).number;
}

const std::uint32_t* NodeIndex::find(const Node* node) const {
  if (slots_.empty()) return nullptr;
  const Slot& slot = place(slots_, node);
  return slot.node == nullptr ? nullptr : &slot.number;
}

PostOrder::PostOrder(std::span<const Expr> roots) {
  if (roots.size() == 1 && roots.front().args().empty()) {
    nodes_.push_back(&roots.front());
    Effort::spend(cost_of_visit);
    return;
  }
  struct Frame {
    const Expr* e;
    std::size_t next;
  };
  std::vector<Frame> stack;
  stack.reserve(16);
  nodes_.reserve(16);
  for (const Expr& root : roots) {
    if (!numbers_.insert(root.node())) continue;
    stack.push_back({&root, 0});
    while (!stack.empty()) {
      Frame& top = stack.back();
      const std::span<const Expr> args = top.e->args();
      if (top.next == args.size()) {
        numbers_.number(top.e->node()) = static_cast<std::uint32_t>(nodes_.size());
        nodes_.push_back(top.e);
        stack.pop_back();
        Effort::spend(cost_of_visit);
        continue;
      }
      const Expr& arg = args[top.next++];
      if (numbers_.insert(arg.node())) stack.push_back({&arg, 0});
    }
  }
}

std::vector<Expr> postorder(std::span<const Expr> roots) {
  const PostOrder order(roots);
  std::vector<Expr> result;
  result.reserve(order.nodes().size());
  for (const Expr* e : order.nodes()) result.push_back(*e);
  return result;
}

std::vector<Expr> postorder(const Expr& root) {
  return postorder(std::span(&root, 1));
}

std::size_t node_count(std::span<const Expr> roots) {
  const PostOrder order(roots);
  return order.nodes().size();
}

std::vector<Expr> symbols(std::span<const Expr> roots) {
  std::vector<Expr> found;
  const PostOrder order(roots);
  for (const Expr* e : order.nodes()) {
    if (e->is(Op::symbol)) found.push_back(*e);
  }
  return found;
}

std::optional<Expr> find_symbol(const Expr& e, const std::function<bool(const Symbol&)>& fits) {
  const PostOrder order(std::span(&e, 1));
  for (const Expr* s : order.nodes()) {
    if (s->is(Op::symbol) && fits(s->symbol())) return *s;
  }
  return std::nullopt;
}

Expr rebuild(const Expr& e, const std::vector<Expr>& args) {
  switch (e.kind()) {
    case NodeKind::constant:
    case NodeKind::pi:
    case NodeKind::symbol:
      break;
    case NodeKind::sum:
      return sum(args);
    case NodeKind::product:
      return product(args);
    case NodeKind::power:
      return pow(args[0], args[1]);
    case NodeKind::table:
      return apply_table(e.table(), args[0]);
    case NodeKind::function:
      return apply_function(e.op(), args);
  }
  return e;
}

std::vector<Expr> substitute(std::span<const Expr> roots, const ExprMap& replacements) {
  const PostOrder order(roots);
  std::vector<Expr> image;
  image.reserve(order.nodes().size());
  std::vector<Expr> args;
  for (const Expr* e : order.nodes()) {
    if (const auto found = replacements.find(*e); found != replacements.end()) {
      image.push_back(found->second);
      continue;
    }
    args.clear();
    bool changed = false;
    for (const Expr& arg : e->args()) {
      args.push_back(image[order.number(arg)]);
      changed = changed || !same(args.back(), arg);
    }
    image.push_back(changed ? rebuild(*e, args) : *e);
  }
  std::vector<Expr> result;
  result.reserve(roots.size());
  for (const Expr& root : roots) result.push_back(image[order.number(root)]);
  return result;
}

Expr substitute(const Expr& e, const ExprMap& replacements) {
  return substitute(std::span(&e, 1), replacements).front();
}

}  // namespace dalembert::expr
