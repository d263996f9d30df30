#include "dalembert/expr/node.hpp"

#include <string>

#include "dalembert/expr/effort.hpp"
#include "dalembert/expr/table.hpp"

namespace dalembert::expr {

namespace {

constexpr double cost_of_node = 0.25;  // in terms

std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  // The finalizer of splitmix64 over the running combination (Steele, Lea & Flood 2014).
  std::uint64_t z = seed * 0x9e3779b97f4a7c15ULL + value + 0x632be59bd9b4e019ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

std::uint64_t hash_text(std::uint64_t seed, std::string_view text) {
  for (const char c : text) seed = mix(seed, static_cast<unsigned char>(c));
  return mix(seed, text.size());
}

std::uint64_t hash_integer(std::uint64_t seed, const mpz_class& z) {
  seed = mix(seed, static_cast<std::uint64_t>(sgn(z) + 1));
  const std::size_t limbs = mpz_size(z.get_mpz_t());
  for (std::size_t i = 0; i < limbs; ++i)
    seed = mix(seed, mpz_getlimbn(z.get_mpz_t(), static_cast<mp_size_t>(i)));
  return seed;
}

std::uint64_t seed_of(Op op) {
  return mix(0x51ed270b, static_cast<std::uint64_t>(op));
}

/// Decides between different nodes of equal hash. Such pairs are next to impossible, so the cost
/// does not matter.
int compare_structure(const Expr& a, const Expr& b) {
  if (same(a, b)) return 0;
  if (a.op() != b.op()) return a.op() < b.op() ? -1 : 1;
  if (a.is(Op::constant)) return cmp(a.value(), b.value());
  if (a.is(Op::symbol)) {
    const Symbol& s = a.symbol();
    const Symbol& r = b.symbol();
    if (s.kind != r.kind) return s.kind < r.kind ? -1 : 1;
    if (s.order != r.order) return s.order < r.order ? -1 : 1;
    return s.name.compare(r.name);
  }
  if (a.is(Op::table) && !(*a.table() == *b.table()))
    return a.table()->precedes(*b.table()) ? -1 : 1;
  if (a.args().size() != b.args().size()) return a.args().size() < b.args().size() ? -1 : 1;
  for (std::size_t i = 0; i < a.args().size(); ++i) {
    if (const int order = compare_structure(a.args()[i], b.args()[i]); order != 0) return order;
  }
  return 0;
}

}  // namespace

bool ordered_before(const Expr& a, const Expr& b) {
  const bool a_constant = a.is(Op::constant);
  const bool b_constant = b.is(Op::constant);
  if (a_constant != b_constant) return a_constant;
  if (a.hash() != b.hash()) return a.hash() < b.hash();
  return compare_structure(a, b) < 0;
}

bool Pool::ContentEqual::operator()(const Node* a, const Node* b) const {
  if (a->op != b->op || a->args.size() != b->args.size()) return false;
  for (std::size_t i = 0; i < a->args.size(); ++i) {
    if (!same(a->args[i], b->args[i])) return false;
  }
  if (a->value) return *a->value == *b->value;
  if (a->symbol) return *a->symbol == *b->symbol;
  if (a->table) return *a->table == *b->table;
  return true;
}

Pool& Pool::instance() {
  static Pool& pool = *new Pool;  // never destroyed: expressions in static storage may outlive it
  return pool;
}

std::size_t Pool::size() {
  const std::lock_guard lock(mutex_);
  return nodes_.size();
}

Expr Pool::find_or_insert(std::unique_ptr<Node> candidate) {
  const std::lock_guard lock(mutex_);
  const auto [position, inserted] = nodes_.insert(candidate.get());
  if (inserted) return Expr(candidate.release());
  (*position)->references.fetch_add(1, std::memory_order_relaxed);
  return Expr(*position);
}

Expr Pool::intern(Op op, std::vector<Expr> args) {
  Effort::spend(cost_of_node);
  auto node = std::make_unique<Node>();
  node->op = op;
  node->hash = seed_of(op);
  for (const Expr& arg : args) node->hash = mix(node->hash, arg.hash());
  node->args = std::move(args);
  return find_or_insert(std::move(node));
}

Expr Pool::intern(const Rational& value) {
  auto node = std::make_unique<Node>();
  node->op = Op::constant;
  Rational lowest = value;
  if (lowest.get_den() != 1) lowest.canonicalize();
  node->hash =
      hash_integer(hash_integer(seed_of(Op::constant), lowest.get_num()), lowest.get_den());
  node->value = std::make_unique<const Rational>(std::move(lowest));
  return find_or_insert(std::move(node));
}

Expr Pool::intern(const Symbol& symbol) {
  auto node = std::make_unique<Node>();
  node->op = Op::symbol;
  node->hash = mix(seed_of(Op::symbol), static_cast<std::uint64_t>(symbol.kind));
  node->hash = hash_text(mix(node->hash, static_cast<std::uint64_t>(symbol.order)), symbol.name);
  node->symbol = std::make_unique<const Symbol>(symbol);
  return find_or_insert(std::move(node));
}

Expr Pool::intern(std::shared_ptr<const Table> table, const Expr& s) {
  Effort::spend(cost_of_node);
  auto node = std::make_unique<Node>();
  node->op = Op::table;
  node->hash = mix(mix(seed_of(Op::table), table->digest()), s.hash());
  node->args = {s};
  node->table = std::move(table);
  return find_or_insert(std::move(node));
}

bool Pool::drop_reference(const Node* node) noexcept {
  std::uint32_t count = node->references.load(std::memory_order_relaxed);
  while (count > 1) {
    if (node->references.compare_exchange_weak(count, count - 1, std::memory_order_acq_rel))
      return false;
  }
  const std::lock_guard lock(mutex_);
  if (node->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
  nodes_.erase(node);
  return true;
}

void Pool::release(const Node* node) noexcept {
  // Deep graphs are taken apart with a list, not by recursion: the nodes that die here wait in
  // `doomed`, and the releases caused by destroying one of them land in the same list.
  static thread_local std::vector<const Node*>* waiting = nullptr;
  if (!drop_reference(node)) return;
  if (waiting != nullptr) {
    waiting->push_back(node);
    return;
  }
  std::vector<const Node*> doomed{node};
  waiting = &doomed;
  while (!doomed.empty()) {
    const Node* next = doomed.back();
    doomed.pop_back();
    delete next;
  }
  waiting = nullptr;
}

Expr::Expr(int value) : Expr(Rational(value)) {}
Expr::Expr(long value) : Expr(Rational(value)) {}
Expr::Expr(double value) : Expr(rational_from_double(value)) {}
Expr::Expr(const Rational& value) : Expr(Pool::instance().intern(value)) {}

Expr::Expr(const Expr& other) noexcept : node_(other.node_) {
  if (node_ != nullptr) node_->references.fetch_add(1, std::memory_order_relaxed);
}

Expr& Expr::operator=(const Expr& other) noexcept {
  Expr copy(other);
  std::swap(node_, copy.node_);
  return *this;
}

Expr& Expr::operator=(Expr&& other) noexcept {
  std::swap(node_, other.node_);
  return *this;
}

Expr::~Expr() {
  if (node_ != nullptr) Pool::instance().release(node_);
}

Op Expr::op() const {
  return node_->op;
}
std::span<const Expr> Expr::args() const {
  return node_->args;
}
const Rational& Expr::value() const {
  return *node_->value;
}
const Symbol& Expr::symbol() const {
  return *node_->symbol;
}
const std::shared_ptr<const Table>& Expr::table() const {
  return node_->table;
}
std::uint64_t Expr::hash() const {
  return node_->hash;
}
bool Expr::is_zero() const {
  return is(Op::constant) && sgn(value()) == 0;
}
bool Expr::is_one() const {
  return is(Op::constant) && value() == 1;
}

Expr symbol(const Symbol& s) {
  return Pool::instance().intern(s);
}
Expr coordinate(std::string_view name, int order) {
  return symbol({SymbolKind::coordinate, order, std::string(name)});
}
Expr parameter(std::string_view name) {
  return symbol({SymbolKind::parameter, 0, std::string(name)});
}
Expr time() {
  return symbol({SymbolKind::time, 0, "t"});
}
Expr ideal_force(std::string_view coordinate_name) {
  return symbol({SymbolKind::ideal_force, 0, std::string(coordinate_name)});
}
Expr nonideal_force(std::string_view coordinate_name) {
  return symbol({SymbolKind::nonideal_force, 0, std::string(coordinate_name)});
}
Expr multiplier(std::string_view constraint_name) {
  return symbol({SymbolKind::multiplier, 0, std::string(constraint_name)});
}
Expr auxiliary(std::string_view name, int order) {
  return symbol({SymbolKind::auxiliary, order, std::string(name)});
}
Expr pi() {
  return Pool::instance().intern(Op::pi, {});
}

std::size_t live_nodes() {
  return Pool::instance().size();
}

}  // namespace dalembert::expr
