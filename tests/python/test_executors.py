"""Sweeps whose runs are done by workers: processes, MPI, Dask; the same bits whoever does them, and whoever dies."""

import importlib.util
import os
import random
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import dalembert as dal
from dalembert import executors

pytestmark = pytest.mark.slow

VARY = {"theta": dal.uniform(0.8, 1.4), "m": [1, 2, 3]}
STUDY = {"runs": 240, "seed": 5, "duration": 1, "statistics": ["max(theta)"]}


def sweep(**more):
    return dal.sweep("rolling_disk", VARY, **STUDY, **more)


def same(a, b):
    for one, other in zip(a._tables, b._tables):
        np.testing.assert_array_equal(one, other)
    assert a.reason == b.reason
    return True


@pytest.fixture(scope="module")
def whole():
    return sweep()


@pytest.fixture(scope="module")
def whole_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "s"
    sweep(out=folder)
    return (folder / "results.h5").read_bytes()


def processes(count=2):
    return ProcessPoolExecutor(count, mp_context=get_context("spawn"))


def test_processes_and_threads_give_the_same_bits(whole):
    with processes() as pool:
        assert same(sweep(executor=pool), whole)
    with ThreadPoolExecutor(2) as pool:
        assert same(sweep(executor=pool), whole)


def test_files_are_those_of_the_command(whole, whole_files, tmp_path):
    program = os.path.join(os.path.dirname(dal.__file__), "dalembert")
    subprocess.run([program, "sweep", "rolling_disk", "--vary", "theta=uniform(0.8, 1.4)", "--vary", "m=[1, 2, 3]", "--runs", "240",
                    "--seed", "5", "--duration", "1", "--stat", "max(theta)", "--out", tmp_path / "c", "--quiet"], check=True)
    assert (tmp_path / "c/results.h5").read_bytes() == whole_files
    with ThreadPoolExecutor(2) as pool:
        assert same(sweep(executor=pool, out=tmp_path / "p"), whole)
    assert (tmp_path / "p/results.h5").read_bytes() == whole_files
    assert sorted(p.name for p in (tmp_path / "p").iterdir()) == [
        "results.csv", "results.h5", "runs.journal", "study.json", "summary.json"]


def test_samples_come_back_too():
    vary = {"theta": [1.0, 1.1, 1.2], "m": [-1, 1]}
    with pytest.warns(dal.IncompleteWarning):
        here = dal.sweep("rolling_disk", vary, duration=1, samples=7)
    with ThreadPoolExecutor(2) as pool, pytest.warns(dal.IncompleteWarning):
        assert same(dal.sweep("rolling_disk", vary, duration=1, samples=7, executor=pool), here)
    assert np.isfinite(here.samples["theta"]).any() and here.failed.sum() == 3


def test_a_study_that_python_wrote_goes_to_workers():
    s = dal.System("swing")
    x, = s.coordinates("x")
    k, = s.parameters(k=2.0)
    s.kinetic = x.d**2 / 2
    s.potential = k * x**2 / 2
    s.initial(q={x: 1.0})
    with ThreadPoolExecutor(2) as pool:
        a = dal.sweep(s, {k: dal.uniform(1, 4)}, runs=20, duration=2, executor=pool, times=[0.5, 1.5])
    assert same(a, dal.sweep(s, {k: dal.uniform(1, 4)}, runs=20, duration=2, times=[0.5, 1.5]))


class Mortal(ProcessPoolExecutor):
    """Loses a process as soon as its third chunk is handed over: the pool is then broken whatever its processes have done so far."""

    given = 0

    def submit(self, fn, /, *args, **kwargs):
        future = super().submit(fn, *args, **kwargs)
        self.given += 1
        if self.given == 3:
            os.kill(next(iter(self._processes)), signal.SIGKILL)
        return future


def test_processes_that_die_are_replaced(whole):
    with pytest.warns(dal.DalembertWarning, match="a process of the executor died .* its runs are done again"):
        result = sweep(executor=Mortal(2, mp_context=get_context("spawn")))
    assert same(result, whole)


class Unreliable:
    """An executor that loses chunks, sends one twice, late or never, and does the rest in threads."""

    _max_workers = 3

    def __init__(self, lose=(), freeze=(), spoil=()):
        self.pool = ThreadPoolExecutor(3)
        self.count = 0
        self.lose, self.freeze, self.spoil = lose, freeze, spoil

    def submit(self, fn, *args):
        self.count += 1
        if self.count in self.lose:
            future = Future()
            future.set_exception(ConnectionError("the worker is gone"))
            return future
        if self.count in self.freeze:
            return Future()  # nobody will ever set it
        future = self.pool.submit(fn, *args)
        if self.count in self.spoil:
            text, seconds, arithmetic = future.result()
            spoilt = bytearray(text)
            spoilt[-40] ^= 1
            future = Future()
            future.set_result((bytes(spoilt), seconds, arithmetic))
        return future


