"""The part of a system that keeps what was said: names, statements, and the engine's view of them."""

from __future__ import annotations

import contextlib
import threading
import uuid
from typing import Any, Mapping, TypeVar

import numpy as np

from . import _core
from .document import Document, Entry, Origin, Table
from .executions import Execution, current, same
from .errors import ModelError, UnknownName
from .origins import here
from .reading import document_of
from .tables import table_of
from .values import check_owner, name_error, printable, scalar, suggestion, word

Self = TypeVar("Self", bound="Author")

Vector = Any
"""An array of three expressions: numpy, dtype object."""


def as_vector(components: Any) -> Vector:
    """Three expressions as an array that adds and multiplies."""
    return np.array(components, dtype=object)


class _Statement:
    """A change of a system: it has the system to itself."""

    __slots__ = ("author", "origin")

    def __init__(self, author: Author, origin: Origin | None) -> None:
        self.author = author
        self.origin = origin

    def __enter__(self) -> tuple[Document, Origin | None]:
        author = self.author
        author._lock.acquire()
        try:
            document = author._doc()
            author._names_in_scope()
        except BaseException:
            author._lock.release()
            raise
        return document, self.origin

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        author = self.author
        if kind is None:
            author._text = author._draft = author._cached = None
        author._lock.release()


class _Executed:
    """The last execution of a piece of program: how many statements without a name it has made, by section."""

    __slots__ = ("counts", "token")

    def __init__(self, token: Any) -> None:
        self.token = token
        self.counts: dict[str, int] = {}

    def copy(self) -> _Executed:
        other = _Executed(self.token)
        other.counts = dict(self.counts)
        return other


