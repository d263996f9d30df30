"""`dalembert run`: files, columns, summary, options, and what happens when the motion cannot go on."""

import csv
import json
import math
import os
import signal
import subprocess

import pytest
from conftest import MODELS, PROGRAM, wait_for_rows

PENDULUM = """
name = "Pendulum"
coordinates = ["x", "y"]
[parameters]
l = 1
g = 10
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "g*y"
[[constraint]]
name = "rod, of length l"
equation = "x^2 + y^2 = l^2"
[initial]
x = "l"
[simulation]
duration = 2
samples = 5
[outputs]
height = "y + l"
tension = "sqrt(ideal.x^2 + ideal.y^2)"
"""


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.reader(file)
        header = next(reader)
        return header, [[float(x) for x in row] for row in reader]


def test_the_first_row_shows_the_velocities_of_the_file(dalembert):
    text = (MODELS / "rolling_disk.toml").read_text(encoding="utf-8")
    for name, old, new in (("phi", "0.5", "0.7"), ("psi", "-5", "-4")):
        line = f"\"{name}'\" = "
        assert line + old in text
        text = text.replace(line + old, line + new)
    dalembert.write("disk.toml", text)
    result = dalembert("run", "disk.toml", "--duration", "0.1", "--samples", "2")
    assert result.status == 0, result.err
    header, table = rows(dalembert.directory / "out/disk/trajectory.csv")
    start = dict(zip(header, table[0]))
    assert [start[name] for name in ("phi'", "theta'", "psi'", "x'", "y'")] == [0.7, 0.125, -4, 2, 0]


def test_default_output_directory_and_columns(dalembert):
    dalembert.write("pendulum.toml", PENDULUM)
    result = dalembert("run", "pendulum.toml")
    assert result.status == 0, result.err
    assert result.err == ""
    assert "wrote out/pendulum/: trajectory.csv (5 rows), summary.json, report.html" in result.out
    header, table = rows(dalembert.directory / "out/pendulum/trajectory.csv")
    assert header == [
        "t", "x", "y", "x'", "y'", "x''", "y''", "ideal.x", "ideal.y", "nonideal.x", "nonideal.y",
        "constraint.rod, of length l", "constraint.rod, of length l'",
        "energy.kinetic", "energy.potential", "work.applied", "work.ideal", "work.nonideal", "height", "tension",
    ]  # fmt: skip
    assert [row[0] for row in table] == [0, 0.5, 1, 1.5, 2]
    for row in table:
        named = dict(zip(header, row))
        assert named["x''"] == pytest.approx(named["ideal.x"], abs=1e-12)  # M q'' = Q + Q_ideal, M = 1
        assert named["y''"] == pytest.approx(named["ideal.y"] - 10, abs=1e-12)
        assert abs(named["constraint.rod, of length l"]) < 1e-14
        assert named["energy.kinetic"] + named["energy.potential"] == pytest.approx(0, abs=1e-7)
        assert named["height"] == named["y"] + 1
        # Circular motion with speed v: tension = v^2/l - g y/l.
        v2 = named["x'"] ** 2 + named["y'"] ** 2
        assert named["tension"] == pytest.approx(v2 - 10 * named["y"], abs=1e-9)
    assert sorted(p.name for p in (dalembert.directory / "out/pendulum").iterdir()) == ["report.html", "summary.json", "trajectory.csv"]


def test_summary_holds_what_the_contract_names(dalembert):
    result = dalembert("run", "rolling_disk", "--out", "o", "--json")
    assert result.status == 0 and result.err == ""
    summary = json.loads(result.out)
    assert summary == json.loads((dalembert.directory / "o/summary.json").read_text())
    assert summary["method"] == "m-inverse"
    assert summary["complete"] is True
    assert summary["steps"] > 10 and summary["evaluations"] > 11 * summary["steps"]
    assert summary["seconds"] > 0
    assert 0 <= summary["largest_residual"] < 1e-12
    assert 0 <= summary["balance_error"] < 1e-7
    assert summary["rank"] == 2 and summary["rank_changes"] == []


def test_options_replace_the_model(dalembert):
    dalembert.write("pendulum.toml", PENDULUM)
    result = dalembert(
        "run", "pendulum.toml", "--out", "o", "--duration", "2*l", "--samples", 3, "--rtol", "1e-11", "--atol", "1e-13",
        "--set", "l=2", "--set", "g=9.81", "--method", "scaled", "--json",
    )  # fmt: skip
    assert result.status == 0, result.err
    summary = json.loads(result.out)
    assert (summary["duration"], summary["rows"], summary["rtol"], summary["atol"]) == (4, 3, 1e-11, 1e-13)
    assert summary["method"] == "scaled"
    _, table = rows(dalembert.directory / "o/trajectory.csv")
    assert [row[0] for row in table] == [0, 2, 4]
    assert table[0][1] == 2


