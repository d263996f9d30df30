"""What a solution gives: views, forces, files, tables of others, pickles; and that memory comes back."""

import gc
import os
import pathlib
import pickle
import resource
import subprocess
import sys

import matplotlib
import matplotlib.pyplot as pyplot
import numpy as np
import pandas
import pytest

import dalembert as dal

MODELS = pathlib.Path(os.environ.get("DALEMBERT_MODELS", pathlib.Path(__file__).parents[2] / "models"))
COMMAND = os.environ.get("DALEMBERT", str(pathlib.Path(dal.__file__).parent / "dalembert"))


@pytest.fixture(scope="module")
def dumbbell():
    return dal.read(MODELS / "dumbbell.toml").compile()


@pytest.fixture(scope="module")
def sol(dumbbell):
    return dumbbell.simulate(2, samples=21)


@pytest.fixture(scope="module")
def stewart():
    return dal.read(MODELS / "stewart_platform.toml").compile().simulate(0.2, samples=5)


def test_arrays_are_views_of_one_table(sol):
    n = len(sol.coordinates)
    assert sol.q.shape == sol.v.shape == sol.a.shape == (21, n)
    assert len(sol) == 21 == len(sol.t)
    for i, name in enumerate(sol.coordinates):
        assert np.shares_memory(sol.q, sol[name])
        assert np.array_equal(sol.q[:, i], sol[name])
        assert np.array_equal(sol.v[:, i], sol[name + "'"])
        assert np.array_equal(sol.a[:, i], sol[name + "''"])
        assert np.array_equal(sol.forces.ideal[:, i], sol["ideal." + name])
        assert np.array_equal(sol.forces.nonideal[:, i], sol["nonideal." + name])
    for array in (sol.t, sol.q, sol["energy.kinetic"], sol.forces.ideal):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
        with pytest.raises(ValueError):
            array.flags.writeable = True


def test_unknown_columns_are_told(sol):
    with pytest.raises(KeyError, match="no column 'energy.kinetik'; did you mean 'energy.kinetic'"):
        sol["energy.kinetik"]
    with pytest.raises(TypeError, match="by its name or an expression, not by int"):
        sol[0]
    assert "x" in sol and "nothing" not in sol


def test_expressions_are_columns_or_values_at_every_row():
    s = dal.System("rod")
    x, y = s.coordinates("x y")
    m, l = s.parameters(m=2.0, l=1.0)
    s.kinetic = m * (x.d**2 + y.d**2) / 2
    s.potential = 9.81 * m * y
    s.constrain(x**2 + y**2 == l**2, name="length")
    sol = s.compile().simulate(1, q={x: 0.6, "y": -0.8}, v={x.d: 0.8, y: 0.6}, samples=11)
    assert np.shares_memory(sol[x.d], sol["x'"]) and np.array_equal(sol[y.dd], sol["y''"])
    assert np.allclose(sol[s.kinetic], sol["energy.kinetic"], rtol=1e-14)
    assert np.allclose(sol[x**2 + y**2 - l**2], 0, atol=1e-14)
    again = pickle.loads(pickle.dumps(sol))
    assert np.array_equal(again[x * y.d], sol[x * y.d])
    z = dal.System("other").coordinate("z")
    for solution in (sol, again):
        with pytest.raises(ValueError, match="z belongs to the system 'other', and this is the system 'rod'"):
            solution[z]
    with pytest.raises(ValueError, match="z belongs to the system 'other'"):
        s.compile().simulate(q={z: 1})


def test_a_parameter_is_no_output_of_its_name():
    s = dal.System("mass")
    x = s.coordinate("x")
    m = s.parameter("m", 2.5)
    s.kinetic = m * x.d**2 / 2
    s.outputs(m=7 * x)
    sol = s.compile().simulate(1, q={x: 1}, v={x: 1}, samples=3)
    for solution in (sol, pickle.loads(pickle.dumps(sol))):
        assert solution[m].tolist() == [2.5, 2.5, 2.5]
        assert np.array_equal(solution["m"], 7 * solution[x])
        assert np.array_equal(solution[m * x.d], 2.5 * solution["x'"])


def test_views_outlive_the_solution(dumbbell):
    sol = dumbbell.simulate(1, samples=1000)
    t, x, ideal, expected = sol.t, sol["x'"], sol.forces.ideal, sol.v.copy()
    del sol
    gc.collect()
    other = [dumbbell.simulate(1, samples=1000) for _ in range(5)]  # would take the memory, were it free
    assert t[-1] == 1 and ideal.shape[0] == 1000 and len(other) == 5
    assert np.array_equal(x, expected[:, 0])


