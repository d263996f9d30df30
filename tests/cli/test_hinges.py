"""Hinges: angles beyond half a turn, axes of any parameters, and what the command says where they fail."""

import csv
import json
import math
import re

from conftest import MODELS

WHEEL = """
name = "Wheel on a spring"
coordinates = ["x", "y", "z", "e0", "e1", "e2", "e3"]
[parameters]
k = 8
[[body]]
name = "wheel"
mass = 1
inertia = [1, 1, 2]
position = ["x", "y", "z"]
orientation = { quaternion = ["e0", "e1", "e2", "e3"] }
[[joint]]
name = "pin"
type = "hinge"
body = "wheel"
axis = [0, 0, 1]
[[spring]]
joint = "pin"
stiffness = "k"
[initial]
e0 = 1
"e3'" = 10
[simulation]
duration = 2
samples = 21
"""

DOOR = """
name = "Door"
coordinates = ["x", "y", "z", "e0", "e1", "e2", "e3"]
gravity = [0, 0, -9.81]
[parameters]
al = 0
[[body]]
name = "door"
mass = 1
inertia = [0.1, 0.2, 0.3]
position = ["x", "y", "z"]
orientation = { quaternion = ["e0", "e1", "e2", "e3"] }
[[joint]]
name = "pin"
type = "hinge"
body = "door"
points = [[0, 0, 0], [0, 0, 1]]
axis = AXIS
[initial]
e0 = 1
z = -1
"e1'" = "cos(al)/2"
"e2'" = "sin(al)/2"
"x'" = "-sin(al)"
"y'" = "cos(al)"
[simulation]
duration = 1
samples = 5
"""


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def trajectory(dalembert, *args):
    result = dalembert("run", *args, "--out", "o", "--no-report")
    assert result.status == 0, result.err
    return rows(dalembert.directory / "o/trajectory.csv"), result


def test_run_sweep_and_page_count_the_turns_of_a_hinge(dalembert):
    """J th'' = -k th with J = 2: th = 20/w sin(w t), w = sqrt(k/2), more than a turn and a half to either side."""
    dalembert.write("wheel.toml", WHEEL)
    table, result = trajectory(dalembert, "wheel.toml")
    assert "warning" not in result.out
    for row in table:
        assert math.isclose(float(row["pin.angle"]), 10 * math.sin(2 * float(row["t"])), abs_tol=1e-6)
    assert dalembert("run", "wheel.toml").status == 0
    page = (dalembert.directory / "out/wheel/report.html").read_text(encoding="utf-8")
    assert re.search(r'"name": ?"k"', page) and not re.search(r'"name": ?"pin.near"', page)
    result = dalembert("sweep", "wheel.toml", "--vary", "k=[2, 8]", "--stat", "final(pin.angle)", "--stat", "max(pin.angle)",
                       "--out", "s")
    assert result.status == 0, result.err
    for row in rows(dalembert.directory / "s/results.csv"):
        w = math.sqrt(float(row["vary.k"]) / 2)
        assert math.isclose(float(row["final(pin.angle)"]), 20 / w * math.sin(2 * w), abs_tol=1e-5)


def test_the_reference_of_an_angle_is_no_parameter(dalembert):
    dalembert.write("wheel.toml", WHEEL)
    for name in ["pin.near", "near"]:
        result = dalembert("run", "wheel.toml", "--set", f"{name}=1")
        assert result.status == 2 and "unknown parameter" in result.err and "did you mean" not in result.err
    result = dalembert("sweep", "wheel.toml", "--vary", "pin.near=[1, 2]")
    assert result.status == 2 and "unknown name" in result.err
    result = dalembert("eval", "wheel.toml", "--json")
    assert result.status == 0 and "near" not in result.out


def test_an_axis_of_parameters_serves_for_all_their_values(dalembert):
    """The door swings about an axis in the horizontal plane; by symmetry about z only the inertia tells which."""
    for axis in ['["cos(al)", "sin(al)", 0]', '["cos(al)*2", "sin(al)*2", "0*al"]', '["cos(al)", "sin(al)", "sin(2*al)*0"]']:
        dalembert.write("door.toml", DOOR.replace("AXIS", axis))
        for al in ["0", "pi/2", "pi", "-pi/2", "1", "pi/4"]:
            table, result = trajectory(dalembert, "door.toml", "--set", f"al={al}")
            assert "rank 6 · 1 degree of freedom" in result.out and "redundant" not in result.out, (axis, al)
            value = eval(al, {"pi": math.pi})
            J = 0.1 * math.cos(value) ** 2 + 0.2 * math.sin(value) ** 2 + 1
            first, last = table[0], table[-1]
            energy = [J * float(r["pin.rate"]) ** 2 / 2 - 9.81 * math.cos(float(r["pin.angle"])) for r in (first, last)]
            assert math.isclose(*energy, rel_tol=1e-8), (axis, al)


def test_an_axis_in_space_serves_for_all_parameters(dalembert):
    text = DOOR.replace("AXIS", '["a", "b", "c"]').replace("al = 0", "al = 0\na = 1\nb = 0\nc = 0")
    dalembert.write("door.toml", re.sub(r'"[exy]\d?\'" = .*\n', "", text))
    for a, b, c in [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, -1), (1, 1, 1), (-1, -2, 0.5), (1, 0, 1)]:
        _, result = trajectory(dalembert, "door.toml", "--set", f"a={a}", "--set", f"b={b}", "--set", f"c={c}")
        assert "rank 6 · 1 degree of freedom" in result.out and "redundant" not in result.out, result.out


def test_a_motion_that_ends_in_gimbal_lock_names_the_body(dalembert):
    """Bricard's mechanism in angles: whatever gives out first."""
    text = (MODELS / "bricard.toml").read_text(encoding="utf-8")
    text = re.sub(r', "d\d"', "", text)
    text = re.sub(r'quaternion = \["a(\d)".*\]', r'axes = "xyz", angles = ["a\1", "b\1", "c\1"]', text)
    dalembert.write("bricard.toml", text)
    result = dalembert("run", "bricard.toml", "--no-report")
    assert result.status == 3
    assert re.search(r"; body 'rod\d' is (in|close to) gimbal lock there .*: describe its orientation by a quaternion",
                     " ".join(result.err.split())), result.err
    summary = json.loads((dalembert.directory / "out/bricard/summary.json").read_text(encoding="utf-8"))
    assert "gimbal lock" in json.dumps(summary)
