"""Every example that is printed is run.

README.md and docs/*.md are read for fenced blocks:

* ```console   Lines that begin with `$ ` are commands; what follows each is the output it must give, standard output and
               standard error together. `dalembert` is the built program, named by the environment variable DALEMBERT.
               Blocks of one document are run in its order and in one folder, which is empty at first.
* ```toml      If the line before the block ends in "File `NAME`:", the block is written to that file. Others are parts of
               models and are not run. ```csv files of numbers likewise.
* ```cpp       With a main function: compiled against the library beside the program, run in the same folder, and its
               output compared with the ```output block that follows, if there is one.

Commands that change the machine (./run without a build, ./test, cmake, apt) stand in ```sh blocks and are not run.

How outputs are compared: word by word, white space aside.

* Seconds of computing, rates and numbers of steps ("in 0.02 s, 178 steps", "in 0.3 s, 990 runs/s") may be anything.
* A number below 1e-6 in magnitude, such as a rounding error, must again be below 1e-6.
* Other numbers must agree to 4 digits.
* A column of a bar chart may be off by one level, for it may lie between two.
* Everything else must be the same.
"""

import math
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PROGRAM = pathlib.Path(os.environ.get("DALEMBERT", ROOT / "build/release/src/dalembert/dalembert")).resolve()

TINY = 1e-6
DIGITS = 4
BARS = "▁▂▃▄▅▆▇█"
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.]*\w)")
COSTS = re.compile(r"in \S+ s, (?:\d+ steps?|\S+ runs/s)|\d+ steps? in all")


class Block:
    def __init__(self, kind, before, lines, line):
        self.kind, self.before, self.text, self.line = kind, before, "".join(x + "\n" for x in lines), line


def blocks_of(path):
    found, inside, before = [], None, ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if inside is None and line.startswith("```"):
            inside, kind, start = [], line[3:].strip(), number
        elif inside is not None and line.startswith("```"):
            found.append(Block(kind, before, inside, start))
            inside, before = None, ""
        elif inside is not None:
            inside.append(line)
        elif line.strip():
            before = (before + " " + line).strip() if before else line
        else:
            before = before if before.endswith(":") else ""
    assert inside is None, f"{path.name}: a block is never closed"
    return found


def commands_of(block):
    """The commands of a console block, each with its expected output."""
    commands = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], []))
        else:
            assert commands, f"line {block.line}: a console block begins with a command"
            commands[-1][1].append(line)
    return [(command, "\n".join(lines)) for command, lines in commands]


def words(text):
    """The text in pieces: numbers, and what stands between them."""
    text = COSTS.sub("at SOME cost", text)
    pieces = []
    for line in text.splitlines():
        end = 0
        for match in NUMBER.finditer(line):
            pieces += line[end : match.start()].split() + [float(match.group())]
            end = match.end()
        pieces += line[end:].split()
    return pieces


def agree(shown, real):
    if isinstance(shown, float) and isinstance(real, float):
        if abs(shown) < TINY:
            return abs(real) < TINY
        return math.isclose(shown, real, rel_tol=0.5 * 10 ** (1 - DIGITS))
    if isinstance(shown, float) or isinstance(real, float):
        return False
    if set(shown) <= set(BARS) and set(real) <= set(BARS) and len(shown) == len(real):
        return all(abs(BARS.index(a) - BARS.index(b)) <= 1 for a, b in zip(shown, real))
    return shown == real


def assert_same_output(shown, real, where):
    a, b = words(shown), words(real)
    for x, y in zip(a, b):
        assert agree(x, y), f"{where}: shows {x!r}, but it is {y!r} in\n{real}"
    assert len(a) == len(b), f"{where}: shows\n{shown}\nbut it is\n{real}"


