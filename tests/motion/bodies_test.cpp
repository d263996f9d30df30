// Bodies in motion: every description of one body gives one motion, and what mechanics keeps is
// kept.
#include <dalembert/flow/evaluator.hpp>
#include <dalembert/flow/state/initial_state.hpp>
#include <dalembert/motion/simulate.hpp>

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <string>
#include <vector>

namespace dalembert::motion::bodies_test {
namespace {

Motion compiled(const std::string& text, const CompileOptions& options = {}) {
  return compile(model::read_model_text(text, "model.toml").value(), options).value();
}

/// The outputs at the end of a motion that the text describes.
std::vector<double> outputs_at_end(const Motion& motion) {
  std::vector<double> last;
  const auto start = initial_state(motion).value();
  const Summary summary =
      simulate(motion, start.state, simulation_options(motion), [&](const Sample& sample) {
        last.assign(sample.outputs.begin(), sample.outputs.end());
        return true;
      });
  EXPECT_TRUE(summary.complete) << summary.reason;
  return last;
}

struct Attitude {
  Eigen::Matrix3d rotation;
  Eigen::Vector3d spin;  // body axes
};

/// z-x-z angles and their rates, by products of plane rotations.
Attitude attitude(const Eigen::Vector3d& angles, const Eigen::Vector3d& rates) {
  const Eigen::AngleAxisd a(angles[0], Eigen::Vector3d::UnitZ());
  const Eigen::AngleAxisd b(angles[1], Eigen::Vector3d::UnitX());
  const Eigen::AngleAxisd c(angles[2], Eigen::Vector3d::UnitZ());
  const Eigen::Matrix3d R = (a * b * c).toRotationMatrix();
  const Eigen::Vector3d world = rates[0] * Eigen::Vector3d::UnitZ() +
                                a * (rates[1] * Eigen::Vector3d::UnitX()) +
                                (a * b) * (rates[2] * Eigen::Vector3d::UnitZ());
  return {R, R.transpose() * world};
}

/// A heavy asymmetric top on a fixed point below its centre of mass.
const std::string top_head = R"(gravity = [0, 0, -9.75]
[parameters]
A = 0.03
B = 0.045
C = 0.05
m = 1.5
h = 0.2
)";
const std::string top_body = R"(
[[body]]
name = "top"
mass = "m"
inertia = ["A", "B", "C"]
position = [0, 0, 0]
center_of_mass = [0, 0, "h"]
)";
const std::string top_tail = R"(
[simulation]
duration = 2
rtol = 1e-12
atol = 1e-13
[outputs]
rxx = "top.rxx"
rxy = "top.rxy"
ryz = "top.ryz"
rzz = "top.rzz"
wx = "top.wx"
wy = "top.wy"
wz = "top.wz"
x = "top.x"
z = "top.z"
)";

std::string number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

std::string start(const std::vector<std::string>& names, const Eigen::VectorXd& q,
                  const Eigen::VectorXd& v) {
  std::string text = "[initial]\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    text += names[i] + " = " + number(q[k]) + "\n\"" + names[i] + "'\" = " + number(v[k]) + "\n";
  }
  return text;
}

const Eigen::Vector3d angles0(0.3, 1.1, -0.4), rates0(1.5, -0.7, 20);

/// Two seconds at a tolerance of 1e-12 on a motion whose neighbours part slowly: what the
/// descriptions differ by is some hundred steps of that, with a factor ten to spare.
constexpr double same_motion = 1e-9;

