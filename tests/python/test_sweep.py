"""dal.sweep: the numbers of the command to the last bit, their arrangement, and what is refused."""

import csv
import io
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pandas
import pytest

import dalembert as dal

COMMAND = os.environ.get("DALEMBERT") or str(pathlib.Path(dal.__file__).parent / "dalembert")

DISK = "rolling_disk"


def run_command(folder, model, *options):
    """The results.h5 of a sweep, as a dictionary of arrays, and the rows of results.csv."""
    import h5py

    completed = subprocess.run([COMMAND, "sweep", model, *options, "--out", folder / "study", "--quiet"],
                               capture_output=True, text=True, timeout=300)
    assert completed.returncode in (0, 3), completed.stderr
    with h5py.File(folder / "study" / "results.h5") as file:
        data = {name: (file[name][()], [_text(c) for c in file[name].attrs.get("columns", [])]) for name in file}
    rows = list(csv.DictReader(io.StringIO((folder / "study" / "results.csv").read_text())))
    return data, rows


def _text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def same_bits(a, b):
    a, b = np.ascontiguousarray(a, dtype=float), np.ascontiguousarray(b, dtype=float)
    return a.shape == b.shape and bool(((a.view(np.uint64) == b.view(np.uint64)) | (np.isnan(a) & np.isnan(b))).all())


def assert_same(sweep, data):
    assert same_bits(sweep.values, data["varied"][0])
    assert sweep.names == data["varied"][1]
    assert same_bits(sweep.final_t, data["final_t"][0])
    assert same_bits(sweep.q, data["final_q"][0])
    assert same_bits(sweep.v, data["final_v"][0])
    assert same_bits(sweep.residuals, data["largest_residual"][0])
    assert same_bits(sweep.energy_change, data["energy_change"][0])
    assert sweep.steps.tolist() == data["steps"][0].tolist()
    assert sweep.rejected.tolist() == data["rejected"][0].tolist()
    assert sweep.alone.tolist() == data["alone"][0].astype(bool).tolist()
    assert sweep.complete.tolist() == (data["status"][0] == 0).tolist()
    assert sweep.reason == [_text(r) for r in data["reason"][0]]
    if "statistics" in data:
        assert list(sweep.statistics) == data["statistics"][1]
        for j, name in enumerate(sweep.statistics):
            assert same_bits(sweep.statistics[name], data["statistics"][0][:, j])
    assert ("samples" in data) == bool(sweep.samples)
    if "samples" in data:
        assert same_bits(sweep.t, data["sample_times"][0])
        assert list(sweep.samples) == data["samples"][1]
        for j, name in enumerate(sweep.samples):
            assert same_bits(sweep.samples[name], data["samples"][0][:, :, j])


