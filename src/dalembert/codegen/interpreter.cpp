#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "dalembert/codegen/chunks.hpp"
#include "dalembert/codegen/elementary.hpp"
#include "dalembert/codegen/kernel.hpp"

namespace dalembert::codegen {

namespace {

// Deciding what to do next costs more than doing it. So operations of one kind are done in runs,
// each a short loop; the order of a tape leaves much freedom for that.

/// What a run does: an Operation, or sine and cosine of one angle at once.
using Kind = std::uint8_t;
constexpr Kind sincos_kind = static_cast<Kind>(operations);
constexpr std::size_t kinds = sincos_kind + 1;

struct Step {
  std::uint32_t result;
  std::uint32_t a;
  std::uint32_t b;  ///< the second operand, or where the cosine goes
  std::uint32_t c;
};

struct Run {
  Kind kind;
  std::uint32_t begin;  ///< of its steps
  std::uint32_t end;
};

struct Runs {
  std::vector<Step> steps;
  std::vector<Run> runs;
};

/// Puts steps in runs, the longest that can be had first.
class Scheduler {
 public:
  explicit Scheduler(const Tape& tape)
      : tape_(tape), first_(tape.first_result()), order_(cut(tape)) {}

  Runs schedule(bool prologue) {
    Runs result;
    // Chunk by chunk, so that values are used while they are in the cache.
    for (const Chunk& chunk : order_.chunks)
      if (chunk.prologue == prologue) schedule(chunk, result);
    return result;
  }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;

  struct Waiting {
    Kind kind;
    Step step;
    std::uint32_t missing;              ///< operands not computed yet
    std::uint32_t first_use;            ///< of the result in this chunk: thrice the step that uses
                                        ///< it, plus which operand it is
    std::array<std::uint32_t, 3> next;  ///< for each operand, the next use of the same value
  };

  void schedule(const Chunk& chunk, Runs& result) {
    std::vector<Waiting> waiting = steps_of(chunk);
    std::array<std::vector<std::uint32_t>, kinds> ready;
    for (std::uint32_t s = 0; s < waiting.size(); ++s)
      if (waiting[s].missing == 0) ready[waiting[s].kind].push_back(s);
    while (true) {
      Kind kind = 0;
      for (Kind k = 1; k < kinds; ++k)
        if (ready[k].size() > ready[kind].size()) kind = k;
      if (ready[kind].empty()) return;
      const auto begin = static_cast<std::uint32_t>(result.steps.size());
      // What becomes ready on the way joins the run.
      for (std::size_t at = 0; at < ready[kind].size(); ++at) {
        const Waiting& done = waiting[ready[kind][at]];
        result.steps.push_back(done.step);
        for (std::uint32_t use = done.first_use; use != none;) {
          Waiting& user = waiting[use / 3];
          if (--user.missing == 0) ready[user.kind].push_back(use / 3);
          use = user.next[use % 3];
        }
      }
      ready[kind].clear();
      result.runs.push_back({kind, begin, static_cast<std::uint32_t>(result.steps.size())});
    }
  }

  std::vector<Waiting> steps_of(const Chunk& chunk) {
    std::vector<Waiting> steps;
    steps.reserve(chunk.end - chunk.begin);
    maker_.resize(tape_.code.size(), none);
    const auto instruction = [&](std::uint32_t at) { return tape_.code[order_.order[at]]; };
    for (std::uint32_t at = chunk.begin; at < chunk.end; ++at) {
      const Instruction& one = tape_.code[order_.order[at]];
      const auto self = static_cast<std::uint32_t>(steps.size());
      Waiting step{static_cast<Kind>(one.operation),
                   {first_ + order_.order[at], one.a, one.b, one.c},
                   0,
                   none,
                   {none, none, none}};
      const std::array operands{one.a, one.b, one.c};
      for (std::uint32_t side = 0; side < operands.size(); ++side) {
        const std::uint32_t operand = operands[side];
        const std::uint32_t made = operand < first_ ? none : maker_[operand - first_];
        if (made == none) continue;
        ++step.missing;
        step.next[side] = std::exchange(steps[made].first_use, 3 * self + side);
      }
      maker_[order_.order[at]] = self;
      if (one.operation == Operation::sin && at + 1 < chunk.end &&
          instruction(at + 1).operation == Operation::cos && instruction(at + 1).a == one.a) {
        step.kind = sincos_kind;
        step.step.b = first_ + order_.order[++at];
        maker_[order_.order[at]] = self;
      }
      steps.push_back(step);
    }
    for (std::uint32_t at = chunk.begin; at < chunk.end; ++at) maker_[order_.order[at]] = none;
    return steps;
  }

