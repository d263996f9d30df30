"""Mechanics of constrained systems."""

from ._core import __version__
from .check import Check
from .derivation import Derivation, Derivations, EffortSpent, Equations
from .errors import IncompleteWarning, Interrupted, ModelError
from .motion import Motion
from .solution import Solution
from .sweep import Sweep, linspace, loguniform, logspace, normal, sweep, uniform
from .system import System, read

__all__ = [
    "Check", "Derivation", "Derivations", "EffortSpent", "Equations", "IncompleteWarning", "Interrupted", "ModelError", "Motion", "Solution", "Sweep",
    "System", "__version__", "linspace", "loguniform", "logspace", "normal", "read", "sweep", "uniform",
]
