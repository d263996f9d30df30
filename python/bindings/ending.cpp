/// What becomes of threads that are at work in the engine when the interpreter ends.
///
/// Python calls the functions of `atexit` before it begins to end, in the thread that ends it. Ours
/// says so to all others, and waits for those that were on their way back to the interpreter: each
/// of them has counted itself before it looked whether the end had come, so none is overlooked.

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "python/bindings/common.hpp"

#ifdef Py_LIMITED_API
#include <dlfcn.h>
#endif

namespace dalembert::python {

namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

std::atomic<int> coming_back{0};  ///< threads that wait for the interpreter
std::atomic<int> in_python{0};    ///< threads that run Python's code, called from here
std::atomic<bool> ending{false};
std::atomic<std::thread::id> last_thread;  ///< the one that ends the interpreter

constexpr auto look_every = 1ms;
/// How long a thread that wants the interpreter waits for its end. What has not ended by then runs
/// other functions of `atexit`, which may be waiting for this very thread.
constexpr auto longest_end = 1s;
/// How long the end waits for Python's code that was called from here.
constexpr auto longest_call = 2s;

bool is_finalizing() {
#ifdef Py_LIMITED_API
  // In the stable ABI from 3.13 on; 3.12 has it under a name of its own.
  using Question = int (*)();
  static const auto question = [] {
    void* const named = dlsym(RTLD_DEFAULT, "Py_IsFinalizing");
    return reinterpret_cast<Question>(named != nullptr ? named
                                                       : dlsym(RTLD_DEFAULT, "_Py_IsFinalizing"));
  }();
  return question != nullptr && question() != 0;
#elif PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

bool has_to_stay_away() {
  return ending && last_thread.load() != std::this_thread::get_id();
}

/// Called without the interpreter: returns if that does not end soon.
void wait_for_the_end() {
  const auto until = steady_clock::now() + longest_end;
  while (!is_finalizing()) {
    if (steady_clock::now() > until) return;
    std::this_thread::sleep_for(look_every);
  }
  for (;;) std::this_thread::sleep_for(1h);
}

void begin_the_end() {
  last_thread = std::this_thread::get_id();
  ending = true;
  const InterpreterFree free;
  while (coming_back > 0) std::this_thread::sleep_for(look_every);
  const auto until = steady_clock::now() + longest_call;
  while (in_python > 0 && steady_clock::now() < until) std::this_thread::sleep_for(look_every);
}

}  // namespace

InterpreterFree::~InterpreterFree() {
  ++coming_back;
  if (has_to_stay_away()) {
    --coming_back;
    wait_for_the_end();
    ++coming_back;
  }
  PyEval_RestoreThread(state_);
  --coming_back;
}

InPython::InPython() {
  ++in_python;
  if (!has_to_stay_away()) return;
  --in_python;
  {
    const InterpreterFree free;
  }
  ++in_python;
}

InPython::~InPython() {
  --in_python;
}

void watch_for_the_end() {
  // The threads that were counted are not in a child.
  pthread_atfork(nullptr, nullptr, [] { coming_back = in_python = 0; });
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&begin_the_end));
}

}  // namespace dalembert::python
