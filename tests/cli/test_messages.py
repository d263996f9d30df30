"""What the command says to those who expect something else of it, and that nothing a file says can do more than be read."""

import os
import re

import pytest

from conftest import MODELS

BASE = "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n"
EVERYWHERE = ["check", "run", "eval"]
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def test_a_command_that_there_is_not_is_named(dalembert):
    commands = "run, view, sweep, merge, eval, linearise, continue, derive, check, models, import, export"
    assert dalembert("optimise", "m").err == f"error: unknown command 'optimise'; there are {commands}\n"
    assert dalembert("chekc", "m").err == f"error: unknown command 'chekc'; did you mean 'check'? There are {commands}\n"
    assert dalembert().err == f"error: which command? There are {commands}; see dalembert --help\n"
    assert {dalembert(*args).status for args in [("optimise", "m"), ("",), ()]} == {2}


def test_a_coordinate_is_no_parameter(dalembert):
    for args in [("run",), ("eval",), ("check",), ("sweep", "--vary", "l=[1,2]")]:
        result = dalembert(args[0], "pendulum", "--set", "x=0.5", *args[1:])
        assert result.status == 2
        assert result.err.startswith("error: --set x=0.5: 'x' is a coordinate; --set gives values to parameters; say "
                                     "where a coordinate starts with --at \"x=0.5\", or in [initial]\n")


LETS = """
coordinates = ["x"]
[parameters]
g = 9.81
l = 2
[let]
w = "sqrt(g/l)"
v = "w*x'"
two = "1 + 1"
three = 3
[energy]
kinetic = "two*x'^2/2"
potential = "three*w*x^2"
[outputs]
v = "v"
"""


@pytest.mark.parametrize("name, sentence", [
    ("w", "'w' is a let, sqrt(g/l); --set gives values to parameters, of which it has g and l"),
    ("v", "'v' is a let, w*x'; --set gives values to parameters, of which it has g and l"),
    ("two", "'two' is a let, 1 + 1; --set gives values to parameters, and there is none in it"),
    ("three", "'three' is a let; --set gives values to parameters, and there is none in it"),
    ("gg", "unknown parameter 'gg'; did you mean 'g'?"),
])
def test_a_let_is_no_parameter(dalembert, name, sentence):
    dalembert.write("m.toml", LETS)
    result = dalembert("eval", "m.toml", "--set", f"{name}=2")
    assert (result.status, result.out) == (2, "")
    assert result.err == f"error: --set {name}=2: {sentence}\n"


@pytest.mark.parametrize("command", ["eval", "run", "view", "sweep"])
def test_a_parameter_is_no_coordinate(dalembert, command):
    more = ["--vary", "m=[1,2]"] if command == "sweep" else []
    result = dalembert(command, "pendulum", "--at", "l = 2*m", *more)
    assert (result.status, result.out) == (2, "")
    assert result.err == "error: --at: 'l' is a parameter; --set l=2*m gives it a value\n"


@pytest.mark.parametrize("args, sentence", [
    (("run", "pendulum", "--duratoin", "3"), "unknown option '--duratoin' of run; did you mean '--duration'?"),
    (("run", "--duratoin=3", "pendulum"), "unknown option '--duratoin' of run; did you mean '--duration'?"),
    (("derive", "pendulum", "--frmat", "text"), "unknown option '--frmat' of derive; did you mean '--format'?"),
    (("eval", "pendulum", "--duration", "3"), "unknown option '--duration' of eval; run, sweep have it"),
    (("check", "pendulum", "--port", "3"), "unknown option '--port' of check; view has it"),
    (("run", "--bogus"), "unknown option '--bogus' of run; see dalembert run --help"),
    (("--bogus",), "unknown option '--bogus'; see dalembert --help"),
])
def test_an_option_that_there_is_not_is_named(dalembert, args, sentence):
    result = dalembert(*args)
    assert (result.status, result.out, result.err) == (2, "", f"error: {sentence}\n")


@pytest.mark.parametrize("at, name", [("x=1,x=2", "x"), ("t=0, x'=1, x' = 1", "x'"), ("t=1,t=1", "t")])
def test_a_state_says_each_thing_once(dalembert, at, name):
    result = dalembert("eval", "pendulum", "--at", at)
    assert (result.status, result.out) == (2, "")
    assert result.err == f"error: --at '{at.split(',')[-1].strip()}': '{name}' is given twice\n"


def test_who_sticks_is_told_a_way_out(dalembert):
    dalembert.write("m.toml", "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\n[forces]\nx = \"-sign(x')\"\n"
                              "[initial]\n\"x'\" = 1\n[simulation]\nduration = 10\nmax_steps = 100000\n")
    result = dalembert("run", "m.toml")
    assert result.status == 3
    assert "attempted steps (rejected ones too)" in result.err
    assert "write tanh(v/eps) with a small speed eps for sign(v), or give a joint's friction a slip" in result.err
    assert "..." not in result.err


def test_a_start_that_breaks_a_constraint_is_told_of_hold(dalembert):
    dalembert.write("m.toml", BASE + "[[constraint]]\nname = \"rod\"\nequation = \"x^2 + y^2 = 1\"\n[initial]\nx = 2\n")
    result = dalembert("run", "m.toml")
    assert result.status == 2 and "adjust = \"nearest\" in [initial]" in result.err
    assert "to keep values as written, name them in hold = [...] beside it" in result.err


