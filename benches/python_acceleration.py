#!/usr/bin/env python3
"""How much Python adds to accelerations of many states: motion.acceleration beside the bare kernel in C++.

    cmake --preset release -DDALEMBERT_BENCH=ON -DDALEMBERT_PYTHON=ON
    cmake --build --preset release --target bench_accelerations dalembert_python
    PYTHONPATH=build/release/python benches/python_acceleration.py [--states 1000000] [--turns 5]

For each model it prints nanoseconds a state: of the kernel of the accelerations alone and of that of the ensemble
(Flow::derivative), both on lanes filled beforehand; of study::Accelerations, rows in and rows out; of Python by one
thread, into an array given by `out` and into a fresh one, whose pages the system must clear first; and by one thread a
core. The ratios are Python by one thread, in both ways, to the kernel of the ensemble, or to that of the accelerations
where the former is reduced: that answers for states on the constraints only, and Python for any. Programs take turns,
and the shortest turn of each counts.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import dalembert as dal

ROOT = Path(__file__).resolve().parents[1]


def python_times(motion: dal.Motion, states: int, turns: int) -> dict[str, float]:
    """Nanoseconds a state, the shortest of some turns, once machine code has come."""
    start = motion.evaluate()
    n = len(motion.coordinates)
    rng = np.random.default_rng(1)
    q = start.q + rng.uniform(-0.3, 0.3, (states, n))
    v = start.v + rng.uniform(-0.3, 0.3, (states, n))
    until = time.perf_counter() + 2
    while time.perf_counter() < until:
        motion.acceleration(0.0, q, v, threads=1)
    out = np.zeros((states, n))
    best = {"out": np.inf, "fresh": np.inf, "shared": np.inf}
    for _ in range(turns):
        for name, threads, target in (("out", 1, out), ("fresh", 1, None), ("shared", None, out)):
            begin = time.perf_counter()
            motion.acceleration(0.0, q, v, threads=threads, out=target)
            best[name] = min(best[name], (time.perf_counter() - begin) / states * 1e9)
    return best


def compare(path: Path, states: int, turns: int, command: Path) -> dict[str, float]:
    """The shortest turns of both programs, in turn."""
    motion = dal.Motion(dal.read(path))
    best: dict[str, float] = {}
    for _ in range(turns):
        cpp = json.loads(subprocess.run([command, path, str(states)], check=True, capture_output=True).stdout)
        for name, value in {**cpp, **python_times(motion, states, 10)}.items():
            best[name] = min(best.get(name, value), value)
    return best


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--states", type=int, default=1_000_000)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--command", type=Path, default=ROOT / "build/release/benches/bench_accelerations")
    options = parser.parse_args()
    chain = subprocess.run([sys.executable, ROOT / "benches/generate_models.py", "chain", "10"], check=True,
                           capture_output=True, text=True).stdout  # fmt: skip
    heads = ("solution", "ensemble", "rows C++", "out=", "fresh", "shared", "ratios")
    print(f"{'':16} {'n':>3} " + " ".join(f"{head:>9}" for head in heads))
    with tempfile.TemporaryDirectory() as folder:
        chain_path = Path(folder) / "chain_10.toml"
        chain_path.write_text(chain, encoding="utf-8")
        for path in (ROOT / "models/double_pendulum.toml", ROOT / "models/rolling_disk.toml", chain_path):
            r = compare(path, options.states, options.turns, options.command)
            bare = r["solution"] if r["reduced"] else r["flow"]
            numbers = [r[name] for name in ("solution", "flow", "rows", "out", "fresh", "shared")]
            ratios = [r[name] / bare for name in ("out", "fresh")]
            print(f"{path.stem:16} {r['n']:3} " + " ".join(f"{x:9.2f}" for x in numbers + ratios), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
