"""The runs of a study on workers of any `concurrent.futures.Executor`: processes, MPI, Dask."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections import OrderedDict
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from . import _core
from .errors import DalembertWarning, warn

Runs = NDArray[np.uint64]

_SECONDS = 2.0  # of computing in a chunk: long beside what handing it over takes, short beside a study
_FIRST = 16  # runs of the first chunks, before it is known how long one takes
_MOST = 2**17  # runs of a chunk
_QUEUED = 2  # chunks a worker has waiting, so that it need not wait itself
_PATIENCE = 4.0  # a chunk that takes so many times as long as it should is given to somebody else as well
_LEAST_PATIENCE = 10.0  # seconds
_ATTEMPTS = 5  # at a chunk whose workers die

_studies: OrderedDict[str, _core.Study] = OrderedDict()


def compute(manifest: str, runs: Runs, threads: int, lanes: int) -> tuple[bytes, float, tuple[str, int]]:
    """What a worker does. The study is compiled once in each process."""
    study = _studies.get(manifest)
    if study is None:
        study = _core.study_of(manifest)
        _studies[manifest] = study
        while len(_studies) > 2:
            _studies.popitem(last=False)
    begin = time.perf_counter()
    text = _core.entries_of(study, runs, threads, lanes)
    return text, time.perf_counter() - begin, _core.arithmetic()


class Here:
    """An executor that does everything at once, in the process that asks."""

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args))
        except Exception as error:
            future.set_exception(error)
        return future


@dataclass(eq=False)
class _Chunk:
    runs: Runs
    attempts: int = 0
    given: float = 0.0
    futures: list[Any] = field(default_factory=list)
    text: bytes | None = None  # of the first that came, as long as a twin is on its way


def workers_of(executor: Any) -> int:
    """How many chunks it can do at once, as far as it tells."""
    for name in ("_max_workers", "num_workers"):
        count = getattr(executor, name, None)
        if isinstance(count, int) and count > 0:
            return count
    client = getattr(executor, "_client", None)  # of Dask
    if client is not None:
        with contextlib.suppress(Exception):
            return max(1, int(sum(client.ncores().values())))
    return os.cpu_count() or 1


def _is_loss(error: BaseException) -> bool:
    """Whether the worker went, rather than said that it cannot do what is asked."""
    if isinstance(error, (BrokenProcessPool, CancelledError, ConnectionError, EOFError)):
        return True
    module = type(error).__module__ or ""
    return module.partition(".")[0] in ("distributed", "mpi4py") or isinstance(error, KeyboardInterrupt)


class WorkersLost(RuntimeError):
    """Workers died repeatedly over the same runs."""


class Coordinator:
    """Hands out the runs of a study in chunks, and gathers what comes back, each run once."""

    def __init__(self, study: _core.Study, executor: Any, threads: int, lanes: int, folder: str, resume: bool) -> None:
        self.study = study
        self.executor: Any = executor
        self.threads = threads
        self.lanes = lanes
        self.gathering = _core.Gathering(study, folder, resume)
        self.take: Callable[[bytes], Any] | None = None
        self.width = workers_of(executor)
        self.before = self.gathering.done
        self._manifest = study.manifest
        self._again: list[_Chunk] = []
        self._chunks: dict[Any, _Chunk] = {}
        self._seconds_a_run: float | None = None
        self._own_pool: ProcessPoolExecutor | None = None
        self._all_given = False
        self._told = False

    def run(self, progress: Callable[[int, int], Any] | bool | None) -> None:
        """Until all is done. What interrupts it is raised; what is gathered by then holds."""
        try:
            with telling(progress, self.gathering.done, self.study.runs) as tell:
                self._fill()
                while self._chunks:
                    self._gather()
                    tell(self.gathering.done)
                    self._fill()
                    self._hurry()
        finally:
            for future in self._chunks:
                future.cancel()
            if self._own_pool is not None:
                self._own_pool.shutdown(wait=False, cancel_futures=True)
            self.gathering.sync()

    def _size(self) -> int:
        """Runs of the next chunk: some seconds' worth, and less toward the end, where nobody should wait for the last."""
        if self._seconds_a_run is None:
            return _FIRST
        left = self.study.runs - self.gathering.done
        size = min(_SECONDS / max(self._seconds_a_run, 1e-9), left / (2 * self.width), _MOST)
        return max(8, int(size))

    def _fill(self) -> None:
        most = 1 if isinstance(self.executor, Here) else _QUEUED * self.width
        while len(self._chunks) < most:
            if self._again:
                chunk = self._again.pop()
            else:
                runs = self.gathering.next(self._size())
                if len(runs) == 0:
                    self._all_given = True
                    return
                chunk = _Chunk(runs)
            self._submit(chunk)

    def _submit(self, chunk: _Chunk) -> None:
        chunk.given = time.monotonic()
        arguments = (compute, self._manifest, chunk.runs, self.threads, self.lanes)
        try:
            future = self.executor.submit(*arguments)
        except BrokenProcessPool:
            self._replace_pool()
            future = self.executor.submit(*arguments)
        chunk.futures.append(future)
        self._chunks[future] = chunk

    def _gather(self) -> None:
        for future in _first_of(list(self._chunks)):
            chunk = self._chunks.pop(future, None)
            if chunk is None:
                continue  # went with the others of its pool
            chunk.futures.remove(future)
            try:
                text, seconds, arithmetic = future.result()
            except BaseException as error:
                if not _is_loss(error):
                    raise
                self._lost(chunk, error)
                continue
            self._take(chunk, text, seconds, arithmetic)

    def _take(self, chunk: _Chunk, text: bytes, seconds: float, arithmetic: tuple[str, int]) -> None:
        mine = _core.arithmetic()
        if tuple(arithmetic)[1] != mine[1]:
            raise RuntimeError(
                f"a worker computes in different arithmetic ({arithmetic[0]}) than this process ({mine[0]}): the last bits of "
                "its numbers would not belong to the same study")
        if chunk.text is not None:
            if text != chunk.text:
                raise RuntimeError(
                    f"two workers sent different bits for the same runs, {chunk.runs[0]} to {chunk.runs[-1]}: one of "
                    "them computes wrongly, and nothing says which")
            return
        self.gathering.add(text, chunk.runs)
        if self.take is not None:
            self.take(text)
        chunk.text = text if chunk.futures else b""
        a_run = seconds / len(chunk.runs)
        self._seconds_a_run = a_run if self._seconds_a_run is None else 0.7 * self._seconds_a_run + 0.3 * a_run

    def _lost(self, chunk: _Chunk, error: BaseException) -> None:
        """A chunk whose worker went is done again, if nobody else is at it."""
        if isinstance(error, BrokenProcessPool):
            self._replace_pool()
        if chunk.futures or chunk.text is not None:
            return
        chunk.attempts += 1
        if chunk.attempts >= _ATTEMPTS:
            kept = f"{self.gathering.done} of {self.study.runs} runs are done"
            raise WorkersLost(
                f"workers died {_ATTEMPTS} times over runs {chunk.runs[0]} to {chunk.runs[-1]} ({type(error).__name__}: "
                f"{error}); {kept}. Killed for lack of memory? Fewer processes need less.") from error
        self._again.append(chunk)

    def _replace_pool(self) -> None:
        """A ProcessPoolExecutor of which one process died takes no more work; another one like it goes on."""
        broken = self.executor
        if not isinstance(broken, ProcessPoolExecutor):
            return
        if not getattr(broken, "_broken", False):
            return  # has been replaced
        if not self._told:
            self._told = True
            warn("a process of the executor died (killed, or out of memory), and with it the pool; its runs are done again "
                 "in another pool of as many processes", DalembertWarning)
        context = getattr(broken, "_mp_context", None)
        if self._own_pool is not None:
            self._own_pool.shutdown(wait=False, cancel_futures=True)
        self._own_pool = self.executor = ProcessPoolExecutor(self.width, mp_context=context)

    def _hurry(self) -> None:
        """Gives a chunk that takes far too long to a second worker, once there is nothing else to do."""
        if not self._all_given or self._again or self._seconds_a_run is None or isinstance(self.executor, Here):
            return
        now = time.monotonic()
        for chunk in {id(c): c for c in self._chunks.values()}.values():
            due = max(_LEAST_PATIENCE, _PATIENCE * _QUEUED * self._seconds_a_run * len(chunk.runs))
            if chunk.text is None and len(chunk.futures) == 1 and now - chunk.given > due:
                self._submit(chunk)
        if all(chunk.text is not None for chunk in self._chunks.values()):
            self._chunks.clear()  # twins of what is there: nobody waits for a worker that froze


