"""Sample documents in a browser, in KaTeX and in LaTeX. The program DALEMBERT_SAMPLES writes them."""

import os
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import browser
import latex


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    folder = tmp_path_factory.mktemp("samples")
    subprocess.run([os.environ["DALEMBERT_SAMPLES"], str(folder)], check=True, timeout=60)
    return folder


def test_rich_page(samples):
    page = browser.check_page(samples / "rich.html")
    assert page.title == "The rolling disk"
    assert page.scripts == 2
    assert len(page.formulas) > 40
    assert page.classes["number"] == 9


def test_texts_are_no_html(samples):
    page = browser.check_page(samples / "hostile.html")
    assert page.scripts == 2
    assert page.title.startswith("<script>alert(1)</script> & </style>")


@pytest.mark.parametrize("width", [500, 800, 1280, 1920])
@pytest.mark.parametrize("name", ["rich", "hostile"])
def test_fonts_are_inside_and_the_page_fits(samples, name, width):
    page = browser.open_page(samples / f"{name}.html", width=width)
    assert page.console == []
    assert page.failed == []
    assert {"KaTeX_Main", "KaTeX_Math"} <= set(page.loaded)
    assert page.excess == 0


def test_a_bad_formula_is_seen_and_stays_readable(samples):
    page = browser.open_page(samples / "bad.html")
    assert page.errors == 2
    assert page.formulas.count(False) == 2
    assert page.console == []


def test_pages_are_small(samples):
    assert (samples / "rich.html").stat().st_size < 450_000


def test_katex_takes_every_formula_of_the_latex_file(samples):
    found = latex.formulas((samples / "rich.tex").read_text("utf-8"))
    assert len(found) >= 20
    assert latex.refused_by_katex(found) == []
    found = latex.formulas((samples / "hostile.tex").read_text("utf-8"))
    assert latex.refused_by_katex(found, lenient=True) == []


def test_katex_refuses_a_bad_formula():
    refused = latex.refused_by_katex([{"latex": "\\frac{1}{", "display": True}, {"latex": "x", "display": False}])
    assert [one["latex"] for one in refused] == ["\\frac{1}{"]


@pytest.mark.parametrize("program", ["pdflatex", "lualatex"])
@pytest.mark.parametrize("name", ["rich", "hostile"])
def test_latex_compiles(samples, tmp_path, name, program):
    path = tmp_path / f"{name}.tex"
    path.write_bytes((samples / f"{name}.tex").read_bytes())
    latex.compile_latex(path, program)
