"""A mechanical system as its author states it."""

from __future__ import annotations

import numbers
import operator
import os
import tempfile
from typing import TYPE_CHECKING, Any, Iterable, Mapping

import numpy as np

from . import _core
from .author import Vector, as_vector
from .changing import WithChanges
from .document import Entry, Table
from .errors import ModelError, UnknownName
from .handles import Body, Frame, Joint, Particle
from .reading import loads, models, read
from .subject import name_text
from .symbols import Coordinates, Parameters
from .tables import Table as PointTable
from .tables import points, table_of
from .values import (
    EquationLike,
    Scalar,
    VectorLike,
    counted,
    did_you_mean,
    equation,
    file_path,
    is_sympy,
    items,
    matrix,
    named_after,
    same_value,
    suggestion,
    title,
    vector,
    within_floats,
    word,
)

if TYPE_CHECKING:
    from .check import Check
    from .derivation import Equations
    from .motion import Compiled

__all__ = ["Body", "Frame", "Joint", "Particle", "System", "loads", "models", "read"]

_HANDLES = {"a body": Body, "a particle": Particle, "a frame": Frame, "a joint": Joint}
_ENERGIES = ("T", "V", "L", "U", "Lagrangian", "kinetic_energy", "potential_energy", "energy")
_OF_MOTIONS = dict.fromkeys(("run", "solve", "integrate"), "simulate") | {"accelerations": "acceleration"}
_LONGEST_LATEX = 2000
_MOST_FORMULAS = 20


