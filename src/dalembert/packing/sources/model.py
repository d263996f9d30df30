"""/*@TITLE@*/"""

import math

import numpy as np

PARAMETERS = /*@PARAMETERS@*/
INPUTS = /*@INPUTS@*/
STATES = /*@STATES@*/
SAMPLES = /*@SAMPLES@*/
DURATION = /*@DURATION@*/

_FREE = /*@FREE@*/
_START = /*@START@*/
_WRITTEN = /*@WRITTEN@*/
_N = /*@COORDINATES@*/

_erf = np.vectorize(math.erf, otypes=[float])


/*@TAPES@*/class Doubt(ArithmeticError):
    """A pivot of the elimination is too small at this state: the numbers may be wrong."""


def _vouched(doubt):
    if not np.all(doubt <= 1):
        raise Doubt("a pivot of the elimination is too small at this state")


def _array(values):
    return np.array(np.broadcast_arrays(*values), dtype=float)


class System:
    """The system with these values of its parameters; those that follow from others follow.

    Inputs have the values given here until `u` is written, in the order of INPUTS.
    t and y may be arrays, y with one row per state: everything is done element by element.
    """

    def __init__(self, **parameters):
        unknown = set(parameters) - {name for name, free in zip(PARAMETERS, _FREE) if free}
        if unknown:
            raise TypeError(f"no parameter that can be set: {', '.join(sorted(unknown))}")
        p = [float(parameters.get(name, value)) for name, value in PARAMETERS.items()]
        if parameters:
            values = iter(_dependent(p, _dependent_known(p), []))
            p = [value if free else next(values) for value, free in zip(p, _FREE)]
        self.p = p
        self.u = [value for name, value in zip(PARAMETERS, p) if name in INPUTS]
        self._known = {name: known(p) for name, known in _KNOWN.items()}

    def _run(self, name, x):
        return _TAPES[name](self.p, self._known[name], [*x, *self.u])

    def derivative(self, t, y):
        """y' = f(t, y)."""
        *rates, doubt, _ = self._run("derivative", [t, *y])
        _vouched(doubt)
        return _array(rates)

    def observe(self, t, y):
        """Everything at a state, in the order of SAMPLES."""
        *samples, doubt = self._run("sample", [t, *y])
        _vouched(doubt)
        return _array(samples)

    def state(self, t, q, v):
        """y of positions and velocities. Does not project."""
        return _array([*q, *self._run("rates", [t, *q, *v])])

    def start(self):
        """y at t = 0, on the constraints."""
        written = self._run("written", [])
        now = [a + (b - c) for a, b, c in zip(_START, written, _WRITTEN)]
        return self.project(0.0, self.state(0.0, now[:_N], now[_N:]))

    def _full(self, t, y):
        if /*@REDUCED@*/:
            return [t, *y[:_N], *self.observe(t, y)[:_N]]
        return [t, *y]

    def residual(self, t, y):
        """How far one state is from the constraints: the largest residual, as a part of its scale."""
        x = self._full(t, y)
        return max([0.0, *(float(self._run(level, x)[_N]) for level in /*@LEVELS@*/)])

    def project(self, t, y):
        """One state moved to the constraints along the shortest way in the kinetic metric."""
        levels = /*@PROJECTED@*/
        y = np.array(y, dtype=float)
        if not levels:
            return y
        x = np.array(self._full(t, y), dtype=float)
        for level in levels:
            at = slice(1, 1 + _N) if level == "positions" else slice(1 + _N, 1 + 2 * _N)
            *step, residual, doubt = self._run(level, x)
            for _ in range(20):
                if residual <= 1e-14 or not doubt <= 1:
                    break
                best, before = x.copy(), residual
                x[at] += step
                *step, residual, doubt = self._run(level, x)
                if not residual < before:
                    x, residual = best, before
                    break
            if not residual <= max(1e-12, 1.5e-14 * (1 + np.max(np.abs(x[1 : 1 + _N])))):
                raise ArithmeticError("no state on the constraints was found nearby")
        return x[1:]
