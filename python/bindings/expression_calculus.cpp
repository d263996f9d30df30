/// What is done with expressions: derivatives, substitution, values, simpler forms.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <unordered_map>

#include "dalembert/expr/algebra.hpp"
#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/effort.hpp"
#include "dalembert/expr/evaluate.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/expr/print.hpp"
#include "dalembert/expr/suggest.hpp"
#include "python/bindings/common.hpp"

namespace dalembert::python {

namespace {

using expr::Expr;
using expr::Op;
using namespace nb::literals;

constexpr std::size_t notebook_characters = 20000;

/// The symbols of e, by name and order.
std::vector<Expr> sorted_symbols(const Expr& e) {
  std::vector<Expr> found = expr::symbols({&e, 1});
  std::sort(found.begin(), found.end(), [](const Expr& a, const Expr& b) {
    const expr::Symbol& s = a.symbol();
    const expr::Symbol& r = b.symbol();
    return std::tie(s.name, s.order, s.kind) < std::tie(r.name, r.order, r.kind);
  });
  return found;
}

/// Whether a system may use this text for a symbol: a coordinate or its rates, a parameter, time.
bool is_known(std::string_view text, const NamesPointer& names) {
  if (text == "t") return true;
  if (!names) return false;
  const std::size_t primes = text.size() - std::min(text.find('\''), text.size());
  const auto found = names->kinds.find(text.substr(0, text.size() - primes));
  if (found == names->kinds.end()) return false;
  return text.find_first_not_of('\'', text.size() - primes) == std::string_view::npos &&
         (primes == 0 || found->second == NameKind::coordinate);
}

/// The key of a mapping: an expression, or the text of a symbol. A symbol of the system that the
/// expression does not contain is fine; a text that is none is refused.
Expr key_of(nb::handle key, const NamesPointer& names,
            const std::unordered_map<std::string, Expr>& by_text) {
  if (!nb::isinstance<nb::str>(key)) return to_expression(key, names).e;
  const std::string text = nb::cast<std::string>(key);
  const auto found = by_text.find(text);
  if (found != by_text.end()) return found->second;
  if (!is_known(text, names)) {
    std::vector<std::string> known;
    for (const auto& [own, symbol] : by_text) known.push_back(own);
    std::sort(known.begin(), known.end());
    const std::string meant = expr::did_you_mean(text, known);
    const std::string there = known.empty()
                                  ? "; there are no symbols in it"
                                  : fmt::format("; there {} {}", known.size() == 1 ? "is" : "are",
                                                fmt::join(known, ", "));
    raise_unknown_name(
        fmt::format("the expression has no '{}'{}", text, meant.empty() ? there : meant));
  }
  return expr::auxiliary(text);
}

std::unordered_map<std::string, Expr> symbols_by_text(const Expr& e) {
  std::unordered_map<std::string, Expr> result;
  for (const Expr& s : expr::symbols({&e, 1})) result.emplace(expr::to_text(s), s);
  return result;
}

Expression partial(const Expression& self, const nb::args& variables) {
  if (variables.empty())
    throw nb::type_error(
        "diff() needs a symbol to differentiate with respect to; the time derivative is .d");
  Expression result = self;
  for (nb::handle variable : variables) {
    const Expression x = to_expression(variable);
    if (!x.e.is(Op::symbol)) {
      throw nb::value_error(
          fmt::format(
              "derivatives are with respect to a coordinate, a rate, a parameter or t, not {}",
              expr::to_text(x.e, 60))
              .c_str());
    }
    NamesPointer names = common_names(result, x);
    result = checked(expr::differentiate(result.e, x.e), std::move(names));
  }
  return result;
}

/// The partial derivative; by t only where that is the whole one.
Expression differentiate(const Expression& self, const nb::args& variables) {
  const auto moves = [](const expr::Symbol& s) {
    return s.kind != expr::SymbolKind::parameter && s.kind != expr::SymbolKind::time;
  };
  for (const nb::handle variable : variables) {
    const Expression x = to_expression(variable);
    if (x.e.is(Op::symbol) && x.e.symbol().kind == expr::SymbolKind::time &&
        expr::find_symbol(self.e, moves)) {
      throw nb::type_error(fmt::format("{} moves: its derivative in time is .d, and .partial(t) "
                                       "the one with everything that moves held fixed",
                                       expr::to_text(self.e, 60))
                               .c_str());
    }
  }
  return partial(self, variables);
}

Expression replaced(const Expression& self, const expr::ExprMap& replacements, NamesPointer names) {
  std::unordered_map<const expr::Node*, Expr> image;
  for (const Expr& e : expr::postorder(self.e)) {
    if (const auto found = replacements.find(e); found != replacements.end()) {
      image.emplace(e.node(), found->second);
      continue;
    }
    std::vector<Expr> args;
    args.reserve(e.args().size());
    bool changed = false;
    for (const Expr& arg : e.args()) {
      args.push_back(image.at(arg.node()));
      changed = changed || !expr::same(args.back(), arg);
    }
    image.emplace(e.node(), changed ? rebuilt(e, args) : e);
  }
  return {image.at(self.e.node()), std::move(names)};
}

Expression substitute(const Expression& self, nb::handle mapping, nb::handle value) {
  expr::ExprMap replacements;
  NamesPointer names = self.names;
  const auto by_text = symbols_by_text(self.e);
  const auto add = [&](nb::handle from, nb::handle to) {
    const Expression target = to_expression(to, names);
    if (!names) names = target.names;
    replacements.insert_or_assign(key_of(from, names, by_text), target.e);
  };
  if (value.is_valid() && !value.is_none()) {
    add(mapping, value);
  } else {
    if (!nb::hasattr(mapping, "items")) {
      throw nb::type_error(
          "subs() takes a mapping, {x: y}, or an expression and its replacement: "
          "subs(x, y)");
    }
    for (nb::handle item : mapping.attr("items")()) add(item[0], item[1]);
  }
  return replaced(self, replacements, names);
}

using Array = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

/// Values of symbols: numbers, and arrays of one common shape.
struct Given {
  std::unordered_map<const expr::Node*, std::size_t> column;
  std::vector<Array> arrays;
};

constexpr std::size_t block = 256;

/// e for all rows, a block of rows at a time, node by node.
void evaluate_rows(const Expr& e, const Given& given, std::size_t rows, double* out) {
  const std::vector<Expr> order = expr::postorder(e);
  std::unordered_map<const expr::Node*, std::size_t> place;
  for (std::size_t i = 0; i < order.size(); ++i) place.emplace(order[i].node(), i);
  std::vector<double> values(order.size() * std::min(block, std::max<std::size_t>(rows, 1)));
  std::vector<const double*> operands;
  std::vector<double> args;
  for (std::size_t begin = 0; begin < rows; begin += block) {
    const std::size_t count = std::min(block, rows - begin);
    for (std::size_t i = 0; i < order.size(); ++i) {
      double* const own = values.data() + i * count;
      if (order[i].is(Op::symbol)) {
        const Array& array = given.arrays[given.column.at(order[i].node())];
        std::copy_n(array.data() + begin, count, own);
        continue;
      }
      operands.clear();
      for (const Expr& arg : order[i].args())
        operands.push_back(values.data() + place.at(arg.node()) * count);
      args.resize(operands.size());
      for (std::size_t row = 0; row < count; ++row) {
        for (std::size_t k = 0; k < operands.size(); ++k) args[k] = operands[k][row];
        own[row] = expr::evaluate_operation(order[i], args);
      }
    }
    std::copy_n(values.data() + (order.size() - 1) * count, count, out + begin);
  }
}

nb::object evaluate(const Expression& self, nb::handle mapping, const nb::kwargs& by_name) {
  std::unordered_map<const expr::Node*, nb::object> given;
  const auto by_text = symbols_by_text(self.e);
  std::vector<Expr> keys;
  const auto add = [&](nb::handle key, nb::handle value) {
    const Expr symbol = key_of(key, self.names, by_text);
    if (!symbol.is(Op::symbol)) {
      throw nb::value_error(
          fmt::format("evaluate() takes values of symbols, and {} is none; subs() replaces it",
                      expr::to_text(symbol, 60))
              .c_str());
    }
    if (!given.emplace(symbol.node(), nb::borrow(value)).second)
      throw nb::value_error(fmt::format("{} is given twice", expr::to_text(symbol)).c_str());
    keys.push_back(symbol);
  };
  if (mapping.is_valid() && !mapping.is_none()) {
    if (!nb::hasattr(mapping, "items"))
      throw nb::type_error("evaluate() takes a mapping from names or expressions to numbers");
    for (nb::handle item : mapping.attr("items")()) add(item[0], item[1]);
  }
  for (auto [name, value] : by_name) add(name, value);
  const std::vector<Expr> needed = sorted_symbols(self.e);
  std::vector<std::string> missing;
  for (const Expr& s : needed) {
    const auto found = given.find(s.node());
    if (found == given.end() || found->second.is_none()) missing.push_back(expr::to_text(s));
  }
  if (!missing.empty()) {
    throw nb::value_error(fmt::format("evaluate() needs {} {}",
                                      missing.size() == 1 ? "a value for" : "values for",
                                      fmt::join(missing, ", "))
                              .c_str());
  }
  const nb::module_ numpy = nb::module_::import_("numpy");
  nb::list columns;
  for (const Expr& s : needed) {
    try {
      columns.append(
          numpy.attr("asarray")(plain_number(given.at(s.node())), "dtype"_a = "float64"));
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_TypeError) && !error.matches(PyExc_ValueError)) throw;
      throw nb::type_error(fmt::format("the value of {} is not a number: {}", expr::to_text(s),
                                       shown(nb::repr(given.at(s.node()))))
                               .c_str());
    }
  }
  nb::list same = nb::list(numpy.attr("broadcast_arrays")(*columns));
  const nb::object shape =
      needed.empty() ? nb::object(nb::make_tuple()) : nb::object(nb::handle(same[0]).attr("shape"));
  Given values;
  for (std::size_t i = 0; i < needed.size(); ++i) {
    values.column.emplace(needed[i].node(), i);
    values.arrays.push_back(nb::cast<Array>(numpy.attr("ascontiguousarray")(nb::handle(same[i]))));
  }
  const std::size_t rows = needed.empty() ? 1 : values.arrays.front().size();
  nb::object result = numpy.attr("empty")(shape);
  const auto out = nb::cast<nb::ndarray<double, nb::c_contig, nb::device::cpu>>(result);
  {
    const InterpreterFree free;
    evaluate_rows(self.e, values, rows, out.data());
  }
  if (nb::len(shape) == 0) return nb::float_(*out.data());
  return result;
}

