"""Robots in URDF: what `import` makes of them, against the mechanics computed here from the URDF file itself."""

import csv
import json
import math
import os
import pathlib
import random
import shutil
import stat
import xml.etree.ElementTree as ET

import pytest
from conftest import MODELS

DATA = pathlib.Path(__file__).resolve().parents[1] / "data" / "urdf"
GRAVITY = 9.80665


class Dual:
    """a + b eps with eps^2 = 0: a value and its rate."""

    def __init__(self, a, b=0.0):
        self.a, self.b = a, b

    def __add__(self, o):
        o = dual(o)
        return Dual(self.a + o.a, self.b + o.b)

    __radd__ = __add__

    def __neg__(self):
        return Dual(-self.a, -self.b)

    def __sub__(self, o):
        return self + (-dual(o))

    def __rsub__(self, o):
        return dual(o) - self

    def __mul__(self, o):
        o = dual(o)
        return Dual(self.a * o.a, self.a * o.b + self.b * o.a)

    __rmul__ = __mul__


def dual(x):
    return x if isinstance(x, Dual) else Dual(x)


def cos(x):
    return Dual(math.cos(x.a), -math.sin(x.a) * x.b) if isinstance(x, Dual) else math.cos(x)


def sin(x):
    return Dual(math.sin(x.a), math.cos(x.a) * x.b) if isinstance(x, Dual) else math.sin(x)


def matvec(A, x):
    return [sum((A[i][k] * x[k] for k in range(1, 3)), A[i][0] * x[0]) for i in range(3)]


def matmul(A, B):
    columns = [matvec(A, [row[j] for row in B]) for j in range(3)]
    return [[columns[j][i] for j in range(3)] for i in range(3)]


def transposed(A):
    return [list(row) for row in zip(*A)]


def add(a, b):
    return [x + y for x, y in zip(a, b)]


def scaled(k, a):
    return [k * x for x in a]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def about(axis, angle):
    """Rodrigues' formula for a unit axis."""
    x, y, z = axis
    c, s = cos(angle), sin(angle)
    k = 1 - c
    return [
        [c + x * x * k, x * y * k - z * s, x * z * k + y * s],
        [y * x * k + z * s, c + y * y * k, y * z * k - x * s],
        [z * x * k - y * s, z * y * k + x * s, c + z * z * k],
    ]


def of_quaternion(e0, e1, e2, e3):
    """v -> e v e*, column by column, by the product of quaternions; for |e| = 1."""

    def product(p, q):
        return [
            p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
            p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
            p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
            p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
        ]

    columns = []
    for k in range(3):
        unit = [0.0, 0.0, 0.0, 0.0]
        unit[k + 1] = 1.0
        columns.append(product(product([e0, e1, e2, e3], unit), [e0, -e1, -e2, -e3])[1:])
    return transposed(columns)


def rpy_matrix(rpy):
    roll, pitch, yaw = rpy
    return matmul(about([0, 0, 1], yaw), matmul(about([0, 1, 0], pitch), about([1, 0, 0], roll)))


def numbers(element, name, default):
    return default if element is None or element.get(name) is None else [float(x) for x in element.get(name).split()]


