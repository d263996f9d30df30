"""Derivatives of the runs of a sweep, and the gradient of what one motion ends with."""

import csv
import json
import shutil
import signal
import subprocess
import time

import pytest
from conftest import PROGRAM

PENDULUM = ["sweep", "pendulum", "--vary", "g=[9.5, 9.75]", "--vary", "omega=[0.25, 0.5]", "--duration", "2"]

SPRING = """
coordinates = ["x"]
[parameters]
c = 4
[energy]
kinetic = "x'^2/2"
potential = "c*x^2/2"
[initial]
x = 1
[outputs]
work = "c*x^2/2"
"""

SERVO = """
coordinates = ["x1", "x2"]
[parameters]
m1 = 2
k = 5
[inputs]
u = 0
v = 0
[energy]
kinetic = "m1*x1'^2/2 + x2'^2/2"
potential = "k*(x1 - x2)^2/2"
[forces]
x1 = "u"
x2 = "v"
[[constraint]]
name = "path"
equation = "x1 = sin(t)/2"
by = ["u"]
[initial]
"x1'" = 0.5
[outputs]
stretch = "x1 - x2"
"""


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def derivatives(row):
    return {name: text for name, text in row.items() if name.startswith("d(") and "''" not in name.split(")/")[0]}


def test_each_run_has_the_derivatives_of_the_run_alone_to_the_last_bit(dalembert):
    result = dalembert(*PENDULUM, "--sensitivity", "g,x", "--sensitivity", "omega", "--threads", 2)
    assert result.status == 0, result.err
    table = rows(dalembert.directory / "out/pendulum-sweep/results.csv")
    names = [f"d({q})/d({s})" for q in ("x", "y", "x'", "y'") for s in ("g", "x", "omega")]
    for row in table:
        assert list(derivatives(row)) == names
        alone = dalembert("run", "pendulum", "--set", f"g={row['vary.g']}", "--set", f"omega={row['vary.omega']}",
                          "--sensitivity", "g,x,omega", "--duration", "2", "--no-report", "--quiet")
        assert alone.status == 0, alone.err
        end = rows(dalembert.directory / "out/pendulum/trajectory.csv")[-1]
        assert {name: float(row[name]) for name in names} == {name: float(end[name]) for name in names}


def test_initial_values_that_vary_or_are_given_count_as_in_a_run_alone(dalembert):
    model = dalembert.write("spring.toml", SPRING)
    assert dalembert("sweep", model, "--vary", "x=[1, 2]", "--at", "x'=0.5", "--sensitivity", "x,x',c", "--duration", "1",
                     "--quiet").status == 0
    for row in rows(dalembert.directory / "out/spring-sweep/results.csv"):
        dalembert("run", model, "--at", f"x={row['vary.x']},x'=0.5", "--sensitivity", "x,x',c", "--duration", "1",
                  "--no-report", "--quiet")
        end = rows(dalembert.directory / "out/spring/trajectory.csv")[-1]
        assert all(float(row[name]) == float(end[name]) for name in derivatives(row))


def test_statistics_of_derivatives_are_taken_over_the_samples(dalembert):
    model = dalembert.write("spring.toml", SPRING)
    result = dalembert("sweep", model, "--vary", "c=[4]", "--sensitivity", "x", "--stat", "min(d(x)/d(x))", "--stat",
                       "final(d(work)/d(x))", "--stat", "max(x)", "--samples", 101, "--duration", "3", "--quiet")
    assert result.status == 0, result.err
    row = rows(dalembert.directory / "out/spring-sweep/results.csv")[0]
    dalembert("run", model, "--sensitivity", "x", "--samples", 101, "--duration", "3", "--no-report", "--quiet")
    alone = rows(dalembert.directory / "out/spring/trajectory.csv")
    assert float(row["min(d(x)/d(x))"]) == min(float(one["d(x)/d(x)"]) for one in alone)
    assert float(row["final(d(work)/d(x))"]) == float(alone[-1]["d(work)/d(x)"])
    assert float(row["max(x)"]) == max(float(one["x"]) for one in alone)


