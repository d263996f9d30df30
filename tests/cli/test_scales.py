"""Small and large units, unequal masses, nearly dependent constraints: what is judged, is judged by what is in play."""

import csv
import json
import math

import pytest


def pendulum(length, extra="", simulation=""):
    return f"""
name = "pendulum"
coordinates = ["x", "y"]
[parameters]
L = {length!r}
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
[[constraint]]
name = "rod"
equation = "x^2 + y^2 = L^2"
[initial]
x = "L"
y = "0"
{extra}
[simulation]
{simulation}
"""


def rows_of(dalembert, folder="out"):
    with open(dalembert.directory / folder / "trajectory.csv") as file:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]


@pytest.mark.parametrize("length", [1e-3, 1e-6, 1e-9, 1e-12, 1e-15])
@pytest.mark.parametrize("start", ["x = '2*L'\ny = 0", "x = 'L'\ny = 'L/1000'", "x = 'L'\ny = 0\n\"x'\" = 'L/100'"])
def test_a_start_off_its_constraint_is_refused_in_any_unit(dalembert, length, start):
    text = pendulum(length, simulation=f"duration = {math.sqrt(length)!r}")
    model = dalembert.write("model.toml", text.replace('x = "L"\ny = "0"', start))
    outcome = dalembert("run", model, "--out", "out")
    assert outcome.status == 2
    assert "break" in outcome.err and "rod" in outcome.err


@pytest.mark.parametrize("length", [1e-6, 1e-12])
def test_a_bar_in_an_angle_is_refused_as_well(dalembert, length):
    text = f"""
name = "bar"
coordinates = ["x", "y", "a"]
[parameters]
L = {length!r}
[energy]
kinetic = "(x'^2 + y'^2)/2 + L^2*a'^2/24"
[[constraint]]
name = "hinge x"
equation = "x = L/2*cos(a)"
[[constraint]]
name = "hinge y"
equation = "y = L/2*sin(a)"
[initial]
a = 1
x = "L*cos(1)"
y = "L*sin(1)"
[simulation]
duration = "sqrt(L)"
"""
    outcome = dalembert("run", dalembert.write("model.toml", text), "--out", "out")
    assert outcome.status == 2
    assert "breaks constraint 'hinge x'" in outcome.err


def test_rounding_at_zero_is_no_broken_constraint(dalembert):
    text = """
name = "disk"
coordinates = ["x", "phi"]
[parameters]
r = 0.5
[energy]
kinetic = "x'^2/2 + r^2*phi'^2/4"
[[constraint]]
name = "rolling"
equation = "x = r*phi"
[initial]
x = "sin(pi)"
"x'" = "r"
"phi'" = 1
[simulation]
duration = 1
"""
    outcome = dalembert("run", dalembert.write("model.toml", text), "--out", "out", "--quiet")
    assert outcome.status == 0, outcome.err


@pytest.mark.parametrize("length", [1e-6, 1e-9, 1e-12])
def test_small_pendulums_swing_like_large_ones(dalembert, length):
    # In units of L and sqrt(L/g) all are one.
    last = {}
    for size in (1.0, length):
        duration = 5 * math.sqrt(size / 9.81)
        model = dalembert.write("model.toml", pendulum(size, simulation=f"duration = {duration!r}\nsamples = 2"))
        outcome = dalembert("run", model, "--out", "out", "--quiet")
        assert outcome.status == 0, outcome.err
        row = rows_of(dalembert)[-1]
        last[size] = math.atan2(row["x"], -row["y"])
    # Both are accurate to some tens of steps of rtol 1e-9.
    assert abs(last[length] - last[1.0]) < 1e-7


def test_an_atol_that_is_given_stands(dalembert):
    # Ten times the length of the pendulum: no error is too large.
    duration = 5 * math.sqrt(1e-12 / 9.81)
    model = dalembert.write("model.toml", pendulum(1e-12, simulation=f"duration = {duration!r}\nsamples = 2"))
    angles = []
    for atol in ([], ["--atol", "1e-11"]):
        outcome = dalembert("run", model, "--out", "out", "--quiet", *atol)
        assert outcome.status == 0, outcome.err
        row = rows_of(dalembert)[-1]
        angles.append(math.atan2(row["x"], -row["y"]))
    assert abs(angles[1] - angles[0]) > 1e-7


def chain(masses, length=0.125):
    names, kinetic, potential, constraints, initial = [], [], [], [], []
    x = y = 0.0
    for k, mass in enumerate(masses, 1):
        a = -0.3 - (k - 1) / (len(masses) - 1)
        dx, dy = length * math.cos(a), length * math.sin(a)
        names += [f'"x{k}"', f'"y{k}"', f'"a{k}"']
        kinetic.append(f"{mass!r}*(x{k}'^2 + y{k}'^2)/2 + {mass * length**2 / 12!r}*a{k}'^2/2")
        potential.append(f"{mass!r}*9.81*y{k}")
        ends = ("0", "0")
        if k > 1:
            ends = (f"x{k - 1} + {length / 2}*cos(a{k - 1})", f"y{k - 1} + {length / 2}*sin(a{k - 1})")
        for axis, function, end in zip("xy", ("cos", "sin"), ends):
            constraints.append(
                f'[[constraint]]\nname = "h{axis}{k}"\nequation = "{axis}{k} - {length / 2}*{function}(a{k}) = {end}"'
            )
        initial += [f"x{k} = {x + dx / 2!r}", f"y{k} = {y + dy / 2!r}", f"a{k} = {a!r}"]
        x, y = x + dx, y + dy
    return "\n".join(
        ['name = "chain"', f"coordinates = [{', '.join(names)}]", "[energy]", f'kinetic = "{" + ".join(kinetic)}"',
         f'potential = "{" + ".join(potential)}"', *constraints, "[initial]", 'adjust = "nearest"', *initial]
    )  # fmt: skip


