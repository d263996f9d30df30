#include "dalembert/codegen/chunks.hpp"

#include <algorithm>
#include <unordered_map>

namespace dalembert::codegen {

namespace {

/// The order of the tape, but for cosines, which follow the sine of the same angle or come where
/// that sine would: both are computed at once.
std::vector<std::uint32_t> order_of(const Tape& tape) {
  const auto is_half = [&](std::uint32_t i) {
    return tape.code[i].operation == Operation::sin || tape.code[i].operation == Operation::cos;
  };
  constexpr std::uint32_t none = UINT32_MAX;
  std::vector<std::uint32_t> partner(tape.code.size(), none);
  std::unordered_map<std::uint32_t, std::uint32_t> first_of_angle;
  for (std::uint32_t i = 0; i < tape.code.size(); ++i) {
    if (!is_half(i)) continue;
    const auto [found, inserted] = first_of_angle.try_emplace(tape.code[i].a, i);
    const std::uint32_t first = found->second;
    if (inserted || partner[first] != none ||
        tape.code[first].operation == tape.code[i].operation ||
        (first < tape.prologue) != (i < tape.prologue))
      continue;
    partner[first] = i;
    partner[i] = first;
  }
  std::vector<std::uint32_t> order;
  order.reserve(tape.code.size());
  for (std::uint32_t i = 0; i < tape.code.size(); ++i) {
    const std::uint32_t other = partner[i];
    if (other == none) {
      order.push_back(i);
    } else if (other > i) {
      const bool sine_first = tape.code[i].operation == Operation::sin;
      order.push_back(sine_first ? i : other);
      order.push_back(sine_first ? other : i);
    }
  }
  return order;
}

}  // namespace

Chunks cut(const Tape& tape) {
  Chunks result;
  result.order = order_of(tape);
  const auto& order = result.order;
  const auto is_sine = [&](std::uint32_t at) {
    return tape.code[order[at]].operation == Operation::sin;
  };
  const auto size = static_cast<std::uint32_t>(order.size());
  for (const bool prologue : {true, false}) {
    const std::uint32_t last = prologue ? tape.prologue : size;
    for (std::uint32_t begin = prologue ? 0 : tape.prologue; begin < last;) {
      // Chunks of equal length, and no sine parted from its cosine.
      const std::uint32_t left = last - begin;
      const auto pieces = static_cast<std::uint32_t>((left + chunk_size - 1) / chunk_size);
      std::uint32_t end = begin + (left + pieces - 1) / pieces;
      if (end < last && is_sine(end - 1)) ++end;
      result.chunks.push_back({begin, end, prologue});
      begin = end;
    }
  }

  const std::uint32_t first = tape.first_result();
  constexpr std::uint32_t nowhere = Chunks::nowhere;
  std::vector<std::uint32_t> home(tape.code.size());  // the chunk that computes a value
  std::vector<std::uint32_t> last_use(tape.code.size());
  for (std::uint32_t c = 0; c < result.chunks.size(); ++c) {
    for (std::uint32_t at = result.chunks[c].begin; at < result.chunks[c].end; ++at)
      home[order[at]] = last_use[order[at]] = c;
    for (std::uint32_t at = result.chunks[c].begin; at < result.chunks[c].end; ++at) {
      const Instruction& one = tape.code[order[at]];
      for (const std::uint32_t operand : {one.a, one.b, one.c})
        if (operand >= first) last_use[operand - first] = c;
    }
  }

  result.place.assign(tape.registers(), nowhere);
  for (std::uint32_t r = 0; r < first; ++r) result.place[r] = r;
  for (const std::uint32_t output : tape.outputs) result.place[output] = output;
  for (std::uint32_t i = 0; i < tape.prologue; ++i)
    if (last_use[i] != home[i]) result.place[first + i] = first + i;

  std::vector<std::uint32_t> free;  // the next place is at the back
  for (std::uint32_t i = size; i-- > tape.prologue;)
    if (result.place[first + i] == nowhere) free.push_back(first + i);
  std::vector<std::vector<std::uint32_t>> released(result.chunks.size());
  for (std::uint32_t c = 0; c < result.chunks.size(); ++c) {
    const Chunk& chunk = result.chunks[c];
    if (chunk.prologue) continue;
    for (std::uint32_t at = chunk.begin; at < chunk.end; ++at) {
      const std::uint32_t i = order[at];
      if (last_use[i] == c || result.place[first + i] != nowhere) continue;
      result.place[first + i] = free.back();
      free.pop_back();
      released[last_use[i]].push_back(result.place[first + i]);
    }
    free.insert(free.end(), released[c].rbegin(), released[c].rend());
  }
  return result;
}

}  // namespace dalembert::codegen