STUDIES = {
    "grid": (
        DISK, dict(vary={"m": [1, 2.5], "theta": dal.linspace(0.8, 1.4, 5)}, duration=1),
        ["--vary", "m=[1, 2.5]", "--vary", "theta=linspace(0.8, 1.4, 5)", "--duration", "1"]),
    "random": (
        DISK, dict(vary={"theta": dal.uniform(0.8, 1.4), "m": [1, 2, 3], "r": dal.normal(0.5, 0.01),
                         "psi'": dal.loguniform(2, 6)}, runs=50, seed=7, duration=1, statistics=["min(theta)", "rms(ideal.x)"]),
        ["--vary", "theta=uniform(0.8, 1.4)", "--vary", "m=[1, 2, 3]", "--vary", "r=normal(0.5, 0.01)", "--vary",
         "psi'=loguniform(2, 6)", "--runs", "50", "--seed", "7", "--duration", "1", "--stat", "min(theta)", "--stat",
         "rms(ideal.x)"]),
    "samples": (
        "pendulum", dict(vary={"alpha": np.linspace(0.1, 2.9, 7), "l": dal.logspace(0.5, 2, 2)}, samples=21,
                         duration="g/4", statistics=("max(theta)", "mean(tension)", "final(x'')"), rtol=1e-7, atol=1e-9),
        ["--vary", f"alpha=[{', '.join(map(repr, np.linspace(0.1, 2.9, 7).tolist()))}]", "--vary", "l=logspace(0.5, 2, 2)",
         "--samples", "21", "--duration", "g/4", "--stat", "max(theta)", "--stat", "mean(tension)", "--stat", "final(x'')",
         "--rtol", "1e-7", "--atol", "1e-9"]),
    "failures": (
        "pendulum", dict(vary={"m": [-1, 1, 2]}, duration=1, samples=5, statistics=["max(x)"]),
        ["--vary", "m=[-1, 1, 2]", "--duration", "1", "--samples", "5", "--stat", "max(x)"]),
    "set": (
        "pendulum", dict(vary={"omega": "linspace(0, 1, 3)"}, parameters={"l": 2, "m": "l/3"}, duration=1,
                         method="suslov", integrator="bdf", rtol=1e-6),
        ["--vary", "omega=linspace(0, 1, 3)", "--set", "l=2", "--set", "m=l/3", "--duration", "1", "--method", "suslov",
         "--integrator", "bdf", "--rtol", "1e-6"]),
    "of the model": (
        "pendulum", dict(vary={"alpha": [0.5, 1.0]}, statistics=["max(theta)"]),
        ["--vary", "alpha=[0.5, 1.0]", "--stat", "max(theta)"]),
}


@pytest.mark.filterwarnings("ignore::dalembert.IncompleteWarning")
@pytest.mark.parametrize("name", STUDIES)
def test_equals_the_command_to_the_last_bit(name, tmp_path):
    model, arguments, options = STUDIES[name]
    arguments = dict(arguments)
    vary = arguments.pop("vary")
    data, rows = run_command(tmp_path, model, *options)
    assert_same(dal.sweep(dal.read(model), vary, **arguments), data)
    for threads, lanes in ((1, 1), (3, 4)):
        assert_same(dal.sweep(model, vary, **arguments, threads=threads, lanes=lanes), data)
    table = dal.sweep(model, vary, **arguments).to_pandas()
    assert [table.index.name, *table.columns] == list(rows[0])
    assert table["status"].tolist() == [row["status"] for row in rows]
    assert isinstance(table, pandas.DataFrame)
    for column in table.columns:
        if column not in ("status", "reason"):
            assert same_bits(table[column], [float(row[column]) for row in rows])


def test_numbers_reach_the_engine_as_they_are():
    rng = np.random.default_rng(1)
    values = np.concatenate([rng.normal(size=20) * 10.0 ** rng.integers(-12, 12, 20), [1e-300, 1e22, 5e-324, 0.1, 1 / 3]])
    sweep = dal.sweep("pendulum", {"alpha": values}, duration=0.001)
    assert same_bits(sweep["alpha"], values)
    as_expressions = ", ".join(f"({x!r})" for x in values.tolist())
    assert same_bits(dal.sweep("pendulum", {"alpha": f"[{as_expressions}]"}, duration=0.001)["alpha"], values)
    odd = dal.sweep("pendulum", {"alpha": "[-0, 007, -1e+2, 2.50, 1E-2, 3e0, -7/2, 1e400/1e400]"}, duration=0.001)
    assert same_bits(odd["alpha"], [0, 7, -100, 2.5, 0.01, 3, -3.5, 1])


