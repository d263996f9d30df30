#include "dalembert/codegen/tape.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <unordered_map>

#include "dalembert/codegen/elementary.hpp"
#include "dalembert/expr/graph.hpp"

namespace dalembert::codegen {

namespace {

using expr::Node;
using expr::Op;
using expr::Rational;

constexpr long largest_multiplied_power = 1024;

/// A value while the tape is made: an index into `Builder::values`.
using Value = std::uint32_t;

struct Operand {
  enum class Kind : std::uint8_t { constant, parameter, input, result };
  Kind kind;
  bool of_parameters;   ///< depends on parameters and constants alone
  std::uint32_t index;  ///< within its kind
};

struct Key {
  Operation operation;
  Value a;
  Value b;
  bool operator==(const Key&) const = default;
};

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    std::uint64_t h = (static_cast<std::uint64_t>(key.a) << 32 | key.b) * 0x9e3779b97f4a7c15ULL;
    h ^= static_cast<std::uint64_t>(key.operation) * 0xbf58476d1ce4e5b9ULL;
    return static_cast<std::size_t>(h ^ (h >> 29));
  }
};

class Builder {
 public:
  Builder(std::span<const Expr> inputs, std::span<const Expr> parameters) {
    for (const Expr& p : parameters) declare(p, Operand::Kind::parameter, parameter_count_++);
    for (const Expr& x : inputs) declare(x, Operand::Kind::input, input_count_++);
  }

  Value lower(const Expr& root) {
    for (const Expr& e : expr::postorder(root)) {
      if (!value_of_.contains(e.node())) value_of_.emplace(e.node(), lower_node(e));
    }
    keep_alive_.push_back(root);
    return value_of_.at(root.node());
  }

  Tape finish(std::span<const Value> outputs) const {
    Tape tape;
    tape.constants = constants_;
    tape.parameters = parameter_count_;
    tape.inputs = input_count_;
    // Prologue first, then the rest, each in the order of creation, so operands stay before their
    // uses.
    std::vector<std::uint32_t> position(code_.size());
    for (const bool wanted : {true, false}) {
      for (std::size_t i = 0; i < code_.size(); ++i) {
        if (values_[result_values_[i]].of_parameters != wanted) continue;
        position[i] = static_cast<std::uint32_t>(tape.code.size());
        tape.code.push_back(code_[i]);
      }
      if (wanted) tape.prologue = static_cast<std::uint32_t>(tape.code.size());
    }
    const auto register_of = [&](Value value) -> std::uint32_t {
      const Operand& operand = values_[value];
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
    }
    for (const Value output : outputs) tape.outputs.push_back(register_of(output));
    return tape;
  }

 private:
  void declare(const Expr& e, Operand::Kind kind, std::uint32_t index) {
    if (!e.is(Op::symbol)) throw std::invalid_argument("an input of a tape must be a symbol");
    value_of_.emplace(e.node(), add_value({kind, kind == Operand::Kind::parameter, index}));
    keep_alive_.push_back(e);
  }

  Value add_value(Operand operand) {
    values_.push_back(operand);
    return static_cast<Value>(values_.size() - 1);
  }

  Value constant(double x) {
    const auto [found, inserted] = constant_values_.try_emplace(std::bit_cast<std::uint64_t>(x), 0);
    if (inserted) {
      found->second =
          add_value({Operand::Kind::constant, true, static_cast<std::uint32_t>(constants_.size())});
      constants_.push_back(x);
    }
    return found->second;
  }

  bool is_constant(Value v) const { return values_[v].kind == Operand::Kind::constant; }
  double constant_at(Value v) const { return constants_[values_[v].index]; }

  Value emit(Operation operation, Value a, Value b) {
    if (is_constant(a) && is_constant(b))
      return constant(perform(operation, constant_at(a), constant_at(b)));
    if ((operation == Operation::add || operation == Operation::multiply) && b < a) std::swap(a, b);
    const auto [found, inserted] = emitted_.try_emplace(Key{operation, a, b}, 0);
    if (inserted) {
      const bool of_parameters = values_[a].of_parameters && values_[b].of_parameters;
      found->second = add_value(
          {Operand::Kind::result, of_parameters, static_cast<std::uint32_t>(code_.size())});
      code_.push_back({operation, a, b});
      result_values_.push_back(found->second);
    }
    return found->second;
  }
  Value emit(Operation operation, Value a) { return emit(operation, a, a); }

