#!/usr/bin/env python3
"""Draws docs/pictures/rolling_disk.svg from a run of the model `rolling_disk`.

    ./run run rolling_disk && python3 docs/pictures/draw.py

Reads out/rolling_disk/trajectory.csv (or the file given as first argument); needs the standard library only.
"""

import csv
import math
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
RADIUS = 0.5  # m, parameter r of the model

WIDTH, HEIGHT = 960, 470
SCENE = (18, 24, 604, 408)  # x, y, width, height of the view of the plane
PANEL_LEFT, PANEL_WIDTH = 672, 262
GRID = 0.5  # m
GHOSTS = 9  # disks before the last one ...
INTERVAL = 0.4  # s, ... and the time between them
PANELS = ((62, 84), (196, 104), (350, 84))  # top and height of each

LIGHT = {
    "paper": "#ffffff", "ground": "#f6f8fa", "ink": "#24292f", "soft": "#6b7480", "grid": "#e3e7ec", "edge": "#d4dae1",
    "path": "#0b62c4", "centre": "#c2410c", "disk": "#0b62c4", "kinetic": "#0b62c4", "potential": "#c2410c",
    "total": "#24292f",
}
DARK = {
    "paper": "#12171e", "ground": "#171e27", "ink": "#e6eaf0", "soft": "#9aa5b1", "grid": "#26303b", "edge": "#323d4a",
    "path": "#6cb0ff", "centre": "#ff9d5c", "disk": "#6cb0ff", "kinetic": "#6cb0ff", "potential": "#ff9d5c",
    "total": "#e6eaf0",
}
RULES = """
  text { font: 12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: var(--soft); }
  .title { font-size: 13px; font-weight: 600; fill: var(--ink); }
  .paper { fill: var(--paper); stroke: var(--edge); }
  .ground { fill: var(--ground); stroke: var(--edge); }
  .grid { stroke: var(--grid); fill: none; stroke-width: 1; }
  .axis { stroke: var(--edge); fill: none; stroke-width: 1; }
  .line { fill: none; stroke-width: 1.6; stroke-linejoin: round; stroke-linecap: round; }
  .path { stroke: var(--path); stroke-width: 2; }
  .centre { stroke: var(--centre); stroke-width: 1.2; }
  .disk { fill: var(--disk); stroke: var(--disk); stroke-linejoin: round; }
  .spoke { stroke: var(--paper); stroke-width: 1.6; }
  .dot { fill: var(--path); stroke: var(--paper); stroke-width: 1.2; }
  .kinetic { stroke: var(--kinetic); } .potential { stroke: var(--potential); } .total { stroke: var(--total); }
  .on-kinetic { fill: var(--kinetic); } .on-potential { fill: var(--potential); } .on-total { fill: var(--total); }
  .on-path { fill: var(--path); } .on-centre { fill: var(--centre); }
"""


def style():
    """The rules once a palette, colours written out: not every viewer of SVG knows CSS variables."""
    def with_palette(palette):
        return re.sub(r"var\(--(\w+)\)", lambda match: palette[match[1]], RULES)
    return f"{with_palette(LIGHT)}  @media (prefers-color-scheme: dark) {{{with_palette(DARK)}  }}\n"


