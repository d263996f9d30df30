"""A compiled system: its numbers and its motions."""

from __future__ import annotations

from typing import Any, Mapping

from . import _core
from .system import System


class Motion:
    """A compiled system."""

    def __init__(self, system: System, method: str | None = None, parameters: Mapping[str, Any] | None = None) -> None:
        self._system = system
        self._core = _core.compile(system._model(), {k: str(v) for k, v in (parameters or {}).items()}, method)

    @property
    def method(self) -> str:
        """The method that gives the accelerations."""
        return self._core.method
