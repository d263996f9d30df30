#pragma once
/// Random numbers that belong to a place, not to a sequence: number j of run i of a study with seed
/// s is always the same, whoever asks for it and in whatever order.
///
/// Philox 4x32 with 10 rounds: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random
/// numbers: as easy as 1, 2, 3", SC 2011.

#include <array>
#include <cstdint>

namespace dalembert::study {

/// The generator itself: four words out of a counter and a key.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

/// Uniform in [0, 1), a multiple of 2^-53.
double uniform(std::uint64_t seed, std::uint64_t run, std::uint32_t variable);

/// Normal with mean 0 and variance 1, by the inverse of its distribution function: monotonic in
/// the uniform number of the same place.
double normal(std::uint64_t seed, std::uint64_t run, std::uint32_t variable);

/// The x with P(X < x) = p for a normal variable, 0 < p < 1, to about 1e-15 relative.
double normal_quantile(double p);

}  // namespace dalembert::study