def read_columns(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return {name: [float(row[k]) for row in rows[1:]] for k, name in enumerate(rows[0])}


def number(x):
    return f"{x:.1f}".removesuffix(".0")


def polyline(points, kind):
    text = " ".join(f"{number(x)},{number(y)}" for x, y in points)
    return f'<polyline class="line {kind}" points="{text}"/>'


def label(x, y, text, kind="", anchor="start"):
    return f'<text x="{number(x)}" y="{number(y)}" class="{kind}" text-anchor="{anchor}">{text}</text>'


class View:
    """Parallel projection of space, seen from above at an angle, fitted into a frame."""

    AZIMUTH, ELEVATION = math.radians(105), math.radians(34)

    def __init__(self, points, frame):
        flat = [self.project(p) for p in points]
        left, right = min(p[0] for p in flat), max(p[0] for p in flat)
        low, high = min(p[1] for p in flat), max(p[1] for p in flat)
        x, y, width, height = frame
        self.scale = min(width / (right - left), height / (high - low))
        self.dx = x + (width - self.scale * (right - left)) / 2 - self.scale * left
        self.dy = y + (height - self.scale * (high - low)) / 2 + self.scale * high

    def project(self, p):
        x, y, z = p
        c, s = math.cos(self.AZIMUTH), math.sin(self.AZIMUTH)
        right, away = -s * x + c * y, -c * x - s * y
        return right, away * math.sin(self.ELEVATION) + z * math.cos(self.ELEVATION)

    def __call__(self, p):
        right, up = self.project(p)
        return self.dx + self.scale * right, self.dy - self.scale * up


def disk_points(d, i, count=64):
    """The rim: the contact is at angle -pi/2 between heading and the direction from contact to centre."""
    phi, theta = d["phi"][i], d["theta"][i]
    centre = (d["centre_x"][i], d["centre_y"][i], d["height"][i])
    heading = (math.cos(phi), math.sin(phi), 0.0)
    upward = (-math.sin(phi) * math.cos(theta), math.cos(phi) * math.cos(theta), math.sin(theta))

    def at(angle, radius=RADIUS):
        c, s = radius * math.cos(angle), radius * math.sin(angle)
        return tuple(m + c * h + s * u for m, h, u in zip(centre, heading, upward))

    return [at(2 * math.pi * k / count) for k in range(count)], at


def ground(view, middle, radius):
    """A round piece of the plane, ruled every half metre."""
    circle = [(middle[0] + radius * math.cos(a), middle[1] + radius * math.sin(a), 0.0)
              for a in (2 * math.pi * k / 120 for k in range(120))]
    outline = " ".join(f"{number(x)},{number(y)}" for x, y in map(view, circle))
    parts = [f'<polygon class="ground" points="{outline}"/>']
    for k in range(math.ceil(-radius / GRID), math.floor(radius / GRID) + 1):
        offset = k * GRID
        half = math.sqrt(max(radius**2 - offset**2, 0))
        x, y = middle[0] + offset, middle[1] + offset
        parts.append(polyline([view((x, middle[1] - half, 0)), view((x, middle[1] + half, 0))], "grid"))
        parts.append(polyline([view((middle[0] - half, y, 0)), view((middle[0] + half, y, 0))], "grid"))
    return parts


def draw_scene(d):
    n = len(d["t"])
    contact = [(x, y, 0.0) for x, y in zip(d["x"], d["y"])]
    centre = list(zip(d["centre_x"], d["centre_y"], d["height"]))
    middle = [(min(p[k] for p in contact) + max(p[k] for p in contact)) / 2 for k in (0, 1)]
    radius = max(math.dist(p[:2], middle) for p in contact) + 0.2
    shown = [d["t"][-1] - INTERVAL * k for k in range(GHOSTS, -1, -1)]
    ghosts = [min(range(n), key=lambda i: abs(d["t"][i] - time)) for time in shown]
    rims = [p for i in ghosts for p in disk_points(d, i)[0]]
    edge = [(middle[0] + radius * math.cos(a), middle[1] + radius * math.sin(a), 0.0)
            for a in (2 * math.pi * k / 60 for k in range(60))]
    view = View(edge + rims, SCENE)
    parts = ground(view, middle, radius)
    parts.append(polyline([view(p) for p in contact], "path"))

    # Farther disks first. The earlier a disk, the fainter.
    away = lambda i: view.project((d["x"][i], d["y"][i], 0.0))[1]
    for i in sorted(ghosts, key=away, reverse=True):
        rim, at = disk_points(d, i)
        last = i == n - 1
        age = ghosts.index(i) / GHOSTS
        outline = " ".join(f"{number(x)},{number(y)}" for x, y in map(view, rim))
        fill, line = (0.5, 1.0) if last else (0.04 + 0.12 * age, 0.25 + 0.4 * age)
        parts.append(f'<polygon class="disk" points="{outline}" fill-opacity="{fill:.2f}" '
                     f'stroke-opacity="{line:.2f}" stroke-width="{1.8 if last else 1.1}"/>')
        if last:
            spoke = [view(at(d["psi"][i])), view(at(d["psi"][i] + math.pi))]
            parts.append(polyline(spoke, "spoke"))
    parts.append(polyline([view(p) for p in centre], "centre"))
    x, y = view(contact[-1])
    parts.append(f'<circle class="dot" cx="{number(x)}" cy="{number(y)}" r="4"/>')
    return parts


class Panel:
    def __init__(self, index, t_end, low, high):
        self.top, self.height = PANELS[index]
        self.t_end, self.low, self.high = t_end, low, high

    def x(self, t):
        return PANEL_LEFT + PANEL_WIDTH * t / self.t_end

    def y(self, value):
        return self.top + self.height * (self.high - value) / (self.high - self.low)

    def frame(self, title, ticks):
        parts = [label(PANEL_LEFT, self.top - 12, title, "title")]
        for value, text in ticks:
            y = self.y(value)
            parts.append(polyline([(PANEL_LEFT, y), (PANEL_LEFT + PANEL_WIDTH, y)], "grid"))
            parts.append(label(PANEL_LEFT - 8, y + 4, text, "", "end"))
        return parts

    def curve(self, times, values, kind):
        return polyline([(self.x(t), self.y(v)) for t, v in zip(times, values)], kind)


def draw_panels(d):
    t, end = d["t"], d["t"][-1]
    parts = []

    degrees = [math.degrees(x) for x in d["theta"]]
    low, high = math.floor(min(degrees) / 10) * 10, math.ceil(max(degrees) / 10) * 10
    panel = Panel(0, end, low, high)
    middle = round((low + high) / 20) * 10
    parts += panel.frame("Inclination", [(v, f"{v}°") for v in sorted({low, middle, high})])
    parts.append(panel.curve(t, degrees, "kinetic"))

    kinetic, potential = d["energy.kinetic"], d["energy.potential"]
    total = [a + b for a, b in zip(kinetic, potential)]
    high = math.ceil(max(total) / 5) * 5
    panel = Panel(1, end, 0, high)
    parts += panel.frame("Energy", [(v, f"{v} J") for v in (0, high // 2 // 5 * 5, high)])
    for values, kind, name in ((total, "total", "total"), (kinetic, "kinetic", "kinetic"),
                               (potential, "potential", "potential")):
        parts.append(panel.curve(t, values, kind))
    legend = PANEL_LEFT + PANEL_WIDTH
    parts.append(f'<text x="{legend}" y="{panel.top - 12}" text-anchor="end"><tspan class="on-total">total</tspan>  '
                 '<tspan class="on-kinetic" dx="6">kinetic</tspan>  '
                 '<tspan class="on-potential" dx="6">potential</tspan></text>')

    work = [a + b + c for a, b, c in zip(d["work.applied"], d["work.ideal"], d["work.nonideal"])]
    scale = max(map(abs, kinetic + [v - potential[0] for v in potential] + work))
    error = [abs(h - total[0] - w) / scale for h, w in zip(total, work)]
    known = [(time, math.log10(e)) for time, e in zip(t, error) if e > 0]
    logs = [value for _, value in known]
    low, high = math.floor(min(logs)), math.ceil(max(logs))
    panel = Panel(2, end, low, high)
    middle = (low + high) // 2
    exponents = [(v, f'10<tspan dy="-5" font-size="9">{str(v).replace("-", "−")}</tspan>') for v in (low, middle, high)]
    parts += panel.frame("Energy minus work, relative error", exponents)
    parts.append(panel.curve([time for time, _ in known], logs, "kinetic"))
    base = panel.top + panel.height
    parts.append(label(PANEL_LEFT, base + 20, "0"))
    parts.append(label(PANEL_LEFT + PANEL_WIDTH, base + 20, f"{end:g} s", "", "end"))
    return parts


def main():
    source = sys.argv[1] if len(sys.argv) > 1 else "out/rolling_disk/trajectory.csv"
    d = read_columns(source)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'role="img" aria-labelledby="title">',
        '<title id="title">A disk rolling on a plane: path of its contact point and of its centre, its inclination, its '
        "energies and the balance of energy and work</title>",
        f"<style>{style()}</style>",
        f'<rect class="paper" x="0.5" y="0.5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="10"/>',
        *draw_scene(d),
        label(24, 34, "Rolling disk", "title"),
        f'<text x="24" y="53"><tspan class="on-path">contact point</tspan>  '
        '<tspan class="on-centre" dx="6">centre</tspan></text>',
        label(24, HEIGHT - 22, f"grid {GRID:g} m · a disk every {INTERVAL:g} s of the last turn"),
        *draw_panels(d),
        "</svg>",
    ]
    (HERE / "rolling_disk.svg").write_text("\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
