// Random mechanisms at random states on their constraints: Newton's and Euler's laws for every body
// with the reactions that are reported, the power of joints, and the same accelerations whichever
// way they are described and computed.
//
// Tolerances are relative to the sum of the magnitudes of all forces and moments in play. Rounding
// there is of the order of 1e-16 divided by the smallest singular value of the rows of A, which is
// above 1e-2 (Solved::well_conditioned), and once more by that in accelerations by angles close to
// gimbal lock: 1e-12. 1e-9 leaves room for what several bodies make of it.

#include <gtest/gtest.h>

#include <iostream>

#include "mechanism_states.hpp"

namespace dalembert::mechanisms::mechanism_property_test {
namespace {

constexpr double tolerance = 1e-9;

#ifdef DALEMBERT_SANITIZED
constexpr int least_cases = 10;  // tests/CMakeLists.txt
#else
constexpr int least_cases = 50;
#endif

/// Most of what was drawn must have been of use.
void expect_few_discarded(const Tally& tally) {
  EXPECT_GE(tally.cases, least_cases);
  EXPECT_LT(4 * tally.discarded(), tally.cases) << tally;
  std::cout << "discarded: " << tally << "\n";
}

/// What a joint holds together, in the axes as they stand now.
struct Held {
  const BodyMotion &A, &B;
  std::array<Vector3d, 2> points, axes;
  std::array<Matrix3d, 2> turned;  ///< since the configuration chosen

  Held(const Mechanism& m, const RandomJoint& j, const Solved& s)
      : A(s.body(j.first)), B(s.body(j.second)) {
    const RandomBody ground;
    for (std::size_t k = 0; k < 2; ++k) {
      const int number = k == 0 ? j.first : j.second;
      const RandomBody& then = number < 0 ? ground : m.bodies[static_cast<std::size_t>(number)];
      const BodyMotion& now = k == 0 ? A : B;
      turned[k] = now.rotation * then.rotation.transpose();
      points[k] = now.origin + turned[k] * (j.points[k] - then.origin);
      axes[k] = turned[k] * j.axes[k];
    }
  }
  Vector3d d() const { return points[1] - points[0]; }
};

/// By how much a joint is broken, by its geometry.
double broken(const Mechanism& m, const RandomJoint& j, const Solved& s) {
  const Held h(m, j, s);
  const Vector3d d = h.d(), a = h.axes[0];
  const double start = j.motion ? (*j.motion)[0] : 0;
  const double turned = (h.turned[0] - h.turned[1]).norm();
  switch (j.kind) {
    case JointKind::hinge: {
      const Vector3d e = h.turned[0] * j.reference, f = h.turned[1] * j.reference;
      const double angle = std::atan2(e.cross(f).dot(a), e.dot(f));
      return d.norm() + (a - h.axes[1]).norm() + (j.motion ? std::abs(angle - start) : 0);
    }
    case JointKind::universal:
      return d.norm() + std::abs(a.dot(h.axes[1]));
    case JointKind::weld:
      return d.norm() + turned;
    case JointKind::slider: {
      const double from = j.axes[0].dot(j.points[1] - j.points[0]);
      return turned + d.cross(a).norm() + (j.motion ? std::abs(d.dot(a) - from - start) : 0);
    }
    case JointKind::point_on_line:
      return d.cross(a).norm();
    case JointKind::point_on_plane:
      return std::abs(d.dot(a));
    case JointKind::distance:
      return std::abs(d.norm() - (j.points[1] - j.points[0]).norm() - start);
    default:
      return d.norm();
  }
}

/// The power that a joint brings in: that of its drive, of the point that moves by itself, and what
/// friction takes.
double expected_power(const Mechanism& m, const RandomJoint& j, const Solved& s,
                      const Wrench& wrench) {
  const Held h(m, j, s);
  const Vector3d &F = wrench.force, &a = h.axes[0];
  double power = F.dot(h.turned[0] * j.shaken);
  if (j.motion) {
    const double rate = (*j.motion)[1];
    power += rate * (j.kind == JointKind::hinge    ? wrench.moment.dot(a)
                     : j.kind == JointKind::slider ? F.dot(a)
                                                   : F.dot(h.d().normalized()));
  }
  if (j.mu == 0) return power;
  const Vector3d spin = h.B.spin - h.A.spin;
  const Vector3d slip = h.B.velocity_at(h.points[1]) - h.A.velocity_at(h.points[1]);
  const bool turns = j.kind == JointKind::hinge || j.kind == JointKind::ball;
  const double pressing = j.kind == JointKind::ball             ? F.norm()
                          : j.kind == JointKind::point_on_plane ? std::abs(F.dot(a))
                                                                : F.cross(a).norm();
  const double speed = turns ? spin.norm() : slip.norm();
  const double smooth = speed * speed / std::max(std::hypot(speed, j.slip), 1e-30);
  return power - j.mu * (turns ? j.radius : 1) * pressing * smooth;
}

/// All that must hold at one state.
void check_laws(const Mechanism& m, const Solved& s) {
  Loads loads(s, m);
  loads.add_reactions(m);
  const double scale = loads.scale();
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    const BodyMotion& b = s.bodies[i];
    RC_ASSERT((b.mass * b.acceleration - loads.of(i).force).norm() <= tolerance * scale);
    RC_ASSERT((b.moment_of_momentum_rate() - loads.of(i).moment).norm() <= tolerance * scale);
  }