TEST(Bodies, EulerAnglesOfTwoKindsAQuaternionAndHandWrittenEnergyMoveAlike) {
  const Attitude first = attitude(angles0, rates0);
  const std::vector<double> euler =
      outputs_at_end(compiled("coordinates = [\"a\", \"b\", \"c\"]\n" + top_head + top_body +
                              "orientation = { axes = \"zxz\", angles = [\"a\", \"b\", \"c\"] }\n" +
                              start({"a", "b", "c"}, angles0, rates0) + top_tail));

  const Eigen::Matrix3d& R = first.rotation;
  const Eigen::Vector3d& w = first.spin;
  const double yaw = std::atan2(R(1, 0), R(0, 0)), pitch = -std::asin(R(2, 0)),
               roll = std::atan2(R(2, 1), R(2, 2));
  const double turning = w[1] * std::sin(roll) + w[2] * std::cos(roll);
  const Eigen::Vector3d cardan(yaw, pitch, roll);
  const Eigen::Vector3d cardan_rates(turning / std::cos(pitch),
                                     w[1] * std::cos(roll) - w[2] * std::sin(roll),
                                     w[0] + std::tan(pitch) * turning);
  const std::vector<double> tait_bryan =
      outputs_at_end(compiled("coordinates = [\"a\", \"b\", \"c\"]\n" + top_head + top_body +
                              "orientation = { axes = \"zyx\", angles = [\"a\", \"b\", \"c\"] }\n" +
                              start({"a", "b", "c"}, cardan, cardan_rates) + top_tail));

  const Eigen::Quaterniond e(R);
  const Eigen::Quaterniond rate = e * Eigen::Quaterniond(0, w[0] / 2, w[1] / 2, w[2] / 2);
  const std::vector<double> quaternion = outputs_at_end(
      compiled("coordinates = [\"e0\", \"e1\", \"e2\", \"e3\"]\n" + top_head + top_body +
               "orientation = { quaternion = [\"e0\", \"e1\", \"e2\", \"e3\"] }\n" +
               start({"e0", "e1", "e2", "e3"}, Eigen::Vector4d(e.w(), e.x(), e.y(), e.z()),
                     Eigen::Vector4d(rate.w(), rate.x(), rate.y(), rate.z())) +
               top_tail));

  // The same by energies: the fixed point is at rest, so T = w.J w/2 with J about it.
  const std::string by_hand = "coordinates = [\"a\", \"b\", \"c\"]\n" +
                              top_head.substr(top_head.find('\n') + 1) +
                              R"toml([let]
wx = "a'*sin(b)*sin(c) + b'*cos(c)"
wy = "a'*sin(b)*cos(c) - b'*sin(c)"
wz = "a'*cos(b) + c'"
[energy]
kinetic = "((A + m*h^2)*wx^2 + (B + m*h^2)*wy^2 + C*wz^2)/2"
potential = "9.75*m*h*cos(b)"
[outputs]
rxx = "cos(a)*cos(c) - sin(a)*cos(b)*sin(c)"
rxy = "-cos(a)*sin(c) - sin(a)*cos(b)*cos(c)"
ryz = "-cos(a)*sin(b)"
rzz = "cos(b)"
wx = "wx"
wy = "wy"
wz = "wz"
x = "h*sin(a)*sin(b)"
z = "h*cos(b)"
)toml" + start({"a", "b", "c"}, angles0, rates0) +
                              top_tail.substr(0, top_tail.find("[outputs]"));
  const std::vector<double> energy = outputs_at_end(compiled(by_hand));

  ASSERT_EQ(energy.size(), 9u);
  ASSERT_EQ(euler.size(), 9u);
  for (std::size_t i = 0; i < energy.size(); ++i) {
    const double allowed = same_motion * (1 + std::abs(energy[i]));
    EXPECT_NEAR(euler[i], energy[i], allowed) << "output " << i;
    EXPECT_NEAR(tait_bryan[i], energy[i], allowed) << "output " << i;
    EXPECT_NEAR(quaternion[i], energy[i], allowed) << "output " << i;
  }
}

/// Energy and angular momentum in fixed axes of a free body, by every description, over 1000 s
/// (some 200 turns): steps of relative error 1e-13, ten thousand of them.
TEST(Bodies, AFreeBodyKeepsEnergyAndAngularMomentumForAThousandSeconds) {
  const std::string outputs = R"([simulation]
duration = 1000
samples = 101
rtol = 1e-13
atol = 1e-15
[outputs]
energy = "(top.wx^2 + 2*top.wy^2 + 2.5*top.wz^2)/2"
lx = "top.rxx*top.wx + 2*top.rxy*top.wy + 2.5*top.rxz*top.wz"
ly = "top.ryx*top.wx + 2*top.ryy*top.wy + 2.5*top.ryz*top.wz"
lz = "top.rzx*top.wx + 2*top.rzy*top.wy + 2.5*top.rzz*top.wz"
)";
  const std::string body = R"([[body]]
