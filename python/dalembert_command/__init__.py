"""The command `dalembert`: becomes the program that lies in the package.

A package of its own, so that the command starts without the Python package and NumPy, which it does not need.
"""

from __future__ import annotations

import os
import signal
import sys
from importlib.util import find_spec
from typing import NoReturn


def main() -> NoReturn:
    """Becomes the program.

    The process is replaced, so that exit status, standard streams and signals are the program's own.
    """
    package = find_spec("dalembert")  # found, not imported
    if package is None or package.origin is None:
        sys.exit("dalembert: the package that belongs to this command is not installed: pip install dalembert")
    program = os.path.join(os.path.dirname(os.path.abspath(package.origin)), "dalembert")
    # Python ignores these two, and what is ignored stays so in the program that takes its place.
    for name in ("SIGPIPE", "SIGXFSZ"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    try:
        os.execv(program, ["dalembert", *sys.argv[1:]])
    except OSError as problem:
        sys.exit(f"dalembert: the command that belongs to this package cannot be started: {program}: {problem.strerror}")


if __name__ == "__main__":
    main()
