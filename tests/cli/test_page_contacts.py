"""Contacts in report.html: their places, states and forces, against closed forms and against the table."""

import math

import pytest
from test_page import csv_columns, page, values_of

# A box that slides on the ground and comes to rest: one coordinate to slide, one to lift, no turning.
SLIDER = """
name = "Slider"
coordinates = ["x", "z"]
gravity = [0, 0, "-g"]
[parameters]
g = 10
mu = 0.5
m = 2
[[body]]
name = "crate"
mass = "m"
position = ["x", 0, "z"]
shape = "sphere"
radius = 0.25
inertia = [1, 1, 1]
[[contact]]
name = "floor"
bodies = ["crate", "ground"]
friction = "mu"
static_friction = 0.8
[initial]
z = 0.25
"x'" = 3
[simulation]
duration = 1
samples = 101
"""

WRITTEN = """
name = "Block"
coordinates = ["x", "z"]
[energy]
kinetic = "(x'^2 + z'^2)/2"
potential = "10*z"
[[contact]]
name = "floor"
gap = "z"
[[friction]]
name = "belt"
slip = "x' - 1"
limit = 0.5
[[view.point]]
name = "block"
at = ["x", 0, "z"]
[simulation]
duration = 1
samples = 11
"""


def numbers(dalembert, model, *args):
    result = dalembert("run", model, "--quiet", "--out", "o", *args)
    assert result.status == 0, result.err
    out = dalembert.directory / "o"
    document, _ = page(out / "report.html")
    values = values_of(out / "report.html")
    scene = document["scene"]

    def column(index, width=1):
        rows = [values[index + width * f : index + width * (f + 1)] for f in range(scene["frames"])]
        return [row[0] for row in rows] if width == 1 else rows

    return scene, column, csv_columns(out / "trajectory.csv")


def test_a_sliding_contact_has_its_place_its_forces_and_its_law(dalembert):
    dalembert.write("slider.toml", SLIDER)
    scene, column, table = numbers(dalembert, "slider.toml")
    touch, = scene["touches"]
    assert (touch["kind"], touch["name"]) == ("contact", "floor")
    times = column(scene["times"])
    stop = 3 / (0.5 * 10)
    for t, state, forces, at, normal, friction in zip(
            times, column(touch["state"]), column(touch["forces"], 3), column(touch["at"], 3), column(touch["normal"], 3),
            column(touch["friction"], 3)):
        x = 3 * min(t, stop) - 2.5 * min(t, stop) ** 2
        assert at == pytest.approx((x, 0, 0), abs=1e-9)
        assert normal == pytest.approx((0, 0, 20), abs=1e-9)
        if t < stop - 1e-9:
            assert state == 3
            assert friction == pytest.approx((-10, 0, 0), abs=1e-9)
            assert forces == pytest.approx((20, 10, 10), abs=1e-9)
        elif t > stop + 1e-9:
            assert state == 2
            assert friction == pytest.approx((0, 0, 0), abs=1e-9)
            assert forces == pytest.approx((20, 0, 16), abs=1e-9)  # what it could take: static
    assert list(table["reaction.floor"]) == pytest.approx([f[0] for f in column(touch["forces"], 3)])
    assert scene["largest_force"] >= 20 * (1 - 1e-12)


def test_what_is_written_has_states_and_forces_but_no_place(dalembert):
    dalembert.write("block.toml", WRITTEN)
    scene, column, table = numbers(dalembert, "block.toml")
    floor, belt = scene["touches"]
    assert floor["at"] is None and belt["at"] is None and "normal" not in floor
    assert column(floor["state"]) == [1] * 11
    assert [row[0] for row in column(floor["forces"], 3)] == pytest.approx(table["reaction.floor"])
    assert belt["kind"] == "friction"
    assert column(belt["state"])[0] == 3
    assert column(belt["forces"], 3)[0] == pytest.approx((0, 0.5, 0.5))


def test_an_open_contact_has_no_force(dalembert):
    dalembert.write("slider.toml", SLIDER)
    scene, column, _ = numbers(dalembert, "slider.toml", "--at", "z=1", "--duration", "0.3")
    touch, = scene["touches"]
    assert set(column(touch["state"])) == {0}
    assert {tuple(v) for v in column(touch["normal"], 3)} == {(0, 0, 0)}
    # Where the ball is nearest to the ground.
    at = column(touch["at"], 3)[-1]
    assert at[2] == pytest.approx(1 - 0.25 - 5 * 0.3**2)


def test_shares_that_could_be_others_are_marked(dalembert):
    """Four corners carry a box in space: three would do."""
    dalembert.write("box.toml", """
name = "Box"
coordinates = ["x", "y", "z", "a", "b", "c"]
gravity = [0, 0, -10]
[[body]]
name = "box"
mass = 1
inertia = [1, 1, 1]
position = ["x", "y", "z"]
orientation = { axes = "xyz", angles = ["a", "b", "c"] }
shape = "box"
size = [1, 1, 1]
[[contact]]
name = "floor"
bodies = ["box", "ground"]
impact = "newton"
[initial]
z = 0.5
[simulation]
duration = 0.1
samples = 3
""")
    scene, column, _ = numbers(dalembert, "box.toml")
    closed = [touch for touch in scene["touches"] if column(touch["state"])[-1] % 4 > 0]
    assert len(closed) == 4
    assert {column(touch["state"])[-1] for touch in closed} == {5}
    assert math.fsum(column(touch["forces"], 3)[-1][0] for touch in closed) == pytest.approx(10)


def test_two_spheres_touch_between_them(dalembert):
    dalembert.write("two.toml", """
name = "Two balls"
coordinates = ["x", "y"]
[[body]]
name = "a"
mass = 1
inertia = [1, 1, 1]
position = ["x", 0, 0]
shape = "sphere"
radius = 1
[[body]]
name = "b"
mass = 1
inertia = [1, 1, 1]
position = ["y", 0, 0]
shape = "sphere"
radius = 0.5
[[contact]]
name = "touch"
bodies = ["a", "b"]
[[force]]
body = "a"
force = [3, 0, 0]
[initial]
x = 0
y = 1.5
[simulation]
duration = 1
samples = 3
""")
    scene, column, _ = numbers(dalembert, "two.toml")
    touch, = scene["touches"]
    # Both are pushed by 3 N with 1.5 m/s^2 each: 1.5 N between them, on the second.
    assert column(touch["normal"], 3)[0] == pytest.approx((1.5, 0, 0))
    assert column(touch["at"], 3)[0] == pytest.approx((1, 0, 0))
    assert column(touch["at"], 3)[2] == pytest.approx((1 + 0.75, 0, 0))


def test_other_pages_have_no_such_list(dalembert):
    dalembert("run", "rolling_disk", "--quiet", "--samples", "11")
    document, _ = page(dalembert.directory / "out/rolling_disk/report.html")
    assert "touches" not in document["scene"]
