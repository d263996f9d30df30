"""Computing motions: from a start on the constraints to the end of the simulation."""

from __future__ import annotations

import contextlib
import numbers
import operator
import threading
import weakref
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, NamedTuple, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._core import Model as EngineModel
from ._core import Motion as EngineMotion
from .arguments import OF_SIMULATIONS, told
from .errors import IncompleteWarning, Interrupted, ModelError, UnknownName, warn, warn_of
from .numbers import floats, not_real
from .solution import Solution
from .tables import Course, courses
from .subject import name_text, one_number, refuse_other_names
from .values import article, flag, printable, suggestion

if TYPE_CHECKING:
    from .stepping import Stepper
    from .system import System

Number = Union[float, int, str, "_core.Expr"]
Values = Union[Mapping[Any, Number], Sequence[float], "npt.NDArray[np.float64]"]
Progress = Callable[[float, float], Any]


class Change(NamedTuple):
    """How far the start was moved, in a position ("theta") or a velocity ("theta'")."""

    name: str
    start: float
    end: float


class InitialState(NamedTuple):
    """The state in which a motion starts, on the constraints, at t = 0."""

    q: npt.NDArray[np.float64]
    """Positions, one a coordinate."""
    v: npt.NDArray[np.float64]
    """Velocities."""
    mu: npt.NDArray[np.float64]
    """mu of each constraint by the method `vakonomic`; empty by any other."""
    adjusted: bool
    """Whether what was given has been moved onto the constraints."""
    changes: list[Change]
    """If so: the largest change of a position, and of a velocity."""


class _Interrupted(threading.local):
    """What was computed by simulations that were interrupted, of each thread and motion the last."""

    def __init__(self) -> None:
        self.solutions: weakref.WeakKeyDictionary[Any, Solution] = weakref.WeakKeyDictionary()


_interrupted = _Interrupted()


