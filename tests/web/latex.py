"""The formulas of a LaTeX file, rendered by KaTeX, and the file itself, compiled by LaTeX."""

import json
import pathlib
import re
import subprocess

SCRIPT = pathlib.Path(__file__).with_name("check_katex.js")


def formulas(text):
    """Displays and inline formulas between \\begin{document} and \\end{document}."""
    body = text[text.index("\\begin{document}") : text.rindex("\\end{document}")]
    display = re.compile(r"\\begin\{align\*\}.*?\\end\{align\*\}", re.S)
    found = [{"latex": latex, "display": True} for latex in display.findall(body)]
    inline = re.compile(r"(?<!\\)\$((?:[^$\\]|\\.)+)\$", re.S)
    return found + [{"latex": latex, "display": False} for latex in inline.findall(display.sub("", body))]


def refused_by_katex(found, lenient=False):
    done = subprocess.run(
        ["node", str(SCRIPT)],
        input=json.dumps({"lenient": lenient, "formulas": found}).encode("utf-8"),
        capture_output=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
    return json.loads(done.stdout)


def compile_latex(path, program="pdflatex"):
    """Twice, for the contents; the first time without pages."""
    for draft in (["-draftmode"] if program == "pdflatex" else [], []):
        done = subprocess.run(
            [program, *draft, "-halt-on-error", "-interaction=nonstopmode", path.name],
            cwd=path.parent,
            capture_output=True,
            timeout=300,
        )
        log = done.stdout.decode("utf-8", "replace")
        assert done.returncode == 0, log[-3000:]
    assert path.with_suffix(".pdf").stat().st_size > 1000
