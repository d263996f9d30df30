// Events, contacts and friction that sticks as statements: what they mean, how they are written,
// changed and said by a program, and what is wrong with them where.
#include <dalembert/model/edit.hpp>
#include <dalembert/model/system.hpp>

#include <gtest/gtest.h>

#include <iterator>

#include "complaints_of.hpp"
#include "facts_of.hpp"

namespace dalembert::model::instants_test {
namespace {

/// All keys there are.
const std::string everything = R"toml(coordinates = ["x", "z", "w"]

[sizes]
n = 2

[parameters]
m = 2
g = 9.81
mu = 0.25
e = 0.5
r = 0.1

[discrete]
count = 0
"level[i = 1..n]" = "m + i"

[energy]
kinetic = "m*(x'^2 + z'^2)/2 + m*r^2*w'^2/5"
potential = "m*g*z"

[[constraint]]
name = "a rail"
equation = "w = 0"

[[contact]]
name = "floor"
gap = "z - r"
restitution = "e"
impact = "poisson"
friction = "mu"
static_friction = 0.50
slip = ["x' - r*w'", "w'*r/2"]

[[contact]]
gap = "10 - z"

[[contact]]
for = "i = 1..n"
name = "wall[i]"
gap = "5*i - x"
impact = "energetic"

[[friction]]
name = "brake"
slip = "x' - 1"
limit = "mu*reaction.\"a rail\" + level[2]"
static_limit = "2*m"

[[friction]]
slip = ["x'", "z'"]
limit = 0

[[event]]
name = "apex"
when = "z' = 0"
direction = "falling"
set = { "x'" = "-e*x'", x = "x + 1/2", count = "count + 1", "level[1]" = "reaction.floor" }

[[event]]
when = "reaction.floor - 3"
stop = true

[[event]]
name = "clock"
every = "m/4"
set = { count = 0 }

[[event]]
for = "i = 1..n"
name = "mark [i]"
when = "x = i/3"
direction = "rising"

[outputs]
load = "reaction.floor + reaction.\"a rail\" + count"
)toml";

TEST(Instants, EveryKeySurvivesWritingAndReading) {
  ASSERT_EQ(complaints_of(everything), "");
  const Model model = read_model_text(everything, "everything.toml").value();
  ASSERT_EQ(model.contacts.size(), 4U);
  ASSERT_EQ(model.events.size(), 5U);
  const std::string written = to_toml(*model.draft).value();
  const auto again = read_model_text(written, "written.toml");
  ASSERT_TRUE(again) << to_string(again.error()) << written;
  EXPECT_EQ(facts_of(*again), facts_of(model)) << written;
  EXPECT_EQ(to_toml(*again->draft).value(), written);
}

TEST(Instants, AKeyOfAStatementChangesTheModel) {
  // Each key in turn is left out or said otherwise: what it says must be seen in the facts.
  const auto facts = facts_of(read_model_text(everything, "everything.toml").value());
  const std::pair<std::string, std::string> changes[] = {
      {"restitution = \"e\"\n", ""},
      {"impact = \"poisson\"\n", ""},
      {"static_friction = 0.50\n", ""},
      {"slip = [\"x' - r*w'\", \"w'*r/2\"]", "slip = \"x' - r*w'\""},
      {"static_limit = \"2*m\"\n", ""},
      {"direction = \"falling\"\n", ""},
      {"stop = true\n", ""},
      {"count = \"count + 1\", ", ""},
      {"every = \"m/4\"", "every = \"m/3\""},
      {"count = 0\n\"level", "count = 1\n\"level"},
  };
  for (const auto& [from, to] : changes) {
    std::string text = everything;
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    ASSERT_EQ(complaints_of(text), "") << from;
    EXPECT_NE(facts_of(read_model_text(text, "changed.toml").value()), facts) << from;
  }
}

System said_by_a_program() {
  System s("");
  const auto [x, z, w] = s.coordinates("x", "z", "w");
  const Expr m = s.parameter("m", 2), e = s.parameter("e", 0.5), mu = s.parameter("mu", 0.25);
  const Expr count = s.discrete("count", 0);
  s.kinetic(m * (pow(dot(x), 2) + pow(dot(z), 2) + pow(dot(w), 2)) / 2);
  s.constrain("a rail", w == 0);
  s.contact({.name = "floor",
             .gap = z - 1,
             .restitution = e,
             .impact = ImpactLaw::energetic,
             .friction = mu,
             .static_friction = 2 * mu,
             .slip = {dot(x) - dot(w)}});
  s.contact({.gap = 10 - z});
  s.friction({.slip = {dot(x)},
              .limit = mu * System::reaction("a rail"),
              .static_limit = System::reaction("floor") + 1});
  s.event({.name = "apex",
           .when = dot(z) == 0,
           .direction = Event::Direction::falling,
           .set = {{dot(x), -e * dot(x)}, {x, x + 1}, {count, count + 1}}});
  s.event({.every = m / 4, .stop = true});
  s.output("load", System::reaction("floor") * count);
  return s;
}

TEST(Instants, AProgramSaysThemAsAFileDoes) {
  const std::string file = R"(coordinates = ["x", "z", "w"]
[parameters]
m = 2
e = 0.5
mu = 0.25
[discrete]
count = 0
[energy]
kinetic = "m*(x'^2 + z'^2 + w'^2)/2"
[[constraint]]
name = "a rail"
equation = "w = 0"
[[contact]]
name = "floor"
gap = "z - 1"
restitution = "e"
impact = "energetic"
friction = "mu"
static_friction = "2*mu"
slip = "x' - w'"
[[contact]]
gap = "10 - z"
[[friction]]
slip = "x'"
limit = "mu*reaction.\"a rail\""
static_limit = "reaction.floor + 1"
[[event]]
name = "apex"
when = "z' = 0"
direction = "falling"
set = { "x'" = "-e*x'", x = "x + 1", count = "count + 1" }
[[event]]
every = "m/4"
stop = true
[outputs]
load = "reaction.floor*count"
)";
  const Model read = read_model_text(file, "").value();
  const Model built = said_by_a_program().model();
  EXPECT_EQ(complaint_lines(validate(built)), "");
  EXPECT_EQ(facts_of(built), facts_of(read));
  const std::string text = to_toml(said_by_a_program().draft()).value();
  const auto again = read_model_text(text, "");
  ASSERT_TRUE(again) << to_string(again.error()) << text;
  EXPECT_EQ(facts_of(*again), facts_of(read)) << text;
}

