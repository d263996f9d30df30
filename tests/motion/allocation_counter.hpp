/// Counts the heap allocations of the test program, for tests of code that promises to make none.
/// Counted at malloc, where both operator new and Eigen (which does not use operator new) end;
/// where malloc cannot be replaced (sanitizers), at operator new.
#pragma once

#include <cstdlib>  // says whether this is glibc

#if defined(__GLIBC__) && !defined(DALEMBERT_SANITIZED)
#define DALEMBERT_COUNTS_MALLOC 1
#endif

namespace dalembert {

/// Since the program began, in all threads.
long allocations_so_far();
long allocated_bytes_so_far();

}  // namespace dalembert
