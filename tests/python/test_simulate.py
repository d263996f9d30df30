"""Motions from Python: closed forms, the command's numbers to the last bit, starts, options, threads."""

import csv
import os
import pathlib
import subprocess
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import dalembert as dal

MODELS = pathlib.Path(os.environ.get("DALEMBERT_MODELS", pathlib.Path(__file__).parents[2] / "models"))
COMMAND = os.environ.get("DALEMBERT", str(pathlib.Path(dal.__file__).parent / "dalembert"))

PENDULUM = """
name = "angle"
coordinates = ["theta"]
[parameters]
g = 9.81
l = 0.7
start = 0.4
[energy]
kinetic = "l^2*theta'^2/2"
potential = "-g*l*cos(theta)"
[initial]
theta = "start"
[simulation]
duration = "3*l"
"""

ROD = """
name = "rod"
coordinates = ["x", "y"]
[parameters]
g = 9.81
l = 1
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "g*y"
[[constraint]]
name = "length"
equation = "x^2 + y^2 = l^2"
[initial]
x = 0.6
y = "-sqrt(l^2 - x^2)"
"x'" = 0.8
"y'" = "-x*x'/y"
"""

BALL = """
name = "ball"
coordinates = ["x", "y"]
[parameters]
m = 2
g = 9.81
[energy]
kinetic = "m*(x'^2 + y'^2)/2"
potential = "m*g*y"
[initial]
"x'" = 3
"y'" = 4
[outputs]
height = "y"
"""

SKATE = """
name = "skate"
coordinates = ["x", "y", "phi"]
[energy]
kinetic = "(x'^2 + y'^2 + phi'^2)/2"
potential = "-x"
[[constraint]]
name = "blade"
equation = "x'*sin(phi) = y'*cos(phi)"
[initial]
"phi'" = 1
[simulation]
duration = 2
samples = 5
"""


def system(text, tmp_path, name="model"):
    path = tmp_path / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return dal.read(path)


def model(name):
    return dal.read(MODELS / f"{name}.toml")


