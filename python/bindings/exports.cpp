/// Motions packed for other programs: the files of `dalembert export`, as bytes.

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "dalembert/packing/fmu.hpp"
#include "dalembert/packing/reference.hpp"
#include "dalembert/packing/script.hpp"
#include "python/bindings/refusal.hpp"

namespace dalembert::python {

namespace {

struct Exported {
  packing::Files files;
  std::vector<std::string> left_out;
  std::string note;  ///< why an FMU has no binary
  std::optional<std::string> refused;
};

model::Result<Exported, model::ModelError> exported(const motion::Motion& motion,
                                                    const std::string& name, const std::string& to,
                                                    int fmi) {
  const bool code = to == "c" || to == "fmu";
  const auto system =
      packing::pack(motion, name, code ? packing::Purpose::motions : packing::Purpose::states);
  if (!system) return model::Failure{system.error()};
  Exported result;
  result.left_out = system->left_out;
  if (to == "c") {
    result.files = packing::c_project(*system);
  } else if (to == "fmu") {
    packing::FmuArchive archive =
        packing::fmu_archive(*system, fmi == 3 ? packing::Fmi::three : packing::Fmi::two,
                             packing::reference_results(motion, *system));
    result.files[system->prefix + ".fmu"] = std::move(archive.bytes);
    result.note = archive.note;
  } else {
    const bool python = to == "python";
    const auto script = packing::script_of(
        *system, python ? codegen::Language::python : codegen::Language::javascript);
    if (!script) {
      result.refused = script.error();
    } else {
      result.files[system->prefix + (python ? ".py" : ".js")] = *script;
    }
  }
  return result;
}

}  // namespace

void bind_exports(nb::module_& m) {
  m.def(
      "export_files",
      [](const PyMotion& self, const std::string& name, const std::string& to, int fmi) {
        auto result = [&] {
          const InterpreterFree free;
          return exported(self.motion, name, to, fmi);
        }();
        const Exported found = value_or_raise(std::move(result));
        if (found.refused) refuse(*found.refused);
        nb::typed<nb::dict, nb::str, nb::bytes> files;
        for (const auto& [path, text] : found.files)
          files[path.c_str()] = nb::bytes(text.data(), text.size());
        return nb::make_tuple(files, found.left_out, found.note);
      },
      nb::arg("motion"), nb::arg("name"), nb::arg("to"), nb::arg("fmi"),
      "Files by name, outputs left out, and why an FMU has no binary.");
}

}  // namespace dalembert::python
