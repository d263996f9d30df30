#pragma once
/// The loop over the orders of a series as a function of LLVM. For llvm_machine.cpp alone.
///
///     for k = 1 ... p - 1:
///       the middle terms of the sums, j = 2 ... k - 2, of many pairs in one inner loop;
///       their two newest terms, the tape of an order, and what it finds to where it is kept

#include "dalembert/codegen/llvm_emitter.hpp"
#include "dalembert/codegen/series_layout.hpp"

namespace dalembert::codegen {

/// Of the tape `order`: what it computes in the loop stays in machine registers. It must be one
/// chunk.
inline Chunks series_chunks(const Series& series) {
  Chunks chunks = cut(series.order);
  for (std::size_t r = series.order.first_result() + series.order.prologue;
       r < series.order.registers(); ++r)
    chunks.place[r] = Chunks::nowhere;
  return chunks;
}

class SeriesEmitter final : private Emitter {
 public:
  /// All arguments must outlive it; `chunks` are those of series_chunks.
  SeriesEmitter(const Series& series, const Chunks& chunks, int lanes, Level level,
                llvm::Module& module)
      : Emitter(series.order, chunks, lanes, level, module), series_(series), layout_(series) {}

  /// Both entries. What depends on parameters alone is the interpreter's part.
  void write() {
    begin(entry_name(true));
    builder_.CreateRet(builder_.getInt32(0));
    write_loop();
  }

 private:
  using Value = llvm::Value;
  static constexpr std::size_t most_accumulators = 16;

  Value* whole(std::uint64_t x) { return builder_.getInt64(x); }

  /// The address of a place, `stride` places further for each `index`.
  Value* place(std::uint64_t first, Value* index, std::uint64_t stride = 1) {
    Value* offset = builder_.CreateMul(index, whole(stride * static_cast<unsigned>(lanes_)));
    Value* base = builder_.CreateConstInBoundsGEP1_64(builder_.getDoubleTy(), registers_,
                                                      first * static_cast<unsigned>(lanes_));
    return builder_.CreateInBoundsGEP(builder_.getDoubleTy(), base, offset);
  }
  Value* load(Value* address) { return builder_.CreateAlignedLoad(type_, address, alignment()); }
  void store(Value* value, Value* address) {
    builder_.CreateAlignedStore(value, address, alignment());
  }

  /// Order k of the series a or b of pair i.
  Value* operand_place(std::size_t pair, bool ascending, Value* k) {
    const SeriesPair& of = series_.pairs[pair];
    return place(layout_.kept + (ascending ? of.a : of.b) * SeriesLayout::stride, k);
  }

  void write_loop() {
    begin(entry_name(false));
    Value* p = builder_.CreateFPToSI(
        builder_.CreateLoad(builder_.getDoubleTy(), place(layout_.order, whole(0))),
        builder_.getInt64Ty());
    forget();
    llvm::BasicBlock* before = builder_.GetInsertBlock();
    llvm::BasicBlock* loop = block();
    builder_.CreateBr(loop);
    builder_.SetInsertPoint(loop);
    llvm::PHINode* k = builder_.CreatePHI(builder_.getInt64Ty(), 2);
    k->addIncoming(whole(1), before);
    k_ = k;
    find_sums();
    for (const Chunk& one : chunks_.chunks) {
      if (one.prologue) continue;
      for (std::uint32_t at = one.begin; at < one.end; ++at)
        define(result(at), operation(instruction(at)));
    }
    keep();
    Value* next = builder_.CreateAdd(k, whole(1));
    k->addIncoming(next, builder_.GetInsertBlock());
    llvm::BasicBlock* after = block();
    builder_.CreateCondBr(builder_.CreateICmpSLT(next, p), loop, after);
    builder_.SetInsertPoint(after);
    builder_.CreateRet(builder_.getInt32(0));
  }

  llvm::BasicBlock* block() {
    return llvm::BasicBlock::Create(module_.getContext(), "",
                                    builder_.GetInsertBlock()->getParent());
  }

  /// Order 1 of what is kept.
  void forget() {
    for (std::size_t s = 0; s < series_.kept; ++s)
      store(llvm::Constant::getNullValue(type_),
            place(layout_.kept + s * SeriesLayout::stride, whole(1)));
  }

