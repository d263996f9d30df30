"""Bodies, what joins them and what acts on them."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Sequence

import numpy as np

from . import _core
from .author import Author
from .document import Table
from .handles import Body, Frame, Joint, Part, Particle
from .errors import UnknownName
from .values import (
    Scalar,
    VectorLike,
    article,
    did_you_mean,
    flag,
    is_nested,
    items,
    matrix,
    same_value,
    suggestion,
    title,
    vector,
    word,
)

_GROUND = "ground"
_JOINTS = (
    "ball", "hinge", "slider", "universal", "weld", "distance", "point-on-line", "point-on-plane", "rolls", "knife-edge",
)  # fmt: skip
_OTHER_JOINTS = {
    "revolute": "hinge", "pin": "hinge", "prismatic": "slider", "spherical": "ball", "fixed": "weld", "rigid": "weld",
    "cardan": "universal", "rolling": "rolls",
}  # fmt: skip


def _given(**arguments: Any) -> dict[str, Any]:
    """The arguments that are not None."""
    return {name: value for name, value in arguments.items() if value is not None}


class WithParts(Author):
    """The statements about bodies, joints, springs and forces at points."""

    __slots__ = ()

    # Bodies.

    def body(
        self,
        name: str,
        *,
        mass: Scalar,
        inertia: Any,
        position: VectorLike | None = None,
        orientation: Any = None,
        frame: Any = None,
        center_of_mass: VectorLike | None = None,
        center: VectorLike | None = None,
        shape: str | None = None,
        radius: Scalar | None = None,
        length: Scalar | None = None,
        thickness: Scalar | None = None,
        size: VectorLike | None = None,
        axis: Any = None,
    ) -> Body:
        """A rigid body; it brings its own kinetic energy, and its potential if there is gravity.

        Parameters
        ----------
        name : different from all other names of the system
        mass : an expression of parameters, positive
        inertia : three principal moments, or a 3 x 3 matrix, about the centre of mass and in body axes
        position : of the centre of mass, or of the body's origin if `center_of_mass` is given
        orientation : ``("zxz", phi, theta, psi)`` for rotations about axes one after the other, each in the axes that
            the previous ones produced; ``{"axis": [1, 1, 0], "angle": q}``; ``{"quaternion": [e0, e1, e2, e3]}``, whose
            unit length is then a constraint; or a list of these, applied one after the other
        frame : the body or frame to which position and orientation are relative
        center_of_mass : in body axes, from the body's origin; `center` for short
        shape : "sphere", "disk", "cylinder", "rod", "box", "ellipsoid", "none" or "automatic": how it is drawn, with
            radius, length or thickness, size and axis
        """
        if center is not None and center_of_mass is not None:
            raise ValueError("center is short for center_of_mass: give one of them")
        place = center_of_mass if center is None else center
        what = f"of the body {name!r:.60}"
        entries = _given(
            mass=self._scalar(mass, f"the mass {what}"),
            inertia=self._inertia(inertia, what),
            frame=self._frame_name(frame, what),
            position=self._vector(position, f"the position {what}"),
            orientation=self._orientation(orientation, what),
            center_of_mass=self._vector(place, f"the centre of mass {what}"),
            **self._drawing(what, shape, radius, length, thickness, size, axis),
        )
        return Body(self._add_body("body", name, entries), name)

    def particle(
        self,
        name: str,
        *,
        mass: Scalar,
        position: VectorLike | None = None,
        frame: Any = None,
        shape: str | None = None,
        radius: Scalar | None = None,
        length: Scalar | None = None,
        thickness: Scalar | None = None,
        size: VectorLike | None = None,
        axis: Any = None,
    ) -> Particle:
        """A mass at a point: `mass` an expression of parameters, `position` three expressions of positions and time.

        `frame` is the body or frame to which the position is relative. The rest says how it is drawn; `radius`
        alone is the size of the ball.
        """
        what = f"of the particle {name!r:.60}"
        entries = _given(
            mass=self._scalar(mass, f"the mass {what}"),
            frame=self._frame_name(frame, what),
            position=self._vector(position, f"the position {what}"),
            **self._drawing(what, shape, radius, length, thickness, size, axis),
        )
        return Particle(self._add_body("particle", name, entries), name)

    def frame(
        self,
        name: str,
        *,
        position: VectorLike | None = None,
        orientation: Any = None,
        frame: Any = None,
        shape: str | None = None,
        radius: Scalar | None = None,
        length: Scalar | None = None,
        thickness: Scalar | None = None,
        size: VectorLike | None = None,
        axis: Any = None,
    ) -> Frame:
        """A massless origin with axes, in which to describe others; with a shape it is visible. See `body`."""
        what = f"of the frame {name!r:.60}"
        entries = _given(
            frame=self._frame_name(frame, what),
            position=self._vector(position, f"the position {what}"),
            orientation=self._orientation(orientation, what),
            **self._drawing(what, shape, radius, length, thickness, size, axis),
        )
        return Frame(self._add_body("frame", name, entries), name)

    def _add_body(self, section: str, name: Any, entries: dict[str, Any]) -> Any:
        what = f"a {section}"
        with self._statement(f"{section}({name!r:.60}, ...)") as (document, origin):
            self._declare(name, what)
            table = Table(section, {"name": name, **entries}, origin)
            before = document.bodies.get(name)
            document.bodies[name] = table
            self._declared[name] = what
            if before is not None and not same_value(before.entries, table.entries):
                self._changed()
        return self

    def _vector(self, value: Any, what: str) -> Any:
        return None if value is None else vector(value, self._names, what)

    def _optional(self, value: Any, what: str) -> Any:
        return None if value is None else self._scalar(value, what)

    def _inertia(self, value: Any, what: str) -> Any:
        if is_nested(value):
            return matrix(value, self._names, f"the inertia {what}", 3)
        if isinstance(value, str):
            raise TypeError(f"the inertia {what} must be three moments or a 3 x 3 matrix, not a text")
        return vector(value, self._names, f"the inertia {what}")

    def _drawing(
        self, what: str, shape: Any, radius: Any, length: Any, thickness: Any, size: Any, axis: Any
    ) -> dict[str, Any]:
        if axis is not None and not (isinstance(axis, str) and axis in ("x", "y", "z")):
            axis = vector(axis, self._names, f"the axis {what}")
        return _given(
            shape=None if shape is None else word(shape, f"the shape {what}"),
            radius=self._optional(radius, f"the radius {what}"),
            length=self._optional(length, f"the length {what}"),
            thickness=self._optional(thickness, f"the thickness {what}"),
            size=self._vector(size, f"the size {what}"),
            axis=axis,
        )

    def _part_name(self, part: Any, what: str, kinds: Sequence[str]) -> str:
        """The name of a body or joint, given by itself or by its name."""
        if isinstance(part, Part):
            if part._system._names != self._names:
                raise ValueError(_core.stranger(repr(part.name), part._system.name, self.name))
            name = part.name
        elif isinstance(part, str):
            name = part
        else:
            raise TypeError(f"{what} is given by itself or by its name, not by {article(type(part).__name__)}")
        if name == _GROUND and "a body" in kinds:
            return name
        self._doc()
        if self._declared.get(name) not in kinds:
            known = [other for other, kind in self._declared.items() if kind in kinds]
            hint = did_you_mean(name, known) or (f"; there are {', '.join(map(repr, known[:20]))}" if known else "")
            raise UnknownName(f"{name!r:.60} is not {what}{hint}")
        return name

    def _body_name(self, body: Any) -> str:
        return self._part_name(body, "a body", ("a body", "a particle", "a frame"))

    def _frame_name(self, frame: Any, what: str) -> str | None:
        if frame is None:
            return None
        return self._part_name(frame, f"a body or frame, as the frame {what} must be", ("a body", "a frame"))

    def _orientation(self, value: Any, what: str) -> Any:
        """An orientation as the document keeps it: a dict, or a tuple of dicts."""
        if value is None:
            return None
        name = f"the orientation {what}"
        if isinstance(value, Mapping):
            return self._turn(value, name)
        if isinstance(value, (list, tuple)) and value and isinstance(value[0], str):
            return self._turn({"axes": value[0], "angles": list(value[1:])}, name)
        if isinstance(value, (list, tuple)) and value:
            return tuple(self._orientation(turn, what) for turn in value)
        raise TypeError(
            f'{name} is written ("zxz", phi, theta, psi), {{"axis": [1, 0, 0], "angle": q}} or '
            f'{{"quaternion": [e0, e1, e2, e3]}}, or as a list of these, not {value!r:.60}'
        )

    def _turn(self, turn: Mapping[str, Any], what: str) -> dict[str, Any]:
        known = ("axes", "angles", "axis", "angle", "quaternion")
        result: dict[str, Any] = {}
        for key, value in turn.items():
            if key not in known:
                raise ValueError(f"{what} has no {key!r}{did_you_mean(str(key), known)}; it takes {', '.join(known)}")
            if key == "axes":
                result[key] = word(value, f"the axes of {what}")
            elif key == "axis":
                result[key] = vector(value, self._names, f"the axis of {what}")
            elif key == "angle":
                result[key] = self._scalar(value, f"the angle of {what}")
            else:
                single = key == "angles" and (isinstance(value, (str, _core.Expr)) or np.ndim(value) == 0)
                listed = [value] if single else items(value, f"the {key} of {what}")
                result[key] = tuple(self._scalar(item, f"the {key} of {what}") for item in listed)
        return result

    # The geometry of bodies.

    def _geometry(self, name: str) -> _core.Geometry:
        tables = self._doc().bodies
        chain: list[str] = []
        parent: str | None = name
        while parent is not None and parent != _GROUND and parent not in self._geometries:
            if parent in chain:
                raise ValueError(f"the frames of {' -> '.join([*chain, parent])} run in a circle")
            if parent not in tables:
                raise UnknownName(f"{parent!r:.60} is not a body of this system{did_you_mean(parent, tables)}")
            chain.append(parent)
            parent = tables[parent].entries.get("frame")
        for link in reversed(chain):
            table = tables[link]
            outer = table.entries.get("frame")
            what = f"{table.section} {link}"
            self._geometries[link] = _core.Geometry.make(
                self._names,
                link,
                table.section == "particle",
                self._geometries.get(outer) if outer is not None else None,
                self._components(table.entries.get("position", (0, 0, 0)), f"position of {what}"),
                self._turns(table.entries.get("orientation"), f"orientation of {what}"),
                self._components(table.entries.get("center_of_mass", (0, 0, 0)), f"centre of mass of {what}"),
            )
        return self._geometries[name]

    def _turns(self, orientation: Any, what: str) -> list[tuple[Any, ...]]:
        turns: list[tuple[Any, ...]] = []
        tables: Iterable[dict[str, Any]] = (
            () if orientation is None else (orientation,) if isinstance(orientation, dict) else orientation
        )
        for turn in tables:
            if isinstance(turn, tuple):
                turns += self._turns(turn, what)
            elif "axes" in turn:
                listed = turn.get("angles", ())
                angles = listed if isinstance(listed, tuple) else (listed,)
                turns.append(("axes", turn["axes"], [self._expression(a, what) for a in angles]))
            elif "axis" in turn:
                angle = turn.get("angle", 0)
                angle = angle[0] if isinstance(angle, tuple) and len(angle) == 1 else angle
                turns.append(("axis", self._components(turn["axis"], what), self._expression(angle, what)))
            else:
                turns.append(("quaternion", [self._expression(e, what) for e in turn.get("quaternion", ())]))
        return turns

    def _add_body_to_scope(self, name: str) -> None:
        if self._declared.get(name) in ("a body", "a particle", "a frame"):
            self._names_in_scope().add_body(name, self._geometry(name))

    # Joints, springs, forces at points.

    def _bodies(self, bodies: Any, body: Any) -> dict[str, Any]:
        if bodies is not None:
            pair = [bodies] if isinstance(bodies, (str, Part)) else list(bodies)
            if len(pair) != 2:
                raise ValueError(f"bodies are two, the second is the one whose reaction is reported, not {len(pair)}")
            return {"bodies": tuple(map(self._body_name, pair))}
        return {} if body is None else {"body": self._body_name(body)}

    def _pair(self, value: Any, what: str) -> Any:
        if value is None:
            return None
        both = items(value, what)
        if len(both) != 2:
            raise ValueError(f"{what} must be two, one for each body, not {len(both)}")
        return tuple(vector(v, self._names, what) for v in both)

    def joint(
        self,
        type: str,
        name: str,
        *,
        bodies: Any = None,
        body: Any = None,
        points: Any = None,
        axis: VectorLike | None = None,
        axes: Any = None,
        references: Any = None,
        frames: Any = None,
        normal: VectorLike | None = None,
        length: Scalar | None = None,
        motion: Scalar | None = None,
        shape: str | None = None,
        radius: Scalar | None = None,
        semi_axes: VectorLike | None = None,
        contact: bool | None = None,
        friction: Mapping[str, Scalar] | None = None,
    ) -> Joint:
        """A joint: it writes the constraints and reports the reaction.

        Parameters
        ----------
        type : "ball", "hinge", "universal", "weld", "slider", "distance", "point-on-line", "point-on-plane", "rolls"
            or "knife-edge"
        name : different from all other names of the system
        bodies : two bodies, particles, frames or "ground"; the second is the one whose reaction is reported
        body : one body instead: the first is then the ground
        points : the joint's point in each, in its axes and from its origin
        axis : a direction with the same components in the axes of both; or `axes`, one for each
        references : hinge and slider: directions that agree where the angle is zero
        frames : slider and weld: for each an orientation, the joint's own axes in its axes
        normal : of the plane, in the axes of the first body
        length : of a distance
        motion : the angle of a hinge, displacement of a slider or length of a distance, of positions and time
        shape, radius, semi_axes, contact : of what rolls
        friction : ``{"mu": 0.2, "radius": 0.01, "slip": 1e-3}``, Coulomb's law
        """
        what = f"of the joint {name!r:.60}"
        if word(type, f"the type {what}") not in _JOINTS:
            other = _OTHER_JOINTS.get(type.lower())
            hint = f"; it is called {other!r} here" if other is not None else suggestion(type, _JOINTS)
            raise UnknownName(f"{type!r:.60} is no type of joint{hint}")
        if bodies is None and body is None:
            raise TypeError(f"the bodies {what} are missing: bodies=(a, b), or body=b where the other is the ground")
        entries = _given(
            type=type,
            **self._bodies(bodies, body),
            points=self._pair(points, f"the points {what}"),
            axis=self._vector(axis, f"the axis {what}"),
            axes=self._pair(axes, f"the axes {what}"),
            references=self._pair(references, f"the references {what}"),
            frames=None if frames is None else tuple(self._orientation(f, f"in the frames {what}") for f in frames),
            normal=self._vector(normal, f"the normal {what}"),
            length=self._optional(length, f"the length {what}"),
            motion=self._optional(motion, f"the motion {what}"),
            shape=None if shape is None else word(shape, f"the shape {what}"),
            radius=self._optional(radius, f"the radius {what}"),
            semi_axes=self._vector(semi_axes, f"the semi-axes {what}"),
            contact=None if contact is None else flag(contact, f"the contact {what}"),
            friction=None
            if friction is None
            else {str(key): self._scalar(value, f"{key} in the friction {what}") for key, value in friction.items()},
        )
        with self._statement(f"joint({type!r:.60}, {name!r:.60}, ...)") as (document, origin):
            self._declare(name, "a joint")
            self._say(document, "joint", name, {"name": name, **entries}, origin)
            self._declared[name] = "a joint"
            self._names_in_scope().add_joint(name)
        return Joint(self, name)  # type: ignore[arg-type]

    def spring(
        self,
        name: str | None = None,
        *,
        stiffness: Scalar | None = None,
        bodies: Any = None,
        body: Any = None,
        points: Any = None,
        length: Scalar | None = None,
        joint: Any = None,
        rest: Scalar | None = None,
        damping: Scalar | None = None,
    ) -> None:
        """A spring between points of two bodies, or along a hinge's angle or a slider's displacement.

        Its potential energy is ``stiffness*(s - s0)**2/2`` and its dissipation ``damping*s.d**2/2``, with s the distance
        of the points and s0 = `length`, or s the angle or displacement of the `joint` and s0 = `rest`.
        """
        what = f"of the spring {name!r:.60}" if name is not None else "of a spring"
        entries = _given(
            name=None if name is None else title(name, "the name of a spring"),
            **self._bodies(bodies, body),
            joint=None if joint is None else self._part_name(joint, "a joint", ("a joint",)),
            points=self._pair(points, f"the points {what}"),
            stiffness=self._optional(stiffness, f"the stiffness {what}"),
            length=self._optional(length, f"the length {what}"),
            rest=self._optional(rest, f"the rest {what}"),
            damping=self._optional(damping, f"the damping {what}"),
        )
        with self._statement("spring(...)") as (document, origin):
            self._say(document, "spring", entries.get("name"), entries, origin)

    def point_force(
        self,
        body: Any,
        *,
        force: VectorLike | None = None,
        torque: VectorLike | None = None,
        point: VectorLike | None = None,
        axes: str | None = None,
        name: str | None = None,
    ) -> None:
        """An applied force at a point of a body, and a torque; expressions of positions, velocities and time.

        `point` is in body axes, from its origin. `axes` says to which axes force and torque refer: "world" or "body".
        """
        what = f"on {body!s:.60}"
        entries = _given(
            name=None if name is None else title(name, "the name of a force"),
            body=self._body_name(body),
            point=self._vector(point, f"the point of a force {what}"),
            force=self._vector(force, f"a force {what}"),
            torque=self._vector(torque, f"a torque {what}"),
            axes=None if axes is None else word(axes, f"the axes of a force {what}"),
        )
        with self._statement("point_force(...)") as (document, origin):
            self._say(document, "force", entries.get("name"), entries, origin)
