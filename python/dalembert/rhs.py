"""The right-hand side of the equations of motion, for other integrators and compilers."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert import _core
from dalembert.errors import DoubtWarning, UnknownName, warn
from dalembert.fixed import Fixed
from dalembert.numbers import Floats, floats, refuse
from dalembert.subject import name_text
from dalembert.values import suggestion

if TYPE_CHECKING:
    from dalembert.motion import Compiled

_Function = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


class Rhs(Fixed):
    """y' = f(t, y) with y = (q, v), 2n numbers; with the method vakonomic y = (q, v, mu), 2n + m.

    As a Python function it suits scipy.integrate.solve_ivp, also with vectorized=True:

        solve_ivp(motion.rhs, (0, 10), np.concatenate([q, v]), rtol=1e-9, atol=1e-12)

    Constraints hold to the accuracy of that integrator; `motion.simulate` projects onto them. Turns of hinges
    are not counted either; a warning says so where it matters.

    As a C function, `int rhs(double t, const double *y, double *dydt, void *data)`, it is at `address` and takes
    `data` as its last argument. It returns 0, or something else if the state has no acceleration; then dydt is NaN.
    It needs no interpreter, and any number of threads may call it at once. From Numba:

        f, data = motion.rhs.ctypes, motion.rhs.data

        @numba.njit
        def derivative(t, y, dydt):
            return f(t, y.ctypes, dydt.ctypes, data)

    `address` and `data` are valid as long as this object, or what `ctypes` returned, is alive.
    """

    _noun = "right-hand side"

    def __init__(self, motion: Compiled) -> None:
        self._motion_ = motion
        counting = motion._core.hinges_that_count
        if counting:
            names = ", ".join(f"'{name}'" for name in counting)
            warn(
                f"rhs does not count turns: the angle of hinge {names} is taken between -pi and pi, and the forces along "
                "it jump there; use motion.simulate, or a coordinate that is the angle",
                DoubtWarning,
            )
        self._core = _core.Rhs(motion._states)
        self._evaluate = self._core.evaluate
        self._size: int = self._core.size
        self._ctypes: Any = None

    @property
    def size(self) -> int:
        """The number of entries of y."""
        return self._size

    @property
    def address(self) -> int:
        """The address of the C function."""
        return self._core.address

    @property
    def data(self) -> int:
        """What its last argument must be."""
        return self._core.data

    @property
    def signature(self) -> str:
        """The type of the C function."""
        return self._core.signature

    @property
    def ctypes(self) -> Any:
        """The C function with its types, for ctypes and Numba; it keeps alive what `data` points to."""
        if self._ctypes is None:
            function = _Function(self.address)
            function.owner = self._core  # type: ignore[attr-defined]
            self._ctypes = function
        return self._ctypes

    def low_level_callable(self) -> Any:
        """The C function as a scipy.LowLevelCallable with its data, which it keeps alive."""
        return _low_level_callable(self._core.capsule())

    def component(self, name: Any) -> Any:
        """The acceleration of one coordinate, "phi''" or "phi", as a scipy.LowLevelCallable.

        Its signature is "double (int, double *, void *)", its argument (t, q, v), with the method vakonomic
        (t, q, v, mu): scipy.integrate.quad and nquad integrate it without the interpreter. NaN if a state
        has no acceleration, or if the number of arguments is wrong.
        """
        known = self._motion_.coordinate_names
        own = name_text(name, self._motion_._system._names)
        own = own[:-2] if own.endswith("''") else own
        if own not in known:
            raise UnknownName(f"no coordinate '{own}'{suggestion(own, known)}")
        return _low_level_callable(self._core.component_capsule(known.index(own)))

    def __call__(self, t: Any, y: Any) -> Floats:
        """y' at t: y of shape (size,), or of shape (size, k) for k states at once."""
        try:
            dydt = np.empty(self._size)
            if self._evaluate(t, y, dydt):
                return dydt
        except (TypeError, ValueError):
            pass
        return self._many(t, y)

    def _many(self, t: Any, y: Any) -> Floats:
        columns = floats("y", y)
        if columns.ndim not in (1, 2) or columns.shape[0] != self.size:
            swapped = "; rhs is called as rhs(t, y): odeint needs tfirst=True" if columns.ndim == 0 else ""
            if np.ndim(t) == 1 and columns.ndim == 1:
                swapped = "; rhs is called as rhs(t, y), y = (q, v) in one array: np.concatenate([q, v])"
            raise ValueError(f"y has the shape {columns.shape}; expected ({self.size},) or ({self.size}, k){swapped}")
        rows = columns.T
        n = len(self._motion_.coordinate_names)
        q, v = rows[..., :n], rows[..., n : 2 * n]
        dydt = np.empty(columns.shape)
        dydt[:n] = v.T
        if self.size == 2 * n:
            dydt[n:] = self._accelerations(t, q, v, None).T
            return dydt
        times = np.broadcast_to(floats("t", t), rows.shape[:-1])
        for index in np.ndindex(rows.shape[:-1]):
            result = np.empty(self.size)
            if not self._evaluate(float(times[index]), np.ascontiguousarray(rows[index]), result):
                self._accelerations(times[index], q[index], v[index], rows[index][2 * n :])
            dydt[(slice(None), *index)] = result
        return dydt

    def _accelerations(self, t: Any, q: Floats, v: Floats, mu: Floats | None) -> Floats:
        motion = self._motion_
        states = motion._reader.read(t, q, v, mu)
        found = np.empty((states.count, len(motion.coordinate_names)))
        failed = motion._states.solve(
            states.count, states.t, states.q, states.v, states.mu, acceleration=found, threads=0
        )
        if failed[0]:
            refuse(states, failed)
        return found.reshape(states.shape + found.shape[1:])

    def __reduce__(self) -> tuple[Any, ...]:
        return Rhs, (self._motion_,)

    def __repr__(self) -> str:
        return f"<Rhs of {self._motion_!r}: y' = f(t, y), {self.size} numbers>"


def _low_level_callable(capsule: Any) -> Any:
    try:
        from scipy import LowLevelCallable
    except ImportError:
        raise ImportError("this needs SciPy: pip install scipy") from None
    return LowLevelCallable(capsule)
