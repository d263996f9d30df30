"""`derive`: formats, methods, and the line for a model that a formulation rules out."""

import csv
import json

import pytest

from conftest import MODELS

METHODS = [
    "m-inverse", "scaled", "extended-dalembert", "multipliers", "maggi", "boltzmann-hamel", "transpositional",
    "central", "suslov", "voronets", "gibbs-appell", "gauss", "vakonomic",
]


def test_the_steps_of_suslov(dalembert):
    text = dalembert("derive", "rolling_disk", "--method", "suslov").out
    at = 0
    for title in ("The model", "The constraints", "Suslov's principle", "Dependent velocities",
                  "Constrained kinetic energy", "Virtual work", "Transpositional terms", "Equations of motion",
                  "Solved for the accelerations"):
        found = text.find(title, at)
        assert found >= 0, title
        at = found
    assert "(G5.216)" in text and "M q'' = Q + Q_ideal + Q_nonideal" in text
    assert "5*m*r^2*theta''/4 + 5*m*r^2*cos(theta)*sin(theta)*phi'^2/4 + 3*m*r^2*sin(theta)*phi'*psi'/2" in text


@pytest.mark.parametrize("method", METHODS)
def test_every_method_in_every_format(dalembert, method):
    for form in ("text", "markdown", "latex", "html"):
        result = dalembert("derive", "dumbbell", "--method", method, "--format", form)
        assert result.status == 0 and result.err == ""
        assert "Dumbbell with a knife edge" in result.out
    assert result.out.startswith("<!DOCTYPE html>") or result.out.startswith("<!doctype html>")


def test_all_has_contents_and_comparison(dalembert):
    text = dalembert("derive", "dumbbell").out
    assert "Contents" in text and "Comparison" in text
    assert text.count("agrees, proven") == 12
    assert "differs" in text
    assert dalembert("derive", "dumbbell", "--method", "all").out == text


def test_json(dalembert):
    document = json.loads(dalembert("derive", "dumbbell", "--method", "suslov", "--json").out)
    (suslov,) = document["formulations"]
    assert suslov["method"] == "suslov"
    assert [e["left"]["text"] for e in suslov["equations"]] == [
        "m*l^2*phi'' + m*l*sec(phi)*phi'*x'",
        "2*m*x'' - m*l*cos(phi)*phi'^2 + 2*m*tan(phi)*phi'*x'",
    ]
    assert all(e["right"]["text"] == "0" for e in suslov["equations"])
    assert suslov["accelerations"][0]["right"]["text"] == "-sec(phi)*phi'*x'/l"
    ruled = json.loads(dalembert("derive", "appell_hamel", "--json").out)["formulations"]
    assert {f["method"] for f in ruled if "ruled_out" in f} == {
        "boltzmann-hamel", "transpositional", "central", "suslov", "voronets"}


def test_what_a_model_rules_out_is_told_at_the_constraint(dalembert):
    result = dalembert("derive", "appell_hamel", "--method", "suslov")
    assert result.status == 2 and result.out == ""
    first, line, marks = result.err.splitlines()
    assert first == "appell_hamel:21:13: error: suslov: constraint 'slope' is not linear in the velocities"
    assert "(x'^2 + y'^2)/2 = k^2*z'^2/2" in line and set(marks.split("|")[1].strip()) == {"^"}


def test_the_multiplier_rule_is_labelled(dalembert):
    for form in ("text", "markdown", "latex", "html"):
        text = dalembert("derive", "skate_on_incline", "--method", "vakonomic", "--format", form).out
        assert "not the equations of mechanics" in text
        assert "departs from mechanics" in text


def test_bad_options(dalembert):
    result = dalembert("derive", "dumbbell", "--format", "pdf")
    assert result.status == 2 and "expected text, markdown, latex or html" in result.err
    result = dalembert("derive", "dumbbell", "--method", "suslow")
    assert result.status == 2 and "did you mean 'suslov'?" in result.err


def test_an_inconsistent_start_does_not_matter(dalembert):
    model = dalembert.write("m.toml", """
name = "m"
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
[[constraint]]
equation = "x' = y*y'"
[initial]
y = 1
"x'" = 5
""")
    result = dalembert("derive", model, "--method", "maggi")
    assert result.status == 0 and "Equations of motion" in result.out


def test_names_are_text(dalembert):
    model = dalembert.write("m.toml", r"""
name = '<script>alert(1)</script> \end{document} $x$'
description = '«a|\input{/etc/passwd}» <b>bold</b>'
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
[[constraint]]
name = '<img src=x onerror=alert(1)> «q|\\bad»'
equation = "x' = y*y'"
""")
    html = dalembert("derive", model, "--format", "html").out
    assert "<script>alert(1)" not in html and "<img src=x" not in html and "<b>bold" not in html
    latex = dalembert("derive", model, "--format", "latex").out
    assert latex.count(r"\end{document}") == 1 and r"\input{/etc" not in latex


