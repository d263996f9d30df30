"""What people are told who try what a new user tries: messages that say what to write instead."""

from __future__ import annotations

import copy
import inspect
import pickle
import warnings

import numpy as np
import pytest

import dalembert as dal


def pendulum() -> dal.System:
    s = dal.System("pendulum")
    x, y = s.coordinates("x y")
    m, g, l = s.parameters(m=1.0, g=9.81, l=2.0)
    s.kinetic = m * (x.d**2 + y.d**2) / 2
    s.potential = m * g * y
    s.constrain(x**2 + y**2 == l**2, name="rod")
    return s


def no_way() -> dal.System:
    """A system whose motion ends at t = 1, where its force is infinite."""
    s = dal.System("no way")
    x = s.coordinate("x")
    c = s.parameter("c", 1.0)
    s.kinetic = x.d**2 / 2
    s.potential = c * dal.log(1 - dal.t) * x
    return s


def test_the_statement_that_is_wrong_is_told_once():
    for use in (dal.System.compile, dal.System.derive, dal.System.check):
        s = pendulum()
        s.potential = "m*g*z"
        with pytest.raises(dal.ModelError, match="unknown name 'z'") as told:
            use(s)
        assert str(told.value).count("written by") == 1


def test_duration_and_times_exclude_each_other():
    motion = pendulum().compile()
    with pytest.raises(ValueError, match="give duration or times, not both"):
        motion.simulate(duration=5, q={"x": 2}, times=[0, 1])
    with pytest.raises(ValueError, match="give samples or times, not both"):
        dal.sweep("pendulum", {"alpha": [0.1]}, samples=5, times=[0, 1])


def test_runs_that_fail_are_told():
    with pytest.warns(dal.IncompleteWarning, match="^2 of 2 runs failed; the first: .") as told:
        study = dal.sweep(no_way(), {"c": [1.0, 2.0]}, duration=2)
    assert study.failed.all() and study.reason[0] in str(told[0].message)
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert dal.sweep(no_way(), {"c": [1.0, 2.0]}, duration=0.5).complete.all()


def test_one_is_singular():
    s = pendulum()
    s.initial(q={"x": 2})
    assert repr(s.check("maggi")).endswith("1 degree of freedom>")
    assert "1 degree of freedom " in s.check("maggi")._repr_html_()
    assert repr(s.equations) == "<Equations of 2 coordinates and 1 constraint>"
    assert repr(s.derive("maggi")).endswith("1 equation>")
    assert "2 degrees of freedom" in repr(dal.read("dumbbell").check("maggi"))
    assert ": 1 run, 1 complete" in repr(dal.sweep(s, {"m": [1.0]}, duration=0.1))
    assert ": 2 runs, 2 complete" in repr(dal.sweep(s, {"m": [1.0, 2.0]}, duration=0.1))
    with pytest.raises(ValueError, match="^initial positions are one for each of 2 coordinates, not 3"):
        s.initial(q=[1, 2, 3])


def test_unknown_parameters():
    s = pendulum()
    s.initial(q={"x": 2})
    motion = s.compile()
    for use in (
        lambda **p: motion.with_parameters(**p),
        lambda **p: motion.simulate(0.1, parameters=p),
        lambda **p: s.compile(parameters=p),
        lambda **p: s.derive("maggi", parameters=p),
        lambda **p: dal.sweep(motion, {"x": [2]}, parameters=p),
    ):
        with pytest.raises(dal.ModelError, match="^unknown parameter 'G'; did you mean 'g'\\?$"):
            use(G=1)
        with pytest.raises(dal.ModelError, match="^unknown parameter 'stiffness'; there are m, g, l$"):
            use(stiffness=1)
    with pytest.raises(dal.ModelError, match="parameter m=2/0: ") as told:
        motion.with_parameters(m="2/0")
    assert "--set" not in str(told.value)