def test_every_method_gives_the_same_rows(dalembert):
    tables = []
    for method in ["m-inverse", "scaled", "extended-dalembert", "weighted", "multipliers"]:
        result = dalembert("run", "slider_crank", "--out", method, "--method", method, "--duration", 1, "--samples", 3, "--rtol", "1e-11")
        assert result.status == 0, result.err
        header, table = rows(dalembert.directory / method / "trajectory.csv")
        keep = [i for i, name in enumerate(header) if not name.startswith(("constraint.", "work."))]
        tables.append([[row[i] for i in keep] for row in table])
    for table in tables[1:]:
        for row, reference in zip(table, tables[0]):
            assert row == pytest.approx(reference, rel=1e-8, abs=1e-8)


def test_quiet_prints_nothing(dalembert):
    result = dalembert("run", "pendulum", "--quiet")
    assert (result.status, result.out, result.err) == (0, "", "")


def test_every_bundled_model_runs_from_its_name_and_its_file(dalembert):
    for model in sorted(MODELS.glob("*.toml")):
        by_name = dalembert("run", model.stem, "--out", "a", "--duration", 1, "--samples", 11)
        by_file = dalembert("run", model, "--out", "b", "--duration", 1, "--samples", 11)
        assert by_name.status == by_file.status == 0, model
        assert (dalembert.directory / "a/trajectory.csv").read_text() == (dalembert.directory / "b/trajectory.csv").read_text()


def test_times_are_the_rows(dalembert):
    dalembert.write("p.toml", PENDULUM.replace("duration = 2\nsamples = 5", "times = [0, 0.25, 1.75]"))
    assert dalembert("run", "p.toml", "--out", "o").status == 0
    assert [row[0] for row in rows(dalembert.directory / "o/trajectory.csv")[1]] == [0, 0.25, 1.75]


def test_a_motion_that_cannot_go_on_keeps_its_rows(dalembert):
    dalembert.write("escape.toml", """
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
[forces]
x = "2*x^3"                 # x = 1/(1 - t)
[initial]
x = 1
"x'" = 1
[simulation]
duration = 2
samples = 20
""")
    result = dalembert("run", "escape.toml", "--out", "o")
    assert result.status == 3
    assert "error: the motion cannot be continued beyond t = " in result.err
    assert "(10 rows, incomplete)" in result.out
    summary = json.loads((dalembert.directory / "o/summary.json").read_text())
    assert summary["complete"] is False and summary["reason"] in result.err and abs(summary["t"] - 1) < 1e-3
    _, table = rows(dalembert.directory / "o/trajectory.csv")
    assert len(table) == 10
    for row in table:
        assert row[1] == pytest.approx(1 / (1 - row[0]), rel=1e-6)


def test_interrupted_run_keeps_its_rows(dalembert):
    process = subprocess.Popen(
        [PROGRAM, "run", "double_pendulum", "--out", "o", "--duration", "1e7", "--samples", "1000000", "--quiet"],
        cwd=dalembert.directory, stderr=subprocess.PIPE,
    )  # fmt: skip
    wait_for_rows(process, dalembert.directory / "o")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 3
    assert b"interrupted at t = " in err
    assert json.loads((dalembert.directory / "o/summary.json").read_text())["complete"] is False


