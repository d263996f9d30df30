/// Facts of derivations in words: every formulation has them, and mechanics has none.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "../mechanics/setting_of.hpp"
#include "dalembert/mechanics/formulations/formulations.hpp"
#include "dalembert/report/check_parts.hpp"
#include "dalembert/report/derivation/words.hpp"

namespace dalembert::report::derivation_words_test {

using mechanics::Fact;
using mechanics::Quantity;

TEST(DerivationWords, EveryFormulationHasATitleAndALaw) {
  std::set<std::string> titles, laws;
  for (const mechanics::FormulationInfo& info : mechanics::formulations()) {
    mechanics::Formulation f;
    f.method = info.name;
    const StepText law = step_text(f, {mechanics::StepKind::law});
    ASSERT_EQ(law.lines.size(), 1u) << info.name;
    EXPECT_TRUE(titles.insert(std::string(title_of(info.name))).second) << info.name;
    EXPECT_TRUE(laws.insert(law.lines.front().left.text).second) << info.name;
    EXPECT_FALSE(law.lines.front().left.latex.empty()) << info.name;
  }
  EXPECT_THROW(title_of("newton"), std::invalid_argument);
}

TEST(DerivationWords, AQuantityIsWrittenInBothScripts) {
  const expr::Expr phi = expr::coordinate("phi"), v = expr::coordinate("phi", 1);
  const auto check = [](const Fact& fact, const std::string& text, const std::string& latex) {
    const Math written = notation(fact);
    EXPECT_EQ(written.text, text);
    EXPECT_EQ(written.latex, latex);
  };
  check({Quantity::mass, {phi, phi}, 1}, "M_phi,phi", R"(M_{\phi \phi})");
  check({Quantity::hamel, {12, 1, 2}, 1}, "gamma^12_12", R"(\gamma^{12}_{12})");
  check({Quantity::momentum, {v}, 1}, "dT/dphi'", R"(\frac{\partial T}{\partial \dot{\phi}})");
  check({Quantity::transposition, {phi, v}, 1}, "d(δphi)/dt - δ(phi')",
        R"(\frac{d}{dt}\left(\delta \phi\right) - \delta \dot{\phi})");
}

TEST(DerivationWords, AStepThatListsNothingSaysSo) {
  mechanics::Formulation f;
  f.method = "maggi";
  EXPECT_EQ(step_text(f, {mechanics::StepKind::virtual_displacements}).sentence,
            "No constraint: every variation is free.");
  EXPECT_EQ(step_text(f, {mechanics::StepKind::voronets_coefficients}).sentence,
            "All of them are zero: the constraints are integrable.");
}

TEST(DerivationWords, ChoicesAreSaid) {
  // At phi = 0 the edge determines y', not x'.
  const auto p = mechanics::prepared_text(R"toml(
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
  const auto f = mechanics::suslov(p->setting());
  ASSERT_TRUE(f) << f.error();
  EXPECT_EQ(choice_texts(p->setting(), *f),
            (std::vector<std::string>{
                "independent x and phi, dependent y (chosen by the program): the coordinates of "
                "[independent] do not determine the others at this state",
                "the x equation is printed multiplied by cos(phi)^2"}));
  const auto rule = mechanics::vakonomic(p->setting());
  ASSERT_TRUE(rule) << rule.error();
  EXPECT_EQ(formulation_remarks(p->setting(), *rule),
            (std::vector<std::string>{
                "not the motion of mechanics, unless the constraints are integrable; given for "
                "contrast",
                "mu1 belongs to constraint 'edge'"}));
}

TEST(CheckWords, ObstaclesToEnergyAreSaid) {
  using Kind = mechanics::EnergyObstacle::Kind;
  const auto p = mechanics::prepared_text(R"toml(
name = "skate"
coordinates = ["x", "y", "phi"]
[energy]
kinetic = "(x'^2 + y'^2 + phi'^2)/2"
[[constraint]]
name = "edge"
equation = "x'*sin(phi) = y'*cos(phi)"
)toml");
  const auto said = [&](const std::vector<mechanics::EnergyObstacle>& why) {
    return why_no_energy(p->model, why);
  };
  EXPECT_EQ(said({{Kind::constraint_moves, 0}}),
            "constraint 'edge' moves, and its force may do work");
  EXPECT_EQ(said({{Kind::constraint_not_homogeneous, 0}}),
            "constraint 'edge' is not homogeneous in the velocities, and its force may do work");
  EXPECT_EQ(said({{Kind::constraint_undecided, 0}}),
            "that the force of constraint 'edge' does no work is not shown");
  EXPECT_EQ(said({{Kind::undecided}}),
            "that the forces do no work is not shown for all values of the parameters");
  EXPECT_EQ(said({{Kind::force, 0}, {Kind::force, 2}, {Kind::dissipation}, {Kind::friction}}),
            "the dissipation does work, the friction of joints does work and the forces along x "
            "and phi do work");
  EXPECT_EQ(said({{Kind::kinetic_energy_of_time}, {Kind::force, 1}}),
            "the kinetic energy depends on t and the force along y does work");
}

/// Lines of the sources in a folder of mechanics that have what they should not.
std::vector<std::string> lines_with(const std::string& folder, const std::regex& what) {
  const std::filesystem::path here =
      std::filesystem::path(DALEMBERT_MODELS).parent_path() / "src/dalembert/mechanics" / folder;
  std::vector<std::string> found;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(here)) {
    if (!entry.is_regular_file()) continue;
    ++files;
    std::ifstream in(entry.path());
    std::string line;
    while (std::getline(in, line)) {
      if (std::regex_search(line.substr(0, line.find("//")), what))
        found.push_back(entry.path().filename().string() + ": " + line);
    }
  }
  EXPECT_GT(files, 25u) << here;
  return found;
}

TEST(DerivationWords, MechanicsTypesetsNothing) {
  EXPECT_EQ(lines_with("", std::regex(R"(\\\\[A-Za-z,]|to_latex|report/)")),
            std::vector<std::string>{});
}

TEST(DerivationWords, FormulationsSayNothing) {
  const std::regex words("\"[^\"]*[A-Za-z]+ [A-Za-z']+ [A-Za-z][^\"]*\"");
  EXPECT_EQ(lines_with("formulations", words), std::vector<std::string>{});
}

}  // namespace dalembert::report::derivation_words_test
