#include "dalembert/codegen/tape_builder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numbers>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "dalembert/codegen/tape_passes.hpp"
#include "dalembert/expr/graph.hpp"

namespace dalembert::codegen {

namespace {

using expr::Node;
using expr::Op;
using expr::Rational;

constexpr double pi_low = 0x1.1a62633145c07p-53;  // of pi, beyond the double
constexpr long largest_multiplied_power = 1024;
constexpr long most_exponent = 960;  // of a power of 2 that serves as a coefficient
/// So many terms of a sum are added one after the other; longer sums are sums of such, so that no
/// operation waits for many others.
constexpr std::size_t longest_chain = 4;
/// Up to so many factors or terms, pairs are looked for that are there already.
constexpr std::size_t most_searched = 12;

/// A value while the tape is made: an index into `values_`.
using Slot = std::uint32_t;

struct Operand {
  enum class Kind : std::uint8_t { constant, parameter, input, result };
  Kind kind;
  bool of_parameters;   ///< depends on parameters and constants alone
  std::uint32_t index;  ///< within its kind
};

struct Key {
  Operation operation;
  Slot a;
  Slot b;
  Slot c = 0;  ///< of an operation on three
  bool operator==(const Key&) const = default;
};

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    std::uint64_t h = (static_cast<std::uint64_t>(key.a) << 32 | key.b) * 0x9e3779b97f4a7c15ULL;
    h ^= static_cast<std::uint64_t>(key.operation) * 0xbf58476d1ce4e5b9ULL;
    h ^= static_cast<std::uint64_t>(key.c) * 0x94d049bb133111ebULL;
    return static_cast<std::size_t>(h ^ (h >> 29));
  }
};

}  // namespace

class TapeBuilder::Implementation {
 public:
  Implementation(std::span<const Expr> inputs, std::span<const Expr> parameters, bool exact)
      : exact_(exact) {
    for (const Expr& p : parameters) declare(p, Operand::Kind::parameter, parameter_count_++);
    for (const Expr& x : inputs) declare(x, Operand::Kind::input, input_count_++);
  }

  Slot lower(const Expr& root) {
    for (const Expr& e : expr::postorder(root)) {
      if (!slot_of_.contains(e.node())) slot_of_.emplace(e.node(), lower_node(e));
    }
    keep_alive_.push_back(root);
    return slot_of_.at(root.node());
  }

  Tape finish(std::span<const Slot> outputs) const {
    Tape tape;
    tape.constants = constants_;
    if (exact_) tape.low = low_;
    tape.parameters = parameter_count_;
    tape.inputs = input_count_;
    tape.tables = tables_;
    // Prologue first, then the rest, each in the order of creation, so operands stay before their
    // uses.
    std::vector<std::uint32_t> position(code_.size());
    for (const bool wanted : {true, false}) {
      for (std::size_t i = 0; i < code_.size(); ++i) {
        if (values_[result_slots_[i]].of_parameters != wanted) continue;
        position[i] = static_cast<std::uint32_t>(tape.code.size());
        tape.code.push_back(code_[i]);
      }
      if (wanted) tape.prologue = static_cast<std::uint32_t>(tape.code.size());
    }
    const auto register_of = [&](Slot slot) -> std::uint32_t {
      const Operand& operand = values_[slot];
      switch (operand.kind) {
        case Operand::Kind::constant:
          return operand.index;
        case Operand::Kind::parameter:
          return static_cast<std::uint32_t>(constants_.size()) + operand.index;
        case Operand::Kind::input:
          return tape.first_input() + operand.index;
        default:
          return tape.first_result() + position[operand.index];
      }
    };
    for (Instruction& instruction : tape.code) {
      instruction.a = register_of(instruction.a);
      instruction.b = register_of(instruction.b);
      if (operands(instruction.operation) == 3) instruction.c = register_of(instruction.c);
    }
    for (const Slot output : outputs) tape.outputs.push_back(register_of(output));
    return tape;
  }

  void define(const Expr& symbol, Slot slot) {
    slot_of_.insert_or_assign(symbol.node(), slot);
    keep_alive_.push_back(symbol);
  }

