#pragma once
/// What all bindings share: errors, and work that Ctrl-C can stop.

#include <nanobind/nanobind.h>

#include <atomic>
#include <functional>
#include <string>

#include "dalembert/flow/compiled.hpp"
#include "dalembert/model/diagnostic.hpp"
#include "python/bindings/expression.hpp"

namespace dalembert::python {

/// Raises dalembert.ModelError, a ValueError, with the located messages.
[[noreturn]] void raise(const model::ModelError& error);

/// The value of a result, or its error raised.
template <class T>
T value_or_raise(expr::Result<T, model::ModelError> result) {
  if (!result) raise(result.error());
  return *std::move(result);
}

/// The interpreter is free for other threads while this lives; it stands for
/// nb::gil_scoped_release, which must not be used. A daemon thread may be at work here when the
/// interpreter ends. Up to Python 3.13 a thread that then wants the interpreter back is unwound by
/// force, and C++ would end the process with an abort; here it sleeps until the process is over.
class InterpreterFree {
 public:
  InterpreterFree() : state_(PyEval_SaveThread()) {}
  InterpreterFree(const InterpreterFree&) = delete;
  InterpreterFree& operator=(const InterpreterFree&) = delete;
  ~InterpreterFree();

 private:
  PyThreadState* state_;
};

/// Held, with the interpreter, around Python's own code that is run from here: that code gives the
/// interpreter away now and then, and the end of the interpreter waits a moment for it.
class InPython {
 public:
  InPython();
  InPython(const InPython&) = delete;
  InPython& operator=(const InPython&) = delete;
  ~InPython();
};

/// From the end of the interpreter on, the threads that are still at work sleep instead of coming
/// back.
void watch_for_the_end();

/// Does the work with the interpreter free for others. Called in the main thread, where Python
/// takes signals, the work goes to a thread of its own and signals are looked for every 20 ms; a
/// handler that raises, as that of Ctrl-C does, sets `stop` and the work is waited for. Returns
/// whether that happened: the Python error is then set and must be raised or cleared by the caller.
/// Exceptions of the work are thrown here. `meanwhile`, if there is one, is called as often by the
/// same thread, the interpreter held; where it returns false, with a Python error set or without,
/// the work is stopped likewise.
bool run_interruptibly(std::atomic<bool>& stop, const std::function<void()>& work,
                       const std::function<bool()>& meanwhile = {});

/// A function given by points.
struct PyTable {
  std::shared_ptr<const expr::Table> table;
};

/// A model as it was read.
struct PyModel {
  std::shared_ptr<const model::Model> model;
  NamesPointer names;
};

/// A compiled model.
struct PyMotion {
  motion::Motion motion;
  NamesPointer names;
};

void bind_expressions(nb::module_& m);
void bind_models(nb::module_& m);
void bind_tables(nb::module_& m);
void bind_drafts(nb::module_& m);
void bind_motions(nb::module_& m);
void bind_numbers(nb::module_& m);
void bind_simulations(nb::module_& m);
void bind_sweeps(nb::module_& m);
void bind_gatherings(nb::module_& m);
void bind_derivations(nb::module_& m);
void bind_exports(nb::module_& m);

}  // namespace dalembert::python
