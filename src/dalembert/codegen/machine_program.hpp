#pragma once
/// Tapes run by machine code, kept on disk for the next time.

#include <atomic>
#include <memory>

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/codegen/machine.hpp"
#include "dalembert/codegen/series.hpp"

namespace dalembert::codegen {

/// The tape as machine code in 1, 4 or 8 lanes, from the cache on disk or compiled now. Null if
/// this machine cannot run or make it, or `stop` came true before it was done.
std::shared_ptr<const Program> machine_program(const Tape& tape, int lanes, Level level,
                                               const std::atomic<bool>& stop);

/// The loop over the orders of a series (series_kernel.hpp) likewise; null also where its tape is
/// too long.
std::shared_ptr<const Program> machine_program(const Series& series, int lanes, Level level);

}  // namespace dalembert::codegen