name = "top"
mass = 1
inertia = [1, 2, 2.5]
position = [0, 0, 0]
)";
  const std::string quaternion = "coordinates = [\"e0\", \"e1\", \"e2\", \"e3\"]\n" + body +
                                 R"(orientation = { quaternion = ["e0", "e1", "e2", "e3"] }
[initial]
"e1'" = 0.05
"e2'" = 0.5
"e3'" = 0.02
)" + outputs;
  const std::string euler = "coordinates = [\"a\", \"b\", \"c\"]\n" + body +
                            R"(orientation = { axes = "zxz", angles = ["a", "b", "c"] }
[initial]
b = 1.25
"a'" = 1.2
"c'" = 0.3
)" + outputs;
  for (const std::string& text : {quaternion, euler}) {
    const Motion motion = compiled(text);
    std::vector<double> first;
    double worst = 0;
    const Summary summary =
        simulate(motion, initial_state(motion).value().state, simulation_options(motion),
                 [&](const Sample& sample) {
                   if (first.empty()) first.assign(sample.outputs.begin(), sample.outputs.end());
                   const double momentum = std::hypot(first[1], first[2], first[3]);
                   worst = std::max(worst, std::abs(sample.outputs[0] / first[0] - 1));
                   for (std::size_t i = 1; i < 4; ++i)
                     worst = std::max(worst, std::abs(sample.outputs[i] - first[i]) / momentum);
                   return true;
                 });
    EXPECT_TRUE(summary.complete) << summary.reason;
    EXPECT_LE(worst, 1e-10);
    EXPECT_GT(worst, 0);
  }
}

/// A component of a quaternion may have next to no inertia of its own. The acceleration there is
/// that of a free body: e'' = e (0, w'/2) - |e'|^2 e, with Euler's equations for w'.
TEST(Bodies, AQuaternionKeepsItsDigitsCloseToEveryAxis) {
  const Motion motion = compiled(R"(coordinates = ["e0", "e1", "e2", "e3"]
[[body]]
name = "top"
mass = 1
inertia = [1, 2, 2.5]
position = [0, 0, 0]
orientation = { quaternion = ["e0", "e1", "e2", "e3"] }
)");
  const Eigen::Vector3d J(1, 2, 2.5), w(0.1, 1, 0.04);
  for (const double k : {0.0, 1e-160, 1e-9, 1e-4, 1e-2, 0.5}) {
    for (int axis = 0; axis < 4; ++axis) {
      Eigen::Vector4d c(0.1 * k, k, 0.04 * k, -0.3 * k);
      c[axis] = 1;
      c.normalize();
      const Eigen::Quaterniond e(c[0], c[1], c[2], c[3]);
      const Eigen::Quaterniond v = e * Eigen::Quaterniond(0, w[0] / 2, w[1] / 2, w[2] / 2);
      const Eigen::Vector3d a = -w.cross(J.cwiseProduct(w)).cwiseQuotient(J);
      const Eigen::Quaterniond turn = e * Eigen::Quaterniond(0, a[0] / 2, a[1] / 2, a[2] / 2);
      const double speed2 = v.coeffs().squaredNorm();
      const std::vector<double> q{e.w(), e.x(), e.y(), e.z()}, rate{v.w(), v.x(), v.y(), v.z()};
      const Acceleration r = motion.acceleration(0, q, rate);
      ASSERT_EQ(r.status, Status::ok) << r.problem;
      EXPECT_TRUE(r.mass_singular);
      const double expected[] = {turn.w(), turn.x(), turn.y(), turn.z()};
      for (std::size_t i = 0; i < 4; ++i)
        EXPECT_NEAR(r.qdd[static_cast<Eigen::Index>(i)], expected[i] - speed2 * q[i], 1e-14);
    }
  }
}

