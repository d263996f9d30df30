// Random drafts, said by a program or as texts: what is written is read again to the same model.
#include <dalembert/model/system.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "facts_of.hpp"

namespace dalembert::model::random_drafts_test {
namespace {

int below(int n) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, n));
}
bool maybe() {
  return below(2) == 1;
}

const std::vector<std::string> names = {"q", "φ", "theta_1", "x2", "été"};

class RandomSystem {
 public:
  RandomSystem() : system_("random") {
    const int n = 1 + below(4);
    for (int i = 0; i < n; ++i)
      q_.push_back(system_.coordinate(names[static_cast<std::size_t>(i)]));
    for (const char* name : {"m", "k"}) {
      p_.push_back(system_.parameter(name, p_.empty() ? number() : number() * p_[0] + number()));
    }
    if (maybe()) system_.description("a \"quoted\" text,\nof two lines \\ one back-slash");
    if (maybe()) {
      system_.kinetic(expression(1, 3)).dissipation(expression(1, 2));
    } else {
      system_.kinetic(expression(1, 2)).potential(expression(0, 3));
    }
    for (int i = below(3); i > 0; --i) system_.force(any(q_), expression(1, 2));
    for (int i = below(2); i > 0; --i)
      system_.virtual_work(any(q_), expression(1, 1) * System::ideal(any(q_)));
    add_bodies();
    for (int i = below(3); i > 0; --i)
      system_.constrain(maybe() ? "" : "the " + std::to_string(i) + "\"th\"",
                        any(q_) + expression(1, 2) == expression(0, 1), 1 + below(3));
    for (int i = below(3); i > 0; --i) system_.initial(dot(any(q_)), start());
    for (int i = below(3); i > 0; --i) system_.initial(any(q_), start());
    if (maybe()) system_.adjust(maybe() ? Adjust::nearest : Adjust::none);
    for (int i = below(3); i > 0; --i)
      system_.output("out" + std::to_string(i), expression(2, 3) + System::nonideal(any(q_)));
    if (maybe()) system_.independent({q_[0]});
    Simulation& simulation = system_.simulation();
    if (maybe()) simulation.rtol = 1e-5 / (1 + below(100));
    if (maybe()) simulation.duration.expr = number() * number() + 1 + p_[0] * p_[0];
    if (maybe()) simulation.samples = 2 + below(1000);
    if (maybe()) simulation.method = "gauss";
    if (maybe())
      system_.view().segments.push_back(
          {.name = "s", .to = {expression(0, 1), 0, number()}, .style = SegmentStyle::spring});
  }

  const System& system() const { return system_; }

 private:
  const Expr& any(const std::vector<Expr>& list) {
    return list[static_cast<std::size_t>(below(static_cast<int>(list.size())))];
  }
  Expr number() {
    switch (below(4)) {
      case 0:
        return Expr(below(2000) - 1000);
      case 1:
        return Expr(below(100)) / (1 + below(99));
      case 2:
        return Expr(below(1'000'000)) / 1'000'000;
      default:
        return pow(Expr(7), 30 + below(30)) / pow(Expr(2), below(80));
    }
  }
  /// Of parameters alone.
  Expr start() { return number() * any(p_) + sin(any(p_)); }
  /// With derivatives up to an order.
  Expr expression(int order, int depth) {
    if (depth == 0) {
      Expr x = any(q_);
      for (int k = below(order + 1); k > 0; --k) x = dot(x);
      return x;
    }
    const auto part = [&] { return expression(order, depth - 1); };
    switch (below(8)) {
      case 0:
        return part() + number() * part();
      case 1:
        return part() * part();
      case 2:
        return sin(part());
      case 3:
        return pow(part(), 2 + below(3));
      case 4:
        return number() - any(p_) * part();
      case 5:
        return part() / (1 + pow(part(), 2));
      case 6:
        return sqrt(1 + pow(part(), 2)) * expr::time();
      default:
        return part() - part();
    }
  }

  void add_bodies() {
    std::string frame;
    // A file groups bodies by kind, and so do these.
    if (maybe()) system_.particle("bob", 1 + any(p_), {any(q_), number(), expression(0, 1)});
    for (int i = below(3); i > 0; --i) {
      BodySpec spec;
      spec.name = "b" + std::to_string(i);
      spec.mass = 1 + pow(any(p_), 2);
      spec.inertia = Matrix::diagonal({1, 2, spec.mass});
      if (maybe()) spec.inertia[0][1] = spec.inertia[1][0] = number();
      spec.position = {any(q_), expression(0, 1), number()};
      if (maybe()) spec.orientation = turn_by_axes("zx", std::vector{any(q_), number()});
      if (maybe()) spec.orientation = spec.orientation * turn_about({0, 0, 1}, any(q_));
      if (maybe()) spec.center = {0, number(), any(p_)};
      spec.frame = frame;
      system_.body(spec);
      if (maybe()) frame = spec.name;
      if (maybe())
        system_.shape(spec.name, {.kind = SolidKind::rod, .length = 2, .axis = {1, 0, 0}});
    }
    if (system_.draft().bodies.empty()) return;
    if (maybe()) system_.gravity({0, maybe() ? -any(p_) : Expr(0), number()});
    const std::size_t last = system_.draft().bodies.size() - 1;
    SpringSpec spring;
    spring.bodies[1] = last;
    spring.points[0] = Vector{number(), 0, 0};
    spring.stiffness = Located{1 + pow(any(p_), 2)};
    if (maybe()) spring.damping = Located{2};
    if (maybe()) system_.spring(spring);
    PointForceSpec push;
    push.body = last;
    push.force = Vector{expression(1, 1), 0, number()};
    if (maybe()) system_.point_force(push);
  }

  System system_;
  std::vector<Expr> q_, p_;
};

RC_GTEST_PROP(RandomDrafts, AreWrittenAndReadAgain, ()) {
  const RandomSystem random;
  const auto built = assemble(random.system().draft());
  if (!built) {
    // A constraint that says nothing, say; it is refused both ways.
    RC_ASSERT(!validate(random.system().model()).empty());
    RC_DISCARD("no model");
  }
  const std::string text = to_toml(random.system().draft()).value();
  const auto read = read_model_text(text, "random.toml");
  if (!read) RC_FAIL(to_string(read.error()) + text);
  RC_ASSERT(facts_of(*read) == facts_of(*built));
  RC_ASSERT(facts_of(*read) == facts_of(random.system().model()));
  RC_ASSERT(to_toml(*read->draft).value() == text);
}

}  // namespace
}  // namespace dalembert::model::random_drafts_test
