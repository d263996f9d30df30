"""How a motion starts and is computed, and what is recorded and drawn."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Sequence

import numpy as np

from . import _core
from .arguments import OF_SIMULATIONS, told
from .document import SPIN, Entry
from .instants import WithInstants
from .values import Scalar, VectorLike, article, check_owner, counted, flag, items, title, vector, word


class WithSettings(WithInstants):
    """The statements about the start, the computation and the drawing of a motion."""

    __slots__ = ()

    # How the motion starts and is computed, and what is recorded.

    def initial(
        self,
        q: Mapping[Any, Scalar] | Sequence[Scalar] | None = None,
        v: Mapping[Any, Scalar] | Sequence[Scalar] | None = None,
        *,
        adjust: str | None = None,
        hold: Iterable[Any] | None = None,
        mu: Mapping[str, Scalar] | None = None,
    ) -> None:
        """Initial positions q and velocities v, by coordinate or one for each: ``s.initial(q={x: 0.1}, v={x: 2})``.

        They may be expressions of parameters and of other initial values. `adjust` is "none", "nearest" or "velocity":
        what to do with a state that breaks a constraint; `hold` names the positions and velocities that then
        stay. `mu` gives multipliers by constraint, for the method "vakonomic". Earlier values stay unless given again.
        """
        new: dict[str, Any] = {}
        for values, prime, what in ((q, "", "an initial position"), (v, "'", "an initial velocity")):
            new.update(self._state(values, prime, what))
        if adjust is not None:
            new["adjust"] = word(adjust, "adjust")
        if hold is not None:
            listed = [hold] if isinstance(hold, (str, _core.Expr)) else list(hold)
            new["hold"] = tuple(self._held(item) for item in listed)
        if mu is not None:
            new["mu"] = {word(n, "a constraint"): self._scalar(e, f"the multiplier of {n!r:.60}") for n, e in mu.items()}
        with self._statement("initial(...)") as (document, origin):
            for key, kind in (("mu", dict), ("hold", tuple), ("adjust", str)):
                kept = document.table("initial").get(key)
                if key in new and kept is not None and isinstance(kept.value, kind) != isinstance(new[key], kind):
                    raise ValueError(f"{key!r} is a coordinate of this system; its initial value and {key} exclude each other")
            document.table("initial").update({name: Entry(value, origin) for name, value in new.items()})

    def initial_spin(self, body: Any, omega: Sequence[Scalar | None]) -> None:
        """The initial angular velocity of a body, in its own axes; the rates of its angles or quaternion follow.

        Three components; None leaves one open, which is zero if the other two do not determine all rates. Earlier
        values for the body are replaced.

        >>> import dalembert as dal
        >>> s = dal.System("wheel")
        >>> q = s.coordinate("q")
        >>> wheel = s.body("wheel", mass=1, inertia=[1, 1, 2], position=[0, 0, 0], orientation=("z", q))
        >>> s.initial_spin(wheel, [None, None, 3])
        >>> float(s.compile().initial_state()[1][0])
        3.0
        """
        name = self._body_name(body)
        what = f"the initial angular velocity of {name!r:.60}"
        listed = items(omega, what)
        kept = vector([0 if component is None else component for component in listed], self._names, what)
        with self._statement("initial_spin(...)") as (document, origin):
            table = document.table("initial")
            for part, component, value in zip(SPIN, listed, kept):
                table.pop(f"{name}.{part}", None)
                if component is not None:
                    table[f"{name}.{part}"] = Entry(value, origin)

    def _state(self, values: Any, prime: str, what: str) -> dict[str, Any]:
        if values is None:
            return {}
        if not isinstance(values, Mapping):
            several = what.partition(" ")[2] + "s"
            listed = items(values, several)
            names = self.coordinate_names
            if len(listed) != len(names):
                raise ValueError(f"{several} are one for each of {counted(len(names), 'coordinate')}, not {len(listed)}")
            values = dict(zip(names, listed))
        result: dict[str, Any] = {}
        for key, value in values.items():
            name = str(check_owner(key, self._names) if isinstance(key, _core.Expr) else key)
            base = self._coordinate(name[:-1] if prime and name.endswith("'") else name, what)
            result[base + prime] = self._scalar(value, f"{what}, that of {base},")
        return result

    def _held(self, item: Any) -> str:
        name = str(check_owner(item, self._names) if isinstance(item, _core.Expr) else item)
        base = name[:-1] if name.endswith("'") else name
        return self._coordinate(base, "what is held") + name[len(base) :]

    @told(OF_SIMULATIONS)
    def simulation(
        self,
        *,
        duration: Scalar | None = None,
        samples: int | None = None,
        times: Any = None,
        rtol: float | None = None,
        atol: float | None = None,
        method: str | None = None,
        integrator: str | None = None,
        precision: str | None = None,
        project: str | None = None,
        rank_tolerance: float | None = None,
        max_steps: int | None = None,
        max_step: float | None = None,
        multipliers: bool | None = None,
    ) -> None:
        """How the motion is computed; whatever is not given keeps its value or the default of the model format.

        `times` replaces `samples` and `duration`, and vice versa. With `multipliers`,
        ``lambda.NAME`` is recorded for every constraint.
        """
        if times is not None and samples is not None:
            raise ValueError("give samples or times, not both")
        numbers = {
            "duration": duration,
            "samples": samples,
            "rtol": rtol,
            "atol": atol,
            "rank_tolerance": rank_tolerance,
            "max_steps": max_steps,
            "max_step": max_step,
        }
        words = {"method": method, "integrator": integrator, "precision": precision, "project": project}
        new = {key: self._scalar(value, key) for key, value in numbers.items() if value is not None}
        new.update({key: word(value, key) for key, value in words.items() if value is not None})
        if multipliers is not None:
            new["multipliers"] = flag(multipliers, "multipliers")
        if times is not None:
            new["times"] = tuple(self._scalar(time, "a time") for time in items(times, "times"))
        with self._statement("simulation(...)") as (document, origin):
            table = document.table("simulation")
            replaced: tuple[str, ...] = ()
            if times is not None:
                replaced = ("samples", "duration")
            elif samples is not None or duration is not None:
                replaced = ("times",)
            for key in replaced:
                table.pop(key, None)
            table.update({key: Entry(value, origin) for key, value in new.items()})

    def outputs(self, mapping: Mapping[str, Scalar] | None = None, /, **expressions: Scalar) -> None:
        """Additional quantities to record, by name; they may contain accelerations, constraint forces and reactions."""
        self._named("outputs", "an output", {**(mapping or {}), **expressions})

    def quasi_velocities(self, mapping: Mapping[str, Scalar] | None = None, /, **forms: Scalar) -> None:
        """Linear forms in the velocities, as many as there are degrees of freedom, for the methods that use them.

        They replace earlier ones.
        """
        with self._lock:
            self._named("quasi_velocities", "a quasi-velocity", {**(mapping or {}), **forms}, replace=True)

    def _named(self, section: str, what: str, given: Mapping[str, Any], replace: bool = False) -> None:
        checked = {}
        for name, value in given.items():
            word(name, f"the name of {what}")
            if not _core.is_name(name) or _core.is_reserved(name):
                self._declare(name, what)
            if self._doc() and self._declared.get(name) == "a coordinate":
                raise ValueError(f"{name!r} is a coordinate and cannot be the name of {what} too")
            checked[name] = self._scalar(value, f"{what}, {name},")
        with self._statement(f"{section}(...)") as (document, origin):
            if replace:
                document.tables.pop(section, None)
            document.table(section).update({name: Entry(value, origin) for name, value in checked.items()})

    def independent(self, *coordinates: Any) -> None:
        """The independent coordinates, in this order, for the methods that need such a choice."""
        listed = list(coordinates[0]) if len(coordinates) == 1 and isinstance(coordinates[0], (list, tuple)) else coordinates
        names = tuple(self._coordinate(x, "what is independent") for x in listed)
        with self._statement("independent(...)") as (document, origin):
            document.tables["independent"] = {"coordinates": Entry(names, origin)} if names else {}

    # What is drawn.

    def view(self, *, up: str | None = None, ground: Any = None) -> None:
        """The axis that points upwards, "y", "z", "-y" or "-z"; and the height of the ground, True for 0, False for none."""
        new: dict[str, Any] = {}
        if up is not None:
            new["up"] = word(up, "up")
        if ground is not None:
            new["ground"] = bool(ground) if isinstance(ground, (bool, np.bool_)) else self._scalar(ground, "the ground")
        with self._statement("view(...)") as (document, origin):
            document.table("view").update({name: Entry(value, origin) for name, value in new.items()})

    def view_point(
        self,
        at: VectorLike,
        name: str | None = None,
        *,
        radius: Scalar | None = None,
        mass: Scalar | None = None,
        trail: bool | None = None,
    ) -> None:
        """Draws a ball and its path; with a mass, also the forces on it, as on a particle."""
        entries = {
            "at": self._vector(at, "the place of a point"),
            "radius": self._optional(radius, "the radius of a point"),
            "mass": self._optional(mass, "the mass of a point"),
            "trail": None if trail is None else flag(trail, "trail"),
        }
        self._draw("point", name, entries)

    def view_segment(
        self,
        start: VectorLike,
        end: VectorLike,
        name: str | None = None,
        *,
        style: str | None = None,
        radius: Scalar | None = None,
    ) -> None:
        """Draws a "rod", "line" or "spring" from one point to another."""
        entries = {
            "from": self._vector(start, "the start of a segment"),
            "to": self._vector(end, "the end of a segment"),
            "style": None if style is None else word(style, "the style of a segment"),
            "radius": self._optional(radius, "the radius of a segment"),
        }
        self._draw("segment", name, entries)

    def view_arrow(self, at: VectorLike, vector: VectorLike, name: str | None = None, *, kind: str | None = None) -> None:
        """Draws a vector at a point, in the colour of its kind: "applied", "ideal", "nonideal" or "other"."""
        entries = {
            "at": self._vector(at, "the place of an arrow"),
            "vector": self._vector(vector, "an arrow"),
            "kind": None if kind is None else word(kind, "the kind of an arrow"),
        }
        self._draw("arrow", name, entries)

    def _draw(self, drawing: str, name: str | None, entries: dict[str, Any]) -> None:
        kept: dict[str, Any] = {} if name is None else {"name": title(name, f"the name of {article(drawing)}")}
        kept.update({key: value for key, value in entries.items() if value is not None})
        with self._statement(f"view_{drawing}(...)") as (document, origin):
            self._say(document, f"view.{drawing}", name, kept, origin)
