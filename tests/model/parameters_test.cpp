#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "complaints_of.hpp"

namespace dalembert::model::parameters_test {
namespace {

Model model_with(const std::string& parameters) {
  return read_model_text(
             "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2\"\n[parameters]\n" + parameters,
             "p.toml")
      .value();
}

std::string message(const Model& model, const std::map<std::string, std::string>& settings) {
  const auto values = parameter_values(model, settings);
  return values ? "no error" : to_string(values.error());
}

TEST(ParameterValues, DependentParametersFollowASetting) {
  const Model model = model_with("l = 2\nJ = \"m*l^2\"\nm = 3\n");
  ASSERT_EQ(model.parameters[2].name, "J");
  EXPECT_EQ(*parameter_values(model), (std::vector<double>{2, 3, 12}));
  EXPECT_EQ(*parameter_values(model, {{"l", "1/2"}}), (std::vector<double>{0.5, 3, 0.75}));
  EXPECT_EQ(*parameter_values(model, {{"J", "4"}}), (std::vector<double>{2, 3, 4}));
  // A setting may turn the dependence round.
  EXPECT_EQ(*parameter_values(model, {{"J", "8"}, {"m", "J/l^2"}}), (std::vector<double>{2, 2, 8}));
}

TEST(ParameterValues, WrongSettingsAreNamed) {
  const Model model = model_with("m = 1\nl = \"2*m\"\n");
  EXPECT_EQ(message(model, {{"mm", "2"}}),
            "error: --set mm=2: unknown parameter 'mm'; did you mean 'm'?\n");
  for (const std::string name : {"x", "x'"}) {
    EXPECT_EQ(message(model, {{name, "2"}}),
              "error: --set " + name + "=2: '" + name +
                  "' is a coordinate; --set gives values to parameters; say where a coordinate "
                  "starts with --at \"" +
                  name + "=2\", or in [initial]\n");
  }
  EXPECT_EQ(message(model, {{"m", "2*k"}}), "error: --set m=2*k: unknown parameter 'k'\n");
  EXPECT_EQ(message(model, {{"m", "2*"}}),
            "error: --set m=2*: expected an expression, found the end\n");
  EXPECT_EQ(message(model, {{"m", ""}}),
            "error: --set m=: expected an expression, found nothing\n");
  EXPECT_EQ(message(model, {{"m", "l'"}}),
            "error: --set m=l': 'l' is a parameter; it has no rate\n");
  EXPECT_EQ(message(model, {{"m", "t"}}), "error: --set m=t: unknown parameter 't'\n");
  EXPECT_EQ(message(model, {{"m", "l"}}),
            "error: --set m=l: parameter 'm' depends on itself: m -> l -> m\n");
  EXPECT_EQ(message(model, {{"m", "log(0)"}}),
            "error: --set m=log(0): parameter 'm' is -inf; it must be finite\n");
  EXPECT_EQ(message(model, {{"a", "1"}, {"b", "2"}}),
            "error: --set a=1: unknown parameter 'a'\nerror: --set b=2: unknown parameter 'b'\n");
}

TEST(ParameterValues, AValueThatIsNotFiniteIsShownInTheFileOnce) {
  const Model model = model_with("a = 0\nb = \"1/a\"\nc = \"2*b\"\n");
  EXPECT_EQ(message(model, {}),
            "p.toml:6:6: error: parameter 'b' is inf; it must be finite\n    6 | b = \"1/a\"\n"
            "      |      ^^^\n");
  EXPECT_EQ(*parameter_values(model, {{"a", "2"}}), (std::vector<double>{2, 0.5, 1}));
  EXPECT_EQ(message(model_with("a = \"1e999\"\n"), {}).substr(0, 22), "p.toml:5:6: error: par");
}

TEST(Evaluate, GivesTheValueOfAnExpressionOfParameters) {
  const Model model = model_with("a = 2\nb = 3\n");
  EXPECT_EQ(evaluate(pow(expr::parameter("a"), expr::parameter("b")), model, {2, 3}), 8);
  EXPECT_THROW(evaluate(expr::coordinate("x"), model, {2, 3}), std::invalid_argument);
  EXPECT_THROW(evaluate(Expr(1), model, {2}), std::invalid_argument);
}

TEST(ErrorIn, IsAboutTheModelsFile) {
  EXPECT_EQ(to_string(error_in(model_with("a = 1\n"), "too stiff")), "p.toml: error: too stiff\n");
}

}  // namespace
}  // namespace dalembert::model::parameters_test
