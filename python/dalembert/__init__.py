"""Mechanics of constrained systems.

Write a mechanical system as on paper: coordinates, energies or bodies, forces, constraints, and the work of
the constraint forces. Get readable equations of motion, in every classical formulation and with a proof that
they agree, and the motion itself. Throughout,

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

from typing import Any

from .loading import __version__  # isort: skip  (first: it says why, if what is compiled cannot be loaded)
from . import expressions as _expressions
from .check import Check
from .derivation import Derivation, Derivations, EffortSpent, Equations
from .errors import (
    DalembertWarning,
    DoubtWarning,
    IncompleteWarning,
    Interrupted,
    ModelError,
    OldNameWarning,
    UnknownName,
    UnknownParameter,
    warn,
)
from .expressions import *  # noqa: F403
from .fundamental import Fundamental, fundamental
from .motion import Compiled
from .numbers import Evaluation, Forces
from .reading import import_urdf
from .rhs import Rhs
from .solution import Solution
from .sweep import Sweep, linspace, loguniform, logspace, normal, sweep, uniform
from .system import Body, Frame, Joint, Particle, System, loads, models, read

__all__ = [
    "Body", "Check", "Compiled", "DalembertWarning", "Derivation", "Derivations", "DoubtWarning", "EffortSpent", "Equations",
    "Evaluation", "Forces", "Frame", "Fundamental", "IncompleteWarning", "Interrupted", "Joint", "ModelError",
    "OldNameWarning", "Particle", "Rhs", "Solution", "Sweep", "System", "UnknownName", "UnknownParameter", "__version__",
    "fundamental", "import_urdf", "linspace", "loads", "loguniform", "logspace", "models", "normal", "read", "sweep", "uniform",
]  # fmt: skip
__all__ += _expressions.__all__


def __getattr__(name: str) -> Any:
    if name == "Motion":
        warn("Motion is Compiled now: what moves is a Solution", OldNameWarning)
        return Compiled
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)


def __dir__() -> list[str]:
    """The public names, without the modules that define them."""
    own = ("__doc__", "__file__", "__name__", "__package__", "__path__", "__spec__")
    return sorted([*__all__, *(name for name in own if name in globals())])
