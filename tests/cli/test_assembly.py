"""A start put together from rough values: what is held, what is said, and what cannot be."""

import csv
import json
import math

import pytest

CRANK = """name = "Slider-crank"
coordinates = ["theta", "phi", "x"]
[parameters]
R = 0.25
L = 0.75
[energy]
kinetic = "theta'^2/16 + phi'^2/8 + x'^2"
[[constraint]]
name = "loop x"
equation = "R*cos(theta) + L*cos(phi) = x"
[[constraint]]
name = "loop y"
equation = "R*sin(theta) = L*sin(phi)"
[initial]
theta = 0.5
phi = 0.1
x = 1
"theta'" = 8
adjust = "nearest"
hold = ["theta"]
[simulation]
duration = 0.1
samples = 3
"""


def first_row(dalembert, directory):
    with open(dalembert.directory / directory / "trajectory.csv", newline="") as file:
        return {name: float(value) for name, value in next(csv.DictReader(file)).items() if value}  # blank: not known


def test_held_crank(dalembert):
    dalembert.write("crank.toml", CRANK)
    result = dalembert("run", "crank.toml")
    assert result.status == 0, result.err
    row = first_row(dalembert, "out/crank")
    phi = math.asin(0.25 * math.sin(0.5) / 0.75)
    rate = 0.25 * math.cos(0.5) * 8 / (0.75 * math.cos(phi))
    assert row["theta"] == 0.5
    assert row["theta'"] == 8
    assert row["phi"] == pytest.approx(phi, rel=1e-14)
    assert row["x"] == pytest.approx(0.25 * math.cos(0.5) + 0.75 * math.cos(phi), rel=1e-14)
    assert row["phi'"] == pytest.approx(rate, rel=1e-13)
    line = next(line for line in result.out.splitlines() if "adjusted" in line)
    assert "largest change: phi from 0.1 to 0.1604" in line
    assert ", phi' from 0 to 2.3706" in line
    summary = json.loads((dalembert.directory / "out/crank/summary.json").read_text())
    assert summary["adjusted"] is True
    moved = {change["name"]: change for change in summary["largest_changes"]}
    assert moved["phi"]["from"] == 0.1
    assert moved["phi"]["to"] == row["phi"]
    assert moved["phi'"]["to"] == row["phi'"]


def test_a_coordinate_may_still_be_named_hold(dalembert):
    text = CRANK.replace('"phi"', '"hold"').replace("phi", "hold").replace('hold = ["theta"]', "")
    dalembert.write("crank.toml", text)
    assert dalembert("run", "crank.toml").status == 0
    assert first_row(dalembert, "out/crank")["theta"] != 0.5


def test_sweep_honours_hold(dalembert):
    """The crank turns forward from where it is held and the slider comes in: the extremes are those of the start."""
    dalembert.write("crank.toml", CRANK)
    result = dalembert(
        "sweep", "crank.toml", "--vary", "theta=uniform(0.4, 0.7)", "--vary", "theta'=uniform(5, 6)", "--runs", 5,
        "--stat", "min(theta)", "--stat", "max(x)", "--stat", "max(theta')", "--out", "swept",
    )
    assert result.status == 0, result.err
    with open(dalembert.directory / "swept/results.csv", newline="") as file:
        table = list(csv.DictReader(file))
    assert len(table) == 5
    for row in table:
        theta = float(row["vary.theta"])
        phi = math.asin(0.25 * math.sin(theta) / 0.75)
        assert float(row["min(theta)"]) == theta
        assert float(row["max(x)"]) == pytest.approx(0.25 * math.cos(theta) + 0.75 * math.cos(phi), rel=1e-14)
        assert float(row["max(theta')"]) >= float(row["vary.theta'"])


@pytest.mark.parametrize(
    ("hold", "sentence"),
    [
        ('["theta", "phy"]', "unknown coordinate 'phy'; did you mean 'phi'?"),
        ('["theta", "theta"]', "'theta' is named twice"),
        ("[\"theta''\"]", "only positions and velocities can be held, not theta''"),
        ('"theta"', "an array of coordinates and velocities"),
        ("[1]", "the name of a coordinate or velocity in quotes"),
    ],
)
def test_bad_hold(dalembert, hold, sentence):
    dalembert.write("crank.toml", CRANK.replace('hold = ["theta"]', "hold = " + hold))
    result = dalembert("run", "crank.toml")
    assert result.status == 2
    assert sentence in result.err
    line = CRANK.splitlines().index('hold = ["theta"]') + 1
    assert f"crank.toml:{line}:" in result.err
    assert result.err.count("error:") == 1
    assert not (dalembert.directory / "out").exists()


def test_hold_without_adjust(dalembert):
    dalembert.write("crank.toml", CRANK.replace('"nearest"', '"none"'))
    result = dalembert("run", "crank.toml")
    assert result.status == 2
    assert 'set adjust = "nearest" or "velocity"' in result.err
    assert result.err.count("error:") == 1


def test_held_too_far(dalembert):
    text = CRANK.replace("R = 0.25", "R = 2").replace("theta = 0.5", "theta = 1.5")
    dalembert.write("crank.toml", text)
    result = dalembert("run", "crank.toml")
    assert result.status == 2
    assert "cannot be assembled: constraints 'loop y' and 'hold theta' conflict: no positions near" in result.err
    assert "theta = 1.5" in result.err  # the line that is quoted
    assert "  write another value for 'theta' in [initial], or leave it out of hold = [...]\n" in result.err
    assert not (dalembert.directory / "out").exists()


