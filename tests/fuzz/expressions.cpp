/// Any text as an expression. What is refused is refused at a place within the text. What is read
///   * is printed as a text that is read as the same expression,
///   * is printed in LaTeX with all braces closed, and as C,
///   * has one gradient, whether by one sweep back or by one derivative after the other,
///   * has the same value by recursion and by a tape, within the bound of a running error analysis;
///     by a tape in 1, 4 and 8 lanes to the bit,
///   * is equal to what it is simplified to, in rigorous arithmetic, with bounded effort.

#include <fmt/format.h>

#include "../codegen/random_tape.hpp"
#include "../expr/support.hpp"
#include "dalembert/expr/algebra.hpp"
#include "dalembert/expr/effort.hpp"
#include "dalembert/expr/parse.hpp"
#include "dalembert/expr/print.hpp"
#include "fuzz.hpp"

namespace dalembert::expr {
namespace {

using fuzz::require;

constexpr std::size_t longest = 2000;    // characters
constexpr std::size_t most_nodes = 400;  // of what is evaluated, differentiated and simplified
constexpr double effort_allowed = 2e4;
constexpr int digits = 30;

/// 0^-1 and its like, which has no text of its own.
bool divides_by_zero(const std::vector<Expr>& nodes) {
  return std::any_of(nodes.begin(), nodes.end(),
                     [](const Expr& e) { return e.is(Op::power) && e.args()[0].is_zero(); });
}

void check_text(const Expr& e, const Resolve& resolve) {
  const std::string text = to_text(e);
  if (text.size() >= print_limit) return;
  const auto again = parse(text, resolve);
  if (!again && again.error().message.find("levels deep") != std::string::npos) return;
  require(static_cast<bool>(again), "what is printed can be read",
          text + "\n" + (again ? "" : again.error().message));
  require(same(*again, e), "what is printed is read as the same expression", text);
}

void check_latex(const Expr& e) {
  const std::string latex = to_latex(e);
  long depth = 0;
  for (std::size_t i = 0; i < latex.size() && depth >= 0; ++i) {
    if (latex[i] == '\\') {
      ++i;
    } else if (latex[i] == '{') {
      ++depth;
    } else if (latex[i] == '}') {
      --depth;
    }
  }
  require(depth == 0, "braces in LaTeX are closed", latex);
}

bool within(double difference, double bound) {
  return !std::isfinite(bound) || std::abs(difference) <= bound;
}

std::vector<Expr> check_gradient(const Expr& e, const std::vector<Expr>& names) {
  std::vector<Expr> reverse = gradient(e, names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto one = testing::bounded_value(differentiate(e, names[i]), testing::generic_value);
    const auto other = testing::bounded_value(reverse[i], testing::generic_value);
    require(within(one.value - other.value, one.error + other.error),
            "a derivative is the entry of the gradient", to_text(e));
  }
  return reverse;
}

/// Lane l has its inputs scaled by 1 + l/16.
void check_tape(const std::vector<Expr>& outputs, const std::vector<Expr>& names) {
  const codegen::Tape tape = codegen::make_tape(outputs, names, {});
  std::vector<double> point;
  for (const Expr& name : names) point.push_back(testing::generic_value(name.symbol()));
  const std::vector<double> alone = codegen::performed(tape, {}, point);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto bounded = testing::bounded_value(outputs[i], testing::generic_value);
    require(within(alone[i] - bounded.value, 2 * bounded.error),
            "a tape has the value of its expression", to_text(outputs[i]));
  }
  for (const std::size_t lanes : {1U, 4U, 8U}) {
    const codegen::Kernel kernel = codegen::interpreted(tape, static_cast<int>(lanes));
    codegen::Workspace workspace = kernel.workspace({});
    std::vector<double> in(names.size() * lanes), out(outputs.size() * lanes);
    for (std::size_t l = 0; l < lanes; ++l) {
      for (std::size_t i = 0; i < names.size(); ++i)
        in[i * lanes + l] = point[i] * (1 + static_cast<double>(l) / 16);
    }
    kernel.evaluate(workspace, in, out);
    for (std::size_t l = 0; l < lanes; ++l) {
      std::vector<double> own;
      for (std::size_t i = 0; i < names.size(); ++i) own.push_back(in[i * lanes + l]);
      const std::vector<double> expected = codegen::performed(tape, {}, own);
      for (std::size_t i = 0; i < outputs.size(); ++i)
        require(codegen::same_bits(out[i * lanes + l], expected[i]),
                "a lane has the bits of one alone",
                fmt::format("{}: {} instead of {} in lane {} of {}", to_text(outputs[i]),
                            out[i * lanes + l], expected[i], l, lanes));
    }
  }
}

void check_simplified(const Expr& e) {
  try {
    const Effort effort(effort_allowed);
    const Expr pair[] = {e, simplify(e)};
    const auto values = [](const Symbol& s) {
      return rational_from_double(std::round(testing::generic_value(s) * 1024) / 1024);
    };
    const auto value = evaluate_precisely(pair, values, digits);
    if (!value[0] || !value[1]) return;
    const Rational difference = value[0]->middle - value[1]->middle;
    require(std::abs(difference.get_d()) <= value[0]->radius + value[1]->radius,
            "what is simplified has the same value", to_text(pair[0]) + "\n" + to_text(pair[1]));
  } catch (const Effort::Spent&) {
    return;
  }
}

}  // namespace
}  // namespace dalembert::expr

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dalembert;
  using namespace dalembert::expr;
  if (size > longest) return fuzz::rejected;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Resolve resolve = resolve_symbols(testing::coordinate_names);
  static_cast<void>(parse_equation(text, resolve));
  const auto read = parse(text, resolve);
  if (!read) {
    const ParseError& error = read.error();
    require(!error.message.empty() && error.begin <= error.end && error.end <= size,
            "a complaint has a place in the text", error.message);
    return fuzz::kept;
  }
  const Expr& e = *read;
  const std::vector<Expr> nodes = postorder(e);
  if (!divides_by_zero(nodes)) check_text(e, resolve);
  check_latex(e);
  const std::vector<Expr> names = symbols(std::span(&e, 1));
  to_c("f", std::span(&e, 1), names);
  if (nodes.size() > most_nodes) return fuzz::kept;
  std::vector<Expr> outputs = check_gradient(e, names);
  outputs.push_back(e);
  check_tape(outputs, names);
  check_simplified(e);
  return fuzz::kept;
}