/// Does algebra that Ctrl-C ends.
template <class Work>
void until_interrupted(const Work& work) {
  std::atomic<bool> stop = false;
  const bool interrupted = run_interruptibly(stop, [&] {
    try {
      const expr::Effort until_stopped(stop);
      work();
    } catch (const expr::Effort::Spent&) {
      if (!stop) throw;
    }
  });
  if (interrupted) throw nb::python_error();
}

Expression simplify(const Expression& self, const std::vector<nb::object>& collect) {
  expr::SimplifyOptions options;
  for (const nb::object& symbol : collect)
    options.collect.push_back(to_expression(symbol, self.names).e);
  expr::Expr result = self.e;
  until_interrupted([&] { result = expr::simplify(self.e, options); });
  return {result, self.names};
}

std::optional<bool> is_zero(const Expression& self) {
  expr::Verdict verdict = expr::Verdict::not_proven;
  until_interrupted([&] { verdict = expr::decide_zero(self.e).verdict; });
  if (verdict == expr::Verdict::not_proven) return std::nullopt;
  return verdict == expr::Verdict::proven;
}

std::string notebook(const std::string& latex) {
  return "$\\displaystyle " + latex + "$";
}

}  // namespace

Expr rebuilt(const Expr& e, const std::vector<Expr>& args) {
  const bool to_negative = e.is(Op::power) && args[1].is(Op::constant) && sgn(args[1].value()) < 0;
  if (to_negative && args[0].is_zero()) {
    PyErr_SetString(PyExc_ZeroDivisionError,
                    fmt::format("{} becomes a division by zero", expr::to_text(e, 60)).c_str());
    throw nb::python_error();
  }
  return checked(expr::rebuild(e, args), {}).e;
}

