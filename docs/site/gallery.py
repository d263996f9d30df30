"""A page for each model that comes with the program: a picture, the equations, the source, and how to run it.

Everything on a page is made by the program from models/NAME.toml. What it made is kept, and made again when the model or the
program changes.
"""

import csv
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tomllib
from concurrent.futures import ThreadPoolExecutor
from html import escape

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 480, 240, 48, 8, 10, 44
COLOURS = ("#2a78c2", "#d1622b", "#2f9e5b", "#9a55b5")  # seen on white and on black
MOST_COORDINATES = 6  # of larger systems the equations fill pages
MOST_CHARACTERS = 12000


def ticks(low, high):
    """About four round numbers."""
    span = high - low
    step = 10 ** (len(f"{span:.0f}") - 1) if span >= 1 else 0.1 ** next(i for i in range(1, 300) if span * 10**i >= 1)
    step = next(step * k for k in (0.1, 0.2, 0.25, 0.5, 1, 2, 2.5, 5, 10) if span / (step * k) <= 5)
    first = int(low // step) + (low % step > 1e-9 * span)
    return [i * step for i in range(first, int(high / step + 1e-9) + 1)]


def number(value):
    return f"{value:.6g}"


def plot(times, curves):
    """Curves over time as SVG."""
    low, high = min(map(min, curves.values())), max(map(max, curves.values()))
    if high - low < 1e-9 * max(abs(high), 1):
        low, high = low - 1, high + 1
    end = times[-1] if times[-1] > times[0] else times[0] + 1

    def x(t):
        return LEFT + (t - times[0]) / (end - times[0]) * (WIDTH - LEFT - RIGHT)

    def y(value):
        return TOP + (high - value) / (high - low) * (HEIGHT - TOP - BOTTOM)

    parts = []
    for value in ticks(low, high):
        parts.append(f'<path d="M{LEFT} {y(value):.1f}H{WIDTH - RIGHT}" stroke="#8884" stroke-width="1"/>')
        parts.append(f'<text x="{LEFT - 5}" y="{y(value) + 4:.1f}" text-anchor="end">{number(value)}</text>')
    for t in ticks(times[0], end):
        parts.append(f'<text x="{x(t):.1f}" y="{HEIGHT - BOTTOM + 15}" text-anchor="middle">{number(t)}</text>')
    parts.append(f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 8}" text-anchor="end">time in s</text>')
    step = max(1, len(times) // 400)
    place = LEFT
    for colour, (name, values) in zip(COLOURS, curves.items()):
        points = " ".join(f"{x(t):.1f},{y(v):.1f}" for t, v in zip(times[::step], values[::step]))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.6" stroke-linejoin="round"/>')
        parts.append(f'<text x="{place}" y="{HEIGHT - 8}" style="fill:{colour}">{escape(name)}</text>')
        place += 12 + 8 * len(name)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
        "<style>text{font:12px sans-serif;fill:#888}</style>" + "".join(parts) + "</svg>\n"
    )


def coordinates_of(table):
    """The columns between time and the first velocity."""
    with table.open(newline="", encoding="utf-8") as file:
        header = next(csv.reader(file))
    return header[1 : next(i for i, name in enumerate(header) if name.endswith("'"))]


def curves_of(table, outputs):
    """Times, and up to four columns: what the model calls its outputs, or else its coordinates."""
    with table.open(newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        header = next(rows)
        values = [[float(value) if value else float("nan") for value in row] for row in rows]
    columns = dict(zip(header, zip(*values)))
    coordinates = coordinates_of(table)
    # What stays as it is makes no picture.
    moving = [name for name in [*outputs, *coordinates] if name in columns and max(columns[name]) - min(columns[name]) > 1e-9]
    chosen = [name for name in moving if name in outputs][:4] or moving[:4] or coordinates[:1]
    return columns["t"], {name: columns[name] for name in chosen}


def equations(derived):
    """The model, its constraints and its equations with multipliers, as far as there is room."""
    text = derived.partition("\n## The model\n")[2].partition("\n## Sources of the numbers")[0]
    if len(text) > MOST_CHARACTERS:
        text = text.partition("\n## Lagrange's equations")[0]
    return re.sub(r"^##", "###", text, flags=re.MULTILINE).strip()


def made(path, program, key, folder):
    """The folder with picture, page of the motion and equations of a model."""
    if (folder / "key").exists() and (folder / "key").read_text() == key:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)

    def run(*args):
        done = subprocess.run([program, *args], cwd=folder, capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            raise SystemExit(f"docs/build: dalembert {' '.join(map(str, args))}: {done.stderr}")
        return done.stdout

    run("run", path, "--quiet", "--out", folder / "run")
    source = tomllib.loads(path.read_text(encoding="utf-8"))
    (folder / "plot.svg").write_text(plot(*curves_of(folder / "run/trajectory.csv", source.get("outputs", {}))), encoding="utf-8")
    derived = ""
    if len(coordinates_of(folder / "run/trajectory.csv")) <= MOST_COORDINATES:
        derived = equations(run("derive", path, "--method", "multipliers", "--format", "markdown"))
    (folder / "equations.md").write_text(derived, encoding="utf-8")
    (folder / "run/report.html").rename(folder / "motion.html")
    shutil.rmtree(folder / "run")
    (folder / "key").write_text(key)


def page(path, folder):
    text = path.read_text(encoding="utf-8")
    name, source = path.stem, tomllib.loads(text)
    about = " ".join(re.match(r"(?:#.*\n)+", text)[0].replace("#", "").split()) if text.startswith("#") else ""
    about = re.sub(r"([*_$<>\[\]\\])", r"\\\1", about)
    derived = (folder / "equations.md").read_text(encoding="utf-8")
    if not derived:
        derived = f"This system is large, and its equations fill pages: `dalembert derive {name}` prints them."
    return f"""# {source["name"]}

{about}

![The motion of {name}]({name}.svg)

```{{raw}} html
<p><a href="../../live/{name}.html">See it move in three dimensions</a>: the page that the command makes.</p>
```

```sh
dalembert run {name}         # the motion, and out/{name}/report.html to look at it
dalembert view {name}        # the same live: move parameters, edit the model
dalembert derive {name}      # its equations in every formulation
dalembert check {name}       # constraints, rank, proofs
```

## Equations

{derived}

## Source

[models/{name}.toml](../../models/{name}.toml):

```toml
{text.rstrip()}
```
"""


def pages(root, program, folder):
    """What belongs into docs/gallery: texts of pages, and files to copy."""
    models = sorted((root / "models").glob("*.toml"))
    digest = hashlib.sha256(pathlib.Path(program).read_bytes() + pathlib.Path(__file__).read_bytes()).hexdigest()

    def work(path):
        key = hashlib.sha256(digest.encode() + path.read_bytes()).hexdigest()
        made(path, program, key, folder / path.stem)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(work, models))
    live = folder.parent / "extra/live"
    live.mkdir(parents=True, exist_ok=True)
    result = {}
    for path in models:
        result[f"{path.stem}.md"] = page(path, folder / path.stem)
        result[f"{path.stem}.svg"] = folder / path.stem / "plot.svg"
        shutil.copyfile(folder / path.stem / "motion.html", live / f"{path.stem}.html")
    return result


def overview(made_pages):
    """Cards of all models, and the pages as those below this one."""
    cards, names = [], [name.removesuffix(".md") for name in made_pages if name.endswith(".md")]
    for name in names:
        title = re.search(r"^# (.+)$", made_pages[f"{name}.md"], re.MULTILINE)[1]
        cards.append(f'<a href="gallery/{name}.html"><img src="../_images/{name}.svg" alt=""><p>{escape(title)}<br><span>{name}</span></p></a>')
    toctree = "\n".join(f"gallery/{name}" for name in names)
    return f'```{{raw}} html\n<div class="gallery">\n{chr(10).join(cards)}\n</div>\n```\n\n```{{toctree}}\n:hidden:\n\n{toctree}\n```\n'
