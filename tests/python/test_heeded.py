"""What is set or passed is heeded or refused with a sentence; nothing is taken and ignored."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest

import dalembert as dal


@pytest.fixture(scope="module")
def system():
    s = dal.System("bead")
    x, y = s.coordinates("x y")
    m, w = s.parameters(m=1.0, w=2.0)
    s.kinetic = m * (x.d**2 + y.d**2) / 2
    s.potential = m * w * y
    s.constrain(y == x**2, name="wire")
    s.outputs(height=y)
    s.initial(q={x: 1, y: 1})
    return s


@pytest.fixture(scope="module")
def motion(system):
    return system.compile()


@pytest.fixture(scope="module")
def sol(motion):
    return motion.simulate(1, samples=3)


@pytest.fixture(scope="module")
def study(motion):
    return dal.sweep(motion, {"w": [1.0, 2.0]}, duration=0.1, statistics="max(x)")


SET = [
    ("rtol", "a motion does not change: rtol is an argument, motion.simulate(rtol=...)"),
    ("duration", "a motion does not change: duration is an argument, motion.simulate(duration=...)"),
    ("parameters", "a motion does not change: motion.with_parameters(...) is one with other values"),
    ("w", "a motion does not change: motion.with_parameters(w=...) is one with another value"),
    ("method", 'a motion does not change: the method is chosen when the system is compiled, s.compile(method="...")'),
    ("name", "a motion does not change: 'name' cannot be set; change the system and compile it again"),
    ("simulate", "a motion does not change: 'simulate' cannot be set; change the system and compile it again"),
    ("anything", "a motion does not change: it has no 'anything' to be set"),
    ("coordinats", "a motion does not change: it has no 'coordinats' to be set; did you mean 'coordinates'?"),
]


@pytest.mark.parametrize(("name", "words"), SET)
def test_a_motion_takes_no_attributes(motion, name, words):
    for target in (motion, motion.with_parameters(m=2), pickle.loads(pickle.dumps(motion))):
        with pytest.raises(AttributeError) as refused:
            setattr(target, name, 99)
        assert str(refused.value) == words


def results(system, motion, sol, study):
    """Everything that is handed out."""
    derived = system.derive("maggi")
    return [
        motion, motion.rhs, motion.forces(0, {}, {}), motion.evaluate(), sol, sol.forces, sol.animate(), study,
        study.final, study.statistics, system.check("maggi"), derived, system.derive(), derived.steps[0],
        motion.equations, motion.initial_state(), dal.fundamental(np.eye(2), [0, -1], [[1, -1]], [0]),
        pickle.loads(pickle.dumps(sol)), copy.copy(sol), pickle.loads(pickle.dumps(motion.rhs)),
    ]  # fmt: skip


def test_no_result_takes_attributes(system, motion, sol, study):
    for result in results(system, motion, sol, study):
        for name in ("anything", *(name for name in dir(result) if not name.startswith("_"))):
            with pytest.raises((AttributeError, TypeError)):
                setattr(result, name, 99)
            with pytest.raises((AttributeError, TypeError)):
                delattr(result, name)


def test_parameters_of_a_motion_are_read_only(motion):
    with pytest.raises(TypeError, match=r"^motion.parameter_values\(\) cannot be changed: motion.with_parameters\(name=value\)"):
        motion.parameter_values()["w"] = 99
    for change in (
        lambda p: p.update(w=99), lambda p: p.pop("w"), lambda p: p.setdefault("z", 1), lambda p: p.clear(),
        lambda p: p.popitem(), lambda p: p.__delitem__("w"), lambda p: p.__ior__({"w": 99}),
    ):  # fmt: skip
        with pytest.raises(TypeError, match="motion.with_parameters"):
            change(motion.parameter_values())
    assert motion.parameter_values() == {"m": 1.0, "w": 2.0} and json.loads(json.dumps(motion.parameter_values())) == motion.parameter_values()
    assert isinstance(motion.parameter_values(), dict) and {**motion.parameter_values(), "w": 99}["w"] == 99
    for made in (pickle.loads(pickle.dumps(motion.parameter_values())), copy.deepcopy(motion.parameter_values())):
        assert made == motion.parameter_values()
        with pytest.raises(TypeError):
            made["w"] = 99
    changed = dict(motion.parameter_values())
    changed["w"] = 99
    assert motion.with_parameters(changed).parameter_values()["w"] == 99


def test_what_results_tell_is_read_only(system, motion, sol, study):
    check = system.check("maggi")
    told = [sol.summary, sol.summary["work"], sol.outputs, study.summary, study.study, check.json, check.constraints[0],
            check.formulations[0], system.derive("maggi").json, motion.evaluate().joints]  # fmt: skip
    for mapping in told:
        with pytest.raises(TypeError, match="cannot be changed"):
            mapping["anything"] = 1
    lists = [motion.coordinate_names, motion.constraints, motion.output_names, sol.columns, sol.coordinates, sol.constraints,
             sol.summary["rank_changes"], study.names, study.coordinates, study.reason, check.constraints]  # fmt: skip
    for listed in lists:
        for change in (lambda x: x.append("z"), lambda x: x.clear(), lambda x: x.__setitem__(slice(0), "z"), lambda x: x.sort()):
            with pytest.raises(TypeError, match="cannot be changed"):
                change(listed)
        assert isinstance(listed, list) and list(listed) == listed
    assert motion.coordinate_names + ["z"] == ["x", "y", "z"]
    with pytest.raises(ValueError, match="read-only"):
        study.complete[0] = False
    assert json.loads(json.dumps(sol.summary)) == sol.summary


CALLS = ("acceleration", "forces", "output_values", "energy", "residuals", "constraint_matrix", "constraint_bias", "evaluate")


@pytest.mark.parametrize("call", CALLS)
def test_a_time_that_is_forgotten_is_missed(motion, call):
    function = getattr(motion, call)
    q, v = np.array([1.0, 1.0]), np.array([0.5, 1.0])
    for wrong in ((q, v), (q,), (q.tolist(), v.tolist()), (np.ones((5, 2)), np.ones((5, 2))), ([1.0], [2.0])):
        with pytest.raises(ValueError) as refused:
            function(*wrong)
        assert str(refused.value).startswith(f"{call} is called as {call}(t, q, v); here t has the shape (")
        assert f"write {call}(0, q, v), or " in str(refused.value)
    with pytest.raises(TypeError, match=rf"^{call} is called as {call}\(t, q, v\), and t is a dict here"):
        function({"x": 1.0}, {"x": 0.5})
    with pytest.raises(ValueError, match="the order of arguments is t, q, v$"):
        function(q, v, 0.0)
    with pytest.raises(ValueError, match="the order of arguments is t, q, v$"):
        function(0.3, 2.0)
    function(0, q, v)
    function(0, q)
    if call != "evaluate":
        function([0.0, 1.0], q, v)
        function([0.0, 1.0], q, {})
        function([0.0, 1.0], {}, {})


def test_a_mass_matrix_needs_no_velocities_but_a_time(motion):
    q = np.array([1.0, 1.0])
    for wrong in ((q,), (q, q), (q.tolist(), q.tolist()), (np.ones((5, 2)), np.ones((5, 2)))):
        with pytest.raises(ValueError, match=r"^mass_matrix is called as mass_matrix\(t, q\); here t has the shape"):
            motion.mass_matrix(*wrong)
    assert motion.mass_matrix(np.zeros(9), np.ones((9, 2))).shape == (9, 2, 2)
    assert motion.mass_matrix([0.0, 1.0], q, {}).shape == (2, 2, 2)
    assert motion.mass_matrix([0.0, 1.0], {}).shape == (2, 2, 2)
    assert motion.mass_matrix(0, q).shape == (2, 2)


def test_one_number_of_one_coordinate_is_no_time():
    s = dal.System("one")
    x = s.coordinate("x")
    s.kinetic = x.d**2 / 2
    s.force(x, -x * dal.t)
    motion = s.compile()
    with pytest.raises(ValueError, match="the order of arguments is t, q, v"):
        motion.acceleration(0.3, 2.0)
    with pytest.raises(ValueError, match=r"acceleration is called as acceleration\(t, q, v\)"):
        motion.acceleration([0.3], [2.0])
    assert motion.acceleration(2.0, [0.3], [2.0]) == [-0.6]


def test_values_of_names_that_an_expression_has_not(system):
    x, y, m = system["x"], system["y"], system["m"]
    e = m * x**2
    assert e.evaluate(x=2, m=3) == 12
    assert e.evaluate({x: 2, "m": 3, y: 5, "y'": 1, "t": 0}, w=7) == 12  # names of the system that do not occur
    with pytest.raises(dal.UnknownName, match="^the expression has no 'zz'; there are m, x$"):
        e.evaluate(x=1, m=1, zz=3)
    with pytest.raises(dal.UnknownName, match="^the expression has no 'xs'; did you mean 'x'\\?$"):
        e.evaluate({"x": 1, "m": 1, "xs": 3})
    for wrong in ({"m'": 1}, {"x'y": 1}, {"'": 1}, {"": 1}, {"x '": 1}):
        with pytest.raises(dal.UnknownName):
            e.evaluate({"x": 1, "m": 1, **wrong})
    with pytest.raises(ValueError, match=r"^evaluate\(\) takes values of symbols, and x\^2 is none; subs\(\) replaces it$"):
        e.evaluate({x**2: 4, x: 2, m: 1})
    with pytest.raises(ValueError, match="^x is given twice$"):
        e.evaluate({x: 1, "x": 2, m: 1})
    with pytest.raises(ValueError, match="^m is given twice$"):
        e.evaluate({x: 1, m: 1}, m=2)
    with pytest.raises(dal.UnknownName, match="there are no symbols in it"):
        dal.Expr(2).evaluate(x=1)
    with pytest.raises(dal.UnknownName, match="^the expression has no 'zz'"):
        e.subs({"zz": 1})
    assert e.subs({"y": 1, x: y}).same(m * y**2)
    assert dal.sin(dal.t).evaluate(t=0) == 0


def test_unknown_names_are_key_errors_and_value_errors(system, motion, sol, study):
    other = dal.System("other")
    other.coordinate("x")
    for ask in (
        lambda: sol["z"], lambda: sol.forces["z"], lambda: sol.forces.reaction("z"), lambda: motion.with_parameters(z=1),
        lambda: motion.simulate(q={"z": 1}), lambda: motion.acceleration(0, {"z": 1}, {}), lambda: motion.rhs.component("z"),
        lambda: motion.forces(0, {}, {})["z"], lambda: motion.evaluate().constraint("z"), lambda: study["z"],
        lambda: study.final["z"], lambda: study.statistics["z"], lambda: system["z"], lambda: other.force("z", 1),
        lambda: other.initial(q={"z": 1}), lambda: other.set_parameters(z=1), lambda: other.joint("ball", "j", body="z"),
        lambda: other.joint("gear", "j", body="z"), lambda: system.derive()["z"], lambda: dal.sweep(motion, {"w": [1]}, parameters={"z": 1}),
        lambda: dal.fundamental(np.eye(1), [0], [], [], method="z"), lambda: system["x"].evaluate(x=1, z=2),
    ):  # fmt: skip
        for kind in (KeyError, ValueError, dal.UnknownName):
            with pytest.raises(kind) as told:
                ask()
        assert not str(told.value).startswith(("'no ", '"')), "the message is not quoted like a key"


def test_forces_can_be_pickled(motion):
    q = np.array([[1.0, 1.0], [2.0, 4.0]])
    forces = motion.forces(0, q, [[1.0, 2.0], [0.0, 0.0]])
    again = pickle.loads(pickle.dumps(forces))
    assert list(again) == ["wire"] and np.array_equal(again["wire"], forces["wire"])
    assert np.array_equal(again.acceleration, forces.acceleration) and np.array_equal(again.unique, forces.unique)
    assert np.array_equal(copy.deepcopy(forces)["wire"], forces["wire"])


def test_threads_are_counted_in_the_same_way_everywhere(motion):
    q, v = np.ones((3000, 2)), np.ones((3000, 2))
    for threads in (None, 0, 1, 2, np.int64(2)):
        assert motion.acceleration(0, q, v, threads=threads).shape == (3000, 2)
        assert dal.fundamental(np.eye(2), q, [[1, -1]], [0], threads=threads).rank.shape == (3000,)
        assert dal.sweep(motion, {"w": [1.0]}, duration=0.1, threads=threads).complete.all()
    for use in (
        lambda n: motion.acceleration(0, q, v, threads=n), lambda n: motion.mass_matrix(0, q, threads=n),
        lambda n: dal.fundamental(np.eye(2), q, [[1, -1]], [0], threads=n), lambda n: dal.sweep(motion, {"w": [1.0]}, threads=n),
    ):  # fmt: skip
        for wrong in (-1, 1025):
            with pytest.raises(ValueError, match=f"^threads is {wrong}; expected 1 to 1024, or 0 or None for one per core$"):
                use(wrong)
        for wrong in (1.5, "2", True):
            with pytest.raises(TypeError, match="^threads must be a whole number or None, not"):
                use(wrong)


def test_the_package_offers_no_modules():
    import types

    assert not [name for name in dir(dal) if isinstance(getattr(dal, name), types.ModuleType)]
    assert set(dal.__all__) <= set(dir(dal))
