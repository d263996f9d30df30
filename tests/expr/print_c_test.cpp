// The C that is printed is compiled by the system's compiler, loaded, and compared with evaluation.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <dalembert/expr/print.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>

#include "support.hpp"

namespace dalembert::expr::print_c_test {
namespace {

namespace fs = std::filesystem;

const Expr x = coordinate("x");
const Expr y = coordinate("y");

/// A compiled function in a folder of its own, both gone with it.
class Compiled {
 public:
  explicit Compiled(const std::string& source) {
    std::string pattern = (fs::temp_directory_path() / "dalembert_c_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    std::ofstream(folder_ / "f.c") << source;
    const std::string command = "cc -std=c99 -Wall -Wextra -Werror -O1 -shared -fPIC -o " +
                                (folder_ / "f.so").string() + " " + (folder_ / "f.c").string() +
                                " -lm";
    if (std::system(command.c_str()) != 0) return;
    library_ = dlopen((folder_ / "f.so").c_str(), RTLD_NOW);
    if (library_ != nullptr) function_ = reinterpret_cast<Function>(dlsym(library_, "f"));
  }
  ~Compiled() {
    if (library_ != nullptr) dlclose(library_);
    fs::remove_all(folder_);
  }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;

  explicit operator bool() const { return function_ != nullptr; }
  void operator()(const std::vector<double>& in, std::vector<double>& out) const {
    function_(in.data(), out.data());
  }

 private:
  using Function = void (*)(const double*, double*);
  fs::path folder_;
  void* library_ = nullptr;
  Function function_ = nullptr;
};

void expect_agreement(const std::vector<Expr>& outputs, std::size_t at_least) {
  const std::vector<Expr> inputs = symbols(outputs);
  const Compiled f(to_c("f", outputs, inputs));
  ASSERT_TRUE(f);
  std::vector<double> in;
  for (const Expr& s : inputs) in.push_back(testing::generic_value(s.symbol()));
  std::vector<double> out(outputs.size());
  f(in, out);
  std::size_t compared = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    // Either is within the running error of the exact value; slack 4 allows the library 2 ulp a
    // function.
    const auto expected = testing::bounded_value(outputs[i], testing::generic_value);
    if (!std::isfinite(expected.error)) continue;
    EXPECT_LE(std::abs(out[i] - expected.value), 2 * expected.error)
        << to_text(outputs[i], 500) << " gives " << out[i] << ", not " << expected.value;
    ++compared;
  }
  EXPECT_GE(compared, at_least);
}

std::vector<Expr> random_expressions(std::size_t count) {
  std::mt19937 random(11);
  std::vector<Expr> result;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<unsigned> program(random() % 40);
    for (unsigned& code : program) code = static_cast<unsigned>(random());
    result.push_back(testing::expression_from(program));
  }
  return result;
}

TEST(ToC, AgreesWithEvaluationOnRandomExpressions) {
  expect_agreement(random_expressions(300), 150);
}

TEST(ToC, EveryNodeOfAGraphAgreesToAFewRoundings) {
  // All nodes as outputs: each is compared with its own operation on the operands that C found.
  const std::vector<Expr> roots = random_expressions(100);
  const std::vector<Expr> nodes = postorder(roots);
  const std::vector<Expr> inputs = symbols(roots);
  const Compiled f(to_c("f", nodes, inputs));
  ASSERT_TRUE(f);
  std::vector<double> in;
  for (const Expr& s : inputs) in.push_back(testing::generic_value(s.symbol()));
  std::vector<double> out(nodes.size());
  f(in, out);
  std::unordered_map<const Node*, double> value;
  constexpr double u = std::numeric_limits<double>::epsilon() / 2;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    value.emplace(nodes[i].node(), out[i]);
    if (nodes[i].is(Op::symbol)) continue;
    std::vector<double> args;
    double size = 0;
    for (const Expr& arg : nodes[i].args()) {
      args.push_back(value.at(arg.node()));
      size += std::abs(args.back());
    }
    const double expected = evaluate_operation(nodes[i], args);
    if (!std::isfinite(expected)) continue;
    // A sum of n rounds n times at its largest; x^k and products once a factor; functions may be
    // folded better.
    double roundings = 4 + static_cast<double>(args.size());
    if (nodes[i].is(Op::power)) roundings += std::min(std::abs(args[1]), 32.0);
    const double scale = nodes[i].is(Op::sum) ? size : std::abs(expected);
    EXPECT_NEAR(out[i], expected, roundings * u * scale + std::numeric_limits<double>::denorm_min())
        << to_text(nodes[i], 500);
  }
}

