// The functions of expressions, one entry each.
//
// Conventions: powers with a broken exponent are defined for bases that are not negative; sign(0) =
// 0, step(0) = 1, atan2(0, 0) = 0. What is not a number stays so. At a kink a derivative is the
// mean of both sides, at a jump 0.
#include "dalembert/expr/functions.hpp"

#include <arb_hypgeom.h>

#include <algorithm>
#include <array>

#include "dalembert/expr/function_parts.hpp"

namespace dalembert::expr {

namespace {

using namespace entries;

constexpr std::array all_functions = {
    FunctionInfo{
        .op = Op::sin,
        .name = "sin",
        .arity = 1,
        .parity = Parity::odd,
        .folded = turned<the_sine, one>,
        .partial = [](const Expr& f, std::size_t) { return cos(f.args()[0]); },
        .integral = [](const Expr& u) { return -cos(u); },
        .value = of_one<std::sin>,
        .enclose = ball<arb_sin>,
        .moving = [](const Moving* x) -> Moving {
          return {sine(x->value), cosine(x->value) * x->rate};
        },
        .latex = {.before = "\\sin", .takes_exponent = true},
        .c = {"sin({0})"},
        .sympy = "sin",
    },
    FunctionInfo{
        .op = Op::cos,
        .name = "cos",
        .arity = 1,
        .parity = Parity::even,
        .folded = turned<the_cosine, one>,
        .partial = [](const Expr& f, std::size_t) { return -sin(f.args()[0]); },
        .integral = [](const Expr& u) { return sin(u); },
        .value = of_one<std::cos>,
        .enclose = ball<arb_cos>,
        .moving = [](const Moving* x) -> Moving {
          return {cosine(x->value), -(sine(x->value) * x->rate)};
        },
        .latex = {.before = "\\cos", .takes_exponent = true},
        .c = {"cos({0})"},
        .sympy = "cos",
    },
    FunctionInfo{
        .op = Op::tan,
        .name = "tan",
        .arity = 1,
        .parity = Parity::odd,
        .folded = turned<the_sine, the_cosine>,
        .partial = [](const Expr& f, std::size_t) { return 1 + pow(f, 2); },
        .value = of_one<std::tan>,
        .enclose = ball<arb_tan>,
        .moving = [](const Moving* x) -> Moving {
          const Range value = sine(x->value) / cosine(x->value);
          return {value, (unit + square(value)) * x->rate};
        },
        .latex = {.before = "\\tan", .takes_exponent = true},
        .c = {"tan({0})"},
        .sympy = "tan",
    },
    FunctionInfo{
        .op = Op::sec,
        .name = "sec",
        .arity = 1,
        .parity = Parity::even,
        .folded = turned<one, the_cosine>,
        .partial = [](const Expr& f, std::size_t) { return f * tan(f.args()[0]); },
        .value = [](const double* x) { return 1 / std::cos(x[0]); },
        .enclose = ball<arb_sec>,
        .moving = [](const Moving* x) -> Moving {
          const Range below = cosine(x->value);
          return {unit / below, sine(x->value) * x->rate / square(below)};
        },
        .latex = {.before = "\\sec", .takes_exponent = true},
        .c = {"1.0 / cos({0})", true},
        .sympy = "sec",
    },
    FunctionInfo{
        .op = Op::csc,
        .name = "csc",
        .arity = 1,
        .parity = Parity::odd,
        .folded = turned<one, the_sine>,
        .partial = [](const Expr& f, std::size_t) { return -(f * cot(f.args()[0])); },
        .value = [](const double* x) { return 1 / std::sin(x[0]); },
        .enclose = ball<arb_csc>,
        .moving = [](const Moving* x) -> Moving {
          const Range below = sine(x->value);
          return {unit / below, -(cosine(x->value) * x->rate / square(below))};
        },
        .latex = {.before = "\\csc", .takes_exponent = true},
        .c = {"1.0 / sin({0})", true},
        .sympy = "csc",
    },
    FunctionInfo{
        .op = Op::cot,
        .name = "cot",
        .arity = 1,
        .parity = Parity::odd,
        .folded = turned<the_cosine, the_sine>,
        .partial = [](const Expr& f, std::size_t) { return -(1 + pow(f, 2)); },
        .value = [](const double* x) { return std::cos(x[0]) / std::sin(x[0]); },
        .enclose = ball<arb_cot>,
        .moving = [](const Moving* x) -> Moving {
          const Range value = cosine(x->value) / sine(x->value);
          return {value, -((unit + square(value)) * x->rate)};
        },
        .latex = {.before = "\\cot", .takes_exponent = true},
        .c = {"cos({0}) / sin({0})", true},
        .sympy = "cot",
    },
    FunctionInfo{
        .op = Op::asin,
        .name = "asin",
        .arity = 1,
        .parity = Parity::odd,
        .folded = only_at<0, 0>,
        .partial = [](const Expr& f, std::size_t) { return 1 / sqrt(1 - pow(f.args()[0], 2)); },
        .value = of_one<std::asin>,
        .enclose = ball<arb_asin>,
        .moving = [](const Moving* x) -> Moving {
          return along(
              *x, [](double u) { return std::asin(std::clamp(u, -1.0, 1.0)); },
              unit / root(unit - square(x->value)));
        },
        .latex = {.before = "\\arcsin"},
        .c = {"asin({0})"},
        .sympy = "asin",
        .numpy = "arcsin",
    },
    FunctionInfo{
        .op = Op::acos,
        .name = "acos",
        .arity = 1,
        .is_never_negative = true,
        .folded = only_at<1, 0>,
        .partial = [](const Expr& f, std::size_t) { return -(1 / sqrt(1 - pow(f.args()[0], 2))); },
        .value = of_one<std::acos>,
        .enclose = ball<arb_acos>,
        .moving = [](const Moving* x) -> Moving {
          return along(
              *x, [](double u) { return std::acos(std::clamp(u, -1.0, 1.0)); },
              -(unit / root(unit - square(x->value))));
        },
        .latex = {.before = "\\arccos"},
        .c = {"acos({0})"},
        .sympy = "acos",
        .numpy = "arccos",
    },
    FunctionInfo{
        .op = Op::atan,
        .name = "atan",
        .arity = 1,
        .parity = Parity::odd,
        .folded = only_at<0, 0>,
        .partial = [](const Expr& f, std::size_t) { return 1 / (1 + pow(f.args()[0], 2)); },
        .value = of_one<std::atan>,
        .enclose = ball<arb_atan>,
        .moving = [](const Moving* x) -> Moving {
          return {monotonic(x->value, [](double u) { return std::atan(u); }),
                  x->rate / (unit + square(x->value))};
        },
        .latex = {.before = "\\arctan"},
        .c = {"atan({0})"},
        .sympy = "atan",
        .numpy = "arctan",
    },
    FunctionInfo{
        .op = Op::atan2,
        .name = "atan2",
        .arity = 2,
        .kinks = Kinks::at_cut,
        .folded = [](Args x) -> Folded {
          if (!are_constants(x) || sgn(x[0].value()) != 0 || sgn(x[1].value()) <= 0)
            return std::nullopt;
          return Expr(0);
        },
        .partial =
            [](const Expr& f, std::size_t k) {
              const Expr& y = f.args()[0];
              const Expr& x = f.args()[1];
              const Expr square = pow(y, 2) + pow(x, 2);
              return k == 0 ? x / square : -(y / square);
            },
        .value = of_two<std::atan2>,
        .enclose = angle_ball,
        .moving = [](const Moving* x) -> Moving {
          const auto& [y, v] = x[0];
          const auto& [z, w] = x[1];
          const Range rate = (z * v - y * w) / (square(y) + square(z));
          return {angle_of(y, z), is_aside(y, z) ? rate : Range::all()};
        },
        .latex = {.before = "\\operatorname{atan2}"},
        .c = {"atan2({0}, {1})"},
        .sympy = "atan2",
        .numpy = "arctan2",
    },
    FunctionInfo{
        .op = Op::sinh,
        .name = "sinh",
        .arity = 1,
        .parity = Parity::odd,
        .folded = only_at<0, 0>,
        .partial = [](const Expr& f, std::size_t) { return cosh(f.args()[0]); },
        .integral = [](const Expr& u) { return cosh(u); },
        .value = of_one<std::sinh>,
        .enclose = ball<arb_sinh>,
        .moving = [](const Moving* x) -> Moving {
          return along(
              *x, [](double u) { return std::sinh(u); },
              monotonic(magnitude(x->value), [](double u) { return std::cosh(u); }));
        },
        .latex = {.before = "\\sinh", .takes_exponent = true},
        .c = {"sinh({0})"},
        .sympy = "sinh",
    },
    FunctionInfo{
        .op = Op::cosh,
        .name = "cosh",
        .arity = 1,
        .parity = Parity::even,
        .is_never_negative = true,
        .folded = only_at<0, 1>,
        .partial = [](const Expr& f, std::size_t) { return sinh(f.args()[0]); },
        .integral = [](const Expr& u) { return sinh(u); },
        .value = of_one<std::cosh>,
        .enclose = ball<arb_cosh>,
        .moving = [](const Moving* x) -> Moving {
          return {monotonic(magnitude(x->value), [](double u) { return std::cosh(u); }),
                  monotonic(x->value, [](double u) { return std::sinh(u); }) * x->rate};
        },
        .latex = {.before = "\\cosh", .takes_exponent = true},
        .c = {"cosh({0})"},
        .sympy = "cosh",
    },
    FunctionInfo{
        .op = Op::tanh,
        .name = "tanh",
        .arity = 1,
        .parity = Parity::odd,
        .folded = only_at<0, 0>,
        .partial = [](const Expr& f, std::size_t) { return 1 - pow(f, 2); },
        .value = of_one<std::tanh>,
        .enclose = ball<arb_tanh>,
        .moving = [](const Moving* x) -> Moving {
          const Range value = monotonic(x->value, [](double u) { return std::tanh(u); });
          return {value, (unit - square(value)) * x->rate};
        },
        .latex = {.before = "\\tanh", .takes_exponent = true},
        .c = {"tanh({0})"},
        .sympy = "tanh",
    },
    FunctionInfo{
        .op = Op::exp,
        .name = "exp",
        .arity = 1,
        .is_never_negative = true,
        .folded = only_at<0, 1>,
        .partial = [](const Expr& f, std::size_t) { return f; },
        .integral = [](const Expr& u) { return exp(u); },
        .value = of_one<std::exp>,
        .enclose = ball<arb_exp>,
        .moving = [](const Moving* x) -> Moving {
          const Range value = monotonic(x->value, [](double u) { return std::exp(u); });
          return {value, value * x->rate};
        },
        .latex = {.before = "\\mathrm{e}^{", .behind = "}"},
        .c = {"exp({0})"},
        .sympy = "exp",
    },
    FunctionInfo{
        .op = Op::log,
        .name = "log",
        .arity = 1,
        .folded = only_at<1, 0>,
        .partial = [](const Expr& f, std::size_t) { return 1 / f.args()[0]; },
        .value = of_one<std::log>,
        .enclose = ball<arb_log>,
        .moving = [](const Moving* x) -> Moving {
          if (!(x->value.low > 0)) return anything;
          return {monotonic(x->value, [](double u) { return std::log(u); }), x->rate / x->value};
        },
        .latex = {.before = "\\ln"},
        .c = {"log({0})"},
        .sympy = "log",
    },
    FunctionInfo{
        .op = Op::sqrt,
        .name = "sqrt",
        .arity = 1,
        .is_never_negative = true,
        .folded =
            [](Args x) { return x[0].is(Op::constant) ? exact_sqrt(x[0].value()) : Folded(); },
        .partial = [](const Expr& f, std::size_t) { return 1 / (2 * f); },
        .value = of_one<std::sqrt>,
        .enclose = ball<arb_sqrt>,
        .moving = [](const Moving* x) -> Moving {
          const Range value = root(x->value);
          return {value, x->rate / (Range{2, 2} * value)};
        },
        .latex = {.before = "\\sqrt{", .behind = "}"},
        .c = {"sqrt({0})"},
    },
    FunctionInfo{
        .op = Op::abs,
        .name = "abs",
        .arity = 1,
        .parity = Parity::even,
        .is_never_negative = true,
        .kinks = Kinks::at_zero,
        .folded = [](Args x) -> Folded {
          if (!x[0].is(Op::constant)) return std::nullopt;
          return Expr(Rational(::abs(x[0].value())));
        },
        .partial = [](const Expr& f, std::size_t) { return sign(f.args()[0]); },
        .value = of_one<std::abs>,
        .enclose = [](const Balls& balls) { arb_abs(balls.result, balls.x[0]); },
        .moving = [](const Moving* x) -> Moving {
          return {magnitude(x->value), sign_of(x->value) * x->rate};
        },
        .latex = {.before = "\\left|", .behind = "\\right|"},
        .c = {"fabs({0})"},
        .sympy = "Abs",
    },
    FunctionInfo{
        .op = Op::sign,
        .name = "sign",
        .arity = 1,
        .parity = Parity::odd,
        .kinks = Kinks::at_zero,
        .folded = [](Args x) -> Folded {
          if (!x[0].is(Op::constant)) return std::nullopt;
          return Expr(sgn(x[0].value()));
        },
        .partial = no_slope,
        .value = [](const double* x) { return x[0] > 0 ? 1.0 : (x[0] < 0 ? -1.0 : x[0]); },
        .enclose = [](const Balls& balls) { arb_sgn(balls.result, balls.x[0]); },
        .moving = [](const Moving* x) -> Moving {
          return {sign_of(x->value), x->value.contains(0) ? Range::all() : Range{0, 0}};
        },
        .latex = {.before = "\\operatorname{sign}"},
        .c = {"({0} > 0.0 ? 1.0 : {0} < 0.0 ? -1.0 : {0})"},
        .sympy = "sign",
    },
    FunctionInfo{
        .op = Op::min,
        .name = "min",
        .arity = 2,
        .is_symmetric = true,
        .kinks = Kinks::where_equal,
        .folded = extreme<true>,
        .partial = extreme_slope<true>,
        .value = [](const double* x) { return x[0] < x[1] || std::isnan(x[0]) ? x[0] : x[1]; },
        .enclose = ball_of_two<arb_min>,
        .moving = [](const Moving* x) -> Moving {
          return {{std::min(x[0].value.low, x[1].value.low),
                   std::min(x[0].value.high, x[1].value.high)},
                  hull(x[0].rate, x[1].rate)};
        },
        .latex = {.before = "\\operatorname{min}"},
        .c = {"({0} < {1} || isnan({0}) ? {0} : {1})"},
        .sympy = "Min",
        .numpy = "minimum",
    },
    FunctionInfo{
        .op = Op::max,
        .name = "max",
        .arity = 2,
        .is_symmetric = true,
        .kinks = Kinks::where_equal,
        .folded = extreme<false>,
        .partial = extreme_slope<false>,
        .value = [](const double* x) { return x[0] > x[1] || std::isnan(x[0]) ? x[0] : x[1]; },
        .enclose = ball_of_two<arb_max>,
        .moving = [](const Moving* x) -> Moving {
          return {{std::max(x[0].value.low, x[1].value.low),
                   std::max(x[0].value.high, x[1].value.high)},
                  hull(x[0].rate, x[1].rate)};
        },
        .latex = {.before = "\\operatorname{max}"},
        .c = {"({0} > {1} || isnan({0}) ? {0} : {1})"},
        .sympy = "Max",
        .numpy = "maximum",
    },
    FunctionInfo{
        .op = Op::floor,
        .name = "floor",
        .arity = 1,
        .yields_to_names = true,
        .kinks = Kinks::at_whole_numbers,
        .folded = [](Args x) -> Folded {
          if (!x[0].is(Op::constant)) return std::nullopt;
          return Expr(exact_floor(x[0].value()));
        },
        .partial = no_slope,
        .value = of_one<std::floor>,
        .enclose = ball<arb_floor>,
        .moving = [](const Moving* x) -> Moving {
          const Range value = monotonic(x->value, [](double u) { return std::floor(u); });
          return {value, value.width() == 0 ? Range{0, 0} : Range::all()};
        },
        .latex = {.before = "\\left\\lfloor ", .behind = "\\right\\rfloor"},
        .c = {"floor({0})"},
        .sympy = "floor",
    },
    FunctionInfo{
        .op = Op::step,
        .name = "step",
        .arity = 1,
        .yields_to_names = true,
        .is_never_negative = true,
        .kinks = Kinks::at_zero,
        .folded = [](Args x) -> Folded {
          if (!x[0].is(Op::constant)) return std::nullopt;
          return Expr(sgn(x[0].value()) >= 0 ? 1 : 0);
        },
        .partial = no_slope,
        .value = [](const double* x) { return x[0] >= 0 ? 1.0 : (x[0] < 0 ? 0.0 : x[0]); },
        .enclose = step_ball,
        .moving = [](const Moving* x) -> Moving {
          const Range value = monotonic(x->value, [](double u) { return u >= 0 ? 1.0 : 0.0; });
          return {value, value.width() == 0 ? Range{0, 0} : Range::all()};
        },
        .latex = {.before = "\\operatorname{step}"},
        .c = {"({0} >= 0.0 ? 1.0 : {0} < 0.0 ? 0.0 : {0})"},
    },
    FunctionInfo{
        .op = Op::choose,
        .name = "if",
        .arity = 3,
        .yields_to_names = true,
        .kinks = Kinks::at_zero,
        .folded = chosen,
        .partial = nullptr,
        .value = [](const double* x) { return x[0] >= 0 ? x[1] : (x[0] < 0 ? x[2] : x[0]); },
        .enclose = chosen_ball,
        .moving = [](const Moving* x) -> Moving {
          if (x[0].value.low >= 0) return x[1];
          if (x[0].value.high < 0) return x[2];
          return {hull(x[1].value, x[2].value), Range::all()};
        },
        .latex = {.before = "\\begin{cases}", .behind = "\\end{cases}"},
        .c = {"({0} >= 0.0 ? {1} : {0} < 0.0 ? {2} : {0})"},
    },
    FunctionInfo{
        .op = Op::asinh,
        .name = "asinh",
        .arity = 1,
        .yields_to_names = true,
        .parity = Parity::odd,
        .folded = only_at<0, 0>,
        .partial = [](const Expr& f, std::size_t) { return 1 / sqrt(1 + pow(f.args()[0], 2)); },
        .value = of_one<std::asinh>,
        .enclose = ball<arb_asinh>,
        .moving = [](const Moving* x) -> Moving {
          return along(
              *x, [](double u) { return std::asinh(u); }, unit / root(unit + square(x->value)));
        },
        .latex = {.before = "\\operatorname{arsinh}"},
        .c = {"asinh({0})"},
        .sympy = "asinh",
        .numpy = "arcsinh",
    },
    FunctionInfo{
        .op = Op::acosh,
        .name = "acosh",
        .arity = 1,
        .yields_to_names = true,
        .is_never_negative = true,
        .folded = only_at<1, 0>,
        .partial = [](const Expr& f, std::size_t) { return 1 / sqrt(pow(f.args()[0], 2) - 1); },
        .value = of_one<std::acosh>,
        .enclose = ball<arb_acosh>,
        .moving = [](const Moving* x) -> Moving {
          return along(
              *x, [](double u) { return std::acosh(std::max(u, 1.0)); },
              unit / root(square(x->value) - unit));
        },
        .latex = {.before = "\\operatorname{arcosh}"},
        .c = {"acosh({0})"},
        .sympy = "acosh",
        .numpy = "arccosh",
    },
    FunctionInfo{
        .op = Op::atanh,
        .name = "atanh",
        .arity = 1,
        .yields_to_names = true,
        .parity = Parity::odd,
        .folded = only_at<0, 0>,
        .partial = [](const Expr& f, std::size_t) { return 1 / (1 - pow(f.args()[0], 2)); },
        .value = of_one<std::atanh>,
        .enclose = ball<arb_atanh>,
        .moving = [](const Moving* x) -> Moving {
          if (!(x->value.low > -1 && x->value.high < 1)) return anything;
          return {monotonic(x->value, [](double u) { return std::atanh(u); }),
                  x->rate / (unit - square(x->value))};
        },
        .latex = {.before = "\\operatorname{artanh}"},
        .c = {"atanh({0})"},
        .sympy = "atanh",
        .numpy = "arctanh",
    },
    FunctionInfo{
        .op = Op::log10,
        .name = "log10",
        .arity = 1,
        .yields_to_names = true,
        .folded =
            [](Args x) { return x[0].is(Op::constant) ? exact_log10(x[0].value()) : Folded(); },
        .partial = [](const Expr& f, std::size_t) { return 1 / (f.args()[0] * log(Expr(10))); },
        .value = of_one<std::log10>,
        .enclose =
            [](const Balls& balls) {
              arb_log_base_ui(balls.result, balls.x[0], 10, balls.precision);
            },
        .moving = [](const Moving* x) -> Moving {
          if (!(x->value.low > 0)) return anything;
          constexpr Range base{std::numbers::ln10, std::numbers::ln10};
          return {monotonic(x->value, [](double u) { return std::log10(u); }),
                  x->rate / (base * x->value)};
        },
        .latex = {.before = "\\log_{10}"},
        .c = {"log10({0})"},
    },
    FunctionInfo{
        .op = Op::hypot,
        .name = "hypot",
        .arity = 2,
        .yields_to_names = true,
        .is_symmetric = true,
        .is_never_negative = true,
        .folded = [](Args x) -> Folded {
          if (!are_constants(x)) return std::nullopt;
          return exact_sqrt(x[0].value() * x[0].value() + x[1].value() * x[1].value());
        },
        .partial = [](const Expr& f, std::size_t k) { return f.args()[k] / f; },
        .value = of_two<std::hypot>,
        .enclose = ball_of_two<arb_hypot>,
        .moving = [](const Moving* x) -> Moving {
          const Range value = root(square(x[0].value) + square(x[1].value));
          return {value, (x[0].value * x[0].rate + x[1].value * x[1].rate) / value};
        },
        .latex = {.before = "\\operatorname{hypot}"},
        .c = {"hypot({0}, {1})"},
    },
    FunctionInfo{
        .op = Op::erf,
        .name = "erf",
        .arity = 1,
        .yields_to_names = true,
        .parity = Parity::odd,
        .folded = only_at<0, 0>,
        .partial = [](const Expr& f,
                      std::size_t) { return 2 * exp(-pow(f.args()[0], 2)) / sqrt(pi()); },
        .value = of_one<std::erf>,
        .enclose = ball<arb_hypgeom_erf>,
        .moving = [](const Moving* x) -> Moving {
          const Range falling = monotonic(square(x->value), [](double u) { return std::exp(-u); });
          return along(
              *x, [](double u) { return std::erf(u); },
              Range{2, 2} * falling * Range{std::numbers::inv_sqrtpi, std::numbers::inv_sqrtpi});
        },
        .latex = {.before = "\\operatorname{erf}"},
        .c = {"erf({0})"},
        .sympy = "erf",
    },
};

constexpr std::size_t index_of(Op op) {
  return static_cast<std::size_t>(op) - static_cast<std::size_t>(Op::sin);
}

consteval bool is_complete() {
  for (std::size_t i = 0; i < all_functions.size(); ++i) {
    const FunctionInfo& f = all_functions[i];
    if (index_of(f.op) != i || f.name.empty() || f.arity < 1 || f.folded == nullptr ||
        (f.partial == nullptr) != (f.op == Op::choose) || f.value == nullptr ||
        f.enclose == nullptr || f.moving == nullptr || f.latex.before.empty() || f.c.text.empty())
      return false;
  }
  return true;
}
static_assert(is_complete(), "an entry lacks something, or is not at its place in the order of Op");

template <class... E>
Expr applied(Op op, const E&... x) {
  const std::array<Expr, sizeof...(E)> args{x...};
  return apply_function(op, args);
}

}  // namespace

std::span<const FunctionInfo> functions() {
  return all_functions;
}

const FunctionInfo& function_info(Op op) {
  return all_functions[index_of(op)];
}

std::string_view function_name(Op op) {
  return is_function(op) ? function_info(op).name : std::string_view();
}

const FunctionInfo* find_function(std::string_view name) {
  const auto* found = std::ranges::find(all_functions, name, &FunctionInfo::name);
  return found == all_functions.end() ? nullptr : found;
}

bool is_trigonometric(Op op) {
  return op == Op::sin || op == Op::cos || op == Op::tan || op == Op::sec || op == Op::csc ||
         op == Op::cot;
}

Expr sin(const Expr& x) {
  return applied(Op::sin, x);
}
Expr cos(const Expr& x) {
  return applied(Op::cos, x);
}
Expr tan(const Expr& x) {
  return applied(Op::tan, x);
}
Expr sec(const Expr& x) {
  return applied(Op::sec, x);
}
Expr csc(const Expr& x) {
  return applied(Op::csc, x);
}
Expr cot(const Expr& x) {
  return applied(Op::cot, x);
}
Expr asin(const Expr& x) {
  return applied(Op::asin, x);
}
Expr acos(const Expr& x) {
  return applied(Op::acos, x);
}
Expr atan(const Expr& x) {
  return applied(Op::atan, x);
}
Expr atan2(const Expr& y, const Expr& x) {
  return applied(Op::atan2, y, x);
}
Expr sinh(const Expr& x) {
  return applied(Op::sinh, x);
}
Expr cosh(const Expr& x) {
  return applied(Op::cosh, x);
}
Expr tanh(const Expr& x) {
  return applied(Op::tanh, x);
}
Expr asinh(const Expr& x) {
  return applied(Op::asinh, x);
}
Expr acosh(const Expr& x) {
  return applied(Op::acosh, x);
}
Expr atanh(const Expr& x) {
  return applied(Op::atanh, x);
}
Expr exp(const Expr& x) {
  return applied(Op::exp, x);
}
Expr log(const Expr& x) {
  return applied(Op::log, x);
}
Expr log10(const Expr& x) {
  return applied(Op::log10, x);
}
Expr erf(const Expr& x) {
  return applied(Op::erf, x);
}
Expr sqrt(const Expr& x) {
  return applied(Op::sqrt, x);
}
Expr hypot(const Expr& x, const Expr& y) {
  return applied(Op::hypot, x, y);
}
Expr abs(const Expr& x) {
  return applied(Op::abs, x);
}
Expr sign(const Expr& x) {
  return applied(Op::sign, x);
}
Expr min(const Expr& a, const Expr& b) {
  return applied(Op::min, a, b);
}
Expr max(const Expr& a, const Expr& b) {
  return applied(Op::max, a, b);
}
Expr floor(const Expr& x) {
  return applied(Op::floor, x);
}
Expr step(const Expr& x) {
  return applied(Op::step, x);
}
Expr choose(const Expr& g, const Expr& a, const Expr& b) {
  return applied(Op::choose, g, a, b);
}
Expr clamp(const Expr& x, const Expr& low, const Expr& high) {
  return max(low, min(x, high));
}

}  // namespace dalembert::expr
