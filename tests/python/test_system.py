"""Systems written in Python: names, statements, errors, copies, and models that were read and changed."""

from __future__ import annotations

import copy
import decimal
import inspect
import math
import os
import pickle
import subprocess
import sys
import textwrap
import threading
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import sympy

import dalembert as dal
from dalembert import _core


def particle() -> tuple[dal.System, ...]:
    s = dal.System("particle")
    x, y = s.coordinates("x y")
    s.kinetic = (x.d**2 + y.d**2) / 2
    return s, x, y


def dumbbell() -> dal.System:
    s = dal.System("Dumbbell with a knife edge", "Two equal particles on a rod; particle 1 may only move along the rod.")
    x, y, phi = s.coordinates("x y phi")
    m, l = s.parameters(m=1, l=1)
    v = s.let("v", x.d * dal.cos(phi) + y.d * dal.sin(phi))
    s.kinetic = (
        m * (x.d**2 + y.d**2) + m * l**2 * phi.d**2 / 2 + m * l * phi.d * (-x.d * dal.sin(phi) + y.d * dal.cos(phi))
    )
    s.constrain(y.d * dal.cos(phi) == x.d * dal.sin(phi), name="knife edge")
    s.quasi_velocities(u1=v, u2=phi.d)
    s.independent(phi, x)
    s.initial(q={phi: 0.25}, v={x: -dal.cos(phi) / 2, "y": "-sin(phi)/2", phi.d: 1.25})
    s.simulation(duration=10, samples=501, rtol=1e-9, atol=1e-12)
    s.outputs(speed=v, invariant=v**2 + l**2 * phi.d**2 / 2, x2=x + l * dal.cos(phi), y2=y + l * dal.sin(phi))
    return s


def test_the_dumbbell_is_the_bundled_one():
    a, b = dumbbell()._model(), dal.read("dumbbell")._model()
    assert (a.name, a.description, a.coordinates, a.independent) == (b.name, b.description, b.coordinates, b.independent)
    assert str(a.kinetic) == str(b.kinetic)
    for section in ("parameters", "constraints", "outputs", "quasi_velocities", "initial"):
        assert str(getattr(a, section)) == str(getattr(b, section)), section


def test_the_dumbbell_moves_as_the_bundled_one(tmp_path):
    command = os.environ.get("DALEMBERT", str(Path(dal.__file__).parent / "dalembert"))
    s, t = dumbbell(), dal.read("dumbbell")
    for folder, system in (("a", s), ("b", t)):
        (tmp_path / folder).mkdir()
        system.simulation(duration=1, samples=21)
        system.save(tmp_path / folder / "dumbbell.toml")
        run = [command, "run", f"{folder}/dumbbell.toml", "--out", f"{folder}/out"]
        done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
    (a,) = (tmp_path / "a").rglob("trajectory.csv")
    (b,) = (tmp_path / "b").rglob("trajectory.csv")
    assert a.read_bytes() == b.read_bytes()


def test_lets_are_named_in_the_file():
    text = dumbbell().to_toml()
    assert 'speed = "v"' in text and "invariant = \"l^2*phi'^2/2 + v^2\"" in text


# Names.


def test_coordinates_in_all_ways_of_giving_names():
    s = dal.System()
    assert [str(q) for q in s.coordinates("a b, c")] == ["a", "b", "c"]
    assert [str(q) for q in s.coordinates("d", "e")] == ["d", "e"]
    assert [str(q) for q in s.coordinates(["f", "φ"])] == ["f", "φ"]
    assert str(s.coordinate("g")) == "g"
    assert s.coordinate_names == ["a", "b", "c", "d", "e", "f", "φ", "g"]


@pytest.mark.parametrize("name", ["x-1", "1x", "", " ", "a.b", "x'", "sin", "t", "pi", "π", "ideal", "point", "adjust", "a\nb"])
def test_names_that_cannot_be(name):
    s = dal.System()
    with pytest.raises(ValueError):
        s.coordinate(name)
    assert s.coordinate_names == []
    if name != "adjust":
        with pytest.raises(ValueError):
            s.parameter(name, 1)
        with pytest.raises(ValueError):
            s.let(name, 1)
    assert s.symbols == {}