  Value value(const Expr& e) const { return value_of_.at(e.node()); }

  Value integer_power(Value base, unsigned long k) {
    Value result = base;
    bool started = false;
    for (Value square = base;; square = emit(Operation::multiply, square)) {
      if ((k & 1) != 0) {
        result = started ? emit(Operation::multiply, result, square) : square;
        started = true;
      }
      k >>= 1;
      if (k == 0) return result;
    }
  }

  /// The factors that are no constant, multiplied up: numerator / denominator, either may be
  /// absent.
  struct Quotient {
    std::vector<Value> above;
    std::vector<Value> below;
  };

  void add_factor(const Expr& factor, Quotient& quotient) {
    if (factor.is(Op::power) && factor.args()[1].is(Op::constant)) {
      const Rational& k = factor.args()[1].value();
      if (k.get_den() == 1 && abs(k) <= largest_multiplied_power) {
        const Value power =
            integer_power(value(factor.args()[0]), mpz_class(abs(k.get_num())).get_ui());
        (sgn(k) > 0 ? quotient.above : quotient.below).push_back(power);
        return;
      }
    }
    if (factor.is(Op::sec))
      return quotient.below.push_back(emit(Operation::cos, value(factor.args()[0])));
    if (factor.is(Op::csc))
      return quotient.below.push_back(emit(Operation::sin, value(factor.args()[0])));
    quotient.above.push_back(value(factor));
  }

  Value multiply_all(std::span<const Value> factors) {
    Value result = factors.front();
    for (const Value f : factors.subspan(1)) result = emit(Operation::multiply, result, f);
    return result;
  }

  /// coefficient · Π factors, the coefficient's sign included.
  Value lower_product(const Rational& coefficient, std::span<const Expr> factors) {
    Quotient quotient;
    for (const Expr& factor : factors) add_factor(factor, quotient);
    const bool scaled = abs(coefficient) != 1;
    const Value c = constant(expr::to_double(coefficient));
    Value result = 0;
    if (quotient.above.empty()) {
      result = emit(Operation::divide, c, multiply_all(quotient.below));
      return result;
    }
    result = multiply_all(quotient.above);
    if (!quotient.below.empty())
      result = emit(Operation::divide, result, multiply_all(quotient.below));
    if (scaled) return emit(Operation::multiply, c, result);
    return sgn(coefficient) < 0 ? emit(Operation::negate, result) : result;
  }

