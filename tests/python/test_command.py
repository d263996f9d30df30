"""`python -m dalembert` and the script `dalembert` are the command."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys

import pytest

from conftest import PACKAGE, ROOT


@pytest.fixture(params=["module", "script"])
def command(request, distribution):
    """How the command is started, as a list."""
    if request.param == "module":
        return [sys.executable, "-m", "dalembert"]
    return [str(pathlib.Path(sys.executable).parent / "dalembert")]


def run(command, *args, **options):
    return subprocess.run([*command, *args], capture_output=True, timeout=60, **options)


@pytest.mark.parametrize(
    "args",
    [
        ["--version"],
        ["models"],
        ["eval", "rolling_disk", "--json"],
        ["check", "no such model"],
        ["eval", "rolling_disk", "--set", "mass=heavy"],
        [],
    ],
    ids=" ".join,
)
def test_status_and_streams_are_the_commands_own(command, args):
    direct = run([PACKAGE / "dalembert"], *args)
    through = run(command, *args)
    assert (through.returncode, through.stdout, through.stderr) == (direct.returncode, direct.stdout, direct.stderr)
    assert (through.returncode == 0) == (args[:1] in (["--version"], ["models"], ["eval"]) and "--set" not in args)


def test_standard_input_reaches_it(command):
    model = (ROOT / "models/skate_on_incline.toml").read_bytes()
    checked = run(command, "check", "/dev/stdin", "--quiet", input=model)
    assert checked.returncode == 0, checked.stderr
    assert run(command, "check", "/dev/stdin", "--quiet", input=b"coordinates = 3").returncode != 0


def test_a_signal_ends_it_as_it_ends_the_command(command):
    # `view` says where it is and then waits until it is told to end.
    def ends(command):
        with subprocess.Popen(
            [*command, "view", "skate_on_incline", "--no-browser"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        ) as viewing:
            assert viewing.stdout is not None
            assert viewing.stdout.readline()
            viewing.send_signal(signal.SIGINT)
            return viewing.wait(timeout=30)

    assert ends(command) == ends([PACKAGE / "dalembert"])


def test_a_reader_that_goes_away_ends_it_as_it_ends_the_command(command):
    def ends(command):
        reading, writing = os.pipe()
        os.close(reading)
        with open(writing, "wb") as closed:
            return subprocess.run([*command, "derive", "rolling_disk"], stdout=closed, stderr=subprocess.PIPE, timeout=60)

    direct, through = ends([PACKAGE / "dalembert"]), ends(command)
    assert (through.returncode, through.stderr) == (direct.returncode, direct.stderr)


def test_a_package_without_its_command_says_so(tmp_path):
    incomplete = tmp_path / "dalembert"
    shutil.copytree(PACKAGE, incomplete, ignore=shutil.ignore_patterns("dalembert", "__pycache__"))
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    started = run([sys.executable, "-m", "dalembert"], "models", env=environment)
    assert started.returncode == 1
    assert started.stdout == b""
    assert started.stderr.decode() == (
        f"dalembert: the command that belongs to this package cannot be started: {incomplete}/dalembert: "
        "No such file or directory\n"
    )
