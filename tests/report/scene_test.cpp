// What is drawn of a motion, against motions that are known in closed form.
#include <dalembert/report/page/scene.hpp>

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>

#include "../model_files.hpp"
#include "dalembert/report/page/scene_extent.hpp"

namespace dalembert::report::scene_test {
namespace {

using Eigen::Vector3d;
using nlohmann::json;

/// A motion recorded and read back as the page would.
struct Scene {
  json document;
  std::vector<double> values;
  std::vector<std::vector<double>> q, outputs;
  std::vector<std::string> output_names;
  std::size_t frame_size = 0;

  std::size_t frames() const { return document["frames"]; }
  double time(std::size_t f) const { return values[document["times"].get<std::size_t>() + f]; }
  Vector3d vector(const json& index, std::size_t f, std::size_t width = 3) const {
    return Vector3d(values.data() + index.get<std::size_t>() + width * f);
  }
  Eigen::Quaterniond turn(const json& object, std::size_t f) const {
    const double* e = values.data() + object["pose"].get<std::size_t>() + 7 * f + 3;
    return {e[0], e[1], e[2], e[3]};
  }
  const json& object(const std::string& name) const {
    for (const json& object : document["objects"]) {
      if (object["name"] == name) return object;
    }
    throw std::out_of_range("no object " + name);
  }
  const json* arrow(const std::string& kind, const std::string& name) const {
    for (const json& arrow : document["arrows"]) {
      if (arrow["name"] == name && arrow["kind"] == kind) return &arrow;
    }
    return nullptr;
  }
  Vector3d force(const std::string& kind, const std::string& name, std::size_t f) const {
    const json* found = arrow(kind, name);
    if (found == nullptr) throw std::out_of_range("no arrow " + kind + " " + name);
    return vector((*found)["vector"], f);
  }
};

motion::Motion motion_of(const std::string& text) {
  auto read = model::read_model_text(text, "model.toml");
  if (!read) throw std::invalid_argument(model::to_string(read.error()));
  auto compiled = motion::compile(*std::move(read));
  if (!compiled) throw std::invalid_argument(model::to_string(compiled.error()));
  return *std::move(compiled);
}

/// Numbers before the scene's own, as there are on the page.
constexpr std::size_t before = 5;

Scene scene_of(const std::string& text, int thinned = 0) {
  const motion::Motion motion = motion_of(text);
  SceneRecorder recorder(motion);
  Scene scene;
  scene.frame_size = recorder.frame_size();
  for (const model::Named& output : motion.outputs()) scene.output_names.push_back(output.name);
  auto start = motion::initial_state(motion);
  if (!start) throw std::invalid_argument(model::to_string(start.error()));
  const motion::Summary summary = motion::simulate(
      motion, start->state, motion::simulation_options(motion), [&](const motion::Sample& sample) {
        recorder.add(sample);
        scene.q.emplace_back(sample.q.begin(), sample.q.end());
        scene.outputs.emplace_back(sample.outputs.begin(), sample.outputs.end());
        return true;
      });
  EXPECT_TRUE(summary.complete) << summary.reason;
  for (int k = 0; k < thinned; ++k) recorder.thin();
  scene.values.assign(before, 0.0);
  scene.document = json::parse(recorder.json(scene.values));
  return scene;
}

void expect_near(const Vector3d& found, const Vector3d& expected, double tolerance) {
  EXPECT_LE((found - expected).norm(), tolerance)
      << found.transpose() << " instead of " << expected.transpose();
}

const std::string simulation = "[simulation]\nduration = 2\nsamples = 41\n";

const std::string pendulum = R"toml(coordinates = ["x", "z"]
gravity = [0, 0, -10]
[[particle]]
name = "bob"
mass = 3
position = ["x", 0, "z"]
[[constraint]]
name = "rod"
equation = "x^2 + z^2 = 4"
[initial]
x = 2
)toml" + simulation;

TEST(Scene, TheRodOfAPendulumPullsAlongItself) {
  const Scene scene = scene_of(pendulum);
  ASSERT_EQ(scene.frames(), 41U);
  for (std::size_t f = 0; f < scene.frames(); ++f) {
    const Vector3d bob = scene.vector(scene.object("bob")["pose"], f, 7);
    EXPECT_EQ(bob, Vector3d(scene.q[f][0], 0, scene.q[f][1]));
    // From rest at the height of the pivot: m v^2 = -2 m g z, and the rod bears m v^2/l - m g z/l.
    expect_near(scene.force("ideal", "bob", f), 3 * 30 * bob.z() / 4 * bob, 1e-5);
    expect_near(scene.force("applied", "bob", f), {0, 0, -30}, 1e-6);
    const json& at = (*scene.arrow("ideal", "bob"))["at"];
    EXPECT_EQ(scene.vector(at, f), bob);
  }
  EXPECT_EQ(scene.arrow("nonideal", "bob"), nullptr);
  // The bob is lowest at t = 1.17; the frames are 0.05 apart.
  EXPECT_NEAR(scene.document["largest_force"], 90, 0.5);
}

TEST(Scene, ByAnAngleAllOfTheForceIsApplied) {
  const Scene scene = scene_of(R"toml(coordinates = ["a"]
[let]
bob = ["2*sin(a)", 0, "-2*cos(a)"]
[energy]
kinetic = "3*dot(bob', bob')/2"
potential = "30*bob.z"
[initial]
a = 1
[view]
ground = -3
[[view.segment]]
from = [0, 0, 0]
to = "bob"
[[view.point]]
name = "bob"
at = "bob"
mass = 3
[[view.arrow]]
name = "acceleration"
at = "bob"
vector = "bob''"
)toml" + simulation);
  EXPECT_EQ(scene.document["ground"], -3);
  EXPECT_EQ(scene.document["arrows"].size(), 2U);
  for (std::size_t f = 0; f < scene.frames(); ++f) {
    const double a = scene.q[f][0];
    const Vector3d bob(2 * std::sin(a), 0, -2 * std::cos(a));
    expect_near(scene.vector(scene.object("bob")["position"], f), bob, 1e-15);
    expect_near(scene.vector(scene.object("segment 1")["to"], f), bob, 1e-15);
    expect_near(scene.vector(scene.object("segment 1")["from"], f), {0, 0, 0}, 0);
    // v^2/l = 2 g (cos a - cos 1) towards the pivot, g sin a across.
    const Vector3d expected = 20 * (std::cos(a) - std::cos(1)) * -bob / 2 -
                              10 * std::sin(a) * Vector3d(std::cos(a), 0, std::sin(a));
    expect_near(scene.force("applied", "bob", f), 3 * expected, 1e-6);
    expect_near(scene.force("other", "acceleration", f), expected, 1e-6);
  }
}

TEST(Scene, FrictionIsNonIdeal) {
  const Scene scene = scene_of(R"toml(coordinates = ["x", "z"]
gravity = [0, 0, -10]
[[particle]]
name = "puck"
mass = 2
position = ["x", 0, "z"]
[[constraint]]
name = "table"
equation = "z = 0"
[virtual_work]
x = "-ideal.z/4"
[initial]
"x'" = 10
)toml" + simulation);
  for (std::size_t f = 0; f < scene.frames(); ++f) {
    expect_near(scene.force("ideal", "puck", f), {0, 0, 20}, 1e-9);
    expect_near(scene.force("nonideal", "puck", f), {-5, 0, 0}, 1e-9);
    expect_near(scene.force("applied", "puck", f), {0, 0, -20}, 1e-9);
  }
}

/// A disk that rolls down a slope, the axes along the slope and across; seven coordinates, of which
/// four are a quaternion, so that M is singular.
const std::string disk = R"toml(coordinates = ["x", "y", "z", "e0", "e1", "e2", "e3"]
gravity = [3, 0, -9]
[[body]]
name = "disk"
mass = 2
inertia = [0.125, 0.25, 0.125]
position = ["x", "y", "z"]
orientation = { quaternion = ["e0", "e1", "e2", "e3"] }
shape = "disk"
radius = 0.5
thickness = 0.1
axis = "y"
[[joint]]
name = "contact"
type = "rolls"
body = "disk"
shape = "disk"
axis = [0, 1, 0]
normal = [0, 0, 1]
radius = 0.5
[initial]
z = 0.5
)toml" + simulation;

