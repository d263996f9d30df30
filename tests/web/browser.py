"""A page in headless Chromium: what it becomes after its scripts have run, and what the console says."""

import html.parser
import pathlib
import re
import shutil
import subprocess
import tempfile

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-logging=stderr",
    "--virtual-time-budget=5000",
]
# Appended to the page when more is asked than the document tells: the fonts used and whether the page is too wide.
PROBE = """<script>document.fonts.ready.then(function () {
  var page = document.documentElement;
  page.dataset.loaded = Array.from(document.fonts).filter(f => f.status === "loaded").map(f => f.family).join(" ");
  page.dataset.failed = Array.from(document.fonts).filter(f => f.status === "error").length;
  page.dataset.excess = Math.max(0, page.scrollWidth - window.innerWidth);
});</script>"""


def program():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return name
    raise AssertionError("Chromium is not installed (Debian: chromium)")


class Page(html.parser.HTMLParser):
    """The document after rendering."""

    def __init__(self, dom, console):
        super().__init__()
        self.console = console
        self.formulas = []  # for each: whether KaTeX has rendered it
        self.errors = 0
        self.scripts = 0
        self.title = ""
        self.links = []
        self.ids = []
        self.classes = {}
        self.data = {}
        self._stack = []
        self.feed(dom)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        classes = (values.get("class") or "").split()
        if tag == "html":
            self.data = values
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


def open_page(path, width=1280, probe=False):
    path = pathlib.Path(path)
    with tempfile.TemporaryDirectory() as profile:
        if probe:
            copy = pathlib.Path(profile) / "page.html"
            copy.write_text(path.read_text("utf-8").replace("</body>", PROBE + "</body>"), "utf-8")
            path = copy
        done = subprocess.run(
            [program(), *FLAGS, f"--user-data-dir={profile}/profile", f"--window-size={width},1000", "--dump-dom",
             path.resolve().as_uri()],
            capture_output=True,
            timeout=120,
        )
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
    log = done.stderr.decode("utf-8", "replace").splitlines()
    # KaTeX remarks on letters its fonts do not have; the browser shows them in another font.
    said = [line for line in log if "CONSOLE" in line and "No character metrics for" not in line]
    return Page(done.stdout.decode("utf-8"), said)


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
