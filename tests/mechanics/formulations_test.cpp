/// The worked examples of the sources: the printed equations, term by term, and the choices behind
/// them.

#include "dalembert/mechanics/formulations/formulations.hpp"

#include <gtest/gtest.h>

#include <array>

#include "dalembert/expr/algebra.hpp"
#include "dalembert/expr/graph.hpp"
#include "dalembert/expr/print.hpp"
#include "dalembert/mechanics/formulations/linear_system.hpp"
#include "setting_of.hpp"

namespace dalembert::mechanics::formulations_test {
namespace {

/// The terms of a printed side as text, sorted: what a reader compares with the book.
std::vector<std::string> terms_of(const expr::Expr& e) {
  std::vector<std::string> result;
  if (e.is(expr::Op::sum)) {
    for (const expr::Expr& term : e.args()) result.push_back(expr::to_text(term));
  } else {
    result.push_back(expr::to_text(e));
  }
  std::sort(result.begin(), result.end());
  return result;
}

struct Printed {
  std::vector<std::string> left;  ///< terms, as a model file would write them
  std::string right;
};

/// Every equation has the book's terms, each of them as it stands, and the book's right side.
void expect_printed(const Prepared& p, const Formulation& f, const std::vector<Printed>& book,
                    const std::vector<std::string>& names = {}) {
  ASSERT_EQ(f.equations.size(), book.size());
  for (std::size_t i = 0; i < book.size(); ++i) {
    std::vector<std::string> expected;
    for (const std::string& term : book[i].left)
      expected.push_back(expr::to_text(parse_in(p, term, names)));
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(terms_of(f.equations[i].left), expected) << "equation of " << f.equations[i].name;
    EXPECT_EQ(expr::to_text(f.equations[i].right),
              expr::to_text(parse_in(p, book[i].right, names)));
  }
}

TEST(Book, RollingDiskByTheCentralEquation) {  // (5.190)-(5.192)
  const auto p = prepared_model("rolling_disk");
  const auto f = central(p->setting());
  ASSERT_TRUE(f) << f.error();
  expect_printed(
      *p, *f,
      {{{"m*r^2*u1'/4", "m*r^2*u1*u2*cot(theta)/4", "-m*r^2*u2*u3/2"}, "0"},
       {{"5*m*r^2*u2'/4", "-m*r^2*u1^2*cot(theta)/4", "3*m*r^2*u1*u3/2"}, "-m*g*r*cos(theta)"},
       {{"3*m*r^2*u3'/2", "-m*r^2*u1*u2"}, "0"}},
      {"u1", "u2", "u3"});
}

TEST(Book, RollingDiskBySuslov) {  // (5.245), (5.247), (5.249), with the lost dots restored
  const auto p = prepared_model("rolling_disk");
  const auto f = suslov(p->setting());
  ASSERT_TRUE(f) << f.error();
  expect_printed(
      *p, *f,
      {{{"m*r^2*phi''*(1 + 5*cos(theta)^2)/4", "3*m*r^2*psi''*cos(theta)/2",
         "-5*m*r^2*phi'*theta'*sin(theta)*cos(theta)/2", "-m*r^2*theta'*psi'*sin(theta)/2"},
        "0"},
       {{"5*m*r^2*theta''/4", "5*m*r^2*phi'^2*sin(theta)*cos(theta)/4",
         "3*m*r^2*phi'*psi'*sin(theta)/2"},
        "-m*g*r*cos(theta)"},
       {{"3*m*r^2*psi''/2", "3*m*r^2*phi''*cos(theta)/2", "-5*m*r^2*phi'*theta'*sin(theta)/2"},
        "0"}});
}

TEST(Book, DumbbellByTheTranspositionalForm) {  // (5.121), (5.122): v = u1, phi' = u2
  const auto p = prepared_model("dumbbell");
  const auto f = transpositional(p->setting());
  ASSERT_TRUE(f) << f.error();
  expect_printed(*p, *f, {{{"2*m*u1'", "-m*l*u2^2"}, "0"}, {{"m*l^2*u2'", "m*l*u1*u2"}, "0"}},
                 {"u1", "u2"});
}

TEST(Book, DumbbellBySuslov) {  // (5.228), (5.229), the second divided by sec^2
  const auto p = prepared_model("dumbbell");
  const auto f = suslov(p->setting());
  ASSERT_TRUE(f) << f.error();
  expect_printed(*p, *f,
                 {{{"m*l^2*phi''", "m*l*phi'*x'*sec(phi)"}, "0"},
                  {{"2*m*x''", "2*m*phi'*x'*tan(phi)", "-m*l*phi'^2*cos(phi)"}, "0"}});
}

TEST(Book, FlatBodyByMaggi) {  // (5.38), (5.39)
  const auto p = prepared_model("flat_body");
  const auto f = maggi(p->setting());
  ASSERT_TRUE(f) << f.error();
  expect_printed(*p, *f,
                 {{{"m*x''*cos(phi)", "m*y''*sin(phi)", "-m*l*phi'^2"}, "0"},
                  {{"I_p*phi''", "-m*l*x''*sin(phi)", "m*l*y''*cos(phi)"}, "0"}});
}

TEST(Book, ParticleByTheExplicitEquation) {  // (U01.17): f + Q_ideal + Q_nonideal, member by member
  const auto p = prepared_model("particle");
  const auto f = m_inverse(p->setting());
  ASSERT_TRUE(f) << f.error();
  ASSERT_EQ(f->equations.size(), 3u);
  const std::string speed = "sqrt(x'^2 + y'^2 + z'^2)";
  const std::string e = "(2*z*x'*z' + z^2*(-x) + y/2)";
  const std::vector<std::string> book = {
      "-x - z^2*" + e + "/(1 + z^4) - a0*(x' + z^2*y')*" + speed + "/(1 + z^4)",
      "-y/2 + " + e + "/(1 + z^4) - a0*(z^2*x' + z^4*y')*" + speed + "/(1 + z^4)",
      "-2*z + cos(t)/2 - a0*z'*" + speed};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(expr::decide_zero(f->equations[i].right - parse_in(*p, book[i])).verdict,
              expr::Verdict::proven)
        << expr::to_text(f->equations[i].right);
  }
  // The non-ideal member keeps its factor in front: nothing is multiplied out.
  EXPECT_NE(expr::to_text(f->equations[0].right).find("a0*(x' + z^2*y')*" + speed),
            std::string::npos)
      << expr::to_text(f->equations[0].right);
}

TEST(Book, ConstrainedKineticEnergies) {  // (5.166), (5.220), (5.236)
  const auto shown = [](const Formulation& f) -> expr::Expr {
    for (const Step& step : f.steps) {
      if (step.kind == StepKind::kinetic_energy_by_u || step.kind == StepKind::kinetic_energy_split)
        return step.facts.front().value;
    }
    return 0;
  };
  const auto disk = prepared_model("rolling_disk");
  EXPECT_EQ(terms_of(shown(*central(disk->setting()))),
            (std::vector<std::string>{"3*m*r^2*u3^2/4", "5*m*r^2*u2^2/8", "m*r^2*u1^2/8"}));
  const auto dumbbell = prepared_model("dumbbell");
  EXPECT_EQ(terms_of(shown(*suslov(dumbbell->setting()))),
            (std::vector<std::string>{"m*l^2*phi'^2/2", "m*sec(phi)^2*x'^2"}));
  EXPECT_EQ(shown(*suslov(disk->setting())).args().size(), 4u);
}

TEST(Book, SolvedForTheAccelerations) {  // theory 12: the rolling disk in u, the dumbbell
  const auto p = prepared_model("rolling_disk");
  const auto f = boltzmann_hamel(p->setting());
  const auto x = solved(*f, p->setting());
  ASSERT_TRUE(x);
  const std::vector<std::string> names{"u1", "u2", "u3"};
  const std::vector<std::string> book = {"-u1*u2*cot(theta) + 2*u2*u3",
                                         "(u1^2*cot(theta)/4 - 3*u1*u3/2 - g*cos(theta)/r)*4/5",
                                         "2*u1*u2/3"};
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_TRUE(expr::proven_zero((*x)[i] - parse_in(*p, book[i], names)));
}

TEST(Formulations, HamelsCoefficientsOfTheDumbbell) {
  // u1 = x' cos + y' sin, u2 = phi', u3 = -x' sin + y' cos: the frame turns with phi'.
  const auto p = prepared_model("dumbbell");
  const auto f = boltzmann_hamel(p->setting());
  ASSERT_TRUE(f);
  for (const Step& step : f->steps) {
    if (step.kind != StepKind::hamel_coefficients) continue;
    ASSERT_EQ(step.facts.size(), 1u);  // gamma^3_12 alone: the constraint's
    const Fact& fact = step.facts.front();
    EXPECT_EQ(fact.quantity, Quantity::hamel);
    ASSERT_EQ(fact.indices.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_TRUE(same(fact.indices[i], expr::Expr(std::array{3, 1, 2}[i])));
    EXPECT_TRUE(same(fact.value, expr::Expr(-1)));
    return;
  }
  FAIL() << "no such step";
}

TEST(Formulations, NonlinearConstraintsRuleOutTheSplitsInOneLine) {
  const auto p = prepared_model("appell_hamel");
  for (const char* method :
       {"suslov", "voronets", "boltzmann-hamel", "transpositional", "central"}) {
    const auto f = find_formulation(method)->derive(p->setting());
    ASSERT_FALSE(f) << method;
    EXPECT_EQ(f.error(),
              std::string(method) + ": constraint 'slope' is not linear in the velocities");
  }
  for (const char* method : {"maggi", "gibbs-appell", "gauss", "multipliers", "m-inverse"})
    EXPECT_TRUE(find_formulation(method)->derive(p->setting())) << method;
}

TEST(Formulations, AWrongNumberOfChoicesIsSaid) {
  const std::string system = R"toml(
name = "skate"
coordinates = ["x", "y", "phi"]
[energy]
kinetic = "(x'^2 + y'^2 + phi'^2)/2"
[[constraint]]
name = "edge"
equation = "x'*sin(phi) = y'*cos(phi)"
)toml";
  const auto p = prepared_text(system + "[independent]\ncoordinates = [\"x\"]\n");
  const auto f = suslov(p->setting());
  ASSERT_FALSE(f);
  EXPECT_EQ(f.error(), "suslov: [independent] names 1 coordinate, but 2 are independent");
  const auto q = prepared_text(system + "[quasi_velocities]\nu = \"phi'\"\n");
  const auto g = central(q->setting());
  ASSERT_FALSE(g);
  EXPECT_EQ(g.error(), "central: [quasi_velocities] has 1 form, but the constraints leave 2 free");
}

TEST(Formulations, AWishThatCannotBeMetIsReplacedAndSaid) {
  // At phi = 0 the edge determines y', not x'.
  const auto p = prepared_text(R"toml(
name = "skate"
coordinates = ["x", "y", "phi"]
[energy]
kinetic = "(x'^2 + y'^2 + phi'^2)/2"
[[constraint]]
name = "edge"
equation = "x'*sin(phi) = y'*cos(phi)"
[independent]
coordinates = ["y", "phi"]
)toml");
  EXPECT_FALSE(p->setting().split.wished);
  EXPECT_EQ(p->setting().split.dependent, (std::vector<std::size_t>{1}));
  const auto f = suslov(p->setting());
  ASSERT_TRUE(f) << f.error();
  ASSERT_FALSE(f->choices.empty());
  EXPECT_TRUE(std::holds_alternative<CoordinatesSplit>(f->choices.front()));
  EXPECT_EQ(p->setting().split.refusal, Split::Refusal::singular);
}

TEST(Formulations, TheLinearSystemIsThatOfTheEquations) {
  // H x = rho + G C, q'' = K x + g against the residuals, for every formulation that runs by it.
  const auto p = prepared_model("particle");
  for (const FormulationInfo& info : formulations()) {
    if (!info.runs_here || !info.mechanical) continue;
    Setting s = p->setting();
    s.explain = false;
    const auto f = info.derive(s);
    ASSERT_TRUE(f) << info.name;
    const LinearSystem system = linear_system(*f, s);
    std::vector<expr::Expr> left(system.size);
    for (const Entry& h : system.H) left[h.row] += h.value * f->unknowns[h.column];
    for (std::size_t i = 0; i < system.size; ++i) left[i] -= system.rho[i];
    for (const Entry& g : system.G) left[g.row] -= g.value * s.C[g.column];
    expr::ExprMap own;
    for (std::size_t r = 0; r < f->rates.size(); ++r)
      own.emplace(f->rates[r], f->rates_from_velocities[r]);
    for (std::size_t i = 0; i < system.size; ++i) {
      EXPECT_TRUE(expr::proven_zero(left[i] - expr::substitute(f->residuals[i], own))) << info.name;
    }
    // q'' = K x + g is what the formulation takes its unknowns for.
    std::vector<expr::Expr> accelerations = system.g;
    for (const Entry& k : system.K) accelerations[k.row] += k.value * f->unknowns[k.column];
    ASSERT_EQ(accelerations.size(), f->accelerations.size()) << info.name;
    for (std::size_t i = 0; i < accelerations.size(); ++i) {
      const expr::Expr expected = expr::substitute(f->accelerations[i], own);
      EXPECT_TRUE(expr::proven_zero(accelerations[i] - expected)) << info.name << ' ' << i;
    }
  }
}

}  // namespace
}  // namespace dalembert::mechanics::formulations_test
