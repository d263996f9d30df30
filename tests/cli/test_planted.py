"""What others have prepared: links under the names that files have while they are written, libraries in the way, files that
do not fit, journals that the disk has spoilt."""

import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess

import pytest

from conftest import MODELS, PROGRAM

PENDULUM = (MODELS / "pendulum.toml").read_text("utf-8")
SWEEP = ["sweep", "pendulum", "--vary", "l=linspace(0.5, 2, 40)", "--duration", "1", "--quiet"]


@pytest.fixture
def precious(dalembert):
    path = dalembert.directory / "precious"
    path.write_text("do not touch")
    yield path
    assert path.read_text() == "do not touch" and not path.is_symlink()


def plant_for(folder, name, precious):
    """Puts links under all names that a process of ours may give its file, as soon as it has a number."""
    def plant():
        link = folder / f".{name}.{os.getpid()}.partial"
        link.symlink_to(precious)

    return plant


@pytest.mark.parametrize("name, options", [("trajectory.h5", ["--format", "hdf5"]), ("trajectory.csv", []),
                                           ("summary.json", []), ("report.html", [])])
def test_a_link_in_the_place_of_a_file_of_a_run_is_not_followed(dalembert, precious, name, options):
    out = dalembert.directory / "o"
    out.mkdir()
    result = dalembert("run", "pendulum", "--duration", "1", "--out", "o", *options, preexec_fn=plant_for(out, name, precious))
    assert result.status == 0, result.err
    assert (out / name).is_file() and not (out / name).is_symlink()
    assert [p.name for p in out.iterdir() if p.name.startswith(".")] == []


def test_a_link_in_the_place_of_a_file_of_a_study_is_not_followed(dalembert, precious):
    out = dalembert.directory / "s"
    assert dalembert(*SWEEP, "--out", "s").status == 0
    (out / ".results.h5.partial").symlink_to(precious)
    (out / "results.h5").unlink()
    assert dalembert(*SWEEP, "--out", "s", "--resume").status == 0
    assert (out / "results.h5").is_file() and not (out / "results.h5").is_symlink()


def entries(library):
    """The folders that the library's own libraries are looked for in first."""
    text = subprocess.run(["readelf", "-d", str(library)], capture_output=True, text=True, check=True).stdout
    lines = [line for line in text.splitlines() if "RUNPATH" in line or "RPATH" in line]
    return [entry for line in lines for entry in line[line.index("[") + 1:line.rindex("]")].split(":")]


@pytest.mark.skipif(shutil.which("readelf") is None, reason="needs readelf")
def test_no_library_is_looked_for_in_the_current_directory():
    folder = pathlib.Path(PROGRAM).resolve().parent
    files = [PROGRAM, *folder.glob("libdalembert_machine.so")]
    for file in files:
        assert all(entry.startswith(("/", "$ORIGIN")) for entry in entries(file)), (file, entries(file))


def test_a_library_beside_a_made_up_name_of_the_program_is_not_loaded(dalembert):
    """Who starts a program chooses the name it is told; what is loaded lies beside the file itself."""
    source = 'void __attribute__((constructor)) loaded(void) { extern int puts(const char*); puts("LOADED"); }\n'
    dalembert.write("evil.c", source)
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("c++")
    if compiler is None:
        pytest.skip("needs a compiler")
    subprocess.run([compiler, "-shared", "-fPIC", "-x", "c", "evil.c", "-o", "libdalembert_machine.so"],
                   cwd=dalembert.directory, check=True)
    environment = {**os.environ, "DALEMBERT_ENGINE": "machine"}
    for name in ["./dalembert", str(dalembert.directory / "dalembert"), "dalembert"]:
        done = subprocess.run([name, "run", "pendulum", "--duration", "1"], executable=PROGRAM, cwd=dalembert.directory,
                              env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0 and "LOADED" not in done.stdout, (name, done.stderr)


@pytest.mark.parametrize("name", ["...toml", "..toml", ".toml", "....toml", "model..toml"])
def test_a_model_of_dots_has_a_folder_of_its_own(dalembert, name):
    dalembert.write(name, PENDULUM)
    before = sorted(os.listdir(dalembert.directory))
    assert dalembert("run", f"./{name}", "--duration", "1").status == 0
    assert sorted(os.listdir(dalembert.directory)) == sorted([*before, "out"])
    inside = os.listdir(dalembert.directory / "out")
    assert len(inside) == 1 and inside[0].strip(".") != ""
    assert sorted(os.listdir(dalembert.directory / "out" / inside[0])) == ["report.html", "summary.json", "trajectory.csv"]


def small_files(limit):
    def set_limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return set_limit


@pytest.mark.parametrize("options", [[], ["--format", "hdf5"], ["--format", "both"]])
def test_a_report_that_does_not_fit_leaves_nothing_behind(dalembert, options):
    args = ["run", "pendulum", "--samples", "50", "--out", "o", *options]
    result = dalembert(*args, preexec_fn=small_files(200_000))
    assert result.status == 2 and "error: cannot write 'o/report.html': " in result.err
    assert os.listdir(dalembert.directory / "o") == []
    # What an earlier run has written stays as it was, all of it.
    assert dalembert(*args).status == 0
    before = {path.name: path.read_bytes() for path in (dalembert.directory / "o").iterdir()}
    again = dalembert(*args, "--set", "l=3", preexec_fn=small_files(200_000))
    assert again.status == 2
    assert {path.name: path.read_bytes() for path in (dalembert.directory / "o").iterdir()} == before


def test_a_damaged_journal_loses_the_damaged_runs_alone(dalembert):
    args = [*SWEEP[:-1], "--samples", "5"]
    assert dalembert(*args, "--out", "whole").status == 0
    whole = {name: (dalembert.directory / "whole" / name).read_bytes() for name in ["results.h5", "results.csv"]}
    journal = (dalembert.directory / "whole/runs.journal").read_bytes()
    chance = random.Random(4)
    for attempt in range(6):
        shutil.copytree(dalembert.directory / "whole", dalembert.directory / f"s{attempt}")
        at = chance.randrange(64, len(journal) // 2)
        damaged = bytearray(journal)
        for i in range(at, at + (1 if attempt < 3 else chance.randrange(200))):
            damaged[i] ^= 0xff
        (dalembert.directory / f"s{attempt}/runs.journal").write_bytes(damaged)
        result = dalembert(*args, "--out", f"s{attempt}", "--resume")
        assert result.status == 0, result.err
        assert "are damaged; the runs in them are repeated" in result.err
        # An entry is lost or two, at worst three; the whole was 40 runs and their samples.
        assert len((dalembert.directory / f"s{attempt}/runs.journal").read_bytes()) < len(journal) * 1.2
        for name, content in whole.items():
            assert (dalembert.directory / f"s{attempt}" / name).read_bytes() == content
