"""Many motions of one system, with different parameters and initial values."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Collection, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .arguments import OF_SIMULATIONS, told
from .errors import DalembertWarning, IncompleteWarning, Interrupted, UnknownName, warn
from .executors import Coordinator, Here, telling
from .fixed import Fixed, fixed
from .numbers import floats, thread_count
from .subject import name_text, number_text, refuse_other_names, subject_of
from .values import check_owner, counted, printable, suggestion, word_or_none

if TYPE_CHECKING:
    import pandas
    import xarray

    from .motion import Compiled
    from .system import System

Floats = NDArray[np.float64]

_AT_ONCE = 2**20
_START = "vary={'x': [0.1], \"x'\": [0]} gives initial values, one or many"
_LANES = (0, 1, 4, 8)


@dataclass(frozen=True)
class Variation:
    """How one value varies from run to run; made by `uniform`, `normal`, `linspace` and so on."""

    law: str
    arguments: tuple[Any, ...]

    def __str__(self) -> str:
        return self._text(None)

    def _text(self, names: Any) -> str:
        return f"{self.law}({', '.join(number_text(a, self.law, names) for a in self.arguments)})"


def uniform(a: Any, b: Any) -> Variation:
    """Drawn at random between `a` and `b`."""
    return Variation("uniform", (a, b))


def loguniform(a: Any, b: Any) -> Variation:
    """The logarithm is drawn at random between those of `a` > 0 and `b` > 0."""
    return Variation("loguniform", (a, b))


def normal(mean: Any, sd: Any) -> Variation:
    """Drawn from the normal distribution with this mean and standard deviation."""
    return Variation("normal", (mean, sd))


def linspace(a: Any, b: Any, n: Any) -> Variation:
    """`n` values, evenly spaced from `a` to `b`, both included."""
    return Variation("linspace", (a, b, n))


def logspace(a: Any, b: Any, n: Any) -> Variation:
    """`n` values with a constant ratio; `a` > 0 and `b` > 0 are the first and the last value, not exponents."""
    return Variation("logspace", (a, b, n))


_VARIED = ("parameter", "coordinate")
_RECORDED = ("coordinate", "time", "ideal", "nonideal", "auxiliary")


def _key(name: Any, names: _core.Names, kinds: Collection[str]) -> str:
    """The name that a text or a symbol of the system stands for; symbols of some kinds only."""
    if isinstance(name, str):
        return name
    if not isinstance(name, _core.Expr):
        raise TypeError(f"numbers are asked for by a name or a symbol of the system, not by {type(name).__name__}")
    kind, text = _core.symbol_of(check_owner(name, names))
    if kind not in kinds:
        what = f"is a {kind}, and" if kind else "is an expression:"
        raise UnknownName(f"'{name!s:.60}' {what} nothing of it is kept here; what is kept can be asked for by its name")
    return text


class Columns(Fixed, Mapping[str, Floats]):
    """Numbers by name: views of columns of arrays, along their last axes."""

    _noun = "table of results"

    def __init__(self, names: _core.Names, what: str, none: str = "") -> None:
        self._names = names
        self._what = what
        self._none = none
        self._places: dict[str, tuple[Floats, int]] = {}

    def _add(self, names: Sequence[str], array: Floats) -> Columns:
        self._places.update({name: (array, i) for i, name in enumerate(names)})
        return self

    def __getitem__(self, name: Any) -> Floats:
        key = _key(name, self._names, _RECORDED)
        if key in self._places:
            array, i = self._places[key]
            column: Floats = array[..., i]
            return column
        if not self._places and self._none:
            raise UnknownName(self._none)
        raise UnknownName(f"no {self._what} {key!r}{suggestion(key, self._places)}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __repr__(self) -> str:
        return f"<{', '.join(self) or 'nothing'}>"


class Sweep(Fixed):
    """The results of a study; row i of every array belongs to run i.

    With N runs, k varied values, n coordinates and K samples:

    `values`            (N, k) the varied values, in the order of `names`; also ``sweep["theta"]``
    `q`, `v`            (N, n) positions and velocities where each run ended; also ``sweep.final["x'"]``
    `final_t`           (N,) how far each run got; also ``sweep.final["t"]``
    `statistics`        by name, ``sweep.statistics["max(theta)"]``; NaN if the run failed
    `t`, `samples`      (K,) and, by name, (N, K): ``sweep.samples["ideal.x"]``; NaN after the end of a failed run
    `complete`          (N,) whether the run reached its end; `reason` says why not
    `steps`, `rejected` (N,) accepted and rejected steps
    `residuals`         (N,) largest scaled residual of the constraints after projection
    `energy_change`     (N,) h at the end minus h at the start
    `alone`             (N,) whether the general solver took steps of the run outside its lane
    `shape`             of the grid, () if there is none
    `study`             a dictionary: everything that determines the results, including the text of the model
    `seconds`           of computing
    """

    name: str
    coordinates: list[str]
    names: list[str]
    study: dict[str, Any]
    shape: tuple[int, ...]
    values: Floats
    final_t: Floats
    q: Floats
    v: Floats
    steps: NDArray[np.int64]
    rejected: NDArray[np.int64]
    residuals: Floats
    energy_change: Floats
    t: Floats
    statistics: Columns
    samples: Columns
    final: Columns
    _noun = "sweep"
    _instead = "; sweep again"

    def __init__(self, study: _core.Study, names: _core.Names) -> None:
        runs, n = study.runs, len(study.coordinates)
        varied = study.varied
        columns = study.columns if study.keep_samples else []
        shape = (runs if columns else 0, study.sample_count if columns else 0, len(columns))
        _refuse_if_too_large(runs, len(varied) + 2 * n + len(study.statistics) + 6, shape)
        self._names = names
        self._axes = [name for name, count in varied if count > 0]
        self._state = np.zeros(runs, dtype=np.uint8)
        self._alone = np.zeros(runs, dtype=np.uint8)
        self._statistics: Floats = _blank((runs, len(study.statistics)))
        self._samples: Floats = _blank(shape)
        self._reasons: dict[int, str] = {}
        self._seconds = 0.0
        self.__dict__.update(
            name=study.name,
            coordinates=fixed(study.coordinates, "sweep.coordinates"),
            names=fixed([name for name, _ in varied], "sweep.names"),
            study=fixed(json.loads(study.manifest), "sweep.study"),
            shape=tuple(count for _, count in varied if count > 0),
            values=_blank((runs, len(varied))),
            final_t=_blank(runs),
            q=_blank((runs, n)),
            v=_blank((runs, n)),
            steps=np.zeros(runs, dtype=np.int64),
            rejected=np.zeros(runs, dtype=np.int64),
            residuals=_blank(runs),
            energy_change=_blank(runs),
            t=np.array(study.sample_times if columns else []),
            statistics=Columns(names, "statistic", "no statistics were asked for: sweep(..., statistics=['max(x)'])"),
            samples=Columns(names, "quantity", "no samples were kept: sweep(..., samples=101) keeps so many of each run"),
            final=Columns(names, "coordinate or velocity"),
        )
        self.statistics._add(study.statistics, self._statistics)
        self.samples._add(columns, self._samples)
        self.final._add(["t"], self.final_t[:, None])
        self.final._add(self.coordinates, self.q)
        self.final._add([name + "'" for name in self.coordinates], self.v)

    @property
    def seconds(self) -> float:
        """The computing time."""
        return self._seconds

    @property
    def _tables(self) -> Any:
        """Where results go, in the order of the engine."""
        return (self.values, self.final_t, self.q, self.v, self._state, self._alone, self.steps, self.rejected,
                self.residuals, self.energy_change, self._statistics, self._samples)

    def _take(self, study: _core.Study) -> Callable[[bytes], None]:
        """What takes runs as workers send them."""
        def take(text: bytes) -> None:
            self._reasons.update(_core.fill_tables(study, text, self._tables))

        return take

    def _run(
        self, study: _core.Study, threads: int, lanes: int, device: _core.Device | None,
        progress: Callable[[int, int], Any] | None,
    ) -> bool:
        begin = time.perf_counter()
        arguments: Any = (*self._tables, threads, lanes, device, progress)
        interrupted, self._reasons = study.run(*arguments)
        self._seconds = time.perf_counter() - begin
        return interrupted

    @property
    def complete(self) -> NDArray[np.bool_]:
        """Whether each run reached its end."""
        return _mask(self._state == 1)

    @property
    def failed(self) -> NDArray[np.bool_]:
        """Whether each run failed; an interrupted one is neither complete nor failed."""
        return _mask(self._state == 2)

    @property
    def alone(self) -> NDArray[np.bool_]:
        """Whether each run left its lane for the general solver, which decides ranks."""
        return _mask(self._alone == 1)

    @property
    def reason(self) -> list[str]:
        """Why each run is not complete; empty for those that are."""
        reasons = [""] * len(self)
        for run, reason in self._reasons.items():
            reasons[run] = reason
        for run in np.flatnonzero(self._state == 0).tolist():
            reasons[run] = "not run: the sweep was interrupted"
        listed: list[str] = fixed(reasons, "sweep.reason")
        return listed

    def __len__(self) -> int:
        return len(self.final_t)

    def __getitem__(self, name: Any) -> Floats:
        """A varied value or a statistic, by name."""
        key = _key(name, self._names, _VARIED)
        if key in self.names:
            return self.values[:, self.names.index(key)]
        if key in self.statistics:
            return self.statistics[key]
        if key in self.final:
            raise UnknownName(f"'{key}' does not vary; where it ended is final['{key}']")
        known = [*self.names, *self.statistics]
        raise UnknownName(f"no varied value or statistic {key!r}{suggestion(key, known)}")

    def grid(self, what: Any) -> NDArray[Any]:
        """Values of all runs in the shape of the grid, its axes in the order of `vary`.

        `what` is the name of a varied value or a statistic, or any array with one row per run, as in
        ``sweep.grid(sweep.final["x"])``. If every cell was run several times, the rounds are the first axis.
        """
        array = self[what] if isinstance(what, (str, _core.Expr)) else np.asarray(what)
        cells = int(np.prod(self.shape, dtype=np.int64))
        if array.shape[:1] != (len(self),):
            raise ValueError(f"an array with a row for each of {len(self)} runs is needed, not one of shape {array.shape}")
        if not self.shape:
            raise ValueError("there is no grid: all that varies is drawn at random")
        if len(self) % cells != 0:
            raise ValueError(f"{len(self)} runs do not fill a grid of {cells} cells; the last round is not complete")
        rounds = () if len(self) == cells else (len(self) // cells,)
        return array.reshape(*rounds, *self.shape, *array.shape[1:])

    @property
    def summary(self) -> dict[str, Any]:
        """Numbers of runs, the first failures, and the spread of statistics and final coordinates over complete runs."""
        good = self.complete
        spread: dict[str, Any] = {}
        finals = {f"final {name}": self.q[:, i] for i, name in enumerate(self.coordinates)}
        for name, values in {**self.statistics, **finals}.items():
            finite = values[good & np.isfinite(values)]
            if good.any():
                spread[name] = (
                    {"min": float(finite.min()), "mean": float(finite.mean()), "max": float(finite.max())}
                    if finite.size else {"min": np.nan, "mean": np.nan, "max": np.nan})
        failures = [{"run": run, "reason": reason} for run, reason in sorted(self._reasons.items())[:10]]
        summary = {
            "name": self.name, "runs": len(self), "done": int((self._state > 0).sum()),
            "complete": bool((self._state > 0).all()), "succeeded": int(good.sum()), "failed": int(self.failed.sum()),
            "alone": int(self._alone.sum()), "steps": int(self.steps.sum()),
            "largest_residual": float(self.residuals[good].max()) if good.any() else 0.0,
            "seconds": self.seconds, "failures": failures, "spread": spread,
        }
        result: dict[str, Any] = fixed(summary, "sweep.summary")
        return result

    def to_pandas(self) -> pandas.DataFrame:
        """A table with one row per run and the columns of the command's results.csv.

        If a coordinate has the name of another column, such as "steps", that column becomes "run.steps".
        """
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_pandas needs pandas: pip install pandas") from error
        words = np.array(["interrupted", "complete", "failed"], dtype=object)
        table: dict[str, Any] = {f"vary.{name}": self[name] for name in self.names}

        def add(name: str, values: Any) -> None:
            table[_distinct(name, (*table, *self.final))] = values

        add("status", words[self._state])
        add("reason", self.reason)
        table.update(self.final)
        for name in ("steps", "rejected"):
            add(name, getattr(self, name))
        add("largest_residual", self.residuals)
        add("energy_change", self.energy_change)
        for name in self.statistics:
            add(name, self.statistics[name])
        return pandas.DataFrame(table, index=pandas.RangeIndex(len(self), name=_distinct("run", table)))

    def to_xarray(self) -> xarray.Dataset:
        """A dataset along the axes of the grid if there is only a grid, each cell run once; otherwise along `run`.

        The varied values are coordinates; variables are the statistics, ``final x``, and ``x(t)`` of the samples.
        Anything else with the name of a varied value gets "run." before its name, the dimension `run` too.
        """
        try:
            import xarray
        except ImportError as error:
            raise ImportError("to_xarray needs xarray: pip install xarray") from error
        if len(self._axes) == len(self.names) and len(self) == int(np.prod(self.shape)):
            dims, shape = list(self._axes), self.shape
            coordinates: dict[str, Any] = {}
            for axis, name in enumerate(self._axes):
                coordinates[name] = (name, np.moveaxis(self.grid(name), axis, 0).reshape(shape[axis], -1)[:, 0])
        else:
            run = _distinct("run", self.names)
            dims, shape = [run], (len(self),)
            coordinates = {run: np.arange(len(self)), **{name: (run, self[name]) for name in self.names}}

        def variable(array: NDArray[Any], *more: str) -> tuple[list[str], NDArray[Any]]:
            return [*dims, *more], array.reshape(*shape, *array.shape[1:])

        variables: dict[str, Any] = {}

        def add(name: str, values: tuple[list[str], NDArray[Any]]) -> None:
            variables[_distinct(name, (*coordinates, *variables))] = values

        if self.samples:
            time_axis = _distinct("t", coordinates)
            coordinates[time_axis] = (time_axis, self.t)
        for name, values in self.final.items():
            add(f"final {name}", variable(values))
        for name, values in self.statistics.items():
            add(name, variable(values))
        add("complete", variable(self.complete))
        add("steps", variable(self.steps))
        add("largest_residual", variable(self.residuals))
        add("energy_change", variable(self.energy_change))
        for name in self.samples:
            if name != "t":
                add(f"{name}(t)", variable(self.samples[name], time_axis))
        attributes = {key: self.study[key] for key in ("method", "integrator", "duration", "rtol", "atol", "seed")}
        return xarray.Dataset(variables, coords=coordinates, attrs={"name": self.name, **attributes})

    def __repr__(self) -> str:
        vary = "; ".join(text if len(text) <= 60 else text[:57] + "..." for text in self.study["vary"])
        done = int((self._state > 0).sum())
        left = "" if done == len(self) else f", {len(self) - done} not run"
        return (f"<Sweep of {self.name}: {counted(len(self), 'run')}, {int(self.complete.sum())} complete, "
                f"{int(self.failed.sum())} failed{left}; {vary}>")


@told({**OF_SIMULATIONS, "q": _START, "v": _START})
def sweep(
    target: System | Compiled | str | os.PathLike[str],
    vary: Mapping[Any, Any],
    *,
    runs: Any = None,
    seed: int = 0,
    statistics: Sequence[Any] | str = (),
    samples: Any = None,
    times: ArrayLike | None = None,
    duration: Any = None,
    rtol: Any = None,
    atol: Any = None,
    max_step: Any = None,
    method: str | None = None,
    integrator: str | None = None,
    parameters: Mapping[Any, Any] | None = None,
    threads: int | None = None,
    lanes: int | None = None,
    progress: Callable[[int, int], Any] | bool | None = None,
    device: str | None = None,
    executor: Any = None,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
) -> Sweep:
    """Runs a model many times, with different parameters and initial values.

    `vary` maps what varies, a parameter ``"m"``, a coordinate ``"theta"`` (its initial value) or a velocity
    ``"theta'"``, or the symbols themselves, to its values: a sequence of numbers, `linspace` or `logspace`, which make
    a grid of all combinations, the first changing slowest; or `uniform`, `loguniform`, `normal`, drawn again for each
    run; or a text as for the command, ``"uniform(0.8, 1.4)"``. Run i takes cell i mod G of the G cells of the grid. If
    nothing is random, `runs` may be omitted.

    `statistics` such as ``"max(theta)"`` summarise each run over its sample times: those of the model, `samples` evenly
    spaced ones, or `times`, beyond which a longer `duration` may lead. With either of the latter two the samples
    themselves are kept as well. `max_step` limits the steps, in seconds. `parameters` are set for all runs. Numbers may
    be expressions of parameters that do not vary. `progress` is called about ten times a second, in the calling thread,
    with the number of finished runs and of all runs.

    With ``device="gpu"`` a graphics processor computes the runs that it can, and lanes the others; ``"auto"`` also
    works without one. With `executor`, one of `concurrent.futures` or similar (a `ProcessPoolExecutor`, mpi4py's
    `MPIPoolExecutor`, Dask's ``client.get_executor()``), its workers compute the runs, a few seconds' worth at a time;
    if workers die, others repeat their runs. With `out`, a directory, all results are written there at once, in the
    files of ``dalembert sweep``: ``resume=True`` continues an interrupted study. ``progress=True`` shows progress,
    speed and time left.

    The same study gives the same numbers to the last bit, for any `threads` (None or 0: one per core) and `lanes` (None
    or 0: as many as the machine has), and they are those of ``dalembert sweep``. Failed runs do not end it: they give
    an IncompleteWarning, see `Sweep.complete` and `Sweep.reason`. Ctrl-C raises `Interrupted`, whose `solution` is the
    Sweep with what had been done by then.

    >>> import dalembert as dal
    >>> swing = dal.sweep("pendulum", {"alpha": [0.1, 0.2], "omega": [0]}, duration=1, statistics=["max(theta)"])
    >>> swing["alpha"].tolist(), swing.complete.tolist()
    ([0.1, 0.2], [True, True])
    >>> swing.statistics["max(theta)"].round(6).tolist()
    [0.1, 0.2]
    """
    if not isinstance(vary, Mapping):
        raise TypeError(f"vary must map names to values, as in {{'theta': [0.1, 0.2]}}, not be '{type(vary).__name__}'")
    if not vary:
        raise ValueError("nothing varies: vary={'theta': dal.uniform(0.8, 1.4)} would")
    refuse_other_names(method)
    plain = [str(key) for key in vary]
    subject = subject_of(target, parameters, varied=plain)
    texts = [f"{name_text(key, subject.names)}={_values_text(key, value, subject.names)}" for key, value in vary.items()]
    method, integrator = word_or_none(method, "method"), word_or_none(integrator, "integrator")
    if isinstance(statistics, str):
        statistics = [statistics]
    if samples is not None and times is not None:
        raise ValueError("give samples or times, not both")

    def text(value: Any, what: str) -> str | None:
        return None if value is None else number_text(value, what, subject.names)

    study = _core.Study(
        subject.model, subject.settings, method if method is not None else subject.method, texts,
        _whole(seed, "seed", 0, 2**64 - 1), [_statistic_text(s, subject.names) for s in statistics],
        text(runs, "runs"), text(duration, "duration"), text(samples, "samples"), _times(times), text(rtol, "rtol"),
        text(atol, "atol"), text(max_step, "max_step"), integrator)
    wide = 0 if lanes is None else _whole(lanes, "lanes", 0, 8)
    if wide not in _LANES:
        raise ValueError(f"lanes is {lanes}: it must be 1, 4 or 8, or 0 for what the machine has")
    if progress is not None and not callable(progress) and not isinstance(progress, bool):
        raise TypeError(f"progress must be a function of two numbers, or True, not '{type(progress).__name__}'")
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise TypeError(f"executor must have a method submit, as those of concurrent.futures have, not be a "
                        f"'{type(executor).__name__}'")
    if device not in (None, "cpu", "gpu", "auto"):
        raise ValueError(f"device is {device!r}: it must be 'cpu', 'gpu' or 'auto'")
    if device in ("gpu", "auto") and (executor is not None or out is not None):
        raise ValueError("a graphics processor serves a sweep in this process and in memory: leave out executor and out")
    if resume and out is None:
        raise ValueError("resume=True continues the study in out, so out is needed")
    if executor is None and out is None:
        result = Sweep(study, subject.names)
        processor = _device(study, device)
        with telling(progress, 0, len(result)) as tell:
            function = (lambda done, runs: tell(done)) if progress is True else progress or None
            interrupted = result._run(study, thread_count(threads), wide, processor, function)
    else:
        result, interrupted = _coordinated(study, subject.names, executor, out, resume, threads, wide, progress)
    if interrupted:
        done = int((result._state > 0).sum())
        raise Interrupted(f"interrupted after {done} of {len(result)} runs", result)
    failed = int(result.failed.sum())
    if failed:
        first = result._reasons[min(result._reasons)]
        warn(f"{failed} of {len(result)} runs failed; the first: {first}", IncompleteWarning)
    return result


def _device(study: _core.Study, device: str | None) -> _core.Device | None:
    """The graphics processor for a study; a warning where `auto` has none."""
    if device in (None, "cpu"):
        return None
    try:
        return _core.device_for(study)
    except ValueError as error:
        if device == "gpu":
            raise ValueError(f"device='gpu': {error}") from None
        warn(f"{error}; the CPU does all the work", DalembertWarning)
        return None


def _coordinated(
    study: _core.Study, names: _core.Names, executor: Any, out: str | os.PathLike[str] | None, resume: bool,
    threads: int | None, lanes: int, progress: Callable[[int, int], Any] | bool | None,
) -> tuple[Sweep, bool]:
    """A study whose runs are handed out in chunks; and whether Ctrl-C ended it."""
    folder = "" if out is None else os.fsdecode(out)
    count = thread_count(threads) if executor is None else thread_count(1 if threads is None else threads)
    coordinator = Coordinator(study, Here() if executor is None else executor, count, lanes, folder, resume)
    begin = time.perf_counter()
    result = Sweep(study, names) if out is None else None
    if result is not None:
        coordinator.take = result._take(study)
    interrupted = False
    try:
        coordinator.run(progress)
    except KeyboardInterrupt:
        interrupted = True
    seconds = time.perf_counter() - begin
    gathering = coordinator.gathering
    if result is None:
        if not interrupted:
            gathering.write(seconds, gathering.done - coordinator.before)
        result = Sweep(study, names)
        result._reasons = gathering.read(study, result._tables)
    if interrupted:
        _core.fill_rest(study, result._tables)
    result._seconds = seconds
    return result, interrupted


def _mask(which: Any) -> NDArray[np.bool_]:
    """What was found out; it cannot be written to, for nobody would see it."""
    mask: NDArray[np.bool_] = which
    mask.flags.writeable = False
    return mask


def _distinct(name: str, taken: Collection[str]) -> str:
    """The name, with "run." before it where another bears it."""
    while name in taken:
        name = f"run.{name}"
    return name


def _values_text(key: Any, value: Any, names: Any) -> str:
    """Values as the command takes them; numbers in full."""
    what = f"vary[{str(key)!r}]"
    if isinstance(value, str):
        return printable(value, what)
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise ValueError(f"{what}: masked values have no number")
    if isinstance(value, Variation):
        return value._text(names)
    if isinstance(value, _core.Expr) or np.ndim(value) == 0:
        return f"[{number_text(value, what, names)}]"
    if isinstance(value, np.ndarray):
        if value.ndim != 1 or value.dtype.kind not in "iuf":
            raise ValueError(f"{what}: a sequence of numbers is needed, not an array of shape {value.shape} and "
                             f"type {value.dtype}")
        if not np.isfinite(value).all():
            raise ValueError(f"{what}: {value[~np.isfinite(value)][0]} is not a finite number")
        exact = value.dtype == np.float64 or value.dtype.kind != "f"
        items = list(map(repr, value.tolist() if exact else map(_core.plain_number, value)))
    else:
        items = [number_text(x, what, names) for x in value]
    if not items:
        raise ValueError(f"{what}: at least one value is needed")
    return f"[{', '.join(items)}]"


def _statistic_text(statistic: Any, names: Any) -> str:
    if isinstance(statistic, str):
        return printable(statistic, "a statistic")
    if isinstance(statistic, tuple) and len(statistic) == 2 and isinstance(statistic[0], str):
        return f"{printable(statistic[0], 'a statistic')}({name_text(statistic[1], names)})"
    raise TypeError(f"a statistic is a text such as 'max(theta)' or a pair such as ('max', theta), not {statistic!r}")


def _times(times: ArrayLike | None) -> list[float]:
    if times is None:
        return []
    array = floats("times", times)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"times must be a sequence of one or more numbers, not of shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError("times must be finite numbers")
    result: list[float] = array.tolist()
    return result


def _whole(value: Any, what: str, least: int, most: int) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{what} must be a whole number, not {value!r}")
    number = value.__index__()
    if not least <= number <= most:
        raise ValueError(f"{what} is {number}: it must be a whole number from {least} to {most}")
    return int(number)


def _blank(shape: int | tuple[int, ...]) -> Floats:
    """An array of NaN. It is filled bit by bit, and Ctrl-C need not wait for the whole."""
    array = np.empty(shape)
    flat = array.reshape(-1)
    for first in range(0, flat.size, _AT_ONCE):
        flat[first : first + _AT_ONCE] = np.nan
    return array


def _refuse_if_too_large(runs: int, numbers: int, samples: tuple[int, int, int]) -> None:
    """Raises MemoryError where the results would not fit into what the machine has left."""
    kept = samples[0] * samples[1] * samples[2]
    needed = 8 * (runs * numbers + kept)
    room = _room()
    if needed > room:
        of_samples = f", {8 * kept / 1e9:.3g} GB of them for {samples[1]} samples of {samples[2]} numbers a run" if kept else ""
        raise MemoryError(
            f"the results of {runs} runs take {needed / 1e9:.3g} GB{of_samples}, and {room / 1e9:.3g} GB are free; "
            "ask for fewer, or use 'dalembert sweep', which writes to the disk")


def _room() -> int:
    """Bytes that can be had, about."""
    room = 2**62
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    room = int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    try:
        with open("/sys/fs/cgroup/memory.max", encoding="ascii") as file:
            room = min(room, int(file.read()))
    except (OSError, ValueError):
        pass
    return room
