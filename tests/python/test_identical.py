"""Python and the command compute the same numbers, to the last bit, of any model that can be written.

Random models are written in Python with expressions, simulated there, and given as their model files to the command.
"""

import csv
import json
import math
import os
import subprocess
import tempfile
import warnings
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dalembert as dal
from conftest import PACKAGE

NAMES = ["x", "y", "theta", "q_4"]
EXAMPLES = 6 if "libasan" in os.environ.get("LD_PRELOAD", "") else 30
numbers = st.floats(0.25, 2.0)
values = st.floats(-1.0, 1.0)


@st.composite
def functions(draw, of):
    """A smooth function of these expressions, never large."""
    e, other = draw(st.sampled_from(of)), draw(st.sampled_from(of))
    c = draw(numbers)
    return draw(
        st.sampled_from(
            [
                dal.sin(c * e),
                dal.cos(e - other),
                c * e * other,
                dal.sqrt(1 + e**2),
                dal.exp(-(e**2)) / 3,
                dal.atan2(e, 2 + dal.cos(other)),
                dal.tanh(e + other) * dal.pi / 4,
                c + 0 * e,
            ]
        )
    )


@st.composite
def systems(draw):
    """A random system, and its start."""
    s = dal.System("random")
    q = s.coordinates(NAMES[: draw(st.sampled_from([3, 2, 4, 1]))])
    p = s.parameters({f"p{i}": draw(numbers) for i in range(2)})
    of_positions = functions([*q, p[0]])
    anything = functions([*q, *(x.d for x in q), *p, dal.t])

    # Squares of independent forms: positive definite wherever the system is.
    kinetic = sum((p[1] + draw(of_positions) ** 2) * x.d**2 / 2 for x in q)
    mixed = sum(draw(of_positions) * x.d for x in q)
    s.kinetic = kinetic + mixed**2 / 2
    if draw(st.booleans()):
        s.potential = draw(of_positions) + draw(of_positions) * p[1]
    if draw(st.booleans()):
        s.dissipation = draw(numbers) * q[0].d ** 2
    for x in q:
        if draw(st.booleans()):
            s.force(x, draw(anything))

    start = {x: draw(values) for x in q}
    kinds = draw(st.lists(st.sampled_from(["position", "velocity", "acceleration"]), min_size=min(1, len(q) - 1),
                          max_size=len(q) - 1))
    # A position that is held at the start holds the velocity too: all are at rest then.
    speed = {x: 0.0 if "position" in kinds else draw(values) for x in q}
    state = {**start, **{x.d: v for x, v in speed.items()}, dal.t: 0.0}
    known = {**state, **{e: value for e, value in zip(p, s.parameter_values().values())}}
    for i, kind in enumerate(kinds):
        if kind == "position":
            e = sum(draw(of_positions) for _ in q) + q[i]
            s.constrain(e == e.evaluate(known), name=f"held {i}")
        elif kind == "velocity":
            e = sum(draw(of_positions) * x.d for x in q) + q[i].d
            s.constrain(e == e.evaluate(known))
        else:
            s.constrain(sum(draw(of_positions) * x.dd for x in q) + q[i].dd == draw(anything))
    if kinds and draw(st.booleans()):
        x = draw(st.sampled_from(q))
        s.virtual_work(x, -draw(numbers) * x.d)
    s.initial(q=start, v=speed)
    s.simulation(duration=draw(st.sampled_from([0.25, 0.5])), samples=draw(st.integers(2, 6)))
    s.outputs(something=draw(anything))
    return s


def command(*args):
    return subprocess.run([PACKAGE / "dalembert", *map(str, args)], capture_output=True, text=True, timeout=120)


def condition(evaluation):
    """How much of a rounding error reaches the accelerations: of M, and of the rows of A, at most."""
    rows = evaluation.constraint_matrix
    least = np.linalg.svd(rows, compute_uv=False)[: evaluation.rank].min() if evaluation.rank else 1.0
    return np.linalg.cond(evaluation.mass_matrix) ** 2 * (1 + np.linalg.norm(rows) / least) ** 2


def same(a, b):
    return a == b or (math.isnan(a) and math.isnan(b))


@settings(max_examples=EXAMPLES, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))
@given(s=systems(), at=st.lists(values, min_size=9, max_size=9))
def test_numbers_are_those_of_the_command(s, at):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "random.toml")
        s.save(path)
        try:
            motion = s.compile()
        except dal.ModelError as error:  # such as a start that cannot be; then for both
            refused = command("eval", path, "--json")
            assert refused.returncode == 2 and error.diagnostics[0].message in refused.stderr
            return

        n = len(motion.coordinate_names)
        q, v = at[1 : 1 + n], at[5 : 5 + n]
        given_state = [f"t={at[0]!r}"] + [f"{name}={value!r}" for name, value in zip(motion.coordinate_names, q)]
        given_state += [f"{name}'={value!r}" for name, value in zip(motion.coordinate_names, v)]
        evaluated = command("eval", path, "--json", "--at", ",".join(given_state))
        assert evaluated.stderr == ""
        document = json.loads(evaluated.stdout)
        evaluation = motion.evaluate(at[0], q, v)
        assert evaluation.to_dict() == document
        for name in ("ideal", "nonideal", "applied"):
            assert dict(zip(motion.coordinate_names, getattr(evaluation, name))) == document["force"][name]
        assert dict(zip(motion.coordinate_names, evaluation.acceleration)) == document["acceleration"]
        # Many states are solved by another elimination, in SIMD lanes: not the same bits, but the same numbers. What is
        # lost is that of two eliminations, magnified by how far the rows of A are from being dependent.
        if evaluation.consistent:
            forces = motion.forces([at[0]] * 3, [q] * 3, [v] * 3)
            lost = 1e3 * np.finfo(float).eps * condition(evaluation)
            scale = 1 + np.abs(evaluation.acceleration).max() + np.abs(evaluation.applied).max()
            assert np.abs(motion.acceleration(at[0], q, v) - evaluation.acceleration).max() <= lost * scale
            assert np.abs(forces.ideal - evaluation.ideal).max() <= lost * scale * np.linalg.norm(evaluation.mass_matrix)

        ran = command("run", path, "--no-report", "--out", folder)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", dal.IncompleteWarning)
            try:
                solution = motion.simulate()
            except dal.ModelError as error:
                assert ran.returncode == 2 and error.diagnostics[0].message in ran.stderr
                return
        assert (ran.returncode == 0) == solution.complete, ran.stderr
        with open(Path(folder, "trajectory.csv"), newline="") as file:
            header, *rows = csv.reader(file)
        assert header == solution.columns
        for name, column in zip(header, zip(*rows)):
            assert len(column) == len(solution[name])
            assert all(map(same, map(float, column), solution[name])), name
        assert json.loads(Path(folder, "summary.json").read_text())["steps"] == solution.summary["steps"]
