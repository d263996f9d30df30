#include "dalembert/model/assembly/lets.hpp"

#include <algorithm>
#include <unordered_set>

#include "dalembert/expr/differentiate.hpp"

namespace dalembert::model {

namespace {

// Markers are symbols that move, of a name that no coordinate can have. The order of terms follows
// from names and kinds, and with it the last bits of every number: other symbols, other bits.
constexpr std::string_view mark = "let ";

constexpr std::size_t longest_number = 1u << 16;  // bits

bool is_endless(const Expr& e) {
  return e.is(expr::Op::constant) && mpz_sizeinbase(e.value().get_num_mpz_t(), 2) +
                                             mpz_sizeinbase(e.value().get_den_mpz_t(), 2) >
                                         longest_number;
}

}  // namespace

std::string member(std::string_view owner, std::string_view what) {
  return std::string(owner) + "." + std::string(what);
}

std::optional<std::size_t> PoseLets::find(std::string_view part) const {
  for (std::size_t i = 0; i < 3; ++i) {
    if (part == component_names[i]) return center[i];
    if (oriented && part == body_spin[i]) return spin[i];
    for (std::size_t j = 0; j < 3 && oriented; ++j) {
      if (part == body_rotation[i][j]) return rotation[i][j];
    }
  }
  return std::nullopt;
}

Expr Lets::marker(std::size_t let, int order) const {
  return expr::coordinate(std::string(mark) + lets_[let].name, order);
}

Vector Lets::markers(const VectorLets& vector) const {
  return {marker(vector[0]), marker(vector[1]), marker(vector[2])};
}

std::optional<std::size_t> Lets::find(const expr::Symbol& symbol) const {
  const std::string_view name = symbol.name;
  if (symbol.kind != expr::SymbolKind::coordinate || !name.starts_with(mark)) return std::nullopt;
  return find(name.substr(mark.size()));
}

std::optional<std::size_t> Lets::find(std::string_view name) const {
  const auto found = numbers_.find(std::string(name));
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

const VectorLets* Lets::find_vector(std::string_view name) const {
  const auto found = vectors_.find(std::string(name));
  return found == vectors_.end() ? nullptr : &found->second;
}

const PoseLets* Lets::find_pose(std::string_view name) const {
  const auto found = poses_.find(std::string(name));
  return found == poses_.end() ? nullptr : &found->second;
}

std::size_t Lets::add(std::string name) {
  numbers_.emplace(name, lets_.size());
  lets_.emplace_back().name = std::move(name);
  return lets_.size() - 1;
}

void Lets::add_vector(const std::string& name) {
  VectorLets& vector = vectors_[name];
  for (std::size_t i = 0; i < 3; ++i) vector[i] = add(member(name, component_names[i]));
}

void Lets::add_pose(const std::string& name, bool oriented) {
  PoseLets& pose = poses_[name];
  pose.oriented = oriented;
  for (std::size_t i = 0; i < 3; ++i)
    pose.origin[i] = add(member(member(name, "origin"), component_names[i]));
  for (std::size_t i = 0; i < 3; ++i) pose.center[i] = add(member(name, component_names[i]));
  if (!oriented) return;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j)
      pose.rotation[i][j] = add(member(name, body_rotation[i][j]));
  }
  for (std::size_t i = 0; i < 3; ++i) pose.spin[i] = add(member(name, body_spin[i]));
}

void Lets::define(std::size_t let, Expr written) {
  lets_[let].written[0] = std::move(written);
  lets_[let].symbols.reset();
}

const std::vector<Expr>& Lets::symbols_of(std::size_t let) {
  Let& own = lets_[let];
  if (!own.symbols) own.symbols = expr::symbols(std::span(&*own.written[0], 1));
  return *own.symbols;
}

