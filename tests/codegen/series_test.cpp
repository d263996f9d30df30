// Taylor coefficients from tapes: against power series of Arb in 300 bits, and the same bits by
// whatever runs them.
#include "dalembert/codegen/series.hpp"

#include <arb_hypgeom.h>
#include <arb_poly.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "dalembert/codegen/extended.hpp"
#include "dalembert/codegen/fewer_products.hpp"
#include "dalembert/codegen/machine_program.hpp"
#include "dalembert/codegen/series_kernel.hpp"
#include "dalembert/codegen/variational.hpp"
#include "random_tape.hpp"

namespace dalembert::codegen::series_test {
namespace {

constexpr slong bits = 300;

/// A power series of Arb.
struct Power {
  Power() { arb_poly_init(value); }
  explicit Power(double x) : Power() {
    arb_t number;
    arb_init(number);
    arb_set_d(number, x);
    arb_poly_set_arb(value, number);
    arb_clear(number);
  }
  Power(const Power& other) : Power() { arb_poly_set(value, other.value); }
  Power& operator=(const Power& other) {
    arb_poly_set(value, other.value);
    return *this;
  }
  ~Power() { arb_poly_clear(value); }

  double coefficient(slong k) const { return static_cast<double>(extended(k)); }
  /// The same to 106 bits.
  Extended extended(slong k) const {
    arb_t x;
    arb_init(x);
    arb_poly_get_coeff_arb(x, value, k);
    const double high = arf_get_d(arb_midref(x), ARF_RND_NEAR);
    arf_t rest;
    arf_init(rest);
    arf_set_d(rest, high);
    arf_sub(rest, arb_midref(x), rest, ARF_PREC_EXACT, ARF_RND_NEAR);
    const Extended result = high + static_cast<Extended>(arf_get_d(rest, ARF_RND_NEAR));
    arf_clear(rest);
    arb_clear(x);
    return result;
  }
  void set(slong k, const Power& from, slong at, slong divisor) {
    arb_t x;
    arb_init(x);
    arb_poly_get_coeff_arb(x, from.value, at);
    arb_div_si(x, x, divisor, bits);
    arb_poly_set_coeff_arb(value, k, x);
    arb_clear(x);
  }

