// Every complaint about the text of a model: its sentence and its place.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "complaints_of.hpp"

namespace dalembert::model::sentences_test {
namespace {

struct Case {
  std::string text;
  std::string complaints;
};

void check(const std::vector<Case>& cases) {
  for (const Case& c : cases) EXPECT_EQ(complaints_of(c.text), c.complaints) << c.text;
}

TEST(Sentences, TheBasisOfTheseTestsIsAGoodModel) {
  EXPECT_EQ(complaints_of(plane), "");
}

TEST(Sentences, WhatIsNotTomlIsReportedAsTheTomlLibraryPutsIt) {
  check({
      {"a = 1\nb = 1 2\n",
       "2:7+1 Error while parsing key-value pair: expected a comment or whitespace, saw '2'\n"},
      {"a = 1\nb = 2\na = 3\n",
       "3:5+1 Error while parsing key-value pair: cannot redefine existing integer 'a'\n"},
      {"[a]\nx = 1\n[b]\n[a]\n",
       "4:1+1 Error while parsing table header: cannot redefine existing table 'a'\n"},
      {"x = \"abc", "1:9+1 Error while parsing string: encountered end-of-file\n"},
      {"φ = 1\n", "1:1+1 a key with letters beyond ASCII must stand in quotes\n"},
      {"a.b.c.d.e.f.g.h.i = 1\n", "1:16+1 a key of more than 8 parts\n"},
      {"a = [" + std::string(40, '[') + "\n",
       "1:37+1 Error while parsing value: exceeded maximum nested value depth of 32 "
       "(TOML_MAX_NESTED_VALUES)\n"},
  });
}

TEST(Sentences, AnEmptyModelIsSaidToBeEmpty) {
  const std::string empty =
      "0:0+0 the model is empty: it needs coordinates, and [energy] or mass_matrix\n";
  check({{"", empty}, {"\n\n", empty}, {"# nothing\r\n", empty}, {"\xef\xbb\xbf", empty}});
}

TEST(Sentences, BytesThatAreNotUtf8AreShownWithTheirPlace) {
  check({
      {"name = \"φ\xff\"\n", "1:10+1 byte 0xff is not UTF-8\n"},
      {"\n\xc3", "2:1+1 byte 0xc3 is not UTF-8\n"},
      {"a\n\xed\xa0\x80", "2:1+1 byte 0xed is not UTF-8\n"},
  });
}

TEST(Sentences, NoConstraintIsCalledLikeTheRateOfAnother) {
  const std::string rate = "[[constraint]]\nname = \"a'\"\nequation = \"y' = 0\"\n";
  const auto named_a = [](const std::string& equation) {
    return "[[constraint]]\nname = \"a\"\nequation = \"" + equation + "\"\n";
  };
  const std::string complaint =
      " constraint 'a'' has the name under which the rate of constraint 'a' is recorded: give it "
      "another\n";
  check({
      {plane + named_a("x = 1") + rate, "12:13+6" + complaint},
      {plane + rate + named_a("x = 1"), "9:13+6" + complaint},
      {plane + named_a("x' = 1") + rate, ""},
      {plane + rate, ""},
  });
}

TEST(Sentences, UnknownKeysGetASuggestion) {
  check({
      {"coordinate = [\"x\"]\n[energy]\nkinetic = \"x'^2\"\n",
       "1:1+10 unknown key 'coordinate'; did you mean 'coordinates'?\n"},
      {plane + "potentail = \"x\"\n",
       "7:1+9 unknown key 'potentail' in [energy]; did you mean 'potential'?\n"},
      {plane + "[[constraint]]\nequation = \"x = 0\"\nwieght = 1\n",
       "9:1+6 unknown key 'wieght' in [[constraint]]; did you mean 'weight'?\n"},
      {plane + "[simulation]\nsample = 3\n",
       "8:1+6 unknown key 'sample' in [simulation]; did you mean 'samples'?\n"},
      {plane + "[independent]\ncoords = [\"x\"]\n",
       "8:1+6 unknown key 'coords' in [independent]\n"},
      {plane + "[output]\na = \"x\"\n", "7:2+6 unknown key 'output'; did you mean 'outputs'?\n"},
      {"coordinates = [\"x\"]\n[parameter]\nm = 1\n[energy]\nkinetic = \"m*x'^2\"\n",
       "2:2+9 unknown key 'parameter'; did you mean 'parameters'?\n"},
  });
}

TEST(Sentences, ValuesOfTheWrongKindAreNamed) {
  check({
      {"coordinates = 3\n", "1:15+1 expected an array of names, found a number\n"},
      {"coordinates = \"x\"\n", "1:15+3 expected an array of names, found a string\n"},
      {"coordinates = [\"x\", 2]\n",
       "1:21+1 expected the name of a coordinate in quotes, found a number\n"},
      {"name = 1\n" + plane, "1:8+1 expected a string, found a number\n"},
      {"description = []\n" + plane, "1:15+2 expected a string, found an array\n"},
      {"coordinates = [\"x\"]\nparameters = 1\nenergy = 2\n",
       "2:14+1 expected a table, found a number\n3:10+1 expected a table, found a number\n"},
      {"let = true\n" + plane, "1:7+4 expected a table, found a boolean\n"},
      {"forces = 1979-05-27\n" + plane, "1:10+10 expected a table, found a date or time\n"},
      {"constraint = \"x = 0\"\n" + plane,
       "1:14+7 expected tables [[constraint]], found a string\n"},
      {"constraint = [1]\n" + plane, "1:15+1 expected a table [[constraint]], found a number\n"},
      {plane + "[constraint]\nequation = \"x = 0\"\n",
       "7:1+12 write [[constraint]], with double brackets\n"},
      {plane + "potential = [1]\n", "7:13+3 expected an expression, found an array\n"},
      {plane + "potential = {}\n", "7:13+2 expected an expression, found a table\n"},
      {plane + "[[constraint]]\nequation = 3\n", "8:12+1 expected an equation, found a number\n"},
      {plane + "[[constraint]]\nequation = \"x = 0\"\nname = 3\n",
       "9:8+1 expected a string, found a number\n"},
      {plane + "[[constraint]]\nequation = \"x = 0\"\nweight = [1]\n",
       "9:10+3 expected a number, found an array\n"},
      {"mass_matrix = 3\ncoordinates = [\"x\"]\n",
       "1:15+1 expected an array of rows, found a number\n"},
      {"mass_matrix = [3]\ncoordinates = [\"x\"]\n",
       "1:16+1 expected a row of the mass matrix, an array, found a number\n"},
      {plane + "[initial]\nmu = 3\n", "8:6+1 expected a table of constraints, found a number\n"},
      {plane + "[initial]\nadjust = 3\n", "8:10+1 expected a string, found a number\n"},
      {plane + "[simulation]\ntimes = 3\n", "8:9+1 expected an array of numbers, found a number\n"},
      {plane + "[independent]\ncoordinates = \"x\"\n",
       "8:15+3 expected an array of coordinates, found a string\n"},
      {plane + "[parameters.p]\n", "7:1+14 expected an expression, found a table\n"},
  });
}

TEST(Sentences, KeysOfTheWholeFileMustStandBeforeTheFirstTable) {
  check({
      {"[parameters]\nm = 1\ncoordinates = [\"x\"]\n[energy]\nkinetic = \"m*x'^2\"\n",
       "1:1+1 no coordinates: give their names, as in coordinates = [\"x\", \"y\"]\n"
       "3:1+11 'coordinates' belongs at the top of the file, before the first [table]\n"},
      {"coordinates = [\"x\"]\n[parameters]\nm = 1\nmass_matrix = [[\"m\"]]\n",
       "4:1+11 'mass_matrix' belongs at the top of the file, before the first [table]\n"},
  });
}

TEST(Sentences, WordsFromElsewhereAreAnsweredWithOurs) {
  const std::string steps =
      "; steps are as long as the error and max_step allow: a smaller rtol makes them shorter, and "
      "samples or times say what is written\n";
  const std::string energy =
      "; write [energy] with kinetic = \"...\" and potential = \"...\", or with lagrangian = "
      "\"...\", "
      "their difference\n";
  check({
      {plane + "[simulation]\nmax_step = 1\n", ""},
      {plane + "[simulation]\nmax_step = 0\n", "8:12+1 max_step must be positive and finite\n"},
      {plane + "[simulation]\nmax_step = \"t\"\n",
       "8:13+1 time t cannot stand here: this value depends on numbers only\n"},
      {plane + "[simulation]\nhmax = 1\n",
       "8:1+4 unknown key 'hmax' in [simulation]; max_step gives the longest step\n"},
      {plane + "[simulation]\ndt = 1\nt_end = 3\n",
       "8:1+2 unknown key 'dt' in [simulation]" + steps +
           "9:1+5 unknown key 't_end' in [simulation]; duration gives the length of the motion\n"},
      {plane + "[simulation]\nmax_stepz = 1\n",
       "8:1+9 unknown key 'max_stepz' in [simulation]; did you mean 'max_steps'?\n"},
      {"lagrangian = \"x\"\n" + plane, "1:1+10 unknown key 'lagrangian'" + energy},
      {"coordinates = [\"x\"]\n[energy]\nlagrangian = \"x'^2\"\npotential = \"x\"\n",
       "3:15+4 the Lagrangian is the kinetic energy less the potential one: give 'lagrangian', or "
       "'kinetic' and 'potential', not both\n"},
      {"coordinates = [\"x\"]\n[energy]\nlagrangian = \"x''^2\"\n",
       "3:15+3 acceleration x'' cannot stand here: the Lagrangian depends on positions, "
       "velocities and time only\n"},
      {plane + "[lagrangian]\nL = \"x\"\n", "7:2+10 unknown key 'lagrangian'" + energy},
      {plane + "[events]\nstop = \"x\"\n",
       "7:2+6 unknown key 'events'; each is a table [[event]]\n"},
      {plane + "[[view.arrow]]\nname = \"\"\nat = [0, 0, 0]\nvector = [0, 0, 0]\n",
       "8:8+2 the name of an arrow must not be empty\n"},
  });
  const std::string condition = "write cases as if(x < y, a, b), with <, <=, > or >=\n";
  const std::string inequality =
      ": a constraint is an equation that holds throughout, and inequalities are not supported; a "
      "constraint that opens and closes is a [[contact]], with gap = \"...\"\n";
  check({
      {plane + "[forces]\nx = \"if(x, 1, 2)\"\n",
       "8:6+5 a condition compares two numbers: if(x < y, a, b)\n"},
      {plane + "[forces]\nx = \"piecewise(x, 1, 2)\"\n",
       "8:6+9 unknown function 'piecewise'; " + condition},
      {plane + "[forces]\nx = \"heaviside(x)\"\n",
       "8:6+9 unknown function 'heaviside'; did you mean 'step', which is 1 where x >= 0?\n"},
      {plane + "[forces]\nx = \"interp(t, 1, 2)\"\n",
       "8:6+6 unknown function 'interp'; a function through points is a [[table]], called by its "
       "name\n"},
      {plane + "[forces]\nx = \"table(t)\"\n",
       "8:6+5 unknown function 'table'; a function through points is a [[table]], called by its "
       "name\n"},
      {plane + "[forces]\nx = \"sgn(x)\"\n", "8:6+3 unknown function 'sgn'; it is called 'sign'\n"},
      {plane + "[[constraint]]\nequation = \"x >= 0\"\n", "8:15+2 '>='" + inequality},
      {plane + "[[constraint]]\nequation = \"x ≥ 0\"\n", "8:15+1 '≥'" + inequality},
      {plane + "[[constraint]]\nequation = \"0 < x\"\n", "8:15+1 '<'" + inequality},
      {plane + "[forces]\nx = \"x < 0\"\n",
       "8:8+1 '<' may only stand in the condition of an if: if(x < y, a, b)\n"},
      {plane + "[forces]\nx = \"x != 0\"\n", "8:8+2 '!=' is not a condition here; " + condition},
      {plane + "[forces]\nx = \"t ? 1 : 0\"\n", "8:8+1 '?' is not a condition here; " + condition},
      {"coordinates = [\"step\"]\n[energy]\nkinetic = \"step'^2\"\n", ""},
      {"coordinates = [\"sign\"]\n[energy]\nkinetic = \"sign'^2\"\n",
       "1:17+4 'sign' has a meaning of its own and cannot be the name of a coordinate\n"
       "3:12+4 function 'sign' needs its argument in parentheses: sign(...)\n"},
      {plane + "[forces]\nx = \"1 + \u202ex\"\n",
       "8:10+1 U+202E is a character that does not show; remove it\n"},
  });
}

TEST(Sentences, ASystemNeedsCoordinatesAndAKineticEnergy) {
  check({
      {"name = \"a\"\n",
       "1:1+1 no coordinates: give their names, as in coordinates = [\"x\", \"y\"]\n"},
      {"coordinates = []\n", "1:15+2 no coordinates: a system needs at least one\n"},
      {"coordinates = [\"x\"]\n",
       "1:1+11 no kinetic energy: give [energy] kinetic or mass_matrix\n"},
      {"coordinates = [\"x\"]\n[energy]\n",
       "2:2+6 no kinetic energy: give [energy] kinetic or mass_matrix\n"},
      {"coordinates = [\"x\"]\n[energy]\npotential = \"x\"\n",
       "3:14+1 no kinetic energy: give [energy] kinetic or mass_matrix\n"},
      {"mass_matrix = [[1, 0], [0, 1]]\n" + plane,
       "7:12+17 [energy] and mass_matrix exclude each other: give one of them\n"},
  });
}

TEST(Sentences, NamesMustBeNamesFreeAndUsedOnce) {
  check({
      {"coordinates = [\"2x\"]\n",
       "1:17+2 '2x' cannot be the name of a coordinate: a name is a letter or '_', then letters, "
       "digits and '_'\n"},
      {"coordinates = [\"x\", \"\"]\n",
       "1:21+2 '' cannot be the name of a coordinate: a name is a letter or '_', then letters, "
       "digits and '_'\n"},
      {"coordinates = [\"t\"]\n",
       "1:17+1 't' has a meaning of its own and cannot be the name of a coordinate\n"},
      {"coordinates = [\"adjust\"]\n",
       "1:17+6 'adjust' is a word of [initial] and cannot be the name of a coordinate\n"},
      {"coordinates = [\"x\", \"x\"]\n[energy]\nkinetic = \"x'^2\"\n",
       "1:22+1 'x' is already the name of a coordinate (line 1)\n"},
      {plane + "[let]\nm = 1\ny = 2\nsin = 3\n\"a b\" = 4\n",
       "8:1+1 'm' is already the name of a parameter (line 3)\n"
       "9:1+1 'y' is already the name of a coordinate (line 1)\n"
       "10:1+3 'sin' has a meaning of its own and cannot be the name of a let\n"
       "11:1+5 'a b' cannot be the name of a let: a name is a letter or '_', then letters, digits "
       "and '_'\n"},
      {plane + "[[constraint]]\nname = \"a\"\nequation = \"x = 0\"\n[[constraint]]\nname = "
               "\"a\"\nequation = \"y = 0\"\n",
       "11:9+1 'a' is already the name of a constraint (line 8)\n"},
      {plane + "[[constraint]]\nname = \"\"\nequation = \"x = 0\"\n",
       "8:8+2 the name of a constraint must not be empty\n"},
      {plane + "[[constraint]]\nname = \"a\\nb\"\nequation = \"x = 0\"\n",
       "8:9+4 the name of a constraint must not hold U+000A, a character that does not show\n"},
      {plane + "[[constraint]]\nname = \"a\u202eb\"\nequation = \"x = 0\"\n",
       "8:9+3 the name of a constraint must not hold U+202E, a character that does not show\n"},
      {plane + "[[constraint]]\nname = \"a\\u009bb\"\nequation = \"x = 0\"\n",
       "8:9+8 the name of a constraint must not hold U+009B, a character that does not show\n"},
      {"name = \"a\\u001b[2J\"\ndescription = \"\"\"two\n\tlines \u2066\"\"\"\n" + plane,
       "1:9+10 the name of the model must not hold U+001B, a character that does not show\n"
       "2:18+3 the description must not hold U+2066, a character that does not show\n"},
      {plane + "[outputs]\nx = \"x\"\nmin = \"y\"\n",
       "8:1+1 'x' is a coordinate and cannot be the name of an output too\n"
       "9:1+3 'min' has a meaning of its own and cannot be the name of an output\n"},
      {plane + "[quasi_velocities]\ny = \"y'\"\n",
       "8:1+1 'y' is a coordinate and cannot be the name of a quasi-velocity too\n"},
      {plane + "[independent]\ncoordinates = [\"x\", \"x\", \"z\"]\n",
       "8:22+1 coordinate 'x' is named twice\n8:27+1 unknown coordinate 'z'\n"},
  });
}

TEST(Sentences, UnknownNamesGetASuggestionDrawnFromAllNames) {
  check({
      {"coordinates = [\"phi\"]\n[energy]\nkinetic = \"phy'^2/2\"\n",
       "3:12+3 unknown name 'phy'; did you mean 'phi'?\n"},
      {plane + "[parameters2]\n", "7:2+11 unknown key 'parameters2'; did you mean 'parameters'?\n"},
      {plane + "[let]\nspeed = \"sqrt(x'^2 + y'^2)\"\n[outputs]\na = \"2*sped\"\n",
       "10:8+4 unknown name 'sped'; did you mean 'speed'?\n"},
      {plane + "[forces]\nx = \"-k*xdot\"\ny = \"-k*y_dot\"\n",
       "8:9+4 unknown name 'xdot'; the velocity of x is written x'\n"
       "9:9+5 unknown name 'y_dot'; the velocity of y is written y'\n"},
      {plane + "[forces]\nx = \"foo(3)\"\ny = \"m(3)\"\nz = 1\n",
       "8:6+3 unknown function 'foo'\n"
       "9:6+1 'm' is not a function; a product is written m*(...)\n"
       "10:1+1 unknown coordinate 'z'\n"},
      {"coordinates = [\"phi\"]\n[energy]\nkinetic = \"phi'^2\"\n[virtual_work]\nphy = 1\n"
       "[initial]\nphy = 1\n\"phj'\" = 1\nadjusd = \"none\"\n",
       "5:1+3 unknown coordinate 'phy'; did you mean 'phi'?\n"
       "7:1+3 unknown coordinate 'phy' in [initial]; did you mean 'phi'?\n"
       "8:1+6 unknown coordinate 'phj'' in [initial]; did you mean 'phi''?\n"
       "9:1+6 unknown coordinate 'adjusd' in [initial]; did you mean 'adjust'?\n"},
  });
}

TEST(Sentences, PrimesBelongToWhatMoves) {
  check({
      {plane + "[outputs]\na = \"2*m'\"\n", "8:8+2 'm' is a parameter; it has no rate\n"},
      {plane + "[outputs]\na = \"t'\"\n", "8:6+2 't' is time; its rate is 1\n"},
      {plane + "[outputs]\na = \"pi'\"\n", "8:6+3 'pi' is a number; it has no rate\n"},
      {plane + "[outputs]\na = \"1 + x'''\"\n",
       "8:10+4 'x' has 3 primes; at most two are allowed\n"},
      {plane + "[outputs]\na = \"ideal.x'\"\n",
       "8:6+8 'ideal.x' is a constraint force; it has no rate\n"},
      {plane + "[outputs]\na = \"(x)'\"\n", "8:9+1 a prime must directly follow a name\n"},
      {plane + "[let]\nn = \"ideal.x^2\"\n[outputs]\na = \"n'\"\n",
       "10:6+2 let 'n' contains 'ideal.x', a constraint force, which has no rate\n"},
      {plane + "[let]\na = \"b'\"\nb = \"ideal.x\"\n",
       "8:6+2 let 'b' contains 'ideal.x', a constraint force, which has no rate\n"},
      {plane + "[let]\na = \"x'\"\nb = \"1 + a''\"\n",
       "9:10+3 a'' takes a third derivative, as let 'a' contains velocities\n"},
      {plane + "[let]\na = \"x''\"\n[outputs]\nb = \"a'\"\n",
       "10:6+2 a' takes a third derivative, as let 'a' contains accelerations\n"},
      {plane + "[let]\na = \"t^9\"\nb = \"a''\"\nc = \"b'\"\n",
       "10:6+2 b' takes a third derivative, as let 'b' contains derivatives\n"},
  });
}

TEST(Sentences, ConstraintForcesStandInVirtualWorkAndOutputsOnly) {
  check({
      {plane + "potential = \"ideal.x\"\n",
       "7:14+7 'ideal.x' may be used in [virtual_work], [outputs] and arrows of [view] only\n"},
      {plane + "[virtual_work]\nx = \"-nonideal.x\"\ny = \"ideal.x\"\n",
       "8:7+10 'nonideal.x' may be used in [outputs] and arrows of [view] only\n"},
      {plane + "[let]\nn = \"abs(ideal.x)\"\nr = \"nonideal.y\"\n[forces]\nx = \"n\"\n"
               "[virtual_work]\nx = \"-n\"\ny = \"r\"\n[outputs]\na = \"n + r + nonideal.x\"\n",
       "11:6+1 let 'n' contains 'ideal.x' and may be used in [virtual_work], [outputs] and arrows "
       "of [view] only\n"
       "14:6+1 let 'r' contains 'nonideal.y' and may be used in [outputs] and arrows of [view] "
       "only\n"},
      {plane + "[outputs]\na = \"ideal.z\"\nb = \"ideel.x\"\nc = \"ideal\"\nd = \"disk.x\"\n",
       "8:6+7 unknown coordinate 'z' in 'ideal.z'\n"
       "9:6+7 unknown name 'ideel.x'; did you mean 'ideal.x'?\n"
       "10:6+5 'ideal' needs a coordinate after it: ideal.x is the force along x\n"
       "11:6+6 unknown name 'disk.x'\n"},
  });
}

TEST(Sentences, EachPlaceTellsWhatItDependsOn) {
  check({
      {plane + "potential = \"m*x*x'\"\n",
       "7:18+2 velocity x' cannot stand here: the potential energy depends on positions and time "
       "only; a force that depends on velocities goes into [forces] or the dissipation\n"},
      {plane + "dissipation = \"x''\"\n",
       "7:16+3 acceleration x'' cannot stand here: the dissipation depends on positions, "
       "velocities and time only\n"},
      {"coordinates = [\"x\"]\n[energy]\nkinetic = \"x''\"\n",
       "3:12+3 acceleration x'' cannot stand here: the kinetic energy depends on positions, "
       "velocities and time only\n"},
      {"coordinates = [\"x\"]\nmass_matrix = [[\"1 + x'\"]]\n",
       "2:22+2 velocity x' cannot stand here: the mass matrix depends on positions and time "
       "only\n"},
      {plane + "[forces]\nx = \"x''\"\n[virtual_work]\ny = \"y''\"\n",
       "8:6+3 acceleration x'' cannot stand here: a force depends on positions, velocities and "
       "time "
       "only\n"
       "10:6+3 acceleration y'' cannot stand here: virtual work depends on positions, velocities, "
       "time and ideal forces only\n"},
      {plane + "[quasi_velocities]\nu = \"x''\"\n",
       "8:6+3 acceleration x'' cannot stand here: a quasi-velocity depends on positions, "
       "velocities and time only\n"},
      {"coordinates = [\"x\"]\n[parameters]\na = \"2*x\"\nb = \"t\"\nc = \"v\"\nd = \"ideal.x\"\n"
       "[let]\nv = \"x'\"\n[energy]\nkinetic = \"v^2\"\npotential = \"v\"\n",
       "3:8+1 coordinate x cannot stand here: a parameter depends on other parameters only\n"
       "4:6+1 time t cannot stand here: a parameter depends on other parameters only\n"
       "5:6+1 let 'v' cannot stand here: a parameter depends on other parameters only\n"
       "6:6+7 'ideal.x' may be used in [virtual_work], [outputs] and arrows of [view] only\n"
       "11:14+1 let 'v' contains velocities and cannot stand here: the potential energy depends on "
       "positions and time only; a force that depends on velocities goes into [forces] or the "
       "dissipation\n"},
      {plane + "[let]\nc = \"t + 1\"\nq = \"x*m\"\n[simulation]\nduration = \"c\"\n",
       "11:13+1 let 'c' contains time and cannot stand here: the duration depends on parameters "
       "only\n"},
      {plane + "[let]\nq = \"x*m\"\n[simulation]\nduration = \"1 + q\"\n",
       "10:17+1 let 'q' contains coordinates and cannot stand here: the duration depends on "
       "parameters only\n"},
      {plane + "[let]\nq = \"x*m\"\n[energy.extra]\n", "9:9+5 unknown key 'extra' in [energy]\n"},
      {plane + "[initial]\nx = \"y''\"\n",
       "8:6+3 acceleration y'' cannot stand here: an initial value depends on positions, "
       "velocities "
       "and parameters only\n"},
      {plane + "[initial]\n\"x''\" = 1\n",
       "8:1+5 only positions and velocities have initial values, not x''\n"},
      {plane + "[[constraint]]\nequation = \"x = 0\"\nweight = \"m\"\n",
       "9:11+1 parameter m cannot stand here: this value depends on numbers only\n"},
      {plane + "[[constraint]]\nequation = \"x = 0\"\n[initial]\nmu = { \"constraint 1\" = \"x\", "
               "\"constraint 2\" = 0 }\n",
       "10:26+1 coordinate x cannot stand here: a multiplier depends on parameters only\n"
       "10:30+14 unknown constraint 'constraint 2'; did you mean 'constraint 1'?\n"},
  });
}

TEST(Sentences, MistakesInMathematicsPointAtTheirCharacters) {
  check({
      {plane + "potential = \"m*(x + y\"\n", "7:16+1 '(' is never closed\n"},
      {plane + "potential = \"\"\n", "7:13+2 expected an expression, found nothing\n"},
      {plane + "potential = \"2 x\"\n",
       "7:16+1 missing operator before 'x'; multiplication is written with '*'\n"},
      {plane + "potential = \"x = y\"\n", "7:16+1 '=' is not allowed in an expression\n"},
      {plane + "potential = \"x/0\"\n", "7:16+1 division by zero\n"},
      {plane + "potential = \"x −y\"\n", "7:16+1 unexpected character '−'; did you mean '-'?\n"},
      {plane + "potential = \"" + std::string(100'000, '(') + "\"\n",
       "7:514+1 nested more than 500 levels deep\n"},
      {plane + "[[constraint]]\nequation = \"x + y\"\n",
       "8:13+5 an equation needs '='; to say that this vanishes, end it with '= 0'\n"},
      {plane + "[[constraint]]\nequation = \"\"\n", "8:12+2 expected an equation, found nothing\n"},
      {plane + "[[constraint]]\nname = \"edge\"\n", "7:1+14 constraint 'edge' has no equation\n"},
      {plane + "[[constraint]]\n[[constraint]]\nname = \"edge\"\n",
       "7:1+14 constraint 'constraint 1' has no equation\n"
       "8:1+14 constraint 'edge' has no equation\n"},
  });
}

TEST(Sentences, NumbersMustBeFinite) {
  check({
      {plane + "potential = inf\n", "7:13+3 'inf' must be finite\n"},
      {plane + "potential = -nan\n", "7:13+4 '-nan' must be finite\n"},
      {plane + "[simulation]\nrtol = +inf\n", "8:8+4 '+inf' must be finite\n"},
      {plane + "[simulation]\nrtol = \"log(-1)\"\n", "8:9+7 rtol must be finite\n"},
      {plane + "[simulation]\nrtol = \"1e9999\"\n", "8:9+6 rtol must be finite\n"},
  });
}

TEST(Sentences, ConstraintsMustHoldACoordinateAndBeLinearInAccelerations) {
  check({
      {plane + "[[constraint]]\nequation = \"m = k\"\n",
       "8:13+5 constraint 'constraint 1' contains no coordinate\n"},
      {plane + "[[constraint]]\nname = \"a\"\nequation = \"x = x\"\n",
       "9:13+5 constraint 'a' says nothing: its two sides are the same\n"},
      {plane + "[[constraint]]\nname = \"a\"\nequation = \"x''*y'' = 1\"\n",
       "9:13+11 constraint 'a' is not linear in the accelerations\n"},
      {plane + "[[constraint]]\nname = \"a\"\nequation = \"sin(x'') = 0\"\n",
       "9:13+12 constraint 'a' is not linear in the accelerations\n"},
      {plane + "[[constraint]]\nname = \"a\"\nequation = \"x'^2*x'' + t*y'' = x*y\"\n", ""},
      {plane + "[[constraint]]\nequation = \"x = 0\"\nweight = 0\n",
       "9:10+1 a weight must be positive\n"},
      {plane + "[[constraint]]\nequation = \"x = 0\"\nweight = \"-1/2\"\n",
       "9:11+4 a weight must be positive\n"},
  });
}

TEST(Sentences, QuasiVelocitiesAreLinearForms) {
  const std::string head = plane + "[quasi_velocities]\nu = ";
  const std::string message = " quasi-velocity 'u' is not a linear form in the velocities\n";
  check({
      {head + "\"x'^2\"\n", "8:6+4" + message},
      {head + "\"x\"\n", "8:6+1" + message},
      {head + "\"x' + 1\"\n", "8:6+6" + message},
      {head + "\"x'*y'\"\n", "8:6+5" + message},
      {head + "\"x'*sin(y) - t*(y' + x')/m\"\n", ""},
  });
}

TEST(Sentences, MassMatricesAreSquareAndSymmetric) {
  check({
      {"coordinates = [\"x\", \"y\"]\nmass_matrix = [[1, 2]]\n",
       "2:17+1 mass_matrix has 1 row, but there are 2 coordinates\n"},
      {"coordinates = [\"x\"]\nmass_matrix = [[1], [2]]\n",
       "2:17+1 mass_matrix has 2 rows, but there is 1 coordinate\n"},
      {"coordinates = [\"x\", \"y\"]\nmass_matrix = [[1, 2], [2]]\n",
       "2:25+1 row 2 of mass_matrix has 1 entry instead of 2\n"},
      {"coordinates = [\"x\", \"y\"]\nmass_matrix = [[1, \"x*y\"],\n  [\"y*x + 1\", 2]]\n",
       "3:5+7 mass_matrix is not symmetric: row 2, column 1 differs from row 1, column 2\n"},
      {"coordinates = [\"x\", \"y\"]\nmass_matrix = [[1, \"x*y\"],\n  [\"y*x\", 2]]\n", ""},
  });
}

TEST(Sentences, LetsThatDependOnThemselvesShowTheCircle) {
  check({
      {plane + "[let]\na = \"b + 1\"\nb = \"2*a\"\n",
       "8:1+1 let 'a' depends on itself: a -> b -> a\n"},
      {plane + "[let]\na = \"a\"\n", "8:1+1 let 'a' depends on itself: a -> a\n"},
      {plane + "[let]\na = \"x*c'\"\nb = \"a\"\nc = \"b\"\nd = \"a + 1\"\n[outputs]\no = \"d\"\n",
       "8:1+1 let 'a' depends on itself: a -> c -> b -> a\n"},
      {plane + "[parameters.q]\n[let]\n", "7:1+14 expected an expression, found a table\n"},
      {"coordinates = [\"x\"]\n[parameters]\na = \"b\"\nb = \"2*c\"\nc = \"a\"\n[energy]\n"
       "kinetic = \"a*x'^2\"\n",
       "3:1+1 parameter 'a' depends on itself: a -> b -> c -> a\n"},
  });
}

TEST(Sentences, InitialValuesThatDependOnThemselvesShowTheCircle) {
  check({
      {plane + "[initial]\nx = \"y + 1\"\ny = \"x\"\n",
       "8:1+1 the initial value of x depends on itself: x -> y -> x\n"},
      {plane + "[let]\na = \"2*x'\"\n[initial]\n\"y'\" = \"a\"\n\"x'\" = \"y'\"\n",
       "11:1+4 the initial value of x' depends on itself: x' -> y' -> a -> x'\n"},
  });
}

TEST(Sentences, TheSimulationChecksItsSettings) {
  const std::string head = plane + "[simulation]\n";
  check({
      {head + "samples = 1\n", "8:11+1 samples must be a whole number from 2 to 1000000000\n"},
      {head + "samples = 2.5\n", "8:11+3 samples must be a whole number from 2 to 1000000000\n"},
      {head + "samples = 1e12\n", "8:11+4 samples must be a whole number from 2 to 1000000000\n"},
      {head + "samples = 2\nmax_steps = 1\n", ""},
      {head + "max_steps = 0\n",
       "8:13+1 max_steps must be a whole number from 1 to 1000000000000000\n"},
      {head + "rtol = 1\n", "8:8+1 rtol must lie between 0 and 1\n"},
      {head + "rtol = 0\natol = 0\nrank_tolerance = -1\n",
       "8:8+1 rtol must lie between 0 and 1\n9:8+1 atol must be positive and finite\n"
       "10:18+2 rank_tolerance must lie between 0 and 1\n"},
      {head + "method = \"mulitpliers\"\n",
       "8:11+11 unknown method 'mulitpliers'; did you mean 'multipliers'?\n"},
      {head + "integrator = \"euler\"\n",
       "8:15+5 unknown integrator 'euler'; known are rk8, taylor, bdf, auto\n"},
      {head + "integrator = \"rk4\"\n", "8:15+3 unknown integrator 'rk4'; did you mean 'rk8'?\n"},
      {head + "precision = \"quad\"\n",
       "8:14+4 unknown precision 'quad'; known are double, extended\n"},
      {head + "project = \"all\"\n",
       "8:12+3 unknown project 'all'; known are both, velocity, none\n"},
      {plane + "[initial]\nadjust = \"near\"\n",
       "8:11+4 unknown adjust 'near'; known are none, nearest, velocity\n"},
      {head + "duration = 0\n", "8:12+1 the duration must be positive and finite\n"},
      {head + "duration = \"-2/3\"\n", "8:13+4 the duration must be positive and finite\n"},
      {head + "duration = \"-sqrt(2)\"\n", "8:13+8 the duration must be positive and finite\n"},
      {head + "times = []\n", "8:9+2 times must not be empty\n"},
      {head + "times = [0, 2, 2]\n", "8:16+1 times must not be negative and must increase\n"},
      {head + "times = [-1, 2]\n", "8:10+2 times must not be negative and must increase\n"},
      {head + "times = [0]\n", "8:9+3 the last of the times must be positive\n"},
      {head + "times = [0, \"m\"]\n",
       "8:14+1 parameter m cannot stand here: this value depends on numbers only\n"},
      {head + "times = [0, 1]\nsamples = 3\n", "8:1+5 give samples or times, not both\n"},
      {head + "times = [0, 1]\nduration = 2\n",
       "9:1+8 with times, the duration is the last of them: leave it out\n"},
      {head + "times = [0, 1]\nduration = 1.0\n", ""},
  });
}

TEST(Sentences, ComplaintsComeInTheOrderOfTheText) {
  check({{"[outputs]\na = \"p\"\n[let]\nb = \"q\"\n[parameters]\nc = \"r\"\n[energy]\n"
          "potential = \"s\"\nkinetic = \"u\"\n",
          "1:1+1 no coordinates: give their names, as in coordinates = [\"x\", \"y\"]\n"},
         {"outputs = { a = \"p\" }\nlet = { b = \"q\" }\ncoordinates = [\"x\"]\n"
          "parameters = { c = \"r\" }\nenergy = { potential = \"s\", kinetic = \"u\" }\n",
          "1:18+1 unknown name 'p'\n2:14+1 unknown name 'q'\n4:21+1 unknown name 'r'\n"
          "5:25+1 unknown name 's'\n5:40+1 unknown name 'u'\n"}});
}

TEST(Sentences, OneMistakeIsToldOnceAndAllAreToldTogether) {
  check({
      {"coordinates = [\"x\", \"y\"]\n[parameters]\nm = \"1 +\"\n[let]\nv = \"x' + q\"\nw = "
       "\"v'\"\n"
       "[energy]\nkinetic = \"m*v^2\"\npotential = \"w + z\"\n[outputs]\na = \"w\"\nb = \"m\"\n"
       "c = \"s\"\n",
       "3:8+1 expected an expression, found the end\n"
       "5:11+1 unknown name 'q'\n"
       "9:18+1 unknown name 'z'\n"
       "13:6+1 unknown name 's'\n"},
      {plane + "[[constraint]]\nname = \"a\"\nequation = \"x =\"\n[initial]\nmu = { a = 1 }\n",
       "9:15+1 expected an expression, found the end\n"},
      {"[energy]\nkinetic = \"x'^2 + q\"\n[forces]\nx = 1\n",
       "1:1+1 no coordinates: give their names, as in coordinates = [\"x\", \"y\"]\n"},
  });
}

TEST(Sentences, ALetMayBeCalledAsAFunctionThatItCalls) {
  check({{plane +
              "[let]\nstep = \"step(x)\"\nclamp = \"clamp(step, 0, y)\"\n[forces]\nx = \"clamp\"\n",
          ""},
         {plane + "[let]\nstep = \"2*step\"\n[forces]\nx = \"step\"\n",
          "8:1+4 let 'step' depends on itself: step -> step\n"}});
}

TEST(Sentences, MultipliersHaveTheirPlacesAndConstraints) {
  const std::string rods = plane + "[[constraint]]\nname = \"left rod\"\nequation = \"x = y\"\n";
  check({
      {rods + "[outputs]\nf = 'lambda.\"left rod\"'\n", ""},
      {rods + "[outputs]\nf = 'lambda.\"left rood\"'\n",
       "11:6+18 unknown constraint 'left rood' in 'lambda.\"left rood\"'; did you mean 'left "
       "rod'?\n"},
      {rods + "[outputs]\nf = \"lambda.\\\"left rod\\\"'\"\n",
       "11:6+20 'lambda.\"left rod\"' is a multiplier; it has no rate\n"},
      {rods + "[outputs]\nf = 'lambda.\"left rod'\n", "11:13+1 '\"' is never closed\n"},
      {rods + "[forces]\nx = 'lambda.\"left rod\"'\n",
       "11:6+17 'lambda.\"left rod\"' is a multiplier and may be used in [outputs] and arrows of "
       "[view] only\n"},
      {plane +
           "[let]\np = [\"x\", \"y\", \"x*y\"]\n[[constraint]]\nname = \"loop\"\nequation = \"p = "
           "0\"\n[outputs]\nf = \"lambda.loop\"\n",
       "13:6+11 'loop' stands for several rows, each with its own multiplier: lambda.\"loop.x\"\n"},
  });
}

}  // namespace
}  // namespace dalembert::model::sentences_test