def test_suggestions_for_names():
    s = dal.System()
    s.coordinates("x y")
    with pytest.raises(ValueError, match="did you mean 'x_1'"):
        s.coordinate("x-1")
    with pytest.raises(ValueError, match="'x' is already the name of a coordinate of this system; 'x2' is free"):
        s.parameters(x=1)
    with pytest.raises(ValueError, match="named twice"):
        s.coordinates("z z")
    assert s.coordinate_names == ["x", "y"]
    with pytest.raises(ValueError, match="has a meaning of its own"):
        s.parameters(cos=1)
    with pytest.raises(TypeError, match="must be a text, not an int"):
        s.parameter(3, 1)
    with pytest.raises(KeyError, match="did you mean 'x'"):
        s["X"]
    with pytest.raises(ValueError, match="not a parameter"):
        s.set_parameters(q=1)


def test_attributes_that_do_not_exist():
    s, x, _ = particle()
    with pytest.raises(AttributeError, match="did you mean 'kinetic'"):
        s.kinetik = x
    with pytest.raises(AttributeError, match="is a statement"):
        s.constrain = x
    with pytest.raises(AttributeError, match="cannot be set"):
        s.coordinate_names = []


# Values.


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (True, TypeError), (np.True_, TypeError), (math.nan, ValueError), (math.inf, ValueError), (None, TypeError),
        (1j, TypeError), ([1, 2], TypeError), (object(), TypeError), (np.array([1.0, 2.0]), TypeError),
        (np.float32("nan"), ValueError), (decimal.Decimal("inf"), ValueError), ({}, TypeError), (b"x", TypeError),
    ],
)  # fmt: skip
def test_values_that_are_no_expressions(value, error):
    s = dal.System()
    x = s.coordinate("x")
    with pytest.raises(error):
        s.parameter("p", value)
    if value is not None:
        with pytest.raises(error):
            s.kinetic = value
        with pytest.raises(error):
            s.force(x, value)
    with pytest.raises((ValueError, TypeError)):
        s.constrain(value)
    assert "p" not in s and s.kinetic is None


@pytest.mark.parametrize("value", [2, 2.0, Fraction(2), np.int64(2), np.float64(2), decimal.Decimal(2), "2", "1 + 1"])
def test_values_that_are_two(value):
    s = dal.System()
    s.coordinate("x")
    s.kinetic = value
    assert str(s.kinetic) == "2" and bool(s.kinetic == 2)


def test_sympy_expressions_and_equations():
    s, x, y = particle()
    s.parameters(k=3)
    sx, k = sympy.Symbol("x"), sympy.Symbol("k")
    s.potential = k * sx**2 / 2
    s.constrain(sympy.Eq(sx, 2 * sympy.Symbol("y")), name="line")
    assert str(s.potential) == "k*x^2/2"
    assert 'equation = "x = 2*y"' in s.to_toml()
    s._model()
    with pytest.raises(TypeError, match="inequalities are not supported"):
        s.constrain(sympy.Lt(sx, 1))


def test_equations_in_all_ways():
    s, x, y = particle()
    s.constrain(x.d == y)
    s.constrain(x - 2 * y)
    s.constrain("x'' = y")
    s.constrain([x, y, x + y], name="v")
    s.constrain("x = 0", name="weighted", weight=2)
    assert list(s.constraints) == ["constraint 1", "constraint 2", "constraint 3", "v.x", "v.y", "v.z", "weighted"]
    model = s._model()
    assert [(str(e), level) for _, e, level, _ in model.constraints][:3] == [("x' - y", 1), ("x - 2*y", 0), ("x'' - y", 2)]
    assert model.constraints[-1][3] == 2
    s.constrain(x == 1, name="weighted")
    assert list(s.constraints)[-1] == "weighted" and str(s.constraints["weighted"]) == "x = 1"
    s.constrain("x = 0", name="weighted", weight=2)
    with pytest.raises(TypeError, match="truth value"):
        s.constrain(1 == 2)
    with pytest.raises(TypeError, match="is an equation"):
        s.kinetic = x == y


