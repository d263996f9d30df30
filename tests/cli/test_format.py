"""`run --format`: the trajectory as CSV, HDF5 or both."""

import csv
import ctypes
import ctypes.util
import json
import resource
import signal
import subprocess

import pytest
from conftest import PROGRAM, wait_for_rows


class Hdf5:
    """As much of the HDF5 library as it takes to read a table."""

    def __init__(self, path):
        self.library = library = ctypes.CDLL(ctypes.util.find_library("hdf5_serial") or "libhdf5_serial.so")
        for name in ["H5Fopen", "H5Dopen2", "H5Dget_space", "H5Aopen"]:
            getattr(library, name).restype = ctypes.c_int64
        library.H5open()
        self.file = library.H5Fopen(str(path).encode(), 0, ctypes.c_int64(0))
        assert self.file >= 0

    def type(self, name):
        return ctypes.c_int64.in_dll(self.library, name)

    def complete(self):
        attribute = self.library.H5Aopen(ctypes.c_int64(self.file), b"complete", ctypes.c_int64(0))
        value = ctypes.c_int(-1)
        self.library.H5Aread(ctypes.c_int64(attribute), self.type("H5T_NATIVE_INT_g"), ctypes.byref(value))
        return value.value

    def table(self):
        dataset = ctypes.c_int64(self.library.H5Dopen2(ctypes.c_int64(self.file), b"trajectory", ctypes.c_int64(0)))
        space = ctypes.c_int64(self.library.H5Dget_space(dataset))
        size = (ctypes.c_uint64 * 2)()
        assert self.library.H5Sget_simple_extent_dims(space, size, None) == 2
        rows, columns = size
        values = (ctypes.c_double * (rows * columns))()
        everything = ctypes.c_int64(0)
        read = self.library.H5Dread(
            dataset, self.type("H5T_NATIVE_DOUBLE_g"), everything, everything, everything, values
        )
        assert read >= 0
        return [list(values[i * columns : (i + 1) * columns]) for i in range(rows)]


def csv_table(path):
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.reader(file)
        next(reader)
        return [[float(x) for x in row] for row in reader]


def names(path):
    return sorted(p.name for p in path.iterdir())


@pytest.mark.parametrize(
    "format, written",
    [
        ("csv", "trajectory.csv (501 rows)"),
        ("hdf5", "trajectory.h5 (501 rows)"),
        ("both", "trajectory.csv (501 rows), trajectory.h5 (501 rows)"),
        ("csv,hdf5", "trajectory.csv (501 rows), trajectory.h5 (501 rows)"),
        ("hdf5,csv", "trajectory.csv (501 rows), trajectory.h5 (501 rows)"),
    ],
)
def test_the_formats_that_are_asked_for(dalembert, format, written):
    result = dalembert("run", "pendulum", "--format", format, "--out", "o")
    assert result.status == 0, result.err
    assert result.out.endswith(f"wrote o/: {written}, summary.json, report.html\n")
    expected = [file for file in ["trajectory.csv", "trajectory.h5"] if file in written]
    assert names(dalembert.directory / "o") == ["report.html", "summary.json", *expected]


def test_both_have_the_same_numbers(dalembert):
    assert dalembert("run", "rolling_disk", "--format", "both", "--samples", 5001, "--out", "o").status == 0
    file = Hdf5(dalembert.directory / "o/trajectory.h5")
    assert file.complete() == 1
    assert file.table() == csv_table(dalembert.directory / "o/trajectory.csv")


@pytest.mark.parametrize("format", ["xml", "csv,", ",", "csv hdf5", "CSV", "csv,hfd5"])
def test_other_formats_are_refused(dalembert, format):
    result = dalembert("run", "pendulum", f"--format={format}", "--out", "o")
    assert result.status == 2
    assert result.err.startswith(f"error: --format {format}: expected csv, hdf5 or both")
    assert not (dalembert.directory / "o").exists()
    assert ("did you mean 'hdf5'?" in result.err) == (format == "csv,hfd5")


def test_interrupted_run_keeps_its_rows(dalembert):
    process = subprocess.Popen(
        [PROGRAM, "run", "double_pendulum", "--out", "o", "--duration", "1e7", "--samples", "1000000", "--quiet",
         "--format", "both"],
        cwd=dalembert.directory, stderr=subprocess.PIPE,
    )  # fmt: skip
    wait_for_rows(process, dalembert.directory / "o")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 3 and b"interrupted at t = " in err
    assert names(dalembert.directory / "o") == ["report.html", "summary.json", "trajectory.csv", "trajectory.h5"]
    file = Hdf5(dalembert.directory / "o/trajectory.h5")
    table = file.table()
    assert file.complete() == 0
    assert len(table) == json.loads((dalembert.directory / "o/summary.json").read_text())["rows"]
    assert table == csv_table(dalembert.directory / "o/trajectory.csv")


def test_killed_run_leaves_the_old_file(dalembert):
    assert dalembert("run", "pendulum", "--out", "o", "--format", "hdf5").status == 0
    before = (dalembert.directory / "o/trajectory.h5").read_bytes()
    beside = names(dalembert.directory / "o")
    process = subprocess.Popen(
        [PROGRAM, "run", "double_pendulum", "--out", "o", "--duration", "1e7", "--samples", "1000000", "--format", "hdf5"],
        cwd=dalembert.directory, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    wait_for_rows(process, dalembert.directory / "o", beside)
    process.kill()
    process.wait()
    assert (dalembert.directory / "o/trajectory.h5").read_bytes() == before


@pytest.mark.parametrize("limit", [500, 10_000, 300_000, 1_000_000])
def test_a_full_disk_is_told_and_nothing_is_left(dalembert, limit):
    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    args = ["run", "rolling_disk", "--samples", 5001, "--format", "hdf5", "--out", "o", "--no-report"]
    result = dalembert(*args, preexec_fn=small_files)
    assert result.status == 2
    assert "error: cannot write 'o/trajectory.h5': " in result.err
    assert list((dalembert.directory / "o").iterdir()) == []


def test_a_folder_in_the_way_is_told(dalembert):
    (dalembert.directory / "o/trajectory.h5").mkdir(parents=True)
    result = dalembert("run", "pendulum", "--format", "both", "--out", "o")
    assert result.status == 2
    assert "error: cannot write 'o/trajectory.h5': Is a directory" in result.err
    assert names(dalembert.directory / "o") == ["trajectory.h5"]
