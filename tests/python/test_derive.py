"""s.derive(): what the command `derive` says, and that the equations hold."""

import json
import math
import os
import pathlib
import re
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import dalembert as dal

COMMAND = os.environ.get("DALEMBERT") or str(pathlib.Path(dal.__file__).parent / "dalembert")


def run_command(*arguments):
    completed = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=300)
    assert completed.returncode == 0, completed.stderr
    return completed.stdout


@pytest.mark.parametrize("model, method", [
    ("rolling_disk", "suslov"), ("dumbbell", "boltzmann-hamel"), ("pendulum", "multipliers"), ("coulomb_helix", "m-inverse"),
    ("skate_on_incline", "vakonomic"), ("two_masses", "gauss")])
def test_equals_the_command(model, method):
    found = dal.read(model).derive(method)
    entry = json.loads(run_command("derive", model, "--method", method, "--json"))["formulations"][0]
    assert found.json == entry
    assert (found.method, found.title, found.mechanical) == (entry["method"], entry["title"], entry["mechanical"])
    assert found.remarks == entry["remarks"]
    assert [(str(e.left), str(e.right)) for e in found.equations] == [
        (e["left"]["text"], e["right"]["text"]) for e in entry["equations"]]
    assert found.equation_names == [e["of"] for e in entry["equations"]]
    assert [(s.title, s.number) for s in found.steps] == [(s["title"], s["number"]) for s in entry["steps"]]
    for step, expected in zip(found.steps, entry["steps"]):
        for formula, e in zip(step.formulas, expected["formulas"], strict=True):
            text, latex = e["left"]["text"], e["left"]["latex"]
            if "right" in e:
                assert str(formula.expr) == e["right"]["text"]
                text, latex = f"{text} = {e['right']['text']}", f"{latex} = {e['right']['latex']}"
            else:
                assert formula.expr is None
            assert (formula.text, formula.latex, formula.number) == (text, latex, e.get("number", ""))
    solved = [(str(e.left), str(e.right)) for e in found.accelerations or []]
    assert solved == [(e["left"]["text"], e["right"]["text"]) for e in entry.get("accelerations", [])]
    for form in ("text", "markdown", "latex", "html"):
        assert getattr(found, form) == run_command("derive", model, "--method", method, "--format", form)
    assert str(found) == found.text.rstrip("\n")


@pytest.mark.slow
def test_all_formulations():
    found = dal.read("appell_hamel").derive()
    assert found.json == json.loads(run_command("derive", "appell_hamel", "--json"))
    assert found.text == run_command("derive", "appell_hamel")
    assert "maggi" in found and "suslov" not in found
    assert found.ruled_out["suslov"] == "suslov: constraint 'slope' is not linear in the velocities"
    with pytest.raises(KeyError, match="'suslov' is ruled out: .*not linear in the velocities"):
        found["suslov"]
    with pytest.raises(KeyError, match="did you mean 'maggi'"):
        found["magi"]
    check = json.loads(run_command("check", "appell_hamel", "--json"))
    rows = [{k: v for k, v in row.items() if k != "witness"} for row in check["equivalence"]]
    assert found.comparison == rows
    assert list(found) == [row["method"] for row in rows if "ruled_out" not in row]
    assert "Maggi" in repr(found["maggi"]) and "2 equations" in repr(found["maggi"])


# A reader of formulas that shares nothing with the engine: names to Python, powers to **.
FUNCTIONS = {
    "sqrt": math.sqrt, "sin": math.sin, "cos": math.cos, "tan": math.tan, "sec": lambda x: 1 / math.cos(x),
    "csc": lambda x: 1 / math.sin(x), "cot": lambda x: 1 / math.tan(x), "exp": math.exp, "log": math.log, "abs": abs,
    "atan2": math.atan2, "sign": lambda x: math.copysign(1, x) if x else 0.0, "pi": math.pi,
}


def value_of(expression, values):
    def name(match):
        return match.group() if match.group() in FUNCTIONS else f"values[{match.group()!r}]"

    text = re.sub(r"(?<![\w.])[A-Za-z_]\w*(?:\.\w+)?'*", name, str(expression)).replace("^", "**")
    return eval(text, {**FUNCTIONS, "values": values})


