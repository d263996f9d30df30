"""The pages of `linearise --out` and `continue`: modes as motions about the point, and the diagram of a branch."""

import cmath
import csv
import json
import math

import pytest
from test_page import document_of, values_of

# Two equal pendulums of length 1, coupled: together at 1 rad/s, against each other at sqrt(1 + 2*k).
COUPLED = """
name = "Coupled"
coordinates = ["x", "y"]
[parameters]
k = 1.5
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "(x^2 + y^2)/2 + k*(x - y)^2/2"
[[view.point]]
name = "left"
at = ["-1 + x", 0, 0]
[[view.point]]
name = "right"
at = ["1 + y", 0, 0]
"""

ROD = """
name = "Rod"
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
[[constraint]]
name = "rod"
equation = "x^2 + y^2 = 1"
[initial]
x = 0
y = "UP"
[[view.point]]
name = "bob"
at = ["x", "y", 0]
"""


class Modes:
    def __init__(self, path):
        self.document = document_of(path)
        self.values = values_of(path)

    def columns(self, mode):
        table = mode["table"]
        return {column["name"]: self.values[table["index"] + c * table["rows"] : table["index"] + (c + 1) * table["rows"]]
                for c, column in enumerate(table["columns"])}

    def places(self, mode, name):
        scene = mode["scene"]
        index, = [thing["position"] for thing in scene["objects"] if thing["name"] == name]
        return [self.values[index + 3 * f : index + 3 * f + 3] for f in range(scene["frames"])]


def modes_of(dalembert, text, *args):
    dalembert.write("model.toml", text)
    result = dalembert("linearise", "model.toml", "--out", "o", *args)
    assert result.status == 0, result.err
    assert result.out.splitlines()[-1] == "wrote o/: linearisation.json, report.html"
    return Modes(dalembert.directory / "o/report.html")


def test_normal_modes_swing_at_their_frequencies(dalembert):
    page = modes_of(dalembert, COUPLED)
    modes = sorted(page.document["modes"], key=lambda mode: mode["frequency"])
    for mode, frequency, sign in zip(modes, (1, 2), (1, -1)):
        assert mode["frequency"] == pytest.approx(frequency / (2 * math.pi), rel=1e-14)
        assert mode["damping"] == pytest.approx(0, abs=1e-15)
        assert mode["duration"] == pytest.approx(2 * math.pi / frequency, rel=1e-14)
        moved = page.columns(mode)
        amplitude = max(map(abs, moved["x"]))
        for t, x, y in zip(moved["t"], moved["x"], moved["y"]):
            assert y == pytest.approx(sign * x, abs=1e-9 * amplitude)
        # A period, evenly, from its largest: cos up to a phase.
        assert moved["x"][0] == pytest.approx(moved["x"][-1], abs=1e-9 * amplitude)
        second = [math.hypot(a, b) for a, b in zip(moved["x"][:72], moved["x"][24:96])]
        assert second == pytest.approx([amplitude] * 72, rel=1e-9)
        # What is drawn goes as far as can be seen: 0.3 of half the size, which is 1.
        assert amplitude == pytest.approx(0.3, rel=0.05)
        assert [place[0] + 1 for place in page.places(mode, "left")] == pytest.approx(moved["x"])
    assert page.document["headline"].startswith("Coupled · equilibrium · 4 states")
    assert page.document["notes"] == ["no eigenvalue has a positive real part; those on the imaginary axis leave stability open"]
    # The JSON beside it is what --json says.
    assert (dalembert.directory / "o/linearisation.json").read_text() == dalembert("linearise", "model.toml", "--json").out


def test_a_mode_stays_on_the_constraints(dalembert):
    page = modes_of(dalembert, ROD.replace("UP", "-1"))
    mode, = page.document["modes"]
    assert mode["frequency"] == pytest.approx(math.sqrt(9.81) / (2 * math.pi), rel=1e-12)
    lengths = [math.hypot(x, y) for x, y, _ in page.places(mode, "bob")]
    assert lengths == pytest.approx([1] * len(lengths), rel=1e-12)
    assert max(abs(x) for x, _, _ in page.places(mode, "bob")) > 0.2


