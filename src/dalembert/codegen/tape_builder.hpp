#pragma once
/// Makes a tape operation by operation: expressions are lowered into it, and what follows from
/// their values (an elimination, say) is written beside them, so that all of it shares one set of
/// common subexpressions.
///
///     TapeBuilder tape(inputs, parameters);
///     const auto x = tape.lower(expression);
///     const auto y = tape.divide(x, tape.lower(other));
///     Tape finished = tape.finish(std::array{y});

#include <cstdint>
#include <memory>
#include <span>

#include "dalembert/codegen/tape.hpp"

namespace dalembert::codegen {

class TapeBuilder {
 public:
  /// A value of the tape to be: a constant, a parameter, an input or a result. Equal operations on
  /// equal values are the same value.
  struct Value {
    std::uint32_t index;
    bool operator==(const Value&) const = default;
  };

  /// Constants as doubles; or exact, for a tape that wider numbers run (codegen/extended.hpp): then
  /// Tape::low has what doubles lack, and of constants only what doubles hold exactly is computed
  /// beforehand.
  enum class Constants : std::uint8_t { rounded, exact };

  /// Symbols; one that is neither throws std::invalid_argument when it is lowered.
  TapeBuilder(std::span<const Expr> inputs, std::span<const Expr> parameters,
              Constants constants = Constants::rounded);
  ~TapeBuilder();
  TapeBuilder(const TapeBuilder&) = delete;
  TapeBuilder& operator=(const TapeBuilder&) = delete;

  /// The value of an expression. O(nodes not lowered yet).
  Value lower(const Expr& e);
  /// From now on a symbol stands for a value: for what the tape computes and expressions use. Only
  /// before an expression with that symbol is lowered.
  void define(const Expr& symbol, Value value);

  // Arithmetic. Zeros and ones known here cost nothing: 0 x = 0, x + 0 = x, 1 x = x.
  Value constant(double x);
  Value add(Value a, Value b);
  Value subtract(Value a, Value b);
  Value multiply(Value a, Value b);
  Value divide(Value a, Value b);
  Value negate(Value a);
  Value sqrt(Value a);
  Value abs(Value a);
  Value sign(Value a);
  Value min(Value a, Value b);
  Value max(Value a, Value b);

  bool is_zero(Value a) const;  ///< the constant 0
  bool is_constant(Value a) const;
  /// Whether it follows from constants and parameters alone, so that it costs nothing in a loop.
  bool of_parameters(Value a) const;

  /// Whether sums of products are rounded once (fused multiply-add) or operation by operation.
  enum class Rounding : std::uint8_t { fused, each };

  /// The tape that computes these outputs, without what none of them needs.
  Tape finish(std::span<const Value> outputs, Rounding rounding = Rounding::fused) const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace dalembert::codegen
