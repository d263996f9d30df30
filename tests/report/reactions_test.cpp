// Reactions of joints as eval, check and run tell them.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/model/system.hpp"
#include "dalembert/motion/reactions.hpp"
#include "dalembert/report/check.hpp"
#include "dalembert/report/json.hpp"
#include "dalembert/report/terminal.hpp"
#include "dalembert/report/trajectory.hpp"

namespace dalembert::report::reactions_test {
namespace {

using expr::Expr;
using expr::multiplier;

/// A sledge of mass 2 on a rail along x, held twice along y, pulled down with 6 and sliding with
/// friction 0.5 of what the first guide bears; and a weld for the third direction.
model::Model sledge() {
  model::System s("sledge");
  auto [x, y, z] = s.coordinates("x", "y", "z");
  s.kinetic(pow(dot(x), 2) + pow(dot(y), 2) + pow(dot(z), 2)).force(y, Expr(-6)).force(z, Expr(4));
  s.constrain("first", y == 0).constrain("second", y == 0).constrain("side", z == 0);
  s.initial(dot(x), 3);
  s.simulation().duration = {Expr(1)};
  model::Model m = s.model();
  const auto joint = [&](const char* name, model::JointKind kind, const expr::Vector& force) {
    model::Joint j;
    j.name = name;
    j.kind = kind;
    j.bodies = {"ground", "sledge"};
    j.point = {x, 0, 0};
    j.force = j.body_force = force;
    m.joints.push_back(j);
    m.reactions.push_back({std::string(name) + ".fy", force.y});
  };
  joint("front", model::JointKind::point_on_line, {0, multiplier("first"), 0});
  joint("rear", model::JointKind::point_on_line, {0, multiplier("second"), 0});
  joint("wall", model::JointKind::point_on_plane, {0, 0, multiplier("side")});
  m.frictions.push_back({"front", {multiplier("first")}, {Expr(-0.5), Expr(0), Expr(0)}});
  return m;
}

TEST(ReactionsReport, EvalTellsForcesWhetherTheyAreUniqueAndNormalForces) {
  const auto motion = motion::compile(sledge()).value();
  const motion::State state = motion::initial_state(motion)->state;
  const auto solved = motion.acceleration(0, state.q, state.v);
  const auto residuals = motion.residuals(0, state.q, state.v);
  const auto json = nlohmann::json::parse(evaluation_json(motion, state, solved, residuals));
  ASSERT_EQ(json["joints"].size(), 3u);
  const auto& front = json["joints"][0];
  EXPECT_EQ(front["name"], "front");
  EXPECT_EQ(front["kind"], "point-on-line");
  EXPECT_EQ(front["bodies"], (nlohmann::json{"ground", "sledge"}));
  EXPECT_NEAR(front["force"]["world"][1].get<double>(), 3, 1e-14);  // half of 6: minimum norm
  EXPECT_NEAR(front["force"]["body"][1].get<double>(), 3, 1e-14);
  EXPECT_EQ(front["moment"]["world"], (nlohmann::json{0, 0, 0}));
  EXPECT_EQ(front["unique"], false);
  EXPECT_NEAR(front["friction"].get<double>(), 3, 1e-14);
  EXPECT_EQ(json["joints"][2]["unique"], true);
  EXPECT_NEAR(json["joints"][2]["force"]["world"][2].get<double>(), -4, 1e-14);
  EXPECT_FALSE(json["joints"][2].contains("friction"));
  EXPECT_NEAR(json["C"]["x"].get<double>(), -1.5, 1e-14);

  const std::string text = evaluation_text(motion, state, solved, residuals);
  EXPECT_NE(
      text.find("what the joint exerts on its second body, at the joint, along the fixed axes"),
      std::string::npos);
  EXPECT_NE(text.find("reactions of joints 'front' and 'rear': not unique, because constraints are "
                      "redundant; of minimum norm, and friction follows it"),
            std::string::npos)
      << text;
}

TEST(ReactionsReport, CheckAndRunSayWhichAreNotUnique) {
  const auto motion = motion::compile(sledge()).value();
  const motion::State state = motion::initial_state(motion)->state;
  const CheckReport report = check(motion, state);
  EXPECT_TRUE(report.passed());
  const std::string text = check_text(report);
  EXPECT_NE(text.find("front   point-on-line of ground and sledge   its reaction is not unique"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("wall   point-on-plane of ground and sledge   its reaction is unique"),
            std::string::npos);
  const auto json = nlohmann::json::parse(check_json(report));
  EXPECT_EQ(json["joints"][1]["unique"], false);
  EXPECT_EQ(json["joints"][2]["unique"], true);

  const auto options = motion::simulation_options(motion);
  Sparklines plots(motion, options.samples);
  motion::Summary summary =
      motion::simulate(motion, state, options, [](const motion::Sample&) { return true; });
  summary.unique_reactions = motion::calc_unique_reactions(motion, state);
  EXPECT_TRUE(summary.complete) << summary.reason;
  EXPECT_NE(run_text(motion, options, summary, plots).find("  reactions     of joints 'front'"),
            std::string::npos);
  const auto document = nlohmann::json::parse(summary_json(motion, options, summary));
  EXPECT_EQ(document["reactions"][0], (nlohmann::json{{"joint", "front"}, {"unique", false}}));
  EXPECT_TRUE(document["friction_not_assured"].is_null());
}

TEST(ReactionsReport, AreColumnsBehindTheOutputs) {
  model::Model m = sledge();
  m.outputs.push_back({"power", expr::coordinate("x", 1) * multiplier("first")});
  const auto motion = motion::compile(m).value();
  const auto columns = trajectory_columns(motion);
  ASSERT_GE(columns.size(), 4u);
  std::vector<std::string> names;
  std::vector<Group> groups;
  for (const Column& column : std::span(columns).last(4)) {
    names.push_back(column.name);
    groups.push_back(column.group);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"power", "front.fy", "rear.fy", "wall.fy"}));
  EXPECT_EQ(groups,
            (std::vector<Group>{Group::output, Group::reaction, Group::reaction, Group::reaction}));
}

}  // namespace
}  // namespace dalembert::report::reactions_test