def test_what_was_interrupted_goes_on_to_the_same_bytes(dalembert):
    many = ["sweep", "pendulum", "--vary", "g=linspace(9, 10, 400)", "--sensitivity", "g,omega", "--duration", "3",
            "--quiet", "--csv"]
    assert dalembert(*many, "--out", "whole").status == 0
    process = subprocess.Popen([PROGRAM, *many, "--out", "parts"], cwd=dalembert.directory, stderr=subprocess.DEVNULL)
    journal = dalembert.directory / "parts/runs.journal"
    while process.poll() is None and not (journal.exists() and journal.stat().st_size > 20000):
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    assert process.wait() in (0, 3)
    assert dalembert(*many, "--out", "parts", "--resume", "--threads", 1).status == 0
    for name in ("results.h5", "results.csv"):
        assert (dalembert.directory / "parts" / name).read_bytes() == (dalembert.directory / "whole" / name).read_bytes()
    other = dalembert(*many[:4], "--sensitivity", "g", *many[6:], "--out", "parts", "--resume")
    assert other.status == 2 and "sensitivity" in other.err


def test_shards_are_merged(dalembert):
    assert dalembert(*PENDULUM, "--sensitivity", "g", "--out", "whole", "--quiet").status == 0
    for i in (1, 2):
        assert dalembert(*PENDULUM, "--sensitivity", "g", "--out", "shards", "--shard", f"{i}/2", "--quiet").status == 0
    assert dalembert("merge", "shards", "--quiet").status == 0
    assert (dalembert.directory / "shards/results.h5").read_bytes() == (
        dalembert.directory / "whole/results.h5").read_bytes()


def test_a_wrong_name_is_an_error_with_its_place(dalembert):
    result = dalembert(*PENDULUM, "--sensitivity", "g,omgea")
    assert result.status == 2
    assert result.err == ("error: --sensitivity 'g,omgea': 'omgea' is neither a parameter nor an initial value; did you "
                          "mean 'omega'?\n    g,omgea\n      ^^^^^\n")
    assert not (dalembert.directory / "out").exists()
    result = dalembert(*PENDULUM, "--sensitivity", "g", "--stat", "max(d(x)/d(m))")
    assert result.status == 2 and "unknown quantity 'd(x)/d(m)'" in result.err


def test_a_run_without_derivatives_is_complete_and_says_why_they_are_missing(dalembert):
    model = dalembert.write("graze.toml", """
coordinates = ["x"]
[parameters]
a = 1
[energy]
kinetic = "x'^2/2"
potential = "x*a"
[initial]
"x'" = 2
[[event]]
name = "top"
when = "x = 2"
""")
    result = dalembert("sweep", model, "--vary", "a=[0.5, 1]", "--sensitivity", "a", "--duration", "3", "--quiet")
    assert result.status == 0, result.err
    crossing, grazing = rows(dalembert.directory / "out/graze-sweep/results.csv")
    assert abs(float(crossing["d(x)/d(a)"]) + 4.5) < 1e-9 and crossing["reason"] == ""
    assert grazing["status"] == "complete" and grazing["d(x)/d(a)"] == "nan"
    assert grazing["reason"].startswith("its derivatives are not known: ")


@pytest.mark.parametrize(("model", "of", "names", "duration"), [
    ("pendulum", "x", "g,omega,l,y'", 2),
    ("rolling_disk", "theta", "r,m,g,theta", 1),       # nonholonomic
    ("rotating_wire", None, None, 1),                  # rheonomic
    ("slider_crank", None, None, 1),
])
def test_the_gradient_is_the_row_of_the_sensitivities(dalembert, model, of, names, duration):
    if of is None:
        found = json.loads(dalembert("check", model, "--json").out)
        of = json.loads(dalembert("eval", model, "--json").out)["q"].keys().__iter__().__next__()
        assert found
    rest = ["--duration", duration, "--rtol", "1e-12", "--atol", "1e-13", "--no-report"]
    if names is None:
        back = dalembert("run", model, "--gradient", of, "--json", *rest)
        assert back.status == 0, back.err
        names = ",".join(json.loads(back.out)["gradient"]["by"])
    else:
        back = dalembert("run", model, "--gradient", of, "--wrt", names, "--json", *rest)
        assert back.status == 0, back.err
    gradient = json.loads(back.out)["gradient"]
    forward = dalembert("run", model, "--sensitivity", names, "--quiet", *rest)
    assert forward.status == 0, forward.err
    end = rows(dalembert.directory / f"out/{model}/trajectory.csv")[-1]
    assert gradient["value"] == pytest.approx(float(end[of]), abs=1e-10)
    size = max(1.0, *(abs(float(end[f"d({of})/d({name})"])) for name in names.split(",")))
    for name in names.split(","):
        assert abs(gradient["by"][name] - float(end[f"d({of})/d({name})"])) <= 1e-9 * size, name


