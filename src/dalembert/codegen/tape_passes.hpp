#pragma once
/// What is done to a tape once all of it is known. Each pass keeps the order of what it keeps, and
/// the prologue apart from the rest.

#include <cstdint>
#include <span>

#include "dalembert/codegen/tape.hpp"

namespace dalembert::codegen {

/// Makes inputs of these parameters, behind the others: what follows from them is no longer found
/// once for a set of parameters. The numbers of the parameters stay, and nothing reads these.
void make_inputs(Tape& tape, std::span<const std::uint32_t> parameters);

/// Drops instructions no output needs.
void remove_unused(Tape& tape);

/// Divisors divided by more than once: x / d and y / d become x (1 / d) and y (1 / d).
void share_reciprocals(Tape& tape);

/// a b + c, a b - c and c - a b become one operation where nothing but such sums needs the product,
/// or where that costs nothing. A difference of two products stays as it is, so that equal ones
/// cancel.
void fuse(Tape& tape);

}  // namespace dalembert::codegen
