"""The references of Python and C++, made from the sources: docstrings, and comments that begin with #: or ///.

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


def fields_of(node, lines):
    """A list of the attributes with a description: a comment behind them, #:, or a string below."""
    listed = []
    for field, below in zip(node.body, [*node.body[1:], None]):
        if not isinstance(field, ast.AnnAssign) or ast.unparse(field.target).startswith("_"):
            continue
        said = lines[field.end_lineno - 1].partition("#: ")[2]
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) and isinstance(below.value.value, str):
            said = " ".join(below.value.value.split())
        if said:
            listed.append(f"- `{ast.unparse(field.target)}`: {prose(said)}")
    return ["\n".join(listed)] if listed else []


def document_class(node, methods_of, lines):
    parts = [f"## {node.name}"]
    if ast.get_docstring(node):
        parts.append(prose(ast.get_docstring(node)))
    parts += fields_of(node, lines)
    seen = set()
    for owner in methods_of(node):
        for child in owner.body:
            if isinstance(child, ast.FunctionDef) and not child.name.startswith("_") and not is_overload(child) and child.name not in seen:
                seen.add(child.name)
                parts += document_function(child, 3, f"{node.name}.")
    return parts


def python(root):
    """The public names of the package, in the order of the alphabet, classes first."""
    classes, functions, public, lines = {}, {}, [], {}
    for path in sorted((root / "python/dalembert").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef):
                classes.setdefault(node.name, node)
                lines.setdefault(node.name, text.split("\n"))
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

    def returned(node):
        """The classes of what the methods of a class return."""
        methods = [child for owner in with_bases(node) for child in owner.body if isinstance(child, ast.FunctionDef)]
        shown = [m for m in methods if not m.name.startswith("_") and ast.get_docstring(m) and m.returns is not None]
        return {word for m in shown for word in re.findall(r"\w+", ast.unparse(m.returns)) if word in classes and word[0] != "_"}

    reached = set(public) & set(classes)
    while more := {name for known in reached for name in returned(classes[known])} - reached:
        reached |= more

    parts = [
        "# Python: every name",
        "What `import dalembert as dal` offers, and what its functions return, from the docstrings; "
        "[the Python package](../python.md) is the introduction. The tests execute every example.",
    ]
    for name in sorted(reached):
        parts += document_class(classes[name], with_bases, lines[name])
    parts.append("## Functions")
    for name in sorted(set(public) & set(functions)):
        parts += document_function(functions[name], 3)
    return "\n\n".join(parts) + "\n"


def headers(root):
    """The public header and those it includes, in its order."""
    text = (root / "src/dalembert/dalembert.hpp").read_text(encoding="utf-8")
    return [root / "src" / name for name in re.findall(r'#include "(dalembert/[^"]+)"', text)]


def declarations(text):
    """The comments of a header with what they are about: (comment, declaration, members), that of the file first with none."""
    found, lines, i = [], text.split("\n"), 0
    while i < len(lines):
        if not lines[i].lstrip().startswith("///") or lines[i].lstrip().startswith("///<"):
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
        members = members_of(lines, i) if declaration and declaration[-1].rstrip().endswith("{") else []
        found.append(("\n".join(comment), "\n".join(line[indentation:] for line in shown.split("\n")).strip(), members))
    return found


def members_of(lines, i):
    """The members of the type that line i opens which have a comment behind them, ///<: (member, comment)."""
    found, indentation = [], len(lines[i]) - len(lines[i].lstrip())
    for before, line in zip(lines[i:], lines[i + 1 :]):
        if re.match(rf"\s{{0,{indentation}}}}}", line):
            break
        code, sign, said = (part.strip() for part in line.partition("///<"))
        if not sign:
            continue
        if code:
            found.append((code.rstrip(";,"), said))
        elif "///<" in before:
            found[-1] = (found[-1][0], f"{found[-1][1]} {said}")
        else:
            found.append((before.strip().rstrip(";,"), said))
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
        "What `<dalembert/dalembert.hpp>` includes, from the comments of the headers; [the C++ library](../cpp.md) is the introduction.",
    ]
    for path in headers(root):
        name = path.relative_to(root / "src").as_posix()
        parts.append(f"## {escaped(name)}")
        for comment, declaration, members in declarations(path.read_text(encoding="utf-8")):
            if declaration:
                parts.append(fenced(declaration, "cpp"))
            parts.append(comment_text(comment))
            if members:
                parts.append("\n".join(f"- `{member}`: {escaped(text)}" for member, text in members))
    return "\n\n".join(parts) + "\n"


def pages(root):
    return {"python.md": python(root), "cpp.md": cpp(root)}
