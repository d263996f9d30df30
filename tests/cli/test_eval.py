"""`dalembert eval` and `dalembert models`."""

import json

import pytest
from conftest import MODELS, WITH_INSTANTS


def test_json_has_the_shape_of_the_contract(dalembert):
    result = dalembert("eval", "slider_crank", "--json")
    assert result.status == 0 and result.err == ""
    document = json.loads(result.out)
    names = ["theta", "phi", "x"]
    for key in ("q", "v", "unconstrained", "acceleration"):
        assert list(document[key]) == names
    assert set(document["force"]) == {"applied", "ideal", "nonideal"}
    assert document["method"] == "m-inverse" and document["t"] == 0
    assert document["rank"] == 2 and document["residual"] < 1e-9
    assert len(document["A"]) == len(document["b"]) == len(document["violation"]) == 3
    assert len(document["mass_matrix"]) == 3
    for name in names:  # the shares add up to the whole
        total = sum(c["force"][name] for c in document["constraints"])
        assert total == pytest.approx(document["force"]["ideal"][name], rel=1e-12, abs=1e-12)
    assert [c["unique"] for c in document["constraints"]] == [False, False, False]


def test_forces_accelerate_the_masses(dalembert):
    document = json.loads(dalembert("eval", "coulomb_helix", "--json").out)
    for i, row in enumerate(document["mass_matrix"]):
        inertia = sum(m * a for m, a in zip(row, document["acceleration"].values()))
        force = sum(list(document["force"][k].values())[i] for k in ("applied", "ideal", "nonideal"))
        assert inertia == pytest.approx(force, abs=1e-12)


def test_at_changes_the_state_and_may_break_constraints(dalembert):
    result = dalembert("eval", "pendulum", "--at", "t=1.5, x = 3, y=-4, x'=pi/2", "--json")
    assert result.status == 0, result.err
    document = json.loads(result.out)
    assert document["t"] == 1.5
    assert document["q"] == {"x": 3, "y": -4}
    assert document["v"]["x"] == pytest.approx(1.5707963267948966, rel=1e-16)
    assert document["constraints"][0]["residual"] != 0


def test_singular_mass_has_no_unconstrained_motion(dalembert):
    document = json.loads(dalembert("eval", "two_masses", "--json").out)
    assert document["unconstrained"] == {"x1": None, "q1": None, "q2": None}
    assert document["violation"] == [None]


def test_every_method_agrees_on_every_model(dalembert):
    for model in sorted(MODELS.glob("*.toml")):
        if model.stem in WITH_INSTANTS:
            continue
        reference = None
        for method in ["m-inverse", "scaled", "extended-dalembert", "weighted", "multipliers"]:
            result = dalembert("eval", model, "--method", method, "--json")
            assert result.status == 0, (model, method, result.err)
            document = json.loads(result.out)
            numbers = [*document["acceleration"].values(), *document["force"]["ideal"].values()]
            reference = reference or numbers
            assert numbers == pytest.approx(reference, rel=1e-11, abs=1e-11), (model, method)


def test_tables_say_the_sign_convention(dalembert):
    result = dalembert("eval", "dumbbell")
    assert result.status == 0
    assert "M q'' = Q + Q_ideal + Q_nonideal" in result.out


def test_models_lists_every_model(dalembert):
    listed = [line.split()[0] for line in dalembert("models").out.splitlines()]
    assert listed == sorted(m.stem for m in MODELS.glob("*.toml"))
    assert [m["name"] for m in json.loads(dalembert("models", "--json").out)] == listed


@pytest.mark.parametrize(
    "args, message",
    [
        (["--at", "z=1"], "error: --at: unknown coordinate 'z'"),
        (["--at", "x"], "error: --at 'x': expected NAME=VALUE, as in \"t=0,x=1,x'=2\""),
        (["--at", "x=1/0"], "error: --at x = '1/0': division by zero"),
        (["--at", "x=q"], "error: --at x = 'q': unknown name 'q'"),
        (["--set", "mm=1"], "error: --set mm=1: unknown parameter 'mm'; did you mean 'm'?"),
        (["--set", "m"], "error: --set m: expected NAME=VALUE"),
        (["--set", "m=1e999"], "error: --set m=1e999: parameter 'm' is inf; it must be finite"),
        (["--method", "maggie"], "error: no method 'maggie'; did you mean 'maggi'?"),
        (["--bogus"], "error: "),
    ],
)
def test_bad_options_are_refused(dalembert, args, message):
    result = dalembert("eval", "pendulum", *args)
    assert result.status == 2
    assert message in result.err
    assert result.out == ""


def test_help_and_version(dalembert):
    assert dalembert("--help").status == 0
    assert dalembert("--version").out.startswith("dalembert ")
    assert dalembert().status == 2
    assert dalembert("simulate", "x").status == 2