def _first_of(futures: list[Any]) -> list[Any]:
    """Those that are done, after at most a second."""
    if all(isinstance(future, Future) for future in futures):
        return list(wait(futures, timeout=1.0, return_when=FIRST_COMPLETED).done)
    done = [future for future in futures if future.done()]
    if not done:
        time.sleep(0.01)
    return done


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 6000:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


@contextlib.contextmanager
def telling(
    progress: Callable[[int, int], Any] | bool | None, before: int, runs: int
) -> Iterator[Callable[[int], None]]:
    """Tells how far a study has come: to a function, or, `True`, on standard error with rate and time left."""
    begin = time.monotonic()
    last = begin

    def call(done: int) -> None:
        nonlocal last
        now = time.monotonic()
        if not progress or (now - last < 0.1 and done < runs):
            return
        last = now
        if callable(progress):
            progress(done, runs)
            return
        rate = (done - before) / max(now - begin, 1e-9)
        left = f", {_duration((runs - done) / rate)} left" if rate > 0 and done < runs else ""
        sys.stderr.write(f"\r{done} of {runs} runs, {rate:.3g} runs/s{left}\x1b[K")
        sys.stderr.flush()

    try:
        yield call
    finally:
        if progress is True and last != begin:
            sys.stderr.write("\n")
