#pragma once
/// A tape ready to run. The caller cannot tell what runs it.

#include <memory>
#include <span>
#include <vector>

#include "dalembert/codegen/tape.hpp"

namespace dalembert::codegen {

/// Registers of one evaluation at a time, with a set of parameters bound. One a thread.
struct Workspace {
  std::vector<double> registers;
};

/// What runs a tape: the interpreter, or machine code.
class Program {
 public:
  virtual ~Program() = default;
  virtual void run_prologue(std::span<double> registers) const = 0;
  virtual void run(std::span<double> registers) const = 0;
};

class Kernel {
 public:
  Kernel() = default;
  Kernel(Tape tape, std::shared_ptr<const Program> program);

  std::size_t inputs() const { return tape_->inputs; }
  std::size_t outputs() const { return tape_->outputs.size(); }
  std::size_t operations() const { return tape_->code.size() - tape_->prologue; }
  const Tape& tape() const { return *tape_; }

  /// Registers for this kernel with constants, the given parameters and what follows from them
  /// filled in.
  Workspace workspace(std::span<const double> parameters) const;

  /// outputs = f(inputs; the workspace's parameters). No allocation. Sizes as above.
  void evaluate(Workspace& workspace, std::span<const double> inputs,
                std::span<double> outputs) const;

 private:
  std::shared_ptr<const Tape> tape_;
  std::shared_ptr<const Program> program_;
};

/// Runs anywhere, one operation after the other.
Kernel interpreted(Tape tape);

}  // namespace dalembert::codegen
