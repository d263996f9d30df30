"""Work that may take long is bounded, says what it does, and ends when asked to."""

import json
import signal
import time

import pytest
from test_terminal import Terminal, frames

ENDLESS = ["derive", "bicycle", "--method", "multipliers"]  # half a minute of algebra

# Ctrl-C is answered by a handler within milliseconds, 0.2 s at most. A machine that runs other tests too may let a
# process wait for its turn for some tenths of a second; an order of magnitude more work than that is left to do.
AT_ONCE = 1.0  # s


def model(coordinates, kinetic, rest=""):
    names = ", ".join(f'"{name}"' for name in coordinates)
    return f'coordinates = [{names}]\n[energy]\nkinetic = "{kinetic}"\n{rest}'


@pytest.mark.parametrize(
    ("args", "sign"),
    [(ENDLESS, "deriving multipliers (4 of 13)"), (["check", "bicycle", "--method", "maggi"], "comparing maggi")],
)
def test_long_algebra_says_what_it_does_and_ends_at_once(dalembert, args, sign):
    terminal = Terminal(dalembert, args)
    terminal.read_until(sign)
    asked = time.monotonic()
    terminal.process.send_signal(signal.SIGINT)
    terminal.process.wait(timeout=20)
    assert time.monotonic() - asked < AT_ONCE
    assert terminal.finish() == ""
    assert terminal.process.returncode == -signal.SIGINT  # 130, as a shell calls it
    assert frames(terminal.shown)[-1].strip() == "interrupted"


def test_ending_by_other_signals_is_what_their_sender_expects(dalembert):
    terminal = Terminal(dalembert, ENDLESS)
    terminal.read_until("deriving")
    terminal.process.send_signal(signal.SIGTERM)
    terminal.finish()
    assert terminal.process.returncode == -signal.SIGTERM


def test_many_free_coordinates_are_reported_without_full_matrices(dalembert):
    names = [f"x{i}" for i in range(3000)]
    text = model(names, " + ".join(f"{name}'^2/2" for name in names), "[simulation]\nduration = 1\nsamples = 2\n")
    dalembert.write("free.toml", text)
    outcome = dalembert("run", "free.toml", "--out", "o")
    assert outcome.status == 0, outcome.err
    page = (dalembert.directory / "o" / "report.html").read_text("utf-8")
    assert "The equations of motion are too many to print here" in page


def test_a_coordinate_may_have_any_number_of_constraints(dalembert):
    rows = "".join(f'[[constraint]]\nname = "c{i}"\nequation = "x = 0"\n' for i in range(60000))
    dalembert.write("many.toml", model(["x"], "x'^2/2", rows))
    for command in ("check", "derive"):
        outcome = dalembert(command, "many.toml")
        assert outcome.status == 2
        assert outcome.err.endswith(
            f"error: `{command}` works on full matrices, for up to 2000 coordinates and constraints together, and this "
            "model has 60001; `run` has no such limit\n"
        )
    outcome = dalembert("eval", "many.toml", "--quiet")
    assert outcome.status == 0, outcome.err


def test_the_least_of_many(dalembert):
    arguments = ", ".join(f"x + {i}" for i in range(1100))
    dalembert.write("min.toml", model(["x"], "x'^2/2", f'potential = "min({arguments})"\n'))
    outcome = dalembert("eval", "min.toml", "--json")
    assert outcome.status == 0, outcome.err
    assert json.loads(outcome.out)["acceleration"] == {"x": -1}


@pytest.mark.parametrize("command", ["check", "eval", "run"])
def test_high_powers_in_a_constraint(dalembert, command):
    rest = "[[constraint]]\nequation = \"x^40000*sin(x)*x' + y' = 0\"\n[simulation]\nduration = 0.1\n"
    dalembert.write("power.toml", model(["x", "y"], "(x'^2 + y'^2)/2", rest))
    outcome = dalembert(command, "power.toml")
    assert outcome.status == 0, outcome.err