class Robot:
    """A URDF file read with Python's own XML parser."""

    def __init__(self, path):
        root = ET.parse(path).getroot()
        self.links = {link.get("name"): self.inertial(link) for link in root.findall("link")}
        joints = [self.joint(joint) for joint in root.findall("joint")]
        children = {joint["child"] for joint in joints}
        reached = [next(name for name in self.links if name not in children)]
        self.root = reached[0]
        self.joints = []  # a parent's before its children's
        while len(self.joints) < len(joints):
            for joint in joints:
                if joint["parent"] in reached and joint["child"] not in reached:
                    self.joints.append(joint)
                    reached.append(joint["child"])

    @staticmethod
    def inertial(link):
        e = link.find("inertial")
        if e is None:
            return None
        i = {key: float(value) for key, value in e.find("inertia").attrib.items()}
        own = [[i["ixx"], i["ixy"], i["ixz"]], [i["ixy"], i["iyy"], i["iyz"]], [i["ixz"], i["iyz"], i["izz"]]]
        R = rpy_matrix(numbers(e.find("origin"), "rpy", [0.0, 0.0, 0.0]))
        return {
            "mass": float(e.find("mass").get("value")),
            "center": numbers(e.find("origin"), "xyz", [0.0, 0.0, 0.0]),
            "inertia": matmul(R, matmul(own, transposed(R))),
        }

    @staticmethod
    def joint(e):
        axis = numbers(e.find("axis"), "xyz", [1.0, 0.0, 0.0])
        dynamics = e.find("dynamics")
        return {
            "name": e.get("name"),
            "type": e.get("type"),
            "parent": e.find("parent").get("link"),
            "child": e.find("child").get("link"),
            "xyz": numbers(e.find("origin"), "xyz", [0.0, 0.0, 0.0]),
            "R": rpy_matrix(numbers(e.find("origin"), "rpy", [0.0, 0.0, 0.0])),
            "axis": scaled(1 / math.sqrt(dot(axis, axis)), axis),
            "damping": 0.0 if dynamics is None else float(dynamics.get("damping", 0)),
        }

    def poses(self, q):
        """Rotation and origin of each link for coordinates by joint: numbers or duals."""
        found = {self.root: ([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]], [0.0, 0.0, 0.0])}
        for joint in self.joints:
            R, p = found[joint["parent"]]
            p = add(p, matvec(R, joint["xyz"]))
            R = matmul(R, joint["R"])
            value = q.get(joint["name"])
            if joint["type"] in ("revolute", "continuous"):
                R = matmul(R, about(joint["axis"], value))
            elif joint["type"] == "prismatic":
                p = add(p, matvec(R, scaled(value, joint["axis"])))
            elif joint["type"] == "floating":
                p = add(p, matvec(R, value[:3]))
                R = matmul(R, of_quaternion(*value[3:]))
            elif joint["type"] == "planar":
                u, v = self.plane(joint["axis"])
                p = add(p, matvec(R, add(scaled(value[0], u), scaled(value[1], v))))
                R = matmul(R, about(joint["axis"], value[2]))
            found[joint["child"]] = (R, p)
        return found

    @staticmethod
    def plane(n):
        """As documented: the axis that the normal leans to least, made perpendicular, and n x that."""
        least = min(range(3), key=lambda k: abs(n[k]))
        unit = [1.0 if k == least else 0.0 for k in range(3)]
        u = add(unit, scaled(-n[least], n))
        u = scaled(1 / math.sqrt(dot(u, u)), u)
        return u, cross(n, u)

    def energies(self, q):
        """Kinetic and potential energy; q are duals with the velocities in them."""
        T, V = 0.0, Dual(0.0)
        for name, (R, p) in self.poses(q).items():
            link = self.links[name]
            if link is None or name == self.root:
                continue
            R = [[dual(x) for x in row] for row in R]
            center = [dual(x) for x in add(p, matvec(R, link["center"]))]
            rate = [[x.b for x in row] for row in R]
            spin = matmul(transposed([[x.a for x in row] for row in R]), rate)  # R^T R' = [w]x
            w = [spin[2][1], spin[0][2], spin[1][0]]
            T += link["mass"] * sum(x.b * x.b for x in center) / 2 + dot(w, matvec(link["inertia"], w)) / 2
            V = V + link["mass"] * GRAVITY * center[2]
        return T, V

    def torques(self, q, v, a, gravity):
        """Newton and Euler, outwards and back, for hinges: the torques that give accelerations a."""
        zero = [0.0, 0.0, 0.0]
        poses = self.poses(q)
        motion = {self.root: (zero, zero, [0.0, 0.0, gravity])}  # w, w', acceleration of the origin
        load = {}
        for joint in self.joints:
            w, dw, acceleration = motion[joint["parent"]]
            R, p = poses[joint["child"]]
            r = add(p, scaled(-1, poses[joint["parent"]][1]))
            acceleration = add(acceleration, add(cross(dw, r), cross(w, cross(w, r))))
            if joint["type"] != "fixed":
                axis = matvec(R, joint["axis"])
                turn = scaled(v[joint["name"]], axis)
                dw = add(dw, add(scaled(a[joint["name"]], axis), cross(w, turn)))
                w = add(w, turn)
            motion[joint["child"]] = (w, dw, acceleration)
            link = self.links[joint["child"]]
            force, moment = zero, zero  # on the link, about its origin
            if link is not None:
                c = matvec(R, link["center"])
                force = scaled(link["mass"], add(acceleration, add(cross(dw, c), cross(w, cross(w, c)))))
                J = matmul(R, matmul(link["inertia"], transposed(R)))
                moment = add(add(matvec(J, dw), cross(w, matvec(J, w))), cross(c, force))
            load[joint["child"]] = (force, moment)
        result = {}
        for joint in reversed(self.joints):
            force, moment = load[joint["child"]]
            R, p = poses[joint["child"]]
            if joint["type"] != "fixed":
                result[joint["name"]] = dot(matvec(R, joint["axis"]), moment)
            if joint["parent"] == self.root:
                continue
            r = add(p, scaled(-1, poses[joint["parent"]][1]))
            above = load[joint["parent"]]
            load[joint["parent"]] = (add(above[0], force), add(above[1], add(moment, cross(r, force))))
        return result


