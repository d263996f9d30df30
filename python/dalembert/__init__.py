"""Mechanics of constrained systems."""

from . import expressions as _expressions
from ._core import __version__
from .errors import ModelError
from .expressions import *  # noqa: F403
from .motion import Motion
from .system import Body, Frame, Joint, Particle, System, loads, models, read

__all__ = [
    "Body", "Frame", "Joint", "ModelError", "Motion", "Particle", "System", "__version__", "loads", "models", "read",
]  # fmt: skip
__all__ += _expressions.__all__