def test_chunks_that_are_lost_are_done_again(whole, whole_files, tmp_path):
    assert same(sweep(executor=Unreliable(lose=(1, 2, 5)), out=tmp_path / "s"), whole)
    assert (tmp_path / "s/results.h5").read_bytes() == whole_files


def test_a_frozen_worker_is_not_waited_for(whole, monkeypatch):
    monkeypatch.setattr(executors, "_LEAST_PATIENCE", 0.3)
    assert same(sweep(executor=Unreliable(freeze=(2,))), whole)


def test_what_was_damaged_on_its_way_is_not_taken():
    with pytest.raises(ValueError, match="a worker sent something other than the runs it was given"):
        sweep(executor=Unreliable(spoil=(2,)))


def test_two_workers_that_disagree_are_told():
    chunk = executors._Chunk(np.arange(3, dtype=np.uint64), text=b"one")
    coordinator = executors.Coordinator.__new__(executors.Coordinator)
    with pytest.raises(RuntimeError, match="two workers sent different bits for the same runs, 0 to 2"):
        coordinator._take(chunk, b"two", 0.1, executors._core.arithmetic())
    assert coordinator._take(chunk, b"one", 0.1, executors._core.arithmetic()) is None
    with pytest.raises(RuntimeError, match=r"computes in different arithmetic \(sparc\) than this process"):
        coordinator._take(chunk, b"one", 0.1, ("sparc", 1))


def test_workers_that_always_die_are_given_up():
    with pytest.raises(executors.WorkersLost, match="workers died 5 times over runs .* \\(ConnectionError: the worker is gone\\); 0 of 240 runs are done"):
        sweep(executor=Unreliable(lose=range(1, 10_000)))


def test_an_error_of_a_worker_is_raised():
    class Refuses:
        def submit(self, fn, *args):
            future = Future()
            future.set_exception(MemoryError("no room"))
            return future

    with pytest.raises(MemoryError, match="no room"):
        sweep(executor=Refuses())


def test_ctrl_c_leaves_a_study_that_goes_on(tmp_path, whole, whole_files):
    def stop(done, runs):
        if done >= 50:
            raise KeyboardInterrupt

    with ThreadPoolExecutor(2) as pool:
        with pytest.raises(dal.Interrupted) as caught:
            sweep(executor=pool, out=tmp_path / "s", progress=stop)
        partial = caught.value.solution
        done = int(partial.complete.sum())
        assert done >= 50
        if done < 240:  # else all were under way by then
            assert "not run: the sweep was interrupted" in partial.reason
        assert not (tmp_path / "s/results.h5").exists()
        with pytest.raises(ValueError, match="holds a study already"):
            sweep(executor=pool, out=tmp_path / "s")
        assert same(sweep(executor=pool, out=tmp_path / "s", resume=True), whole)
    assert (tmp_path / "s/results.h5").read_bytes() == whole_files


COORDINATOR = """
import sys
from concurrent.futures import ThreadPoolExecutor
import dalembert as dal
with ThreadPoolExecutor(2) as pool:
    dal.sweep("rolling_disk", {"theta": dal.uniform(0.8, 1.4), "m": [1, 2, 3]}, runs=240, seed=5, duration=1,
              statistics=["max(theta)"], executor=pool, out=sys.argv[1], resume=True)
"""


def test_a_coordinator_that_is_killed_changes_nothing(tmp_path, whole_files):
    draw = random.Random(7)
    journal = tmp_path / "s/runs.journal"
    for kills in range(4):
        process = subprocess.Popen([sys.executable, "-c", COORDINATOR, tmp_path / "s"])
        if kills < 3:
            give_up = time.monotonic() + 60
            size = journal.stat().st_size if journal.exists() else 0
            while process.poll() is None and time.monotonic() < give_up:
                if journal.exists() and journal.stat().st_size > size:
                    break
                time.sleep(0.005)
            time.sleep(draw.uniform(0, 0.02))
            process.kill()
        process.wait(timeout=120)
    assert process.returncode == 0
    assert (tmp_path / "s/results.h5").read_bytes() == whole_files


FULL = COORDINATOR.replace("import sys\n", "import resource, sys\nresource.setrlimit(resource.RLIMIT_FSIZE, (9_000, 9_000))\n")


def test_a_full_disk_is_told_and_the_study_goes_on(tmp_path, whole_files):
    done = subprocess.run([sys.executable, "-c", FULL, tmp_path / "s"], capture_output=True, timeout=120)
    assert done.returncode == 1
    assert b"OSError: cannot write" in done.stderr and b"make room, and sweep again with resume=True" in done.stderr
    subprocess.run([sys.executable, "-c", COORDINATOR, tmp_path / "s"], check=True, timeout=120)
    assert (tmp_path / "s/results.h5").read_bytes() == whole_files


