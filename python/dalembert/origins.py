"""Which statement of a program wrote which line of a model file."""

from __future__ import annotations

import linecache
import os
import sys

from .document import Origin, Written
from .errors import ModelError

_LONGEST = 90


def here(call: str) -> Origin | None:
    """The place outside this package from which one of its functions was called."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name not in (__package__, "contextlib") and not name.startswith(f"{__package__}."):
            return Origin(call, frame.f_code.co_filename, frame.f_lineno)
        frame = frame.f_back  # type: ignore[assignment]
    return None


def place(origin: Origin) -> str:
    """'pendulum.py:12', or 'cell, line 3' in a notebook."""
    file = origin.file
    if "ipykernel_" in file or file.startswith("<ipython-input"):
        return f"a cell, line {origin.line}"
    if not file.startswith("<"):
        relative = os.path.relpath(file) if _same_drive(file) else file
        file = file if relative.startswith("..") else relative
    return f"{file}:{origin.line}"


def _same_drive(file: str) -> bool:
    try:
        return os.path.splitdrive(os.path.abspath(file))[0] == os.path.splitdrive(os.getcwd())[0]
    except OSError:
        return False


def remark(origin: Origin) -> str:
    """The line of a message that tells where something was written."""
    source = linecache.getline(origin.file, origin.line).strip()
    if not source or len(source) > _LONGEST:
        source = f"s.{origin.call}"
    return f"      written by {source} at {place(origin)}"


def located(error: ModelError, written: Written) -> ModelError:
    """The same error, with the statements that wrote the lines it complains of."""
    lines = str(error).split("\n")
    result: list[str] = []
    waiting: str | None = None
    diagnostics = iter(error.diagnostics)
    current = next(diagnostics, None)
    for line in lines:
        if current is not None and f"error: {current.message[:40]}" in line and " | " not in line[:10]:
            if waiting is not None:
                result.append(waiting)
            origin = written.origin(current.line) if current.line > 0 else None
            waiting = remark(origin) if origin is not None else None
            current = next(diagnostics, None)
        result.append(line)
    if waiting is not None:
        result.append(waiting)
    told = ModelError("\n".join(result), [tuple(d) for d in error.diagnostics])  # type: ignore[misc]
    told._located = True
    return told