  Slot add(Slot a, Slot b) {
    if (is_zero(a)) return b;
    if (is_zero(b)) return a;
    if (is_negated(b)) return subtract(a, magnitude(b));
    return is_negated(a) ? subtract(b, magnitude(a)) : emit(Operation::add, a, b);
  }
  Slot subtract(Slot a, Slot b) {
    if (is_zero(b)) return a;
    if (is_zero(a)) return negate(b);
    return is_negated(b) ? add(a, magnitude(b)) : emit(Operation::subtract, a, b);
  }
  Slot multiply(Slot a, Slot b) {
    if (is_zero(a) || is_zero(b)) return constant(0);
    if (is_one(a)) return b;
    if (is_one(b)) return a;
    // A change of sign is put off until a sum takes it over.
    if (is_negated(a) || is_negated(b)) {
      const Slot product = multiply(magnitude(a), magnitude(b));
      return is_negated(a) == is_negated(b) ? product : negate(product);
    }
    return emit(Operation::multiply, a, b);
  }
  /// x / p is x (1 / p), which leaves the division out of the loop.
  Slot divide(Slot a, Slot b) {
    if (is_zero(a) || is_one(b)) return a;
    if (of_parameters(b) && !of_parameters(a)) return multiply(a, divide(constant(1), b));
    if (is_negated(a)) return negate(divide(magnitude(a), b));
    constant(1);  // for `share_reciprocals`
    return emit(Operation::divide, a, b);
  }
  Slot negate(Slot a) { return is_negated(a) ? magnitude(a) : emit(Operation::negate, a); }
  Slot unary(Operation operation, Slot a) { return emit(operation, a); }
  Slot binary(Operation operation, Slot a, Slot b) { return emit(operation, a, b); }

  /// x + low; in a tape for doubles x.
  Slot constant(double x, double low = 0) {
    if (!exact_) low = 0;
    const std::pair key(std::bit_cast<std::uint64_t>(x), std::bit_cast<std::uint64_t>(low));
    const auto [found, inserted] = constant_slots_.try_emplace(key, 0);
    if (inserted) {
      found->second =
          add_slot({Operand::Kind::constant, true, static_cast<std::uint32_t>(constants_.size())});
      constants_.push_back(x);
      low_.push_back(low);
    }
    return found->second;
  }
  Slot constant(const Rational& r) {
    const double x = expr::to_double(r);
    if (!exact_ || !std::isfinite(x)) return constant(x);
    return constant(x, expr::to_double(r - Rational(x)));
  }
  bool is_constant(Slot v) const { return values_[v].kind == Operand::Kind::constant; }
  bool is_zero(Slot v) const { return is_constant(v) && constant_at(v) == 0; }
  bool of_parameters(Slot v) const { return values_[v].of_parameters; }

 private:
  void declare(const Expr& e, Operand::Kind kind, std::uint32_t index) {
    if (!e.is(Op::symbol)) throw std::invalid_argument("an input of a tape must be a symbol");
    slot_of_.emplace(e.node(), add_slot({kind, kind == Operand::Kind::parameter, index}));
    keep_alive_.push_back(e);
  }

  Slot add_slot(Operand operand) {
    values_.push_back(operand);
    return static_cast<Slot>(values_.size() - 1);
  }

  bool is_one(Slot v) const { return is_constant(v) && constant_at(v) == 1 && low_at(v) == 0; }
  double constant_at(Slot v) const { return constants_[values_[v].index]; }
  double low_at(Slot v) const { return low_[values_[v].index]; }