def test_progress_shows_rate_and_time_left(capsys):
    seen = []
    with ThreadPoolExecutor(2) as pool:
        sweep(executor=pool, progress=lambda done, runs: seen.append((done, runs)))
        sweep(executor=pool, progress=True)
    assert seen[-1] == (240, 240) and all(a <= b for a, b in zip(seen, seen[1:]))
    shown = capsys.readouterr().err
    assert "240 of 240 runs, " in shown and "runs/s" in shown


def test_what_is_asked_for_in_vain_is_said():
    with pytest.raises(TypeError, match="executor must have a method submit, as those of concurrent.futures have, not be a 'int'"):
        sweep(executor=4)
    with pytest.raises(ValueError, match="resume=True continues the study in out, so out is needed"):
        sweep(resume=True)


def test_a_graphics_processor_is_asked_for(monkeypatch):
    plain = dal.sweep("rolling_disk", VARY, runs=60, seed=5, duration=1)
    monkeypatch.setenv("DALEMBERT_GPU", "here")  # the same code on this processor
    for device in ("gpu", "auto"):
        assert same(dal.sweep("rolling_disk", VARY, runs=60, seed=5, duration=1, device=device), plain)
    assert same(sweep(device="gpu"), sweep())  # with statistics
    sampled = {"runs": 9, "duration": 1, "samples": 5, "statistics": ["max(theta)"]}
    assert same(dal.sweep("rolling_disk", VARY, **sampled, device="gpu"), dal.sweep("rolling_disk", VARY, **sampled))
    words = "a graphics processor cannot run this study: the integrator is taylor, and only rk8 runs there"
    with pytest.raises(ValueError, match=f"device='gpu': {words}"):
        sweep(device="gpu", integrator="taylor")
    with pytest.warns(dal.DalembertWarning, match=f"{words}; the CPU does all the work"):
        sweep(device="auto", integrator="taylor")
    with pytest.raises(ValueError, match="device is 'tpu': it must be 'cpu', 'gpu' or 'auto'"):
        sweep(device="tpu")
    with pytest.raises(ValueError, match="a graphics processor serves a sweep in this process and in memory"):
        sweep(device="gpu", out="nowhere")


def test_dask(whole):
    distributed = pytest.importorskip("distributed")
    import dask

    with dask.config.set({"distributed.worker.daemon": False}):
        with distributed.LocalCluster(2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
            with distributed.Client(cluster) as client:
                assert executors.workers_of(client.get_executor()) == 2
                assert same(sweep(executor=client.get_executor()), whole)


MPI = """
import sys
from mpi4py.futures import MPIPoolExecutor
import dalembert as dal
if __name__ == "__main__":
    with MPIPoolExecutor() as pool:
        dal.sweep("rolling_disk", {"theta": dal.uniform(0.8, 1.4), "m": [1, 2, 3]}, runs=240, seed=5, duration=1,
                  statistics=["max(theta)"], executor=pool, out=sys.argv[1])
"""


def test_mpi(tmp_path, whole_files):
    if importlib.util.find_spec("mpi4py") is None:  # not imported: this process would then be one of MPI's, and start no others
        pytest.skip("there is no mpi4py: pip install mpi4py")
    if shutil.which("mpiexec") is None:
        pytest.skip("there is no mpiexec: apt install openmpi-bin")
    script = tmp_path / "study.py"
    script.write_text(textwrap.dedent(MPI))
    command = ["mpiexec", "--allow-run-as-root", "--oversubscribe", "-n", "4", sys.executable, "-m", "mpi4py.futures", script,
               tmp_path / "s"]
    done = subprocess.run(command, capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr.decode()
    assert (tmp_path / "s/results.h5").read_bytes() == whole_files


def test_chunks_are_of_seconds_and_small_toward_the_end():
    coordinator = executors.Coordinator.__new__(executors.Coordinator)
    coordinator.study = type("Study", (), {"runs": 10_000_000})()
    coordinator.gathering = type("Gathering", (), {"done": 0})()
    coordinator.width = 4
    coordinator._seconds_a_run = None
    assert coordinator._size() == 16
    coordinator._seconds_a_run = 1e-3
    assert coordinator._size() == 2000
    coordinator.gathering.done = 10_000_000 - 800
    assert coordinator._size() == 100
    coordinator.gathering.done = 10_000_000 - 8
    assert coordinator._size() == 8
    coordinator.gathering.done = 0
    coordinator._seconds_a_run = 1e-9
    assert coordinator._size() == 2**17
