#pragma once
/// What CVODE of SUNDIALS gives out, owned.

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>

namespace dalembert::motion::cvode {

// A step is shortened by a quarter or a tenth after a failure: so often until it is worth nothing,
// see smallest_step, which ends it.
inline constexpr int most_failures = 60;

template <class T, void (*destroy)(T)>
struct Destroy {
  using pointer = T;
  void operator()(T object) const { destroy(object); }
};
inline void destroy_context(SUNContext context) {
  SUNContext_Free(&context);
}
inline void destroy_solver(SUNLinearSolver solver) {
  SUNLinSolFree(solver);
}
inline void destroy_memory(void* memory) {
  CVodeFree(&memory);
}
using ContextHandle = std::unique_ptr<SUNContext, Destroy<SUNContext, destroy_context>>;
using VectorHandle = std::unique_ptr<N_Vector, Destroy<N_Vector, N_VDestroy>>;
using MatrixHandle = std::unique_ptr<SUNMatrix, Destroy<SUNMatrix, SUNMatDestroy>>;
using SolverHandle = std::unique_ptr<SUNLinearSolver, Destroy<SUNLinearSolver, destroy_solver>>;
using MemoryHandle = std::unique_ptr<void, Destroy<void*, destroy_memory>>;

inline std::span<double> values(N_Vector vector) {
  return {N_VGetArrayPointer(vector), static_cast<std::size_t>(N_VGetLength(vector))};
}

/// What CVODE answers to calls that fail only by a bug or for want of memory.
inline void check(int flag) {
  if (flag < 0) throw std::runtime_error("CVODE: " + std::string(CVodeGetReturnFlagName(flag)));
}

inline ContextHandle make_context() {
  SUNContext context = nullptr;
  if (SUNContext_Create(nullptr, &context) != 0) throw std::bad_alloc();
  return ContextHandle(context);
}

}  // namespace dalembert::motion::cvode
