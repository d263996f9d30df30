"""report.html: written beside the table, whole or not at all, with the numbers of the table in it."""

import base64
import csv
import json
import re
import struct

import pytest
from conftest import MODELS

OSCILLATOR = """
name = "Oscillator"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "x^2/2"
[initial]
x = 1
[simulation]
duration = 20
"""


def document_of(path):
    """The document in a page."""
    html = path.read_text(encoding="utf-8")
    document, = re.findall(r'<script type="application/json" id="dalembert-document">(.*?)</script>', html, re.DOTALL)
    return json.loads(document)


def values_of(path):
    """The numbers in a page."""
    html = path.read_text(encoding="utf-8")
    values, = re.findall(r'<script type="application/octet-stream" id="dalembert-values">(.*?)</script>', html)
    raw = base64.b64decode(values, validate=True)
    return struct.unpack(f"<{len(raw) // 8}d", raw)


def page(path):
    """The document in a page, and its columns by name."""
    document, numbers = document_of(path), values_of(path)
    table = document["table"]
    columns = {}
    for k, column in enumerate(table["columns"]):
        first = table["index"] + k * table["rows"]
        columns[column["name"]] = numbers[first : first + table["rows"]]
    return document, columns


def csv_columns(path):
    with open(path, newline="", encoding="utf-8") as file:
        header, *table = list(csv.reader(file))
    return {name: [float(row[k]) for row in table] for k, name in enumerate(header)}


def test_is_written_beside_the_table_and_says_so(dalembert):
    result = dalembert("run", "rolling_disk")
    assert result.status == 0, result.err
    last = "wrote out/rolling_disk/: trajectory.csv (501 rows), summary.json, report.html"
    assert result.out.splitlines()[-1] == last
    out = dalembert.directory / "out/rolling_disk"
    document, columns = page(out / "report.html")
    assert document["summary"] == json.loads((out / "summary.json").read_text())
    assert document["headline"] == result.out.splitlines()[0]
    assert document["program"] == dalembert("--version").out.strip()
    assert document["model"]["text"] == (MODELS / "rolling_disk.toml").read_text()
    written = csv_columns(out / "trajectory.csv")
    balance = columns.pop("energy.balance")
    assert columns.keys() == written.keys()
    for name, values in written.items():
        assert list(columns[name]) == values
    assert max(map(abs, balance)) == pytest.approx(document["summary"]["balance_error"], abs=1e-12)


def test_can_be_left_out(dalembert):
    result = dalembert("run", "pendulum", "--no-report", "--out", "o")
    assert result.out.endswith("wrote o/: trajectory.csv (501 rows), summary.json\n")
    assert sorted(p.name for p in (dalembert.directory / "o").iterdir()) == ["summary.json", "trajectory.csv"]


def test_quiet_and_json_say_nothing_more(dalembert):
    assert dalembert("run", "pendulum", "--quiet").out == ""
    json.loads(dalembert("run", "pendulum", "--json").out)
    assert (dalembert.directory / "out/pendulum/report.html").exists()


def test_parameters_have_the_value_in_use_and_what_the_file_says(dalembert):
    dalembert("run", "rolling_disk", "--set", "r=0.75", "--out", "o", "--quiet")
    document, _ = page(dalembert.directory / "o/report.html")
    r, = [p for p in document["model"]["parameters"] if p["name"] == "r"]
    assert r["value"] == 0.75 and r["written"] == "0.5"
    dalembert.write("o.toml", '# π\nname = "π"\n' + OSCILLATOR[OSCILLATOR.index("coord") :] + '[parameters]\nk = "2*a"#π\na = 1e-3\n')
    dalembert("run", "o.toml", "--out", "o", "--quiet")
    document, _ = page(dalembert.directory / "o/report.html")
    assert {p["name"]: (p["value"], p["written"]) for p in document["model"]["parameters"]} == {
        "k": (0.002, "2*a"), "a": (0.001, "1e-3"),
    }  # fmt: skip


def test_of_a_motion_that_is_given_up(dalembert):
    dalembert.write("fall.toml", 'coordinates = ["x"]\n[energy]\nkinetic = "x\'^2/2"\n[forces]\nx = "1/(1 - t)^2"\n')
    result = dalembert("run", "fall.toml", "--out", "o", "--duration", 2)
    assert result.status == 3
    assert ", incomplete), summary.json, report.html\n" in result.out
    document, columns = page(dalembert.directory / "o/report.html")
    assert document["summary"]["complete"] is False and "t = " in document["summary"]["reason"]
    assert len(columns["t"]) == document["table"]["total"] == document["summary"]["rows"]


def test_what_an_earlier_run_left_is_named(dalembert):
    assert dalembert("run", "pendulum", "--out", "o").status == 0
    result = dalembert("run", "pendulum", "--out", "o", "--format", "hdf5", "--no-report")
    assert result.out.endswith("summary.json (of an earlier run: trajectory.csv, report.html)\n")


def test_a_name_of_the_model_is_no_other_column(dalembert):
    dalembert.write("scales.toml", OSCILLATOR + '[outputs]\nbalance = "100 + x"\n')
    dalembert("run", "scales.toml", "--out", "o")
    _, columns = page(dalembert.directory / "o/report.html")
    assert columns["balance"][0] == 101
    assert abs(columns["energy.balance"][0]) < 1e-12


def test_nothing_is_written_where_the_page_cannot_be(dalembert):
    (dalembert.directory / "o/report.html").mkdir(parents=True)
    result = dalembert("run", "pendulum", "--out", "o")
    assert result.status == 2
    assert "error: cannot open 'o/report.html': Is a directory" in result.err
    assert [p.name for p in (dalembert.directory / "o").iterdir()] == ["report.html"]


def test_long_motions_are_thinned_to_their_extremes(dalembert):
    dalembert.write("oscillator.toml", OSCILLATOR)
    assert dalembert("run", "oscillator.toml", "--samples", 50000, "--quiet").status == 0
    out = dalembert.directory / "out/oscillator"
    document, columns = page(out / "report.html")
    written = csv_columns(out / "trajectory.csv")
    k = document["table"]["thinned"]
    assert document["table"]["total"] == 50000 and document["table"]["rows"] <= 20000
    assert k == 8 and len(columns["t"]) == 2 * 6250
    for name in ["x", "x'", "energy.kinetic", "work.applied"]:
        for i in range(0, 6250, 7):
            stretch = written[name][i * k : (i + 1) * k]
            low, high = min(stretch), max(stretch)
            in_order = [low, high] if stretch.index(low) <= stretch.index(high) else [high, low]
            assert list(columns[name][2 * i : 2 * i + 2]) == in_order
            assert columns["t"][2 * i] == written["t"][i * k] and columns["t"][2 * i + 1] == written["t"][i * k + k - 1]


@pytest.mark.parametrize("model", sorted(p.stem for p in MODELS.glob("*.toml")))
def test_every_model_has_equations_or_says_why_not(dalembert, model):
    assert dalembert("run", model, "--duration", 0.1, "--samples", 3, "--out", "o", "--quiet").status == 0
    document, _ = page(dalembert.directory / "o/report.html")
    equations = document["equations"]
    assert equations["html"] or equations["note"]
    assert ("Sources of the numbers" in equations["html"]) == (equations["note"] == "")
    assert "<script" not in equations["html"]