  const auto reported = motion::calc_reactions(s.motion, s.state, s.found);
  RC_ASSERT(reported.size() == m.joints.size());
  double total = 0, speeds = 0;
  for (std::size_t i = 0; i < m.joints.size(); ++i) {
    const RandomJoint& j = m.joints[i];
    const Wrench& w = s.reactions[i];
    RC_ASSERT(broken(m, j, s) <= tolerance);
    const BodyMotion &A = s.body(j.first), &B = s.body(j.second);
    const Vector3d v = B.velocity_at(w.point) - A.velocity_at(w.point), spin = B.spin - A.spin;
    const double power = w.force.dot(v) + w.moment.dot(spin);
    const double size = w.force.norm() * (1 + v.norm()) + w.moment.norm() * (1 + spin.norm());
    // Velocities are on the constraints to rounding, so a large reaction does little work.
    RC_ASSERT(std::abs(power - expected_power(m, j, s, w)) <= tolerance * (scale + size));
    total += power;
    speeds += v.norm() + spin.norm();

    const auto same = [&](const std::array<double, 3>& told, const Vector3d& known) {
      return (Vector3d(told[0], told[1], told[2]) - known).norm() <= 1e-12 * scale;
    };
    RC_ASSERT(same(reported[i].force, w.force));
    RC_ASSERT(same(reported[i].moment, w.moment));
    RC_ASSERT(same(reported[i].body_force, B.rotation.transpose() * w.force));
    RC_ASSERT(same(reported[i].body_moment, B.rotation.transpose() * w.moment));
  }
  // Along the coordinates the joints do the same work; a quaternion's unit length needs none.
  const Eigen::Map<const Eigen::VectorXd> v(s.state.v.data(),
                                            static_cast<Eigen::Index>(s.state.v.size()));
  const double generalized = (s.found.ideal + s.found.nonideal).dot(v);
  RC_ASSERT(std::abs(generalized - total) <= tolerance * scale * (1 + speeds));
}

/// E(t) - E(0) = work over a short motion, with E worked out by hand: 1e-10 a step is asked for.
/// Returns the bodies at the end.
std::vector<BodyMotion> check_energy(const Mechanism& m, const Solved& s) {
  SimulationOptions options = simulation_options(s.motion);
  options.duration = 0.2;
  options.samples = 6;
  options.rtol = 1e-10;
  double first = 0, size = 0, lost = 0;
  bool rough = false;
  for (const RandomJoint& j : m.joints) rough = rough || j.mu > 0;
  std::vector<BodyMotion> bodies;
  std::vector<double> errors;
  const Summary summary = simulate(s.motion, s.state, options, [&](const Sample& sample) {
    const State state = {
        sample.t, {sample.q.begin(), sample.q.end()}, {sample.v.begin(), sample.v.end()}};
    const Values value(s.motion.model(), state);
    bodies.clear();
    double T = 0;
    for (std::size_t i = 0; i < m.bodies.size(); ++i) {
      bodies.push_back(body_motion(s.motion.model().bodies[i], m.bodies[i], value, false));
      T += bodies.back().kinetic();
    }
    const double E = T + potential(m, bodies);
    if (sample.t == 0) first = E;
    size = std::max({size, T, std::abs(E)});
    const double work =
        sample.work_applied + sample.work_ideal + sample.work_nonideal + sample.work_other;
    errors.push_back(E - first - work);
    if (rough) {
      RC_ASSERT(sample.work_nonideal <= lost + 1e-12 * size);  // none in a rigid loop
      lost = sample.work_nonideal;
    } else {
      RC_ASSERT(sample.work_nonideal == 0);
    }
    return true;
  });
  RC_ASSERT(summary.reason == "");
  for (const double e : errors) RC_ASSERT(std::abs(e) <= 1e-8 * (1 + size));
  bool driven = false, damped = false;
  for (const RandomJoint& j : m.joints) driven = driven || j.motion || j.shaken.norm() > 0;
  for (const RandomSpring& spring : m.springs) damped = damped || spring.damping > 0;
  if (!driven) RC_ASSERT(std::abs(summary.work_ideal) <= 1e-8 * (1 + size));
  if (m.forces.empty() && !damped) RC_ASSERT(summary.work_applied == 0);
  return bodies;
}

TEST(MechanismProperty, TreesObeyNewtonAndEuler) {
  Tally tally;
  EXPECT_TRUE(rc::check("trees", [&] {
    Mechanism m = random_tree(5, all_kinds);
    for (RandomJoint& j : m.joints) {
      const bool can = j.kind == JointKind::hinge || j.kind == JointKind::slider ||
                       j.kind == JointKind::distance;
      if (can && one_in(3))
        j.motion = {random_number(-0.1, 0.1), random_number(-2, 2), random_number(-3, 3)};
      if (one_in(6)) j.shaken = random_vector(2);
    }
    if (one_in(2)) add_springs(m, true, true);
    if (one_in(2)) add_force(m);
    const Solved s = solve(m, absolute(m), tally);
    RC_LOG() << m;
    check_laws(m, s);
    check_energy(m, s);
  }));
  expect_few_discarded(tally);
}

TEST(MechanismProperty, LoopsObeyNewtonAndEulerAlsoWhenRedundant) {
  Tally tally;
  int redundant = 0;
  EXPECT_TRUE(rc::check("loops", [&] {
    Mechanism m = random_tree(3, all_kinds);
    close_loop(m, all_kinds);
    if (one_in(2))
      m.joints.push_back(m.joints[static_cast<std::size_t>(
          random_integer(0, static_cast<int>(m.joints.size()) - 1))]);
    if (one_in(2)) add_springs(m, true, true);
    if (one_in(2)) add_force(m);
    RC_LOG() << m;
    const Solved s = solve(m, absolute(m), tally);
    if (s.found.rank < s.found.A.rows()) ++redundant;
    check_laws(m, s);
    check_energy(m, s);
  }));
  expect_few_discarded(tally);
  EXPECT_GT(redundant, 2 * least_cases / 5);
}

TEST(MechanismProperty, FrictionFollowsItsLawAndTakesEnergy) {
  Tally tally;
  EXPECT_TRUE(rc::check("friction", [&] {
    const std::vector<JointKind> rough = {JointKind::hinge, JointKind::ball, JointKind::slider,
                                          JointKind::point_on_line, JointKind::point_on_plane};
    Mechanism m = random_tree(3, rough);
    // Without slip the force jumps where sliding comes to rest, and rest is what a joint of a rigid
    // loop has to rounding: there and for motions friction is smooth.
    const bool closed = one_in(2), smooth = closed || one_in(2);
    for (RandomJoint& j : m.joints) {
      if (!one_in(2)) continue;
      j.mu = random_number(0.02, 0.15);
      if (smooth) j.slip = random_number(0.05, 0.2);
    }
    if (closed) close_loop(m, rough);
    if (one_in(2)) add_springs(m, true, false);
    RC_LOG() << m;
    const Solved s = solve(m, absolute(m), tally);
    check_laws(m, s);
    if (smooth) check_energy(m, s);
  }));
  expect_few_discarded(tally);
}

TEST(MechanismProperty, FloatingMechanismsKeepTheirMomentum) {
  Tally tally;
  EXPECT_TRUE(rc::check("floating", [&] {
    Mechanism m = random_tree(3, all_kinds, false);
    if (one_in(2)) add_springs(m, false, true);
    if (one_in(4)) m.joints.push_back(m.joints.back());
    RC_LOG() << m;
    const Solved s = solve(m, absolute(m), tally);
    check_laws(m, s);
    Vector3d force = Vector3d::Zero(), moment = Vector3d::Zero();
    double scale = 0;
    for (const BodyMotion& b : s.bodies) {
      const Vector3d f = b.mass * b.acceleration, own = b.moment_of_momentum_rate();
      force += f;
      moment += b.center.cross(f) + own;
      scale += f.norm() * (1 + b.center.norm()) + own.norm();
    }
    RC_ASSERT(force.norm() <= tolerance * scale);
    RC_ASSERT(moment.norm() <= tolerance * scale);

    const Momentum before = momentum(s.bodies), after = momentum(check_energy(m, s));
    RC_ASSERT((after.linear - before.linear).norm() <= tolerance * before.scale);
    RC_ASSERT((after.angular - before.angular).norm() <= tolerance * before.scale);
  }));
  expect_few_discarded(tally);
}

TEST(MechanismProperty, RelativeCoordinatesGiveTheSameAccelerations) {
  Tally tally;
  EXPECT_TRUE(rc::check("relative", [&] {
    Mechanism m = random_tree(3, {JointKind::hinge, JointKind::slider});
    const bool closed = one_in(2);
    if (closed)
      close_loop(m, {JointKind::ball, JointKind::distance, JointKind::point_on_plane,
                     JointKind::point_on_line});
    if (one_in(2)) add_springs(m, true, true);
    if (one_in(2)) add_force(m);
    RC_LOG() << m;
    const Solved r = solve(m, relative(m), tally);
    std::vector<Twist> twists;
    for (const BodyMotion& b : r.bodies) twists.push_back({b.velocity_at(b.origin), b.spin});
    const Solved a = solve(m, absolute(m, twists), tally);
    check_laws(m, a);
    Loads loads(a, m);
    loads.add_reactions(m);
    const double scale = loads.scale();
    for (std::size_t i = 0; i < m.bodies.size(); ++i) {
      const BodyMotion &x = r.bodies[i], &y = a.bodies[i];
      RC_ASSERT((x.center - y.center).norm() <= 1e-12);
      RC_ASSERT((x.rotation - y.rotation).norm() <= 1e-12);
      RC_ASSERT((x.velocity - y.velocity).norm() + (x.spin - y.spin).norm() <= 1e-11);
      // Masses are above a half and moments of inertia above a twentieth.
      RC_ASSERT((x.acceleration - y.acceleration).norm() <= 20 * tolerance * scale);
      RC_ASSERT((x.spin_rate - y.spin_rate).norm() <= 20 * tolerance * scale);
    }
    if (!closed) return;
    const auto unique = motion::calc_unique_reactions(a.motion, a.state);
    if (!unique.back()) return;
    RC_ASSERT((r.reactions.back().force - a.reactions.back().force).norm() <= tolerance * scale);
    RC_ASSERT((r.reactions.back().moment - a.reactions.back().moment).norm() <= tolerance * scale);
  }));
  expect_few_discarded(tally);
}

/// The routes through the fundamental equation with the same matrices, sparse matrices, and a
/// formulation that eliminates.
TEST(MechanismProperty, MethodsAndStoragesAgree) {
  Tally tally;
  EXPECT_TRUE(rc::check("methods", [&] {
    Mechanism m = random_tree(2, all_kinds);
    if (one_in(2)) close_loop(m, all_kinds);
    if (one_in(3)) m.joints.push_back(m.joints.back());
    if (one_in(2)) add_springs(m, true, true);
    RC_LOG() << m;
    const Model model = absolute(m);
    const Solved s = solve(m, model, tally);
    const Acceleration& f = s.found;
    const auto near = [](const Eigen::VectorXd& x, const Eigen::VectorXd& y) {
      return (x - y).norm() <= 1e-8 * (1 + y.norm());
    };
    FundamentalOptions options = s.motion.fundamental_options();
    for (const Method method :
         {Method::scaled, Method::extended_dalembert, Method::weighted, Method::multipliers}) {
      RC_LOG() << to_string(method) << "\n";
      options.method = method;
      const FundamentalResult other = fundamental(f.M, f.Q, f.A, f.b, f.C, options);
      RC_ASSERT(other.status == Status::ok);
      RC_ASSERT(other.rank == f.rank);
      RC_ASSERT(near(other.qdd, f.qdd));
      RC_ASSERT(near(other.ideal, f.ideal));
      RC_ASSERT(near(other.lambda, f.multipliers));
    }
    CompileOptions compiling;
    if (m.joints.size() < 4 && one_in(15)) {
      compiling.method = "maggi";
      RC_LOG() << "maggi\n";
    } else {
      compiling.storage = motion::Storage::sparse;
      RC_LOG() << "sparse\n";
    }
    const Motion motion = compile(model, compiling).value();
    const Acceleration other = motion.acceleration(s.state.t, s.state.q, s.state.v);
    RC_ASSERT(other.problem == "");
    RC_ASSERT(other.rank == f.rank);
    RC_ASSERT(other.unique == f.unique);
    RC_ASSERT(near(other.qdd, f.qdd));
    RC_ASSERT(near(other.ideal, f.ideal));
    RC_ASSERT(near(other.multipliers, f.multipliers));
  }));
  expect_few_discarded(tally);
}

}  // namespace
}  // namespace dalembert::mechanisms::mechanism_property_test
