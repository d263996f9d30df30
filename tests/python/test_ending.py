"""Threads that are at work in the engine when the interpreter ends do not bring the process down."""

import pytest

DAEMON = """
import sys, threading, time
import numpy as np
import dalembert as dal

motion = dal.read("pendulum").compile()
states = np.zeros((100000, 2))
begun = threading.Event()

def refused():
    try:
        dal.loads("x = [1")
    except dal.ModelError:
        pass

def forever():
    while True:
        {work}
        begun.set()

for i in range({threads}):
    threading.Thread(target=forever, daemon=True).start()
begun.wait()
time.sleep({pause})
print("done", flush=True)
"""

WORK = {
    "many states": "motion.acceleration(0.0, states, {'x': 2.0})",
    "few states": "motion.acceleration(0.0, states[:3], {'x': 2.0})",
    "simulate": "motion.simulate(1.0, samples=20)",
    "progress": "motion.simulate(1.0, samples=20, progress=lambda t, end: time.sleep(1e-4))",
    "compile": "dal.read('double_pendulum').compile()",
    "sweep": "dal.sweep(motion, {'alpha': dal.uniform(0, 3)}, runs=200, progress=lambda done, runs: time.sleep(1e-4))",
    "derive": "dal.read('pendulum').derive('suslov')",
    "errors": "refused()",
}


@pytest.mark.parametrize("work", WORK)
@pytest.mark.parametrize("pause", [0.0, 0.05, 0.3])
def test_daemon_threads_do_not_abort_the_process(python, work, pause):
    ran = python(DAEMON.format(work=WORK[work], threads=3, pause=pause))
    assert (ran.status, ran.out, ran.err) == (0, "done\n", "")


def test_a_long_motion_with_progress_is_left_behind(python):
    ran = python("""
import threading, dalembert as dal
motion = dal.read("pendulum").compile()
told = threading.Event()
work = lambda: motion.simulate(1e6, samples=3, progress=lambda t, end: told.set())
threading.Thread(target=work, daemon=True).start()
told.wait()
""")
    assert (ran.status, ran.err) == (0, "")


@pytest.mark.parametrize("before", [True, False], ids=["registered before the import", "registered after it"])
def test_functions_at_exit_still_simulate_and_wait_for_threads(python, before):
    ran = python("""
import atexit, sys, threading

def late():
    import dalembert as dal
    told = []
    motion = dal.read("pendulum").compile()
    assert motion.simulate(1.0, samples=5, progress=lambda t, end: told.append(t)).complete and told
    assert dal.sweep(motion, {"alpha": dal.uniform(0, 3)}, runs=200, progress=lambda *ends: None).complete.all()
    stop.set()
    thread.join()
    print("late")

if sys.argv[1] == "True":
    atexit.register(late)
import dalembert as dal
if sys.argv[1] == "False":
    atexit.register(late)
stop = threading.Event()
motion = dal.read("pendulum").compile()

def work():
    while not stop.is_set():
        motion.simulate(1.0)

thread = threading.Thread(target=work, daemon=True)
thread.start()
""", before)
    assert (ran.status, ran.out, ran.err) == (0, "late\n", "")
