"""What cannot be loaded is said in one sentence."""

import glob
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

from conftest import PACKAGE, ROOT
from dalembert import loading

# What is on every Linux with Python: what manylinux allows wheels to find there, as far as these do.
SYSTEM = re.compile(r"(ld-linux-x86-64|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+|z))\.so\.\d+")


def last_line(tmp_path, **variables):
    """Of what `import dalembert` says, with this folder searched first."""
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), **variables}
    ran = subprocess.run([sys.executable, "-c", "import dalembert"], env=environment, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 1
    assert "During handling" not in ran.stderr and "direct cause" not in ran.stderr
    return ran.stderr.strip().split("\n")[-1]


@pytest.fixture
def sources(tmp_path):
    """The package without what is compiled."""
    shutil.copytree(PACKAGE, tmp_path / "dalembert", ignore=shutil.ignore_patterns("__pycache__", "*.so", "dalembert"))
    return tmp_path


def test_an_extension_that_is_not_built(sources):
    assert last_line(sources) == (
        "ImportError: dalembert cannot be loaded: its extension is not built: `pip install .` in the folder of the sources "
        "builds and installs it"
    )


def test_an_extension_for_another_python(sources):
    (sources / "dalembert/_core.cpython-27-sparc.so").touch()
    assert re.fullmatch(
        r"ImportError: dalembert cannot be loaded: it was built for another Python \(_core\.cpython-27-sparc\.so\), "
        r"and this is \w+ 3\.\d+ on \w+", last_line(sources)
    )


def test_no_numpy_or_a_broken_one(sources):
    numpy = sources / "numpy/__init__.py"
    numpy.parent.mkdir()
    numpy.write_text("raise ImportError('a page of advice\\n\\nOriginal error was: no such thing\\n')")
    assert last_line(sources) == (
        "ImportError: dalembert cannot be loaded: NumPy is installed, but does not load with this Python (no such thing): "
        "pip install --force-reinstall numpy"
    )
    numpy.write_text("raise ModuleNotFoundError('No module', name='numpy')")
    assert last_line(sources) == "ImportError: dalembert cannot be loaded: it needs NumPy, which is not installed: pip install numpy"


@pytest.mark.parametrize(
    "text, said",
    [
        ("libflint.so.17: cannot open shared object file: No such file or directory",
         "the shared library libflint.so.17 is missing; wheels bring it along, a build from source needs the packages of packages.txt"),
        ("/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.36' not found (required by /x/_core.so)",
         "this system's C library is too old: GLIBC 2.36 is needed, as in Debian 12, Ubuntu 24.04 and later"),
        ("/lib/libstdc++.so.6: version `GLIBCXX_3.4.30' not found (required by /x/_core.so)",
         "this system's C++ library is too old: GLIBCXX 3.4.30 is needed, as in Debian 12, Ubuntu 24.04 and later"),
    ],
)  # fmt: skip
def test_libraries_that_are_missing_or_old(text, said):
    """In the words of glibc's loader."""
    assert loading._why_not_core(ImportError(text)) == said


def test_a_processor_without_sse4_is_known_by_its_flags(tmp_path):
    about = tmp_path / "cpuinfo"
    about.write_text("processor\t: 0\nflags\t\t: fpu sse2 ssse3\n")
    assert loading._lacks_sse4(about)
    about.write_text("processor\t: 0\nflags\t\t: fpu sse2 ssse3 sse4_1 sse4_2\n")
    assert not loading._lacks_sse4(about)
    assert not loading._lacks_sse4(tmp_path / "nothing")


def wheels():
    return sorted(glob.glob(str(ROOT / "dist/dalembert-*.whl")))


@pytest.mark.parametrize("wheel", wheels() or [None], ids=lambda wheel: wheel and pathlib.Path(wheel).name)
def test_a_wheel_needs_nothing_from_outside(wheel, tmp_path):
    """Those that scripts/wheels made, if it did: `scripts/wheels --test` installs them in bare systems."""
    if wheel is None:
        pytest.skip("scripts/wheels has made none")
    assert "manylinux_2_36_x86_64" in wheel
    assert os.path.getsize(wheel) <= 60e6
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(tmp_path)
    binaries = [path for path in tmp_path.rglob("*") if path.is_file() and path.open("rb").read(4) == b"\x7fELF"]
    names = {path.name for path in binaries}
    assert {"dalembert", "libdalembert_machine.so"} <= names
    for path in binaries:
        dynamic = subprocess.run(["readelf", "-d", path], check=True, capture_output=True, text=True).stdout
        needed = set(re.findall(r"\(NEEDED\)\s+Shared library: \[(.+?)\]", dynamic))
        assert not {name for name in needed - names if not SYSTEM.fullmatch(name)}, path.name
        for places in re.findall(r"\((?:RPATH|RUNPATH)\)\s+Library (?:rpath|runpath): \[(.*)\]", dynamic):
            assert all(place.startswith("$ORIGIN") for place in places.split(":")), path.name
    licences = {path.name for path in tmp_path.glob("*.dist-info/licenses/third-party/*")}
    assert {"libflint17", "libgmp10", "libhdf5-dev", "libssl3", "llvm-19-dev"} <= licences
