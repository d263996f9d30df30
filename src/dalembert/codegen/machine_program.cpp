#include "dalembert/codegen/machine_program.hpp"

#include <array>
#include <bit>
#include <mutex>

#include "dalembert/codegen/elementary.hpp"
#include "dalembert/codegen/object_cache.hpp"

namespace dalembert::codegen {

namespace {

class MachineProgram final : public Program {
 public:
  MachineProgram(std::unique_ptr<const Code> code, const Tape& tape, int lanes)
      : code_(std::move(code)),
        prologue_(code_->prologue),
        run_(code_->run),
        tape_(tape),
        lanes_(lanes) {}

  void run_prologue(double* registers) const override {
    if (prologue_(registers) != 0) [[unlikely]]
      other().run_prologue(registers);
  }
  void run(double* registers) const override {
    if (run_(registers) != 0) [[unlikely]]
      other().run(registers);
  }
  Engine engine() const override { return Engine::machine; }

 private:
  /// Where the code cannot vouch for what it has computed.
  const Program& other() const {
    std::call_once(other_made_, [this] { other_ = interpreter(tape_, lanes_); });
    return *other_;
  }

  std::unique_ptr<const Code> code_;
  Code::Entry prologue_;
  Code::Entry run_;
  Tape tape_;
  int lanes_;
  mutable std::once_flag other_made_;
  mutable std::shared_ptr<const Program> other_;
};

/// All that the code depends on.
std::string key_of(const Tape& tape, int lanes, Level level, const Machine& maker) {
  std::string key = "dalembert tape 2\n" + maker.identity() + '\n';
  const auto number = [&](std::uint64_t n) {
    key.append(reinterpret_cast<const char*>(&n), sizeof n);
  };
  number(static_cast<std::uint64_t>(lanes));
  number(static_cast<std::uint64_t>(level));
  number(tape.constants.size());
  for (const double constant : tape.constants) number(std::bit_cast<std::uint64_t>(constant));
  number(tape.parameters);
  number(tape.inputs);
  number(tape.prologue);
  number(tape.code.size());
  for (const Instruction& instruction : tape.code) {
    number(std::uint64_t{instruction.c} << 32 | static_cast<std::uint64_t>(instruction.operation));
    number(std::uint64_t{instruction.a} << 32 | instruction.b);
  }
  number(tape.outputs.size());
  for (const std::uint32_t output : tape.outputs) number(output);
  return key;
}

}  // namespace

std::shared_ptr<const Program> machine_program(const Tape& tape, int lanes, Level level,
                                               const std::atomic<bool>& stop) {
  constexpr auto first = static_cast<std::size_t>(Operation::sin);
  std::array<const void*, elementary_functions + 1> functions{};
  functions.back() = reinterpret_cast<const void*>(sincos_of_four());
  for (std::size_t f = 0; f < elementary_functions; ++f) {
    functions[f] = function_address(static_cast<Operation>(first + f), lanes);
    if (functions[f] == nullptr) return nullptr;
  }
  const Machine* maker = machine();
  if (maker == nullptr) return nullptr;
  const ObjectCache cache = object_cache();
  const std::string key = key_of(tape, lanes, level, *maker);
  std::unique_ptr<Code> code;
  if (const std::optional<Objects> found = cache.find(key)) code = maker->link(*found, functions);
  if (code == nullptr) {
    const std::optional<Objects> made = maker->compile(tape, lanes, level, stop);
    if (!made) return nullptr;
    code = maker->link(*made, functions);
    if (code == nullptr) return nullptr;
    cache.keep(key, *made);
  }
  return std::make_shared<const MachineProgram>(std::move(code), tape, lanes);
}

}  // namespace dalembert::codegen
