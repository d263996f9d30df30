#include "dalembert/expr/node.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <utility>

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

SmallRatio small_ratio(const Rational& value) {
  const mpz_class& n = value.get_num();
  const mpz_class& d = value.get_den();
  if (!mpz_fits_slong_p(n.get_mpz_t()) || !mpz_fits_slong_p(d.get_mpz_t())) return {0, 0};
  const SmallRatio small{n.get_si(), d.get_si()};
  const bool fits = small.numerator <= SmallRatio::most && small.numerator >= -SmallRatio::most &&
                    small.denominator <= SmallRatio::most;
  return fits ? small : SmallRatio{0, 0};
}

std::uint64_t hash_of(Op op, std::span<const Expr> args) {
  std::uint64_t hash = seed_of(op);
  for (const Expr& arg : args) hash = mix(hash, arg.hash());
  return hash;
}

void spend_for_node() {
  Effort::spend(cost_of_node);
}

namespace {

void prepare(Node& node, Op op, std::uint64_t hash, std::span<const Expr> args) {
  node.references.store(1, std::memory_order_relaxed);
  node.arg_count = static_cast<std::uint32_t>(args.size());
  node.hash = hash;
  node.args = args.data();
  node.next = nullptr;
  node.op = op;
}

const Node* make_operation(Op op, std::uint64_t hash, std::span<Expr> args) {
  static_assert(sizeof(Node) % alignof(Expr) == 0);
  void* memory = ::operator new(sizeof(Node) + args.size() * sizeof(Expr));
  Node* node = ::new (memory) Node{};
  auto* operands = reinterpret_cast<Expr*>(static_cast<std::byte*>(memory) + sizeof(Node));
  std::uninitialized_move(args.begin(), args.end(), operands);
  prepare(*node, op, hash, {operands, args.size()});
  return node;
}

void destroy(const Node* node) noexcept {
  if (node->op == Op::constant) {
    delete static_cast<const ConstantNode*>(node);
  } else if (node->op == Op::symbol) {
    delete static_cast<const SymbolNode*>(node);
  } else if (node->op == Op::table) {
    delete static_cast<const TableNode*>(node);
  } else {
    std::destroy_n(const_cast<Expr*>(node->args), node->arg_count);
    node->~Node();
    ::operator delete(const_cast<Node*>(node));
  }
}

bool same_args(const Node* node, std::span<const Expr> args) {
  return std::ranges::equal(args, std::span(node->args, node->arg_count),
                            [](const Expr& a, const Expr& b) { return same(a, b); });
}

std::uint64_t hash_small(std::uint64_t seed, std::int64_t value) {  // as hash_integer
  const std::int64_t sign = value < 0 ? -1 : value > 0 ? 1 : 0;
  seed = mix(seed, static_cast<std::uint64_t>(sign + 1));
  return value == 0 ? seed : mix(seed, static_cast<std::uint64_t>(value < 0 ? -value : value));
}

constexpr int kept_integers = 16;  // and their negatives

}  // namespace

Pool& Pool::instance() {
  static Pool& pool = *new Pool;  // never destroyed: expressions in static storage may outlive it
  return pool;
}

Pool::Pool() : buckets_(1024) {
  std::vector<Expr> integers;
  for (int k = -kept_integers; k <= kept_integers; ++k) integers.push_back(intern(Rational(k)));
  integers_ = std::move(integers);
}

std::size_t Pool::size() {
  const std::lock_guard lock(mutex_);
  return size_;
}

void Pool::grow() {
  std::vector<const Node*> old(2 * buckets_.size());
  std::swap(old, buckets_);
  for (const Node* node : old) {
    while (node != nullptr) {
      const Node* next = node->next;
      const Node*& head = bucket(node->hash);
      node->next = head;
      head = node;
      node = next;
    }
  }
}

template <class IsIt, class Make>
Expr Pool::find_or_insert(std::uint64_t hash, IsIt is_it, Make make) {
  const std::lock_guard lock(mutex_);
  for (const Node* node = bucket(hash); node != nullptr; node = node->next) {
    if (node->hash != hash || !is_it(node)) continue;
    node->references.fetch_add(1, std::memory_order_relaxed);
    return Expr(node);
  }
  if (size_ >= buckets_.size()) grow();
  const Node* node = make();
  const Node*& head = bucket(hash);
  node->next = head;
  head = node;
  ++size_;
  return Expr(node);
}

Expr Pool::intern_uncounted(Op op, std::span<Expr> args) {
  const std::uint64_t hash = hash_of(op, args);
  return find_or_insert(
      hash, [&](const Node* node) { return node->op == op && same_args(node, args); },
      [&] { return make_operation(op, hash, args); });
}

Expr Pool::intern(Op op, std::span<Expr> args) {
  spend_for_node();
  return intern_uncounted(op, args);
}