def test_a_motion_is_swept_with_the_parameters_it_has():
    system = dal.read("pendulum")
    plain = dal.sweep(system, {"alpha": [0.3, 0.4]}, parameters={"l": 2}, duration=1)
    motion = dal.Compiled(system, parameters={"l": 2})
    assert same_bits(dal.sweep(motion, {"alpha": [0.3, 0.4]}, duration=1).q, plain.q)
    of_method = dal.sweep(dal.Compiled(system, method="maggi"), {"alpha": [0.3, 0.4]}, duration=1)
    assert of_method.study["method"] == "maggi"
    varied = dal.sweep(motion, {"l": [2.0, 3.0]}, duration=1)  # what was set may vary all the same
    assert same_bits(varied.q[0], dal.sweep(system, {"l": [2]}, duration=1).q[0])
    with pytest.raises(ValueError, match="'l' is given by parameters too"):
        dal.sweep(system, {"l": [2.0, 3.0]}, parameters={"l": 1})


def test_parameters_that_follow_from_others_follow_those_that_vary():
    text = dal.read("pendulum").to_toml().replace("l = 1\n", 'h = 1\nl = "2*h"\n')
    sweep = dal.sweep(dal.loads(text).compile(), {"h": [0.5, 1.0]}, duration=0.5, samples=2)
    length = np.hypot(sweep.samples["x"], sweep.samples["y"])
    np.testing.assert_allclose(length, [[1, 1], [2, 2]], rtol=1e-12)


def test_closed_form_of_a_harmonic_oscillator():
    omega = np.sqrt(9.8125)
    sweep = dal.sweep("pendulum", {"alpha": [1e-5, 2e-5], "omega": [0.0]}, duration=3, samples=31)
    theta = sweep.samples["theta"]
    assert theta.shape == (2, 31) and sweep.t.shape == (31,)
    np.testing.assert_allclose(theta, np.outer([1e-5, 2e-5], np.cos(omega * sweep.t)), atol=1e-11)
    assert sweep.samples["t"][0].tolist() == sweep.t.tolist()


def test_times_of_one_s_own():
    times = [0, 0.25, 0.3, 1.0]
    sweep = dal.sweep("pendulum", {"alpha": [1.0]}, times=times, statistics="max(theta)")
    assert sweep.t.tolist() == times and sweep.study["duration"] == 1
    dense = dal.sweep("pendulum", {"alpha": [1.0]}, samples=101, duration=1)
    np.testing.assert_allclose(sweep.samples["x"][0], dense.samples["x"][0][[0, 25, 30, 100]], rtol=1e-9)
    assert sweep["max(theta)"][0] == sweep.samples["theta"][0].max()
    longer = dal.sweep("pendulum", {"alpha": [1.0]}, times=[0.5], duration=2)
    assert longer.final["t"].tolist() == [2] and longer.samples["x"].shape == (1, 1)


def test_grid_and_names():
    sweep = dal.sweep("pendulum", {"alpha": [0.1, 0.2, 0.3], "l": [1, 2]}, duration=0.1, statistics=["max(theta)"], samples=3)
    assert len(sweep) == 6 and sweep.shape == (3, 2)
    assert sweep.grid("alpha").tolist() == [[0.1, 0.1], [0.2, 0.2], [0.3, 0.3]]
    assert sweep.grid("l").tolist() == [[1, 2]] * 3
    assert sweep.grid("max(theta)").shape == (3, 2)
    assert sweep.grid(sweep.samples["x"]).shape == (3, 2, 3)
    assert sweep.grid(sweep.final["x"])[2, 1] == sweep.final["x"][5]
    assert sweep.final["x'"].base is not None  # a view
    repeated = dal.sweep("pendulum", {"alpha": [0.1, 0.2], "l": dal.uniform(1, 2)}, runs=6, duration=0.1)
    assert repeated.shape == (2,) and repeated.grid("l").shape == (3, 2)
    with pytest.raises(ValueError, match="5 runs do not fill a grid of 2 cells"):
        dal.sweep("pendulum", {"alpha": [0.1, 0.2], "l": dal.uniform(1, 2)}, runs=5, duration=0.1).grid("l")
    with pytest.raises(ValueError, match="no grid"):
        dal.sweep("pendulum", {"l": dal.uniform(1, 2)}, runs=5, duration=0.1).grid("l")
    with pytest.raises(ValueError, match="a row for each of 6 runs"):
        sweep.grid(np.zeros(5))
    with pytest.raises(KeyError, match="did you mean 'alpha'"):
        sweep["alfa"]
    with pytest.raises(KeyError, match=r"where it ended is final\['x'\]"):
        sweep["x"]
    with pytest.raises(KeyError, match="did you mean 'tension'"):
        sweep.samples["tensoin"]
    with pytest.raises(KeyError, match="no samples were kept"):
        repeated.samples["x"]
    copy = pickle.loads(pickle.dumps(sweep))
    assert same_bits(copy.q, sweep.q) and same_bits(copy.samples["theta"], sweep.samples["theta"])
    assert "6 runs, 6 complete, 0 failed" in repr(sweep)


