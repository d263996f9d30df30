#pragma once
/// Tapes with every operation, and values of every size for them.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "dalembert/codegen/elementary.hpp"
#include "dalembert/codegen/kernel.hpp"
#include "dalembert/codegen/tape.hpp"

namespace dalembert::codegen {

using Random = std::mt19937_64;

inline std::size_t below(Random& random, std::size_t n) {
  return random() % n;
}

/// The same number, zeros by sign; or both no number at all.
inline bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

/// Of moderate size mostly; now and then tiny, huge, or special.
inline double random_value(Random& random) {
  static const std::vector<double> special{0.0,
                                           -0.0,
                                           1.0,
                                           -1.0,
                                           0.5,
                                           std::numeric_limits<double>::infinity(),
                                           -std::numeric_limits<double>::infinity(),
                                           std::numeric_limits<double>::quiet_NaN(),
                                           std::numeric_limits<double>::denorm_min(),
                                           -std::numeric_limits<double>::min(),
                                           std::numeric_limits<double>::max(),
                                           3.141592653589793,
                                           15.0,   // where SLEEF changes its reduction of angles
                                           -1e14,  // and again
                                           709.9,
                                           -745.2};
  switch (below(random, 8)) {
    case 0:
      return special[below(random, special.size())];
    case 1:
      return std::bit_cast<double>(random());
    case 2: {
      const double size = std::uniform_real_distribution(-12.0, 12.0)(random);
      return (random() % 2 == 0 ? 1 : -1) * std::pow(10.0, size);
    }
    default:
      return std::uniform_real_distribution(-3.0, 3.0)(random);
  }
}

/// Those of numbers alone. Tables, which stand last, have tests of their own.
inline constexpr std::size_t plain_operations = static_cast<std::size_t>(Operation::table);
static_assert(plain_operations + 1 == operations);

/// `prologue` operations on parameters, then `size` on everything. Half of the operands are recent
/// results. With `all_operations`, all are equally likely; else as in mechanics, few but sums and
/// products.
inline Tape random_tape(Random& random, std::size_t prologue, std::size_t size,
                        bool all_operations) {
  Tape tape;
  for (std::size_t i = 0; i < 4; ++i) tape.constants.push_back(random_value(random));
  tape.constants.push_back(0.75);
  tape.parameters = 3;
  tape.inputs = 5;
  tape.prologue = static_cast<std::uint32_t>(prologue);
  const auto first = tape.first_result();
  const auto operation = [&] {
    constexpr std::size_t count = plain_operations;
    if (all_operations || below(random, 12) == 0)
      return static_cast<Operation>(below(random, count));
    return static_cast<Operation>(below(random, 3));
  };
  for (std::size_t i = 0; i < prologue + size; ++i) {
    const auto operand = [&] {
      const std::size_t results = i;
      if (results > 0 && below(random, 2) == 0)
        return static_cast<std::uint32_t>(first + results - 1 -
                                          below(random, std::min<std::size_t>(results, 30)));
      const std::size_t leaves = i < prologue ? tape.first_input() : first;
      if (results == 0 || below(random, 4) != 0)
        return static_cast<std::uint32_t>(below(random, leaves));
      return static_cast<std::uint32_t>(first + below(random, results));
    };
    Instruction instruction{operation(), operand(), operand(), operand()};
    if (codegen::operands(instruction.operation) == 1) instruction.b = instruction.a;
    tape.code.push_back(instruction);
    const bool halves =
        instruction.operation == Operation::sin || instruction.operation == Operation::cos;
    if (halves && ++i < prologue + size) {  // most angles need both
      instruction.operation =
          instruction.operation == Operation::sin ? Operation::cos : Operation::sin;
      tape.code.push_back(instruction);
    }
  }
  tape.code.resize(prologue + size);
  for (std::size_t i = 0; i < 12; ++i)
    tape.outputs.push_back(static_cast<std::uint32_t>(below(random, tape.registers())));
  if (!tape.code.empty()) tape.outputs.push_back(static_cast<std::uint32_t>(tape.registers() - 1));
  return tape;
}

inline std::vector<double> random_values(Random& random, std::size_t n) {
  std::vector<double> values(n);
  for (double& value : values) value = random_value(random);
  return values;
}

/// The outputs, each operation performed by itself as the tape says.
inline std::vector<double> performed(const Tape& tape, const std::vector<double>& parameters,
                                     const std::vector<double>& inputs) {
  std::vector<double> registers = tape.constants;
  registers.insert(registers.end(), parameters.begin(), parameters.end());
  registers.insert(registers.end(), inputs.begin(), inputs.end());
  for (const Instruction& i : tape.code)
    registers.push_back(perform(i.operation, registers[i.a], registers[i.b], registers[i.c]));
  std::vector<double> outputs;
  for (const std::uint32_t output : tape.outputs) outputs.push_back(registers[output]);
  return outputs;
}

}  // namespace dalembert::codegen