def state_of(model, rng):
    """Numbers of every symbol at a random state on the constraints: from a short motion with random parameters."""
    parameters = {"rolling_disk": ["m", "r"], "dumbbell": ["m", "l"], "pendulum": ["m", "l"], "coulomb_helix": ["m", "R"],
                  "skate_on_incline": ["m"], "two_masses": ["m1", "m2"], "appell_hamel": ["m"]}[model]
    settings = {name: round(float(rng.uniform(0.5, 1.5)), 3) for name in parameters}
    moved = dal.sweep(model, {name: [value] for name, value in settings.items()}, duration=float(rng.uniform(0.2, 0.6)))
    assert moved.complete.all(), moved.reason
    names = moved.coordinates
    at = [f"{name}={float(column[0])!r}" for name, column in moved.final.items() if name != "t"]
    options = [word for name, value in settings.items() for word in ("--set", f"{name}={value!r}")]
    # An explicit time that appears in none of these models may stay 0.
    numbers = json.loads(run_command("eval", model, "--json", "--at", ", ".join(at), *options))
    values = {"t": 0.0}
    for name in names:
        values[name], values[name + "'"] = numbers["q"][name], numbers["v"][name]
        values[name + "''"] = numbers["acceleration"][name]
        values["ideal." + name] = numbers["force"]["ideal"][name]
    values.update(parameters_of(model, settings))
    return values


def parameters_of(model, settings):
    text = dal.read(model).to_toml()
    section = text.split("[parameters]")[1].split("\n[")[0]
    values = {}
    for name, written in re.findall(r"^(\w+)\s*=\s*([^#\n]+)", section, re.MULTILINE):
        values[name] = settings[name] if name in settings else value_of(written.strip().strip('"'), values)
    return values


@pytest.mark.slow
@pytest.mark.parametrize("model", ["rolling_disk", "dumbbell", "pendulum", "coulomb_helix", "skate_on_incline", "two_masses",
                                   "appell_hamel"])
def test_equations_hold_on_the_motion(model):
    rng = np.random.default_rng(5)
    found = dal.read(model).derive()
    for values in (state_of(model, rng) for _ in range(2)):
        for method, derivation in found.items():
            if not derivation.mechanical:
                continue
            here = dict(values)
            for rate in derivation.rates:
                here[str(rate.left)] = value_of(rate.right, values)
                here[f"{rate.left}'"] = value_of(rate.right.d, values)
            multipliers = sorted({name for e in derivation.equations for name in re.findall(r"lambda\d+", str(e))})
            residuals, slopes, scale = [], [], 1.0
            for equation in derivation.equations:
                at_rest = {**here, **dict.fromkeys(multipliers, 0.0)}
                left, right = value_of(equation.left, at_rest), value_of(equation.right, at_rest)
                residuals.append(left - right)
                scale = max(scale, abs(left), abs(right))
                slopes.append([value_of(equation.right, {**at_rest, name: 1.0}) - right for name in multipliers])
            if multipliers:  # those of n equations that no multipliers can mend are left
                assert len(multipliers) < len(residuals)
                found_multipliers, *_ = np.linalg.lstsq(np.array(slopes), np.array(residuals), rcond=None)
                residuals = np.array(residuals) - np.array(slopes) @ found_multipliers
            assert np.abs(residuals).max(initial=0) < 1e-9 * scale, method
            for solved in derivation.accelerations or []:
                if str(solved.left) in here and not multipliers:
                    assert value_of(solved.right, here) == pytest.approx(here[str(solved.left)], rel=1e-8, abs=1e-9), method


@pytest.mark.parametrize("model", ["rolling_disk", "pendulum", "coulomb_helix", "appell_hamel"])
def test_matrices(model):
    values = state_of(model, np.random.default_rng(2))
    found = dal.read(model).equations
    n, m = len(found.coordinates), len(found.constraints)
    M = np.array([[value_of(e, values) for e in row] for row in found.M])
    A = np.array([[value_of(e, values) for e in row] for row in found.A])
    Q, b, C = ([value_of(e, values) for e in part] for part in (found.Q, found.b, found.C))
    assert M.shape == (n, n) and A.shape == (m, n) and len(Q) == len(C) == n and len(b) == m
    assert (M == M.T).all()
    a = np.array([values[name + "''"] for name in found.coordinates])
    np.testing.assert_allclose(A @ a, b, atol=1e-9)
    force = M @ a - Q  # Q_ideal + Q_nonideal
    null = np.linalg.svd(A)[2][np.linalg.matrix_rank(A):]
    np.testing.assert_allclose(null @ (force - C), 0, atol=1e-9 * max(1, np.abs(force).max()))
    v = np.array([values[name + "'"] for name in found.coordinates])
    assert value_of(found.kinetic, values) == pytest.approx(v @ M @ v / 2)
    assert [str(e) for e in dal.derivation.equations(dal.Compiled(dal.read(model))).Q] == [str(e) for e in found.Q]


def test_expressions_belong_to_the_system():
    system = dal.read("pendulum")
    x = system["x"]
    equation = system.derive("maggi").equations[0]
    assert "x" in str(equation.left + x)
    with pytest.raises(ValueError, match="system"):
        equation.left + dal.read("dumbbell")["x"]