def test_symbols_stand_for_names():
    system = dal.read("pendulum")
    x, l = system["x"], system["l"]
    sweep = dal.sweep(system, {l: [1.0, 2.0]}, duration=0.1, statistics=[("max", x), ("min", x.d)])
    assert sweep.names == ["l"] and list(sweep.statistics) == ["max(x)", "min(x')"]
    assert sweep[l].tolist() == [1, 2] and sweep.final[x.d].tolist() == sweep.v[:, 0].tolist()
    other = dal.read("dumbbell")
    with pytest.raises(ValueError, match="belongs to the system"):
        dal.sweep(system, {other["x"]: [1.0]})
    with pytest.raises(ValueError, match="belongs to the system"):
        dal.sweep(system, {"l": dal.uniform(1, other["l"])}, runs=3)
    with pytest.raises(ValueError, match="belongs to the system"):
        dal.sweep(system, {"l": [1.0]}, parameters={"m": 2 * other["m"]})
    with pytest.raises(ValueError, match="a coordinate or a velocity is needed, not 'x \\+ l'"):
        dal.sweep(system, {x + l: [1.0]})
    with pytest.raises(dal.ModelError, match="unknown name 'x'''; did you mean 'x''"):
        dal.sweep(system, {x.dd: [1.0]})


def pendulum():
    system = dal.System("written")
    (theta,) = system.coordinates("theta")
    m, g, l = system.parameters(m=1.0, g=9.81, l=2.0)
    system.kinetic = m * (l * theta.d) ** 2 / 2
    system.potential = -m * g * l * dal.cos(theta)
    return system, theta, l


def test_a_system_written_in_python():
    system, theta, l = pendulum()
    sweep = dal.sweep(system, {theta: [1e-4], l: dal.linspace(system["m"], 2 * system["m"], 2)}, duration=1, samples=11)
    assert sweep["l"].tolist() == [1, 2] and sweep.shape == (1, 2)
    expected = 1e-4 * np.cos(np.sqrt(9.81 / np.array([[1], [2]])) * sweep.t)
    np.testing.assert_allclose(sweep.samples[theta], expected, atol=1e-11)


def test_errors_tell_which_statement_wrote_the_line():
    system, theta, l = pendulum()
    with pytest.raises(dal.ModelError, match="'l' varies itself and cannot be used here"):
        dal.sweep(system, {l: [l, 2 * l]}, duration=1)
    system.simulation(duration=system["m"])
    with pytest.raises(dal.ModelError, match=r"give duration(.|\n)*written by .*system.simulation\(duration") as caught:
        dal.sweep(system, {"m": [1, 2]})
    assert caught.value.diagnostics[0].line > 0


