"""Mechanics of constrained systems."""

from ._core import __version__
from .errors import ModelError
from .fundamental import Fundamental, fundamental
from .motion import Motion
from .numbers import Evaluation, Forces
from .rhs import Rhs
from .system import System, read

__all__ = [
    "Evaluation", "Forces", "Fundamental", "ModelError", "Motion", "Rhs", "System", "__version__", "fundamental", "read",
]  # fmt: skip
