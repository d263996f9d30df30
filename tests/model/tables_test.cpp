// [[table]] and [inputs]: what is read, what is refused and in which words, what is written again.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "complaints_of.hpp"
#include "dalembert/expr/print.hpp"
#include "dalembert/model/columns.hpp"
#include "dalembert/model/draft.hpp"
#include "dalembert/model/model.hpp"
#include "dalembert/model/system.hpp"
#include "dalembert/model/table.hpp"

namespace dalembert::model::tables_test {
namespace {

std::string with(const std::string& more, const std::string& force = "F(x)") {
  return "name = \"m\"\ncoordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\n[forces]\nx = \"" +
         force + "\"\n" + more;
}

/// What is wrong with a text: "line:column: sentence", one a line.
std::string wrong(const std::string& text, const std::string& path = "m.toml") {
  const auto model = read_model_text(text, path);
  if (model) return "";
  std::string lines;
  for (const Diagnostic& d : model.error().diagnostics)
    lines += std::to_string(d.where.line) + ":" + std::to_string(d.where.column) + ": " +
             d.message + "\n";
  return lines;
}

const std::string points = "[[table]]\nname = \"F\"\nx = [0, 1, 2]\ny = [0, 3, \"1/4\"]\n";

TEST(TableStatement, IsAFunctionInEveryExpression) {
  const Model model =
      read_model_text(with(points + "interpolation = \"cubic\"\n", "2*F(x) + F'(t)"), "m.toml")
          .value();
  EXPECT_EQ(expr::to_text(model.forces[0].expr), "F'(t) + 2*F(x)");
  ASSERT_EQ(model.tables.size(), 1U);
  EXPECT_EQ(model.tables[0]->degree(), 3);
  EXPECT_EQ(model.tables[0]->value(2), 0.25);
}

TEST(TableStatement, ServesLetsAndTheirRates) {
  const Model model =
      read_model_text(with(points + "interpolation = \"spline\"\n[let]\nh = \"F(x)\"\n"
                                    "r = [\"F(x)\", 0, 0]\n[outputs]\nv = \"h'\"\nw = \"r'.x\"\n"),
                      "m.toml")
          .value();
  EXPECT_EQ(expr::to_text(model.outputs[0].expr), "F'(x)*x'");
  EXPECT_TRUE(same(model.outputs[0].expr, model.outputs[1].expr));
}

TEST(TableStatement, TellsWhatIsWrongWhereItStands) {
  EXPECT_EQ(wrong(with("[[table]]\nname = \"F\"\nx = [0, 2, 1]\ny = [0, 3, 1]\n")),
            "9:12: table 'F': 'x' does not increase: 1 comes after 2\n");
  EXPECT_EQ(wrong(with("[[table]]\nname = \"F\"\nx = [0, 1]\ny = [0, 3, 1]\n")),
            "9:1: table 'F': 'x' has 2 numbers and 'y' has 3\n");
  EXPECT_EQ(wrong(with("[[table]]\nname = \"F\"\nx = [0]\ny = [0]\n")),
            "9:1: table 'F': a table needs two points or more\n");
  EXPECT_EQ(wrong(with("[[table]]\nname = \"F\"\nx = [0, 1]\n")),
            "7:1: table 'F' needs numbers: 'x' and 'y', or 'file' and 'columns'\n");
  EXPECT_EQ(wrong(with(points + "interpolation = \"cubik\"\n")),
            "11:18: unknown interpolation 'cubik'; did you mean 'cubic'?\n");
  EXPECT_EQ(wrong(with(points, "F")),
            "6:6: F is a table; write F(...) for its value, as in F(t)\n");
  EXPECT_EQ(wrong(with(points, "G(x)")), "6:6: unknown function 'G'\n");
  EXPECT_EQ(wrong(with("[parameters]\nF = 1\n" + points, "x")),
            "10:9: 'F' is already the name of a parameter (line 8)\n");
}

class InFolder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::path(testing::TempDir()) /
        ("tables_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::filesystem::path folder_;
};

const std::string from_file =
    "[[table]]\nname = \"F\"\nfile = \"F.csv\"\ncolumns = [\"t\", \"force\"]\n";

TEST_F(InFolder, NumbersOfAFileBesideTheModel) {
  write("F.csv", "# measured\n\"t\"; force\n0;1\n\n0.5; -2e0\n");
  const std::string path = write("m.toml", with(from_file));
  const Model model = read_model(path).value();
  EXPECT_EQ(model.tables[0]->value(0.25), -0.5);
  // The text says the same wherever it stands.
  const Model again = read_model_text(to_toml(*model.draft).value(), "elsewhere/m.toml").value();
  EXPECT_TRUE(*again.tables[0] == *model.tables[0]);
}

TEST_F(InFolder, WhatIsWrongWithAFileNamesItsLine) {
  const std::string path = (folder_ / "m.toml").string(), data = (folder_ / "F.csv").string();
  EXPECT_EQ(wrong(with(from_file), path), "9:1: table 'F': " + data + ": no such file\n");
  write("F.csv", "t,force\n0,1\n1,\n2,x\n");
  EXPECT_EQ(wrong(with(from_file), path),
            "9:1: table 'F': " + data + ":3:3: no number for 'force'\n");
  write("F.csv", "t,f\n0,1\n1,2\n");
  EXPECT_EQ(wrong(with(from_file), path),
            "10:1: table 'F': " + data + ":1:1: no column 'force'; there are 't', 'f'\n");
  write("F.csv", "t,force\n0,1\n0,2\n");
  EXPECT_EQ(wrong(with(from_file), path),
            "9:1: table 'F': " + data + ":3:1: 't' does not increase: 0 comes after 0\n");
}

TEST(Columns, TellEachCellThatIsNoNumber) {
  const auto read = read_columns_text("t,u\n0,abc\n1\n2,nan\n", "u.csv");
  ASSERT_FALSE(read);
  EXPECT_EQ(to_string(read.error()),
            "u.csv:2:3: error: 'abc' is not a finite number\n"
            "    2 | 0,abc\n"
            "      |   ^^^\n"
            "u.csv:3:1: error: 1 number for 2 columns\n"
            "    3 | 1\n"
            "      | ^\n"
            "u.csv:4:3: error: 'nan' is not a finite number\n"
            "    4 | 2,nan\n"
            "      |   ^^^\n");
  EXPECT_EQ(read_columns_text("0,1\n1,2\n", "u.csv").error().diagnostics[0].message,
            "'0' stands where the name of a column is expected: the first line gives the names");
}

TEST(Inputs, AreParametersThatSomebodySets) {
  const Model model = read_model_text(with("[inputs]\nu = 2\n", "u*x"), "m.toml").value();
  ASSERT_EQ(model.inputs.size(), 1U);
  EXPECT_EQ(model.parameters[model.inputs[0]].name, "u");
  EXPECT_EQ(wrong(with("[inputs]\nu = 2\n", "u'")), "6:6: 'u' is an input; it has no rate\n");
}

TEST(Inputs, ThatFollowTablesHaveRatesAndCanBeWritten) {
  const Draft draft =
      read_draft_text(with("[inputs]\nu = 2\n[let]\nh = \"u*x\"\n[outputs]\nr = \"h'\"\n", "u"),
                      "m.toml")
          .value();
  const std::vector<double> t{0, 1}, u{3, 5};
  const auto course =
      expr::Table::through("u", t, u, expr::Interpolation::linear, expr::Outside::hold);
  const Model driven = assemble(with_inputs(draft, {course}).value()).value();
  EXPECT_TRUE(driven.inputs.empty());
  EXPECT_EQ(expr::to_text(driven.forces[0].expr), "u_course(t)");
  EXPECT_EQ(expr::to_text(driven.outputs[0].expr), "u_course(t)*x' + x*u_course'(t)");
  const Model again = read_model_text(text_of(driven), "again.toml").value();
  EXPECT_TRUE(same(again.outputs[0].expr, driven.outputs[0].expr));
  EXPECT_EQ(with_inputs(draft, {course->named("w")}).error(), "unknown input 'w'; there is 'u'");
}

TEST(System, SaysTablesAndInputs) {
  System s("m");
  const Expr x = s.coordinate("x"), u = s.input("u", 1);
  const auto F = s.table("F", {0, 1, 2}, {0, 3, 1}, expr::Interpolation::cubic);
  s.kinetic(pow(dot(x), 2) / 2).force(x, u * F(x));
  EXPECT_EQ(F(1), 3);
  const Model built = s.model();
  EXPECT_EQ(complaint_lines(validate(built)), "");
  const Model read = read_model_text(to_toml(s.draft()).value(), "m.toml").value();
  EXPECT_TRUE(same(built.forces[0].expr, read.forces[0].expr));
  EXPECT_EQ(read.inputs.size(), 1U);
  EXPECT_THROW(s.table("G", {0, 0}, {1, 2}), std::invalid_argument);
}

}  // namespace
}  // namespace dalembert::model::tables_test
