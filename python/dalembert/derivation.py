"""Readable equations of motion: derivations in every classical formulation."""

from __future__ import annotations

import json
import math
import os
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Iterator, Mapping

from . import _core
from .errors import UnknownName
from .fixed import Fixed, fixed
from .subject import refuse_other_names, subject_of
from .values import counted, suggestion, word_or_none

if TYPE_CHECKING:
    from .motion import Compiled
    from .system import System


class EffortSpent(RuntimeError):
    """A derivation would have taken more algebra than allowed."""


@dataclass(frozen=True)
class Formula:
    """One formula of a step, left = right: the left side as text and as LaTeX, `expr` the right side if there is one."""

    left: str
    left_latex: str
    expr: _core.Expr | None
    number: str

    @property
    def text(self) -> str:
        """As in a model file."""
        return self.left if self.expr is None else f"{self.left} = {self.expr}"

    @property
    def latex(self) -> str:
        """For math mode."""
        return self.left_latex if self.expr is None else f"{self.left_latex} = {self.expr.latex}"

    def __str__(self) -> str:
        return self.text

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex}$"


@dataclass(frozen=True)
class Step:
    """One step of a derivation; `number` is that of the formula it applies, as in the books ("G5.216")."""

    title: str
    number: str
    sentence: str
    sentence_latex: str
    formulas: tuple[Formula, ...]

    def __str__(self) -> str:
        head = self.title + (f" ({self.number})" if self.number else "")
        return "\n".join([head, *([self.sentence] if self.sentence else []), *(f"    {f}" for f in self.formulas)])


class _Document(Fixed):
    """A document in several formats, rendered when first asked for."""

    _native: _core.Derived
    _number: int | None
    _noun = "derivation"
    _instead = "; change the system and derive again"

    @cached_property
    def text(self) -> str:
        """As plain text, in lines of at most 100 columns where possible."""
        return self._native.rendered(self._number, "text")

    @cached_property
    def markdown(self) -> str:
        """As Markdown of GitHub's flavour, formulas fenced as ``math``."""
        return self._native.rendered(self._number, "markdown")

    @cached_property
    def latex(self) -> str:
        """As a complete LaTeX document, which compiles as it stands."""
        return self._native.rendered(self._number, "latex")

    @cached_property
    def html(self) -> str:
        """As one self-contained HTML file."""
        return self._native.rendered(self._number, "html")

    def __str__(self) -> str:
        return self.text.rstrip("\n")

    @cached_property
    def notebook(self) -> str:
        """As Markdown for notebooks, formulas between double dollars."""
        return notebook_markdown(self.markdown)

    def _repr_markdown_(self) -> str:
        return self.notebook


