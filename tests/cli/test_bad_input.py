"""Whatever is wrong with a model: a located sentence, exit status 2, and nothing written."""

import os
import resource
import signal
import subprocess

import pytest
from conftest import PROGRAM

GOOD = """name = "Dumbbell"
coordinates = ["x", "y", "phi"]
[parameters]
m = 1.0
l = 0.5
[let]
v = "x'*cos(phi) + y'*sin(phi)"
[energy]
kinetic = "m*(x'^2 + y'^2) + m*l^2*phi'^2/2 + m*l*phi'*(y'*cos(phi) - x'*sin(phi))"
[[constraint]]
name = "knife edge"
equation = "x'*sin(phi) = y'*cos(phi)"
[initial]
phi = 0.3
"x'" = "cos(0.3)"
"y'" = "sin(0.3)"
"phi'" = 2
[outputs]
speed = "v"
"""


def refused(dalembert, text, name="model.toml"):
    dalembert.write(name, text)
    result = dalembert("run", name)
    assert result.status == 2, (result.status, result.out, result.err)
    assert result.out == ""
    assert [p.name for p in dalembert.directory.iterdir()] == [name], "something was written"
    return result.err


def test_the_good_model_is_good(dalembert):
    dalembert.write("model.toml", GOOD)
    assert dalembert("run", "model.toml").status == 0


