#pragma once
/// Equations flattened to operations on registers: the form in which they are run or compiled
/// further.
///
/// Registers are numbered constants first, then parameters, then inputs, then one a result in the
/// order of the code (each register is written once). The first `prologue` instructions depend on
/// parameters alone and are run once for a set of parameters. Common subexpressions, those within
/// sums and products included, are computed once. A tape follows from its expressions and the names
/// in them: the same in every run and on every machine.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dalembert/codegen/operations.hpp"
#include "dalembert/expr/expr.hpp"
#include "dalembert/expr/table.hpp"

namespace dalembert::codegen {

using expr::Expr;
using Tables = std::vector<std::shared_ptr<const expr::Table>>;

/// register[first_result + i] = operation(register[a], register[b], register[c]) for the i-th
/// instruction; b repeats a when there is one operand, and c means nothing when there are not
/// three.
struct Instruction {
  Operation operation;
  std::uint32_t a;
  std::uint32_t b;
  std::uint32_t c = 0;
  bool operator==(const Instruction&) const = default;
};

struct Tape {
  std::vector<double> constants;
  /// What each constant lacks, for numbers wider than doubles: it is constants[i] + low[i], to 106
  /// bits. Empty in a tape for doubles.
  std::vector<double> low = {};
  std::uint32_t parameters = 0;
  std::uint32_t inputs = 0;
  std::vector<Instruction> code;
  std::uint32_t prologue = 0;
  std::vector<std::uint32_t> outputs;  ///< the register of each output
  /// What constants stand for tables: these, and their derivatives. Kept here to keep them alive.
  Tables tables;

  std::uint32_t first_input() const {
    return static_cast<std::uint32_t>(constants.size()) + parameters;
  }
  std::uint32_t first_result() const { return first_input() + inputs; }
  std::size_t registers() const { return first_result() + code.size(); }
};

/// One tape for all outputs. `inputs` and `parameters` are symbols; an output that uses any other
/// symbol throws std::invalid_argument. A sum of k terms takes k - 1 operations, x^k about 2 log2 k
/// multiplications, x^(k/2) a square root more; a divisor is divided by once. Factors and terms of
/// parameters alone come first and are not in the loop. Each operation is rounded by itself:
/// entries of matrices are computed by such tapes, and rows that depend on each other must not be
/// told apart by their last digits. Cost: O(nodes + edges).
Tape make_tape(std::span<const Expr> outputs, std::span<const Expr> inputs,
               std::span<const Expr> parameters);

/// The constant that stands for a table in this process: its address, in the bits of a double. No
/// arithmetic is done with it. The table must be alive where a tape with it runs.
double table_handle(const expr::Table& table);
const expr::Table& table_of_handle(double handle);
/// The value at s of the table with that handle, as a function of C.
double look_up(double s, double handle);

/// The value of one operation, the same in every place that runs or folds a tape.
double perform(Operation operation, double a, double b, double c = 0);

}  // namespace dalembert::codegen
