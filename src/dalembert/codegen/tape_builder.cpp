#include "dalembert/codegen/tape_builder.hpp"

#include <algorithm>
#include <bit>
#include <numbers>
#include <stdexcept>
#include <unordered_map>

#include "dalembert/expr/graph.hpp"

namespace dalembert::codegen {

namespace {

using expr::Node;
using expr::Op;
using expr::Rational;

constexpr long largest_multiplied_power = 1024;

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
  bool operator==(const Key&) const = default;
};

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    std::uint64_t h = (static_cast<std::uint64_t>(key.a) << 32 | key.b) * 0x9e3779b97f4a7c15ULL;
    h ^= static_cast<std::uint64_t>(key.operation) * 0xbf58476d1ce4e5b9ULL;
    return static_cast<std::size_t>(h ^ (h >> 29));
  }
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

class TapeBuilder::Implementation {
 public:
  Implementation(std::span<const Expr> inputs, std::span<const Expr> parameters) {
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
    tape.parameters = parameter_count_;
    tape.inputs = input_count_;
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
    return is_zero(b) ? a : emit(Operation::add, a, b);
  }
  Slot subtract(Slot a, Slot b) {
    if (is_zero(b)) return a;
    return is_zero(a) ? negate(b) : emit(Operation::subtract, a, b);
  }
  Slot multiply(Slot a, Slot b) {
    if (is_zero(a) || is_zero(b)) return constant(0);
    if (is_one(a)) return b;
    return is_one(b) ? a : emit(Operation::multiply, a, b);
  }
  Slot divide(Slot a, Slot b) {
    if (is_zero(a)) return a;
    return is_one(b) ? a : emit(Operation::divide, a, b);
  }
  Slot negate(Slot a) { return emit(Operation::negate, a); }
  Slot unary(Operation operation, Slot a) { return emit(operation, a); }
  Slot binary(Operation operation, Slot a, Slot b) { return emit(operation, a, b); }

