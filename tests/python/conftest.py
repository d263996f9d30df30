"""What the tests of the Python package share.

They use the dalembert that `import` finds: the installed package in ./test, the tree of a build folder with
PYTHONPATH=build/release/python, the same with sanitizers in the stage asan.
"""

import importlib.metadata
import pathlib
import re
import subprocess
import sys

import pytest

import dalembert

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = pathlib.Path(dalembert.__file__).parent


def pytest_addoption(parser):
    parser.addoption("--matching", metavar="REGEX", help="only tests whose name (file::function) matches")


def pytest_collection_modifyitems(config, items):
    regex = config.getoption("--matching")
    if regex:
        chosen = [item for item in items if re.search(regex, item.nodeid)]
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = chosen


class Outcome:
    def __init__(self, completed):
        self.status = completed.returncode
        self.out = completed.stdout.decode("utf-8")
        self.err = completed.stderr.decode("utf-8")


@pytest.fixture
def dalembert_command(tmp_path):
    """Runs the command that lies beside the package, in an empty folder."""

    def run(*args, timeout=120, **options):
        command = [PACKAGE / "dalembert", *map(str, args)]
        return Outcome(subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=timeout, **options))

    return run


@pytest.fixture
def python(tmp_path):
    """Runs a program in a Python of its own, in an empty folder."""

    def run(text, *args, options=(), timeout=120, **more):
        command = [sys.executable, *options, "-c", text, *map(str, args)]
        return Outcome(subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=timeout, **more))

    return run


@pytest.fixture(scope="session")
def distribution():
    """The installed package; tests of it are skipped in the tree of a build folder."""
    try:
        found = importlib.metadata.distribution("dalembert")
    except importlib.metadata.PackageNotFoundError:
        found = None
    if found is None or pathlib.Path(found.locate_file("dalembert")).resolve() != PACKAGE.resolve():
        pytest.skip("dalembert is not installed here")
    return found
