#pragma once
/// From expressions to what people and compilers read: model text, LaTeX, C.
///
/// Text and LaTeX are trees, and the tree of a shared graph can be exponentially larger than the
/// graph; so both stop at `limit` characters. C names shared nodes, and its length is that of the
/// graph. Nothing here recurses: the depth of an expression is limited by memory only.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "dalembert/expr/expr.hpp"

namespace dalembert::expr {

inline constexpr std::size_t print_limit = std::size_t{1} << 20;

/// What a person would write in a model file: `m*l^2*phi'^2/2 - m*g*l*cos(phi)`, `x/(2*y)`, `sqrt(1
/// - x^2)`.
///
/// Factors stand in the order constants, masses, other parameters, pi, coordinates, sums,
/// functions, velocities, accelerations; terms by falling order of time derivative, then by name,
/// constants last, a positive one in front if there is one. Constants are exact: fractions p/q, or
/// decimals where those are shorter (`9.81`).
///
/// parse(to_text(e)) is e itself, as long as the names in e are names, no constant is divided by
/// zero, and nothing is nested deeper than the parser's limit. A text longer than `limit`
/// characters is cut there and ends in "...". O(nodes + limit).
std::string to_text(const Expr& e, std::size_t limit = print_limit);

/// LaTeX for math mode, with amsmath: \frac{1}{2} m l^{2} \dot{\phi}^{2}, \sin^{2} \phi,
/// \dot{x}_{1}.
///
/// Names: `phi` and `φ` give \phi, `theta1` \theta_{1}, `I_p` I_{p}, other words \mathrm{word};
/// letters of other alphabets stand in \text{...} and need an engine that reads Unicode. Unlike in
/// `to_text`, sines and their like come last in a product, where their argument needs no
/// parentheses, and all denominators are gathered in one. Beyond `limit` characters \ldots stands
/// for the rest, with all braces and parentheses closed. O(nodes + limit).
std::string to_latex(const Expr& e, std::size_t limit = print_limit);

/// A C99 translation unit that needs only <math.h>, with the one function
///
///     void NAME(const double* in, double* out);
///
/// which sets out[i] to outputs[i] where in[j] is the value of the symbol inputs[j]; the arrays
/// must not overlap. A node used more than once becomes one `const double`, so length and
/// operations are O(nodes + edges). Integer powers up to `multiplied_power` are multiplications;
/// everything else is computed as `evaluate_operation` does.
///
/// Throws std::invalid_argument if the name is no C identifier, an input is not a symbol, or an
/// output contains a symbol that is not among the inputs.
std::string to_c(std::string_view function_name, std::span<const Expr> outputs,
                 std::span<const Expr> inputs);

inline constexpr int multiplied_power = 32;

}  // namespace dalembert::expr
