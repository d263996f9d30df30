"""`dalembert view`: what a page is told, and that it is what `run` computes."""

import csv
import json
import os
import re
import signal
import socket
import stat
import subprocess
import time

import pytest

from conftest import MODELS
from viewing import PROGRAM, View

DISK = (MODELS / "rolling_disk.toml").read_text("utf-8")

# As long as anybody cares to wait, in small steps.
LONG = """
name = "Oscillator"
coordinates = ["x"]
[parameters]
k = 1
[energy]
kinetic = "x'^2/2"
potential = "k*x^2/2"
[initial]
x = 1
[simulation]
duration = 1e7
samples = 101
"""


def trajectory(dalembert, *args):
    assert dalembert("run", *args, "--quiet", "--out", "out").status == 0
    with open(dalembert.directory / "out" / "trajectory.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [float(row[name]) for row in rows] for name in rows[0]}


def assert_same(motion, table):
    names = [column["name"] for column in motion.document["table"]["columns"]]
    assert "t" in names and len(names) > 5
    for name in names:
        if name in table:
            assert motion.column(name) == table[name], name
    assert set(table) <= set(names)


@pytest.mark.parametrize("model", ["rolling_disk", "double_pendulum", "slider_crank"])
def test_a_page_gets_the_numbers_of_run(dalembert, model):
    with View(dalembert.directory, model) as view:
        motion = view.motion(text=(MODELS / f"{model}.toml").read_text("utf-8"))
    assert_same(motion, trajectory(dalembert, model))


def test_parameters_are_those_of_set(dalembert):
    table = trajectory(dalembert, "rolling_disk", "--set", "r=0.7", "--set", "m=3", "--duration", "2", "--samples", "21")
    with View(dalembert.directory, "rolling_disk", "--set", "m=3") as view:
        view.motion(text=DISK)
        motion = view.motion(text=DISK, parameters={"r": 0.7}, duration=2, samples=21)
        assert motion.parameters() == {"m": 3, "r": 0.7, "g": 9.8125}
        assert_same(motion, table)
        assert view.motion(text=DISK, parameters={"m": 2}).parameters()["m"] == 2


def test_a_parameter_that_has_been_edited_counts_more_than_its_setting(dalembert):
    with View(dalembert.directory, "rolling_disk", "--set", "m=3") as view:
        assert view.motion(text=DISK).parameters()["m"] == 3
        edited = re.sub(r"^m = .*$", "m = 5", DISK, flags=re.MULTILINE)
        assert edited != DISK
        assert view.motion(text=edited).parameters()["m"] == 5
        assert view.motion(text=DISK).parameters()["m"] == 3


def test_what_cannot_be_drawn_is_refused_however_the_request_comes(dalembert):
    with View(dalembert.directory, "rolling_disk") as view:
        first = view.error(text=DISK, parameters={"r": -0.5})
        view.motion(text=DISK)
        assert view.error(text=DISK, parameters={"r": -0.5})["text"] == first["text"]
        assert "must be positive" in first["text"]


def test_a_position_that_is_moved_is_held_as_in_a_file(dalembert):
    pendulum = (MODELS / "pendulum.toml").read_text("utf-8")
    text = re.sub(r"(?m)^x = .*$", "x = 0.5", pendulum)
    assert text != pendulum
    text = text.replace("[initial]\n", '[initial]\nadjust = "nearest"\nhold = ["x"]\n')
    text = re.sub(r'(?m)^adjust = "(?!nearest).*\n', "", text)
    dalembert.write("held.toml", text)
    table = trajectory(dalembert, "held.toml")
    with View(dalembert.directory, "pendulum") as view:
        assert_same(view.motion(text=pendulum, initial={"x": 0.5}), table)


def test_it_is_served_also_where_nobody_reads_the_notes(dalembert):
    command = f"exec {PROGRAM} view pendulum --no-browser --port 0 2>&-"
    with subprocess.Popen(["bash", "-c", command], cwd=dalembert.directory, stdout=subprocess.PIPE, text=True) as process:
        address = process.stdout.readline()
        assert address.startswith("http://127.0.0.1:")
        time.sleep(0.3)
        assert process.poll() is None
        process.terminate()
        assert process.wait(20) == 0


def test_a_setting_whose_parameter_has_gone_is_passed_over(dalembert):
    with View(dalembert.directory, "rolling_disk", "--set", "m=3") as view:
        assert view.motion(text=LONG, duration=1).parameters() == {"k": 1}


def test_initial_values_are_those_of_the_file(dalembert):
    text = DISK.replace("theta = 1.125", "theta = 1.25").replace("\"psi'\" = -5", "\"psi'\" = -4")
    dalembert.write("other.toml", text)
    table = trajectory(dalembert, "other.toml")
    with View(dalembert.directory, "rolling_disk") as view:
        motion = view.motion(text=DISK, initial={"theta": 1.25, "psi'": -4})
        assert motion.initial()["x'"] == 2  # written as an expression of psi'
        assert_same(motion, table)
        assert view.motion(text=DISK).initial()["psi'"] == -5


def test_the_command_says_where_a_motion_starts(dalembert):
    table = trajectory(dalembert, "rolling_disk", "--at", "theta=1.25, psi'=-8*r")
    with View(dalembert.directory, "rolling_disk", "--at", "theta=1.25", "--at", "psi'=-8*r") as view:
        assert_same(view.motion(text=DISK), table)
        # What the page moves, or what is edited, counts more; what the text does not have is passed over.
        moved = view.motion(text=DISK, initial={"theta": 1}).initial()
        assert (moved["theta"], moved["psi'"]) == pytest.approx((1, -4), rel=1e-14)
        edited = view.motion(text=DISK.replace("theta = 1.125", "theta = 1.5")).initial()
        assert (edited["theta"], edited["psi'"]) == pytest.approx((1.5, -4), rel=1e-14)
        assert view.motion(text=LONG, duration=1).initial() == {"x": 1, "x'": 0}


def test_initial_values_that_break_a_constraint_move_the_others(dalembert):
    with View(dalembert.directory, "rolling_disk") as view:
        initial = view.motion(text=DISK, initial={"x'": 1}).initial()
        assert initial["x'"] == pytest.approx(1, abs=1e-12)
        assert initial["psi'"] == pytest.approx(-2, abs=1e-9)
        error = view.error(text=DISK, initial={"x'": 1, "psi'": -5})
        assert error["diagnostics"]


def test_the_method_is_that_of_the_request_the_command_or_the_model(dalembert):
    with View(dalembert.directory, "rolling_disk", "--method", "suslov") as view:
        method = lambda **more: view.motion(text=DISK, **more).document["simulation"]["method"]
        assert method() == "suslov"
        assert method(method="maggi") == "maggi"
        assert method() == "suslov"
        assert "did you mean 'maggi'?" in view.error(text=DISK, method="magi")["text"]


def test_integrator_and_tolerances_are_those_of_the_request_or_the_model(dalembert):
    with View(dalembert.directory, "pendulum") as view:
        text = (MODELS / "pendulum.toml").read_text("utf-8")
        ask = lambda **more: view.motion(text=text, integrator="bdf", **more).document
        coarse = ask(rtol=1e-5, atol=1e-7)
        assert [coarse["simulation"][key] for key in ("integrator", "rtol", "atol")] == ["bdf", 1e-5, 1e-7]
        assert ask(rtol=1e-9)["summary"]["steps"] > coarse["summary"]["steps"]


def test_equations_come_when_they_are_asked_for(dalembert):
    with View(dalembert.directory, "pendulum") as view:
        text = (MODELS / "pendulum.toml").read_text("utf-8")
        assert view.motion(text=text).document["equations"]["html"] == ""
        lines = view.lines(text=text)
        assert [line["partial"] for line in lines if "document" in line] == [True, False]
        assert "math" in lines[-1]["document"]["equations"]["html"]


def test_errors_have_their_place(dalembert):
    with View(dalembert.directory, "rolling_disk") as view:
        error = view.error(text=DISK.replace('zc = "r*sin', 'zc = "rr*sin'))
        assert "rolling_disk:19:7: error: unknown name 'rr'; did you mean 'r'?" in error["text"]
        [diagnostic] = error["diagnostics"]
        assert diagnostic == {"message": "unknown name 'rr'; did you mean 'r'?", "line": 19, "column": 7, "length": 2,
                              "details": []}
        assert view.motion(text=DISK).document["summary"]["complete"] is True


@pytest.mark.parametrize("request_, message", [
    ({"parameters": {"q": 1}}, "no parameter 'q'"),
    ({"initial": {"thetta": 1}}, "no coordinate or velocity 'thetta'; did you mean 'theta'?"),
    ({"samples": 1}, "the number of samples must be a whole number from 2 to 200000, not 1"),
    ({"samples": 200001}, "the number of samples must be a whole number from 2 to 200000, not 200001"),
    ({"samples": 2.5}, "the number of samples must be a whole number from 2 to 200000, not 2.5"),
    ({"duration": 0}, "the duration must be positive, not 0"),
    ({"duration": -1e300}, "the duration must be positive, not -1e+300"),
    ({"rtol": 2}, "the relative tolerance must be between 0 and 1, not 2"),
    ({"atol": 0}, "the absolute tolerance must be positive, not 0"),
    ({"integrator": "rk"}, "integrator: no integrator 'rk'; did you mean 'rk8'?"),
])
def test_wrong_values_are_errors(dalembert, request_, message):
    with View(dalembert.directory, "rolling_disk") as view:
        error = view.error(text=DISK, **request_)
        assert [diagnostic["message"] for diagnostic in error["diagnostics"]] == [message]
        names = [*request_.get("parameters", {}), *request_.get("initial", {})]
        assert error.get("unknown", []) == names


def test_a_parameter_that_makes_another_infinite_is_an_error(dalembert):
    text = LONG.replace("k = 1", 'c = 1\nk = "1/c"')
    with View(dalembert.directory, "rolling_disk") as view:
        assert "parameter 'k' is inf; it must be finite" in view.error(text=text, parameters={"c": 0})["text"]


def test_a_motion_that_gives_up_is_shown_with_its_reason(dalembert):
    text = """
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "-x^6"
[initial]
x = 1
"x'" = 1
[simulation]
duration = 10
"""
    with View(dalembert.directory, "rolling_disk") as view:
        motion = view.motion(text=text)
    summary = motion.document["summary"]
    assert summary["complete"] is False and summary["reason"]
    assert 1 < motion.document["table"]["total"] < 501


def test_a_long_motion_comes_in_parts(dalembert):
    dalembert.write("long.toml", LONG)
    with View(dalembert.directory, "long.toml") as view:
        response = view.start(text=LONG, samples=200_000)
        progress, totals = [], []
        while len(totals) < 2:
            line = json.loads(response.readline())
            if "progress" in line:
                progress.append(line["progress"])
            else:
                assert line["partial"] is True and line["document"]["summary"] is None
                totals.append(line["document"]["table"]["total"])
        assert 1 < totals[0] < totals[1] < 200_000
        times = [p["t"] for p in progress]
        assert len(times) > 5 and times == sorted(times)
        assert all(p["duration"] == 1e7 for p in progress)
        assert progress[-1]["seconds"] > progress[0]["seconds"]


def test_a_later_request_cancels_the_one_before(dalembert):
    dalembert.write("long.toml", LONG)
    with View(dalembert.directory, "long.toml") as view:
        first = view.start(text=LONG)
        assert b"progress" in first.readline()
        begin = time.monotonic()
        second = view.motion(text=LONG, duration=1)
        assert time.monotonic() - begin < 5
        assert second.document["summary"]["complete"] is True
        assert json.loads(first.read().splitlines()[-1]) == {"cancelled": True}


def used_seconds(process):
    fields = open(f"/proc/{process.pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def worked(process, seconds):
    before = used_seconds(process)
    time.sleep(seconds)
    return used_seconds(process) - before


def wait_until(condition, patience=30):
    until = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < until


def test_a_page_that_goes_away_ends_the_work(dalembert):
    dalembert.write("long.toml", LONG)
    with View(dalembert.directory, "long.toml") as view:
        response = view.start(text=LONG)
        response.readline()
        wait_until(lambda: worked(view.process, 0.5) > 0.05)
        response.close()
        response.connection.close()
        wait_until(lambda: worked(view.process, 1.5) < 0.02)


def test_the_page_holds_the_model_and_is_alive(dalembert):
    dalembert.write("disk.toml", DISK)
    with View(dalembert.directory, "disk.toml") as view:
        status, page = view.get()
        assert status == 200
        live = page.decode().split('id="dalembert-live">')[1].split("</script>")[0]
        assert json.loads(live) == {"file": "disk.toml", "text": DISK, "can_save": True}
        assert view.get("alive") == (200, b'{"alive":true}')


def test_the_address_is_one_line_with_a_fresh_token(dalembert):
    with View(dalembert.directory, "pendulum") as one, View(dalembert.directory, "pendulum") as other:
        for view in (one, other):
            assert view.address == f"http://127.0.0.1:{view.port}{view.base}"
            token = view.base.strip("/")
            assert len(token) == 64 and set(token) <= set("0123456789abcdef")
        assert one.base != other.base


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("busy", [False, True])
def test_it_ends_when_asked_and_leaves_nothing_behind(dalembert, by, busy):
    dalembert.write("long.toml", LONG)
    with View(dalembert.directory, "long.toml") as view:
        if busy:
            response = view.start(text=LONG)
            response.readline()
        begin = time.monotonic()
        assert view.end(by) == 0
        assert time.monotonic() - begin < 5
        assert view.process.stdout.read() == ""
    assert os.listdir(dalembert.directory) == ["long.toml"]
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", view.port))


def test_a_port_can_be_chosen_but_not_shared(dalembert):
    with View(dalembert.directory, "pendulum") as view:
        outcome = dalembert("view", "pendulum", "--no-browser", "--port", view.port)
        assert outcome.status == 2 and outcome.out == ""
        assert f"cannot listen on 127.0.0.1:{view.port}: Address already in use" in outcome.err
        port = view.port
    with View(dalembert.directory, "pendulum", "--port", port) as view:
        assert view.port == port


@pytest.mark.parametrize("args, message", [
    (["pendulum", "--port", "99999"], "--port 99999: must be a whole number from 0 to 65535"),
    (["pendulum", "--port", "0x50"], "--port 0x50: must be a whole number from 0 to 65535"),
    (["pendulum", "--port", "x"], "--port x: must be a whole number from 0 to 65535"),
    (["pendulum", "--set", "mm=2"], "unknown parameter 'mm'; did you mean 'm'?"),
    (["pendulum", "--set", "m"], "--set m: expected NAME=VALUE"),
    (["pendulum", "--method", "magi"], "no method 'magi'; did you mean 'maggi'?"),
    (["nothing.toml"], "nothing.toml: error: no such file"),
    (["pendulums"], "no model 'pendulums'"),
    (["."], ".: error: is a directory"),
    (["latin.toml"], "latin.toml:1:9: error: byte 0xe9 is not UTF-8"),
])
def test_bad_input_is_told_before_anything_is_served(dalembert, args, message):
    dalembert.write("latin.toml", b'name = "\xe9"\n')
    outcome = dalembert("view", *args, "--no-browser")
    assert outcome.status == 2
    assert outcome.out == ""
    assert message in outcome.err


def test_an_address_that_cannot_be_told_is_not_served(dalembert):
    with open("/dev/full", "wb") as full:
        completed = subprocess.run([PROGRAM, "view", "pendulum", "--no-browser"], cwd=dalembert.directory, stdout=full,
                                   stderr=subprocess.PIPE, timeout=60)
    assert completed.returncode == 2
    assert b"cannot write to standard output" in completed.stderr


def test_a_file_with_errors_is_opened_to_be_mended(dalembert):
    dalembert.write("disk.toml", DISK.replace("theta = 1.125", "thteta = 1.125"))
    with View(dalembert.directory, "disk.toml") as view:
        text = (dalembert.directory / "disk.toml").read_text("utf-8")
        assert view.error(text=text)["diagnostics"][0]["line"] == 44
        view.end()
        assert "disk.toml:44:1: error: unknown coordinate 'thteta'" in view.process.stderr.read()


@pytest.mark.parametrize("display, flags, opened", [
    (":0", [], True), (None, [], False), (":0", ["--no-browser"], False),
])
def test_the_browser_is_opened_where_there_is_a_display(dalembert, display, flags, opened):
    script = dalembert.directory / "xdg-open"
    script.write_text('#!/bin/sh\necho "$1" > opened.tmp && mv opened.tmp opened\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    environment["PATH"] = f"{dalembert.directory}:{environment['PATH']}"
    if display is not None:
        environment["DISPLAY"] = display
    with View(dalembert.directory, "pendulum", *flags, environment=environment) as view:
        found = dalembert.directory / "opened"
        until = time.monotonic() + (20 if opened else 1)
        while not found.exists() and time.monotonic() < until:
            time.sleep(0.05)
        assert found.exists() == opened
        if opened:
            assert found.read_text().strip() == view.address
