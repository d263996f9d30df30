"""`--at` of run, sweep and view: a motion from elsewhere, as if [initial] had said so."""

import csv
import json

import pytest

ROD = """
coordinates = ["x", "y"]
[parameters]
l = 2
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
[[constraint]]
name = "rod"
equation = "x^2 + y^2 = l^2"
[initial]
x = 0
y = "-sqrt(l^2 - x^2)"
"x'" = 1
"y'" = "-x*x'/y"
[simulation]
duration = 1
samples = 11
"""


def rows(dalembert, folder):
    with open(dalembert.directory / folder / "trajectory.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_run_from_elsewhere_is_that_of_the_model_that_says_so(dalembert):
    dalembert.write("rod.toml", ROD)
    dalembert.write("other.toml", ROD.replace("\nx = 0\n", "\nx = 1.2\n").replace("\"x'\" = 1", "\"x'\" = \"l/4\""))
    for args in [("rod.toml", "--out", "a", "--at", "x=1.2, x'=l/4"), ("rod.toml", "--out", "b", "--at", "x = 1.2", "--at", "x'=l/4"),
                 ("other.toml", "--out", "c")]:
        result = dalembert("run", *args, "--no-report")
        assert result.status == 0, result.err
    # What is written in terms of x follows it: the rod is not broken.
    assert float(rows(dalembert, "a")[0]["y"]) == -1.6
    assert rows(dalembert, "a") == rows(dalembert, "b") == rows(dalembert, "c")


def test_a_sweep_and_a_run_from_the_same_place_have_the_same_bits(dalembert):
    dalembert.write("rod.toml", ROD)
    result = dalembert("sweep", "rod.toml", "--at", "x=l/2", "--vary", "l=[2, 3]", "--out", "s", "--duration", "1")
    assert result.status == 0, result.err
    with open(dalembert.directory / "s" / "results.csv", encoding="utf-8") as file:
        swept = list(csv.DictReader(file))
    for run, l in zip(swept, ["2", "3"]):
        assert dalembert("run", "rod.toml", "--at", "x=l/2", "--set", f"l={l}", "--out", l, "--no-report").status == 0
        last = rows(dalembert, l)[-1]
        assert float(rows(dalembert, l)[0]["x"]) == float(l) / 2
        assert {name: run[name] for name in ("x", "y", "x'", "y'")} == {name: last[name] for name in ("x", "y", "x'", "y'")}


def test_a_study_remembers_where_it_starts(dalembert):
    dalembert.write("rod.toml", ROD)
    args = ("sweep", "rod.toml", "--vary", "l=[2, 3]", "--out", "s", "--duration", "1")
    assert dalembert(*args, "--at", "x=1").status == 0
    assert json.loads((dalembert.directory / "s" / "study.json").read_text())["at"] == {"x": "1"}
    assert 'it has at {"x":"1"} instead of {"x":"0.5"}' in dalembert(*args, "--at", "x=0.5", "--resume").err
    assert 'it has at {"x":"1"} instead of null' in dalembert(*args, "--resume").err


def test_what_varies_is_not_given_as_well(dalembert):
    dalembert.write("rod.toml", ROD)
    result = dalembert("sweep", "rod.toml", "--vary", "x=[0, 1]", "--at", "x=1")
    assert result.status == 2
    assert result.err.startswith("error: --vary 'x=[0, 1]': 'x' is given by --at too; it either varies or does not\n")


@pytest.mark.parametrize("at, sentence", [
    ("t=1", "--at t=1: a motion starts at t = 0"),
    ("z=1", "--at: unknown coordinate 'z'"),
    ("x", "--at 'x': expected NAME=VALUE, as in \"x=1,x'=2\""),
    ("x=1, x=2", "--at 'x=2': 'x' is given twice"),
    ("x=1/0", "--at x = '1/0': division by zero"),
    ("x=log(l-2)", "--at x = 'log(l-2)': not a finite number"),
    ("x=y", "--at x = 'y': unknown name 'y'"),
])
def test_a_bad_start_is_refused(dalembert, at, sentence):
    dalembert.write("rod.toml", ROD)
    result = dalembert("run", "rod.toml", "--at", at)
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith(f"error: {sentence}"), result.err
    assert not (dalembert.directory / "out").exists()


def test_a_start_off_the_constraints_is_refused_as_one_of_the_file_is(dalembert):
    dalembert.write("rod.toml", ROD)
    result = dalembert("run", "rod.toml", "--at", "y=1")
    assert result.status == 2
    assert "the initial state breaks constraint 'rod': residual -3" in result.err
    assert "what must stay as it is written is named in hold = [...] beside it" in result.err
    dalembert.write("rod.toml", ROD.replace("[simulation]", 'adjust = "nearest"\n[simulation]'))
    result = dalembert("run", "rod.toml", "--at", "y=1", "--no-report")
    assert result.status == 0 and "start         adjusted to the nearest state on the constraints" in result.out


def test_multipliers_of_the_multiplier_rule_are_given_too(dalembert):
    args = ("run", "skate_on_incline", "--method", "vakonomic", "--no-report", "--duration", "1")
    edge = json.loads(dalembert("check", "skate_on_incline", "--json").out)["constraints"][0]["name"]
    result = dalembert(*args, "--at", f"mu.{edge}=0.25")
    assert result.status == 0, result.err
    assert float(rows(dalembert, "out/skate_on_incline")[0][f"mu.{edge}"]) == 0.25
    result = dalembert("run", "skate_on_incline", "--at", f"mu.{edge}=0.25")
    assert result.status == 2 and f"unknown coordinate 'mu.{edge}'" in result.err
