#pragma once
/// Who stands on whom: flow says the names of solve as its own, motion those of both. So names that
/// stood in motion before there were three rooms are still found there.

namespace dalembert::solve {}
namespace dalembert::flow {
using namespace solve;
}
namespace dalembert::motion {
using namespace solve;
using namespace flow;
}  // namespace dalembert::motion
