"""docs/site/validation.py [--check]: computes the table of docs/validation.md anew with the built program, and writes the page.

--check: writes nothing, and fails if a number on the page is not what the program gives, to the digits that are claimed there.
Each row has its expected value from outside: published, or a formula that is evaluated here, never from the program.
"""

import csv
import datetime
import json
import math
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("DALEMBERT", ROOT / "build/release/src/dalembert/dalembert")).resolve()
PAGE = ROOT / "docs/validation.md"
G = 9.81

HEAD = """# Validation

Published results and closed forms beside what the program computes. `docs/site/validation.py`
writes this page by running the models that come with the program; a test repeats every number and fails if one differs
from the page. The expected values come from the sources named, or from their formulas, evaluated independently of the
program. Further down: [what else is compared](#what-else-is-compared).

{made}

| quantity | source | expected | dalembert | difference |
|---|---|---|---|---|
"""

TAIL = """
"difference" is relative to the expected value. Where a source prints only few digits, the difference is due to its rounding, and the
number of digits in the column shows it.

* **Bicycle**: eigenvalues of the upright motion at the speed v; the six others are zero. The source gives linear equations with
  their parameters, and the eigenvalues to all digits of a double; the model here is nonlinear, and the program linearises it
  ([linearisation](linearisation.md)).
* **Woodpecker**: Siconos integrates with time steps of 2e-5 s and Newton's law; the event-driven simulation of the paper, with
  Poisson's law, gives 0.1452 s for the same toy.

## What else is compared

* Greenwood's equations for the flat body, the dumbbell and the rolling disk (*Advanced Dynamics*, chapter 5), Udwadia and
  Kalaba's forces on a particle, the Appell–Hamel machine: state by state, in `tests/seeds/closed_forms_test.cpp`.
* Trajectories with 50 digits, computed independently of the program: `tests/seeds/reference_trajectories_test.cpp`.
* Bricard's mechanism, which moves although counting freedoms says that it cannot; the rattleback of Kane and Levinson; the ball on a
  turntable; a Stewart platform: `tests/seeds/mechanisms_test.cpp`.
* Every classical [formulation](formulations.md) against every other, exactly, for every model: `dalembert check`.
* Other programs on the same systems, for speed and for equal results: [performance](performance.md).
"""