  arb_poly_t value;
};

Power plus(const Power& a, const Power& b) {
  Power z;
  arb_poly_add(z.value, a.value, b.value, bits);
  return z;
}
Power minus(const Power& a, const Power& b) {
  Power z;
  arb_poly_sub(z.value, a.value, b.value, bits);
  return z;
}
Power times(const Power& a, const Power& b, slong n) {
  Power z;
  arb_poly_mullow(z.value, a.value, b.value, n, bits);
  return z;
}
Power root(const Power& a, slong n) {
  Power z;
  arb_poly_sqrt_series(z.value, a.value, n, bits);
  return z;
}
Power logarithm(const Power& a, slong n) {
  Power z;
  arb_poly_log_series(z.value, a.value, n, bits);
  return z;
}

/// What an operation makes of power series, up to order n - 1.
Power perform(Operation operation, const Power& a, const Power& b, const Power& c, slong n) {
  Power z, other;
  const Power one(1.0);
  switch (operation) {
    case Operation::add:
      return plus(a, b);
    case Operation::subtract:
      return minus(a, b);
    case Operation::multiply:
      return times(a, b, n);
    case Operation::divide:
      arb_poly_div_series(z.value, a.value, b.value, n, bits);
      return z;
    case Operation::negate:
      return minus(z, a);
    case Operation::sqrt:
      return root(a, n);
    case Operation::multiply_add:
      return plus(times(a, b, n), c);
    case Operation::multiply_subtract:
      return minus(times(a, b, n), c);
    case Operation::subtract_product:
      return minus(c, times(a, b, n));
    case Operation::sin:
      arb_poly_sin_series(z.value, a.value, n, bits);
      return z;
    case Operation::cos:
      arb_poly_cos_series(z.value, a.value, n, bits);
      return z;
    case Operation::tan:
      arb_poly_tan_series(z.value, a.value, n, bits);
      return z;
    case Operation::asin:
      arb_poly_asin_series(z.value, a.value, n, bits);
      return z;
    case Operation::acos:
      arb_poly_acos_series(z.value, a.value, n, bits);
      return z;
    case Operation::atan:
      arb_poly_atan_series(z.value, a.value, n, bits);
      return z;
    case Operation::atan2:  // of the right half plane
      arb_poly_div_series(other.value, a.value, b.value, n, bits);
      arb_poly_atan_series(z.value, other.value, n, bits);
      return z;
    case Operation::sinh:
      arb_poly_sinh_series(z.value, a.value, n, bits);
      return z;
    case Operation::cosh:
      arb_poly_cosh_series(z.value, a.value, n, bits);
      return z;
    case Operation::tanh: {
      Power s, h;
      arb_poly_sinh_cosh_series(s.value, h.value, a.value, n, bits);
      arb_poly_div_series(z.value, s.value, h.value, n, bits);
      return z;
    }
    case Operation::exp:
      arb_poly_exp_series(z.value, a.value, n, bits);
      return z;
    case Operation::log:
      return logarithm(a, n);
    case Operation::log10: {
      const Power ten = logarithm(Power(10.0), n);
      arb_poly_div_series(z.value, logarithm(a, n).value, ten.value, n, bits);
      return z;
    }
    case Operation::asinh:
      return logarithm(plus(a, root(plus(times(a, a, n), one), n)), n);
    case Operation::acosh:
      return logarithm(plus(a, root(minus(times(a, a, n), one), n)), n);
    case Operation::atanh:
      arb_poly_div_series(other.value, plus(one, a).value, minus(one, a).value, n, bits);
      return times(Power(0.5), logarithm(other, n), n);
    case Operation::hypot:
      return root(plus(times(a, a, n), times(b, b, n)), n);
    case Operation::erf:
      arb_hypgeom_erf_series(z.value, a.value, n, bits);
      return z;
    case Operation::power:
      arb_poly_pow_series(z.value, a.value, b.value, n, bits);
      return z;
    case Operation::abs:
      return a.coefficient(0) < 0 ? minus(z, a) : a;
    case Operation::sign:
      return Power(a.coefficient(0) < 0 ? -1.0 : 1.0);
    case Operation::min:
      return a.coefficient(0) < b.coefficient(0) ? a : b;
    case Operation::max:
      return a.coefficient(0) > b.coefficient(0) ? a : b;
    case Operation::floor:
      return Power(std::floor(a.coefficient(0)));
    case Operation::choose:
      return c.coefficient(0) >= 0 ? a : b;
    case Operation::table:  // in pieces; not drawn
      ADD_FAILURE() << "a table is no power series";
      return z;
  }
  return z;
}

/// The coefficients of y, order by order from those of f along it.
std::vector<Power> exact_powers(const Tape& f, const std::vector<double>& parameters,
                                const std::vector<double>& inputs, slong orders) {
  std::vector<Power> y(inputs.begin(), inputs.end());
  arb_poly_set_coeff_si(y[0].value, 1, 1);
  for (slong k = 0; k < orders; ++k) {
    std::vector<Power> registers(f.constants.begin(), f.constants.end());
    for (const double parameter : parameters) registers.emplace_back(parameter);
    registers.insert(registers.end(), y.begin(), y.end());
    for (const Instruction& one : f.code)
      registers.push_back(
          perform(one.operation, registers[one.a], registers[one.b], registers[one.c], k + 1));
    for (std::size_t i = 1; i < y.size(); ++i)
      y[i].set(k + 1, registers[f.outputs[i - 1]], k, k + 1);
  }
  return y;
}

/// [i][k]
std::vector<std::vector<double>> exact(const Tape& f, const std::vector<double>& parameters,
                                       const std::vector<double>& inputs, slong orders) {
  const std::vector<Power> y = exact_powers(f, parameters, inputs, orders);
  std::vector<std::vector<double>> result;
  for (std::size_t i = 1; i < y.size(); ++i) {
    result.emplace_back();
    for (slong k = 0; k <= orders; ++k) result.back().push_back(y[i].coefficient(k));
  }
  return result;
}

/// [lane][i][k]; lane l has parameters and inputs of its own.
using Coefficients = std::vector<std::vector<std::vector<double>>>;
Coefficients found(const SeriesKernel& kernel, const std::vector<std::vector<double>>& parameters,
                   const std::vector<std::vector<double>>& inputs, std::uint32_t p) {
  const auto W = static_cast<std::size_t>(kernel.lanes());
  SeriesWorkspace workspace = kernel.workspace(parameters[0]);
  for (std::size_t l = 0; l < W; ++l) {
    if (l > 0) kernel.bind(workspace, static_cast<int>(l), parameters[l]);
    for (std::size_t i = 0; i < inputs[l].size(); ++i)
      kernel.input(workspace)[i * W + l] = inputs[l][i];
  }
  Coefficients result(W, std::vector<std::vector<double>>(kernel.series().size));
  for (int twice = 0; twice < 2; ++twice) {  // what is left of one run must not reach the next
    kernel.begin(workspace);
    kernel.run(workspace, p);
  }
  for (std::size_t l = 0; l < W; ++l) {
    for (std::size_t i = 0; i < kernel.series().size; ++i) {
      for (std::uint32_t k = 0; k <= p; ++k)
        result[l][i].push_back(kernel.coefficient(workspace, i, k)[l]);
    }
  }
  return result;
}

/// Rounding, on the scale of a coefficient and of those of its order.
void expect_near(const std::vector<std::vector<double>>& is,
                 const std::vector<std::vector<double>>& should, const std::string& what) {
  for (std::size_t k = 0; k < should[0].size(); ++k) {
    double size = 0;
    for (const auto& one : should) size = std::max(size, std::abs(one[k]));
    for (std::size_t i = 0; i < should.size(); ++i)
      EXPECT_NEAR(is[i][k], should[i][k], 2e-15 * static_cast<double>(10 + k * k) * (size + 1e-280))
          << what << ", entry " << i << ", order " << k;
  }
}

/// y_0' = operation(u, w, y_1), y_1' = y_0 y_1 + t with u, w of moderate size: above 1 where it
/// must be.
Tape tape_with(Operation operation, double centre) {
  Tape tape;
  tape.constants = {centre, 0.11, 0.07, 1.3};
  tape.parameters = 1;
  tape.inputs = 3;
  const std::uint32_t parameter = 4, t = 5, y0 = 6, y1 = 7, first = 8;
  tape.code = {{Operation::multiply, 1, parameter, 0},      // 8 = first, the prologue
               {Operation::multiply_add, first, y0, 0},     // 9: centre + c p y0
               {Operation::multiply_add, 2, y1, 3},         // 10: 1.3 + c y1
               {Operation::multiply_add, 2, t, first + 1},  // 11: u = 9 + c t
               {operation, first + 3, first + 2, y1},       // 12
               {Operation::multiply_add, y0, y1, t}};       // 13
  tape.prologue = 1;
  if (operands(operation) == 1) tape.code[4].b = tape.code[4].a;
  tape.outputs = {first + 4, first + 5};
  return tape;
}

TEST(Series, EveryOperationAgainstArb) {
  const std::vector<double> parameters{0.9}, inputs{0.2, 0.4, -0.6};
  for (std::size_t i = 0; i < plain_operations; ++i) {
    const auto operation = static_cast<Operation>(i);
    const Tape f = tape_with(operation, operation == Operation::acosh ? 1.7 : 0.35);
    const auto should = exact(f, parameters, inputs, 24);
    for (const int lanes : {1, 4, 8}) {
      const SeriesKernel kernel(make_series(f), {lanes, Engine::interpreter});
      const std::vector<std::vector<double>> all(8, parameters), from(8, inputs);
      expect_near(found(kernel, all, from, 24)[0], should, "operation " + std::to_string(i));
    }
  }
}

/// As Series.EveryOperationAgainstArb, to the rounding of long double.
TEST(Series, EveryOperationInExtendedPrecisionAgainstArb) {
  if (!has_extended) GTEST_SKIP();
  const std::vector<double> parameters{0.9}, inputs{0.2, 0.4, -0.6};
  const std::vector<Extended> wide(parameters.begin(), parameters.end());
  for (std::size_t o = 0; o < plain_operations; ++o) {
    const auto operation = static_cast<Operation>(o);
    Tape f = tape_with(operation, operation == Operation::acosh ? 1.7 : 0.35);
    f.low.assign(f.constants.size(), 0.0);  // exact as they are: those of the series are, too
    const std::vector<Power> should = exact_powers(f, parameters, inputs, 24);
    ExtendedSeries series(make_series(f, 0, true), wide, 24);
    std::ranges::copy(inputs, series.inputs().begin());
    series.begin();
    series.run();
    for (slong k = 0; k <= 24; ++k) {
      const Extended size =
          std::max(std::abs(should[1].extended(k)), std::abs(should[2].extended(k)));
      for (std::size_t i = 0; i < 2; ++i) {
        const Extended is = series.coefficients(i)[static_cast<std::size_t>(k)];
        EXPECT_LT(std::abs(is - should[i + 1].extended(k)),
                  9 * extended_epsilon * static_cast<Extended>(10 + k * k) * (size + 1e-280L))
            << "operation " << o << ", entry " << i << ", order " << k;
      }
    }
  }
}

TEST(Series, AnExponentThatVariesAndABaseThatDoesNot) {
  Tape tape = tape_with(Operation::power, 0.35);
  const std::vector<double> parameters{0.9}, inputs{0.2, 0.4, -0.6};
  tape.code[4].a = 3;  // 1.3^w
  expect_near(found(SeriesKernel(make_series(tape), {1, Engine::interpreter}), {parameters},
                    {inputs}, 20)[0],
              exact(tape, parameters, inputs, 20), "1.3^w");
  tape.code[4] = {Operation::power, 11, 3, 0};  // u^1.3
  expect_near(found(SeriesKernel(make_series(tape), {1, Engine::interpreter}), {parameters},
                    {inputs}, 20)[0],
              exact(tape, parameters, inputs, 20), "u^1.3");
}

/// A tape of y' for as many y as it has inputs but one.
Tape random_derivative(Random& random, std::size_t size, bool all_operations) {
  Tape tape = random_tape(random, below(random, 6), size, all_operations);
  tape.outputs.clear();
  for (std::uint32_t i = 1; i < tape.inputs; ++i)
    tape.outputs.push_back(
        static_cast<std::uint32_t>(tape.registers() - 1 - below(random, size / 2 + 1)));
  tape.outputs.push_back(static_cast<std::uint32_t>(below(random, tape.registers())));
  return tape;
}

TEST(Series, TheSameBitsInEveryLaneAndEngine) {
  rc::check("lanes and machine code", [] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    const Tape f = random_derivative(random, 4 + below(random, 60), below(random, 2) == 0);
    const Series series = make_series(f);
    const auto p = static_cast<std::uint32_t>(2 + below(random, 22));
    std::vector<std::vector<double>> parameters, inputs;
    for (int l = 0; l < 8; ++l) {
      parameters.push_back(random_values(random, f.parameters));
      inputs.push_back(random_values(random, f.inputs));
    }
    const SeriesKernel one(series, {1, Engine::interpreter});
    std::vector<std::pair<std::string, SeriesKernel>> others;
    for (const int lanes : {4, 8})
      others.emplace_back("interpreter", SeriesKernel(series, {lanes, Engine::interpreter}));
    for (const int lanes : {1, 4, 8}) {
      if (lanes <= widest_lanes())
        others.emplace_back("machine", SeriesKernel(series, {lanes, Engine::machine}));
    }
    for (const auto& [name, kernel] : others) {
      const Coefficients is = found(kernel, parameters, inputs, p);
      for (std::size_t l = 0; l < is.size(); ++l) {
        const auto should = found(one, {parameters[l]}, {inputs[l]}, p)[0];
        for (std::size_t i = 0; i < should.size(); ++i) {
          for (std::size_t k = 0; k < should[i].size(); ++k) {
            if (same_bits(is[l][i][k], should[i][k])) continue;
            RC_FAIL(name + " of " + std::to_string(kernel.lanes()) + ", lane " + std::to_string(l) +
                    ", entry " + std::to_string(i) + ", order " + std::to_string(k));
          }
        }
      }
    }
  });
}

/// Rates such as mechanics has: sums of products of sines, velocities and parameters, over pivots.
Tape tape_of_mechanics(Random& random, std::size_t size) {
  Tape tape;
  tape.constants = {2.0, -0.5, 0.25, 1.0};
  tape.parameters = 2;
  tape.inputs = 5;
  tape.code = {{Operation::multiply, 4, 5, 0}, {Operation::divide, 0, 4, 0}};
  tape.prologue = 2;
  const auto any = [&] { return static_cast<std::uint32_t>(below(random, tape.registers())); };
  const auto put = [&](Operation operation, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    tape.code.push_back({operation, a, operands(operation) > 1 ? b : a, c});
    return static_cast<std::uint32_t>(tape.registers() - 1);
  };
  // Few of them, so that products have factors in common.
  for (std::uint32_t i = 0; i < 2; ++i) {
    put(Operation::sin, tape.first_input() + 1 + i, 0, 0);
    put(Operation::cos, tape.first_input() + 1 + i, 0, 0);
  }
  while (tape.code.size() < size) {
    constexpr std::array sums{Operation::add,          Operation::subtract,
                              Operation::multiply,     Operation::multiply,
                              Operation::multiply_add, Operation::subtract_product,
                              Operation::negate,       Operation::multiply_subtract};
    if (below(random, 6) != 0) {
      put(sums[below(random, sums.size())], any(), any(), any());
    } else {  // over 2 + cos(x)
      const std::uint32_t cosine = put(Operation::cos, any(), 0, 0);
      put(Operation::divide, any(), put(Operation::add, 0, cosine, 0), 0);
    }
    // A bounded value in its place where it might grow.
    if (below(random, 4) == 0) put(Operation::sin, any(), 0, 0);
  }
  for (std::uint32_t i = 1; i < tape.inputs; ++i)
    tape.outputs.push_back(
        static_cast<std::uint32_t>(tape.registers() - 1 - below(random, size / 2)));
  tape.outputs.push_back(any());
  return tape;
}

TEST(FewerProducts, TheSameSeriesAtNoHigherCost) {
  int shorter = 0;
  rc::check("against Arb", [&] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    const Tape f = tape_of_mechanics(random, 8 + below(random, 30));
    const Tape g = fewer_products(f);
    const double before = series_cost(make_series(f)), after = series_cost(make_series(g));
    RC_ASSERT(after <= before);
    if (after < before) ++shorter;
    const std::vector<double> parameters{0.9, 1.2}, inputs{0.2, 0.4, -0.6, 0.3, 0.5};
    constexpr slong orders = 6;
    const auto should = exact(f, parameters, inputs, orders);
    const auto is = exact(g, parameters, inputs, orders);
    for (std::size_t k = 0; k <= orders; ++k) {
      double size = 1;
      for (const auto& one : should) size = std::max(size, std::abs(one[k]));
      for (std::size_t i = 0; i < should.size(); ++i) {
        // Coefficients that were multiplied in doubles are all that differs.
        RC_ASSERT(std::abs(is[i][k] - should[i][k]) <= 1e-12 * size);
      }
    }
    RC_ASSERT(g.outputs.size() == f.outputs.size());
  });
#ifndef DALEMBERT_SANITIZED  // where few tapes are drawn
  EXPECT_GT(shorter, 0) << "of a hundred random tapes";
#endif
}

