/// Compiled models.

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "dalembert/motion/motion.hpp"
#include "python/bindings/common.hpp"

namespace dalembert::python {

void bind_motions(nb::module_& m) {
  nb::class_<PyMotion>(m, "Motion")
      .def_prop_ro("coordinates",
                   [](const PyMotion& self) { return self.motion.model().coordinates; })
      .def_prop_ro("constraints",
                   [](const PyMotion& self) { return self.motion.constraint_names(); })
      .def_prop_ro("method", [](const PyMotion& self) {
        return std::string(motion::to_string(self.motion.method()));
      });
  m.def(
      "compile",
      [](const PyModel& model, const std::map<std::string, std::string>& settings,
         const std::optional<std::string>& method) {
        motion::CompileOptions options;
        options.settings = settings;
        options.method = method;
        auto result = [&] {
          const nb::gil_scoped_release release;
          return motion::compile(*model.model, options);
        }();
        return PyMotion{value_or_raise(std::move(result)), model.names};
      },
      nb::arg("model"), nb::arg("settings"), nb::arg("method").none());
}

}  // namespace dalembert::python
