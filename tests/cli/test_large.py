"""Large models from the generator of bench/, through the command."""

import json
import subprocess
import sys

from conftest import run


def generate(path, *arguments):
    with open(path, "w") as out:
        subprocess.run([sys.executable, "bench/generate_models.py", *arguments], stdout=out, check=True)
    return str(path)