@pytest.mark.parametrize("rods", [3, 30])
@pytest.mark.parametrize("ratio", [1e8, 1e12])
@pytest.mark.parametrize("light_first", [True, False])
def test_unequal_masses_have_the_accelerations_of_gauss(dalembert, rods, ratio, light_first):
    masses = [1.0 if (i % 2 == 0) == light_first else ratio for i in range(rods)]
    model = dalembert.write("model.toml", chain(masses))
    found = []
    for method in ("m-inverse", "gauss"):
        outcome = dalembert("eval", model, "--json", "--method", method)
        assert outcome.status == 0, outcome.err
        result = json.loads(outcome.out)
        assert result["rank"] == 2 * rods
        found.append(list(result["acceleration"].values()))
    largest = max(abs(a) for a in found[1])
    assert max(abs(a - b) for a, b in zip(*found)) < 1e-10 * largest


def test_a_large_chain_of_unequal_masses_runs(dalembert):
    model = dalembert.write("model.toml", chain([1.0 if i % 2 else 1e10 for i in range(30)]))
    outcome = dalembert("run", model, "--duration", "0.05", "--samples", "2", "--json", "--out", "out")
    assert outcome.status == 0, outcome.err
    summary = json.loads(outcome.out)
    assert summary["complete"] and summary["rank"] == 60


@pytest.mark.parametrize("apart", [1e-4, 1e-5, 1e-6, 1e-7, 5e-8])
def test_constraints_that_are_nearly_the_same_are_followed(dalembert, apart):
    # The second differs from the first by `apart` of y only: together they keep y = 0.
    text = f"""
name = "near"
coordinates = ["x", "y", "z"]
[parameters]
e = {apart!r}
[energy]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
potential = "9.81*z"
[[constraint]]
name = "A"
equation = "z = x^2/2"
[[constraint]]
name = "B"
equation = "z + e*y = x^2/2"
[initial]
x = 1
z = 0.5
[simulation]
duration = 2
samples = 2
"""
    model = dalembert.write("model.toml", text)
    found = []
    for method in ("m-inverse", "gauss"):
        outcome = dalembert("run", model, "--json", "--method", method, "--out", "out")
        assert outcome.status == 0, outcome.err
        summary = json.loads(outcome.out)
        assert summary["steps"] < 400
        found.append(rows_of(dalembert)[-1])
    # What rounding leaves of two rows so close, some 100 steps of it, beside rtol.
    allowed = 1e-7 + 100 * 2.2e-16 / apart * 100
    assert abs(found[0]["x"] - found[1]["x"]) < allowed


@pytest.mark.parametrize("turn", [1, -1])
def test_a_slider_crank_of_equal_bars_starts_upright_on_either_branch(dalembert, turn):
    # At a = b = pi/2 it may go on folded, b = a, or as a slider crank, b = pi - a.
    text = f"""
name = "slider crank"
coordinates = ["a", "b"]
[parameters]
l = 1
[energy]
kinetic = "a'^2/2 + b'^2/2 + (l*sin(a)*a' + l*sin(b)*b')^2/2"
[[constraint]]
name = "slot"
equation = "l*sin(a) = l*sin(b)"
[initial]
a = "pi/2"
b = "pi/2"
"a'" = 1
"b'" = {turn}
[simulation]
duration = 0.5
samples = 2
"""
    outcome = dalembert("run", dalembert.write("model.toml", text), "--out", "out", "--quiet")
    assert outcome.status == 0, outcome.err
    last = rows_of(dalembert)[-1]
    other = last["a"] if turn == 1 else math.pi - last["a"]
    assert abs(last["b"] - other) < 1e-8
    assert last["a"] > math.pi / 2 + 0.1


@pytest.mark.parametrize("z", [0.5, 10.0, 27.631021115928547])
def test_equal_constraints_of_large_numbers_are_equal(dalembert, z):
    text = f"""
name = "curve"
coordinates = ["x", "z"]
[energy]
kinetic = "(x'^2 + z'^2)/2"
[[constraint]]
name = "one"
equation = "log(x) = z"
[[constraint]]
name = "other"
equation = "x = exp(z)"
[initial]
x = {math.exp(z)!r}
z = {z!r}
"""
    outcome = dalembert("check", dalembert.write("model.toml", text))
    assert "not in general" not in outcome.out + outcome.err
