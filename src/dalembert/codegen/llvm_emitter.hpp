#pragma once
/// Tapes as functions of LLVM. For llvm_machine.cpp alone.
///
/// Each chunk of a tape becomes one function of a single basic block. There are no passes over the
/// intermediate code: a tape has no common subexpressions and nothing that folds, and they would
/// find nothing. Nothing is contracted or reassociated either: kernels promise their bits. Where
/// code must come quickly, LLVM's fast instruction selection is used; it knows no fused
/// multiply-add, and what it makes of one lane is up to a half slower.
///
/// In several lanes good code has sines and cosines written out in it: a call would send all that
/// is known to memory and back. That is right up to `largest_angle`; beyond, the code says so by
/// what it returns, and the tape must be run by other means.

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <array>
#include <bit>
#include <map>
#include <string>
#include <vector>

#include "dalembert/codegen/chunks.hpp"
#include "dalembert/codegen/llvm_numbers.hpp"
#include "dalembert/codegen/machine.hpp"
#include "dalembert/codegen/sincos_body.hpp"

namespace dalembert::codegen {

inline std::string function_name(std::size_t function) {
  return "f" + std::to_string(function);
}
inline std::string chunk_name(std::size_t chunk) {
  return "c" + std::to_string(chunk);
}
inline const char* entry_name(bool prologue) {
  return prologue ? "prologue" : "run";
}

/// Writes the chunks of a tape into one module.
class Emitter {
 public:
  Emitter(const Tape& tape, const Chunks& chunks, int lanes, Level level, llvm::Module& module)
      : tape_(tape),
        chunks_(chunks),
        lanes_(lanes),
        writes_angles_(lanes > 1 && level == Level::good),
        module_(module),
        builder_(module.getContext()),
        value_(tape.registers(), nullptr),
        awaited_(tape.registers(), false) {
    llvm::Type* number = builder_.getDoubleTy();
    type_ = lanes == 1 ? number : llvm::FixedVectorType::get(number, static_cast<unsigned>(lanes));
    pair_ = llvm::StructType::get(type_, type_);
    entry_type_ = llvm::FunctionType::get(builder_.getInt32Ty(), builder_.getPtrTy(), false);
  }
  virtual ~Emitter() = default;
  Emitter(const Emitter&) = delete;
  Emitter& operator=(const Emitter&) = delete;

  void chunk(const Chunk& chunk, const std::string& name) {
    begin(name);
    both_.clear();
    for (std::uint32_t at = chunk.begin; at < chunk.end; ++at) awaited_[result(at)] = true;
    for (std::uint32_t at = chunk.begin; at < chunk.end; ++at) {
      if (!awaited_[result(at)]) continue;
      if (is_half(at)) {
        angles(at, chunk.end);
      } else {
        define(result(at), operation(instruction(at)));
      }
    }
    builder_.CreateRet(trouble());
    for (std::uint32_t at = chunk.begin; at < chunk.end; ++at) value_[result(at)] = nullptr;
  }

  /// Calls all chunks of one kind, one after the other.
  void entry(bool prologue) {
    llvm::Function* function = begin(entry_name(prologue));
    llvm::Value* trouble = builder_.getInt32(0);
    for (std::size_t c = 0; c < chunks_.chunks.size(); ++c) {
      if (chunks_.chunks[c].prologue != prologue) continue;
      trouble = builder_.CreateOr(
          trouble, builder_.CreateCall(module_.getOrInsertFunction(chunk_name(c), entry_type_),
                                       function->getArg(0)));
    }
    builder_.CreateRet(trouble);
  }

 protected:
  using SineCosine = std::pair<llvm::Value*, llvm::Value*>;
  using SinesCosines = llvm::SmallVector<SineCosine, 4>;

  llvm::Function* begin(const std::string& name) {
    auto* function =
        llvm::cast<llvm::Function>(module_.getOrInsertFunction(name, entry_type_).getCallee());
    function->addFnAttr(llvm::Attribute::NoUnwind);
    // Some CPUs are thought to be faster with half of their vectors; the lanes are given here.
    function->addFnAttr("min-legal-vector-width", std::to_string(64 * lanes_));
    function->addFnAttr("prefer-vector-width", std::to_string(64 * lanes_));
    function->addParamAttr(0, llvm::Attribute::NoAlias);
    registers_ = function->getArg(0);
    too_large_ = nullptr;
    builder_.SetInsertPoint(llvm::BasicBlock::Create(module_.getContext(), "", function));
    return function;
  }

  std::uint32_t result(std::uint32_t at) const { return tape_.first_result() + chunks_.order[at]; }

  const Instruction& instruction(std::uint32_t at) const { return tape_.code[chunks_.order[at]]; }

