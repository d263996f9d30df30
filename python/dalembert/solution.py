"""The record of a simulation."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from . import _core
from .errors import OldNameWarning, UnknownName, warn
from .fixed import Fixed, fixed
from .values import file_path, suggestion

if TYPE_CHECKING:
    import matplotlib.axes
    import pandas
    import xarray

    from .animation import Animation

Array = npt.NDArray[np.float64]


class Event(NamedTuple):
    """What happened at an instant: a row of events.csv. Fields that do not apply are nan."""

    t: float
    name: str
    """Of the event, the contact or the friction."""
    kind: str
    """"event", "impact", "close", "open", "stick", "slip" or "stop"."""
    impulse: float
    """Of an impact, along the gap."""
    rate_before: float
    """Of the gap."""
    rate_after: float
    energy: float
    """What an impact added to that of the system: not above zero."""


class SolutionForces(Fixed):
    """The constraint forces along a motion, one row per sample: M q'' = Q + Q_ideal + Q_nonideal.

    `forces["knife edge"]` is the share of one constraint in Q_ideal, A_j^T lambda_j, of shape (rows, n); `forces["pin"]`
    with the name of a joint is its reaction, see `reaction`. A name that is both means the constraint.
    """

    _noun = "table of forces"

    def __init__(self, solution: Solution) -> None:
        self._solution = solution
        self._cache: dict[str, Array] = {}

    @property
    def applied(self) -> Array:
        """Q (rows, n): the forces without the constraints."""
        return self._once("applied", lambda native: native.applied())

    @property
    def ideal(self) -> Array:
        """Q_ideal (rows, n)."""
        return self._solution._group("ideal")

    @property
    def nonideal(self) -> Array:
        """Q_nonideal (rows, n)."""
        return self._solution._group("nonideal")

    @property
    def multipliers(self) -> Array:
        """lambda (rows, m) with Q_ideal = A^T lambda, of minimum norm. NaN for the method `vakonomic`."""
        return self._once("multipliers", lambda native: native.multipliers())

    def reaction(self, joint: str) -> dict[str, Array]:
        """What a joint exerts on its second body: the force fx, fy, fz in fixed axes, the moment mx, my, mz about
        the joint if it transmits one, both in the axes of the body as bfx ... bmz, and the angle or position of the
        joint with its rate, if it has one."""
        solution = self._solution
        if joint not in solution._joints:
            raise UnknownName(f"no joint '{joint}'{suggestion(joint, solution._joints)}")
        start = joint + "."
        names = [name for name, group in solution._columns if group == "reaction" and name.startswith(start)]
        found = {name[len(start) :]: solution[name] for name in names if "." not in name[len(start) :]}
        reaction: dict[str, Array] = fixed(found, "the reaction of a joint")
        return reaction

    def __getitem__(self, name: str) -> Any:
        solution = self._solution
        if not isinstance(name, str):
            raise TypeError(f"forces are asked for by the name of a constraint or a joint, not by {type(name).__name__}")
        if name in solution._constraints:
            index = solution._constraints.index(name)
            return self._once(f"share {name}", lambda native: native.share(index))
        if name in solution._joints:
            return self.reaction(name)
        raise UnknownName(f"no constraint '{name}'{suggestion(name, [*solution._constraints, *solution._joints])}")

    def __repr__(self) -> str:
        names = [*self._solution._constraints, *(j for j in self._solution._joints if j not in self._solution._constraints)]
        return f"<forces along a motion: applied, ideal, nonideal, multipliers, {', '.join(map(repr, names))}>"

    def _once(self, name: str, compute: Any) -> Array:
        if name not in self._cache:
            self._cache[name] = compute(self._solution._native())
        return self._cache[name]


class Instants:
    """A motion at one time or at several, in any order: `q`, `v`, `a`, and columns by name, as in a Solution."""

    def __init__(self, rows: Solution, place: npt.NDArray[np.intp]) -> None:
        self._rows = rows
        self._place = place

    @property
    def t(self) -> Array:
        """The times."""
        return self._rows.t[self._place]

    @property
    def q(self) -> Array:
        """Positions, (..., n)."""
        return self._rows.q[self._place]

    @property
    def v(self) -> Array:
        """Velocities, (..., n)."""
        return self._rows.v[self._place]

    @property
    def a(self) -> Array:
        """Accelerations, (..., n)."""
        return self._rows.a[self._place]

    def __getitem__(self, name: str | _core.Expr) -> Array:
        return self._rows[name][self._place]

    def __repr__(self) -> str:
        return f"<{self._place.size} instant{'' if self._place.size == 1 else 's'} of a motion>"


class Solution(Fixed):
    """One motion: a table with one row per sample, and how it was computed.

    `solution["x"]`, `solution["x'"]`, `solution["energy.kinetic"]` are columns by name, as `columns` lists them;
    `solution[x.d]` likewise, and `solution[m*x.d**2/2]` is any expression of the system at every row: `solution[m]` the
    value of the parameter m, also where an output is called "m", which is `solution["m"]`. Columns, and the
    arrays `t`, `q`, `v`, `a`, are views: they cost nothing, cannot be written to, and stay valid when the solution is
    gone.
    """

    _noun = "solution"
    _instead = "; simulate again"

    def __init__(self, recording: _core.Recording) -> None:
        self._recording: _core.Recording | None = recording
        self._table: Array = cast(Array, recording.array)
        self._columns: list[tuple[str, str]] = recording.columns
        self._coordinates: list[str] = recording.coordinates
        self._constraints: list[str] = recording.constraints
        self._joints: list[str] = recording.joints
        self._name: str = recording.name
        self._state: dict[str, Any] = recording.state()
        self._prepare()

    def _prepare(self) -> None:
        self._index = {name: i for i, (name, _) in enumerate(self._columns)}
        # An output may be called like a parameter, which is then not that output.
        self._index_of_symbols = {name: i for i, (name, group) in enumerate(self._columns) if group != "output"}
        self._summary: dict[str, Any] = fixed(json.loads(self._state["summary"]), "solution.summary")
        self._names_of_columns: list[str] = fixed([name for name, _ in self._columns], "solution.columns")
        self._coordinates = fixed(self._coordinates, "solution.coordinates")
        self._constraints = fixed(self._constraints, "solution.constraints")
        self._forces = SolutionForces(self)
        self._events: list[Event] = fixed([Event(*row) for row in self._state.get("events", [])], "solution.events")

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: self.__dict__[name] for name in ("_columns", "_joints", "_name", "_state")}
        names = {"_coordinates": list(self._coordinates), "_constraints": list(self._constraints)}
        return {"_table": np.ascontiguousarray(self._table), **kept, **names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        _check_state(state)
        self.__dict__.update(state)
        self._table.flags.writeable = False
        self._recording = None
        self._prepare()

    def _native(self) -> _core.Recording:
        """What the engine knows of the motion; compiled anew where the solution has been pickled."""
        if self._recording is None:
            self._recording = _core.Recording.restore(self._state, self._table)
        return self._recording

    def _group(self, group: str) -> Array:
        """The columns of one group side by side."""
        places = [i for i, (_, own) in enumerate(self._columns) if own == group]
        return self._table[:, places[0] : places[-1] + 1] if places else self._table[:, :0]

    @property
    def t(self) -> Array:
        """The times of the rows."""
        return self._table[:, 0]

    @property
    def q(self) -> Array:
        """Positions (rows, n), in the order of `coordinates`."""
        return self._group("position")

    @property
    def v(self) -> Array:
        """Velocities (rows, n)."""
        return self._group("velocity")

    @property
    def a(self) -> Array:
        """Accelerations (rows, n)."""
        return self._group("acceleration")

    @property
    def forces(self) -> SolutionForces:
        """Applied forces, constraint forces, the share of each constraint, and reactions of joints."""
        return self._forces

    @property
    def columns(self) -> list[str]:
        """The names of the columns, as in trajectory.csv."""
        return self._names_of_columns

    @property
    def coordinates(self) -> list[str]:
        """The names of the coordinates."""
        return self._coordinates

    @property
    def constraints(self) -> list[str]:
        """The names of the constraints."""
        return self._constraints

    @property
    def outputs(self) -> dict[str, Array]:
        """The outputs of the model by name."""
        found = {name: self[name] for name, group in self._columns if group == "output"}
        outputs: dict[str, Array] = fixed(found, "solution.outputs")
        return outputs

    @property
    def events(self) -> list[Event]:
        """What happened at instants, in order, as in events.csv of the command: ``pandas.DataFrame(sol.events)``
        makes a table of it."""
        return self._events

    @property
    def summary(self) -> dict[str, Any]:
        """The contents of summary.json of the command: steps, residuals, the energy balance, remarks."""
        return self._summary

    @property
    def complete(self) -> bool:
        """Whether the motion was followed to its end."""
        return bool(self._summary["complete"])

    @property
    def reason(self) -> str:
        """Why the motion is not complete, in a sentence; empty if it is."""
        return str(self._summary.get("reason", ""))

    @property
    def extended(self) -> Mapping[str, npt.NDArray[np.longdouble]] | None:
        """The columns by name in extended precision, after simulate(precision="extended"); otherwise None."""
        kept = self._state.get("extended")
        if kept is None:
            return None
        table = np.frombuffer(kept, dtype=np.longdouble).reshape(len(self), len(self._columns))
        return {name: table[:, i] for name, i in self._index.items()}

    def __getitem__(self, name: str | _core.Expr) -> Array:
        if isinstance(name, str):
            if name not in self._index:
                raise UnknownName(f"no column '{name}'{_expression_hint(name) or suggestion(name, self.columns)}")
            return self._table[:, self._index[name]]
        if isinstance(name, _core.Expr):
            owner = _core.owner(name)
            if owner is not None and owner.id != self._state["names"][1]:
                raise ValueError(_core.stranger(f"{name!s:.60}", owner.system, self._name))
            kind, text = _core.symbol_of(name)
            if kind in ("coordinate", "time", "ideal", "nonideal", "auxiliary") and text in self._index_of_symbols:
                return self._table[:, self._index_of_symbols[text]]
            return cast(Array, self._native().values_of(name))[:, 0]
        raise TypeError(f"a column is asked for by its name or an expression, not by {type(name).__name__}")

    def __len__(self) -> int:
        """The number of rows."""
        return len(self._table)

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __repr__(self) -> str:
        rows = f"{len(self)} row{'' if len(self) == 1 else 's'}"
        span = f", t = {self.t[0]:.6g} to {self.t[-1]:.6g}" if len(self) else ""
        end = "complete" if self.complete else f"not complete: {self.reason}"
        return f"<Solution of '{self._name}': {rows}{span}, {self._summary['steps']} steps, {end}>"

    def __call__(self, t: Any) -> Instants:
        """The motion at any time from the first row to the last, or at an array of times.

        It is integrated again from the row before the first of these times, with the tolerances of the motion, so that
        the result is as accurate as a row.

        >>> import dalembert as dal
        >>> sol = dal.read("pendulum").compile().simulate(duration=2, samples=5)
        >>> round(float(sol(0.75)["x"]), 6), sol([0.1, 1.9]).q.shape
        (-0.436075, (2, 2))
        """
        times = np.asarray(t, dtype=np.float64)
        if not len(self) or times.size == 0:
            raise ValueError("there are no rows" if not len(self) else "no times are given")
        first, last = float(self.t[0]), float(self.t[-1])
        if not (np.isfinite(times).all() and times.min() >= first and times.max() <= last):
            raise ValueError(f"the motion is known from t = {first:.6g} to {last:.6g}")
        wanted, place = np.unique(times.ravel(), return_inverse=True)
        row = max(0, int(np.searchsorted(self.t, wanted[0], side="right")) - 1)
        if row == len(self) - 1 and row > 0:
            row -= 1
        asked = list(wanted)
        if asked[-1] <= self.t[row]:
            asked.append(float(self.t[min(row + 1, len(self) - 1)]))
        found = self._go_on(row, times=asked)
        return Instants(found, np.asarray(place).reshape(times.shape))

    def extend(self, duration: float, *, samples: int | None = None) -> Solution:
        """Continues the motion from its last row for the given number of seconds; returns a solution that begins there.

        Without `samples`, rows are as dense as before. Work is counted from the new start.
        """
        if not duration > 0:
            raise ValueError(f"the duration must be positive, not {duration}")
        if not self.complete:
            raise ValueError(f"the motion is not complete: {self.reason}")
        if samples is None:
            step = (self.t[-1] - self.t[0]) / max(1, len(self) - 1)
            samples = max(2, 1 + round(duration / step))
        return self._go_on(len(self) - 1, duration=float(duration), samples=float(samples))

    def _go_on(self, row: int, **request: Any) -> Solution:
        native = self._native()
        names = list(self._coordinates)
        state = [*zip(names, self.q[row].tolist()), *zip([name + "'" for name in names], self.v[row].tolist())]
        mu = [(name[3:], float(self._table[row, i])) for i, (name, group) in enumerate(self._columns) if group == "multiplier"]
        _, _, _, rtol, atol, max_steps, integrator, max_step = self._state["options"]
        options: dict[str, Any] = dict.fromkeys(("duration", "samples", "times", "progress"))
        options.update(rtol=rtol, atol=atol, max_steps=float(max_steps), integrator=integrator)
        options["max_step"] = max_step if np.isfinite(max_step) else None
        options["t0"] = float(self.t[row])
        options["precision"] = "extended" if "extended" in self._state else "double"
        recording, error, _ = _core.simulate(native.motion, state, mu, None, **{**options, **request})
        if error is not None:
            raise error
        return Solution(recording)

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Writes the table, as `dalembert run` writes trajectory.csv. The file appears complete or not at all."""
        self._native().write_csv(os.fsencode(file_path(path)))

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas table with the times as its index and the columns of `to_csv`."""
        package = _optional("pandas")
        index = package.Index(self.t, name="t")
        frame: pandas.DataFrame = package.DataFrame(self._table[:, 1:], index=index, columns=self.columns[1:])
        return frame

    def to_xarray(self, dimension: str = "t") -> xarray.Dataset:
        """An xarray dataset.

        q, v, a, ideal and nonideal have the dimensions t and coordinate; residual has t and constraint, with
        NAME' for the rate of a constraint on positions; mu, for the method `vakonomic`, likewise. Energies, work, outputs
        and reactions of joints are variables of time under the names of their columns; one with the name of a
        variable above becomes output.NAME. ``dimension="time"`` uses the former name of the time dimension.
        """
        if dimension == "time":
            warn('the dimension is "t", as in sweeps; "time" goes with the next version', OldNameWarning)
        elif dimension != "t":
            raise ValueError(f"the dimension is 't', not {dimension!r:.60}")
        package = _optional("xarray")
        own = {"position": "q", "velocity": "v", "acceleration": "a", "ideal": "ideal", "nonideal": "nonideal"}
        coords: dict[str, Any] = {dimension: self.t, "coordinate": self._coordinates}
        data: dict[str, Any] = {variable: ((dimension, "coordinate"), self._group(group)) for group, variable in own.items()}
        for group, variable, names_of_rows, prefix in (
            ("residual", "residual", "constraint", "constraint."),
            ("multiplier", "mu", "mu_constraint", "mu."),
        ):
            names = [name[len(prefix) :] for name, its in self._columns if its == group]
            if names:
                coords[names_of_rows] = names
                data[variable] = ((dimension, names_of_rows), self._group(group))
        taken = {*coords, *data}
        for name, group in self._columns:
            if group in ("energy", "work", "output", "reaction"):
                data[f"output.{name}" if name in taken else name] = ((dimension,), self[name])
        dataset: xarray.Dataset = package.Dataset(data, coords, self._attributes())
        return dataset

    def _attributes(self) -> dict[str, Any]:
        summary = self._summary
        kept = ("method", "integrator", "convention", "rtol", "atol", "duration")
        attributes = {"system": self._name, **{key: summary[key] for key in kept}}
        return {**attributes, "complete": int(self.complete), "reason": self.reason, "dalembert": _core.__version__}

    def plot(self, *names: str | _core.Expr, ax: matplotlib.axes.Axes | None = None, **style: Any) -> matplotlib.axes.Axes:
        """Draws columns over time with Matplotlib, by default the coordinates, and returns the axes.

        `style` goes to Axes.plot. Notebooks show the figure; elsewhere call plt.show().
        """
        from .plotting import plot

        return plot(self, names, ax, style)

    def animate(self, height: int = 720) -> Animation:
        """The page of the motion with animation, plots and equations, as an object that notebooks show and that
        can be saved. `height` is in pixels."""
        from .animation import Animation

        return Animation(self, height)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the page of the motion: one self-contained HTML file, like report.html of the command."""
        self.animate().save(path)