Expr Pool::intern(const Rational& value) {
  if (value.get_den() != 1) {
    Rational lowest = value;
    lowest.canonicalize();
    if (lowest.get_den() != value.get_den()) return intern(lowest);
  }
  const SmallRatio small = small_ratio(value);
  if (small.denominator == 1 && !integers_.empty()) return intern(small);
  const std::uint64_t hash =
      hash_integer(hash_integer(seed_of(Op::constant), value.get_num()), value.get_den());
  return find_or_insert(
      hash,
      [&](const Node* node) {
        return node->op == Op::constant && static_cast<const ConstantNode*>(node)->value == value;
      },
      [&]() -> const Node* {
        auto* node = new ConstantNode{{}, value, small};
        prepare(*node, Op::constant, hash, {});
        return node;
      });
}

Expr Pool::integer(long value) {
  if (value >= -kept_integers && value <= kept_integers)
    return integers_[static_cast<std::size_t>(value + kept_integers)];
  return intern(Rational(value));
}

Expr Pool::intern(const SmallRatio& value) {
  if (value.denominator == 1 && value.numerator >= -kept_integers &&
      value.numerator <= kept_integers)
    return integer(value.numerator);
  const std::uint64_t hash =
      hash_small(hash_small(seed_of(Op::constant), value.numerator), value.denominator);
  return find_or_insert(
      hash,
      [&](const Node* node) {
        return node->op == Op::constant && static_cast<const ConstantNode*>(node)->small == value;
      },
      [&]() -> const Node* {
        auto* node = new ConstantNode{{}, Rational(value.numerator, value.denominator), value};
        prepare(*node, Op::constant, hash, {});
        return node;
      });
}

Expr Pool::intern(const Symbol& symbol) {
  std::uint64_t hash = mix(seed_of(Op::symbol), static_cast<std::uint64_t>(symbol.kind));
  hash = hash_text(mix(hash, static_cast<std::uint64_t>(symbol.order)), symbol.name);
  return find_or_insert(
      hash,
      [&](const Node* node) {
        return node->op == Op::symbol && static_cast<const SymbolNode*>(node)->symbol == symbol;
      },
      [&]() -> const Node* {
        auto* node = new SymbolNode{{}, symbol};
        prepare(*node, Op::symbol, hash, {});
        return node;
      });
}

Expr Pool::intern(std::shared_ptr<const Table> table, const Expr& s) {
  spend_for_node();
  const std::uint64_t hash = mix(mix(seed_of(Op::table), table->digest()), s.hash());
  return find_or_insert(
      hash,
      [&](const Node* node) {
        const auto* known = static_cast<const TableNode*>(node);
        return node->op == Op::table && same(known->arg, s) && *known->table == *table;
      },
      [&]() -> const Node* {
        auto* node = new TableNode{{}, s, std::move(table)};
        prepare(*node, Op::table, hash, {&node->arg, 1});
        return node;
      });
}

bool Pool::drop_reference(const Node* node) noexcept {
  std::uint32_t count = node->references.load(std::memory_order_relaxed);
  while (count > 1) {
    if (node->references.compare_exchange_weak(count, count - 1, std::memory_order_acq_rel))
      return false;
  }
  const std::lock_guard lock(mutex_);
  if (node->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
  const Node** place = &bucket(node->hash);
  while (*place != node) place = &(*place)->next;
  *place = node->next;
  --size_;
  return true;
}

void Pool::release(const Node* node) noexcept {
  // Deep graphs are taken apart with a list, not by recursion: the nodes that die here wait in
  // `doomed`, and the releases caused by destroying one of them land in the same list.
  static thread_local const Node* waiting = nullptr;
  static thread_local bool busy = false;
  if (!drop_reference(node)) return;
  node->next = waiting;
  waiting = node;
  if (busy) return;
  busy = true;
  while (waiting != nullptr) {
    const Node* doomed = waiting;
    waiting = doomed->next;
    destroy(doomed);
  }
  busy = false;
}

Expr::Expr(int value) : Expr(static_cast<long>(value)) {}
Expr::Expr(long value) : Expr(Pool::instance().integer(value)) {}
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

const Rational& Expr::value() const {
  return static_cast<const ConstantNode*>(node_)->value;
}
const Symbol& Expr::symbol() const {
  return static_cast<const SymbolNode*>(node_)->symbol;
}
const std::shared_ptr<const Table>& Expr::table() const {
  return static_cast<const TableNode*>(node_)->table;
}
bool Expr::is_zero() const {
  return is(Op::constant) && small_value(*this) == SmallRatio{0, 1};
}
bool Expr::is_one() const {
  return is(Op::constant) && small_value(*this) == SmallRatio{1, 1};
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
  return Pool::instance().intern(Op::pi, std::span<Expr>());
}

std::size_t live_nodes() {
  return Pool::instance().size();
}

}  // namespace dalembert::expr