def test_notebooks():
    found = dal.read("rolling_disk").derive("suslov")
    shown = found._repr_markdown_()
    assert "```" not in shown and "align*" not in shown and shown.count("$$") % 2 == 0
    assert shown.count("$$") == 2 * found.markdown.count("```math")
    assert shown.count("\\begin{aligned}") == shown.count("\\end{aligned}") > 0
    latex = found._repr_latex_()
    assert latex.startswith("$$\n\\begin{aligned}") and latex.endswith("\\end{aligned}\n$$")
    assert latex.count("\\ddot{\\theta}") == 1 and latex.count("\\\\") == 2
    assert dal.read("rolling_disk").derive("m-inverse")._repr_latex_() is None  # too long: none are printed
    contrast = dal.read("rolling_disk").derive("vakonomic")._repr_markdown_()
    assert "> **Important.** These are not the equations of mechanics" in contrast and "[!IMPORTANT]" not in contrast


def test_all_formulations_in_a_notebook():
    shown = dal.read("appell_hamel").derive()._repr_markdown_()
    assert "| `maggi` | Maggi's equations | 2 equations |" in shown
    assert "| `suslov` | | ruled out: suslov: constraint 'slope' is not linear in the velocities |" in shown


def test_numbers_of_formulas_in_notebooks():
    fenced = "a\n\n```math\n\\begin{align*}\nx &= y \\tag{G5.1} \\\\\nz &= u\n\\end{align*}\n```\n\n```math\nx = y \\tag{T.3}\n```\n"
    assert dal.derivation.notebook_markdown(fenced) == (
        "a\n\n$$\n\\begin{aligned}\nx &= y \\qquad \\text{(G5.1)} \\\\\nz &= u\n\\end{aligned}\n$$\n\n"
        "$$\nx = y \\tag{T.3}\n$$\n")


def test_sentences_have_formulas_in_both_scripts():
    steps = dal.read("rolling_disk").derive("suslov").steps
    step = next(s for s in steps if "δq_D" in s.sentence)
    assert "$\\delta q_D" in step.sentence_latex and "«" not in step.sentence + step.sentence_latex
    assert str(step).startswith("Virtual work (G5.213)\n")


def test_parameters_choose_the_state():
    plain = dal.read("pendulum").derive("suslov", parameters={"alpha": 0})
    other = dal.derivation.derive(dal.Compiled(dal.read("pendulum"), parameters={"alpha": 0}), "suslov")
    expected = json.loads(run_command("derive", "pendulum", "--method", "suslov", "--set", "alpha=0", "--json"))
    assert plain.json == other.json == expected["formulations"][0]


def test_errors():
    with pytest.raises(ValueError, match="no formulation 'suslof'; did you mean 'suslov'"):
        dal.read("pendulum").derive("suslof")
    with pytest.raises(ValueError, match="no formulation 'newton'; there are m-inverse"):
        dal.read("pendulum").derive("newton")
    with pytest.raises(dal.ModelError, match="constraint 'slope' is not linear in the velocities"):
        dal.read("appell_hamel").derive("suslov")
    with pytest.raises(TypeError, match="effort must be a number"):
        dal.read("pendulum").derive("suslov", effort="1")
    with pytest.raises(ValueError, match="effort is 0"):
        dal.read("pendulum").derive("suslov", effort=0)
    with pytest.raises(ValueError, match="effort is nan"):
        dal.read("pendulum").derive("suslov", effort=math.nan)


def test_effort_bounds_the_algebra():
    with pytest.raises(dal.EffortSpent, match="effort of 100;"):
        dal.read("rolling_disk").derive("suslov", effort=100)
    enough = dal.read("rolling_disk").derive("suslov", effort=1e9)
    assert enough.text == dal.read("rolling_disk").derive("suslov").text


def test_several_threads_at_once():
    methods = ["suslov", "maggi", "boltzmann-hamel", "gauss", "gibbs-appell", "voronets", "central", "multipliers"]
    system = dal.read("rolling_disk")
    alone = {method: dal.read("rolling_disk").derive(method).text for method in methods}
    together, errors = {}, []

    def work(method):
        try:
            together[method] = system.derive(method).text
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(method,)) for method in methods]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and together == alone


INTERRUPTED = textwrap.dedent("""
    import os, signal, threading
    import dalembert as dal

    system = dal.read("bricard")
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        system.derive()   # takes minutes
    except KeyboardInterrupt:
        print("stopped")
""")


def test_ctrl_c_ends_a_derivation():
    completed = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=60)
    assert completed.stdout == "stopped\n", completed.stderr