void bind_calculus(nb::class_<Expression>& type, nb::class_<Equality>& equation) {
  type.def("diff", &differentiate, nb::sig("def diff(self, *variables: typing.Any) -> Expr"),
           "The partial derivative with respect to a coordinate, a rate (x.d), a parameter or t, "
           "one\n"
           "after another if several are given. x, x.d and x.dd are independent of each other "
           "here;\n"
           "the total time derivative is .d, and whatever moves has no derivative with respect to "
           "t here.")
      .def("partial", &partial, nb::sig("def partial(self, *variables: typing.Any) -> Expr"),
           "The same, also with respect to t with everything that moves held fixed.")
      .def("subs", &substitute, nb::arg("mapping"), nb::arg("value") = nb::none(),
           nb::sig("def subs(self, mapping: typing.Any, value: typing.Any = None) -> Expr"),
           "The expression with the keys of a mapping replaced by its values, all at once;\n"
           "subs(x, y) replaces one. Keys are expressions or names (\"x\", \"x'\"). A key\n"
           "must occur as such: replacing x leaves its rate x' alone.")
      .def(
          "evaluate", &evaluate, nb::arg("values") = nb::none(), nb::arg("by_name"),
          nb::sig("def evaluate(self, values: typing.Mapping[typing.Any, typing.Any] | None = "
                  "None, **by_name: typing.Any) -> typing.Any"),
          "The value in double precision, where every symbol has the value that the mapping gives\n"
          "to it or to its name (\"x\", \"x'\", \"t\"), or that is given as an argument of its\n"
          "name. Where values are arrays they are "
          "broadcast,\n"
          "and the result is an array. NaN and infinities come out as arithmetic gives them.")
      .def("simplify", &simplify, nb::kw_only(), nb::arg("collect") = std::vector<nb::object>(),
           nb::sig("def simplify(self, *, collect: typing.Sequence[typing.Any] = ()) -> Expr"),
           "The expression as a person would write it: trigonometric identities applied, common\n"
           "factors factored out, terms collected by velocities and accelerations or by the "
           "symbols\n"
           "in `collect`.")
      .def_prop_ro("is_zero", &is_zero,
                   "Whether the expression is zero for all values of its symbols: True and False\n"
                   "are proven, None means that neither could be.")
      .def(
          "same",
          [](const Expression& self, nb::handle other) {
            if (!is_expression_like(other)) return false;
            const Expression b = nb::isinstance<Expression>(other)
                                     ? nb::cast<Expression>(other)
                                     : to_expression(other, self.names);
            const bool strangers = self.names && b.names && self.names->id != b.names->id;
            return !strangers && expr::same(self.e, b.e);
          },
          nb::arg("other").none(), nb::sig("def same(self, other: typing.Any) -> bool"),
          "Whether both are the same expression, like bool(self == other).")
      .def_prop_ro(
          "symbols",
          [](const Expression& self) {
            nb::list result;
            for (const Expr& s : sorted_symbols(self.e)) {
              const bool time = s.symbol().kind == expr::SymbolKind::time;
              result.append(Expression{s, time ? NamesPointer() : self.names});
            }
            return nb::tuple(result);
          },
          nb::sig("def symbols(self) -> tuple[Expr, ...]"),
          "The coordinates, rates, parameters, forces and time that occur, by name.")
      .def_prop_ro(
          "latex", [](const Expression& self) { return expr::to_latex(self.e); },
          "The expression in LaTeX, for math mode.")
      .def("_repr_latex_", [](const Expression& self) {
        return notebook(expr::to_latex(self.e, notebook_characters));
      });

  equation
      .def_prop_ro(
          "residual",
          [](const Equality& self) {
            return checked(self.left.e - self.right.e, common_names(self.left, self.right));
          },
          "left - right.")
      .def(
          "subs",
          [](const Equality& self, nb::handle mapping, nb::handle value) {
            return Equality{substitute(self.left, mapping, value),
                            substitute(self.right, mapping, value)};
          },
          nb::arg("mapping"), nb::arg("value") = nb::none(),
          nb::sig("def subs(self, mapping: typing.Any, value: typing.Any = None) -> Equation"),
          "The equation with both sides substituted, as in Expr.subs.")
      .def(
          "simplify",
          [](const Equality& self) {
            return Equality{simplify(self.left, {}), simplify(self.right, {})};
          },
          "The equation with both sides simplified.")
      .def_prop_ro(
          "latex",
          [](const Equality& self) {
            return expr::to_latex(self.left.e) + " = " + expr::to_latex(self.right.e);
          },
          "The equation in LaTeX, for math mode.")
      .def("_repr_latex_", [](const Equality& self) {
        return notebook(expr::to_latex(self.left.e, notebook_characters) + " = " +
                        expr::to_latex(self.right.e, notebook_characters));
      });
}

}  // namespace dalembert::python
