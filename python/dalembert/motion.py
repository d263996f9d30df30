"""A compiled system: its numbers and its motions."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert import _core
from dalembert.errors import OldNameWarning, warn, warn_of
from dalembert.fixed import Fixed, fixed
from dalembert.linear import LinearMethods
from dalembert.numbers import (
    Batch,
    Evaluation,
    Floats,
    Forces,
    StateReader,
    check_order,
    check_on_error,
    refuse,
    results,
    thread_count,
)
from dalembert.rhs import Rhs
from dalembert.simulation import SimulationMethods
from dalembert.subject import check_parameters, name_text, number_text, refuse_other_names
from dalembert.system import System
from dalembert.values import file_path, named_after, word_or_none

if TYPE_CHECKING:
    from dalembert.derivation import Equations


def settings_of(parameters: Mapping[Any, Any] | None, names: Any, known: Iterable[str]) -> dict[str, str]:
    """Parameters by name, or by themselves, as the engine takes them: texts, as in `dalembert run --set`.

    `known` are the names of those that there are.
    """
    if parameters is not None and not isinstance(parameters, Mapping):
        raise TypeError(f"parameters must map names to values, not be '{type(parameters).__name__}'")
    given = (parameters or {}).items()
    settings = {name_text(name, names): number_text(value, f"parameters[{str(name)!r}]", names) for name, value in given}
    check_parameters(settings, known)
    return settings


def _restore(names: _core.Names, text: str, method: str | None, settings: dict[str, str]) -> Compiled:
    system = System.__new__(System)
    system._restore(names, text, None)
    return Compiled(system, method, settings)


_OF_SIMULATE = ("duration", "samples", "times", "rtol", "atol", "integrator", "precision", "max_steps", "max_step", "adjust")


class Compiled(Fixed, SimulationMethods, LinearMethods):
    """A compiled system: accelerations, forces and matrices of any number of states, and motions in time.

    With n coordinates and m constraints, all forces obey

        M q'' = Q + Q_ideal + Q_nonideal,     A q'' = b,

    and states are given as t, q and v: q and v are arrays (..., n), in the order of `coordinate_names`, or mappings from
    names to numbers or arrays, where omitted names have the model's initial values; t is a number or an array.
    All of them are broadcast together. Arrays of float64 in C order are not copied. A motion is immutable, and any
    number of threads may use it.

    >>> import dalembert as dal
    >>> motion = dal.read("pendulum").compile()
    >>> motion.coordinate_names
    ['x', 'y']
    >>> motion.acceleration(0, [0.0, -1.0], [0.0, 0.0]) + 0.0
    array([0., 0.])
    """

    _noun = "motion"
    _advice = {
        **{name: f"{name} is an argument, motion.simulate({name}=...)" for name in _OF_SIMULATE},
        "method": 'the method is chosen when the system is compiled, s.compile(method="...")',
        "parameters": "motion.with_parameters(...) is one with other values",
        "q": "states are arguments, motion.simulate(q=...), motion.acceleration(t, q, v)",
        "v": "states are arguments, motion.simulate(v=...), motion.acceleration(t, q, v)",
    }
    _instead = "; change the system and compile it again"

    def __init__(self, system: System, method: str | None = None, parameters: Mapping[Any, Any] | None = None) -> None:
        self._system = system
        self._asked_method = method = word_or_none(method, "the method")
        self._model = system._model()
        self._settings = settings_of(parameters, system._names, (name for name, _ in self._model.parameters))
        refuse_other_names(method)
        self._core = _core.compile(self._model, self._settings, method)
        self._states = _core.States(self._core)
        self._reader = StateReader(self._core, system._names)
        self._derivatives = {}

    def _cannot_set(self, name: str) -> str:
        if name in self._core.parameters and name not in self._advice:
            return f"a motion does not change: motion.with_parameters({name}=...) is one with another value"
        return super()._cannot_set(name)

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._core.name

    @property
    def coordinate_names(self) -> list[str]:
        """The names of the n coordinates, in the order of q."""
        return self._reader.coordinates

    @property
    def coordinates(self) -> list[str]:
        """What is `coordinate_names` now; `coordinates` declares some, in a System."""
        warn("coordinates of a compiled system are coordinate_names now", OldNameWarning)
        return self._reader.coordinates

    @property
    def constraints(self) -> list[str]:
        """The names of the m constraints, in the order of the rows of A."""
        return self._reader.constraints

    @property
    def method(self) -> str:
        """How accelerations are computed: "m-inverse" or another method, or a formulation such as "suslov"."""
        return self._core.method

    def parameter_values(self) -> Mapping[str, float]:
        """The values of the parameters, by name; `with_parameters` gives a motion with others."""
        instead = ": motion.with_parameters(name=value) is a motion with other values"
        values: Mapping[str, float] = fixed(self._core.parameters, "motion.parameter_values()", instead)
        return values

    @property
    def parameters(self) -> Mapping[str, float]:
        """What is `parameter_values()` now; `parameters` declares some, in a System."""
        warn("parameters of a compiled system are parameter_values() now", OldNameWarning)
        return self.parameter_values()

    @property
    def output_names(self) -> list[str]:
        """The names of what `output_values` computes: the model's outputs, then the reactions of its joints."""
        names: list[str] = fixed(self._core.outputs, "motion.output_names")
        return names

    def with_parameters(self, parameters: Mapping[Any, Any] | None = None, /, **named: Any) -> Compiled:
        """The same system with different values of some parameters; nothing is derived or compiled again.

        Values are numbers, expressions of parameters, or texts; parameters that the model defines in terms of these follow.

        >>> import dalembert as dal
        >>> motion = dal.read("pendulum").compile()
        >>> motion.with_parameters(g=1.62).parameter_values()["g"]
        1.62
        """
        names = self._system._names
        known = self._core.parameters
        settings = {**self._settings, **settings_of(parameters, names, known), **settings_of(named, names, known)}
        other = object.__new__(type(self))
        other._system = self._system
        other._model = self._model
        other._asked_method = self._asked_method
        other._settings = settings
        other._core = self._core.with_settings(settings)
        other._states = self._states.with_motion(other._core)
        other._reader = StateReader(other._core, names)
        other._derivatives = {}
        return other

    def acceleration(
        self,
        t: Any = 0.0,
        q: Any = None,
        v: Any = None,
        *,
        mu: Any = None,
        out: Floats | None = None,
        threads: int | None = None,
        on_error: str = "raise",
    ) -> Floats:
        """q'' (..., n) of M q'' = Q + Q_ideal + Q_nonideal, A q'' = b at states on or off the constraints.

        Many states are solved side by side in SIMD lanes, more than 2000 by several threads (`threads`, one per
        core if None); the result for a state depends neither on other states nor on the number of threads. A
        state without an acceleration raises a ValueError that names the first one and says why; with on_error="nan" its
        row is NaN. The results go to `out` if given. `mu` (..., m) is a state only of the method vakonomic.

        >>> import dalembert as dal
        >>> motion = dal.read("pendulum").compile()
        >>> motion.acceleration(0, {"x": 0, "y": -1}, {"x": [0, 2, 4], "y": 0}).shape
        (3, 2)
        """
        check_on_error(on_error)
        self._refuse_touches("acceleration")
        if type(q) is np.ndarray and type(v) is np.ndarray and q.ndim == 1 and v.ndim == 1 and out is None and mu is None:
            try:  # one state, without detours
                result = np.empty(q.shape)
                if self._states.solve_one(t, q, v, result):
                    return result
            except TypeError:  # what must be converted first, or cannot be
                pass
        count = thread_count(threads)
        states = self._read("acceleration", t, q, v, mu)
        shape = states.shape + (len(self._reader.coordinates),)
        result = results("acceleration", out, shape)
        if out is not None:
            states = states.apart_from(result)
        failed = self._states.solve(
            states.count, states.t, states.q, states.v, states.mu,
            acceleration=result.reshape(states.count, shape[-1]), threads=count,
        )  # fmt: skip
        if failed[0] and on_error == "raise":
            refuse(states, failed, "; on_error='nan' gives NaN instead")
        return result

    def forces(
        self,
        t: Any = 0.0,
        q: Any = None,
        v: Any = None,
        *,
        mu: Any = None,
        threads: int | None = None,
        on_error: str = "raise",
    ) -> Forces:
        """The forces of M q'' = Q + Q_ideal + Q_nonideal, with the multipliers and each constraint's share.

        >>> import dalembert as dal
        >>> motion = dal.read("pendulum").compile()
        >>> forces = motion.forces(0, [0.0, -1.0], [0.0, 0.0])
        >>> bool(np.allclose(forces.applied + forces.ideal + forces.nonideal, 0))
        True
        """
        check_on_error(on_error)
        self._refuse_touches("forces")
        count = thread_count(threads)
        states = self._read("forces", t, q, v, mu)
        n, m = len(self._reader.coordinates), len(self._reader.constraints)
        flat = {name: np.empty((states.count, n)) for name in ("acceleration", "applied", "ideal", "nonideal")}
        flat |= {name: np.empty((states.count, m)) for name in ("multipliers", "reactions")}
        unique = np.empty((states.count, m), np.uint8)
        failed = self._states.solve(
            states.count, states.t, states.q, states.v, states.mu, **flat, unique=unique, threads=count
        )
        if failed[0] and on_error == "raise":
            refuse(states, failed, "; on_error='nan' gives NaN instead")
        arrays = {name: array.reshape(states.shape + array.shape[1:]) for name, array in flat.items()}
        held = states.copied()
        return Forces(
            self.constraints,
            lambda: self._function("constraint_matrix", held, (m, n), count),
            **arrays,
            unique=unique.reshape(states.shape + (m,)).astype(bool),
        )

    def output_values(
        self,
        t: Any = 0.0,
        q: Any = None,
        v: Any = None,
        *,
        mu: Any = None,
        threads: int | None = None,
        on_error: str = "raise",
    ) -> dict[str, Floats]:
        """What a simulation records besides the motion, by name: the model's outputs, and the reactions of its joints."""
        check_on_error(on_error)
        states = self._read("output_values", t, q, v, mu)
        names = self.output_names
        values = np.empty((states.count, 3 + len(names)))
        failed = self._states.solve(
            states.count, states.t, states.q, states.v, states.mu, outputs=values, threads=thread_count(threads)
        )
        if failed[0] and on_error == "raise":
            refuse(states, failed, "; on_error='nan' gives NaN instead")
        return {name: values[:, 3 + i].reshape(states.shape).copy() for i, name in enumerate(names)}

    def outputs(self, *args: Any, **options: Any) -> dict[str, Floats]:
        """What is `output_values` now; `outputs` says what to record, in a System."""
        warn("outputs of a compiled system are output_values(t, q, v) now", OldNameWarning)
        return self.output_values(*args, **options)

    def mass_matrix(self, t: Any = 0.0, q: Any = None, v: Any = None, *, threads: int | None = None) -> Floats:
        """M (..., n, n) of M q'' = Q + Q_ideal + Q_nonideal; it does not depend on v, which may be omitted."""
        n = len(self._reader.coordinates)
        check_order("mass_matrix", t, q, v, v_needed=False)
        states = self._reader.read_finite(t, q, np.zeros(n) if v is None else v)
        return self._function("mass_matrix", states, (n, n), thread_count(threads))

    def constraint_matrix(self, t: Any = 0.0, q: Any = None, v: Any = None, *, threads: int | None = None) -> Floats:
        """A (..., m, n) of A q'' = b, one row per constraint."""
        shape = (len(self._reader.constraints), len(self._reader.coordinates))
        states = self._read_finite("constraint_matrix", t, q, v)
        return self._function("constraint_matrix", states, shape, thread_count(threads))

    def constraint_bias(self, t: Any = 0.0, q: Any = None, v: Any = None, *, threads: int | None = None) -> Floats:
        """b (..., m) of A q'' = b."""
        states = self._read_finite("constraint_bias", t, q, v)
        return self._function("b", states, (len(self._reader.constraints),), thread_count(threads))

    def energy(
        self, t: Any = 0.0, q: Any = None, v: Any = None, *, threads: int | None = None
    ) -> tuple[Floats, Floats]:
        """The kinetic and the potential energy, each of shape (...)."""
        both = self._function("energy", self._read_finite("energy", t, q, v), (2,), thread_count(threads))
        return both[..., 0], both[..., 1]

    def residuals(
        self, t: Any = 0.0, q: Any = None, v: Any = None, *, threads: int | None = None
    ) -> tuple[Floats, Floats]:
        """How far states are off the constraints: left side minus right side as written, and its velocity-level form.

        Both have the shape (..., m); of a constraint on accelerations both are 0.
        """
        m = len(self._reader.constraints)
        both = self._function("residuals", self._read_finite("residuals", t, q, v), (2, m), thread_count(threads))
        return both[..., 0, :], both[..., 1, :]

    def evaluate(self, t: float = 0.0, q: Any = None, v: Any = None, *, mu: Any = None) -> Evaluation:
        """Everything at one state, as in `dalembert eval --json`: matrices, forces, multipliers, rank, joints.

        Whatever you must know before you trust the numbers gives a DoubtWarning.

        >>> import dalembert as dal
        >>> motion = dal.read("pendulum").compile()
        >>> motion.evaluate(0, [0.0, -1.0], [0.0, 0.0]).rank
        1
        """
        states = self._read("evaluate", t, q, v, mu)
        if states.shape:
            raise ValueError(f"evaluate takes one state, and these are {states.shape}; acceleration and forces take many")
        for name, rows in (("t", states.t), ("q", states.q), ("v", states.v), ("mu", states.mu)):
            if rows is not None and not np.isfinite(rows).all():
                raise ValueError(f"{name} is not finite: {rows[0].tolist()}")
        mu_row = [] if states.mu is None else states.mu[0].tolist()
        values = self._core.evaluate(float(states.t[0, 0]), states.q[0].tolist(), states.v[0].tolist(), mu_row)
        found = Evaluation(self._reader.coordinates, self._reader.constraints, values)
        warn_of(found.to_dict())
        return found

    def export(self, to: str, out: str | os.PathLike[str] | None = None, *, fmi: int = 2) -> Path:
        """Exports the motion to other programs, as ``dalembert export`` does; returns the path.

        `to` is "c" (`out` is a folder), "fmu", "python" or "js" (a file). `fmi` is the version of an FMU: 2 or 3. Without
        `out` the name is that of the system, in the current folder. Existing files are replaced.

        >>> import dalembert as dal, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     where = dal.read("pendulum").compile().export("c", folder)
        ...     sorted(path.name for path in where.iterdir())
        ['CMakeLists.txt', 'Makefile', 'Pendulum.c', 'Pendulum.h', 'main.c']
        """
        if to not in ("c", "fmu", "python", "js"):
            raise ValueError(f"to {to!r}: there are 'c', 'fmu', 'python' and 'js'")
        if fmi not in (2, 3):
            raise ValueError(f"fmi {fmi!r}: expected 2 or 3")
        core = self._core
        if self.method not in ("m-inverse", "vakonomic", "weighted"):
            core = _core.compile(self._model, self._settings, "m-inverse")
        files, left_out, note = _core.export_files(core, self._core.name, to, fmi)
        if left_out:
            warnings.warn("left out, because their shares of the force are not unique: " + ", ".join(left_out), stacklevel=2)
        if note:
            warnings.warn(f"the FMU has sources only: {note}", stacklevel=2)
        if to == "c":
            own = next(name for name in files if name.endswith(".h"))
            where = folder = Path(file_path(out)) if out is not None else Path(own[:-2])
        else:
            name, content = next(iter(files.items()))
            where = Path(file_path(out)) if out is not None else Path(name)
            folder, files = where.parent, {where.name: content}
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            partial = folder / f".{name}.part"
            partial.write_bytes(content)
            partial.replace(folder / name)
        return where

    @cached_property
    def rhs(self) -> Rhs:
        """The right-hand side of y' = f(t, y), y = (q, v), for other integrators (see Rhs)."""
        self._refuse_touches("rhs")
        return Rhs(self)

    @property
    def equations(self) -> Equations:
        """M, Q, A, b and C as expressions (see Equations)."""
        from dalembert.derivation import equations

        return equations(self)

    def _refuse_touches(self, call: str) -> None:
        """What contacts and friction that sticks do is a matter of all of them together, along the motion."""
        if self._core.touches:
            raise ValueError(
                f"{call} knows no contacts and no friction that sticks, and this model has some: motion.simulate follows "
                "them, and `dalembert eval` tells what they do at a state"
            )

    def _read(self, call: str, t: Any, q: Any, v: Any, mu: Any) -> Batch:
        check_order(call, t, q, v)
        return self._reader.read(t, q, v, mu)

    def _read_finite(self, call: str, t: Any, q: Any, v: Any) -> Batch:
        check_order(call, t, q, v)
        return self._reader.read_finite(t, q, v)

    def _function(self, name: str, states: Batch, shape: tuple[int, ...], threads: int) -> Floats:
        size = 1
        for extent in shape:
            size *= extent
        values = np.empty((states.count, size))
        self._states.function(name, states.count, states.t, states.q, states.v, values, threads)
        return values.reshape(states.shape + shape)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._system._names, self._model.text, self._asked_method, self._settings)

    def __repr__(self) -> str:
        n, m = len(self._reader.coordinates), len(self._reader.constraints)
        changed = "".join(f", {name} = {value}" for name, value in self._settings.items())
        return (
            f"<Compiled '{self.name}': {n} coordinate{'s' * (n != 1)}, {m} constraint{'s' * (m != 1)}, "
            f"by {self.method}{changed}>"
        )


named_after(Compiled)
