"""Names that meant two things, the old ones for one version more; robots, C and derivatives from Python."""

from __future__ import annotations

import ctypes
import pickle
import shutil
import subprocess
import sys

import numpy as np
import pytest

import dalembert as dal
from conftest import ROOT

ROBOTS = ROOT / "tests/data/urdf"


def test_a_compiled_system_is_no_motion():
    with pytest.warns(dal.OldNameWarning, match="^Motion is Compiled now: what moves is a Solution$") as told:
        old = dal.Motion
    assert old is dal.Compiled and told[0].filename == __file__ and issubclass(dal.OldNameWarning, DeprecationWarning)
    with pytest.raises(AttributeError, match="has no attribute 'Motoin'"):
        dal.Motoin  # noqa: B018
    assert isinstance(dal.read("pendulum").compile(), dal.Compiled)


def test_coordinates_are_declared_and_their_names_listed():
    system = dal.read("pendulum")
    motion = system.compile()
    assert motion.coordinate_names == system.coordinate_names == ["x", "y"]
    with pytest.warns(dal.OldNameWarning, match="^coordinates of a compiled system are coordinate_names now$"):
        assert motion.coordinates == ["x", "y"]


def test_parameters_are_declared_and_their_values_listed():
    system = dal.read("pendulum")
    motion = system.compile()
    assert motion.parameter_values() == system.parameter_values() and motion.parameter_values()["l"] == 1
    with pytest.warns(dal.OldNameWarning, match=r"^parameters of a compiled system are parameter_values\(\) now$") as told:
        assert motion.parameters == motion.parameter_values()
    assert told[0].filename == __file__


def test_outputs_are_said_and_their_values_computed():
    system = dal.read("pendulum")
    system.outputs(height="y + l")
    motion = system.compile()
    assert motion.output_values(0, [0.0, -1.0], [0.0, 0.0])["height"] == 0
    with pytest.warns(dal.OldNameWarning, match=r"^outputs of a compiled system are output_values\(t, q, v\) now$") as told:
        assert motion.outputs(0, [0.0, -1.0], v=[0.0, 0.0])["height"] == 0
    assert told[0].filename == __file__


def test_time_is_t_in_all_tables():
    motion = dal.read("pendulum").compile()
    sol = motion.simulate(1, samples=3)
    study = dal.sweep(motion, {"l": [1.0, 2.0]}, duration=1, samples=3)
    assert "t" in sol.to_xarray().dims and "t" in study.to_xarray().dims and sol.to_pandas().index.name == "t"
    with pytest.warns(dal.OldNameWarning, match='^the dimension is "t", as in sweeps'):
        assert "time" in sol.to_xarray(dimension="time").dims
    with pytest.raises(ValueError, match="the dimension is 't', not 's'"):
        sol.to_xarray("s")


def test_derivatives_in_time():
    s = dal.System("s")
    x, m = s.coordinate("x"), s.parameter("m", 1)
    with pytest.raises(TypeError, match=r"^x moves: its derivative in time is .d, and .partial\(t\) the one with everything that moves held fixed$"):
        x.diff(dal.t)
    for moving in (x.d, m * x * dal.t, s.ideal(x)):
        with pytest.raises(TypeError, match="moves"):
            moving.diff(dal.t)
    assert str((m * dal.t**2).diff(dal.t)) == str((m * dal.t**2).d) == "2*m*t"
    assert (x * dal.t).partial(dal.t).same(x) and x.partial(dal.t).same(0) and (x * dal.t).diff(x).same(dal.t)


def test_threads_mean_the_same_everywhere():
    motion = dal.read("pendulum").compile()
    a, b = (motion.acceleration(0, [0.0, -1.0], [1.0, 0.0], threads=n) for n in (0, None))
    assert a.tolist() == b.tolist()
    c, d = (dal.sweep(motion, {"l": [1.0, 2.0]}, duration=1, threads=n) for n in (0, None))
    assert c.q.tolist() == d.q.tolist()