  /// Whether an operation on two constants may be done beforehand: for wider numbers where doubles
  /// lose nothing by it.
  bool is_foldable(Operation operation, Slot a, Slot b) const {
    if (!is_constant(a) || !is_constant(b)) return false;
    if (!exact_) return true;
    if (low_at(a) != 0 || low_at(b) != 0) return false;
    const double x = constant_at(a), y = constant_at(b), z = perform(operation, x, y);
    if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(z)) return false;
    switch (operation) {
      case Operation::add:
        return Rational(x) + Rational(y) == Rational(z);
      case Operation::subtract:
        return Rational(x) - Rational(y) == Rational(z);
      case Operation::multiply:
        return Rational(x) * Rational(y) == Rational(z);
      case Operation::divide:
        return Rational(z) * Rational(y) == Rational(x);
      case Operation::sqrt:
        return Rational(z) * Rational(z) == Rational(x);
      case Operation::negate:
      case Operation::abs:
      case Operation::sign:
      case Operation::min:
      case Operation::max:
      case Operation::floor:
        return true;
      case Operation::multiply_add:
      case Operation::multiply_subtract:
      case Operation::subtract_product:
      case Operation::choose:
      case Operation::table:
        DALEMBERT_CASES_OF_ELEMENTARY
        return false;
    }
    return false;
  }

  Slot emit(Operation operation, Slot a, Slot b) {
    if (is_foldable(operation, a, b))
      return constant(perform(operation, constant_at(a), constant_at(b)));
    if ((operation == Operation::add || operation == Operation::multiply) && b < a) std::swap(a, b);
    return emit({operation, a, b}, values_[a].of_parameters && values_[b].of_parameters);
  }
  Slot emit(const Key& key, bool of_parameters) {
    const auto [found, inserted] = emitted_.try_emplace(key, 0);
    if (inserted) {
      found->second = add_slot(
          {Operand::Kind::result, of_parameters, static_cast<std::uint32_t>(code_.size())});
      code_.push_back({key.operation, key.a, key.b, key.c});
      result_slots_.push_back(found->second);
    }
    return found->second;
  }
  /// a where g >= 0, else b.
  Slot choose(Slot g, Slot a, Slot b) {
    if (is_constant(g)) {
      const double sign = constant_at(g);
      return sign >= 0 ? a : (sign < 0 ? b : g);
    }
    return emit({Operation::choose, a, b, g},
                of_parameters(a) && of_parameters(b) && of_parameters(g));
  }
  Slot emit(Operation operation, Slot a) { return emit(operation, a, a); }

  /// Whether it is the negative of what has to be computed in the loop anyway.
  bool is_negated(Slot v) const {
    return values_[v].kind == Operand::Kind::result && !values_[v].of_parameters &&
           code_[values_[v].index].operation == Operation::negate;
  }
  Slot magnitude(Slot v) const { return is_negated(v) ? code_[values_[v].index].a : v; }

  Slot slot(const Expr& e) const { return slot_of_.at(e.node()); }

  Slot integer_power(Slot base, unsigned long k) {
    Slot result = base;
    bool started = false;
    for (Slot square = base;; square = multiply(square, square)) {
      if ((k & 1) != 0) {
        result = started ? multiply(result, square) : square;
        started = true;
      }
      k >>= 1;
      if (k == 0) return result;
    }
  }

  /// Factors of a product: above / below.
  struct Quotient {
    std::vector<Slot> above;
    std::vector<Slot> below;
  };

  /// x^k by squaring, x^(k/2) by a square root besides.
  static bool is_multiplied_up(const Rational& k) {
    return k.get_den() <= 2 && ::abs(k) <= largest_multiplied_power;
  }

  void add_factor(const Expr& factor, Quotient& quotient) {
    if (factor.is(Op::power) && factor.args()[1].is(Op::constant) &&
        is_multiplied_up(factor.args()[1].value())) {
      const Rational& k = factor.args()[1].value();
      const Slot base = slot(factor.args()[0]);
      std::vector<Slot>& side = sgn(k) > 0 ? quotient.above : quotient.below;
      const mpz_class whole = ::abs(k.get_num()) / k.get_den();
      if (whole != 0) side.push_back(integer_power(base, whole.get_ui()));
      if (k.get_den() == 2) side.push_back(emit(Operation::sqrt, base));
      return;
    }
    if (factor.is(Op::sec))
      return quotient.below.push_back(emit(Operation::cos, slot(factor.args()[0])));
    if (factor.is(Op::csc))
      return quotient.below.push_back(emit(Operation::sin, slot(factor.args()[0])));
    quotient.above.push_back(slot(factor));
  }

  /// Puts together what is there already as a pair, in the order of creation.
  void reuse_pairs(Operation operation, std::vector<Slot>& operands) {
    std::ranges::sort(operands);
    if (operands.size() < 2 || operands.size() > most_searched) return;
    for (std::size_t i = 0; i + 1 < operands.size();) {
      std::size_t j = i + 1;
      auto found = emitted_.end();
      for (; j < operands.size(); ++j) {
        found = emitted_.find(Key{operation, operands[i], operands[j]});
        if (found != emitted_.end()) break;
      }
      if (found == emitted_.end()) {
        ++i;
        continue;
      }
      operands.erase(operands.begin() + static_cast<long>(j));
      operands.erase(operands.begin() + static_cast<long>(i));
      operands.insert(std::ranges::upper_bound(operands, found->second), found->second);
      i = 0;
    }
  }

  /// In pairs, and these in pairs; 1 if there is nothing to multiply.
  Slot multiply_all(std::vector<Slot> factors) {
    if (factors.empty()) return constant(1);
    reuse_pairs(Operation::multiply, factors);
    while (factors.size() > 1) {
      std::vector<Slot> products;
      for (std::size_t i = 0; i + 1 < factors.size(); i += 2)
        products.push_back(multiply(factors[i], factors[i + 1]));
      if (factors.size() % 2 != 0) products.push_back(factors.back());
      factors = std::move(products);
    }
    return factors.front();
  }

  /// About log2 |r|, r not 0.
  static long binary_exponent(const Rational& r) {
    return static_cast<long>(mpz_sizeinbase(r.get_num_mpz_t(), 2)) -
           static_cast<long>(mpz_sizeinbase(r.get_den_mpz_t(), 2));
  }
  /// r 2^k.
  static Rational scaled(const Rational& r, long k) {
    Rational result;
    if (k < 0) {
      mpq_div_2exp(result.get_mpq_t(), r.get_mpq_t(), static_cast<mp_bitcnt_t>(-k));
    } else {
      mpq_mul_2exp(result.get_mpq_t(), r.get_mpq_t(), static_cast<mp_bitcnt_t>(k));
    }
    return result;
  }

  /// coefficient · Π factors: first all that depends on parameters alone, then the rest, which
  /// other products may share, then the two.
  Slot lower_product(const Rational& coefficient, std::span<const Expr> factors) {
    if (const long bits = binary_exponent(coefficient); std::abs(bits) > most_exponent) {
      // No double alone: a number of ordinary size, and two powers of 2 behind it.
      const Slot value = lower_product(scaled(coefficient, -bits), factors);
      const auto power = [&](long k) { return constant(std::ldexp(1, static_cast<int>(k))); };
      return multiply(multiply(value, power(bits / 2)), power(bits - bits / 2));
    }
    Quotient moving;
    for (const Expr& factor : factors) add_factor(factor, moving);
    Quotient fixed;
    const auto part = [&](std::vector<Slot>& from, std::vector<Slot>& to) {
      const auto rest =
          std::ranges::stable_partition(from, [&](Slot v) { return !of_parameters(v); });
      to.assign(rest.begin(), rest.end());
      from.erase(rest.begin(), rest.end());
    };
    part(moving.above, fixed.above);
    part(moving.below, fixed.below);
    Slot scale = divide(multiply_all(fixed.above), multiply_all(fixed.below));
    const bool negated = coefficient == -1;
    if (!negated) {
      scale = multiply(constant(coefficient), scale);
    } else if (moving.above.empty() || !is_one(scale)) {
      scale = negate(scale);
    }
    if (moving.above.empty()) return divide(scale, multiply_all(moving.below));
    const Slot rest = divide(multiply_all(moving.above), multiply_all(moving.below));
    return negated && is_one(scale) ? negate(rest) : multiply(scale, rest);
  }

  Slot lower_product_node(const Expr& e, bool flip_sign) {
    const bool has_coefficient = e.args().front().is(Op::constant);
    Rational coefficient = has_coefficient ? e.args().front().value() : Rational(1);
    if (flip_sign) coefficient = -coefficient;
    return lower_product(coefficient, e.args().subspan(has_coefficient ? 1 : 0));
  }

  static bool is_negative(const Expr& term) {
    if (term.is(Op::constant)) return sgn(term.value()) < 0;
    return term.is(Op::product) && term.args().front().is(Op::constant) &&
           sgn(term.args().front().value()) < 0;
  }

  /// Σ plus - Σ minus, one after the other, with no more changes of sign than it takes.
  Slot add_chain(std::span<const Slot> plus, std::span<const Slot> minus) {
    if (plus.empty()) return minus.empty() ? constant(0) : negate(add_chain(minus, {}));
    Slot result = plus.front();
    for (const Slot term : plus.subspan(1)) result = add(result, term);
    for (const Slot term : minus) result = subtract(result, term);
    return result;
  }

  /// Whether an operation of a sum can do it as well.
  bool is_product(Slot v) const {
    return values_[v].kind == Operand::Kind::result && !values_[v].of_parameters &&
           code_[values_[v].index].operation == Operation::multiply;
  }

  /// The same in chains of a few terms each, these again, and so on. What is no product comes
  /// first: a product is added in one operation.
  Slot add_all(std::vector<Slot> plus, std::vector<Slot> minus) {
    reuse_pairs(Operation::add, plus);
    reuse_pairs(Operation::add, minus);
    std::ranges::stable_partition(plus, [&](Slot v) { return !is_product(v); });
    while (plus.size() + minus.size() > longest_chain) {
      const std::size_t chains = (plus.size() + minus.size() + longest_chain - 1) / longest_chain;
      std::vector<Slot> sums, negative;
      for (std::size_t chain = 0; chain < chains; ++chain) {
        const auto share = [&](const std::vector<Slot>& terms) {
          const std::size_t begin = terms.size() * chain / chains;
          return std::span(terms).subspan(begin, terms.size() * (chain + 1) / chains - begin);
        };
        const auto above = share(plus), below = share(minus);
        if (!above.empty()) sums.push_back(add_chain(above, below));
        if (above.empty() && !below.empty()) negative.push_back(add_chain(below, {}));
      }
      plus = std::move(sums);
      minus = std::move(negative);
    }
    return add_chain(plus, minus);
  }

  Slot lower_sum(const Expr& e) {
    std::vector<Slot> plus, minus, fixed_plus, fixed_minus;
    for (const Expr& term : e.args()) {
      if (!is_negative(term)) {
        (of_parameters(slot(term)) ? fixed_plus : plus).push_back(slot(term));
      } else {
        const Slot size = term.is(Op::constant) ? constant(Rational(-term.value()))
                                                : lower_product_node(term, true);
        (of_parameters(size) ? fixed_minus : minus).push_back(size);
      }
    }
    if (fixed_plus.empty() && !fixed_minus.empty() && !plus.empty()) {
      minus.push_back(add_all(std::move(fixed_minus), {}));
    } else if (!fixed_plus.empty() || !fixed_minus.empty()) {
      plus.push_back(add_all(std::move(fixed_plus), std::move(fixed_minus)));
    }
    return add_all(std::move(plus), std::move(minus));
  }

  /// A negative term of a sum is computed by its sum, with the sign flipped; alone it would be
  /// computed twice.
  Slot lower_node(const Expr& e) {
#define DALEMBERT_LOWER(name, ...) \
  case Op::name:                   \
    return lower_elementary(Operation::name, e);
    const auto argument = [&](std::size_t k) { return slot(e.args()[k]); };
    switch (e.op()) {
      case Op::constant:
        return constant(e.value());
      case Op::pi:
        return constant(std::numbers::pi, pi_low);
      case Op::symbol:
        break;
      case Op::sum:
        return lower_sum(e);
      case Op::product:
        return lower_product_node(e, false);
      case Op::sec:
      case Op::csc:
        return lower_product(1, std::span(&e, 1));
      case Op::cot:
        return divide(emit(Operation::cos, argument(0)), emit(Operation::sin, argument(0)));
      case Op::sqrt:
        return emit(Operation::sqrt, argument(0));
      case Op::abs:
        return emit(Operation::abs, argument(0));
      case Op::sign:
        return emit(Operation::sign, argument(0));
      case Op::min:
        return emit(Operation::min, argument(0), argument(1));
      case Op::max:
        return emit(Operation::max, argument(0), argument(1));
      case Op::floor:
        return emit(Operation::floor, argument(0));
      case Op::step:
        return choose(argument(0), constant(1), constant(0));
      case Op::choose:
        return choose(argument(0), argument(1), argument(2));
      case Op::table:
        return look_up(e.table(), argument(0));
        DALEMBERT_ELEMENTARY(DALEMBERT_LOWER)
    }
#undef DALEMBERT_LOWER
    throw std::invalid_argument("the symbol '" + e.symbol().name + "' is not an input of the tape");
  }

  Slot look_up(const std::shared_ptr<const expr::Table>& table, Slot s) {
    if (std::ranges::find(tables_, table) == tables_.end()) tables_.push_back(table);
    return emit(Operation::table, s, constant(table_handle(*table)));
  }

  Slot lower_elementary(Operation operation, const Expr& e) {
    const Slot x = slot(e.args()[0]);
    if (operation == Operation::power && e.args()[1].is(Op::constant) &&
        is_multiplied_up(e.args()[1].value()))
      return lower_product(1, std::span(&e, 1));
    if ((operation == Operation::asinh || operation == Operation::acosh) && !exact_)
      return lower_area(operation, x);
    return operands(operation) == 1 ? emit(operation, x) : emit(operation, x, slot(e.args()[1]));
  }

  /// asinh(x) and acosh(x). SLEEF squares x and gives infinity where the square is; from 2^500 on
  /// they are sign(x) (log|x| + log 2) to the last digit.
  Slot lower_area(Operation operation, Slot x) {
    const Slot limit = constant(0x1p500);
    const bool odd = operation == Operation::asinh;
    const Slot size = odd ? emit(Operation::abs, x) : x;
    Slot large = add(emit(Operation::log, size), constant(std::numbers::ln2));
    Slot small = emit(Operation::min, x, limit);
    if (odd) {
      large = multiply(emit(Operation::sign, x), large);
      small = emit(Operation::max, small, constant(-0x1p500));
    }
    return choose(subtract(size, limit), large, emit(operation, small));
  }

  bool exact_;
  std::vector<Operand> values_;
  std::vector<double> constants_;
  std::vector<double> low_;  ///< what each of them lacks
  std::map<std::pair<std::uint64_t, std::uint64_t>, Slot> constant_slots_;
  std::vector<Instruction> code_;   ///< operands are Slots until `finish`
  std::vector<Slot> result_slots_;  ///< the Slot of each instruction
  std::unordered_map<Key, Slot, KeyHash> emitted_;
  std::unordered_map<const Node*, Slot> slot_of_;
  std::vector<Expr> keep_alive_;
  Tables tables_;
  std::uint32_t parameter_count_ = 0;
  std::uint32_t input_count_ = 0;
};