  bool is_half(std::uint32_t at) const {
    return instruction(at).operation == Operation::sin ||
           instruction(at).operation == Operation::cos;
  }

  bool is_partner(std::uint32_t at) const {
    return instruction(at).operation == Operation::sin &&
           instruction(at + 1).operation == Operation::cos &&
           instruction(at).a == instruction(at + 1).a;
  }

  /// The sine or cosine at `at`, and with it those of three more angles that are known already: in
  /// one lane four take little longer than one, and in more no other value need outlive the calls.
  void angles(std::uint32_t at, std::uint32_t end) {
    llvm::SmallVector<std::uint32_t, 4> found;
    for (; at < end && found.size() < 4; ++at) {
      if (!is_half(at) || !awaited_[result(at)] || awaited_[instruction(at).a]) continue;
      found.push_back(at);
      if (at + 1 < end && is_partner(at)) ++at;
    }
    llvm::SmallVector<std::uint32_t, 4> angle;
    for (const std::uint32_t place : found) angle.push_back(instruction(place).a);
    const SinesCosines both = writes_angles_      ? written_sincos(angle)
                              : lanes_ > 1        ? sincos_of_vectors(angle)
                              : angle.size() == 1 ? SinesCosines{sincos(operand(angle[0]))}
                                                  : sincos_of_four(angle);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto [sin, cos] = both[i];
      define(result(found[i]), instruction(found[i]).operation == Operation::sin ? sin : cos);
      if (found[i] + 1 < end && is_partner(found[i])) define(result(found[i] + 1), cos);
    }
  }

  llvm::Value* address(std::uint32_t place) {
    return builder_.CreateConstInBoundsGEP1_64(
        builder_.getDoubleTy(), registers_, std::uint64_t{place} * static_cast<unsigned>(lanes_));
  }

  llvm::Align alignment() const {
    return llvm::Align(sizeof(double) * static_cast<std::size_t>(lanes_));
  }

  /// Values of other chunks are loaded where they are used: a load is folded into the operation
  /// that needs it and holds no register until then.
  llvm::Value* operand(std::uint32_t reg) {
    if (reg < tape_.constants.size() && lanes_ == 1) return number(tape_.constants[reg]);
    if (value_[reg] != nullptr) return value_[reg];
    if (llvm::Value* input = find_input(reg)) return input;
    return builder_.CreateAlignedLoad(type_, address(chunks_.place[reg]), alignment());
  }

  /// An input that does not stand in the buffer; null if it does.
  virtual llvm::Value* find_input(std::uint32_t /*reg*/) { return nullptr; }

  void define(std::uint32_t reg, llvm::Value* value) {
    value_[reg] = value;
    awaited_[reg] = false;
    if (chunks_.place[reg] != Chunks::nowhere)
      builder_.CreateAlignedStore(value, address(chunks_.place[reg]), alignment());
  }

  /// Of one lane, or the same in all.
  virtual llvm::Value* number(double x) { return llvm::ConstantFP::get(type_, x); }

  /// A vector must come from memory, or LLVM's fast instruction selection gives up.
  llvm::Value* constant(double x) {
    llvm::Constant* value = llvm::ConstantFP::get(type_, x);
    if (lanes_ == 1) return value;
    llvm::GlobalVariable*& place = constants_[std::bit_cast<std::uint64_t>(x)];
    if (place == nullptr) {
      place =
          new llvm::GlobalVariable(module_, type_, true, llvm::GlobalValue::PrivateLinkage, value);
      place->setAlignment(alignment());
    }
    return builder_.CreateAlignedLoad(type_, place, alignment());
  }