def test_forces_are_picklable():
    motion = dal.read("pendulum").compile()
    forces = motion.forces(0, [0.0, -1.0], [1.0, 0.0])
    again = pickle.loads(pickle.dumps(forces))
    assert type(again) is type(forces) and again.ideal.tolist() == forces.ideal.tolist()


@pytest.mark.parametrize("name", ["robot_arm", "all_joints"])
def test_robots_are_read(name, dalembert_command, tmp_path):
    s = dal.import_urdf(ROBOTS / f"{name}.urdf")
    outcome = dalembert_command("import", ROBOTS / f"{name}.urdf", "--out", tmp_path / "arm.toml")
    assert outcome.status == 0, outcome.err
    theirs = dal.read(tmp_path / "arm.toml")
    assert s.coordinate_names == theirs.coordinate_names
    assert str(s._model().kinetic) == str(theirs._model().kinetic)


def test_what_is_no_robot_is_located(tmp_path):
    path = tmp_path / "wrong.urdf"
    path.write_text("<robot name='a'><link/></robot>")
    with pytest.raises(dal.ModelError, match="wrong.urdf:1"):
        dal.import_urdf(path)
    with pytest.raises(FileNotFoundError):
        dal.import_urdf(tmp_path / "none.urdf")


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_expressions_in_c(tmp_path):
    s = dal.System("s")
    x, m = s.coordinate("x"), s.parameter("m", 1)
    outputs = [m * dal.sin(x) * x.d**2, dal.exp(-x) + dal.t]
    (tmp_path / "f.c").write_text(dal.to_c("f", outputs, [x, x.d, m, dal.t]))
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", tmp_path / "f.so", tmp_path / "f.c", "-lm"], check=True)
    given, found = np.array([0.3, 1.5, 2.0, 0.25]), np.zeros(2)
    pointer = ctypes.POINTER(ctypes.c_double)
    ctypes.CDLL(str(tmp_path / "f.so")).f(given.ctypes.data_as(pointer), found.ctypes.data_as(pointer))
    values = dict(zip([x, x.d, m, dal.t], given.tolist()))
    assert found == pytest.approx([e.evaluate({k: values[k] for k in e.symbols}) for e in outputs], rel=1e-15)
    with pytest.raises(ValueError):
        dal.to_c("f", [x], [m])


@pytest.mark.parametrize("name", ["pendulum", "rolling_disk", "two_masses", "coulomb_helix"])
def test_derivatives_of_accelerations(name):
    """Against central differences, whose error is about h^2 + eps/h = 1e-10 of the derivative's scale."""
    motion = dal.read(name).compile()
    start = motion.initial_state()
    n, h = len(start.q), 1e-5
    y = np.concatenate([start.q, start.v]) + 0.01
    found = motion.jacobian(0, y[:n], y[n:])
    assert found.shape == (n, 2 * n)
    for j in range(2 * n):
        up, down = y.copy(), y.copy()
        up[j] += h
        down[j] -= h
        slope = (motion.acceleration(0, up[:n], up[n:]) - motion.acceleration(0, down[:n], down[n:])) / (2 * h)
        assert found[:, j] == pytest.approx(slope, rel=1e-6, abs=1e-6 * (1 + abs(found).max()))
    both = motion.jacobian(0, np.stack([y[:n], y[:n]]), y[n:])
    assert both.shape == (2, n, 2 * n) and (both == found).all()


def test_building_takes_work_in_proportion():
    """Calls of functions, of Python and of the engine, while a chain is said and its draft filled."""

    def calls(n: int) -> int:
        count = 0

        def note(frame, event, argument):
            nonlocal count
            count += event in ("call", "c_call")

        s = dal.System("chain")
        sys.setprofile(note)
        try:
            x = s.coordinates([f"x{i}" for i in range(n)])
            for q in x:
                s.force(q, -q.d)
                s.constrain(q.dd == 1)
            for i, q in enumerate(x):
                s.particle(f"p{i}", mass=1, position=[q, 0, 0])
                s.spring(body=f"p{i}", stiffness=1)
            s._filled()
        finally:
            sys.setprofile(None)
        return count

    few, many = calls(100), calls(400)
    assert 3.5 < many / few < 4.2
