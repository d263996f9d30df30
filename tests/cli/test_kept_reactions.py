"""Reactions in directions that coordinates keep: by Newton and Euler, blank where nothing tells them, never zero."""

import csv
import json
import math
import random

import pytest

G = 9.81


def joints_of(dalembert, text, *options):
    outcome = dalembert("eval", dalembert.write("m.toml", text), "--json", *options)
    assert outcome.status == 0, outcome.err
    document = json.loads(outcome.out)
    return {joint["name"]: joint for joint in document["joints"]}, document


def chain(links, cartesian, extra=""):
    """Rods in the plane y = 0, pinned one to the other. Each link: mass, from its pin to its centre and from there to its
    end, angle from the vertical, rate. In angles, or in places and angles with the pins as constraints."""
    names, bodies, joints, initial, at, rate = [], [], [], [], ("0", "0"), ("0", "0")
    for k, (mass, s, rest, angle, speed) in enumerate(links):
        q = f"a{k}"
        length = f"({s} + {rest})"
        place = (f"{at[0]} + {s}*sin({q})", f"{at[1]} - {s}*cos({q})")
        moving = (f"{rate[0]} + {s}*cos({q})*{q}'", f"{rate[1]} + {s}*sin({q})*{q}'")
        inertia = mass * (s + rest) ** 2 / 12
        if cartesian:
            names += [f"x{k}", f"z{k}"]
            initial += [f'x{k} = "{place[0]}"', f'z{k} = "{place[1]}"']
            initial += [f'"x{k}\'" = "{moving[0]}"', f'"z{k}\'" = "{moving[1]}"']
        names.append(q)
        position = f'["x{k}", 0, "z{k}"]' if cartesian else f'["{place[0]}", 0, "{place[1]}"]'
        bodies.append(f"""
[[body]]
name = "b{k}"
mass = {mass}
inertia = [{inertia}, {inertia}, {inertia / 50}]
position = {position}
orientation = {{ axis = [0, -1, 0], angle = "{q}" }}
""")
        before = "ground" if k == 0 else f"b{k - 1}"
        below = [0, 0, 0] if k == 0 else [0, 0, -links[k - 1][2]]
        joints.append(f"""
[[joint]]
name = "j{k}"
type = "hinge"
bodies = ["{before}", "b{k}"]
points = [{below}, [0, 0, {s}]]
axis = [0, 1, 0]
""")
        initial += [f"{q} = {angle}", f'"{q}\'" = {speed}']
        at = (f"{at[0]} + {length}*sin({q})", f"{at[1]} - {length}*cos({q})")
        rate = (f"{rate[0]} + {length}*cos({q})*{q}'", f"{rate[1]} + {length}*sin({q})*{q}'")
    top = f"coordinates = {json.dumps(names)}\ngravity = [0, 0, {-G}]\n"
    start = "\n[initial]\n" + "\n".join(initial) + "\n[simulation]\nduration = 0.5\nsamples = 6\n"
    return top + "".join(bodies) + "".join(joints) + extra + start


DOUBLE = [(2, 0.4, 0.4, 0.7, 1.1), (1.5, 0.3, 0.3, -0.4, -2.3)]


def test_pins_of_a_double_pendulum_in_angles_carry_what_newton_says(dalembert):
    joints, document = joints_of(dalembert, chain(DOUBLE, cartesian=False))
    (m1, s1, r1, a, va), (m2, s2, _, b, vb) = DOUBLE
    aa, ab = document["acceleration"]["a0"], document["acceleration"]["a1"]
    def acceleration(s, angle, speed, gain):
        return (s * (math.cos(angle) * gain - math.sin(angle) * speed**2),
                s * (math.sin(angle) * gain + math.cos(angle) * speed**2))
    first, end = acceleration(s1, a, va, aa), acceleration(s1 + r1, a, va, aa)
    second = [e + s for e, s in zip(end, acceleration(s2, b, vb, ab))]
    elbow = (m2 * second[0], m2 * (second[1] + G))
    pin = (m1 * first[0] + elbow[0], m1 * (first[1] + G) + elbow[1])
    for name, (fx, fz) in {"j0": pin, "j1": elbow}.items():
        assert joints[name]["force"]["world"] == pytest.approx([fx, 0, fz], rel=1e-12, abs=1e-12)
        assert joints[name]["moment"]["world"] == pytest.approx([0, 0, 0], abs=1e-12)
        assert joints[name]["unique"] and "unknown" not in joints[name]


