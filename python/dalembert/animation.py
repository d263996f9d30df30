"""The page of a motion in a notebook or a file."""

from __future__ import annotations

import html
import os
from typing import TYPE_CHECKING

from .fixed import Fixed
from .values import file_path

if TYPE_CHECKING:
    from .solution import Solution


class Animation(Fixed):
    """A page that shows a motion: animation, plots, summary, equations. It is made when first shown.

    Notebooks show it in a frame that can run its own scripts but reach nothing else.
    """

    _noun = "page"
    _advice = {"height": "the height is an argument, sol.animate(height=...)"}

    def __init__(self, solution: Solution, height: int = 720) -> None:
        if isinstance(height, bool) or not isinstance(height, int):
            raise TypeError(f"height must be a whole number of pixels, not {type(height).__name__}")
        if height <= 0:
            raise ValueError(f"height must be positive, not {height}")
        self._solution = solution
        self._height = height
        self._html: str | None = None

    @property
    def html(self) -> str:
        """The whole page, self-contained."""
        if self._html is None:
            self._html = self._solution._native().page()
        return self._html

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file that any browser opens."""
        with open(file_path(path), "w", encoding="utf-8", newline="\n") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts allow-downloads" allow="fullscreen" '
            f'style="width: 100%; height: {self._height}px; border: 0" title="{html.escape(self._title)}"></iframe>'
        )

    @property
    def _title(self) -> str:
        return f"Animation of {self._solution._name}"

    def __repr__(self) -> str:
        return f"<{self._title}, {len(self._solution)} rows: shown by notebooks; .save(path) writes it>"
