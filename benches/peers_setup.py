"""Installs and builds the peers in build/bench, each for itself: what fails is told, and the others go on."""

import json
import pathlib
import subprocess
import sys

PACKAGES = {  # peer -> what it needs from PyPI
    "sympy": ["sympy", "symengine", "numpy"],
    "heyoka": ["heyoka", "numpy"],
    "scipy": ["scipy", "numpy"],
    "casadi": ["casadi", "numpy"],
    "mujoco": ["mujoco"],
    "pinocchio": ["pin"],
    "simbody": [],
    "cvode": [],
}
PROGRAMS = {
    "casadi": "casadi_loop",
    "mujoco": "mujoco",
    "pinocchio": "pinocchio",
    "simbody": "simbody",
    "cvode": "cvode",
}


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(command, log):
    """Whether it succeeded; what it printed goes to the log."""
    with open(log, "a", encoding="utf-8") as out:
        out.write("$ " + " ".join(map(str, command)) + "\n")
        out.flush()
        return subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL).returncode == 0


def pinned(root):
    """Package -> version, from requirements.txt."""
    lines = (root / "benches/requirements.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if "==" in line)


def installed(python):
    """Package -> version in the environment."""
    listing = subprocess.run([python, "-m", "pip", "list", "--format", "json"], capture_output=True, text=True)
    return {p["name"].lower(): p["version"] for p in json.loads(listing.stdout or "[]")}


def install_packages(root, build, log):
    """{package: version} of what is there in the end."""
    python = build / "venv/bin/python"
    if not python.exists() and not run([sys.executable, "-m", "venv", build / "venv"], log):
        return {}
    present = installed(python)
    wanted = {name: version for name, version in pinned(root).items() if present.get(name) != version}
    for name, version in wanted.items():
        say(f"Installing {name} {version}")
        if not run([python, "-m", "pip", "install", "-q", f"{name}=={version}"], log):
            say(f"  could not: see {log}")
    return installed(python) if wanted else present


def build_casadi(root, build, log):
    """CasADi's function as a shared library."""
    folder = build / "casadi"
    source, library = folder / "rolling_disk.c", folder / "rolling_disk.so"
    script = root / "benches/peers/casadi_peer.py"
    if library.exists() and library.stat().st_mtime > script.stat().st_mtime:
        return True
    compiler = ["cc", "-O3", "-march=native", "-shared", "-fPIC", source, "-o", library, "-lm"]
    return run([build / "venv/bin/python", script, folder], log) and run(compiler, log)


def build_programs(root, build, log):
    """The names of the C++ programs that could be built."""
    packages = next(build.glob("venv/lib/python*/site-packages"), build)
    folder = build / "peers"
    configure = ["cmake", "-S", root / "benches/peers", "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"]
    if not run(configure + ["-DCMAKE_CXX_FLAGS_RELEASE=-O3", f"-DVENV={packages}"], log):
        return set()
    if not (folder / "pinocchio").exists():
        say("Building the peers; Pinocchio's templates take a minute or two")
    return {p for p in PROGRAMS.values() if run(["cmake", "--build", folder, "--target", p], log)}


def set_up(root, build):
    """Returns {peer: version} of those that are ready and {peer: why} of those that are not."""
    build.mkdir(parents=True, exist_ok=True)
    log = build / "peers.log"
    log.write_text("", encoding="utf-8")
    packages = install_packages(root, build, log)
    missing = {}
    for peer, needs in PACKAGES.items():
        absent = [name for name in needs if name not in packages]
        if absent:
            missing[peer] = f"{', '.join(absent)} could not be installed from PyPI, see {log}"
    programs = build_programs(root, build, log)
    for peer, program in PROGRAMS.items():
        if peer not in missing and program not in programs:
            missing[peer] = f"its program could not be built, see {log}"
    if "casadi" not in missing and not build_casadi(root, build, log):
        missing["casadi"] = f"its C code could not be made, see {log}"
    for peer, why in missing.items():
        say(f"{peer} is missing: {why}")
    return packages, missing
