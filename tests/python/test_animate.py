"""The page of a motion from Python: complete in itself, safe in a frame, silent in a browser."""

import base64
import html
import html.parser
import json
import os
import pathlib
import pickle
import re
import shutil
import subprocess

import numpy as np
import pytest

import dalembert as dal

ROOT = pathlib.Path(__file__).parents[2]
MODELS = pathlib.Path(os.environ.get("DALEMBERT_MODELS", ROOT / "models"))


@pytest.fixture(scope="module")
def sol():
    return dal.read(MODELS / "dumbbell.toml").compile().simulate(1, samples=11)


def document(page):
    return json.loads(re.search(r'id="dalembert-document">(.*?)</script>', page, re.S).group(1))


def values(page):
    return np.frombuffer(base64.b64decode(re.search(r'id="dalembert-values">(.*?)</script>', page, re.S).group(1)))


def test_the_page_has_the_rows(sol):
    page = sol.animate().html
    told = document(page)
    assert told["model"]["name"] == sol.summary["name"] and told["summary"] == sol.summary
    table = told["table"]
    assert table["rows"] == len(sol) and [c["name"] for c in table["columns"]][:-1] == sol.columns
    numbers = values(page)
    for i, name in enumerate(sol.columns):
        start = table["index"] + i * table["rows"]
        assert np.array_equal(numbers[start : start + table["rows"]], sol[name]), name
    assert sol.animate().html == page


def test_the_page_is_that_of_the_command(sol, tmp_path):
    command = os.environ.get("DALEMBERT", str(pathlib.Path(dal.__file__).parent / "dalembert"))
    subprocess.run([command, "run", MODELS / "dumbbell.toml", "--out", tmp_path, "--duration", "1", "--samples", "11", "--quiet"], check=True)
    sol.report(tmp_path / "own.html")
    theirs = (tmp_path / "report.html").read_text(encoding="utf-8")
    own = (tmp_path / "own.html").read_text(encoding="utf-8")
    assert np.array_equal(values(own), values(theirs), equal_nan=True)
    ours, told = document(own), document(theirs)
    for one in (ours, told):
        del one["summary"]["seconds"]
        one["model"]["file"] = ""
    assert ours == told


def test_a_start_that_is_not_a_row_is_where_the_page_starts(tmp_path):
    path = tmp_path / "fall.toml"
    path.write_text('coordinates = ["x"]\n[energy]\nkinetic = "x\'^2/2"\npotential = "x"\n[initial]\nx = 7\n', encoding="utf-8")
    sol = dal.read(path).compile().simulate(q={"x": 3}, times=[0.5, 1])
    for solution in (sol, pickle.loads(pickle.dumps(sol))):
        page = solution.animate().html
        told = document(page)
        assert told["model"]["initial"][0] == {"name": "x", "value": 3}
        balance = values(page)[told["table"]["index"] :].reshape(-1, 2)[len(sol.columns)]
        assert np.all(np.abs(balance) < 1e-9)  # the energy of the start is that of x = 3


class Frames(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))


def test_notebooks_get_a_frame_that_reaches_nothing(sol):
    shown = sol.animate(height=333)._repr_html_()
    tags = Frames(shown).tags
    assert [tag for tag, _ in tags] == ["iframe"]
    frame = tags[0][1]
    assert frame["srcdoc"] == sol.animate().html
    assert "allow-same-origin" not in frame["sandbox"] and "allow-scripts" in frame["sandbox"]
    assert "height: 333px" in frame["style"]


def test_what_is_wrong_is_said(sol):
    with pytest.raises(ValueError, match="height must be positive, not -1"):
        sol.animate(height=-1)
    with pytest.raises(TypeError, match="whole number of pixels, not str"):
        sol.animate(height="tall")
    assert repr(sol.animate()).startswith("<Animation of ")


BROWSE = """
const { launch, visit } = await import(process.argv[1]);
const browser = await launch();
const told = {};
for (const address of process.argv.slice(2)) {
  const page = await visit({ after() {} }, browser, address);
  const frame = page.frames().at(-1);
  await frame.waitForSelector('canvas');
  told[address] = { title: await frame.evaluate(() => document.title), canvases: await frame.locator('canvas').count(),
    problems: page.problems, requests: page.requests.slice(1) };
}
await browser.close();
console.log(JSON.stringify(told));
"""


@pytest.mark.slow
@pytest.mark.skipif(
    not (shutil.which("node") and shutil.which("chromium") and (ROOT / "web/node_modules/playwright-core").exists()),
    reason="needs Node, Chromium and the packages of web/",
)
def test_page_and_frame_open_in_a_browser_without_a_word(sol, tmp_path):
    page, notebook = tmp_path / "page.html", tmp_path / "notebook.html"
    sol.animate().save(page)
    notebook.write_text(f"<!DOCTYPE html><meta charset=utf-8><title>notebook</title>{sol.animate()._repr_html_()}", encoding="utf-8")
    support = (ROOT / "tests/web/support.mjs").as_uri()
    done = subprocess.run(["node", "--input-type=module", "-e", BROWSE, "--", support, page, notebook], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    for told in json.loads(done.stdout).values():
        assert told["title"].startswith(sol.summary["name"]) and told["canvases"] > 0
        assert told["problems"] == [] and told["requests"] == []