TapeBuilder::TapeBuilder(std::span<const Expr> inputs, std::span<const Expr> parameters,
                         Constants constants)
    : implementation_(
          std::make_unique<Implementation>(inputs, parameters, constants == Constants::exact)) {}
TapeBuilder::~TapeBuilder() = default;

using Value = TapeBuilder::Value;

Value TapeBuilder::lower(const Expr& e) {
  return {implementation_->lower(e)};
}
void TapeBuilder::define(const Expr& symbol, Value value) {
  implementation_->define(symbol, value.index);
}
Value TapeBuilder::constant(double x) {
  return {implementation_->constant(x)};
}
Value TapeBuilder::add(Value a, Value b) {
  return {implementation_->add(a.index, b.index)};
}
Value TapeBuilder::subtract(Value a, Value b) {
  return {implementation_->subtract(a.index, b.index)};
}
Value TapeBuilder::multiply(Value a, Value b) {
  return {implementation_->multiply(a.index, b.index)};
}
Value TapeBuilder::divide(Value a, Value b) {
  return {implementation_->divide(a.index, b.index)};
}
Value TapeBuilder::negate(Value a) {
  return {implementation_->negate(a.index)};
}
Value TapeBuilder::sqrt(Value a) {
  return {implementation_->unary(Operation::sqrt, a.index)};
}
Value TapeBuilder::abs(Value a) {
  return {implementation_->unary(Operation::abs, a.index)};
}
Value TapeBuilder::sign(Value a) {
  return {implementation_->unary(Operation::sign, a.index)};
}
Value TapeBuilder::min(Value a, Value b) {
  return {implementation_->binary(Operation::min, a.index, b.index)};
}
Value TapeBuilder::max(Value a, Value b) {
  return {implementation_->binary(Operation::max, a.index, b.index)};
}
bool TapeBuilder::is_zero(Value a) const {
  return implementation_->is_zero(a.index);
}
bool TapeBuilder::is_constant(Value a) const {
  return implementation_->is_constant(a.index);
}
bool TapeBuilder::of_parameters(Value a) const {
  return implementation_->of_parameters(a.index);
}

Tape TapeBuilder::finish(std::span<const Value> outputs, Rounding rounding) const {
  std::vector<Slot> slots;
  slots.reserve(outputs.size());
  for (const Value output : outputs) slots.push_back(output.index);
  Tape tape = implementation_->finish(slots);
  remove_unused(tape);
  share_reciprocals(tape);
  if (rounding == Rounding::fused) fuse(tape);
  return tape;
}

Tape make_tape(std::span<const Expr> outputs, std::span<const Expr> inputs,
               std::span<const Expr> parameters) {
  TapeBuilder builder(inputs, parameters);
  std::vector<Value> values;
  values.reserve(outputs.size());
  for (const Expr& output : outputs) values.push_back(builder.lower(output));
  return builder.finish(values, TapeBuilder::Rounding::each);
}

}  // namespace dalembert::codegen
