"""The systems of the bench: model files for dalembert, and the same systems as the peers are told of them.

Chains and ladders in absolute coordinates come from generate_models.py; bodies are rods with the coordinates x, y of
the middle and the angle a from the x axis, so that the angles are coordinates 2, 5, 8 ... of the model."""

import math
import random

import generate_models

GRAVITY = 9.81
PENDULUM = {"m": 1.0, "l": 1.0, "g": GRAVITY}
ROD = {"m": 0.2, "L": 0.1}  # as in generate_models.chain
ANGLES = {"first": 2, "stride": 3}  # which coordinates of an absolute model are compared


def pendulum_state(links):
    return [0.1 + 0.05 * i for i in range(links)], [0.3 - 0.01 * i for i in range(links)]


def pendulum(links):
    """n particles on massless rods, in the angles of the rods from the vertical: what SymPy's examples derive."""
    q, v = pendulum_state(links)
    names = [f"q{i + 1}" for i in range(links)]
    lines = [f"coordinates = {names}".replace("'", '"'), "", "[parameters]"]
    lines += [f"{name} = {value!r}" for name, value in PENDULUM.items()]
    lines += ["", "[let]"]
    for i in range(links):
        before_x, before_y = (f"x{i} + ", f"y{i} - ") if i > 0 else ("", "-")
        lines += [f'x{i + 1} = "{before_x}l*sin(q{i + 1})"', f'y{i + 1} = "{before_y}l*cos(q{i + 1})"']
    numbers = range(1, links + 1)
    kinetic = " + ".join(f"x{i}'^2 + y{i}'^2" for i in numbers)
    lines += ["", "[energy]", f'kinetic = "m*({kinetic})/2"']
    lines += ['potential = "m*g*(' + " + ".join(f"y{i}" for i in numbers) + ')"', "", "[initial]"]
    lines += [f"q{i + 1} = {q[i]!r}\n\"q{i + 1}'\" = {v[i]!r}" for i in range(links)]
    return "\n".join(lines) + "\n"


def rods(links):
    """The chain of generate_models.chain in the angles of its links alone."""
    _, angles, rates = chain(links)
    names = [f"a{i + 1}" for i in range(links)]
    inertia = ROD["m"] * ROD["L"] ** 2 / 12
    lines = [f"coordinates = {names}".replace("'", '"'), "", "[parameters]"]
    lines += [f"m = {ROD['m']!r}", f"L = {ROD['L']!r}", f"J = {inertia!r}", f"g = {GRAVITY!r}", "", "[let]"]
    for i in range(links):
        # The tip of the link, then its middle.
        before_x, before_y = (f"tx{i} + ", f"ty{i} + ") if i > 0 else ("", "")
        a = f"a{i + 1}"
        lines += [f'tx{i + 1} = "{before_x}L*cos({a})"', f'ty{i + 1} = "{before_y}L*sin({a})"']
        lines += [f'x{i + 1} = "{before_x}L*cos({a})/2"', f'y{i + 1} = "{before_y}L*sin({a})/2"']
    numbers = range(1, links + 1)
    kinetic = " + ".join(f"m*(x{i}'^2 + y{i}'^2)/2 + J*a{i}'^2/2" for i in numbers)
    lines += ["", "[energy]", f'kinetic = "{kinetic}"']
    lines += ['potential = "m*g*(' + " + ".join(f"y{i}" for i in numbers) + ')"', "", "[initial]"]
    lines += [f"a{i + 1} = {angles[i]!r}\n\"a{i + 1}'\" = {rates[i]!r}" for i in range(links)]
    return "\n".join(lines) + "\n"


def hold_tip(angles, rates):
    """Rates nearest to the given ones with the tip of the chain at rest."""
    rows = [[-math.sin(a) for a in angles], [math.cos(a) for a in angles]]
    speed = [sum(j * r for j, r in zip(row, rates)) for row in rows]
    gram = [[sum(a * b for a, b in zip(p, q)) for q in rows] for p in rows]
    determinant = gram[0][0] * gram[1][1] - gram[0][1] * gram[1][0]
    first = (gram[1][1] * speed[0] - gram[0][1] * speed[1]) / determinant
    second = (gram[0][0] * speed[1] - gram[1][0] * speed[0]) / determinant
    return [r - first * j - second * k for r, j, k in zip(rates, *rows)]


