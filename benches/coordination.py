"""What coordinating a sweep costs the process that does it: seconds a run, and memory.

    python3 benches/coordination.py [RUNS]

Runs are of a free particle and end at once; chunks are as long as those of runs of 1 ms, so that there are as many of them.
"""

import resource
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import dalembert as dal
from dalembert import executors


def main():
    runs = int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000
    executors._MOST = int(executors._SECONDS / 1e-3)
    s = dal.System("free")
    (x,) = s.coordinates("x")
    (m,) = s.parameters(m=1.0)
    s.kinetic = m * x.d**2 / 2
    s.initial(q={x: 1.0}, v={x: 1.0})
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        study = dal.sweep(s, {m: dal.uniform(1, 2)}, runs=64, duration=1e-3, executor=pool)
        assert study.complete.all()
        taken = []
        run = executors.Coordinator.run

        def measured(self, progress):
            begin = time.process_time()
            run(self, progress)
            taken.append((time.process_time() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))

        executors.Coordinator.run = measured
        dal.sweep(s, {m: dal.uniform(1, 2)}, runs=runs, duration=1e-3, executor=pool, out=folder + "/s")
    seconds, memory = taken[0]
    print(f"{runs} runs: {seconds:.2f} s of the coordinator's time, {seconds / runs * 1e6:.2f} us a run, "
          f"{100 * seconds / runs / 1e-3:.3f} % of runs of 1 ms on one worker; at most {memory:.0f} MB until all were done")


if __name__ == "__main__":
    main()
