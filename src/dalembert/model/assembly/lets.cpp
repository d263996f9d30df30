#include "dalembert/model/assembly/lets.hpp"

#include <algorithm>

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
  lets_.push_back({std::move(name), {}, {}});
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

std::vector<std::size_t> Lets::uses(std::size_t let) const {
  std::vector<std::size_t> found;
  if (!lets_[let].written[0]) return found;
  for (const Expr& s : expr::symbols(std::span(&*lets_[let].written[0], 1))) {
    if (const auto other = find(s.symbol())) found.push_back(*other);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

bool Lets::contains_coordinate(const Expr& in_markers) const {
  std::vector<bool> seen(lets_.size(), false);
  std::vector<Expr> pending = {in_markers};
  while (!pending.empty()) {
    const Expr e = pending.back();
    pending.pop_back();
    for (const Expr& s : expr::symbols(std::span(&e, 1))) {
      const auto let = find(s.symbol());
      if (!let && s.symbol().kind == expr::SymbolKind::coordinate) return true;
      if (!let || seen[*let]) continue;
      seen[*let] = true;
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

const Expr& Lets::value(std::size_t let, std::size_t order) {
  const auto marker_of = [this](std::size_t node) {
    return marker(node / let_orders, static_cast<int>(node % let_orders));
  };
  if (!resolve_) {
    const auto needs = [this](std::size_t node) {
      std::vector<std::size_t> found;
      const Expr& e = written(node / let_orders, node % let_orders);
      for (const Expr& s : expr::symbols(std::span(&e, 1))) {
        if (const auto other = find(s.symbol())) {
          found.push_back(let_orders * *other + static_cast<std::size_t>(s.symbol().order));
        }
      }
      return found;
    };
    const auto finish = [this, marker_of](std::size_t node) {
      values_.emplace(marker_of(node),
                      expr::substitute(written(node / let_orders, node % let_orders), values_));
      return true;
    };
    resolve_ = std::make_unique<DepthFirst>(let_orders * lets_.size(), needs, finish);
  }
  const std::size_t node = let_orders * let + order;
  resolve_->visit(node);
  return values_.at(marker_of(node));
}

Vector Lets::values(const VectorLets& vector, std::size_t order) {
  return {value(vector[0], order), value(vector[1], order), value(vector[2], order)};
}

Expr Lets::resolved(const Expr& in_markers) {
  for (const Expr& s : expr::symbols(std::span(&in_markers, 1))) {
    if (const auto let = find(s.symbol())) value(*let, static_cast<std::size_t>(s.symbol().order));
  }
  return expr::substitute(in_markers, values_);
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
