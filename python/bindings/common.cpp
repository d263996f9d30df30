#include "python/bindings/common.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string_view>
#include <thread>

#include "python/bindings/origin.hpp"

namespace dalembert::python {

namespace {

/// The same error in words that fit a program: what the command calls --set are parameters, and
/// what a model file says has a counterpart.
model::ModelError for_programs(model::ModelError error) {
  constexpr std::string_view option = "--set ";
  for (model::Diagnostic& d : error.diagnostics) {
    if (d.message.starts_with(option)) d.message.replace(0, option.size(), "parameter ");
    const auto adjusts = [](const std::string& line) {
      return line.find("set adjust = \"nearest\"") != std::string::npos;
    };
    if (std::ranges::any_of(d.details, adjusts)) {
      d.details.emplace_back(
          "  in Python: adjust=\"nearest\" in simulate or s.initial, hold=[...] in s.initial");
    }
  }
  return error;
}

}  // namespace

namespace {

/// One thing that is wrong, with the statement of the program that said it.
std::string told(const model::ModelError& error, const model::Diagnostic& diagnostic) {
  const model::Location& where = diagnostic.where;
  if (where.program == nullptr) return model::to_string({error.source, {diagnostic}});
  model::Diagnostic unplaced = diagnostic;
  unplaced.where = {};
  const nb::object remark =
      nb::module_::import_("dalembert.origins")
          .attr("remark")(where.program, where.line, std::string(program_call(where.program)));
  return model::to_string({error.source, {unplaced}}) + nb::cast<std::string>(remark) + "\n";
}

}  // namespace

void raise(const model::ModelError& given) {
  const InPython python;
  constexpr std::size_t most_shown = 20;
  const model::ModelError error = for_programs(given);
  nb::list diagnostics;
  std::string text;
  for (const model::Diagnostic& d : error.diagnostics) {
    nb::list details;
    for (const std::string& line : d.details) details.append(line);
    nb::object file = nb::none();
    if (d.where.program != nullptr) file = nb::str(d.where.program);
    if (nb::len(diagnostics) < most_shown) text += told(error, d);
    diagnostics.append(
        nb::make_tuple(d.message, d.where.line, d.where.column, d.where.length, details, file));
  }
  if (error.diagnostics.size() > most_shown)
    text += fmt::format("and {} more\n", error.diagnostics.size() - most_shown);
  if (!text.empty() && text.back() == '\n') text.pop_back();
  const nb::object type = nb::module_::import_("dalembert.errors").attr("ModelError");
  const nb::object exception = type(text, diagnostics);
  PyErr_SetObject(type.ptr(), exception.ptr());
  throw nb::python_error();
}

namespace {

bool in_main_thread() {
  const InPython python;
  const nb::object threading = nb::module_::import_("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

}  // namespace

bool run_interruptibly(std::atomic<bool>& stop, const std::function<void()>& work,
                       const std::function<bool()>& meanwhile) {
  if (!meanwhile && !in_main_thread()) {
    const InterpreterFree free;
    work();
    return false;
  }
  constexpr std::chrono::milliseconds look_every(20);
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;
  std::exception_ptr failure;
  bool interrupted = false;
  {
    std::jthread worker([&] {
      try {
        work();
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      done = true;
      ended.notify_one();
    });
    for (bool over = false; !over;) {
      {
        const InterpreterFree free;
        std::unique_lock lock(mutex);
        over = ended.wait_for(lock, look_every, [&] { return done; });
      }
      if (!interrupted && (PyErr_CheckSignals() != 0 || (meanwhile && !meanwhile()))) {
        interrupted = true;
        stop = true;
      }
    }
    const InterpreterFree free;
    worker.join();
  }
  if (failure) {
    PyErr_Clear();
    std::rethrow_exception(failure);
  }
  return interrupted;
}

}  // namespace dalembert::python