  Value lower_product_node(const Expr& e, bool flip_sign) {
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

  Value lower_sum(const Expr& e) {
    // Terms to add first, then those to subtract, so that no term needs a negation unless all are
    // negative.
    Value result = 0;
    bool started = false;
    for (const Expr& term : e.args()) {
      if (is_negative(term)) continue;
      result = started ? emit(Operation::add, result, value(term)) : value(term);
      started = true;
    }
    for (const Expr& term : e.args()) {
      if (!is_negative(term)) continue;
      if (!started) {
        result = value(term);
        started = true;
        continue;
      }
      const Value magnitude = term.is(Op::constant) ? constant(-expr::to_double(term.value()))
                                                    : lower_product_node(term, true);
      result = emit(Operation::subtract, result, magnitude);
    }
    return result;
  }

  /// A negative term of a sum is computed by its sum, with the sign flipped; alone it would be
  /// computed twice.
  Value lower_node(const Expr& e) {
    switch (e.op()) {
      case Op::constant:
        return constant(expr::to_double(e.value()));
      case Op::pi:
        return constant(std::numbers::pi);
      case Op::symbol:
        throw std::invalid_argument("the symbol '" + e.symbol().name +
                                    "' is not an input of the tape");
      case Op::sum:
        return lower_sum(e);
      case Op::product:
        return lower_product_node(e, false);
      case Op::power:
        return lower_power(e);
      case Op::sec:
      case Op::csc:
        return lower_product(1, std::span(&e, 1));
      case Op::cot:
        return emit(Operation::divide, emit(Operation::cos, value(e.args()[0])),
                    emit(Operation::sin, value(e.args()[0])));
      case Op::atan2:
      case Op::min:
      case Op::max:
        return emit(operation_of(e.op()), value(e.args()[0]), value(e.args()[1]));
      default:
        return emit(operation_of(e.op()), value(e.args()[0]));
    }
  }

  Value lower_power(const Expr& e) {
    const Expr& exponent = e.args()[1];
    if (exponent.is(Op::constant) && exponent.value().get_den() == 1 &&
        abs(exponent.value()) <= largest_multiplied_power) {
      return lower_product(1, std::span(&e, 1));
    }
    return emit(Operation::power, value(e.args()[0]), value(exponent));
  }

  static Operation operation_of(Op op) {
    switch (op) {
      case Op::sin:
        return Operation::sin;
      case Op::cos:
        return Operation::cos;
      case Op::tan:
        return Operation::tan;
      case Op::asin:
        return Operation::asin;
      case Op::acos:
        return Operation::acos;
      case Op::atan:
        return Operation::atan;
      case Op::atan2:
        return Operation::atan2;
      case Op::sinh:
        return Operation::sinh;
      case Op::cosh:
        return Operation::cosh;
      case Op::tanh:
        return Operation::tanh;
      case Op::exp:
        return Operation::exp;
      case Op::log:
        return Operation::log;
      case Op::sqrt:
        return Operation::sqrt;
      case Op::abs:
        return Operation::abs;
      case Op::sign:
        return Operation::sign;
      case Op::min:
        return Operation::min;
      case Op::max:
        return Operation::max;
      default:
        throw std::logic_error("a node without an operation");
    }
  }

  std::vector<Operand> values_;
  std::vector<double> constants_;
  std::unordered_map<std::uint64_t, Value> constant_values_;
  std::vector<Instruction> code_;     ///< operands are Values until `finish`
  std::vector<Value> result_values_;  ///< the Value of each instruction
  std::unordered_map<Key, Value, KeyHash> emitted_;
  std::unordered_map<const Node*, Value> value_of_;
  std::vector<Expr> keep_alive_;
  std::uint32_t parameter_count_ = 0;
  std::uint32_t input_count_ = 0;
};

/// Drops instructions no output needs.
void remove_unused(Tape& tape) {
  std::vector<bool> used(tape.code.size(), false);
  const std::uint32_t first = tape.first_result();
  const auto mark = [&](std::uint32_t reg) {
    if (reg >= first) used[reg - first] = true;
  };
  for (const std::uint32_t output : tape.outputs) mark(output);
  for (std::size_t i = tape.code.size(); i-- > 0;) {
    if (!used[i]) continue;
    mark(tape.code[i].a);
    mark(tape.code[i].b);
  }
  std::vector<std::uint32_t> moved(tape.code.size());
  std::vector<Instruction> kept;
  std::uint32_t prologue = 0;
  const auto renamed = [&](std::uint32_t reg) {
    return reg < first ? reg : first + moved[reg - first];
  };
  for (std::size_t i = 0; i < tape.code.size(); ++i) {
    if (!used[i]) continue;
    moved[i] = static_cast<std::uint32_t>(kept.size());
    kept.push_back({tape.code[i].operation, renamed(tape.code[i].a), renamed(tape.code[i].b)});
    if (i < tape.prologue) ++prologue;
  }
  for (std::uint32_t& output : tape.outputs) output = renamed(output);
  tape.code = std::move(kept);
  tape.prologue = prologue;
}

}  // namespace

double perform(Operation operation, double a, double b) {
  if (is_elementary(operation)) return elementary(operation, a, b);
  switch (operation) {
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return a * b;
    case Operation::divide:
      return a / b;
    case Operation::negate:
      return -a;
    case Operation::sqrt:
      return std::sqrt(a);
    case Operation::abs:
      return std::abs(a);
    case Operation::sign:
      return a > 0 ? 1.0 : (a < 0 ? -1.0 : a);
    case Operation::min:
      return a < b || std::isnan(a) ? a : b;
    case Operation::max:
      return a > b || std::isnan(a) ? a : b;
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

Tape make_tape(std::span<const Expr> outputs, std::span<const Expr> inputs,
               std::span<const Expr> parameters) {
  Builder builder(inputs, parameters);
  std::vector<Value> values;
  values.reserve(outputs.size());
  for (const Expr& output : outputs) values.push_back(builder.lower(output));
  Tape tape = builder.finish(values);
  remove_unused(tape);
  return tape;
}

}  // namespace dalembert::codegen
