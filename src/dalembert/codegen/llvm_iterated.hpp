#pragma once
/// A tape iterated (iterated.hpp), as one function of LLVM. For llvm_machine.cpp alone.
///
///     entry:  take a start, or return
///     step:   the tape, with x and what depends on parameters alone in registers
///     over:   store x and the status, take another start, or return
///     next:   x, from either
///
/// A thread that has taken another start joins the others in the one loop that there is: were it a
/// loop around a loop, those that are done would wait at the end of the inner one.

#include <algorithm>

#include "dalembert/codegen/iterated.hpp"
#include "dalembert/codegen/llvm_emitter.hpp"

namespace dalembert::codegen {

/// No register of the tape has a place in memory.
inline Chunks nothing_stored(const Tape& tape) {
  Chunks chunks = cut(tape);
  std::ranges::fill(chunks.place, Chunks::nowhere);
  return chunks;
}

class IteratedEmitter final : public Emitter {
 public:
  /// `memory`: the address space of the arguments, 1 on a graphics processor.
  IteratedEmitter(const Tape& tape, const Chunks& chunks, llvm::Module& module, unsigned memory)
      : Emitter(tape, chunks, 1, Level::good, module), memory_(memory) {
    writes_angles_ = true;
  }

  void write() {
    llvm::Type* pointer = builder_.getPtrTy(memory_);
    auto* function = llvm::Function::Create(
        llvm::FunctionType::get(builder_.getVoidTy(),
                                {pointer, pointer, pointer, pointer, builder_.getInt32Ty()}, false),
        llvm::GlobalValue::ExternalLinkage, iterated_name, module_);
    function->addFnAttr(llvm::Attribute::NoUnwind);
    if (memory_ != 0) function->setCallingConv(llvm::CallingConv::PTX_Kernel);
    parameters_ = function->getArg(0);
    x_ = function->getArg(1);
    status_ = function->getArg(2);
    queue_ = function->getArg(3);
    count_ = function->getArg(4);
    const auto block = [&](const char* name) {
      return llvm::BasicBlock::Create(module_.getContext(), name, function);
    };
    llvm::BasicBlock *entry = block("entry"), *first = block("first"), *step = block("step"),
                     *over = block("over"), *another = block("another"), *next = block("next"),
                     *done = block("done");
    builder_.SetInsertPoint(entry);
    llvm::Value* taken = take();
    builder_.CreateCondBr(builder_.CreateICmpULT(taken, count_), first, done);

    builder_.SetInsertPoint(first);
    const Values begun = load(taken);
    builder_.CreateBr(step);

    builder_.SetInsertPoint(step);
    const Phis now = phis(begun, first);
    put(now);
    const auto [after, status] = iterate();
    llvm::BasicBlock* stepped = builder_.GetInsertBlock();
    builder_.CreateCondBr(builder_.CreateFCmpOEQ(status, llvm::ConstantFP::get(type_, 0.0)), next,
                          over);

    builder_.SetInsertPoint(over);
    for (std::uint32_t i = 0; i < tape_.inputs; ++i)
      builder_.CreateAlignedStore(after[i], place(x_, i, now.start), llvm::Align(8));
    builder_.CreateAlignedStore(status, place(status_, 0, now.start), llvm::Align(8));
    taken = take();
    builder_.CreateCondBr(builder_.CreateICmpULT(taken, count_), another, done);

    builder_.SetInsertPoint(another);
    const Values fresh = load(taken);
    builder_.CreateBr(next);

    builder_.SetInsertPoint(next);
    now.start->addIncoming(join(builder_.getInt32Ty(), now.start, stepped, fresh.start, another),
                           next);
    for (std::size_t i = 0; i < after.size(); ++i)
      now.x[i]->addIncoming(join(type_, after[i], stepped, fresh.x[i], another), next);
    for (std::size_t i = 0; i < kept_.size(); ++i)
      now.kept[i]->addIncoming(join(type_, now.kept[i], stepped, fresh.kept[i], another), next);
    builder_.CreateBr(step);

    builder_.SetInsertPoint(done);
    builder_.CreateRetVoid();
  }

 private:
  struct Values {
    llvm::Value* start;
    std::vector<llvm::Value*> x, kept;
  };
  struct Phis {
    llvm::PHINode* start;
    std::vector<llvm::PHINode*> x, kept;
  };

  llvm::Value* take() {
    return builder_.CreateAtomicRMW(llvm::AtomicRMWInst::Add, queue_, builder_.getInt32(1),
                                    llvm::MaybeAlign(4), llvm::AtomicOrdering::Monotonic);
  }

