"""The package as pip installs it: what is in it, what it needs, how long it takes to import."""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib

import pytest

import dalembert as dal
from conftest import PACKAGE, ROOT

# The shared libraries that the package needs at run time, and where packages.txt has them from. Those of glibc and gcc
# are on every Debian.
LIBRARIES = {
    "libLLVM.so": "llvm-19-dev",
    "libconsole_bridge.so": "liburdfdom-dev",
    "libcpp-httplib.so": "libcpp-httplib-dev",
    "libflint-arb.so": "libflint-arb-dev",
    "libflint.so": "libflint-dev",
    "libfmt.so": "libfmt-dev",
    "libgmp.so": "libgmp-dev",
    "libhdf5_serial.so": "libhdf5-dev",
    "libsleef.so": "libsleef-dev",
    "libsundials_cvode.so": "libsundials-dev",
    "libsundials_nvecserial.so": "libsundials-dev",
    "libtinyxml.so": "liburdfdom-dev",
    "liburdfdom_model.so": "liburdfdom-dev",
}
SYSTEM = {"libc.so", "libgcc_s.so", "libm.so", "libstdc++.so", "ld-linux-x86-64.so"}


def natives():
    """The compiled files of the package."""
    return [next(PACKAGE.glob("_core.*.so")), PACKAGE / "dalembert", PACKAGE / "libdalembert_machine.so"]


def test_the_version_is_the_projects(distribution):
    version = re.search(r"project\(dalembert VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    assert dal.__version__ == distribution.version == version


def test_what_is_installed(distribution):
    installed = {str(file) for file in distribution.files if "__pycache__" not in str(file)}
    suffix = natives()[0].name
    sources = {f"dalembert/{path.name}" for path in (ROOT / "python/dalembert").glob("*.py")}
    made = {f"dalembert/{name}" for name in (suffix, "_core.pyi", "dalembert", "libdalembert_machine.so", "py.typed")}
    own = {name for name in installed if name.startswith("dalembert/")}
    assert own == sources | made
    command = {"dalembert_command/__init__.py", "dalembert_command/py.typed"}
    about = {name for name in installed if re.match(r"dalembert-[0-9.]+\.dist-info/", name)}
    assert any(name.endswith("licenses/LICENSE") for name in about)
    assert installed - own - about - command == {"../../../bin/dalembert"}


def test_metadata_says_what_is_needed(distribution):
    metadata = distribution.metadata
    assert metadata["Requires-Python"] == ">=3.10"
    assert metadata["License-Expression"] == "Apache-2.0"
    always = [need for need in distribution.requires if "extra ==" not in need]
    assert [re.match(r"[\w-]+", need)[0] for need in always] == ["numpy"]


def test_every_package_of_the_environment_is_pinned(distribution):
    if not os.path.exists(os.path.join(sys.prefix, "made_of")):
        pytest.skip("this is not the environment that ./test makes")
    pinned = dict(re.findall(r"^([\w.-]+)==(\S+)$", (ROOT / "python/requirements.txt").read_text(), re.MULTILINE))

    def normal(name):
        return re.sub(r"[-_.]+", "-", name).lower()

    pinned = {normal(name): version for name, version in pinned.items()}
    for found in importlib.metadata.distributions():
        name = normal(found.metadata["Name"])
        if name not in ("dalembert", "pip", "setuptools"):
            assert pinned.get(name) == found.version, name


def test_source_distribution_has_what_a_build_needs_and_no_more(distribution, tmp_path):
    build = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", build, tmp_path], cwd=ROOT, check=True, capture_output=True, timeout=120)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    tracked = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                             capture_output=True, text=True).stdout.split("\n")
    folders = ("cmake/", "models/", "python/", "src/", "web/")
    files = {"CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml", "scripts/web"}
    needed = {name for name in tracked if name.startswith(folders) or name in files}
    assert needed <= names, sorted(needed - names)
    assert names <= {*tracked, "PKG-INFO"}, sorted(names - set(tracked))
    assert not [name for name in names if name.startswith(("tests/", "benches/", "build/", "docs/pictures/", ".ci/"))]


def test_machine_code_is_made_by_the_library_in_the_package(python, tmp_path):
    """Also where the package has been moved to, far from where it was built."""
    moved = tmp_path / "elsewhere/dalembert"
    shutil.copytree(PACKAGE, moved, ignore=shutil.ignore_patterns("__pycache__"))
    program = """
import dalembert as dal, re
motion = dal.read("rolling_disk").compile()
maps = open("/proc/self/maps").read()
print(dal.__file__, *sorted(set(re.findall(r"\\S*/libdalembert_machine.so", maps))), sep="\\n")
"""
    environment = {**os.environ, "PYTHONPATH": str(moved.parent), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    by_machine = python(program, env={**environment, "DALEMBERT_ENGINE": "machine"})
    assert by_machine.status == 0, by_machine.err
    assert by_machine.out.split() == [str(moved / "__init__.py"), str(moved / "libdalembert_machine.so")]
    interpreted = python(program, env={**environment, "DALEMBERT_ENGINE": "interpreter"})
    assert interpreted.out.split() == [str(moved / "__init__.py")]


def test_nothing_points_back_to_where_it_was_built(distribution):
    for path in natives():
        assert os.fsencode(ROOT) not in path.read_bytes(), path


def test_shared_libraries_come_from_packages_that_are_named():
    text = (ROOT / "packages.txt").read_text().partition("[run]")[2].partition("[test]")[0]
    named = set(re.findall(r"^([\w.+-]+)", text, re.MULTILINE))
    assert set(LIBRARIES.values()) <= named
    used = set()
    for path in natives():
        dynamic = subprocess.run(["readelf", "-d", path], check=True, capture_output=True, text=True).stdout
        used |= set(re.findall(r"\(NEEDED\)\s+Shared library: \[(.+?\.so)", dynamic))
        if "asan" not in str(PACKAGE):
            paths = re.findall(r"\((?:RPATH|RUNPATH)\)\s+Library (?:rpath|runpath): \[(.*)\]", dynamic)
            assert all(part.startswith("/usr/lib") for part in "".join(paths).split(":") if part), path
    assert used - SYSTEM <= set(LIBRARIES), used - SYSTEM - set(LIBRARIES)


def test_import_takes_little_time_and_nothing_that_is_optional(python):
    def seconds(text):
        """Of computing, from the start of the interpreter: what other programs take in the meantime is not counted."""
        timed = python(f"import time; {text}; print(time.thread_time())")
        assert timed.status == 0, timed.err
        return float(timed.out)

    bare = min(seconds("pass") for _ in range(5))
    assert min(seconds("import dalembert") for _ in range(5)) - bare < 0.3

    loaded = python("import sys, dalembert; print(*sys.modules)").out.split()
    optional = {"IPython", "h5py", "matplotlib", "numba", "pandas", "scipy", "sympy", "xarray"}
    assert "numpy" in loaded
    assert not optional & set(loaded)


def test_it_works_without_anything_that_is_optional(python):
    optional = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["all"]
    names = [re.match(r"\w+", need)[0] for need in optional]
    program = f"""
import sys
for name in {names + ["numba", "IPython"]}:
    sys.modules[name] = None
import dalembert as dal
motion = dal.read("rolling_disk").compile()
print(motion.coordinate_names)
"""
    ran = python(program)
    assert (ran.status, ran.err) == (0, "")
    assert "theta" in ran.out
