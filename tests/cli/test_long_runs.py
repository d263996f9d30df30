"""Long motions: memory does not grow with the number of rows, nor does the page."""

import os
import subprocess

from conftest import PROGRAM

OSCILLATOR = """
name = "Oscillator"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "x^2/2"
[initial]
x = 1
[simulation]
duration = 100
"""


def peak_memory(directory, samples):
    """Of a run, KiB. Kernels stay interpreted: to compile them takes memory too, once it is worth while."""
    process = subprocess.Popen(
        [PROGRAM, "run", "oscillator.toml", "--samples", str(samples), "--format", "both", "--quiet"],
        cwd=directory, env={**os.environ, "DALEMBERT_ENGINE": "interpreter"},
    )  # fmt: skip
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_maxrss


def test_memory_and_page_do_not_grow_with_the_rows(dalembert):
    dalembert.write("oscillator.toml", OSCILLATOR)
    page = dalembert.directory / "out/oscillator/report.html"
    few = peak_memory(dalembert.directory, 20_000)
    few_size = page.stat().st_size
    many = peak_memory(dalembert.directory, 400_000)
    assert many < few + 8 * 1024  # 400 000 rows of 12 numbers are 38 MB
    assert page.stat().st_size < 1.01 * few_size
    with open(dalembert.directory / "out/oscillator/trajectory.csv", "rb") as file:
        assert sum(1 for _ in file) == 400_001