# What is replaced in the good model, by what, and how the answer begins.
MISTAKES = {
    "unknown name": ("m*l^2*phi'^2/2", "m*l^2*phy'^2/2", "model.toml:9:36: error: unknown name 'phy'; did you mean 'phi'?"),
    "unknown key": ("[energy]\nkinetic", "[energy]\nkinetik", "model.toml:9:1: error: unknown key 'kinetik'"),
    "unknown section": ("[outputs]", "[output]", "model.toml:18:2: error: unknown key 'output'; did you mean 'outputs'?"),
    "unknown coordinate": ("phi = 0.3", "phj = 0.3", "model.toml:14:1: error: "),
    "unknown function": ("x'*cos(phi) + y'", "x'*cso(phi) + y'", "model.toml:7:9: error: unknown function 'cso'; did you mean 'cos'?"),
    "declared twice": ("m = 1.0", "phi = 1.0", "model.toml:4:1: error: "),
    "reserved": ("m = 1.0", "sin = 1.0", "model.toml:4:1: error: "),
    "wrong type": ('kinetic = "m*(', 'potential = true\nkinetic = "m*(', "model.toml:9:13: error: "),
    "number for a table": ('[let]\nv = "x\'*cos(phi) + y\'*sin(phi)"', "", "model.toml:"),
    "unbalanced": ("cos(phi) - x'*sin(phi))", "cos(phi) - x'*sin(phi)", "model.toml:9:56: error: '(' is never closed"),
    "two equal signs": ("= y'*cos(phi)\"", "= y'*cos(phi) = 0\"", "model.toml:12:39: error: a second '='; an equation has one"),
    "let cycle": ("[energy]", 'a = "2*b"\nb = "a + x"\n[energy]', "model.toml:8:"),
    "nan": ("m = 1.0", "m = nan", "model.toml:4:5: error: "),
    "infinity": ("m = 1.0", "m = inf", "model.toml:4:5: error: "),
    "division by zero in text": ("l^2*phi'^2/2", "l^2*phi'^2/0", "model.toml:9:43: error: division by zero"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_located(dalembert, mistake):
    old, new, begins = MISTAKES[mistake]
    assert GOOD.count(old) == 1, old
    text = GOOD.replace(old, new)
    if mistake == "number for a table":
        text = text.replace("coordinates =", "let = 3\ncoordinates =")
        begins = "model.toml:2:7: error: "
    message = refused(dalembert, text)
    assert message.startswith(begins), message


def test_the_culprit_is_underlined(dalembert):
    message = refused(dalembert, GOOD.replace("m*l^2*phi'^2/2", "m*l^2*phy'^2/2"))
    lines = message.splitlines()
    assert lines[1].startswith("    9 | kinetic = ")
    assert lines[2].endswith("^^^")
    assert lines[1].index("phy") == lines[2].index("^")


def test_several_mistakes_come_together(dalembert):
    text = GOOD.replace("m*l^2*phi'^2/2", "m*l^2*phy'^2/2").replace("y'*cos(phi)\"", "y'*cosine(phi)\"").replace('speed = "v"', 'speed = "w"')
    message = refused(dalembert, text)
    assert message.count("error:") == 3


def test_no_such_file(dalembert):
    result = dalembert("run", "nowhere.toml")
    assert result.status == 2 and result.err.startswith("nowhere.toml: error: no such file")
    result = dalembert("run", "rolling_dsk")
    assert result.status == 2 and "did you mean 'rolling_disk'?" in result.err


def test_not_toml(dalembert):
    assert refused(dalembert, "this is not TOML\n").startswith("model.toml:1:")


def test_not_utf8(dalembert):
    assert refused(dalembert, b'name = "ok"\nx = "\xff\xfe"\n').startswith("model.toml:2:6: error: ")


def test_empty(dalembert):
    assert "error: the model is empty" in refused(dalembert, "")
    assert "error: " in refused(dalembert, "# nothing here\n")


def test_hundred_thousand_parentheses(dalembert):
    message = refused(dalembert, GOOD.replace('speed = "v"', 'speed = "' + "(" * 100000 + "v" + ")" * 100000 + '"'))
    assert message.startswith("model.toml:19:") and "nested more than 500 levels deep" in message
    assert len(message) < 1000


def test_ten_megabytes(dalembert):
    message = refused(dalembert, GOOD + "#" + "x" * 10_000_000 + "\n")
    assert message.startswith("model.toml: error: ")


def test_indefinite_kinetic_energy(dalembert):
    message = refused(dalembert, GOOD.replace("m*(x'^2 + y'^2)", "m*(x'^2 - y'^2)"))
    assert message.startswith("model.toml:9:") and "indefinite" in message


def test_contradictory_constraints(dalembert):
    message = refused(dalembert, GOOD + '[[constraint]]\nname = "a"\nequation = "x = 0"\n[[constraint]]\nname = "b"\nequation = "x = 1"\n')
    assert "constraints 'a' and 'b' contradict each other" in message
    assert message.startswith("model.toml:25:")


def test_initial_state_off_a_constraint(dalembert):
    message = refused(dalembert, GOOD.replace('"y\'" = "sin(0.3)"', '"y\'" = 1'))
    assert message.startswith("model.toml:12:")
    assert "the initial velocities break constraint 'knife edge'" in message
    assert "the nearest consistent state (in the kinetic-energy metric) is" in message
    # The values printed are consistent: written into the model they are accepted.
    printed = [line.strip() for line in message.splitlines() if line.startswith("    ") and " = " in line and "|" not in line]
    assert len(printed) == 6
    initial = GOOD.index("[initial]")
    mended = GOOD[:initial] + "[initial]\n" + "\n".join(printed) + "\n[outputs]\nspeed = \"v\"\n"
    dalembert.write("model.toml", mended)
    assert dalembert("run", "model.toml").status == 0


def test_nearest_state_with_unequal_masses(dalembert):
    # min 0.13 (x + 12)^2 + 66 (y + 11)^2 on the unit circle, by Lagrange's condition at the printed point.
    message = refused(
        dalembert,
        """coordinates = ["x", "y"]
[energy]
kinetic = "0.13*x'^2/2 + 66*y'^2/2"
[[constraint]]
name = "circle"
equation = "x^2 + y^2 = 1"
[initial]
x = -12
y = -11
""",
    )
    printed = dict(line.strip().split(" = ") for line in message.splitlines() if line.startswith("    ") and " = " in line and "|" not in line)
    x, y = float(printed["x"]), float(printed["y"])
    assert x * x + y * y == pytest.approx(1, abs=1e-12)
    assert 0.13 * (x + 12) * y == pytest.approx(66 * (y + 11) * x, rel=1e-6)


def test_a_prime_without_quotes_says_how(dalembert):
    message = refused(dalembert, GOOD.replace('"phi\'" = 2', "phi' = 2"))
    assert message.startswith("model.toml:17:") and "a key with a prime must stand in quotes" in message


def test_start_where_a_constraint_gives_no_direction(dalembert):
    message = refused(dalembert, GOOD + '[[constraint]]\nname = "round"\nequation = "x^2 + y^2 = 1"\n')
    assert "all derivatives of constraint 'round' vanish where the search ended" in message


def test_division_by_zero_at_the_initial_state(dalembert):
    message = refused(dalembert, GOOD.replace("[[constraint]]", 'potential = "1/x"\n[[constraint]]'))
    assert message.startswith("model.toml:10:")
    assert "the potential energy is not finite at the initial state: 1/x divides by zero (x = 0)" in message


def test_output_directory_that_cannot_be_written(dalembert):
    dalembert.write("model.toml", GOOD)
    dalembert.write("file", "in the way")
    result = dalembert("run", "model.toml", "--out", "file/inside")
    assert result.status == 2
    assert result.err.startswith("error: cannot create the directory 'file/inside': ")
    assert (dalembert.directory / "file").read_text() == "in the way"


def test_disk_full_while_writing(dalembert):
    dalembert.write("model.toml", GOOD)

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))

    result = dalembert("run", "model.toml", "--out", "o", preexec_fn=small_files)
    assert result.status == 2
    assert "error: cannot write 'o/trajectory.csv': " in result.err
    assert list((dalembert.directory / "o").iterdir()) == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_full_standard_output_does_not_hang(dalembert):
    with open("/dev/full", "wb") as full:
        completed = subprocess.run([PROGRAM, "models"], stdout=full, stderr=subprocess.PIPE, timeout=20)
    assert completed.returncode == 2
    assert b"cannot write to standard output" in completed.stderr


@pytest.mark.parametrize(
    "args, message",
    [
        (["--duration", "-1"], "error: --duration -1: must be positive"),
        (["--duration", "soon"], "error: --duration 'soon': unknown name 'soon'"),
        (["--samples", "1"], "error: --samples 1: must be a whole number from 2 to 1000000000"),
        (["--samples", "2.5"], "error: --samples 2.5: must be a whole number from 2 to 1000000000"),
        (["--rtol", "0"], "error: --rtol 0: must be between 0 and 1"),
        (["--atol", "-1e-9"], "error: --atol -1e-9: must be positive"),
        (["--method", "suslow"], "error: no method 'suslow'; did you mean 'suslov'?"),
        (["--method", "magic"], "error: no method 'magic'; there are m-inverse, "),
    ],
)
def test_bad_options(dalembert, args, message):
    dalembert.write("model.toml", GOOD)
    result = dalembert("run", "model.toml", *args)
    assert result.status == 2 and result.out == ""
    assert message in result.err
    assert not (dalembert.directory / "out").exists()
