#pragma once
/// What the bindings of numbers share: one motion's accelerations and functions of many states.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "dalembert/study/states/accelerations.hpp"
#include "dalembert/study/states/state_function.hpp"
#include "python/bindings/common.hpp"

namespace dalembert::python {

/// What is made when first asked for, and shared by the motions that differ in parameters only. The
/// interpreter must be free for others while any of these is called.
class PyStates {
 public:
  explicit PyStates(motion::Motion motion, std::shared_ptr<PyStates> origin = {})
      : motion_(std::move(motion)), origin_(std::move(origin)) {}

  const motion::Motion& motion() const { return motion_; }
  std::size_t n() const { return motion_.coordinates(); }
  std::size_t m() const { return motion_.constraints(); }

  std::shared_ptr<const study::Accelerations> accelerations();
  /// "mass_matrix" (n x n), "constraint_matrix" (m x n), "b" (m), "energy" (T, V) or "residuals"
  /// (m left sides minus right sides, then m rates).
  std::shared_ptr<const study::StateFunction> function(const std::string& name);

  /// The one from which another for other parameters takes what has been made.
  static std::shared_ptr<PyStates> origin_of(const std::shared_ptr<PyStates>& states) {
    return states->origin_ ? states->origin_ : states;
  }

 private:
  motion::Motion motion_;
  std::shared_ptr<PyStates> origin_;
  std::mutex mutex_;
  std::shared_ptr<const study::Accelerations> accelerations_;
  std::map<std::string, std::shared_ptr<const study::StateFunction>> functions_;
};

template <class T, int dimensions>
using Array = nb::ndarray<T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;

using Numbers = Array<const double, 2>;

/// Rows for N states of numbers (N x size, or 1 x size); throws std::invalid_argument for another
/// shape.
study::Rows rows_of(const Numbers& numbers, std::size_t count, std::size_t size, const char* name);

/// Work on so many states with the interpreter free, stopped by Ctrl-C where it may take long.
void work_on_states(std::size_t count, int threads,
                    const std::function<void(const study::Sharing&)>& work);

void bind_rhs(nb::module_& m);
void bind_fundamental(nb::module_& m);
void bind_linear(nb::module_& m);

}  // namespace dalembert::python
