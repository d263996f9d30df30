#pragma once
/// A tape cut into pieces small enough to compile: the time to compile a function grows faster than
/// its length. Each piece becomes a function; values that more than one of them needs pass through
/// the register buffer, all others stay in machine registers.

#include <cstdint>
#include <vector>

#include "dalembert/codegen/tape.hpp"

namespace dalembert::codegen {

inline constexpr std::size_t chunk_size = 1000;  ///< operations

struct Chunk {
  std::uint32_t begin;  ///< into Chunks::order
  std::uint32_t end;
  bool prologue;  ///< part of what depends on parameters alone
};

struct Chunks {
  static constexpr std::uint32_t nowhere = UINT32_MAX;

  /// Indices of instructions: prologue first, operands before their uses, the cosine of an angle
  /// right after its sine.
  std::vector<std::uint32_t> order;
  std::vector<Chunk> chunks;
  /// For each register, the register in whose place of the buffer its value stands; `nowhere` if
  /// only one chunk knows it. Constants, parameters, inputs, outputs and what the prologue computes
  /// stand in their own place; the others take any place that is free, so that a long tape touches
  /// little memory.
  std::vector<std::uint32_t> place;
};

/// O(operations).
Chunks cut(const Tape& tape);

}  // namespace dalembert::codegen