class Derivation(_Document):
    """The equations of motion of a model in one formulation, step by step.

    `method`, `title`  its name, and its name in books
    `mechanical`       False for `vakonomic`, which is not the motion of mechanics
    `steps`, `remarks` how the equations arise, and the choices made on the way
    `equations`        the dynamical equations as books print them, terms of the motion on the left;
                       quasi-velocities, multipliers and the like are separate symbols
    `rates`            how its own velocities, if it has any, follow from q'
    `equation_names`   what each of them belongs to: a coordinate, a quasi-velocity ...
    `accelerations`    the equations solved for the accelerations, or None if they are too long to read
    `text`, `markdown`, `notebook`, `latex`, `html`   the whole derivation as a document
    `json`             a dictionary, as in ``dalembert derive --json``

    >>> import dalembert as dal
    >>> found = dal.read("dumbbell").derive("boltzmann-hamel")
    >>> found.title
    'The Boltzmann-Hamel equations'
    >>> for equation in found.equations:
    ...     print(equation)
    2*m*u1' - m*l*u2^2 = 0
    m*l^2*u2' + m*l*u1*u2 = 0
    """

    method: str
    title: str
    mechanical: bool
    remarks: list[str]

    def __init__(self, native: _core.Derived, number: int) -> None:
        self._native = native
        self._number = self._place = number
        method, title, mechanical, _ = native.parts[number]
        remarks = fixed(native.remarks(number), "derivation.remarks")
        self.__dict__.update(method=method, title=title, mechanical=mechanical, remarks=remarks)

    @cached_property
    def steps(self) -> list[Step]:
        """The steps of the derivation."""
        return [
            Step(title, number, _SENTENCE.sub(r"\1", sentence), _SENTENCE.sub(r"$\2$", sentence),
                 tuple(Formula(*formula) for formula in formulas))
            for title, number, sentence, formulas in self._native.steps(self._place)]

    @cached_property
    def equations(self) -> list[_core.Equation]:
        """The dynamical equations, left = right."""
        return [equation for _, equation in self._native.equations(self._place)]

    @cached_property
    def equation_names(self) -> list[str]:
        """What each equation belongs to."""
        return [name for name, _ in self._native.equations(self._place)]

    @cached_property
    def rates(self) -> list[_core.Equation]:
        """The formulation's own velocities, u = expression of q', q and t; none if it uses q' itself."""
        return list(self._native.rates(self._place))

    @cached_property
    def accelerations(self) -> list[_core.Equation] | None:
        """unknown = expression for each unknown, or None."""
        return self._native.accelerations(self._place)

    @cached_property
    def json(self) -> dict[str, Any]:
        """The entry of this formulation in ``dalembert derive --json``."""
        entry: dict[str, Any] = fixed(json.loads(self._native.json(self.method))["formulations"][0], "derivation.json")
        return entry

    def _repr_latex_(self) -> str | None:
        if not self.equations:
            return None
        return notebook_markdown(self._native.equations_markdown(self._place)).strip()

    def __repr__(self) -> str:
        return f"<Derivation of {self._native.name}: {self.title}, {counted(len(self.equations), 'equation')}>"


