"""sweep --device: a graphics processor takes the steps, and the files are those of lanes to the last bit.

Where there is none, the same code runs on the CPU (DALEMBERT_GPU=here).
"""

import ctypes
import json
import os
import shutil
import subprocess
import time
import tomllib

import pytest

from conftest import MODELS, PROGRAM

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

KICKED = """
name = "A pendulum that is kicked"
coordinates = ["x", "y"]
[parameters]
k = 1.0
at = 1.0
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
[forces]
x = "k*(step(t - at) - step(t - 2*at)) + abs(sin(3*t))"
[[constraint]]
name = "rod"
equation = "x^2 + y^2 = 1"
[initial]
x = 0.6
y = -0.8
[simulation]
duration = 6
samples = 61
PROJECT
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


def both(dalembert, *command, env=HERE):
    """The study by lanes, and on the device; what was said of that."""
    for folder in ("cpu", "gpu"):
        shutil.rmtree(dalembert.directory / folder, ignore_errors=True)
    cpu = dalembert(*command, "--out", "cpu")
    gpu = dalembert(*command, "--out", "gpu", "--device", "gpu", env=env)
    assert gpu.status == cpu.status, gpu.err
    same(dalembert.directory / "cpu", dalembert.directory / "gpu")
    return gpu.err


def all_there(told):
    """All runs on the device, none by the CPU."""
    return told.startswith("note: ") and told.endswith(" of its time; 0 by the CPU\n") and not told.startswith("note: 0 ")


@pytest.mark.parametrize("model, vary", [
    ("rolling_disk", ["theta=uniform(0.4, 1.5)", "phi'=uniform(-1, 1)", "psi'=uniform(-8, 8)"]),
    ("double_pendulum", ["g=uniform(5, 10)"]),
    ("skate_on_incline", ["gamma=uniform(1, 2)"]),
])
def test_the_bits_are_those_of_lanes(dalembert, model, vary):
    told = both(dalembert, "sweep", model, *(x for v in vary for x in ("--vary", v)), "--runs", 200, "--duration", 5)
    assert told.startswith("note: 200 runs on this processor, in ") and told.endswith(" of its time; 0 by the CPU\n")


# Of projection on positions, on velocities, on neither; of many rows and of one; of one operation and of hundreds.
@pytest.mark.parametrize("model, vary", [
    ("appell_hamel", "g"), ("coulomb_helix", "g"), ("double_pendulum", "g"), ("dumbbell", "m"), ("flat_body", "m"),
    ("gyroscope", "m"), ("n_pendulum", "g"), ("particle", "m"), ("pendulum", "g"), ("rolling_disk", "r"), ("rotating_wire", "m"),
    ("skate_on_incline", "g"), ("slider_crank", "g"), ("parallelogram", "g")])
def test_steps_and_statistics_of_every_kind_of_model(dalembert, model, vary):
    """The parallelogram's are not the device's: its rows are dependent, which no tape vouches for."""
    values = tomllib.loads((MODELS / f"{model}.toml").read_text(encoding="utf-8"))["parameters"]
    name = vary if vary in values else next(key for key, value in values.items() if isinstance(value, (int, float)) and value != 0)
    command = ["sweep", model, "--vary", f"{name}=linspace({0.98 * values[name]}, {1.02 * values[name]}, 5)", "--duration", 1.5]
    assert all_there(both(dalembert, *command)) == (model != "parallelogram")
    statistics = (f"{word}(energy.{what})" for word, what in (
        ("min", "kinetic"), ("max", "potential"), ("mean", "kinetic"), ("rms", "kinetic"), ("final", "potential")))
    assert all_there(both(dalembert, *command, *(x for s in statistics for x in ("--stat", s)))) == (model != "parallelogram")


@pytest.mark.parametrize("project", ["", 'project = "velocity"', 'project = "none"'])
def test_kinks_at_known_times_and_samples_between(dalembert, project):
    dalembert.write("kicked.toml", KICKED.replace("PROJECT", project))
    command = ["sweep", "kicked.toml", "--vary", "k=linspace(1, 2, 4)", "--vary", "at=linspace(0.5, 1.5, 4)"]
    assert all_there(both(dalembert, *command))
    assert all_there(both(dalembert, *command, "--samples", 61, "--stat", "rms(y')", "--stat", "max(ideal.x)"))
    assert all_there(both(dalembert, *command, "--stat", "min(x)", "--stat", "mean(y')", "--stat", "final(ideal.x)"))


@pytest.mark.parametrize("model, vary", [("pendulum", "alpha=uniform(0, 3)"), ("appell_hamel", "m=uniform(0.5, 2)")])
def test_columns_that_only_the_cpu_knows_follow_from_the_states_there(dalembert, model, vary):
    """Outputs with atan2 and powers."""
    told = both(dalembert, "sweep", model, "--vary", vary, "--runs", 12, "--samples", 31, "--stat", "mean(energy.kinetic)",
                "--duration", 2)
    assert all_there(told)


def test_runs_are_shared_among_processors(dalembert):
    told = both(dalembert, *SPIN, "--runs", 500, "--duration", 1, "--samples", 11, env={**HERE, "DALEMBERT_GPU": "here:3"})
    assert told.startswith("note: 500 runs on 3 x this processor, in ")


def test_a_projection_that_does_not_converge_goes_to_the_cpu(dalembert):
    """Steps so long that Newton's corrections of their ends lead nowhere, or far."""
    told = both(dalembert, "sweep", "slider_crank", "--vary", "g=linspace(5, 15, 8)", "--rtol", 0.5, "--atol", 10, "--duration", 3)
    assert told.startswith("note: ")


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