TEST(ToC, EveryFunctionAndPower) {
  std::vector<Expr> outputs;
  for (const FunctionInfo& f : functions()) {
    const auto arity = static_cast<std::ptrdiff_t>(f.arity);
    const Expr from = f.op == Op::acosh ? 1 : 0;  // where it has a value
    const std::vector<Expr> first{from + (arity == 1 ? x / 3 : x), y, x * x};
    const std::vector<Expr> second{from + (arity == 1 ? (x + y) / 9 : x - y - 9), y * x, 1 / y};
    for (const auto& args : {first, second})
      outputs.push_back(apply_function(f.op, std::vector(args.begin(), args.begin() + arity)));
  }
  for (int k = -40; k <= 40; ++k) {
    outputs.push_back(pow(x, k));
    outputs.push_back(y / pow(x + y, k));
  }
  outputs.push_back(pow(x, Rational(1, 3)));
  outputs.push_back(pow(x, y));
  outputs.push_back(-x);
  outputs.push_back(-x * y - pow(y, 2) - (x + y) * 3);
  outputs.push_back(1 / x / y);
  outputs.push_back(pi() * Rational(1, 3) - 1e300 * x);
  expect_agreement(outputs, outputs.size());
}

TEST(ToC, DerivativesOfSharedGraphs) {
  Expr e = x;
  for (int i = 0; i < 200; ++i)
    e = sin(e) / 2 + cos(e * y) / 4;  // contracts, so that errors do too
  const std::vector<Expr> wanted = {x, y};
  std::vector<Expr> outputs = gradient(e, wanted);
  outputs.push_back(e);
  EXPECT_LT(to_c("f", outputs, wanted).size(), 100 * testing::edge_count(outputs));
  expect_agreement(outputs, 3);
}

TEST(ToC, IsLinearInTheGraph) {
  Expr e = x;
  for (int i = 0; i < 100'000; ++i) e = i % 3 == 0 ? sin(e) + x : i % 3 == 1 ? e * e : sqrt(e + 1);
  const std::string text = to_c("f", std::span(&e, 1), std::span(&x, 1));
  EXPECT_LT(text.size(), 60 * testing::edge_count(std::span(&e, 1)));
}

TEST(ToC, SharedNodesAreNamedOnceAndSmallOnesStandInPlace) {
  const std::vector<Expr> outputs = {sin(x + y) + pow(sin(x + y), 2), x * y - 1};
  const std::vector<Expr> inputs = {x, y};
  const std::string text = to_c("f", outputs, inputs);
  EXPECT_NE(text.find("  const double t0 = sin(in[0] + in[1]);\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("sin(", text.find("sin(") + 1), std::string::npos) << text;
  EXPECT_NE(text.find("#include <math.h>"), std::string::npos);
  EXPECT_NE(text.find("void f(const double* in, double* out) {"), std::string::npos);
}

TEST(ToC, CompilesWithoutInputsOrOutputs) {
  EXPECT_TRUE(Compiled(to_c("f", {}, {})));
  const Expr one = 1;
  EXPECT_TRUE(Compiled(to_c("f", std::span(&one, 1), {})));
  EXPECT_TRUE(Compiled(to_c("f", {}, std::span(&x, 1))));
}

TEST(ToC, ConstantsBeyondTheRangeAreInfinite) {
  const Expr huge = Rational(std::string(400, '9'));
  const std::vector<Expr> outputs = {huge, -huge};
  const Compiled f(to_c("f", outputs, {}));
  ASSERT_TRUE(f);
  std::vector<double> out(2);
  f({}, out);
  EXPECT_EQ(out[0], std::numeric_limits<double>::infinity());
  EXPECT_EQ(out[1], -std::numeric_limits<double>::infinity());
}

TEST(ToC, RefusesWhatItCannotName) {
  const Expr e = sin(x) + y;
  EXPECT_THROW(to_c("f", std::span(&e, 1), std::span(&x, 1)), std::invalid_argument);
  EXPECT_THROW(to_c("f", {}, std::span(&e, 1)), std::invalid_argument);
  EXPECT_THROW(to_c("2f", {}, {}), std::invalid_argument);
  EXPECT_THROW(to_c("a b", {}, {}), std::invalid_argument);
  EXPECT_THROW(to_c("", {}, {}), std::invalid_argument);
}

}  // namespace
}  // namespace dalembert::expr::print_c_test