def _check_state(state: Any) -> None:
    """Raises for what `__getstate__` did not make."""

    def texts(value: Any) -> bool:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)

    def pairs(value: Any) -> bool:
        return isinstance(value, list) and all(isinstance(item, tuple) and len(item) == 2 for item in value)

    names = ("_coordinates", "_constraints", "_joints")
    fine = isinstance(state, dict) and {"_table", "_columns", "_name", "_state", *names} == set(state)
    if fine:
        table, columns, inner = state["_table"], state["_columns"], state["_state"]
        fine = isinstance(table, np.ndarray) and table.dtype == np.float64 and pairs(columns) and all(map(texts, map(list, columns)))
        fine = fine and table.ndim == 2 and table.shape[1] == len(columns) and all(texts(state[name]) for name in names)
        fine = fine and isinstance(inner, dict) and isinstance(inner.get("summary"), str) and isinstance(state["_name"], str)
    if not fine:
        raise ValueError("this is not the state of a Solution, or it is one of another version of dalembert")


def _expression_hint(name: str) -> str:
    """How a text that is an expression rather than the name of a column is to be written."""
    if not any(sign in name for sign in "*^+/("):
        return ""
    written = name.replace("^", "**").replace("''", ".dd").replace("'", ".d")
    return f"; for an expression write sol[{written:.60}]"


def _optional(name: str) -> Any:
    """A package that is not needed otherwise."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as missing:
        raise ImportError(f"this needs {name}: pip install {name}") from missing
