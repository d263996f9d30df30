#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "dalembert/expr/functions.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/expr/print.hpp"
#include "dalembert/expr/table.hpp"

namespace dalembert::expr {

namespace {

constexpr std::size_t inline_length =
    60;  // a node used once is written in place up to this many characters

/// C text of a value, and how tightly it binds.
struct CText {
  enum Level { sum, product, atom };
  std::string text;
  Level level = atom;
};

bool is_identifier(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (name.empty() || !is_letter(name.front())) return false;
  for (const char c : name) {
    if (!is_letter(c) && !(c >= '0' && c <= '9')) return false;
  }
  return true;
}

/// A literal that C reads back as the same double.
std::string literal(double x) {
  if (std::isinf(x)) return x > 0 ? "INFINITY" : "(-INFINITY)";
  std::string text = fmt::format("{}", x);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return x < 0 ? "(" + text + ")" : text;
}

/// k when e is base^k with a small integer k, which is computed by multiplications; else 0.
int multiplied_exponent(const Expr& e) {
  if (!e.is(Op::power) || !e.args()[1].is(Op::constant)) return 0;
  const Rational& k = e.args()[1].value();
  return k.get_den() == 1 && abs(k) <= multiplied_power ? static_cast<int>(k.get_num().get_si())
                                                        : 0;
}

/// Whether the operation mentions an operand more than once, so that this must be a name.
bool repeats_operands(const Expr& e) {
  if (!is_function(e.op())) return std::abs(multiplied_exponent(e)) > 1;
  const std::string_view text = function_info(e.op()).c.text;
  const std::size_t first = text.find("{0}");
  return text.find("{0}", first + 1) != std::string_view::npos;
}

class CWriter {
 public:
  CWriter(std::span<const Expr> outputs, std::span<const Expr> inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!inputs[i].is(Op::symbol))
        throw std::invalid_argument(fmt::format("input {} is not a symbol", i));
      known_.try_emplace(inputs[i].node(), CText{fmt::format("in[{}]", i)});
    }
    const std::vector<Expr> order = postorder(outputs);
    for (const Expr& e : order) {
      for (const Expr& arg : e.args()) uses_[arg.node()] += repeats_operands(e) ? 2 : 1;
    }
    for (const Expr& e : outputs) uses_[e.node()] += 2;
    reads_ =
        std::any_of(order.begin(), order.end(), [](const Expr& e) { return e.is(Op::symbol); });
    writes_ = !outputs.empty();
    for (const Expr& e : order) define(e);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      body_ += fmt::format("  out[{}] = {};\n", i, known_.at(outputs[i].node()).text);
    }
  }

  std::string function(std::string_view name) const {
    return fmt::format(
        "#include <math.h>\n\n{}void {}(const double* in, double* out) {{\n{}{}{}}}\n", tables_,
        name, reads_ ? "" : "  (void)in;\n", writes_ ? "" : "  (void)out;\n", body_);
  }

 private:
  const CText& text_of(const Expr& e) const { return known_.at(e.node()); }

  std::string operand(const Expr& e, CText::Level level) const {
    const CText& c = text_of(e);
    return c.level >= level ? c.text : "(" + c.text + ")";
  }

  std::string new_name(const std::string& value) {
    std::string name = fmt::format("t{}", names_++);
    body_ += fmt::format("  const double {} = {};\n", name, value);
    return name;
  }

  void define(const Expr& e) {
    if (known_.contains(e.node())) return;
    CText value = operation(e);
    const bool leaf = e.args().empty();
    if (!leaf && (uses_.at(e.node()) > 1 || value.text.size() > inline_length))
      value = {new_name(value.text)};
    known_.emplace(e.node(), std::move(value));
  }

  CText function_call(const Expr& e) const {
    const CForm& form = function_info(e.op()).c;
    fmt::dynamic_format_arg_store<fmt::format_context> args;
    for (const Expr& arg : e.args()) args.push_back(text_of(arg).text);
    return {fmt::vformat(form.text, args), form.is_quotient ? CText::product : CText::atom};
  }

  CText operation(const Expr& e) {
    switch (e.kind()) {
      case NodeKind::constant:
        return {literal(to_double(e.value()))};
      case NodeKind::pi:
        return {literal(std::numbers::pi)};
      case NodeKind::sum: {
        std::string text;
        for (const Expr& term : e.args()) {
          const std::string next = operand(term, CText::product);
          const bool minus = !text.empty() && next.front() == '-';
          text += text.empty() ? "" : minus ? " - " : " + ";
          text.append(next, minus ? 1 : 0);
        }
        return {text, CText::sum};
      }
      case NodeKind::product:
        return product(e);
      case NodeKind::power:
        return power(e);
      case NodeKind::table:
        return {fmt::format("{}({})", table_function(*e.table()), text_of(e.args()[0]).text)};
      case NodeKind::function:
        return function_call(e);
      case NodeKind::symbol:
        break;
    }
    throw std::invalid_argument(fmt::format("the symbol '{}' is not among the inputs", to_text(e)));
  }

  /// The name of the function of a table, which is written before that of the expressions. The
  /// search halves; the arithmetic is that of Table::value.
  std::string table_function(const Table& table) {
    for (std::size_t k = 0; k < written_tables_.size(); ++k)
      if (*written_tables_[k] == table) return fmt::format("table{}", k);
    const std::string name = fmt::format("table{}", written_tables_.size());
    written_tables_.push_back(&table);
    const std::size_t nodes = table.nodes().size();
    std::string x, c;
    const auto add = [](std::string& list, double number) {
      list += (list.empty() ? "" : ", ") + (std::isnan(number) ? "NAN" : literal(number));
    };
    for (const double node : table.nodes()) add(x, node);
    for (std::size_t piece = 0; piece <= nodes; ++piece)
      for (const double number : table.coefficients(piece)) add(c, number);
    const int size = table.degree() + 1;
    tables_ += fmt::format(
        "/* {}, {} pieces */\nstatic double {}(double s) {{\n"
        "  static const double x[] = {{{}}};\n  static const double c[] = {{{}}};\n"
        "  int low = 0, high = {}, k;\n  double h, sum;\n"
        "  if (isnan(s)) return s;\n  if (s == x[{}]) return {};\n"
        "  while (low < high) {{\n    const int middle = (low + high) / 2;\n"
        "    if (s < x[middle]) high = middle; else low = middle + 1;\n  }}\n"
        "  h = low == 0 || low == {} ? 0.0 : s - x[low - 1];\n  sum = c[{} * low + {}];\n"
        "  for (k = {}; k >= 0; --k) sum = c[{} * low + k] + h * sum;\n  return sum;\n}}\n\n",
        table.title(), nodes - 1, name, x, c, nodes, nodes - 1,
        std::isnan(table.last()) ? "NAN" : literal(table.last()), nodes, size, table.degree(),
        table.degree() - 1, size);
    return name;
  }

  /// A power b^(-k) that only this product uses stands below the line: a/b is one rounding better
  /// than a·(1/b).
  CText product(const Expr& e) {
    std::string above;
    std::string below;
    const bool minus = e.args().front().is(Op::constant) && e.args().front().value() == -1;
    for (const Expr& factor : e.args().subspan(minus ? 1 : 0)) {
      const auto found = divisors_.find(factor.node());
      const bool divides = found != divisors_.end() && uses_.at(factor.node()) == 1;
      std::string& side = divides ? below : above;
      side += (side.empty() ? ""
               : divides    ? " / "
                            : " * ") +
              (divides ? found->second : operand(factor, CText::atom));
    }
    if (above.empty()) above = "1.0";
    if (minus) above.insert(0, 1, '-');
    return {below.empty() ? above : above + " / " + below, CText::product};
  }

  CText power(const Expr& e) {
    const int k = multiplied_exponent(e);
    if (k == 0)
      return {fmt::format("pow({}, {})", text_of(e.args()[0]).text, text_of(e.args()[1]).text)};
    std::string raised = multiplied(operand(e.args()[0], CText::atom), std::abs(k));
    if (k > 0) return {raised, CText::product};
    const bool is_long = raised.size() > inline_length / 2;
    if (is_long) raised = new_name(raised);
    const std::string divisor = k == -1 || is_long ? raised : fmt::format("({})", raised);
    divisors_.emplace(e.node(), divisor);
    return {"1.0 / " + divisor, CText::product};
  }

  /// x^k by squaring; each square that is needed again gets a name.
  std::string multiplied(std::string x, int k) {
    std::string result;
    for (;; k /= 2) {
      if (k % 2 == 1) result += (result.empty() ? "" : " * ") + x;
      if (k == 1) return result;
      if (k == 2 && result.empty()) return x + " * " + x;
      x = new_name(x + " * " + x);
    }
  }

  std::unordered_map<const Node*, CText> known_;
  std::unordered_map<const Node*, std::size_t> uses_;
  std::unordered_map<const Node*, std::string> divisors_;
  std::string body_, tables_;
  std::vector<const Table*> written_tables_;
  bool reads_ = false;
  bool writes_ = false;
  std::size_t names_ = 0;
};

}  // namespace

std::string to_c(std::string_view function_name, std::span<const Expr> outputs,
                 std::span<const Expr> inputs) {
  if (!is_identifier(function_name)) {
    throw std::invalid_argument(fmt::format("'{}' is not a C identifier", function_name));
  }
  return CWriter(outputs, inputs).function(function_name);
}

}  // namespace dalembert::expr