def test_to_xarray():
    sweep = dal.sweep("pendulum", {"alpha": [0.1, 0.2, 0.3], "l": [1, 2]}, duration=0.1, statistics=["max(theta)"], samples=3)
    data = sweep.to_xarray()
    assert data["max(theta)"].dims == ("alpha", "l")
    assert data["x(t)"].dims == ("alpha", "l", "t")
    assert float(data["final x"].sel(alpha=0.3, l=2)) == sweep.final["x"][5]
    assert data.attrs["seed"] == 0 and data["t"].values.tolist() == sweep.t.tolist()
    drawn = dal.sweep("pendulum", {"l": dal.uniform(1, 2)}, runs=4, duration=0.1).to_xarray()
    assert drawn["l"].dims == ("run",) and drawn.sizes["run"] == 4


def test_failed_runs_say_why():
    with pytest.warns(dal.IncompleteWarning, match="1 of 2 runs failed; the first: at t = 0: the mass matrix is indefinite"):
        sweep = dal.sweep("pendulum", {"m": [-1, 1]}, duration=1, samples=3)
    assert sweep.complete.tolist() == [False, True] and sweep.failed.tolist() == [True, False]
    assert "indefinite" in sweep.reason[0] and sweep.reason[1] == ""
    assert np.isnan(sweep.samples["x"][0]).all() and np.isfinite(sweep.samples["x"][1]).all()
    assert sweep.summary["failures"] == [{"run": 0, "reason": sweep.reason[0]}]
    assert sweep.summary["succeeded"] == 1 and sweep.summary["spread"]["final x"]["min"] == sweep.final["x"][1]


@pytest.mark.parametrize("vary, options, error, words", [
    ({}, {}, ValueError, "nothing varies"),
    ("alpha", {}, TypeError, "vary must map names"),
    ({"alpa": [1]}, {}, dal.ModelError, "vary .*unknown name 'alpa'; did you mean 'alpha'"),
    ({"alpha": "unifrom(0, 1)"}, {"runs": 3}, dal.ModelError, "no distribution 'unifrom'; did you mean 'uniform'"),
    ({"alpha": dal.uniform(1, 0)}, {"runs": 3}, dal.ModelError, "1 is more than 0"),
    ({"alpha": dal.uniform(0, float("nan"))}, {"runs": 3}, ValueError, "not a finite number"),
    ({"alpha": dal.uniform(0, 1)}, {}, ValueError, "runs is needed: 'alpha' is drawn at random"),
    ({"alpha": []}, {}, ValueError, "at least one value"),
    ({"alpha": [[1, 2]]}, {}, TypeError, "a number is needed, not 'list'"),
    ({"alpha": np.zeros((2, 2))}, {}, ValueError, r"not an array of shape \(2, 2\)"),
    ({"alpha": [1, float("inf")]}, {}, ValueError, "not a finite number"),
    ({"alpha": [True]}, {}, TypeError, "not a bool"),
    ({"a=b": [1]}, {}, ValueError, "not a name"),
    ({3: [1]}, {}, TypeError, "a text or a symbol"),
    ({"alpha": [1]}, {"runs": 0}, ValueError, "runs 0: must be a whole number from 1 to 1000000000"),
    ({"alpha": [1]}, {"runs": 1.5}, ValueError, "whole number"),
    ({"alpha": [1]}, {"samples": 1}, ValueError, "samples 1: must be a whole number from 2"),
    ({"alpha": [1]}, {"samples": 3, "times": [1]}, ValueError, "not both"),
    ({"alpha": [1]}, {"times": []}, ValueError, "one or more numbers"),
    ({"alpha": [1]}, {"times": [0, 2, 1]}, ValueError, "times must not be negative and must increase: times.2. is 1 after 2"),
    ({"alpha": [1]}, {"times": [0, 0]}, ValueError, "duration|increase"),
    ({"alpha": [1]}, {"duration": -1}, ValueError, "duration -1: must be positive"),
    ({"alpha": [1]}, {"times": [0, 2], "duration": 1}, ValueError, "the last of the times, 2, is beyond the duration, 1"),
    ({"alpha": [1]}, {"duration": "alpha"}, ValueError, "depends on what varies"),
    ({"alpha": [1]}, {"duration": "beta"}, ValueError, "unknown name 'beta'"),
    ({"alpha": [1]}, {"rtol": 2}, ValueError, "between 0 and 1"),
    ({"alpha": [1]}, {"seed": -1}, ValueError, "seed is -1"),
    ({"alpha": [1]}, {"seed": 0.5}, TypeError, "seed must be a whole number"),
    ({"alpha": [1]}, {"lanes": 2}, ValueError, "1, 4 or 8"),
    ({"alpha": [1]}, {"threads": -1}, ValueError, "threads is -1"),
    ({"alpha": [1]}, {"integrator": "rk9"}, ValueError, "did you mean 'rk8'"),
    ({"alpha": [1]}, {"method": "suslof"}, dal.ModelError, "did you mean 'suslov'"),
    ({"alpha": [1]}, {"statistics": ["mox(x)"]}, dal.ModelError, "statistics .*did you mean 'max'"),
    ({"alpha": [1]}, {"statistics": ["max(x)", "max( x )"]}, dal.ModelError, "asked for twice"),
    ({"alpha": [1]}, {"statistics": [3]}, TypeError, "a statistic is a text"),
    ({"alpha": [1]}, {"parameters": {"mm": 1}}, dal.ModelError, "mm"),
    ({"alpha": [1]}, {"progress": 3}, TypeError, "progress must be a function"),
])
def test_what_is_refused(vary, options, error, words):
    with pytest.raises(error, match=words):
        dal.sweep("pendulum", vary, **options)


