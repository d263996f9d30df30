"""A mechanical system as its author writes it."""

from __future__ import annotations

import os
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    from .check import Check
    from .derivation import Equations


class System:
    """One mechanical system."""

    def __init__(self, name: str = "system") -> None:
        self.name = name
        self._names = _core.Names(name, uuid.uuid4().hex)
        self._text: str | None = None

    def to_toml(self) -> str:
        assert self._text is not None
        return self._text

    def _model(self) -> _core.Model:
        """The engine's model of what has been written so far; raises ModelError."""
        return _core.Model.from_text(self.to_toml(), self.name, self._names)

    def compile(self, method: str | None = None, **parameters: Any) -> Any:
        from .motion import Motion

        return Motion(self, method=method, parameters=parameters)

    def derive(self, method: str | None = None, **options: Any) -> Any:
        """The equations of motion in one formulation or in all; see `dalembert.derivation.derive`."""
        from .derivation import derive

        return derive(self, method, **options)

    def check(self, method: str | None = None, **options: Any) -> Check:
        """What can be said of the model before it moves; see `dalembert.check.check`."""
        from .check import check

        return check(self, method, **options)

    @property
    def equations(self) -> Equations:
        """M, Q, A, b and C as expressions."""
        from .derivation import equations

        return equations(self)


def read(path: str | os.PathLike[str]) -> System:
    """Reads a model file, or a model that comes with the package, by name."""
    s = System(Path(path).stem)
    s._text = Path(path).read_text(encoding="utf-8")
    return s
