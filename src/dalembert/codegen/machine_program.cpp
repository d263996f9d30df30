#include "dalembert/codegen/machine_program.hpp"

#include <array>

#include "dalembert/codegen/elementary.hpp"

namespace dalembert::codegen {

namespace {

class MachineProgram final : public Program {
 public:
  explicit MachineProgram(std::unique_ptr<const Code> code)
      : code_(std::move(code)), prologue_(code_->prologue), run_(code_->run) {}

  void run_prologue(double* registers) const override { prologue_(registers); }
  void run(double* registers) const override { run_(registers); }
  Engine engine() const override { return Engine::machine; }

 private:
  std::unique_ptr<const Code> code_;
  Code::Entry prologue_;
  Code::Entry run_;
};

}  // namespace

std::shared_ptr<const Program> machine_program(const Tape& tape, int lanes, Level level,
                                               const std::atomic<bool>& stop) {
  constexpr auto first = static_cast<std::size_t>(Operation::sin);
  std::array<const void*, static_cast<std::size_t>(Operation::power) - first + 1> functions{};
  for (std::size_t f = 0; f < functions.size(); ++f) {
    functions[f] = function_address(static_cast<Operation>(first + f), lanes);
    if (functions[f] == nullptr) return nullptr;
  }
  const Machine* maker = machine();
  if (maker == nullptr) return nullptr;
  const std::optional<Objects> objects = maker->compile(tape, lanes, level, stop);
  if (!objects) return nullptr;
  std::unique_ptr<Code> code = maker->link(*objects, functions);
  if (code == nullptr) return nullptr;
  return std::make_shared<const MachineProgram>(std::move(code));
}

}  // namespace dalembert::codegen
