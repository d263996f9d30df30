#include "dalembert/mechanics/servo.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>

#include "dalembert/expr/algebra.hpp"
#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/mechanics/directions.hpp"
#include "dalembert/mechanics/manifold.hpp"
#include "dalembert/mechanics/matrix.hpp"
#include "dalembert/mechanics/servo_places.hpp"
#include "dalembert/mechanics/setting.hpp"
#include "dalembert/mechanics/split.hpp"

namespace dalembert::mechanics {

namespace {

using expr::Symbol;
using expr::SymbolKind;
using model::Diagnostic;

constexpr int servo_state_digits = 60;
constexpr int servo_value_digits = 30;
/// What a value is at least that is not zero: of the size of its terms, which eliminations make
/// larger by many orders than what is left of them; and by itself.
constexpr double servo_least_part = 1e-45, servo_least_value = 1e-20;
/// Below this part of the largest influence that an input has, there is none.
constexpr double least_influence = 1e-9;
constexpr int servo_states = 3;

/// e itself where a short form does not pay, else the short form: that entries vanish is seen.
Expr brief(const Expr& e) {
  constexpr std::size_t largest = 60;  // nodes
  return expr::node_count(std::span(&e, 1)) <= largest ? shortened(e) : e;
}

/// X with S X = right for a matrix that is positive definite wherever the equations of motion
/// determine it: by L D L^T without any choice of pivots, so that what is written out once serves
/// at all states. O(n^2 (n + columns)).
Matrix solve_definite(Matrix S, Matrix right) {
  const std::size_t n = S.rows(), columns = right.columns();
  for (std::size_t k = 0; k < n; ++k) {
    const Expr inverse = brief(1 / S(k, k));
    for (std::size_t i = k + 1; i < n; ++i) {
      if (S(i, k).is_zero()) continue;
      const Expr factor = brief(S(i, k) * inverse);
      for (std::size_t j = k + 1; j <= i; ++j) {
        if (!S(j, k).is_zero()) S(i, j) = brief(S(i, j) - factor * S(j, k));
      }
      for (std::size_t c = 0; c < columns; ++c) {
        if (!right(k, c).is_zero()) right(i, c) = brief(right(i, c) - factor * right(k, c));
      }
    }
    for (std::size_t i = k + 1; i < n; ++i) {
      for (std::size_t j = k + 1; j < i; ++j) S(j, i) = S(i, j);
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t c = 0; c < columns; ++c) {
      for (std::size_t i = k + 1; i < n; ++i) {
        if (!S(i, k).is_zero() && !right(i, c).is_zero())
          right(k, c) = right(k, c) - S(i, k) * right(i, c);
      }
      if (!right(k, c).is_zero()) right(k, c) = brief(right(k, c) / S(k, k));
    }
  }
  return right;
}

/// beta^-1 r, by minors as far as these are short: the determinant alone is divided by.
std::optional<Matrix> solve_for_inputs(const Matrix& beta, const Matrix& r,
                                       const expr::Values& values) {
  if (beta.rows() == 1) {
    Matrix x(1, r.columns());
    for (std::size_t c = 0; c < r.columns(); ++c) x(0, c) = brief(r(0, c) / beta(0, 0));
    return x;
  }
  if (beta.rows() == 2) {
    const Expr inverse = 1 / brief(beta(0, 0) * beta(1, 1) - beta(0, 1) * beta(1, 0));
    Matrix x(2, r.columns());
    for (std::size_t c = 0; c < r.columns(); ++c) {
      x(0, c) = inverse * (beta(1, 1) * r(0, c) - beta(0, 1) * r(1, c));
      x(1, c) = inverse * (beta(0, 0) * r(1, c) - beta(1, 0) * r(0, c));
    }
    return x;
  }
  return solve(beta, r, values);
}

/// Accelerations by the inputs: column 0 is a_0, the others are a_1.
class Dynamics {
 public:
  /// Of a model whose servo constraints have been taken out.
  Dynamics(const model::Model& model, const std::vector<Expr>& inputs, const expr::Values& values)
      : eq_(lagrange(model)), inputs_(inputs) {
    const std::size_t n = eq_.q.size();
    split_ = split_coordinates(model, eq_, generic_values(model, eq_, values));
    Matrix M(n, n);
    for (const Entry& entry : eq_.M)
      M(entry.row, entry.column) = M(entry.column, entry.row) = entry.value;
    A_ = Matrix(split_.rows.size(), n);
    for (std::size_t j = 0; j < split_.rows.size(); ++j) {
      for (const Entry& entry : row_of_A(eq_, split_.rows[j])) A_(j, entry.column) = entry.value;
      b_.push_back(eq_.b[split_.rows[j]]);
    }
    // Where M is singular, M + A^T A moves the same: A^T A q'' = A^T b.
    const bool mend = is_singular(M, values);
    if (mend) {
      const Matrix square = transpose(A_) * A_;
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) M(i, j) = M(i, j) + square(i, j);
      }
    }
    mass_ = M;
    expr::ExprMap none;
    for (const Expr& input : inputs_) none.emplace(input, Expr(0));
    Matrix force(n, 1 + inputs_.size());
    for (std::size_t i = 0; i < n; ++i) {
      const Expr all = eq_.Q[i] + eq_.C[i];
      force(i, 0) = expr::substitute(all, none);
      if (mend) {
        for (std::size_t j = 0; j < A_.rows(); ++j) force(i, 0) += A_(j, i) * b_[j];
      }
      const std::vector<Expr> slopes = expr::gradient(all, inputs_);
      for (std::size_t k = 0; k < inputs_.size(); ++k) {
        force(i, k + 1) = slopes[k];
        const auto used = expr::find_symbol(slopes[k], [&](const Symbol& s) {
          return std::ranges::any_of(inputs_, [&](const Expr& u) { return u.symbol() == s; });
        });
        if (used && !nonlinear_) nonlinear_ = i;
      }
    }
    acceleration_ = accelerations(A_, b_, force);
  }