def test_the_gradient_is_printed_and_what_cannot_be_is_refused(dalembert):
    model = dalembert.write("spring.toml", SPRING)
    result = dalembert("run", model, "--gradient", "c*x^2/2", "--wrt", "x", "--duration", "1", "--no-report")
    assert result.status == 0 and "  gradient      c*x^2/2 = " in result.out and "d/d(x) = " in result.out
    shutil.rmtree(dalembert.directory / "out")
    for arguments, words in [
        (["--gradient", "c*y", "--wrt", "x"], "gradient 'c*y': unknown name 'y'"),
        (["--gradient", "x", "--wrt", "cc"], "'cc' is neither a parameter nor an initial value"),
        (["--wrt", "c"], "--wrt is about --gradient, which is not given"),
    ]:
        result = dalembert("run", model, *arguments)
        assert result.status == 2 and words in result.err, result.err
    assert not (dalembert.directory / "out").exists()
    result = dalembert("run", "bouncing_ball", "--gradient", "z")
    assert result.status == 2 and "through events, contacts" in result.err


def test_an_input_that_enforces_a_constraint_cannot_vary_and_others_can(dalembert):
    model = dalembert.write("servo.toml", SERVO)
    result = dalembert("sweep", model, "--vary", "u=[0, 1]")
    assert result.status == 2
    assert "input 'u' cannot vary: it follows from constraint 'path', which it enforces" in result.err
    # Parameters behind it, and initial values, are those that were asked for.
    assert dalembert("sweep", model, "--vary", "v=[0.5]", "--vary", "x2=[0.25]", "--duration", "1", "--quiet").status == 0
    row = rows(dalembert.directory / "out/servo-sweep/results.csv")[0]
    dalembert("run", model, "--set", "v=0.5", "--at", "x2=0.25", "--duration", "1", "--no-report", "--quiet")
    end = rows(dalembert.directory / "out/servo/trajectory.csv")[-1]
    assert float(row["x2"]) == pytest.approx(float(end["x2"]), abs=1e-12)


def test_eval_shows_outputs_and_inputs_that_follow(dalembert):
    model = dalembert.write("servo.toml", SERVO)
    found = json.loads(dalembert("eval", model, "--at", "t=0,x1=0,x2=0.25,x1'=0.5", "--json").out)
    # m1 x1'' = u - k (x1 - x2), x1'' = -sin(t)/2
    assert found["outputs"] == {"stretch": -0.25, "u": pytest.approx(-1.25, abs=1e-14)}
    text = dalembert("eval", model, "--at", "t=0,x1=0,x2=0.25,x1'=0.5").out
    assert "stretch  -0.25\n" in text


def test_a_setting_of_an_input_with_a_course_speaks_of_the_course(dalembert):
    model = dalembert.write("driven.toml", """
coordinates = ["x"]
[inputs]
u = 0
[energy]
kinetic = "x'^2/2"
[forces]
x = "u"
""")
    course = dalembert.write("u.csv", "t,u\n0,0\n10,1\n")
    result = dalembert("run", model, "--input", course, "--set", "u=2")
    assert result.status == 2
    assert result.err == "error: --set u: 'u' is an input, and --input gives its course\n"


def test_what_is_conserved_with_an_input_in_it_is_so_while_that_is_constant(dalembert):
    model = dalembert.write("driven.toml", """
coordinates = ["x", "y"]
[inputs]
u = 0
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "u*x^2/2"
""")
    found = json.loads(dalembert("check", model, "--json").out)["conserved"]
    assert [one.get("while_constant") for one in found if one["kind"] == "energy"] == [["u"]]
    assert all("while_constant" not in one for one in found if one.get("of") == "y")
    assert "; while u is constant" in " ".join(dalembert("check", model).out.split())
