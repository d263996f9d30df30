#pragma once
/// NVIDIA's graphics processors, by the driver's own library, libcuda.so.1, which is loaded when
/// one is first wanted. Nothing of CUDA is needed to build or to install this program.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dalembert/codegen/iterated.hpp"
#include "dalembert/expr/result.hpp"

namespace dalembert::codegen {

/// Iterates many starts of one tape (iterated.hpp).
class Iteration {
 public:
  virtual ~Iteration() = default;
  /// `count` starts: sizes are those of the tape's parameters, of x and of all their rows times
  /// `count`, and `count`. Says what went wrong, if something did. By one thread at a time.
  virtual std::optional<std::string> run(std::span<const double> parameters, std::span<double> x,
                                         std::span<double> rows, std::span<double> status) = 0;
  const std::string& device() const { return device_; }  ///< what runs it, by its name
  double seconds() const { return seconds_; }            ///< of its computing, so far

 protected:
  std::string device_;
  double seconds_ = 0;
};

using Iterations = std::vector<std::unique_ptr<Iteration>>;

/// On every graphics processor of this machine, or those that CUDA_VISIBLE_DEVICES says: one
/// iteration each, at least one. Why not, in a sentence, if there is none. With DALEMBERT_GPU=here
/// in the environment the same code runs on this processor, for tests, with here:N as on N; with
/// DALEMBERT_GPU=record:DIR it also writes the code and the numbers of the last call there, for a
/// machine that has no dalembert (benches/repeat_on_gpu.py).
expr::Result<Iterations, std::string> iterate_on_graphics(const Iterated& iterated);

/// The same intermediate code on this processor, in this thread.
expr::Result<std::unique_ptr<Iteration>, std::string> iterate_here(const Iterated& iterated);

}  // namespace dalembert::codegen