class Author:
    """Keeps statements, section by section, and fills the engine's draft with them when asked.

    A system that was read from a file keeps the file's own text, comments included, until it is changed, and the places
    of what was not changed after that.
    """

    __slots__ = (
        "__weakref__",
        "_cached",
        "_declared",
        "_document",
        "_draft",
        "_executed",
        "_geometries",
        "_lock",
        "_names",
        "_scope",
        "_seen",
        "_source",
        "_text",
    )

    _cached: _core.Model | None
    _declared: dict[str, str]
    _document: Document | None
    _draft: _core.Draft | None
    _executed: dict[Any, _Executed]
    _geometries: dict[str, _core.Geometry]
    _lock: threading.RLock
    _names: _core.Names
    _scope: _core.Scope | None
    _seen: dict[str, _core.Expr]
    _source: tuple[str, str] | None
    _text: str | None

    def __init__(self, name: str, description: str) -> None:
        self._start(_core.Names(word(name, "the name of a system"), uuid.uuid4().hex))
        self._document = Document()
        self._document.top["name"] = Entry(name, here("System(...)"))
        if description:
            self._document.top["description"] = Entry(word(description, "a description"), here("System(...)"))
        self._scope = _core.Scope(self._names)

    def _start(self, names: _core.Names) -> None:
        self._names = names
        self._lock = threading.RLock()
        self._document = None
        self._declared = {}
        self._source = None
        self._text = None
        self._draft = None
        self._cached = None
        self._scope = None
        self._geometries = {}
        self._seen = {}
        self._executed = {}

    # What was read from text.

    @classmethod
    def _from_bytes(cls: type[Self], content: bytes, label: str) -> Self:
        model = _core.Model.from_bytes(content, label, _core.Names(label, uuid.uuid4().hex))
        return cls._of_model(model, label)

    @classmethod
    def _from_text(cls: type[Self], text: str, label: str) -> Self:
        printable(text, "a model")
        model = _core.Model.from_text(text, label, _core.Names(label, uuid.uuid4().hex))
        return cls._of_model(model, label)

    @classmethod
    def _of_model(cls: type[Self], model: _core.Model, label: str) -> Self:
        self = cls.__new__(cls)
        model.names.system = model.name
        self._restore(model.names, model.text, label)
        self._cached = model
        for name in model.coordinates:
            self._names.coordinate(name)
        for name, _ in model.parameters:
            self._names.parameter(name)
        return self

    def _restore(self, names: _core.Names, text: str, label: str | None) -> None:
        """Makes this the system of a text, which need not be a whole model."""
        self._start(names)
        self._source = (label if label is not None else names.system, text)
        self._text = text

    def _doc(self) -> Document:
        """The sections, which are taken from the text when first asked for."""
        with self._lock:
            if self._document is None:
                assert self._source is not None
                label, text = self._source
                self._source = (label, _core.without_families(text, label))
                document = document_of(self._source[1], label, self._names.system)
                self._declare_all(document)
                self._document = document
            return self._document

    def _declare_all(self, document: Document) -> None:
        """Notes the names of a document that was read."""
        declared = dict.fromkeys(document.coordinates, "a coordinate")
        declared.update(dict.fromkeys(document.tables.get("parameters", {}), "a parameter"))
        declared.update(dict.fromkeys(document.tables.get("inputs", {}), "an input"))
        declared.update(dict.fromkeys(map(str, document.parts["table"]), "a table"))
        declared.update(dict.fromkeys(document.tables.get("discrete", {}), "a discrete value"))
        declared.update(dict.fromkeys(document.tables.get("let", {}), "a let"))
        declared.update({name: f"a {table.section}" for name, table in document.bodies.items()})
        declared.update(dict.fromkeys(map(str, document.parts["joint"]), "a joint"))
        self._declared = declared

    # Writing.

    def _statement(self, call: str) -> _Statement:
        """The document to be changed, and where that is done. After it the engine's view is out of date.

        A statement that is refused leaves the system as it was, so values are to be checked before they are kept.
        """
        return _Statement(self, here(call))

    def _key(self, section: str, name: str | None) -> Any:
        """What identifies a statement: its name; else its number among those that the same piece of program makes.

        A loop counts on. A cell that is run again begins anew, so that what it says takes the place of what it said.
        """
        if name is not None:
            return name
        execution = current() or Execution(("nowhere",), None)
        executed = self._executed.get(execution.piece)
        if executed is None or not same(executed.token, execution.token):
            executed = self._executed[execution.piece] = _Executed(execution.token)
        number = executed.counts.get(section, 0)
        executed.counts[section] = number + 1
        return (execution.piece, number)

    def _say(self, document: Document, section: str, name: str | None, entries: dict[str, Any], origin: Any) -> None:
        document.parts[section][self._key(section, name)] = Table(section, entries, origin)

    def _forget_unsaid(self, document: Document) -> None:
        """Drops what a cell said without a name when it was run before, and has not said again."""
        for section, tables in document.parts.items():
            for key in [k for k in tables if isinstance(k, tuple) and k[0] in self._executed]:
                if key[1] >= self._executed[key[0]].counts.get(section, 0):
                    del tables[key]

    def _declare(self, name: Any, what: str) -> str:
        """A name, checked; `what` is "a coordinate", say. It is kept by `_declared[name] = what`.

        A name of the same kind may be said again.
        """
        text = word(name, f"the name of {what}")
        self._doc()
        problem = None if self._declared.get(text) == what else name_error(text, what, self._declared)
        if problem is not None:
            raise ValueError(problem)
        return text

    def _scalar(self, value: Any, what: str) -> Any:
        return scalar(value, self._names, what)

    def _coordinate(self, along: Any, what: str) -> str:
        """The name of a coordinate, given by itself or by its name."""
        if isinstance(along, _core.Expr):
            check_owner(along, self._names)
        name = str(along)
        self._doc()
        if self._declared.get(name) != "a coordinate":
            known = self.coordinate_names
            base = name.rstrip("'")
            if base != name and self._declared.get(base) == "a coordinate":
                raise ValueError(f"{what} is along a coordinate: {base}, not {name}")
            raise UnknownName(f"{what} is along a coordinate, and {name!r:.60} is none{suggestion(name, known)}")
        return name

    @property
    def coordinate_names(self) -> list[str]:
        """The names of the coordinates, in the order of all vectors and matrices."""
        return list(self._doc().coordinates)

    # Reading back.

    def _names_in_scope(self) -> _core.Scope:
        """What texts of this system may speak of."""
        with self._lock:
            if self._scope is None and self._cached is not None:
                self._scope = _core.Scope.of_model(self._cached)
            elif self._scope is None:
                self._scope = self._scope_of_document()
            return self._scope

    def _scope_of_document(self) -> _core.Scope:
        """The names of a model that may be unfinished, lets in any order; those that mean nothing are left out."""
        document = self._doc()
        scope = self._scope = _core.Scope(self._names)
        for name, what in self._declared.items():
            if what == "a coordinate":
                scope.add(name, self._names.coordinate(name))
            elif what in ("a parameter", "an input", "a discrete value"):
                scope.add(name, self._names.parameter(name))
            elif what == "a joint":
                scope.add_joint(name)
            elif what == "a table":
                scope.add_table(table_of(document.parts["table"][name].entries))
        waiting = dict(document.tables.get("let", {}))
        progress = True
        while waiting and progress:
            progress = False
            for name, entry in list(waiting.items()):
                with contextlib.suppress(ModelError):
                    self._add_let(name, entry.value)
                    del waiting[name]
                    progress = True
        return scope

    def _changed(self) -> None:
        """What names stand for has changed: it is found anew."""
        self._scope = None
        self._geometries.clear()
        self._seen.clear()

    def _add_let(self, name: str, value: Any) -> Any:
        """Tells the scope what a let stands for, and gives it: an Expr or a list of three."""
        scope = self._names_in_scope()
        if isinstance(value, str):
            meaning = self._parse(value, f"let {name}")
        elif isinstance(value, tuple):
            meaning = self._components(value, f"let {name}")
        else:
            meaning = self._expression(value, f"let {name}")
        if isinstance(meaning, list):
            scope.add_vector(name, meaning)
        else:
            scope.add(name, meaning)
        return meaning

    def _parse(self, text: str, title: str, equation: bool = False) -> Any:
        """What a text stands for: an Expr, a list of three, or a list of equations."""
        with self._lock:
            return self._names_in_scope().parse(text, title, equation, self._add_body_to_scope)

    def _add_body_to_scope(self, name: str) -> None:
        raise NotImplementedError

    def _expression(self, value: Any, title: str) -> _core.Expr:
        """The expression of a value of the document."""
        if isinstance(value, _core.Expr):
            return value
        if isinstance(value, str):
            parsed = self._parse(value, title)
            if not isinstance(parsed, _core.Expr):
                raise ValueError(f"{title} must be a number, and {value!r:.60} is a vector")
            return parsed
        return _core.to_expr(value, self._names)

    def _components(self, value: Any, title: str) -> list[_core.Expr]:
        """The three expressions of a vector of the document."""
        if isinstance(value, str):
            parsed = self._parse(value, title)
            if not isinstance(parsed, list):
                raise ValueError(f"{title} must be a vector, and {value!r:.60} is a number")
            return parsed
        return [self._expression(component, title) for component in value]

    # Text, and the engine's view of it.

    @property
    def name(self) -> str:
        """The name of the system, shown in the first line of every output."""
        return str(self._doc().top["name"].value)

    @name.setter
    def name(self, name: str) -> None:
        with self._statement("name = ...") as (document, origin):
            document.top["name"] = Entry(word(name, "the name of a system"), origin)
            self._names.system = name

    @property
    def description(self) -> str:
        """What the system is, in a sentence or two."""
        entry = self._doc().top.get("description")
        return str(entry.value) if entry is not None else ""

    @description.setter
    def description(self, text: str) -> None:
        with self._statement("description = ...") as (document, origin):
            document.top["description"] = Entry(word(text, "a description"), origin)

    def to_toml(self) -> str:
        """The model file equivalent to this system.

        A system that was read and not changed returns the text it was read from.
        """
        with self._lock:
            if self._text is None:
                self._text = self._filled().to_toml()
            return self._text

    def _filled(self) -> _core.Draft:
        """The engine's draft of what has been said so far."""
        with self._lock:
            if self._draft is None:
                document = self._doc()
                self._forget_unsaid(document)
                statements = document.statements()
                label, text = self._source if self._source is not None else (self.name or "system", "")
                self._draft = _core.Draft.of(statements, label, text, list(self._seen.items()), self._names)
            return self._draft

    def _model(self) -> _core.Model:
        """The engine's model of what has been said so far; raises ModelError."""
        with self._lock:
            if self._cached is None:
                self._cached = self._filled().assemble()
            return self._cached

    # Copies and comparison.

    def copy(self: Self) -> Self:
        """An independent copy of the system.

        Expressions of either may be used in the other.
        """
        with self._lock:
            other = type(self).__new__(type(self))
            other._start(self._names)
            other._document = self._document.copy() if self._document is not None else None
            other._declared = dict(self._declared)
            other._source = self._source
            other._text = self._text
            other._draft = self._draft
            other._cached = self._cached
            other._seen = dict(self._seen)
            other._executed = {piece: executed.copy() for piece, executed in self._executed.items()}
            other._geometries = dict(self._geometries)
            if self._document is not None and self._scope is not None:
                other._scope = self._scope.copy()
            return other

    def __getstate__(self) -> tuple[_core.Names, str, str | None]:
        return self._names, self.to_toml(), self._source[0] if self._source is not None else None

    def __setstate__(self, state: tuple[_core.Names, str, str | None]) -> None:
        self._restore(*state)

    def __copy__(self: Self) -> Self:
        return self.copy()

    def __deepcopy__(self: Self, memo: Mapping[int, Any]) -> Self:
        return self.copy()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Author):
            return NotImplemented
        return self is other or self.to_toml() == other.to_toml()

    __hash__ = None  # type: ignore[assignment]