class SimulationMethods:
    """The motion of a compiled system in time."""

    _core: EngineMotion
    _system: System
    _model: EngineModel
    _settings: dict[str, str]

    @property
    def partial(self) -> Solution | None:
        """What the last interrupted simulation of this thread had computed; None if there was none.

        Each thread has its own: other threads that use the motion do not change it.
        """
        return _interrupted.solutions.get(self)

    def initial_state(
        self,
        q: Values | None = None,
        v: Values | None = None,
        *,
        parameters: Mapping[str, Any] | None = None,
        mu: Values | None = None,
        adjust: str | None = None,
    ) -> InitialState:
        """The state that `simulate` would start from with the same arguments.

        >>> import dalembert as dal
        >>> motion = dal.read("dumbbell").compile()
        >>> motion.initial_state(q={"x": 2}).q
        array([2.  , 0.  , 0.25])
        """
        core = self._with(parameters)
        state, multipliers = _given_state(core, self._system._names, q, v, mu)
        with self._start_advice(state):
            found = _core.initial_state(core, state, multipliers, _word("adjust", adjust))
        positions, velocities, mu_start, adjusted, changes = found
        return InitialState(
            np.array(positions),
            np.array(velocities),
            np.array(mu_start),
            adjusted,
            [Change(*change) for change in changes],
        )

    @told(OF_SIMULATIONS)
    def simulate(
        self,
        duration: Number | None = None,
        q: Values | None = None,
        v: Values | None = None,
        *,
        samples: int | None = None,
        times: Sequence[float] | npt.NDArray[np.float64] | None = None,
        rtol: Number | None = None,
        atol: Number | None = None,
        integrator: str | None = None,
        max_steps: int | None = None,
        max_step: Number | None = None,
        method: str | None = None,
        parameters: Mapping[str, Any] | None = None,
        mu: Values | None = None,
        adjust: str | None = None,
        event_rows: bool = False,
        progress: Progress | None = None,
        inputs: Mapping[Any, Course] | None = None,
        hold: bool = False,
        t0: Number | None = None,
        precision: str | None = None,
    ) -> Solution:
        """Follows the motion M q'' = Q + Q_ideal + Q_nonideal from t = 0, or from `t0`, and records it.

        Whatever is not given is taken from the model.

        duration
            The duration in seconds; a number or an expression of parameters, also as text ("2*pi*sqrt(l/g)").
        q, v
            Positions and velocities at the start: an array of n numbers, or a mapping from coordinates (names or
            expressions) to numbers. Initial values that the model defines in terms of a given one follow it.
        samples, times
            The number of rows, evenly spaced from 0 to the duration, or the times of the rows.
        rtol, atol, integrator, max_steps, max_step
            Tolerances of a step; "rk8", "taylor", "auto" or, for stiff systems, "bdf"; after how many steps to give up; and
            the longest step in seconds.
        method, parameters
            A method other than the compiled one (the equations are then compiled again), and other values of parameters.
        mu
            For the method `vakonomic`: its further unknowns at the start, by constraint.
        adjust
            What to do with a start that breaks a constraint: "none" refuses it with a ModelError that gives the nearest
            state on the constraints, "nearest" moves there, "velocity" changes only velocities.
        event_rows
            Adds rows just before and just after every instant of `solution.events`.
        progress
            Called as progress(t, duration) about ten times a second and at the end. Returning False ends the motion.

        inputs
            What the inputs of the model are, by name: a number; an array, at even distances from the start to the end;
            (t, values); or a function of t. Between given values they are linear, or with hold=True constant. Steps
            end at the given times, so that no kink or jump is stepped over. Functions are approximated by polynomials,
            to 1e-12 of their largest value. Inputs not given keep their defaults.
        t0
            When the motion starts, in seconds; `duration` counts from there, `times` do not.
        precision
            "double", or "extended" for a reference run in 80 bits by Taylor series, with `rtol` down to 1e-18;
            `solution.extended` then has its numbers.

        A motion that cannot be followed to its end gives an IncompleteWarning and a solution with `complete`
        False and a `reason`. Every other entry of `solution.summary["warnings"]` gives a DoubtWarning. Ctrl-C raises
        Interrupted, which holds the solution so far; `partial` keeps it too. Simulations of one motion may run in
        several threads at once.

        >>> import dalembert as dal
        >>> sol = dal.read("pendulum").compile().simulate(duration=2, samples=5)
        >>> sol.t
        array([0. , 0.5, 1. , 1.5, 2. ])
        """
        if duration is not None and times is not None:
            raise ValueError("give duration or times, not both")
        core = self._with(parameters, method)
        start = _number(core, "t0", t0)
        if inputs is not None:
            core = self._driven(core, inputs, parameters, _number(core, "duration", duration), times, start or 0.0, hold)
        elif hold:
            raise ValueError("hold needs inputs")
        state, multipliers = _given_state(core, self._system._names, q, v, mu)
        if progress is not None and not callable(progress):
            raise TypeError(f"progress must be a function of t and the duration, not {type(progress).__name__}")
        with self._start_advice(state):
            recording, error, stopped = _core.simulate(
                core,
                state,
                multipliers,
                _word("adjust", adjust),
                duration=_number(core, "duration", duration),
                samples=_whole("samples", samples),
                times=_times(times),
                rtol=_number(core, "rtol", rtol),
                atol=_number(core, "atol", atol),
                integrator=_word("integrator", integrator),
                max_steps=_whole("max_steps", max_steps),
                max_step=_number(core, "max_step", max_step),
                event_rows=flag(event_rows, "event_rows"),
                progress=progress,
                t0=start,
                precision=_word("precision", precision),
            )
        solution = Solution(recording)
        if error is not None:
            _interrupted.solutions[self] = solution
            if isinstance(error, KeyboardInterrupt):
                raise Interrupted(f"{solution.reason or 'interrupted'}; .solution has what was computed", solution) from None
            raise error
        if not solution.complete and not stopped:
            warn(f"the motion is not complete: {solution.reason}", IncompleteWarning)
        warn_of(solution.summary)
        return solution

    def start(
        self,
        q: Values | None = None,
        v: Values | None = None,
        *,
        t0: Number = 0.0,
        parameters: Mapping[str, Any] | None = None,
        adjust: str | None = None,
        rtol: Number | None = None,
        atol: Number | None = None,
        integrator: str | None = None,
        max_step: Number | None = None,
    ) -> Stepper:
        """Follows the motion piece by piece, with inputs that the caller changes in between.

        >>> import dalembert as dal
        >>> s = dal.System("mass")
        >>> x = s.coordinate("x")
        >>> s.kinetic, u = x.d**2/2, s.input("u")
        >>> s.force(x, u)
        >>> sim = s.compile().start()
        >>> for k in range(10):
        ...     _ = sim.step(0.1*(k + 1), u=1 if k < 5 else -1)
        >>> round(sim["x"], 12), abs(sim["x'"]) < 1e-12
        (0.25, True)
        """
        from .stepping import Stepper

        options = {"rtol": rtol, "atol": atol, "integrator": integrator, "max_step": max_step}
        return Stepper(self, q, v, t0, parameters, adjust, options)

    def _driven(
        self,
        core: EngineMotion,
        inputs: Mapping[Any, Course],
        parameters: Mapping[Any, Any] | None,
        duration: float | None,
        times: Any,
        start: float,
        hold: bool,
    ) -> EngineMotion:
        """The motion with inputs that follow tables of t. It is derived and compiled for them."""
        if not isinstance(inputs, Mapping):
            raise TypeError(f"inputs must map names to courses, not be '{type(inputs).__name__}'")
        given = _times(times)
        end = given[-1] if given else start + (core.duration if duration is None else duration)
        names = [key if isinstance(key, str) else name_text(key, self._system._names) for key in inputs]
        driven = courses(dict(zip(names, inputs.values())), self._model.inputs, start, end, hold)
        values = dict(core.parameters)
        changed = {*self._settings, *(name_text(name, self._system._names) for name in parameters or {})}
        settings = {name: repr(float(values[name])) for name in changed if name not in names}
        return _core.compile(_core.with_inputs(self._model, driven), settings, core.method)

    @contextlib.contextmanager
    def _start_advice(self, given: list[tuple[str, float]]) -> Iterator[None]:
        """Where no positions on the constraints are found: tells which coordinates start at 0 because nobody said where."""
        try:
            yield
        except ModelError as error:
            known = {*self._model.said_initial, *(name for name, _ in given)}
            free = [name for name in self._core.coordinates if name not in known]
            if not free or not error.no_positions:
                raise
            some = f"{', '.join(free[:-1][:6])} and {free[-1]} have" if len(free) > 1 else f"{free[0]} has"
            values = "initial values and start" if len(free) > 1 else "initial value and starts"
            advice = f"  {some} no {values} at 0: give some, s.initial(q={{...}}) or simulate(q={{...}})"
            raise ModelError(f"{error}\n{advice}", [tuple(d) for d in error.diagnostics]) from None

    def _with(self, parameters: Mapping[Any, Any] | None, method: str | None = None) -> EngineMotion:
        """The engine's motion, with other parameters or by another method."""
        from .motion import settings_of

        settings = {**self._settings, **settings_of(parameters, self._system._names, self._core.parameters)}
        refuse_other_names(method)
        if _word("method", method) is not None and method != self._core.method:
            return _core.compile(self._model, settings, method)
        return self._core.with_settings(settings) if parameters else self._core