def imported(dalembert, name):
    shutil.copy(DATA / f"{name}.urdf", dalembert.directory / f"{name}.urdf")
    result = dalembert("import", f"{name}.urdf", "-o", f"{name}.toml")
    assert result.status == 0, result.err
    return result


def evaluated(dalembert, model, state):
    at = ",".join(f"{name}={value!r}" for name, value in state.items())
    result = dalembert("eval", model, "--json", "--at", at)
    assert result.status == 0, result.err
    return json.loads(result.out)


def test_the_arm_that_comes_with_the_program_is_the_imported_one(dalembert):
    imported(dalembert, "robot_arm")
    assert (dalembert.directory / "robot_arm.toml").read_text() == (MODELS / "robot_arm.toml").read_text()


def test_mass_matrix_and_forces_of_the_arm(dalembert):
    """M column by column and the whole of Q, by Newton and Euler. Entries are of size 1 to 100 and sums of some
    hundred products: 1e-11 of the largest is a thousand roundings, and far below any term left out."""
    imported(dalembert, "robot_arm")
    robot = Robot(DATA / "robot_arm.urdf")
    hinges = [joint for joint in robot.joints if joint["type"] != "fixed"]
    names = [joint["name"] for joint in hinges]
    rng = random.Random(20)
    for _ in range(3):
        q = {name: rng.uniform(-3, 3) for name in names}
        v = {name: rng.uniform(-2, 2) for name in names}
        got = evaluated(dalembert, "robot_arm.toml", {**q, **{name + "'": v[name] for name in names}})
        still = dict.fromkeys(names, 0.0)
        largest = max(abs(x) for row in got["mass_matrix"] for x in row)
        for j, name in enumerate(names):
            column = robot.torques(q, still, {**still, name: 1.0}, 0.0)
            for i, other in enumerate(names):
                assert got["mass_matrix"][i][j] == pytest.approx(column[other], abs=1e-11 * largest)
        bias = robot.torques(q, v, still, GRAVITY)
        largest = max(abs(x) for x in bias.values())
        for joint in hinges:
            expected = -bias[joint["name"]] - joint["damping"] * v[joint["name"]]
            assert got["force"]["applied"][joint["name"]] == pytest.approx(expected, abs=1e-11 * largest)


def test_places_of_the_arm(dalembert):
    """Where the tool is and how it is turned: rows of a run that does not move."""
    imported(dalembert, "robot_arm")
    robot = Robot(DATA / "robot_arm.urdf")
    rng = random.Random(3)
    q = {joint["name"]: rng.uniform(-3, 3) for joint in robot.joints if joint["type"] != "fixed"}
    text = (dalembert.directory / "robot_arm.toml").read_text()
    text += "\n[initial]\n" + "".join(f"{name} = {value!r}\n" for name, value in q.items())
    text += "\n[outputs]\n"
    for k, p in enumerate([(0, 0, 0), (1, 0, 0), (0, 1, 0)]):
        text += "".join(f'p{k}{c} = "point(tool, {p[0]}, {p[1]}, {p[2]}).{c}"\n' for c in "xyz")
    text += 'hand = "gripper.x"\n'
    dalembert.write("placed.toml", text)
    result = dalembert("run", "placed.toml", "--duration", "1e-3", "--samples", 2)
    assert result.status == 0, result.err
    with open(dalembert.directory / "out/placed/trajectory.csv", newline="") as file:
        row = next(csv.DictReader(file))
    R, p = robot.poses(q)["tool"]
    for k, offset in enumerate([[0, 0, 0], [1, 0, 0], [0, 1, 0]]):
        for c, expected in zip("xyz", add(p, matvec(R, offset))):
            assert float(row[f"p{k}{c}"]) == pytest.approx(expected, abs=1e-13)
    R, p = robot.poses(q)["gripper"]
    assert float(row["hand"]) == pytest.approx(add(p, matvec(R, [0, 0, 0.045]))[0], abs=1e-13)


