"""Events, contacts and friction that sticks, as programs say them."""

import math
import pickle

import numpy as np
import pytest

import dalembert as dal


def ball() -> dal.System:
    s = dal.System("ball")
    x, z = s.coordinates("x z")
    m, e, mu, g = s.parameters(m=0.5, e=0.7, mu=0.25, g=9.81)
    count = s.discrete("count", 0)
    s.kinetic = m * (x.d**2 + z.d**2) / 2
    s.potential = m * g * z
    s.contact("floor", gap=z, restitution=e, impact="poisson", friction=mu, static_friction=2 * mu, slip=x.d)
    s.friction("brake", slip=[x.d, z.d], limit="mu*reaction.floor", static_limit=s.reaction("floor"))
    s.event("apex", when=z.d == 0, direction="falling", set={count: count + 1, x.d: -e * x.d})
    s.event("clock", every=0.25, stop=True)
    s.outputs(load=s.reaction("floor"), count=count)
    return s


def test_statements_are_those_of_a_file() -> None:
    assert ball().to_toml().split("[energy]")[0].endswith("[discrete]\ncount = 0\n\n")
    text = ball().to_toml().split("[[contact]]")[1].split("[outputs]")[0]
    assert (
        text
        == """
name = "floor"
gap = "z"
restitution = "e"
impact = "poisson"
friction = "mu"
static_friction = "2*mu"
slip = "x'"

[[friction]]
name = "brake"
slip = ["x'", "z'"]
limit = "mu*reaction.floor"
static_limit = "reaction.floor"

[[event]]
name = "apex"
when = "z' = 0"
direction = "falling"
set = { count = "count + 1", "x'" = "-e*x'" }

[[event]]
name = "clock"
every = 0.25
stop = true

"""
    )
    again = dal.loads(ball().to_toml())
    assert again.to_toml() == ball().to_toml()
    assert list(again.said("contact")) == ["floor"]
    assert list(again.said("event")) == ["apex", "clock"]
    assert str(again["count"]) == "count"


def test_saying_again_replaces_and_del_takes_back() -> None:
    s = ball()
    z = s["z"]
    s.contact("floor", gap=z - 1)
    s.discrete("count", 5)
    s.said("discrete")["count"] = 6
    s.event("apex", when="z' - 1")
    assert {key: str(value) for key, value in s.said("contact")["floor"].items()} == {"name": "floor", "gap": "z - 1"}
    assert str(s.said("discrete")["count"]) == "6"
    assert s.said("event")["apex"]["when"] == "z' - 1"
    assert repr(s) == "<System 'ball': 2 coordinates, 1 contact, 1 friction, 2 events>"
    del s.said("event")["apex"]
    del s.said("friction")["brake"]
    assert list(s.said("event")) == ["clock"]
    s.outputs(load=0, count=0)
    del s["count"]
    assert "count" not in s
    assert "[discrete]" not in s.to_toml()
    for _ in range(2):  # a cell that runs twice
        s.contact(gap=10 - z)
    with pytest.raises(dal.UnknownName, match="no contact 'flor'; did you mean 'floor'"):
        s.said("contact")["flor"]


def test_renaming_reaches_reactions_and_sets() -> None:
    s = ball()
    s.rename("contact", "floor", "the ground")
    s.rename("discrete", "count", "number")
    s.rename("coordinate", "x", "u")
    text = s.to_toml()
    assert 'limit = "mu*reaction.\\"the ground\\""' in text
    assert "set = { number = \"number + 1\", \"u'\" = \"-e*u'\" }" in text
    assert "reaction.floor" not in text
    s.rename("contact", "the ground", "floor")
    s.rename("discrete", "number", "count")
    s.rename("coordinate", "u", "x")
    assert s.to_toml() == ball().to_toml()
    s = dal.System("rod")
    x, y = s.coordinates("x y")
    s.kinetic = x.d**2 + y.d**2
    s.constrain(x == y, name="rod")
    s.outputs(f='lambda."rod"')
    s.rename("constraint", "rod", "bar")
    assert 'f = "lambda.bar"' in s.to_toml()


