/// Models as they are read: the engine's view of a model file.

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "dalembert/model/bundled.hpp"
#include "dalembert/model/model.hpp"
#include "python/bindings/common.hpp"

namespace dalembert::python {

void bind_models(nb::module_& m) {
  nb::class_<PyModel>(m, "Model")
      .def_static(
          "from_text",
          [](std::string text, const std::string& name, const NamesPointer& names) {
            auto result = [&] {
              const nb::gil_scoped_release release;
              return model::read_model_text(std::move(text), name);
            }();
            return PyModel{
                std::make_shared<const model::Model>(value_or_raise(std::move(result))), names};
          },
          nb::arg("text"), nb::arg("name"), nb::arg("names"))
      .def_prop_ro("name", [](const PyModel& self) { return self.model->name; })
      .def_prop_ro("coordinates", [](const PyModel& self) { return self.model->coordinates; });
}

}  // namespace dalembert::python