def test_only_systems_are_swept():
    with pytest.raises(TypeError, match="a System, a compiled one or the path"):
        dal.sweep(3, {"x": [1]})


def test_large_requests_are_refused_before_memory_is_taken():
    with pytest.raises(MemoryError, match="1000000000 runs take"):
        dal.sweep("pendulum", {"alpha": "linspace(0, 1, 1000000000)"})
    with pytest.raises(MemoryError, match="samples of"):
        dal.sweep("pendulum", {"alpha": [1]}, samples=10**9, runs=10**5)


def test_progress_and_what_it_raises():
    seen = []
    sweep = dal.sweep("pendulum", {"alpha": dal.uniform(0, 3)}, runs=4000, duration=20,
                      progress=lambda done, runs: seen.append((done, runs)))
    assert sweep.complete.all()
    assert seen and all(1 <= done <= 4000 and runs == 4000 for done, runs in seen)

    def complain(done, runs):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        dal.sweep("pendulum", {"alpha": dal.uniform(0, 3)}, runs=10**6, duration=20, progress=complain)


def test_sweeps_in_several_threads_at_once():
    alone = dal.sweep("pendulum", {"alpha": dal.uniform(0, 3)}, runs=40, duration=1)
    system = dal.read("pendulum")
    results = [None] * 4

    def work(i):
        results[i] = dal.sweep(system, {"alpha": dal.uniform(0, 3)}, runs=40, duration=1, threads=2)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(same_bits(result.q, alone.q) for result in results)


INTERRUPTED = textwrap.dedent("""
    import os, signal, threading
    import numpy as np
    import dalembert as dal

    def interrupt(done, runs):
        if done > 20:
            os.kill(os.getpid(), signal.SIGINT)

    try:
        dal.sweep("pendulum", {"alpha": dal.uniform(0, 3)}, runs=10**6, duration=10, samples=3, progress=interrupt)
    except dal.Interrupted as stop:
        assert isinstance(stop, KeyboardInterrupt)
        sweep = stop.solution
        done = int(sweep.complete.sum())
        assert 20 < done < 10**6, done
        assert np.isfinite(sweep.samples["x"][sweep.complete]).all()
        assert np.isnan(sweep.samples["x"][~sweep.complete]).all()
        assert np.isnan(sweep.final["x"][~sweep.complete]).all()
        assert not sweep.failed.any() and sweep.reason[-1].startswith("not run")
        again = dal.sweep("pendulum", {"alpha": dal.uniform(0, 3)}, runs=30, duration=10, samples=3)
        both = sweep.complete[:30]
        assert (again.q[both] == sweep.q[:30][both]).all()
        assert f"{done} of 1000000 runs" in str(stop)
        print("stopped")
""")


