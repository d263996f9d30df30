"""Bodies and joints of a system, as objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from . import _core
from .author import Vector, as_vector
from .document import SPIN
from .values import Scalar, VectorLike, did_you_mean, vector

if TYPE_CHECKING:
    from .system import System

_FORCES = ("fx", "fy", "fz", "mx", "my", "mz")
_REACTIONS = (*_FORCES, *(f"b{f}" for f in _FORCES), "angle", "position", "rate")


class Part:
    """Something of a system that has a name."""

    __slots__ = ("_system", "name")

    def __init__(self, system: System, name: str) -> None:
        self._system = system
        self.name = name

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<{type(self).__name__.lower()} {self.name!r} of the system {self._system.name!r}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Part) and other.name == self.name and other._system._names == self._system._names

    def __hash__(self) -> int:
        return hash((self.name, self._system._names.id))


class Particle(Part):
    """A point mass. Its position and velocity are expressions of the coordinates, in fixed axes.

    >>> import dalembert as dal
    >>> s = dal.System("pendulum")
    >>> th = s.coordinate("th")
    >>> bob = s.particle("bob", mass=1, position=[dal.sin(th), 0, -dal.cos(th)])
    >>> bob.velocity[2]
    sin(th)*th'
    """

    __slots__ = ()

    @property
    def _geometry(self) -> _core.Geometry:
        with self._system._lock:
            return self._system._geometry(self.name)

    def _shown(self, names: Sequence[str], expressions: Sequence[_core.Expr]) -> list[_core.Expr]:
        """The expressions, which the model file may call by these names."""
        self._system._seen.update((f"{self.name}.{name}", e) for name, e in zip(names, expressions))
        return list(expressions)

    @property
    def position(self) -> Vector:
        """The centre of mass."""
        return as_vector(self._shown("xyz", self._geometry.position))

    @property
    def velocity(self) -> Vector:
        """The velocity of the centre of mass."""
        geometry = self._geometry
        self._shown("xyz", geometry.position)
        return as_vector(geometry.velocity)

    @property
    def x(self) -> _core.Expr:
        """A component of the position of the centre of mass."""
        return self._shown("xyz", self._geometry.position)[0]

    @property
    def y(self) -> _core.Expr:
        """A component of the position of the centre of mass."""
        return self._shown("xyz", self._geometry.position)[1]

    @property
    def z(self) -> _core.Expr:
        """A component of the position of the centre of mass."""
        return self._shown("xyz", self._geometry.position)[2]


class Frame(Particle):
    """A massless origin with axes, in which others can be described."""

    __slots__ = ()

    @property
    def origin(self) -> Vector:
        """The position of its origin."""
        return as_vector(self._geometry.origin)

    @property
    def rotation(self) -> Any:
        """The 3 x 3 matrix that takes components in body axes to components in fixed axes."""
        rows = self._geometry.rotation
        for letter, row in zip("xyz", rows):
            self._shown([f"r{letter}{column}" for column in "xyz"], row)
        return np.array(rows, dtype=object)

    @property
    def spin(self) -> Vector:
        """The angular velocity, in body axes."""
        return as_vector(self._shown(SPIN, self._geometry.spin))

    @property
    def wx(self) -> _core.Expr:
        """A component of the angular velocity, in body axes."""
        return self._shown(SPIN, self._geometry.spin)[0]

    @property
    def wy(self) -> _core.Expr:
        """A component of the angular velocity, in body axes."""
        return self._shown(SPIN, self._geometry.spin)[1]

    @property
    def wz(self) -> _core.Expr:
        """A component of the angular velocity, in body axes."""
        return self._shown(SPIN, self._geometry.spin)[2]

    def point(self, place: VectorLike, y: Scalar | None = None, z: Scalar | None = None, /) -> Vector:
        """The position of a point in fixed axes; `place` is in body axes, from the origin of the body.

        Three components, as a list or one by one.
        """
        given = (place, y, z) if y is not None and z is not None else place
        system = self._system
        what = f"a point of {self.name!r}"
        components = system._components(vector(given, system._names, what), what)
        place_text = ", ".join(map(str, components))
        result = self._geometry.point(components)
        system._seen.update((f"point({self.name}, {place_text}).{xyz}", e) for xyz, e in zip("xyz", result))
        return as_vector(result)


class Body(Frame):
    """A rigid body. Its position, velocity and rotation are expressions of the coordinates.

    >>> import dalembert as dal
    >>> s = dal.System("wheel")
    >>> x, q = s.coordinates("x q")
    >>> wheel = s.body("wheel", mass=1, inertia=[1, 1, 2], position=[x, 0, 0], orientation=("z", q))
    >>> wheel.point([1, 0, 0])[1], wheel.wz
    (sin(q), q')
    """

    __slots__ = ()


class Joint(Part):
    """What joins two bodies.

    ``pin.fx``, ``pin.fy``, ``pin.fz`` are the force that the joint exerts on its second body, ``pin.mx`` ... its moment
    about the joint's point, in fixed axes; ``pin.bfx`` ... ``pin.bmz`` the same in the axes of the second body. Hinges
    have ``pin.angle`` and ``pin.rate``, sliders ``pin.position`` and ``pin.rate``. Reactions may stand in outputs; angles,
    displacements and rates also in forces, virtual work, constraints and the motion of later joints.
    """

    __slots__ = ()

    def __getattr__(self, quantity: str) -> _core.Expr:
        if quantity in _REACTIONS:
            return _core.joint_quantity(self._system._names, f"{self.name}.{quantity}")
        if quantity.startswith("_"):
            raise AttributeError(f"a joint has no {quantity!r}", name=quantity, obj=self)
        known = ", ".join(self._quantities())
        raise AttributeError(
            f"a joint has no {quantity!r}{did_you_mean(quantity, _REACTIONS)}; it tells {known}", name=quantity, obj=self
        )

    def _quantities(self) -> list[str]:
        """What a joint of this type tells."""
        table = self._system._doc().parts["joint"].get(self.name)
        entries = table.entries if table is not None else {}
        kind = entries.get("type")
        second = entries["bodies"][1] if "bodies" in entries else entries.get("body")
        particle = self._system._declared.get(str(second)) == "a particle"
        moments = kind in ("hinge", "slider", "universal", "weld") or kind == "ball" and "friction" in entries
        forces = _FORCES if moments else _FORCES[:3]
        told = [*forces, *(() if particle else (f"b{f}" for f in forces))]
        return told + {"hinge": ["angle", "rate"], "slider": ["position", "rate"]}.get(str(kind), [])

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._quantities()]

    @property
    def constraints(self) -> list[str]:
        """The names of the constraints that the joint makes."""
        for name, _, _, constraints in self._system._model().joints:
            if name == self.name:
                return list(constraints)
        return []
