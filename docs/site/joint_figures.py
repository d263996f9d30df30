"""docs/site/joint_figures.py [--check]: draws docs/figures/joints.svg, joints with their axes, points and signs.

--check: only says whether the file is what would be drawn.

Symbols are those of docs/joints.md. The first body A is grey, the second B is blue, axes and what is positive are orange; all
three can be seen on white and on black.
"""

import math
import pathlib
import sys

A, B, AXIS, TEXT = "#8a8a8a", "#2a78c2", "#d1622b", "#888888"
WIDTH, HEIGHT = 230, 200


def line(x1, y1, x2, y2, colour, width=2.0):
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{colour}" stroke-width="{width}" fill="none" stroke-linecap="round"/>'


def head(x, y, angle, colour):
    points = " ".join(f"{x + 9 * math.cos(angle + turn):.1f},{y + 9 * math.sin(angle + turn):.1f}" for turn in (math.pi - 0.4, math.pi + 0.4))
    return f'<polygon points="{x:.1f},{y:.1f} {points}" fill="{colour}"/>'


def arrow(x1, y1, x2, y2, colour, width=2.0):
    return line(x1, y1, x2, y2, colour, width) + head(x2, y2, math.atan2(y2 - y1, x2 - x1), colour)


def arc(x, y, r, begin, end, colour):
    """Counterclockwise as seen, with a head at its end; angles in degrees."""
    a, b = math.radians(begin), math.radians(end)
    large = int(abs(end - begin) > 180)
    path = f"M{x + r * math.cos(a):.1f} {y - r * math.sin(a):.1f}A{r} {r} 0 {large} 0 {x + r * math.cos(b):.1f} {y - r * math.sin(b):.1f}"
    return f'<path d="{path}" stroke="{colour}" stroke-width="2" fill="none"/>' + head(
        x + r * math.cos(b), y - r * math.sin(b), -b - math.pi / 2 - 4.5 / r, colour
    )


def text(x, y, words, colour=TEXT, anchor="start", size=13):
    return f'<text x="{x}" y="{y}" fill="{colour}" text-anchor="{anchor}" font-size="{size}">{words}</text>'


def sub(symbol, index):
    return f'<tspan font-style="italic">{symbol}</tspan><tspan dy="3" font-size="9">{index}</tspan><tspan dy="-3">&#8203;</tspan>'


def dot(x, y, colour, r=4):
    return f'<circle cx="{x}" cy="{y}" r="{r}" fill="{colour}"/>'


def towards(x, y, colour):
    """An axis that points at the reader."""
    return f'<circle cx="{x}" cy="{y}" r="8" fill="none" stroke="{colour}" stroke-width="2"/>' + dot(x, y, colour, 2.5)


def bar(x1, y1, x2, y2, colour):
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{colour}" stroke-width="14" stroke-opacity="0.35" stroke-linecap="round"/>'


def hinge():
    x, y, turn = 85, 130, math.radians(50)
    ex, ey = math.cos(turn), -math.sin(turn)
    return [
        bar(x, y, x + 100, y, A), bar(x, y, x + 100 * ex, y + 100 * ey, B),
        arrow(x, y, x + 70, y, A), arrow(x, y, x + 70 * ex, y + 70 * ey, B),
        arc(x, y, 46, 0, 50, AXIS), towards(x, y, AXIS),
        text(x + 74, y + 20, sub("e", "1A"), A), text(x + 24, y - 62, sub("e", "1B"), B), text(x + 50, y - 22, "angle", AXIS),
        text(x - 62, y + 5, "<tspan font-style='italic'>a</tspan>, to you", AXIS, size=12),
    ]  # fmt: skip


def slider():
    return [
        line(20, 120, 205, 120, A, 1.5), bar(30, 120, 62, 120, A), bar(135, 120, 167, 120, B),
        dot(46, 120, A), dot(151, 120, B), arrow(46, 92, 151, 92, AXIS), line(46, 86, 46, 114, AXIS, 1), line(151, 86, 151, 114, AXIS, 1),
        arrow(172, 120, 212, 120, AXIS), text(192, 140, "<tspan font-style='italic'>a</tspan>", AXIS),
        text(98, 84, "position", AXIS, "middle"), text(46, 148, sub("p", "A"), A, "middle"), text(151, 148, sub("p", "B"), B, "middle"),
    ]  # fmt: skip