def test_the_work_of_what_moves_by_itself_is_printed(dalembert):
    dalembert.write("m.toml", "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\npotential = \"t*x\"\n"
                              "[initial]\nx = 1\n[simulation]\nduration = 1\n")
    result = dalembert("run", "m.toml", "--no-report")
    assert result.status == 0, result.err
    # dE/dt = dV/dt = x(t) = 1 - t^3/6 along the motion: 1 - 1/24 in all.
    assert "non-ideal 0, other 0.958\n" in result.out


@pytest.mark.parametrize("text, place, words", [
    ("name = \"a\"\n", "1:1", "no coordinates: "),
    ("coordinates = [\"x\"]\n", "1:1", "no kinetic energy: "),
    ("coordinates = [\"x\"]\n\n[energy]\n", "3:2", "no kinetic energy: "),
    ("coordinates = [\"x\", \"y\"]\nmass_matrix = [[1, 2], [2, 1]]\n", "2:17", "the mass matrix is indefinite: "),
    ("coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\npotential = \"sqrt(x)\"\n", "4:14",
     "a generalized force is not finite at "),
    ("coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\ndissipation = \"abs(x')^(3/2)/(x'*x')\"\n", "4:16", " is not finite at "),
    (BASE + "[[constraint]]\nname = \"c\"\nequation = \"sqrt(x) = y\"\n", "6:13", "the derivative of constraint 'c' is not finite at "),
])
def test_whatever_is_wrong_has_a_line(dalembert, text, place, words):
    dalembert.write("m.toml", text)
    for command in EVERYWHERE:
        result = dalembert(command, "m.toml")
        assert result.status == 2, (command, result.out, result.err)
        assert result.err.startswith(f"m.toml:{place}: error: ") and words in result.err, result.err


def test_what_a_formulation_objects_to_has_a_line(dalembert):
    dalembert.write("m.toml", BASE + "[quasi_velocities]\na = \"x'\"\nb = \"y'\"\n[[constraint]]\nequation = \"x' = 0\"\n")
    for command in ["run", "eval", "derive"]:
        result = dalembert(command, "m.toml", "--method", "boltzmann-hamel")
        assert result.status == 2
        assert result.err.startswith("m.toml:5:6: error: boltzmann-hamel: [quasi_velocities] has 2 forms"), result.err
    dalembert.write("m.toml", BASE + "[independent]\ncoordinates = [\"x\", \"y\"]\n[[constraint]]\nequation = \"x' = y'\"\n")
    for command in ["run", "eval", "derive"]:
        result = dalembert(command, "m.toml", "--method", "suslov")
        assert result.status == 2
        assert result.err.startswith("m.toml:4:1: error: suslov: [independent] names 2 coordinates"), result.err


HOSTILE = ["a\x1b[2Jb", "a\x9b31mb", "a\u202eb", "a\u2066b", "a\u200bb", "a\x7fb", "a\ufeffb"]


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_can_move_the_cursor_or_hide(dalembert, name):
    written = "".join(f"\\u{ord(c):04x}" if ord(c) > 0x7e or c < " " else c for c in name)
    for text in [BASE + f"[[constraint]]\nname = \"{written}\"\nequation = \"x = y\"\n", f"name = \"{written}\"\n" + BASE,
                 f"description = \"{written}\"\n" + BASE, BASE + f"\"{written}\" = 1\n",
                 BASE + f"[forces]\n\"{written}\" = 1\n", BASE + f"[view]\n[[view.point]]\nname = \"{written}\"\nat = [0,0,0]\n"]:
        dalembert.write("m.toml", text)
        for command in [*EVERYWHERE, "derive"]:
            result = dalembert(command, "m.toml")
            assert result.status == 2 and re.match(r"m\.toml:\d+:\d+: error: ", result.err), (command, text, result.out)
            assert not UNSEEN.search(result.out + result.err), ascii(result.err)


@pytest.mark.parametrize("name", HOSTILE)
def test_no_line_that_is_quoted_can_move_the_cursor_or_hide(dalembert, name):
    dalembert.write("m.toml", BASE + f"[forces]\nx = \"z\" # {name}\n")
    result = dalembert("check", "m.toml")
    assert result.status == 2 and not UNSEEN.search(result.err), ascii(result.err)


@pytest.mark.parametrize("name", ["a\x1b[2Jb", "a\u202eb", "a\x9bb"])
def test_no_path_can_move_the_cursor_or_hide(dalembert, name):
    dalembert.write(name + ".toml", (MODELS / "pendulum.toml").read_text("utf-8"))
    for args in [("run", name + ".toml", "--duration", "1"), ("check", name + ".toml"), ("run", "pendulum", "--out", name),
                 ("eval", "no/" + name), ("run", name), (name,), ("run", "pendulum", "--method", name),
                 ("run", "pendulum", "--set", name + "=1"), ("import", name + ".toml")]:
        result = dalembert(*args)
        assert not UNSEEN.search(result.out + result.err), (args, ascii(result.out + result.err))


def test_no_note_of_an_import_can_move_the_cursor_or_hide(dalembert):
    dalembert.write("r.urdf", '<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="1"/><inertia ixx="1" '
                    'iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="hinge" type="continuous"><parent '
                    'link="base"/><child link="arm"/></joint><gazebo reference="a\u202eb\x9b"/></robot>')
    result = dalembert("import", "r.urdf")
    assert result.status == 0, result.err
    assert "<U+202E>b<U+009B>" in result.err and "<U+202E>b<U+009B>" in result.out
    assert not UNSEEN.search(result.out + result.err)
