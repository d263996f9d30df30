"""Saving from a page: to the file named on the command line, whole or not at all, and to nothing else."""

import json
import os

import pytest

from conftest import MODELS
from viewing import View

PENDULUM = (MODELS / "pendulum.toml").read_text("utf-8")


def message(answer):
    return json.loads(answer)["error"]["diagnostics"][0]["message"]


def test_the_file_gets_the_text_and_keeps_its_permissions(dalembert):
    dalembert.write("mine.toml", PENDULUM)
    path = dalembert.directory / "mine.toml"
    path.chmod(0o640)
    with View(dalembert.directory, "mine.toml") as view:
        for text in ("# ä\r\n" + PENDULUM, "not = [a model", ""):
            status, answer = view.post("save", {"text": text})
            assert status == 200 and json.loads(answer) == {"saved": "mine.toml"}
            assert path.read_bytes() == text.encode()
            assert path.stat().st_mode & 0o777 == 0o640
            page = view.get()[1].decode()
            assert json.loads(page.split('id="dalembert-live">')[1].split("</script>")[0])["text"] == text
    assert os.listdir(dalembert.directory) == ["mine.toml"]


def test_what_another_program_has_written_is_not_lost(dalembert):
    dalembert.write("mine.toml", PENDULUM)
    path = dalembert.directory / "mine.toml"
    with View(dalembert.directory, "mine.toml") as view:
        path.write_text("# theirs\n")
        status, answer = view.post("save", {"text": "# ours\n"})
        assert status == 409
        assert message(answer) == "'mine.toml' has been changed by another program since it was opened here"
        assert path.read_text() == "# theirs\n"
        assert view.post("save", {"text": "# ours\n", "replace": True})[0] == 200
        assert path.read_text() == "# ours\n"
        assert view.post("save", {"text": "# again\n"})[0] == 200
        path.chmod(0o600)
        assert view.post("save", {"text": "# private\n"})[0] in (200, 409)
        assert view.post("save", {"text": "# private\n", "replace": True})[0] == 200
        path.unlink()
        status, answer = view.post("save", {"text": "# back\n"})
        assert status == 409 and "has been removed by another program" in message(answer)
        assert view.post("save", {"text": "# back\n", "replace": True})[0] == 200
        assert path.read_text() == "# back\n"
        assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("make", [lambda path, victim: path.symlink_to(victim), lambda path, victim: os.mkfifo(path)],
                         ids=["link", "pipe"])
def test_what_stands_where_the_file_is_prepared_is_not_followed(dalembert, make):
    dalembert.write("mine.toml", PENDULUM)
    victim = dalembert.directory / "victim"
    victim.write_text("theirs")
    with View(dalembert.directory, "mine.toml") as view:
        make(dalembert.directory / f".mine.toml.{view.process.pid}.partial", victim)
        assert view.post("save", {"text": "# ours\n"})[0] == 200
    assert victim.read_text() == "theirs"
    path = dalembert.directory / "mine.toml"
    assert not path.is_symlink() and path.read_text() == "# ours\n"


def test_a_link_stays_one(dalembert):
    dalembert.write("real.toml", PENDULUM)
    (dalembert.directory / "link.toml").symlink_to("real.toml")
    with View(dalembert.directory, "link.toml") as view:
        assert view.post("save", {"text": "# new\n"})[0] == 200
    assert (dalembert.directory / "link.toml").is_symlink()
    assert (dalembert.directory / "real.toml").read_text() == "# new\n"


@pytest.mark.parametrize("replace", [False, True])
def test_what_is_no_regular_file_is_left_alone(dalembert, replace):
    dalembert.write("mine.toml", PENDULUM)
    dalembert.write("precious", "precious\n")
    path = dalembert.directory / "mine.toml"
    with View(dalembert.directory, "mine.toml") as view:
        path.unlink()
        path.symlink_to("precious")
        status, answer = view.post("save", {"text": "# new\n", "replace": replace})
        assert status == 403
        assert message(answer) == "cannot write 'mine.toml': it is no longer a regular file"
        path.unlink()
        path.mkdir()
        assert view.post("save", {"text": "# new\n", "replace": replace})[0] == 403
    assert (dalembert.directory / "precious").read_text() == "precious\n"
    assert os.listdir(path) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anything")
def test_a_file_that_may_not_be_written_is_not(dalembert):
    dalembert.write("mine.toml", PENDULUM)
    path = dalembert.directory / "mine.toml"
    path.chmod(0o444)
    with View(dalembert.directory, "mine.toml") as view:
        status, answer = view.post("save", {"text": "# new\n"})
        assert status == 403
        assert message(answer) == "cannot write 'mine.toml': Permission denied"
    assert path.read_text("utf-8") == PENDULUM


def test_a_model_of_the_program_cannot_be_written(dalembert):
    with View(dalembert.directory, "pendulum") as view:
        page = view.get()[1].decode()
        assert json.loads(page.split('id="dalembert-live">')[1].split("</script>")[0])["can_save"] is False
        status, answer = view.post("save", {"text": "# new\n", "replace": True})
        assert status == 403
        assert "'pendulum' comes with the program and cannot be written" in message(answer)
    assert os.listdir(dalembert.directory) == []


def test_a_text_that_no_model_may_have_is_refused(dalembert):
    dalembert.write("mine.toml", PENDULUM)
    with View(dalembert.directory, "mine.toml") as view:
        status, answer = view.post("save", {"text": "#" * (8 << 20) + "\n"})
        assert status == 403
        assert message(answer) == "too large: a model file has at most 8388608 bytes"
        assert view.post("save", {"text": "#" * (8 << 20)})[0] == 200
    assert (dalembert.directory / "mine.toml").stat().st_size == 8 << 20


@pytest.mark.parametrize("body", [{}, {"text": 1}, {"text": None}, {"text": "a", "file": "other.toml"}, [], "x"])
def test_another_file_cannot_be_named(dalembert, body):
    dalembert.write("mine.toml", PENDULUM)
    with View(dalembert.directory, "mine.toml") as view:
        status, answer = view.post("save", body)
        assert status == 400 and message(answer)
    assert (dalembert.directory / "mine.toml").read_text("utf-8") == PENDULUM
    assert os.listdir(dalembert.directory) == ["mine.toml"]
