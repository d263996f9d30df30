"""A page in headless Chromium: what it becomes after its scripts have run, and what the console says."""

import atexit
import functools
import html.parser
import json
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).parent


@functools.cache
def browser():
    """One for all pages of a run of the tests, started when the first is opened."""
    process = subprocess.Popen(["node", str(HERE / "open_pages.mjs")], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def end():
        process.stdin.close()  # the browser goes with the last line
        process.wait(timeout=30)

    atexit.register(end)
    return process


class Page(html.parser.HTMLParser):
    """The document after rendering."""

    def __init__(self, dom, console, loaded, failed, excess):
        super().__init__()
        self.console = console
        self.loaded, self.failed = loaded, failed  # families of fonts
        self.excess = excess  # pixels by which the page is wider than its window
        self.formulas = []  # for each: whether KaTeX has rendered it
        self.errors = 0
        self.scripts = 0
        self.title = ""
        self.links = []
        self.ids = []
        self.classes = {}
        self._stack = []
        self.feed(dom)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        classes = (values.get("class") or "").split()
        if tag == "script":
            self.scripts += 1
        if "math" in classes and tag == "span":
            self.formulas.append(False)
        if "katex" in classes and self.formulas:
            self.formulas[-1] = True
        if "katex-error" in classes:
            self.errors += 1
        for name in classes:
            self.classes[name] = self.classes.get(name, 0) + 1
        for name in ("href", "src", "data", "action", "poster", "srcset"):
            if name in values:
                self.links.append(values[name])
        if "id" in values:
            self.ids.append(values["id"])
        self._stack.append(tag)
        if tag in ("meta", "link", "br", "hr", "img", "input"):
            self._stack.pop()

    def handle_endtag(self, tag):
        while self._stack and self._stack.pop() != tag:
            pass

    def handle_data(self, data):
        if self._stack and self._stack[-1] == "title" and "svg" not in self._stack:
            self.title += data


def open_page(path, width=1280):
    process = browser()
    request = json.dumps({"address": pathlib.Path(path).resolve().as_uri(), "width": width})
    process.stdin.write(request.encode("utf-8") + b"\n")
    process.stdin.flush()
    answer = json.loads(process.stdout.readline() or '{"problem": "the browser has ended"}')
    assert "problem" not in answer, answer["problem"]
    # KaTeX remarks on letters its fonts do not have; the browser shows them in another font.
    said = [line for line in answer["console"] if "No character metrics for" not in line]
    return Page(answer["dom"], said, answer["loaded"], answer["failed"], answer["excess"])


def check_page(path):
    """All formulas are there, nothing is asked of the network, the console is silent."""
    source = pathlib.Path(path).read_text("utf-8")
    page = open_page(path)
    assert page.console == []
    assert page.errors == 0
    assert len(page.formulas) == len(re.findall('<span class="math[ "]', source))
    assert all(page.formulas)
    assert all(link.startswith(("#", "data:")) for link in page.links), page.links
    assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))
    for address in re.findall(r"url\(\s*['\"]?([^)]{0,20})", source):
        assert address.startswith("data:"), address
    assert "@import" not in source
    return page
