#include "dalembert/codegen/machine_program.hpp"

#include <array>
#include <bit>
#include <mutex>

#include "dalembert/codegen/chunks.hpp"
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

/// Machine code of a series has no angles in it, and always vouches. What depends on parameters
/// alone the interpreter finds: SeriesKernel::bind.
class SeriesProgram final : public Program {
 public:
  explicit SeriesProgram(std::unique_ptr<const Code> code) : code_(std::move(code)) {}
  void run_prologue(double* /*registers*/) const override {}
  void run(double* registers) const override { code_->run(registers); }
  Engine engine() const override { return Engine::machine; }

 private:
  std::unique_ptr<const Code> code_;
};

/// All that code depends on.
class Key {
 public:
  Key(std::string_view kind, const Machine& maker, int lanes, Level level) {
    text_.append(kind).append("\n").append(maker.identity()).append("\n");
    text_.append(machine_interface).append("\n");
    number(static_cast<std::uint64_t>(lanes));
    number(static_cast<std::uint64_t>(level));
  }
  void number(std::uint64_t n) { text_.append(reinterpret_cast<const char*>(&n), sizeof n); }
  void add(const Tape& tape);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void Key::add(const Tape& tape) {
  number(tape.constants.size());
  // Handles of tables differ from process to process, and no code depends on them.
  std::vector<bool> is_handle(tape.constants.size(), false);
  for (const Instruction& one : tape.code)
    if (one.operation == Operation::table) is_handle[one.b] = true;
  for (std::size_t i = 0; i < tape.constants.size(); ++i)
    number(is_handle[i] ? 0 : std::bit_cast<std::uint64_t>(tape.constants[i]));
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
}

/// What was compiled from the same key before, or `compile` makes now; null if nothing does.
template <class Compile>
std::unique_ptr<Code> find_or_make(const Machine& maker, const Key& key,
                                   std::span<const void* const> functions, Compile compile) {
  const ObjectCache cache = object_cache();
  if (const std::optional<Objects> found = cache.find(key.text())) {
    if (auto code = maker.link(*found, functions)) return code;
  }
  const std::optional<Objects> made = compile();
  if (!made) return nullptr;
  auto code = maker.link(*made, functions);
  if (code != nullptr) cache.keep(key.text(), *made);
  return code;
}

}  // namespace

std::shared_ptr<const Program> machine_program(const Tape& tape, int lanes, Level level,
                                               const std::atomic<bool>& stop) {
  constexpr auto first = static_cast<std::size_t>(Operation::sin);
  std::array<const void*, elementary_functions + 2> functions{};
  functions[elementary_functions] = reinterpret_cast<const void*>(sincos_of_four());
  functions[elementary_functions + 1] = reinterpret_cast<const void*>(&look_up);
  for (std::size_t f = 0; f < elementary_functions; ++f) {
    functions[f] = function_address(static_cast<Operation>(first + f), lanes);
    if (functions[f] == nullptr) return nullptr;
  }
  const Machine* maker = machine();
  if (maker == nullptr) return nullptr;
  Key key("dalembert tape 4", *maker, lanes, level);
  key.add(tape);
  auto code = find_or_make(*maker, key, functions,
                           [&] { return maker->compile(tape, lanes, level, stop); });
  if (code == nullptr) return nullptr;
  return std::make_shared<const MachineProgram>(std::move(code), tape, lanes);
}

std::shared_ptr<const Program> machine_program(const Series& series, int lanes, Level level) {
  const Machine* maker = machine();
  if (maker == nullptr || lanes > widest_lanes() ||
      series.order.code.size() - series.order.prologue > chunk_size)
    return nullptr;
  Key key(series.exact ? "dalembert exact series 1" : "dalembert series 1", *maker, lanes, level);
  key.number(series.size);
  key.number(series.kept);
  key.number(series.later);
  key.number(series.pairs.size());
  for (const SeriesPair& pair : series.pairs) {
    key.number(pair.a);
    key.number(pair.b);
  }
  key.add(series.order);
  auto code = find_or_make(*maker, key, {}, [&] { return maker->compile(series, lanes, level); });
  if (code == nullptr) return nullptr;
  return std::make_shared<const SeriesProgram>(std::move(code));
}

}  // namespace dalembert::codegen
