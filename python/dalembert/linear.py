"""A motion to first order: linearisation, equilibria, derivatives, sensitivities; and the forces for a given motion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dalembert import _core
from dalembert.errors import IncompleteWarning, warn
from dalembert.numbers import Batch, Floats, StateReader, check_order, floats
from dalembert.subject import name_text

if TYPE_CHECKING:
    from dalembert._core import Derivatives
    from dalembert._core import Model as EngineModel
    from dalembert.system import System

_WHATS = ("acceleration", "ideal", "nonideal", "outputs")


class Linearization(NamedTuple):
    """x' = A x + B u, y = C x + D u near a point, on the constraints."""

    kind: str
    """"equilibrium", "steady motion" or, where any state would do, "not steady"."""
    t: float
    q: Floats
    v: Floats
    states: list[str]
    """Independent coordinates ("x"), then independent velocities ("x'")."""
    inputs: list[str]
    outputs: list[str]
    A: Floats
    B: Floats
    C: Floats
    D: Floats
    eigenvalues: npt.NDArray[np.complex128]
    """By falling real part."""
    conditions: Floats
    """How much each eigenvalue moves with A, at most; infinite where it is defective."""
    modes: npt.NDArray[np.complex128]
    """Column i of eigenvalue i, its largest entry 1."""
    varies: bool
    """Whether A changes along the motion: eigenvalues are then those of one instant."""
    notes: list[str]
    text: str
    """As `dalembert linearise` prints it."""


class Equilibrium(NamedTuple):
    """A state in which a system stays at rest or moves steadily."""

    kind: str
    """"equilibrium" or "steady motion"."""
    t: float
    q: Floats
    v: Floats


class InverseDynamics(NamedTuple):
    """The forces that produce given accelerations."""

    force: Floats
    """(..., k): along each coordinate asked for."""
    ideal: Floats
    """(..., n): the constraint force beside it."""


class Sensitivities(NamedTuple):
    """How a motion changes with parameters and with its start."""

    t: Floats
    names: list[str]
    """With respect to what, s of them."""
    quantities: list[str]
    """Of what: positions, velocities, accelerations, then outputs."""
    values: Floats
    """(samples, quantities, s)."""
    q: Floats
    v: Floats
    complete: bool
    reason: str
    events: list[dict[str, Any]] = []
    """What happened: `t`, `name`, `kind`, and `by`, its time's derivatives by the names; not numbers where unknown."""

    def __call__(self, quantity: str, name: str) -> Floats:
        """The derivative of one quantity by one name, at all samples."""
        return np.asarray(self.values[:, self.quantities.index(quantity), self.names.index(name)])


