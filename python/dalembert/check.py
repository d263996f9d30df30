"""What is known about a model before it moves: its constraints, its freedom, and whether all formulations agree."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Mapping, Sequence

from . import _core
from .errors import warn_of
from .fixed import Fixed, fixed
from .subject import refuse_other_names, subject_of
from .values import counted, word_or_none

if TYPE_CHECKING:
    import pandas

    from .motion import Compiled
    from .system import System

_CONSTRAINT = ("name", "kind", "level", "linear", "rheonomic", "integrable", "redundant", "unique")
_LONGEST = 1000  # characters of an expression in a notebook
_FORMULATION = ("method", "mechanical", "agrees", "how", "error", "ruled_out", "failed")


class Check(Fixed):
    """The findings about a model; true if every answer is yes.

    `passed`             the start is consistent, all formulations of mechanics agree, and dropped
                         constraints really are redundant
    `rank`               of the constraints, in general; `rank_at_start` is lower if the start is a singular state
    `degrees_of_freedom` n minus the rank
    `constraints`        one dictionary each: name, kind, level, linear, rheonomic, integrable (None: not decided),
                         redundant, unique (whether its reaction is)
    `formulations`       one dictionary each: method, mechanical, agrees, how (proof or numeric), error, or why it is ruled out
    `conserved`          one dictionary per quantity that every motion conserves: kind, expression, of
                         (the coordinate, for the momentum of a single one); only proven ones
    `warnings`           what you must know before you trust numbers of this model, in sentences
    `json`               all of it, as ``dalembert check --json`` prints it
    `problem`            what is wrong with the start, if it is not consistent; otherwise None
    """

    text: str  #: as ``dalembert check`` prints it
    json: dict[str, Any]
    problem: str | None
    _noun = "check"
    _instead = "; change the system and check it again"

    def __init__(self, text: str, document: str, problem: str | None) -> None:
        self.__dict__.update(text=text, json=fixed(json.loads(document), "check.json"), problem=problem)

    @property
    def name(self) -> str:
        """The name of the model."""
        return str(self.json["name"])

    @property
    def warnings(self) -> list[str]:
        """What you must know before you trust numbers of this model, in sentences; each is also a DoubtWarning."""
        told: list[str] = fixed(list(self.json.get("warnings", ())), "check.warnings")
        return told

    @property
    def passed(self) -> bool:
        """Whether every answer is yes."""
        return bool(self.json["passed"])

    def __bool__(self) -> bool:
        return self.passed

    @property
    def rank(self) -> int:
        """The rank of the constraints in general."""
        return int(self.json["rank"])

    @property
    def rank_at_start(self) -> int:
        """The rank at the initial state, lower if that is singular."""
        return int(self.json["rank_at_start"])

    @property
    def degrees_of_freedom(self) -> int:
        """The number of coordinates minus the rank."""
        return int(self.json["degrees_of_freedom"])

    @property
    def _freedom(self) -> str:
        return counted(self.degrees_of_freedom, "degree of freedom", "degrees of freedom")

    @property
    def consistent(self) -> bool:
        """Whether the initial state satisfies the constraints, after adjustment if the model allows it."""
        return bool(self.json["initial"]["consistent"])

    @property
    def constraints(self) -> list[dict[str, Any]]:
        """One dictionary per constraint."""
        redundant = set(self.json["redundant"])
        unique = {entry["constraint"]: entry["unique"] for entry in self.json["reactions"]}
        found = [{**entry, "redundant": entry["name"] in redundant, "unique": unique[entry["name"]]}
                 for entry in self.json["constraints"]]
        constraints: list[dict[str, Any]] = fixed(found, "check.constraints")
        return constraints

    @property
    def formulations(self) -> list[dict[str, Any]]:
        """One dictionary per formulation compared with Lagrange's equations."""
        formulations: list[dict[str, Any]] = fixed(self.json["equivalence"], "check.formulations")
        return formulations

    @property
    def conserved(self) -> list[dict[str, Any]]:
        """One dictionary per quantity that is proven to be conserved; if energy is not, `json["energy"]` says why."""
        conserved: list[dict[str, Any]] = fixed(list(self.json["conserved"] or ()), "check.conserved")
        return conserved

    def to_pandas(self, what: str = "constraints") -> pandas.DataFrame:
        """The table of `constraints` or of `formulations`."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_pandas needs pandas: pip install pandas") from error
        columns, rows = self._table(what)
        return pandas.DataFrame([{c: row.get(c) for c in columns} for row in rows], columns=list(columns))

    def _table(self, what: str) -> tuple[Sequence[str], list[dict[str, Any]]]:
        if what == "constraints":
            return _CONSTRAINT, self.constraints
        if what == "formulations":
            return _FORMULATION, self.formulations
        raise ValueError(f"there are tables of 'constraints' and of 'formulations', not of {what!r}")

    def __str__(self) -> str:
        return self.text.rstrip("\n")

    def __repr__(self) -> str:
        return f"<Check of {self.name}: {'passed' if self else 'NOT passed'}, {self._freedom}>"

    def _repr_html_(self) -> str:
        import html

        start = self.json["initial"]
        lines = [
            f"<p><b>{html.escape(self.name)}</b>: {'passed' if self else '<b>not passed</b>'} · rank {self.rank} of "
            f"{len(self.constraints)} · {self._freedom} · start "
            f"{'adjusted' if start['adjusted'] else 'consistent' if self.consistent else 'NOT consistent'}"
            f" (residual {start['residual']:.3g})</p>"]
        for sentence in (start.get("problem"), self.problem):
            if sentence:
                lines.append(f"<pre>{html.escape(sentence)}</pre>")
        for quantity in self.conserved:
            name = quantity["kind"] + (f" of {quantity['of']}" if "of" in quantity else "")
            value = quantity["expression"] or ""
            shown = f": <code>{html.escape(value)}</code>" if 0 < len(value) <= _LONGEST else ""
            lines.append(f"<p>conserved: {html.escape(name)}{shown}</p>")
        for what in ("constraints", "formulations"):
            columns, rows = self._table(what)
            if not rows:
                continue
            head = "".join(f"<th>{html.escape(c.replace('_', ' '))}</th>" for c in columns)
            body = "".join(
                "<tr>" + "".join(f"<td>{html.escape(_cell(row.get(c)))}</td>" for c in columns) + "</tr>" for row in rows)
            lines.append(f"<table><caption>{what}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
        if not self.json["compared"]:
            lines.append("<p>The formulations were not compared: for equations of this size that would take minutes. "
                         "<code>check(\"suslov\")</code> compares one of them.</p>")
        return "\n".join(lines)


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3g}"
    return str(value)


def check(
    target: System | Compiled | str | os.PathLike[str],
    method: str | None = None,
    *,
    parameters: Mapping[Any, Any] | None = None,
    effort: float | None = None,
) -> Check:
    """Examines a model: kinds of constraints, their rank, the start, and whether the formulations agree.

    Compares all formulations, or the named one, with Lagrange's equations. Agreement is proven where the algebra
    can, and otherwise tested at random states on the constraints. `effort` limits the algebra as in `derive`.

    >>> import dalembert as dal
    >>> found = dal.read("rolling_disk").check("suslov")
    >>> bool(found), found.rank, found.degrees_of_freedom
    (True, 2, 3)
    >>> found.formulations[0]["how"]
    'proof'
    """
    from .derivation import bound_of

    refuse_other_names(method)
    subject = subject_of(target, parameters)
    found = Check(*_core.check(subject.model, subject.settings, word_or_none(method, "the method"), bound_of(effort)))
    warn_of(found.json)
    return found
