"""What a program or a file says of a system: statements, section by section, each with where it was said."""

from __future__ import annotations

from typing import Any, Iterator, NamedTuple

TOP = ("name", "description", "mass_matrix", "gravity")
TABLES = (
    "parameters", "inputs", "discrete", "let", "energy", "initial", "simulation", "outputs", "quasi_velocities", "independent",
)  # fmt: skip
COMPONENTS = ("forces", "virtual_work")
BODIES = ("particle", "body", "frame")
PARTS = (
    "table", "joint", "spring", "force", "constraint", *COMPONENTS, "contact", "friction", "event",
    "view.point", "view.segment", "view.arrow",
)  # fmt: skip
SPIN = ("wx", "wy", "wz")
"""The components of a body's angular velocity, in its own axes."""
DRAWINGS = ("point", "segment", "arrow")


class Origin(NamedTuple):
    """The statement of a program that said something."""

    file: str
    line: int
    call: str


Place = Any
"""An `Origin`; the seven numbers of a place in a file, as the engine tells them; or None."""


class Entry(NamedTuple):
    """A value, and where it was said. Tuples are arrays, dicts are inline tables."""

    value: Any
    origin: Place = None


class Table(NamedTuple):
    """A statement of many parts, ``[[constraint]]`` of a file say; `places` has those of a file, by key."""

    section: str
    entries: dict[str, Any]
    origin: Place = None
    places: dict[str, Place] = {}

    def listed(self) -> list[tuple[str, Any, Place]]:
        return [(key, value, self.places.get(key, self.origin)) for key, value in self.entries.items()]


class Document:
    """What is said of a system. Values are never changed in place, so that a copy is cheap.

    `parts` has statements by section and by what identifies them: a name; or, without one, a tuple that says which
    statement of which piece of program it is. What is said again under the same key takes the place of what was.
    """

    __slots__ = ("bodies", "coordinates", "parts", "tables", "top")

    def __init__(self) -> None:
        self.top: dict[str, Entry] = {}
        self.coordinates: dict[str, Place] = {}
        self.tables: dict[str, dict[str, Entry]] = {}
        self.bodies: dict[str, Table] = {}
        self.parts: dict[str, dict[Any, Table]] = {section: {} for section in PARTS}

    def copy(self) -> Document:
        other = Document()
        other.top = dict(self.top)
        other.coordinates = dict(self.coordinates)
        other.tables = {section: dict(table) for section, table in self.tables.items()}
        other.bodies = dict(self.bodies)
        other.parts = {section: dict(tables) for section, tables in self.parts.items()}
        return other

    def table(self, section: str) -> dict[str, Entry]:
        """The entries of a table, which is made if there is none."""
        return self.tables.setdefault(section, {})

    def statements(self) -> list[tuple[str, Any, Place]]:
        """All of it as the engine takes it: (key, value, origin), tables as lists of the same."""
        return list(self._statements())

    def _statements(self) -> Iterator[tuple[str, Any, Place]]:
        for key in TOP:
            if key in self.top:
                yield key, *self.top[key]
        if self.coordinates:
            yield "coordinates", tuple(self.coordinates), next(reversed(self.coordinates.values()))
        for section in TABLES:
            if self.tables.get(section):
                yield section, [(name, *entry) for name, entry in self.tables[section].items()], None
        for section in BODIES:
            if bodies := tuple(t.listed() for t in self.bodies.values() if t.section == section):
                yield section, bodies, None
        view: list[tuple[str, Any, Place]] = [(name, *entry) for name, entry in self.tables.get("view", {}).items()]
        for section, tables in self.parts.items():
            if not tables:
                continue
            if section in COMPONENTS:
                yield section, [entry for t in tables.values() for entry in t.listed()], None
            elif section.startswith("view."):
                view.append((section.removeprefix("view."), tuple(t.listed() for t in tables.values()), None))
            else:
                yield section, tuple(t.listed() for t in tables.values()), None
        if view:
            yield "view", view, None