TEST(Instants, SayingAThingAgainReplacesIt) {
  System s = said_by_a_program();
  const Expr z = expr::coordinate("z");
  s.contact({.name = "floor", .gap = z - 2});
  s.discrete("count", 5);
  s.event({.name = "apex", .when = z == 3});
  s.friction({.name = "friction 1", .slip = {dot(z)}, .limit = 1});
  const Model model = s.model();
  EXPECT_EQ(complaint_lines(validate(model)), "");
  ASSERT_EQ(model.contacts.size(), 2U);
  EXPECT_TRUE(same(model.contacts[0].gap.expr, z - 2));
  EXPECT_TRUE(model.contacts[0].slip.empty());
  ASSERT_EQ(model.events.size(), 2U);
  EXPECT_TRUE(model.events[0].set.empty());
  ASSERT_EQ(model.dry_frictions.size(), 1U);
  EXPECT_TRUE(same(model.dry_frictions[0].limit.expr, Expr(1)));
  s.remove(Part::contact, "contact 2")
      .remove(Part::event, "apex")
      .remove(Part::friction, "friction 1");
  EXPECT_EQ(s.draft().contacts.size(), 1U);
  EXPECT_EQ(s.draft().events.size(), 1U);
  EXPECT_TRUE(s.draft().dry_frictions.empty());
  EXPECT_THROW(s.remove(Part::contact, "contact 2"), std::invalid_argument);
  EXPECT_THROW(s.event({.name = "e", .when = z == 0, .set = {{z + 1, 0}}}), std::invalid_argument);
}

TEST(Instants, ARenamedThingIsRenamedWhereItIsUsed) {
  const auto rename_all = [](auto rename_one, bool back) {
    const std::pair<Part, std::pair<std::string, std::string>> renames[] = {
        {Part::contact, {"floor", "the ground"}},
        {Part::constraint, {"a rail", "rail"}},
        {Part::discrete, {"count", "number"}},
        {Part::coordinate, {"x", "ξ"}},
        {Part::event, {"apex", "top"}}};
    for (const auto& [part, names] : renames)
      rename_one(part, back ? names.second : names.first, back ? names.first : names.second);
  };
  Draft draft = read_draft_text(everything, "everything.toml").value();
  const auto in_draft = [&](Part part, const std::string& from, const std::string& to) {
    EXPECT_TRUE(rename(draft, part, from, to)) << from;
  };
  rename_all(in_draft, false);
  EXPECT_TRUE(rename(draft, Part::contact, "wall", "side"));
  const auto renamed = assemble(draft);
  ASSERT_TRUE(renamed) << to_string(renamed.error());
  EXPECT_EQ(renamed->used_reactions, (std::vector<std::string>{"rail", "the ground"}));
  ASSERT_EQ(renamed->contacts.size(), 4U);
  EXPECT_EQ(renamed->contacts[3].name, "side2");
  rename_all(in_draft, true);
  EXPECT_TRUE(rename(draft, Part::contact, "side", "wall"));
  EXPECT_EQ(facts_of(assemble(draft).value()),
            facts_of(read_model_text(everything, "everything.toml").value()));

  System s = said_by_a_program();
  const auto in_system = [&](Part part, const std::string& from, const std::string& to) {
    s.rename(part, from, to);
  };
  rename_all(in_system, false);
  EXPECT_EQ(complaint_lines(validate(s.model())), "");
  EXPECT_NE(facts_of(s.model()), facts_of(said_by_a_program().model()));
  rename_all(in_system, true);
  EXPECT_EQ(facts_of(s.model()), facts_of(said_by_a_program().model()));
}

TEST(Instants, ARenamedConstraintKeepsItsMultiplier) {
  Draft draft = read_draft_text(plane +
                                    "[[constraint]]\nname = \"left rod\"\nequation = \"x = y\"\n"
                                    "[outputs]\nf = \"lambda.\\\"left rod\\\"\"\n",
                                "model.toml")
                    .value();
  ASSERT_TRUE(rename(draft, Part::constraint, "left rod", "rod"));
  const auto model = assemble(draft);
  ASSERT_TRUE(model) << to_string(model.error());
  EXPECT_TRUE(same(model->outputs[0].expr, expr::multiplier("rod")));
}

}  // namespace
}  // namespace dalembert::model::instants_test
