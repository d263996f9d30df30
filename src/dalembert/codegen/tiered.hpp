#pragma once
/// A program that is interpreted at first and becomes machine code when that has paid: as soon as
/// the interpreter has worked for as long as compiling takes, so that at worst twice the time is
/// spent that would have been had one known how often the tape is to run. Compiling is done by one
/// thread in the background, for all kernels in turn; long tapes are compiled quickly first and
/// well when they have run for as long again.

#include <memory>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/codegen/series.hpp"

namespace dalembert::codegen {

/// May be run by any number of threads while it changes.
std::shared_ptr<const Program> tiered(std::shared_ptr<const Tape> tape, int lanes);
/// The loop over the orders of a series (series_kernel.hpp) likewise.
std::shared_ptr<const Program> tiered(std::shared_ptr<const Series> series, int lanes);

}  // namespace dalembert::codegen
