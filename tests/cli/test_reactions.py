"""Reactions and friction of joints, as eval, check, run and sweep tell them."""

import csv
import json
import math

import pytest

PENDULUM = """
name = "Pendulum in a rough bearing"
coordinates = ["phi", "x", "y"]
gravity = [0, -9.81, 0]

[[body]]
name = "bob"
mass = 2
inertia = [0.1, 0.1, 0.1]
position = ["x", "y", 0]
orientation = { axis = [0, 0, 1], angle = "phi" }

[[joint]]
name = "pin"
type = "hinge"
body = "bob"
points = [[0, 0, 0], [0, 0.5, 0]]
axis = [0, 0, 1]
FRICTION

[initial]
adjust = "nearest"
y = -0.5
"phi'" = 2
"x'" = 1

[simulation]
duration = 0.2
samples = 21

[outputs]
pull = "pin.fy"
"""
ROUGH = "friction = { mu = 0.2, radius = 0.05, slip = 1e-3 }"

ROD = """
name = "Rod on a rough plane"
coordinates = ["x", "y", "th"]
gravity = [0, -9.81, 0]
[parameters]
mu = 0.5
th0 = 1.1
[[body]]
name = "rod"
mass = 1
inertia = [0.01, "1/3", "1/3"]
position = ["x", "y", 0]
orientation = { axis = [0, 0, 1], angle = "th" }
[[joint]]
name = "contact"
type = "point-on-plane"
body = "rod"
points = [[0, 0, 0], [-1, 0, 0]]
normal = [0, 1, 0]
friction = { mu = "mu" }
[initial]
adjust = "nearest"
th = "th0"
y = "sin(th0)"
"x'" = 4
[simulation]
duration = 1
"""

# A door on two hinges: the second adds nothing but reactions that cannot be told apart.
DOOR = PENDULUM.replace("FRICTION", "") + """
[[joint]]
name = "upper"
type = "hinge"
body = "bob"
points = [[0, 0, 1], [0, 0.5, 1]]
axis = [0, 0, 1]
"""


def critical(theta):
    return (1 + 3 * math.cos(theta) ** 2) / (3 * math.sin(theta) * math.cos(theta))


