"""Sweeps: many runs, interrupted in every way, and the same results to the last bit."""

import csv
import json
import os
import pty
import random
import resource
import signal
import subprocess
import time

import pytest
from conftest import PROGRAM

DISK = ["sweep", "rolling_disk", "--duration", "1", "--vary", "theta=uniform(0.8, 1.4)", "--vary", "m=[1, 2, 3]"]


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def files(directory):
    return sorted(path.name for path in directory.iterdir())


def test_a_sweep_writes_what_it_says(dalembert):
    result = dalembert(*DISK, "--runs", 12, "--seed", 7, "--stat", "max(theta)", "--stat", "final(spin)")
    assert result.status == 0, result.err
    assert result.err == ""
    assert "12 runs of 1 s" in result.out and "12 complete, 0 failed" in result.out
    assert result.out.endswith("wrote out/rolling_disk-sweep/: results.h5, results.csv, summary.json\n")
    out = dalembert.directory / "out/rolling_disk-sweep"
    assert files(out) == ["results.csv", "results.h5", "runs.journal", "study.json", "summary.json"]
    table = rows(out / "results.csv")
    assert [row["run"] for row in table] == [str(i) for i in range(12)]
    assert [float(row["vary.m"]) for row in table] == [1, 2, 3] * 4
    assert all(0.8 <= float(row["vary.theta"]) <= 1.4 for row in table)
    assert all(row["status"] == "complete" and float(row["t"]) == 1 for row in table)
    summary = json.loads((out / "summary.json").read_text())
    largest = [float(row["max(theta)"]) for row in table]
    assert summary["spread"]["max(theta)"]["max"] == max(largest)
    assert summary["spread"]["max(theta)"]["mean"] == sum(largest) / 12
    assert summary["succeeded"] == 12 and summary["failed"] == 0 and summary["complete"] is True
    study = json.loads((out / "study.json").read_text())
    assert study["seed"] == 7 and study["vary"] == ["theta = uniform(0.8, 1.4)", "m = [1, 2, 3]"]
    assert 'name = "Rolling disk"' in study["model"]["text"]


SHRINKING_ROD = """
name = "A rod that shrinks to nothing"
gravity = [0, "-g", 0]
coordinates = ["x", "y"]
[parameters]
g = 9.81
[[particle]]
name = "bob"
mass = 1
position = ["x", "y", 0]
[[joint]]
type = "distance"
name = "rod"
bodies = ["ground", "bob"]
length = "1 - t"
[initial]
x = 0
y = -1
"y'" = 1
[simulation]
duration = 2
"""


def test_conditions_of_the_model_hold_in_sweeps_too(dalembert):
    dalembert.write("rod.toml", SHRINKING_ROD)
    alone = dalembert("run", "rod.toml")
    assert alone.status == 3 and "must be positive" in alone.out + alone.err
    dalembert("sweep", "rod.toml", "--runs", 8, "--vary", "g=uniform(9, 10)", "--out", "s")
    table = rows(dalembert.directory / "s/results.csv")
    assert len(table) == 8
    assert all(row["status"] == "failed" and "length of joint 'rod' must be positive" in row["reason"] for row in table)


def test_conditions_are_not_asked_beyond_the_end(dalembert):
    dalembert.write("rod.toml", SHRINKING_ROD)
    result = dalembert("run", "rod.toml", "--duration", 0.9)
    assert result.status == 0, result.err


JUMPING_DRIVE = """
coordinates = ["x", "y"]
[parameters]
m = 1
[energy]
kinetic = "m*(x'^2 + y'^2)/2"
potential = "(y - x)^2/2"
[[constraint]]
name = "drive"
equation = "x' = 2*y' + sign(t - 3)"
[initial]
"x'" = -1
[simulation]
duration = 10
"""


