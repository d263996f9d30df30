"""What can be wrong with a model, located; what can end a motion early."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Sequence

if TYPE_CHECKING:
    from .solution import Solution


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

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), [tuple(d) for d in self.diagnostics])


class IncompleteWarning(UserWarning):
    """A motion could not be followed to its end; its solution says how far it came, and why not further."""


class Interrupted(KeyboardInterrupt):
    """A simulation was stopped by Ctrl-C; `solution` is what had been computed until then."""

    def __init__(self, solution: Solution) -> None:
        super().__init__(f"{solution.reason or 'interrupted'}; what was computed until then is in .solution")
        self.solution = solution
