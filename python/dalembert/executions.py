"""Which execution of which piece of a program says something: what tells a loop from a cell that is run again."""

from __future__ import annotations

import re
import sys
from types import CodeType
from typing import Any, Hashable, NamedTuple


class Execution(NamedTuple):
    """A piece of program, and a token that is another one each time it is executed."""

    piece: Hashable
    token: Any


def _cell(file: str) -> Execution | None:
    """The cell of a notebook that is being executed, where `file` is one."""
    if "ipykernel_" not in file and not file.startswith("<ipython-input"):
        return None
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None:
        return None
    parent = shell.get_parent() if hasattr(shell, "get_parent") else {}
    cell = (parent.get("metadata") or {}).get("cellId") if isinstance(parent, dict) else None
    by_text = re.sub(r"^<ipython-input-\d+-", "<ipython-input-", file)  # without the number of the execution
    return Execution(("cell", cell if cell is not None else by_text), shell.execution_count)


def current() -> Execution | None:
    """What is being executed: the code of a module or cell from which this package was called, however deep.

    A cell of a notebook is known by the identity that the notebook gives it, or else by its text; any other code by its
    text and file. It is executed again where it has been compiled again.
    """
    frame: Any = sys._getframe(1)
    last: CodeType | None = None
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name != __package__ and not name.startswith(f"{__package__}."):
            last = frame.f_code
            if last.co_name == "<module>" or last.co_name.startswith("<cell line"):
                break
        frame = frame.f_back
    if last is None:
        return None
    return _cell(last.co_filename) or Execution(_Code(last), last)


def same(one: Any, other: Any) -> bool:
    """Whether two tokens are of one execution."""
    return one is other if isinstance(one, CodeType) or isinstance(other, CodeType) else bool(one == other)


class _Code:
    """A code object by its value and file."""

    __slots__ = ("code", "_hash")

    def __init__(self, code: CodeType) -> None:
        self.code = code
        self._hash = hash((code.co_filename, code.co_firstlineno, len(code.co_code)))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Code):
            return False
        return self.code is other.code or (
            self.code == other.code and self.code.co_filename == other.code.co_filename
        )