def run(name, tmp_path, *options):
    """Columns and rows of trajectory.csv of the command."""
    done = subprocess.run([COMMAND, "run", str(name), "--out", str(tmp_path), "--quiet", *options], capture_output=True, text=True)
    assert done.returncode in (0, 3), done.stderr
    with open(tmp_path / "trajectory.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return rows[0], np.array([[float(x) for x in row] for row in rows[1:]]), done


def assert_same(sol, columns, rows):
    assert sol.columns == columns
    assert len(sol) == len(rows)
    for name, column in zip(columns, rows.T):
        assert np.array_equal(sol[name].view(np.int64), column.view(np.int64)), name


@pytest.mark.filterwarnings("error::dalembert.DoubtWarning")  # all samples stand where it turns
def test_small_swings_have_the_period_of_the_closed_form(tmp_path):
    motion = system(PENDULUM, tmp_path).compile()
    # The period of amplitude a is 4 sqrt(l/g) K(sin(a/2)), K by the arithmetic-geometric mean.
    a, b = 1.0, np.cos(0.2)
    for _ in range(6):
        a, b = (a + b) / 2, np.sqrt(a * b)
    period = 2 * np.pi * np.sqrt(0.7 / 9.81) / a
    sol = motion.simulate(duration=10 * period, samples=21)
    assert np.allclose(sol["theta"], 0.4 * np.where(np.arange(21) % 2 == 0, 1, -1), rtol=0, atol=1e-7)


def test_a_thrown_ball_follows_its_parabola(tmp_path):
    sol = system(BALL, tmp_path).compile().simulate(duration=1.5, samples=7)
    t = sol.t
    assert np.allclose(sol["x"], 3 * t, rtol=0, atol=1e-12)
    assert np.allclose(sol["y"], 4 * t - 9.81 * t**2 / 2, rtol=0, atol=1e-11)
    assert np.allclose(sol["y''"], -9.81)
    assert np.array_equal(sol["height"], sol["y"])
    total = sol["energy.kinetic"] + sol["energy.potential"]
    assert np.allclose(total, 25, rtol=1e-10)
    assert sol.complete and sol.reason == ""


def test_energy_is_conserved_and_the_constraint_is_kept(tmp_path):
    sol = system(ROD, tmp_path).compile().simulate(duration=20, samples=101)
    total = sol["energy.kinetic"] + sol["energy.potential"]
    assert np.ptp(total) < 1e-6
    assert np.max(np.abs(sol["constraint.length"])) < 1e-12
    assert sol.summary["balance_error"] < 1e-7


@pytest.mark.parametrize("name", ["pendulum", "rolling_disk", "dumbbell", "four_bar", "rotating_wire", "coulomb_helix", "stewart_platform"])
def test_every_column_is_that_of_the_command(name, tmp_path):
    columns, rows, _ = run(MODELS / f"{name}.toml", tmp_path, "--duration", "0.5", "--samples", "23")
    assert_same(model(name).compile().simulate(duration=0.5, samples=23), columns, rows)


def test_options_and_parameters_are_those_of_the_command(tmp_path):
    columns, rows, _ = run(MODELS / "rolling_disk.toml", tmp_path, "--duration", "1", "--samples", "9", "--rtol", "1e-5",
                           "--atol", "1e-7", "--integrator", "bdf", "--method", "maggi", "--set", "m=2.5")
    motion = model("rolling_disk").compile()
    sol = motion.simulate(1, samples=9, rtol=1e-5, atol=1e-7, integrator="bdf", method="maggi", parameters={"m": 2.5})
    assert_same(sol, columns, rows)
    assert (sol.summary["method"], sol.summary["integrator"]) == ("maggi", "bdf")
    assert motion.method != "maggi" and motion.parameter_values()["m"] != 2.5  # the motion itself is as it was


def test_the_model_says_what_is_not_given(tmp_path):
    sol = system(PENDULUM, tmp_path).compile().simulate(parameters={"l": 2})
    assert len(sol) == 501 and sol.t[-1] == 6 and sol["theta"][0] == 0.4
    sol = system(PENDULUM, tmp_path).compile().with_parameters(start=0.1, l=1).simulate(samples=2)
    assert sol.t[-1] == 3 and sol["theta"][0] == 0.1


def test_duration_may_be_an_expression_of_parameters(tmp_path):
    motion = system(PENDULUM, tmp_path).compile()
    assert motion.simulate("2*l", samples=2).t[-1] == pytest.approx(1.4, rel=1e-15)
    with pytest.raises(ValueError, match="duration '2.stat': unknown name 'stat'.*did you mean 'start'"):
        motion.simulate("2*stat")


def test_times_are_the_rows(tmp_path):
    motion = system(BALL, tmp_path).compile()
    times = [0.25, 0.5, 1.75]
    sol = motion.simulate(times=times)
    assert sol.t.tolist() == times
    assert np.allclose(sol["x"], 3 * np.array(times))
    assert sol.summary["duration"] == 1.75
    assert motion.simulate(times=np.array(times)).t.tolist() == times


def test_values_written_in_terms_of_a_given_one_follow_it(tmp_path):
    motion = system(ROD, tmp_path).compile()
    start = motion.initial_state()
    assert start.q.tolist() == [0.6, -0.8] and np.allclose(start.v, [0.8, 0.6]) and not start.adjusted
    start = motion.initial_state(q={"x": 0.28})
    assert np.allclose(start.q, [0.28, -0.96]) and np.allclose(start.v, [0.8, 0.28 * 0.8 / 0.96])
    start = motion.initial_state(q={"x": 0.28}, v={"x'": 2})
    assert np.allclose(start.v, [2, 0.28 * 2 / 0.96])
    start = motion.initial_state(v={"x": 2}, parameters={"l": 10})
    assert np.allclose(start.q, [0.6, -np.sqrt(100 - 0.36)])
    assert motion.simulate(1, q={"x": 0.28}, samples=2)["y"][0] == pytest.approx(-0.96)
    assert np.allclose(motion.simulate(1, [0, -1], [2, 0], samples=2).v[0], [2, 0])


def test_a_given_start_is_that_of_the_model_rewritten(tmp_path):
    rewritten = system_file(BALL.replace("\"y'\" = 4", "\"y'\" = 5\nx = 0.1"), tmp_path)
    columns, rows, _ = run(rewritten, tmp_path, "--duration", "1", "--samples", "5")
    assert_same(system(BALL, tmp_path).compile().simulate(1, q={"x": 0.1}, v={"y": 5}, samples=5), columns, rows)
    # Here the command knows x as an exact fraction when it works out y.
    columns, rows, _ = run(system_file(ROD.replace("x = 0.6", "x = 0.28"), tmp_path), tmp_path, "--duration", "1", "--samples", "5")
    sol = system(ROD, tmp_path).compile().simulate(1, q={"x": 0.28}, samples=5)
    assert np.allclose(sol.q, rows[:, 1:3], rtol=0, atol=1e-12)


def system_file(text, tmp_path):
    path = tmp_path / "rewritten.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_an_inconsistent_start_is_refused_as_by_the_command(tmp_path):
    path = system_file(ROD.replace('y = "-sqrt(l^2 - x^2)"', "y = -0.9"), tmp_path)
    done = subprocess.run([COMMAND, "run", str(path), "--out", str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 2
    with pytest.raises(dal.ModelError) as given:
        system(ROD, tmp_path).compile().simulate(q={"y": -0.9}, v={"y": 0.8 * 0.6 / 0.9})
    own = [line for line in str(given.value).splitlines() if not line.lstrip().startswith(("22", "13", "|"))]
    assert any("the initial state breaks constraint 'length': residual 0.17" in line for line in own)
    nearest = [line for line in done.stderr.splitlines() if line.startswith("    ")]
    assert len(nearest) >= 4 and all(line in own for line in nearest if " = " in line)
    assert [d.message for d in given.value.diagnostics][-1].startswith("the nearest consistent state")


def test_velocities_that_break_a_constraint_are_told_the_nearest(tmp_path):
    motion = system(ROD, tmp_path).compile()
    with pytest.raises(ValueError, match="the initial velocities break constraint 'length'") as given:
        motion.simulate(v={"x": 1, "y": 1})
    assert "\"x'\" = 1.12" in str(given.value) and "\"y'\" = 0.84" in str(given.value)
    with pytest.raises(dal.ModelError):
        motion.simulate(1, v={"x": 1, "y": 1}, adjust="none")
    start = motion.initial_state(v={"x": 1, "y": 1}, adjust="velocity")
    assert start.adjusted and np.allclose(start.v, [1.12, 0.84]) and start.q.tolist() == [0.6, -0.8]
    assert [change.name for change in start.changes] == ["y'"]
    with pytest.raises(dal.ModelError, match="so that positions may be adjusted too"):
        motion.initial_state(q={"x": 0.5, "y": -0.9}, adjust="velocity")
    start = motion.initial_state(q={"x": 3, "y": -4}, v=[0, 0], adjust="nearest")
    assert np.allclose(start.q, [0.6, -0.8])
    sol = motion.simulate(1, q={"x": 3, "y": -4}, v=[0, 0], adjust="nearest", samples=2)
    assert sol.summary["adjusted"] and np.allclose(sol.q[0], [0.6, -0.8])


def test_held_values_are_those_given(tmp_path):
    text = ROD.replace("[initial]", '[initial]\nadjust = "nearest"\nhold = ["x"]').replace('y = "-sqrt(l^2 - x^2)"', "y = -1")
    text = text.replace("\"y'\" = \"-x*x'/y\"", "")
    motion = system(text, tmp_path).compile()
    for x in (0.6, 0.28, -0.96):
        start = motion.initial_state(q={"x": x})
        assert start.q[0] == x and start.q[1] == pytest.approx(-np.sqrt(1 - x * x), abs=1e-14)
        assert start.v[0] == 0.8  # whoever holds a position holds the velocity written for it
    with pytest.raises(dal.ModelError, match="hold x"):
        motion.initial_state(q={"x": 1.5})


def test_vakonomic_starts_with_mu(tmp_path):
    motion = system(SKATE, tmp_path).compile(method="vakonomic")
    with pytest.raises(dal.ModelError, match="needs an initial value of mu for 'blade'"):
        motion.simulate()
    sol = motion.simulate(mu={"blade": 0.25})
    assert sol["mu.blade"][0] == 0.25
    assert np.array_equal(motion.simulate(mu=[0.25]).q, sol.q)
    assert not np.allclose(motion.simulate(mu={"blade": 2}).q, sol.q)
    with pytest.raises(ValueError, match="mu is a state of the method vakonomic only"):
        system(SKATE, tmp_path).compile().simulate(mu={"blade": 0.25})


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"duration": -1}, ValueError, "duration -1.*: must be positive"),
        ({"duration": 0}, ValueError, "must be positive"),
        ({"duration": float("nan")}, ValueError, "not a finite number"),
        ({"duration": [1]}, TypeError, "duration must be a number, not list"),
        ({"duration": True}, TypeError, "duration must be a number, not bool"),
        ({"samples": 1}, ValueError, "samples 1: must be a whole number from 2 to 1000000000"),
        ({"samples": 2.5}, ValueError, "must be a whole number"),
        ({"samples": "many"}, TypeError, "samples must be a whole number, not str"),
        ({"samples": 10**400}, ValueError, "must be a whole number"),
        ({"rtol": 1}, ValueError, "rtol 1: must be between 0 and 1"),
        ({"atol": -1e-9}, ValueError, "atol -1e-09: must be positive"),
        ({"integrator": "bdff"}, ValueError, "no integrator 'bdff'.*bdf"),
        ({"integrator": 3}, TypeError, "integrator must be a word, not int"),
        ({"max_steps": 0}, ValueError, "max_steps 0: must be a whole number"),
        ({"max_step": 0}, ValueError, "max_step 0: must be positive"),
        ({"method": "magi"}, ValueError, "no method 'magi'.*maggi"),
        ({"times": []}, ValueError, "times must not be empty"),
        ({"times": [0, 2, 1]}, ValueError, r"must increase: times\[2\] is 1 after 2"),
        ({"times": [-1, 2]}, ValueError, "must not be negative"),
        ({"times": [0]}, ValueError, "the last of the times must be positive"),
        ({"times": [[0, 1]]}, ValueError, r"shape \(1, 2\)"),
        ({"times": "soon"}, TypeError, "times must be a sequence of numbers"),
        ({"times": [0, float("inf")]}, ValueError, r"times\[1\] is not a finite number"),
        ({"times": [1, 2], "samples": 5}, ValueError, "give samples or times, not both"),
        ({"times": [1, 2], "duration": 1}, ValueError, "give duration or times, not both"),
        ({"q": {"z": 1}}, KeyError, "q: no 'z'; there are x, y"),
        ({"q": {"x'": 1}}, KeyError, "velocities are given in v"),
        ({"v": {"x": 1, "x'": 2}}, ValueError, "v: 'x' is given twice"),
        ({"q": {"x": None}}, TypeError, "must be a number, not None"),
        ({"q": {"x": float("inf")}}, ValueError, "not a finite number"),
        ({"q": {3: 1}}, TypeError, "keys are names or coordinates, not int"),
        ({"q": [1, 2, 3]}, ValueError, r"q has the shape \(3,\); expected \(2,\), one entry for each of x, y"),
        ({"q": [1, float("nan")]}, ValueError, "the value of 'y' is nan"),
        ({"q": 5}, ValueError, r"q has the shape \(\)"),
        ({"q": "x"}, TypeError, "q must be a mapping or 2 numbers, not str"),
        ({"adjust": "nearst"}, ValueError, "adjust 'nearst'.*nearest"),
        ({"parameters": {"h": 1}}, ValueError, "'h'"),
        ({"parameters": [1]}, TypeError, "parameters must map names to values"),
        ({"progress": 5}, TypeError, "progress must be a function"),
    ],
)
def test_what_is_wrong_is_said(given, error, message, tmp_path):
    with pytest.raises(error, match=message):
        system(ROD, tmp_path).compile().simulate(**given)


