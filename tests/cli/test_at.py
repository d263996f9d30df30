"""`--at` of run, sweep and view: a motion from elsewhere, as if [initial] had said so."""

import csv
import json
import math

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
    assert "to keep values as written, name them in hold = [...] beside it" in result.err
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


TOP = """
coordinates = ["a", "b", "c"]
[[body]]
name = "disk"
mass = 1
inertia = [2, 2, 3]
position = [0, 0, 0]
orientation = { axes = "zxz", angles = ["a", "b", "c"] }
[initial]
b = 0.7
c = 0.4
"disk.wx" = 0.1
"disk.wy" = 0.2
"disk.wz" = 3
[simulation]
duration = 0.1
samples = 2
[outputs]
wx = "disk.wx"
wy = "disk.wy"
wz = "disk.wz"
"""


def first_spin(folder):
    with open(folder / "trajectory.csv", newline="") as file:
        row = next(csv.DictReader(file))
    return [float(row[name]) for name in ("wx", "wy", "wz")]


@pytest.mark.parametrize("arguments", [["run", "--at", "a'=1"], ["sweep", "--vary", "a'=[1, 2]"],
                                       ["sweep", "--vary", "b=[1]", "--at", "a'=1"]])  # fmt: skip
def test_a_rate_beside_an_angular_velocity_is_refused_as_in_the_file(dalembert, tmp_path, arguments):
    (tmp_path / "top.toml").write_text(TOP)
    result = dalembert(arguments[0], "top.toml", *arguments[1:])
    assert result.status == 2 and not (tmp_path / "out").exists()
    assert "top.toml:12:1: error: the angular velocity of 'disk' gives 3 numbers for 2 rates that are open (b', c')" in result.err


def test_all_rates_of_a_body_take_the_place_of_its_angular_velocity(dalembert, tmp_path):
    (tmp_path / "top.toml").write_text(TOP)
    assert dalembert("run", "top.toml", "--at", "a'=1, b'=0, c'=0", "--quiet").status == 0
    wanted = [math.sin(0.7) * math.sin(0.4), math.sin(0.7) * math.cos(0.4), math.cos(0.7)]  # about the axis z of the fixed frame
    assert first_spin(tmp_path / "out" / "top") == pytest.approx(wanted, rel=1e-14)


def test_an_angular_velocity_is_a_start(dalembert, tmp_path):
    (tmp_path / "top.toml").write_text(TOP)
    assert dalembert("run", "top.toml", "--at", "disk.wx=5, b=0.3", "--quiet").status == 0
    # Rounding of the sines and cosines that the rates and back again are made of, which 1/sin(0.3) enlarges.
    assert first_spin(tmp_path / "out" / "top") == pytest.approx([5, 0.2, 3], abs=1e-14)
    done = dalembert("sweep", "top.toml", "--vary", "disk.wx=[1, 2]", "--vary", "c=[1]", "--stat", "min(energy.kinetic)",
                     "--csv", "--quiet", "--out", "study")  # fmt: skip
    assert done.status == 0, done.err
    with open(tmp_path / "study" / "results.csv", newline="") as file:
        energies = [float(row["min(energy.kinetic)"]) for row in csv.DictReader(file)]
    # Free of forces the energy stays (2 wx^2 + 2 wy^2 + 3 wz^2)/2; the motion is good to rtol 1e-9.
    assert energies == pytest.approx([1 + 0.04 + 13.5, 4 + 0.04 + 13.5], rel=1e-8)
    result = dalembert("run", "rolling_disk", "--at", "disk.wx=1")
    assert result.status == 2 and "the angular velocity of 'disk' gives 1 number for 0 rates that are open" in result.err


def test_a_quaternion_that_is_adjusted_keeps_the_angular_velocity(dalembert, tmp_path):
    text = TOP.replace('["a", "b", "c"]', '["e0", "e1", "e2", "e3"]', 1)
    text = text.replace('{ axes = "zxz", angles = ["a", "b", "c"] }', '{ quaternion = ["e0", "e1", "e2", "e3"] }')
    text = text.replace("b = 0.7\nc = 0.4", 'e0 = 2\ne1 = 1\nadjust = "nearest"')
    (tmp_path / "top.toml").write_text(text)
    assert dalembert("run", "top.toml", "--quiet").status == 0
    # The nearest unit quaternion is found to 1e-8 of its scale, and polished to rounding.
    assert first_spin(tmp_path / "out" / "top") == pytest.approx([0.1, 0.2, 3], abs=1e-12)


def test_members_of_families_vary_and_have_statistics(dalembert, tmp_path):
    done = dalembert("sweep", "n_pendulum", "--vary", "th[2]=[1, 2]", "--stat", "max(th[2])", "--duration", "0.01",
                     "--csv", "--quiet", "--out", "study")  # fmt: skip
    assert done.status == 0, done.err
    with open(tmp_path / "study" / "results.csv", newline="") as file:
        found = list(csv.DictReader(file))
    assert [float(row["vary.th2"]) for row in found] == [1, 2] and all(float(row["max(th2)"]) >= 1 for row in found)
    result = dalembert("sweep", "n_pendulum", "--vary", "th[9]=[1, 2]")
    assert result.status == 2 and "unknown name 'th9'; did you mean 'th" in result.err
