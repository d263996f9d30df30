"""A short force in a long motion is integrated right, by run and by sweep, or it is said that it may be missed; max_step."""

import csv
import json

import pytest

PUSHED = """
coordinates = ["x"]
[parameters]
t1 = 7
[let]
s = "(t - t1)/w"
w = "1/5"
[energy]
kinetic = "x'^2/2"
[forces]
x = "FORCE"
[simulation]
duration = 30
samples = 11
"""

# Each has the impulse 0.2.
PULSES = [
    "max(0, 1 - abs(t - t1)/0.2)",
    "max(0, 1 - abs(s))",
    "(sign(t - 3.3) - sign(t - 3.5))/2",
    "2*exp(-(20*(s - 1))^2*pi/4)*5",
]


def model(dalembert, force, more=""):
    dalembert.write("p.toml", PUSHED.replace("FORCE", force) + more)


def summary(dalembert, *args):
    result = dalembert("run", "p.toml", "--json", "--out", "o", *args)
    assert result.status == 0, result.err
    return json.loads(result.out)


@pytest.mark.parametrize("integrator", ["rk8", "bdf"])
@pytest.mark.parametrize("force", PULSES)
def test_a_short_force_is_not_missed(dalembert, force, integrator):
    model(dalembert, force)
    found = summary(dalembert, "--integrator", integrator)
    last = list(csv.DictReader((dalembert.directory / "o/trajectory.csv").open()))[-1]
    assert float(last["x'"]) == pytest.approx(0.2, abs=1e-7)
    assert found["warnings"] == []


@pytest.mark.parametrize("force", PULSES)
def test_nor_in_a_sweep(dalembert, force):
    model(dalembert, force)
    result = dalembert("sweep", "p.toml", "--vary", "t1=linspace(3,20,9)", "--stat", "final(x')", "--json", "--csv", "--out", "s")
    assert result.status == 0, result.err
    rows = list(csv.DictReader((dalembert.directory / "s/results.csv").open()))
    assert len(rows) == 9
    for row in rows:
        assert float(row["final(x')"]) == pytest.approx(0.2, abs=1e-7)


def test_what_acts_unseen_at_a_row_is_a_warning(dalembert):
    model(dalembert, "1e3*exp(-(x - 1200)^2)", "[initial]\n\"x'\" = 100\n")
    warnings = summary(dalembert)["warnings"]
    assert len(warnings) == 1 and warnings[0].startswith("at t = 12 a force acts") and "max_step" in warnings[0]
    assert summary(dalembert, "--max-step", "0.02")["warnings"] == []


def test_max_step_bounds_the_steps_of_run_and_sweep(dalembert):
    model(dalembert, "1")
    free = summary(dalembert)
    assert free["max_step"] is None and free["steps"] < 50
    bounded = summary(dalembert, "--max-step", "t1/28")
    assert bounded["max_step"] == 0.25 and bounded["steps"] >= 120
    result = dalembert("sweep", "p.toml", "--vary", "t1=[1]", "--max-step", "0.25", "--json", "--out", "s")
    swept = json.loads(result.out)
    assert swept["max_step"] == 0.25 and swept["steps"] == bounded["steps"]
    model(dalembert, "1", "max_step = 0.5\n")
    assert summary(dalembert)["max_step"] == 0.5


@pytest.mark.parametrize("value", ["0", "-1"])
def test_max_step_must_be_positive(dalembert, value):
    model(dalembert, "1")
    for command in ("run", "sweep"):
        result = dalembert(command, "p.toml", "--max-step", value, *(["--vary", "t1=[1]"] if command == "sweep" else []))
        assert result.status == 2
        assert result.err == f"error: --max-step {value}: must be positive\n"
    model(dalembert, "1", f"max_step = {value}\n")
    result = dalembert("run", "p.toml")
    assert result.status == 2
    assert result.err.startswith("p.toml:15:12: error: max_step must be positive and finite\n")


def test_a_study_goes_on_with_the_same_max_step_only(dalembert):
    model(dalembert, "1")
    first = dalembert("sweep", "p.toml", "--vary", "t1=[1]", "--max-step", "0.25", "--out", "s")
    assert first.status == 0, first.err
    other = dalembert("sweep", "p.toml", "--vary", "t1=[1]", "--max-step", "0.5", "--out", "s", "--resume")
    assert other.status == 2 and "max_step" in other.err