@pytest.mark.slow
def test_memory_comes_back(dumbbell):
    def megabytes():
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize() / 2**20

    def once():
        sol = dumbbell.simulate(0.1, samples=100_000)  # some 25 MB
        assert sol["x"][-1] == sol.q[-1, 0]
        return sol["x"]

    for _ in range(5):
        once()
    gc.collect()
    before = megabytes()
    for _ in range(60):
        once()
    gc.collect()
    assert megabytes() - before < 60


def test_shares_of_constraints_add_up_to_the_ideal_force(sol, stewart):
    for solution in (sol, stewart):
        total = sum(solution.forces[name] for name in solution.constraints)
        assert total.shape == solution.q.shape
        assert np.allclose(total, solution.forces.ideal, rtol=1e-9, atol=1e-9 * np.max(np.abs(total)))
        assert solution.forces.multipliers.shape == (len(solution), len(solution.constraints))
        assert solution.forces[solution.constraints[0]] is solution.forces[solution.constraints[0]]


def test_forces_balance_masses_times_accelerations(dumbbell, sol):
    M = dumbbell.mass_matrix(sol.t, sol.q)
    left = np.einsum("rij,rj->ri", M, sol.a)
    right = sol.forces.applied + sol.forces.ideal + sol.forces.nonideal
    assert np.allclose(left, right, rtol=1e-9, atol=1e-9)


def test_shares_are_those_of_eval(dumbbell, sol):
    row = 7
    here = dumbbell.forces(sol.t[row], sol.q[row], sol.v[row])
    for name in sol.constraints:
        assert np.allclose(sol.forces[name][row], here[name], rtol=1e-12, atol=1e-12)


def test_reactions_of_joints(stewart):
    pin = stewart.forces.reaction("leg1")
    assert list(pin) == ["fx", "fy", "fz", "bfx", "bfy", "bfz"]
    assert np.array_equal(pin["fy"], stewart["leg1.fy"])
    assert stewart.forces["leg1"].shape == stewart.q.shape  # a constraint bears the same name
    bar = dal.read(MODELS / "four_bar.toml").compile().simulate(0.01, samples=2)
    assert np.array_equal(bar.forces["A"]["fx"], bar["A.fx"])
    with pytest.raises(KeyError, match="no constraint 'B.tild1'; did you mean 'B.tilt1'"):
        bar.forces["B.tild1"]
    with pytest.raises(KeyError, match="no joint 'Z'"):
        bar.forces.reaction("Z")
    with pytest.raises(TypeError, match="by the name of a constraint or a joint, not by int"):
        bar.forces[0]


def test_the_summary_is_that_of_the_command(sol, tmp_path):
    import json

    subprocess.run([COMMAND, "run", MODELS / "dumbbell.toml", "--out", tmp_path, "--duration", "2", "--samples", "21", "--quiet"], check=True)
    theirs = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    ours = dict(sol.summary)
    for summary in (ours, theirs):
        del summary["seconds"]
    assert ours == theirs


@pytest.mark.parametrize("name", ["dumbbell", "four_bar", "rotating_wire", "coulomb_helix", "rolling_disk"])
def test_csv_is_that_of_the_command_byte_for_byte(name, tmp_path):
    path = MODELS / f"{name}.toml"
    subprocess.run([COMMAND, "run", path, "--out", tmp_path, "--duration", "0.3", "--samples", "11", "--quiet"], check=True)
    dal.read(path).compile().simulate(0.3, samples=11).to_csv(tmp_path / "own.csv")
    assert (tmp_path / "own.csv").read_bytes() == (tmp_path / "trajectory.csv").read_bytes()


def test_a_file_that_cannot_be_written_is_an_error(sol, tmp_path):
    with pytest.raises(OSError, match="no such|No such|cannot"):
        sol.to_csv(tmp_path / "nowhere" / "own.csv")
    with pytest.raises(OSError):
        sol.report(tmp_path / "nowhere" / "report.html")


def test_pandas(sol):
    frame = sol.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.index.name == "t" and list(frame.columns) == sol.columns[1:]
    assert np.array_equal(frame["x'"].to_numpy(), sol["x'"]) and np.array_equal(frame.index, sol.t)


