"""Shards: a study divided among processes, put together again, and the same results to the last bit."""

import fcntl
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import time

import pytest
from conftest import PROGRAM

DISK = ["sweep", "rolling_disk", "--duration", "1", "--vary", "theta=uniform(0.8, 1.4)", "--vary", "m=[1, 2, 3]",
        "--stat", "max(theta)", "--seed", "7"]
SET_BY_SCHEDULERS = ("SLURM_ARRAY_TASK_ID", "SGE_TASK_ID", "LSB_JOBINDEX", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")


def environment(**more):
    return {**{k: v for k, v in os.environ.items() if k not in SET_BY_SCHEDULERS}, **more}


def results(folder):
    """All that is written of a study; without the times in summary.json."""
    summary = json.loads((folder / "summary.json").read_text())
    for key in ("done_now", "seconds", "runs_per_second"):
        del summary[key]
    return (folder / "results.h5").read_bytes(), (folder / "results.csv").read_bytes(), summary


def shards(dalembert, of, *more, out="s"):
    for i in range(1, of + 1):
        result = dalembert(*DISK, *more, "--shard", f"{i}/{of}", "--out", out)
        assert result.status == 0, result.err


@pytest.mark.parametrize("more", [["--runs", 50], ["--runs", 20, "--samples", 30], ["--runs", 2]])
def test_shards_merged_are_the_whole_to_the_last_bit(dalembert, more):
    assert dalembert(*DISK, *more, "--out", "whole").status == 0
    shards(dalembert, 4, *more)
    merged = dalembert("merge", "s")
    assert merged.status == 0 and merged.err == "", merged.err
    assert merged.out.endswith("wrote s/: results.h5, results.csv, summary.json\n")
    assert results(dalembert.directory / "s") == results(dalembert.directory / "whole")


def test_a_shard_says_what_comes_next(dalembert):
    result = dalembert(*DISK, "--runs", 10, "--shard", "2/12")
    assert result.status == 0 and result.err == ""
    assert result.out == ("shard 2 of 12: 1 of 10 runs are done, in 'out/rolling_disk-sweep/shard-02-of-12'\n"
                          "when all shards are: dalembert merge out/rolling_disk-sweep\n")
    folder = dalembert.directory / "out/rolling_disk-sweep/shard-02-of-12"
    assert sorted(path.name for path in folder.iterdir()) == ["runs.journal", "shard.json", "study.json"]


def test_a_shard_is_resumed_and_is_no_other_shard(dalembert):
    shards(dalembert, 2, "--runs", 20)
    folder = dalembert.directory / "s/shard-1-of-2"
    journal = folder / "runs.journal"
    journal.write_bytes(journal.read_bytes()[:-100])
    result = dalembert("merge", "s")
    assert result.status == 2
    assert result.err == ("error: 's/shard-1-of-2' holds 9 of the 10 runs of shard 1/2: its sweep is not over; "
                          "continue it with --shard 1/2 --resume; nothing was written\n")
    assert dalembert(*DISK, "--runs", 20, "--shard", "1/2", "--out", "s", "--resume").status == 0
    assert dalembert("merge", "s").status == 0
    os.rename(folder, dalembert.directory / "s/shard-2-of-3")
    result = dalembert(*DISK, "--runs", 20, "--shard", "2/3", "--out", "s", "--resume")
    assert result.status == 2
    assert "'s/shard-2-of-3' is for shard 1 of 2, not for shard 2 of 3; nothing was touched" in result.err


def test_shards_that_are_lost_are_named(dalembert):
    shards(dalembert, 4, "--runs", 18)
    shutil.rmtree(dalembert.directory / "s/shard-2-of-4")
    result = dalembert("merge", "s")
    assert result.status == 2
    assert result.err == "error: shard 2 of 4 is missing: 5 of 18 runs; nothing was written\n"
    shutil.rmtree(dalembert.directory / "s/shard-4-of-4")
    assert "error: shards 2, 4 of 4 are missing: 9 of 18 runs;" in dalembert("merge", "s").err
    assert not (dalembert.directory / "s/study.json").exists()


def test_shards_that_were_done_twice_are_compared(dalembert):
    more = ["--runs", 12, "--samples", 5]
    assert dalembert(*DISK, *more, "--out", "whole").status == 0
    shards(dalembert, 2, *more)
    shards(dalembert, 3, *more, out="t")
    merged = dalembert("merge", "s", "t", "--out", "all")
    assert merged.status == 0
    assert merged.err == "note: 12 runs were done more than once, with the same bits\n"
    assert results(dalembert.directory / "all") == results(dalembert.directory / "whole")


def checksum(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) % 2**64
    return value.to_bytes(8, "little")


def test_two_shards_that_disagree_are_told(dalembert):
    shards(dalembert, 2, "--runs", 4)
    shutil.copytree(dalembert.directory / "s", dalembert.directory / "t")
    journal = dalembert.directory / "t/shard-1-of-2/runs.journal"
    data = bytearray(journal.read_bytes())
    size = int.from_bytes(data[64:68], "little")
    data[64 + 8 + 9 * 8] ^= 1  # the last bit of phi in the first run of the journal, with a checksum that fits
    data[64 + 8 + size : 64 + 16 + size] = checksum(data[64 : 64 + 8 + size])
    journal.write_bytes(data)
    run = int.from_bytes(data[72:80], "little")
    result = dalembert("merge", "s", "t", "--out", "all")
    assert result.status == 2
    assert f"run {run} differs between 's/shard-1-of-2' and 't/shard-1-of-2': phi is " in result.err
    assert result.err.endswith("one of the two was computed wrongly or damaged, and nothing says which; nothing was written\n")
    assert not (dalembert.directory / "all").exists()


def edited(path, key, value):
    document = json.loads(path.read_text())
    document[key] = value
    path.write_text(json.dumps(document))


def test_shards_of_other_studies_versions_or_arithmetic_are_refused(dalembert):
    shards(dalembert, 2, "--runs", 4)
    assert dalembert(*DISK, "--runs", 5, "--shard", "2/2", "--out", "t").status == 0
    result = dalembert("merge", "s/shard-1-of-2", "t", "--out", "all")
    assert result.status == 2
    assert result.err == ("error: 't/shard-2-of-2' is of another study than 's/shard-1-of-2': it has runs 5 instead of 4\n")
    two = dalembert.directory / "s/shard-2-of-2"
    part = (two / "shard.json").read_text()
    edited(two / "shard.json", "arithmetic", {"name": "sparc64 without fma, glibc 2.1", "probe": "00000000000000aa"})
    result = dalembert("merge", "s")
    assert result.status == 2
    assert "'s/shard-2-of-2' was computed in different arithmetic (sparc64 without fma, glibc 2.1 on " in result.err
    assert "their last bits do not belong to one study" in result.err
    result = dalembert(*DISK, "--runs", 4, "--shard", "2/2", "--out", "s", "--resume")
    assert result.status == 2 and "was begun in different arithmetic (sparc64 without fma" in result.err
    (two / "shard.json").write_text(part)
    edited(two / "study.json", "program", "dalembert 0.0.1")
    result = dalembert("merge", "s")
    assert result.status == 2 and 'it has program "dalembert 0.0.1" instead of "dalembert ' in result.err
    edited(dalembert.directory / "s/shard-1-of-2/study.json", "program", "dalembert 0.0.1")
    result = dalembert("merge", "s")
    assert result.status == 2 and "was written by dalembert 0.0.1, and this is dalembert " in result.err
    assert sorted(path.name for path in (dalembert.directory / "s").iterdir()) == ["shard-1-of-2", "shard-2-of-2"]


def test_what_is_no_shard_is_refused(dalembert):
    (dalembert.directory / "empty").mkdir()
    result = dalembert("merge", "empty")
    assert result.status == 2
    assert result.err == "error: 'empty' holds no shard of a study: there is no 'empty/study.json'\n"
    assert "'nowhere' is no directory" in dalembert("merge", "nowhere").err
    (dalembert.directory / "empty/study.json").write_text("{}")
    (dalembert.directory / "empty/runs.journal").write_text("")
    result = dalembert("merge", "empty")
    assert result.status == 2 and "'empty/study.json' is not the description of a study" in result.err


@pytest.mark.parametrize("text, place, words", [
    ("0/4", "^", "I must be a whole number from 1 to 4: shards are counted from 1"),
    ("5/4", "^", "I must be a whole number from 1 to 4"),
    ("1/0", "  ^", "N must be a whole number from 1 to 1000000"),
    ("one", "^^^", "expected I/N, as in 2/4, or auto"),
    ("1/-2", "  ^^", "N must be a whole number"),
])
def test_a_shard_that_is_none_is_shown(dalembert, text, place, words):
    result = dalembert(*DISK, "--runs", 4, "--shard", text)
    assert result.status == 2
    assert f"error: --shard '{text}': {words}" in result.err
    assert result.err.endswith(f"    {text}\n    {place}\n")
    assert not (dalembert.directory / "out").exists()


@pytest.mark.parametrize("variables, folder", [
    ({"SLURM_ARRAY_TASK_ID": "12", "SLURM_ARRAY_TASK_MIN": "10", "SLURM_ARRAY_TASK_MAX": "14", "SLURM_ARRAY_TASK_STEP": "2",
      "SLURM_PROCID": "0", "SLURM_NTASKS": "1"}, "shard-2-of-3"),
    ({"SLURM_ARRAY_TASK_ID": "0", "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_MAX": "11"}, "shard-01-of-12"),
    ({"SGE_TASK_ID": "3", "SGE_TASK_FIRST": "1", "SGE_TASK_LAST": "4", "SGE_TASK_STEPSIZE": "1"}, "shard-3-of-4"),
    ({"SGE_TASK_ID": "undefined", "PMI_RANK": "0", "PMI_SIZE": "3"}, "shard-1-of-3"),
    ({"LSB_JOBINDEX": "2", "LSB_JOBINDEX_END": "2"}, "shard-2-of-2"),
    ({"OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_SIZE": "4"}, "shard-4-of-4"),
    ({"SLURM_PROCID": "1", "SLURM_NTASKS": "2"}, "shard-2-of-2"),
])
def test_schedulers_say_which_shard(dalembert, variables, folder):
    result = dalembert(*DISK, "--runs", 3, "--shard", "auto", "--out", "s", "--quiet", env=environment(**variables))
    assert result.status == 0, result.err
    assert [path.name for path in (dalembert.directory / "s").iterdir()] == [folder]


def test_without_a_scheduler_there_is_no_shard_auto(dalembert):
    result = dalembert(*DISK, "--runs", 3, "--shard", "auto", env=environment())
    assert result.status == 2 and "no task of an array and no process of MPI" in result.err
    half = environment(SLURM_ARRAY_TASK_ID="3", SLURM_ARRAY_TASK_MIN="1")
    result = dalembert(*DISK, "--runs", 3, "--shard", "auto", env=half)
    assert result.status == 2 and "Slurm: SLURM_ARRAY_TASK_ID is set, but SLURM_ARRAY_TASK_MAX is not" in result.err


def test_mpiexec_runs_shards(dalembert):
    if shutil.which("mpiexec") is None:
        pytest.skip("there is no mpiexec: apt install openmpi-bin")
    assert dalembert(*DISK, "--runs", 30, "--out", "whole").status == 0
    command = ["mpiexec", "--allow-run-as-root", "--oversubscribe", "-n", "4", PROGRAM, *DISK, "--runs", "30", "--shard", "auto",
               "--threads", "1", "--out", "s", "--quiet"]
    done = subprocess.run(command, cwd=dalembert.directory, capture_output=True, env=environment(), timeout=120)
    assert done.returncode == 0, done.stderr
    assert dalembert("merge", "s").status == 0
    assert results(dalembert.directory / "s") == results(dalembert.directory / "whole")


def test_random_kills_change_nothing(dalembert):
    """Shards and the merge are killed again and again."""
    study = [*DISK, "--runs", 900, "--samples", 20]
    assert dalembert(*study, "--out", "whole").status == 0
    draw = random.Random(20261118)

    def until_it_lives(*command, folder):
        for kills in range(40):
            more = ["--resume"] if command[0] == "sweep" and (folder / "study.json").exists() else []
            process = subprocess.Popen([PROGRAM, *map(str, [*command, *more])], cwd=dalembert.directory,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if kills < 8:
                time.sleep(draw.uniform(0.0, 0.15))
                process.send_signal(signal.SIGKILL)
            if process.wait(timeout=120) == 0:
                return

    for i in (1, 2, 3):
        until_it_lives(*study, "--shard", f"{i}/3", "--out", "s", folder=dalembert.directory / f"s/shard-{i}-of-3")
    until_it_lives("merge", "s", folder=dalembert.directory / "s")
    assert results(dalembert.directory / "s") == results(dalembert.directory / "whole")


def test_a_full_disk_is_told_and_the_merge_goes_on(dalembert):
    study = [*DISK, "--runs", 60, "--samples", 200]
    assert dalembert(*study, "--out", "whole").status == 0
    shards(dalembert, 2, "--runs", 60, "--samples", 200)

    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))

    result = dalembert("merge", "s", preexec_fn=small)
    assert result.status == 2 and "cannot write 's/runs.journal': File too large; make room, and merge again" in result.err
    assert not (dalembert.directory / "s/results.h5").exists()
    assert dalembert("merge", "s").status == 0
    assert results(dalembert.directory / "s") == results(dalembert.directory / "whole")


def test_a_shard_at_work_is_not_merged(dalembert):
    shards(dalembert, 2, "--runs", 6)
    with open(dalembert.directory / "s/shard-2-of-2/runs.journal", "rb") as journal:
        fcntl.flock(journal, fcntl.LOCK_EX)
        result = dalembert("merge", "s")
    assert result.status == 2
    assert result.err == "error: another process is at work in 's/shard-2-of-2'; wait for its end\n"
