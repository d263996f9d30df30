"""Changing a system: reading statements back, removing, repeating and renaming them."""

from __future__ import annotations

from typing import Any, Iterator, MutableMapping

from . import _core
from .author import as_vector
from .document import BODIES, COMPONENTS, SPIN, Document, Entry, Table
from .errors import UnknownName
from .settings import WithSettings
from .values import suggestion, word

_TABLES = {
    "parameter": "parameters",
    "discrete": "discrete",
    "let": "let",
    "output": "outputs",
    "quasi_velocity": "quasi_velocities",
    "initial": "initial",
}
_PARTS = {
    "joint": "joint",
    "spring": "spring",
    "point_force": "force",
    "force": "forces",
    "constraint": "constraint",
    "virtual_work": "virtual_work",
    "contact": "contact",
    "friction": "friction",
    "event": "event",
    "view_point": "view.point",
    "view_segment": "view.segment",
    "view_arrow": "view.arrow",
}
PARTS = ("coordinate", "body", *_TABLES, *_PARTS)
_USED_IN_TEXTS = ("coordinate", "parameter", "discrete", "let", "body", "joint")
_TITLES = ("constraint", "joint", "contact", "friction")
"""Those that texts know as lambda.NAME and reaction.NAME."""
_WORDS_OF_INITIAL = ("adjust", "hold", "mu")
_NAMING = {"bodies": "body", "body": "body", "frame": "body", "joint": "joint"}
"""What the entries of bodies, joints, springs and forces name."""


class Statements(MutableMapping[str, Any]):
    """The statements of one kind by name; those without a name go by their number, "constraint 2".

    >>> import dalembert as dal
    >>> s = dal.System("slope")
    >>> x, y = s.coordinates("x y")
    >>> s.constrain(x == y, name="slope")
    >>> s.constraint["slope"]
    x = y
    >>> del s.constraint["slope"]
    >>> list(s.constraint)
    []
    """

    __slots__ = ("_part", "_system")

    def __init__(self, system: Any, part: str) -> None:
        self._system = system
        self._part = part

    def _keys(self) -> dict[str, list[Any]]:
        """The keys in the document of all statements, by name."""
        document = self._system._doc()
        self._system._forget_unsaid(document)
        if self._part == "coordinate":
            return {name: [name] for name in document.coordinates}
        if self._part == "body":
            return {name: [name] for name in document.bodies}
        if self._part in _TABLES:
            table = document.tables.get(_TABLES[self._part], {})
            words = _WORDS_OF_INITIAL if self._part == "initial" else ()
            return {name: [name] for name in table if name not in words or name in document.coordinates}
        result: dict[str, list[Any]] = {}
        for number, (key, table_) in enumerate(document.parts[_PARTS[self._part]].items(), 1):
            name = table_.entries.get("name")
            if _PARTS[self._part] in COMPONENTS and isinstance(key[0], str):
                name = key[0]
            result.setdefault(f"{self._part.replace('_', ' ')} {number}" if name is None else str(name), []).append(key)
        return result

    def _found(self, name: str) -> list[Any]:
        keys = self._keys()
        if name not in keys:
            raise UnknownName(f"the system {self._system.name!r} has no {self._part} {name!r:.60}{suggestion(str(name), keys)}")
        return keys[name]

    def __getitem__(self, name: str) -> Any:
        found = self._found(name)
        system = self._system
        document = system._doc()
        if self._part in ("coordinate", "body", "joint", "let"):
            return system[name]
        if self._part in _TABLES:
            return system._expression(document.tables[_TABLES[self._part]][name].value, f"{self._part} {name}")
        tables = [document.parts[_PARTS[self._part]][key] for key in found]
        if self._part == "constraint":
            return system._equation(tables[0], name)
        if _PARTS[self._part] in COMPONENTS:
            return {
                along: system._expression(value, f"{self._part} {name}") for t in tables for along, value in t.entries.items()
            }
        return {key: system._read_back(value, f"{key} of {name}") for key, value in tables[0].entries.items()}

    def __setitem__(self, name: str, value: Any) -> None:
        system = self._system
        if self._part == "constraint":
            system.constrain(value, name=name)
        elif self._part == "parameter":
            system.parameter(name, value)
        elif self._part == "discrete":
            system.discrete(name, value)
        elif self._part == "let":
            system.let(name, value)
        elif self._part == "output":
            system.outputs({name: value})
        elif self._part == "initial":
            system.initial(**{"v" if name.endswith("'") else "q": {name: value}})
        else:
            raise TypeError(f"a {self._part.replace('_', ' ')} has many parts: say it again under its name")

    def __delitem__(self, name: str) -> None:
        found = self._found(name)
        system = self._system
        with system._statement(f"remove({self._part!r}, {name!r:.60})") as (document, _):
            table: Any
            if self._part == "coordinate":
                table = document.coordinates
            elif self._part == "body":
                table = document.bodies
            elif self._part in _TABLES:
                table = document.tables[_TABLES[self._part]]
            else:
                table = document.parts[_PARTS[self._part]]
            for key in found:
                del table[key]
            if self._part in _USED_IN_TEXTS:
                del system._declared[name]
                system._names.forget(name)
                system._changed()

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys())

    def __len__(self) -> int:
        return len(self._keys())

    def __repr__(self) -> str:
        return f"<{len(self)} of part {self._part!r} of the system {self._system.name!r}: {', '.join(map(repr, self))}>"


