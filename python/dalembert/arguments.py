"""Arguments by the names that other libraries have for them."""

from __future__ import annotations

import functools
import inspect
from typing import Callable, Mapping, ParamSpec, TypeVar

from .values import did_you_mean

P = ParamSpec("P")
R = TypeVar("R")

_DURATION = "duration= says how long the motion is, and t0= when it starts"
_STEPS = "steps are chosen by their error, which rtol= and atol= bound, and max_step= bounds them; rows are as dense as samples= says"
_ROWS = "samples= is the number of rows, times= are their times"

OF_SIMULATIONS: Mapping[str, str] = {
    **dict.fromkeys(("t_eval", "teval", "saveat", "dense_output", "n", "num", "n_samples", "points"), _ROWS),
    **dict.fromkeys(("t_start", "t_span", "tspan", "t_bound"), _DURATION),
    **dict.fromkeys(("t_end", "t_final", "tf", "tmax", "T", "until", "stop_time", "seconds"), _DURATION),
    **dict.fromkeys(("min_step", "first_step", "dt", "step", "step_size", "h"), _STEPS),
    **dict.fromkeys(("dtmax", "hmax", "step_max"), "the longest step is max_step="),
    "events": "events are said by the system: s.event(\"apex\", when=z.d, stop=True); sol.events has what happened",
    **dict.fromkeys(("y0", "x0", "u0", "state", "initial"), "the start is given as q= and v="),
    **dict.fromkeys(("q0", "position", "positions"), "positions at the start are q="),
    **dict.fromkeys(("v0", "qd", "qdot", "dq", "velocity", "velocities"), "velocities at the start are v="),
    **dict.fromkeys(("reltol", "tol", "tolerance", "eps"), "tolerances are rtol= and atol="),
    "abstol": "tolerances are rtol= and atol=",
    "solver": "integrator= is 'rk8', 'taylor', 'bdf' or 'auto'",
    **dict.fromkeys(("params", "args", "p"), "values of parameters are parameters={...}"),
}
"""What to write instead, by names that others have for arguments of a simulation."""


def told(advice: Mapping[str, str]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Makes a function answer an argument it does not have with what it has instead: `advice`, or the nearest name."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        known = [p.name for p in inspect.signature(function).parameters.values() if p.kind is not p.POSITIONAL_ONLY]

        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            for name in kwargs:
                if name not in known:
                    instead = f": {advice[name]}" if name in advice else did_you_mean(name, known[1:])
                    raise TypeError(f"{call.__qualname__}() got an unexpected keyword argument {name!r}{instead}")
            return function(*args, **kwargs)

        return call

    return decorate
