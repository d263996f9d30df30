"""Functions given by points, and inputs over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable, Union

import numpy as np
import numpy.typing as npt

from . import _core
from .values import did_you_mean

Array = npt.NDArray[np.float64]
Course = Union[float, "tuple[Any, Any]", Callable[[float], float], "Table"]

_DEGREE = 8
_TOLERANCE = 1e-12  # of the largest value
_NARROWEST = 2.0**-50  # of the whole span: where a function jumps
_MOST_PIECES = 100_000


class Table:
    """A function F(s) given by points, like ``[[table]]`` in a model file.

    ``F(x)`` is an expression where x is one, and a number or an array of numbers where x is. ``F.derivative`` is F'.
    """

    __slots__ = ("_core",)

    def __init__(self, core: _core.Table) -> None:
        self._core = core

    @property
    def name(self) -> str:
        """The name of the table in the model."""
        return self._core.name

    @property
    def nodes(self) -> Array:
        """The positions of its points, increasing."""
        return np.array(self._core.nodes)

    @property
    def derivative(self) -> Table | None:
        """F', a table too; None if F is constant between its points."""
        core = self._core.derivative()
        return None if core is None else Table(core)

    def __call__(self, s: Any) -> Any:
        if isinstance(s, _core.Expr):
            return self._core.apply(s)
        numbers = np.asarray(s, dtype=np.float64)
        values = self._core.values(np.ascontiguousarray(numbers.ravel())).reshape(numbers.shape)
        return values if numbers.ndim else float(values)

    def __repr__(self) -> str:
        nodes = self._core.nodes
        return f"<Table {self._core.title}: {len(nodes)} points from {nodes[0]:.6g} to {nodes[-1]:.6g}>"


def points(what: str, x: Any, y: Any) -> tuple[Array, Array]:
    """Two rows of numbers of one length."""
    rows = []
    for name, given in (("x", x), ("y", y)):
        try:
            row = np.ascontiguousarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise TypeError(f"{what}: {name} must be a row of numbers, not {type(given).__name__}") from None
        if row.ndim != 1:
            raise ValueError(f"{what}: {name} must be one row of numbers, not an array of shape {row.shape}")
        rows.append(row)
    return rows[0], rows[1]


def table_of(entries: Mapping[str, Any]) -> _core.Table:
    """The table that a statement says."""
    x, y = (np.array([float(_plain(item)) for item in entries[key]]) for key in ("x", "y"))
    kind = entries.get("interpolation", "linear")
    return _core.Table.through(str(entries["name"]), x, y, kind, entries.get("outside", "hold"))


def _plain(item: Any) -> Any:
    return float(_core.Scope(_core.Names("", "")).parse(item, "a number of a table")) if isinstance(item, str) else item


def courses(given: Mapping[Any, Course], known: list[str], start: float, end: float, hold: bool) -> list[_core.Table]:
    """Tables of t, one for each input that is given."""
    result = []
    for key, course in given.items():
        name = str(key)
        if name not in known:
            hint = did_you_mean(name, known) if known else "; the model has no inputs"
            raise ValueError(f"unknown input {name!r:.60}{hint}")
        result.append(_course(name, course, start, end, hold))
    return result


def _course(name: str, course: Course, start: float, end: float, hold: bool) -> _core.Table:
    what = f"inputs[{name!r}]"
    if isinstance(course, Table):
        nodes = course.nodes
        return _of_function(name, lambda t: float(course(t)), nodes[0], nodes[-1], nodes)
    if callable(course):
        return _of_function(name, course, start, end)
    if isinstance(course, tuple) and len(course) == 2:
        t, values = points(what, *course)
    else:
        try:
            values = np.asarray(course, dtype=np.float64)
        except (TypeError, ValueError):
            raise TypeError(
                f"{what} must be a number, an array, (t, values) or a function of t, not {type(course).__name__}"
            ) from None
        if values.ndim == 0:
            values = np.full(2, float(values))
        if values.ndim != 1:
            raise ValueError(f"{what} must be one row of numbers, not an array of shape {values.shape}")
        t, values = np.linspace(start, end, len(values)), np.ascontiguousarray(values)
    try:
        return _core.Table.through(name, t, values, "hold" if hold else "linear", "hold")
    except ValueError as error:
        raise ValueError(f"{what}: {str(error).split(': ', 1)[-1]}") from None


def _of_function(
    name: str, function: Callable[[float], Any], start: float, end: float, breaks: Array | None = None
) -> _core.Table:
    """A function of t as polynomials of degree 8, halved until they agree with it to 1e-12 of its largest value.

    Where it jumps, or has a kink, the halves become so narrow that the instant is met to rounding.
    """

    def value(t: float) -> float:
        result = float(function(t))
        if not np.isfinite(result):
            raise ValueError(f"inputs[{name!r}] is {result} at t = {t:.6g}")
        return result

    angles = np.pi * (np.arange(_DEGREE + 1) + 0.5) / (_DEGREE + 1)
    knots = np.cos(angles)[::-1]  # of Chebyshev, on [-1, 1]
    to_chebyshev = np.linalg.inv(np.polynomial.chebyshev.chebvander(knots, _DEGREE))
    probes = np.array([-0.93, -0.57, -0.11, 0.29, 0.71, 0.98])
    edges = [start, end] if breaks is None else list(breaks)
    open_pieces = [(a, b) for a, b in zip(edges[:-1], edges[1:])][::-1]
    nodes: list[float] = []
    coefficients: list[Array] = []
    largest = 0.0
    while open_pieces:
        a, b = open_pieces.pop()
        middle, half = (a + b) / 2, (b - a) / 2
        samples = np.array([value(middle + half * k) for k in knots])
        chebyshev = to_chebyshev @ samples
        largest = max(largest, float(np.abs(samples).max()))
        found = np.polynomial.chebyshev.chebval(probes, chebyshev)
        wrong = max(abs(value(middle + half * p) - f) for p, f in zip(probes, found))
        narrow = b - a <= max(_NARROWEST * (end - start), 4 * np.spacing(max(abs(a), abs(b))))
        if wrong > _TOLERANCE * max(largest, 1e-300) and not narrow:
            if len(nodes) + len(open_pieces) > _MOST_PIECES:
                raise ValueError(
                    f"inputs[{name!r}] changes too fast between t = {a:.6g} and {b:.6g}: "
                    "give (t, values) instead of a function"
                )
            open_pieces += [(middle, b), (a, middle)]
            continue
        nodes.append(a)
        power = np.polynomial.chebyshev.cheb2poly(chebyshev) if not narrow else samples[:1]
        row = np.zeros(_DEGREE + 1)
        row[: len(power)] = power
        if narrow:
            coefficients.append(row)
            continue
        # In h = t - a: u = h/half - 1.
        shifted = np.polynomial.Polynomial(row)(np.polynomial.Polynomial([-1.0, 1.0 / half])).coef
        coefficients.append(np.concatenate([shifted, np.zeros(_DEGREE + 1 - len(shifted))]))
    nodes.append(edges[-1])
    return _core.Table.of_pieces(name, np.array(nodes), _DEGREE, np.concatenate(coefficients), value(edges[-1]))