class Models:
    """Runs of the program, each once."""

    def __init__(self, folder):
        self.folder = folder

    def command(self, *args):
        done = subprocess.run([PROGRAM, *args], cwd=self.folder, capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            raise SystemExit(f"dalembert {' '.join(args)}: {done.stderr}")
        return done.stdout

    def run(self, model, *args):
        """Events as dictionaries, and the columns of the trajectory."""
        out = self.folder / f"{model}{len(list(self.folder.iterdir()))}"
        self.command("run", model, "--rtol", "1e-12", "--quiet", "--out", str(out), *args)
        with (out / "events.csv").open(newline="", encoding="utf-8") as file:
            events = list(csv.DictReader(file))
        with (out / "trajectory.csv").open(newline="", encoding="utf-8") as file:
            rows = csv.reader(file)
            header = next(rows)
            columns = dict(zip(header, zip(*[[float(value) if value else math.nan for value in row] for row in rows])))
        return events, columns

    def eigenvalues(self, model, *args):
        return [complex(*z) for z in json.loads(self.command("linearise", model, "--json", *args))["eigenvalues"]]


def of(events, name, kind):
    return [float(event["t"]) for event in events if (event["name"], event["kind"]) == (name, kind)]


def rows(models):
    """(quantity, source, expected, ours, digits of the source)"""
    for e in (0.7, 0.9):
        events, _ = models.run("bouncing_ball", "--set", f"e={e}", "--duration", "10")
        rest = math.sqrt(2 / G) * (1 + e) / (1 - e)
        yield f"bouncing ball, e = {e}: all bounces over, s", "geometric series", rest, of(events, "floor", "close")[0], 15

    events, _ = models.run("belt")
    slips = of(events, "belt", "slip")
    period = 5 + 2 * (math.pi - math.atan(2.5))
    yield "block on a belt: period of stick and slip, s", "closed form", period, slips[2] - slips[1], 15

    events, _ = models.run("brick")
    alpha = math.radians(20)
    stops = 1 / (G * (0.5 * math.cos(alpha) - math.sin(alpha)))
    yield "brick on an incline: stops for ever, s", "closed form", stops, of(events, "incline", "stick")[0], 15

    events, columns = models.run("bowling_ball")
    yield "bowling ball: begins to roll, s", "2 v/(7 μ g)", 14 / (7 * 0.2 * G), of(events, "lane", "stick")[0], 15
    yield "bowling ball: speed then, m/s", "5 v/7", 5.0, columns["x'"][-1], 15

    events, _ = models.run("ladder")
    opens = of(events, "wall", "open")[0]
    yield "ladder: leaves the wall at 2/3 of its height, s", "quadrature", ladder(), opens, 15

    events, _ = models.run("rocking_block")
    impacts = [float(event["rate_before"]) for event in events if event["kind"] == "impact"]
    ratio = 1 - 1.5 * 0.15**2 / (0.15**2 + 0.6**2)
    yield "rocking block: rate kept at an impact", "Housner 1963", ratio, impacts[1] / impacts[0], 15

    events, _ = models.run("rimless_wheel", "--duration", "60")
    m, l, a, slope = 1, 0.5, math.pi / 8, 0.1
    J = m * l * l / 10
    eta = (J + m * l * l * math.cos(2 * a)) / (J + m * l * l)
    gain = 4 * m * G * l * math.sin(a) * math.sin(slope) / (J + m * l * l)
    before = [-float(event["rate_before"]) / (2 * l * math.sin(a)) for event in events if event["kind"] == "impact"]
    yield "rimless wheel: rate of the gait, 1/s", "McGeer 1990", math.sqrt(gain / (1 - eta**2)), before[-1], 15

    events, columns = models.run("woodpecker", "--duration", "4")
    pecks = of(events, "section", "event")
    yield "woodpecker: period, s", "Siconos, data of Glocker 1995", 0.1460, pecks[-1] - pecks[-2], 4

    published = {
        "0": (3.1316432479066, 5.5309437176539),
        "2": (-8.6738798483174, -3.0715864564151, 2.6823451751275 + 1.6806629659068j),
        "5": (-14.078389692798, -0.32286642900409, -0.77534188219584 + 4.4648677137882j),
        "10": (-24.624596350174, 0.16105338653171, -3.7201684043729 + 10.906811394763j),
    }
    for speed, values in published.items():
        found = models.eigenvalues("bicycle", "--set", f"v={speed}", "--at", "lean'=0")
        for value in values:
            yield f"bicycle at {speed} m/s: eigenvalue, 1/s", "Meijaard et al. 2007", value, min(found, key=lambda z: abs(z - value)), 14


def ladder():
    """The time from rest at 1.2 to the angle at which the wall lets go, by Simpson's rule; th = 1.2 - u^2 takes the root out."""
    start, length, n = 1.2, 4, 20000
    end = math.sqrt(start - math.asin(2 * math.sin(start) / 3))

    def f(u):
        if u == 0:
            return 2 / math.sqrt(3 * G / length * math.cos(start))
        return 2 * u / math.sqrt(3 * G / length * (math.sin(start) - math.sin(start - u * u)))

    h = end / n
    return (f(0) + f(end) + sum((4 if i % 2 else 2) * f(i * h) for i in range(1, n))) * h / 3


def shown(value, digits):
    if isinstance(value, complex) and value.imag == 0:
        value = value.real
    if isinstance(value, complex):
        return f"{value.real:.{digits}g} {'+' if value.imag >= 0 else '−'} {abs(value.imag):.{digits}g} i".replace("-", "−")
    return f"{value:.{digits}g}".replace("-", "−")


def table(models):
    """Lines of the table, and for each (claimed digits, expected, ours)."""
    for quantity, source, expected, ours, digits in rows(models):
        difference = abs(ours - expected) / abs(expected)
        written = f"{difference:.0e}" if difference > 0 else "0"
        yield f"| {quantity} | {source} | {shown(expected, digits)} | {shown(ours, 12 if digits > 12 else digits)} | {written} |", difference, digits


def main():
    with tempfile.TemporaryDirectory() as folder:
        lines = list(table(Models(pathlib.Path(folder))))
    for line, difference, digits in lines:
        # Closed forms to 10 digits at rtol 1e-12; few published digits to half a unit of the last.
        if difference > max(1e-10, 0.5 * 10.0 ** (1 - digits)):
            sys.exit(f"docs/site/validation.py: too far from what is expected: {line}")
    body = "".join(f"{line}\n" for line, _, _ in lines)
    if "--check" in sys.argv:
        page = PAGE.read_text(encoding="utf-8")
        known = [line.rpartition(" | ")[0] for line in page.split("\n") if line.startswith("| ")][1:]
        computed = [line.rpartition(" | ")[0] for line in body.split("\n") if line]
        # The last digits of what is computed belong to the machine.
        if [re.sub(r"(\d\.\d{9})\d+", r"\1", line) for line in known] != [re.sub(r"(\d\.\d{9})\d+", r"\1", line) for line in computed]:
            sys.exit("docs/site/validation.py: the page is not what the program gives: run docs/site/validation.py")
        return
    processor = next(line for line in open("/proc/cpuinfo", encoding="utf-8") if line.startswith("model name")).partition(": ")[2].strip()
    version = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    made = f"Made on {datetime.date.today()} by {version} on {processor} ({platform.machine()}), `rtol` 1e-12."
    PAGE.write_text(HEAD.format(made=made) + body + TAIL, encoding="utf-8")


if __name__ == "__main__":
    main()