def test_refusals_say_what_to_write() -> None:
    s = ball()
    x, z = s["x"], s["z"]
    with pytest.raises(dal.UnknownName, match="the law of impact of the contact 'c' cannot be 'poison'; did you mean 'poisson'"):
        s.contact("c", gap=z, impact="poison")
    with pytest.raises(dal.UnknownName, match="set of the event 'e' has coordinates, velocities and discrete values, not 'm', and m is a parameter"):
        s.event("e", when=z, set={"m": 1})
    with pytest.raises(TypeError, match="when of the event 'e' is an expression or an equation, not a function"):
        s.event("e", when=lambda t: t)
    with pytest.raises(ValueError, match="the slip of the friction 'f' is one expression or two, not 3"):
        s.friction("f", slip=[x.d, z.d, x.d], limit=1)
    with pytest.raises(dal.ModelError, match="event 'e' needs 'when'"):
        s.event("e")
        s.compile()
    del s.said("event")["e"]
    with pytest.raises(dal.ModelError, match="its slip is not linear in the velocities"):
        s.friction("f", slip=x.d**2, limit=1)
        s.compile()
    with pytest.raises(TypeError, match="s.event"):
        ball().compile().simulate(events=[])


def bouncing() -> dal.System:
    s = dal.System("ball")
    x, z = s.coordinates("x z")
    s.parameters(e=0.5)
    bounces = s.discrete("bounces", 0)
    s.kinetic, s.potential = (x.d**2 + z.d**2) / 2, 9.81 * z
    s.contact("floor", gap=z, restitution="e")
    s.event("apex", when=z.d, direction="falling", set={bounces: bounces + 1})
    s.initial(q={"z": 1})
    s.outputs(bounces=bounces, load=s.reaction("floor"))
    return s


def test_solutions_have_their_events() -> None:
    motion = bouncing().compile()
    sol = motion.simulate(2, samples=21)
    fall = math.sqrt(2 / 9.81)
    first, second = sol.events[:2]
    assert (first.name, first.kind) == ("floor", "impact")
    assert first.t == pytest.approx(fall, abs=1e-8)
    assert first.rate_after == pytest.approx(-first.rate_before / 2, rel=1e-12)
    assert first.energy == pytest.approx(-9.81 * 0.75, rel=1e-7)
    assert (second.name, second.kind) == ("apex", "event") and math.isnan(second.impulse)
    apexes = sum(event.name == "apex" for event in sol.events)
    assert sol.summary["events"]["apex"] == {"event": apexes} and sol["bounces"][-1] == apexes
    assert sol.summary["energy_lost"] == pytest.approx(9.81, rel=1e-8)
    assert sol["load"][-1] == pytest.approx(9.81, rel=1e-12)
    assert {"reaction.floor", "work.friction", "work.impact"} <= set(sol.columns)
    assert len(sol) == 21
    again = pickle.loads(pickle.dumps(sol))
    assert repr(again.events) == repr(sol.events) and again._native() is not None
    assert motion.simulate(0.1).events == []


def test_event_rows_are_on_both_sides() -> None:
    sol = bouncing().compile().simulate(2, samples=3, event_rows=True)
    impact = sol.events[0]
    rows = np.flatnonzero(sol.t == impact.t)
    assert list(sol["z'"][rows]) == pytest.approx([impact.rate_before, impact.rate_after], rel=1e-13)
    assert len(sol) > 3
    with pytest.raises(TypeError, match="event_rows must be True or False"):
        bouncing().compile().simulate(1, event_rows=1)  # type: ignore[arg-type]


def test_what_rows_do_not_tell_is_refused() -> None:
    s = bouncing()
    sol = s.compile().simulate(1)
    with pytest.raises(ValueError, match="a row does not say which of them hold"):
        sol.forces.multipliers
    with pytest.raises(ValueError, match="bounces is changed by events and not recorded"):
        sol[2 * s["bounces"]]


def test_what_knows_no_contacts_is_refused() -> None:
    motion = bouncing().compile()
    for call in (lambda: motion.acceleration(0, [0, 0], [0, 0]), lambda: motion.forces(0, [0, 0], [0, 0]), lambda: motion.rhs):
        with pytest.raises(ValueError, match="knows no contacts and no friction that sticks"):
            call()