def test_energies_of_every_type_of_joint(dalembert):
    """T = v^T M v/2 and, from rest, dV/dt = -v.Q, with poses and their rates computed from the file by dual numbers.
    Velocities of the quaternion are tangent to the unit sphere: off it, formulas may differ."""
    imported(dalembert, "all_joints")
    robot = Robot(DATA / "all_joints.urdf")
    rng = random.Random(11)
    for _ in range(2):
        e = [rng.gauss(0, 1) for _ in range(4)]
        e = scaled(1 / math.sqrt(dot(e, e)), e)
        de = [rng.gauss(0, 1) for _ in range(4)]
        de = add(de, scaled(-dot(e, de), e))
        q = [rng.uniform(-1, 1) for _ in range(14)]
        v = [rng.uniform(-1, 1) for _ in range(14)]
        q[3:7], v[3:7] = e, de
        x = [Dual(a, b) for a, b in zip(q, v)]
        given = {
            "free": x[:7], "plane": x[7:10], "slide": x[10], "sin": x[11], "g": x[12], "follow": x[13],
        }
        T, V = robot.energies(given)
        names = [f"free_{part}" for part in ("x", "y", "z", "e0", "e1", "e2", "e3")]
        names += ["plane_x", "plane_y", "plane_angle", "slide", "sin_joint", "g_joint", "follow"]
        moving = evaluated(
            dalembert, "all_joints.toml",
            {**dict(zip(names, q)), **{name + "'": value for name, value in zip(names, v)}},
        )
        assert list(moving["q"]) == names
        M = moving["mass_matrix"]
        assert sum(v[i] * M[i][j] * v[j] for i in range(14) for j in range(14)) / 2 == pytest.approx(T, rel=1e-12)
        at_rest = evaluated(dalembert, "all_joints.toml", dict(zip(names, q)))
        power = sum(v[i] * at_rest["force"]["applied"][name] for i, name in enumerate(names))
        assert power == pytest.approx(-V.b, rel=1e-12)


def test_every_type_of_joint_moves(dalembert):
    """A start on the constraints (mimics, unit quaternion) and a run whose energy is accounted for."""
    imported(dalembert, "all_joints")
    result = dalembert("run", "all_joints.toml", "--duration", "0.2", "--json")
    assert result.status == 0, result.err
    summary = json.loads(result.out)
    assert summary["complete"] is True
    assert summary["adjusted"] is False
    assert summary["balance_error"] < 1e-8
    with open(dalembert.directory / "out/all_joints/trajectory.csv", newline="") as file:
        last = list(csv.DictReader(file))[-1]
    assert float(last["g_joint"]) == pytest.approx(-1.5 * float(last["sin_joint"]) + 0.2, abs=1e-14)
    assert float(last["follow"]) == pytest.approx(float(last["slide"]), abs=1e-14)


def test_notes(dalembert):
    result = imported(dalembert, "all_joints")
    notes = [line.removeprefix("all_joints.urdf: note: ") for line in result.err.splitlines()]
    for expected in [
        "not carried over: <sensor>: 'eye'",
        "not carried over: <gazebo>",
        "not carried over: <calibration>: 'slide'",
        "not carried over: <safety_controller>: 'slide'",
        "not carried over: the dry friction 0.25 of joint 'slide'",
        "not carried over: the damping 0.5 of joint 'plane', which has no single axis",
        "joint 'sin' has the coordinate sin_joint",
        "joint 'g' has the coordinate g_joint",
        "link '2nd rail' is named _2nd_rail",
        "link 'finger-a' is named finger_a_link",
        "link 'slide' is named slide_link",
        "joint 'slide' starts at 0, outside of its limits 0.1 to 0.4",
        "the axis of joint 'plane' is not of length 1: its direction counts",
    ]:
        assert expected in notes
    text = (dalembert.directory / "all_joints.toml").read_text()
    assert all(f"# - {note}\n" in text for note in notes)
    assert result.out == "wrote all_joints.toml\n"
    assert dalembert("import", "all_joints.urdf", "--quiet").err == ""