def test_what_was_broken_off_on_the_device_goes_on_without_it(dalembert):
    study = [*SPIN, "--runs", 3000, "--duration", 3, "--stat", "max(theta)"]
    assert dalembert(*study, "--out", "whole").status == 0
    process = subprocess.Popen([PROGRAM, *map(str, study), "--out", "broken", "--device", "gpu"], cwd=dalembert.directory, env=HERE,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    journal, begun = dalembert.directory / "broken/runs.journal", dalembert.directory / "broken/study.json"
    header = 1000  # runs are in it when it is longer
    while process.poll() is None and not (begun.exists() and journal.stat().st_size > header):
        time.sleep(0.001)
    process.kill()
    process.wait()
    result = dalembert(*study, "--out", "broken", "--resume")
    assert result.status == 0, result.err
    same(dalembert.directory / "broken", dalembert.directory / "whole")


@pytest.mark.skipif(not no_driver(), reason="this machine has a graphics processor")
def test_without_one_gpu_is_refused_and_auto_goes_on(dalembert):
    words = "this machine has no driver for graphics processors (libcuda.so.1)"
    result = dalembert(*SPIN, "--runs", 3, "--device", "gpu", env=WITHOUT)
    assert result.status == 2 and result.err == f"error: --device gpu: {words}\n"
    assert not (dalembert.directory / "out").exists()
    result = dalembert(*SPIN, "--runs", 3, "--device", "auto", env=WITHOUT)
    assert result.status == 0 and result.err == f"note: {words}; the CPU does all the work\n"
    assert dalembert(*SPIN, "--runs", 3, "--device", "auto", "--quiet", "--out", "q", env=WITHOUT).err == ""


@pytest.mark.skipif(no_driver(), reason="this machine has no graphics processor")
def test_with_one_the_bits_are_the_same(dalembert):
    assert dalembert(*SPIN, "--runs", 5000, "--out", "cpu").status == 0
    result = dalembert(*SPIN, "--runs", 5000, "--out", "gpu", "--device", "gpu", env=WITHOUT)
    assert result.status == 0 and result.err.endswith("; 0 by the CPU\n"), result.err
    same(dalembert.directory / "cpu", dalembert.directory / "gpu")


@pytest.mark.parametrize("command, words", [
    (["sweep", "pendulum", "--vary", "m=[1, 2]", "--stat", "max(theta)"],
     "the equations, or what is sampled, have tables or functions other than sine, cosine and square root"),
    (["sweep", "bicycle", "--vary", "g=[9, 10]", "--duration", 0.01], "the equations take 4270 operations, more than 600"),
    ([*SPIN, "--runs", 2, "--integrator", "taylor"], "the integrator is taylor, and only rk8 runs there"),
])
def test_a_study_that_is_not_for_it_says_why(dalembert, command, words):
    result = dalembert(*command, "--device", "gpu", "--out", "s", env=HERE)
    assert result.status == 2
    assert result.err == f"error: --device gpu: a graphics processor cannot run this study: {words}\n"
    result = dalembert(*command, "--device", "auto", "--out", "s", env=HERE)
    assert result.status == 0
    assert result.err == f"note: a graphics processor cannot run this study: {words}; the CPU does all the work\n"


def test_a_device_that_is_none_is_refused(dalembert):
    result = dalembert(*SPIN, "--runs", 2, "--device", "tpu")
    assert result.status == 2 and result.err == "error: --device tpu: must be cpu, gpu or auto\n"


def test_what_another_machine_needs_to_repeat_it_is_written(dalembert):
    (dalembert.directory / "record").mkdir()
    environment = {**os.environ, "DALEMBERT_GPU": f"record:{dalembert.directory / 'record'}"}
    result = dalembert(*SPIN, "--runs", 10, "--duration", 1, "--device", "gpu", "--json", env=environment)
    assert json.loads(result.out)["done"] == 10
    sizes = {path.name: path.stat().st_size for path in (dalembert.directory / "record").iterdir()}
    assert sorted(sizes) == ["end", "iterate.ptx", "parameters", "rows", "start", "status"]
    assert sizes["status"] == 80 and sizes["start"] == sizes["end"] and b".entry iterate" in (
        dalembert.directory / "record/iterate.ptx").read_bytes()