  const Equations& eq() const { return eq_; }
  /// The coordinate along which the force is not linear in the inputs, if there is one.
  std::optional<std::size_t> nonlinear() const { return nonlinear_; }

  /// w(q, q'', ...) linear in q'', given by its slopes and what it is at q'' = 0: its part without
  /// inputs, then its slopes by them.
  std::vector<Expr> split_inputs(const std::vector<Expr>& slopes, const Expr& rest) const {
    std::vector<Expr> parts;
    for (std::size_t c = 0; c <= inputs_.size(); ++c) {
      std::vector<Expr> terms;
      if (c == 0) terms.push_back(rest);
      for (std::size_t i = 0; i < slopes.size(); ++i) {
        if (!slopes[i].is_zero() && !acceleration_(i, c).is_zero())
          terms.push_back(slopes[i] * acceleration_(i, c));
      }
      parts.push_back(brief(expr::sum(terms)));
    }
    return parts;
  }

  /// The velocity with the least kinetic energy among those with A q' + a_t = 0.
  std::vector<Expr> least_velocity(const Matrix& A, const std::vector<Expr>& a_t) const {
    std::vector<Expr> right;
    for (const Expr& x : a_t) right.push_back(-x);
    const Matrix v = accelerations(A, right, Matrix(eq_.q.size(), 1));
    return v.entries();
  }

 private:
  /// mass x = force + A^T lambda, A x = b in its first column and 0 in the others.
  Matrix accelerations(const Matrix& A, const std::vector<Expr>& b, const Matrix& force) const {
    const std::size_t n = mass_.rows(), m = A.rows(), columns = force.columns();
    Matrix right(n, columns + m);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t c = 0; c < columns; ++c) right(i, c) = force(i, c);
      for (std::size_t j = 0; j < m; ++j) right(i, columns + j) = A(j, i);
    }
    const Matrix solved = solve_definite(mass_, right);
    Matrix x(n, columns), W(n, m);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t c = 0; c < columns; ++c) x(i, c) = solved(i, c);
      for (std::size_t j = 0; j < m; ++j) W(i, j) = solved(i, columns + j);
    }
    if (m == 0) return x;
    Matrix off = A * x;
    for (std::size_t j = 0; j < m; ++j) {
      for (std::size_t c = 0; c < columns; ++c) off(j, c) = (c == 0 ? b[j] : Expr(0)) - off(j, c);
    }
    const Matrix change = W * solve_definite(A * W, off);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t c = 0; c < columns; ++c) x(i, c) = brief(x(i, c) + change(i, c));
    }
    return x;
  }

  Equations eq_;
  std::vector<Expr> inputs_;
  Split split_;
  Matrix mass_, A_;
  std::vector<Expr> b_;
  Matrix acceleration_;
  std::optional<std::size_t> nonlinear_;
};

