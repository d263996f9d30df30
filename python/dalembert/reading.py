"""Models that come from text: files, and those that come with the package."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from . import _core
from .document import BODIES, COMPONENTS, DRAWINGS, PARTS, TOP, Document, Entry, Table
from .values import did_you_mean, file_path, printable, word

if TYPE_CHECKING:
    from .system import System

def _plain(value: Any) -> Any:
    """A value of the TOML reader as documents keep it: tables as dicts."""
    if isinstance(value, list):
        return {key: _plain(item) for key, item, _ in value}
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return value


def _tables(section: str, items: Any) -> dict[Any, Table]:
    """By name, or by number where there is none or it is no name of one alone."""
    result: dict[Any, Table] = {}
    for number, item in enumerate(items):
        entries = {key: _plain(value) for key, value, _ in item}
        name = entries.get("name")
        key = name if name is not None and name not in result else (None, number)
        result[key] = Table(section, entries, item[0][2] if item else None, {k: place for k, _, place in item})
    return result


def _with_numbers(table: Table, label: str) -> Table:
    """A table with the numbers of its file in it."""
    entries = dict(table.entries)
    if "file" not in entries:
        return table
    columns = _core.read_columns(os.path.join(os.path.dirname(label), entries.pop("file")))
    x, y = entries.pop("columns")
    return table._replace(entries={**entries, "x": tuple(columns[x]), "y": tuple(columns[y])})


def document_of(text: str, label: str, name: str) -> Document:
    """The statements of a model file that is free of errors."""
    document = Document()
    document.top["name"] = Entry(name)
    bodies: list[Table] = []
    for key, value, place in _core.parse_toml(text, label):
        if key in TOP:
            document.top[key] = Entry(_plain(value), place)
        elif key == "coordinates":
            document.coordinates = dict.fromkeys(value, place)
        elif key in BODIES:
            bodies += _tables(key, value).values()
        elif key in COMPONENTS:
            document.parts[key] = {(None, n): Table(key, {n: _plain(item)}, where) for n, item, where in value}
        elif key in PARTS:
            document.parts[key] = _tables(key, value)
            if key == "table":
                document.parts[key] = {name: _with_numbers(table, label) for name, table in document.parts[key].items()}
        else:
            if key == "view":
                for drawing, items, _ in value:
                    if drawing in DRAWINGS:
                        document.parts[f"view.{drawing}"] = _tables(f"view.{drawing}", items)
                value = [entry for entry in value if entry[0] not in DRAWINGS]
            entries = {name: Entry(_plain(item), where) for name, item, where in value}
            if key == "energy" and "mass_matrix" in entries:
                document.top["mass_matrix"] = entries.pop("mass_matrix")
            document.tables[key] = entries
    document.bodies = {str(t.entries["name"]): t for t in sorted(bodies, key=lambda t: t.origin[0])}
    return document


def models() -> dict[str, str]:
    """The models that come with the package: names and descriptions.

    >>> models()["rolling_disk"]
    'Thin uniform disk rolling without slipping on a horizontal plane.'
    """
    documents = {name: _core.parse_toml(text, name) for name, text in _core.bundled_models()}
    return {
        name: next((str(value) for key, value, _ in document if key == "description"), "")
        for name, document in documents.items()
    }


def read(path: str | os.PathLike[str]) -> System:
    """Reads a model file; or, by its name, one of the models that come with the package (see `models`).

    A file of that name takes precedence. Mistakes in the model raise a ModelError at once.

    >>> read("rolling_disk").coordinate_names
    ['phi', 'theta', 'psi', 'x', 'y']
    """
    from .system import System

    given = os.fspath(path)
    if not isinstance(given, str):
        raise TypeError(f"a path is a text or a pathlib.Path, not {given!r:.60}")
    label = given.encode("utf-8", "backslashreplace").decode()
    bundled = dict(_core.bundled_models())
    if given in bundled and not os.path.isfile(given):
        return System._from_text(bundled[given], given)
    if not os.path.exists(given):
        hint = did_you_mean(label, bundled)
        raise FileNotFoundError(
            f"there is no file {given!r}, and no model of that name comes with the package{hint}"
            + ("" if hint else f"; those that do are {', '.join(bundled)}")
        )
    with open(given, "rb") as file:
        content = file.read(_core.largest_model_file + 1)
    return System._from_bytes(content, label)


def import_urdf(path: str | os.PathLike[str]) -> System:
    """Reads a robot in URDF as a system, as ``dalembert import`` does: links are bodies, joints coordinates.

    The comments of `to_toml()` say what became of names, and what was left out because it does not belong to the mechanics.
    """
    from .system import System

    given = file_path(path)
    with open(given, "rb") as file:
        text, _ = _core.import_urdf(file.read(), given.encode("utf-8", "backslashreplace").decode())
    return System._from_text(text, os.path.splitext(os.path.basename(given))[0])


def loads(text: str, name: str = "model") -> System:
    """Reads the text of a model file; `name` stands for its path in messages.

    >>> s = loads('coordinates = ["x"]\\n[energy]\\nkinetic = "x\\'^2/2"', "particle")
    >>> s.kinetic
    x'^2/2
    """
    from .system import System

    if not isinstance(text, str):
        raise TypeError(f"the text of a model is needed, not {type(text).__name__}; read(path) reads a file")
    return System._from_text(printable(text, "the text of the model"), word(name, "the name of the model"))
