"""A mechanical system as its author writes it."""

from __future__ import annotations

import os
import uuid
from pathlib import Path
from typing import Any

from . import _core


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


def read(path: str | os.PathLike[str]) -> System:
    """Reads a model file, or a model that comes with the package, by name."""
    s = System(Path(path).stem)
    s._text = Path(path).read_text(encoding="utf-8")
    return s