std::vector<std::size_t> Lets::uses(std::size_t let) {
  std::vector<std::size_t> found;
  if (!lets_[let].written[0]) return found;
  for (const Expr& s : symbols_of(let)) {
    if (const auto other = find(s.symbol())) found.push_back(*other);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

bool Lets::contains_coordinate(const Expr& in_markers) const {
  std::unordered_set<std::size_t> seen;
  std::vector<Expr> pending = {in_markers};
  while (!pending.empty()) {
    const Expr e = pending.back();
    pending.pop_back();
    for (const Expr& s : expr::symbols(std::span(&e, 1))) {
      const auto let = find(s.symbol());
      if (!let && s.symbol().kind == expr::SymbolKind::coordinate) return true;
      if (!let || !seen.insert(*let).second) continue;
      if (!lets_[*let].written[0]) return true;
      pending.push_back(*lets_[*let].written[0]);
    }
  }
  return false;
}

const Expr& Lets::written(std::size_t let, std::size_t order) {
  auto& forms = lets_[let].written;
  for (std::size_t k = 1; k <= order; ++k) {
    if (!forms[k]) forms[k] = expr::time_derivative(*forms[k - 1]);
  }
  return *forms[order];
}

std::optional<std::size_t> Lets::node_of(const Expr& symbol) const {
  const auto let = find(symbol.symbol());
  if (!let) return std::nullopt;
  return let_orders * *let + static_cast<std::size_t>(symbol.symbol().order);
}

Expr Lets::with_values(const Expr& in_markers, const std::vector<Expr>& symbols) const {
  expr::ExprMap values;
  for (const Expr& s : symbols) {
    if (const auto node = node_of(s))
      values.emplace(s, *lets_[*node / let_orders].value[*node % let_orders]);
  }
  return values.empty() ? in_markers : expr::substitute(in_markers, values);
}

const Expr& Lets::value(std::size_t let, std::size_t order) {
  std::optional<Expr>& known = lets_[let].value[order];
  if (known) return *known;
  const auto with_symbols = [this](std::size_t node, auto use) {
    if (node % let_orders == 0) return use(symbols_of(node / let_orders));
    const Expr& e = written(node / let_orders, node % let_orders);
    return use(expr::symbols(std::span(&e, 1)));
  };
  const auto needs = [this, with_symbols](std::size_t node) {
    return with_symbols(node, [this](const std::vector<Expr>& symbols) {
      std::vector<std::size_t> found;
      for (const Expr& s : symbols) {
        const auto other = node_of(s);
        if (other && !lets_[*other / let_orders].value[*other % let_orders])
          found.push_back(*other);
      }
      return found;
    });
  };
  const auto finish = [this, with_symbols](std::size_t node) {
    std::optional<Expr>& value = lets_[node / let_orders].value[node % let_orders];
    if (value) return true;
    value = with_symbols(node, [this, node](const std::vector<Expr>& symbols) {
      return with_values(written(node / let_orders, node % let_orders), symbols);
    });
    return true;
  };
  const std::size_t node = let_orders * let + order;
  if (needs(node).empty()) {
    finish(node);
  } else {
    if (!resolve_)
      resolve_ = std::make_unique<DepthFirst>(let_orders * lets_.size(), needs, finish);
    resolve_->visit(node);
  }
  return *known;
}

Vector Lets::values(const VectorLets& vector, std::size_t order) {
  return {value(vector[0], order), value(vector[1], order), value(vector[2], order)};
}

Expr Lets::resolved(const Expr& in_markers) {
  const std::vector<Expr> inside = expr::symbols(std::span(&in_markers, 1));
  for (const Expr& s : inside) {
    if (const auto let = find(s.symbol())) value(*let, static_cast<std::size_t>(s.symbol().order));
  }
  return with_values(in_markers, inside);
}

bool Lets::has_endless_number(std::size_t let) {
  // Numbers are folded into coefficients and exponents, at most a few levels down.
  const Expr& e = value(let, 0);
  if (is_endless(e)) return true;
  for (const Expr& part : e.args()) {
    if (is_endless(part)) return true;
    for (const Expr& factor : part.args()) {
      if (is_endless(factor)) return true;
      if (factor.is(expr::Op::power) && is_endless(factor.args()[1])) return true;
    }
  }
  return false;
}

}  // namespace dalembert::model