std::string chain(int links) {
  std::string coordinates, bodies, constraints, initial;
  for (int i = 1; i <= links; ++i) {
    const std::string n = std::to_string(i);
    for (const char* c : {"x", "y", "z", "a", "b", "c", "d"})
      coordinates += "\"" + (c + n) + "\", ";
    bodies += "[[body]]\nname = \"link" + n + "\"\nmass = 0.5\ninertia = [0.001, 0.02, 0.02]\n" +
              "position = [\"x" + n + "\", \"y" + n + "\", \"z" + n +
              "\"]\norientation = { quaternion = [\"a" + n + "\", \"b" + n + "\", \"c" + n +
              "\", \"d" + n + "\"] }\n";
    const std::string before =
        i == 1 ? "hook" : "point(link" + std::to_string(i - 1) + ", 0.25, 0, 0)";
    constraints += "[[constraint]]\nname = \"pin" + n + "\"\nequation = \"point(link" + n +
                   ", -0.25, 0, 0) = " + before + "\"\n";
    initial += "x" + n + " = " + number(0.5 * i - 0.25) + "\n\"y" + n +
               "'\" = " + number(0.5 * i - 0.25) + "\n\"d" + n + "'\" = 0.5\n";
  }
  return "coordinates = [" + coordinates + "]\ngravity = [0, 0, -9.75]\n[let]\nhook = [0, 0, 0]\n" +
         bodies + constraints + "[initial]\n" + initial;
}

/// Twenty links, 140 coordinates and 80 constraints: the sparse solution against the dense one.
TEST(Bodies, QuaternionsInAChainAreTheSameDenseAndSparse) {
  CompileOptions dense, sparse;
  dense.storage = Storage::dense;
  sparse.storage = Storage::sparse;
  const Motion full = compiled(chain(20), dense), thin = compiled(chain(20), sparse);
  const State state = initial_state(full).value().state;
  const Acceleration a = full.acceleration(state.t, state.q, state.v);
  const Acceleration b = thin.acceleration(state.t, state.q, state.v);
  ASSERT_EQ(a.status, Status::ok) << a.problem;
  ASSERT_EQ(b.status, Status::ok) << b.problem;
  EXPECT_EQ(a.rank, 80);
  EXPECT_EQ(b.rank, 80);
  EXPECT_LE((a.qdd - b.qdd).lpNorm<Eigen::Infinity>(), 1e-10 * a.qdd.lpNorm<Eigen::Infinity>());
  EXPECT_LE((a.ideal - b.ideal).lpNorm<Eigen::Infinity>(),
            1e-10 * a.ideal.lpNorm<Eigen::Infinity>());
}

/// Eliminated last, a small component of a quaternion has nothing but rounding for a mass: a
/// million roundings where the component is a thousandth.
TEST(Bodies, ASmallComponentOfAQuaternionIsNoMassInSparseSystems) {
  const std::string text = R"(coordinates = ["x", "y", "z", "e0", "e1", "e2", "e3"]
[[body]]
name = "arm"
mass = 1.187
inertia = [0.7, 0.9, 0.5]
position = ["x", "y", "z"]
center_of_mass = [0.3, -0.4, 0.5]
orientation = { quaternion = ["e0", "e1", "e2", "e3"] }
[[constraint]]
name = "pin"
equation = "point(arm, 0.1, 0.7, -0.2) = hook"
[let]
hook = [0, 0, 0]
)";
  CompileOptions dense, sparse;
  dense.storage = Storage::dense;
  sparse.storage = Storage::sparse;
  const Motion full = compiled(text, dense), thin = compiled(text, sparse);
  for (const double k : {1e-2, 3e-3, 1e-3, 6e-4, 3e-4, 1e-4, 1e-5, 1e-6, 1e-8}) {
    for (const double sign : {-1.0, 1.0}) {
      Eigen::Vector4d e(0.9977, -0.042, -0.0536, sign * k);
      e.normalize();
      const std::vector<double> q{0.2, -0.1, 0.3, e[0], e[1], e[2], e[3]};
      const std::vector<double> v{0.3, 0.1, -0.2, 0, 0, 0, 0};
      const Acceleration a = full.acceleration(0, q, v), b = thin.acceleration(0, q, v);
      ASSERT_EQ(a.status, Status::ok) << k << ": " << a.problem;
      ASSERT_EQ(b.status, Status::ok) << k << ": " << b.problem;
      EXPECT_EQ(b.rank, 4) << k;
      EXPECT_TRUE(b.mass_singular) << k;
      EXPECT_LE((a.qdd - b.qdd).norm(), 1e-10 * (1 + a.qdd.norm())) << k;
    }
  }
}

