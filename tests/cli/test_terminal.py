"""What a person at a terminal sees beside the results: progress, colour, and neither where it is not wanted."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios

import pytest
from conftest import PROGRAM

LONG = ["run", "double_pendulum", "--duration", "1e7", "--samples", "1000", "--out", "o"]
SLOW = ["derive", "slider_crank"]  # some seconds of algebra


class Terminal:
    """A command whose standard error is a terminal."""

    def __init__(self, dalembert, args, columns=100, **environment):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.process = subprocess.Popen(
            [PROGRAM, *args], cwd=dalembert.directory, stdout=subprocess.PIPE, stderr=slave,
            env={**os.environ, **environment},
        )  # fmt: skip
        os.close(slave)
        self.shown = ""

    def read(self, seconds):
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            self.shown += os.read(self.master, 100000).decode("utf-8", "replace")
        except OSError:  # the other end is closed
            return False
        return True

    def read_until(self, words):
        while words not in self.shown:
            assert self.read(20), f"no {words!r} in {self.shown!r}"

    def finish(self):
        out, _ = self.process.communicate(timeout=60)
        while self.read(0.1):
            pass
        os.close(self.master)
        return out.decode("utf-8")


def frames(shown):
    """The lines that were drawn one over the other."""
    return [frame for frame in shown.split("\r\x1b[K") if frame]


def test_a_long_run_shows_time_rate_and_what_is_left(dalembert):
    terminal = Terminal(dalembert, LONG)
    terminal.read_until(" left")
    terminal.process.send_signal(signal.SIGINT)
    terminal.finish()
    assert re.fullmatch(
        r"[█░]{10,30}   0 %  t = \S+ of 1e\+07 s  \S+ s/s  (\d+ (s|min|h) ?)+left", frames(terminal.shown)[0]
    ), terminal.shown
    assert "left\r\x1b[K" in terminal.shown  # it is wiped out


@pytest.mark.parametrize("columns", [20, 40, 60, 80])
def test_progress_fits_on_a_line(dalembert, columns):
    terminal = Terminal(dalembert, LONG, columns)
    terminal.read_until(" %  t = ")
    while len(frames(terminal.shown)) < 2:
        assert terminal.read(20)
    terminal.process.send_signal(signal.SIGINT)
    terminal.finish()
    assert 0 < len(frames(terminal.shown)[0]) < columns


@pytest.mark.parametrize("option", ["--quiet", "--json"])
def test_nothing_is_shown_beside_quiet_and_json(dalembert, option):
    terminal = Terminal(dalembert, [*LONG, option])
    assert not terminal.read(2)
    terminal.process.send_signal(signal.SIGINT)
    terminal.finish()
    assert terminal.shown.count("\n") == 1 and "interrupted at t = " in terminal.shown
    assert "left" not in terminal.shown


def test_work_without_a_measure_says_what_it_is(dalembert):
    terminal = Terminal(dalembert, SLOW)
    out = terminal.finish()
    said = [re.fullmatch(r". deriving [a-z-]+ \(\d+ of 13\)  \d+ s", frame) for frame in frames(terminal.shown)]
    assert any(said), terminal.shown
    assert terminal.shown.endswith("\r\x1b[K")
    assert out == dalembert(*SLOW).out


@pytest.mark.parametrize("option", ["--quiet", "--json"])
def test_nothing_is_said_of_such_work_beside_quiet_and_json(dalembert, option):
    terminal = Terminal(dalembert, [*SLOW, option])
    terminal.finish()
    assert terminal.shown == ""


def test_quick_work_shows_nothing(dalembert):
    terminal = Terminal(dalembert, ["run", "rolling_disk"])
    assert "wrote out/rolling_disk/" in terminal.finish()
    assert terminal.shown == ""


def test_errors_are_coloured_on_a_terminal_only(dalembert):
    args = ["run", "no_such_model"]
    coloured = Terminal(dalembert, args, NO_COLOR="")
    coloured.finish()
    assert coloured.shown.startswith("\x1b[1;31merror:\x1b[0m no model 'no_such_model'")
    plain = Terminal(dalembert, args, NO_COLOR="1")
    plain.finish()
    assert plain.shown.startswith("error: no model 'no_such_model'")
    assert dalembert(*args).err.startswith("error: no model 'no_such_model'")


def test_results_have_no_colour_on_a_terminal(dalembert):
    master, slave = pty.openpty()
    subprocess.run([PROGRAM, "run", "pendulum"], cwd=dalembert.directory, stdout=slave, check=True, timeout=60)
    shown = os.read(master, 100000).decode("utf-8")
    os.close(slave)
    os.close(master)
    assert "wrote out/pendulum/" in shown and "\x1b" not in shown
    assert len(shown.splitlines()) <= 24
