"""Multipliers of constraints as outputs, Lagrangians, members of families and angular velocities, by the command."""

import csv
import json
import math

import pytest

PENDULUM = """
coordinates = ["x", "y"]
[parameters]
m = 2
g = 9.81
l = 1.5
[energy]
lagrangian = "m*(x'^2 + y'^2)/2 - m*g*y"
[[constraint]]
name = "left rod"
equation = "x^2 + y^2 = l^2"
MORE
[initial]
x = "l"
"y'" = -0.5
[simulation]
duration = 1
samples = 21
[outputs]
tension = '-2*l*lambda."left rod"'
"""


def rows(folder):
    with open(folder / "trajectory.csv", newline="") as file:
        return list(csv.DictReader(file))


def test_the_multiplier_of_a_rod_is_its_tension(dalembert, tmp_path):
    (tmp_path / "p.toml").write_text(PENDULUM.replace("MORE", ""))
    assert dalembert("run", "p.toml", "--quiet").status == 0
    found = rows(tmp_path / "out" / "p")
    assert len(found) == 21
    for row in found:
        x, y, u, v = (float(row[name]) for name in ("x", "y", "x'", "y'"))
        # m v^2 / l of the circle and the weight along the rod, by hand; the motion is good to rtol 1e-9
        assert float(row["tension"]) == pytest.approx(2 * (u * u + v * v) / 1.5 - 2 * 9.81 * y / 1.5, rel=1e-7, abs=1e-7)
        assert float(row["energy.potential"]) == pytest.approx(2 * 9.81 * y, rel=1e-14)


def test_a_multiplier_that_is_not_unique_is_no_number(dalembert, tmp_path):
    again = '[[constraint]]\nname = "twice"\nequation = "3*x^2 + 3*y^2 = 3*l^2"\n'
    (tmp_path / "p.toml").write_text(PENDULUM.replace("MORE", again))
    assert dalembert("run", "p.toml", "--quiet").status == 0
    assert all(math.isnan(float(row["tension"])) for row in rows(tmp_path / "out" / "p"))
    assert all(math.isfinite(float(row["ideal.x"])) for row in rows(tmp_path / "out" / "p"))


def test_a_multiplier_is_not_there_by_vakonomic(dalembert, tmp_path):
    (tmp_path / "p.toml").write_text(PENDULUM.replace("MORE", ""))
    result = dalembert("run", "p.toml", "--method", "vakonomic")
    assert result.status == 2
    assert (
        "p.toml:22:12: error: output 'tension' needs the multiplier of a constraint while forces act, and by the method "
        "vakonomic there is none" in result.err
    )


def test_members_of_families_are_plain_names(dalembert, tmp_path):
    done = dalembert("run", "n_pendulum", "--at", "th[2]=0.4", "--at", "th3'=1", "--duration", "0.1", "--quiet", "--out", "o")
    assert done.status == 0, done.err
    first = rows(tmp_path / "o")[0]
    assert [name for name in first][:4] == ["t", "th1", "th2", "th3"]
    assert (float(first["th1"]), float(first["th2"]), float(first["th3'"])) == (1.0, 0.4, 1.0)
    refused = dalembert("run", "n_pendulum", "--set", "n=4")
    assert refused.status == 2
    assert (
        "--set n=4: 'n' is a size: what the model consists of hangs on it, and it is changed in [sizes]" in refused.err
    )


def test_an_angular_velocity_starts_a_body(dalembert, tmp_path):
    (tmp_path / "top.toml").write_text(
        """
coordinates = ["a", "b", "c", "d"]
[[body]]
name = "top"
mass = 1
inertia = [1, 2, 3]
position = [0, 0, 0]
orientation = { quaternion = ["a", "b", "c", "d"] }
[initial]
top.wx = 0.5
top.wy = 3
[simulation]
duration = 1
samples = 3
[outputs]
wx = "top.wx"
wy = "top.wy"
wz = "top.wz"
"""
    )
    done = dalembert("run", "top.toml", "--json")
    assert done.status == 0, done.err
    json.loads(done.out)
    first, *rest = rows(tmp_path / "out" / "top")
    assert [float(first[name]) for name in ("wx", "wy", "wz")] == pytest.approx([0.5, 3, 0], abs=1e-14)
    for row in rest:  # Euler: energy and the length of the angular momentum stay
        wx, wy, wz = (float(row[name]) for name in ("wx", "wy", "wz"))
        assert wx * wx + 2 * wy * wy + 3 * wz * wz == pytest.approx(0.25 + 18, rel=1e-8)
        assert wx * wx + 4 * wy * wy + 9 * wz * wz == pytest.approx(0.25 + 36, rel=1e-8)
