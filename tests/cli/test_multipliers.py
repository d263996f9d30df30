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
    assert all(row["tension"] == "" for row in rows(tmp_path / "out" / "p"))
    assert all(math.isfinite(float(row["ideal.x"])) for row in rows(tmp_path / "out" / "p"))


PLATE = """
coordinates = ["x", "y", "q"]
[energy]
kinetic = "(x'^2 + y'^2 + q'^2)/2"
potential = "9.81*y"
[[constraint]]
name = "left rod"
equation = "y = 0"
[[constraint]]
name = "twice"
equation = "2*y = 0"
[[constraint]]
name = "slot"
equation = "x = q"
[forces]
x = 3
[outputs]
half = "lambda.slot/2"
[simulation]
duration = 1
samples = 3
"""


def test_multipliers_of_all_constraints_are_columns_when_asked_for(dalembert, tmp_path):
    (tmp_path / "p.toml").write_text(PLATE)
    assert dalembert("run", "p.toml", "--quiet", "--out", "plain").status == 0
    assert dalembert("run", "p.toml", "--quiet", "--out", "asked", "--multipliers").status == 0
    (tmp_path / "p.toml").write_text(PLATE + "multipliers = true\n")
    assert dalembert("run", "p.toml", "--quiet", "--out", "said", "--multipliers").status == 0
    plain, asked, said = (rows(tmp_path / name) for name in ("plain", "asked", "said"))
    assert said == asked
    assert list(asked[0]) == [*plain[0], "lambda.left rod", "lambda.twice", "lambda.slot"]
    for row, wanted in zip(asked, plain):
        assert {name: row[name] for name in wanted} == wanted
        # The slot halves the force 3 between x and q: x'' = q'' = 3/2 = 3 + lambda.
        assert float(row["lambda.slot"]) == pytest.approx(-1.5, rel=1e-14)
        assert float(row["half"]) == float(row["lambda.slot"]) / 2
        assert row["lambda.left rod"] == row["lambda.twice"] == ""


def test_whether_multipliers_are_columns_is_a_boolean(dalembert, tmp_path):
    (tmp_path / "p.toml").write_text(PLATE + 'multipliers = "all"\n')
    result = dalembert("run", "p.toml")
    assert result.status == 2 and "expected true or false" in result.err, result.err
    (tmp_path / "p.toml").write_text(PLATE + "multipliers = true\n")
    result = dalembert("run", "p.toml", "--method", "vakonomic")
    assert result.status == 2 and "output 'lambda.left rod' needs the multiplier of a constraint" in result.err


def test_a_let_may_hold_a_multiplier(dalembert, tmp_path):
    said = PENDULUM.replace("MORE", "").replace("'-2*l*lambda.\"left rod\"'", "'T'")
    let = "[let]\nT = '-2*l*lambda.\"left rod\"'\n"
    (tmp_path / "p.toml").write_text(PENDULUM.replace("MORE", ""))
    (tmp_path / "let.toml").write_text(said + let)
    for name in ("p", "let"):
        assert dalembert("run", f"{name}.toml", "--quiet").status == 0
    assert rows(tmp_path / "out" / "p") == rows(tmp_path / "out" / "let")
    (tmp_path / "let.toml").write_text(said + let.replace("left rod", "left ro"))
    result = dalembert("run", "let.toml")
    assert result.status == 2
    assert "let.toml:22:6: error: let 'T': unknown constraint 'left ro' after lambda; did you mean 'left rod'?" in result.err
    (tmp_path / "let.toml").write_text(said.replace("m*(x'^2", "T + m*(x'^2") + let)
    result = dalembert("run", "let.toml")
    assert result.status == 2 and "multiplier" in result.err


def test_a_lagrangian_with_a_factor_in_front_has_both_energies(dalembert, tmp_path):
    text = """
coordinates = ["x", "y"]
[parameters]
m = 2
[energy]
lagrangian = "LAGRANGIAN"
[initial]
x = 1
"y'" = 0.5
[simulation]
duration = 1
samples = 5
"""
    written = ("m/2*(x'^2 + y'^2 - 4*(x^2 + y^2)) - y", "m*x'^2/2 + m*y'^2/2 - 2*m*x^2 - 2*m*y^2 - y")
    for i, lagrangian in enumerate(written):
        (tmp_path / f"{i}.toml").write_text(text.replace("LAGRANGIAN", lagrangian))
        assert dalembert("run", f"{i}.toml", "--quiet").status == 0
    for one, other in zip(rows(tmp_path / "out" / "0"), rows(tmp_path / "out" / "1")):
        x, y, u, v = (float(one[name]) for name in ("x", "y", "x'", "y'"))
        assert float(one["energy.kinetic"]) == pytest.approx(u * u + v * v, rel=1e-14, abs=1e-15)
        assert float(one["energy.potential"]) == pytest.approx(4 * (x * x + y * y) + y, rel=1e-14)
        assert {name: float(value) for name, value in one.items()} == pytest.approx(
            {name: float(value) for name, value in other.items()}, rel=1e-8, abs=1e-8)  # fmt: skip


def test_for_names_at_least_one_range(dalembert, tmp_path):
    (tmp_path / "p.toml").write_text(PENDULUM.replace("MORE", "for = []"))
    result = dalembert("check", "p.toml")
    assert result.status == 2
    assert 'p.toml:12:7: error: for names at least one range, such as "i = 1..6"' in result.err, result.err


def test_a_multiplier_is_not_there_by_vakonomic(dalembert, tmp_path):
    (tmp_path / "p.toml").write_text(PENDULUM.replace("MORE", ""))
    result = dalembert("run", "p.toml", "--method", "vakonomic")
    assert result.status == 2
    assert (
        "p.toml:20:12: error: output 'tension' needs the multiplier of a constraint while forces act, and by the method "
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
        "--set n=4: 'n' is a size: it decides what the model consists of; change it in [sizes]" in refused.err
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