def test_multipliers_evade_the_names_of_the_model(dalembert):
    model = dalembert.write("m.toml", """
name = "m"
coordinates = ["lambda1", "y"]
[parameters]
mu1 = 2
[energy]
kinetic = "mu1*(lambda1'^2 + y'^2)/2"
[[constraint]]
name = "k"
equation = "y' = y*lambda1'"
""")
    text = dalembert("derive", model, "--method", "multipliers").out
    assert "kappa1 belongs to constraint 'k'" in text and "mu1*y'' = kappa1" in text
    text = dalembert("derive", model, "--method", "vakonomic").out
    assert "nu1 belongs to constraint 'k'" in text


def test_high_powers_are_left_as_they_are(dalembert):
    model = dalembert.write("m.toml", """
name = "m"
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "cos(x)^3000 + (x + y)^500"
[[constraint]]
equation = "sin(x)*x' = cos(x)*y'"
[initial]
x = 1
""")
    result = dalembert("derive", model, timeout=60)
    assert result.status == 0 and "cos(x)^3000" in result.out


@pytest.mark.parametrize("model", ["pendulum", "dumbbell", "rolling_disk", "particle", "two_masses", "coulomb_helix", "appell_hamel",
                                   "skate_on_incline"])
def test_multipliers_are_solved_for(dalembert, model):
    (entry,) = json.loads(dalembert("derive", model, "--method", "multipliers", "--json").out)["formulations"]
    assert entry["multipliers"]["system"]["text"] == "A M^-1 A^T lambda = b - A M^-1 (Q + C)"
    solved = {one["constraint"]: one["right"]["text"] for one in entry["multipliers"]["solved"]}
    # The formula as an output of the model, along a motion, against the multiplier that `eval` solves for there.
    text = (MODELS / f"{model}.toml").read_text("utf-8")
    lines = "".join(f'lambda_{i} = "{formula}"\n' for i, formula in enumerate(solved.values()))
    text = text.replace("[outputs]\n", "[outputs]\n" + lines) if "[outputs]\n" in text else f"{text}\n[outputs]\n{lines}"
    dalembert.write("m.toml", text)
    assert dalembert("run", "m.toml", "--no-report", "--duration", "1", "--samples", "4").status == 0
    with open(dalembert.directory / "out" / "m" / "trajectory.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        names = list(json.loads(dalembert("eval", model, "--json").out)["q"])
        at = ",".join([f"t={row['t']}"] + [f"{x}={row[x]}" for name in names for x in (name, name + "'")])
        found = json.loads(dalembert("eval", model, "--json", "--at", at).out)["constraints"]
        assert [one["name"] for one in found] == list(solved)
        size = max(abs(one["multiplier_with_C"]) for one in found)
        for i, one in enumerate(found):
            # Rounding, of the state on its way through text too, grows by the condition of A M^-1 A^T at most.
            assert float(row[f"lambda_{i}"]) == pytest.approx(one["multiplier_with_C"], abs=1e-9 * size)


def test_multipliers_are_told_once_with_their_sign(dalembert):
    text = dalembert("derive", "pendulum", "--method", "multipliers").out
    assert text.count("lambda1 =") == 1
    words = " ".join(text.split())
    assert "Q_ideal + Q_nonideal = C + A^T lambda, and Q_ideal = A^T lambda where C = 0." in words
    assert "Sign convention: M q'' = Q + Q_ideal + Q_nonideal." in words
    assert "M + A^T A and Q + A^T b stand in for M and Q." in " ".join(
        dalembert("derive", "two_masses", "--method", "multipliers").out.split())


def test_long_multipliers_are_left_to_their_system(dalembert):
    text = dalembert("derive", "slider_crank", "--method", "multipliers").out
    assert "too long to read here: they are left to this system." in " ".join(text.split())
    assert "A M^-1 A^T lambda = b - A M^-1 (Q + C)\n" in text
    (entry,) = json.loads(dalembert("derive", "slider_crank", "--method", "multipliers", "--json").out)["formulations"]
    assert entry["multipliers"]["solved"] is None


def test_one_formulation_is_the_same_alone_and_among_all(dalembert):
    every = json.loads(dalembert("derive", "dumbbell", "--json").out)
    for entry in every["formulations"]:
        alone = json.loads(dalembert("derive", "dumbbell", "--json", "--method", entry["method"]).out)
        assert alone == {**every, "formulations": [entry]}