def test_a_start_that_leads_nowhere_is_told_of_hold(dalembert):
    circles = """coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
[[constraint]]
name = "left"
equation = "x^2 + y^2 = 1"
[[constraint]]
name = "right"
equation = "(x - 3)^2 + y^2 = 1"
[initial]
x = 1
y = 0.5
"""
    dalembert.write("circles.toml", circles)
    result = dalembert("run", "circles.toml")
    assert result.status == 2 and "constraints 'left' and 'right' conflict" in result.err
    assert ("  write other values in [initial], or set adjust = \"nearest\", which searches farther, with hold = "
            "[...] for those that are known\n") in result.err
    dalembert.write("circles.toml", circles + "adjust = \"nearest\"\n")
    result = dalembert("run", "circles.toml")
    assert result.status == 2
    assert ("  write other values in [initial]; name those that are known in hold = [...]; the others are found "
            "near the values written\n") in result.err


def test_constraints_that_contradict_each_other_are_not_mended_by_values(dalembert):
    dalembert.write("m.toml", "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\n[[constraint]]\nname = \"a\"\nequation = "
                    "\"x = 1\"\n[[constraint]]\nname = \"b\"\nequation = \"x = 2\"\n")
    result = dalembert("run", "m.toml")
    assert result.status == 2 and "contradict each other" in result.err and "hold" not in result.err


LINKAGE = """name = "Four-bar of bodies"
coordinates = ["x1", "y1", "a", "x2", "y2", "b", "x3", "y3", "c"]
gravity = [0, "-g", 0]
[parameters]
g = 9.81
d = 3
[[body]]
name = "crank"
mass = 1
inertia = [0.01, 0.1, 0.1]
position = ["x1", "y1", 0]
orientation = { axis = [0, 0, 1], angle = "a" }
[[body]]
name = "coupler"
mass = 2
inertia = [0.01, 1, 1]
position = ["x2", "y2", 0]
orientation = { axis = [0, 0, 1], angle = "b" }
[[body]]
name = "rocker"
mass = 1.5
inertia = [0.01, 0.5, 0.5]
position = ["x3", "y3", 0]
orientation = { axis = [0, 0, 1], angle = "c" }
[[joint]]
name = "foot"
type = "hinge"
bodies = ["ground", "crank"]
points = [[0, 0, 0], [-0.5, 0, 0]]
axis = [0, 0, 1]
[[joint]]
name = "pin"
type = "hinge"
bodies = ["crank", "coupler"]
points = [[0.5, 0, 0], [-1.25, 0, 0]]
axis = [0, 0, 1]
[[joint]]
name = "knee"
type = "hinge"
bodies = ["coupler", "rocker"]
points = [[1.25, 0, 0], [1, 0, 0]]
axis = [0, 0, 1]
friction = { mu = 0.1, radius = 0.02 }
[[joint]]
name = "post"
type = "hinge"
bodies = ["ground", "rocker"]
points = [["d", 0, 0], [-1, 0, 0]]
axis = [0, 0, 1]
[initial]                         # roughly
x1 = 0.3
y1 = 0.4
a = 1.1
x2 = 1.5
y2 = 1.4
b = 0.5
x3 = 2.7
y3 = 0.9
c = 1.8
"a'" = 2
adjust = "nearest"
hold = ["a"]
[simulation]
duration = 0.05
samples = 3
[outputs]
load = "pin.fx"
"""


def test_bodies_and_joints_from_rough_values(dalembert):
    """Where the circles about the pin and about the post meet, on the side the rough values are on."""
    dalembert.write("linkage.toml", LINKAGE)
    result = dalembert("run", "linkage.toml")
    assert result.status == 0, result.err
    row = first_row(dalembert, "out/linkage")
    px, py = math.cos(1.1), math.sin(1.1)
    dx, dy = 3 - px, -py
    distance = math.hypot(dx, dy)
    along = (distance**2 + 2.5**2 - 2**2) / (2 * distance)
    aside = math.sqrt(2.5**2 - along**2)
    kx, ky = px + (along * dx - aside * dy) / distance, py + (along * dy + aside * dx) / distance
    assert row["a"] == 1.1
    assert row["a'"] == 2
    for name, expected in {
        "x1": px / 2, "y1": py / 2, "x2": (px + kx) / 2, "y2": (py + ky) / 2, "x3": (3 + kx) / 2, "y3": ky / 2,
        "b": math.atan2(ky - py, kx - px), "c": math.atan2(ky, kx - 3),
    }.items():
        assert row[name] == pytest.approx(expected, abs=1e-12), name
    # The knee as a point of the coupler and of the rocker moves alike.
    coupler = (row["x2'"] - 1.25 * math.sin(row["b"]) * row["b'"], row["y2'"] + 1.25 * math.cos(row["b"]) * row["b'"])
    rocker = (-2 * math.sin(row["c"]) * row["c'"], 2 * math.cos(row["c"]) * row["c'"])
    assert coupler == pytest.approx(rocker, abs=1e-12)


def test_a_post_out_of_reach(dalembert):
    dalembert.write("linkage.toml", LINKAGE.replace("d = 3", "d = 7"))
    result = dalembert("run", "linkage.toml")
    assert result.status == 2
    first = result.err.splitlines()[0]
    assert "cannot be assembled: constraints " in first and "conflict: no positions near the initial state" in first
    assert "'post.x'" in first and "'knee.x'" in first and "more conflict" in first
    assert not (dalembert.directory / "out").exists()
