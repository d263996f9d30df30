"""Mechanics of constrained systems."""

from . import expressions as _expressions
from ._core import __version__
from .check import Check
from .derivation import Derivation, Derivations, EffortSpent, Equations
from .errors import Interrupted, ModelError
from .expressions import *  # noqa: F403
from .motion import Motion
from .sweep import Sweep, linspace, loguniform, logspace, normal, sweep, uniform
from .system import Body, Frame, Joint, Particle, System, loads, models, read

__all__ = [
    "Body", "Check", "Derivation", "Derivations", "EffortSpent", "Equations", "Frame", "Interrupted", "Joint", "ModelError",
    "Motion", "Particle", "Sweep", "System", "__version__", "linspace", "loads", "loguniform", "logspace", "models",
    "normal", "read", "sweep", "uniform",
]  # fmt: skip
__all__ += _expressions.__all__
