"""Constraints that inputs enforce: `by` in [[constraint]]."""

import csv
import json
import math

import pytest

CARS = """
coordinates = ["x1", "x2"]
[parameters]
m1 = 2
m2 = 1
k = 5
d = 0
[inputs]
u = 0
[energy]
kinetic = "m1*x1'^2/2 + m2*x2'^2/2"
potential = "k*(x1 - x2)^2/2"
dissipation = "d*x2'^2/2"
[forces]
x1 = "u"
[[constraint]]
name = "path"
equation = "x2 = sin(1.5*t)/2"
by = ["u"]
[initial]
adjust = "nearest"
[simulation]
duration = 10
samples = 21
"""

CRANE = """
coordinates = ["s", "l", "th"]
[parameters]
m = 0.8
g = 9.81
[inputs]
F = 0
W = 0
[let]
X = "s + l*sin(th)"
Z = "-l*cos(th)"
[energy]
kinetic = "1.5*s'^2/2 + m*(X'^2 + Z'^2)/2 + 0.3*l'^2/2"
potential = "m*g*Z"
[forces]
s = "F - 0.1*s'"
l = "W"
[[constraint]]
name = "across"
equation = "X = sin(t)^5/3"
by = ["F", "W"]
[[constraint]]
name = "height"
equation = "Z = -2 + sin(t)^5/5"
by = ["F", "W"]
[initial]
l = 2
[simulation]
duration = 5
samples = 11
"""

# A bar on a hinge, in quaternions, so that M is singular; a torque leads its middle.
HINGE = """
gravity = [0, 0, -9.81]
coordinates = ["x", "y", "z", "e0", "e1", "e2", "e3"]
[inputs]
u = 0
[[body]]
name = "bar"
mass = 2
inertia = [0.1, 0.1, 0.01]
position = ["x", "y", "z"]
orientation = { quaternion = ["e0", "e1", "e2", "e3"] }
[[joint]]
name = "pin"
type = "hinge"
bodies = ["ground", "bar"]
points = [[0, 0, 0], [0, 0, 0.5]]
axis = [0, 1, 0]
[[force]]
body = "bar"
torque = [0, "u", 0]
[[constraint]]
name = "swing"
equation = "x = -sin(0.5*sin(t))/2"
by = ["u"]
[initial]
z = -0.5
e0 = 1
adjust = "nearest"
[simulation]
duration = 3
samples = 7
"""


def columns(dalembert, *arguments):
    result = dalembert("run", *arguments, "--no-report", "--out", "o")
    assert result.status == 0, result.err
    with open(dalembert.directory / "o" / "trajectory.csv", encoding="utf-8") as file:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]


def cars_force(t, d):
    # u = (m1 + m2) y'' + m1 m2 y''''/k, and for the damper on the second car d y' + m1 d y'''/k
    w = 1.5
    y1, y2 = w * math.cos(w * t) / 2, -(w**2) * math.sin(w * t) / 2
    return 3 * y2 - 2 / 5 * w**2 * y2 + d * y1 - 2 * d / 5 * w**2 * y1


@pytest.mark.parametrize("d", [0, 0.3])
def test_two_cars_and_a_spring(dalembert, d):
    """With the damper y'' looks like a condition on velocities, and is one on positions."""
    dalembert.write("cars.toml", CARS.replace("d = 0", f"d = {d}"))
    rows = columns(dalembert, "cars.toml")
    for row in rows:
        assert row["u"] == pytest.approx(cars_force(row["t"], d), abs=1e-10)
        assert row["x2"] == pytest.approx(math.sin(1.5 * row["t"]) / 2, abs=1e-12)
        assert abs(row["ideal.x1"]) < 1e-12 and abs(row["ideal.x2"]) < 1e-12
    found = json.loads(dalembert("check", "cars.toml", "--json", "--method", "m-inverse").out)
    assert found["servo"] == [{"constraint": "path", "inputs": ["u"], "relative_degree": 4, "index": 5}]
    assert found["internal_dynamics"]["states"] == 0 and found["internal_dynamics"]["stable"] is True


