"""Mechanics of constrained systems."""

from ._core import __version__
from .check import Check
from .derivation import Derivation, Derivations, EffortSpent, Equations
from .errors import IncompleteWarning, Interrupted, ModelError
from .fundamental import Fundamental, fundamental
from .motion import Motion
from .numbers import Evaluation, Forces
from .rhs import Rhs
from .solution import Solution
from .sweep import Sweep, linspace, loguniform, logspace, normal, sweep, uniform
from .system import System, read

__all__ = [
    "Check", "Derivation", "Derivations", "EffortSpent", "Equations", "Evaluation", "Forces", "Fundamental",
    "IncompleteWarning", "Interrupted", "ModelError", "Motion", "Rhs", "Solution", "Sweep", "System", "__version__",
    "fundamental", "linspace", "loguniform", "logspace", "normal", "read", "sweep", "uniform",
]
