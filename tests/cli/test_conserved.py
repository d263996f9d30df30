"""What `check` says motions keep is kept by the motion that `run` computes."""

import csv
import json

import pytest

from conftest import MODELS

# The steps are held to 1e-9 of a state each, and there are at most some thousands of them.
KEPT = 1e-6

SPRINGS = """
name = "Two masses on a spring in the plane"
coordinates = ["x1", "y1", "x2", "y2"]
[parameters]
m1 = 1.5
m2 = 0.5
k = 3
[energy]
kinetic = "m1*(x1'^2 + y1'^2)/2 + m2*(x2'^2 + y2'^2)/2"
potential = "k*(sqrt((x1 - x2)^2 + (y1 - y2)^2) - 1)^2/2"
[initial]
x1 = 1
y1 = 0.25
x2 = -1
"x1'" = 0.5
"y1'" = 1
"y2'" = -2
"""

HOOP = """
name = "Bead on a hoop that turns at a constant rate"
coordinates = ["th"]
[parameters]
r = 0.5
w = 4
g = 9.81
k = 2
[energy]
kinetic = "r^2*th'^2/2 + r^2*w^2*sin(th)^2/2"
potential = "-g*r*cos(th)"
[forces]
th = "-k*th"
[initial]
th = 1
"""

SPHERICAL = """
name = "Spherical pendulum in Cartesian coordinates"
coordinates = ["x", "y", "z"]
[parameters]
m = 2
l = 1
[energy]
kinetic = "m*(x'^2 + y'^2 + z'^2)/2"
potential = "9.81*m*z"
[[constraint]]
name = "length"
equation = "x^2 + y^2 + z^2 = l^2"
[initial]
x = 0.6
z = -0.8
"y'" = 2
"""

TUMBLING = """
name = "A free body, by a quaternion"
coordinates = ["e0", "e1", "e2", "e3"]
[[body]]
name = "block"
mass = 1
inertia = [1, 2, 2.5]
position = [0, 0, 0]
orientation = { quaternion = ["e0", "e1", "e2", "e3"] }
[initial]
e0 = 1
"e1'" = 0.1
"e2'" = 1
"e3'" = 0.2
"""


def report(dalembert, model):
    return json.loads(dalembert("check", model, "--json").out)


def with_outputs(text, expressions):
    lines = "".join(f'kept_{i} = "{e}"\n' for i, e in enumerate(expressions))
    if "[outputs]\n" in text:
        return text.replace("[outputs]\n", "[outputs]\n" + lines, 1)
    return text + "\n[outputs]\n" + lines


