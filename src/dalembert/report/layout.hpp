#pragma once
/// Words, numbers and tables as a terminal shows them.

#include <cstddef>
#include <string>
#include <vector>

namespace dalembert::report {

/// "1 step", "2 steps", "3 bodies".
std::string count(std::size_t k, const std::string& what);

/// Characters on screen, for padding names that are not ASCII.
std::size_t width(const std::string& text);
std::string left(const std::string& text, std::size_t columns);
std::string right(const std::string& text, std::size_t columns);

/// A few digits, and exponents as a person writes them: 1e-9, 2.3e-15.
std::string brief(double x, int digits);

/// Rows of cells, the first column to the left, the others to the right.
std::string table(const std::vector<std::vector<std::string>>& rows, const std::string& indent);

}  // namespace dalembert::report