def run_command(command, folder):
    assert "./run" not in command, f"{command!r}: readers with a wheel have the command, not the script"
    dalembert = f'dalembert() {{ {shlex.quote(str(PROGRAM))} "$@"; }}\n'
    done = subprocess.run(
        ["bash", "-c", dalembert + command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300
    )
    assert done.returncode in (0, 1, 2, 3), f"{command!r} ended with {done.returncode}"
    return done.stdout.decode("utf-8")


def cmake_cache():
    for folder in PROGRAM.parents:
        if (folder / "CMakeCache.txt").exists():
            text = (folder / "CMakeCache.txt").read_text(encoding="utf-8")
            return dict(re.findall(r"^([\w-]+):\w+=(.*)$", text, re.MULTILINE))
    return None


def compile_program(source, folder):
    cache = cmake_cache()
    if cache is None:
        pytest.skip("the program does not stand in a build folder, so its library is not at hand")
    path, program = folder / "example.cpp", folder / "example"
    path.write_text(source, encoding="utf-8")
    rooms = ["report", "study", "motion", "flow", "solve", "codegen", "mechanics", "model", "expr"]
    flags = ["-fsanitize=address,undefined"] if cache.get("DALEMBERT_SANITIZE") == "ON" else []
    includes = [f"-I{ROOT / 'src'}", "-isystem", "/usr/include/eigen3"]
    libraries = [str(PROGRAM.parent / f"libdalembert_{room}.a") for room in rooms]
    command = [cache["CMAKE_CXX_COMPILER"], "-std=c++20", "-Wall", "-Wextra", "-Werror", *flags, *includes, str(path)]
    packages = (
        "fmt hdf5_serial sleef sundials_cvode sundials_nvecserial gmpxx flint-arb flint mpfr gmp dl"
    ).split()
    built = subprocess.run(
        [*command, "-o", str(program), *libraries, *(f"-l{name}" for name in packages)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=240,
    )
    assert built.returncode == 0, built.stdout.decode("utf-8")
    return program


def named_file(block):
    match = re.search(r"[Ff]ile `([\w.-]+)`:$", block.before)
    return match.group(1) if match else None


def write_model(block, folder):
    if block.kind in ("toml", "csv") and named_file(block):
        (folder / named_file(block)).write_text(block.text, encoding="utf-8")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.name)
def test_commands_give_the_output_shown(path, tmp_path):
    for block in blocks_of(path):
        write_model(block, tmp_path)
        if block.kind != "console":
            continue
        for command, shown in commands_of(block):
            where = f"{path.name}:{block.line}: {command}"
            assert_same_output(shown, run_command(command, tmp_path), where)


def programs():
    for path in DOCUMENTS:
        blocks = blocks_of(path)
        for i, block in enumerate(blocks):
            if block.kind == "cpp":
                output = blocks[i + 1].text if i + 1 < len(blocks) and blocks[i + 1].kind == "output" else None
                yield pytest.param(block, output, id=f"{path.name}:{block.line}")


@pytest.mark.parametrize("block, shown", programs())
def test_programs_compile_and_give_the_output_shown(block, shown, tmp_path):
    assert "int main()" in block.text, "a program that is shown is complete"
    for path in DOCUMENTS:
        for other in blocks_of(path):
            write_model(other, tmp_path)
    program = compile_program(block.text, tmp_path)
    done = subprocess.run([str(program)], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    assert done.returncode == 0, done.stdout.decode("utf-8")
    if shown is not None:
        assert_same_output(shown, done.stdout.decode("utf-8"), f"line {block.line}")


def test_the_program_of_the_readme_is_the_one_that_is_tested_when_installed():
    shown = [block.text for block in blocks_of(ROOT / "README.md") if block.kind == "cpp"]
    assert shown == [(ROOT / "tests/install/main.cpp").read_text(encoding="utf-8")]


def anchors_of(path):
    """GitHub's anchors: lower case, punctuation dropped, spaces to hyphens."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", [*DOCUMENTS, *sorted((ROOT / "docs/decisions").glob("*.md"))], ids=lambda p: p.name)
def test_links_lead_somewhere(path):
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"\w+://", target):
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        assert file.exists(), f"{path.name} links to {target}"
        assert not anchor or anchor in anchors_of(file), f"{path.name} links to {target}"


def test_every_picture_is_one_that_the_script_takes():
    """Of pages that are there no longer nobody could take a new one."""
    listed = subprocess.run([ROOT / "scripts/screenshots", "--list"], capture_output=True, text=True, check=True, timeout=60)
    pictures = {path.name for path in (ROOT / "docs/pictures").iterdir()}
    assert pictures == set(listed.stdout.split())
    texts = "".join(path.read_text(encoding="utf-8") for path in DOCUMENTS)
    for name in pictures:
        assert f"pictures/{name}" in texts, f"{name} is shown nowhere"


def test_the_figure_of_joints_is_what_its_script_draws():
    subprocess.run([sys.executable, ROOT / "docs/site/joint_figures.py", "--check"], check=True, timeout=60)


@pytest.mark.parametrize(
    "shown, real, same",
    [
        ("balance error 3e-15", "balance  error 7.1e-12", True),
        ("balance error 3e-15", "balance error 2e-3", False),
        ("work: ideal 0, non-ideal -0.0441", "work: ideal 2e-17, non-ideal -0.04410001", True),
        ("work: ideal 0.266", "work: ideal 0.267", False),
        ("10 s of motion in 0.01 s, 1 step", "10 s of motion in 3.2 s, 178 steps", True),
        ("3 runs of 1 s, 17 steps in all", "3 runs of 1 s, 19 steps in all", True),
        ("3 complete · in 0.01 s, 1e3 runs/s", "3 complete · in 3.2 s, 17 runs/s", True),
        ("3 complete · in 0.01 s, 1e3 runs/s", "4 complete · in 3.2 s, 17 runs/s", False),
        ("x 0 ▁▂█ 1.5", "x 0 ▁▃█ 1.5", True),
        ("x 0 ▁▂█ 1.5", "x 0 ▁▄█ 1.5", False),
        ("rank 2 of 3", "rank 3 of 3", False),
        ("one line", "one line more", False),
        ("rk8, order 8", "rk8, order 8", True),
    ],
)
def test_comparison_of_outputs(shown, real, same):
    if same:
        assert_same_output(shown, real, "here")
    else:
        with pytest.raises(AssertionError):
            assert_same_output(shown, real, "here")
