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
        return {name: float(value) for name, value in next(csv.DictReader(file)).items()}


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
    assert not (dalembert.directory / "out").exists()
