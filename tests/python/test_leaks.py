"""What is done with is given back: objects of Python, objects of the extension, memory of the engine."""

import gc
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import everything

HERE = Path(__file__).parent
SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")
WATCHED = {**os.environ, "DALEMBERT_LEAK_WARNINGS": "1"}


def test_nothing_is_left_at_the_end():
    """nanobind counts what is left of its instances, types and functions when the interpreter ends, and complains."""
    ran = subprocess.run([sys.executable, HERE / "everything.py"], env=WATCHED, capture_output=True, text=True, timeout=300)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_what_is_left_at_the_end_would_be_seen():
    """An object that is never given back is complained of: the test above can fail."""
    program = "import ctypes, dalembert as dal; ctypes.pythonapi.Py_IncRef(ctypes.py_object(dal.t + 1))"
    ran = subprocess.run([sys.executable, "-c", program], env=WATCHED, capture_output=True, text=True, timeout=60)
    assert "nanobind: leaked" in ran.stderr


@pytest.mark.skipif(SANITIZED, reason="Python's own memory is malloc's here, and not counted")
@pytest.mark.parametrize("call", everything.CALLS, ids=lambda call: call.__name__)
def test_repeating_a_call_takes_no_more_memory(call):
    """What is kept for later (pools, tables that grow by doubling) is kept once; a leak comes back in every round."""
    counted = []
    for repeats in (20, 40, 80, 160, 320, 640, 640):
        gc.collect()
        before = sys.getallocatedblocks()
        for _ in range(repeats):
            call()
        gc.collect()
        counted.append((repeats, sys.getallocatedblocks() - before))
        if counted[-1][1] < repeats / 4:
            return
    pytest.fail(f"calls, and blocks of memory that they took: {counted}")


def test_arguments_are_given_back():
    arguments = [everything.T, everything.Q, everything.V, everything.MOTION, everything.SYSTEM, everything.X]
    for call in everything.CALLS:  # what is made once, and kept, is made here
        call()
    gc.collect()
    counts = [sys.getrefcount(argument) for argument in arguments]
    for call in everything.CALLS:
        call()
    gc.collect()
    assert [sys.getrefcount(argument) for argument in arguments] == counts


@pytest.mark.skipif(not SANITIZED, reason="this takes the leak sanitizer")
def test_no_memory_of_the_engine_is_lost():
    """CPython and NumPy never give back some of theirs; what passed through our code must have been given back."""
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=1", "PYTHONMALLOC": "malloc"}
    ran = subprocess.run([sys.executable, HERE / "everything.py"], capture_output=True, text=True, timeout=500, env=environment)
    assert ran.returncode == 0 or "LeakSanitizer" in ran.stderr, ran.stderr
    leaks = re.findall(r"^(?:Direct|Indirect) leak.*\n(?: +#.*\n)+", ran.stderr, re.MULTILINE)
    assert [leak for leak in leaks if re.search(r"dalembert::|nanobind|/_core\.", leak)] == []
