"""The part of a system that keeps what was written: names, sections, texts, and the engine's view of them."""

from __future__ import annotations

import contextlib
import threading
import uuid
from typing import Any, Iterator, Mapping, TypeVar

import numpy as np

from . import _core
from .document import Document, Entry, Origin, Writer, Written
from .errors import ModelError
from .origins import here, located
from .reading import document_of
from .values import Sides, check_owner, did_you_mean, name_error, printable, scalar, word

Self = TypeVar("Self", bound="Author")

Vector = Any
"""An array of three expressions: numpy, dtype object."""


def as_vector(components: Any) -> Vector:
    """Three expressions as an array that adds and multiplies."""
    return np.array(components, dtype=object)


class Author:
    """Keeps a document, section by section, and gives it to the engine when asked.

    A system that was read from a file keeps the file's own text, comments included, until it is changed.
    """

    __slots__ = (
        "__weakref__",
        "_cached",
        "_declared",
        "_document",
        "_geometries",
        "_label",
        "_lock",
        "_names",
        "_scope",
        "_seen_bodies",
        "_text",
        "_written",
    )

    _cached: _core.Model | None
    _declared: dict[str, str]
    _document: Document | None
    _geometries: dict[str, _core.Geometry]
    _label: str | None
    _lock: threading.RLock
    _names: _core.Names
    _scope: _core.Scope | None
    _seen_bodies: dict[str, None]
    _text: str | None
    _written: Written | None

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
        self._label = None
        self._text = None
        self._written = None
        self._cached = None
        self._scope = None
        self._geometries = {}
        self._seen_bodies = {}

    # What was read from text.

    @classmethod
    def _from_bytes(cls: type[Self], content: bytes, label: str) -> Self:
        names = _core.Names(label, uuid.uuid4().hex)
        model = _core.Model.from_bytes(content, label, names)
        return cls._of_model(model, model.text, label)

    @classmethod
    def _from_text(cls: type[Self], text: str, label: str, identity: str | None = None) -> Self:
        names = _core.Names(label, identity or uuid.uuid4().hex)
        printable(text, "a model")
        model = _core.Model.from_text(text, label, names)
        return cls._of_model(model, model.text, label)

    @classmethod
    def _of_model(cls: type[Self], model: _core.Model, text: str, label: str) -> Self:
        self = cls.__new__(cls)
        self._start(model.names)
        self._names.system = model.name
        self._label = label
        self._text = text
        self._cached = model
        for name in model.coordinates:
            self._names.coordinate(name)
        for name, _ in model.parameters:
            self._names.parameter(name)
        return self

    def _doc(self) -> Document:
        """The sections, which are taken from the text when first asked for."""
        with self._lock:
            if self._document is None:
                assert self._text is not None and self._cached is not None and self._label is not None
                document = document_of(self._text, self._label, self._cached.name)
                self._declare_all(document)
                self._document = document
            return self._document

    def _declare_all(self, document: Document) -> None:
        """Notes the names of a document that was read."""
        declared = dict.fromkeys(document.top["coordinates"].value, "a coordinate")
        declared.update(dict.fromkeys(document.tables.get("parameters", {}), "a parameter"))
        declared.update(dict.fromkeys(document.tables.get("let", {}), "a let"))
        declared.update({str(t.entries["name"]): f"a {t.section}" for t in document.bodies})
        declared.update({str(t.entries["name"]): "a joint" for t in document.parts["joint"]})
        self._declared = declared

    # Writing.

    @contextlib.contextmanager
    def _statement(self, call: str) -> Iterator[tuple[Document, Origin | None]]:
        """The document to be changed, and where that is done. After it the engine's view is out of date.

        A statement that is refused leaves the system as it was, so values are to be checked before they are kept.
        """
        origin = here(call)
        with self._lock:
            document = self._doc()
            yield document, origin
            self._text = self._written = self._cached = self._label = None

    def _declare(self, name: Any, what: str) -> str:
        """A new name, checked; `what` is "a coordinate", say. It is kept by `_declared[name] = what`."""
        text = word(name, f"the name of {what}")
        self._doc()
        problem = name_error(text, what, self._declared)
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
            raise ValueError(f"{what} is along a coordinate, and {name!r:.60} is none{did_you_mean(name, known)}")
        return name

    @property
    def coordinate_names(self) -> list[str]:
        """The names of the coordinates, in the order of all vectors and matrices."""
        entry = self._doc().top.get("coordinates")
        return list(entry.value) if entry is not None else []

    # Reading back.

    def _names_in_scope(self) -> _core.Scope:
        """What texts of this system may speak of."""
        with self._lock:
            if self._scope is None:
                document = self._doc()
                assert document is not None
                self._scope = _core.Scope.of_text(self.to_toml(), self._messages_name(), self._names)
            return self._scope

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
            if isinstance(parsed, list):
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

    def _messages_name(self) -> str:
        return self._label if self._label is not None else (self.name or "system")

    @property
    def name(self) -> str:
        """The name of the system, shown in the first line of each output."""
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
        """The model file that says what this system says.

        A system that was read and not changed gives the text it was read from.
        """
        with self._lock:
            if self._text is None:
                self._text = self._write().text
            return self._text

    def _write(self) -> Written:
        """The document as a file of its own."""
        with self._lock:
            if self._written is None:
                document = self._doc()
                texts, further = self._texts(document)
                self._written = Writer(document, texts, further).write()
            return self._written

    def _texts(self, document: Document) -> tuple[dict[int, str], list[tuple[str, str]]]:
        """The texts of all expressions, by identity, and the lets that they need beside those written."""
        texts: dict[int, str] = {}
        for entry in document.tables.get("parameters", {}).values():
            if isinstance(entry.value, _core.Expr):
                texts[id(entry.value)] = str(entry.value)
        lets: list[tuple[str, _core.Expr]] = []
        own: list[_core.Expr | None] = []
        values: set[_core.Expr] = set()
        for name, entry in document.tables.get("let", {}).items():
            for suffix, value, expression in self._let_parts(name, entry.value):
                if not isinstance(value, _core.Expr) and expression in values:
                    continue
                values.add(expression)
                lets.append((name + suffix, expression))
                own.append(value if isinstance(value, _core.Expr) else None)
        expressions = list(document.expressions())
        roots, let_texts, further = _core.document_texts(expressions, lets, list(self._declared))
        texts.update((id(e), text) for e, text in zip(expressions, roots))
        texts.update((id(e), text) for e, text in zip(own, let_texts) if e is not None)
        return texts, further

    def _let_parts(self, name: str, value: Any) -> Iterator[tuple[str, Any, _core.Expr]]:
        """The components of a let, each with what was written for it and the expression it is."""
        if isinstance(value, tuple):
            for letter, component in zip("xyz", value):
                yield f".{letter}", component, self._expression(component, name)
            return
        parsed = value if isinstance(value, _core.Expr) else self._parse(name, name)
        if isinstance(parsed, list):
            for letter, component in zip("xyz", parsed):
                yield f".{letter}", None, component
        else:
            yield "", value, parsed

    def _model(self) -> _core.Model:
        """The engine's model of what has been written so far; raises ModelError."""
        with self._lock:
            if self._cached is None:
                with self._located():
                    self._cached = _core.Model.from_text(self.to_toml(), self._messages_name(), self._names)
            return self._cached

    @contextlib.contextmanager
    def _located(self) -> Iterator[None]:
        """Errors about the model tell which statement wrote the line."""
        try:
            yield
        except ModelError as error:
            if self._written is None or type(error) is not ModelError:
                raise
            raise located(error, self._written) from None

    # Copies and comparison.

    def copy(self: Self) -> Self:
        """The same system once more, to be changed on its own.

        Expressions of the one may be used in the other.
        """
        with self._lock:
            other = type(self).__new__(type(self))
            other._start(self._names)
            other._document = self._document.copy() if self._document is not None else None
            other._declared = dict(self._declared)
            other._label = self._label
            other._text = self._text
            other._written = self._written
            other._cached = self._cached
            other._seen_bodies = dict(self._seen_bodies)
            other._geometries = dict(self._geometries)
            if self._document is not None and self._scope is not None:
                other._scope = self._scope.copy()
            return other

    def __copy__(self: Self) -> Self:
        return self.copy()

    def __deepcopy__(self: Self, memo: Mapping[int, Any]) -> Self:
        return self.copy()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Author):
            return NotImplemented
        return self is other or self.to_toml() == other.to_toml()

    __hash__ = None  # type: ignore[assignment]