def test_a_constraint_that_jumps_ends_runs_of_sweeps_as_it_ends_a_run(dalembert):
    dalembert.write("drive.toml", JUMPING_DRIVE)
    assert dalembert("run", "drive.toml").status == 3
    dalembert("sweep", "drive.toml", "--vary", "m=[1, 2]", "--out", "s")
    assert [row["status"] for row in rows(dalembert.directory / "s/results.csv")] == ["failed", "failed"]


def test_a_run_of_a_sweep_is_the_run_of_the_model(dalembert):
    """One engine serves both: the same digits."""
    assert dalembert(*DISK, "--runs", 3, "--out", "s").status == 0
    for row in rows(dalembert.directory / "s/results.csv"):
        text = (dalembert.directory / "s/study.json").read_text()
        model = json.loads(text)["model"]["text"].replace("theta = 1.125", f"theta = {row['vary.theta']}")
        dalembert.write("one.toml", model)
        assert dalembert("run", "one.toml", "--duration", 1, "--set", f"m={row['vary.m']}").status == 0
        last = rows(dalembert.directory / "out/one/trajectory.csv")[-1]
        for name in ["phi", "theta", "psi", "x", "y", "phi'", "theta'", "psi'"]:
            assert row[name] == last[name]


KNIFE_EDGE = """
coordinates = ["x", "y", "phi"]
[parameters]
om = 10
[energy]
kinetic = "(x'^2 + y'^2 + phi'^2)/2"
[forces]
x = "2"
[[constraint]]
equation = "x'*sin(phi) = y'*cos(phi)"
[initial]
phi = "pi/2"
"phi'" = "om"
"y'" = 1
"""


@pytest.mark.parametrize("model", ["knife.toml", "rolling_disk", "pendulum", "parallelogram"])
def test_a_run_has_the_digits_of_a_sweep(dalembert, model):
    dalembert.write("knife.toml", KNIFE_EDGE)  # cos(pi/2) is 0 as a formula and 6e-17 as a number
    parameter = {"knife.toml": "om=[10]", "rolling_disk": "m=[1]", "pendulum": "m=[1]", "parallelogram": "m_a=[1]"}[model]
    settings = parameter.replace("[", "").replace("]", "")
    assert dalembert("run", model, "--set", settings, "--duration", 2, "--out", "r", "--no-report").status == 0
    assert dalembert("sweep", model, "--vary", parameter, "--duration", 2, "--out", "s").status == 0
    last, run = rows(dalembert.directory / "r/trajectory.csv")[-1], rows(dalembert.directory / "s/results.csv")[0]
    compared = [name for name in last if name in run]
    assert len(compared) > 2
    assert [last[name] for name in compared] == [run[name] for name in compared]


def test_the_same_bits_whatever_threads_and_lanes(dalembert):
    options = ["--runs", 60, "--seed", 5, "--samples", 5, "--stat", "rms(spin)"]
    assert dalembert(*DISK, *options, "--out", "a", "--threads", 1, "--lanes", 1).status == 0
    for name, threads, lanes in [("b", 3, 4), ("c", 2, 8)]:
        assert dalembert(*DISK, *options, "--out", name, "--threads", threads, "--lanes", lanes).status == 0
        for file in ["results.h5", "results.csv"]:
            assert (dalembert.directory / "a" / file).read_bytes() == (dalembert.directory / name / file).read_bytes()
    assert dalembert(*DISK, *options[:2], "--seed", 6, *options[4:], "--out", "d").status == 0
    assert (dalembert.directory / "a/results.csv").read_bytes() != (dalembert.directory / "d/results.csv").read_bytes()


def test_a_grid_needs_no_number_of_runs(dalembert):
    args = ["sweep", "pendulum", "--duration", "0.1", "--vary", "m=linspace(1, 2, 3)", "--vary", "g=[9, 10]"]
    result = dalembert(*args, "--json")
    assert result.status == 0, result.err
    assert json.loads(result.out)["runs"] == 6
    table = rows(dalembert.directory / "out/pendulum-sweep/results.csv")
    assert [(float(r["vary.m"]), float(r["vary.g"])) for r in table] == [
        (1, 9), (1, 10), (1.5, 9), (1.5, 10), (2, 9), (2, 10)
    ]  # fmt: skip
    assert dalembert(*args, "--quiet", "--out", "quiet").out == ""