class LinearMethods:
    """Analyses of a compiled system to first order."""

    _core: _core.Motion
    _model: EngineModel
    _system: System
    _settings: dict[str, str]
    _reader: StateReader
    _derivatives: dict[tuple[str, ...], Derivatives]

    def linearize(
        self,
        t: float = 0.0,
        q: Any = None,
        v: Any = None,
        *,
        equilibrium: bool = False,
        inputs: Sequence[Any] | None = None,
        steady: bool = True,
    ) -> Linearization:
        """Linearises the motion at a state, which must be an equilibrium or belong to a steady motion.

        equilibrium
            Linearise at the equilibrium or steady motion found near that state.
        inputs
            Parameters that act as inputs; by default those of the model.
        steady
            False: accept any state on the constraints; A then belongs to one instant.

        >>> import dalembert as dal
        >>> s = dal.System("spring")
        >>> x = s.coordinate("x")
        >>> s.kinetic, s.potential = x.d**2/2, 2*x**2
        >>> s.compile().linearize().eigenvalues
        array([0.+2.j, 0.-2.j])
        """
        start, positions, velocities = self._one_state("linearize", t, q, v)
        if equilibrium:
            _, start, positions, velocities = self.equilibrium(start, positions, velocities)
        declared = [name for name in self._model.inputs if name in self._core.parameters]
        chosen = declared if inputs is None else inputs
        names = [name_text(name, self._system._names) for name in chosen]
        for name in names:
            if name not in self._core.parameters:
                raise ValueError(f"inputs: no parameter '{name}'")
        found = _core.linearise(self._core, start, positions.tolist(), velocities.tolist(), names, not steady)
        size, outputs = len(found["states"]), len(found["outputs"])

        def matrix(name: str, rows: int, columns: int) -> Floats:
            return np.array(found[name], np.float64).reshape(rows, columns)

        return Linearization(
            found["kind"],
            start,
            positions,
            velocities,
            found["states"],
            names,
            found["outputs"],
            matrix("A", size, size),
            matrix("B", size, len(names)),
            matrix("C", outputs, size),
            matrix("D", outputs, len(names)),
            np.array(found["eigenvalues"], np.complex128),
            np.array(found["conditions"], np.float64),
            np.array(found["modes"], np.complex128).reshape(size, size),
            found["varies"],
            found["notes"],
            found["text"],
        )

    linearise = linearize

    def equilibrium(self, t: float = 0.0, q: Any = None, v: Any = None) -> Equilibrium:
        """The equilibrium, or the steady motion, found near a state on the constraints.

        Raises a ValueError with the reason if none is found.
        """
        start, positions, velocities = self._one_state("equilibrium", t, q, v)
        t_found, q_found, v_found, kind = _core.find_equilibrium(
            self._core, start, positions.tolist(), velocities.tolist()
        )
        return Equilibrium(kind, t_found, np.array(q_found), np.array(v_found))

    def jacobian(
        self,
        t: Any = 0.0,
        q: Any = None,
        v: Any = None,
        *,
        of: str = "acceleration",
        by: Sequence[Any] | None = None,
    ) -> Floats:
        """Exact derivatives at states, (..., n, 2n): of the accelerations with respect to positions, then velocities.

        of
            "acceleration", "ideal" and "nonideal" for the constraint forces, or "outputs".
        by
            Parameters instead of positions and velocities: one column each. Parameters that depend on these
            move with them, as in `with_parameters`.

        The Jacobian matrix of the motion y' = f(t, y), y = (q, v), is ``[[0, 1], [jacobian]]``. The derivatives
        respect the constraints: rank and independent rows are those of the state.

        >>> import dalembert as dal
        >>> s = dal.System("spring")
        >>> x, c = s.coordinate("x"), s.parameter("c", 4)
        >>> s.kinetic, s.potential = x.d**2/2, c*x**2/2
        >>> motion = s.compile()
        >>> motion.jacobian(0, [1.0], [0.0]) + 0.0
        array([[-4.,  0.]])
        >>> motion.jacobian(0, [1.0], [0.0], by=["c"])
        array([[-1.]])
        """
        if of not in _WHATS:
            raise ValueError(f"of: there are {', '.join(_WHATS[:-1])} and {_WHATS[-1]}, not '{of}'")
        if self._core.method in ("weighted", "vakonomic"):
            raise ValueError("no exact derivatives of the accelerations are known for the methods weighted and vakonomic")
        states = self._finite_states("jacobian", t, q, v)
        if isinstance(by, str):
            by = [by]
        names = tuple(name_text(name, self._system._names) for name in by or ())
        core = self._derivatives.get(names)
        if core is None:
            core = self._derivatives[names] = _core.Derivatives(self._core, self._settings, list(names))
        n, count = len(self._reader.coordinates), states.count
        columns = 2 * n + len(names)
        results = {what: np.empty((count, n, columns)) for what in _WHATS[:-1]}
        results["outputs"] = np.empty((count, self._core.own_outputs, columns))
        failed = core.evaluate(states.t, states.q, states.v, *(results[what] for what in _WHATS))
        if failed < count:
            raise ValueError(f"there are no unique accelerations at {states.name_of(failed)}")
        chosen = results[of][:, :, 2 * n :] if by is not None else results[of][:, :, : 2 * n]
        return np.ascontiguousarray(chosen).reshape(states.shape + chosen.shape[1:])

    def inverse_dynamics(
        self, t: Any = 0.0, q: Any = None, v: Any = None, a: Any = None, *, along: Sequence[Any] | None = None
    ) -> InverseDynamics:
        """The forces that produce the accelerations `a`, (..., n), at states on the constraints.

        along
            The coordinates along which these forces act; by default all. Constraints carry what they can: of several
            answers, the one of minimum norm is returned.

        With arrays of states and accelerations along a path, the result is the forces that follow it; q, v and a may also
        be functions of t, which are called at each time. Raises a ValueError
        if the acceleration breaks a constraint or these forces cannot produce it.

        >>> import dalembert as dal
        >>> s = dal.System("spring")
        >>> x = s.coordinate("x")
        >>> s.kinetic, s.potential = x.d**2/2, 2*x**2
        >>> s.compile().inverse_dynamics(0, [1.0], [0.0], [3.0]).force
        array([7.])
        """
        q, v, a = (_along(t, x) for x in (q, v, a))
        names = self._reader.coordinates
        n = len(names)
        chosen = names if along is None else [name_text(name, self._system._names) for name in along]
        for name in chosen:
            if name not in names:
                raise ValueError(f"along: no coordinate '{name}'")
        if a is None:
            raise ValueError("inverse_dynamics needs accelerations: inverse_dynamics(t, q, v, a)")
        given = floats("a", a)
        if given.ndim == 0 or given.shape[-1] != n:
            raise ValueError(f"a has the shape {given.shape}; needed are {n} entries in its last dimension")
        states = self._finite_states("inverse_dynamics", t, q, v)
        shape = np.broadcast_shapes(states.shape, given.shape[:-1])
        count = int(np.prod(shape, dtype=np.int64))

        def spread(x: Floats) -> Floats:
            rows = x.reshape(states.shape + x.shape[-1:]) if len(x) == states.count else x[0]
            return np.ascontiguousarray(np.broadcast_to(rows, (*shape, x.shape[-1]))).reshape(count, -1)

        force, ideal = np.empty((count, len(chosen))), np.empty((count, n))
        accelerations = np.ascontiguousarray(np.broadcast_to(given, (*shape, n))).reshape(count, n)
        problem = _core.inverse_dynamics(
            self._core,
            spread(states.t),
            spread(states.q),
            spread(states.v),
            accelerations,
            [names.index(name) for name in chosen],
            force,
            ideal,
        )
        if problem is not None:
            where = "" if not shape else f"state {problem[0]}: "
            raise ValueError(where + problem[1])
        return InverseDynamics(force.reshape(shape + (len(chosen),)), ideal.reshape(shape + (n,)))

    def sensitivities(
        self,
        names: Sequence[Any],
        duration: Any = None,
        q: Any = None,
        v: Any = None,
        *,
        samples: int | None = None,
        times: Sequence[float] | npt.NDArray[np.float64] | None = None,
        rtol: float | None = None,
        atol: float | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> Sensitivities:
        """How the motion changes with parameters ("m") and initial values ("theta", "theta'"), to first order.

        Uses the exact variational equations on the constraints, integrated along with the motion by rk8, and through
        events, impacts, sticking and jumps of the equations. The other arguments are those of `simulate`. A start that
        depends on a parameter moves with it.

        >>> import dalembert as dal
        >>> s = dal.System("spring")
        >>> x, c = s.coordinate("x"), s.parameter("c", 4)
        >>> s.kinetic, s.potential = x.d**2/2, c*x**2/2
        >>> found = s.compile().sensitivities(["c", "x"], 1, q={"x": 1}, samples=2)
        >>> bool(abs(found("x", "x")[-1] - np.cos(2)) < 1e-9)
        True
        """
        from dalembert.motion import settings_of
        from dalembert.simulation import _given_state, _number, _times, _whole

        core = self._with(parameters)  # type: ignore[attr-defined]
        settings = {**self._settings, **settings_of(parameters, self._system._names, self._core.parameters)}
        state, _ = _given_state(core, self._system._names, q, v, None)
        if isinstance(names, str):
            names = [names]
        asked = [name if isinstance(name, str) else name_text(name, self._system._names) for name in names]
        found = _core.sensitivities(
            core,
            asked,
            settings,
            state,
            _number(core, "duration", duration),
            _whole("samples", samples),
            _times(times),
            _number(core, "rtol", rtol),
            _number(core, "atol", atol),
        )
        if not found["complete"]:
            warn(f"the sensitivities are not complete: {found['reason']}", IncompleteWarning)
        rows, n = len(found["t"]), len(self._reader.coordinates)
        states = np.array(found["states"], np.float64).reshape(rows, 2, n)
        return Sensitivities(
            np.array(found["t"], np.float64),
            asked,
            found["quantities"],
            np.array(found["values"], np.float64).reshape(rows, len(found["quantities"]), len(asked)),
            states[:, 0],
            states[:, 1],
            found["complete"],
            found["reason"],
            found["events"],
        )

    def jax_function(self, parameters: Sequence[Any] = ()) -> Callable[..., Any]:
        """The accelerations as a function of JAX, ``f(t, q, v, p)``: for jit, vmap, jvp and grad, with exact
        derivatives.

        `p` are the values of the named parameters, (..., k), by default those of the motion. q and v are arrays (...,
        n), t fits their leading dimensions. Derivatives with respect to t are not available and come out as NaN. The
        function calls back to the CPU.
        """
        from dalembert.jax_bridge import jax_function

        return jax_function(self, parameters)  # type: ignore[arg-type]

    def casadi_function(self, parameters: Sequence[Any] = (), name: str = "acceleration") -> Any:
        """The accelerations as a function of CasADi, a = f(t, q, v, p), with exact Jacobians with respect to q, v and
        p.

        `p` are the values of the named parameters. The Jacobian with respect to t is not available and comes out as
        NaN. Keep the returned function alive as long as expressions contain it.
        """
        from dalembert.casadi_bridge import casadi_function

        return casadi_function(self, parameters, name)  # type: ignore[arg-type]

    def _one_state(self, call: str, t: Any, q: Any, v: Any) -> tuple[float, Floats, Floats]:
        states = self._finite_states(call, t, q, v)
        if states.shape:
            raise ValueError(f"{call} takes one state, and these are {states.shape}")
        return float(states.t[0, 0]), states.q[0], states.v[0]

    def _finite_states(self, call: str, t: Any, q: Any, v: Any) -> Batch:
        check_order(call, t, q, v)
        return self._reader.read_finite(t, q, v)


def _along(t: Any, given: Any) -> Any:
    """What is given, or its values at the times, (..., n), where it is a function."""
    if not callable(given):
        return given
    times = floats("t", t)
    values = [given(float(x)) for x in times.flat]
    return np.array(values, np.float64).reshape(times.shape + np.shape(values[0])) if values else np.empty(times.shape + (0,))
