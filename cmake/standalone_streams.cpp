// The streams of the C library for HDF5's archive in a shared library (Standalone.cmake): there it
// cannot use those of the C library, which lie at a distance that nobody knows before the program
// starts.
#include <cstdio>

extern "C" {
[[gnu::visibility("hidden")]] extern std::FILE* dalembert_standard_error;
[[gnu::visibility("hidden")]] extern std::FILE* dalembert_standard_output;
std::FILE* dalembert_standard_error = stderr;
std::FILE* dalembert_standard_output = stdout;
}