def test_methods_by_the_names_others_have_for_them():
    s = pendulum()
    s.initial(q={"x": 2})
    motion = s.compile()
    for use in (s.derive, s.compile, s.check, lambda m: motion.simulate(method=m), lambda m: dal.sweep(s, {"m": [1]}, method=m)):
        with pytest.raises(dal.ModelError, match="'lagrange' is 'multipliers' here"):
            use("lagrange")
        with pytest.raises(dal.ModelError, match="'kane' is nearest to 'gibbs-appell' or 'maggi'"):
            use("kane")
    for named in ("multipliers", "m-inverse", "gibbs-appell", "maggi"):
        assert s.compile(named).method == named


def test_the_order_of_arguments_of_rhs():
    s = pendulum()
    rhs = s.compile().rhs
    with pytest.raises(ValueError, match=r"rhs is called as rhs\(t, y\): odeint needs tfirst=True"):
        rhs(np.array([2.0, 0.0, 0.0, 0.0]), 0.0)
    with pytest.raises(ValueError, match=r"expected \(4,\) or \(4, k\)$"):
        rhs(0.0, np.zeros(3))


def test_a_column_that_is_an_expression():
    s = pendulum()
    sol = s.compile().simulate(0.1, q={"x": 2})
    with pytest.raises(KeyError, match=r"for an expression write sol\[m\*x.d\*\*2\]"):
        sol["m*x'^2"]
    with pytest.raises(KeyError, match="no column 'energy.kinetik'; did you mean 'energy.kinetic'"):
        sol["energy.kinetik"]


def test_fundamental_of_one_problem_gives_plain_numbers():
    one = dal.fundamental(np.eye(2), [0, -1], [[1, -1]], [0])
    assert [type(x) for x in (one.rank, one.consistent, one.mass_singular, one.residual)] == [int, bool, bool, float]
    assert one.rank == 1 and one.consistent and not one.mass_singular and one.residual < 1e-12
    many = dal.fundamental(np.eye(2), [[0, -1]], [[1, -1]], [0])
    assert many.rank.shape == many.consistent.shape == many.residual.shape == (1,)


def test_the_markdown_that_notebooks_render():
    found = dal.read("dumbbell").derive("maggi")
    assert "$$" in found.notebook and "```math" not in found.notebook
    assert "```math" in found.markdown
    assert found._repr_markdown_() == found.notebook


def test_what_an_expression_has_not():
    s = pendulum()
    x, l = s["x"], s["l"]
    for wrong in ("dot", "ddot", "v", "diff_t"):
        with pytest.raises(AttributeError) as told:
            getattr(x, wrong)
        assert str(told.value) == f"an expression has no '{wrong}'; the velocity is x.d, the acceleration x.dd"
    with pytest.raises(AttributeError, match="^an expression has no 'simplfy'$"):
        (x + l).simplfy  # noqa: B018
    assert not hasattr(x, "shape") and not hasattr(x, "__len__") and hasattr(x, "dd")
    for power in (lambda: x ^ 2, lambda: 2 ^ x, lambda: x ^ l):
        with pytest.raises(TypeError, match=r"^a power is written \*\* in Python; \^ only in texts$"):
            power()
    with pytest.raises(TypeError, match="; the time derivative is .d$"):
        x.diff()


def test_values_by_name():
    s = pendulum()
    x, l = s["x"], s["l"]
    assert (x**2 + l).evaluate(x=2, l=3) == 7
    assert (x**2 + l).evaluate({x: 2}, l=3) == (x**2 + l).evaluate({"x": 2, "l": 3}) == 7
    assert (2 * x).evaluate(x=[1, 2]).tolist() == [2, 4]
    with pytest.raises(ValueError, match="needs a value for l"):
        (x**2 + l).evaluate(x=2)


def test_the_sides_of_an_equation_have_the_names_of_sympy_too():
    x = pendulum()["x"]
    equation = x.d == 2 * x
    assert equation.lhs.same(equation.left) and equation.rhs.same(2 * x)


