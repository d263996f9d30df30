"""What ./bench does with its numbers; the measuring itself is not run here."""

import math
import pathlib
import statistics
import subprocess
import sys

import pytest

BENCHES = pathlib.Path(__file__).resolve().parents[2] / "benches"
sys.path.insert(0, str(BENCHES))

import models  # noqa: E402
import stats  # noqa: E402
import table  # noqa: E402
import workers  # noqa: E402


def test_quantiles_are_those_of_the_standard_library():
    samples = [7.0, 1.0, 3.0, 10.0, 4.5, 2.0]
    cuts = statistics.quantiles(samples, n=4, method="inclusive")
    assert [stats.quantile(samples, f) for f in (0.25, 0.5, 0.75)] == pytest.approx(cuts, rel=1e-15)
    assert stats.Spread.of([5.0]) == stats.Spread(5.0, 5.0, 5.0)
    with pytest.raises(ValueError):
        stats.quantile([], 0.5)


def test_ratios_go_round_by_round():
    assert stats.ratios([1, 2, 4], [3, 6, 12]) == [3, 3, 3]
    with pytest.raises(ValueError):
        stats.ratios([1], [1, 2])


@pytest.mark.parametrize("values", [[1.0, 2.0], [1.0, 2.0, math.nan], [1.0, 2.0, math.inf]])
def test_values_that_do_not_agree_are_seen(values):
    assert stats.relative_difference(values, [1.0, 2.0, 4.0]) > 1e-8
    assert stats.absolute_difference(values, [1.0, 2.0, 4.0]) > 1e-8


def test_differences_are_measured_against_the_largest():
    assert stats.relative_difference([1.0, 4.0 + 4e-9], [1.0, 4.0]) == pytest.approx(1e-9, rel=1e-6)
    assert stats.relative_difference([0.0], [0.0]) == 0


def test_loosest_tolerance_reaches_the_target():
    def error(tolerance):  # with a dent, as the order of a Taylor method makes them
        return tolerance * (30 if 1e-9 < tolerance < 1e-8 else 3)

    tolerance = stats.loosest(error, 1e-9, 1e-4, 1e-14, 20)
    assert error(tolerance) <= 1e-9 < error(1.001 * tolerance)
    assert stats.loosest(error, 1e-20, 1e-4, 1e-14, 20) is None
    assert stats.loosest(error, 1.0, 1e-4, 1e-14, 20) == 1e-4


def test_amounts_are_readable():
    assert table.amount(1.234e-7, "s") == "123 ns"
    assert table.amount(0.0123, "s") == "12.3 ms"
    assert table.amount(3.0, "s") == "3.00 s"
    assert table.amount(1 / 13500, "rate") == "13 500/s"
    assert table.amount(805.2, "MB") == "805 MB"


def test_table_shows_ratio_spread_and_what_is_missing():
    made = {"what": "a row", "unit": "s", "ours": [1e-3, 2e-3, 1e-3], "peer": "a peer", "theirs": [3e-3, 6e-3, 2e-3],
            "target": "2 times", "reached": True, "note": ""}
    alone = dict(made, theirs=[], reached=None, note="not measured: not there")
    lines = table.table([made, alone]).splitlines()
    assert len({len(text) for text in lines[:4]}) == 1  # columns are aligned
    first, second = ([cell.strip() for cell in text.strip("|").split("|")] for text in lines[2:4])
    assert first == ["a row", "1.00 ms", "a peer", "3.00 ms", "3.00", "2.50 – 3.00", "2 times", "yes"]
    assert second == ["a row", "1.00 ms", "a peer", "–", "", "1.00 ms – 1.50 ms", "2 times", ""]
    assert lines[-1] == "* a row, a peer: not measured: not there"


def test_rounds_alternate_and_the_first_is_thrown_away():
    calls = []

    def timer(name):
        def take():
            calls.append(name)
            return len(calls)

        return take

    samples = workers.interleave({"a": timer("a"), "b": timer("b")}, 2)
    assert calls == ["a", "b"] * 3
    assert samples == {"a": [3, 5], "b": [4, 6]}


def test_a_worker_that_is_not_there_is_refused():
    with pytest.raises(workers.Refused):
        workers.Worker(["/no/such/program"])
    with pytest.raises(workers.Refused):
        with workers.Worker([sys.executable, "-c", "pass"]) as worker:
            worker.prepare()


@pytest.mark.parametrize("loop", [False, True])
def test_states_of_chains_are_on_their_constraints(loop):
    """Positions and velocities of the hinges from both links; the tip of a closed chain is at rest."""
    _, angles, rates = models.chain(12, loop)
    q, v = models.chain_state(angles, rates)
    half = models.ROD["L"] / 2
    end = [0.0, 0.0, 0.0, 0.0]
    for i in range(12):
        x, y, a = q[3 * i : 3 * i + 3]
        vx, vy, w = v[3 * i : 3 * i + 3]
        c, s = half * math.cos(a), half * math.sin(a)
        assert [x - c, y - s, vx + s * w, vy - c * w] == pytest.approx(end, abs=1e-15)
        end = [x + c, y + s, vx - s * w, vy + c * w]
    if loop:
        assert end[2:] == pytest.approx([0, 0], abs=1e-15)


def test_models_are_valid(tmp_path):
    """dalembert reads them, and finds each start on its constraints."""
    import os

    written = {
        "pendulum.toml": models.pendulum(3),
        "rods.toml": models.rods(3),
        "chain.toml": models.chain_model(4, True),
        "ladder.toml": models.ladder_model(2, True),
    }
    for name, model in written.items():
        path = models.write(tmp_path / name, model)
        completed = subprocess.run([os.environ["DALEMBERT"], "eval", path, "--quiet"], capture_output=True, text=True)
        assert (completed.returncode, completed.stderr) == (0, "")


def test_bad_options_are_told():
    for words in (["--rows", "no such row"], ["--rows", "("], ["--fast"]):
        completed = subprocess.run([sys.executable, "-B", str(BENCHES / "run.py"), *words], capture_output=True, text=True)
        assert completed.returncode == 2
        assert "usage: ./bench" in completed.stderr
