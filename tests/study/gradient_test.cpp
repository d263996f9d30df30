// The adjoint of a motion against its variational equations, and second derivatives against
// differences of first ones and against closed forms.
#include "dalembert/study/linear/gradient.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace dalembert::study::gradient_test {
namespace {

flow::Motion compiled(const std::string& text) {
  return flow::compile(model::read_model_text(text, "model.toml").value()).value();
}

flow::Motion file(const std::string& name) {
  return flow::compile(
             model::read_model(std::string(DALEMBERT_MODELS) + "/" + name + ".toml").value())
      .value();
}

motion::SimulationOptions precise(double duration) {
  motion::SimulationOptions options;
  options.duration = duration;
  options.samples = 2;
  options.rtol = 1e-12;
  options.atol = 1e-13;
  return options;
}

std::size_t place_of(const std::vector<std::string>& list, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find(list, name) - list.begin());
}

/// The gradient of each quantity of the end is the row of the sensitivities there. Both are exact
/// for steps that rtol = 1e-12 has made, which are not the same: they differ by some 1e-11.
void expect_the_same(const flow::Motion& motion, const std::string& what,
                     const std::vector<std::string>& quantities,
                     const std::vector<std::string>& names, double duration) {
  const auto forward = sensitivities(motion, precise(duration), {names});
  ASSERT_TRUE(forward) << forward.error();
  ASSERT_TRUE(forward->complete) << forward->reason;
  for (const std::string& quantity : quantities) {
    const auto back = gradient(motion, precise(duration), {quantity, names});
    ASSERT_TRUE(back) << to_string(back.error());
    ASSERT_TRUE(back->complete) << back->reason;
    const std::size_t row = place_of(forward->quantities, quantity);
    ASSERT_LT(row, forward->quantities.size()) << quantity;
    double size = 1;
    for (const double x : forward->row(1)) size = std::max(size, std::abs(x));
    for (std::size_t j = 0; j < names.size(); ++j) {
      EXPECT_NEAR(back->by[j], forward->row(1)[row * names.size() + j], 1e-9 * size)
          << what << ": " << quantity << " by " << names[j];
    }
  }
}

constexpr const char* spring = R"toml(name = "Spring"
coordinates = ["x"]
[parameters]
c = 4
start = 0.5
half = "c/2"
[energy]
kinetic = "x'^2/2"
potential = "half*x^2"
[initial]
x = "start"
[outputs]
work = "half*x^2"
)toml";

/// A bead on a wire that turns as it is told, with friction that the wire's force makes: rheonomic,
/// the constraint said twice, C of the ideal force.
constexpr const char* rheonomic = R"toml(name = "Bead on a turning wire"
coordinates = ["x", "y"]
[parameters]
m = 1.5
w = 0.7
mu = 0.2
g = 9.81
k = 3
[energy]
kinetic = "m*(x'^2 + y'^2)/2"
potential = "m*g*y + k*(x^2 + y^2)/2"
[[constraint]]
name = "wire"
equation = "y*cos(w*t + 0.3) = x*sin(w*t + 0.3)"
[[constraint]]
name = "the same"
equation = "2*y*cos(w*t + 0.3) = 2*x*sin(w*t + 0.3)"
[virtual_work]
x = "-mu*(ideal.x^2 + ideal.y^2)/10*x'"
y = "-mu*(ideal.x^2 + ideal.y^2)/10*y'"
[initial]
x = "cos(0.3)"
y = "sin(0.3)"
"x'" = "-w*sin(0.3)"
"y'" = "w*cos(0.3)"
)toml";

TEST(Gradient, OfASpringIsThatOfItsSolution) {
  const flow::Motion motion = compiled(spring);
  const Gradient found =
      gradient(motion, precise(1), {"x^2 + c", {"c", "start", "x", "x'"}}).value();
  ASSERT_TRUE(found.complete) << found.reason;
  // x = s cos(w t) + v sin(w t)/w, w^2 = c
  const double x = 0.5 * std::cos(2), dx_dc = -0.5 * std::sin(2) / 4;
  EXPECT_NEAR(found.value, x * x + 4, 1e-11);
  EXPECT_NEAR(found.by[0], 2 * x * dx_dc + 1, 1e-11);
  EXPECT_NEAR(found.by[1], 2 * x * std::cos(2), 1e-11);
  EXPECT_NEAR(found.by[2], 2 * x * std::cos(2), 1e-11);
  EXPECT_NEAR(found.by[3], 2 * x * std::sin(2) / 2, 1e-11);
  EXPECT_EQ(found.bytes, static_cast<std::size_t>(found.steps) * 5 * sizeof(double));
}

TEST(Gradient, OfConstrainedMotionsIsThatOfTheVariationalEquations) {
  expect_the_same(file("pendulum"), "two coordinates", {"x", "y'", "tension"}, {"g", "x", "y'"}, 1);
  expect_the_same(file("rolling_disk"), "nonholonomic, the start follows", {"x", "theta'", "phi''"},
                  {"r", "m", "g", "theta"}, 1);
  expect_the_same(file("four_bar"), "a redundant loop, put together", {"coupler_x", "a3'"},
                  {"l2", "g", "rho", "a1"}, 0.5);
  expect_the_same(file("coulomb_helix"), "C of the reaction", {"x", "z'"}, {"mu", "g"}, 0.5);
  expect_the_same(compiled(rheonomic), "rheonomic, redundant", {"x", "y'", "x''"},
                  {"m", "w", "mu", "g", "k"}, 1);
}

