#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "dalembert/model/toml/texts.hpp"
#include "python/bindings/common.hpp"

namespace dalembert::python {

void bind_texts(nb::module_& m) {
  m.def(
      "document_texts",
      [](const std::vector<nb::object>& expressions,
         const std::vector<std::pair<std::string, nb::object>>& lets, const nb::iterable& taken) {
        std::vector<expr::Expr> roots;
        roots.reserve(expressions.size());
        for (const nb::object& e : expressions) roots.push_back(to_expression(e).e);
        std::vector<model::TextLet> named;
        for (const auto& [name, e] : lets) named.push_back({name, to_expression(e).e});
        std::set<std::string> names;
        for (nb::handle name : taken) names.insert(nb::cast<std::string>(name));
        model::Texts texts = [&] {
          const InterpreterFree free;
          return model::texts_of(std::move(roots), std::move(named), std::move(names));
        }();
        return std::make_tuple(std::move(texts.roots), std::move(texts.lets),
                               std::move(texts.parts));
      },
      nb::arg("expressions"), nb::arg("lets") = nb::make_tuple(),
      nb::arg("taken") = nb::make_tuple(),
      nb::sig("def document_texts(expressions: typing.Sequence[typing.Any], lets: "
              "typing.Sequence[tuple[str, typing.Any]] = (), taken: typing.Iterable[str] = ()) -> "
              "tuple[list[str], list[str], list[tuple[str, str]]]"),
      "The texts of expressions for a model file, with names for what is declared as a let (h) "
      "and\n"
      "its time derivatives (h', h''); the texts of those lets; and further lets (name, text), in\n"
      "an order that defines before use, for what would otherwise be written over and over or\n"
      "nested too deeply. The names of further lets are not among `taken`. The component of a\n"
      "vector let is declared as ('p.x', expression). All texts together are O(the size of the\n"
      "graph) long; reading them gives the same expressions.");
}

}  // namespace dalembert::python
