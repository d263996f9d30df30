"""The fundamental equation of constrained motion, for your own matrices."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
import numpy.typing as npt

from dalembert import _core
from dalembert.errors import UnknownName
from dalembert.fixed import Fixed
from dalembert.numbers import Floats, check_on_error, flat_rows, floats, thread_count
from dalembert.values import suggestion

#: The numerical routes; all give the same answer where b is consistent.
ROUTES = ("m-inverse", "scaled", "extended-dalembert", "weighted", "multipliers")


class Fundamental(Fixed):
    """The solution of M q'' = Q + Q_ideal + Q_nonideal, A q'' = b; leading dimensions are those of the input.

    For a single problem, without leading dimensions, scalars are plain numbers.
    """

    acceleration: Floats  #: q'' (..., n)
    ideal: Floats  #: Q_ideal (..., n), in the range of A^T
    nonideal: Floats  #: Q_nonideal (..., n), the part of C that does virtual work, and what answers it
    multipliers: Floats  #: lambda (..., m) of Q_ideal = A^T lambda, of minimum norm
    unconstrained: Floats  #: a = M^-1 Q (..., n); NaN where M is singular
    rank: npt.NDArray[np.int64] | int  #: of A (...)
    unique: npt.NDArray[np.bool_]  #: whether each multiplier is the only one (..., m)
    consistent: npt.NDArray[np.bool_] | bool  #: whether b lies in the range of A (...)
    residual: Floats | float  #: |A q'' - b| (...)
    mass_singular: npt.NDArray[np.bool_] | bool  #: whether M is singular (...)
    conflicting: npt.NDArray[np.bool_]  #: rows that contradict each other (..., m)

    _noun = "solution"
    _instead = "; call dal.fundamental again"

    def __init__(self, **arrays: Any) -> None:
        self.__dict__.update(arrays)

    def __repr__(self) -> str:
        shape = self.acceleration.shape[:-1]
        which = f"{shape} problems" if shape else f"one problem of rank {self.rank}"
        return f"<Fundamental: {which}, n = {self.acceleration.shape[-1]}, m = {self.multipliers.shape[-1]}>"


def fundamental(
    M: Any,
    Q: Any,
    A: Any,
    b: Any,
    C: Any = None,
    *,
    method: str = "m-inverse",
    rank_tolerance: float = 1e-8,
    mass_tolerance: float = 1e-12,
    consistency_tolerance: float = 1e-8,
    weights: Sequence[float] | None = None,
    threads: int | None = None,
    on_error: str = "raise",
) -> Fundamental:
    """Solves the fundamental equation of constrained motion (Udwadia and Kalaba) for given matrices,

        M q'' = Q + Q_ideal + Q_nonideal,     A q'' = b,     v.(Q_ideal + Q_nonideal) = v.C wherever A v = 0.

    M (..., n, n) is symmetric and at least positive semidefinite, Q (..., n), A (..., m, n), b (..., m), C (..., n) or
    None for 0; leading dimensions are broadcast. M may be singular as long as M and A together determine q''; rows of A
    may depend on each other; a contradictory b is satisfied in the sense of least squares in the kinetic metric
    (weighted, with method="weighted" and one positive weight per row).

    rank_tolerance: rows whose smallest singular value, in the kinetic metric and normalized, is below this count as
    dependent. mass_tolerance: M counts as singular where an eigenvalue is below this, M scaled to unit diagonal.
    consistency_tolerance: how well b must fit dependent rows, relative to its terms.

    A problem without a solution raises a ValueError that names the first one and says why; with on_error="nan" its row
    is NaN and its rank -1.

    A bead of mass 2 on the line y = x, under its weight:

    >>> r = fundamental([[2, 0], [0, 2]], [0, -2 * 9.81], [[1, -1]], [0])
    >>> (r.acceleration.round(3).tolist(), r.ideal.round(2).tolist(), r.multipliers.round(2).tolist())
    ([-4.905, -4.905], [-9.81, 9.81], [-9.81])
    """
    check_on_error(on_error)
    if method not in ROUTES:
        raise UnknownName(f"no route '{method}' through the fundamental equation{suggestion(str(method), ROUTES)}")
    for name, value in (("rank", rank_tolerance), ("mass", mass_tolerance), ("consistency", consistency_tolerance)):
        if not 0 < value < 1:
            raise ValueError(f"{name}_tolerance is {value}; it must be between 0 and 1")
    arrays = {"M": floats("M", M), "Q": floats("Q", Q), "A": floats("A", A), "b": floats("b", b)}
    if C is not None:
        arrays["C"] = floats("C", C)
    n, m = _sizes(arrays)
    cores = {"M": 2, "Q": 1, "A": 2, "b": 1, "C": 1}
    leading = {name: array.shape[: array.ndim - cores[name]] for name, array in arrays.items()}
    try:
        shape = np.broadcast_shapes(*leading.values())
    except ValueError:
        shown = ", ".join(f"{name} {own}" for name, own in leading.items())
        raise ValueError(f"the leading dimensions do not go together: {shown}") from None
    rows = {name: flat_rows(array, shape, cores[name]) for name, array in arrays.items()}
    count = 1
    for extent in shape:
        count *= extent
    given_weights = [] if weights is None else floats("weights", weights).tolist()
    if weights is not None and (method != "weighted" or np.shape(given_weights) != (m,)):
        raise ValueError(f"weights are for method='weighted', one for each of the {m} rows of A")
    found, failures, first, problem = _core.fundamental(
        count, n, m, rows["M"], rows["Q"], rows["A"], rows["b"], rows.get("C"), method, rank_tolerance,
        mass_tolerance, consistency_tolerance, given_weights, thread_count(threads),
    )  # fmt: skip
    if failures and on_error == "raise":
        index = tuple(int(i) for i in np.unravel_index(first, shape)) if shape else None
        which = "the problem" if index is None else f"problem {index[0] if len(index) == 1 else index}"
        raise ValueError(f"{which} has no solution: {problem}")
    vectors = {name: found[name].reshape(shape + found[name].shape[1:]) for name in
               ("acceleration", "ideal", "nonideal", "unconstrained", "multipliers", "unique", "conflicting")}  # fmt: skip
    scalars = {
        name: found[name].reshape(shape) if shape else found[name].item()
        for name in ("rank", "residual", "consistent", "mass_singular")
    }
    return Fundamental(**vectors, **scalars)


def _sizes(arrays: dict[str, Floats]) -> tuple[int, int]:
    """n and m, which all shapes must agree upon."""
    M, A = arrays["M"], arrays["A"]
    if M.ndim < 2 or M.shape[-1] != M.shape[-2]:
        raise ValueError(f"M has the shape {M.shape}; expected (..., n, n)")
    n = M.shape[-1]
    if A.ndim == 1 and A.size == 0:  # no constraints, written as []
        A = arrays["A"] = A.reshape(0, n)
    if A.ndim < 2 or A.shape[-1] != n:
        raise ValueError(f"A has the shape {A.shape}; expected (..., m, {n}), for M is {n} by {n}")
    m = A.shape[-2]
    for name, size in (("Q", n), ("b", m), ("C", n)):
        if name in arrays and (arrays[name].ndim < 1 or arrays[name].shape[-1] != size):
            needed = f"(..., {size})"
            raise ValueError(f"{name} has the shape {arrays[name].shape}; expected {needed}, as M and A have it")
    return n, m