TEST(Scene, ADiskThatRollsDownASlopeIsHeldBackByAThirdOfItsWeight) {
  const Scene scene = scene_of(disk);
  const json& body = scene.object("disk");
  EXPECT_EQ(body["shape"], json({{"type", "disk"}, {"radius", 0.5}, {"length", 0.1}}));
  EXPECT_EQ(scene.document["ground"], 0);
  for (std::size_t f = 0; f < scene.frames(); ++f) {
    // x'' = g/(1 + 1/2) = 2, the friction is m g/3.
    const double x = scene.time(f) * scene.time(f);
    expect_near(scene.vector(body["pose"], f, 7), {x, 0, 0.5}, 1e-7);
    const Eigen::Quaterniond turn = scene.turn(body, f);
    EXPECT_NEAR(turn.norm(), 1, 1e-14);
    expect_near(turn * Vector3d::UnitZ(), Vector3d::UnitY(), 1e-7);
    const Eigen::Quaterniond rolled = turn * scene.turn(body, 0).conjugate();
    const double angle = x / 0.5;
    expect_near(rolled * Vector3d::UnitX(), {std::cos(angle), 0, -std::sin(angle)}, 1e-6);
    expect_near(scene.force("ideal", "disk", f), {-2, 0, 18}, 1e-6);
    expect_near(scene.force("applied", "disk", f), {6, 0, -18}, 1e-6);
    if (f > 0) {
      EXPECT_GT(turn.dot(scene.turn(body, f - 1)), 0);
    }
  }
}