def test_a_crane_leads_its_load(dalembert):
    """Newton for the load alone tells the angle and the tension; the rest follows by differences of the exact path."""
    dalembert.write("crane.toml", CRANE)
    rows = columns(dalembert, "crane.toml")

    def path(t):
        p = 5 * math.sin(t) ** 4 * math.cos(t)
        a = 20 * math.sin(t) ** 3 * math.cos(t) ** 2 - 5 * math.sin(t) ** 5
        return math.sin(t) ** 5, p, a

    for row in rows:
        position, _, a = path(row["t"])
        X, Z = position / 3, -2 + position / 5
        # The rope pulls the load towards the trolley: tan(angle) = -X''/(Z'' + g).
        theta = -math.atan2(a / 3, a / 5 + 9.81)
        assert row["th"] == pytest.approx(theta, abs=1e-10)
        assert row["s"] == pytest.approx(X + Z * math.tan(theta), abs=1e-10)
        tension = 0.8 * math.hypot(a / 3, a / 5 + 9.81)
        # Trolley: 1.5 s'' = F + tension sin(theta) - 0.1 s'; winch: 0.3 l'' = W + tension.
        assert row["F"] == pytest.approx(1.5 * row["s''"] - tension * math.sin(theta) + 0.1 * row["s'"], abs=1e-8)
        assert row["W"] == pytest.approx(0.3 * row["l''"] - tension, abs=1e-8)
    found = json.loads(dalembert("check", "crane.toml", "--json", "--method", "m-inverse").out)
    assert sorted(s["relative_degree"] for s in found["servo"]) == [2, 4]


def test_a_torque_beside_a_joint_in_quaternions(dalembert):
    dalembert.write("hinge.toml", HINGE)
    inertia = 0.1 + 2 * 0.25
    for row in columns(dalembert, "hinge.toml"):
        angle = 0.5 * math.sin(row["t"])
        assert row["u"] == pytest.approx(-inertia * 0.5 * math.sin(row["t"]) + 9.81 * math.sin(angle), abs=1e-9)


def test_an_unstable_inverse_is_told(dalembert):
    dalembert.write(
        "pole.toml",
        """
coordinates = ["x", "th"]
[inputs]
u = 0
[energy]
kinetic = "x'^2 + x'*th'*cos(th) + th'^2/2"
potential = "9.81*cos(th)"
[forces]
x = "u"
[[constraint]]
name = "cart"
equation = "x = 0"
by = ["u"]
""",
    )
    result = dalembert("check", "pole.toml", "--method", "m-inverse")
    assert "'cart' is enforced by 'u'   relative degree 2, index 3" in result.out
    assert "internal dynamics: 2 states, unstable: an eigenvalue has the real part 3.132" in result.out
    found = json.loads(dalembert("check", "pole.toml", "--json", "--method", "m-inverse").out)["internal_dynamics"]
    assert found["stable"] is False
    assert found["eigenvalues"] == [pytest.approx([math.sqrt(9.81), 0]), pytest.approx([-math.sqrt(9.81), 0])]


def test_internal_dynamics_of_first_order_is_seen(dalembert):
    """The second car is moved by a damper and a spring: d (x1' - x2') + k (x1 - x2) = m2 x2'', so x1' = -k/d x1 at rest."""
    text = CARS.replace("d*x2'^2/2", "d*(x1' - x2')^2/2").replace("d = 0", "d = 0.8").replace("k = 5", "k = -0.5")
    dalembert.write("cars.toml", text)
    found = json.loads(dalembert("check", "cars.toml", "--json", "--method", "m-inverse").out)
    assert found["servo"][0]["relative_degree"] == 3
    assert found["internal_dynamics"]["eigenvalues"] == [pytest.approx([0.5 / 0.8, 0])]
    assert found["internal_dynamics"]["stable"] is False


def test_a_start_must_satisfy_hidden_constraints(dalembert):
    dalembert.write("cars.toml", CARS.replace('adjust = "nearest"', "\"x2'\" = 0.75"))
    result = dalembert("run", "cars.toml", "--no-report")
    assert result.status == 2
    assert "the initial velocities break constraint 'path''': the rate of its residual is " in result.err
    assert "\"x1'\" = 0.4125" in result.err