/// Random states on the constraints found so far.
class States {
 public:
  States(const model::Model& model, const Equations& eq, const std::vector<double>& parameters,
         const expr::Values& reference)
      : random_(17430119) {
    for (int tries = 0; tries < 4 * servo_states && std::ssize(here_) < servo_states; ++tries) {
      if (auto point = random_point(model, eq, reference, random_, servo_state_digits))
        here_.push_back(*std::move(point));
    }
    // Beside: other values of all parameters.
    std::uniform_real_distribution<double> shift(-0.0625, 0.0625);
    for (int tries = 0; tries < 4 * servo_states && std::ssize(beside_) < servo_states; ++tries) {
      std::map<std::string, double> moved;
      for (std::size_t i = 0; i < model.parameters.size(); ++i) {
        const double by = shift(random_);
        moved[model.parameters[i].name] = parameters[i] != 0 ? parameters[i] * (1 + by) : by;
      }
      const expr::Values other = [&](const Symbol& s) {
        return s.kind == SymbolKind::parameter ? moved.at(s.name) : reference(s);
      };
      if (auto point = random_point(model, eq, other, random_, servo_state_digits))
        beside_.push_back(*std::move(point));
    }
  }

  bool found() const { return !here_.empty(); }
  bool vanishes(const Expr& e) { return e.is_zero() || zero_at(e, here_); }
  /// Of what vanishes: whether it does so for other parameters too.
  bool vanishes_beside(const Expr& e) { return e.is_zero() || zero_at(e, beside_); }

  /// Numbers at the first of these states.
  double value(const Expr& e) { return values(e, here_.front()).first; }
  expr::Values numbers() {
    return
        [values = values_of(here_.front(), random_)](const Symbol& s) { return values(s).get_d(); };
  }

 private:
  std::pair<double, double> values(const Expr& e, Point& point) {
    const std::vector<Expr> both{e, magnitude_of_terms(e)};
    const auto found =
        expr::evaluate_precisely(both, values_of(point, random_), servo_value_digits);
    const double value =
        found[0] ? found[0]->middle.get_d() : std::numeric_limits<double>::quiet_NaN();
    const double size =
        found[1] ? std::abs(found[1]->middle.get_d()) : std::numeric_limits<double>::infinity();
    return {value, size};
  }

  bool zero_at(const Expr& e, std::vector<Point>& points) {
    return std::ranges::none_of(points, [&](Point& point) {
      const auto [value, size] = values(e, point);
      return !(std::abs(value) <= std::min(servo_least_part * size, servo_least_value));
    });
  }

  std::mt19937_64 random_;
  std::vector<Point> here_, beside_;
};

/// One condition that inputs enforce, and its derivative of an order in which accelerations appear.
struct Enforced {
  std::size_t constraint = 0;  ///< of the model
  int order = 0;               ///< how often the constraint was differentiated to get `parts`
  std::vector<Expr> slopes;    ///< of that derivative by the accelerations
  std::vector<Expr> parts;     ///< alpha, beta by inputs
};

class Enforcement {
 public:
  Enforcement(model::Model& model, const std::vector<double>& parameters)
      : model_(model), parameters_(parameters) {}

  std::vector<Diagnostic> run() {
    for (std::size_t j = 0; j < model_.constraints.size(); ++j) {
      if (model_.constraints[j].by.empty()) continue;
      servo_.push_back(j);
      for (const std::string& name : model_.constraints[j].by) {
        if (std::ranges::find(names_, name) == names_.end()) names_.push_back(name);
      }
    }
    if (servo_.empty()) return {};
    for (const std::string& name : names_) inputs_.push_back(expr::parameter(name));
    if (auto wrong = servo_objections(model_, names_); !wrong.empty()) return wrong;
    if (names_.size() != servo_.size()) return {count_objection()};
    find_reference();
    model::Model passive = model_;
    std::erase_if(passive.constraints, [](const model::Constraint& c) { return !c.by.empty(); });
    const Dynamics dynamics(passive, inputs_, reference_);
    if (const auto along = dynamics.nonlinear())
      return {{fmt::format("servo constraints: the force along '{}' is not linear in the inputs",
                           model_.coordinates[*along]),
               model_.forces[*along].where}};
    dynamics_ = &dynamics;
    result_ = model_;
    for (model::Constraint& constraint : result_.constraints) constraint.by.clear();
    for (const std::size_t j : servo_) begin(j);
    while (true) {
      states_.emplace(result_, lagrange(result_), parameters_, reference_);
      if (!states_->found())
        return {
            {fmt::format("servo constraints: no states on the constraints were found near the "
                         "initial one, at which to judge what the inputs can do")}};
      std::vector<std::size_t> rows, columns;
      if (!choose_pivots(rows, columns))
        return {
            {"servo constraints: what the inputs do could not be determined at states near the "
             "initial one: the equations are too long, or not defined there"}};
      if (rows.size() == conditions_.size()) return finish();
      if (auto wrong = differentiate_rest(rows, columns)) return {*std::move(wrong)};
    }
  }