  /// All sums of order k, into sums_.
  void find_sums() {
    const std::size_t pairs = series_.pairs.size();
    std::vector<Value*> middle;
    for (std::size_t from = 0; from < pairs; from += most_accumulators)
      find_middle(from, std::min(pairs, from + most_accumulators), middle);
    Value* one = whole(1);
    Value* before = builder_.CreateSub(k_, one);
    Value* last = builder_.CreateSelect(builder_.CreateICmpEQ(k_, whole(2)), whole(0), before);
    // Each kept number is read once, for all pairs that it is in.
    std::map<std::pair<std::uint32_t, Value*>, Value*> loaded;
    const auto read = [&](std::size_t pair, bool ascending, Value* k) {
      const SeriesPair& of = series_.pairs[pair];
      Value*& value = loaded[{ascending ? of.a : of.b, k}];
      if (value == nullptr) value = load(operand_place(pair, ascending, k));
      return value;
    };
    sums_.clear();
    for (std::size_t i = 0; i < pairs; ++i) {
      Value* sum = fused(read(i, true, one), read(i, false, before), middle[i]);
      sum = fused(read(i, true, last), read(i, false, one), sum);
      sums_.push_back(sum);
    }
  }

  /// The terms j = 2 ... k - 2 of the pairs from ... to.
  void find_middle(std::size_t from, std::size_t to, std::vector<Value*>& middle) {
    llvm::Constant* zero = llvm::Constant::getNullValue(type_);
    llvm::BasicBlock* before = builder_.GetInsertBlock();
    llvm::BasicBlock* loop = block();
    llvm::BasicBlock* after = block();
    builder_.CreateCondBr(builder_.CreateICmpSGT(k_, whole(3)), loop, after);
    builder_.SetInsertPoint(loop);
    llvm::PHINode* j = builder_.CreatePHI(builder_.getInt64Ty(), 2);
    j->addIncoming(whole(2), before);
    std::vector<llvm::PHINode*> sums;
    for (std::size_t i = from; i < to; ++i) {
      sums.push_back(builder_.CreatePHI(type_, 2));
      sums.back()->addIncoming(zero, before);
    }
    Value* rest = builder_.CreateSub(k_, j);
    std::map<std::pair<bool, std::uint32_t>, Value*> loaded;  // by direction and series
    const auto read = [&](std::size_t pair, bool ascending) {
      const SeriesPair& of = series_.pairs[pair];
      Value*& value = loaded[{ascending, ascending ? of.a : of.b}];
      if (value == nullptr)
        value = load(operand_place(pair, ascending, ascending ? static_cast<Value*>(j) : rest));
      return value;
    };
    std::vector<Value*> grown;
    for (std::size_t i = from; i < to; ++i) {
      Value* a = read(i, true);
      Value* b = read(i, false);
      grown.push_back(fused(a, b, sums[grown.size()]));
      sums[grown.size() - 1]->addIncoming(grown.back(), loop);
    }
    Value* next = builder_.CreateAdd(j, whole(1));
    j->addIncoming(next, loop);
    builder_.CreateCondBr(builder_.CreateICmpSLT(next, builder_.CreateSub(k_, whole(1))), loop,
                          after);
    builder_.SetInsertPoint(after);
    for (Value* sum : grown) {
      llvm::PHINode* found = builder_.CreatePHI(type_, 2);
      found->addIncoming(zero, before);
      found->addIncoming(sum, loop);
      middle.push_back(found);
    }
  }

  /// Inputs of `order` are where they are needed first; values of order 0 are read where they
  /// stand.
  llvm::Value* find_input(std::uint32_t reg) override {
    const Tape& tape = series_.order;
    if (reg < tape.first_input() || reg >= tape.first_result()) return nullptr;
    const std::uint32_t i = reg - tape.first_input();
    if (i >= series_.pair_input()) return sums_[i - series_.pair_input()];
    if (i >= series_.later_input()) return nullptr;
    if (i >= Series::y_input)
      return load(place(layout_.coefficients + (i - Series::y_input) * SeriesLayout::stride, k_));
    if (i == Series::k_input) return load(place(layout_.counts, k_));
    if (i == Series::reciprocal_input) return load(place(layout_.reciprocals, k_));
    return builder_.CreateSelect(builder_.CreateICmpEQ(k_, whole(1)),
                                 llvm::ConstantFP::get(type_, 1.0),
                                 llvm::ConstantFP::get(type_, 0.0));
  }

  /// What an order found: the kept series, and order k + 1 of y.
  void keep() {
    const auto found = [&](std::size_t i) { return operand(series_.order.outputs[i]); };
    for (std::size_t s = 0; s < series_.kept; ++s)
      store(found(series_.size + s), place(layout_.kept + s * SeriesLayout::stride, k_));
    Value* next = builder_.CreateAdd(k_, whole(1));
    Value* factor = load(place(series_.exact ? layout_.counts : layout_.reciprocals, next));
    const auto over = [&](Value* rate) {
      return series_.exact ? builder_.CreateFDiv(rate, factor) : builder_.CreateFMul(rate, factor);
    };
    for (std::size_t i = 0; i < series_.size; ++i)
      store(over(found(i)), place(layout_.coefficients + i * SeriesLayout::stride, next));
  }

  const Series& series_;
  SeriesLayout layout_;
  Value* k_ = nullptr;
  std::vector<Value*> sums_;
};

}  // namespace dalembert::codegen