@pytest.mark.parametrize("seed", range(6))
def test_random_chains_have_the_pin_forces_of_places_and_constraints(dalembert, seed):
    draw = random.Random(seed)
    links = [(draw.uniform(0.5, 3), draw.uniform(0.1, 1), draw.uniform(0.1, 1), draw.uniform(-2, 2),
              draw.uniform(-3, 3)) for _ in range(draw.randint(1, 4))]
    extra = f"""
[[force]]
body = "b{len(links) - 1}"
point = [0.1, 0, 0.2]
force = [{draw.uniform(-5, 5)}, 0, {draw.uniform(-5, 5)}]
torque = [0, {draw.uniform(-1, 1)}, 0]
[[spring]]
joint = "j0"
stiffness = {draw.uniform(1, 9)}
damping = 0.3
[[spring]]
body = "b0"
points = [[1, 0, -1], [0, 0, -0.1]]
stiffness = {draw.uniform(1, 9)}
length = 0.4
damping = 0.2
"""
    ours, _ = joints_of(dalembert, chain(links, cartesian=False, extra=extra))
    theirs, _ = joints_of(dalembert, chain(links, cartesian=True, extra=extra))
    for name, joint in theirs.items():
        size = max(map(abs, joint["force"]["world"]))
        for part in ("force", "moment"):
            for axes in ("world", "body"):
                assert ours[name][part][axes] == pytest.approx(joint[part][axes], rel=1e-9, abs=1e-9 * (1 + size))


def test_outputs_and_rows_have_them(dalembert):
    outputs = '\n[outputs]\nload = "sqrt(j0.fx^2 + j0.fz^2)"\n'
    rows = {}
    for cartesian in (False, True):
        name = dalembert.write("m.toml", chain(DOUBLE, cartesian) + outputs)
        outcome = dalembert("run", name, "--out", "out")
        assert outcome.status == 0, outcome.err
        with open(next((dalembert.directory / "out").rglob("trajectory.csv")), newline="") as file:
            rows[cartesian] = list(csv.DictReader(file))
    for ours, theirs in zip(rows[False], rows[True], strict=True):
        assert float(ours["load"]) > 1
        for column in ("load", "j0.fx", "j1.fz", "j1.bfx", "j0.fy", "j0.mx"):
            assert float(ours[column]) == pytest.approx(float(theirs[column]), rel=1e-6, abs=1e-6)


WHEEL = """
coordinates = ["x", "th"]
gravity = [0, 0, -9.8]
[[body]]
name = "wheel"
mass = 10
inertia = [0.1, 0.2, 0.1]
position = ["x", 0, 0.2]
orientation = { axis = [0, 1, 0], angle = "th" }
[[joint]]
name = "road"
type = "rolls"
body = "wheel"
shape = "disk"
radius = 0.2
axis = [0, 1, 0]
normal = [0, 0, 1]
contact = false
[[force]]
body = "wheel"
force = [3, 0, 0]
"""


def test_a_wheel_in_coordinates_that_keep_its_height_carries_its_weight(dalembert):
    joints, document = joints_of(dalembert, WHEEL)
    fx, fy, fz = joints["road"]["force"]["world"]
    assert fz == pytest.approx(98, rel=1e-12) and fy == 0
    assert fx == pytest.approx(10 * document["acceleration"]["x"] - 3, rel=1e-12)


def car(wheels):
    text = 'coordinates = ["x"]\ngravity = [0, 0, -9.8]\n'
    text += '[[body]]\nname = "car"\nmass = 10\ninertia = [1, 2, 2]\nposition = ["x", 0, 0.5]\n'
    for k, place in enumerate(wheels):
        text += f'[[joint]]\nname = "w{k}"\ntype = "point-on-plane"\nbody = "car"\nnormal = [0, 0, 1]\n'
        text += f"points = [[0, 0, 0], [{place}, 0, -0.5]]\n"
    return text


def test_two_supports_share_a_weight_as_levers_do_and_three_do_not_tell(dalembert):
    joints, _ = joints_of(dalembert, car([-1, 3]))
    assert joints["w0"]["force"]["world"] == pytest.approx([0, 0, 73.5], rel=1e-12)
    assert joints["w1"]["force"]["world"] == pytest.approx([0, 0, 24.5], rel=1e-12)
    joints, _ = joints_of(dalembert, car([-1, 0, 3]))
    for joint in joints.values():
        assert joint["force"]["world"] == [0, 0, None]
        assert joint["unknown"] == ["fz", "bfz"] and "loop" in joint["unknown_reason"]


