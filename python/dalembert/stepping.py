"""Motions that proceed piece by piece."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

import numpy as np
import numpy.typing as npt

from .errors import UnknownName
from .values import suggestion

if TYPE_CHECKING:
    from .simulation import SimulationMethods
    from .solution import Solution


class Stepper:
    """A motion in progress: its time, its state, and the current values of the inputs.

    `step(until, u=...)` continues to a time. Inputs keep the values given last; where one changes, the integration
    restarts, so that a jump costs no accuracy. ``sim["x"]`` is the current value of a column.
    """

    def __init__(
        self,
        motion: SimulationMethods,
        q: Any,
        v: Any,
        t0: Any,
        parameters: Mapping[str, Any] | None,
        adjust: str | None,
        options: dict[str, Any],
    ) -> None:
        self._motion = motion
        self._parameters = dict(parameters or {})
        self._options = {name: value for name, value in options.items() if value is not None}
        start = motion.initial_state(q, v, parameters=parameters, adjust=adjust)
        self._t = float(t0)
        self._q, self._v = start.q, start.v
        self._known = list(motion._model.inputs)
        self._inputs: dict[str, float] = {}
        self._last: Solution | None = None

    @property
    def t(self) -> float:
        """The time reached, in seconds."""
        return self._t

    @property
    def q(self) -> npt.NDArray[np.float64]:
        """The current positions."""
        return self._q.copy()

    @property
    def v(self) -> npt.NDArray[np.float64]:
        """The current velocities."""
        return self._v.copy()

    @property
    def inputs(self) -> dict[str, float]:
        """The input values given last; the other inputs have their defaults."""
        return dict(self._inputs)

    def step(self, until: float, inputs: Mapping[str, float] | None = None, /, *, samples: int = 2, **values: float) -> Solution:
        """Continues to the time `until` with these input values, and returns this piece of the motion."""
        given = {**(inputs or {}), **values}
        for name, value in given.items():
            if name not in self._known:
                hint = suggestion(str(name), self._known) if self._known else "; the model has no inputs"
                raise UnknownName(f"unknown input {name!r:.60}{hint}")
            if not np.isfinite(float(value)):
                raise ValueError(f"the input {name!r} is {value}, not a finite number")
        if not until > self._t:
            raise ValueError(f"step({until}) does not go on: the motion is at t = {self._t}")
        asked = {**self._inputs, **{name: float(value) for name, value in given.items()}}
        solution = self._motion.simulate(
            until - self._t,
            self._q,
            self._v,
            samples=samples,
            t0=self._t,
            parameters={**self._parameters, **asked},
            **self._options,
        )
        self._inputs = asked
        self._last = solution
        if len(solution):
            # The end as it was asked for, without the rounding of t0 + duration.
            self._t = float(until) if solution.complete else float(solution.t[-1])
            self._q, self._v = solution.q[-1].copy(), solution.v[-1].copy()
        return solution

    def __getitem__(self, name: Any) -> float:
        """A column of the last piece, or an expression, at the end of that piece."""
        if self._last is None:
            coordinates = self._motion._core.coordinates
            for i, coordinate in enumerate(coordinates):
                if name == coordinate:
                    return float(self._q[i])
                if name == coordinate + "'":
                    return float(self._v[i])
            raise UnknownName(f"no '{name}' before the first step{suggestion(str(name), coordinates)}")
        return float(self._last[name][-1])

    def __repr__(self) -> str:
        inputs = "".join(f", {name} = {value:.6g}" for name, value in self._inputs.items())
        return f"<motion of '{self._motion._core.name}' at t = {self._t:.6g}{inputs}>"
