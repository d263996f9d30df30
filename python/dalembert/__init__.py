"""Mechanics of constrained systems."""

from ._core import __version__
from .errors import ModelError
from .motion import Motion
from .system import System, read

__all__ = ["ModelError", "Motion", "System", "__version__", "read"]