def test_forces_add_up():
    s, x, y = particle()
    k = s.parameter("k", 2)
    s.force(x, -k * x)
    s.force({x: "-x'", "y": 3})
    s.virtual_work(x, -x.d)
    s.virtual_work({"x": s.ideal(y)})
    model = s._model()
    assert [str(e) for e in model.forces] == ["-x' - k*x", "3"]
    assert str(model.virtual_work[0]) in ("ideal.y - x'", "-x' + ideal.y")
    with pytest.raises(ValueError, match="along a coordinate: x, not x'"):
        s.force(x.d, 1)
    with pytest.raises(ValueError, match="did you mean 'y'"):
        s.force("Y", 1)
    with pytest.raises(TypeError, match="missing"):
        s.force(x)
    s.force(x, "q", name="unknown")
    with pytest.raises(dal.ModelError, match="unknown name 'q'"):
        s._model()
    s.remove("force", "unknown")
    assert [str(e) for e in s._model().forces] == ["-x' - k*x", "3"]


def test_energies_as_written_and_whole():
    s, x, y = particle()
    assert s.potential is None and s.dissipation is None and s.mass_matrix is None and s.gravity is None
    m = s.parameter("m", 2)
    s.particle("bob", mass=m, position=[x, y, 0])
    s.gravity = [0, -9.81, 0]
    assert str(s.kinetic) == "(x'^2 + y'^2)/2"
    assert "m" in str(s.energies()["kinetic"]) and "9.81" in str(s.energies()["potential"])
    s.kinetic = None
    assert s.kinetic is None and "[energy]" not in s.to_toml()


def test_mass_matrix():
    s = dal.System()
    x, y = s.coordinates("x y")
    s.mass_matrix = [[2, 0], [0, "1 + x^2"]]
    assert str(s.mass_matrix[1, 1]) == "x^2 + 1"
    s._model()
    with pytest.raises(ValueError, match="2 x 2 matrix"):
        s.mass_matrix = [[1]]
    s.mass_matrix = np.eye(2)
    assert "mass_matrix = [[1.0, 0.0], [0.0, 1.0]]" in s.to_toml()


def test_initial_state_and_simulation():
    s, x, y = particle()
    s.constrain(x == y, name="c")
    s.initial([1, 2], {y.d: 3}, adjust="nearest", hold=[x, "y'"], mu={"c": 0.5})
    initial = s._model().initial
    assert [str(e) for e in initial["q"]] == ["1", "2"] and [str(e) for e in initial["v"]] == ["0", "3"]
    assert (initial["adjust"], initial["hold"]) == ("nearest", ["x", "y'"])
    s.initial(q={x: 4})
    assert [str(e) for e in s._model().initial["q"]] == ["4", "2"]
    with pytest.raises(ValueError, match="one for each of 2 coordinates, not 3"):
        s.initial([1, 2, 3])
    with pytest.raises(ValueError, match="is none"):
        s.initial(q={"z": 1})
    s.simulation(duration=3, samples=11)
    s.simulation(times=[0, 0.5, 1])
    assert "duration" not in s.to_toml() and "times = [0, 0.5, 1]" in s.to_toml()
    s.simulation(samples=5, duration="2*pi")
    assert "times" not in s.to_toml() and str(s._model().duration) == "2*pi"
    with pytest.raises(ValueError, match="samples or times"):
        s.simulation(samples=3, times=[1])


def test_parameters_and_their_values():
    s = dal.System()
    m, k = s.parameters(m=2, k="m*pi")
    c = s.parameter("c", m / 3)
    assert s.parameter_values() == pytest.approx({"m": 2, "k": 2 * math.pi, "c": 2 / 3})
    s.set_parameters(m=3)
    assert s.parameter_values()["c"] == 1 and 'c = "m/3"' in s.to_toml()
    s.coordinates("q")
    s.kinetic = s["q"].d ** 2 * c
    assert list(s.symbols) == ["q", "m", "k", "c"]
    other = s.copy()
    other.set_parameters(m="nonsense")
    with pytest.raises(dal.ModelError, match="unknown name 'nonsense'"):
        other.parameter_values()


