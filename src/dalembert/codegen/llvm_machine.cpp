// The only file that sees LLVM, with its headers llvm_*.hpp; and with chunks.cpp all there is in
// libdalembert_machine.so.
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>
#include <cstring>

#include "dalembert/codegen/llvm_emitter.hpp"
#include "dalembert/codegen/llvm_iterated.hpp"
#include "dalembert/codegen/llvm_series.hpp"

// LLVM declares them only to who asks for all of its targets.
extern "C" {
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace dalembert::codegen {

namespace {

/// So many chunks make one object: what is compiled without asking whether it is still wanted.
constexpr std::size_t chunks_an_object = 2;

using Jit = std::shared_ptr<llvm::orc::LLJIT>;

/// Code stays where it is as long as this lives.
class LinkedCode final : public Code {
 public:
  LinkedCode(Jit jit, llvm::orc::JITDylib& library) : jit_(std::move(jit)), library_(library) {}
  LinkedCode(const LinkedCode&) = delete;
  LinkedCode& operator=(const LinkedCode&) = delete;
  ~LinkedCode() override {
    llvm::consumeError(jit_->getExecutionSession().removeJITDylib(library_));
  }

 private:
  Jit jit_;
  llvm::orc::JITDylib& library_;
};

class LinkedIteration final : public IteratedCode {
 public:
  LinkedIteration(Jit jit, llvm::orc::JITDylib& library)
      : jit_(std::move(jit)), library_(library) {}
  LinkedIteration(const LinkedIteration&) = delete;
  LinkedIteration& operator=(const LinkedIteration&) = delete;
  ~LinkedIteration() override {
    llvm::consumeError(jit_->getExecutionSession().removeJITDylib(library_));
  }

 private:
  Jit jit_;
  llvm::orc::JITDylib& library_;
};

/// Every NVIDIA processor since 2017, and every driver since 2018.
constexpr const char *graphics_processor = "sm_70", *graphics_features = "+ptx63",
                     *graphics_triple = "nvptx64-nvidia-cuda";

std::unique_ptr<llvm::TargetMachine> graphics_target() {
  static const bool once = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  std::string reason;
  const llvm::Target* target =
      once ? llvm::TargetRegistry::lookupTarget(graphics_triple, reason) : nullptr;
  if (target == nullptr) return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // each operation rounded by itself
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(graphics_triple, graphics_processor, graphics_features, options,
                                  llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Less));
}

template <class T>
std::optional<T> value_or_nothing(llvm::Expected<T> expected) {
  if (expected) return std::move(*expected);
  llvm::consumeError(expected.takeError());
  return std::nullopt;
}

bool done(llvm::Error error) {
  const bool failed = static_cast<bool>(error);
  llvm::consumeError(std::move(error));
  return !failed;
}

/// The code generator's usual passes but for the scheduler, which takes a fifth of the time and
/// gains nothing here. Empty if that failed.
std::string emit(llvm::LLVMTargetMachine& target, llvm::Module& module) {
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;  // owns what is added to it
  auto* information = new llvm::MachineModuleInfoWrapperPass(&target);
  llvm::TargetPassConfig* config = target.createPassConfig(passes);
  config->setDisableVerify(true);
  config->disablePass(&llvm::MachineSchedulerID);
  passes.add(config);
  passes.add(information);
  if (config->addISelPasses()) return {};
  config->addMachinePasses();
  config->setInitialized();
  if (target.addAsmPrinter(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile,
                           information->getMMI().getContext()))
    return {};
  passes.run(module);
  return {object.begin(), object.end()};
}

class LlvmMachine final : public Machine {
 public:
  LlvmMachine(llvm::orc::JITTargetMachineBuilder host, Jit jit)
      : host_(std::move(host)), jit_(std::move(jit)) {
    identity_ = DALEMBERT_MACHINE_DIGEST " LLVM " LLVM_VERSION_STRING " " +
                host_.getTargetTriple().str() + " " + host_.getCPU() + " " +
                host_.getFeatures().getString();
  }

  const std::string& identity() const override { return identity_; }

  std::optional<Objects> compile(const Tape& tape, int lanes, Level level,
                                 const std::atomic<bool>& stop) const override {
    const auto target = target_for(level);
    if (!target) return std::nullopt;

    const Chunks chunks = cut(tape);
    const std::size_t count = chunks.chunks.size();
    const auto alone = [&](bool prologue) {
      return std::ranges::count(chunks.chunks, prologue, &Chunk::prologue) == 1;
    };
    Objects objects;
    for (std::size_t begin = 0; begin < count || begin == 0; begin += chunks_an_object) {
      if (stop.load(std::memory_order_relaxed)) return std::nullopt;
      llvm::LLVMContext context;
      llvm::Module module("kernel", context);
      module.setDataLayout((*target)->createDataLayout());
      module.setTargetTriple((*target)->getTargetTriple().str());
      Emitter emitter(tape, chunks, lanes, level, module);
      const std::size_t end = std::min(begin + chunks_an_object, count);
      for (std::size_t c = begin; c < end; ++c) {
        const bool prologue = chunks.chunks[c].prologue;
        emitter.chunk(chunks.chunks[c], alone(prologue) ? entry_name(prologue) : chunk_name(c));
      }
      if (end == count) {
        for (const bool prologue : {true, false})
          if (!alone(prologue)) emitter.entry(prologue);
      }
      std::string object = emit(static_cast<llvm::LLVMTargetMachine&>(**target), module);
      if (object.empty()) return std::nullopt;
      objects.push_back(std::move(object));
      if (end == count) break;
    }
    return objects;
  }

  std::optional<Objects> compile(const Series& series, int lanes, Level level) const override {
    const auto target = target_for(level);
    if (!target) return std::nullopt;
    llvm::LLVMContext context;
    llvm::Module module("series", context);
    module.setDataLayout((*target)->createDataLayout());
    module.setTargetTriple((*target)->getTargetTriple().str());
    const Chunks chunks = series_chunks(series);
    SeriesEmitter(series, chunks, lanes, level, module).write();
    std::string object = emit(static_cast<llvm::LLVMTargetMachine&>(**target), module);
    if (object.empty()) return std::nullopt;
    return Objects{std::move(object)};
  }

  std::optional<std::string> ptx(const Iterated& iterated) const override {
    const std::unique_ptr<llvm::TargetMachine> target = graphics_target();
    if (!target || !can_be_iterated(iterated.tape)) return std::nullopt;
    llvm::LLVMContext context;
    llvm::Module module("iterated", context);
    module.setDataLayout(target->createDataLayout());
    module.setTargetTriple(graphics_triple);
    const Chunks chunks = nothing_stored(iterated.tape);
    IteratedEmitter(iterated, chunks, module, 1).write();
    if (llvm::verifyModule(module)) return std::nullopt;
    llvm::SmallVector<char, 0> text;
    llvm::raw_svector_ostream stream(text);
    llvm::legacy::PassManager passes;
    if (target->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
      return std::nullopt;
    passes.run(module);
    return std::string{text.begin(), text.end()};
  }

  std::unique_ptr<IteratedCode> iterate_here(const Iterated& iterated) const override {
    const auto target = target_for(Level::good);
    if (!target || !can_be_iterated(iterated.tape)) return nullptr;
    llvm::LLVMContext context;
    llvm::Module module("iterated", context);
    module.setDataLayout((*target)->createDataLayout());
    module.setTargetTriple((*target)->getTargetTriple().str());
    const Chunks chunks = nothing_stored(iterated.tape);
    IteratedEmitter(iterated, chunks, module, 0).write();
    if (llvm::verifyModule(module)) return nullptr;
    const std::string object = emit(static_cast<llvm::LLVMTargetMachine&>(**target), module);
    if (object.empty()) return nullptr;
    static std::atomic<std::uint64_t> count = 0;
    llvm::orc::JITDylib& library = jit_->getExecutionSession().createBareJITDylib(
        "iterated" + std::to_string(count.fetch_add(1, std::memory_order_relaxed)));
    auto code = std::make_unique<LinkedIteration>(jit_, library);
    auto buffer = llvm::MemoryBuffer::getMemBufferCopy(object, "iterated");
    if (!done(jit_->addObjectFile(library, std::move(buffer)))) return nullptr;
    const auto address = value_or_nothing(jit_->lookup(library, iterated_name));
    if (!address) return nullptr;
    code->run = address->toPtr<IterateEntry>();
    return code;
  }

  std::unique_ptr<Code> link(const Objects& objects,
                             std::span<const void* const> functions) const override {
    static std::atomic<std::uint64_t> count = 0;
    // A library of its own, which sees nothing of this process but what it is given here.
    llvm::orc::JITDylib& library = jit_->getExecutionSession().createBareJITDylib(
        "kernel" + std::to_string(count.fetch_add(1, std::memory_order_relaxed)));
    auto code = std::make_unique<LinkedCode>(jit_, library);
    llvm::orc::SymbolMap symbols;
    for (std::size_t f = 0; f < functions.size(); ++f) {
      symbols[jit_->mangleAndIntern(function_name(f))] = {
          llvm::orc::ExecutorAddr::fromPtr(functions[f]), llvm::JITSymbolFlags::Callable};
    }
    if (!done(library.define(llvm::orc::absoluteSymbols(std::move(symbols))))) return nullptr;
    for (const std::string& object : objects) {
      auto buffer = llvm::MemoryBuffer::getMemBufferCopy(object, "kernel");
      if (!done(jit_->addObjectFile(library, std::move(buffer)))) return nullptr;
    }
    for (const bool prologue : {true, false}) {
      const auto address = value_or_nothing(jit_->lookup(library, entry_name(prologue)));
      if (!address) return nullptr;
      (prologue ? code->prologue : code->run) = address->toPtr<Code::Entry>();
    }
    return code;
  }

 private:
  std::optional<std::unique_ptr<llvm::TargetMachine>> target_for(Level level) const {
    llvm::orc::JITTargetMachineBuilder builder = host_;
    builder.setCodeGenOptLevel(level == Level::quick ? llvm::CodeGenOptLevel::None
                                                     : llvm::CodeGenOptLevel::Less);
    builder.setRelocationModel(llvm::Reloc::PIC_);
    builder.setCodeModel(llvm::CodeModel::Small);  // what is far away is reached through stubs
    builder.getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
    auto target = value_or_nothing(builder.createTargetMachine());
    if (target) (*target)->setFastISel(level == Level::quick);
    return target;
  }

  llvm::orc::JITTargetMachineBuilder host_;
  Jit jit_;
  std::string identity_;
};

/// For the CPU this runs on; nothing if LLVM does not know how.
std::unique_ptr<const Machine> make_machine() {
  if (llvm::InitializeNativeTarget() || llvm::InitializeNativeTargetAsmPrinter()) return nullptr;
  auto host = value_or_nothing(llvm::orc::JITTargetMachineBuilder::detectHost());
  if (!host) return nullptr;
  // Kernels have no constructors, no thread-local values and no exceptions: no platform support.
  auto jit = value_or_nothing(llvm::orc::LLJITBuilder()
                                  .setJITTargetMachineBuilder(*host)
                                  .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                                  .setLinkProcessSymbolsByDefault(false)
                                  .create());
  if (!jit) return nullptr;
  return std::make_unique<const LlvmMachine>(std::move(*host), Jit(std::move(*jit)));
}

}  // namespace

}  // namespace dalembert::codegen

extern "C" [[gnu::visibility("default")]] const dalembert::codegen::Machine* dalembert_machine(
    const char* interface) {
  using namespace dalembert::codegen;
  if (std::strcmp(interface, machine_interface) != 0) return nullptr;
  static const std::unique_ptr<const Machine> machine = make_machine();
  return machine.get();
}