def test_what_a_system_has_not():
    s = pendulum()
    for wrong, meant in (("simulate", "simulate(...)"), ("run", "simulate(...)"), ("acceleration", "acceleration(...)")):
        with pytest.raises(AttributeError) as told:
            getattr(s, wrong)
        assert str(told.value) == f"a system has no '{wrong}'; compile it first: s.compile().{meant}"
    with pytest.raises(AttributeError, match=r"compile it first: s.compile\(\).rhs$"):
        s.rhs  # noqa: B018
    for wrong in ("T", "V", "Lagrangian"):
        with pytest.raises(AttributeError, match="; the energies are s.kinetic and s.potential, or s.lagrangian instead of both$"):
            setattr(s, wrong, 1)
        with pytest.raises(AttributeError, match="; the energies are s.kinetic and s.potential, or s.lagrangian instead of both$"):
            getattr(s, wrong)
    with pytest.raises(AttributeError, match=r'^a system has no \'x\'; names of the system are s\["x"\]$'):
        s.x  # noqa: B018
    with pytest.raises(AttributeError, match="did you mean 'potential'"):
        s.potentail  # noqa: B018
    with pytest.raises(ValueError, match=r's\["x"\] is the one there is$'):
        s.parameter("x", 1)
    assert copy.deepcopy(s) == pickle.loads(pickle.dumps(s)) == s


def test_a_tuple_taken_for_a_coordinate():
    s = dal.System()
    x = s.coordinates("x")
    with pytest.raises(AttributeError) as told:
        x.d  # noqa: B018
    assert str(told.value).endswith(
        'coordinates() returns a tuple: write x, = s.coordinates("x") or x = s.coordinate("x")'
    )
    both = s.coordinates("y z")
    with pytest.raises(AttributeError, match=r'write y, z = s.coordinates\("y z"\)$'):
        both.dd  # noqa: B018
    m = s.parameters(m=1.0)
    with pytest.raises(AttributeError, match=r'write m, = s.parameters\(m=...\) or m = s.parameter\("m", ...\)$'):
        m.diff  # noqa: B018
    with pytest.raises(AttributeError, match="a tuple has no 'shape'$"):
        x.shape  # noqa: B018
    (y, z), again = both, pickle.loads(pickle.dumps(both))
    assert isinstance(both, tuple) and repr(both) == "(y, z)" and len(both) == 2 and both[0] is y
    assert [str(e) for e in again] == ["y", "z"] and isinstance(again, tuple) and copy.copy(both)[1].same(z)
    with pytest.raises(TypeError, match=r"^parameters need values: s.parameters\(a=1.0, b=2.0\)$"):
        s.parameters("a b")


def test_where_a_motion_starts():
    s = pendulum()
    motion = s.compile()
    with pytest.raises(dal.ModelError, match="breaks constraint 'rod'") as told:
        motion.simulate(1, q={"x": 1})
    assert str(told.value).endswith('\n  in Python: adjust="nearest" in simulate or s.initial, hold=[...] in s.initial')
    assert motion.simulate(1, q={"x": 1}, adjust="nearest").complete
    advice = r"  x and y have no initial values and start at 0: give some, s.initial\(q={...}\) or simulate\(q={...}\)$"
    for start in (motion.initial_state, lambda **p: motion.simulate(1, **p)):
        with pytest.raises(dal.ModelError, match=advice) as told:
            start()
        assert told.value.diagnostics
        with pytest.raises(dal.ModelError, match="y has no initial value and starts at 0"):
            start(q={"x": 0})
        with pytest.raises(dal.ModelError) as told:
            start(q={"x": 0, "y": 0})
        assert "initial value" not in str(told.value)


def test_constraints_that_are_none():
    s = pendulum()
    x, y = s["x"], s["y"]
    with pytest.raises(ValueError, match="not 2 of them; call constrain once for each equation$"):
        s.constrain([x == 1, y == 2])
    for text in ("x < 1", "x <= 1", "x > y", "1 >= x"):
        with pytest.raises(ValueError, match="constraints are equations; inequalities are not supported"):
            s.constrain(text)
    assert len(s.constraints) == 1


def test_forces_that_are_none():
    s = pendulum()
    x = s["x"]
    with pytest.raises(TypeError, match=r"^a force is given as s.force\(x, F\) or s.force\({x: Fx, y: Fy}\)$"):
        s.force([1, 2])
    with pytest.raises(TypeError, match=r"; the coordinate comes first: s.force\(x, 5.0\)$"):
        s.force(5.0, x)
    for use in (lambda: s.force("z", 1), lambda: s.ideal("z"), lambda: s.virtual_work({"z": 1})):
        with pytest.raises(ValueError, match="'z' is none; there are x, y$"):
            use()
    with pytest.raises(TypeError, match="; write it with dal.t, or integrate motion.rhs with your own controller$"):
        s.force(x, lambda t: 1.0)
    assert "forces" not in s.to_toml()