def test_more_rows_than_memory_is_a_memory_error(tmp_path):
    with pytest.raises(MemoryError):
        system(ROD, tmp_path).compile().simulate(samples=10**9)


def test_a_motion_that_gives_up_is_told_and_kept(tmp_path):
    text = BALL.replace('potential = "m*g*y"', 'potential = "-m*sqrt(4 - y)"')
    path = system_file(text, tmp_path)
    columns, rows, done = run(path, tmp_path, "--duration", "9", "--samples", "91")
    assert done.returncode == 3
    with pytest.warns(dal.IncompleteWarning, match="the motion is not complete: ") as told:
        sol = dal.read(path).compile().simulate(9, samples=91)
    assert pathlib.Path(told[0].filename).name == "test_simulate.py"
    assert not sol.complete and 2 <= len(sol) < 91
    assert sol.reason in done.stderr
    assert_same(sol, columns, rows)


def test_steps_are_limited(tmp_path):
    with pytest.warns(dal.IncompleteWarning, match="the limit of 5 steps"):
        sol = system(ROD, tmp_path).compile().simulate(10, max_steps=5)
    assert sol.summary["steps"] + sol.summary["rejected"] == 5


def test_threads_compute_the_same_bits():
    motion = model("rolling_disk").compile()

    def one(k):
        return motion.simulate(3, parameters={"m": 1 + 0.1 * k}, samples=50)

    def together(k, barrier=threading.Barrier(4)):
        barrier.wait(60)
        return one(k)

    alone = [one(k) for k in range(8)]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(together, range(8)))
    for a, b in zip(alone, results):
        assert all(np.array_equal(a[name], b[name]) for name in a.columns)