 private:
  std::string quoted_inputs() const {
    return names_.size() == 1 ? "input '" + names_[0] + "'"
                              : fmt::format("inputs '{}'", fmt::join(names_, "', '"));
  }

  Diagnostic count_objection() const {
    const auto counted = [](std::size_t count, const char* what) {
      return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
    };
    const bool few = names_.size() < servo_.size();
    return {fmt::format("servo constraints: {} cannot {}: there must be as many of them",
                        counted(names_.size(), "input"),
                        few ? "enforce " + counted(servo_.size(), "constraint")
                            : "be determined by " + counted(servo_.size(), "constraint")),
            model_.constraints[servo_[few ? names_.size() : 0]].where};
  }

  void find_reference() {
    std::map<std::string, double> numbers;
    for (std::size_t i = 0; i < model_.parameters.size(); ++i)
      numbers["p " + model_.parameters[i].name] = parameters_[i];
    for (std::size_t i = 0; i < model_.coordinates.size(); ++i) {
      const std::string& name = model_.coordinates[i];
      numbers["0 " + name] = model::evaluate(model_.initial.q[i].expr, model_, parameters_);
      numbers["1 " + name] = model::evaluate(model_.initial.v[i].expr, model_, parameters_);
    }
    reference_ = [numbers](const Symbol& s) {
      if (s.kind == SymbolKind::time) return 0.0;
      if (s.kind == SymbolKind::parameter) return numbers.at("p " + s.name);
      if (s.kind == SymbolKind::coordinate && s.order < 2)
        return numbers.at((s.order == 0 ? "0 " : "1 ") + s.name);
      return 0.0;
    };
  }

  /// The first derivative of a servo constraint that has accelerations in it.
  void begin(std::size_t j) {
    model::Model alone = model_;
    alone.constraints = {model_.constraints[j]};
    alone.constraints[0].by.clear();
    const model::Level level = model::level(alone.constraints[0]);
    conditions_.push_back({j, 2 - static_cast<int>(level), {}, {}});
    accelerate(conditions_.back(), alone);
  }

  /// Takes A q'' - b of the one constraint of a model.
  void accelerate(Enforced& condition, const model::Model& alone) const {
    const Equations eq = lagrange(alone);
    condition.slopes.assign(eq.q.size(), Expr(0));
    for (const Entry& entry : eq.A) condition.slopes[entry.column] = entry.value;
    condition.parts = dynamics_->split_inputs(condition.slopes, -eq.b[0]);
  }