TEST(Bodies, WhatNoBodyCanHaveIsAnErrorAlsoWhenAParameterMakesIt) {
  const std::string text = R"(coordinates = ["a"]
[parameters]
J = 1
m = 1
[[body]]
name = "b"
mass = "m"
inertia = [1, 1, "J"]
position = [0, 0, 0]
orientation = { axes = "z", angles = ["a"] }
)";
  const auto model = model::read_model_text(text, "model.toml").value();
  EXPECT_TRUE(compile(model));
  CompileOptions options;
  options.settings["J"] = "3";
  const auto refused = compile(model, options);
  ASSERT_FALSE(refused);
  EXPECT_NE(to_string(refused.error()).find("triangle inequality"), std::string::npos);
  const Motion massless = compile(model).value().with_parameters({1, 0});
  const auto started = initial_state(massless);
  ASSERT_FALSE(started);
  EXPECT_NE(to_string(started.error()).find("the mass of body 'b' is 0"), std::string::npos);
}

std::string turning(const std::string& axes, const std::string& initial) {
  return "coordinates = [\"a\", \"b\", \"c\"]\n[[body]]\nname = \"top\"\nmass = 1\ninertia = [1, "
         "2, "
         "2.5]\nposition = [0, 0, 0]\norientation = { axes = \"" +
         axes + "\", angles = [\"a\", \"b\", \"c\"] }\n[initial]\n" + initial +
         "[simulation]\nduration = 3\n";
}

Summary summary_of(const Motion& motion) {
  return simulate(motion, initial_state(motion).value().state, simulation_options(motion),
                  [](const Sample&) { return true; });
}

TEST(GimbalLock, IsToldWithTheWayOutWhereItBegins) {
  for (const auto& [axes, start_there] :
       {std::pair<std::string, std::string>("zxz", "b = 0\n"), {"zyx", "b = \"pi/2\"\n"}}) {
    const auto started = initial_state(compiled(turning(axes, start_there + "\"b'\" = 1\n")));
    ASSERT_FALSE(started);
    const std::string message = to_string(started.error());
    EXPECT_NE(message.find("body 'top' is in gimbal lock"), std::string::npos) << message;
    EXPECT_NE(message.find("quaternion"), std::string::npos) << message;
  }
}

TEST(GimbalLock, IsSeenOnTheWay) {
  // Straight through, where the angles happen to stay smooth, and narrowly past.
  const Summary through = summary_of(compiled(turning("zyx", "\"b'\" = 1\n")));
  EXPECT_TRUE(through.complete);
  ASSERT_TRUE(through.gimbal);
  EXPECT_EQ(through.gimbal->body, "top");
  EXPECT_EQ(through.gimbal->axes, "zyx");
  EXPECT_EQ(through.gimbal->determinant, 0);
  EXPECT_NEAR(through.gimbal->t, 1.571, 0.01);
  const Summary past = summary_of(compiled(turning("zyx", "\"b'\" = 1\n\"a'\" = 0.005\n")));
  ASSERT_TRUE(past.gimbal);
  EXPECT_GT(past.gimbal->determinant, 0);
  EXPECT_LT(past.gimbal->determinant, close_to_gimbal_lock);
  const Summary far = summary_of(compiled(turning("zyx", "\"a'\" = 1\n")));
  EXPECT_FALSE(far.gimbal);
}

}  // namespace
}  // namespace dalembert::motion::bodies_test
