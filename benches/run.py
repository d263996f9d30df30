"""Measures dalembert against its peers: see ./bench --help and docs/performance.md."""

import argparse
import datetime
import json
import os
import pathlib
import re
import sys
import time

import machine
import peers_setup
from rows import ROWS, Context, line
from table import table
from workers import Refused

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/bench"


def options():
    parser = argparse.ArgumentParser(
        prog="./bench",
        description="Measures dalembert against its peers, in turn and on one core, and prints one table.",
        epilog="rows: " + ", ".join(ROWS),
    )
    parser.add_argument("--quick", action="store_true", help="fewer rounds, smaller systems: under two minutes")
    parser.add_argument("--rows", default="", metavar="REGEX", help="only the rows whose name matches")
    parser.add_argument("--out", default=str(BUILD / "bench.json"), metavar="FILE", help="raw numbers (%(default)s)")
    given = parser.parse_args()
    try:
        wanted = re.compile(given.rows)
    except re.error as problem:
        parser.error(f"--rows {given.rows}: {problem}")
    given.rows = {name: row for name, row in ROWS.items() if wanted.search(name)}
    if not given.rows:
        parser.error("no row matches; there are " + ", ".join(ROWS))
    return given


def measure(rows, context):
    lines = []
    for number, (name, row) in enumerate(rows.items(), 1):
        start = time.monotonic()
        peers_setup.say(f"[{number}/{len(rows)}] {name}")
        try:
            for made in row(context):
                lines.append(dict(made, row=name))
        except Refused as problem:
            lines.append(dict(line(name, "s", [], note=f"not measured: {problem}"), row=name))
        peers_setup.say(f"      {time.monotonic() - start:.0f} s")
    return lines


def main():
    given = options()
    packages, missing = peers_setup.set_up(ROOT, BUILD)
    cores = os.sched_getaffinity(0)
    core = max(cores)
    os.sched_setaffinity(0, {core})
    facts = machine.describe(ROOT, packages)
    context = Context(ROOT, BUILD, given.quick, cores, missing)
    began = datetime.datetime.now(datetime.timezone.utc)
    start = time.monotonic()
    lines = measure(given.rows, context)

    print(machine.sentence(facts))
    versions = [f"{name} {version or 'missing'}" for name, version in facts["packages"].items()]
    print(f"{facts['compiler']}; Simbody {facts['debian']['libsimbody-dev'] or 'missing'}, {', '.join(versions)}")
    taken = f"{began:%Y-%m-%d %H:%M} UTC, commit {(facts['commit'] or 'unknown')[:10]}"
    print(f"{taken}{' with changes' if facts['changed'] else ''}, {time.monotonic() - start:.0f} s, "
          f"load {facts['load'][0]:.1f} at the start, pinned to core {core}{', quick' if given.quick else ''}")
    print()
    print(table(lines))
    raw = {"machine": facts, "began": began.isoformat(), "quick": given.quick, "core": core, "missing": missing,
           "lines": lines}
    pathlib.Path(given.out).write_text(json.dumps(raw, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"\nraw numbers: {given.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
