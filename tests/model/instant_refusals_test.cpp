// What is wrong with events, contacts and friction that sticks: every sentence, at its place.
#include <dalembert/model/system.hpp>

#include <gtest/gtest.h>

#include "complaints_of.hpp"

namespace dalembert::model::instant_refusals_test {
namespace {

const std::string particle = R"(coordinates = ["x", "z"]
[parameters]
e = 0.5
mu = 0.5
[energy]
kinetic = "(x'^2 + z'^2)/2"
potential = "9.81*z"
)";
const std::string contact = "[[contact]]\nname = \"floor\"\n";
const std::string friction = "[[friction]]\nname = \"brake\"\n";
const std::string event = "[[event]]\nname = \"apex\"\n";

TEST(InstantRefusals, AreLocatedAndSayWhatIsWrong) {
  const std::pair<std::string, std::string> cases[] = {
      {contact, "9:9+5 contact 'floor' needs a gap: the distance that must not be negative\n"},
      {contact + "gap = \"z + z'\"\n",
       "10:12+2 velocity z' cannot stand here: a gap depends on positions and time only\n"},
      {contact + "gap = \"e\"\n", "10:8+1 contact 'floor': its gap contains no coordinate\n"},
      {contact + "gap = \"t\"\n", "10:8+1 contact 'floor': its gap contains no coordinate\n"},
      {contact + "gap = \"z\"\nfriction = 0.3\nslip = \"x'^2\"\n",
       "12:9+4 contact 'floor': its slip is not linear in the velocities\n"},
      {contact + "gap = \"z\"\nfriction = 0.3\nslip = \"x\"\n",
       "12:9+1 contact 'floor': its slip contains no velocity\n"},
      {contact + "gap = \"z\"\nfriction = 0.3\nslip = [\"x'\", \"x'\", \"x'\"]\n",
       "12:8+18 'slip' is one expression or a list of two, not of 3\n"},
      {contact + "gap = \"z\"\nfriction = 0.3\nslip = []\n",
       "12:8+2 'slip' is one expression or a list of two, not of 0\n"},
      {contact + "gap = \"z\"\nfriction = 0.3\n",
       "11:12+3 contact 'floor' has friction and needs 'slip', the velocity along its surface\n"},
      {contact + "gap = \"z\"\nslip = \"x'\"\n",
       "11:9+2 contact 'floor' has no friction: give 'friction', or leave out 'slip'\n"},
      {contact + "gap = \"z\"\nfriction = -0.3\nslip = \"x'\"\n",
       "11:12+4 contact 'floor': its friction must not be negative\n"},
      {contact + "gap = \"z\"\nrestitution = 1.5\n",
       "11:15+3 contact 'floor': its restitution must be from 0 to 1\n"},
      {contact + "gap = \"z\"\nrestitution = \"-1/2\"\n",
       "11:16+4 contact 'floor': its restitution must be from 0 to 1\n"},
      {contact + "gap = \"z\"\nrestitution = \"x'\"\n",
       "11:16+2 velocity x' cannot stand here: a number of a contact depends on positions and time "
       "only\n"},
      {contact + "gap = \"z\"\nimpact = \"poison\"\n",
       "11:11+6 unknown law of impact 'poison'; did you mean 'poisson'?\n"},
      {contact + "gap = \"z\"\nrestitutoin = 1\n",
       "11:1+11 unknown key 'restitutoin' in [[contact]]; did you mean 'restitution'?\n"},
      {contact + "gap = \"z\"\nfriction = 0.3\nstatic_friction=0.2\nslip=\"x'\"\n",
       "12:17+3 contact 'floor': its static friction must not be below the sliding one\n"},
      {contact + "gap = \"z\"\nstatic_friction=0.2\nslip=\"x'\"\n",
       "11:17+3 contact 'floor' has static friction and needs 'friction', while it slides\n12:7+2 "
       "contact 'floor' has no friction: give 'friction', or leave out 'slip'\n"},
      {contact + "gap = \"z\"\n" + contact + "gap = \"x\"\n",
       "12:9+5 'floor' is already the name of a contact (line 9)\n"},
      {contact + "gap = \"z\"\n[[constraint]]\nname = \"floor\"\nequation = \"x = 0\"\n",
       "9:9+5 'floor' is already the name of a constraint (line 12)\n"},
      {contact + "gap = \"reaction.floor\"\n",
       "10:8+14 'reaction.floor' may be used in [outputs], [[event]] and the limits of "
       "[[friction]] only\n"},
      {contact + "gap = \"zz\"\n", "10:8+2 unknown name 'zz'; did you mean 'z'?\n"},
      {friction, "9:9+5 friction 'brake' needs a limit: the force with which it slides\n"},
      {friction + "limit = 1\n",
       "9:9+5 friction 'brake' needs 'slip', the velocity with which it slides\n"},
      {friction + "slip = \"x'\"\n",
       "9:9+5 friction 'brake' needs a limit: the force with which it slides\n"},
      {friction + "slip = \"x'\"\nlimit = -1\n",
       "11:9+2 friction 'brake': its limit must not be negative\n"},
      {friction + "slip = \"x'\"\nlimit = \"reaction.flor\"\n" + contact + "gap = \"z\"\n",
       "11:10+13 unknown constraint, joint, contact or friction 'flor' in 'reaction.flor'; did you "
       "mean 'floor'?\n"},
      {friction + "slip = \"x'*z'\"\nlimit = 1\n",
       "10:9+5 friction 'brake': its slip is not linear in the velocities\n"},
      {friction + "slip = \"x'\"\nlimit = 2\nstatic_limit = 1\n",
       "12:16+1 friction 'brake': its static limit must not be below the sliding one\n"},
      {friction + "slip=\"x'\"\nlimit=\"x''\"\n",
       "11:8+3 acceleration x'' cannot stand here: a limit of friction depends on positions, "
       "velocities, time and reactions only\n"},
      {friction + "slip=\"x'\"\nlimit=\"ideal.x\"\n",
       "11:8+7 'ideal.x' may be used in [virtual_work], [outputs] and arrows of [view] only\n"},
      {event,
       "9:9+4 event 'apex' needs 'when', an expression that changes its sign there, or 'every', "
       "the period of a clock\n"},
      {event + "when = \"z\"\nevery = 1\n",
       "11:9+1 event 'apex' takes 'when' or 'every', not both\n"},
      {event + "every = 0\n", "10:9+1 the period of event 'apex' must be positive and finite\n"},
      {event + "every = \"x\"\n",
       "10:10+1 coordinate x cannot stand here: the period of an event depends on parameters "
       "only\n"},
      {event + "every = 1\ndirection = \"rising\"\n",
       "11:1+9 a clock has no direction: it goes with 'when'\n"},
      {event + "when = \"e = 1\"\n", "10:9+5 event 'apex' waits for what never changes\n"},
      {event + "when = \"z = 1 = 2\"\n", "10:15+1 a second '='; an equation has one\n"},
      {event + "when = \"z > 1\"\n",
       "10:11+1 '>' may only stand in the condition of an if: if(x > y, a, b)\n"},
      {event + "when = \"z\"\ndirection = \"up\"\n",
       "11:14+2 unknown direction 'up'; known are both, rising, falling\n"},
      {event + "when = \"z\"\nset = { e = 1 }\n",
       "11:9+1 'e' is a parameter, which nothing changes: put it under [discrete] for event 'apex' "
       "to set it\n"},
      {event + "when = \"z\"\nset = { \"x''\" = 1 }\n",
       "11:9+5 an event sets positions and velocities, not the acceleration 'x'''\n"},
      {event + "when = \"z\"\nset = { y = 1 }\n",
       "11:9+1 unknown 'y'; an event sets coordinates, velocities and discrete values\n"},
      {event + "when=\"z\"\nset = 1\n",
       "11:7+1 expected a table such as { \"x'\" = \"-x'\", count = \"count + 1\" }, found a "
       "number\n"},
      {event + "when = \"z\"\nstop = 1\n", "11:8+1 expected true or false, found a number\n"},
      {event + "when = \"z\"\nset = { x = 1 }\n[[event]]\nwhen = \"-z\"\nset = { x = 2 }\n",
       "14:13+1 events 'apex' and 'event 2' contradict each other: at the same instant they set "
       "'x' to different values\n"},
      {event + "every = 1\nset = { x = 1 }\n[[event]]\nevery = 1\nset = { x = 2 }\n",
       "14:13+1 events 'apex' and 'event 2' contradict each other: at the same instant they set "
       "'x' to different values\n"},
      {event + "when=\"z\"\n" + event + "when = \"x\"\n",
       "12:9+4 'apex' is already the name of an event (line 9)\n"},
      {"[discrete]\ncount = 0\n[let]\nq = \"count'\"\n[outputs]\nq = \"q\"\n",
       "11:6+6 'count' is a discrete value; it has no rate\n"},
      {"[discrete]\ncount = \"x\"\n",
       "9:10+1 coordinate x cannot stand here: a parameter depends on other parameters only\n"},
      {"[discrete]\ne = 0\n", "9:1+1 'e' is already the name of a parameter (line 3)\n"},
      {"[discrete]\nc = 0\n" + event + "when = \"c\"\nset = { \"c'\" = 1 }\n",
       "13:9+4 'c' is a discrete value; it has no rate\n"},
      {"[outputs]\np = \"reaction.nobody\"\n",
       "9:6+15 unknown constraint, joint, contact or friction 'nobody' in 'reaction.nobody'\n"},
      {"[forces]\nx = \"reaction.floor\"\n" + contact + "gap=\"z\"\n",
       "9:6+14 'reaction.floor' may be used in [outputs], [[event]] and the limits of [[friction]] "
       "only; for friction that depends on a reaction write [[friction]]\n"},
  };
  for (const auto& [text, complaint] : cases) EXPECT_EQ(complaints_of(particle + text), complaint);
}

}  // namespace
}  // namespace dalembert::model::instant_refusals_test
