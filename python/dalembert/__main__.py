"""The command: `python -m dalembert ARGS` is `dalembert ARGS`."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import NoReturn


def main() -> NoReturn:
    """Becomes the command that lies beside the package.

    The process is replaced, so that exit status, standard streams and signals are the command's own.
    """
    command = Path(__file__).absolute().with_name("dalembert")
    # Python ignores these two, and what is ignored stays so in the program that takes its place.
    for name in ("SIGPIPE", "SIGXFSZ"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    try:
        os.execv(command, ["dalembert", *sys.argv[1:]])
    except OSError as problem:
        sys.exit(f"dalembert: the command that belongs to this package cannot be started: {command}: {problem.strerror}")


if __name__ == "__main__":
    main()
