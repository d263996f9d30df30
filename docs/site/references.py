"""The references of Python and C++, made of what stands in the sources: docstrings, and comments that begin with ///.

Nothing is imported or compiled for them, and nothing is said twice.
"""

import ast
import re



def fenced(text, language):
    return f"```{language}\n{text.rstrip()}\n```"


def prose(docstring):
    """A docstring as Markdown: examples become blocks, everything else stays as it is."""
    parts, block = [], []
    for paragraph in re.split(r"\n\s*\n", docstring):
        if paragraph.lstrip().startswith(">>>"):
            parts.append(fenced(paragraph.replace("<BLANKLINE>", ""), "python"))
        else:
            paragraph = paragraph.replace("``", "`")
            indented = all(line.startswith("    ") for line in paragraph.split("\n"))
            parts.append(fenced(paragraph, "text") if indented else escaped(paragraph))
    return "\n\n".join(parts + block)


def escaped(text):
    """What Markdown would take for its own, outside of `code`."""
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(piece if piece.startswith("`") else re.sub(r"([*_<>\[\]$\\#|])", r"\\\1", piece) for piece in pieces)


def signature(function, bound):
    arguments = ast.unparse(function.args)
    if bound:
        arguments = re.sub(r"^(self|cls)(, )?(/(, )?)?", "", arguments)
    returns = f" -> {ast.unparse(function.returns)}" if function.returns is not None else ""
    return f"{function.name}({arguments}){returns}"


def is_property(function):
    return any("property" in ast.unparse(decorator) for decorator in function.decorator_list)


def is_overload(function):
    return any("overload" in ast.unparse(decorator) or ".setter" in ast.unparse(decorator) for decorator in function.decorator_list)


def document_function(function, level, owner=""):
    documentation = ast.get_docstring(function)
    if documentation is None:
        return []
    shown = function.name if is_property(function) else signature(function, bool(owner))
    return [f"{'#' * level} {owner}{function.name}".replace("_", r"\_"), fenced(owner + shown, "python"), prose(documentation)]


def document_class(node, methods_of):
    parts = [f"## {node.name}"]
    if ast.get_docstring(node):
        parts.append(prose(ast.get_docstring(node)))
    seen = set()
    for owner in methods_of(node):
        for child in owner.body:
            if isinstance(child, ast.FunctionDef) and not child.name.startswith("_") and not is_overload(child) and child.name not in seen:
                seen.add(child.name)
                parts += document_function(child, 3, f"{node.name}.")
    return parts


def python(root):
    """The public names of the package, in the order of the alphabet, classes first."""
    classes, functions, public = {}, {}, []
    for path in sorted((root / "python/dalembert").glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                classes.setdefault(node.name, node)
            elif isinstance(node, ast.FunctionDef) and not is_overload(node):
                functions.setdefault(node.name, node)
            elif isinstance(node, ast.Assign) and path.stem in ("__init__", "expressions") and ast.unparse(node.targets[0]) == "__all__":
                public += re.findall(r"'(\w+)'", ast.unparse(node.value))

    def with_bases(node):
        found = [node]
        for base in node.bases:
            if ast.unparse(base) in classes:
                found += with_bases(classes[ast.unparse(base)])
        return found

    parts = [
        "# Python: every name",
        "What `import dalembert as dal` offers, from its own docstrings; [the Python package](../python.md) tells the story. "
        "Every example is executed by the tests.",
    ]
    for name in sorted(set(public) & set(classes)):
        parts += document_class(classes[name], with_bases)
    parts.append("## Functions")
    for name in sorted(set(public) & set(functions)):
        parts += document_function(functions[name], 3)
    return "\n\n".join(parts) + "\n"


def headers(root):
    """The public header and those it includes, in its order."""
    text = (root / "src/dalembert/dalembert.hpp").read_text(encoding="utf-8")
    return [root / "src" / name for name in re.findall(r'#include "(dalembert/[^"]+)"', text)]


def declarations(text):
    """The comments of a header with what they are about: (comment, declaration), that of the file first with none."""
    found, lines, i = [], text.split("\n"), 0
    while i < len(lines):
        if not lines[i].lstrip().startswith("///"):
            i += 1
            continue
        comment = []
        while i < len(lines) and lines[i].lstrip().startswith("///"):
            comment.append(re.sub(r"^\s*/// ?", "", lines[i]))
            i += 1
        declaration = []
        while i < len(lines) and lines[i].strip() and not lines[i].lstrip().startswith(("///", "#include")):
            declaration.append(lines[i])
            # A type's members have comments of their own; a function's body is nobody's business.
            if re.search(r"[;{]\s*(//.*)?$", lines[i]):
                break
            i += 1
        shown = "\n".join(declaration)
        shown = re.sub(r"\s*\{[^{}]*$", ";", shown) if shown.rstrip().endswith("{") else shown
        indentation = min((len(line) - len(line.lstrip()) for line in shown.split("\n") if line.strip()), default=0)
        found.append(("\n".join(comment), "\n".join(line[indentation:] for line in shown.split("\n")).strip()))
    return found


def comment_text(comment):
    """Indented lines of a comment are formulas or programs."""
    parts = []
    for paragraph in re.split(r"\n\s*\n", comment):
        if all(line.startswith("    ") for line in paragraph.split("\n")):
            parts.append(fenced("\n".join(line[4:] for line in paragraph.split("\n")), "text"))
        else:
            parts.append(escaped(paragraph))
    return "\n\n".join(parts)


def cpp(root):
    parts = [
        "# C++: every header",
        "What `<dalembert/dalembert.hpp>` includes, from the comments of the headers; [the C++ library](../cpp.md) tells the story.",
    ]
    for path in headers(root):
        name = path.relative_to(root / "src").as_posix()
        parts.append(f"## {escaped(name)}")
        for comment, declaration in declarations(path.read_text(encoding="utf-8")):
            if declaration:
                parts.append(fenced(declaration, "cpp"))
            parts.append(comment_text(comment))
    return "\n\n".join(parts) + "\n"


def pages(root):
    return {"python.md": python(root), "cpp.md": cpp(root)}