  /// Independent rows and columns of beta, by elimination with complete pivoting at a random state;
  /// each row is measured by its slopes, as what the inputs do may be small by chance, then each
  /// column by the largest in it.
  /// False where there are no numbers.
  bool choose_pivots(std::vector<std::size_t>& rows, std::vector<std::size_t>& columns) {
    const std::size_t k = conditions_.size();
    std::vector<std::vector<double>> beta(k);
    for (std::size_t i = 0; i < k; ++i) {
      double size = 0;
      for (const Expr& slope : conditions_[i].slopes)
        size = std::hypot(size, states_->value(slope));
      for (std::size_t c = 0; c < k; ++c) {
        const Expr& entry = conditions_[i].parts[c + 1];
        beta[i].push_back(states_->vanishes(entry) ? 0 : states_->value(entry) / size);
        if (!std::isfinite(beta[i].back())) return false;
      }
    }
    for (std::size_t c = 0; c < k; ++c) {
      double size = 0;
      for (const auto& row : beta) size = std::max(size, std::abs(row[c]));
      for (auto& row : beta) row[c] /= size > 0 ? size : 1;
    }
    std::vector<bool> row_used(k, false), column_used(k, false);
    while (rows.size() < k) {
      double largest = 0;
      std::size_t row = k, column = k;
      for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t c = 0; c < k; ++c) {
          if (row_used[i] || column_used[c] || !(std::abs(beta[i][c]) > largest)) continue;
          largest = std::abs(beta[i][c]);
          row = i;
          column = c;
        }
      }
      if (!(largest > least_influence)) break;
      row_used[row] = column_used[column] = true;
      rows.push_back(row);
      columns.push_back(column);
      for (std::size_t i = 0; i < k; ++i) {
        if (row_used[i]) continue;
        const double factor = beta[i][column] / beta[row][column];
        for (std::size_t c = 0; c < k; ++c) beta[i][c] -= factor * beta[row][c];
      }
    }
    return true;
  }

  /// Puts conditions free of inputs in the place of the rows that have no pivots, and
  /// differentiates them.
  std::optional<Diagnostic> differentiate_rest(const std::vector<std::size_t>& rows,
                                               const std::vector<std::size_t>& columns) {
    const std::size_t k = conditions_.size(), rank = rows.size();
    for (std::size_t i = 0; i < k; ++i) {
      if (std::ranges::find(rows, i) != rows.end()) continue;
      Enforced& condition = conditions_[i];
      std::vector<Expr> free = condition.parts;
      if (rank > 0) {  // less c (rows with pivots), where c beta_P = beta_i on their columns
        Matrix square(rank, rank), right(rank, 1);
        for (std::size_t a = 0; a < rank; ++a) {
          for (std::size_t c = 0; c < rank; ++c)
            square(c, a) = conditions_[rows[a]].parts[columns[c] + 1];
          right(a, 0) = condition.parts[columns[a] + 1];
        }
        const auto c = solve_for_inputs(square, right, states_->numbers());
        if (!c) return refusal(i, "");
        for (std::size_t part = 0; part <= k; ++part) {
          std::vector<Expr> terms{free[part]};
          for (std::size_t a = 0; a < rank; ++a)
            terms.push_back(-((*c)(a, 0) * conditions_[rows[a]].parts[part]));
          free[part] = brief(expr::sum(terms));
        }
      }
      for (std::size_t c = 1; c <= k; ++c) {
        if (!states_->vanishes(free[c])) return refusal(i, "");
        if (!states_->vanishes_beside(free[c]))
          return refusal(i, fmt::format(" for these values of the parameters, though for others "
                                        "they do on its derivative of order {}: write numbers "
                                        "instead of the parameters that make the difference",
                                        condition.order));
      }
      if (auto wrong = add_hidden(i, free[0])) return wrong;
      return std::nullopt;  // states on it are needed before the next
    }
    return std::nullopt;
  }

  Diagnostic refusal(std::size_t i, const std::string& more) const {
    const model::Constraint& constraint = model_.constraints[conditions_[i].constraint];
    return {fmt::format("servo constraints: constraint '{}' cannot be enforced by {}: {}{}",
                        constraint.name, quoted_inputs(),
                        names_.size() == 1 ? "it has no influence on it"
                                           : "they have no influence on it of their own",
                        more),
            constraint.where};
  }

  /// Whether a row is a combination of the rows of A at a random state.
  bool depends(const std::vector<Expr>& row, const Equations& eq) {
    const expr::Values at = states_->numbers();
    Directions known;
    for (std::size_t j = 0; j < eq.constraints.size(); ++j) {
      std::vector<double> x(eq.q.size(), 0);
      for (const Entry& entry : row_of_A(eq, j)) x[entry.column] = expr::evaluate(entry.value, at);
      known.add(x);
    }
    std::vector<double> x;
    for (const Expr& e : row) x.push_back(states_->vanishes(e) ? 0 : expr::evaluate(e, at));
    return known.span(x);
  }

  /// g = 0 joins the constraints: a condition on positions where it does not depend on velocities
  /// that are free.
  std::optional<Diagnostic> add_hidden(std::size_t i, Expr g) {
    Enforced& condition = conditions_[i];
    const Equations eq = lagrange(result_);
    bool on_velocities = !depends(expr::gradient(g, eq.v), eq);
    if (!on_velocities) {
      const auto put = at_least_velocity(g, eq);
      if (!put || !states_->vanishes(*put - g)) return refusal(i, "");
      if (!states_->vanishes_beside(*put - g))
        return refusal(i,
                       fmt::format(" for these values of the parameters its derivative of order {} "
                                   "does not depend on free velocities, for others it does: write "
                                   "numbers instead of the parameters that make the difference",
                                   condition.order));
      g = *put;
      if (depends(expr::gradient(g, eq.q), eq)) return refusal(i, "");
    }
    const model::Constraint& said = model_.constraints[condition.constraint];
    model::Constraint hidden{
        said.name + std::string(static_cast<std::size_t>(condition.order), '\''),
        g,
        1,
        said.where,
        {}};
    model::Model alone = model_;
    alone.constraints = {hidden};
    result_.constraints.push_back(std::move(hidden));
    condition.order += on_velocities ? 1 : 2;
    accelerate(condition, alone);
    return std::nullopt;
  }

  /// g where velocities are the least that the constraints allow: what it is for all of them where
  /// it does not depend on those that are free. Nothing where constraints are not linear in them.
  std::optional<Expr> at_least_velocity(const Expr& g, const Equations& eq) {
    expr::ExprMap rest;
    for (const Expr& v : eq.v) rest.emplace(v, Expr(0));
    const bool at_rest = std::ranges::all_of(eq.v, [&](const Expr& v) {
      const Expr slope = expr::differentiate(g, v);
      return states_->vanishes(slope) && states_->vanishes_beside(slope);
    });
    if (at_rest) return brief(expr::substitute(g, rest));
    const Split split = split_coordinates(result_, eq, states_->numbers());
    Matrix A(split.rows.size(), eq.q.size());
    std::vector<Expr> a_t;
    for (std::size_t j = 0; j < split.rows.size(); ++j) {
      const ConstraintRow& row = eq.constraints[split.rows[j]];
      if (row.level == Level::acceleration) return std::nullopt;
      for (const Entry& entry : row_of_A(eq, split.rows[j])) {
        A(j, entry.column) = entry.value;
        for (const Expr& v : eq.v) {
          if (!states_->vanishes(expr::differentiate(entry.value, v))) return std::nullopt;
        }
      }
      a_t.push_back(expr::substitute(row.rate, rest));
    }
    for (Expr& entry : A.entries()) entry = expr::substitute(entry, rest);
    const std::vector<Expr> v = dynamics_->least_velocity(A, a_t);
    expr::ExprMap put;
    for (std::size_t j = 0; j < eq.v.size(); ++j) put.emplace(eq.v[j], v[j]);
    return brief(expr::substitute(g, put));
  }

  std::vector<Diagnostic> finish() {
    const std::size_t k = conditions_.size();
    Matrix beta(k, k), right(k, 1);
    for (std::size_t i = 0; i < k; ++i) {
      right(i, 0) = -conditions_[i].parts[0];
      for (std::size_t c = 0; c < k; ++c) beta(i, c) = conditions_[i].parts[c + 1];
    }
    const auto u = solve_for_inputs(beta, right, states_->numbers());
    if (!u) return {refusal(0, "")};
    result_.before_servos = std::make_shared<const model::Model>(model_);
    expr::ExprMap laws;
    for (std::size_t c = 0; c < k; ++c) {
      laws.emplace(inputs_[c], (*u)(c, 0));
      const auto input = std::ranges::find(model_.parameters, names_[c], &model::Named::name);
      result_.servo_inputs.push_back({names_[c], (*u)(c, 0), input->where});
    }
    put_in(result_, laws);
    remove_parameters(result_, names_);
    for (const model::Named& input : result_.servo_inputs) {
      if (std::ranges::find(result_.outputs, input.name, &model::Named::name) ==
          result_.outputs.end())
        result_.outputs.push_back(input);
    }
    for (const Enforced& condition : conditions_) {
      const model::Constraint& said = model_.constraints[condition.constraint];
      result_.servos.push_back({said.name, said.by, condition.order});
    }
    model_ = std::move(result_);
    return {};
  }

  model::Model& model_;
  const std::vector<double>& parameters_;
  std::vector<std::size_t> servo_;  ///< constraints
  std::vector<std::string> names_;  ///< of the inputs
  std::vector<Expr> inputs_;
  expr::Values reference_;
  const Dynamics* dynamics_ = nullptr;
  model::Model result_;
  std::vector<Enforced> conditions_;
  std::optional<States> states_;
};

}  // namespace

std::vector<Diagnostic> enforce_servo_constraints(model::Model& model,
                                                  const std::vector<double>& parameters) {
  return Enforcement(model, parameters).run();
}

}  // namespace dalembert::mechanics
