"""Which statement of a program said what."""

from __future__ import annotations

import linecache
import os
import sys

from .document import Origin

_LONGEST = 90


def here(call: str) -> Origin | None:
    """The place outside this package from which one of its functions was called."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name not in (__package__, "contextlib") and not name.startswith(f"{__package__}."):
            return Origin(frame.f_code.co_filename, frame.f_lineno, call)
        frame = frame.f_back  # type: ignore[assignment]
    return None


def place(file: str, line: int) -> str:
    """'pendulum.py:12', or 'a cell, line 3' in a notebook."""
    if "ipykernel_" in file or file.startswith("<ipython-input"):
        return f"a cell, line {line}"
    if not file.startswith("<"):
        relative = os.path.relpath(file) if _same_drive(file) else file
        file = file if relative.startswith("..") else relative
    return f"{file}:{line}"


def _same_drive(file: str) -> bool:
    try:
        return os.path.splitdrive(os.path.abspath(file))[0] == os.path.splitdrive(os.getcwd())[0]
    except OSError:
        return False


def remark(file: str, line: int, call: str) -> str:
    """The line of a message that tells where something was said."""
    source = linecache.getline(file, line).strip()
    if not source or len(source) > _LONGEST:
        source = f"s.{call}"
    return f"      written by {source} at {place(file, line)}"
