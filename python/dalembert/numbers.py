"""States as arrays, and what is computed of them."""

from __future__ import annotations

import decimal
import json
import math
import numbers
import operator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Callable, Iterator, NoReturn, Sequence

import numpy as np
import numpy.typing as npt

from dalembert import _core
from dalembert.errors import UnknownName
from dalembert.fixed import Fixed, fixed
from dalembert.subject import name_text, one_number
from dalembert.values import suggestion

Floats = npt.NDArray[np.float64]

_MOST_THREADS = 1024


def floats(name: str, value: Any) -> Floats:
    """The value as an array of float64 in C order: itself, where it is one."""
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise ValueError(f"{name}: masked values have no number")
    try:
        given = np.asarray(value)
        if given.dtype.kind not in "biufO":
            raise TypeError
        if given.dtype.kind == "O":  # NumPy would take None for NaN
            given = np.array([float(x) for x in given.flat]).reshape(given.shape)
        return np.ascontiguousarray(given, np.float64) if given.ndim else np.asarray(given, np.float64)
    except OverflowError:
        raise OverflowError(f"{name} is beyond the range of floating-point numbers") from None
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be real numbers, {not_real(name, value)}") from None


def not_real(name: str, value: Any) -> str:
    """What keeps values from being an array of real numbers; `name` is what they are called."""
    if not isinstance(value, (list, tuple)):
        return f"not {getattr(getattr(value, 'dtype', None), 'name', type(value).__name__)}"
    odd = _odd_item(value, name)
    if odd:
        return odd
    for level in _levels(value, name):
        for (first, size), (other, size_there) in zip(level, level[1:]):
            if size != size_there:
                return f"and {first} {_entries(size)} where {other} {_entries(size_there)}"
    return f"not {type(value).__name__}"


def _odd_item(value: Any, place: str) -> str:
    """The first item of nested lists that is no real number, with its place; '' if all are."""
    if isinstance(value, (list, tuple)):
        return next(filter(None, (_odd_item(item, f"{place}[{i}]") for i, item in enumerate(value))), "")
    kind = value.dtype.kind if isinstance(value, (np.ndarray, np.generic)) else ""
    if isinstance(value, (numbers.Real, decimal.Decimal, np.bool_)) or kind and kind in "biufO":
        return ""
    return f"and {place} is {value!r:.60}{', which is complex' if isinstance(value, numbers.Complex) or kind == 'c' else ''}"


def _levels(value: Sequence[Any], name: str) -> Iterator[list[tuple[str, int | None]]]:
    """Of nested lists, level by level: what stands where, and how many entries that has; None for a number."""
    level = [(f"{name}[{i}]", item) for i, item in enumerate(value)]
    while level:
        yield [(place, len(item) if hasattr(item, "__len__") else None) for place, item in level]
        level = [(f"{place}[{i}]", x) for place, item in level if hasattr(item, "__len__") for i, x in enumerate(item)]


def _entries(size: int | None) -> str:
    return "is one number" if size is None else f"has {size} entr{'y' if size == 1 else 'ies'}"


@dataclass(frozen=True)
class _Entries:
    """The names of the entries of q, v or mu; what may stand behind each in a mapping, and values of what is left out."""

    names: Sequence[str]
    mark: str
    system: Any  #: whose expressions may stand for names
    left_out: Callable[[], Floats]


def _from_mapping(name: str, given: Mapping[Any, Any], entries: _Entries) -> Floats:
    """An array (..., size) of numbers by name."""
    names, mark = entries.names, entries.mark
    values: dict[str, Floats] = {}
    for key, value in given.items():
        asked = name_text(key, entries.system)
        own = asked[: -len(mark)] if mark and asked.endswith(mark) and asked not in names else asked
        if own not in names:
            raise UnknownName(f"{name}: no '{asked}'{suggestion(own, names)}")
        if own in values:
            raise ValueError(f"{name}: '{own}' is given twice")
        values[own] = floats(f"{name}[{own!r}]", one_number(value))
    if len(values) < len(names):
        for own, number in zip(names, entries.left_out()):
            values.setdefault(own, np.asarray(number))
    try:
        columns = np.broadcast_arrays(*(values[own] for own in names)) if names else [np.zeros(0)]
    except ValueError:
        shapes = ", ".join(f"{own} {values[own].shape}" for own in names if values[own].ndim)
        raise ValueError(f"{name}: these shapes do not go together: {shapes}") from None
    return np.stack(columns, axis=-1) if names else columns[0]


