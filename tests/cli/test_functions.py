"""Forces with conditions, steps, limits and whole numbers: motions that can be written down, by run and by sweep."""

import csv
import json
import math

import pytest

# A unit mass on a line; with a wall at x = 0 that pushes back as a spring.
MODEL = """
name = "pushed"
coordinates = ["x"]
[parameters]
k = 100
T = 2
[energy]
kinetic = "x'^2/2"
[forces]
x = "{force}"
[initial]
x = {x}
"x'" = {v}
[simulation]
duration = {duration}
samples = 5
"""


def wall(k, end):
    """From x = 1 at speed -1: free, half a period at the wall, free again."""
    contact = math.pi / math.sqrt(k)
    return end - 1 - contact, 1.0


def floor_distance(T):
    """x(4) of x'' = T floor(t): x' rises by T n in the n-th second."""
    x, v = 0.0, 0.0
    for n in range(4):
        x += v + T * n / 2
        v += T * n
    return x


# The force, x and x' at the start, the duration, and x and x' at the end for given k and T.
MOTIONS = {
    "if(x < 0, -k*x, 0)": (1, -1, 3, lambda k, T: wall(k, 3)),
    "-k*x*(1 - step(x))": (1, -1, 3, lambda k, T: wall(k, 3)),
    "step(t - 1) - step(t - 1 - T/4)": (0, 0, 5, lambda k, T: ((T / 4) ** 2 / 2 + (4 - T / 4) * T / 4, T / 4)),
    "if(t < T/2, -x, 0)": (0, 1, 5, lambda k, T: (math.sin(T / 2) + (5 - T / 2) * math.cos(T / 2), math.cos(T / 2))),
    "floor(t)*T": (0, 0, 4, lambda k, T: (floor_distance(T), 6 * T)),
    "clamp(t, T/4, T)": (0, 0, 3, lambda k, T: (None, T**2 / 16 + (T**2 - T**2 / 16) / 2 + T * (3 - T))),
    "k*hypot(3, 4)*log10(1000)/100 + asinh(sinh(t)) - t": (0, 0, 2, lambda k, T: (15 * k / 50, 15 * k / 50)),
}


def expected(force, k, T):
    return MOTIONS[force][3](k, T)


def text(force):
    x, v, duration, _ = MOTIONS[force]
    return MODEL.format(force=force, x=x, v=v, duration=duration)


def close(value, exact):
    # Errors of 1e-9 a step, of some tens of steps; at the wall a kink is stepped over.
    return exact is None or abs(value - exact) < 2e-7 * (1 + abs(exact))


@pytest.mark.parametrize("force", MOTIONS)
def test_a_run_is_the_motion_by_hand(dalembert, force):
    dalembert.write("pushed.toml", text(force))
    result = dalembert("run", "pushed.toml", "--out", "r")
    assert result.status == 0, result.out + result.err
    with open(dalembert.directory / "r/trajectory.csv", newline="", encoding="utf-8") as file:
        last = list(csv.DictReader(file))[-1]
    x, v = expected(force, 100, 2)
    assert close(float(last["x"]), x) and close(float(last["x'"]), v), (last["x"], last["x'"], x, v)


@pytest.mark.parametrize("force", MOTIONS)
def test_a_sweep_is_the_motion_by_hand(dalembert, force):
    dalembert.write("pushed.toml", text(force))
    result = dalembert("sweep", "pushed.toml", "--runs", 9, "--vary", "k=[50, 100, 200]", "--vary", "T=[1, 1.5, 2]",
                       "--stat", "final(x)", "--stat", "final(x')", "--out", "s")  # fmt: skip
    assert result.status == 0, result.out + result.err
    with open(dalembert.directory / "s/results.csv", newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert len(table) == 9
    for row in table:
        x, v = expected(force, float(row["vary.k"]), float(row["vary.T"]))
        assert row["status"] == "complete"
        assert close(float(row["final(x)"]), x) and close(float(row["final(x')"]), v), row


def test_run_and_sweep_give_the_same_bits(dalembert):
    dalembert.write("pushed.toml", text("if(x < 0, -k*x, 0)"))
    dalembert("run", "pushed.toml", "--out", "r")
    dalembert("sweep", "pushed.toml", "--runs", 8, "--vary", "k=[100]", "--stat", "final(x)", "--out", "s")
    with open(dalembert.directory / "r/trajectory.csv", newline="", encoding="utf-8") as file:
        alone = float(list(csv.DictReader(file))[-1]["x"])
    with open(dalembert.directory / "s/results.csv", newline="", encoding="utf-8") as file:
        assert {float(row["final(x)"]) for row in csv.DictReader(file)} == {alone}


def test_steps_end_where_a_function_of_time_jumps(dalembert):
    """Pulses of 0.01 s in 1000 s."""
    for pulse in ("step(t - 700) - step(t - 700.01)", "if(t >= 700, if(t < 700.01, 1, 0), 0)",
                  "floor(t/700) - floor(t/700.01)"):  # fmt: skip
        dalembert.write("pushed.toml", MODEL.format(force=pulse, x=0, v=0, duration=1000))
        dalembert("run", "pushed.toml", "--out", "r")
        with open(dalembert.directory / "r/trajectory.csv", newline="", encoding="utf-8") as file:
            last = list(csv.DictReader(file))[-1]
        assert abs(float(last["x'"]) - 0.01) < 1e-11, pulse
        assert json.loads((dalembert.directory / "r/summary.json").read_text())["rejected"] <= 2


def test_an_energy_may_have_cases(dalembert):
    """Hertz's contact: the force is the derivative of the energy, branch by branch."""
    model = MODEL.format(force="0", x=1, v=-1, duration=3).replace(
        "kinetic = \"x'^2/2\"", "kinetic = \"x'^2/2\"\npotential = \"if(x < 0, k*(-x)^2.5, 0)\""
    )
    dalembert.write("hertz.toml", model)
    assert dalembert("run", "hertz.toml", "--out", "r").status == 0
    with open(dalembert.directory / "r/trajectory.csv", newline="", encoding="utf-8") as file:
        last = list(csv.DictReader(file))[-1]
    assert abs(float(last["x'"]) - 1) < 1e-7  # the energy is kept
    printed = dalembert("derive", "hertz.toml").out
    assert "if(x < 0" in printed
    assert "\\begin{cases}" in dalembert("derive", "hertz.toml", "--format", "latex").out


def test_a_one_sided_constraint_is_refused_and_told_what_to_do(dalembert):
    model = MODEL.format(force="0", x=1, v=-1, duration=3) + "[[constraint]]\nequation = \"x >= 0\"\n"
    result = dalembert("run", dalembert.write("stop.toml", model))
    assert result.status == 2
    assert "a constraint is an equation" in result.err and "is a [[contact]], with gap = \"...\"" in result.err
