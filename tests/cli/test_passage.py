"""A motion that passes singular configurations: what the terminal and summary.json say of it."""

import json
import math

FLAT = ["--set", "theta_0=0"]


def test_the_terminal_names_the_first_and_counts_the_rest(dalembert):
    result = dalembert("run", "parallelogram", "--out", "o")
    assert result.status == 0, result.err
    lines = [line for line in result.out.splitlines() if line.startswith("  singular")]
    assert len(lines) == 4
    assert "passed a singular configuration at t = 0.3194" in lines[0]
    assert lines[0].endswith("on its branch (rank 3, 2 there)")
    assert lines[3] == "  singular      16 passages in all, see summary.json"


def test_the_summary_lists_them(dalembert):
    # Without gravity the crank turns evenly: flat at every multiple of pi.
    result = dalembert("run", "parallelogram", "--set", "g=0", "--out", "o", "--json")
    assert result.status == 0, result.err
    summary = json.loads(result.out)
    assert summary["passage_count"] == len(summary["passages"]) == 15
    for i, passage in enumerate(summary["passages"]):
        assert abs(passage["t"] - ((i + 1) * math.pi - 0.25) / 10) < 1e-7
        assert (passage["rank"], passage["rank_there"]) == (3, 2)
    assert summary["rank_change_count"] == 0
    assert summary["largest_residual"] < 1e-8
    assert summary["balance_error"] < 1e-7


def test_no_passage_is_an_empty_list_and_no_line(dalembert):
    result = dalembert("run", "pendulum", "--duration", 1, "--out", "o")
    assert "singular" not in result.out
    summary = json.loads((dalembert.directory / "o/summary.json").read_text())
    assert (summary["passage_count"], summary["passages"]) == (0, [])


def test_a_start_in_the_configuration(dalembert):
    result = dalembert("run", "parallelogram", *FLAT, "--duration", 1, "--out", "o", "--json")
    assert result.status == 0, result.err
    assert json.loads(result.out)["passages"][0] == {"rank": 3, "rank_there": 2, "t": 0}


def test_a_miss_too_near_to_follow_ends_with_status_3(dalembert):
    model = """
coordinates = ["xa", "ya", "xb", "yb"]
[energy]
kinetic = "(xa'^2 + ya'^2 + xb'^2 + yb'^2)/2"
[[constraint]]
name = "crank"
equation = "xa^2 + ya^2 = 1/4"
[[constraint]]
name = "rocker"
equation = "(xb - 5/4)^2 + yb^2 = 1/4"
[[constraint]]
name = "coupler"
equation = "(xb - xa)^2 + (yb - ya)^2 = 1.250000000001^2"
[initial]
adjust = "nearest"
xa = "cos(0.9)/2"
ya = "sin(0.9)/2"
xb = "5/4 + cos(0.9)/2"
yb = "sin(0.9)/2"
"xa'" = "-7*ya"
"ya'" = "7*xa"
"xb'" = "xa'"
"yb'" = "ya'"
[simulation]
duration = 3
"""
    dalembert.write("near.toml", model)
    result = dalembert("run", "near.toml", "--out", "o")
    assert result.status == 3
    assert "becoming dependent" in result.err
