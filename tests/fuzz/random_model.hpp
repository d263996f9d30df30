#pragma once
/// Models made by bytes: a few coordinates, an inertia that is positive definite whatever the
/// bytes, forces of every kind, constraints of every level that hold at a start of the bytes'
/// choice or near it.

#include <string>
#include <vector>

#include "dalembert/expr/graph.hpp"
#include "dalembert/model/system.hpp"
#include "fuzz.hpp"

namespace dalembert::fuzz {

using expr::Expr;

class RandomModel {
 public:
  explicit RandomModel(Choices& choices) : choices_(choices), system_("random") {
    const std::size_t n = 1 + choices_.below(3);
    for (std::size_t i = 0; i < n; ++i) {
      q_.push_back(system_.coordinate("q" + std::to_string(i)));
      v_.push_back(dot(q_.back()));
      q0_.emplace_back(choices_.number());
      v0_.emplace_back(choices_.number());
      system_.initial(q_[i], q0_[i]);
      system_.initial(v_[i], v0_[i]);
    }
    p_ = system_.parameter("p", Expr(1 + choices_.number() / 4));
    add_inertia();
    add_forces();
    const std::size_t m = choices_.below(n + 2);
    for (std::size_t j = 0; j < m; ++j) add_constraint("c" + std::to_string(j));
    system_.adjust(model::Adjust::nearest);
  }

  model::Model model() const { return system_.model(); }

 private:
  /// Smooth, of moderate size for moderate values, and so are its derivatives.
  Expr function(int depth = 2) {
    const Expr& x = q_[choices_.below(q_.size())];
    switch (choices_.below(depth > 0 ? 10 : 3)) {
      case 0:
        return Expr(choices_.number());
      case 1:
        return x;
      case 2:
        return p_ * x;
      case 3:
      case 4:
        return function(depth - 1) + Expr(choices_.number()) * function(depth - 1);
      case 5:
        return function(depth - 1) * function(depth - 1);
      case 6:
        return sin(function(depth - 1));
      case 7:
        return cos(function(depth - 1));
      case 8:
        return pow(function(depth - 1), 2);
      default:
        return function(depth - 1) / (2 + pow(x, 2));
    }
  }

  /// T = sum (m_i/2) q_i'^2 + (sum f_i(q) q_i')^2 / 2: at least the first in every direction.
  void add_inertia() {
    Expr T = 0;
    for (const Expr& v : v_) T += Expr(1 + choices_.number() / 4) * pow(v, 2);
    for (std::size_t k = choices_.below(3); k > 0; --k) {
      Expr form = 0;
      for (const Expr& v : v_) form += function() * v;
      T += pow(form, 2) / 2;
    }
    if (choices_.below(8) == 7) T += function(1) * v_[0];  // as in a frame that turns
    system_.kinetic(T);
  }

  void add_forces() {
    if (choices_.coin()) system_.potential(function(3));
    if (choices_.coin()) system_.dissipation(Expr(choices_.byte()) / 256 * pow(v_.back(), 2));
    for (std::size_t i = 0; i < q_.size(); ++i) {
      if (choices_.coin()) system_.force(q_[i], function() + Expr(choices_.number()) * v_[i]);
      if (choices_.below(4) == 3) system_.virtual_work(q_[i], function() * v_[i]);
    }
    if (choices_.below(4) == 3) system_.force(q_[0], sin(expr::time()));
  }

  /// The value of e at the start is what it is held to.
  Expr at_start(const Expr& e) const {
    expr::ExprMap start;
    for (std::size_t i = 0; i < q_.size(); ++i) {
      start.emplace(q_[i], q0_[i]);
      start.emplace(v_[i], v0_[i]);
    }
    return substitute(e, start);
  }

  void add_constraint(const std::string& name) {
    Expr held = 0;
    const std::size_t kind = choices_.below(5);
    if (kind == 0 && last_) {  // the one before again, in other words
      held = *last_ * Expr(2 + choices_.number() / 4);
    } else if (kind <= 2) {
      held = function(2) + q_[choices_.below(q_.size())];
    } else {
      for (const Expr& v : v_) held += function(1) * v;
      held += v_[choices_.below(v_.size())];
      if (kind == 4 && choices_.coin()) held += sin(expr::time());
    }
    last_ = held;
    system_.constrain(name, held == at_start(held));
  }

  Choices& choices_;
  model::System system_;
  std::vector<Expr> q_, v_, q0_, v0_;
  Expr p_;
  std::optional<Expr> last_;
};

}  // namespace dalembert::fuzz
