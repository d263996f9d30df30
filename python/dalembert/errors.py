"""Located errors of a model, and exceptions that end a computation early."""

from __future__ import annotations

import sys
import warnings
from typing import Any, Mapping, NamedTuple, Sequence


class Diagnostic(NamedTuple):
    """One thing that is wrong, and where: in a model file, or on a line of the program `file`."""

    message: str
    line: int
    column: int
    length: int
    details: Sequence[str]
    file: str | None = None


class ModelError(ValueError):
    """A model with mistakes; the message quotes the place and marks the culprit."""

    def __init__(self, text: str, diagnostics: Sequence[tuple[Any, ...]] = ()) -> None:
        super().__init__(text)
        self.diagnostics = [Diagnostic(*d) for d in diagnostics]
        self.no_positions = False  #: whether no positions were found that satisfy the constraints

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), [tuple(d) for d in self.diagnostics])


class UnknownName(KeyError, ValueError):
    """An unknown name; the message lists the known ones."""

    def __str__(self) -> str:
        return Exception.__str__(self)  # that of KeyError quotes it like a key


class UnknownParameter(ModelError, UnknownName):
    """A name that is not a parameter of the model."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a long computation; `solution` is what had been computed by then."""

    def __init__(self, message: str = "interrupted", solution: Any = None) -> None:
        super().__init__(message)
        self.solution = solution


class DalembertWarning(UserWarning):
    """The base class of all warnings of this package."""


class DoubtWarning(DalembertWarning):
    """Numbers that deserve a second look; the message says why."""


class IncompleteWarning(DalembertWarning):
    """A motion could not be followed to its end; its solution says how far it got, and why no further."""


class OldNameWarning(DalembertWarning, DeprecationWarning):
    """A name that the next version will drop; the message gives the new one."""


def warn(message: str, category: type[DalembertWarning]) -> None:
    """Warns the caller of this package, at the line that called it."""
    between = (__package__, "contextlib", "functools")  # context managers and cached properties of the package
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in between:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level + 1)


def warn_of(document: Mapping[str, Any]) -> None:
    """Warns of all that a document of the engine, the summary of a motion say, warns of."""
    for sentence in document.get("warnings", ()):
        warn(str(sentence), DoubtWarning)
