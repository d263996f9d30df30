/// Tables of numbers, as functions of expressions, and models whose inputs follow them.

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>

#include "dalembert/model/columns.hpp"
#include "dalembert/model/table.hpp"
#include "python/bindings/common.hpp"
#include "python/bindings/scope.hpp"

namespace dalembert::python {

namespace {

using NumberRow = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using NewRow = nb::ndarray<nb::numpy, double, nb::ndim<1>>;

std::vector<double> numbers(const NumberRow& array) {
  return {array.data(), array.data() + array.shape(0)};
}

template <class T, std::size_t N>
T word_for(const std::string& given, const std::array<T, N>& values, std::string_view what) {
  for (const T value : values)
    if (expr::to_string(value) == given) return value;
  std::string known;
  for (const T value : values)
    known += fmt::format("{}'{}'", known.empty() ? "" : ", ", expr::to_string(value));
  throw nb::value_error(fmt::format("no {} '{}'; there are {}", what, given, known).c_str());
}

constexpr std::array interpolations = {expr::Interpolation::linear, expr::Interpolation::hold,
                                       expr::Interpolation::cubic, expr::Interpolation::spline};
constexpr std::array outsides = {expr::Outside::hold, expr::Outside::error};

PyTable through(const std::string& name, const NumberRow& x, const NumberRow& y,
                const std::string& interpolation, const std::string& outside) {
  const std::vector<double> nodes = numbers(x), values = numbers(y);
  if (const std::string reason = model::table_objection(nodes, values); !reason.empty())
    throw nb::value_error(fmt::format("table '{}': {}", name, reason).c_str());
  return {expr::Table::through(name, nodes, values,
                               word_for(interpolation, interpolations, "interpolation"),
                               word_for(outside, outsides, "way outside of a table"))};
}

NewRow values_of(const PyTable& self, const NumberRow& s) {
  const std::size_t size = s.shape(0);
  double* result = new double[size];
  const nb::capsule owner(result,
                          [](void* memory) noexcept { delete[] static_cast<double*>(memory); });
  for (std::size_t i = 0; i < size; ++i) result[i] = self.table->value(s.data()[i]);
  return NewRow(result, {size}, owner);
}

}  // namespace

void bind_tables(nb::module_& m) {
  nb::class_<PyTable>(m, "Table", "A function given by points: F(s) in expressions.")
      .def_static("through", &through, nb::arg("name"), nb::arg("x"), nb::arg("y"),
                  nb::arg("interpolation"), nb::arg("outside"))
      .def_static(
          "of_pieces",
          [](const std::string& name, const NumberRow& nodes, int degree,
             const NumberRow& coefficients, double last) {
            return PyTable{expr::Table::of_pieces(
                name, numbers(nodes), degree, numbers(coefficients), last, expr::Outside::hold)};
          },
          nb::arg("name"), nb::arg("nodes"), nb::arg("degree"), nb::arg("coefficients"),
          nb::arg("last"))
      .def_prop_ro("name", [](const PyTable& self) { return self.table->name(); })
      .def_prop_ro("title", [](const PyTable& self) { return self.table->title(); })
      .def_prop_ro("nodes",
                   [](const PyTable& self) {
                     return std::vector<double>(self.table->nodes().begin(),
                                                self.table->nodes().end());
                   })
      .def("values", &values_of, nb::arg("s"))
      .def(
          "apply",
          [](const PyTable& self, const Expression& s) {
            return Expression{expr::apply_table(self.table, s.e), s.names};
          },
          nb::arg("s"))
      .def(
          "derivative",
          [](const PyTable& self) -> nb::object {
            if (self.table->derivative() == nullptr) return nb::none();
            return nb::cast(PyTable{self.table->derivative()});
          },
          nb::sig("def derivative(self) -> Table | None"));
  m.def(
      "read_columns",
      [](const std::string& path) {
        const model::Columns columns = value_or_raise([&] {
          const InterpreterFree free;
          return model::read_columns(path);
        }());
        nb::dict result;
        for (std::size_t i = 0; i < columns.names.size(); ++i)
          result[columns.names[i].c_str()] = columns.values[i];
        return result;
      },
      nb::arg("path"), nb::sig("def read_columns(path: str) -> dict[str, list[float]]"),
      "The columns of a file of numbers by name.");
  m.def(
      "with_inputs",
      [](const PyModel& model, const std::vector<PyTable>& driven) {
        if (model.model->draft == nullptr) throw nb::value_error("the model has no draft");
        std::vector<std::shared_ptr<const expr::Table>> tables;
        for (const PyTable& table : driven) tables.push_back(table.table);
        const auto draft = model::with_inputs(*model.model->draft, tables);
        if (!draft) throw nb::value_error(draft.error().c_str());
        auto result = [&] {
          const InterpreterFree free;
          return model::assemble(*draft);
        }();
        return PyModel{std::make_shared<const model::Model>(value_or_raise(std::move(result))),
                       model.names};
      },
      nb::arg("model"), nb::arg("driven"),
      "The model whose inputs follow tables of t, each called like its input.");
}

}  // namespace dalembert::python