def columns(dalembert, directory):
    with open(dalembert.directory / directory / "trajectory.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_eval_tells_what_a_joint_exerts(dalembert):
    model = dalembert.write("pendulum.toml", PENDULUM.replace("FRICTION", ROUGH))
    result = dalembert("eval", model, "--json")
    assert result.status == 0, result.err
    document = json.loads(result.out)
    (pin,) = document["joints"]
    assert (pin["name"], pin["kind"], pin["bodies"]) == ("pin", "hinge", ["ground", "bob"])
    assert pin["point"] == pytest.approx([0, 0, 0], abs=1e-12)
    # The motion of the centre says what acts on the body: m a = m g + f.
    assert pin["force"]["world"][0] == pytest.approx(2 * document["acceleration"]["x"], rel=1e-11)
    assert pin["force"]["world"][1] == pytest.approx(2 * (document["acceleration"]["y"] + 9.81), rel=1e-11)
    assert pin["force"]["body"] == pytest.approx(pin["force"]["world"], abs=1e-9)  # phi = 0
    assert pin["friction"] == pytest.approx(math.hypot(*pin["force"]["world"][:2]), rel=1e-11)
    slip = 2 / math.hypot(2, 1e-3)
    assert pin["moment"]["world"][2] == pytest.approx(-0.2 * 0.05 * pin["friction"] * slip, rel=1e-9)
    assert pin["unique"] is True
    text = dalembert("eval", model).out
    assert "what the joint exerts on its second body, at the joint, along the fixed axes" in text


def test_run_records_reactions_behind_the_outputs(dalembert):
    model = dalembert.write("pendulum.toml", PENDULUM.replace("FRICTION", ROUGH))
    for extra in [(), ("--method", "suslov"), ("--integrator", "bdf", "--rtol", "1e-8")]:
        result = dalembert("run", model, "--out", "out", *extra)
        assert result.status == 0, result.err
        rows = columns(dalembert, "out")
        names = list(rows[0])
        assert names.index("pull") + 1 == names.index("pin.fx")
        assert names.index("pin.fx") < names.index("pin.mz") < names.index("pin.bfx")
        for row in rows:
            value = {name: float(text) for name, text in row.items()}
            assert value["pull"] == value["pin.fy"]
            assert value["pin.fx"] == pytest.approx(2 * value["x''"], abs=1e-8)
            assert value["pin.fy"] == pytest.approx(2 * (value["y''"] + 9.81), abs=1e-8)
        work = [float(row["work.nonideal"]) for row in rows]
        assert all(later < earlier for earlier, later in zip(work, work[1:]))
        summary = json.loads((dalembert.directory / "out/summary.json").read_text(encoding="utf-8"))
        assert summary["reactions"] == [{"joint": "pin", "unique": True}]
        assert summary["friction_not_assured"] is None
        assert summary["balance_error"] < 1e-5


def test_the_multiplier_rule_has_no_reactions(dalembert):
    model = dalembert.write("pendulum.toml", PENDULUM.replace("FRICTION", ""))
    result = dalembert("run", model, "--method", "vakonomic")
    assert result.status == 2
    assert "output 'pull' needs the reaction of a joint, and by the method vakonomic there is none" in result.err


def test_a_door_on_two_hinges_has_reactions_that_are_not_unique(dalembert):
    model = dalembert.write("door.toml", DOOR)
    result = dalembert("eval", model, "--json")
    assert result.status == 0, result.err
    document = json.loads(result.out)
    assert [joint["unique"] for joint in document["joints"]] == [False, False]
    total = sum(joint["force"]["world"][1] for joint in document["joints"])
    assert total == pytest.approx(2 * (document["acceleration"]["y"] + 9.81), rel=1e-10)
    sentence = "of joints 'pin' and 'upper': not unique, because constraints are redundant; of minimum norm"
    assert "reactions " + sentence in dalembert("eval", model).out
    run = dalembert("run", model, "--out", "out")
    assert run.status == 0 and "  reactions     " + sentence in run.out, run.out + run.err
    check = dalembert("check", model)
    assert "its reaction is not unique; the one printed has minimum norm" in " ".join(check.out.split())
    document = json.loads(dalembert("check", model, "--json").out)
    assert [joint["unique"] for joint in document["joints"]] == [False, False]


def test_painleve_is_found_at_the_start_and_on_the_way(dalembert):
    model = dalembert.write("rod.toml", ROD)
    limit = critical(1.1)
    assert dalembert("eval", model, "--set", f"mu={limit * 0.999}").status == 0
    # Sliding away from its lean the rod is pressed on or pulled: (1 + 3 cos^2) N + 3 mu sin cos |N| = g has two roots.
    assert "Coulomb's law are several" in dalembert("eval", model, "--set", f"mu={limit * 1.001}").out
    result = dalembert("run", model, "--set", f"mu={limit * 1.001}")
    assert result.status == 3 and "'contact.friction'" in result.err
    # Upright enough to begin with, and falling into the region.
    result = dalembert("run", model, "--set", "mu=1.6", "--set", "th0=1.45", "--out", "out")
    assert result.status == 3, result.err
    assert "at t = " in result.err and "'contact.friction'" in result.err
    angles = [float(row["th"]) for row in columns(dalembert, "out")]
    assert angles and all(critical(angle) > 1.6 for angle in angles)


def test_sweep_knows_reactions_with_and_without_friction(dalembert):
    varied = PENDULUM.replace("[[body]]", "[parameters]\nm = 2\n[[body]]").replace("mass = 2", 'mass = "m"')
    for friction in ("", ROUGH):
        model = dalembert.write("pendulum.toml", varied.replace("FRICTION", friction))
        result = dalembert(
            "sweep", model, "--vary", "m=[1, 2, 3]", "--stat", "max(pin.fy)", "--stat", "max(pull)", "--out", "swept"
        )
        assert result.status == 0, result.err
        with open(dalembert.directory / "swept/results.csv", encoding="utf-8") as file:
            swept = list(csv.DictReader(file))
        for run, mass in zip(swept, (1, 2, 3)):
            assert run["max(pin.fy)"] == run["max(pull)"]
            alone = dalembert("run", model, "--set", f"m={mass}", "--out", "out")
            assert alone.status == 0, alone.err
            largest = max(float(row["pin.fy"]) for row in columns(dalembert, "out"))
            assert float(run["max(pin.fy)"]) == pytest.approx(largest, rel=1e-7)
            assert largest > mass * 9.81
        for path in (dalembert.directory / "swept").iterdir():
            path.unlink()
