"""`dalembert export`: what is written compiles everywhere, computes what `run` computes, and says why where it cannot."""

import csv
import importlib.util
import json
import math
import os
import re
import shutil
import subprocess
import sys
import zipfile

import pytest
from conftest import MODELS

STRICT = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off"]
COMPILERS = [name for name in ("gcc", "clang-19", "tcc") if shutil.which(name)]

GREEK = """
coordinates = ["φ", "int", "x_dot"]
[parameters]
while = 1
"λ" = 2.5
"a_b" = 1
twice = "2*while"
[energy]
kinetic = "while*φ'^2/2 + int'^2/2 + λ*x_dot'^2/2"
potential = "-cos(φ) + twice*int^2/2"
[initial]
"φ" = 0.5
x_dot = 1
"""

TABLES = """
coordinates = ["x"]
[parameters]
k = 50
[[table]]
name = "F"
x = [0, 0.5, 2]
y = [0, 12, 18]
interpolation = "cubic"
[energy]
kinetic = "x'^2/2"
potential = "k*x^2/2"
[forces]
x = "0"
[initial]
x = 0.1
"""

CART = """
coordinates = ["x"]
[inputs]
u = 0.5
[energy]
kinetic = "x'^2/2"
[forces]
x = "u - 0.2*x'"
[simulation]
duration = 5
rtol = 1e-12
"""

PENDULUM = """
coordinates = ["x", "y"]
[parameters]
m = 1
l = 2
g = 9.81
[energy]
kinetic = "m*(x'^2 + y'^2)/2"
potential = "m*g*y"
[[constraint]]
name = "rod"
equation = "x^2 + y^2 = l^2"
[initial]
x = "l"
"x'" = 0
[simulation]
duration = 5
rtol = 1e-12
"""