def test_failed_runs_are_told_and_do_not_disturb_the_others(dalembert):
    args = ["sweep", "rolling_disk", "--duration", "0.5"]
    result = dalembert(*args, "--vary", "x'=[2, 2.5, 3]", "--out", "a")
    assert result.status == 0
    assert "1 complete, 2 failed" in result.out
    assert "run 0: the initial velocities break constraint 'rolling x'" in result.out
    table = rows(dalembert.directory / "a/results.csv")
    assert [row["status"] for row in table] == ["failed", "complete", "failed"]
    assert "break constraint 'rolling x'" in table[0]["reason"] and table[0]["phi"] == "nan"
    alone = dalembert(*args, "--vary", "x'=[2.5]", "--out", "b")
    assert alone.status == 0
    only = rows(dalembert.directory / "b/results.csv")[0]
    assert {k: v for k, v in table[1].items() if k != "run"} == {k: v for k, v in only.items() if k != "run"}
    summary = json.loads((dalembert.directory / "a/summary.json").read_text())
    assert [f["run"] for f in summary["failures"]] == [0, 2]
    every = dalembert(*args, "--vary", "x'=[2, 3]", "--out", "c")
    assert every.status == 3 and "error: every run failed; the first: the initial velocities break" in every.err


def test_a_mass_that_is_none_fails_its_run(dalembert):
    result = dalembert("sweep", "rolling_disk", "--duration", "0.2", "--vary", "m=[-1, 0, 1]")
    assert result.status == 0, result.err
    table = rows(dalembert.directory / "out/rolling_disk-sweep/results.csv")
    assert [row["status"] for row in table] == ["failed", "failed", "complete"]
    assert table[0]["reason"] and table[1]["reason"]


def journal_size(directory):
    try:
        return os.path.getsize(directory / "runs.journal")
    except FileNotFoundError:
        return 0