def chain(links, loop=False):
    """Peers' mechanism, angles and rates of generate_models.chain(links, loop), set in motion."""
    length, mass = ROD["L"], ROD["m"]
    angles = [-0.3 - (i / (links - 1) if links > 1 else 0.0) for i in range(links)]
    rates = [0.5 * math.sin(0.7 * i) for i in range(links)]
    closures = []
    if loop:
        rates = hold_tip(angles, rates)
        tip = [length * sum(map(math.cos, angles)), length * sum(map(math.sin, angles))]
        closures = [{"first": links - 1, "second": -1, "on_first": [length, 0], "on_second": tip}]
    parts = [
        {
            "parent": i - 1,
            "at": [length if i > 0 else 0, 0],
            "mass": mass,
            "centre": length / 2,
            "inertia": mass * length**2 / 12,
            "angle": angles[i],
            "rate": rates[i],
        }
        for i in range(links)
    ]
    return {"g": GRAVITY, "links": parts, "closures": closures}, angles, rates


def chain_state(angles, rates):
    """x, y, a of each link and their rates."""
    q, v = [], []
    x = y = x_rate = y_rate = 0.0
    half = ROD["L"] / 2
    for a, w in zip(angles, rates):
        c, s = half * math.cos(a), half * math.sin(a)
        q += [x + c, y + s, a]
        v += [x_rate - s * w, y_rate + c * w, w]
        x, y, x_rate, y_rate = x + 2 * c, y + 2 * s, x_rate - 2 * s * w, y_rate + 2 * c * w
    return q, v


def ladder(loops, redundant=False):
    """Peers' mechanism of generate_models.ladder(loops, redundant) at its initial state: rungs on the ground, each
    coupler hung from the rung on its left and closed to the one on its right."""
    length, mass, angle, rate = 1.0, 1.0, 1.2, 0.5
    body = {"mass": mass, "centre": length / 2, "inertia": mass * length**2 / 12}
    places = [1.0, 0.5] if redundant else [1.0]
    parts, closures = [], []
    for i in range(loops + 1):
        rung = len(parts)
        parts.append(dict(body, parent=-1, at=[i * length, 0], angle=angle, rate=rate))
        if i == loops:
            break
        for place in places:
            point = [place * length, 0]
            closures.append(
                {
                    "first": len(parts),
                    "second": rung + 1 + len(places),
                    "on_first": [length, 0],
                    "on_second": point,
                }
            )
            parts.append(dict(body, parent=rung, at=point, angle=0.0, rate=0.0))
    return {"g": GRAVITY, "links": parts, "closures": closures}


def write(path, model):
    """A text, or a model of generate_models."""
    with open(path, "w", encoding="utf-8") as out:
        if isinstance(model, str):
            out.write(model)
        else:
            model.write(out)
    return str(path)


def disk_starts(count):
    """States of models/rolling_disk.toml, rolling: around that of theta 1.2, phi' 0.3, theta' 0.1, psi' 4."""
    draw = random.Random(1)
    r = 0.5
    starts = []
    for _ in range(count):
        theta, turn, spin = 1.2 + draw.uniform(-0.1, 0.1), 0.3 + draw.uniform(-0.1, 0.1), 4 + draw.uniform(-0.4, 0.4)
        starts.append([[0.0, theta, 0.0, 0.0, 0.0], [turn, 0.1, spin, -r * spin, 0.0]])
    return starts


def pendulum_starts(count):
    """States of models/double_pendulum.toml, gentle enough for a regular motion."""
    draw = random.Random(2)
    return [
        [[draw.uniform(0.3, 0.7), draw.uniform(-0.5, 0.0)], [0.0, draw.uniform(0.0, 0.8)]] for _ in range(count)
    ]


def chain_model(links, loop):
    return generate_models.chain(links, loop)


def ladder_model(loops, redundant):
    return generate_models.ladder(loops, redundant)