def test_what_a_loop_leaves_open_is_blank_named_and_refused_in_outputs(dalembert):
    name = dalembert.write("m.toml", car([-1, 0, 3]) + "[simulation]\nduration = 1\nsamples = 3\n")
    outcome = dalembert("run", name, "--out", "out")
    assert outcome.status == 0, outcome.err
    assert "fz, bfz of joint 'w0' not known: a loop of joints leaves it open" in outcome.out
    assert "not finite" not in outcome.out
    with open(next((dalembert.directory / "out").rglob("trajectory.csv")), newline="") as file:
        assert [row["w0.fz"] for row in csv.DictReader(file)] == ["", "", ""]
    summary = json.loads(next((dalembert.directory / "out").rglob("summary.json")).read_text())
    assert summary["reactions"][0]["unknown"] == ["fz", "bfz"] and summary["not_finite"] == []
    checked = dalembert("check", name)
    assert "its reaction is not known in fz, bfz: a loop of joints leaves it open" in " ".join(checked.out.split())
    assert "w0" in dalembert("eval", name).out and "not all known" in dalembert("eval", name).out
    name = dalembert.write("n.toml", car([-1, 0, 3]) + '[outputs]\nload = "2*w1.fz"\n')
    outcome = dalembert("run", name)
    assert outcome.status == 2
    assert "n.toml:27:9:" in outcome.err and "output 'load' needs a part of the reaction of joint 'w1'" in outcome.err
    assert "load = \"2*w1.fz\"" in outcome.err


def test_a_motor_along_a_joints_own_angle_changes_no_pin_force_but_by_the_motion(dalembert):
    angles = chain(DOUBLE, cartesian=False) + '[forces]\na0 = "3 - 0.5*a0\'"\n'
    places = chain(DOUBLE, cartesian=True, extra='[[force]]\nbody = "b0"\ntorque = [0, "-(3 - 0.5*a0\')", 0]\n')
    ours, document = joints_of(dalembert, angles)
    theirs, _ = joints_of(dalembert, places)
    for name in ours:
        assert ours[name]["force"]["world"] == pytest.approx(theirs[name]["force"]["world"], rel=1e-9, abs=1e-9)
    assert document["reaction_notes"] == ["the force along 'a0' is taken to be a couple on 'b0'"]


def test_gravity_written_by_hand_leaves_pin_forces_unknown(dalembert):
    text = chain(DOUBLE[:1], cartesian=False).replace(f"gravity = [0, 0, {-G}]\n", "")
    text += '[energy]\npotential = "-2*9.81*0.4*cos(a0)"\n'
    joints, _ = joints_of(dalembert, text)
    assert joints["j0"]["force"]["world"][0] is None and joints["j0"]["force"]["world"][2] is None
    assert "write gravity or [[spring]] instead" in joints["j0"]["unknown_reason"]


WIRE = """
coordinates = [COORDINATES]
gravity = [0, 0, -9.81]
[[particle]]
name = "bead"
mass = 2
position = ["x", "y", Z]
[[joint]]
name = "wire"
type = "point-on-line"
body = "bead"
axis = [1, 0, 0]
friction = { mu = 0.3 }
[initial]
"x'" = 1
"""


def test_friction_presses_with_what_the_coordinates_keep(dalembert):
    kept, document = joints_of(dalembert, WIRE.replace("COORDINATES", '"x", "y"').replace("Z", "0"))
    assert document["acceleration"]["x"] == pytest.approx(-0.3 * G, rel=1e-12)
    assert kept["wire"]["friction"] == pytest.approx(2 * G, rel=1e-12)
    assert kept["wire"]["force"]["world"] == pytest.approx([-0.6 * G, 0, 2 * G], rel=1e-12)
    free, _ = joints_of(dalembert, WIRE.replace("COORDINATES", '"x", "y", "z"').replace("Z", '"z"'))
    assert free["wire"]["force"]["world"] == pytest.approx(kept["wire"]["force"]["world"], rel=1e-12)


def test_friction_of_bearings_is_the_same_in_angles_and_in_places(dalembert):
    rough = {}
    for cartesian in (False, True):
        text = chain(DOUBLE, cartesian).replace("axis = [0, 1, 0]\n", "axis = [0, 1, 0]\nfriction = { mu = 0.2, radius = 0.05 }\n")
        rough[cartesian] = joints_of(dalembert, text)
    (ours, mine), (theirs, other) = rough[False], rough[True]
    for q in ("a0", "a1"):
        assert mine["acceleration"][q] == pytest.approx(other["acceleration"][q], rel=1e-10)
    for name in ours:
        assert ours[name]["friction"] == pytest.approx(theirs[name]["friction"], rel=1e-10)
        assert ours[name]["force"]["world"] == pytest.approx(theirs[name]["force"]["world"], rel=1e-10, abs=1e-10)
    smooth, _ = joints_of(dalembert, chain(DOUBLE, False))
    assert abs(smooth["j0"]["force"]["world"][0] - ours["j0"]["force"]["world"][0]) > 1e-3