def _vectors(name: str, given: Any, entries: _Entries) -> Floats:
    """An array (..., size), one entry a name."""
    names = entries.names
    if given is None:
        return entries.left_out()
    if isinstance(given, Mapping):
        return _from_mapping(name, given, entries)
    array = floats(name, given)
    if array.ndim == 0 or array.shape[-1] != len(names):
        shown = ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")
        order = "; the order of arguments is t, q, v" if array.ndim == 0 else ""
        raise ValueError(
            f"{name} has the shape {array.shape}; expected (..., {len(names)}), one entry for each of {shown}{order}"
            if names
            else f"{name} has the shape {array.shape}; expected (..., 0)"
        )
    return array


@dataclass(frozen=True)
class Batch:
    """N states: t (N, 1), q and v (N, n), mu (N, m) or None; one row may stand for all."""

    shape: tuple[int, ...]
    t: Floats
    q: Floats
    v: Floats
    mu: Floats | None

    @property
    def count(self) -> int:
        """N, the number of states."""
        count = 1
        for size in self.shape:
            count *= size
        return count

    def apart_from(self, out: npt.NDArray[Any]) -> Batch:
        """The same states where writing to `out` does not change them."""

        def apart(x: Floats) -> Floats:
            return x.copy() if np.may_share_memory(x, out) else x

        return Batch(self.shape, apart(self.t), apart(self.q), apart(self.v), self.mu)

    def copied(self) -> Batch:
        """The same states in memory that nobody else changes."""
        return Batch(self.shape, self.t.copy(), self.q.copy(), self.v.copy(), self.mu)

    def name_of(self, i: int) -> str:
        """The i-th state, for a message."""
        if not self.shape:
            return "this state"
        index = np.unravel_index(i, self.shape)
        return f"state {int(index[0])}" if len(index) == 1 else f"state {tuple(int(k) for k in index)}"


class StateReader:
    """What the states of one motion are made of: names, and values of what is left out."""

    def __init__(self, core: _core.Motion, names: _core.Names) -> None:
        self._core = core
        self._start: tuple[float, Floats, Floats, Floats] | None = None
        self.coordinates: list[str] = fixed(core.coordinates, "motion.coordinates")
        self.constraints: list[str] = fixed(core.constraints, "motion.constraints")
        self.needs_mu: bool = core.needs_mu
        self._q = _Entries(self.coordinates, "", names, lambda: self.initial(1))
        self._v = _Entries(self.coordinates, "'", names, lambda: self.initial(2))
        self._mu = _Entries(self.constraints, "", names, lambda: self.initial(3))

    def initial(self, part: int) -> Floats:
        """Of the model's initial state: 1 for q, 2 for v, 3 for mu."""
        if self._start is None:
            self._start = self._core.initial_state()
        return np.asarray(self._start[part], dtype=np.float64)

    def read(self, t: Any, q: Any, v: Any, mu: Any = None) -> Batch:
        """The states that t, q, v and mu name together, by the rules of broadcasting."""
        parts = [floats("t", t)[..., np.newaxis], _vectors("q", q, self._q), _vectors("v", v, self._v)]
        if self.needs_mu:
            parts.append(_vectors("mu", mu, self._mu))
        elif mu is not None:
            raise ValueError(f"mu is a state of the method vakonomic only, and this motion is by {self._core.method}")
        return _broadcast(parts)

    def read_finite(self, t: Any, q: Any, v: Any) -> Batch:
        """The same for what solves for nothing, where mu does not enter and no solver finds what is not finite."""
        states = self.read(t, q, v, np.zeros(len(self.constraints)) if self.needs_mu else None)
        for name, rows in (("t", states.t), ("q", states.q), ("v", states.v)):
            if not np.isfinite(rows).all():
                bad = int(np.nonzero(~np.isfinite(rows).all(axis=1))[0][0])
                raise ValueError(f"{states.name_of(bad)}: {name} is not finite: {rows[bad].tolist()}")
        return states


def _broadcast(parts: Sequence[Floats]) -> Batch:
    leading = [part.shape[:-1] for part in parts]
    try:
        shape = np.broadcast_shapes(*leading)
    except ValueError:
        shown = ", ".join(f"{name} {s}" for name, s in zip(("t", "q", "v", "mu"), leading))
        raise ValueError(f"the leading dimensions of the states do not go together: {shown}") from None
    rows = [flat_rows(part, shape) for part in parts]
    return Batch(shape, rows[0], rows[1], rows[2], rows[3] if len(rows) > 3 else None)


def flat_rows(part: Floats, shape: tuple[int, ...], core: int = 1) -> Floats:
    """Rows (N, size) of an array whose last `core` dimensions belong to one state, or one row (1, size) for all."""
    own = part.shape[: part.ndim - core]
    size = 1
    for extent in part.shape[part.ndim - core :]:
        size *= extent
    count = 1
    for extent in shape:
        count *= extent
    if own != shape and any(extent != 1 for extent in own):
        part = np.broadcast_to(part, shape + part.shape[part.ndim - core :])
        own = shape
    rows = 1 if own != shape else count
    return np.ascontiguousarray(part).reshape(rows, size)


