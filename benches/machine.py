"""What a measurement was taken on: CPU, how it is run, and the versions of all that took part."""

import os
import pathlib
import platform
import subprocess


def read(path):
    try:
        return pathlib.Path(path).read_text(encoding="utf-8").strip()
    except OSError:
        return None


def output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def cpu():
    facts = {}
    for text in (read("/proc/cpuinfo") or "").splitlines():
        name, _, value = text.partition(":")
        facts.setdefault(name.strip(), value.strip())
    flags = set(facts.get("flags", "").split())
    return {
        "model": facts.get("model name"),
        "family": facts.get("cpu family"),
        "number": facts.get("model"),
        "cores": os.cpu_count(),
        "sets": [s for s in ("avx2", "fma", "avx512f", "avx512dq", "avx512vl") if s in flags],
        "governor": read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "boost": read("/sys/devices/system/cpu/cpufreq/boost"),
        "virtual": "hypervisor" in flags,
    }


def describe(root, packages):
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    debian = {}
    for name in ("libsimbody-dev", "llvm-19-dev", "libsleef-dev", "libeigen3-dev"):
        debian[name] = output("dpkg-query", "-W", "-f", "${Version}", name)
    wanted = ("sympy", "symengine", "casadi", "heyoka", "scipy", "numpy", "mujoco", "pin")
    return {
        "cpu": cpu(),
        "memory": memory,
        "load": os.getloadavg(),
        "system": platform.platform(),
        "compiler": (output("c++", "--version") or "").split("\n")[0],
        "commit": output("git", "-C", str(root), "rev-parse", "HEAD"),
        "changed": bool(output("git", "-C", str(root), "status", "--porcelain")),
        "python": platform.python_version(),
        "packages": {name: packages.get(name) for name in wanted},
        "debian": debian,
    }


def sentence(facts):
    """One line for people."""
    chip = facts["cpu"]
    sets = ", ".join(chip["sets"]) or "no vector instructions"
    kind = "virtual machine" if chip["virtual"] else f"governor {chip['governor'] or 'unknown'}"
    return f"{chip['model']} (family {chip['family']}, model {chip['number']}), {chip['cores']} cores, {sets}, {kind}"
