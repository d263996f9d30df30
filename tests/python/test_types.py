"""The types of the package: right in themselves, and of use to those who check their own programs."""

import re
import shutil
import subprocess
import sys

from conftest import PACKAGE, ROOT

PROGRAM = '''
import numpy as np

import dalembert as dal

s = dal.System("dumbbell")
x, y, phi = s.coordinates("x y phi")
m, l = s.parameters(m=1.0, l=0.5)
s.kinetic = m * (x.d**2 + y.d**2 + l**2 * phi.d**2)
s.potential = 2 * m * 9.81 * dal.sin(x) - 3
s.constrain(x.d * dal.sin(phi) == y.d * dal.cos(phi), name="knife edge")
motion = s.compile()
reveal_type(x)
reveal_type(m * x.d**2)
reveal_type(s)
reveal_type(motion)
reveal_type(motion.acceleration(0.0, [0, 0, 0], [1, 0, 1]))
reveal_type(motion.simulate(duration=1.0)["x"])
s.constrain(3)
motion.simulate(duration=1.0).colums
'''
REVEALED = [
    r"Expr",
    r"Expr",
    r"dalembert\.system\.System",
    r"dalembert\.motion\.Compiled",
    r"numpy\.ndarray\[.*float64\]\]",
    r"numpy\.ndarray\[.*float64\]\]",
]


def mypy(*args, cwd):
    return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-color-output", "--no-error-summary", *args],
                          cwd=cwd, capture_output=True, text=True, timeout=600)


def test_the_package_is_typed_throughout(tmp_path):
    # A copy: mypy takes the neighbours of what it checks, here all of site-packages, for parts of the program.
    shutil.copytree(PACKAGE, tmp_path / "dalembert", ignore=shutil.ignore_patterns("__pycache__", "*.so", "dalembert"))
    checked = mypy("--config-file", ROOT / "pyproject.toml", "--cache-dir", tmp_path / "cache", "-p", "dalembert", cwd=tmp_path)
    assert checked.stdout + checked.stderr == ""


def test_a_program_that_uses_it_is_checked(distribution, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    checked = mypy("--config-file", "", "--cache-dir", tmp_path / "cache", "program.py", cwd=tmp_path)
    revealed = re.findall(r'Revealed type is "(.*)"', checked.stdout)
    assert len(revealed) == len(REVEALED), checked.stdout
    for found, wanted in zip(revealed, REVEALED):
        assert re.search(wanted, found), found
    errors = re.findall(r"program.py:(\d+): error", checked.stdout)
    wrong = [1 + PROGRAM.split("\n").index(line) for line in ("s.constrain(3)", "motion.simulate(duration=1.0).colums")]
    assert [int(line) for line in errors] == wrong, checked.stdout
