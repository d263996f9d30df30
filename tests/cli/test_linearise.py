"""`linearise`, `continue` and `run --sensitivity`."""

import cmath
import csv
import json
import math

import pytest

PENDULUM = """
coordinates = ["x", "y"]
[parameters]
l = 0.7
g = 9.81
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "g*y"
[[constraint]]
name = "rod"
equation = "x^2 + y^2 = l^2"
[initial]
x = 0
y = "-sqrt(l^2 - x^2)"
[outputs]
height = "y + l"
"""

BALL = """
coordinates = ["z"]
[energy]
kinetic = "z'^2/2"
potential = "9.81*z"
"""

# Eigenvalues of the linearised bicycle of Meijaard et al. (2007): speed, then those that are not zero.
BICYCLE = {
    0: [3.1316432479066, -3.1316432479066, 5.5309437176539, -5.5309437176539],
    2: [-8.6738798483174, -3.0715864564151, 2.6823451751275 + 1.6806629659068j, 2.6823451751275 - 1.6806629659068j],
    5: [-14.078389692798, -0.32286642900409, -0.77534188219584 + 4.4648677137882j, -0.77534188219584 - 4.4648677137882j],
    10: [-24.624596350174, 0.16105338653171, -3.7201684043729 + 10.906811394763j, -3.7201684043729 - 10.906811394763j],
}


def test_a_pendulum_hangs_still(dalembert):
    dalembert.write("rod.toml", PENDULUM)
    for command in ("linearise", "linearize"):
        result = dalembert(command, "rod.toml", "--json")
        assert result.status == 0, result.err
        found = json.loads(result.out)
        assert found["kind"] == "equilibrium"
        assert found["states"] == ["x", "x'"]
        assert found["inputs"] == [] and found["outputs"] == ["height"]
        assert found["A"] == [[0, 1], [pytest.approx(-9.81 / 0.7, rel=1e-15), 0]]
        assert found["B"] == [[], []] and found["D"] == [[]]
        assert found["C"] == [[pytest.approx(0, abs=1e-15), 0]]
        assert found["eigenvalues"][0] == pytest.approx([0, math.sqrt(9.81 / 0.7)], rel=1e-15, abs=1e-15)
        assert len(found["conditions"]) == len(found["modes"]) == 2
        assert found["point"]["q"] == {"x": 0, "y": pytest.approx(-0.7)}


@pytest.mark.parametrize("speed", BICYCLE)
def test_the_bicycle_has_the_published_eigenvalues(dalembert, speed):
    result = dalembert("linearise", "bicycle", "--json", "--set", f"v={speed}", "--at", "lean'=0")
    assert result.status == 0, result.err
    found = json.loads(result.out)
    values = [complex(*z) for z in found["eigenvalues"]]
    assert len(values) == 10 and values.count(0) == 6
    for expected in BICYCLE[speed]:
        assert min(abs(z - expected) for z in values) < 1e-11 * max(1, abs(expected))
    # Each mode belongs to its eigenvalue.
    for z, mode in zip(values, found["modes"]):
        u = [complex(*entry) for entry in mode]
        for row, own in zip(found["A"], u):
            assert abs(sum(a * x for a, x in zip(row, u)) - z * own) < 1e-8 * max(1, abs(z))


def test_zeros_are_named(dalembert):
    result = dalembert("linearise", "bicycle", "--at", "lean'=0")
    assert result.status == 0, result.err
    assert "steady motion · 10 states" in result.out
    assert "x is cyclic: wherever it is, the rest is the same" in result.out
    assert "rear' is kept: each of its values belongs to a steady motion" in result.out


def test_what_is_not_steady_is_refused_and_an_equilibrium_found(dalembert):
    dalembert.write("rod.toml", PENDULUM)
    result = dalembert("linearise", "rod.toml", "--at", "x=0.3")
    assert result.status == 2 and result.out == ""
    assert "the motion is not steady there: x'' = " in result.err
    assert "--equilibrium looks for one nearby" in result.err
    found = json.loads(dalembert("linearise", "rod.toml", "--at", "x=0.3", "--equilibrium", "--json").out)
    assert abs(found["point"]["q"]["x"]) < 1e-12
    assert cmath.isclose(complex(*found["eigenvalues"][0]), 1j * math.sqrt(9.81 / 0.7), rel_tol=1e-11)


