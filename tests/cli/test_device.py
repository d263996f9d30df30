"""sweep --device: a graphics processor takes the steps, and the files are those of lanes to the last bit.

Where there is none, the same code runs on the CPU (DALEMBERT_GPU=here).
"""

import ctypes
import json
import os

import pytest

HERE = {**os.environ, "DALEMBERT_GPU": "here"}
WITHOUT = {key: value for key, value in os.environ.items() if key != "DALEMBERT_GPU"}
SPIN = ["sweep", "rolling_disk", "--vary", "theta=uniform(0.6, 1.4)", "--vary", "m=[1, 2, 3]", "--seed", "4"]

SHAKEN = """
name = "A bead in a well, and a rotor"
coordinates = ["x", "a"]
[parameters]
k = 1.0
[energy]
kinetic = "x'^2/2 + (1 + x^2)*a'^2/2"
potential = "k*x^2/2 + cos(x)*sin(a)/(2 + x^2)"
[forces]
x = "-0.1*abs(x')*x'"
[initial]
x = 0.3
"a'" = 1.5
[simulation]
duration = 12
"""

FALLING = """
name = "A bead that meets the end of its scale"
coordinates = ["x"]
[parameters]
g = 1.0
[energy]
kinetic = "x'^2/2"
potential = "g*sqrt(2 - x)"
[initial]
x = 1.0
[simulation]
duration = 6
"""


def no_driver():
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return True
    return False


def same(one, other):
    assert (one / "results.h5").read_bytes() == (other / "results.h5").read_bytes()
    assert (one / "results.csv").read_bytes() == (other / "results.csv").read_bytes()


def both(dalembert, *command):
    """The study by lanes, and on the device; what was said of that."""
    cpu = dalembert(*command, "--out", "cpu")
    gpu = dalembert(*command, "--out", "gpu", "--device", "gpu", env=HERE)
    assert gpu.status == cpu.status, gpu.err
    same(dalembert.directory / "cpu", dalembert.directory / "gpu")
    return gpu.err


@pytest.mark.parametrize("model, vary", [
    ("rolling_disk", ["theta=uniform(0.4, 1.5)", "phi'=uniform(-1, 1)", "psi'=uniform(-8, 8)"]),
    ("double_pendulum", ["g=uniform(5, 10)"]),
    ("skate_on_incline", ["gamma=uniform(1, 2)"]),
])
def test_the_bits_are_those_of_lanes(dalembert, model, vary):
    told = both(dalembert, "sweep", model, *(x for v in vary for x in ("--vary", v)), "--runs", 200, "--duration", 5)
    assert told.startswith("note: 200 runs on this processor, in ") and told.endswith(" of its time; 0 by the CPU\n")


def test_options_of_the_steps_are_heeded(dalembert):
    dalembert.write("shaken.toml", SHAKEN)
    for more in (["--max-step", 0.05], ["--rtol", 1e-5], ["--rtol", 1e-12, "--atol", 1e-14], ["--duration", 1e-3]):
        folder = f"d{len(str(more))}"
        command = ["sweep", "shaken.toml", "--vary", "k=uniform(0.5, 2)", "--runs", 40, *more]
        assert dalembert(*command, "--out", f"{folder}c").status == 0
        assert dalembert(*command, "--out", f"{folder}g", "--device", "gpu", env=HERE).status == 0
        same(dalembert.directory / f"{folder}c", dalembert.directory / f"{folder}g")


def test_runs_that_the_tape_doubts_go_to_the_cpu(dalembert):
    """Some fall into the root of a negative number, some cannot start, some are done."""
    dalembert.write("falling.toml", FALLING)
    told = both(dalembert, "sweep", "falling.toml", "--vary", "g=[-2, -1, 0.5, 2]", "--vary", "x=[-1, 1, 2, 3]")
    table = (dalembert.directory / "gpu/results.csv").read_text()
    assert "failed" in table and "complete" in table
    words = told.split()
    assert 0 < int(words[1]) < 16 and int(words[1]) + int(words[-4]) == 16