def results(name: str, out: Any, shape: tuple[int, ...]) -> Floats:
    """A fresh array, or `out` where that is one to write to."""
    if out is None:
        return np.empty(shape)
    if not isinstance(out, np.ndarray) or out.dtype != np.float64:
        kind = out.dtype.name if isinstance(out, np.ndarray) else type(out).__name__
        raise TypeError(f"out must be an array of float64, not {kind}")
    if out.shape != shape:
        raise ValueError(f"out has the shape {out.shape}; the {name} has {shape}")
    if not out.flags.c_contiguous or not out.flags.writeable:
        raise ValueError("out must be writable and C-contiguous")
    return out


def thread_count(threads: Any) -> int:
    """As the engine wants it: 0, as None, for one a core."""
    if threads is None:
        return 0
    try:
        if isinstance(threads, bool):
            raise TypeError
        count = operator.index(threads)
    except TypeError:
        raise TypeError(f"threads must be a whole number or None, not {type(threads).__name__}") from None
    if not 0 <= count <= _MOST_THREADS:
        raise ValueError(f"threads is {count}; expected 1 to {_MOST_THREADS}, or 0 or None for one per core")
    return count


def refuse(states: Batch, failed: tuple[int, int, str], instead: str = "") -> NoReturn:
    """Says which state has no acceleration, and why; `instead`: what the function can do about it."""
    count, first, problem = failed
    more = f" (and {count - 1} more states have none)" if count > 1 else ""
    raise ValueError(f"{states.name_of(first)} has no acceleration: {problem}{more}{instead}")


def check_order(call: str, t: Any, q: Any, v: Any, *, v_needed: bool = True) -> None:
    """Raises where t may have been forgotten, so that q would be taken for times.

    Many times at the model's own initial values are asked for by an empty mapping, {}.
    """
    order = "t, q, v" if v_needed else "t, q"
    if isinstance(t, Mapping):
        raise TypeError(f"{call} is called as {call}({order}), and t is a {type(t).__name__} here: write {call}(0, q, v)")
    if v is not None or not isinstance(t, (list, tuple, np.ndarray)):
        return
    shape = np.shape(floats("t", t))
    if not shape:
        return
    if not v_needed and q is not None and (isinstance(q, Mapping) or np.shape(floats("q", q)) != shape):
        return
    left_out = [name for name, given in (("q", q), ("v", v)) if given is None and name in order]
    told = f"{' and '.join(left_out)} {'is' if len(left_out) == 1 else 'are'} left out" if left_out else "so has q"
    empty = ", ".join(f"{name}={{}}" for name in left_out or ["v"])
    raise ValueError(
        f"{call} is called as {call}({order}); here t has the shape {shape}, and {told}: "
        f"write {call}(0, {order[3:]}), or {empty} if these are times"
    )


def check_on_error(on_error: str) -> None:
    """Raises for anything but the two ways."""
    if on_error not in ("raise", "nan"):
        raise ValueError(f"on_error is {on_error!r}; it must be 'raise' or 'nan'")


class Forces(Fixed, Mapping[str, Floats]):
    """The forces of M q'' = Q + Q_ideal + Q_nonideal at the states asked for.

    As a mapping: the share of each constraint in the ideal force, A_j^T lambda_j with shape (..., n), by the name of the
    constraint; they add up to `ideal`. Where rows of A depend on each other, the shares are those of the multipliers
    of minimum norm, and `unique` says for which constraints they are the only ones.
    """

    applied: Floats  #: Q (..., n), the terms of inertia that velocities bring included
    ideal: Floats  #: Q_ideal (..., n), which does no virtual work
    nonideal: Floats  #: Q_nonideal (..., n)
    multipliers: Floats  #: lambda (..., m) of Q_ideal = A^T lambda, of minimum norm
    reactions: Floats  #: lambda (..., m) while C acts: M q'' = Q + C + A^T lambda
    unique: npt.NDArray[np.bool_]  #: whether each multiplier is the only one (..., m)
    acceleration: Floats  #: q'' (..., n)

    constraints: tuple[str, ...]  #: their names, in the order of the rows of A
    _noun = "table of forces"

    def __init__(self, constraints: Sequence[str], matrix: Callable[[], Floats], **arrays: Any) -> None:
        self._matrix: Callable[[], Floats] | None = matrix
        self._A: Floats | None = None
        self.__dict__.update(arrays, constraints=tuple(constraints))

    def _constraint_matrix(self) -> Floats:
        """A (..., m, n), computed when it is first needed."""
        if self._A is None:
            assert self._matrix is not None
            self._A = self._matrix()
        return self._A

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_A": self._constraint_matrix(), "_matrix": None}

    def __getitem__(self, constraint: str) -> Floats:
        if not isinstance(constraint, str):
            raise TypeError(f"forces are asked for by the name of a constraint, not by {type(constraint).__name__}")
        name = constraint
        if name not in self.constraints:
            raise UnknownName(f"no constraint '{name}'{suggestion(name, self.constraints)}")
        j = self.constraints.index(name)
        return np.asarray(self._constraint_matrix()[..., j, :] * self.multipliers[..., j, np.newaxis])

    def __iter__(self) -> Iterator[str]:
        return iter(self.constraints)

    def __len__(self) -> int:
        return len(self.constraints)

    def __repr__(self) -> str:
        return f"<Forces of {self.ideal.shape[:-1] or 'one state'}: applied, ideal, nonideal; {list(self.constraints)}>"


