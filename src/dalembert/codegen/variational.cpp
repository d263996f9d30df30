#include "dalembert/codegen/variational.hpp"

#include <numbers>
#include <vector>

#include "dalembert/codegen/tape_passes.hpp"
#include "dalembert/codegen/tape_writer.hpp"

namespace dalembert::codegen {

namespace {

class Tangents {
 public:
  Tangents(const Tape& f, std::uint32_t columns, std::span<const std::uint32_t> parameters)
      : f_(f),
        size_(f.inputs - 1),
        columns_(columns),
        parameters_(parameters),
        writer_(f, f.inputs + size_ * count()) {}

  Tape write() {
    std::vector<Register> outputs;
    for (std::uint32_t i = 0; i < size_; ++i) outputs.push_back(writer_.repeat(f_.outputs[i]));
    for (std::uint32_t j = 0; j < count(); ++j) {
      follow(j);
      for (std::uint32_t i = 0; i < size_; ++i) {
        const Register slope = slopes_[f_.outputs[i]];
        outputs.push_back(slope == zero ? writer_.constant(0) : slope);
      }
    }
    for (std::size_t i = size_; i < f_.outputs.size(); ++i)
      outputs.push_back(writer_.repeat(f_.outputs[i]));
    return finished(outputs);
  }

  /// Of the one column alone, and of every output.
  Tape write_slopes() {
    follow(0);
    std::vector<Register> outputs;
    for (const std::uint32_t output : f_.outputs)
      outputs.push_back(slopes_[output] == zero ? writer_.constant(0) : slopes_[output]);
    return finished(outputs);
  }

 private:
  using Register = TapeWriter::Register;
  static constexpr Register zero = TapeWriter::absent;

  Tape finished(const std::vector<Register>& outputs) {
    Tape tape = writer_.finish(outputs);
    fuse(tape);
    remove_unused(tape);
    return tape;
  }

  std::uint32_t count() const { return columns_ + static_cast<std::uint32_t>(parameters_.size()); }

  Register plus(Register a, Register b) {
    return a == zero ? b : b == zero ? a : writer_.add(Operation::add, a, b);
  }
  Register minus(Register a, Register b) {
    if (b == zero) return a;
    return a == zero ? writer_.add(Operation::negate, b, b)
                     : writer_.add(Operation::subtract, a, b);
  }
  Register times(Register a, Register b) {
    return a == zero || b == zero ? zero : writer_.add(Operation::multiply, a, b);
  }
  Register over(Register a, Register b) {
    return a == zero ? zero : writer_.add(Operation::divide, a, b);
  }
  Register apply(Operation operation, Register a) { return writer_.add(operation, a, a); }
  Register square(Register a) { return times(a, a); }
  Register one() { return writer_.constant(1); }
  /// a where the third is not negative, else b.
  Register chosen(Register a, Register b, Register decides) {
    if (a == zero && b == zero) return zero;
    const auto number = [&](Register r) { return r == zero ? writer_.constant(0) : r; };
    return writer_.add(Operation::choose, number(a), number(b), decides);
  }

  /// The slopes of all registers of f along column j.
  void follow(std::uint32_t j) {
    slopes_.assign(f_.registers(), zero);
    const auto first_parameter = static_cast<std::uint32_t>(f_.constants.size());
    if (j >= columns_) slopes_[first_parameter + parameters_[j - columns_]] = one();
    for (std::uint32_t i = 0; i < size_; ++i)
      slopes_[f_.first_input() + 1 + i] = writer_.input(f_.inputs + j * size_ + i);
    for (std::uint32_t i = 0; i < f_.code.size(); ++i) {
      const Instruction& one = f_.code[i];
      const int operands = codegen::operands(one.operation);
      const Register da = slopes_[one.a], db = operands > 1 ? slopes_[one.b] : zero,
                     dc = operands > 2 ? slopes_[one.c] : zero;
      if (da == zero && db == zero && dc == zero) continue;
      slopes_[f_.first_result() + i] = slope(one, f_.first_result() + i, da, db, dc);
    }
  }