class Derivations(_Document, Mapping[str, Derivation]):
    """The equations of motion of a model in all formulations that it allows, by name.

    `ruled_out` says why the others are missing; `comparison` has one dictionary per formulation: whether it agrees
    with Lagrange's equations, and whether that is proven. The document contains all of them.
    """

    ruled_out: Mapping[str, str]

    def __init__(self, native: _core.Derived) -> None:
        self._native = native
        self._number = None
        self._found = {part[0]: Derivation(native, i) for i, part in enumerate(native.parts) if part[3] is None}
        ruled_out = {part[0]: part[3] for part in native.parts if part[3] is not None}
        self.__dict__.update(ruled_out=fixed(ruled_out, "derivations.ruled_out"))

    def __getitem__(self, method: str) -> Derivation:
        if method in self._found:
            return self._found[method]
        if method in self.ruled_out:
            raise UnknownName(f"'{method}' is ruled out: {self.ruled_out[method]}")
        raise UnknownName(f"no formulation {str(method)!r}{suggestion(str(method), [*self._found, *self.ruled_out])}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    @cached_property
    def comparison(self) -> list[dict[str, Any]]:
        """Each formulation against Lagrange's principle; for large models this takes time."""
        compared: list[dict[str, Any]] = fixed(list(self._native.comparison()), "derivations.comparison")
        return compared

    @cached_property
    def json(self) -> dict[str, Any]:
        """What ``dalembert derive --json`` prints."""
        document: dict[str, Any] = fixed(json.loads(self._native.json("")), "derivations.json")
        return document

    def _repr_markdown_(self) -> str:
        rows = [f"| `{name}` | {found.title} | {counted(len(found.equations), 'equation')} |" for name, found in self.items()]
        rows += [f"| `{name}` | | ruled out: {_escaped(reason)} |" for name, reason in self.ruled_out.items()]
        return "\n".join([f"**{_escaped(self._native.name)}**", "", "| formulation | | |", "|---|---|---|", *rows])

    def __repr__(self) -> str:
        return f"<Derivations of {self._native.name}: {', '.join(self)}>"


@dataclass(frozen=True)
class Equations:
    """The equations of motion of a model as expressions, with n coordinates and m constraints:

    M q'' = Q + Q_ideal + Q_nonideal,   A q'' = b,   v.(Q_ideal + Q_nonideal) = v.C for every v with A v = 0.

    `M` (n x n) and `A` (m x n) are lists of rows; `Q` and `C` have n entries, `b` has m. Q holds everything not of the
    form M q'', including velocity-dependent inertia terms. The friction of joints appears in C, written with
    the multipliers of the constraints.
    """

    coordinates: list[str]
    constraints: list[str]
    M: list[list[_core.Expr]]
    Q: list[_core.Expr]
    A: list[list[_core.Expr]]
    b: list[_core.Expr]
    C: list[_core.Expr]
    kinetic: _core.Expr
    potential: _core.Expr

    def __repr__(self) -> str:
        return f"<Equations of {counted(len(self.coordinates), 'coordinate')} and {counted(len(self.constraints), 'constraint')}>"


def equations(target: System | Compiled | str | os.PathLike[str]) -> Equations:
    """M, Q, A, b and C of a model, by Lagrange's equations.

    >>> import dalembert as dal
    >>> found = dal.read("pendulum").equations
    >>> print(found.A, found.b)
    [[2*x, 2*y]] [-(2*x'^2 + 2*y'^2)]
    """
    return Equations(**_core.equations(subject_of(target, None).model))


def derive(
    target: System | Compiled | str | os.PathLike[str],
    method: str | None = None,
    *,
    parameters: Mapping[Any, Any] | None = None,
    effort: float | None = None,
) -> Any:
    """Derives the equations of motion: a `Derivation` in the formulation named, or `Derivations` in all of them.

    Parameters stay symbols; their values only decide choices at the initial state, such as which coordinates are
    dependent. A formulation that the model rules out raises a ValueError that says why. `effort` limits the algebra, counted
    in terms of polynomials examined, a few million per second: beyond it `EffortSpent` is raised. Ctrl-C ends it too.

    >>> import dalembert as dal
    >>> found = dal.read("appell_hamel").derive()
    >>> found.ruled_out["suslov"]
    "suslov: constraint 'slope' is not linear in the velocities"
    >>> found["maggi"].equation_names
    ['x', 'z']
    """
    method = word_or_none(method, "the formulation")
    refuse_other_names(method)
    subject = subject_of(target, parameters)
    native = _core.derive(subject.model, subject.settings, method, bound_of(effort))
    return Derivations(native) if method is None or method == "all" else Derivation(native, 0)


def bound_of(effort: float | None) -> float | None:
    """The effort if it is a positive number; none is no bound."""
    if effort is None:
        return None
    if isinstance(effort, bool) or not isinstance(effort, (int, float)):
        raise TypeError(f"effort must be a number, not '{type(effort).__name__}'")
    try:
        bound = float(effort)
    except OverflowError:
        raise OverflowError("effort is beyond the range of floating-point numbers") from None
    if math.isnan(bound) or bound <= 0:
        raise ValueError(f"effort is {effort}: it must be positive")
    return bound


def _escaped(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>|~$&])", r"\\\1", text)


_SENTENCE = re.compile("«(.*?)\\|(.*?)»")
_FENCED = re.compile(r"^```math\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
_TAG = re.compile(r" \\tag\{([^}]*)\}")


def _display(match: re.Match[str]) -> str:
    body = match.group(1)
    if "\\begin{align*}" in body:  # MathJax has no align* inside of $$, and aligned has no tags
        body = body.replace("{align*}", "{aligned}")
        body = _TAG.sub(r" \\qquad \\text{(\1)}", body)
    return f"$$\n{body}\n$$"


def notebook_markdown(markdown: str) -> str:
    """Markdown for notebooks: formulas between double dollars, where GitHub's flavour has fences."""
    return _FENCED.sub(_display, markdown).replace("> [!IMPORTANT]\n> ", "> **Important.** ")
