"""The command as a user meets it: the built program is named by the environment variable DALEMBERT."""

import os
import pathlib
import subprocess
import time

import pytest

PROGRAM = os.environ["DALEMBERT"]
MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"
# Mechanisms of bodies whose equations are too large to derive, prove or typeset in every way in the time of a test.
LARGE = {"ball_on_turntable", "bicycle", "bricard", "car_with_trailer", "chain", "four_bar", "rattleback", "robot_arm",
         "stewart_platform"}
# What events, contacts and friction that sticks do is found by one method.
WITH_INSTANTS = {path.stem for path in MODELS.glob("*.toml")
                 if any(part in path.read_text(encoding="utf-8") for part in ("[[event]]", "[[contact]]", "[[friction]]"))}


class Outcome:
    def __init__(self, completed):
        self.status = completed.returncode
        self.out = completed.stdout.decode("utf-8")
        self.err = completed.stderr.decode("utf-8")


class Command:
    """Runs `dalembert ARGS...` in an empty directory."""

    def __init__(self, directory):
        self.directory = directory

    def __call__(self, *args, timeout=120, **options):
        return Outcome(
            subprocess.run(
                [PROGRAM, *map(str, args)], cwd=self.directory, capture_output=True, timeout=timeout, **options
            )
        )

    def write(self, name, text):
        path = self.directory / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        return name


def wait_for_rows(process, folder, beside=()):
    """Until a run has begun to write into `folder`: a file is there that was not (`beside` are names known before), with bytes in it."""
    give_up = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < give_up:
        if any(path.is_file() and path.name not in beside and path.stat().st_size > 0 for path in folder.rglob("*")):
            return
        time.sleep(0.01)
    raise AssertionError(f"no rows were written; exit status {process.poll()}")


@pytest.fixture
def dalembert(tmp_path):
    return Command(tmp_path)
