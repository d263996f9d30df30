"""Large models, from the generator of benches/, through the command."""

import csv
import json
import pathlib
import subprocess
import sys

import pytest

GENERATOR = pathlib.Path(__file__).resolve().parents[2] / "benches" / "generate_models.py"


def generated(dalembert, *arguments):
    text = subprocess.run([sys.executable, GENERATOR, *arguments], capture_output=True, check=True).stdout
    return dalembert.write("model.toml", text)


@pytest.mark.parametrize("loop", [[], ["--loop"]])
def test_a_chain_of_300_links_runs(dalembert, loop):
    model = generated(dalembert, "chain", "300", *loop)
    outcome = dalembert("run", model, "--duration", "0.002", "--samples", "2", "--json", "--out", "out")
    assert outcome.status == 0, outcome.err
    summary = json.loads(outcome.out)
    assert summary["complete"]
    with open(dalembert.directory / "out" / "trajectory.csv") as file:
        first, last = csv.DictReader(file)
    # Released from rest, the free end of an open chain falls at once; no hinge opens.
    for name, value in last.items():
        if name.startswith("constraint."):
            assert abs(float(value)) < 1e-9, name
    energy = [float(row["energy.kinetic"]) + float(row["energy.potential"]) for row in (first, last)]
    assert abs(energy[1] - energy[0]) < 1e-9 * abs(energy[0])
    assert float(last["energy.kinetic"]) > 0


def test_a_redundant_ladder_has_the_rank_that_counting_gives(dalembert):
    model = generated(dalembert, "ladder", "12", "--redundant")
    outcome = dalembert("eval", model, "--json")
    assert outcome.status == 0, outcome.err
    result = json.loads(outcome.out)
    assert result["rank"] == 9 * 12 + 2


def test_what_is_too_large_to_show_says_so(dalembert):
    model = generated(dalembert, "chain", "1100")
    assert dalembert("eval", model, "--quiet").status == 0
    outcome = dalembert("eval", model)
    assert outcome.status == 2
    assert "3300 coordinates" in outcome.err and "dalembert run" in outcome.err


def test_bdf_on_a_large_model_is_refused(dalembert):
    model = generated(dalembert, "chain", "500")
    for command in (["run"], ["sweep", "--vary", "g=[1, 2]"]):
        outcome = dalembert(command[0], model, *command[1:], "--integrator", "bdf", "--out", "o")
        assert outcome.status == 2 and "full matrices" in outcome.err
        assert not (dalembert.directory / "o").exists()


@pytest.mark.parametrize("arguments", [["chain", "0"], ["chain", "5", "--redundant"], ["tree", "5"]])
def test_the_generator_refuses_what_it_cannot_make(arguments):
    outcome = subprocess.run([sys.executable, GENERATOR, *arguments], capture_output=True)
    assert outcome.returncode != 0 and outcome.stdout == b""