class WithChanges(WithSettings):
    """Changes to statements once they are made."""

    __slots__ = ()

    def said(self, part: str) -> Statements:
        """The statements of a part, by name: "coordinate", "parameter", "discrete", "let", "body", "joint", "spring",
        "force", "point_force", "constraint", "virtual_work", "contact", "friction", "event", "quasi_velocity", "output",
        "initial", "view_point" and so on.

        ``s.said("spring")["band"]`` reads one back, ``del s.said("spring")["band"]`` removes it.
        """
        if part not in PARTS:
            raise UnknownName(f"a system has no part {part!r:.60}{suggestion(str(part), PARTS)}")
        return Statements(self, part)

    @property
    def constraint(self) -> Statements:
        """The constraints by name: ``s.constraint["rod"]``, ``del s.constraint["rod"]``."""
        return Statements(self, "constraint")

    def remove(self, part: str, name: str) -> None:
        """Removes a statement. Whatever uses its name stays, and compiling reports an error for it."""
        del self.said(part)[name]

    def __delitem__(self, name: str) -> None:
        self._doc()
        what = self._declared.get(name)
        if what is None:
            raise UnknownName(f"the system {self.name!r} has no {name!r:.60}{suggestion(str(name), self._declared)}")
        kind = what.removeprefix("a ").removesuffix(" value")
        self.remove("body" if kind in BODIES else kind, name)

    def rename(self, part: str, old: str, new: str) -> None:
        """Renames a statement, also wherever it is used.

        Expressions that a program has kept still refer to the old name: ``s["new"]`` is the new one.
        """
        found = self.said(part)._found(old)
        word(new, f"the name of a {part}")
        if new in self.said(part):
            raise ValueError(f"{new!r:.60} is already the name of a {part} of this system")
        with self._statement(f"rename({part!r}, {old!r:.60}, {new!r:.60})") as (document, _):
            if part in _USED_IN_TEXTS:
                self._declare(new, self._declared[old])
            self._give_name(document, part, found, old, new)
            if part in _USED_IN_TEXTS:
                what = self._declared[old]
                self._declared = {new if n == old else n: w for n, w in self._declared.items()}
                self._names.forget(old)
                if what in ("a coordinate", "a parameter"):
                    getattr(self._names, what.removeprefix("a "))(new)
                elif what == "a discrete value":
                    self._names.parameter(new)
                self._changed()

    def _give_name(self, document: Document, part: str, found: list[Any], old: str, new: str) -> None:
        def keys(table: dict[Any, Any], before: Any, after: Any) -> dict[Any, Any]:
            return {after if key == before else key: value for key, value in table.items()}

        if part == "coordinate":
            document.coordinates = keys(document.coordinates, old, new)
            for prime in ("", "'"):
                document.tables["initial"] = keys(document.tables.get("initial", {}), old + prime, new + prime)
        elif part in _TABLES:
            document.tables[_TABLES[part]] = keys(document.tables[_TABLES[part]], old, new)
        elif part == "body":
            document.bodies = keys(document.bodies, old, new)
        else:
            section = _PARTS[part]
            for key in found:
                after = (new, key[1]) if section in COMPONENTS and isinstance(key[0], str) else new
                document.parts[section] = keys(document.parts[section], key, after)
                if section not in COMPONENTS:
                    table = document.parts[section][new]
                    rest = {k: v for k, v in table.entries.items() if k != "name"}
                    document.parts[section][new] = table._replace(entries={"name": new, **rest})
        if part == "body":
            spin = {f"{old}.{w}": f"{new}.{w}" for w in SPIN}
            initial = document.tables.get("initial", {})
            document.tables["initial"] = {spin.get(key, key): entry for key, entry in initial.items()}
            table = document.bodies[new]
            document.bodies[new] = table._replace(entries={**table.entries, "name": new})
        if part == "constraint" and "mu" in document.tables.get("initial", {}):
            entry = document.tables["initial"]["mu"]
            if isinstance(entry.value, dict):
                document.tables["initial"]["mu"] = entry._replace(value=keys(entry.value, old, new))
        if part in _USED_IN_TEXTS:
            self._rename_uses(document, part, old, new)
        if part in _TITLES:
            self._rename_titles(document, old, new)

    def _rename_uses(self, document: Document, part: str, old: str, new: str) -> None:
        def set_name(name: str) -> str:
            base = name.removesuffix("'")
            return new + name[len(base) :] if base == old and part in ("coordinate", "discrete") else name

        def renamed(value: Any, key: str = "") -> Any:
            if isinstance(value, tuple):
                return tuple(renamed(item, key) for item in value)
            if isinstance(value, dict) and key == "set":
                return {set_name(name): renamed(item) for name, item in value.items()}
            if isinstance(value, dict):
                return {name: renamed(item, name) for name, item in value.items()}
            if not isinstance(value, (str, _core.Expr, _core.Equation)):
                return value
            if key in _NAMING or key in ("hold", "coordinates"):
                base = str(value).rstrip("'")
                named = _NAMING.get(key, "coordinate")
                return new + str(value)[len(base) :] if base == old and named == part else value
            if key in ("name", "type", "shape", "axes", "adjust", "style", "kind", "method", "integrator", "precision", "project", "up",
                       "impact", "direction"):  # fmt: skip
                return value
            return _core.renamed(value, old, new, self._names)

        for section, entries in document.tables.items():
            document.tables[section] = {
                name: Entry(renamed(entry.value, name if section in ("initial", "independent", "simulation", "view") else ""),
                            entry.origin)
                for name, entry in entries.items()
            }  # fmt: skip
        for key in ("gravity", "mass_matrix"):
            if key in document.top:
                document.top[key] = document.top[key]._replace(value=renamed(document.top[key].value))
        tables: list[dict[Any, Table]] = [document.bodies, *document.parts.values()]
        for listed in tables:
            for identity, table in listed.items():
                along = {new if part == "coordinate" and name == old and table.section in COMPONENTS else name: value
                         for name, value in table.entries.items()}  # fmt: skip
                plain = table.section in COMPONENTS
                changed = {name: renamed(value, "" if plain else name) for name, value in along.items()}
                listed[identity] = table._replace(entries=changed)

    def _rename_titles(self, document: Document, old: str, new: str) -> None:
        """In lambda.NAME and reaction.NAME."""

        def renamed(value: Any) -> Any:
            if isinstance(value, tuple):
                return tuple(map(renamed, value))
            if isinstance(value, dict):
                return {name: renamed(item) for name, item in value.items()}
            if not isinstance(value, (str, _core.Expr, _core.Equation)):
                return value
            return _core.renamed_title(value, old, new, self._names)

        for section in ("outputs", "let"):
            table = document.tables.get(section, {})
            document.tables[section] = {name: entry._replace(value=renamed(entry.value)) for name, entry in table.items()}
        for section in ("friction", "event", "view.arrow"):
            for key, table_ in document.parts[section].items():
                words = ("name", "direction", "kind")
                entries = {k: value if k in words else renamed(value) for k, value in table_.entries.items()}
                document.parts[section][key] = table_._replace(entries=entries)

    def _read_back(self, value: Any, what: str) -> Any:
        """A value of a statement: mathematics as expressions, words as they are."""
        if isinstance(value, tuple) and len(value) == 3 and not any(isinstance(v, (tuple, dict)) for v in value):
            return as_vector(self._components(value, what))
        return value

    def _equation(self, table: Table, name: str) -> Any:
        """The equation of a constraint, or the list of three between vectors."""
        written = table.entries["equation"]
        if isinstance(written, _core.Equation):
            return written
        equations = self._parse(written, f"constraint {name}", equation=True)
        return equations[0] if len(equations) == 1 else equations
