/// dalembert._core: the engine behind the Python package. What users call is in python/dalembert/.

#include <cstdlib>

#include "python/bindings/common.hpp"

NB_MODULE(_core, m) {
  using namespace dalembert::python;
  // What a session still holds when the interpreter ends is no leak of ours; tests want to hear of
  // it.
  nb::set_leak_warnings(std::getenv("DALEMBERT_LEAK_WARNINGS") != nullptr);
  m.attr("__version__") = DALEMBERT_VERSION;
  watch_for_the_end();
  bind_expressions(m);
  bind_tables(m);
  bind_models(m);
  bind_drafts(m);
  bind_motions(m);
  bind_numbers(m);
  bind_simulations(m);
  bind_sweeps(m);
  bind_gatherings(m);
  bind_derivations(m);
  bind_exports(m);
}