TEST(FewerProducts, ACommonFactorAndAReciprocal) {
  // y0' = (1/y1) y0 + (1/y1) t + 2 y0 y1 - y1 t = (y0 + t)/y1 + y1 (2 y0 - t): two sums of
  // products, not five
  Tape f;
  f.constants = {1.0, 2.0};
  f.inputs = 3;
  const std::uint32_t t = 2, y0 = 3, y1 = 4, r = 5;
  f.code = {{Operation::divide, 0, y1, 0},            // 5
            {Operation::multiply, r, y0, 0},          // 6
            {Operation::multiply, r, t, 0},           // 7
            {Operation::multiply, y0, y1, 0},         // 8
            {Operation::multiply, 1, r + 3, 0},       // 9
            {Operation::multiply, y1, t, 0},          // 10
            {Operation::add, r + 1, r + 2, 0},        // 11
            {Operation::add, r + 6, r + 4, 0},        // 12
            {Operation::subtract, r + 7, r + 5, 0}};  // 13
  f.outputs = {r + 8, y0};
  EXPECT_EQ(make_series(f).pairs.size(), 5U);
  EXPECT_EQ(make_short_series(f).pairs.size(), 2U);
}

/// The coefficients of y, and beside them those of their derivatives: by differences of series that
/// start a little off, in high precision, and by the series of the variational equations.
TEST(Variational, SeriesOfDerivativesAgainstDifferences) {
  const std::vector<double> parameters{0.9}, inputs{0.2, 0.4, -0.6};
  constexpr slong orders = 10;
  const std::vector<std::uint32_t> by{0};
  for (std::size_t i = 0; i < plain_operations; ++i) {
    const auto operation = static_cast<Operation>(i);
    const std::string name = "operation " + std::to_string(i);
    const Tape f = tape_with(operation, operation == Operation::acosh ? 1.7 : 0.35);
    const Tape g = variational(f, 2, by);
    std::vector<double> from = inputs;
    from.insert(from.end(), {1, 0, 0, 1, 0, 0});  // S: two columns of initial values, one of p
    const auto should = exact(g, parameters, from, orders);
    const auto plain = exact(f, parameters, inputs, orders);
    for (std::size_t column = 0; column < 3; ++column) {
      const auto off = [&](double h) {
        std::vector<double> p = parameters, y = inputs;
        (column == 2 ? p[0] : y[1 + column]) += h;
        return exact(f, p, y, orders);
      };
      // Of order h^4: 1e-12 of the fifth derivatives, and rounding 1e-16 / h.
      const double h = 0x1p-10;
      const auto far = off(h), far_back = off(-h), near = off(h / 2), near_back = off(-h / 2);
      for (std::size_t entry = 0; entry < 2; ++entry) {
        for (std::size_t k = 0; k <= orders; ++k) {
          EXPECT_EQ(should[entry][k], plain[entry][k]) << name;
          const double wide = (far[entry][k] - far_back[entry][k]) / (2 * h);
          const double narrow = (near[entry][k] - near_back[entry][k]) / h;
          const double difference = narrow + (narrow - wide) / 3;
          EXPECT_NEAR(should[2 + 2 * column + entry][k], difference,
                      1e-7 * (1 + std::abs(difference)))
              << name << ", column " << column << ", entry " << entry << ", order " << k;
        }
      }
    }
    const SeriesKernel kernel(make_series(g), {1, Engine::interpreter});
    expect_near(found(kernel, {parameters}, {from}, orders)[0], should, name);
  }
}

TEST(Variational, WhatElseATapeGivesStaysAsItIs) {
  Tape f = tape_with(Operation::sin, 0.3);
  f.outputs.push_back(9);
  const Tape g = variational(f, 1, {});
  EXPECT_EQ(g.inputs, 3U + 2U);
  EXPECT_EQ(g.outputs.size(), 2U + 2U + 1U);
}

TEST(Series, MachineCodeIsWhatIsMeasured) {
  if (machine() == nullptr) GTEST_SKIP() << "no machine code here";
  const SeriesKernel kernel(make_series(tape_with(Operation::sin, 0.3)), {1, Engine::machine});
  EXPECT_EQ(kernel.engine(), Engine::machine);
}

}  // namespace
}  // namespace dalembert::codegen::series_test