class System(WithChanges):
    """One mechanical system: coordinates, energies, constraints, bodies, and how its motion is computed.

    A system states what a model file would; `to_toml` shows it. Wherever an expression is expected you may write
    an `Expr`, a number, a SymPy expression, or a text in the notation of model files.

    >>> import dalembert as dal
    >>> s = dal.System("knife edge")
    >>> x, y, phi = s.coordinates("x y phi")
    >>> m, I = s.parameters(m=2.0, I=0.5)
    >>> s.kinetic = m*(x.d**2 + y.d**2)/2 + I*phi.d**2/2
    >>> s.constrain(x.d*dal.sin(phi) == y.d*dal.cos(phi), name="edge")
    >>> print(s.to_toml())
    name = "knife edge"
    coordinates = ["x", "y", "phi"]
    <BLANKLINE>
    [parameters]
    m = 2.0
    I = 0.5
    <BLANKLINE>
    [energy]
    kinetic = "I*phi'^2/2 + m*(x'^2 + y'^2)/2"
    <BLANKLINE>
    [[constraint]]
    name = "edge"
    equation = "sin(phi)*x' = cos(phi)*y'"
    <BLANKLINE>
    """

    __slots__ = ()

    def __init__(self, name: str = "system", description: str = "") -> None:
        super().__init__(name, description)

    def __setattr__(self, attribute: str, value: Any) -> None:
        try:
            super().__setattr__(attribute, value)
        except AttributeError:
            if callable(getattr(type(self), attribute, None)):
                raise AttributeError(
                    f"{attribute} is a statement: s.{attribute}(...), not s.{attribute} = ...", name=attribute, obj=self
                ) from None
            if hasattr(type(self), attribute):
                raise AttributeError(f"{attribute} cannot be set", name=attribute, obj=self) from None
            raise AttributeError(self._no_attribute(attribute), name=attribute, obj=self) from None

    if not TYPE_CHECKING:

        def __getattr__(self, attribute: str) -> Any:
            if attribute.startswith("_"):
                raise AttributeError(f"a system has no {attribute!r}", name=attribute, obj=self)
            raise AttributeError(self._no_attribute(attribute), name=attribute, obj=self)

    def _no_attribute(self, attribute: str) -> str:
        """That there is no such attribute, and what was probably meant."""
        from .motion import Compiled

        told = f"a system has no {attribute!r}"
        meant = _OF_MOTIONS.get(attribute, attribute)
        if attribute in _ENERGIES:
            return f"{told}; the energies are s.kinetic and s.potential, or s.lagrangian instead of both"
        if attribute in self:
            return f'{told}; names of the system are s["{attribute}"]'
        if callable(getattr(Compiled, meant, None)):
            return f"{told}; compile it first: s.compile().{meant}(...)"
        if hasattr(Compiled, meant):
            return f"{told}; compile it first: s.compile().{meant}"
        return told + did_you_mean(attribute, [name for name in dir(type(self)) if not name.startswith("_")])

    # Names.

    def coordinates(self, *names: str | Iterable[str]) -> tuple[_core.Expr, ...]:
        """Declares coordinates: "x y phi", or one name after the other. Returns them.

        Their order is the order of all vectors, matrices and columns.
        """
        listed: list[str] = []
        for given in names:
            if isinstance(given, str):
                listed += given.replace(",", " ").split() or [given]
            else:
                listed += [word(name, "the name of a coordinate") for name in given]
        with self._statement("coordinates(...)") as (document, origin):
            new: dict[str, None] = {}
            for name in listed:
                self._declare(name, "a coordinate")
                if name in new:
                    raise ValueError(f"{name!r} is named twice")
                new[name] = None
            declared = [self._names.coordinate(name) for name in new]
            document.coordinates.update(dict.fromkeys(new, origin))
            scope = self._names_in_scope()
            for name, symbol in zip(new, declared):
                self._declared[name] = "a coordinate"
                scope.add(name, symbol)
            return Coordinates(declared)

    def coordinate(self, name: str) -> _core.Expr:
        """Declares one coordinate."""
        return self.coordinates([name])[0]

    def family(self, name: str, first: int, last: int) -> tuple[_core.Expr, ...]:
        """Declares the coordinates name[first] ... name[last] of a family, which are called th1, th2, ... Returns them.

        >>> s = System()
        >>> th = s.family("th", 1, 3)
        >>> th[0], s.coordinate_names
        (th1, ['th1', 'th2', 'th3'])
        """
        base = word(name, "the name of a family")
        try:
            begin, end = operator.index(first), operator.index(last)
        except TypeError:
            raise TypeError(f"a family is said as s.family({base!r:.60}, 1, 6), with whole numbers") from None
        if begin < 0:
            raise ValueError(f"the index of a name must not be negative, and {base!r:.60} begins at {begin}")
        if end < begin:
            raise ValueError(f"a family from {begin} to {end} has no members")
        return self.coordinates([_core.indexed_name(base, i) for i in range(begin, end + 1)])

    def parameters(self, mapping: Mapping[str, Scalar] | None = None, /, **values: Scalar) -> tuple[_core.Expr, ...]:
        """Declares parameters with their values: numbers, or expressions of other parameters. Returns them.

        >>> s = System()
        >>> m, k = s.parameters(m=2, k="pi^2*m")
        >>> s.parameter_values()["m"]
        2.0
        """
        given = _by_name(mapping, values, "parameters")
        checked = {name: self._parameter_value(name, value) for name, value in given.items()}
        with self._statement("parameters(...)") as (document, origin):
            for name in checked:
                self._declare(name, "a parameter")
            declared = [self._names.parameter(name) for name in checked]
            scope = self._names_in_scope()
            for (name, value), symbol in zip(checked.items(), declared):
                document.table("parameters")[name] = Entry(value, origin)
                self._declared[name] = "a parameter"
                scope.add(name, symbol)
            return Parameters(declared)

    def parameter(self, name: str, value: Scalar) -> _core.Expr:
        """Declares one parameter."""
        return self.parameters({name: value})[0]

    def _parameter_value(self, name: str, value: Any) -> Any:
        what = f"the parameter {name!r:.60}"
        return within_floats(self._scalar(value, what), what)

    def inputs(self, mapping: Mapping[str, Scalar] | None = None, /, **values: Scalar) -> tuple[_core.Expr, ...]:
        """Declares inputs, which are set from outside, with their default values. Returns them.

        >>> s = System()
        >>> x = s.coordinate("x")
        >>> (u,) = s.inputs(u=0)
        >>> s.kinetic = x.d**2/2
        >>> s.force(x, u)
        >>> sol = s.compile().simulate(2, inputs={"u": lambda t: 1 - t})
        >>> bool(abs(sol["x"][-1] - (2**2/2 - 2**3/6)) < 1e-12)
        True
        """
        given = _by_name(mapping, values, "inputs")
        checked = {name: self._parameter_value(name, value) for name, value in given.items()}
        with self._statement("inputs(...)") as (document, origin):
            for name in checked:
                self._declare(name, "an input")
            declared = [self._names.parameter(name) for name in checked]
            scope = self._names_in_scope()
            for (name, value), symbol in zip(checked.items(), declared):
                document.table("inputs")[name] = Entry(value, origin)
                self._declared[name] = "an input"
                scope.add(name, symbol)
            return Parameters(declared)

    def input(self, name: str, value: Scalar = 0) -> _core.Expr:
        """Declares one input; `value` is its value if nobody sets it."""
        return self.inputs({name: value})[0]

    def table(
        self,
        name: str,
        x: Any = None,
        y: Any = None,
        *,
        file: str | os.PathLike[str] | None = None,
        columns: tuple[str, str] | None = None,
        interpolation: str = "linear",
        outside: str = "hold",
    ) -> PointTable:
        """A function F(s) through points (x, y), or through two columns of a file, for any expression.

        `interpolation` is "linear", "hold" (the value of the previous point), "cubic" (monotone) or "spline"; `outside`
        the points, "hold" means the value of the nearer end and "error" no value, which ends a motion.

        >>> s = System()
        >>> x = s.coordinate("x")
        >>> F = s.table("F", [0, 1, 2], [0, 3, 1])
        >>> s.force(x, F(x))
        >>> F(x), F(0.5)
        (F(x), 1.5)
        """
        if (file is None) == (x is None) or (x is None) != (y is None) or (file is None) != (columns is None):
            raise ValueError(f"table {name!r:.60}: give x and y, or file and columns")
        if file is not None and columns is not None:
            read_columns = _core.read_columns(file_path(file))
            for column in columns:
                if column not in read_columns:
                    raise ValueError(f"{os.fspath(file)!s}: no column {column!r}; there are {', '.join(map(repr, read_columns))}")
            x, y = (read_columns[column] for column in columns)
        given_x, given_y = points(f"table {name!r:.60}", x, y)
        made = PointTable(_core.Table.through(word(name, "the name of a table"), given_x, given_y, interpolation, outside))
        entries = {
            "name": name,
            "x": tuple(given_x.tolist()),
            "y": tuple(given_y.tolist()),
            "interpolation": interpolation,
            **({"outside": outside} if outside != "hold" else {}),
        }
        with self._statement(f"table({name!r:.60}, ...)") as (document, origin):
            self._declare(name, "a table")
            document.parts["table"][name] = Table("table", entries, origin)
            self._declared[name] = "a table"
            self._names_in_scope().add_table(made._core)
        return made

    def set_parameters(self, mapping: Mapping[str, Scalar] | None = None, /, **values: Scalar) -> None:
        """Gives existing parameters other values."""
        given = _by_name(mapping, values, "set_parameters")
        checked = {name: self._parameter_value(name, value) for name, value in given.items()}
        with self._statement("set_parameters(...)") as (document, origin):
            table = document.table("parameters")
            for name in checked:
                if name not in table:
                    raise UnknownName(f"{name!r:.60} is not a parameter{suggestion(str(name), table)}")
            for name, value in checked.items():
                table[name] = Entry(value, origin)

    def parameter_values(self) -> dict[str, float]:
        """The values of the parameters."""
        if self._cached is not None:
            return dict(self._cached.parameter_values())
        other = System(self.name)
        other.coordinates("q" if "q" not in self._declared else "q_of_no_system")
        other._doc().tables["parameters"] = self._doc().tables.get("parameters", {})
        other.kinetic = 0
        return dict(other._model().parameter_values())

    def let(self, name: str, value: Any) -> Any:
        """Names a subexpression, or a vector of three, in the model file. Returns what it stands for.

        >>> s = System()
        >>> th = s.coordinate("th")
        >>> h = s.let("h", "1 - cos(th)")
        >>> s.kinetic, s.potential = th.d**2/2 + h.d**2, 9.81*h
        >>> print(s.to_toml().split("[energy]")[1])
        <BLANKLINE>
        kinetic = "h'^2 + th'^2/2"
        potential = "9.81*h"
        <BLANKLINE>
        """
        if isinstance(value, (list, tuple, np.ndarray)) or (is_sympy(value) and hasattr(value, "shape")):
            kept = vector(value, self._names, f"the let {name!r:.60}")
        else:
            kept = self._scalar(value, f"the let {name!r:.60}")
        with self._statement(f"let({name!r:.60}, ...)") as (document, origin):
            self._declare(name, "a let")
            table = document.table("let")
            again = name in table and not same_value(table[name].value, kept)
            if again:  # what it said so far does not count for what it says now
                document.tables["let"] = {other: entry for other, entry in table.items() if other != name}
                self._changed()
            try:
                meaning = self._add_let(name, kept)
            finally:
                document.tables["let"] = table
                if again:
                    self._changed()
            table[name] = Entry(kept, origin)
            self._declared[name] = "a let"
        return as_vector(meaning) if isinstance(meaning, list) else meaning

    @property
    def symbols(self) -> dict[str, _core.Expr]:
        """Coordinates, parameters and discrete values by name."""
        document = self._doc()
        result = {name: self._names.coordinate(name) for name in self.coordinate_names}
        result.update({name: self._names.parameter(name) for name in document.tables.get("discrete", {})})
        result.update({name: self._names.parameter(name) for name in document.tables.get("parameters", {})})
        return result

    def __getitem__(self, name: str) -> Any:
        """What a name of the system stands for: a coordinate, a parameter, a discrete value, a let, a body or a joint."""
        self._doc()
        what = self._declared.get(name)
        if what == "a coordinate":
            return self._names.coordinate(name)
        if what in ("a parameter", "an input", "a discrete value"):
            return self._names.parameter(name)
        if what == "a table":
            return PointTable(table_of(self._doc().parts["table"][name].entries))
        if what == "a let":
            meaning = self._parse(name, f"let {name}")
            return as_vector(meaning) if isinstance(meaning, list) else meaning
        if what is not None:
            return _HANDLES[what](self, name)
        raise UnknownName(f"the system {self.name!r} has no {name!r:.60}{did_you_mean(str(name), self._declared)}")

    def __contains__(self, name: object) -> bool:
        self._doc()
        return name in self._declared

    __iter__ = None

    # Energies.

    def _energy(self, key: str) -> _core.Expr | None:
        entry = self._doc().tables.get("energy", {}).get(key)
        return None if entry is None else self._expression(entry.value, key)

    def _set_energy(self, key: str, value: Any) -> None:
        what = {"lagrangian": "the Lagrangian", "dissipation": "dissipation"}.get(key, f"the {key} energy")
        kept = None if value is None else self._scalar(value, what)
        with self._statement(f"{key} = ...") as (document, origin):
            if kept is None:
                document.table("energy").pop(key, None)
            else:
                document.table("energy")[key] = Entry(kept, origin)

    @property
    def kinetic(self) -> _core.Expr | None:
        """The kinetic energy T(q, q', t) as written; that of bodies is added to it."""
        return self._energy("kinetic")

    @kinetic.setter
    def kinetic(self, value: Scalar | None) -> None:
        self._set_energy("kinetic", value)

    @property
    def potential(self) -> _core.Expr | None:
        """The potential energy V(q, t) as written; those of gravity and springs are added to it."""
        return self._energy("potential")

    @potential.setter
    def potential(self, value: Scalar | None) -> None:
        self._set_energy("potential", value)

    @property
    def lagrangian(self) -> _core.Expr | None:
        """L = T - V as written, instead of both: the terms without velocities are -V, all others T.

        >>> s = System()
        >>> x = s.coordinate("x")
        >>> s.lagrangian = x.d**2/2 - 2*x**2
        >>> s.energies()["potential"]
        2*x^2
        """
        return self._energy("lagrangian")

    @lagrangian.setter
    def lagrangian(self, value: Scalar | None) -> None:
        self._set_energy("lagrangian", value)

    @property
    def dissipation(self) -> _core.Expr | None:
        """Rayleigh's function D(q, q', t), whose force is the negative of its gradient in the velocities."""
        return self._energy("dissipation")

    @dissipation.setter
    def dissipation(self, value: Scalar | None) -> None:
        self._set_energy("dissipation", value)

    def energies(self) -> dict[str, _core.Expr]:
        """The total energies of the model, including those of bodies, gravity and springs."""
        model = self._model()
        parts = {"kinetic": model.kinetic, "potential": model.potential, "dissipation": model.dissipation}
        return {name: e for name, e in parts.items() if e is not None}

    @property
    def mass_matrix(self) -> Any:
        """M(q, t) as stated, n x n, instead of energies; the forces are then the whole of Q in M q'' = Q + constraint
        forces.

        None if energies determine it: `equations.M` is the mass matrix of any system.
        """
        entry = self._doc().top.get("mass_matrix")
        if entry is None:
            return None
        return np.array([[self._expression(e, "mass_matrix") for e in row] for row in entry.value], dtype=object)

    @mass_matrix.setter
    def mass_matrix(self, value: Any) -> None:
        kept = None if value is None else matrix(value, self._names, "the mass matrix", len(self.coordinate_names))
        with self._statement("mass_matrix = ...") as (document, origin):
            if kept is None:
                document.top.pop("mass_matrix", None)
            else:
                document.top["mass_matrix"] = Entry(kept, origin)

    @property
    def gravity(self) -> Vector | None:
        """The acceleration of free fall, three expressions; it acts on bodies and particles."""
        entry = self._doc().top.get("gravity")
        return None if entry is None else as_vector(self._components(entry.value, "gravity"))

    @gravity.setter
    def gravity(self, value: VectorLike | None) -> None:
        kept = None if value is None else vector(value, self._names, "gravity")
        with self._statement("gravity = ...") as (document, origin):
            if kept is None:
                document.top.pop("gravity", None)
            else:
                document.top["gravity"] = Entry(kept, origin)

    # Forces and constraints.

    def _add_up(self, section: str, what: str, along: Any, value: Any, name: str | None) -> None:
        """Adds components along coordinates to those that are there."""
        if isinstance(along, (list, tuple, np.ndarray)):
            raise TypeError(f"{what} is given as s.{section}(x, F) or s.{section}({{x: Fx, y: Fy}})")
        if isinstance(along, numbers.Number):
            place = f"; the coordinate comes first: s.{section}({value}, {along})" if isinstance(value, _core.Expr) else ""
            raise TypeError(f"{what} is along a coordinate, and {along} is a number{place}")
        given = along if isinstance(along, Mapping) else {along: value}
        if isinstance(along, Mapping) and value is not None:
            raise TypeError(f"{what} is given by a coordinate and its component, or by a mapping of them")
        if not isinstance(along, Mapping) and value is None:
            raise TypeError(f"{what} along {along!s:.60} is missing")
        for component in given.values():
            if callable(component):
                raise TypeError(
                    f"{what} is an expression, not a function of Python; write it with dal.t, or integrate motion.rhs "
                    "with your own controller"
                )
        if name is not None:
            title(name, f"the name of {what}")
        new = [
            (coordinate, self._scalar(component, f"{what} along {coordinate}"))
            for coordinate, component in ((self._coordinate(x, what), component) for x, component in given.items())
        ]
        kept = "forces" if section == "force" else section
        with self._statement(f"{section}(...)") as (document, origin):
            for coordinate, component in new:
                key = self._key(kept, None) if name is None else (name, coordinate)
                document.parts[kept][key] = Table(kept, {coordinate: component}, origin)

    def force(self, along: Any, value: Scalar | None = None, name: str | None = None) -> None:
        """An applied generalised force along a coordinate, or along several: ``s.force({x: Fx, y: Fy})``.

        It belongs to Q in M q'' = Q + Q_ideal + Q_nonideal. Several calls add up; one with a name replaces
        the earlier one along the coordinate under that name.
        """
        self._add_up("force", "a force", along, value, name)

    def virtual_work(self, along: Any, value: Scalar | None = None, name: str | None = None) -> None:
        """A component of C, the work of the constraint forces under a virtual displacement; several calls add up.

        Without it, constraints are ideal. It may contain `ideal`, as Coulomb's law does. Names work as in `force`.
        """
        self._add_up("virtual_work", "virtual work", along, value, name)

    def _components_of(self, section: str) -> dict[str, _core.Expr]:
        """The sums of what is said along each coordinate."""
        sums: dict[str, _core.Expr] = {}
        for table in self._doc().parts[section].values():
            for name, value in table.entries.items():
                component = self._expression(value, f"{section} {name}")
                sums[name] = sums[name] + component if name in sums else component
        return sums

    def ideal(self, along: Any) -> _core.Expr:
        """The ideal constraint force along a coordinate, for virtual work and outputs."""
        return self._names.ideal(self._coordinate(along, "a constraint force"))

    def nonideal(self, along: Any) -> _core.Expr:
        """The non-ideal constraint force along a coordinate, for outputs."""
        return self._names.nonideal(self._coordinate(along, "a constraint force"))

    def multiplier(self, constraint: str) -> _core.Expr:
        """The multiplier of a constraint, for outputs and arrows: lambda of M q'' = Q + C + sum of lambda times its row of A.

        >>> s = System()
        >>> x, y = s.coordinates("x y")
        >>> s.kinetic = (x.d**2 + y.d**2)/2
        >>> s.constrain(y == x, name="left rod")
        >>> s.outputs(tension=s.multiplier("left rod"))
        >>> s.said("output")["tension"]
        lambda."left rod"
        """
        return self._names.multiplier(title(constraint, "the name of a constraint"))

    def constrain(
        self,
        equation_: EquationLike,
        name: str | None = None,
        weight: float | None = None,
        *,
        by: Any = None,
    ) -> None:
        """A constraint: an equation of positions, velocities or accelerations, in which the latter are linear.

        ``x.d == y``, a SymPy Eq, an expression that vanishes, or a text "x' = y". A vector that vanishes, an array of
        three expressions, gives three constraints. `weight` is for the method "weighted" only.

        by
            Inputs that enforce it instead of an ideal reaction; they become outputs of the motion.

        >>> import dalembert as dal
        >>> s = dal.System("two cars and a spring")
        >>> x, y = s.coordinates("x y")
        >>> u = s.input("u")
        >>> s.kinetic, s.potential = x.d**2 + y.d**2/2, 2*(x - y)**2
        >>> s.force(x, u)
        >>> s.constrain(y == dal.cos(dal.t), name="path", by=u)
        >>> s.initial(q={x: 0.75, y: 1})
        >>> bool(abs(s.compile().simulate(1, samples=2)["u"][-1] - -2.5*np.cos(1)) < 1e-9)
        True
        """
        if isinstance(equation_, np.ndarray) and equation_.dtype == bool:
            raise TypeError("arrays compare to truth values: for a = b between vectors write s.constrain(a - b)")
        if isinstance(equation_, (list, tuple, np.ndarray)):
            parts = items(equation_, "an equation")
            if len(parts) != 3:
                raise ValueError(
                    f"an equation, or a vector of three, is needed, not {len(parts)} of them"
                    "; call constrain once for each equation"
                )
            blocks: list[tuple[str | None, Any]] = list(zip("xyz", parts))
        else:
            blocks = [(None, equation_)]
        kept = [(xyz, equation(e, self._names)) for xyz, e in blocks]
        if name is not None:
            title(name, "the name of a constraint")
        factor = {} if weight is None else {"weight": self._scalar(weight, "a weight")}
        if by is not None:
            inputs = list(by) if isinstance(by, (list, tuple)) else [by]
            factor = {**factor, "by": tuple(name_text(x, self._names) for x in inputs)}
        with self._statement("constrain(...)") as (document, origin):
            tables = document.parts["constraint"]
            stem = name
            for xyz, sides in kept:
                own = None if name is None else f"{name}.{xyz}" if xyz else name
                key = self._key("constraint", own)
                if xyz and stem is None:  # three rows go by the number of the first
                    stem = f"constraint {list(tables).index(key) + 1 if key in tables else len(tables) + 1}"
                named = {"name": f"{stem}.{xyz}" if xyz else stem} if stem is not None else {}
                tables[key] = Table("constraint", {**named, "equation": sides, **factor}, origin)

    @property
    def constraints(self) -> dict[str, Any]:
        """The constraints as written, by name: an equation each, or a list of three between vectors."""
        result: dict[str, Any] = {}
        for number, table in enumerate(self._doc().parts["constraint"].values(), 1):
            name = str(table.entries.get("name", f"constraint {number}"))
            result[name] = self._equation(table, name)
        return result

    # What is done with it.

    def compile(self, method: str | None = None, parameters: Mapping[str, Any] | None = None) -> Compiled:
        """Compiles the equations of motion; returns a `Compiled`."""
        from .motion import Compiled

        return Compiled(self, method=method, parameters=parameters)

    def derive(
        self, method: str | None = None, *, parameters: Mapping[Any, Any] | None = None, effort: float | None = None
    ) -> Any:
        """Derives the equations of motion: a `Derivation` in the formulation named, or `Derivations` in all of them.

        Parameters stay symbols; their values only decide choices at the initial state, such as which coordinates
        are dependent; `parameters` gives other values for that. A formulation that the model rules out raises
        a ValueError that says why. `effort` limits the algebra, counted in terms of polynomials examined, a few million
        per second: beyond it `EffortSpent` is raised. Ctrl-C ends it too.

        >>> import dalembert as dal
        >>> dal.read("dumbbell").derive("boltzmann-hamel").title
        'The Boltzmann-Hamel equations'
        """
        from .derivation import derive

        return derive(self, method, parameters=parameters, effort=effort)

    def check(
        self, method: str | None = None, *, parameters: Mapping[Any, Any] | None = None, effort: float | None = None
    ) -> Check:
        """Examines the model before it moves: kinds of constraints, their rank, the start, whether formulations agree.

        Compares all formulations, or the named one, with Lagrange's equations. Agreement is proven where the
        algebra can, and otherwise tested at random states on the constraints. `parameters` gives values that differ from
        the model's; `effort` limits the algebra as in `derive`.

        >>> import dalembert as dal
        >>> bool(dal.read("dumbbell").check("maggi"))
        True
        """
        from .check import check

        return check(self, method, parameters=parameters, effort=effort)

    @property
    def equations(self) -> Equations:
        """M, Q, A, b and C as expressions."""
        from .derivation import equations

        return equations(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file. An existing file is replaced as a whole or not at all."""
        target = file_path(path)
        folder = os.path.dirname(os.path.abspath(target))
        descriptor, temporary = tempfile.mkstemp(prefix=".", suffix=".toml", dir=folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(self.to_toml().encode())
                file.flush()
                os.fsync(file.fileno())
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(temporary, os.stat(target).st_mode & 0o7777 if os.path.exists(target) else 0o666 & ~mask)
            os.replace(temporary, target)
        except BaseException:
            os.unlink(temporary)
            raise

    def __repr__(self) -> str:
        document = self._doc()
        counts = [
            (len(self.coordinate_names), "coordinate"),
            (len(document.bodies), "body"),
            (len(document.parts["joint"]), "joint"),
            (len(document.parts["constraint"]), "constraint"),
            (len(document.parts["contact"]), "contact"),
            (len(document.parts["friction"]), "friction"),
            (len(document.parts["event"]), "event"),
        ]
        several = {"body": "bodies"}
        said = [counted(n, noun, several.get(noun)) for n, noun in counts if n > 0 or noun == "coordinate"]
        return f"<System {self.name!r}: {', '.join(said)}>"

    def _repr_markdown_(self) -> str:
        lines = [f"**{_markdown(self.name)}**"]
        if self.description:
            lines.append(_markdown(self.description))
        try:
            formulas = [
                f"{symbol} = {_short_latex(e)}"
                for symbol, e in (
                    ("T", self.kinetic),
                    ("V", self.potential),
                    ("L", self.lagrangian),
                    ("D", self.dissipation),
                )
                if e is not None
            ]
            for symbol, section in (("Q", "forces"), ("C", "virtual_work")):
                for name, component in self._components_of(section).items():
                    formulas.append(f"{symbol}_{{{self._names.coordinate(name).latex}}} = {_short_latex(component)}")
            for written in self.constraints.values():
                formulas += [_short_latex(e) for e in (written if isinstance(written, list) else [written])]
        except ModelError:
            return "\n\n".join([*lines, "This model has an error, which `check` tells."])
        lines += [f"$$ {formula} $$" for formula in formulas[:_MOST_FORMULAS]]
        if len(formulas) > _MOST_FORMULAS:
            lines.append(f"and {len(formulas) - _MOST_FORMULAS} more")
        return "\n\n".join([*lines, *self._part_lines()])

    def _part_lines(self) -> list[str]:
        """A line for each kind of parts that names them."""
        document = self._doc()
        joints, springs, forces = (document.parts[section].values() for section in ("joint", "spring", "force"))
        listed = {
            "Bodies": [name + f" ({t.section})" * (t.section != "body") for name, t in document.bodies.items()],
            "Joints": [f"{t.entries['name']} ({t.entries['type']})" for t in joints],
            "Springs": [str(t.entries.get("name", f"spring {i}")) for i, t in enumerate(springs, 1)],
            "Contacts": [str(t.entries.get("name", f"contact {i}")) for i, t in enumerate(document.parts["contact"].values(), 1)],
            "Frictions": [str(t.entries.get("name", f"friction {i}")) for i, t in enumerate(document.parts["friction"].values(), 1)],
            "Events": [str(t.entries.get("name", f"event {i}")) for i, t in enumerate(document.parts["event"].values(), 1)],
            "Forces at points": [f"{t.entries.get('name', 'a force')} on {t.entries['body']}" for t in forces],
        }
        return [
            f"{what}: {_markdown(', '.join(names[:_MOST_FORMULAS]))}" + ", ..." * (len(names) > _MOST_FORMULAS)
            for what, names in listed.items()
            if names
        ]


def _by_name(mapping: Any, values: dict[str, Any], call: str) -> dict[str, Any]:
    """Values by name, from a mapping and from keyword arguments."""
    if mapping is not None and not isinstance(mapping, Mapping):
        names = mapping.replace(",", " ").split() if isinstance(mapping, str) else []
        shown = names if names and all(map(_core.is_name, names)) else ["a", "b"]
        example = ", ".join(f"{name}={i}.0" for i, name in enumerate(shown[:6], 1))
        raise TypeError(f"parameters need values: s.{call}({example})")
    return {**(mapping or {}), **values}


def _short_latex(written: Any) -> str:
    latex = str(written.latex)
    return latex if len(latex) <= _LONGEST_LATEX else r"\ldots"


def _markdown(text: str) -> str:
    """Text that is to be read as it stands."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>()#+-.!|$&~" else c for c in " ".join(text.split()))


named_after(System)
