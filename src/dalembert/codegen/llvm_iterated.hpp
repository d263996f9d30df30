#pragma once
/// A tape iterated (iterated.hpp), as one function of LLVM. For llvm_machine.cpp alone.
///
///     entry:  take a start, or return
///     step:   the tape, with x and what depends on parameters alone in registers
///     over:   store x and the status, take another start, or return
///     next:   x, from either
///
/// A thread that has taken another start joins the others in the one loop over steps that there is:
/// were it a loop around a loop, those that are done would wait at the end of the inner one. The
/// loops within a step are short, and waited for.
///
/// On a graphics processor constants stand in its bank of constants, where an operation reads them
/// as it does a register: written into the code they take two instructions more.

#include <algorithm>
#include <numeric>

#include "dalembert/codegen/iterated.hpp"
#include "dalembert/codegen/llvm_emitter.hpp"

namespace dalembert::codegen {

/// No register of the tape has a place in memory, and its instructions stay where loops know them.
inline Chunks nothing_stored(const Tape& tape) {
  Chunks chunks;
  chunks.order.resize(tape.code.size());
  std::iota(chunks.order.begin(), chunks.order.end(), 0U);
  chunks.place.assign(tape.registers(), Chunks::nowhere);
  return chunks;
}

class IteratedEmitter final : public Emitter {
 public:
  /// `memory`: the address space of the arguments, 1 on a graphics processor.
  IteratedEmitter(const Iterated& iterated, const Chunks& chunks, llvm::Module& module,
                  unsigned memory)
      : Emitter(iterated.tape, chunks, 1, Level::good, module),
        iterated_(iterated),
        memory_(memory) {
    writes_angles_ = true;
  }