def double_pendulum() -> dal.System:
    s = dal.System("double")
    a, b = s.coordinates("a b")
    s.gravity = [0, 0, -9.81]
    rod = s.body("rod", mass=1, inertia=[1, 1, 1], position=[a, 0, 0], orientation=("y", a))
    arm = s.body("arm", mass=1, inertia=[1, 1, 1], position=[b, 0, 0], orientation=("y", b))
    s.particle("bead", mass=1, position=[a + b, 0, 0])
    s.joint("hinge", "pin", bodies=(rod, arm), axis=[0, 1, 0])
    s.joint("ball", "knee", body=arm)
    s.joint("distance", "string", bodies=(rod, "bead"), length=1)
    s.spring("band", bodies=(rod, arm), stiffness=2)
    s.spring(body=rod, stiffness=2)
    s.point_force(arm, force=[1, 0, 0], name="push")
    return s


def test_joints_that_are_none():
    s = double_pendulum()
    for wrong, meant in (("revolute", "hinge"), ("prismatic", "slider"), ("Spherical", "ball"), ("fixed", "weld")):
        with pytest.raises(ValueError, match=f"'{wrong}' is no type of joint; it is called '{meant}' here"):
            s.joint(wrong, "j", body="rod")
    with pytest.raises(ValueError, match="did you mean 'hinge'"):
        s.joint("hing", "j", body="rod")
    with pytest.raises(ValueError, match="'gear' is no type of joint; there are ball, hinge"):
        s.joint("gear", "j", body="rod")
    with pytest.raises(TypeError, match=r"the bodies of the joint 'j' are missing: bodies=\(a, b\)"):
        s.joint("hinge", "j", axis=[0, 1, 0])
    with pytest.raises(ValueError, match="'wheel' is not a body; there are 'rod', 'arm', 'bead'"):
        s.joint("hinge", "j", body="wheel")
    assert "j" not in s


def test_all_types_of_joints_are_known():
    from dalembert.parts import _JOINTS

    text = double_pendulum().to_toml().replace('type = "hinge"', 'type = "gear"')
    with pytest.raises(dal.ModelError) as told:
        dal.loads(text)
    for kind in _JOINTS:
        assert kind in str(told.value)


def test_what_joints_tell_is_listed():
    s = double_pendulum()
    assert {"fx", "mz", "bfx", "bmz", "angle", "rate", "constraints", "name"} <= set(dir(s["pin"]))
    assert "position" not in dir(s["pin"])
    assert {"fx", "bfz"} <= set(dir(s["knee"])) and not {"mx", "bmx", "angle", "rate"} & set(dir(s["knee"]))
    recorded = [name for name, _ in s._model().reactions]
    for joint in ("pin", "knee", "string"):
        assert sorted(n.partition(".")[2] for n in recorded if n.startswith(f"{joint}.")) == sorted(s[joint]._quantities())


def test_messages_about_arguments_speak_of_public_classes():
    s = pendulum()
    for use, name in (
        (lambda: s.body(), "System.body"),
        (lambda: s.initial(w=1), "System.initial"),
        (lambda: s.copy(1), "System.copy"),
        (lambda: s.compile().simulate(until=3), "Compiled.simulate"),
    ):
        with pytest.raises(TypeError, match=rf"^{name}\(\) "):
            use()


def test_help_tells_the_options():
    for method in (dal.System.derive, dal.System.check):
        assert list(inspect.signature(method).parameters) == ["self", "method", "parameters", "effort"]
        assert "effort" in inspect.getdoc(method)


def test_the_display_of_a_system_shows_all_of_it():
    s = pendulum()
    s.force("x", "3*t")
    s.virtual_work("y", "-y'")
    shown = s._repr_markdown_()
    for part in ("$$ T = ", "$$ V = ", "$$ Q_{x} = 3 t $$", "$$ C_{y} = -\\dot{y} $$", "x^{2}"):
        assert part in shown
    assert "Bodies" not in shown
    shown = double_pendulum()._repr_markdown_()
    assert "Bodies: rod, arm, bead \\(particle\\)" in shown
    assert "Joints: pin \\(hinge\\), knee \\(ball\\), string \\(distance\\)" in shown
    assert "Springs: band, spring 2" in shown and "Forces at points: push on arm" in shown


