"""The references of the site, from the sources alone: every public name is there, and nothing without a description."""

import ast
import importlib.util
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("references", ROOT / "docs/site/references.py")
references = importlib.util.module_from_spec(spec)
spec.loader.exec_module(references)
PYTHON, CPP = references.python(ROOT), references.cpp(ROOT)


def sections(page):
    """Each heading with what follows it, declarations left out."""
    parts = re.split(r"^#{2,3} (.*)$", page, flags=re.MULTILINE)
    return {heading: re.sub(r"```.*?```", "", text, flags=re.DOTALL).strip() for heading, text in zip(parts[1::2], parts[2::2])}


def test_every_entry_has_a_description():
    assert [heading for heading, text in sections(PYTHON).items() if not text] == ["Functions"]
    assert [heading for heading, text in sections(CPP).items() if not text] == []
    for path in references.headers(ROOT):
        for comment, declaration, _ in references.declarations(path.read_text(encoding="utf-8")):
            assert comment.strip(), f"{path.name}: {declaration}"


def test_no_public_method_of_a_public_class_lacks_a_docstring():
    found = sections(PYTHON)
    for path in sorted((ROOT / "python/dalembert").glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.ClassDef) or node.name not in found:
                continue
            for child in node.body:
                if isinstance(child, ast.FunctionDef) and not child.name.startswith("_") and not references.is_overload(child):
                    assert ast.get_docstring(child), f"{path.name}: {node.name}.{child.name}"


def test_what_functions_return_and_members_are_described():
    assert "Linearization" in sections(PYTHON) and "- `eigenvalues`: " in sections(PYTHON)["Linearization"]
    assert "- `violation`: b - A a (m)" in sections(PYTHON)["Evaluation"]
    assert "- `interpreter`: runs anywhere" in CPP