def test_killed_at_any_moment_and_resumed(dalembert):
    """kill -9 again and again; what comes out is what an undisturbed study gives, byte by byte."""
    args = ["sweep", "rolling_disk", "--vary", "theta=uniform(0.8, 1.4)", "--runs", "800", "--seed", "2",
            "--samples", "11", "--stat", "max(theta)"]  # fmt: skip
    assert dalembert(*args, "--out", "whole").status == 0
    whole = dalembert.directory / "whole"
    goal = os.path.getsize(whole / "runs.journal")
    chance = random.Random(1)
    parts = dalembert.directory / "parts"
    kills = 0
    for turn in range(12):
        resume = ["--resume"] if (parts / "study.json").exists() else []
        # One lane of one thread: slow enough to be hit.
        process = subprocess.Popen([PROGRAM, *args, "--out", "parts", "--threads", "1", "--lanes", "1", *resume],
                                   cwd=dalembert.directory,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        target = journal_size(parts) + chance.randrange(goal // 8)
        deadline = time.time() + 60
        while process.poll() is None and journal_size(parts) <= target and time.time() < deadline:
            time.sleep(0.0005)
        if chance.random() < 0.3:
            time.sleep(chance.random() * 0.01)
        process.kill()
        kills += process.wait() == -signal.SIGKILL
        if (parts / "results.h5").exists():
            break
    assert kills >= 3
    last = dalembert(*args, "--out", "parts", "--resume")
    assert last.status == 0, last.err
    for file in ["results.h5", "results.csv"]:
        assert (parts / file).read_bytes() == (whole / file).read_bytes()
    assert files(parts) == files(whole)


def test_interrupted_it_says_how_to_go_on(dalembert):
    args = ["sweep", "rolling_disk", "--vary", "theta=uniform(0.8, 1.4)", "--runs", "200000", "--out", "s"]
    process = subprocess.Popen([PROGRAM, *args], cwd=dalembert.directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while journal_size(dalembert.directory / "s") < 2000:
        time.sleep(0.01)
    second = dalembert(*args, "--resume")
    assert second.status == 2 and second.err == "error: another process is at work in 's'\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 3
    assert b"of 200000 runs; the same command with --resume continues\n" in err and out == b""
    assert files(dalembert.directory / "s") == ["runs.journal", "study.json"]
    size = journal_size(dalembert.directory / "s")
    refused = dalembert(*args)
    assert refused.status == 2 and "holds a study already" in refused.err
    assert journal_size(dalembert.directory / "s") == size


def test_another_study_is_not_resumed(dalembert):
    assert dalembert(*DISK, "--runs", 3, "--out", "s").status == 0
    before = {path.name: path.read_bytes() for path in (dalembert.directory / "s").iterdir()}
    for changed, words in [
        (["--runs", 4], "it has runs 3 instead of 4"),
        (["--runs", 3, "--seed", 1], "it has seed 0 instead of 1"),
        (["--runs", 3, "--set", "r=1"], 'it has set {} instead of {"r":"1"}'),
        (["--runs", 3, "--rtol", "1e-6"], "it has rtol 1e-09 instead of 1e-06"),
        (["--runs", 3, "--method", "gauss"], 'it has method "m-inverse" instead of "gauss"'),
    ]:
        result = dalembert(*DISK, *changed, "--out", "s", "--resume")
        assert result.status == 2 and result.out == ""
        assert result.err.startswith("error: 's/study.json' is another study: ") and words in result.err
    model = json.loads(before["study.json"])["model"]["text"]
    dalembert.write("rolling_disk", model.replace("g = 9.8125", "g = 9.8"))
    assert "it has another model" in dalembert(*DISK, "--runs", 3, "--out", "s", "--resume").err
    assert {path.name: path.read_bytes() for path in (dalembert.directory / "s").iterdir()} == before
    nothing = dalembert(*DISK, "--runs", 3, "--out", "nowhere", "--resume")
    assert nothing.status == 2 and "holds no study to resume" in nothing.err
    assert not (dalembert.directory / "nowhere").exists()


def small_files(limit):
    def set_limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return set_limit


def test_a_full_disk_loses_nothing(dalembert):
    args = [*DISK, "--runs", 300, "--samples", 5]
    assert dalembert(*args, "--out", "whole").status == 0
    whole = dalembert.directory / "whole"
    for limit, words in [(100000, "error: cannot write 's/runs.journal': "), (700000, "error: cannot write 's/results.h5': no room for ")]:
        result = dalembert(*args, "--out", "s", *(["--resume"] if limit > 100000 else []), preexec_fn=small_files(limit))
        assert result.status == 2 and result.out == ""
        assert words in result.err, result.err
        assert "--resume" in result.err
        assert files(dalembert.directory / "s") == ["runs.journal", "study.json"]
    assert dalembert(*args, "--out", "s", "--resume").status == 0
    assert (dalembert.directory / "s/results.h5").read_bytes() == (whole / "results.h5").read_bytes()


def test_a_bar_on_a_terminal(dalembert):
    master, slave = pty.openpty()
    args = ["sweep", "rolling_disk", "--vary", "theta=uniform(0.8, 1.4)", "--runs", "1000000", "--out", "s"]
    process = subprocess.Popen([PROGRAM, *args], cwd=dalembert.directory, stdout=subprocess.DEVNULL, stderr=slave)
    os.close(slave)
    shown = b""
    while b"s left" not in shown:
        shown += os.read(master, 1000)
    process.send_signal(signal.SIGINT)
    process.wait(timeout=60)
    os.close(master)
    assert b" of 1000000 runs  " in shown and b" runs/s  " in shown


BAD = {
    "unknown name": (["--vary", "thta=[1]"], "error: --vary 'thta=[1]': unknown name 'thta'; did you mean 'theta'?\n    thta=[1]\n    ^^^^\n"),
    "distribution": (["--vary", "m=unifrom(0,1)"], "error: --vary 'm=unifrom(0,1)': no distribution 'unifrom'; did you mean 'uniform'?\n    m=unifrom(0,1)\n      ^^^^^^^\n"),
    "empty list": (["--vary", "m=[]"], "error: --vary 'm=[]': the list is empty"),
    "empty range": (["--vary", "m=uniform(2,1)", "--runs", "3"], "the range is empty: 2 is more than 1"),
    "negative deviation": (["--vary", "m=normal(2,-1)", "--runs", "3"], "a standard deviation must not be negative"),
    "not finite": (["--vary", "m=[1/(r-0.5)]"], "error: --vary 'm=[1/(r-0.5)]': not a finite number"),
    "twice": (["--vary", "m=[1]", "--vary", "m=[2]"], "'m' varies already"),
    "set too": (["--vary", "m=[1]", "--set", "m=2"], "'m' is given by --set too"),
    "nothing": ([], "error: nothing varies: give --vary"),
    "no runs": (["--vary", "m=uniform(1,2)"], "error: --runs is needed: 'm' is drawn at random"),
    "zero runs": (["--vary", "m=[1]", "--runs", "0"], "error: --runs 0: must be a whole number from 1 to 1000000000"),
    "negative runs": (["--vary", "m=[1]", "--runs", "-3"], "error: --runs -3: must be a whole number from 1 to 1000000000"),
    "broken runs": (["--vary", "m=[1]", "--runs", "2.5"], "error: --runs 2.5: must be a whole number from 1 to 1000000000"),
    "too many runs": (["--vary", "m=[1]", "--runs", "1e12"], "error: --runs 1e12: must be a whole number from 1 to 1000000000"),
    "runs in words": (["--vary", "m=[1]", "--runs", "many"], "error: --runs 'many': unknown name 'many'"),
    "statistic": (["--vary", "m=[1]", "--stat", "maxx(theta)"], "error: --stat 'maxx(theta)': no statistic 'maxx'; did you mean 'max'?\n    maxx(theta)\n    ^^^^\n"),
    "quantity": (["--vary", "m=[1]", "--stat", "max(thta)"], "unknown quantity 'thta'; did you mean 'theta'?"),
    "samples": (["--vary", "m=[1]", "--samples", "1"], "error: --samples 1: must be a whole number from 2"),
    "threads": (["--vary", "m=[1]", "--threads", "-1"], "error: --threads -1: must be a whole number from 1 to 1024"),
    "no threads": (["--vary", "m=[1]", "--threads", "0"], "error: --threads 0: must be a whole number from 1 to 1024"),
    "lanes": (["--vary", "m=[1]", "--lanes", "3"], "error: --lanes 3: must be 1, 4 or 8"),
    "negative seed": (["--vary", "m=[1]", "--seed", "-1"], "error: --seed -1: must be a whole number from 0 to 18446744073709551615"),
    "broken seed": (["--vary", "m=[1]", "--seed", "1.5"], "error: --seed 1.5: must be a whole number"),
    "large seed": (["--vary", "m=[1]", "--seed", "18446744073709551616"], "error: --seed 18446744073709551616: must be"),
    "method": (["--vary", "m=[1]", "--method", "suslow"], "error: no method 'suslow'; did you mean 'suslov'?"),
    "duration": (["--vary", "m=[1]", "--duration", "-1"], "error: --duration -1: must be positive"),
    "set": (["--vary", "m=[1]", "--set", "q=2"], "error: --set q=2: unknown parameter 'q'"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", BAD)
def test_bad_input(dalembert, mistake):
    args, message = BAD[mistake]
    result = dalembert("sweep", "rolling_disk", *args)
    assert result.status == 2 and result.out == ""
    assert message in result.err
    assert list(dalembert.directory.iterdir()) == []


def test_a_duration_that_varies_is_refused(dalembert):
    dalembert.write("m.toml", 'coordinates = ["x"]\n[parameters]\nk = 1\n[energy]\nkinetic = "x\'^2/2"\n[simulation]\nduration = "2*k"\n')
    result = dalembert("sweep", "m.toml", "--vary", "k=[1, 2]")
    assert result.status == 2
    assert result.err.startswith("m.toml:7:13: error: the duration depends on what varies")
    assert dalembert("sweep", "m.toml", "--vary", "k=[1, 2]", "--duration", "2").status == 0


@pytest.mark.parametrize("out", ["file", "file/inside", "full"])
def test_an_output_directory_that_will_not_do(dalembert, out):
    dalembert.write("file", "in the way")
    (dalembert.directory / "full").mkdir()
    dalembert.write("full/notes", "mine")
    result = dalembert(*DISK, "--runs", 3, "--out", out)
    assert result.status == 2 and result.err.startswith("error: ") and f"'{out}'" in result.err
    assert (dalembert.directory / "file").read_text() == "in the way"
    assert files(dalembert.directory / "full") == ["notes"]


PENDULUM = ["sweep", "pendulum", "--vary", "m=[1]", "--duration", "0.1"]


@pytest.mark.parametrize("name", ["runs.journal", ".scratch.mine", ".summary.json.my.partial", "notes.txt"])
def test_files_of_others_are_left_alone(dalembert, name):
    folder = dalembert.directory / "d"
    folder.mkdir()
    (folder / name).write_text("keep")
    result = dalembert(*PENDULUM, "--out", "d")
    assert result.status == 2 and "holds other files" in result.err
    assert files(folder) == [name] and (folder / name).read_text() == "keep"


def test_a_journal_that_points_elsewhere_is_not_followed(dalembert):
    folder = dalembert.directory / "d"
    folder.mkdir()
    precious = dalembert.directory / "precious"
    precious.write_text("")
    (folder / "runs.journal").symlink_to(precious)
    assert dalembert(*PENDULUM, "--out", "d").status == 2
    assert precious.read_text() == "" and files(folder) == ["runs.journal"]


def test_what_is_no_study_is_not_resumed_nor_touched(dalembert):
    folder = dalembert.directory / "d"
    (folder / "study.json").mkdir(parents=True)
    result = dalembert(*PENDULUM, "--out", "d", "--resume")
    assert result.status == 2 and "is no file" in result.err
    (folder / "study.json").rmdir()
    (folder / "study.json").write_text("{}")
    assert dalembert(*PENDULUM, "--out", "d", "--resume").status == 2
    assert files(folder) == ["study.json"]


def test_statistics_that_are_not_finite_are_counted_apart(dalembert):
    model = 'coordinates = ["x"]\n[parameters]\nk = 1\n[energy]\nkinetic = "x\'^2/2"\n[outputs]\nroot = "sqrt(k)"\n'
    dalembert.write("m.toml", model)
    for values in ("[-1, 1, 4]", "[4, -1, 1]"):
        assert dalembert("sweep", "m.toml", "--vary", f"k={values}", "--stat", "max(root)", "--out", values).status == 0
        spread = json.loads((dalembert.directory / values / "summary.json").read_text())["spread"]["max(root)"]
        assert spread == {"min": 1, "mean": 1.5, "max": 2, "not_finite": 1}


def test_what_nohup_ignores_stays_ignored(dalembert):
    command = [PROGRAM, *DISK, "--runs", "20000", "--out", "s", "--quiet"]
    process = subprocess.Popen(
        command, cwd=dalembert.directory, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)
    )
    while not (dalembert.directory / "s/study.json").exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGHUP)
    assert process.wait(timeout=120) == 0


@pytest.mark.parametrize("option", ["--duration", "--runs", "--rtol"])
def test_what_all_runs_share_does_not_depend_on_what_varies(dalembert, option):
    result = dalembert("sweep", "pendulum", "--vary", "m=[1, 2]", option, "m", "--out", "d")
    assert result.status == 2 and "depends on what varies" in result.err
    assert not (dalembert.directory / "d").exists()