  llvm::Value* operation(const Instruction& instruction) {
    llvm::Value* a = operand(instruction.a);
    const auto b = [&] { return instruction.b == instruction.a ? a : operand(instruction.b); };
    switch (instruction.operation) {
      case Operation::add:
        return builder_.CreateFAdd(a, b());
      case Operation::subtract:
        return builder_.CreateFSub(a, b());
      case Operation::multiply:
        return builder_.CreateFMul(a, b());
      case Operation::divide:
        return builder_.CreateFDiv(a, b());
      case Operation::negate:
        // As exact as a change of sign, and selected fast for vectors too.
        return lanes_ == 1 ? negated(a) : builder_.CreateFSub(constant(-0.0), a);
      case Operation::sqrt:
        return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, a);
      case Operation::abs:
        return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a);
      case Operation::sign: {
        llvm::Value* zero = constant(0.0);
        llvm::Value* otherwise =
            builder_.CreateSelect(builder_.CreateFCmpOLT(a, zero), constant(-1.0), a);
        return builder_.CreateSelect(builder_.CreateFCmpOGT(a, zero), constant(1.0), otherwise);
      }
      case Operation::min:
        return choose(llvm::CmpInst::FCMP_OLT, a, b());
      case Operation::max:
        return choose(llvm::CmpInst::FCMP_OGT, a, b());
      case Operation::multiply_add:
        return fused(a, b(), operand(instruction.c));
      case Operation::multiply_subtract:
        return fused(a, b(), negated(operand(instruction.c)));
      case Operation::subtract_product:
        return fused(negated(a), b(), operand(instruction.c));
      case Operation::floor:
        return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, a);
      case Operation::table:
        return look_up(a, instruction.b);
      case Operation::choose: {
        llvm::Value* g = operand(instruction.c);
        llvm::Value* zero = constant(0.0);
        llvm::Value* otherwise = builder_.CreateSelect(builder_.CreateFCmpOLT(g, zero), b(), g);
        return builder_.CreateSelect(builder_.CreateFCmpOGE(g, zero), a, otherwise);
      }
        DALEMBERT_CASES_OF_ELEMENTARY
        break;
    }
    if (operands(instruction.operation) == 1)
      return builder_.CreateCall(library(instruction.operation, type_, {type_}), {a});
    const auto function = library(instruction.operation, type_, {type_, type_});
    return builder_.CreateCall(function, {a, b()});
  }

  /// Lane by lane. The handle is read from the buffer: it changes from process to process, and code
  /// is kept.
  llvm::Value* look_up(llvm::Value* a, std::uint32_t handle) {
    llvm::Type* number = builder_.getDoubleTy();
    llvm::Value* table = builder_.CreateLoad(number, address(chunks_.place[handle]));
    llvm::FunctionCallee function =
        module_.getOrInsertFunction(function_name(elementary_functions + 1),
                                    llvm::FunctionType::get(number, {number, number}, false));
    llvm::cast<llvm::Function>(function.getCallee())->addFnAttr(llvm::Attribute::NoUnwind);
    if (lanes_ == 1) return builder_.CreateCall(function, {a, table});
    llvm::Value* result = a;
    for (int lane = 0; lane < lanes_; ++lane) {
      llvm::Value* index = builder_.getInt32(static_cast<std::uint32_t>(lane));
      llvm::Value* value =
          builder_.CreateCall(function, {builder_.CreateExtractElement(a, index), table});
      result = builder_.CreateInsertElement(result, value, index);
    }
    return result;
  }

  llvm::Value* negated(llvm::Value* a) { return builder_.CreateFNeg(a); }

  llvm::Value* fused(llvm::Value* a, llvm::Value* b, llvm::Value* c) {
    return builder_.CreateIntrinsic(llvm::Intrinsic::fma, {type_}, {a, b, c});
  }

  /// a where it compares so with b or is no number, else b.
  llvm::Value* choose(llvm::CmpInst::Predicate predicate, llvm::Value* a, llvm::Value* b) {
    llvm::Value* chosen = builder_.CreateSelect(builder_.CreateFCmp(predicate, a, b), a, b);
    return builder_.CreateSelect(builder_.CreateFCmpUNO(a, a), a, chosen);
  }

  llvm::FunctionCallee library(Operation operation, llvm::Type* result,
                               llvm::ArrayRef<llvm::Type*> arguments) {
    llvm::FunctionCallee callee =
        module_.getOrInsertFunction(function_name(elementary_index(operation)),
                                    llvm::FunctionType::get(result, arguments, false));
    llvm::cast<llvm::Function>(callee.getCallee())->addFnAttr(llvm::Attribute::NoUnwind);
    return callee;
  }

  /// A pair of numbers comes back in registers.
  SineCosine sincos(llvm::Value* angle) {
    llvm::Value* both = builder_.CreateCall(library(Operation::sin, pair_, {type_}), {angle});
    return {builder_.CreateExtractValue(both, 0), builder_.CreateExtractValue(both, 1)};
  }

  /// Without a call.
  SinesCosines written_sincos(llvm::ArrayRef<std::uint32_t> angle) {
    llvm::Type* whole = builder_.getInt64Ty();
    if (lanes_ > 1) whole = llvm::FixedVectorType::get(whole, static_cast<unsigned>(lanes_));
    WrittenVector::at = {&builder_, type_, whole, [this](double x) { return number(x); }};
    SinesCosines result;
    for (const std::uint32_t one : angle) {
      const WrittenVector::V x{operand(one)};
      WrittenVector::V sin{}, cos{};
      SincosBody<WrittenVector>::sincos(x, sin, cos);
      result.emplace_back(sin.value, cos.value);
      // What is no number has none, and needs no other means.
      llvm::Value* beyond = builder_.CreateFCmpOGT(WrittenVector::abs(x).value,
                                                   llvm::ConstantFP::get(type_, largest_angle));
      too_large_ = too_large_ == nullptr ? beyond : builder_.CreateOr(too_large_, beyond);
    }
    return result;
  }

  /// What a function returns: 1 if an angle was too large in any lane, else 0.
  llvm::Value* trouble() {
    if (too_large_ == nullptr) return builder_.getInt32(0);
    llvm::Value* mask =
        builder_.CreateBitCast(too_large_, builder_.getIntNTy(static_cast<unsigned>(lanes_)));
    return builder_.CreateZExt(builder_.CreateIsNotNull(mask), builder_.getInt32Ty());
  }

  /// A pair of vectors comes back through a place on the stack.
  SinesCosines sincos_of_vectors(llvm::ArrayRef<std::uint32_t> angle) {
    llvm::FunctionCallee function =
        library(Operation::sin, builder_.getVoidTy(), {builder_.getPtrTy(), type_});
    const llvm::Attribute returned =
        llvm::Attribute::getWithStructRetType(module_.getContext(), pair_);
    llvm::cast<llvm::Function>(function.getCallee())->addParamAttr(0, returned);
    for (std::size_t i = 0; i < angle.size(); ++i) {
      if (both_.size() <= i) both_.push_back(on_stack(pair_, alignment()));
      builder_.CreateCall(function, {both_[i], operand(angle[i])})->addParamAttr(0, returned);
    }
    SinesCosines result;
    for (std::size_t i = 0; i < angle.size(); ++i) {
      const auto half = [&](unsigned index) {
        return builder_.CreateAlignedLoad(type_, builder_.CreateStructGEP(pair_, both_[i], index),
                                          alignment());
      };
      llvm::Value* sin = half(0);
      result.emplace_back(sin, half(1));
    }
    return result;
  }

  /// Of up to four angles in one lane. The results come through a place on the stack: four sines,
  /// four cosines.
  SinesCosines sincos_of_four(llvm::ArrayRef<std::uint32_t> angle) {
    if (both_.empty()) both_.push_back(on_stack(llvm::ArrayType::get(type_, 8), llvm::Align(64)));
    llvm::FunctionCallee function = module_.getOrInsertFunction(
        function_name(elementary_functions),
        llvm::FunctionType::get(builder_.getVoidTy(),
                                {type_, type_, type_, type_, builder_.getPtrTy()}, false));
    llvm::cast<llvm::Function>(function.getCallee())->addFnAttr(llvm::Attribute::NoUnwind);
    std::array<llvm::Value*, 5> arguments;
    arguments.fill(operand(angle[0]));
    for (std::size_t i = 1; i < angle.size(); ++i) arguments[i] = operand(angle[i]);
    arguments.back() = both_[0];
    builder_.CreateCall(function, arguments);
    const auto half = [&](std::size_t index) {
      return builder_.CreateAlignedLoad(
          type_, builder_.CreateConstInBoundsGEP1_64(type_, both_[0], index), alignment());
    };
    SinesCosines result;
    for (std::size_t i = 0; i < angle.size(); ++i) {
      llvm::Value* sin = half(i);
      result.emplace_back(sin, half(4 + i));
    }
    return result;
  }

  /// A place for a value, made where the function begins.
  llvm::Value* on_stack(llvm::Type* type, llvm::Align align) {
    llvm::BasicBlock& block = *builder_.GetInsertBlock();
    llvm::IRBuilder<> front(&block, block.begin());
    llvm::AllocaInst* place = front.CreateAlloca(type);
    place->setAlignment(align);
    return place;
  }

  const Tape& tape_;
  const Chunks& chunks_;
  int lanes_;
  bool writes_angles_;  ///< sines and cosines in place of calls
  llvm::Module& module_;
  llvm::IRBuilder<> builder_;
  llvm::Type* type_ = nullptr;        ///< a value in all lanes
  llvm::StructType* pair_ = nullptr;  ///< sine and cosine
  llvm::FunctionType* entry_type_ = nullptr;
  llvm::Value* registers_ = nullptr;                          ///< the buffer
  llvm::Value* too_large_ = nullptr;                          ///< lanes of an angle written out
  std::map<std::uint64_t, llvm::GlobalVariable*> constants_;  ///< by their bits
  llvm::SmallVector<llvm::Value*, 4> both_;                   ///< where sines and cosines come
  std::vector<llvm::Value*> value_;  ///< of each register this chunk has computed
  std::vector<bool> awaited_;        ///< registers that this chunk has still to compute
};

}  // namespace dalembert::codegen