def test_drawings():
    s, x, y = particle()
    s.view(up="y", ground=True)
    s.view_point([x, y, 0], "bob", radius=0.1, mass=1, trail=False)
    s.view_segment([0, 0, 0], [x, y, 0], style="spring")
    s.view_arrow([x, y, 0], [s.ideal(x), 0, 0], kind="ideal")
    s._model()
    assert "trail = false" in s.to_toml() and "ground = 0" in s.to_toml()


# Expressions of other systems.


def test_expressions_of_another_system():
    a, x, _ = particle()
    b = dal.System("other")
    b.coordinates("x y")
    with pytest.raises(ValueError, match="belongs to the system 'particle', and this is the system 'other'"):
        b.kinetic = x.d**2
    c, z, _ = particle()
    with pytest.raises(ValueError, match="another system of that name"):
        c.constrain(x.d == 0)
    with pytest.raises(ValueError):
        b.force(x, 1)
    with pytest.raises(ValueError):
        b.initial(q={x: 1})
    assert b.kinetic is None and not b.constraints
    a.kinetic = 2 * dal.t * x.d**2  # time belongs to all


# Located errors.


def test_errors_tell_the_statement(tmp_path):
    program = tmp_path / "knife.py"
    program.write_text(
        textwrap.dedent("""
        import dalembert as dal
        s = dal.System("knife")
        x, phi = s.coordinates("x phi")
        s.kinetic = x.d**2 + phi.d**2
        s.potential = "x'"
        s.constrain("x' = phy", name="edge")
        s._model()
        """),
        encoding="utf-8",
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(dal.__file__).parent.parent)}
    done = subprocess.run(
        [sys.executable, "knife.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert "unknown name 'phy'; did you mean 'phi'?" in done.stderr
    assert "written by s.potential = \"x'\" at knife.py:6" in done.stderr
    assert "written by s.constrain(\"x' = phy\", name=\"edge\") at knife.py:7" in done.stderr
    lines = done.stderr.splitlines()
    place = next(i for i, line in enumerate(lines) if "unknown name" in line)
    assert lines[place].startswith("dalembert.errors.ModelError: knife:") or lines[place].startswith("knife:")
    assert "written by s.constrain" in lines[place + 3]


def test_errors_of_cells_and_of_no_source():
    s = dal.System("cell")
    code = compile("s.kinetic = 'y'", "/tmp/ipykernel_12/345.py", "exec")
    exec(code, {"s": s, "__name__": "__main__"})
    s.coordinates("x")
    with pytest.raises(dal.ModelError, match=r"written by s.kinetic = ... at a cell, line 1"):
        s._model()


def test_errors_have_their_diagnostics_and_leave_the_system_usable():
    s, x, _ = particle()
    s.outputs(a="x + z", b="x'''")
    line = inspect.currentframe().f_lineno - 1
    with pytest.raises(dal.ModelError) as caught:
        s._model()
    assert len(caught.value.diagnostics) == 2
    assert {(d.file, d.line) for d in caught.value.diagnostics} == {(__file__, line)}
    assert caught.value.diagnostics[0].details == ["      | x + z", "      |     ^"]
    s.outputs(a=x, b=1)
    assert [str(e) for _, e in s._model().outputs] == ["x", "1"]


def test_incomplete_models_can_be_written_but_not_compiled():
    s = dal.System("nothing")
    assert s.to_toml() == 'name = "nothing"\n'
    with pytest.raises(dal.ModelError, match="no coordinates"):
        s.compile()


def test_lets_of_texts_are_read_at_once():
    s, x, _ = particle()
    with pytest.raises(dal.ModelError, match="unknown name 'z'"):
        s.let("h", "z + 1")
    assert "h" not in s
    h = s.let("h", "x^2 + 1")
    p = s.let("p", ["h'", x, 0])
    n = s.let("n", "dot(p, p)")
    assert str(h) == "x^2 + 1" and str(p[0]) == "2*x*x'" and str(n) == "(2*x*x')^2 + x^2" or "x" in str(n)
    assert str(s["h"]) == "x^2 + 1" and [str(e) for e in s["p"]] == [str(e) for e in p]
    s.outputs(n=n)
    assert 'n = "dot(p, p)"' in s.to_toml()
    assert [str(e) for _, e in dal.loads(s.to_toml())._model().outputs] == [str(e) for _, e in s._model().outputs]


# Copies.


@pytest.mark.parametrize("copied", [dal.System.copy, copy.copy, copy.deepcopy])
def test_copies_go_their_own_ways(copied):
    s, x, _ = particle()
    t = copied(s)
    assert t == s
    t.potential = x**2
    t.coordinate("z")
    assert t != s and s.potential is None and s.coordinate_names == ["x", "y"]
    s.outputs(sum=t["x"] + x)
    s._model()
    t.let("h", "z + x")
    with pytest.raises(dal.ModelError):
        s.let("h", "z + x")
    with pytest.raises(TypeError):
        hash(s)


def test_models_that_were_read_can_be_changed():
    s = dal.read("rolling_disk")
    before = str(s._model().kinetic)
    x, zc = s["x"], s["zc"]
    s.let("twice", "2*zc")
    s.outputs(up=s["twice"], far=x + zc)
    assert 'up = "twice"' in s.to_toml() and 'far = "x + zc"' in s.to_toml()
    s.set_parameters(m=3)
    assert s.parameter_values()["m"] == 3
    s.potential = s.potential * 2
    assert str(s._model().kinetic) == before
    assert repr(s) == "<System 'Rolling disk': 5 coordinates, 1 body, 2 constraints>"
    with pytest.raises(ValueError, match="already the name of a let"):
        s.coordinate("spin")


def test_short_display():
    s = dumbbell()
    shown = s._repr_markdown_()
    assert shown.startswith("**Dumbbell") and "$$ T = " in shown and shown.count("$$") == 4


@pytest.mark.slow
def test_large_systems_are_built_without_quadratic_costs():
    s = dal.System("chain")
    x = s.coordinates([f"x{i}" for i in range(1000)])
    m, k = s.parameters(m=1, k=2)
    s.kinetic = sum(m * q.d**2 / 2 for q in x)
    s.potential = sum(k * (a - b) ** 2 / 2 for a, b in zip(x, x[1:]))
    for i in range(10):
        s.constrain(x[i].d == x[i + 20])
    assert len(s._model().coordinates) == 1000
    assert len(s.to_toml()) < 100_000


def test_threads_use_one_system():
    s, x, y = particle()
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for i in range(20):
                s.outputs({f"o{number}_{i}": x * number + i})
                s._model()
                s.copy().to_toml()
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(s._model().outputs) == 80


def test_models_are_cached_until_something_changes():
    s, x, _ = particle()
    model = s._model()
    assert s._model() is model and s.copy()._model() is model
    s.outputs(o=x)
    assert s._model() is not model
    assert isinstance(s._model(), _core.Model)


def test_one_expression_in_many_places_is_not_defined_by_itself():
    s = dal.System("s")
    q, x = s.coordinates("q x")
    a = s.parameter("a", 2)
    e = a * dal.sin(q) + 1
    constant = a**2 + 1
    s.parameter("b", constant)
    s.let("c", constant)
    s.let("h", e)
    s.let("again", e)
    s.let("text", "h")
    s.let("v", [e, x, constant])
    arm = s.particle("arm", mass=constant, position=[e, x, e.d * 0])
    s.outputs(h=e, place=arm.x, c=constant, rate=e.d)
    model = s._model()
    assert [str(e) for _, e in model.outputs] == ["a*sin(q) + 1", "a*sin(q) + 1", "a^2 + 1", "a*cos(q)*q'"]
    assert s.parameter_values()["b"] == 5


def test_names_that_look_like_stand_ins_stay_whole():
    s = dal.System("names")
    x, y = s.coordinates("x", "myshown0_x")
    disk = s.body("disk", mass=1, inertia=[1, 1, 1], position=[dal.cos(x), 0, 0])
    s.kinetic = y.d**2 / 2
    s.outputs(height=dal.sin(disk.x * 2) + y)
    assert "myshown0_x + sin(2*disk.x)" in s.to_toml()
    assert s.compile().output_values(0, {x: 1, y: 3})["height"] == pytest.approx(3 + math.sin(2 * math.cos(1)))


def test_a_number_in_single_precision_is_the_decimal_it_shows():
    tenth = np.float32(0.1)
    s = dal.System("single")
    x, y = s.coordinates("x y")
    p = s.parameter("p", tenth)
    s.let("h", tenth)
    s.kinetic = (x.d**2 + y.d**2) / 2
    s.let("w", np.array([tenth, 0, tenth], np.float32))
    s.outputs(o=tenth, e=dal.Expr(tenth), half=np.float16(0.1), h="h", z="w.z")
    s.initial(q=np.array([0.1, 0.2], np.float32), v={x: np.array(tenth)})
    motion = s.compile()
    assert motion.parameter_values()["p"] == 0.1 and "0.10000000149" not in s.to_toml()
    assert {k: float(v) for k, v in motion.output_values().items()} == {"o": 0.1, "e": 0.1, "half": 0.1, "h": 0.1, "z": 0.1}
    assert motion.with_parameters(p=tenth).parameter_values()["p"] == 0.1
    assert s.compile(parameters={p: np.array(tenth)}).parameter_values()["p"] == 0.1
    assert motion.initial_state(q={x: tenth}).q.tolist() == [0.1, 0.2]
    assert motion.simulate(tenth, q={x: tenth}, samples=2).t[-1] == 0.1
    assert motion.evaluate(0, {x: tenth}).q[0] == 0.1 and x.evaluate({x: tenth}) == 0.1
    for values in ([tenth], np.array([tenth])):
        assert dal.sweep(s, {p: values}, duration=1)["p"].tolist() == [0.1]
    # States as arrays are the numbers that they hold.
    assert motion.initial_state(q=np.array([0.1, 0.1], np.float32)).q[0] == float(tenth)
    assert motion.evaluate(0, np.array([0.1, 0.1], np.float32)).q[0] == float(tenth)


def test_expressions_of_another_system_are_not_taken_by_name():
    def particle():
        s = dal.System("particle")
        x = s.coordinate("x")
        m = s.parameter("m", 2.0)
        s.kinetic = m * x.d**2 / 2
        return s, x, m

    (one, x, m), (_, x2, m2) = particle(), particle()
    motion = one.compile()
    again = pickle.loads(pickle.dumps(motion))
    assert again.simulate(duration=m, q={x: m}, samples=2).t[-1] == 2
    sweep = dal.sweep(one, {m: [1.0]}, duration=1, samples=3)
    sweeps = [sweep, pickle.loads(pickle.dumps(sweep))]
    assert all(s[m].tolist() == [1] and s.final[x].shape == (1,) and s.samples[x.d].shape == (1, 3) for s in sweeps)
    wrong = [
        lambda: one.compile(parameters={m2: 1}),
        lambda: one.compile(parameters={"m": 2 * m2}),
        lambda: dal.sweep(one, {"m": [1.0]}, duration=m2),
        lambda: dal.sweep(one, {"m": [m2]}, duration=1),
        lambda: dal.sweep(one, {"m": [1.0]}, duration=1, rtol=m2),
        lambda: dal.sweep(one, {"m": [1.0]}, duration=1, statistics=[("max", x2)]),
        lambda: (m * x).evaluate({m2: 1, x: 1}),
    ]
    for own in (motion, again):
        wrong += [
            lambda own=own: own.simulate(duration=m2),
            lambda own=own: own.simulate(1, q={x: m2}),
            lambda own=own: own.simulate(1, rtol=m2),
            lambda own=own: own.simulate(1, q={x2: 1}),
            lambda own=own: own.simulate(1, parameters={"m": m2}),
            lambda own=own: own.with_parameters(m=2 * m2),
            lambda own=own: own.evaluate(0, {x2: 1}),
            lambda own=own: own.simulate(1, samples=2)[m2],
            lambda own=own: own.simulate(1, samples=2)[x2.d],
        ]
    for own in sweeps:
        wrong += [lambda own=own: own[m2], lambda own=own: own.final[x2], lambda own=own: own.samples[x2]]
    for attempt in wrong:
        with pytest.raises(ValueError, match="belongs to another system"):
            attempt()
    with pytest.raises(KeyError, match="is a parameter, and nothing of it is kept here"):
        sweep.samples[m]
