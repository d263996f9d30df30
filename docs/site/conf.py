"""How Sphinx makes the site: pages in Markdown (MyST), the theme Furo, formulas by KaTeX when the site is made."""

import json
import os
import pathlib
import re
import shutil
import subprocess

from docutils import nodes as docutils_nodes
from pygments.lexers.special import TextLexer

ROOT = pathlib.Path(__file__).resolve().parents[2]
KATEX = next(
    (folder for folder in ("/usr/share/javascript/katex", "/usr/share/nodejs/katex/dist") if os.path.exists(folder)), None
)

project = "dalembert"
author = "the authors of dalembert"
version = release = re.search(r"project\(dalembert VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]

extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist", "attrs_block"]
myst_heading_anchors = 6
myst_fence_as_directive = ["math"]
myst_dmath_double_inline = True
html_math_renderer = "katex"
nitpicky = True
smartquotes = False  # of x'' they would make something else
# Words such as ```output name what a block is to the tests; that not every block of TOML is a whole document is no fault.
suppress_warnings = ["misc.highlighting_failure"]
highlight_language = "text"
pygments_style, pygments_dark_style = "friendly", "github-dark"
exclude_patterns = []

html_theme = "furo"
html_title = f"dalembert {version}"
html_static_path = ["static"]
html_extra_path = [str(ROOT / "build/site/extra")]
html_css_files = ["katex/katex.min.css", "site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False


class Katex:
    """Formulas as HTML and MathML, by one process of node for all: the pages need no script for them, and can be read aloud."""

    program = """
const katex = require(process.argv[1]);
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { tex, displayMode } = JSON.parse(line);
  let html;
  try { html = { html: katex.renderToString(tex, { displayMode, strict: 'ignore' }) }; } catch (error) { html = { error: error.message }; }
  console.log(JSON.stringify(html));
});
"""

    def __init__(self):
        self.process = None

    def render(self, tex, display):
        if self.process is None:
            self.process = subprocess.Popen(
                ["node", "-e", self.program, f"{KATEX}/katex.min.js"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        print(json.dumps({"tex": tex, "displayMode": display}), file=self.process.stdin, flush=True)
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise ValueError(f"KaTeX: {answer['error']}: {tex}")
        return answer["html"]


katex = Katex()


def visit_inline(translator, node):
    translator.body.append(katex.render(node.astext(), False))
    raise docutils_nodes.SkipNode


def visit_display(translator, node):
    translator.body.append(f'<div class="formula">{katex.render(node.astext(), True)}</div>')
    raise docutils_nodes.SkipNode


def copy_katex(app, exception):
    if exception is None:
        to = pathlib.Path(app.outdir) / "_static/katex"
        shutil.copytree(f"{KATEX}/fonts", to / "fonts", dirs_exist_ok=True)
        shutil.copyfile(f"{KATEX}/katex.min.css", to / "katex.min.css")


def setup(app):
    app.add_html_math_renderer("katex", (visit_inline, None), (visit_display, None))
    for name in ("output", "csv"):
        app.add_lexer(name, TextLexer)
    app.connect("build-finished", copy_katex)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
