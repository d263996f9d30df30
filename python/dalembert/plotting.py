"""Columns of a solution over time, with Matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Sequence

from . import _core

if TYPE_CHECKING:
    import matplotlib.axes

    from .solution import Solution


def plot(
    solution: Solution, names: Sequence[str | _core.Expr], ax: matplotlib.axes.Axes | None, style: Mapping[str, Any]
) -> matplotlib.axes.Axes:
    """Draws the columns into `ax`, or into new axes."""
    try:
        import matplotlib.pyplot as pyplot
    except ImportError as missing:
        raise ImportError("plots need Matplotlib: pip install matplotlib") from missing

    drawn = [(label(solution, name), solution[name]) for name in (names or solution.coordinates)]
    axes = pyplot.subplots(layout="constrained")[1] if ax is None else ax
    for text, values in drawn:
        axes.plot(solution.t, values, **{"label": text, **style})
    axes.set_xlabel("$t$")
    if len(drawn) == 1:
        axes.set_ylabel(drawn[0][0])
    else:
        axes.legend()
    return axes


def label(solution: Solution, name: str | _core.Expr) -> str:
    """A coordinate, one of its derivatives or an expression as a formula, anything else as it is called."""
    if not isinstance(name, str):
        return _formula(name.latex, str(name))
    bare = name.rstrip("'")
    if bare in solution.coordinates:
        return _formula(_core.latex_of_name(bare, len(name) - len(bare)), name)
    return name.replace("$", r"\$")


def _formula(latex: str, text: str) -> str:
    """The formula where Matplotlib can set it, else the text."""
    from matplotlib.mathtext import MathTextParser

    try:
        MathTextParser("path").parse(f"${latex}$")
    except ValueError:
        return text.replace("$", r"\$")
    return f"${latex}$"
