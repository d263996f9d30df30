"""What can be wrong with a model, located; what can end a computation early."""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence


class Diagnostic(NamedTuple):
    """One thing that is wrong, and where in the text of the model."""

    message: str
    line: int
    column: int
    length: int
    details: Sequence[str]


class ModelError(ValueError):
    """A model that cannot be what it says; the message quotes the place and marks the culprit."""

    def __init__(self, text: str, diagnostics: Sequence[tuple[str, int, int, int, Sequence[str]]] = ()) -> None:
        super().__init__(text)
        self.diagnostics = [Diagnostic(*d) for d in diagnostics]
        self._located = False

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), [tuple(d) for d in self.diagnostics])


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a long computation; `solution` is what was computed until then."""

    def __init__(self, message: str = "interrupted", solution: Any = None) -> None:
        super().__init__(message)
        self.solution = solution


class DoubtWarning(UserWarning):
    """Numbers that are not what they seem to be; the message says why, how far off they are, and what to do."""


class IncompleteWarning(UserWarning):
    """A motion could not be followed to its end; its solution says how far it came, and why not further."""