def test_killed_run_leaves_no_half_written_results(dalembert):
    assert dalembert("run", "pendulum", "--out", "o").status == 0
    before = (dalembert.directory / "o/trajectory.csv").read_bytes()
    beside = {path.name for path in (dalembert.directory / "o").iterdir()}
    process = subprocess.Popen(
        [PROGRAM, "run", "double_pendulum", "--out", "o", "--duration", "1e7", "--samples", "1000000"],
        cwd=dalembert.directory, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    wait_for_rows(process, dalembert.directory / "o", beside)
    process.kill()
    process.wait()
    assert (dalembert.directory / "o/trajectory.csv").read_bytes() == before


def test_friction_and_energy_balance_in_the_table(dalembert):
    assert dalembert("run", "coulomb_helix", "--out", "o", "--rtol", "1e-11").status == 0
    header, table = rows(dalembert.directory / "o/trajectory.csv")
    at = {name: i for i, name in enumerate(header)}
    first = table[0]
    for row in table:
        change = sum(row[at[k]] - first[at[k]] for k in ("energy.kinetic", "energy.potential"))
        work = sum(row[at[k]] for k in ("work.applied", "work.ideal", "work.nonideal"))
        assert change == pytest.approx(work, abs=1e-8)
    assert table[-1][at["work.nonideal"]] < -100


def test_explicit_time_has_its_own_work_column(dalembert):
    dalembert.write("driven.toml", """
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "(x - sin(t))^2/2"
[initial]
x = 1
""")
    assert dalembert("run", "driven.toml", "--out", "o", "--rtol", "1e-11").status == 0
    header, table = rows(dalembert.directory / "o/trajectory.csv")
    at = {name: i for i, name in enumerate(header)}
    assert header.index("work.other") == header.index("work.nonideal") + 1
    change = sum(table[-1][at[k]] - table[0][at[k]] for k in ("energy.kinetic", "energy.potential"))
    assert change == pytest.approx(table[-1][at["work.other"]], abs=1e-9)
    assert math.fabs(change) > 1e-3


FREE = """
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
[[constraint]]
name = "wall"
equation = "{}"
[initial]
{}
[simulation]
duration = 2
samples = 5
"""


def test_a_kink_in_a_constraint_is_not_passed_over(dalembert):
    # The particle runs into the corner of x = |y| at t = 1, where its velocity would have to jump.
    start = "x = 1\ny = -1\n\"x'\" = -1\n\"y'\" = 1"
    dalembert.write("corner.toml", FREE.format("x = abs(y)", start))
    result = dalembert("run", "corner.toml", "--out", "o")
    assert result.status == 3
    assert "cannot be continued beyond t = 1" in result.err
    _, table = rows(dalembert.directory / "o/trajectory.csv")
    assert [row[0] for row in table] in ([0, 0.5], [0, 0.5, 1])


def test_a_redundant_constraint_whose_row_vanishes_does_no_harm(dalembert):
    # (y + 0.99) times the rod's equation is nothing but round-off where y = -0.99.
    twice = PENDULUM.replace(
        "[[constraint]]",
        '[[constraint]]\nname = "again"\nequation = "(y + 0.99)*(x^2 + y^2) = (y + 0.99)*l^2"\n[[constraint]]',
    )
    dalembert.write("once.toml", PENDULUM)
    dalembert.write("twice.toml", twice)
    for name in ("once", "twice"):
        result = dalembert("run", f"{name}.toml", "--out", name, "--rtol", "1e-11")
        assert result.status == 0, result.err
    for once, again in zip(rows(dalembert.directory / "once/trajectory.csv")[1], rows(dalembert.directory / "twice/trajectory.csv")[1]):
        assert again[:7] == pytest.approx(once[:7], rel=1e-8, abs=1e-8)


def test_an_output_that_is_no_number_is_said(dalembert):
    dalembert.write("p.toml", PENDULUM + 'bad = "sqrt(x)"\n')
    result = dalembert("run", "p.toml", "--out", "o")
    assert result.status == 0
    assert "outputs       'bad' is not finite, first at t = " in result.out
    noted = json.loads((dalembert.directory / "o/summary.json").read_text())["not_finite"]
    assert [n["output"] for n in noted] == ["bad"]
    assert "-nan" not in (dalembert.directory / "o/trajectory.csv").read_text()


def test_energy_that_is_no_number_is_refused(dalembert):
    dalembert.write("p.toml", PENDULUM.replace('"g*y"', '"g*y + 0*log(x) + log(-2 + 0*x + sin(y)/9)"'))
    result = dalembert("run", "p.toml", "--out", "o")
    assert result.status == 2
    assert "p.toml:9:14: error: the potential energy is not finite at the initial state: log(" in result.err


def test_loose_tolerances_are_not_passed_off_as_a_motion(dalembert):
    result = dalembert("run", "pendulum", "--rtol", "0.9", "--atol", "1e9", "--out", "o")
    summary = json.loads((dalembert.directory / "o/summary.json").read_text())
    assert result.status == 3 or summary["largest_residual"] < 1e-12


def test_odd_file_names(dalembert):
    name = b"bad\xff.toml"
    (dalembert.directory / "p.toml").write_text(PENDULUM.replace('name = "Pendulum"\n', ""))
    (dalembert.directory / "p.toml").rename(dalembert.directory / os.fsdecode(name))
    completed = subprocess.run([PROGRAM.encode(), b"run", name, b"--out", b"o", b"--json"], cwd=dalembert.directory, capture_output=True)
    assert completed.returncode == 0, completed.stderr
    json.loads(completed.stdout)


def test_a_directory_does_not_hide_a_model_of_its_name(dalembert):
    assert dalembert("run", "pendulum", "--out", "pendulum", "--duration", 1).status == 0
    assert dalembert("run", "pendulum", "--out", "pendulum", "--duration", 1).status == 0


def test_a_directory_in_the_place_of_a_result_is_an_error_and_nothing_is_written(dalembert):
    (dalembert.directory / "o/summary.json").mkdir(parents=True)
    result = dalembert("run", "pendulum", "--out", "o")
    assert result.status == 2
    assert "error: cannot open 'o/summary.json': Is a directory" in result.err
    assert [p.name for p in (dalembert.directory / "o").iterdir()] == ["summary.json"]
