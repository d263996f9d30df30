"""What motion.export writes as Python and as JavaScript: executed, and compared with the motion it comes from."""

import importlib.util
import json
import shutil
import subprocess

import numpy as np
import pytest

import dalembert as dal

NAMES = ["rolling_disk", "slider_crank", "rattleback", "pendulum", "two_masses"]
NODE = shutil.which("node")


def imported(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def asked(path, states):
    """Of JavaScript: the start, and at each state what is observed and y'."""
    question = path.parent / "ask.mjs"
    question.write_text(
        f'import {{ System, SAMPLES }} from "./{path.name}";\nconst s = new System();\n'
        "const at = JSON.parse(process.argv[2]).map(([t, q, v]) => {\n  const y = s.state(t, q, v);\n"
        "  return [s.observe(t, y), s.derivative(t, y), s.residual(t, y)];\n});\n"
        "console.log(JSON.stringify([SAMPLES, s.residual(0, s.start()), at]));\n")
    done = subprocess.run([NODE, question, json.dumps(states)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def on_the_way(motion):
    """States of the motion, on its constraints: t, q, v, q'' and ideal forces."""
    sol = motion.simulate(duration=1.0, samples=6)
    return sol.t, sol.q, sol.v, motion.acceleration(sol.t, sol.q, sol.v), motion.forces(sol.t, sol.q, sol.v).ideal


def compare(samples, names, coordinates, acceleration, ideal):
    # Each rounds by itself: 1e-9 of the largest.
    for i, x in enumerate(coordinates):
        for name, wanted in ((f"{x}''", acceleration[:, i]), (f"ideal.{x}", ideal[:, i])):
            found = np.asarray(samples)[names.index(name)]
            assert np.max(np.abs(found - wanted)) <= 1e-9 * max(1, np.max(np.abs(wanted))), name


@pytest.mark.parametrize("name", NAMES)
def test_a_script_of_python_has_the_accelerations_and_forces_of_the_motion(tmp_path, name):
    motion = dal.read(name).compile()
    script = imported(motion.export("python", tmp_path / f"{name}.py"))
    t, q, v, acceleration, ideal = on_the_way(motion)
    s = script.System()
    # All states at once.
    y = s.state(t, list(q.T), list(v.T))
    compare(s.observe(t, y), script.SAMPLES, script.STATES[: q.shape[1]], acceleration, ideal)
    rates = s.derivative(t, y)
    assert np.allclose(rates[: q.shape[1]], v.T, rtol=1e-9, atol=1e-9)
    assert s.residual(0.0, s.start()) <= 1e-12
    for i in range(len(t)):
        assert np.allclose(s.derivative(t[i], y[:, i]), rates[:, i], rtol=1e-12, atol=1e-12)
        assert s.residual(t[i], y[:, i]) <= 1e-10


@pytest.mark.skipif(NODE is None, reason="no node here")
@pytest.mark.parametrize("name", NAMES)
def test_a_script_of_javascript_has_the_accelerations_and_forces_of_the_motion(tmp_path, name):
    motion = dal.read(name).compile()
    path = motion.export("js", tmp_path / f"{name}.mjs")
    t, q, v, acceleration, ideal = on_the_way(motion)
    names, residual, answers = asked(path, [[a, list(b), list(c)] for a, b, c in zip(t.tolist(), q.tolist(), v.tolist())])
    n = q.shape[1]
    compare(np.array([a[0] for a in answers]).T, names, [x[:-1] for x in names[:n]], acceleration, ideal)
    assert np.allclose([a[1][:n] for a in answers], v, rtol=1e-9, atol=1e-9)
    assert residual <= 1e-12 and max(a[2] for a in answers) <= 1e-10


def test_parameters_of_a_script_move_the_start_along(tmp_path):
    script = imported(dal.read("pendulum").compile().export("python", tmp_path / "pendulum.py"))
    s = script.System(l=3)
    y = s.start()
    assert y[0] ** 2 + y[1] ** 2 == pytest.approx(9, rel=1e-13)
    with pytest.raises(TypeError, match="no parameter that can be set: w"):
        script.System(w=1)


ROUGH = """
coordinates = ["x", "y", "phi"]
gravity = [0, -9.81, 0]
[[body]]
name = "rod"
mass = 2
inertia = [0.1, 0.1, 0.2]
position = ["x", "y", 0]
orientation = { axis = [0, 0, 1], angle = "phi" }
[[joint]]
name = "pin"
type = "hinge"
bodies = ["ground", "rod"]
points = [[0, 0, 0], [0, 0.5, 0]]
axis = [0, 0, 1]
friction = { mu = 0.3, radius = 0.05 }
[initial]
y = -0.5
"""


@pytest.mark.parametrize("to", ["c", "fmu", "python", "js"])
def test_what_cannot_be_exported_is_refused(tmp_path, to):
    with pytest.raises(ValueError, match="its joints have friction, which exported code does not know"):
        dal.loads(ROUGH).compile().export(to, tmp_path / "out")
    if to in ("python", "js"):
        with pytest.raises(ValueError, match="its events come along the motion, and a script evaluates only single states"):
            dal.read("bouncing_ball").compile().export(to, tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_tables_and_the_motion_between_bounces_are_exported(tmp_path):
    s = dal.System("pushed")
    x = s.coordinate("x")
    s.kinetic = x.d**2 / 2
    s.force(x, s.table("F", [0, 1, 2], [0, 3, 1])(dal.t))
    script = imported(s.compile().export("python", tmp_path / "pushed.py"))
    assert script.System().derivative(1.5, script.System().start())[1] == 2
    assert dal.read("bouncing_ball").compile().export("c", tmp_path / "ball")
