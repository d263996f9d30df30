"""Model files as text: what is written, section by section, and the TOML that says so."""

from __future__ import annotations

import bisect
import math
import re
from fractions import Fraction
from typing import Any, Iterator, NamedTuple

from . import _core

WIDTH = 100
"""Columns after which arrays and sums are broken."""

LATER_TABLES = ("initial", "simulation", "outputs", "quasi_velocities", "independent")
PARTS = ("joint", "spring", "force")
DRAWINGS = ("point", "segment", "arrow")


class Origin(NamedTuple):
    """The statement of a program that wrote a line."""

    call: str
    file: str
    line: int


class Entry(NamedTuple):
    """A value, and the statement that wrote it. Tuples are arrays, dicts are inline tables."""

    value: Any
    origin: Origin | None = None


class Table(NamedTuple):
    """A table of an array of tables, ``[[constraint]]`` say."""

    section: str
    entries: dict[str, Any]
    origin: Origin | None = None


class Sides:
    """The two sides of an equation, expressions both."""

    __slots__ = ("left", "right")

    def __init__(self, left: _core.Expr, right: _core.Expr) -> None:
        self.left = left
        self.right = right


class Said:
    """An expression of which the text is known already."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class Texts(NamedTuple):
    """The texts of the expressions of a document.

    One and the same expression may be said otherwise at different places: a let must not be defined by itself, nor a
    body, nor a parameter by a let. `bodies` and `others` hold texts by the identity of expressions.
    """

    parameters: dict[str, Entry]
    lets: dict[str, Entry]
    bodies: dict[int, str]
    others: dict[int, str]


class Document:
    """What a model says. Tables hold entries by key; arrays of tables stand in the order in which they were written.

    Values are never changed in place, so that a copy is cheap.
    """

    __slots__ = ("bodies", "constraint_names", "constraints", "coordinates", "drawings", "parts", "tables", "top")

    def __init__(self) -> None:
        self.top: dict[str, Entry] = {}
        self.coordinates: dict[str, Origin | None] = {}
        self.constraint_names: set[str] = set()
        self.tables: dict[str, dict[str, Entry]] = {}
        self.bodies: list[Table] = []
        self.parts: dict[str, list[Table]] = {section: [] for section in PARTS}
        self.constraints: list[Table] = []
        self.drawings: list[Table] = []

    def copy(self) -> Document:
        other = Document()
        other.top = dict(self.top)
        other.coordinates = dict(self.coordinates)
        other.constraint_names = set(self.constraint_names)
        other.tables = {section: dict(table) for section, table in self.tables.items()}
        other.bodies = list(self.bodies)
        other.parts = {section: list(tables) for section, tables in self.parts.items()}
        other.constraints = list(self.constraints)
        other.drawings = list(self.drawings)
        return other

    def table(self, section: str) -> dict[str, Entry]:
        """The entries of a table, which is made if there is none."""
        return self.tables.setdefault(section, {})

    def expressions_before_bodies(self) -> Iterator[_core.Expr]:
        """The expressions of gravity, the mass matrix and the bodies themselves."""
        for entry in self.top.values():
            yield from _expressions(entry.value)
        for block in self.bodies:
            for value in block.entries.values():
                yield from _expressions(value)

    def expressions_of_bodies(self) -> Iterator[_core.Expr]:
        """All further expressions but those of parameters and lets: these may speak of bodies."""
        for section, table in self.tables.items():
            if section not in ("parameters", "let"):
                for entry in table.values():
                    yield from _expressions(entry.value)
        for tables in (*self.parts.values(), self.constraints, self.drawings):
            for block in tables:
                for value in block.entries.values():
                    yield from _expressions(value)


def _expressions(value: Any) -> Iterator[_core.Expr]:
    if isinstance(value, _core.Expr):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _expressions(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _expressions(item)
    elif isinstance(value, Sides):
        yield value.left
        yield value.right


_SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
_NEEDS_ESCAPE = re.compile('["\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]')
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)
_LARGEST_INTEGER = 2**63 - 1


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    return _SHORT_ESCAPES.get(character) or f"\\u{ord(character):04X}"


def quoted(text: str) -> str:
    """A text as a TOML string on one line.

    >>> print(quoted('a "b"'))
    "a \\"b\\""
    """
    return f'"{_NEEDS_ESCAPE.sub(_escape, text)}"'


def key(name: str) -> str:
    """A key of a TOML table, in quotes where it needs them.

    >>> print(key("x"), key("x'"))
    x "x'"
    """
    return name if _BARE_KEY.fullmatch(name) else quoted(name)


def digits(value: int) -> str:
    """A whole number in full. Python itself writes a few thousand digits only."""
    return str(value) if value.bit_length() < 2000 else str(_core.Expr(value))


def number(value: int | float | Fraction) -> str:
    """A number as exactly what it is; what TOML has no number for stands in quotes.

    >>> print(number(9.81), number(1e-09), number(Fraction(1, 3)))
    9.81 1e-9 "1/3"
    """
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} is not a finite number")
        mantissa, letter, exponent = repr(value).partition("e")
        return mantissa + (f"e{int(exponent)}" if letter else "")
    if isinstance(value, Fraction) and value.denominator != 1:
        return f'"{digits(value.numerator)}/{digits(value.denominator)}"'
    whole = int(value)
    return str(whole) if abs(whole) <= _LARGEST_INTEGER else f'"{digits(whole)}"'


def expression_literal(text: str) -> str:
    """The text of an expression: a number as a number, all else in quotes."""
    if _NUMBER.fullmatch(text):
        if "." in text or "e" in text.lower() or (len(text) < 40 and abs(Fraction(text)) <= _LARGEST_INTEGER):
            return text
    return quoted(text)


_BETWEEN_TERMS = re.compile(r" (?=[+-] )")


def broken_sum(text: str, width: int) -> list[str]:
    """The lines of an expression, broken before signs between terms.

    >>> broken_sum("a*(b + c) + d - e", 12)
    ['a*(b + c)', '+ d - e']
    """
    lines: list[str] = []
    for term in _BETWEEN_TERMS.split(text):
        if lines and len(lines[-1]) + 1 + len(term) <= width:
            lines[-1] += f" {term}"
        else:
            lines.append(term)
    return lines


class Written(NamedTuple):
    """A model file, and which statements wrote its lines."""

    text: str
    lines: list[int]
    origins: list[Origin | None]

    def origin(self, line: int) -> Origin | None:
        """The statement that wrote a line (from 1), if it is known."""
        place = bisect.bisect_right(self.lines, line) - 1
        return self.origins[place] if place >= 0 else None


class Writer:
    """Writes one document."""

    def __init__(self, document: Document, texts: Texts) -> None:
        self.document = document
        self.tables = {**document.tables, "parameters": texts.parameters, "let": texts.lets}
        self.all_texts = texts
        self.texts = texts.bodies
        self.out: list[str] = []
        self.line = 1
        self.lines: list[int] = []
        self.origins: list[Origin | None] = []

    def write(self) -> Written:
        document = self.document
        for name in ("name", "description"):
            if name in document.top:
                self.entry(name, document.top[name])
        if document.coordinates:
            last = next(reversed(document.coordinates.values()))
            self.entry("coordinates", Entry(tuple(document.coordinates), last))
        for name in ("mass_matrix", "gravity"):
            if name in document.top:
                self.entry(name, document.top[name])
        self.table("parameters")
        self.table("let")
        self.texts = self.all_texts.others
        self.table("energy")
        self.texts = self.all_texts.bodies
        for block in document.bodies:
            self.block(block)
        self.texts = self.all_texts.others
        for section in PARTS:
            for block in document.parts[section]:
                self.block(block)
        self.table("forces")
        for block in document.constraints:
            self.block(block)
        self.table("virtual_work")
        for section in LATER_TABLES:
            self.table(section)
        self.table("view")
        for block in document.drawings:
            self.block(block)
        return Written("".join(self.out), self.lines, self.origins)

    def emit(self, text: str, origin: Origin | None) -> None:
        self.lines.append(self.line)
        self.origins.append(origin)
        self.out.append(text)
        self.line += text.count("\n")

    def heading(self, text: str, origin: Origin | None = None) -> None:
        self.emit(f"\n{text}\n" if self.out else f"{text}\n", origin)

    def entry(self, name: str, entry: Entry) -> None:
        start = f"{key(name)} = "
        self.emit(f"{start}{self.value(entry.value, len(start))}\n", entry.origin)

    def table(self, section: str) -> None:
        table = self.tables.get(section)
        if not table:
            return
        self.heading(f"[{section}]")
        for name, entry in table.items():
            self.entry(name, entry)

    def block(self, block: Table) -> None:
        self.heading(f"[[{block.section}]]", block.origin)
        for name, value in block.entries.items():
            self.entry(name, Entry(value, block.origin))

    def value(self, value: Any, column: int) -> str:
        """A value that begins in a column, broken into lines where it is long."""
        if isinstance(value, _core.Expr):
            return self.expression(self.texts[id(value)])
        if isinstance(value, Said):
            return self.expression(value.text)
        if isinstance(value, Sides):
            return self.sum(f"{self.texts[id(value.left)]} = {self.texts[id(value.right)]}")
        if isinstance(value, tuple):
            return self.array(value, column)
        return self.inline(value)

    def inline(self, value: Any) -> str:
        """A value on one line."""
        if isinstance(value, _core.Expr):
            return expression_literal(self.texts[id(value)])
        if isinstance(value, Said):
            return expression_literal(value.text)
        if isinstance(value, str):
            return quoted(value)
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, tuple):
            return f"[{', '.join(map(self.inline, value))}]"
        if isinstance(value, dict):
            inside = ", ".join(f"{key(name)} = {self.inline(item)}" for name, item in value.items())
            return f"{{ {inside} }}" if inside else "{}"
        return number(value)

    def expression(self, text: str) -> str:
        literal = expression_literal(text)
        return literal if len(literal) <= WIDTH else self.sum(text)

    @staticmethod
    def sum(text: str) -> str:
        """An expression in quotes, in several lines if it is long."""
        if len(text) <= WIDTH:
            return quoted(text)
        lines = broken_sum(text, WIDTH)
        if len(lines) == 1:
            return quoted(text)
        return '"""\n' + "\n".join(quoted(line)[1:-1] for line in lines) + '"""'

    def array(self, items: tuple[Any, ...], column: int) -> str:
        texts = [self.inline(item) for item in items]
        if column + sum(map(len, texts)) + 2 * len(texts) <= WIDTH:
            return f"[{', '.join(texts)}]"
        rows = any(isinstance(item, (tuple, dict)) for item in items)
        lines: list[str] = []
        line = ""
        for text in texts:
            if line and (rows or len(line) + len(text) + 2 > WIDTH):
                lines.append(line)
                line = ""
            line += f"{', ' if line else '  '}{text}"
        lines.append(line)
        return "[\n" + ",\n".join(lines) + ",\n]"
