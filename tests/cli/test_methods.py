"""`--method`: every formulation by name, what a model rules out, and the multiplier rule."""

import csv
import json
import re

import pytest
from conftest import LARGE, MODELS, WITH_INSTANTS

FORMULATIONS = ["maggi", "boltzmann-hamel", "transpositional", "central", "suslov", "voronets", "gibbs-appell", "gauss"]
NEED_LINEAR_CONSTRAINTS = {"boltzmann-hamel", "transpositional", "central", "suslov", "voronets"}
NOTE = "vakonomic: the multiplier rule; NOT the mechanical motion unless the constraints are holonomic"


def numbers_of(document):
    return [x for part in ("ideal", "nonideal") for x in document["force"][part].values()] + list(
        document["acceleration"].values()
    )


@pytest.mark.parametrize("model", sorted({path.stem for path in MODELS.glob("*.toml")} - LARGE - WITH_INSTANTS))
def test_every_formulation_agrees_on_every_model(dalembert, model):
    reference = json.loads(dalembert("eval", model, "--json").out)
    for method in FORMULATIONS:
        result = dalembert("eval", model, "--method", method, "--json")
        if model == "appell_hamel" and method in NEED_LINEAR_CONSTRAINTS:
            assert result.status == 2 and result.out == ""
            assert f"error: {method}: constraint 'slope' is not linear in the velocities" in result.err
            assert re.match(r"appell_hamel:\d+:\d+: error: ", result.err) and len(result.err.splitlines()) == 3
            continue
        assert result.status == 0 and result.err == "", (method, result.err)
        document = json.loads(result.out)
        assert document["method"] == method and document["mechanical"] is True and "note" not in document
        assert numbers_of(document) == pytest.approx(numbers_of(reference), rel=1e-11, abs=1e-11), method
        assert [c["multiplier"] for c in document["constraints"]] == pytest.approx(
            [c["multiplier"] for c in reference["constraints"]], rel=1e-12, abs=1e-12
        )


def test_a_method_in_the_file_that_the_model_rules_out_is_located(dalembert):
    text = (MODELS / "appell_hamel.toml").read_text()
    dalembert.write("model.toml", text.replace("[simulation]", '[simulation]\nmethod = "suslov"'))
    result = dalembert("run", "model.toml")
    line = text.splitlines().index("[simulation]") + 2
    assert result.status == 2 and result.out == ""
    assert result.err.startswith(f"model.toml:{line}:")
    assert "error: suslov: constraint 'slope' is not linear in the velocities" in result.err
    assert not (dalembert.directory / "out").exists()


def test_unknown_method_lists_all(dalembert):
    result = dalembert("eval", "pendulum", "--method", "magic")
    assert result.status == 2
    for name in [*FORMULATIONS, "m-inverse", "weighted", "vakonomic"]:
        assert name in result.err


def test_dumbbell_reports_the_switch_of_coordinates(dalembert):
    result = dalembert("run", "dumbbell", "--method", "suslov", "--out", "out", "--duration", 2)
    assert result.status == 0, result.err
    assert "  dependent     y -> x at t = " in result.out
    summary = json.loads((dalembert.directory / "out" / "summary.json").read_text())
    (switch,) = summary["coordinate_switches"]
    assert switch["from"] == ["y"] and switch["to"] == ["x"] and 0 < switch["t"] < 1
    assert switch["what"] == "dependent coordinates"
    assert summary["mechanical"] is True and "note" not in summary


def test_off_the_constraints_a_formulation_says_what_it_answers(dalembert):
    result = dalembert("eval", "dumbbell", "--method", "suslov", "--at", "y'=3", "--json")
    assert result.status == 0
    assert "note: this state is not on the constraints" in result.err


