"""s.check(): what the command `check` finds, and how it is shown."""

import json
import os
import pathlib
import subprocess
import xml.etree.ElementTree

import pytest

import dalembert as dal

COMMAND = os.environ.get("DALEMBERT") or str(pathlib.Path(dal.__file__).parent / "dalembert")


def run_command(model, *options):
    return subprocess.run([COMMAND, "check", model, *options], capture_output=True, text=True, timeout=300)


BROKEN = """
name = "Broken <start>"
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
[[constraint]]
name = "a & b"
equation = "x' = y"
[initial]
y = 1
"x'" = 2
"""


@pytest.mark.parametrize("model", ["rolling_disk", "dumbbell", "pendulum", "two_masses", "appell_hamel", "coulomb_helix"])
def test_equals_the_command(model):
    found = dal.read(model).check()
    assert found.json == json.loads(run_command(model, "--json").stdout)
    plain = run_command(model)
    assert str(found) == plain.stdout.rstrip("\n")
    assert found.passed == bool(found) == (plain.returncode == 0)


def test_one_formulation_and_other_parameters():
    found = dal.read("pendulum").check("maggi", parameters={"l": 2})
    assert found.json == json.loads(run_command("pendulum", "--json", "--method", "maggi", "--set", "l=2").stdout)
    assert [entry["method"] for entry in found.formulations] == ["maggi"]
    motion = dal.Compiled(dal.read("pendulum"), parameters={"l": 2})
    assert dal.check.check(motion, "maggi").json == found.json


def test_rolling_disk_as_books_have_it():
    found = dal.read("rolling_disk").check()
    assert found and found.rank == found.rank_at_start == 2 and found.degrees_of_freedom == 3
    assert [c["name"] for c in found.constraints] == ["rolling x", "rolling y"]
    for constraint in found.constraints:
        assert constraint["kind"] == "nonholonomic" and constraint["integrable"] is False
        assert constraint["unique"] and not constraint["redundant"] and not constraint["rheonomic"]
    verdict = {entry["method"]: entry["agrees"] for entry in found.formulations}
    assert verdict.pop("vakonomic") is False and all(verdict.values()) and len(verdict) == 12


def test_what_motions_keep():
    found = dal.read("skate_on_incline").check("m-inverse")
    assert [(q["kind"], q.get("of")) for q in found.conserved] == [("energy", None), ("momentum", "phi")]
    assert found.conserved[1]["expression"] == "I*phi'" and found.json["energy"]["conserved"] is True
    assert "<p>conserved: momentum of phi: <code>I*phi&#x27;</code></p>" in found._repr_html_()
    with pytest.raises(TypeError):
        found.conserved[0]["kind"] = "luck"
    assert dal.read("rotating_wire").check("m-inverse").conserved == []


def test_redundant_constraints():
    text = dal.read("pendulum").to_toml()
    twice = text.replace("[initial]", '[[constraint]]\nname = "again"\nequation = "2*x^2 + 2*y^2 = 2*l^2"\n\n[initial]', 1)
    found = dal.loads(twice).check("m-inverse")
    assert found.rank == 1 and found.degrees_of_freedom == 1
    assert [(c["name"], c["redundant"], c["unique"]) for c in found.constraints] == [
        ("length", False, False), ("again", True, False)]


def test_a_start_off_the_constraints_is_told(tmp_path):
    found = dal.loads(BROKEN).check()
    assert not found and not found.consistent and "a & b" in found.problem
    (tmp_path / "model.toml").write_text(BROKEN)
    plain = run_command(str(tmp_path / "model.toml"))
    assert plain.returncode == 1 and str(found) == plain.stdout.rstrip("\n")
    assert "NOT passed" in repr(found)


def test_html_is_a_table_and_escaped():
    found = dal.loads(BROKEN).check()
    page = found._repr_html_()
    tree = xml.etree.ElementTree.fromstring(f"<div>{page}</div>")
    assert [t.find("caption").text for t in tree.findall("table")] == ["constraints", "formulations"]
    rows = tree.findall("table")[0].findall("tbody/tr")
    assert [cell.text for cell in rows[0]][:3] == ["a & b", "nonholonomic", "velocity"]
    assert "Broken &lt;start&gt;" in page and "not passed" in page
    assert "passed" in dal.read("pendulum").check("maggi")._repr_html_()


def test_to_pandas():
    found = dal.read("rolling_disk").check()
    assert found.to_pandas()["name"].tolist() == ["rolling x", "rolling y"]
    formulations = found.to_pandas("formulations").set_index("method")
    assert formulations.loc["suslov", "how"] == "proof" and not formulations.loc["vakonomic", "agrees"]
    with pytest.raises(ValueError, match="'constraints' and of 'formulations'"):
        found.to_pandas("all")


def test_errors():
    with pytest.raises(ValueError, match="no formulation 'suslof'; did you mean 'suslov'"):
        dal.read("pendulum").check("suslof")
    with pytest.raises(dal.ModelError, match="no parameter|unknown") as caught:
        dal.read("pendulum").check(parameters={"ll": 1})
    assert caught.value.diagnostics
    with pytest.raises(dal.EffortSpent, match="effort of 10"):
        dal.read("rolling_disk").check(effort=10)
    with pytest.raises(dal.ModelError, match="phy") as caught:
        dal.loads(dal.read("rolling_disk").to_toml().replace("cos(phi)", "cos(phy)", 1)).check()
    assert caught.value.diagnostics[0].line > 0