def test_friction_whose_pressing_force_no_one_knows_is_refused(dalembert):
    text = car([-1, 0, 3]).replace("normal = [0, 0, 1]\n", "normal = [0, 0, 1]\nfriction = { mu = 0.1 }\n", 1)
    outcome = dalembert("eval", dalembert.write("m.toml", text))
    assert outcome.status == 2
    assert "m.toml:13:" in outcome.err and "a loop of joints leaves it open" in outcome.err


LADDER = """
coordinates = ["x", "y", "th"]
gravity = [0, -9.81, 0]
[[body]]
name = "rod"
mass = 5
inertia = [0.01, 2, 2]
position = ["x", "y", 0]
orientation = { axis = [0, 0, 1], angle = "th" }
[[joint]]
name = "floor"
type = "point-on-plane"
body = "rod"
points = [[0, 0, 0], [-1, 0, 0]]
normal = [0, 1, 0]
friction = { mu = 0.2 }
[initial]
th = 1
y = "sin(th)"
"x'" = -1
"""


def test_eval_tells_which_multiplier_knows_of_friction(dalembert):
    joints, document = joints_of(dalembert, LADDER)
    (row,) = document["constraints"]
    assert joints["floor"]["friction"] == pytest.approx(abs(row["multiplier_with_C"]), rel=1e-12)
    assert abs(row["multiplier"] - row["multiplier_with_C"]) > 0.1
    text = dalembert("eval", "m.toml").out
    assert "multiplier without C" in text and "while C acts" in text
    smooth = dalembert("eval", dalembert.write("s.toml", LADDER.replace("friction = { mu = 0.2 }\n", ""))).out
    assert "without C" not in smooth


def quaternion_product(a, b):
    return [a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]]


def turned(e, v):
    conjugate = [e[0], -e[1], -e[2], -e[3]]
    return quaternion_product(quaternion_product(e, [0, *v]), conjugate)[1:]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def arm(links, free):
    """Bodies in space, each on a hinge of the one before: in angles and nested frames, or free by places and
    quaternions with the hinges as constraints. Each link: mass, inertia, centre of mass, hinge in the link before, axis,
    angle, rate."""
    names, bodies, joints, initial = [], [], [], []
    e, w, place, speed = [1, 0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]
    for k, (mass, inertia, centre, hinge, axis, angle, rate) in enumerate(links):
        where = turned(e, hinge)
        place = [a + b for a, b in zip(place, where)]
        speed = [a + b for a, b in zip(speed, cross(w, where))]
        w = [a + rate * b for a, b in zip(w, turned(e, axis))]
        e = quaternion_product(e, [math.cos(angle / 2)] + [math.sin(angle / 2) * u for u in axis])
        before = "ground" if k == 0 else f"b{k - 1}"
        if free:
            own = [f"x{k}", f"y{k}", f"z{k}"] + [f"e{i}{k}" for i in range(4)]
            names += own
            pose = f"position = {json.dumps(own[:3])}\norientation = {{ quaternion = {json.dumps(own[3:])} }}\n"
            rates = speed + [x / 2 for x in quaternion_product([0, *w], e)]
            initial += [f"{q} = {x!r}\n\"{q}'\" = {v!r}" for q, x, v in zip(own, place + e, rates)]
        else:
            names.append(f"q{k}")
            pose = f'position = {hinge}\norientation = {{ axis = {axis}, angle = "q{k}" }}\nframe = "{before}"\n'
            initial.append(f"q{k} = {angle}\n\"q{k}'\" = {rate}")
        bodies.append(f'[[body]]\nname = "b{k}"\nmass = {mass}\ninertia = {inertia}\ncenter_of_mass = {centre}\n{pose}')
        joints.append(f'[[joint]]\nname = "j{k}"\ntype = "hinge"\nbodies = ["{before}", "b{k}"]\naxis = {axis}\n'
                      f"points = [{hinge}, [0, 0, 0]]\n[[spring]]\njoint = \"j{k}\"\nstiffness = 3\ndamping = 0.2\n")
    load = f'[[force]]\nbody = "b{len(links) - 1}"\npoint = [0.2, 0.1, 0]\nforce = [1, -2, 3]\ntorque = [0.1, 0, 0.2]\naxes = "body"\n'
    return (f"coordinates = {json.dumps(names)}\ngravity = [0.5, 0, {-G}]\n" + "".join(bodies + joints) + load +
            '[initial]\nadjust = "nearest"\n' + "\n".join(initial) + "\n")


