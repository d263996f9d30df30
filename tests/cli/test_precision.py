"""`--precision extended` and `precision` in a model: what is written, what is said of it, and what it is refused for."""

import decimal
import json

SWING = """coordinates = ["theta"]
[parameters]
l = 0.7
g = 9.81
[energy]
kinetic = "l^2*theta'^2/2"
potential = "-g*l*cos(theta)"
[initial]
theta = 1.2
[simulation]
duration = 2
samples = 5
rtol = 1e-18
precision = "extended"
"""


def rows(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    return [dict(zip(lines[0].split(","), map(decimal.Decimal, line.split(",")))) for line in lines[1:]]


def test_rows_have_21_digits_and_keep_the_energy_to_them(dalembert):
    dalembert.write("swing.toml", SWING)
    result = dalembert("run", "swing.toml", "--out", "o")
    assert result.status == 0, result.err
    assert "m-inverse · taylor in extended precision, rtol 1e-18 · 2 s of motion" in result.out
    found = rows(dalembert.directory / "o/trajectory.csv")
    assert abs(found[0]["theta"] - decimal.Decimal("1.2")) < decimal.Decimal("1.1e-19")
    energies = [row["energy.kinetic"] + row["energy.potential"] for row in found]
    assert max(abs(energy - energies[0]) for energy in energies) < decimal.Decimal("2e-17")
    assert len(str(found[3]["theta"]).replace("-", "").replace("0.", "", 1)) >= 20
    document = json.loads((dalembert.directory / "o/summary.json").read_text(encoding="utf-8"))
    assert (document["precision"], document["integrator"], document["atol"]) == ("extended", "taylor", 1e-18 / 1000)
    assert document["taylor_steps"] == document["steps"] > 0
    # In doubles the same rows, as far as doubles go.
    assert dalembert("run", "swing.toml", "--precision", "double", "--rtol", "1e-12", "--out", "d").status == 0
    for wide, narrow in zip(found, rows(dalembert.directory / "d/trajectory.csv")):
        assert wide["t"] == narrow["t"]
        assert abs(wide["theta"] - narrow["theta"]) < decimal.Decimal("1e-10")


def test_what_goes_in_doubles_is_refused_in_a_sentence(dalembert):
    dalembert.write("swing.toml", SWING)
    where = "swing.toml:14:14: error: precision extended: "
    for arguments, sentence in [
        (["run", "swing.toml", "--integrator", "bdf"], "error: precision extended: it uses taylor, not bdf\n"),
        (["run", "swing.toml", "--rtol", "1e-20"], where + "rtol 1e-20 is below what its rounding allows, 1e-18\n"),
        (["sweep", "swing.toml", "--vary", "l=[1, 2]"], where + "it is for single runs; sweeps compute in doubles\n"),
        (["run", "swing.toml", "--format", "hdf5"],
         "error: precision extended: --format: HDF5 files hold doubles, and trajectory.csv holds more\n"),
        (["run", "swing.toml", "--sensitivity", "l"],
         "error: precision extended: --sensitivity: variational equations are solved in doubles\n"),
        (["run", "swing.toml", "--precision", "quad"],
         "error: --precision quad: no precision 'quad'; there are double and extended\n"),
        (["run", "bouncing_ball", "--precision", "extended"],
         "error: precision extended: events, contacts and friction that sticks are found in doubles\n"),
        (["run", "rolling_disk", "--precision", "extended", "--method", "suslov"],
         "error: precision extended: method suslov is computed in doubles: use m-inverse\n"),
    ]:  # fmt: skip
        result = dalembert(*arguments, "--out", "o")
        assert result.status == 2, arguments
        assert sentence in result.err, result.err
        assert not (dalembert.directory / "o").exists(), arguments
