"""Accelerations with exact derivatives, as a function of (t, q, v, parameters) for programs that differentiate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from dalembert.errors import UnknownParameter
from dalembert.numbers import Floats
from dalembert.subject import name_text
from dalembert.values import suggestion

if TYPE_CHECKING:
    from dalembert.motion import Compiled


class Accelerations:
    """a(t, q, v, p), and its derivatives with respect to q, v and p: arrays of states in, arrays out.

    p are the values of the named parameters, (..., k). States with equal p are evaluated together.
    """

    def __init__(self, motion: Compiled, parameters: Sequence[Any]) -> None:
        if isinstance(parameters, str):
            parameters = [parameters]
        self.names = [name_text(name, motion._system._names) for name in parameters]
        for name in self.names:
            if name not in motion._core.parameters:
                raise UnknownParameter(f"parameters: no parameter '{name}'{suggestion(name, list(motion._core.parameters))}")
        self.n = len(motion.coordinate_names)
        self._motion = motion
        self._last: tuple[bytes, Compiled] = (b"", motion)

    def defaults(self) -> Floats:
        """The values that the parameters have."""
        known = self._motion.parameter_values()
        return np.array([known[name] for name in self.names], np.float64)

    def value(self, t: Any, q: Any, v: Any, p: Any) -> Floats:
        """(..., n)"""
        return self._each(t, q, v, p, (self.n,), lambda motion, *state: motion.acceleration(*state))

    def slopes(self, t: Any, q: Any, v: Any, p: Any) -> Floats:
        """(..., n, 2n + k): by q, by v, by p."""
        k = len(self.names)

        def both(motion: Compiled, *state: Floats) -> Floats:
            by_state = motion.jacobian(*state)
            return np.concatenate([by_state, motion.jacobian(*state, by=self.names)], -1) if k else by_state

        return self._each(t, q, v, p, (self.n, 2 * self.n + k), both)

    def _each(self, t: Any, q: Any, v: Any, p: Any, shape: tuple[int, ...], what: Any) -> Floats:
        t, q, v, p = (np.asarray(x, np.float64) for x in (t, q, v, p))
        batch = np.broadcast_shapes(t.shape, q.shape[:-1], v.shape[:-1], p.shape[:-1])
        if all(size == 1 for size in p.shape[:-1]):
            return np.broadcast_to(what(self._with(p.reshape(-1)), t, q, v), batch + shape)
        rows = np.broadcast_to(p, batch + p.shape[-1:]).reshape(-1, p.shape[-1])
        times = np.broadcast_to(t, batch).reshape(-1)
        q, v = (np.broadcast_to(x, batch + (self.n,)).reshape(-1, self.n) for x in (q, v))
        result = np.empty((len(rows), *shape))
        groups, which = np.unique(rows, axis=0, return_inverse=True)
        for i, row in enumerate(groups):
            chosen = np.ravel(which) == i
            result[chosen] = what(self._with(row), times[chosen], q[chosen], v[chosen])
        return result.reshape(batch + shape)

    def _with(self, p: Floats) -> Compiled:
        if len(p) != len(self.names):
            raise ValueError(f"{len(self.names)} parameters were named, and {len(p)} values are given")
        if not self.names:
            return self._motion
        key = p.tobytes()
        if self._last[0] != key:
            self._last = (key, self._motion.with_parameters(dict(zip(self.names, map(float, p)))))
        return self._last[1]
