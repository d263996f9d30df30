/// Counts the heap allocations of the test program, for tests of code that promises to make none.
#pragma once

namespace dalembert {

/// Calls of any form of operator new since the program began, in all threads.
long allocations_so_far();

}  // namespace dalembert