  Slot constant(double x) {
    const auto [found, inserted] = constant_slots_.try_emplace(std::bit_cast<std::uint64_t>(x), 0);
    if (inserted) {
      found->second =
          add_slot({Operand::Kind::constant, true, static_cast<std::uint32_t>(constants_.size())});
      constants_.push_back(x);
    }
    return found->second;
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

  bool is_one(Slot v) const { return is_constant(v) && constant_at(v) == 1; }
  double constant_at(Slot v) const { return constants_[values_[v].index]; }

  Slot emit(Operation operation, Slot a, Slot b) {
    if (is_constant(a) && is_constant(b))
      return constant(perform(operation, constant_at(a), constant_at(b)));
    if ((operation == Operation::add || operation == Operation::multiply) && b < a) std::swap(a, b);
    const auto [found, inserted] = emitted_.try_emplace(Key{operation, a, b}, 0);
    if (inserted) {
      const bool of_parameters = values_[a].of_parameters && values_[b].of_parameters;
      found->second = add_slot(
          {Operand::Kind::result, of_parameters, static_cast<std::uint32_t>(code_.size())});
      code_.push_back({operation, a, b});
      result_slots_.push_back(found->second);
    }
    return found->second;
  }
  Slot emit(Operation operation, Slot a) { return emit(operation, a, a); }

  Slot slot(const Expr& e) const { return slot_of_.at(e.node()); }

  Slot integer_power(Slot base, unsigned long k) {
    Slot result = base;
    bool started = false;
    for (Slot square = base;; square = emit(Operation::multiply, square)) {
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
    std::vector<Slot> above;
    std::vector<Slot> below;
  };

  void add_factor(const Expr& factor, Quotient& quotient) {
    if (factor.is(Op::power) && factor.args()[1].is(Op::constant)) {
      const Rational& k = factor.args()[1].value();
      if (k.get_den() == 1 && ::abs(k) <= largest_multiplied_power) {
        const Slot power =
            integer_power(slot(factor.args()[0]), mpz_class(::abs(k.get_num())).get_ui());
        (sgn(k) > 0 ? quotient.above : quotient.below).push_back(power);
        return;
      }
    }
    if (factor.is(Op::sec))
      return quotient.below.push_back(emit(Operation::cos, slot(factor.args()[0])));
    if (factor.is(Op::csc))
      return quotient.below.push_back(emit(Operation::sin, slot(factor.args()[0])));
    quotient.above.push_back(slot(factor));
  }

  Slot multiply_all(std::span<const Slot> factors) {
    Slot result = factors.front();
    for (const Slot f : factors.subspan(1)) result = emit(Operation::multiply, result, f);
    return result;
  }

  /// coefficient · Π factors, the coefficient's sign included.
  Slot lower_product(const Rational& coefficient, std::span<const Expr> factors) {
    Quotient quotient;
    for (const Expr& factor : factors) add_factor(factor, quotient);
    const bool scaled = ::abs(coefficient) != 1;
    const Slot c = constant(expr::to_double(coefficient));
    Slot result = 0;
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

  Slot lower_sum(const Expr& e) {
    // Terms to add first, then those to subtract, so that no term needs a negation unless all are
    // negative.
    Slot result = 0;
    bool started = false;
    for (const Expr& term : e.args()) {
      if (is_negative(term)) continue;
      result = started ? emit(Operation::add, result, slot(term)) : slot(term);
      started = true;
    }
    for (const Expr& term : e.args()) {
      if (!is_negative(term)) continue;
      if (!started) {
        result = slot(term);
        started = true;
        continue;
      }
      const Slot magnitude = term.is(Op::constant) ? constant(-expr::to_double(term.value()))
                                                   : lower_product_node(term, true);
      result = emit(Operation::subtract, result, magnitude);
    }
    return result;
  }

  /// A negative term of a sum is computed by its sum, with the sign flipped; alone it would be
  /// computed twice.
  Slot lower_node(const Expr& e) {
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
        return emit(Operation::divide, emit(Operation::cos, slot(e.args()[0])),
                    emit(Operation::sin, slot(e.args()[0])));
      case Op::atan2:
      case Op::min:
      case Op::max:
        return emit(operation_of(e.op()), slot(e.args()[0]), slot(e.args()[1]));
      default:
        return emit(operation_of(e.op()), slot(e.args()[0]));
    }
  }

  Slot lower_power(const Expr& e) {
    const Expr& exponent = e.args()[1];
    if (exponent.is(Op::constant) && exponent.value().get_den() == 1 &&
        ::abs(exponent.value()) <= largest_multiplied_power) {
      return lower_product(1, std::span(&e, 1));
    }
    return emit(Operation::power, slot(e.args()[0]), slot(exponent));
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
  std::unordered_map<std::uint64_t, Slot> constant_slots_;
  std::vector<Instruction> code_;   ///< operands are Slots until `finish`
  std::vector<Slot> result_slots_;  ///< the Slot of each instruction
  std::unordered_map<Key, Slot, KeyHash> emitted_;
  std::unordered_map<const Node*, Slot> slot_of_;
  std::vector<Expr> keep_alive_;
  std::uint32_t parameter_count_ = 0;
  std::uint32_t input_count_ = 0;
};

TapeBuilder::TapeBuilder(std::span<const Expr> inputs, std::span<const Expr> parameters)
    : implementation_(std::make_unique<Implementation>(inputs, parameters)) {}
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
  return {implementation_->unary(Operation::negate, a.index)};
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

Tape TapeBuilder::finish(std::span<const Value> outputs) const {
  std::vector<Slot> slots;
  slots.reserve(outputs.size());
  for (const Value output : outputs) slots.push_back(output.index);
  Tape tape = implementation_->finish(slots);
  remove_unused(tape);
  return tape;
}

Tape make_tape(std::span<const Expr> outputs, std::span<const Expr> inputs,
               std::span<const Expr> parameters) {
  TapeBuilder builder(inputs, parameters);
  std::vector<Value> values;
  values.reserve(outputs.size());
  for (const Expr& output : outputs) values.push_back(builder.lower(output));
  return builder.finish(values);
}

}  // namespace dalembert::codegen