  void write() {
    llvm::Type* pointer = builder_.getPtrTy(memory_);
    auto* function = llvm::Function::Create(
        llvm::FunctionType::get(
            builder_.getVoidTy(),
            {pointer, pointer, pointer, pointer, pointer, builder_.getInt32Ty()}, false),
        llvm::GlobalValue::ExternalLinkage, iterated_name, module_);
    function->addFnAttr(llvm::Attribute::NoUnwind);
    if (memory_ != 0) function->setCallingConv(llvm::CallingConv::PTX_Kernel);
    parameters_ = function->getArg(0);
    x_ = function->getArg(1);
    rows_ = function->getArg(2);
    status_ = function->getArg(3);
    queue_ = function->getArg(4);
    count_ = function->getArg(5);
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
    for (std::uint32_t i = 0; i < iterated_.size(); ++i)
      store(after[i], x_, builder_.getInt64(i), now.start);
    store(status, status_, builder_.getInt64(0), now.start);
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
  llvm::Value* place(llvm::Value* array, llvm::Value* i, llvm::Value* start) {
    llvm::Type* wide = builder_.getInt64Ty();
    llvm::Value* index = builder_.CreateAdd(
        builder_.CreateMul(builder_.CreateZExt(count_, wide), i), builder_.CreateZExt(start, wide));
    return builder_.CreateInBoundsGEP(type_, array, index);
  }
  llvm::Value* load(llvm::Value* array, std::uint32_t i, llvm::Value* start) {
    return builder_.CreateAlignedLoad(type_, place(array, builder_.getInt64(i), start),
                                      llvm::Align(8));
  }
  void store(llvm::Value* value, llvm::Value* array, llvm::Value* i, llvm::Value* start) {
    builder_.CreateAlignedStore(value, place(array, i, start), llvm::Align(8));
  }

  /// x, and what the loop needs of parameters and of what follows from them alone.
  Values load(llvm::Value* start) {
    const auto constants = static_cast<std::uint32_t>(tape_.constants.size());
    std::ranges::fill(value_, nullptr);
    for (std::uint32_t p = 0; p < tape_.parameters; ++p)
      value_[constants + p] = load(parameters_, p, start);
    straight(0, tape_.prologue);
    Values values{start, {}, {}};
    if (kept_.empty()) find_kept();
    for (const std::uint32_t reg : kept_) values.kept.push_back(operand(reg));
    for (std::uint32_t i = 0; i < iterated_.size(); ++i) values.x.push_back(load(x_, i, start));
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
    for (const auto& [a, b] : iterated_.demands) used[a] = used[b] = true;
    for (const Loop& loop : iterated_.loops) {
      for (const Loop::Variable& one : loop.variables) used[one.before] = used[one.after] = true;
      if (!loop.row) continue;
      used[loop.row->index] = true;
      for (const std::uint32_t reg : loop.row->values) used[reg] = true;
    }
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
    start_ = now.start;
    for (std::size_t i = 0; i < kept_.size(); ++i) value_[kept_[i]] = now.kept[i];
    for (std::uint32_t i = 0; i < iterated_.size(); ++i) value_[tape_.first_input() + i] = now.x[i];
  }

  /// Instructions [begin, end) of the tape, none of them in a loop.
  void straight(std::uint32_t begin, std::uint32_t end) {
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

  /// The same with the loops that begin there.
  void run(std::uint32_t begin, std::uint32_t end) {
    while (next_loop_ < iterated_.loops.size() && iterated_.loops[next_loop_].begin < end) {
      const Loop& loop = iterated_.loops[next_loop_++];
      straight(begin, loop.begin);
      turns(loop);
      begin = loop.end;
    }
    straight(begin, end);
  }

  void turns(const Loop& loop) {
    llvm::BasicBlock* before = builder_.GetInsertBlock();
    llvm::Function* function = before->getParent();
    const auto block = [&](const char* name) {
      return llvm::BasicBlock::Create(module_.getContext(), name, function);
    };
    llvm::BasicBlock *head = block("head"), *turn = block("turn"), *behind = block("behind");
    std::vector<llvm::Value*> first;
    for (const Loop::Variable& one : loop.variables) first.push_back(operand(one.before));
    llvm::Value* too_large = too_large_ == nullptr ? builder_.getFalse() : too_large_;
    builder_.CreateBr(head);

    builder_.SetInsertPoint(head);
    std::vector<llvm::PHINode*> phis;
    for (std::size_t i = 0; i < first.size(); ++i) {
      phis.push_back(builder_.CreatePHI(type_, 2));
      phis.back()->addIncoming(first[i], before);
      value_[loop.variables[i].reg] = phis.back();
    }
    llvm::PHINode* large = builder_.CreatePHI(builder_.getInt1Ty(), 2);
    large->addIncoming(too_large, before);
    builder_.CreateCondBr(
        builder_.CreateFCmpOGE(operand(loop.guard), llvm::ConstantFP::get(type_, 0.0)), turn,
        behind);

    builder_.SetInsertPoint(turn);
    too_large_ = large;
    run(loop.begin, loop.end);
    if (loop.row) write_row(*loop.row);
    std::vector<llvm::Value*> after;
    for (const Loop::Variable& one : loop.variables) after.push_back(operand(one.after));
    for (std::size_t i = 0; i < after.size(); ++i)
      phis[i]->addIncoming(after[i], builder_.GetInsertBlock());
    large->addIncoming(too_large_, builder_.GetInsertBlock());
    builder_.CreateBr(head);

    builder_.SetInsertPoint(behind);
    too_large_ = large;
  }

  void write_row(const LoopRow& row) {
    llvm::Value* first =
        builder_.CreateMul(builder_.CreateFPToUI(operand(row.index), builder_.getInt64Ty()),
                           builder_.getInt64(iterated_.width()));
    for (std::size_t i = 0; i < row.values.size(); ++i)
      store(operand(row.values[i]), rows_, builder_.CreateAdd(first, builder_.getInt64(i)), start_);
  }

  std::pair<std::vector<llvm::Value*>, llvm::Value*> iterate() {
    too_large_ = nullptr;
    next_loop_ = 0;
    run(tape_.prologue, static_cast<std::uint32_t>(tape_.code.size()));
    std::vector<llvm::Value*> after;
    for (std::uint32_t i = 0; i < iterated_.size(); ++i) after.push_back(operand(tape_.outputs[i]));
    llvm::Value* status = operand(tape_.outputs[iterated_.size()]);
    const auto unless = [&](llvm::Value* broken, double other) {
      status = builder_.CreateSelect(broken, llvm::ConstantFP::get(type_, other), status);
    };
    llvm::Value* met = nullptr;
    for (const auto& [a, b] : iterated_.demands) {
      llvm::Value* one = builder_.CreateFCmpOLE(operand(a), operand(b));
      met = met == nullptr ? one : builder_.CreateAnd(met, one);
    }
    if (met != nullptr) unless(builder_.CreateNot(met), status_of_demand);
    if (too_large_ != nullptr) unless(too_large_, status_of_large_angle);
    return {std::move(after), status};
  }

  /// From the bank of constants, where half of it does not fit into an instruction.
  llvm::Value* number(double x) override {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    if (memory_ == 0 || (bits & 0xffffffffU) == 0) return Emitter::number(x);
    llvm::GlobalVariable*& one = banked_[bits];
    if (one == nullptr) {
      constexpr unsigned bank = 4;
      // As if the driver could change it, or LLVM would write it into the code again.
      one = new llvm::GlobalVariable(module_, type_, false, llvm::GlobalValue::InternalLinkage,
                                     llvm::ConstantFP::get(type_, x), "", nullptr,
                                     llvm::GlobalValue::NotThreadLocal, bank, true);
      one->setAlignment(llvm::Align(8));
    }
    return builder_.CreateAlignedLoad(type_, one, llvm::Align(8));
  }

  llvm::Value* join(llvm::Type* type, llvm::Value* a, llvm::BasicBlock* from_a, llvm::Value* b,
                    llvm::BasicBlock* from_b) {
    llvm::PHINode* phi = llvm::PHINode::Create(type, 2);
    phi->addIncoming(a, from_a);
    phi->addIncoming(b, from_b);
    phi->insertInto(builder_.GetInsertBlock(), builder_.GetInsertBlock()->getFirstNonPHIIt());
    return phi;
  }

  const Iterated& iterated_;
  unsigned memory_;
  llvm::Value *parameters_ = nullptr, *x_ = nullptr, *rows_ = nullptr, *status_ = nullptr,
              *queue_ = nullptr, *count_ = nullptr, *start_ = nullptr;
  std::vector<std::uint32_t> kept_;  ///< registers that the loop needs from before it
  std::size_t next_loop_ = 0;
  std::map<std::uint64_t, llvm::GlobalVariable*> banked_;  ///< by their bits
};

}  // namespace dalembert::codegen
