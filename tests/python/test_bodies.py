"""Bodies, particles, frames, joints, springs and forces at points, written in Python."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import sympy

import dalembert as dal

BAR = """
name = "Bar on a hinge"
coordinates = ["x", "z", "th"]
gravity = [0, 0, "-g"]

[parameters]
m = 2
l = 0.75
g = 9.8125

[[body]]
name = "bar"
mass = "m"
inertia = ["m*l^2/3", "m*l^2/3", "m*l^2/300"]
position = ["x", 0, "z"]
orientation = { axis = [0, 1, 0], angle = "th" }

[[joint]]
name = "pin"
type = "hinge"
body = "bar"
points = [[0, 0, 0], [0, 0, "l"]]
axis = [0, 1, 0]

[initial]
th = 0.5
x = "-l*sin(th)"
z = "-l*cos(th)"

[simulation]
duration = 2

[outputs]
load = "sqrt(pin.fx^2 + pin.fz^2)"
"""


def bar() -> dal.System:
    s = dal.System("Bar on a hinge")
    x, z, th = s.coordinates("x z th")
    m, l, g = s.parameters(m=2, l=0.75, g=9.8125)
    s.gravity = [0, 0, -g]
    body = s.body(
        "bar",
        mass=m,
        inertia=[m * l**2 / 3, m * l**2 / 3, m * l**2 / 300],
        position=[x, 0, z],
        orientation={"axis": [0, 1, 0], "angle": th},
    )
    pin = s.joint("hinge", "pin", body=body, points=[[0, 0, 0], [0, 0, l]], axis=[0, 1, 0])
    s.initial(q={th: 0.5, x: "-l*sin(th)", z: -l * dal.cos(th)})
    s.simulation(duration=2)
    s.outputs(load=dal.sqrt(pin.fx**2 + pin.fz**2))
    return s


def contents(model) -> list[str]:
    parts = [model.kinetic, model.potential, model.constraints, model.outputs, model.reactions, model.initial]
    return [str(part) for part in parts]


def test_the_bar_of_the_documentation_is_the_same_in_python():
    assert contents(bar()._model()) == contents(dal.loads(BAR)._model())


def test_layout_of_bodies_and_joints():
    text = bar().to_toml()
    assert 'orientation = { axis = [0, 1, 0], angle = "th" }\n' in text
    assert 'points = [[0, 0, 0], [0, 0, "l"]]\n' in text
    assert 'load = "sqrt(pin.fx^2 + pin.fz^2)"\n' in text


def values(expressions, at) -> np.ndarray:
    return np.array([e.evaluate({name: at[str(name)] for name in e.symbols}) if e.symbols else float(e) for e in expressions])


@pytest.mark.parametrize("name", ["bicycle", "robot_arm", "gyroscope", "stewart_platform", "car_with_trailer"])
def test_geometry_is_that_of_the_reader(name):
    s = dal.read(name)
    s.simulation()  # the document is opened, and geometry is found here rather than taken from the model
    s._geometries.clear()
    at = {}
    rng = np.random.default_rng(3)
    for symbol in s.coordinate_names:
        at[symbol], at[symbol + "'"] = rng.uniform(0.2, 1.2, 2)
    at.update(s.parameter_values())
    for read in s._model().bodies:
        own = s._geometry(read.name)
        assert [str(e) for e in own.position] == [str(e) for e in read.position]
        assert [str(e) for e in own.spin] == [str(e) for e in read.spin]
        assert str(own.rotation) == str(read.rotation)
        assert values(own.velocity, at) == pytest.approx(values(read.velocity, at), rel=1e-12, abs=1e-14)


def test_points_turn_with_the_body():
    s = dal.System("s")
    x, q = s.coordinates("x q")
    r = s.parameter("r", 2.0)
    outer = s.frame("outer", position=[x, 0, 0], orientation=("z", q))
    inner = s.body("inner", mass=1, inertia=[1, 1, 1], frame=outer, position=[r, 0, 0], center_of_mass=[0, 1, 0])
    at = {"x": 0.5, "q": 0.3, "r": 2.0}
    c, sn = np.cos(0.3), np.sin(0.3)
    assert values(inner.position, at) == pytest.approx([0.5 + 2 * c - sn, 2 * sn + c, 0])
    assert values(inner.point([1, 0, 0]), at) == pytest.approx([0.5 + 3 * c, 3 * sn, 0])
    assert values(inner.point("r", 0, 0), at) == pytest.approx([0.5 + 4 * c, 4 * sn, 0])
    assert str(inner.wz) == "q'" and str(outer.spin[2]) == "q'"
    assert str(outer.origin[0]) == "x" and outer.rotation.shape == (3, 3)
    assert str(inner.x) == str(inner.position[0])
    assert str(inner.velocity[0]) == str(inner.position[0].d)


def test_the_file_speaks_of_bodies_where_the_program_did():
    s = dal.System("disk")
    phi, theta, psi, x, y, z = s.coordinates("phi theta psi x y z")
    r = s.parameter("r", 0.5)
    disk = s.body("disk", mass=1, inertia=[1, 1, 2], position=[x, y, z], orientation=("zxz", phi, theta, psi))
    s.constrain(disk.point([r, 0, 0]), name="hook")
    s.outputs(speed=disk.point([0, r, 0])[0].d, spin=disk.wz)
    text = s.to_toml()
    assert 'equation = "point(disk, r, 0, 0).x = 0"' in text
    assert "speed = \"point(disk, 0, r, 0).x'\"" in text
    assert 'spin = "disk.wz"' in text
    plain = s.copy()
    plain._seen.clear()
    plain.simulation()
    assert "point(" not in plain.to_toml()
    assert [str(c[1]) for c in plain._model().constraints] == [str(c[1]) for c in s._model().constraints]


def test_a_body_is_not_described_by_itself():
    s = dal.System("s")
    q = s.coordinate("q")
    arm = s.particle("arm", mass=1, position=[dal.cos(q), dal.sin(q), 0])
    other = s.particle("other", mass=1, position=arm.position * 2)
    s.outputs(o=other.x)
    s._model()
    assert 'position = ["cos(q)", "sin(q)", 0]' in s.to_toml()


def test_a_body_is_not_described_by_a_let_that_speaks_of_it():
    s = dal.System("s")
    q = s.coordinate("q")
    s.particle("arm", mass=1, position=[dal.cos(q), dal.sin(q), 0])
    s.let("tip", "point(arm, 0, 0, 0)")
    s.let("height", dal.sin(q))
    s.let("twice", "2*tip.y")
    s.particle("other", mass=1, position=[2 * dal.sin(q), 0, 0])
    s.outputs(h=dal.sin(q), tip_x=dal.cos(q))
    s._model()
    assert 'tip_x = "tip.x"' in s.to_toml()


def test_texts_may_speak_of_bodies_declared_before():
    s = dal.System("s")
    q = s.coordinate("q")
    s.body("arm", mass=1, inertia=[1, 1, 1], position=[0, 0, 0], orientation=("z", q))
    tip = s.let("tip", "point(arm, 2, 0, 0)")
    speed = s.let("speed", "norm(tip')")
    assert [str(e) for e in tip] == ["2*cos(q)", "2*sin(q)", "0"]
    s.outputs(v=speed, tip_x=tip[0])
    assert 'tip_x = "tip.x"' in s.to_toml()
    assert [str(e) for _, e in dal.loads(s.to_toml())._model().outputs] == [str(e) for _, e in s._model().outputs]
    with pytest.raises(dal.ModelError, match="unknown name 'leg.x'"):
        s.let("no", "leg.x")


def test_sympy_and_arrays_for_vectors_and_matrices():
    s = dal.System("s")
    x = s.coordinate("x")
    s.parameters(m=2)
    m = sympy.Symbol("m")
    body = s.body("b", mass=m, inertia=np.diag([1.0, 2.0, 2.5]), position=sympy.Matrix([sympy.Symbol("x"), 0, m]))
    assert str(body.x) == "x" and "inertia = [[1.0, 0.0, 0.0]" in s.to_toml()
    s.gravity = np.array([0, 0, -9.81])
    s._model()
    assert [str(e) for e in s.gravity] == ["0", "0", "-9.81"]
    assert str(x) == "x"


def test_springs_forces_and_joints_of_all_kinds_of_arguments():
    s = dal.System("s")
    x, q, a = s.coordinates("x q a")
    k = s.parameter("k", 3)
    cart = s.particle("cart", mass=1, position=[x, 0, 0])
    arm = s.body("arm", mass=1, inertia=[1, 1, 1], position=[q, 0, 0], orientation=("y", a))
    pin = s.joint("hinge", "pin", bodies=("ground", arm), axis=[0, 1, 0], friction={"mu": 0.1, "radius": 0.01})
    s.spring("band", bodies=(cart, "arm"), points=[[0, 0, 0], [0, 0, 1]], stiffness=k, length=1, damping=0.1)
    s.spring(joint=pin, stiffness=2, rest=0.5)
    s.point_force(arm, force=[0, 0, "exp(-t)"], torque=[0, -pin.rate, 0], point=[0, 0, 1], axes="body", name="push")
    s.force(x, -pin.angle)
    s.kinetic = q.d**2
    s.outputs(angle=pin.angle)
    model = s._model()
    assert pin.constraints == [c[0] for c in model.constraints]
    assert {name for name, *_ in model.joints} == {"pin"}
    assert "pin.angle" in s.to_toml() and 'joint = "pin"' in s.to_toml()


def test_wrong_parts_are_refused_at_once():
    s = dal.System("one")
    x = s.coordinate("x")
    body = s.body("body", mass=1, inertia=[1, 1, 1], position=[x, 0, 0])
    particle = s.particle("bead", mass=1, position=[x, 0, 0])
    other = dal.System("two")
    with pytest.raises(ValueError, match="'body' belongs to the system 'one', and this is the system 'two'"):
        other.joint("ball", "j", body=body)
    with pytest.raises(ValueError, match="did you mean 'body'"):
        s.joint("ball", "j", body="bodi")
    with pytest.raises(ValueError, match="is not a body or frame"):
        s.frame("f", frame=particle)
    with pytest.raises(ValueError, match="bodies are two"):
        s.joint("ball", "j", bodies=(body,))
    with pytest.raises(ValueError, match="three components, not 2"):
        s.particle("p", mass=1, position=[x, 0])
    with pytest.raises(TypeError, match="orientation"):
        s.frame("f", orientation=3)
    with pytest.raises(ValueError, match="did you mean 'angle'"):
        s.frame("f", orientation={"axis": [0, 0, 1], "angel": x})
    with pytest.raises(ValueError, match="already the name of a body"):
        s.particle("body", mass=1, position=[0, 0, 0])
    with pytest.raises(ValueError, match="meaning of its own"):
        s.frame("ground")
    with pytest.raises(ValueError, match="3 x 3 matrix"):
        s.body("c", mass=1, inertia=[[1, 0], [0, 1]], position=[0, 0, 0])
    with pytest.raises(TypeError, match="centre"):
        s.body("c", mass=1, inertia=[1, 1, 1], position=[0, 0, 0], centre=[0, 0, 0])
    with pytest.raises(AttributeError, match="did you mean 'angle'"):
        s.joint("ball", "ball", body=body).angel  # noqa: B018
    s.spring("spring", body="bead", stiffness=1)
    assert "c" not in s and "p" not in s and "f" not in s


def test_what_only_the_reader_knows_is_located():
    s = dal.System("s")
    x = s.coordinate("x")
    s.body("b", mass=x, inertia=[1, 1, 1], position=[x, 0, 0])
    with pytest.raises(dal.ModelError) as caught:
        s._model()
    assert "a mass" in str(caught.value) and "test_bodies.py" in str(caught.value)


def test_handles_are_picklable_and_comparable():
    s = bar()
    body, pin = s["bar"], s["pin"]
    again = pickle.loads(pickle.dumps(body))
    assert again == body and hash(again) == hash(body) and again != pin
    assert str(again.position[0]) == "x"
    assert str(pickle.loads(pickle.dumps(pin)).fx) == "pin.fx"
    assert str(body) == "bar" and "'bar'" in repr(body)


def test_a_read_model_can_be_extended_by_its_bodies():
    s = dal.read("gyroscope")
    name = s._model().bodies[0].name
    s.outputs(extra=s[name].x)
    s._model()
    assert "extra" in s.to_toml()
