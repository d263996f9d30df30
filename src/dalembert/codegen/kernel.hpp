#pragma once
/// A tape ready to run, for one state or for W states at once, one in each lane. The caller cannot
/// tell what runs it: the interpreter or machine code. Both give the same bits, whatever W: every
/// operation is rounded as the tape says (nothing is contracted besides), and elementary functions
/// come from one place (elementary.hpp). Only the payload of a value that is not a number may
/// differ.
///
/// In a workspace register r of lane l stands at [r W + l]: the lanes of a value lie side by side.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dalembert/codegen/aligned.hpp"
#include "dalembert/codegen/tape.hpp"

namespace dalembert::codegen {

/// Registers of one evaluation at a time, with parameters bound. One a thread.
struct Workspace {
  AlignedVector registers;
  // Runs are counted here, where no other thread writes, and reported to the program now and then.
  std::uint32_t report_every = UINT32_MAX;
  std::uint32_t until_report = UINT32_MAX;
};

/// Who runs a tape.
enum class Engine : std::uint8_t {
  automatic,    ///< the interpreter first; machine code once that has been worth compiling
  interpreter,  ///< runs anywhere
  machine       ///< machine code at once, if this machine can make it; else the interpreter
};

/// What runs a tape: the interpreter, or machine code. `registers` as in a Workspace, 64-byte
/// aligned.
class Program {
 public:
  virtual ~Program() = default;
  virtual void run_prologue(double* registers) const = 0;
  virtual void run(double* registers) const = 0;
  virtual Engine engine() const = 0;  ///< who would run it now: interpreter or machine
  /// Hears of so many runs in one workspace; says after how many more it wants to hear again.
  virtual std::uint32_t report(std::uint32_t /*runs*/) const { return UINT32_MAX; }
};

struct KernelOptions {
  int lanes = 1;  ///< W: 1, 4 or 8
  Engine engine = Engine::automatic;
};

class Kernel {
 public:
  Kernel() = default;
  Kernel(std::shared_ptr<const Tape> tape, std::shared_ptr<const Program> program, int lanes = 1);

  int lanes() const { return lanes_; }                  ///< W
  Engine engine() const { return program_->engine(); }  ///< who runs it now
  std::size_t inputs() const { return tape_->inputs; }
  std::size_t outputs() const { return tape_->outputs.size(); }
  std::size_t operations() const { return tape_->code.size() - tape_->prologue; }
  const Tape& tape() const { return *tape_; }

  /// Registers for this kernel with constants, the given parameters (the same in each lane) and
  /// what follows from them filled in.
  Workspace workspace(std::span<const double> parameters) const;
  /// Gives one lane other parameters; the other lanes keep theirs.
  void bind(Workspace& workspace, int lane, std::span<const double> parameters) const;

  /// outputs = f(inputs; the workspace's parameters), entry i of lane l at [i W + l]. No
  /// allocation. Sizes as above, times W.
  void evaluate(Workspace& workspace, std::span<const double> inputs,
                std::span<double> outputs) const;

  // The same without copying: inputs in place, run, outputs where they are.
  double* input(Workspace& workspace, std::size_t i) const {
    return workspace.registers.data() +
           (tape_->first_input() + i) * static_cast<std::size_t>(lanes_);
  }
  void run(Workspace& workspace) const {
    program_->run(workspace.registers.data());
    count_without_running(workspace);
  }
  /// Counts a run that somebody does by other means as long as no machine code of this is ready.
  void count_without_running(Workspace& workspace) const {
    if (--workspace.until_report == 0)
      workspace.until_report = workspace.report_every = program_->report(workspace.report_every);
  }
  const double* output(const Workspace& workspace, std::size_t i) const {
    return workspace.registers.data() + tape_->outputs[i] * static_cast<std::size_t>(lanes_);
  }

 private:
  std::shared_ptr<const Tape> tape_;
  std::shared_ptr<const Program> program_;
  int lanes_ = 1;
};

/// How many lanes this machine computes at once: 8 with AVX-512, 4 with AVX2, else 1.
int widest_lanes();

/// What is meant by an engine: the environment variable DALEMBERT_ENGINE (`interpreter`, `machine`
/// or `automatic`) says it of `automatic`.
Engine chosen_engine(Engine asked);

/// A kernel of 1, 4 or 8 lanes.
Kernel make_kernel(Tape tape, const KernelOptions& options = {});

/// Runs anywhere, one operation after the other, each for all lanes.
Kernel interpreted(Tape tape, int lanes = 1);
std::shared_ptr<const Program> interpreter(const Tape& tape, int lanes);

}  // namespace dalembert::codegen
