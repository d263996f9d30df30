"""Mechanics of constrained systems.

A mechanical system is written as on paper, coordinates, energies or bodies, forces, constraints and what the constraint
forces do. What comes back are equations of motion to read, a proof that they are right, and the motion itself. In all
that follows

    M q'' = Q + Q_ideal + Q_nonideal.

>>> import dalembert as dal
>>> s = dal.System("pendulum")
>>> x, y = s.coordinates("x y")
>>> m, g, l = s.parameters(m=1.0, g=9.81, l=2.0)
>>> s.kinetic = m * (x.d**2 + y.d**2) / 2
>>> s.potential = m * g * y
>>> s.constrain(x**2 + y**2 == l**2, name="rod")
>>> motion = s.compile()
>>> sol = motion.simulate(duration=1, q={"x": 2.0})
>>> round(float(sol["y"].min()), 3)
-2.0
"""

from . import expressions as _expressions
from ._core import __version__
from .check import Check
from .derivation import Derivation, Derivations, EffortSpent, Equations
from .errors import DoubtWarning, IncompleteWarning, Interrupted, ModelError
from .expressions import *  # noqa: F403
from .fundamental import Fundamental, fundamental
from .motion import Motion
from .numbers import Evaluation, Forces
from .rhs import Rhs
from .solution import Solution
from .sweep import Sweep, linspace, loguniform, logspace, normal, sweep, uniform
from .system import Body, Frame, Joint, Particle, System, loads, models, read

__all__ = [
    "Body", "Check", "Derivation", "Derivations", "DoubtWarning", "EffortSpent", "Equations", "Evaluation", "Forces",
    "Frame", "Fundamental", "IncompleteWarning", "Interrupted", "Joint", "ModelError", "Motion", "Particle", "Rhs", "Solution",
    "Sweep", "System", "__version__", "fundamental", "linspace", "loads", "loguniform", "logspace", "models", "normal",
    "read", "sweep", "uniform",
]  # fmt: skip
__all__ += _expressions.__all__
