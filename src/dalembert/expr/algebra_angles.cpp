#include "dalembert/expr/algebra_angles.hpp"

#include <algorithm>
#include <cctype>
#include <unordered_set>

#include "dalembert/expr/print.hpp"

namespace dalembert::expr::algebra {

namespace {

constexpr std::size_t form_terms = 64;  // longer arguments are one atom
constexpr long expanded_power = 8;
constexpr long largest_multiple = 24;

void add_term(LinearForm& form, const Expr& monomial, const Rational& coefficient) {
  Rational total = coefficient;
  Expr atom = monomial;
  if (atom.is(Op::constant)) {
    total *= atom.value();
    atom = Expr(1);
  } else if (atom.is(Op::product) && atom.args().front().is(Op::constant)) {
    const Expr constant = atom.args().front();
    total *= constant.value();
    atom = atom / constant;
  }
  if (sgn(total) == 0) return;
  const auto [place, added] = form.try_emplace(atom, total);
  if (added) return;
  place->second += total;
  if (sgn(place->second) == 0) form.erase(place);
}

LinearForm times(const LinearForm& a, const LinearForm& b) {
  LinearForm result;
  for (const auto& [x, p] : a) {
    for (const auto& [y, q] : b) add_term(result, x * y, p * q);
  }
  return result;
}

LinearForm one_atom(const Expr& e) {
  LinearForm result;
  add_term(result, e, 1);
  return result;
}

}  // namespace

Rational common_divisor(const Rational& a, const Rational& b) {
  Rational result(gcd(a.get_num() * b.get_den(), b.get_num() * a.get_den()),
                  a.get_den() * b.get_den());
  result.canonicalize();
  return result;
}

std::vector<Expr> postorder_within(std::span<const Expr> roots,
                                   const std::function<bool(const Expr&)>& descend) {
  struct Frame {
    Expr e;
    std::size_t next;
    bool inside;
  };
  std::vector<Expr> order;
  std::unordered_set<const Node*> seen;
  std::vector<Frame> stack;
  for (const Expr& root : roots) {
    if (!seen.insert(root.node()).second) continue;
    stack.push_back({root, 0, descend(root)});
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (!top.inside || top.next == top.e.args().size()) {
        order.push_back(top.e);
        stack.pop_back();
        continue;
      }
      const Expr arg = top.e.args()[top.next++];
      if (seen.insert(arg.node()).second) stack.push_back({arg, 0, descend(arg)});
    }
  }
  return order;
}

bool is_rational_operation(const Expr& e) {
  if (e.is(Op::sum) || e.is(Op::product)) return true;
  return e.is(Op::power) && e.args()[1].is(Op::constant) && e.args()[1].value().get_den() == 1;
}

const LinearForm& LinearForms::of(const Expr& argument) {
  if (const auto found = forms_.find(argument); found != forms_.end()) return found->second;
  for (const Expr& e : postorder_within(std::span(&argument, 1), is_rational_operation)) {
    if (!forms_.contains(e)) forms_.emplace(e, combine(e));
  }
  return forms_.at(argument);
}

LinearForm LinearForms::combine(const Expr& e) const {
  LinearForm result;
  switch (e.kind()) {
    case NodeKind::sum:
      for (const Expr& arg : e.args()) {
        for (const auto& [atom, coefficient] : forms_.at(arg)) {
          add_term(result, atom, coefficient);
        }
        if (result.size() > form_terms) return one_atom(e);
      }
      return result;
    case NodeKind::product:
      add_term(result, Expr(1), 1);
      for (const Expr& arg : e.args()) {
        const LinearForm& next = forms_.at(arg);
        if (result.size() * next.size() > form_terms) return one_atom(e);
        result = times(result, next);
      }
      return result;
    case NodeKind::power: {
      if (!is_rational_operation(e)) return one_atom(e);
      const LinearForm& base = forms_.at(e.args()[0]);
      const Rational& k = e.args()[1].value();
      if (abs(k) > expanded_power || base.empty()) return one_atom(e);
      const long exponent = k.get_num().get_si();
      if (base.size() == 1) {
        add_term(
            result,
            pow(base.begin()->first, e.args()[1]) * pow(Expr(base.begin()->second), e.args()[1]),
            1);
        return result;
      }
      if (exponent < 0) return one_atom(e);
      add_term(result, Expr(1), 1);
      for (long i = 0; i < exponent; ++i) {
        if (result.size() * base.size() > form_terms) return one_atom(e);
        result = times(result, base);
      }
      return result;
    }
    case NodeKind::constant:
    case NodeKind::pi:
    case NodeKind::symbol:
    case NodeKind::table:
    case NodeKind::function:
      break;
  }
  return one_atom(e);
}