def test_numbers_come_back_to_the_last_bit(dalembert):
    imported(dalembert, "robot_arm")
    text = (dalembert.directory / "robot_arm.toml").read_text()
    robot = Robot(DATA / "robot_arm.urdf")
    body = text.split('name = "upper_arm"')[1].split("\n\n")[0]
    inertia = json.loads(next(line for line in body.splitlines() if line.startswith("inertia")).split("= ")[1])
    for i in range(3):
        for j in range(3):
            assert inertia[i][j] == pytest.approx(robot.links["upper_arm"]["inertia"][i][j], abs=1e-16)
            assert inertia[i][j] == inertia[j][i]
    assert "center_of_mass = [0.02, 0.015, 0.21]" in body
    assert "position = [0.05, 0.09, 0.12]" in body


LINKS = """<link name="base"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>"""
HINGE = """<joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/></joint>"""


def robot(content):
    return f'<robot name="r">\n{content}\n</robot>\n'


@pytest.mark.parametrize(
    ("text", "place", "sentence"),
    [
        ("", "", "there is no <robot> element"),
        ("name = 'a model'", "", "there is no <robot> element"),
        ('<robot name="r">\n<link name="a">\n</robot>', ":", "not XML: "),
        ('<robot name="r"><link name=a></robot>', ":1:", "not XML: "),
        ("<sdf version='1.6'/>", ":1:1:", "it begins with <sdf>, not <robot>"),
        ("<robot/>", ":1:1:", "the robot has no name"),
        (robot(""), ":1:1:", "the robot has no links"),
        (robot('<link name="a"/>'), ":2:1:", "the robot has no joint that moves"),
        (robot("<link/>"), ":2:1:", "a link without a name"),
        (robot('<link name="a"/><link name="a"/>'), ":2:17:", "there are two links named 'a'"),
        (robot('<xacro:macro name="m"/>'), ":2:1:", "this is a xacro file"),
        (robot(LINKS + HINGE + '<link name="c"/>'), ":3:", "links 'base' and 'c' are no joint's child"),
        (robot(LINKS + HINGE.replace("base", "bass")), ":3:", "unknown link 'bass'; did you mean 'base'?"),
        (robot(LINKS + HINGE.replace("continuous", "continous")), ":3:", "did you mean 'continuous'?"),
        (robot(LINKS + HINGE.replace('<child link="arm"/>', "")), ":3:", "joint 'hinge' names no child link"),
        (robot(LINKS + HINGE.replace("continuous", "revolute")), ":3:", "is revolute and has no <limit>"),
        (robot(LINKS + HINGE + HINGE.replace("hinge", "other")), ":3:", "is the child of joints 'hinge' and 'other'"),
        (
            robot(LINKS + HINGE.replace("base", "arm")),
            ":3:",
            "link 'arm' is its own parent",
        ),
        (
            robot(
                LINKS
                + '<link name="x"/><link name="y"/>'
                + HINGE
                + '<joint name="a" type="fixed"><parent link="x"/><child link="y"/></joint>'
                + '<joint name="b" type="fixed"><parent link="y"/><child link="x"/></joint>'
            ),
            ":3:",
            "carry each other in a circle",
        ),
        (robot(LINKS.replace('value="1"', 'value="-1"') + HINGE), ":2:", "the mass of link 'arm' is negative: -1"),
        (robot(LINKS.replace('value="1"', 'value="one"') + HINGE), ":2:20:", "mass [one]"),
        (robot(LINKS.replace('ixx="1"', "") + HINGE), ":2:20:", "ixx"),
        (robot(LINKS + HINGE.replace("</joint>", '<origin xyz="0 0"/></joint>')), ":3:", "3 expected"),
        (robot(LINKS + HINGE.replace('"hinge"', '"a&#10;b"')), ":3:", "the name of this joint must not hold U+000A, a character that does not show"),
        (robot(LINKS + HINGE.replace('"hinge"', '"a\u202eb"')), ":3:", "the name of this joint must not hold U+202E"),
        (robot(LINKS + HINGE).replace('name="r"', 'name="r&#x9b;"'), ":1:", "the name of the robot must not hold U+009B"),
        (robot(LINKS.replace('ixx="1"', 'ixx="-1"') + HINGE), ":3:", "moments of inertia of link 'arm' are not positive"),
        (robot(LINKS.replace('ixy="0"', 'ixy="2"') + HINGE), ":3:", "are -1, 1 and 3"),
        (robot(LINKS.replace('ixx="1"', 'ixx="3"') + HINGE), ":3:", "are those of no body"),
        (
            robot('<link name="base"/><link name="arm"/>' + HINGE),
            ":2:",
            "joint 'hinge' moves nothing that has inertia: link 'arm' has no <inertial> with a mass",
        ),
        (
            robot(LINKS + HINGE.replace("</joint>", '<axis xyz="0 0 0"/></joint>')),
            ":3:",
            "the axis of joint 'hinge' is zero",
        ),
        (
            robot(LINKS + HINGE.replace("</joint>", '<mimic joint="hing"/></joint>')),
            ":3:",
            "mimics an unknown joint 'hing'; did you mean 'hinge'?",
        ),
        (robot(LINKS + HINGE.replace("</joint>", '<mimic joint="hinge"/></joint>')), ":3:", "mimics itself"),
        (b'<robot name="r">\n\xff</robot>', ":2:1:", "byte 0xff is not UTF-8"),
        (b'<robot name="r">\n\x00</robot>', ":2:1:", "a zero byte"),
        ("<robot name='r'>" + "<a>" * 100000, ":1:", "nested more than 100 deep"),
        ("<robot name='r'>\n<?x>" + "<a>" * 40000, ":2:4:", "'>' within a processing instruction, which ends with ?>"),
        ("<robot name='r'>\n<!x [<a>" + "<a>" * 40000, ":2:5:", "'[' within <!...>"),
        ("<robot name='r'>\n<l '>" + "<a>" * 40000, ":2:4:", "does not begin the value of an attribute"),
        ("<robot name='r'>\n<link " + " ".join(f"a{i}=''" for i in range(20000)) + "/></robot>", ":2:",
         "an element with more than 64 attributes"),
        ("<robot name='r'>\n<!-- no end", ":2:1:", "this comment is not closed by -->"),
    ],
)
def test_bad_robots(dalembert, text, place, sentence):
    dalembert.write("robot.urdf", text)
    result = dalembert("import", "robot.urdf", "-o", "robot.toml")
    assert result.status == 2, (result.out, result.err)
    assert result.out == ""
    assert result.err.startswith("robot.urdf" + place), result.err
    assert sentence in result.err
    assert [path.name for path in dalembert.directory.iterdir()] == ["robot.urdf"]