TEST(Scene, ReactionsStandAtTheirJointAndAreThoseOfTheOutputs) {
  const Scene scene = scene_of(disk);
  const json& joint = scene.object("contact");
  EXPECT_EQ(joint["kind"], "joint");
  EXPECT_EQ(joint["type"], "rolls");
  ASSERT_EQ(scene.output_names[0], "contact.fx");
  for (std::size_t f = 0; f < scene.frames(); ++f) {
    const Vector3d force = scene.force("reaction", "contact", f);
    EXPECT_EQ(force, Vector3d(scene.outputs[f].data()));
    expect_near(force, {-2, 0, 18}, 1e-6);
    const json& at = (*scene.arrow("reaction", "contact"))["at"];
    EXPECT_EQ(at, joint["position"]);
    expect_near(scene.vector(at, f), {scene.time(f) * scene.time(f), 0, 0}, 1e-7);
  }
}

TEST(Scene, EveryIndexPointsToItsOwnNumbers) {
  const Scene scene = scene_of(disk);
  std::map<std::size_t, std::size_t> parts;
  const auto take = [&](const json& index, std::size_t width) {
    if (!index.is_null()) parts[index] = width * scene.frames();
  };
  take(scene.document["times"], 1);
  for (const json& object : scene.document["objects"]) {
    if (object.contains("pose")) take(object["pose"], 7);
    for (const char* key : {"position", "from", "to", "axis"}) {
      if (object.contains(key)) take(object[key], 3);
    }
  }
  for (const json& arrow : scene.document["arrows"]) {
    take(arrow["at"], 3);
    take(arrow["vector"], 3);
  }
  std::size_t next = before;
  for (const auto& [index, size] : parts) {
    EXPECT_EQ(index, next);
    next = index + size;
  }
  EXPECT_EQ(next, scene.values.size());
  EXPECT_LE(scene.values.size() - before, scene.frames() * scene.frame_size);
}

TEST(Scene, ThinningKeepsEveryOtherFrameWithItsTime) {
  const Scene all = scene_of(disk), some = scene_of(disk, 2);
  ASSERT_EQ(some.frames(), 11U);
  for (std::size_t f = 0; f < some.frames(); ++f) {
    EXPECT_EQ(some.time(f), all.time(4 * f));
    EXPECT_EQ(some.vector(some.object("disk")["pose"], f, 7),
              all.vector(all.object("disk")["pose"], 4 * f, 7));
    if (f > 0) {
      EXPECT_GE(some.turn(some.object("disk"), f).dot(some.turn(some.object("disk"), f - 1)), 0);
    }
  }
}

/// A body that spins freely, with mass 12 and these moments.
Scene spinning(const std::string& inertia) {
  return scene_of(R"toml(coordinates = ["e0", "e1", "e2", "e3"]
[[body]]
name = "body"
mass = 12
position = [0, 0, 1]
orientation = { quaternion = ["e0", "e1", "e2", "e3"] }
inertia = )toml" + inertia +
                  "\n[initial]\n\"e3'\" = 8\ne0 = 1\n" + simulation);
}

