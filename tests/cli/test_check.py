"""`check`: what it says of a model, for people and for programs, and how it ends."""

import json

import pytest

from conftest import LARGE, MODELS

ALL = [path.stem for path in sorted(MODELS.glob("*.toml")) if path.stem not in LARGE]

SKATE = """
name = "skate"
coordinates = ["x", "y", "phi"]
[energy]
kinetic = "(x'^2 + y'^2 + phi'^2)/2"
[[constraint]]
name = "edge"
equation = "x'*sin(phi) = y'*cos(phi)"
"""


def report(dalembert, *args, status=0):
    result = dalembert("check", *args, "--json")
    assert result.status == status, result.err
    return json.loads(result.out)


@pytest.mark.parametrize("model", ALL)
def test_every_model_passes_with_proof(dalembert, model):
    document = report(dalembert, model)
    assert document["passed"] is True
    for entry in document["equivalence"]:
        if "ruled_out" in entry:
            assert entry["agrees"] is None
        elif entry["mechanical"]:
            assert entry["agrees"] is True and entry["how"] == "proof" and entry["error"] == 0, entry


def test_keys_of_the_contract(dalembert):
    document = report(dalembert, "slider_crank")
    assert document["coordinates"] == 3 and document["rank"] == 2 and document["degrees_of_freedom"] == 1
    assert document["redundant"] == ["rod length"]
    assert document["dependencies"][0]["depends_on"] == ["loop x", "loop y"]
    assert document["initial"]["consistent"] is True and document["initial"]["residual"] < 1e-12
    assert document["reactions"] == [
        {"constraint": name, "unique": False} for name in ("loop x", "loop y", "rod length")
    ]
    first = document["constraints"][0]
    assert first["kind"] == "holonomic" and first["level"] == "position" and first["integrable"] is True
    assert first["linear"] is True and first["rheonomic"] is False
    methods = [entry["method"] for entry in document["equivalence"]]
    assert methods[:2] == ["m-inverse", "scaled"] and methods[-1] == "vakonomic" and len(methods) == 13


def test_kinds_of_constraints(dalembert):
    assert report(dalembert, "rolling_disk")["constraints"][0]["kind"] == "nonholonomic"
    assert report(dalembert, "rolling_disk")["holonomic_combinations"] == 0
    assert report(dalembert, "rotating_wire")["constraints"][0]["rheonomic"] is True
    nonlinear = report(dalembert, "appell_hamel")["constraints"][0]
    assert nonlinear["linear"] is False and nonlinear["integrable"] is None


def test_vakonomic_differs_and_that_is_no_failure(dalembert):
    document = report(dalembert, "skate_on_incline")
    last = document["equivalence"][-1]
    assert last["method"] == "vakonomic" and last["mechanical"] is False and last["agrees"] is False
    assert "witness" in last
    text = dalembert("check", "skate_on_incline").out
    assert "How the multiplier rule departs from mechanics" in text and "Delta_phi = -mu1*sec(phi)*x'" in text
    assert report(dalembert, "pendulum")["equivalence"][-1]["agrees"] is True


def test_one_formulation(dalembert):
    document = report(dalembert, "dumbbell", "--method", "suslov")
    assert [entry["method"] for entry in document["equivalence"]] == ["suslov"]
    result = dalembert("check", "dumbbell", "--method", "suslow")
    assert result.status == 2 and "did you mean 'suslov'?" in result.err


def test_an_inconsistent_start_is_a_no(dalembert):
    model = dalembert.write("skate.toml", SKATE + "[initial]\n\"x'\" = 1\nphi = 0.5\n")
    result = dalembert("check", model)
    assert result.status == 1
    assert "NOT consistent" in result.out and "the nearest consistent state" in result.err
    assert report(dalembert, model, status=1)["initial"]["consistent"] is False


def test_an_adjusted_start_is_said(dalembert):
    model = dalembert.write("skate.toml", SKATE + "[initial]\n\"x'\" = 1\nphi = 0.5\nadjust = \"nearest\"\n")
    result = dalembert("check", model)
    assert result.status == 0 and "adjusted to the nearest state" in result.out
    assert report(dalembert, model)["initial"]["adjusted"] is True


def test_a_singular_start_is_a_no(dalembert):
    text = SKATE.replace("x'*sin(phi) = y'*cos(phi)", "y*x' = y*phi'")
    result = dalembert("check", dalembert.write("singular.toml", text))
    assert result.status == 1
    assert "the start is a singular state: the rank is 0 there" in result.out
    document = report(dalembert, "singular.toml", status=1)
    assert document["rank"] == 1 and document["rank_at_start"] == 0 and document["passed"] is False


def test_integrals_are_shown(dalembert):
    text = SKATE.replace("x'*sin(phi) = y'*cos(phi)", "x*x' + y*y' = 0")
    model = dalembert.write("circle.toml", text + "[initial]\nx = 1\n\"y'\" = 1\n")
    result = dalembert("check", model)
    assert result.status == 0
    assert "'edge' integrates to (x^2 + y^2)/2 = const" in result.out
    assert "holonomic (integrable), scleronomic" in result.out


def test_a_holonomic_combination_is_named(dalembert):
    model = dalembert.write("m.toml", """
name = "Neither is integrable, their difference is"
coordinates = ["x", "y", "z", "w"]
[energy]
kinetic = "(x'^2 + y'^2 + z'^2 + w'^2)/2"
[[constraint]]
name = "a"
equation = "y' = z*x'"
[[constraint]]
name = "b"
equation = "y' + x*w' = z*x' + w*x'"
[initial]
x = 1
w = 0.5
z = 0.25
""")
    text = " ".join(dalembert("check", model).out.split())
    assert "1 of 2 independent combinations of the constraints linear in velocities is holonomic" in text
    assert "holonomic: w' - w*x'/x = 0, which integrates to x/w = const" in text
    assert report(dalembert, model)["combinations"] == [{"equation": "w' - w*x'/x = 0", "integral": "x/w"}]
    assert report(dalembert, "rolling_disk")["combinations"] == []


def test_quasi_velocities_may_bear_any_name(dalembert):
    # Names the program might have used itself: of C, of a constraint's form, of a multiplier.
    system = """
name = "names"
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + 2*y'^2)/2"
[[constraint]]
name = "c"
equation = "y' = x*x'"
[virtual_work]
x = "-x'"
[quasi_velocities]
NAME = "x'"
[initial]
x = 1
"x'" = 1
"y'" = 1
"""
    for name in ("C_x", "u2", "lambda1", "theta1", "a1", "mu1", "R1_1"):
        model = dalembert.write("names.toml", system.replace("NAME", name))
        expected = json.loads(dalembert("eval", model, "--json").out)["acceleration"]
        for method in ("boltzmann-hamel", "central", "transpositional", "gibbs-appell", "maggi", "suslov"):
            result = json.loads(dalembert("eval", model, "--method", method, "--json").out)
            assert result["acceleration"] == pytest.approx(expected, rel=1e-12), (name, method)
        assert report(dalembert, model)["passed"] is True
        derived = dalembert("derive", model, "--method", "central").out
        assert f"0 = {name} " not in derived


def test_bad_models_are_refused(dalembert):
    model = dalembert.write("bad.toml", SKATE.replace("phi'^2", "phy'^2"))
    for command in ("check", "derive"):
        result = dalembert(command, model)
        assert result.status == 2 and result.out == ""
        assert "bad.toml:5:" in result.err and "did you mean 'phi'" in result.err