def compiled(folder, name, compiler="gcc", extra=()):
    flags = STRICT if compiler != "tcc" else [x for x in STRICT if not x.startswith("-ff")]
    done = subprocess.run([compiler, *flags, *extra, "-o", "example", "main.c", f"{name}.c", "-lm"], cwd=folder,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    ran = subprocess.run(["./example"], cwd=folder, capture_output=True, text=True)
    return ran


def table(text):
    rows = list(csv.reader(text.splitlines()))
    return rows[0], [[float(x) for x in row] for row in rows[1:]]


TOUCHING = {path.stem for path in MODELS.glob("*.toml") if any(
    part in path.read_text(encoding="utf-8") for part in ("[[contact]]", "[[friction]]"))}
EXPORTED = sorted(path.stem for path in MODELS.glob("*.toml"))
# What straight code cannot follow to the end, and says so; that of Bricard's loop, after a minute of ever shorter steps.
STOPPED = {"parallelogram"}
LONG = {"bricard"}


@pytest.mark.parametrize("name", EXPORTED)
def test_every_model_is_exported_and_runs(dalembert, name):
    done = dalembert("export", name, "--to", "c", "--out", "c")
    assert done.status == 0, done.err
    folder = dalembert.directory / "c"
    assert sorted(p.name for p in folder.iterdir()) == sorted(
        ["CMakeLists.txt", "Makefile", f"{name}.c", f"{name}.h", "main.c"])
    if name in LONG:
        text = (folder / "main.c").read_text()
        (folder / "main.c").write_text(text.replace("duration = 10.0", "duration = 0.5"))
    if shutil.which("tcc"):
        ran = compiled(folder, name, "tcc")
        if name in STOPPED:
            assert ran.returncode == 1 and "a pivot of the elimination is too small" in ran.stderr
        else:
            assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("name", sorted(TOUCHING))
def test_contacts_and_friction_move_as_in_run(dalembert, name):
    dalembert("export", name, "--to", "c", "--out", "c")
    ran = compiled(dalembert.directory / "c", name, "gcc", ["-O2"])
    assert ran.returncode == 0, ran.stderr
    names, rows = table(ran.stdout)
    assert dalembert("run", name, "--out", "r", "--samples", "11", "--no-report").status == 0
    head, wanted = table((dalembert.directory / "r/trajectory.csv").read_text())
    assert len(rows) == len(wanted) >= 4
    # Impacts and stick-slip amplify little in these; both integrate at the tolerances of the model, 1e-10 or finer.
    for row, other in zip(rows, wanted):
        for i, column in enumerate(names):
            assert row[i] == pytest.approx(other[head.index(column)], abs=1e-8, rel=1e-8), (row[0], column)


ROLLING = """
coordinates = ["x", "y", "z", "e0", "e1", "e2", "e3"]
gravity = [0, 0, -9.81]
[[body]]
name = "ball"
mass = 2
inertia = [0.008, 0.008, 0.008]
position = ["x", "y", "z"]
orientation = { quaternion = ["e0", "e1", "e2", "e3"] }
shape = "sphere"
radius = 0.1
[[contact]]
name = "floor"
bodies = ["ball", "ground"]
friction = 0.2
[initial]
z = 0.1
e0 = 1
"x'" = 2
"y'" = 0.5
"ball.wx" = 10
"ball.wy" = -5
"ball.wz" = 3
[simulation]
duration = 1
samples = 11
rtol = 1e-10
"""


def test_a_ball_with_a_quaternion_comes_to_roll_as_in_run(dalembert):
    """Its mass matrix is singular, and whether it is a metric must not be decided by the rounding of a pivot."""
    dalembert.write("ball.toml", ROLLING)
    dalembert("export", "ball.toml", "--to", "c", "--out", "c")
    ran = compiled(dalembert.directory / "c", "ball", "gcc", ["-O2"])
    assert ran.returncode == 0, ran.stderr
    names, rows = table(ran.stdout)
    assert dalembert("run", "ball.toml", "--out", "r", "--no-report").status == 0
    head, wanted = table((dalembert.directory / "r/trajectory.csv").read_text())
    assert len(rows) == len(wanted) == 11
    for row, other in zip(rows, wanted):
        for i, column in enumerate(names):
            assert row[i] == pytest.approx(other[head.index(column)], abs=1e-7, rel=1e-7), (row[0], column)


TOUCH = """
coordinates = ["x", "z"]
[energy]
kinetic = "(x'^2 + z'^2)/2"
potential = "9.81*z"
[[contact]]
name = "floor"
gap = "z"
restitution = 0.5
"""


@pytest.mark.parametrize("more, why", [
    ('impact = "energetic"', "exported contacts know the laws of Newton and Poisson, and that of 'floor' is energetic"),
    ('[[friction]]\nname = "brake"\nslip = "x\'"\nlimit = "0.1*reaction.floor"', "the limit of friction 'brake' depends on reactions"),
    ('[[event]]\nname = "heavy"\nwhen = "reaction.floor = 3"', "event 'heavy' asks for reactions"),
])
def test_what_contacts_may_not_is_refused_in_one_line(dalembert, more, why):
    dalembert.write("ball.toml", TOUCH + more + '\n[initial]\nz = 1\n')
    done = dalembert("export", "ball.toml", "--to", "c")
    assert (done.status, done.err) == (2, f"ball.toml: error: this model cannot be exported: {why}\n")
    assert [path.name for path in dalembert.directory.iterdir()] == ["ball.toml"]


def test_a_start_in_doubt_is_refused(dalembert):
    dalembert.write("near.toml", 'coordinates = ["x", "y"]\n[energy]\nkinetic = "(x\'^2 + y\'^2)/2"\n[[constraint]]\nequation = '
                    '"x = 0"\n[[constraint]]\nequation = "x + 0.0001*y = 0"\n')
    done = dalembert("export", "near.toml", "--to", "c")
    assert (done.status, done.err) == (
        2, "near.toml: error: this model cannot be exported: straight-line code cannot vouch for its numbers at this start, where "
           "constraints are close to dependent, or what one of them demands is lost in rounding\n")
    assert [path.name for path in dalembert.directory.iterdir()] == ["near.toml"]


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("name", ["rolling_disk", "slider_crank"])
def test_compilers_agree_to_the_last_bit_and_with_run(dalembert, name, compiler):
    dalembert("export", name, "--to", "c", "--out", "c")
    ran = compiled(dalembert.directory / "c", name, compiler)
    first = compiled(dalembert.directory / "c", name, COMPILERS[0])
    assert ran.stdout == first.stdout
    names, rows = table(ran.stdout)
    assert dalembert("run", name, "--out", "r", "--samples", "11", "--no-report", "--rtol", "1e-12").status == 0
    head, wanted = table((dalembert.directory / "r/trajectory.csv").read_text())
    # Ten seconds at rtol 1e-9 of the model: the error of the integration.
    for i, column in enumerate(names):
        if column in head:
            for row, other in zip(rows, wanted):
                assert row[i] == pytest.approx(other[head.index(column)], abs=2e-7, rel=2e-7), column


OBSERVER = """
#include <stdio.h>
#include "NAME.h"
int main(void) {
  NAME_system system;
  NAME_motion motion;
  double samples[PREFIX_SAMPLES];
  int i;
  NAME_defaults(&system);
  if (NAME_begin(&system, &motion) || NAME_observe(&system, motion.t, motion.y, samples)) return 1;
  for (i = 0; i < PREFIX_STATES; ++i) printf("%s,%.17g\\n", NAME_state_name(i), motion.y[i]);
  for (i = 0; i < PREFIX_SAMPLES; ++i) printf("%s,%.17g\\n", NAME_sample_name(i), samples[i]);
  return 0;
}
"""


@pytest.mark.parametrize("name, straight", [("rolling_disk", True), ("slider_crank", True), ("dumbbell", True), ("rattleback", False)])
def test_numbers_at_a_state_are_those_of_run(dalembert, name, straight):
    dalembert("export", name, "--to", "c", "--out", "c")
    folder = dalembert.directory / "c"
    said = "Numbers are those of `dalembert run` in one lane to the last bit" in (folder / f"{name}.h").read_text()
    assert said == straight
    (folder / "main.c").write_text(OBSERVER.replace("PREFIX", name.upper()).replace("NAME", name))
    found = {key: float(value) for key, value in csv.reader(compiled(folder, name).stdout.splitlines())}
    assert dalembert("run", name, "--out", "r", "--samples", "3", "--duration", "0.01", "--no-report").status == 0
    head, first, *_ = csv.reader((dalembert.directory / "r/trajectory.csv").read_text().splitlines())
    wanted = {key: float(value) for key, value in zip(head, first) if key in found}
    assert len(wanted) >= 20
    for key, value in wanted.items():
        # The first row of run has the velocities of the file; where u stands for them, code has put them together again.
        rounded = re.fullmatch(r"[^']+'", key)
        if straight and not rounded:
            assert found[key] == value, key
        else:
            allowed = 1e-13 if straight else 1e-9
            assert found[key] == pytest.approx(value, rel=allowed, abs=allowed), key


def test_names_are_escaped_and_do_not_collide(dalembert):
    dalembert.write("greek.toml", GREEK)
    assert dalembert("export", "greek.toml", "--to", "c", "--out", "c").status == 0
    header = (dalembert.directory / "c/greek.h").read_text()
    for name in ("GREEK_PARAMETER_while_ ", "GREEK_PARAMETER_lambda_ ", "GREEK_STATE_phi ", "GREEK_STATE_int_ ",
                 "GREEK_STATE_x_dot ", "GREEK_STATE_x_dot_dot ", "GREEK_STATE_phi_dot ", "GREEK_SAMPLE_ideal_phi "):
        assert name in header
    for compiler in COMPILERS:
        assert compiled(dalembert.directory / "c", "greek", compiler).returncode == 0


def test_the_same_request_gives_the_same_bytes(dalembert):
    for to, out in (("c", "a"), ("c", "b"), ("fmu", "a.fmu"), ("fmu", "b.fmu")):
        assert dalembert("export", "dumbbell", "--to", to, "--out", out, env={**os.environ, "CC": "/nowhere"}).status == 0
    folder = dalembert.directory
    for path in (folder / "a").iterdir():
        assert path.read_bytes() == (folder / "b" / path.name).read_bytes()
    assert (folder / "a.fmu").read_bytes() == (folder / "b.fmu").read_bytes()


def test_parameters_move_the_start_along(dalembert):
    dalembert.write("swing.toml", PENDULUM)
    dalembert("export", "swing.toml", "--to", "c", "--out", "c")
    folder = dalembert.directory / "c"
    text = (folder / "main.c").read_text()
    text = text.replace("/* system.p", "system.p[SWING_PARAMETER_l] = 3; swing_update(&system); /* system.p")
    (folder / "main.c").write_text(text)
    _, rows = table(compiled(folder, "swing").stdout)
    for row in rows:
        assert row[1] ** 2 + row[2] ** 2 == pytest.approx(9, rel=1e-14)
    assert rows[0][1] == 3


def test_the_library_asks_for_libc_and_libm_only(dalembert):
    assert dalembert("export", "rolling_disk", "--to", "fmu", "--out", "disk.fmu").status == 0
    with zipfile.ZipFile(dalembert.directory / "disk.fmu") as archive:
        assert archive.testzip() is None
        library = archive.extract("binaries/linux64/rolling_disk.so", dalembert.directory)
    needed = subprocess.run(["ldd", library], capture_output=True, text=True).stdout
    names = {line.split()[0].split(".")[0].rsplit("/", 1)[-1] for line in needed.splitlines()}
    assert names <= {"libc", "libm", "linux-vdso", "ld-linux-x86-64"}


def test_without_a_compiler_there_are_sources(dalembert):
    done = dalembert("export", "pendulum", "--to", "fmu", "--fmi", "3", env={**os.environ, "CC": "/nowhere/cc"})
    assert done.status == 0
    assert done.out == ("FMI 3.0, model exchange and co-simulation, sources only: no C compiler was found (cc, or CC=...)\n"
                        "wrote out/pendulum/pendulum.fmu\n")
    with zipfile.ZipFile(dalembert.directory / "out/pendulum/pendulum.fmu") as archive:
        assert archive.namelist() == ["extra/org.fmi-standard.fmi-ls-ref/fmi-ls-manifest.xml",
                                      "extra/org.fmi-standard.fmi-ls-ref/reference.csv", "modelDescription.xml", "sources/buildDescription.xml", "sources/fmi3.c",
                                      "sources/fmu.c", "sources/fmu.h", "sources/pendulum.c", "sources/pendulum.h"]


@pytest.mark.parametrize("interface", ["fmi2", "fmi3"])
@pytest.mark.parametrize("model", ["slider_crank", "woodpecker"])
def test_sources_of_an_fmu_are_strict_c99(dalembert, model, interface):
    dalembert("export", model, "--to", "fmu", "--fmi", interface[3], "--out", "x.fmu",
              env={**os.environ, "CC": "/nowhere"})
    with zipfile.ZipFile(dalembert.directory / "x.fmu") as archive:
        archive.extractall(dalembert.directory)
    sources = dalembert.directory / "sources"
    for compiler in COMPILERS:
        flags = [x for x in STRICT if compiler != "tcc" or not x.startswith("-ff")]
        for source in ("fmu.c", f"{interface}.c"):
            done = subprocess.run([compiler, *flags, "-c", "-o", "x.o", source], cwd=sources, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr


def acceleration(dalembert, name):
    return json.loads(dalembert("eval", name, "--json").out)["acceleration"]


def test_a_script_of_javascript_has_the_accelerations_of_eval(dalembert):
    node = shutil.which("node")
    if not node:
        pytest.skip("no node here")
    for name in ("rolling_disk", "slider_crank", "rattleback"):
        assert dalembert("export", name, "--to", "js", "--out", f"{name}.mjs").status == 0
        (dalembert.directory / "ask.mjs").write_text(
            f'import {{ System, SAMPLES }} from "./{name}.mjs";\nconst s = new System(), y = s.start(), z = s.observe(0, y);\n'
            "console.log(JSON.stringify([Object.fromEntries(SAMPLES.map((n, i) => [n, z[i]])), s.residual(0, y)]));\n")
        found, residual = json.loads(subprocess.run([node, "ask.mjs"], cwd=dalembert.directory, capture_output=True).stdout)
        for x, value in acceleration(dalembert, name).items():
            assert found[x + "''"] == pytest.approx(value, rel=1e-9, abs=1e-9)
        assert residual <= 1e-12


@pytest.mark.parametrize("arguments, words", [
    (["--to", "cc"], "error: --to cc: expected c, fmu, python or js; did you mean 'c'?\n"),
    (["--to", "fmu", "--fmi", "1"], "error: --fmi 1: expected 2 or 3\n"),
    (["--to", "c", "--fmi", "2"], "error: --fmi is for --to fmu\n"),
])
def test_wrong_requests_are_refused(dalembert, arguments, words):
    done = dalembert("export", "pendulum", *arguments)
    assert (done.status, done.err) == (2, words)
    assert not list(dalembert.directory.iterdir())


BALL = """
coordinates = ["z"]
[parameters]
e = 0.8
start = 3
[discrete]
count = "start - 3"
[energy]
kinetic = "z'^2/2"
potential = "9.81*z"
[[event]]
name = "floor"
when = "z = 0"
direction = "falling"
set = { "z'" = "-e*z'", count = "count + 1" }
[[event]]
name = "enough"
when = "count = 4.5"
stop = true
[[event]]
name = "apex"
when = "z'"
direction = "falling"
[initial]
z = 1
[simulation]
duration = 5
rtol = 1e-12
"""

KICKED = PENDULUM + """
[discrete]
kicks = 0
side = 1
[[event]]
name = "kick"
every = "l/5"
set = { "x'" = "x' + 0.3*side", kicks = "kicks + 1" }
[[event]]
name = "pass"
when = "x = 0.1*kicks"
direction = "rising"
set = { x = "x + 0.01", side = "-side" }
[outputs]
kicks = "kicks"
"""

SKATE = """
coordinates = ["x", "y", "phi"]
[discrete]
turns = 0
[energy]
kinetic = "(x'^2 + y'^2 + phi'^2)/2"
[[constraint]]
name = "edge"
equation = "x'*sin(phi) = y'*cos(phi)"
[forces]
phi = "-phi + turns"
[[event]]
name = "turn"
when = "phi'"
direction = "falling"
set = { "phi'" = 0.5, "x'" = "x' + 0.1", turns = "turns + cos(t)" }
[initial]
"x'" = 1
phi = 0.4
"y'" = "tan(0.4)"
[simulation]
duration = 9
rtol = 1e-12
"""

EVENTFUL = """
#include <stdio.h>
#include "NAME.h"
int main(void) {
  NAME_system system;
  NAME_motion motion;
  int i, status;
  NAME_defaults(&system);
  status = NAME_begin(&system, &motion);
  motion.rtol = 1e-12;
  if (status == PREFIX_OK) status = NAME_integrate(&system, &motion, DURATION);
  if (status != PREFIX_OK) return printf("%s", NAME_message(status)) ? 1 : 1;
  printf("t,%.17g\\n", motion.t);
  for (i = 0; i < PREFIX_STATES; ++i) printf("%s,%.17g\\n", NAME_state_name(i), motion.y[i]);
  for (i = 0; i < PREFIX_EVENTS; ++i) printf("events.%s,%.17g\\n", NAME_event_name(i), motion.happened[i]);
  return 0;
}
"""


def eventful(dalembert, name, text, duration):
    dalembert.write(f"{name}.toml", text)
    done = dalembert("export", f"{name}.toml", "--to", "c", "--out", "c")
    assert done.status == 0, done.err
    main = EVENTFUL.replace("DURATION", str(duration)).replace("PREFIX", name.upper()).replace("NAME", name)
    (dalembert.directory / "c/main.c").write_text(main)
    outcomes = {compiled(dalembert.directory / "c", name, compiler, ["-O2"]).stdout for compiler in COMPILERS}
    assert len(outcomes) == 1
    return {key: float(value) for key, value in csv.reader(outcomes.pop().splitlines())}


@pytest.mark.parametrize("name, text, duration", [("kicked", KICKED, 5), ("skate", SKATE, 9)])
def test_events_come_as_in_run(dalembert, name, text, duration):
    # Clocks, jumps, events of one direction and both; velocities that are set, on constraints of both kinds.
    found = eventful(dalembert, name, text, duration)
    assert dalembert("run", f"{name}.toml", "--out", "r", "--samples", "2", "--no-report").status == 0
    head, *_, last = csv.reader((dalembert.directory / "r/trajectory.csv").read_text().splitlines())
    for key, value in zip(head, last):
        if key in found:
            assert found[key] == pytest.approx(float(value), rel=1e-9, abs=1e-9), key
    events = json.loads((dalembert.directory / "r/summary.json").read_text())["events"]
    counts = {key[7:]: value for key, value in found.items() if key.startswith("events.")}
    assert counts == {key: sum(events.get(key, {}).values()) for key in counts} and all(counts.values())


def test_events_are_located_to_rounding(dalembert):
    found = eventful(dalembert, "ball", BALL, 5)
    assert [found["events." + key] for key in ("floor", "enough", "apex")] == [5, 1, 4]
    # The fall, and four flights.
    t = math.sqrt(2 / 9.81)
    assert found["t"] == pytest.approx(t + 2 * t * sum(0.8**k for k in range(1, 5)), rel=1e-14)
    assert found["z'"] == pytest.approx(0.8**5 * math.sqrt(2 * 9.81), rel=1e-13)


@pytest.mark.parametrize("to", ["python", "js"])
def test_scripts_know_no_events(dalembert, to):
    dalembert.write("ball.toml", BALL)
    done = dalembert("export", "ball.toml", "--to", to)
    assert (done.status, done.err) == (
        2, "error: ball.toml: this model cannot be exported as a script: its events come along the motion, and a script evaluates "
           "only single states\n")


def tables_everywhere():
    """A model with a table of every kind, read inside, at nodes, at the ends and beyond."""
    text = TABLES.replace('potential = "k*x^2/2"', 'potential = "k*x^2/2 + spline(x) - cubic(F(x)/9)"').replace("k = 50", 'k = 50\nj = "linear(k/99)"')
    outputs = ["[outputs]"]
    for kind in ("linear", "hold", "cubic", "spline"):
        for end in ("hold", "error"):
            name = kind if end == "hold" else kind + "_or_none"
            text += f'[[table]]\nname = "{name}"\nx = [-1, 0.1, 0.2, 0.5, 3]\ny = [0.3, 1, -2, 0.7, 11]\n' \
                    f'interpolation = "{kind}"\noutside = "{end}"\n'
            points = (-1, -0.4, 0.1, 0.17, 0.5, 2.3, 3) + ((-1.5, 3.5) if end == "hold" else ())
            for i, point in enumerate(points):
                # j is linear(k/99), a parameter that follows from another.
                outputs.append(f'{name}_{i} = "{name}({point} + 0*x) + j"')
            outputs.append(f'{name}_rate = "{name}_of_x\'"')
            text = text.replace("[[table]]", f'[let]\n{name}_of_x = "{name}(x)"\n[[table]]', 1) if "[let]" not in text else \
                text.replace("[let]\n", f'[let]\n{name}_of_x = "{name}(x)"\n')
    return text + "\n".join(outputs) + '\n[initial]\nx = 0.13\n"x\'" = 0.7\n'


@pytest.fixture
def pushed(dalembert):
    """What run says of that model at its start."""
    dalembert.write("pushed.toml", tables_everywhere().replace("[initial]\nx = 0.1\n", ""))
    done = dalembert("run", "pushed.toml", "--out", "r", "--samples", "2", "--duration", "0.01", "--no-report")
    assert done.status == 0, done.err
    head, first, *_ = csv.reader((dalembert.directory / "r/trajectory.csv").read_text().splitlines())
    wanted = {key: float(value) for key, value in zip(head, first)}
    assert len([key for key in wanted if key.startswith(("linear", "hold", "cubic", "spline"))]) == 4 * (9 + 7 + 2)
    return wanted


@pytest.mark.parametrize("compiler", COMPILERS)
def test_tables_are_written_out_with_the_bits_of_run(dalembert, pushed, compiler):
    assert dalembert("export", "pushed.toml", "--to", "c", "--out", "c").status == 0
    folder = dalembert.directory / "c"
    (folder / "main.c").write_text(OBSERVER.replace("PREFIX", "PUSHED").replace("NAME", "pushed"))
    found = {key: float(value) for key, value in csv.reader(compiled(folder, "pushed", compiler).stdout.splitlines())}
    assert len(found) == 7 + 4 * 18  # x, its derivatives, two forces, two energies
    for key, value in found.items():
        assert value == pushed[key], key


def test_tables_are_written_out_for_scripts(dalembert, pushed):
    # Sums of products are rounded otherwise there, tables themselves are not.
    def same(found):
        for key, value in found.items():
            assert value == pytest.approx(pushed[key], rel=1e-14, abs=1e-14), key

    node = shutil.which("node")
    if node:
        assert dalembert("export", "pushed.toml", "--to", "js", "--out", "p.mjs").status == 0
        (dalembert.directory / "ask.mjs").write_text(
            'import { System, SAMPLES } from "./p.mjs";\nconst s = new System(), z = s.observe(0, s.start());\n'
            "console.log(JSON.stringify(Object.fromEntries(SAMPLES.map((n, i) => [n, z[i]]))));\n")
        same(json.loads(subprocess.run([node, "ask.mjs"], cwd=dalembert.directory, capture_output=True).stdout))
    if importlib.util.find_spec("numpy"):
        assert dalembert("export", "pushed.toml", "--to", "python", "--out", "p.py").status == 0
        script = "import json, p\ns = p.System()\ny = s.start()\nprint(json.dumps(dict(zip(p.SAMPLES, s.observe(0, y)))))"
        done = subprocess.run([sys.executable, "-c", script], cwd=dalembert.directory, capture_output=True, text=True)
        same(json.loads(done.stdout))


def test_a_table_that_nobody_reads_is_no_hindrance(dalembert):
    dalembert.write("pushed.toml", TABLES)
    done = dalembert("export", "pushed.toml", "--to", "c", "--out", "c")
    assert done.status == 0, done.err
    _, rows = table(compiled(dalembert.directory / "c", "pushed").stdout)
    for t, x, _ in rows:
        assert x == pytest.approx(0.1 * math.cos(math.sqrt(50) * t), abs=1e-7)


@pytest.mark.parametrize("setting", ["system.u[CART_INPUT_u] = 0;", "system.p[CART_PARAMETER_u] = 0; cart_update(&system);"])
def test_an_input_is_set_between_steps(dalembert, setting):
    dalembert.write("cart.toml", CART)
    assert dalembert("export", "cart.toml", "--to", "c", "--out", "c").status == 0
    folder = dalembert.directory / "c"
    text = (folder / "main.c").read_text()
    # From the sixth row on, t > 2.5, nothing pushes.
    text = text.replace("    status = cart_integrate", f"    if (row == 6) {{ {setting} }}\n    status = cart_integrate")
    (folder / "main.c").write_text(text)
    _, rows = table(compiled(folder, "cart").stdout)
    assert len(rows) == 11
    # v' = u - v/5.
    for t, _, v in rows:
        pushed = 2.5 * (1 - math.exp(-0.2 * min(t, 2.5)))
        assert v == pytest.approx(pushed * math.exp(-0.2 * max(t - 2.5, 0)), abs=1e-10)


def test_what_follows_from_inputs_follows_at_once(dalembert):
    # Of u, which a let, the start and a parameter's neighbour use, and of w, which a parameter is stated in terms of.
    text = CART.replace("u = 0.5", "u = 0.5\nw = 2").replace("u - 0.2*x'", "sin(u)*g - half*x'") + '[let]\ng = "u^2 + w"\n'
    dalembert.write("cart.toml", text + '[parameters]\nhalf = "w/2"\n[initial]\nx = "3*u"\n"x\'" = 1\n')
    assert dalembert("export", "cart.toml", "--to", "c", "--out", "c").status == 0
    folder = dalembert.directory / "c"
    (folder / "main.c").write_text("""
#include <stdio.h>
#include "cart.h"
int main(void) {
  cart_system s;
  double y[2], f[2], B[2 * CART_INPUTS];
  cart_defaults(&s);
  s.u[CART_INPUT_u] = 0.25;
  s.p[CART_PARAMETER_w] = 4;
  cart_update(&s);
  if (CART_INPUTS != 1 || cart_start(&s, y) || cart_derivative(&s, 0, y, f) || cart_input_jacobian(&s, 0, y, B)) return 1;
  printf("%.17g,%.17g,%.17g\\n", y[0], f[1], B[1]);
  return 0;
}
""")
    x, a, slope = map(float, compiled(folder, "cart").stdout.split(","))
    assert x == 0.75
    assert a == pytest.approx(math.sin(0.25) * (0.0625 + 4) - 2, rel=1e-15)
    assert slope == pytest.approx(math.cos(0.25) * (0.0625 + 4) + 2 * 0.25 * math.sin(0.25), rel=1e-15)


def test_what_cannot_be_written_leaves_nothing_behind(dalembert):
    dalembert.write("taken", "a file")
    done = dalembert("export", "pendulum", "--to", "c", "--out", "taken/c")
    assert done.status == 2 and "taken" in done.err
    assert [path.name for path in dalembert.directory.iterdir()] == ["taken"]