  Register slope(const Instruction& one, std::uint32_t result, Register da, Register db,
                 Register dc) {
    const auto a = [&] { return writer_.repeat(one.a); };
    const auto b = [&] { return writer_.repeat(one.b); };
    const auto product = [&] { return plus(times(da, b()), times(a(), db)); };
    switch (one.operation) {
      case Operation::add:
        return plus(da, db);
      case Operation::subtract:
        return minus(da, db);
      case Operation::negate:
        return minus(zero, da);
      case Operation::multiply:
        return product();
      case Operation::multiply_add:
        return plus(product(), dc);
      case Operation::multiply_subtract:
        return minus(product(), dc);
      case Operation::subtract_product:
        return minus(dc, product());
      case Operation::divide:
        return over(minus(da, times(writer_.repeat(result), db)), b());
      case Operation::abs:
        return times(apply(Operation::sign, a()), da);
      case Operation::sign:
      case Operation::floor:
        return zero;
      case Operation::min:
        return chosen(da, db, minus(b(), a()));
      case Operation::max:
        return chosen(da, db, minus(a(), b()));
      case Operation::table: {
        const auto& derivative = table_of_handle(f_.constants[one.b]).derivative();
        if (derivative == nullptr) return zero;
        const Register handle = writer_.constant(table_handle(*derivative));
        return times(writer_.add(Operation::table, a(), handle), da);
      }
      case Operation::choose:
        return chosen(da, db, writer_.repeat(one.c));
      case Operation::sqrt:
        return over(da, times(writer_.constant(2), writer_.repeat(result)));
        DALEMBERT_CASES_OF_ELEMENTARY
        return elementary(one, result, da, db);
    }
    return zero;
  }

  /// 1 + x^2 and the like.
  Register one_plus_square(Register x) { return plus(one(), square(x)); }
  Register one_less_square(Register x) { return minus(one(), square(x)); }
  Register root(Register x) { return apply(Operation::sqrt, x); }

  Register elementary(const Instruction& instruction, std::uint32_t result, Register da,
                      Register db) {
    const Register x = writer_.repeat(instruction.a), y = writer_.repeat(instruction.b),
                   z = writer_.repeat(result);
    switch (instruction.operation) {
      case Operation::sin:
        return times(apply(Operation::cos, x), da);
      case Operation::cos:
        return minus(zero, times(apply(Operation::sin, x), da));
      case Operation::sinh:
        return times(apply(Operation::cosh, x), da);
      case Operation::cosh:
        return times(apply(Operation::sinh, x), da);
      case Operation::tan:
        return times(one_plus_square(z), da);
      case Operation::tanh:
        return times(one_less_square(z), da);
      case Operation::asin:
        return over(da, root(one_less_square(x)));
      case Operation::acos:
        return minus(zero, over(da, root(one_less_square(x))));
      case Operation::atan:
        return over(da, one_plus_square(x));
      case Operation::asinh:
        return over(da, root(one_plus_square(x)));
      case Operation::acosh:
        return over(da, root(minus(square(x), one())));
      case Operation::atanh:
        return over(da, one_less_square(x));
      case Operation::exp:
        return times(z, da);
      case Operation::log:
        return over(da, x);
      case Operation::log10:
        return over(times(writer_.constant(1 / std::numbers::ln10), da), x);
      case Operation::atan2:
        return over(minus(times(y, da), times(x, db)), plus(square(x), square(y)));
      case Operation::hypot:
        return over(plus(times(x, da), times(y, db)), z);
      case Operation::erf:
        return times(times(writer_.constant(2 * std::numbers::inv_sqrtpi),
                           apply(Operation::exp, minus(zero, square(x)))),
                     da);
      case Operation::power:
        return plus(times(times(y, writer_.add(Operation::power, x, minus(y, one()))), da),
                    db == zero ? zero : times(times(apply(Operation::log, x), z), db));
      default:
        return zero;
    }
  }

  const Tape& f_;
  std::uint32_t size_, columns_;
  std::span<const std::uint32_t> parameters_;
  TapeWriter writer_;
  std::vector<Register> slopes_;  ///< of each register of f, along one column
};

}  // namespace

Tape variational(const Tape& f, std::uint32_t columns, std::span<const std::uint32_t> parameters) {
  return Tangents(f, columns, parameters).write();
}

Tape directional(const Tape& f) {
  return Tangents(f, 1, {}).write_slopes();
}

}  // namespace dalembert::codegen