def test_what_is_unstable_grows_and_its_counterpart_decays(dalembert):
    page = modes_of(dalembert, ROD.replace("UP", "1"))
    growing, decaying = page.document["modes"]
    rate = math.sqrt(9.81)
    for mode, sign in ((growing, 1), (decaying, -1)):
        assert mode["eigenvalue"] == pytest.approx([sign * rate, 0])
        assert mode["frequency"] is None and mode["damping"] is None
        assert mode["duration"] == pytest.approx(3 / rate)
        x = [place[0] for place in page.places(mode, "bob")]
        first, last = x[0], x[-1]
        # To first order; the rod bends it by what the arc differs from its chord.
        assert last / first == pytest.approx(math.exp(3 * sign), rel=0.05)
    assert page.document["notes"][0] == "unstable: 1 eigenvalue with a positive real part"


def test_a_mode_of_velocities_only_says_so(dalembert):
    """A steady turn: phi is cyclic, its velocity is kept; neither swings."""
    page = modes_of(dalembert, """
name = "Rotor"
coordinates = ["phi"]
[energy]
kinetic = "phi'^2/2"
[initial]
"phi'" = 2
""")
    for mode in page.document["modes"]:
        assert mode["eigenvalue"] == [0, 0]
        assert mode["condition"] is None
        assert mode["scene"] is None


def test_the_bicycle_is_drawn_in_each_mode(dalembert):
    result = dalembert("linearise", "bicycle", "--at", "lean'=0", "--out", "o", "--quiet")
    assert result.status == 0 and result.out == ""
    page = Modes(dalembert.directory / "o/report.html")
    values = [complex(*mode["eigenvalue"]) for mode in page.document["modes"]]
    assert len(values) == 9  # the pair is one
    weave, = [mode for mode in page.document["modes"] if mode["frequency"] is not None]
    assert weave["damping"] == pytest.approx(0.0971, abs=1e-4)
    moved = page.columns(weave)
    # The phase of the steering before the lean is that of the eigenvector.
    found = json.loads((dalembert.directory / "o/linearisation.json").read_text())
    k = min(range(10), key=lambda i: abs(complex(*found["eigenvalues"][i]) - complex(*weave["eigenvalue"])))
    u = dict(zip(found["states"], (complex(*z) for z in found["modes"][k])))
    turn = lambda name: sum(x * cmath.exp(-2j * math.pi * i / 96) for i, x in enumerate(moved[name][:96]))
    assert turn("steer") / turn("lean") == pytest.approx(u["steer"] / u["lean"], rel=1e-3)
    assert all(mode["scene"] is not None for mode in page.document["modes"] if "table" in mode)


def test_nothing_is_written_unasked(dalembert):
    dalembert("linearise", "bicycle", "--at", "lean'=0")
    assert list(dalembert.directory.iterdir()) == []


def test_a_place_that_cannot_be_written_is_an_error(dalembert):
    dalembert.write("o", "a file")
    result = dalembert("linearise", "bicycle", "--at", "lean'=0", "--out", "o")
    assert result.status == 2 and result.out == "" and "o" in result.err


FOLD = """
name = "Fold"
coordinates = ["x"]
[parameters]
mu = -1
[energy]
kinetic = "x'^2/2"
potential = "-mu*x - x^3/3"
dissipation = "0.1*x'^2/2"
[initial]
x = -1
"""


def test_a_branch_has_its_diagram(dalembert):
    dalembert.write("fold.toml", FOLD)
    result = dalembert("continue", "fold.toml", "--along", "mu", "--from", "-1", "--to", "0.5", "--points", "9", "--out", "b")
    assert "report.html" in result.out, result.err
    document = document_of(dalembert.directory / "b/report.html")
    values = values_of(dalembert.directory / "b/report.html")
    branch, table = document["branch"], document["table"]
    with open(dalembert.directory / "b/branch.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(branch["points"]) == len(rows) == table["rows"]
    for c, column in enumerate(table["columns"]):
        assert list(values[table["index"] + c * len(rows) : table["index"] + (c + 1) * len(rows)]) == [
            float(row[column["name"]]) for row in rows]
    assert [column["name"] for column in table["columns"]] == ["mu", "x", "x'"]
    for point, row in zip(branch["points"], rows):
        assert point["kind"] == row["kind"] and point["unstable"] == int(row["unstable"])
        largest = max((re for re, im in point["eigenvalues"] if (re, im) != (0, 0)), default=None)
        assert largest == (float(row["largest_real"]) if row["largest_real"] else None)
    fold, = [point for point in branch["points"] if point["kind"] == "fold"]
    assert fold["words"] == "fold: the branch turns back"
    assert branch["along"] == "mu"
