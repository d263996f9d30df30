"""What happens at instants of a motion: events, contacts, and friction that slides or sticks."""

from __future__ import annotations

from typing import Any, Mapping

import numpy as np

from . import _core
from .document import Entry
from .parts import WithParts, _given
from .errors import UnknownName
from .values import Scalar, VectorLike, article, check_owner, equation, flag, items, suggestion, title, within_floats, word

_DIRECTIONS = ("both", "rising", "falling")
_SHAPES = ("point", "sphere", "disk", "ellipsoid", "capsule", "box")
_IMPACTS = ("newton", "poisson", "energetic")


def _choice(value: Any, what: str, known: tuple[str, ...]) -> str | None:
    if value is not None and word(value, what) not in known:
        raise UnknownName(f"{what} cannot be {value!r:.60}{suggestion(value, known)}")
    return None if value is None else str(value)


class WithInstants(WithParts):
    """The statements about events, contacts and friction that sticks."""

    __slots__ = ()

    def discrete(self, name: str, value: Scalar) -> _core.Expr:
        """Declares a value that only events change, with its initial value. It may stand where a parameter may.

        >>> import dalembert as dal
        >>> s = dal.System("clock")
        >>> ticks = s.discrete("ticks", 0)
        >>> s.event("tick", every=1, set={ticks: ticks + 1})
        """
        kept = within_floats(self._scalar(value, f"the discrete value {name!r:.60}"), f"the discrete value {name!r:.60}")
        with self._statement(f"discrete({name!r:.60}, ...)") as (document, origin):
            self._declare(name, "a discrete value")
            declared = self._names.parameter(name)
            document.table("discrete")[name] = Entry(kept, origin)
            self._declared[name] = "a discrete value"
            self._names_in_scope().add(name, declared)
        return declared

    def event(
        self,
        name: str | None = None,
        *,
        when: Any = None,
        every: Scalar | None = None,
        direction: str | None = None,
        set: Mapping[Any, Scalar] | None = None,
        stop: bool = False,
    ) -> None:
        """An instant of the motion, and what changes there.

        Parameters
        ----------
        when : an expression that changes sign there, or an equation (left minus right), in positions,
            velocities, time, discrete values and reactions
        every : instead of `when`, the period of a clock, which strikes at t = every, 2*every, ...
        direction : of the change of sign: "rising", "falling" or "both"
        set : the new values of coordinates, velocities and discrete values, computed from the old ones: ``{x.d: -e*x.d}``.
            Velocities are brought onto the constraints
        stop : the motion ends there, complete
        """
        what = f"of the event {name!r:.60}" if name is not None else "of an event"
        entries = _given(
            name=None if name is None else title(name, "the name of an event"),
            when=None if when is None else self._watched(when, what),
            direction=_choice(direction, f"the direction {what}", _DIRECTIONS),
            every=self._optional(every, f"the period {what}"),
            set=None if set is None else self._settings_of_event(set, what),
            stop=flag(stop, f"stop {what}") or None,
        )
        with self._statement("event(...)") as (document, origin):
            self._say(document, "event", entries.get("name"), entries, origin)

    def contact(
        self,
        name: str | None = None,
        *,
        gap: Scalar | None = None,
        restitution: Scalar | None = None,
        impact: str | None = None,
        friction: Scalar | None = None,
        static_friction: Scalar | None = None,
        slip: Any = None,
        bodies: Any = None,
        body: Any = None,
        points: Any = None,
        normal: VectorLike | None = None,
        shape: str | None = None,
        radius: Scalar | None = None,
        axis: VectorLike | None = None,
        length: Scalar | None = None,
        size: VectorLike | None = None,
        semi_axes: VectorLike | None = None,
    ) -> None:
        """A constraint that opens and closes by itself: gap >= 0, force >= 0, gap*force = 0.

        Parameters
        ----------
        gap : of positions and time
        restitution : from 0, the default, to 1
        impact : the law of impact, "newton", "poisson" or "energetic"
        friction, static_friction : Coulomb's coefficients while it slides and while it sticks
        slip : the velocity along the surface, one expression or two; needed with friction
        bodies, body : instead of gap and slip: the two that touch, or one that touches the ground
        points : of the plane, and the centre of the shape, in the order of the bodies and in their axes
        normal : of the plane, in the axes of its body; for the ground, the default is against gravity
        shape : "point", "sphere", "disk", "ellipsoid", "capsule" or "box", with radius, axis, length, size,
            semi_axes; by default as the body is drawn
        """
        what = f"of the contact {name!r:.60}" if name is not None else "of a contact"
        entries = _given(
            name=None if name is None else title(name, "the name of a contact"),
            gap=self._optional(gap, f"the gap {what}"),
            restitution=self._optional(restitution, f"the restitution {what}"),
            impact=_choice(impact, f"the law of impact {what}", _IMPACTS),
            friction=self._optional(friction, f"the friction {what}"),
            static_friction=self._optional(static_friction, f"the static friction {what}"),
            slip=self._slip(slip, what),
            **self._bodies(bodies, body),
            points=self._pair(points, f"the points {what}"),
            normal=self._vector(normal, f"the normal {what}"),
            shape=_choice(shape, f"the shape {what}", _SHAPES),
            radius=self._optional(radius, f"the radius {what}"),
            axis=self._vector(axis, f"the axis {what}"),
            length=self._optional(length, f"the length {what}"),
            size=self._vector(size, f"the size {what}"),
            semi_axes=self._vector(semi_axes, f"the semi-axes {what}"),
        )
        with self._statement("contact(...)") as (document, origin):
            self._say(document, "contact", entries.get("name"), entries, origin)

    def friction(
        self,
        name: str | None = None,
        *,
        slip: Any,
        limit: Scalar,
        static_limit: Scalar | None = None,
    ) -> None:
        """Dry friction that slides or sticks.

        Parameters
        ----------
        slip : the velocity with which it slides, one expression or two, linear in the velocities
        limit : of its force while it slides; may contain ``s.reaction(...)``
        static_limit : while it sticks; the same by default
        """
        what = f"of the friction {name!r:.60}" if name is not None else "of a friction"
        entries = _given(
            name=None if name is None else title(name, "the name of a friction"),
            slip=self._slip(slip, what),
            limit=self._scalar(limit, f"the limit {what}"),
            static_limit=self._optional(static_limit, f"the static limit {what}"),
        )
        with self._statement("friction(...)") as (document, origin):
            self._say(document, "friction", entries.get("name"), entries, origin)

    def reaction(self, of: Any) -> _core.Expr:
        """The magnitude of the force of a constraint, joint, contact or friction, by its name: for limits of friction,
        events and outputs."""
        return self._names.reaction(title(str(getattr(of, "name", of)), "what a reaction is of"))

    def _slip(self, value: Any, what: str) -> Any:
        if value is None:
            return None
        if not isinstance(value, (list, tuple, np.ndarray)):
            return self._scalar(value, f"the slip {what}")
        both = items(value, f"the slip {what}")
        if len(both) == 1:
            return self._scalar(both[0], f"the slip {what}")
        if len(both) != 2:
            raise ValueError(f"the slip {what} is one expression or two, not {len(both)}")
        return tuple(self._scalar(item, f"the slip {what}") for item in both)

    def _watched(self, value: Any, what: str) -> Any:
        if isinstance(value, _core.Equation):
            return equation(value, self._names)
        if callable(value) and not isinstance(value, _core.Expr):
            raise TypeError(f"when {what} is an expression or an equation, not a function of Python")
        return self._scalar(value, f"when {what}")

    def _settings_of_event(self, given: Any, what: str) -> dict[str, Any]:
        if not isinstance(given, Mapping):
            raise TypeError(f"set {what} is a mapping, {{x.d: -x.d}}, not {article(type(given).__name__)}")
        result: dict[str, Any] = {}
        for target, value in given.items():
            if isinstance(target, _core.Expr):
                check_owner(target, self._names)
            name = str(target)
            base = name[:-1] if name.endswith("'") else name
            kind = self._declared.get(base)
            if kind != "a coordinate" and (kind != "a discrete value" or base != name):
                known = [n for n, k in self._declared.items() if k in ("a coordinate", "a discrete value")]
                told = f", and {name} is {kind}" if kind is not None and base == name else suggestion(name, known)
                raise UnknownName(f"set {what} has coordinates, velocities and discrete values, not {name!r:.60}{told}")
            if name in result:
                raise ValueError(f"set {what} has {name} twice")
            result[name] = self._scalar(value, f"{name} {what}")
        return result