@pytest.mark.parametrize("seed", range(3))
def test_an_arm_in_space_has_the_reactions_of_its_bodies_as_free_ones(dalembert, seed):
    draw = random.Random(seed)

    def vector(size):
        return [draw.uniform(-size, size) for _ in range(3)]

    links = []
    for _ in range(2 + seed % 2):
        axis = vector(1)
        length = math.sqrt(sum(x * x for x in axis))
        links.append((draw.uniform(0.5, 3), [draw.uniform(0.5, 0.6) for _ in range(3)], vector(0.4), vector(0.5),
                      [x / length for x in axis], draw.uniform(-1, 1), draw.uniform(-2, 2)))
    ours, mine = joints_of(dalembert, arm(links, free=False))
    theirs, _ = joints_of(dalembert, arm(links, free=True))
    assert "reaction_notes" not in mine
    for name, joint in theirs.items():
        assert "unknown" not in ours[name]
        for part in ("force", "moment"):
            for axes in ("world", "body"):
                assert ours[name][part][axes] == pytest.approx(joint[part][axes], rel=1e-7, abs=1e-7)


def slider_crank(cartesian):
    """Crank and rod of length 1, so that the piston is at 2 cos(th): one coordinate, or nine."""
    at = {"crank": ("cos(th)/2", "sin(th)/2", "th"), "rod": ("3*cos(th)/2", "sin(th)/2", "-th"),
          "piston": ("2*cos(th)", "0", "0")}
    rates = {"crank": ("-sin(th)/2*th'", "cos(th)/2*th'", "th'"), "rod": ("-3*sin(th)/2*th'", "cos(th)/2*th'", "-th'"),
             "piston": ("-2*sin(th)*th'", "0", "0")}
    names, bodies, initial = ["th"], [], ["th = 0.6", "\"th'\" = 4"]
    for name, place in at.items():
        values = list(place)
        if cartesian:
            values = [f"{name}_{axis}" for axis in "xya"]
            names += values
            initial += [f'{q} = "{x}"\n"{q}\'" = "{v}"' for q, x, v in zip(values, place, rates[name])]
        bodies.append(f'[[body]]\nname = "{name}"\nmass = 2\ninertia = [0.1, 0.2, 0.2]\nposition = ["{values[0]}", '
                      f'"{values[1]}", 0]\norientation = {{ axis = [0, 0, 1], angle = "{values[2]}" }}\n')
    if cartesian:
        names = names[1:]
        initial = [line.replace("th'", "crank_a'").replace("(th)", "(crank_a)").replace("th", "crank_a") for line in initial]
        initial = [line for line in initial if "crank_a = \"crank_a\"" not in line]
    joints = "".join(
        f'[[joint]]\nname = "{name}"\ntype = "{kind}"\nbodies = {json.dumps(pair)}\npoints = {points}\naxis = {axis}\n'
        for name, kind, pair, points, axis in [
            ("O", "hinge", ["ground", "crank"], [[0, 0, 0], [-0.5, 0, 0]], [0, 0, 1]),
            ("A", "hinge", ["crank", "rod"], [[0.5, 0, 0], [-0.5, 0, 0]], [0, 0, 1]),
            ("B", "hinge", ["rod", "piston"], [[0.5, 0, 0], [0, 0, 0]], [0, 0, 1]),
            ("bore", "slider", ["ground", "piston"], [[0, 0, 0], [0, 0, 0]], [1, 0, 0])])
    return (f"coordinates = {json.dumps(names)}\ngravity = [0, {-G}, 0]\n" + "".join(bodies) + joints + "[initial]\n" +
            "\n".join(initial) + "\n")


def test_a_loop_that_statics_can_solve_is_solved_and_the_rest_is_blank(dalembert):
    ours, _ = joints_of(dalembert, slider_crank(cartesian=False))
    theirs, _ = joints_of(dalembert, slider_crank(cartesian=True))
    for name in ours:
        assert ours[name]["force"]["world"][:2] == pytest.approx(theirs[name]["force"]["world"][:2], rel=1e-9, abs=1e-9)
        # Across the plane the frame holds one body more than it must.
        assert ours[name]["force"]["world"][2] is None
    assert ours["bore"]["moment"]["world"][2] == pytest.approx(0, abs=1e-9)