def test_shapes_are_no_matter(dalembert):
    shape = '<visual><geometry><cube size="1"/></geometry><material name="none"/></visual></link>'
    dalembert.write("robot.urdf", robot(LINKS.replace("</inertial></link>", "</inertial>" + shape) + HINGE))
    result = dalembert("import", "robot.urdf")
    assert result.status == 0, result.err
    assert "not carried over: <visual>: 'arm'" in result.err


def test_where_it_may_write(dalembert):
    dalembert.write("robot.urdf", robot(LINKS + HINGE))
    dalembert.write("robot.toml", "mine")
    result = dalembert("import", "robot.urdf", "-o", "robot.toml")
    assert result.status == 2
    assert "robot.toml: exists already; --force replaces it" in result.err
    assert (dalembert.directory / "robot.toml").read_text() == "mine"
    assert dalembert("import", "robot.urdf", "-o", "robot.toml", "--force").status == 0
    printed = dalembert("import", "robot.urdf")
    assert printed.status == 0
    assert printed.out == (dalembert.directory / "robot.toml").read_text()
    for out in ["robot.urdf", ".", "no/where/robot.toml"]:
        refused = dalembert("import", "robot.urdf", "-o", out, "--force")
        assert refused.status == 2, out
        assert refused.err.count("error:") == 1
    assert (dalembert.directory / "robot.urdf").read_text() == robot(LINKS + HINGE)
    assert dalembert("import", "none.urdf").status == 2
    assert sorted(path.name for path in dalembert.directory.iterdir()) == ["robot.toml", "robot.urdf"]


def test_only_files_are_replaced_and_links_are_followed(dalembert):
    os.mkfifo(dalembert.directory / "pipe")
    result = dalembert("import", DATA / "robot_arm.urdf", "-o", "pipe", "--force")
    assert result.status == 2 and "pipe: is not a file" in result.err
    assert stat.S_ISFIFO((dalembert.directory / "pipe").stat().st_mode)
    dalembert.write("target.toml", "old")
    (dalembert.directory / "link.toml").symlink_to("target.toml")
    assert dalembert("import", DATA / "robot_arm.urdf", "-o", "link.toml", "--force").status == 0
    assert (dalembert.directory / "link.toml").is_symlink()
    assert (dalembert.directory / "target.toml").read_text() == (MODELS / "robot_arm.toml").read_text()
