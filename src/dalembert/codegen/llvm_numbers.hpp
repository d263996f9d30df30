#pragma once
/// Numbers of a kernel as expressions of C++: what is done to them is written into the function
/// that a builder of LLVM is at. So that functions written once for vectors (sincos_body.hpp) can
/// stand in the midst of machine code. For llvm_machine.cpp alone.

#include <llvm/IR/IRBuilder.h>

#include <functional>

namespace dalembert::codegen {

/// The vector of SincosBody. `at` must be set, and the types fit the lanes.
struct WrittenVector {
  struct Place {
    llvm::IRBuilder<>* builder;
    llvm::Type* numbers;  ///< double, or a vector of them
    llvm::Type* whole;    ///< as many 64-bit integers
    std::function<llvm::Value*(double)> constant;
  };
  static inline thread_local Place at{};

  struct V {
    llvm::Value* value;
    friend V operator+(V a, V b) { return {at.builder->CreateFAdd(a.value, b.value)}; }
    friend V operator-(V a, V b) { return {at.builder->CreateFSub(a.value, b.value)}; }
    friend V operator*(V a, V b) { return {at.builder->CreateFMul(a.value, b.value)}; }
  };
  struct I {
    llvm::Value* value;
    friend I operator+(I a, std::int64_t b) { return {at.builder->CreateAdd(a.value, all(b))}; }
    friend I operator&(I a, std::int64_t b) { return {at.builder->CreateAnd(a.value, all(b))}; }
    friend I operator<<(I a, std::int64_t b) { return {at.builder->CreateShl(a.value, all(b))}; }
    friend I operator^(I a, I b) { return {at.builder->CreateXor(a.value, b.value)}; }
  };

  static V from(double x) { return {at.constant(x)}; }
  static V abs(V x) { return {at.builder->CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x.value)}; }
  static V fma(V a, V b, V c) {
    return {at.builder->CreateIntrinsic(llvm::Intrinsic::fma, {at.numbers},
                                        {a.value, b.value, c.value})};
  }
  static V fms(V a, V b, V c) { return fma(a, b, negated(c)); }
  static V fnma(V a, V b, V c) { return fma(negated(a), b, c); }
  static I bits(V x) { return {at.builder->CreateBitCast(x.value, at.whole)}; }
  static I sign(V x) { return bits(x) & INT64_MIN; }
  static llvm::Value* is_odd(I x) {
    return at.builder->CreateICmpNE((x & 1).value, llvm::Constant::getNullValue(at.whole));
  }
  static V choose(llvm::Value* first, V a, V b) {
    return {at.builder->CreateSelect(first, a.value, b.value)};
  }
  static V flip(V x, I sign) {
    return {at.builder->CreateBitCast((bits(x) ^ sign).value, at.numbers)};
  }

  static V negated(V x) { return {at.builder->CreateFNeg(x.value)}; }
  static llvm::Value* all(std::int64_t x) { return llvm::ConstantInt::getSigned(at.whole, x); }
};

}  // namespace dalembert::codegen