FREE = """
coordinates = ["x", "y"]
[parameters]
c = 0
[inputs]
u = 0
v = 0
[energy]
kinetic = "(x'^2 + y'^2)/2"
[forces]
x = "u"
y = "c*x"
[[constraint]]
name = "path"
equation = "y = 0"
by = ["u"]
"""


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("", "", "constraint 'path' cannot be enforced by input 'u': it has no influence on it"),
        ("c*x", "0", "constraint 'path' cannot be enforced by input 'u': it has no influence on it"),
        ('["u"]', '["w"]', "constraint 'path': unknown input 'w'"),
        ('["u"]', "[]", "constraint 'path': by names at least one input"),
        ('["u"]', '["u", "u"]', "constraint 'path': input 'u' is named twice"),
        ('["u"]', '["u", "v"]', "2 inputs cannot be determined by 1 constraint: there must be as many of them"),
        ('"u"\n', '"u^2"\n', "the force along 'x' is not linear in the inputs"),
        ("[forces]", "[virtual_work]", "input 'u' stands in [virtual_work], and here inputs may stand in forces and outputs"),
        ('y = 0"', 'y = u"', "input 'u' stands in constraint 'path', and here inputs may stand in forces and outputs"),
    ],
)
def test_what_inputs_cannot_do_is_said(dalembert, before, after, sentence):
    dalembert.write("free.toml", FREE.replace(before, after) if before else FREE)
    result = dalembert("run", "free.toml", "--no-report")
    assert result.status == 2 and result.out == ""
    assert sentence in result.err


def test_an_input_that_enforces_is_not_set(dalembert):
    dalembert.write("cars.toml", CARS)
    result = dalembert("run", "cars.toml", "--set", "u=1", "--no-report")
    assert result.status == 2
    assert "input 'u' cannot be set: it follows from constraint 'path', which it enforces" in result.err
    dalembert.write("u.csv", "t,u\n0,0\n1,1\n")
    result = dalembert("run", "cars.toml", "--input", "u.csv", "--no-report")
    assert result.status == 2
    assert "input 'u' follows from constraint 'path', which it enforces" in result.err


def test_other_inputs_come_from_a_file(dalembert):
    """A force r on the first car is taken up by u."""
    dalembert.write("cars.toml", CARS.replace("u = 0", "u = 0\nr = 0").replace('"u"\n', '"u + r"\n', 1))
    dalembert.write("r.csv", "t,r\n0,0\n10,10\n")
    for row in columns(dalembert, "cars.toml", "--input", "r.csv"):
        assert row["u"] == pytest.approx(cars_force(row["t"], 0) - row["t"], abs=1e-10)


def test_linearised_equations_are_written_out(dalembert):
    """A pendulum on a redundant rod, and a sledge whose edge makes it turn: nonholonomic, at speed."""
    dalembert.write(
        "rod.toml",
        """
coordinates = ["x", "y"]
[parameters]
m = 2
l = 0.7
g = 9.81
c = 0.3
[inputs]
u = 0
[energy]
kinetic = "m*(x'^2 + y'^2)/2"
potential = "m*g*y"
[forces]
x = "u - c*x'"
[[constraint]]
equation = "x^2 + y^2 = l^2"
[[constraint]]
equation = "2*x^2 + 2*y^2 = 2*l^2"
[initial]
y = "-l"
""",
    )
    found = json.loads(dalembert("derive", "rod.toml", "--linear", "--json").out)
    assert found["states"] == ["x", "x'"] and found["inputs"] == ["u"]
    assert [(e["left"]["text"], e["right"]["text"]) for e in found["equations"]] == [("m*x''", "u - c*x' - m*g*x/l")]
    dalembert.write(
        "sledge.toml",
        """
coordinates = ["x", "y", "phi"]
[parameters]
m = 2
J = 0.7
a = 0.3
U = 1.5
[energy]
kinetic = "m*((x' - a*sin(phi)*phi')^2 + (y' + a*cos(phi)*phi')^2)/2 + J*phi'^2/2"
[[constraint]]
equation = "x'*sin(phi) = y'*cos(phi)"
[initial]
"x'" = "U"
""",
    )
    text = dalembert("derive", "sledge.toml", "--linear").out
    assert "y' = U*phi\n" in text
    assert "m*x'' = 0\n" in text
    assert "(J + m*a^2)*phi'' = -m*U*a*phi'\n" in text
    result = dalembert("derive", "sledge.toml", "--linear", "--set", "U=0")
    assert "(J + m*a^2)*phi'' = -m*U*a*phi'\n" in result.out  # the text holds for all values
    dalembert.write("ball.toml", 'coordinates = ["z"]\n[energy]\nkinetic = "z\'^2/2"\npotential = "z"\n')
    result = dalembert("derive", "ball.toml", "--linear")
    assert result.status == 2 and "the motion is not steady there: z'' = -1" in result.err
