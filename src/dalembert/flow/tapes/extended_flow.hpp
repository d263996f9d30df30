#pragma once
/// The tapes of a motion for reference runs in extended precision (motion/extended_run.hpp), and
/// the numbers that go into them.

#include <string>
#include <vector>

#include "dalembert/codegen/extended.hpp"
#include "dalembert/flow/compiled.hpp"
#include "dalembert/flow/tapes/flow.hpp"

namespace dalembert::flow {

using codegen::Extended;

struct ExtendedFlow {
  /// With exact constants and y = (q, v, W): W the works of the applied, ideal, non-ideal and other
  /// forces, of which the powers are the rates. No rates, powers, heights.
  Flow flow;
  codegen::Tape constraints;  ///< t q v -> residuals, then their rates (m each)
};

/// Why a motion has none, in a clause, if so: "the turns of joint 'hinge' are counted in doubles".
/// `start`: a state at which its equations can be solved.
Result<ExtendedFlow, std::string> make_extended_flow(const Motion& motion, const State& start);

/// The parameters of a motion and its state at the start, taken from what is written: the exact
/// numbers and functions of a model, enclosed by Arb and rounded once. A value that was given as a
/// double instead is the shortest decimal that reads as this double: 0.1 is one tenth.
struct ExactStart {
  std::vector<Extended> parameters, q, v;
  /// What is known as a double only, though it is written: "parameter 'k'", "the initial value of
  /// x".
  std::vector<std::string> rounded;
};
ExactStart exact_start(const Motion& motion, const State& start);

/// The extended number nearest to r, but for its last bit.
Extended to_extended(const expr::Rational& r);

}  // namespace dalembert::flow