def distance():
    return [
        dot(45, 140, A, 6), dot(175, 80, B, 6), line(45, 140, 175, 80, AXIS),
        text(45, 165, sub("p", "A"), A, "middle"), text(180, 70, sub("p", "B"), B), text(118, 130, "<tspan font-style='italic'>L</tspan>", AXIS),
    ]  # fmt: skip


def universal():
    return [
        line(20, 112, 90, 112, A, 10).replace("/>", ' stroke-opacity="0.35"/>'), line(140, 112, 205, 82, B, 10).replace("/>", ' stroke-opacity="0.35"/>'),
        line(90, 72, 90, 152, A, 4), line(140, 90, 140, 134, B, 4), line(90, 72, 115, 72, A, 4), line(90, 152, 115, 152, A, 4),
        arrow(115, 160, 115, 56, AXIS), arrow(88, 120, 156, 104, AXIS), dot(115, 112, AXIS),
        text(122, 60, sub("a", "A"), A), text(160, 112, sub("a", "B"), B), text(50, 132, "A", A, "middle"), text(182, 78, "B", B, "middle"),
    ]  # fmt: skip


def rolls():
    return [
        line(20, 150, 210, 150, A, 3), '<circle cx="120" cy="100" r="50" fill="#2a78c2" fill-opacity="0.25" stroke="#2a78c2" stroke-width="2"/>',
        dot(120, 100, B), line(120, 100, 120, 150, AXIS, 1.5), text(127, 130, "<tspan font-style='italic'>h</tspan>", AXIS),
        arrow(45, 150, 45, 95, AXIS), text(52, 100, sub("n", "A"), A), dot(120, 150, AXIS, 5), text(128, 168, "contact: <tspan font-style='italic'>v</tspan> = 0", AXIS, size=12),
        text(127, 92, sub("p", "B"), B), text(30, 168, "A", A),
    ]  # fmt: skip


def knife_edge():
    turn = math.radians(30)
    x, y, c, s = 105, 115, math.cos(turn), math.sin(turn)
    return [
        bar(x - 55 * c, y + 55 * s, x + 55 * c, y - 55 * s, B), arrow(x, y, x + 85 * c, y - 85 * s, AXIS), dot(x, y, B),
        arrow(x, y, x - 50 * s, y - 50 * c, A), text(x + 84 * c + 4, y - 84 * s + 16, sub("a", "B"), B),
        text(x - 50 * s - 66, y - 50 * c + 2, f"{sub('n', 'A')} × {sub('a', 'B')}", A),
        text(x + 6, y + 22, sub("p", "B"), B), towards(30, 165, A), text(44, 170, sub("n", "A") + ", to you", A, size=12),
    ]  # fmt: skip


PANELS = [
    ("hinge", "the angle from A to B about the axis", hinge), ("slider", "from A's point to B's, along the axis", slider),
    ("distance", "a rod between two points", distance), ("universal", "the pins stay perpendicular", universal),
    ("rolls", "no sliding at the contact", rolls), ("knife-edge", "no motion across the edge", knife_edge),
]  # fmt: skip


def main():
    parts = []
    for i, (name, words, draw) in enumerate(PANELS):
        x, y = i % 3 * WIDTH, i // 3 * HEIGHT
        parts.append(f'<g transform="translate({x} {y})">{text(12, 22, name, TEXT, size=15).replace("<text", "<text font-weight=%sbold%s" % (chr(34), chr(34)))}')
        parts.append(text(12, 40, words, TEXT, size=12))
        parts.append("".join(draw()) + "</g>")
    size = f'viewBox="0 0 {3 * WIDTH} {2 * HEIGHT}" width="{3 * WIDTH}" height="{2 * HEIGHT}"'
    body = "\n".join(parts)
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif">\n{body}\n</svg>\n'
    path = pathlib.Path(__file__).resolve().parents[1] / "figures/joints.svg"
    if "--check" in sys.argv:
        sys.exit(path.read_text(encoding="utf-8") != svg)
    path.write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