TEST(Scene, BodiesLookLikeTheirInertia) {
  // Of a rod of length 2 and radius 0.1, a disk of radius 2 and length 0.2, a ball of radius 0.5,
  // and a box of edges 1, 2, 3.
  const json rod = spinning("[4.03, 0.06, 4.03]").object("body")["shape"];
  EXPECT_EQ(rod["type"], "rod");
  EXPECT_NEAR(rod["radius"], 0.1, 1e-12);
  EXPECT_NEAR(rod["length"], 2, 1e-12);
  const json disk_shape = spinning("[24, 12.04, 12.04]").object("body")["shape"];
  EXPECT_EQ(disk_shape["type"], "disk");
  EXPECT_NEAR(disk_shape["radius"], 2, 1e-12);
  EXPECT_NEAR(disk_shape["length"], 0.2, 1e-12);
  const json ball = spinning("[1.2, 1.2, 1.2]").object("body")["shape"];
  EXPECT_EQ(ball["type"], "sphere");
  EXPECT_NEAR(ball["radius"], 0.5, 1e-12);
  const json box = spinning("[13, 10, 5]").object("body")["shape"];
  EXPECT_EQ(box["type"], "box");
  std::vector<double> edges = box["size"];
  std::sort(edges.begin(), edges.end());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(edges[i], static_cast<double>(i + 1), 1e-12);
  const json point = spinning("[1e-30, 1e-30, 1e-30]").object("body")["shape"];
  EXPECT_EQ(point["type"], "sphere");
}

TEST(Scene, SizesThatTheModelGivesAreDrawnAsTheyAre) {
  const auto drawn = [](const std::string& shape) {
    return json(
        scene_of("coordinates = [\"x\"]\n[[body]]\nname = \"body\"\nmass = 1\ninertia = [1, 1, 1]\n"
                 "position = [\"x\", 0, 0]\n" +
                 shape + "\n" + simulation)
            .object("body")["shape"]);
  };
  const json disk_shape = drawn("shape = \"disk\"\nradius = 1\nthickness = 0.001");
  EXPECT_EQ(disk_shape["length"], 0.001);
  EXPECT_EQ(drawn("shape = \"rod\"\nlength = 1\nradius = 0.001")["radius"], 0.001);
  EXPECT_EQ(drawn("shape = \"box\"\nsize = [1, 1, 0.001]")["size"], json({1.0, 1.0, 0.001}));
}

/// A quaternion turns at twice its own rate: 16 rad/s and 0.05 s between frames; the page turns
/// bodies the shorter way from frame to frame.
TEST(Scene, SaysWhereABodyTurnsTooFastForItsFrames) {
  EXPECT_EQ(spinning("[13, 10, 15]").document["note"], "");
  const motion::Motion motion = motion_of(R"toml(coordinates = ["a"]
[[body]]
name = "wheel"
mass = 1
inertia = [1, 1, 1]
position = [0, 0, 0]
orientation = { axes = "z", angles = ["a"] }
[initial]
"a'" = 70
)toml" + simulation);
  SceneRecorder recorder(motion);
  motion::simulate(motion, motion::initial_state(motion).value().state,
                   motion::simulation_options(motion), [&](const motion::Sample& sample) {
                     recorder.add(sample);
                     return true;
                   });
  std::vector<double> values;
  const std::string note = json::parse(recorder.json(values))["note"];
  EXPECT_TRUE(note.starts_with("wheel turns by more than half a turn between two frames")) << note;
}

TEST(Scene, ShapesLieInThePrincipalAxes) {
  // The rod of above, along y; turned by a spin of 16 about z.
  const Scene scene = spinning("[4.03, 0.06, 4.03]");
  for (std::size_t f = 0; f < scene.frames(); ++f) {
    const double angle = 16 * scene.time(f);
    const Eigen::Quaterniond turn = scene.turn(scene.object("body"), f);
    const Vector3d along = turn * Vector3d::UnitZ();
    const Vector3d expected(-std::sin(angle), std::cos(angle), 0);
    EXPECT_NEAR(std::abs(along.dot(expected)), 1, 1e-6);
    if (f > 0) {
      EXPECT_GE(turn.dot(scene.turn(scene.object("body"), f - 1)), 0);
    }
  }
}

TEST(Scene, TheSphereHoldsAllThatIsDrawn) {
  const Scene scene = scene_of(disk);
  const std::vector<double> c = scene.document["center"];
  const Vector3d center(c.data());
  const double radius = scene.document["radius"];
  for (std::size_t f = 0; f < scene.frames(); ++f) {
    const Vector3d p = scene.vector(scene.object("disk")["pose"], f, 7);
    EXPECT_LE((p - center).norm() + 0.5, radius + 1e-12);
  }
  EXPECT_LT(radius, 4);
  // Of the disk alone, whose half is 0.5 and its diagonal a little more.
  EXPECT_GE(scene.document["scale"], 0.5);
  EXPECT_LT(scene.document["scale"], 1);
}