  /// Entry i of a start.
  llvm::Value* place(llvm::Value* array, std::uint32_t i, llvm::Value* start) {
    llvm::Type* wide = builder_.getInt64Ty();
    llvm::Value* index = builder_.CreateAdd(
        builder_.CreateMul(builder_.CreateZExt(count_, wide), builder_.getInt64(i)),
        builder_.CreateZExt(start, wide));
    return builder_.CreateInBoundsGEP(type_, array, index);
  }

  /// x, and what the loop needs of parameters and of what follows from them alone.
  Values load(llvm::Value* start) {
    const auto constants = static_cast<std::uint32_t>(tape_.constants.size());
    std::ranges::fill(value_, nullptr);
    for (std::uint32_t p = 0; p < tape_.parameters; ++p)
      value_[constants + p] =
          builder_.CreateAlignedLoad(type_, place(parameters_, p, start), llvm::Align(8));
    run(0, tape_.prologue);
    Values values{start, {}, {}};
    if (kept_.empty()) find_kept();
    for (const std::uint32_t reg : kept_) values.kept.push_back(operand(reg));
    for (std::uint32_t i = 0; i < tape_.inputs; ++i)
      values.x.push_back(builder_.CreateAlignedLoad(type_, place(x_, i, start), llvm::Align(8)));
    return values;
  }

  void find_kept() {
    std::vector<bool> used(tape_.registers(), false);
    for (std::uint32_t i = tape_.prologue; i < tape_.code.size(); ++i) {
      const Instruction& one = tape_.code[i];
      used[one.a] = used[one.b] = true;
      if (operands(one.operation) == 3) used[one.c] = true;
    }
    for (const std::uint32_t reg : tape_.outputs) used[reg] = true;
    for (std::uint32_t r = static_cast<std::uint32_t>(tape_.constants.size()); r < used.size();
         ++r) {
      const bool early = r < tape_.first_input() ||
                         (r >= tape_.first_result() && r < tape_.first_result() + tape_.prologue);
      if (early && used[r]) kept_.push_back(r);
    }
  }

  Phis phis(const Values& begun, llvm::BasicBlock* from) {
    Phis result;
    result.start = builder_.CreatePHI(builder_.getInt32Ty(), 2);
    result.start->addIncoming(begun.start, from);
    for (llvm::Value* x : begun.x) {
      result.x.push_back(builder_.CreatePHI(type_, 2));
      result.x.back()->addIncoming(x, from);
    }
    for (llvm::Value* x : begun.kept) {
      result.kept.push_back(builder_.CreatePHI(type_, 2));
      result.kept.back()->addIncoming(x, from);
    }
    return result;
  }

  void put(const Phis& now) {
    std::ranges::fill(value_, nullptr);
    for (std::size_t i = 0; i < kept_.size(); ++i) value_[kept_[i]] = now.kept[i];
    for (std::uint32_t i = 0; i < tape_.inputs; ++i) value_[tape_.first_input() + i] = now.x[i];
  }

  /// Instructions [begin, end) of the tape.
  void run(std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t at = begin; at < end; ++at) awaited_[result(at)] = true;
    for (std::uint32_t at = begin; at < end; ++at) {
      if (!awaited_[result(at)]) continue;
      if (is_half(at)) {
        angles(at, end);
      } else {
        define(result(at), operation(instruction(at)));
      }
    }
  }

  std::pair<std::vector<llvm::Value*>, llvm::Value*> iterate() {
    too_large_ = nullptr;
    run(tape_.prologue, static_cast<std::uint32_t>(tape_.code.size()));
    std::vector<llvm::Value*> after;
    for (std::uint32_t i = 0; i < tape_.inputs; ++i) after.push_back(operand(tape_.outputs[i]));
    llvm::Value* status = operand(tape_.outputs[tape_.inputs]);
    if (too_large_ != nullptr) {
      status = builder_.CreateSelect(too_large_,
                                     llvm::ConstantFP::get(type_, status_of_large_angle), status);
    }
    return {std::move(after), status};
  }

  llvm::Value* join(llvm::Type* type, llvm::Value* a, llvm::BasicBlock* from_a, llvm::Value* b,
                    llvm::BasicBlock* from_b) {
    llvm::PHINode* phi = llvm::PHINode::Create(type, 2);
    phi->addIncoming(a, from_a);
    phi->addIncoming(b, from_b);
    phi->insertInto(builder_.GetInsertBlock(), builder_.GetInsertBlock()->getFirstNonPHIIt());
    return phi;
  }

  unsigned memory_;
  llvm::Value *parameters_ = nullptr, *x_ = nullptr, *status_ = nullptr, *queue_ = nullptr,
              *count_ = nullptr;
  std::vector<std::uint32_t> kept_;  ///< registers that the loop needs from before it
};

}  // namespace dalembert::codegen