  const Tape& tape_;
  std::uint32_t first_;
  Chunks order_;
  std::vector<std::uint32_t> maker_;  ///< for each instruction, the step of this chunk that does it
};

using Lanes4 [[gnu::vector_size(32), gnu::may_alias]] = double;
using Lanes8 [[gnu::vector_size(64), gnu::may_alias]] = double;

/// result = a b + c, rounded once. Where the machine has no instruction for it, the C library's.
template <class V, int W>
[[gnu::always_inline]] inline void fused(const V& a, const V& b, const V& c, V& result) {
  if constexpr (W == 1) {
    result = __builtin_fma(a, b, c);
  } else {
    for (int l = 0; l < W; ++l) result[l] = __builtin_fma(a[l], b[l], c[l]);
  }
}

/// V holds W numbers, one a lane; inlined into functions compiled for the registers
/// that V needs.
template <class V, int W>
[[gnu::always_inline]] inline void execute(const Runs& program, double* registers) {
  const auto at = [registers](std::uint32_t r) -> V& {
    return *reinterpret_cast<V*>(registers + std::size_t{r} * W);
  };
  const auto lanes = [registers](std::uint32_t r) { return registers + std::size_t{r} * W; };
  const V zero{};
  const V one = zero + 1.0;
  for (const Run& run : program.runs) {
    const std::span<const Step> steps(program.steps.data() + run.begin, run.end - run.begin);
    if (run.kind == sincos_kind) {
      for (const Step& s : steps) {
        if constexpr (W > 1) {
          sincos_lanes(W, lanes(s.a), lanes(s.result), lanes(s.b));
        } else {
          const SinCos both = sincos(at(s.a));
          at(s.result) = both.sin;
          at(s.b) = both.cos;
        }
      }
      continue;
    }
    const auto operation = static_cast<Operation>(run.kind);
    switch (operation) {
      case Operation::add:
        for (const Step& s : steps) at(s.result) = at(s.a) + at(s.b);
        break;
      case Operation::subtract:
        for (const Step& s : steps) at(s.result) = at(s.a) - at(s.b);
        break;
      case Operation::multiply:
        for (const Step& s : steps) at(s.result) = at(s.a) * at(s.b);
        break;
      case Operation::divide:
        for (const Step& s : steps) at(s.result) = at(s.a) / at(s.b);
        break;
      case Operation::negate:
        for (const Step& s : steps) at(s.result) = -at(s.a);
        break;
      case Operation::sqrt:
        for (const Step& s : steps)
          for (int l = 0; l < W; ++l) lanes(s.result)[l] = std::sqrt(lanes(s.a)[l]);
        break;
      case Operation::abs:
        for (const Step& s : steps)
          for (int l = 0; l < W; ++l) lanes(s.result)[l] = std::abs(lanes(s.a)[l]);
        break;
      case Operation::sign:
        for (const Step& s : steps) {
          const V a = at(s.a);
          at(s.result) = a > zero ? one : (a < zero ? -one : a);
        }
        break;
      case Operation::min:
        for (const Step& s : steps) {
          const V a = at(s.a);
          const V b = at(s.b);
          at(s.result) = ((a < b) | (a != a)) ? a : b;
        }
        break;
      case Operation::max:
        for (const Step& s : steps) {
          const V a = at(s.a);
          const V b = at(s.b);
          at(s.result) = ((a > b) | (a != a)) ? a : b;
        }
        break;
      case Operation::multiply_add:
        for (const Step& s : steps) fused<V, W>(at(s.a), at(s.b), at(s.c), at(s.result));
        break;
      case Operation::multiply_subtract:
        for (const Step& s : steps) fused<V, W>(at(s.a), at(s.b), -at(s.c), at(s.result));
        break;
      case Operation::subtract_product:
        for (const Step& s : steps) fused<V, W>(-at(s.a), at(s.b), at(s.c), at(s.result));
        break;
      case Operation::floor:
        for (const Step& s : steps)
          for (int l = 0; l < W; ++l) lanes(s.result)[l] = std::floor(lanes(s.a)[l]);
        break;
      case Operation::choose:
        for (const Step& s : steps) {
          const V g = at(s.c);
          at(s.result) = g >= zero ? at(s.a) : (g < zero ? at(s.b) : g);
        }
        break;
      case Operation::table:
        for (const Step& s : steps)
          for (int l = 0; l < W; ++l) lanes(s.result)[l] = look_up(lanes(s.a)[l], lanes(s.b)[l]);
        break;
        DALEMBERT_CASES_OF_ELEMENTARY
        for (const Step& s : steps) {
          if constexpr (W > 1) {
            elementary_lanes(operation, W, lanes(s.a), lanes(s.b), lanes(s.result));
          } else {
            at(s.result) = elementary(operation, at(s.a), at(s.b));
          }
        }
        break;
    }
  }
}

using Execute = void (*)(const Runs&, double*);

void execute1(const Runs& program, double* registers) {
  execute<double, 1>(program, registers);
}
void execute4(const Runs& program, double* registers) {
  execute<Lanes4, 4>(program, registers);
}
void execute8(const Runs& program, double* registers) {
  execute<Lanes8, 8>(program, registers);
}
#if defined(__x86_64__)
[[gnu::target("fma")]] void execute1_fma(const Runs& program, double* registers) {
  execute<double, 1>(program, registers);
}
[[gnu::target("avx2,fma")]] void execute4_avx2(const Runs& program, double* registers) {
  execute<Lanes4, 4>(program, registers);
}
[[gnu::target("avx2,fma")]] void execute8_avx2(const Runs& program, double* registers) {
  execute<Lanes8, 8>(program, registers);
}
[[gnu::target("avx512f,fma")]] void execute8_avx512(const Runs& program, double* registers) {
  execute<Lanes8, 8>(program, registers);
}
#endif

Execute execute_lanes(int lanes) {
  const int widest = widest_lanes();
#if defined(__x86_64__)
  if (lanes == 1 && __builtin_cpu_supports("fma") != 0) return execute1_fma;
  if (lanes == 4 && widest >= 4) return execute4_avx2;
  if (lanes == 8 && widest >= 8) return execute8_avx512;
  if (lanes == 8 && widest >= 4) return execute8_avx2;
#endif
  switch (lanes) {
    case 1:
      return execute1;
    case 4:
      return execute4;
    case 8:
      return execute8;
    default:
      throw std::invalid_argument("a kernel has 1, 4 or 8 lanes");
  }
}

class Interpreter final : public Program {
 public:
  Interpreter(const Tape& tape, int lanes) : execute_(execute_lanes(lanes)) {
    Scheduler scheduler(tape);
    prologue_ = scheduler.schedule(true);
    main_ = scheduler.schedule(false);
  }

  void run_prologue(double* registers) const override { execute_(prologue_, registers); }
  void run(double* registers) const override { execute_(main_, registers); }
  Engine engine() const override { return Engine::interpreter; }

 private:
  Execute execute_;
  Runs prologue_;
  Runs main_;
};

}  // namespace

std::shared_ptr<const Program> interpreter(const Tape& tape, int lanes) {
  return std::make_shared<const Interpreter>(tape, lanes);
}

}  // namespace dalembert::codegen
