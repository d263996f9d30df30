"""The site that docs/build makes: every link leads somewhere, nothing comes from elsewhere, and it is readable on any screen.

It is made where its environment is, build/site-venv (`docs/build --environment`, which ./test calls); elsewhere this is skipped.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlparse

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HTML = ROOT / "build/site/html"
PROGRAM = pathlib.Path(os.environ.get("DALEMBERT", ROOT / "build/release/src/dalembert/dalembert")).resolve()
ENVIRONMENT = {**os.environ, "DALEMBERT": str(PROGRAM)}

pytestmark = pytest.mark.skipif(not (ROOT / "build/site-venv/made_of").exists(), reason="docs/build --environment makes what it takes")


@pytest.fixture(scope="module")
def site():
    made = subprocess.run([ROOT / "docs/build"], env=ENVIRONMENT, capture_output=True, text=True, timeout=900)
    assert made.returncode == 0, made.stdout + made.stderr
    return HTML


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.loaded, self.ids = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids |= {given[key] for key in ("id", "name") if given.get(key)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        for key in ("src", "href"):
            if given.get(key) and (tag in ("img", "script") or (tag == "link" and given.get("rel") == "stylesheet")):
                self.loaded.append(given[key])


def test_every_link_leads_somewhere_and_nothing_is_loaded_from_elsewhere(site):
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html") if "live" not in path.parts}
    assert len(pages) > 100
    wrong = []
    for path, page in pages.items():
        wrong += [f"{path.name} loads {url}" for url in page.loaded if urlparse(url).scheme not in ("", "data")]
        for link in [*page.links, *page.loaded]:
            url = urlparse(link)
            if url.scheme or link.startswith("//"):
                continue
            target = (path.parent / unquote(url.path)).resolve() if url.path else path
            if not target.exists():
                wrong.append(f"{path.name} links to {link}")
            elif url.fragment and target in pages and unquote(url.fragment) not in pages[target].ids:
                wrong.append(f"{path.name} links to {link}")
    assert not wrong, "\n".join(wrong[:20])


def test_formulas_are_set_and_the_references_have_every_name(site):
    theory = (site / "docs/theory.html").read_text(encoding="utf-8")
    assert theory.count('class="katex-mathml"') > 100
    assert not re.search(r"\\(frac|ddot|qquad)", re.sub(r"<annotation.*?</annotation>", "", theory, flags=re.DOTALL))
    python = (site / "docs/reference/python.html").read_text(encoding="utf-8")
    for name in ("system-constrain", "compiled-simulate", "solution-to-pandas", "sweep", "fundamental"):
        assert f'id="{name}"' in python
    assert 'id="dalembert-solve-fundamental-hpp"' in (site / "docs/reference/cpp.html").read_text(encoding="utf-8")


def test_every_model_is_in_the_gallery(site):
    for model in (ROOT / "models").glob("*.toml"):
        page = (site / f"docs/gallery/{model.stem}.html").read_text(encoding="utf-8")
        assert f'<a href="../../live/{model.stem}.html">' in page
        assert (site / f"live/{model.stem}.html").stat().st_size > 1e6
        picture = (site / f"_images/{model.stem}.svg").read_text(encoding="utf-8")
        assert "<polyline" in picture and "nan" not in picture
    assert '"rattleback"' in (site / "searchindex.js").read_text(encoding="utf-8")  # what the search box looks in


def test_it_is_readable_on_a_desk_on_a_phone_and_in_the_dark(site):
    script = """
const { pathToFileURL } = await import('node:url');
const { launch, visit } = await import(pathToFileURL(process.argv[1] + '/tests/web/support.mjs').href);
const ends = [];
const browser = await launch();
const contexts = { desk: {}, phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }, dark: { colorScheme: 'dark' } };
const found = [];
for (const [name, context] of Object.entries(contexts)) {
  for (const file of process.argv.slice(2)) {
    const page = await visit({ after: (end) => ends.push(end) }, browser, file, context);
    const seen = await page.evaluate(() => ({
      wide: document.scrollingElement.scrollWidth > innerWidth + 1,
      background: getComputedStyle(document.body).backgroundColor,
    }));
    const outside = page.requests.filter((url) => !url.startsWith('file:'));
    found.push({ name, file, ...seen, outside, problems: page.problems });
  }
}
for (const end of ends) await end();
await browser.close();
console.log(JSON.stringify(found));
"""
    names = ("index", "docs/getting-started", "docs/theory", "docs/gallery", "docs/gallery/pendulum", "docs/reference/python")
    pages = [str(site / f"{name}.html") for name in names]
    done = subprocess.run(
        ["node", "--input-type=module", "-e", script, str(ROOT), *pages], capture_output=True, text=True, timeout=300, env=ENVIRONMENT
    )
    assert done.returncode == 0, done.stderr
    for seen in json.loads(done.stdout):
        where = f"{seen['file']}, {seen['name']}"
        assert not seen["outside"] and not seen["problems"], f"{where}: {seen}"
        assert not seen["wide"], f"{where} is wider than the screen"
        light = sum(map(int, re.findall(r"\d+", seen["background"])[:3])) > 3 * 128
        assert light == (seen["name"] != "dark"), f"{where}: {seen['background']}"


def test_the_numbers_of_the_validation_page_are_those_of_the_program():
    checked = subprocess.run(
        [sys.executable, ROOT / "docs/site/validation.py", "--check"], env=ENVIRONMENT, capture_output=True, text=True, timeout=300
    )
    assert checked.returncode == 0, checked.stderr
