"""Every derivation of the bundled models that are not LARGE: the page in a browser, the LaTeX in KaTeX and in LaTeX."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import browser
import latex

PROGRAM = os.environ["DALEMBERT"]


def output(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
    return done.stdout


# Mechanisms of bodies: their equations fill megabytes of LaTeX with formulas like those of the others.
LARGE = {"ball_on_turntable", "bicycle", "bricard", "car_with_trailer", "chain", "four_bar", "rattleback", "robot_arm",
         "stewart_platform"}
MODELS = [model["name"] for model in json.loads(output("models", "--json")) if model["name"] not in LARGE]


def derived(model, form, folder, suffix):
    path = folder / f"{model}.{suffix}"
    path.write_bytes(output("derive", model, "--method", "all", "--format", form))
    return path


@pytest.mark.parametrize("model", MODELS)
def test_page(model, tmp_path):
    page = browser.check_page(derived(model, "html", tmp_path, "html"))
    assert page.title
    assert len(page.formulas) > 10


@pytest.mark.parametrize("model", MODELS)
def test_latex(model, tmp_path):
    path = derived(model, "latex", tmp_path, "tex")
    found = latex.formulas(path.read_text("utf-8"))
    assert len(found) > 10
    assert latex.refused_by_katex(found) == []
    latex.compile_latex(path)