def test_progress_is_told_and_can_end_the_motion(tmp_path):
    motion = system(ROD, tmp_path).compile()
    told = []
    sol = motion.simulate(5, samples=3, progress=lambda t, duration: told.append((t, duration)))
    assert told[-1] == (5, 5) and sol.complete
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # whoever ends a motion needs no warning
        sol = motion.simulate(1e7, samples=3, progress=lambda t, duration: False)
    assert not sol.complete and sol.reason.startswith("interrupted at t = ") and len(sol) == 1


def test_an_error_in_progress_ends_the_motion_and_is_raised(tmp_path):
    motion = system(ROD, tmp_path).compile()

    def progress(t, duration):
        raise LookupError("from progress")

    with pytest.raises(LookupError, match="from progress"):
        motion.simulate(1e7, samples=3, progress=progress)
    assert motion.partial is not None and not motion.partial.complete
    assert motion.simulate(1, samples=2).complete  # the motion is as good as before
    done = []
    with ThreadPoolExecutor(1) as pool:  # from another thread likewise
        assert pool.submit(motion.simulate, 1, progress=lambda t, duration: done.append(t)).result().complete
    assert done[-1] == 1


def test_what_was_interrupted_is_kept_for_each_thread(tmp_path):
    motion = system(ROD, tmp_path).compile()

    def interrupted(samples):
        def progress(t, duration):
            barrier.wait(30)  # both are at work at the same time
            raise LookupError

        with pytest.raises(LookupError):
            motion.simulate(1e7, samples=samples, progress=progress)
        barrier.wait(30)
        return motion.partial

    barrier = threading.Barrier(2)
    with ThreadPoolExecutor(2) as pool:
        first, second = [run.result() for run in [pool.submit(interrupted, n) for n in (3, 4)]]
    assert first is not second
    assert motion.partial is None  # nothing was interrupted here