def test_ctrl_c_raises_with_what_was_done():
    completed = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=120)
    assert completed.stdout == "stopped\n", completed.stderr


OTHER_SIGNAL = textwrap.dedent("""
    import os, signal
    import dalembert as dal

    def handler(number, frame):
        raise TimeoutError("time is up")

    signal.signal(signal.SIGUSR1, handler)
    try:
        dal.sweep("pendulum", {"alpha": dal.uniform(0, 3)}, runs=10**6, duration=10,
                  progress=lambda done, runs: os.kill(os.getpid(), signal.SIGUSR1))
    except TimeoutError as error:
        print(error)
""")


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="no such signal here")
def test_what_another_handler_raises_comes_through():
    completed = subprocess.run([sys.executable, "-c", OTHER_SIGNAL], capture_output=True, text=True, timeout=120)
    assert completed.stdout == "time is up\n", completed.stderr


def test_no_column_replaces_another():
    names = ["steps", "status", "reason", "rejected", "largest_residual", "energy_change", "run", "mean"]
    s = dal.System("names")
    q = s.coordinates(*names)
    s.kinetic = sum(x.d**2 for x in q) / 2
    start = {x: 10 + i for i, x in enumerate(names)}
    s.initial(q=start)
    sweep = dal.sweep(s, {"steps'": [1.0, 2.0]}, duration=1, samples=3, statistics=["mean(t)", "max(mean)"])
    table = sweep.to_pandas()
    assert len(table.columns) == len(set(table.columns)) == 1 + 2 + 1 + 2 * len(names) + 4 + 2
    for i, name in enumerate(names):
        assert np.allclose(table[name], sweep.q[:, i])
    assert np.allclose(table["steps"], [11, 12]) and np.array_equal(table["run.steps"], sweep.steps)
    assert table["run.status"].tolist() == ["complete"] * 2 and table["run.reason"].tolist() == [""] * 2
    assert np.array_equal(table["run.rejected"], sweep.rejected)
    assert np.array_equal(table["run.largest_residual"], sweep.residuals)
    assert np.array_equal(table["run.energy_change"], sweep.energy_change)
    assert table.index.name == "run.run" and table.reset_index()["run.run"].tolist() == [0, 1]
    data = sweep.to_xarray()
    assert np.allclose(data["mean(t)"], 0.5)  # the statistic
    assert np.allclose(data["run.mean(t)"], 17)  # the samples of the coordinate called mean


def test_what_varies_may_be_called_like_an_axis():
    s = dal.System("names")
    x = s.coordinate("x")
    run, steps, sample = s.parameters(run=1.0, steps=2.0, sample=3.0)
    s.kinetic = run * steps * sample * x.d**2 / 2
    vary = {run: [1.0, 2.0], steps: dal.uniform(1, 2), sample: dal.uniform(1, 2)}
    sweep = dal.sweep(s, vary, runs=4, duration=1, samples=3)
    data = sweep.to_xarray()
    assert data.sizes == {"run.run": 4, "t": 3}
    for name in ("run", "steps", "sample"):
        assert np.array_equal(data[name], sweep[name])
    assert np.array_equal(data["run.steps"], sweep.steps) and data["x(t)"].shape == (4, 3)
    grid = dal.sweep(s, {run: [1.0, 2.0], steps: [3.0, 4.0, 5.0]}, duration=1).to_xarray()
    assert grid["run"].values.tolist() == [1, 2] and grid["steps"].values.tolist() == [3, 4, 5]
    assert grid["run.steps"].shape == (2, 3)
