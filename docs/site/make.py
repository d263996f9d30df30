"""Puts the pages of the site together in build/site/source and has Sphinx make build/site/html of them; see docs/build.

The folders are those of the repository, so that a link means the same here and there. Made here, beside the pages that are
written by hand: a page for each model (gallery.py), the references of Python and C++ (references.py), the tutorials as pages.
"""

import json
import os
import pathlib
import re
import shutil
import sys

import gallery
import references
from sphinx.cmd.build import main as sphinx

ROOT = pathlib.Path(__file__).resolve().parents[2]
SITE = ROOT / "build/site"
SOURCE, HTML = SITE / "source", SITE / "html"
PROGRAM = pathlib.Path(os.environ.get("DALEMBERT", ROOT / "build/release/src/dalembert/dalembert"))


def write(path, text):
    """Only if it is another one: Sphinx reads again what is newer."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
    written.add(path)


def copy(path, to):
    to.parent.mkdir(parents=True, exist_ok=True)
    if not to.exists() or to.read_bytes() != path.read_bytes():
        shutil.copyfile(path, to)
    written.add(to)


def tutorial(path):
    """A notebook as a page: its cells, with the outputs it was saved with, which a test compares."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    parts = []
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "image/svg+xml" in data or "image/png" in data:
                continue  # pictures are large, and drawn again where the notebook is opened
            text = "".join(output.get("text", data.get("text/plain", "")))
            if text.strip():
                parts.append(f"```output\n{text.rstrip()}\n```")
    parts.append(f"This page is the notebook {{download}}`{path.name}`.")
    return "\n\n".join(parts) + "\n"


def title_of(page):
    return re.search(r"^# (.+)$", page, re.MULTILINE)[1]


def assemble():
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "CITATION.cff", "packages.txt"):
        copy(ROOT / name, SOURCE / name)
    copy(ROOT / "docs/site/index.md", SOURCE / "index.md")
    for path in (ROOT / "docs").rglob("*"):
        if path.suffix in (".md", ".png", ".svg", ".ipynb") and "site" not in path.relative_to(ROOT / "docs").parts:
            copy(path, SOURCE / path.relative_to(ROOT))
    for path in (ROOT / "models").glob("*.toml"):
        copy(path, SOURCE / "models" / path.name)
    for path in sorted((ROOT / "docs/tutorials").glob("*.ipynb")):
        write((SOURCE / "docs/tutorials" / path.name).with_suffix(".md"), tutorial(path))
    for name, text in references.pages(ROOT).items():
        write(SOURCE / "docs/reference" / name, text)
    pages = gallery.pages(ROOT, PROGRAM, SITE / "gallery")
    for name, content in pages.items():
        to = SOURCE / "docs/gallery" / name
        if isinstance(content, pathlib.Path):
            copy(content, to)
        else:
            write(to, content)
    page = SOURCE / "docs/gallery.md"
    write(page, page.read_text(encoding="utf-8") + "\n" + gallery.overview(pages))
    decisions = SOURCE / "docs/decisions/README.md"
    write(decisions, decisions.read_text(encoding="utf-8") + "\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n")
    # What pages link to beside pages: sources, tests. They are there to be opened.
    for page in [path for path in written if path.suffix == ".md"]:
        for target in re.findall(r"\]\(([^)\s#:]+)\)", page.read_text(encoding="utf-8")):
            linked = (page.parent / target).resolve()
            original = ROOT / linked.relative_to(SOURCE) if linked.is_relative_to(SOURCE) else None
            if linked not in written and original is not None and original.is_file():
                copy(original, linked)
    # A folder is a page of its own here.
    for page in SOURCE.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        linked = re.sub(r"\]\(((?:docs/)?)tutorials/\)", r"](\1getting-started.md#tutorials)", text)
        linked = re.sub(r"\]\((?:\.\./)*models/?\)", lambda m: "](" + os.path.relpath(SOURCE / "docs/gallery.md", page.parent) + ")", linked)
        if linked != text:
            page.write_text(linked, encoding="utf-8")
    for path in SOURCE.rglob("*"):
        if path.is_file() and path not in written:
            path.unlink()


if not PROGRAM.exists():
    sys.exit(f"docs/build: the gallery takes the built program, and {PROGRAM} is not there: ./run builds it")
written = set()
assemble()
# What Sphinx has read already it would not warn of again, nor of links to a page that is gone.
listed = "\n".join(sorted(str(path) for path in written))
names = SITE / "names"
if not names.exists() or names.read_text(encoding="utf-8") != listed:
    shutil.rmtree(SITE / "doctrees", ignore_errors=True)
    shutil.rmtree(HTML, ignore_errors=True)
    names.write_text(listed, encoding="utf-8")
arguments = ["-W", "--keep-going", "-q", "-j", "auto", "-c", ROOT / "docs/site", "-d", SITE / "doctrees", SOURCE, HTML]
status = sphinx([str(argument) for argument in arguments])
if status != 0:
    names.unlink()
sys.exit(status)