bool natural_before(const std::string& a, const std::string& b) {
  std::size_t i = 0;
  std::size_t j = 0;
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::size_t first = i;
      const std::size_t second = j;
      while (i < a.size() && is_digit(a[i])) ++i;
      while (j < b.size() && is_digit(b[j])) ++j;
      if (i - first != j - second) return i - first < j - second;
      const int order = a.compare(first, i - first, b, second, j - second);
      if (order != 0) return order < 0;
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

void BaseAngles::merge_proportional() {
  struct Row {
    Expr atom;
    std::string text;
    Rational first;                          // the coefficient in the first form with this atom
    std::map<std::size_t, Rational> ratios;  // by form, to the first
  };
  std::vector<Row> rows;
  std::unordered_map<Expr, std::size_t, ExprHash, ExprSame> row_of;
  for (std::size_t i = 0; i < forms_.size(); ++i) {
    for (const auto& [atom, coefficient] : forms_[i]) {
      const auto [place, added] = row_of.try_emplace(atom, rows.size());
      if (added) rows.push_back({atom, to_text(atom, compared_text), coefficient, {}});
      Row& row = rows[place->second];
      row.ratios.emplace(i, coefficient / row.first);
    }
  }
  std::sort(rows.begin(), rows.end(),
            [](const Row& a, const Row& b) { return natural_before(a.text, b.text); });
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Atom& leader = atoms_.at(rows[i].atom);
    if (leader.follows) continue;
    std::vector<Expr> terms{rows[i].atom};
    for (std::size_t j = i + 1; j < rows.size(); ++j) {
      Atom& other = atoms_.at(rows[j].atom);
      if (other.follows || rows[j].ratios != rows[i].ratios) continue;
      other.follows = true;
      terms.push_back(Expr(Rational(rows[j].first / rows[i].first)) * rows[j].atom);
    }
    leader.shown = sum(terms);
  }
}

void BaseAngles::find_families(Atom& atom, Bases kind) {
  if (kind == Bases::fractions) {
    mpz_class denominator = 1;
    for (const auto& [coefficient, base] : atom.coefficients) {
      denominator = lcm(denominator, coefficient.get_den());
    }
    if (atom.coefficients.rbegin()->first * denominator <= largest_multiple) {
      for (auto& [coefficient, base] : atom.coefficients) base = bases_.size();
      Rational unit(1, denominator);
      bases_.push_back({atom.shown, unit});
      return;
    }
  }
  std::vector<std::size_t> families;
  for (auto& [coefficient, base] : atom.coefficients) {  // in rising order
    const auto fits = [this, &multiple = coefficient](std::size_t family) {
      return multiple / common_divisor(bases_[family].unit, multiple) <= largest_multiple;
    };
    const auto family = std::find_if(families.begin(), families.end(), fits);
    if (family == families.end()) {
      base = bases_.size();
      families.push_back(base);
      bases_.push_back({atom.shown, coefficient});
    } else {
      base = *family;
      bases_[base].unit = common_divisor(bases_[base].unit, coefficient);
    }
  }
}

void BaseAngles::settle(Bases kind) {
  for (const LinearForm& form : forms_) {
    for (const auto& [atom, coefficient] : form) {
      Atom& a = atoms_[atom];
      a.shown = atom;
      a.coefficients.emplace(abs(coefficient), 0);
    }
  }
  if (kind == Bases::divisors) merge_proportional();
  for (auto& [key, atom] : atoms_) {
    if (!atom.follows) find_families(atom, kind);
  }
}

std::vector<BaseAngles::Part> BaseAngles::parts(const LinearForm& form) const {
  std::vector<Part> result;
  for (const auto& [key, coefficient] : form) {
    const Atom& atom = atoms_.at(key);
    if (atom.follows) continue;
    const std::size_t base = atom.coefficients.at(abs(coefficient));
    const Rational multiple = coefficient / bases_[base].unit;
    result.push_back({base, multiple.get_num().get_si()});
  }
  return result;
}

}  // namespace dalembert::expr::algebra