@pytest.mark.parametrize("model", ["double_pendulum", "two_masses"])
def test_what_only_swings_is_not_unstable_by_rounding(dalembert, model):
    shown = dalembert("linearise", model, "--equilibrium")
    assert shown.status == 0, shown.err
    assert "unstable" not in shown.out and "asymptotically" not in shown.out
    assert "those on the imaginary axis leave stability open" in shown.out


def test_no_equilibrium_is_an_answer(dalembert):
    dalembert.write("ball.toml", BALL)
    result = dalembert("linearise", "ball.toml", "--equilibrium")
    assert result.status == 1 and result.out == ""
    assert "no equilibrium found near the initial state: the search ends where z'' = -9.81 is left" in result.err


def test_a_branch_is_followed_over_weave_and_capsize(dalembert):
    result = dalembert("continue", "bicycle", "--along", "v", "--from", "3", "--to", "7", "--at", "lean'=0", "--points", "9", "--json",
                       "--out", "b")
    assert result.status == 0, result.err
    points = json.loads(result.out)["points"]
    special = {point["kind"]: point["parameter"] for point in points if point["kind"] not in ("start", "regular", "end")}
    assert special["hopf"] == pytest.approx(4.29238253634111, rel=1e-12)
    assert special["crossing"] == pytest.approx(6.02426201538837, rel=1e-12)
    with open(dalembert.directory / "b" / "branch.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["v"]) for row in rows] == [point["parameter"] for point in points]
    assert [int(row["unstable"]) for row in rows][0] == 2 and [int(row["unstable"]) for row in rows][-1] == 1


def test_continue_refuses_what_it_cannot_follow(dalembert):
    dalembert.write("rod.toml", PENDULUM)
    result = dalembert("continue", "rod.toml", "--along", "gg", "--from", "1", "--to", "2")
    assert result.status == 2
    assert "--along: unknown parameter 'gg'; did you mean 'g'?" in result.err
    dalembert.write("ball.toml", BALL.replace("[energy]", "[parameters]\np = 1\n[energy]"))
    result = dalembert("continue", "ball.toml", "--along", "p", "--from", "1", "--to", "2")
    assert result.status == 1
    assert "no equilibrium found at p = 1: the search ends where z'' = -9.81 is left" in result.err


def test_a_run_writes_sensitivities(dalembert):
    dalembert.write("ball.toml", BALL)
    result = dalembert("run", "ball.toml", "--sensitivity", "z, z'", "--duration", "2", "--samples", "3", "--out", "o", "--no-report")
    assert result.status == 0, result.err
    with open(dalembert.directory / "o" / "trajectory.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[-6:] == ["d(z)/d(z)", "d(z)/d(z')", "d(z')/d(z)", "d(z')/d(z')", "d(z'')/d(z)", "d(z'')/d(z')"]
    assert [float(row["d(z)/d(z')"]) for row in rows] == pytest.approx([0, 1, 2], abs=1e-12)
    assert [float(row["d(z)/d(z)"]) for row in rows] == pytest.approx([1, 1, 1], abs=1e-12)


FALLING = """name = "Falling"
coordinates = ["z"]
[parameters]
h = 1.0
[energy]
kinetic = "z'^2/2"
potential = "8*z"
[[contact]]
name = "floor"
gap = "z"
restitution = 0.5
[initial]
z = "h"
"""


def test_a_run_through_impacts_writes_sensitivities_of_their_times(dalembert):
    dalembert.write("falling.toml", FALLING)
    result = dalembert("run", "falling.toml", "--sensitivity", "h", "--duration", "0.8", "--samples", "2", "--event-rows", "--out", "o", "--no-report")
    assert result.status == 0, result.err
    with open(dalembert.directory / "o" / "events.csv", encoding="utf-8") as file:
        events = list(csv.DictReader(file))
    assert [float(row["d(t)/d(h)"]) for row in events] == pytest.approx([0.25], abs=1e-9)  # sqrt(2 h/8)
    with open(dalembert.directory / "o" / "trajectory.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    # Fallen to z = 0, then z = 2 s - 4 s^2 with s = t - t(h), and 0.5 sqrt(16 h) in place of 2.
    assert [float(row["d(z)/d(h)"]) for row in rows] == pytest.approx([1, 1, -0.5, 0.3 - 0.5 + 8 * 0.3 * 0.25], abs=1e-9)


def test_sensitivities_of_unknown_names_are_refused(dalembert):
    result = dalembert("run", "pendulum", "--sensitivity", "mm", "--out", "o")
    assert result.status == 2
    assert "--sensitivity: 'mm' is neither a parameter nor an initial value; did you mean 'm'?" in result.err
    assert not (dalembert.directory / "o").exists()