def test_vakonomic_run_says_that_it_is_not_mechanics(dalembert):
    result = dalembert("run", "skate_on_incline", "--method", "vakonomic", "--out", "out", "--duration", 1)
    assert result.status == 0 and result.err == ""
    assert NOTE in result.out.splitlines()
    summary = json.loads((dalembert.directory / "out" / "summary.json").read_text())
    assert summary["mechanical"] is False and summary["note"] == NOTE
    assert summary["balance_error"] < 1e-7
    with (dalembert.directory / "out" / "trajectory.csv").open() as file:
        rows = list(csv.reader(file))
    assert rows[0][-2:] == ["mu.knife edge", "speed"]
    assert float(rows[1][-2]) == 0.5
    assert float(rows[-1][-2]) != 0.5


def test_vakonomic_eval_has_mu_and_its_rate(dalembert):
    result = dalembert("eval", "skate_on_incline", "--method", "vakonomic", "--json", "--at", "mu.knife edge=-2")
    document = json.loads(result.out)
    assert document["mechanical"] is False and document["note"] == NOTE
    assert document["mu"] == {"knife edge": -2} and document["mu_rate"] == {"knife edge": 1.5}
    assert document["acceleration"]["x"] == 2  # x'' = -mu phi' at phi = 0
    assert document["constraints"][0]["multiplier"] is None
    text = dalembert("eval", "skate_on_incline", "--method", "vakonomic").out
    assert NOTE in text.splitlines()
    assert any(line.split()[-2:] == ["mu", "mu'"] for line in text.splitlines() if line)


def test_vakonomic_needs_mu(dalembert):
    result = dalembert("run", "dumbbell", "--method", "vakonomic")
    assert result.status == 2 and result.out == ""
    assert (
        "error: method vakonomic needs an initial value of mu for 'knife edge', "
        'as in mu = { "knife edge" = 0.1 } in [initial]'
    ) in result.err


def test_mu_is_no_state_of_other_methods(dalembert):
    result = dalembert("eval", "skate_on_incline", "--at", "mu.knife edge=1")
    assert result.status == 2
    assert "error: --at: unknown coordinate 'mu.knife edge'" in result.err


def test_a_wish_given_up_at_the_start_is_reported(dalembert):
    # At phi = 0 the edge determines y', so x cannot be the dependent coordinate.
    model = dalembert.write("skate.toml", """
name = "skate"
coordinates = ["x", "y", "phi"]
[energy]
kinetic = "(x'^2 + y'^2 + phi'^2)/2"
[[constraint]]
name = "edge"
equation = "x'*sin(phi) = y'*cos(phi)"
[independent]
coordinates = ["y", "phi"]
[initial]
"x'" = 1
"phi'" = 0.1
[simulation]
duration = 1
""")
    result = dalembert("run", model, "--method", "suslov", "--json")
    assert result.status == 0, result.err
    first = json.loads(result.out)["coordinate_switches"][0]
    assert first["t"] == 0 and first["from"] == ["x"] and first["to"] == ["y"]


def test_what_a_model_rules_out_does_not_depend_on_the_start(dalembert):
    # Rank 0 at rest; still not linear in the velocities.
    model = dalembert.write("cone.toml", """
name = "cone"
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
[[constraint]]
name = "c"
equation = "x'^2 = 4*y'^2"
""")
    for command in ("run", "eval", "derive"):
        result = dalembert(command, model, "--method", "suslov")
        assert result.status == 2 and result.out == ""
        assert "suslov: constraint 'c' is not linear in the velocities" in result.err
    assert not (dalembert.directory / "out").exists()


def test_vakonomic_says_first_what_rules_it_out(dalembert):
    model = dalembert.write("acc.toml", """
name = "acc"
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
[[constraint]]
name = "a"
equation = "x'' = y''"
""")
    result = dalembert("eval", model, "--method", "vakonomic")
    assert result.status == 2 and "constraint 'a' is given at the level of accelerations" in result.err


def test_a_quasi_velocity_is_no_parameter(dalembert):
    model = dalembert.write("q.toml", """
name = "q"
coordinates = ["x"]
[parameters]
m = 1
[energy]
kinetic = "m*x'^2/2"
[quasi_velocities]
m = "x'"
""")
    result = dalembert("eval", model)
    assert result.status == 2
    assert "q.toml:9:" in result.err and "'m' is a parameter and cannot be the name of a quasi-velocity" in result.err
