"""Ctrl-C: a simulation ends at once, what was computed is kept, and all goes on."""

import json
import os
import pathlib
import signal
import subprocess
import sys

import pytest

MODELS = pathlib.Path(os.environ.get("DALEMBERT_MODELS", pathlib.Path(__file__).parents[2] / "models"))

CHILD = """
import json, signal, sys, time
import dalembert as dal
motion = dal.read(sys.argv[1]).compile()
asked = []

def handler(number, frame):
    raise KeyboardInterrupt

def go(t, duration):
    if not asked and t > 2:  # of 1e6 s, a row each second or more
        asked.append(time.monotonic())
        print("started", flush=True)

signal.signal(signal.SIGINT, handler)
result = {}
try:
    motion.simulate(float(sys.argv[2]), samples=int(sys.argv[3]), integrator=sys.argv[4], progress=go)
except dal.Interrupted as interrupted:
    result["ended"] = time.monotonic()
    sol = interrupted.solution
    result["rows"] = len(sol)
    result["last"] = float(sol.t[-1])
    result["complete"] = sol.complete
    result["reason"] = sol.reason
    result["same"] = motion.partial is sol
    result["forces"] = sol.forces[sol.constraints[0]].shape[0] if sol.constraints else len(sol)
    result["message"] = str(interrupted)
    result["keyboard"] = isinstance(interrupted, KeyboardInterrupt)
again = motion.simulate(0.5, samples=3)
result["again"] = again.complete
print(json.dumps(result), flush=True)
"""


def interrupted(name, duration, samples, integrator="rk8"):
    """The child is asked to stop once its motion goes; how long it took by the clock that all processes share."""
    import time

    arguments = [sys.executable, "-c", CHILD, str(MODELS / f"{name}.toml"), str(duration), str(samples), integrator]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        first = child.stdout.readline()
        if first != "started\n":
            child.kill()
            pytest.fail(first + child.stderr.read())
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        out, error = child.communicate(timeout=60)
    assert child.returncode == 0, error
    return json.loads(out), sent


@pytest.mark.slow
@pytest.mark.parametrize(("name", "integrator"), [("pendulum", "rk8"), ("four_bar", "rk8"), ("double_pendulum", "bdf")])
def test_ctrl_c_ends_a_simulation_within_a_fifth_of_a_second(name, integrator):
    for _ in range(3):  # a machine that is busy with other things may be late for once
        result, sent = interrupted(name, 1e6, 20_000_001 if name == "pendulum" else 1_000_001, integrator)
        if result["ended"] - sent < 0.2:
            break
    assert result["ended"] - sent < 0.2
    assert result["rows"] > 0 and not result["complete"]
    assert result["reason"].startswith("interrupted at t = ") and result["reason"] in result["message"]
    assert result["same"] and result["keyboard"] and result["again"]
    assert result["forces"] == result["rows"]


def test_other_errors_of_handlers_are_raised_as_they_are():
    code = """
import signal, sys
import dalembert as dal
motion = dal.read(sys.argv[1]).compile()

def late(number, frame):
    raise TimeoutError("too late")

signal.signal(signal.SIGALRM, late)
signal.setitimer(signal.ITIMER_REAL, 0.3)
try:
    motion.simulate(1e7, samples=1001)
except TimeoutError as error:
    print(error, motion.partial.complete, motion.partial.reason.split(" at ")[0], len(motion.partial) > 0)
"""
    done = subprocess.run([sys.executable, "-c", code, MODELS / "pendulum.toml"], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "too late False interrupted True\n"


def test_without_a_handler_nothing_is_stopped():
    code = """
import signal, sys
import dalembert as dal
seen = []
signal.signal(signal.SIGALRM, lambda number, frame: seen.append(number))
signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
sol = dal.read(sys.argv[1]).compile().simulate(500, samples=5)
signal.setitimer(signal.ITIMER_REAL, 0)
print(sol.complete, len(seen) > 0)
"""
    done = subprocess.run([sys.executable, "-c", code, MODELS / "pendulum.toml"], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "True True\n"