def test_xarray(sol, stewart):
    data = sol.to_xarray()
    assert data.q.dims == ("t", "coordinate") and np.array_equal(data.q, sol.q)
    assert np.array_equal(data.v.sel(coordinate="x"), sol["x'"])
    assert np.array_equal(data.ideal, sol.forces.ideal) and np.array_equal(data.t, sol.t)
    assert np.array_equal(data["energy.kinetic"], sol["energy.kinetic"])
    for name in sol.constraints:
        assert np.array_equal(data.residual.sel(constraint=name), sol["constraint." + name])
    assert data.attrs["convention"] == "M q'' = Q + Q_ideal + Q_nonideal" and data.attrs["complete"] == 1
    assert np.array_equal(stewart.to_xarray()["leg1.fx"], stewart["leg1.fx"])


def test_outputs_called_like_a_variable_of_xarray_are_kept(tmp_path):
    path = tmp_path / "names.toml"
    path.write_text('coordinates = ["x"]\n[energy]\nkinetic = "x\'^2/2"\n[initial]\n"x\'" = 1\n'
                    '[outputs]\nq = "2*x"\ntime = "3*x"\n', encoding="utf-8")
    sol = dal.read(path).compile().simulate(1, samples=3)
    data = sol.to_xarray()
    assert np.array_equal(data["output.q"], sol["q"]) and np.array_equal(data["time"], sol["time"])
    assert list(sol.outputs) == ["q", "time"]


def test_plot(sol):
    matplotlib.use("Agg")
    axes = sol.plot()
    assert [line.get_label() for line in axes.lines][0] == "$x$" and len(axes.lines) == len(sol.coordinates)
    assert axes.get_legend() is not None and axes.get_xlabel() == "$t$"
    axes.figure.canvas.draw()
    again = sol.plot("x'", "energy.kinetic", ax=axes, color="black")
    assert again is axes and len(axes.lines) == len(sol.coordinates) + 2
    assert axes.lines[-2].get_label() == r"$\dot{x}$" and axes.lines[-1].get_label() == "energy.kinetic"
    assert np.array_equal(axes.lines[-1].get_ydata(), sol["energy.kinetic"])
    alone = sol.plot("x''")
    assert alone.get_ylabel() == r"$\ddot{x}$" and alone.get_legend() is None
    with pytest.raises(KeyError, match="no column 'xx'"):
        sol.plot("xx")
    pyplot.close("all")


def test_pickles_keep_everything(dumbbell):
    sol = dumbbell.simulate(1, samples=11, parameters={next(iter(dumbbell.parameter_values())): 1.25})
    again = pickle.loads(pickle.dumps(sol))
    assert again.columns == sol.columns and again.summary == sol.summary and repr(again) == repr(sol)
    assert all(np.array_equal(again[name], sol[name]) for name in sol.columns)
    with pytest.raises(ValueError, match="read-only"):
        again.q[0, 0] = 1
    for name in sol.constraints:
        assert np.array_equal(again.forces[name], sol.forces[name])
    assert again.animate().html == sol.animate().html


def test_pickles_of_short_and_odd_motions(tmp_path, stewart):
    again = pickle.loads(pickle.dumps(stewart))
    assert np.array_equal(again.forces.reaction("leg2")["fx"], stewart.forces.reaction("leg2")["fx"])
    again.to_csv(tmp_path / "a.csv")
    stewart.to_csv(tmp_path / "b.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_repr_is_one_line(dumbbell, sol):
    assert repr(sol).startswith("<Solution of '") and "21 rows, t = 0 to 2" in repr(sol) and repr(sol).endswith("complete>")
    with pytest.warns(dal.IncompleteWarning):
        short = dumbbell.simulate(1000, max_steps=3)
    assert "not complete: at t = " in repr(short) and "\n" not in repr(short)
    assert "applied, ideal, nonideal" in repr(sol.forces)


def test_missing_packages_are_named():
    code = """
import sys
sys.modules["pandas"] = None; sys.modules["xarray"] = None; sys.modules["matplotlib"] = None
import dalembert as dal
sol = dal.read(sys.argv[1]).compile().simulate(1, samples=2)
for f in (sol.to_pandas, sol.to_xarray, sol.plot):
    try: f()
    except ImportError as e: print(e)
"""
    done = subprocess.run([sys.executable, "-c", code, MODELS / "pendulum.toml"], capture_output=True, text=True, check=True)
    assert [line.split("pip install ")[1] for line in done.stdout.splitlines()] == ["pandas", "xarray", "matplotlib"]
