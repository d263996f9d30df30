"""Inputs from files, tables beside the model, motions that start later or go on."""

import csv
import json
import math

import pytest

MODEL = """name = "cart"
coordinates = ["x"]
[inputs]
u = 1
[energy]
kinetic = "x'^2/2"
[forces]
x = "u"
[simulation]
duration = 4
samples = 5
[outputs]
force = "u"
"""


def rows(dalembert, folder="out/cart"):
    with open(dalembert.directory / folder / "trajectory.csv", newline="") as file:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]


def test_an_input_has_its_default(dalembert):
    dalembert.write("cart.toml", MODEL)
    assert dalembert("run", "cart.toml", "--quiet").status == 0
    assert rows(dalembert)[-1]["x"] == pytest.approx(8, abs=1e-12)
    assert dalembert("run", "cart.toml", "--quiet", "--set", "u=2").status == 0
    assert rows(dalembert)[-1]["x"] == pytest.approx(16, abs=1e-12)


@pytest.mark.parametrize("hold", [False, True])
def test_an_input_follows_a_file(dalembert, hold):
    dalembert.write("cart.toml", MODEL)
    dalembert.write("u.csv", "t,u\n0,0\n1,2\n3,-1\n")
    extra = ["--hold"] if hold else []
    assert dalembert("run", "cart.toml", "--quiet", "--input", "u.csv", *extra).status == 0
    t, u = [0, 1, 3, 4], [0, 2, -1, -1]
    place = speed = 0
    for (a, b), (p, q) in zip(zip(t, t[1:]), zip(u, u[1:])):
        h, slope = b - a, 0 if hold else (q - p) / (b - a)
        place += speed * h + p * h**2 / 2 + slope * h**3 / 6
        speed += p * h + slope * h**2 / 2
    last = rows(dalembert)[-1]
    assert last["x"] == pytest.approx(place, abs=1e-12)
    assert last["x'"] == pytest.approx(speed, abs=1e-12)
    assert last["force"] == -1


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("t,u\n0,\n1,2\n", "u.csv:2:3: error: no number for 'u'"),
        ("t,u\n0,abc\n1,2\n", "u.csv:2:3: error: 'abc' is not a finite number"),
        ("t,u\n0,1\n0,2\n", "u.csv:3:1: error: 't' does not increase: 0 comes after 0"),
        ("t,w\n0,1\n1,2\n", "u.csv:1:1: error: unknown input 'w'"),
        ("time,u\n0,1\n1,2\n", "u.csv:1:1: error: no column 't'; there are 'time', 'u'"),
        ("t\n0\n1\n", "u.csv:1:1: error: no column 'u'; there are 't'"),
        ("t,u\n", "u.csv:1:1: error: no rows of numbers"),
    ],
)
def test_a_file_that_will_not_do_is_refused_where_it_is_wrong(dalembert, text, sentence):
    dalembert.write("cart.toml", MODEL)
    dalembert.write("u.csv", text)
    outcome = dalembert("run", "cart.toml", "--input", "u.csv")
    assert outcome.status == 2
    assert outcome.err.startswith(sentence), outcome.err
    assert not (dalembert.directory / "out").exists()


def test_what_is_missing_is_told(dalembert):
    dalembert.write("cart.toml", MODEL)
    assert dalembert("run", "cart.toml", "--input", "u.csv").err == "u.csv: error: no such file\n"
    assert dalembert("run", "cart.toml", "--hold").err == "error: --hold needs --input\n"
    dalembert.write("u.csv", "t,u\n0,1\n1,2\n")
    outcome = dalembert("run", "pendulum", "--input", "u.csv")
    assert outcome.status == 2 and "has no [inputs]" in outcome.err


def test_a_motion_starts_at_any_time(dalembert):
    dalembert.write("late.toml", MODEL.replace('x = "u"', 'x = "u*cos(t)"').replace("cart", "late"))
    assert dalembert("run", "late.toml", "--from", "1", "--duration", "2", "--at", "x'=0.5", "--quiet").status == 0
    table = rows(dalembert, "out/late")
    assert [row["t"] for row in table] == [1, 1.5, 2, 2.5, 3]
    exact = 0.5 * 2 + math.cos(1) - math.cos(3) - 2 * math.sin(1)
    assert table[-1]["x"] == pytest.approx(exact, abs=1e-9)
    summary = json.loads((dalembert.directory / "out/late/summary.json").read_text())
    assert summary["from"] == 1 and summary["duration"] == 2


def test_a_motion_goes_on_where_it_ended(dalembert):
    dalembert.write("cart.toml", MODEL.replace('x = "u"', 'x = "u*cos(t)"'))
    assert dalembert("run", "cart.toml", "--quiet", "--duration", "6", "--out", "whole").status == 0
    assert dalembert("run", "cart.toml", "--quiet", "--duration", "2").status == 0
    assert dalembert("run", "cart.toml", "--quiet", "--duration", "4", "--resume").status == 0
    table = rows(dalembert)
    assert [row["t"] for row in table] == [0, 0.5, 1, 1.5, 2, 3, 4, 5, 6]
    last, whole = table[-1], rows(dalembert, "whole")[-1]
    assert last["t"] == whole["t"] == 6
    assert last["x"] == pytest.approx(whole["x"], abs=1e-9)
    outcome = dalembert("run", "cart.toml", "--resume", "--out", "nowhere")
    assert outcome.status == 2
    assert outcome.err == "error: --resume: there is no nowhere/trajectory.csv to continue from\n"
    assert dalembert("run", "cart.toml", "--resume", "--from", "1").status == 2
    dalembert.write("cart.toml", MODEL.replace("force =", "thrust ="))
    outcome = dalembert("run", "cart.toml", "--resume")
    assert outcome.status == 2
    assert outcome.err == "error: --resume: out/cart/trajectory.csv has other columns than motions of this model now have\n"


def test_a_table_stands_beside_its_model(dalembert):
    (dalembert.directory / "data").mkdir()
    dalembert.write("data/F.csv", "s,force\n0,1\n10,1\n")
    dalembert.write(
        "data/cart.toml",
        MODEL.replace('x = "u"', 'x = "F(t)"')
        + '[[table]]\nname = "F"\nfile = "F.csv"\ncolumns = ["s", "force"]\n',
    )
    assert dalembert("run", "data/cart.toml", "--quiet").status == 0
    assert rows(dalembert)[-1]["x"] == pytest.approx(8, abs=1e-12)
    outcome = dalembert("derive", "data/cart.toml", "--method", "multipliers")
    assert outcome.status == 0 and "F(t)" in outcome.out