TEST(Gradient, RefusesWhatItDoesNotKnow) {
  const flow::Motion motion = compiled(spring);
  EXPECT_EQ(gradient(motion, precise(1), {"x", {"cc"}}).error().diagnostics[0].message,
            "'cc' is neither a parameter nor an initial value; did you mean 'c'?");
  const auto unknown = gradient(motion, precise(1), {"xx", {"c"}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().diagnostics[0].message,
            "gradient 'xx': unknown name 'xx'; did you mean 'x'?");
  EXPECT_EQ(
      gradient(file("bouncing_ball"), precise(1), {"z", {"g"}}).error().diagnostics[0].message,
      "the gradient of a motion through events, contacts, friction that sticks or jumps of "
      "the equations is not known; sensitivities are");
}

TEST(SecondSensitivities, OfASpringAreThoseOfItsSolution) {
  const flow::Motion motion = compiled(spring);
  SensitivityRequest request{{"c", "start"}};
  request.order = 2;
  const Sensitivities found = sensitivities(motion, precise(1), request).value();
  ASSERT_TRUE(found.complete) << found.reason;
  // x = s cos(w), w = sqrt(c) = 2: x_cc = s (-cos(w)/(4 c) + sin(w)/(4 c w)), x_cs = -sin(w)/(2 w)
  EXPECT_NEAR(found.second_by(1, 0, 0, 0), 0.5 * (-std::cos(2) / 16 + std::sin(2) / 32), 1e-10);
  EXPECT_NEAR(found.second_by(1, 0, 0, 1), -std::sin(2) / 4, 1e-10);
  EXPECT_NEAR(found.second_by(1, 0, 1, 0), -std::sin(2) / 4, 1e-10);
  EXPECT_NEAR(found.second_by(1, 0, 1, 1), 0, 1e-10);
}

/// d/ds of the first derivatives, by Richardson's extrapolation with `s` moved.
void expect_differences(const std::string& text, const std::vector<std::string>& names,
                        double duration) {
  const model::Model model = model::read_model_text(text, "model.toml").value();
  SensitivityRequest request{names};
  request.order = 2;
  const Sensitivities found =
      sensitivities(flow::compile(model).value(), precise(duration), request).value();
  ASSERT_TRUE(found.complete) << found.reason;
  const std::size_t states = found.states.size() / 2;
  for (std::size_t s = 0; s < names.size(); ++s) {
    const auto first = [&](double change) {
      const flow::Motion base = flow::compile(model).value();
      const auto& all = base.model().parameters;
      const auto i = std::ranges::find(all, names[s], &model::Named::name) - all.begin();
      flow::CompileOptions options;
      options.settings[names[s]] =
          fmt::format("{:.17g}", base.parameters()[static_cast<std::size_t>(i)] + change);
      SensitivityRequest moved{names, options.settings};
      return sensitivities(flow::compile(model, options).value(), precise(duration), moved).value();
    };
    std::vector<std::vector<double>> table;
    double h = 0.0625;
    for (int level = 0; level < 4; ++level, h /= 2) {
      const Sensitivities above = first(h), below = first(-h);
      std::vector<double> row;
      for (std::size_t k = 0; k < states * names.size(); ++k)
        row.push_back((above.row(1)[k] - below.row(1)[k]) / (2 * h));
      double power = 1;
      for (auto& before : table) {
        power *= 4;
        std::vector<double> next = row;
        for (std::size_t k = 0; k < row.size(); ++k) next[k] += (row[k] - before[k]) / (power - 1);
        before = row;
        row = next;
      }
      table.push_back(row);
    }
    double size = 1;
    for (const double x : table.back()) size = std::max(size, std::abs(x));
    // Four levels leave O(h^8) with h from 1/16 to 1/128; first derivatives good to 1e-12 leave
    // some 1e-10 of their difference by 1/128.
    for (std::size_t k = 0; k < states; ++k) {
      for (std::size_t r = 0; r < names.size(); ++r)
        EXPECT_NEAR(found.second_by(1, k, s, r), table.back()[k * names.size() + r], 1e-8 * size)
            << found.quantities[k] << " by " << names[s] << ", " << names[r];
    }
  }
}

TEST(SecondSensitivities, AgreeWithDifferencesOfTheFirst) {
  expect_differences(rheonomic, {"m", "w", "mu", "k"}, 1);
  expect_differences(R"toml(name = "Skate"
coordinates = ["x", "y", "phi"]
[parameters]
m = 2
J = 0.5
g = 3
w = 1
u = 1.5
[energy]
kinetic = "m*(x'^2 + y'^2)/2 + J*phi'^2/2"
potential = "m*g*x*sin(0.4)"
[forces]
phi = "-0.2*phi'^3"
[[constraint]]
name = "edge"
equation = "x'*sin(phi) = y'*cos(phi)"
[initial]
phi = 0.3
"phi'" = "w"
"x'" = "u*cos(0.3)"
"y'" = "u*sin(0.3)"
)toml",
                     {"J", "g", "w", "u"}, 1);
}

TEST(SecondSensitivities, RefuseEvents) {
  SensitivityRequest request{{"g"}};
  request.order = 2;
  EXPECT_EQ(sensitivities(file("bouncing_ball"), precise(1), request).error(),
            "second derivatives are known of smooth motions only, and this model has events, "
            "contacts, friction that sticks, or equations that jump");
}

}  // namespace
}  // namespace dalembert::study::gradient_test