ELSEWHERE = {
    "t_eval": "samples= is the number of rows, times= are their times",
    "events": "events are said by the system",
    "dtmax": "the longest step is max_step=",
    "first_step": "steps are chosen by their error",
    "dt": "steps are chosen by their error",
    "t_start": "duration= says how long the motion is, and t0= when it starts",
    "t_span": "duration= says how long the motion is, and t0=",
    "until": "duration= says how long",
    "params": "values of parameters are parameters={...}",
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_arguments_by_the_names_others_have_for_them(name):
    s = pendulum()
    s.initial(q={"x": 2})
    motion = s.compile()
    for call, use in (
        ("Compiled.simulate", lambda **given: motion.simulate(1, **given)),
        ("System.simulation", lambda **given: s.simulation(**given)),
        ("sweep", lambda **given: dal.sweep(motion, {"m": [1.0]}, **given)),
    ):
        with pytest.raises(TypeError) as told:
            use(**{name: 1})
        assert str(told.value).startswith(f"{call}() got an unexpected keyword argument '{name}': ")
        assert ELSEWHERE[name] in str(told.value)


def test_arguments_that_are_misspelt():
    motion = pendulum().compile()
    with pytest.raises(TypeError, match="argument 'sample'; did you mean 'samples'\\?$"):
        motion.simulate(1, sample=5)
    with pytest.raises(TypeError, match="argument 'anything'$"):
        motion.simulate(1, anything=5)
    with pytest.raises(TypeError, match=r"^duration must be a number, not dict; the arguments are duration, q and v: simulate\(q="):
        motion.simulate({"x": 2}, {"x": 0})
    assert list(inspect.signature(motion.simulate).parameters)[:3] == ["duration", "q", "v"]
    assert "rows, evenly spaced" in inspect.getdoc(motion.simulate)
    with pytest.raises(TypeError, match=r"times\[1\] is 2j, which is complex"):
        motion.simulate(times=[1, 2j])


def test_a_right_hand_side_advises_nothing_it_has_not():
    rhs = pendulum().compile().rhs
    for t, y in ((np.nan, np.zeros(4)), (0.0, [2.0, 0.0, np.nan, 0.0]), (0.0, np.full((4, 3), np.nan))):
        with pytest.raises(ValueError, match="has no acceleration: ") as told:
            rhs(t, y)
        assert "on_error" not in str(told.value)
    with pytest.raises(ValueError, match=r"rhs is called as rhs\(t, y\), y = \(q, v\) in one array: np.concatenate\(\[q, v\]\)$"):
        rhs(np.zeros(2), np.zeros(2))


def test_names_of_a_system_that_was_made_again():
    old, new = pendulum(), pendulum()
    x, motion = old["x"], new.compile()
    sol = motion.simulate(1, q={"x": 2}, samples=3)
    anew = (
        "x belongs to another system of that name, 'pendulum'; if a cell was run again, take what it uses from the new "
        'one: x = s["x"]'
    )
    for use in (
        lambda: motion.simulate(1, q={x: 2}), lambda: motion.acceleration(0, {x: 2}, {}), lambda: new.force(x, 1),
        lambda: motion.with_parameters(m=x), lambda: sol[x], lambda: dal.sweep(motion, {x: [1]}), lambda: new.initial(q={x: 2}),
        lambda: new["y"].subs({"y": x}), lambda: motion.simulate(x), lambda: motion.rhs.component(x),
    ):  # fmt: skip
        with pytest.raises(ValueError) as told:
            use()
        assert str(told.value) == anew
    with pytest.raises(ValueError, match=r'^x \+ y belongs to another system of that name, .* from the new one: s\["name"\]$'):
        new.potential = x + old["y"]
    with pytest.raises(ValueError, match="x and y belong to two systems of the same name, 'pendulum'; if a cell was run again"):
        x + new["y"]
