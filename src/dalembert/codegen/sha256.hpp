#pragma once
/// SHA-256 (FIPS 180-4): names what is compiled, and finds out damage to it.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace dalembert::codegen {

using Digest = std::array<std::uint8_t, 32>;

/// About 3.5 ns a byte.
Digest sha256(std::string_view bytes);

/// In 64 hexadecimal digits.
std::string to_hex(const Digest& digest);

}  // namespace dalembert::codegen