def assert_kept(dalembert, name, text, *more):
    """Runs a model with what it is said to keep among its outputs; how many these are."""
    found = report(dalembert, dalembert.write(f"{name}.toml", text))["conserved"]
    model = dalembert.write(f"{name}_kept.toml", with_outputs(text, [q["expression"] for q in found]))
    result = dalembert("run", model, "--no-report", "--out", name, "--samples", "101", *more)
    assert result.status == 0, result.err
    with open(dalembert.directory / name / "trajectory.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    energy = max(abs(float(r["energy.kinetic"])) + abs(float(r["energy.potential"])) for r in rows)
    for i, quantity in enumerate(found):
        values = [float(row[f"kept_{i}"]) for row in rows]
        size = max(map(abs, values)) if "momentum" in quantity["kind"] else energy
        assert size > 0 and max(values) - min(values) <= KEPT * size, quantity
    return [(quantity["kind"], quantity.get("of")) for quantity in found]


@pytest.mark.parametrize("model, others", [
    ("appell_hamel", []), ("ball_on_turntable", [("angular momentum", None)]), ("double_pendulum", []), ("dumbbell", []),
    ("flat_body", []), ("gyroscope", [("momentum", "precession"), ("momentum", "spin")]), ("parallelogram", []),
    ("pendulum", []), ("rolling_disk", []), ("skate_on_incline", [("momentum", "phi")]), ("slider_crank", []), ("two_masses", []),
])
def test_motions_keep_what_models_are_said_to_keep(dalembert, model, others):
    # The ball does not spin by itself, and the table does work on it.
    energy, more = ([], ("--at", "e3'=0.5")) if model == "ball_on_turntable" else ([("energy", None)], ())
    assert assert_kept(dalembert, model, (MODELS / f"{model}.toml").read_text("utf-8"), *more) == energy + others


def test_a_system_that_may_be_shifted_and_turned_keeps_its_momenta(dalembert):
    assert assert_kept(dalembert, "springs", SPRINGS) == [
        ("energy", None), ("momentum", None), ("momentum", None), ("angular momentum", None)]
    found = report(dalembert, "springs.toml")["conserved"]
    assert found[1]["expression"] == "m1*x1' + m2*x2'" and found[2]["expression"] == "m1*y1' + m2*y2'"
    assert found[3]["expression"] == "m1*x1*y1' - m1*y1*x1' + m2*x2*y2' - m2*y2*x2'"


def test_a_constraint_that_may_be_turned_keeps_the_momentum_about_its_axis(dalembert):
    assert assert_kept(dalembert, "spherical", SPHERICAL) == [("energy", None), ("angular momentum", None)]
    assert report(dalembert, "spherical.toml")["conserved"][1]["expression"] == "m*x*y' - m*y*x'"


def test_a_free_body_keeps_three_angular_momenta(dalembert):
    assert assert_kept(dalembert, "tumbling", TUMBLING) == [("energy", None)] + 3 * [("angular momentum", None)]


def test_where_the_energy_is_not_that_of_the_parts_it_is_jacobis_integral(dalembert):
    assert assert_kept(dalembert, "hoop", HOOP) == [("Jacobi integral", None)]
    # The force has a potential, though the model does not say so.
    text = dalembert("check", "hoop.toml").out
    assert "conserved    Jacobi integral = r^2*th'^2/2 + (k*th^2 - 2*g*r*cos(th) - r^2*w^2*sin(th)^2)/2\n" in text


@pytest.mark.parametrize("model, why", [
    ("stiff_shaft", "the dissipation does work"),
    ("coulomb_helix", "the virtual work of the constraint forces is not zero"),
    ("particle", "the virtual work of the constraint forces is not zero and the force along z does work"),
])
def test_what_takes_energy_is_named_and_takes_it(dalembert, model, why):
    assert report(dalembert, model)["energy"] == {"conserved": False, "reason": why}
    assert f"energy is not conserved: {why}" in " ".join(dalembert("check", model).out.split())
    result = dalembert("run", model, "--no-report", "--samples", "101")
    with open(dalembert.directory / "out" / model / "trajectory.csv", encoding="utf-8") as file:
        energies = [float(row["energy.kinetic"]) + float(row["energy.potential"]) for row in csv.DictReader(file)]
    assert result.status == 0 and max(energies) - min(energies) > 1e-2 * max(map(abs, energies))


def test_who_moves_is_not_said_to_keep_the_energy(dalembert):
    assert report(dalembert, "rotating_wire")["energy"] == {
        "conserved": None, "reason": "constraint 'wire' moves, and its force may do work"}
    assert "whether energy is conserved is not decided: constraint 'wire' moves" in dalembert("check", "rotating_wire").out
    model = dalembert.write("swing.toml", HOOP.replace("sin(th)^2/2", "sin(th)^2/2 + t*th'^2").replace("-g*r", "-(g + t)*r"))
    assert report(dalembert, model)["energy"] == {
        "conserved": False, "reason": "the kinetic energy depends on t and the potential energy depends on t"}


BLOCK = """
name = "Block on a rail with friction"
coordinates = ["x", "z"]
gravity = [0, 0, -9.81]
[[body]]
name = "block"
mass = 1
inertia = [0.1, 0.1, 0.1]
position = ["x", 0, "z"]
[[joint]]
name = "rail"
type = "slider"
bodies = ["ground", "block"]
axis = [1, 0, 0]
friction = { mu = 0.1, slip = 1e-6 }
[initial]
"x'" = 1
[simulation]
duration = 0.5
"""


def test_friction_of_joints_takes_energy_and_momentum(dalembert):
    model = dalembert.write("block.toml", BLOCK)
    assert report(dalembert, model)["conserved"] == []
    assert report(dalembert, model)["energy"] == {"conserved": False, "reason": "the friction of joints does work"}
    assert assert_kept(dalembert, "smooth", BLOCK.replace("friction =", "# friction =")) == [("energy", None), ("momentum", "x")]
    # Friction is made of the multipliers, which are then no linear system's solution.
    text = " ".join(dalembert("derive", model, "--method", "multipliers").out.split())
    assert "C contains the multipliers: they are left to this system." in text
