"""Loads what is compiled, NumPy and dalembert's own extension, or says in one sentence why it cannot."""

from __future__ import annotations

import platform
import re
import subprocess
import sys
from pathlib import Path


def _lacks_sse4(cpuinfo: Path) -> bool:
    """Whether this is a processor without SSE4.2: NumPy of PyPI is compiled for it, and would die of an illegal instruction."""
    try:
        with cpuinfo.open(encoding="ascii", errors="replace") as lines:
            flags = next((line for line in lines if line.startswith("flags")), None)
    except OSError:
        return False
    return flags is not None and "sse4_2" not in flags.split()


def _why_not_numpy(problem: ImportError) -> str:
    """NumPy's own account fills a page; its last line says what happened."""
    if isinstance(problem, ModuleNotFoundError) and problem.name == "numpy":
        return "it needs NumPy, which is not installed: pip install numpy"
    cause = re.findall(r"Original error was: (.+)", str(problem))
    last = cause[-1] if cause else str(problem).strip().split("\n")[-1]
    return f"NumPy is installed, but does not load with this Python ({last.strip()}): pip install --force-reinstall numpy"


def _why_not_core(problem: ImportError) -> str:
    """The same for our own extension."""
    text = str(problem)
    newer = re.search(r"version `(GLIBC|GLIBCXX)_([\d.]+)' not found", text)
    if newer is not None:
        library = {"GLIBC": "C library", "GLIBCXX": "C++ library"}[newer[1]]
        return f"this system's {library} is too old: {newer[1]} {newer[2]} is needed, as in Debian 12, Ubuntu 24.04 and later"
    missing = re.match(r"(\S+\.so\S*): cannot open shared object file", text)
    if missing is not None:
        return f"the shared library {missing[1]} is missing; wheels bring it along, a build from source needs the packages of packages.txt"
    if isinstance(problem, ModuleNotFoundError) and problem.name == f"{__package__}._core":
        built = sorted(path.name for path in Path(__file__).parent.glob("_core.*.so"))
        if not built:
            return "its extension is not built: `pip install .` in the folder of the sources builds and installs it"
        python = f"{platform.python_implementation()} {sys.version_info.major}.{sys.version_info.minor}"
        return f"it was built for another Python ({', '.join(built)}), and this is {python} on {platform.machine()}"
    return text.strip()


def _refused(reason: str) -> ImportError:
    return ImportError(f"dalembert cannot be loaded: {reason}")


if _lacks_sse4(Path("/proc/cpuinfo")) and subprocess.run([sys.executable, "-c", "import numpy"], capture_output=True).returncode < 0:
    raise _refused(
        "this processor is older than the installed NumPy allows (it has no SSE4.2); the command `dalembert` works without NumPy"
    )
try:
    import numpy as _numpy  # noqa: F401
except ImportError as problem:
    raise _refused(_why_not_numpy(problem)) from None
try:
    from ._core import __version__
except ImportError as problem:
    raise _refused(_why_not_core(problem)) from None

__all__ = ["__version__"]