def _word(name: str, value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{name} must be a word, not {type(value).__name__}")
    return None if value is None else printable(value, name)


def _number(core: EngineMotion, name: str, value: Any) -> float | None:
    """A finite number, or the value of an expression of parameters."""
    if value is None:
        return None
    if isinstance(value, _core.Expr):
        value = _core.name_of(core, value)
    if isinstance(value, str):
        return _core.number_of(core, name, printable(value, name))
    value = one_number(value)
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = float(value)
    except OverflowError:
        raise OverflowError(f"{name} is beyond the range of floating-point numbers") from None
    except (TypeError, ValueError):
        named = name == "duration" and isinstance(value, (Mapping, Sequence, np.ndarray))
        order = "; the arguments are duration, q and v: simulate(q=..., v=...)" if named else ""
        raise TypeError(f"{name} must be a number, not {type(value).__name__}{order}") from None
    if not np.isfinite(number):
        raise ValueError(f"{name} '{number}': not a finite number")
    return number


def _whole(name: str, value: Any) -> float | None:
    if value is None:
        return None
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = float(value) if isinstance(value, (float, np.floating)) else float(operator.index(value))
    except OverflowError:
        number = float("inf") if value > 0 else float("-inf")
    except TypeError:
        raise TypeError(f"{name} must be a whole number, not {type(value).__name__}") from None
    return number


def _times(times: Any) -> list[float] | None:
    if times is None:
        return None
    try:
        array = floats("times", times)
    except TypeError:
        raise TypeError(f"times must be a sequence of numbers, {not_real('times', times)}") from None
    if array.ndim != 1:
        raise ValueError(f"times must be one row of numbers, not an array of shape {array.shape}")
    return list(array.tolist())


def _given_state(
    core: EngineMotion, names: _core.Names, q: Any, v: Any, mu: Any
) -> tuple[list[tuple[str, float]], list[tuple[str, float]]]:
    """Names of positions and velocities with their values, and those of mu."""
    coordinates = core.coordinates
    constraints = core.constraints
    state = _by_name(core, names, "q", q, coordinates)
    state += [(name + "'", value) for name, value in _by_name(core, names, "v", v, coordinates, "'")]
    if mu is not None and core.method != "vakonomic":
        raise ValueError(f"mu is a state of the method vakonomic only, and this motion is by {core.method}")
    return state, _by_name(core, names, "mu", mu, constraints)


def _by_name(
    core: EngineMotion, system: _core.Names, what: str, given: Any, names: Sequence[str], mark: str = ""
) -> list[tuple[str, float]]:
    """The numbers that an array or a mapping gives, by name. `mark`: what keys may end in."""
    if given is None:
        return []
    if not isinstance(given, Mapping):
        try:
            array = floats(what, given)
        except TypeError:
            raise TypeError(f"{what} must be a mapping or {len(names)} numbers, not {_kind(given)}") from None
        if array.shape != (len(names),):
            raise ValueError(
                f"{what} has the shape {array.shape}; expected ({len(names)},), one entry for each of {_some(names)}"
            )
        return [(name, _finite(what, name, x)) for name, x in zip(names, array.tolist())]
    result: dict[str, float] = {}
    for key, value in given.items():
        if not isinstance(key, (str, _core.Expr)):
            raise TypeError(f"{what}: keys are names or coordinates, not {type(key).__name__}")
        written = printable(key, f"a key of {what}") if isinstance(key, str) else name_text(key, system)
        name = written[: -len(mark)] if mark and written.endswith(mark) else written
        if name not in names:
            hint = "; velocities are given in v" if not mark and name.endswith("'") and what == "q" else ""
            raise UnknownName(f"{what}: no '{written}'{hint or suggestion(written, names)}")
        if name in result:
            raise ValueError(f"{what}: '{name}' is given twice")
        number = _number(core, f"{what}[{written!r}]", value)
        if number is None:
            raise TypeError(f"{what}[{written!r}] must be a number, not None")
        result[name] = number
    return list(result.items())


def _kind(given: Any) -> str:
    """What something is; for a list, what the first of its items is that is no number."""
    if isinstance(given, (list, tuple)):
        odd = next((x for x in given if not isinstance(x, numbers.Real)), None)
        return f"{article(type(given).__name__)} with {odd!r:.60} in it"
    return type(given).__name__


def _finite(what: str, name: str, x: float) -> float:
    if not np.isfinite(x):
        raise ValueError(f"{what}: the value of '{name}' is {x}, not a finite number")
    return x


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")
