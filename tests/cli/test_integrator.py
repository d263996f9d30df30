"""`--integrator` and `integrator` in a model: the choice, what is reported of it, and stiffness seen by rk8."""

import csv
import json
import re

PENDULUM = """
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "10*y"
[[constraint]]
name = "rod"
equation = "x^2 + y^2 = 1"
[initial]
x = 1
[simulation]
duration = 1
samples = 5
integrator = "bdf"
"""


def summary(dalembert, *args):
    result = dalembert("run", *args, "--json")
    assert result.status == 0, result.err
    return json.loads(result.out)


def rows(path):
    return [[float(x) for x in row] for row in list(csv.reader(path.open()))[1:]]


def test_the_option_replaces_the_model_s_choice(dalembert):
    dalembert.write("p.toml", PENDULUM)
    by_model = summary(dalembert, "p.toml", "--out", "a")
    by_option = summary(dalembert, "p.toml", "--integrator", "rk8", "--out", "b")
    assert by_model["integrator"] == "bdf"
    assert by_model["jacobians"] > 0
    assert by_option["integrator"] == "rk8"
    assert by_option["jacobians"] == 0
    a, b = rows(dalembert.directory / "a/trajectory.csv"), rows(dalembert.directory / "b/trajectory.csv")
    assert [row[0] for row in a] == [row[0] for row in b] == [0, 0.25, 0.5, 0.75, 1]
    # rtol is 1e-9; its errors add up over the steps.
    for x, y in zip(a, b):
        assert all(abs(p - q) < 1e-8 * by_model["steps"] for p, q in zip(x[1:5], y[1:5]))


def test_the_headline_names_the_integrator(dalembert):
    dalembert.write("p.toml", PENDULUM)
    assert "m-inverse · bdf, rtol 1e-9 · 1 s of motion" in dalembert("run", "p.toml").out
    assert "m-inverse · rk8, rtol 1e-9 · 1 s of motion" in dalembert("run", "p.toml", "--integrator", "rk8").out


def test_auto_says_what_it_chose_and_why(dalembert):
    document = summary(dalembert, "gyroscope", "--integrator", "auto", "--rtol", "1e-6", "--duration", 0.1)
    assert document["integrator"] == "auto"
    assert document["chosen"] == {"integrator": "rk8", "reason": "series gain little from rtol 1e-07 upwards"}
    lines = dalembert("run", "gyroscope", "--integrator", "auto", "--rtol", "1e-6", "--duration", 0.1).out.splitlines()
    assert lines[1].startswith("m-inverse · rk8, rtol 1e-6 · ")
    assert lines[2] == "  integrator    auto: series gain little from rtol 1e-07 upwards"
    document = summary(dalembert, "gyroscope", "--integrator", "auto", "--rtol", "1e-13", "--duration", 0.1)
    assert document["chosen"]["integrator"] == "taylor"
    assert document["taylor_steps"] == document["steps"]
    assert re.fullmatch(r"by (count|trial) series take [0-9.]+ times the work of rk8", document["chosen"]["reason"])


def test_an_unknown_integrator_is_an_error_with_a_suggestion(dalembert):
    result = dalembert("run", "pendulum", "--integrator", "bfd")
    assert (result.status, result.out) == (2, "")
    assert result.err == "error: --integrator bfd: no integrator 'bfd'; did you mean 'bdf'?\n"
    result = dalembert("run", "pendulum", "--integrator", "euler")
    assert result.err == "error: --integrator euler: no integrator 'euler'; there are rk8, taylor, bdf and auto\n"
    assert list(dalembert.directory.iterdir()) == []


def test_an_unknown_integrator_in_a_model_is_located(dalembert):
    dalembert.write("p.toml", PENDULUM.replace('"bdf"', '"bdff"'))
    result = dalembert("run", "p.toml")
    assert result.status == 2
    assert result.err.startswith("p.toml:14:15: error: unknown integrator 'bdff'; did you mean 'bdf'?\n")


def test_rk8_says_that_a_system_is_stiff(dalembert):
    result = dalembert("run", "stiff_shaft", "--integrator", "rk8", "--duration", 0.2, "--out", "o")
    assert result.status == 0
    line = next(line for line in result.out.splitlines() if line.startswith("  stiff "))
    assert 'integrator = "bdf"' in line
    document = json.loads((dalembert.directory / "o/summary.json").read_text())
    found = document["stiff"]
    assert 0 < found["t"] < 0.05
    assert found["steps"] > 100
    assert document["warnings"] == [": ".join(line.split(maxsplit=1))]


def test_bdf_and_calm_systems_have_nothing_to_say(dalembert):
    for args in [("stiff_shaft",), ("rolling_disk",)]:
        document = summary(dalembert, *args, "--duration", 0.2)
        assert document["stiff"] is None and document["warnings"] == []
        assert "stiff   " not in dalembert("run", *args, "--duration", 0.2).out


def test_rk8_names_bdf_when_its_steps_run_out(dalembert):
    text = (
        PENDULUM.replace('integrator = "bdf"', "max_steps = 300")
        .replace("[[constraint]]", "dissipation = \"1e5*(y' - 3*x')^2/2\"\n[[constraint]]", 1)
        .replace("x^2 + y^2 = 1", "x' = 2*y'")
        .replace("x = 1", "x = 1\ny = 0.5")
    )
    dalembert.write("p.toml", text)
    result = dalembert("run", "p.toml", "--duration", 10)
    assert result.status == 3
    assert "the limit of 300 steps was reached" in result.err
    assert 'integrator = "bdf"' in result.err
    assert dalembert("run", "p.toml", "--duration", 10, "--integrator", "bdf").status == 0