class Evaluation(Fixed):
    """Everything at one state, as in `dalembert eval --json`.

    M q'' = Q + Q_ideal + Q_nonideal and A q'' = b, with n coordinates and m constraints. Vectors are arrays in the order
    of the model; `constraint(name)` gives everything about one constraint, `joints` the reactions of joints.
    """

    t: float
    q: Floats
    v: Floats
    acceleration: Floats  #: q'' (n)
    applied: Floats  #: Q (n)
    ideal: Floats  #: Q_ideal (n)
    nonideal: Floats  #: Q_nonideal (n)
    unconstrained: Floats  #: a = M^-1 Q (n); not numbers where M is singular
    violation: Floats  #: b - A a (m); likewise
    multipliers: Floats  #: lambda (m) of Q_ideal = A^T lambda, of minimum norm
    reactions: Floats  #: lambda (m) while C acts: M q'' = Q + C + A^T lambda
    unique: npt.NDArray[np.bool_]  #: whether each multiplier is the only one (m)
    conflicting: npt.NDArray[np.bool_]  #: the constraints that contradict each other (m)
    normal_forces: Floats  #: N of each friction of joints
    friction_assured: bool  #: whether these are known to be the only ones
    mu: Floats  #: the further state of the method vakonomic (m), else empty
    mu_rate: Floats  #: its rate
    mass_matrix: Floats  #: M (n, n)
    constraint_matrix: Floats  #: A (m, n)
    b: Floats  #: (m)
    C: Floats  #: (n)
    rank: int  #: of A
    residual: float  #: |A q'' - b|
    residuals: Floats  #: left sides minus right sides of the constraints as written (m)
    rates: Floats  #: their velocity-level forms (m)
    consistent: bool  #: whether b lies in the range of A
    mass_singular: bool
    coordinates: tuple[str, ...]
    constraints: tuple[str, ...]
    json: str  #: the document of `dalembert eval --json`
    _noun = "evaluation"
    _instead = "; evaluate another state"

    def __init__(self, coordinates: Sequence[str], constraints: Sequence[str], values: Mapping[str, Any]) -> None:
        self.__dict__.update(values, coordinates=tuple(coordinates), constraints=tuple(constraints))

    def to_dict(self) -> dict[str, Any]:
        """The document of `dalembert eval --json`."""
        document: dict[str, Any] = json.loads(self.json)
        return document

    @property
    def warnings(self) -> list[str]:
        """What you must know before you trust these numbers, in sentences; each is also a DoubtWarning."""
        told: list[str] = fixed(list(self.to_dict().get("warnings", ())), "evaluation.warnings")
        return told

    @property
    def joints(self) -> dict[str, dict[str, Any]]:
        """What each joint exerts on its second body: force and moment, in world and body axes, and the point.

        Unknown components are nan; `unknown` then names them, and `unknown_reason` says why.
        """
        found = {joint["name"]: joint for joint in self.to_dict().get("joints", [])}
        for joint in found.values():
            for part in ("force", "moment"):
                joint[part] = {axes: [math.nan if x is None else x for x in v] for axes, v in joint[part].items()}
        joints: dict[str, dict[str, Any]] = fixed(found, "evaluation.joints")
        return joints

    def constraint(self, name: str) -> dict[str, Any]:
        """One constraint: multiplier, unique, its share of Q_ideal as `force` (n), residual and rate."""
        if name not in self.constraints:
            raise UnknownName(f"no constraint '{name}'{suggestion(name, self.constraints)}")
        j = self.constraints.index(name)
        return {
            "multiplier": float(self.multipliers[j]),
            "unique": bool(self.unique[j]),
            "force": self.constraint_matrix[j] * self.multipliers[j],
            "residual": float(self.residuals[j]),
            "rate": float(self.rates[j]),
        }

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}'' = {value:.6g}" for name, value in zip(self.coordinates[:6], self.acceleration))
        return f"<Evaluation at t = {self.t:g}: {shown}{', ...' if len(self.coordinates) > 6 else ''}>"