def test_shards_and_devices_go_together(dalembert):
    assert dalembert(*SPIN, "--runs", 30, "--duration", 1, "--out", "whole").status == 0
    for i, device in ((1, "gpu"), (2, "cpu")):
        result = dalembert(*SPIN, "--runs", 30, "--duration", 1, "--shard", f"{i}/2", "--out", "s", "--device", device, env=HERE)
        assert result.status == 0, result.err
    assert dalembert("merge", "s").status == 0
    same(dalembert.directory / "s", dalembert.directory / "whole")


@pytest.mark.skipif(not no_driver(), reason="this machine has a graphics processor")
def test_without_one_gpu_is_refused_and_auto_goes_on(dalembert):
    words = "this machine has no driver for graphics processors (libcuda.so.1)"
    result = dalembert(*SPIN, "--runs", 3, "--device", "gpu", env=WITHOUT)
    assert result.status == 2 and result.err == f"error: --device gpu: {words}\n"
    assert not (dalembert.directory / "out").exists()
    result = dalembert(*SPIN, "--runs", 3, "--device", "auto", env=WITHOUT)
    assert result.status == 0 and result.err == f"note: {words}; all is done by the CPU\n"
    assert dalembert(*SPIN, "--runs", 3, "--device", "auto", "--quiet", "--out", "q", env=WITHOUT).err == ""


@pytest.mark.skipif(no_driver(), reason="this machine has no graphics processor")
def test_with_one_the_bits_are_the_same(dalembert):
    assert dalembert(*SPIN, "--runs", 5000, "--out", "cpu").status == 0
    result = dalembert(*SPIN, "--runs", 5000, "--out", "gpu", "--device", "gpu", env=WITHOUT)
    assert result.status == 0 and result.err.endswith("; 0 by the CPU\n"), result.err
    same(dalembert.directory / "cpu", dalembert.directory / "gpu")


@pytest.mark.parametrize("command, words", [
    (["sweep", "pendulum", "--vary", "m=[1, 2]"], "steps are projected onto constraints, which only lanes do"),
    ([*SPIN, "--runs", 2, "--stat", "max(theta)"], "runs are sampled, which only lanes do"),
    ([*SPIN, "--runs", 2, "--integrator", "taylor"], "the integrator is taylor, and only rk8 runs there"),
])
def test_a_study_that_is_not_for_it_says_why(dalembert, command, words):
    result = dalembert(*command, "--device", "gpu", "--out", "s", env=HERE)
    assert result.status == 2
    assert result.err == f"error: --device gpu: this study is not for a graphics processor: {words}\n"
    result = dalembert(*command, "--device", "auto", "--out", "s", env=HERE)
    assert result.status == 0
    assert result.err == f"note: this study is not for a graphics processor: {words}; all is done by the CPU\n"


def test_a_device_that_is_none_is_refused(dalembert):
    result = dalembert(*SPIN, "--runs", 2, "--device", "tpu")
    assert result.status == 2 and result.err == "error: --device tpu: must be cpu, gpu or auto\n"


def test_what_another_machine_needs_to_repeat_it_is_written(dalembert):
    (dalembert.directory / "record").mkdir()
    environment = {**os.environ, "DALEMBERT_GPU": f"record:{dalembert.directory / 'record'}"}
    result = dalembert(*SPIN, "--runs", 10, "--duration", 1, "--device", "gpu", "--json", env=environment)
    assert json.loads(result.out)["done"] == 10
    sizes = {path.name: path.stat().st_size for path in (dalembert.directory / "record").iterdir()}
    assert sorted(sizes) == ["end", "iterate.ptx", "parameters", "start", "status"]
    assert sizes["status"] == 80 and sizes["start"] == sizes["end"] and b".entry iterate" in (
        dalembert.directory / "record/iterate.ptx").read_bytes()