TEST(Scene, AMotionThatRunsAwayAtTheEndDoesNotShrinkTheRest) {
  std::vector<double> frames;
  for (int f = 0; f < 1000; ++f) {
    const double x = std::sin(0.1 * f);
    frames.insert(frames.end(), {x, 0.0, f == 5 ? std::nan("") : 0.0});
  }
  frames[2999 - 2] = 1e6;
  const std::vector<Anchor> anchors{{0, 0.1}};
  const Extent extent = extent_of(frames, 3, anchors);
  EXPECT_LT(extent.radius, 1.5);
  EXPECT_GE(extent.radius, 1);
  // A path that goes on at an even pace is shown whole.
  for (int f = 0; f < 1000; ++f) frames[3 * static_cast<std::size_t>(f)] = f;
  EXPECT_NEAR(extent_of(frames, 3, anchors).radius, 999 / 2.0 + 0.1, 0.2);
}

TEST(Scene, GroundIsDrawnWhereSomethingStandsOnIt) {
  const auto ground = [](const std::string& height, const std::string& view) {
    return scene_of(
               "coordinates = [\"x\"]\n[[particle]]\nname = \"p\"\nmass = 1\n"
               "radius = 0.5\nposition = [\"x\", 0, " +
               height + "]\n[initial]\n\"x'\" = 1\n" + simulation + view)
        .document["ground"];
  };
  EXPECT_EQ(ground("0.5", ""), 0);
  EXPECT_TRUE(ground("2", "").is_null());
  EXPECT_TRUE(ground("-2", "").is_null());
  EXPECT_TRUE(ground("0.5", "[view]\nground = false\n").is_null());
  EXPECT_EQ(ground("2", "[view]\nground = true\n"), 0);
}

TEST(Scene, NothingIsDrawnOfAModelThatSaysNothing) {
  const std::string text = R"toml(coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
)toml";
  SceneRecorder recorder(motion_of(text));
  EXPECT_TRUE(recorder.empty());
  std::vector<double> values;
  EXPECT_EQ(recorder.json(values), "null");
  EXPECT_TRUE(values.empty());
  EXPECT_FALSE(SceneRecorder(motion_of(text + "[[frame]]\nname = \"f\"\n")).empty());
  EXPECT_TRUE(
      SceneRecorder(motion_of(text + "[[frame]]\nname = \"f\"\nshape = \"none\"\n")).empty());
}

TEST(Scene, EveryModelThatComesWithTheProgramIsDrawn) {
  for (const auto& file : model_files()) {
    SCOPED_TRACE(file.string());
    auto read = model::read_model(file);
    ASSERT_TRUE(read) << model::to_string(read.error());
    auto compiled = motion::compile(*std::move(read));
    ASSERT_TRUE(compiled);
    SceneRecorder recorder(*compiled);
    EXPECT_FALSE(recorder.empty());
    auto start = motion::initial_state(*compiled);
    ASSERT_TRUE(start);
    motion::SimulationOptions options = motion::simulation_options(*compiled);
    options.duration = 0.1;
    options.samples = 5;
    motion::simulate(*compiled, start->state, options, [&](const motion::Sample& sample) {
      recorder.add(sample);
      return true;
    });
    std::vector<double> values;
    const json scene = json::parse(recorder.json(values));
    EXPECT_EQ(scene["frames"], 5);
    EXPECT_TRUE(
        std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); }));
    if (compiled->constraints() > 0) {  // whose forces are drawn
      EXPECT_FALSE(scene["arrows"].empty());
    }
  }
}

TEST(Scene, ADrawingWithBadNumbersIsRefusedWithItsPlace) {
  const std::string text = R"toml(coordinates = ["x"]
[parameters]
r = 1
[[particle]]
name = "p"
mass = 1
position = ["x", 0, 0]
shape = "sphere"
radius = "r"
)toml";
  auto read = model::read_model_text(text, "model.toml");
  ASSERT_TRUE(read);
  motion::CompileOptions options;
  options.settings = {{"r", "-2"}};
  const auto compiled = motion::compile(*std::move(read), options);
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().diagnostics[0].message,
            "the radius of the shape of 'p' must be positive and finite, and is -2");
  EXPECT_EQ(compiled.error().diagnostics[0].where.line, 8);
}

}  // namespace
}  // namespace dalembert::report::scene_test
