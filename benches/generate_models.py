#!/usr/bin/env python3
"""Writes models of any size in absolute coordinates, as TOML: chains and ladders of four-bar loops.

    benches/generate_models.py chain 1000 > chain.toml              n = 3 N, m = 2 N
    benches/generate_models.py chain 1000 --loop > loop.toml        the tip of the last link pinned too: m = 2 N + 2
    benches/generate_models.py ladder 100 > ladder.toml             n = 6 N + 3, m = 6 N + 2: one degree of freedom
    benches/generate_models.py ladder 100 --redundant > ladder.toml n = 9 N + 3, m = 10 N + 2, rank 9 N + 2
    benches/generate_models.py rods 1000 > rods.toml                n = 7 N, m = 4 N: in space, bodies and ball joints
    benches/generate_models.py chain 100 --view > chain.toml        with a drawing; rods draw themselves

But for rods, each body has the coordinates x, y of its middle and the angle a of its axis; hinges are constraints. A chain hangs
from the origin; its initial angles go evenly from 0.3 to 1.3 rad below the horizontal. The rungs of a ladder stand on
hinges one bar length apart, all turned by the same angle, with a coupler between neighbouring tips; with --redundant
also one between neighbouring middles, which adds no freedom and one redundant constraint a loop. Rods are bodies with
quaternions on ball joints, level and turning about the vertical: models/chain.toml of any length.
"""

import argparse
import math
import sys


class Writer:
    """Collects the parts of a model file."""

    def __init__(self, name, description, parameters):
        self.name, self.description, self.parameters = name, description, parameters
        self.coordinates, self.kinetic, self.potential = [], [], []
        self.constraints, self.initial = [], []

    def body(self, index, x, y, a, velocity=(0.0, 0.0, 0.0)):
        names = [f"{c}{index}" for c in "xya"]
        self.coordinates += names
        self.kinetic.append(f"m*(x{index}'^2 + y{index}'^2)/2 + J*a{index}'^2/2")
        self.potential.append(f"m*g*y{index}")
        self.initial += [f"{n} = {v!r}" for n, v in zip(names, (x, y, a))]
        self.initial += [f"\"{n}'\" = {v!r}" for n, v in zip(names, velocity) if v != 0]

    def hinge(self, name, left, right):
        """left and right: (x expression, y expression) of the two points that coincide."""
        for axis, l, r in zip("xy", left, right):
            self.constraints.append(f'[[constraint]]\nname = "{name} {axis}"\nequation = "{l} = {r}"\n')

    def view(self):
        """A drawing: each body as a rod of length L."""
        text = '\n[view]\nup = "y"\nground = false\n'
        for x in (c for c in self.coordinates if c.startswith("x")):
            ends = [", ".join(f'"{e}"' for e in point(x[1:], along)) for along in (-0.5, 0.5)]
            text += f"\n[[view.segment]]\nfrom = [{ends[0]}, 0]\nto = [{ends[1]}, 0]\n"
        return text

    def write(self, out):
        out.write(f'name = "{self.name}"\ndescription = "{self.description}"\n')
        out.write("coordinates = [" + ", ".join(f'"{c}"' for c in self.coordinates) + "]\n\n[parameters]\n")
        for name, value in self.parameters.items():
            out.write(f"{name} = {value!r}\n")
        out.write("\n[energy]\nkinetic = \"" + " + ".join(self.kinetic) + "\"\n")
        out.write("potential = \"" + " + ".join(self.potential) + "\"\n\n")
        out.write("\n".join(self.constraints) + "\n[initial]\nadjust = \"nearest\"\n" + "\n".join(self.initial))
        out.write("\n\n[simulation]\nduration = 0.01\nsamples = 2\n")


def point(index, along):
    """A point of a body, `along` bar lengths from its middle."""
    if along == 0:
        return f"x{index}", f"y{index}"
    sign = "+" if along > 0 else "-"
    arm = "L/2" if abs(along) == 0.5 else f"{abs(along)!r}*L"
    return f"x{index} {sign} {arm}*cos(a{index})", f"y{index} {sign} {arm}*sin(a{index})"


def chain(links, loop):
    length, mass = 0.1, 0.2
    parameters = {"m": mass, "L": length, "J": mass * length**2 / 12, "g": 9.81}
    xs, ys = [0.0], [0.0]
    angles = [-0.3 - (i / (links - 1) if links > 1 else 0.0) for i in range(links)]
    for angle in angles:
        xs.append(xs[-1] + length * math.cos(angle))
        ys.append(ys[-1] + length * math.sin(angle))
    if loop:
        parameters |= {"px": xs[-1], "py": ys[-1]}
    model = Writer(f"Chain of {links} links" + (", both ends held" if loop else ""),
                   "Planar chain of equal rods in absolute coordinates.", parameters)
    for i, angle in enumerate(angles):
        model.body(i + 1, (xs[i] + xs[i + 1]) / 2, (ys[i] + ys[i + 1]) / 2, angle)
    model.hinge("hinge 1", point(1, -0.5), ("0", "0"))
    for i in range(1, links):
        model.hinge(f"hinge {i + 1}", point(i + 1, -0.5), point(i, 0.5))
    if loop:
        model.hinge("pin", point(links, 0.5), ("px", "py"))
    return model


def ladder(loops, redundant):
    length, mass, angle, rate = 1.0, 1.0, 1.2, 0.5
    parameters = {"m": mass, "L": length, "J": mass * length**2 / 12, "g": 9.81}
    model = Writer(f"Ladder of {loops} four-bar loops" + (", couplers doubled" if redundant else ""),
                   "Parallel rungs on hinges, neighbouring rungs joined by couplers.", parameters)
    c, s = math.cos(angle), math.sin(angle)
    per_loop = 3 if redundant else 2
    rung = [1 + per_loop * i for i in range(loops + 1)]
    for i in range(loops + 1):
        model.body(rung[i], i * length + length / 2 * c, length / 2 * s, angle,
                   (-length / 2 * s * rate, length / 2 * c * rate, rate))
        model.hinge(f"foot {i + 1}", point(rung[i], -0.5), (f"{i}*L", "0"))
        if i == loops:
            break
        for place, along in enumerate([0.5, 0] if redundant else [0.5]):
            bar, reach = rung[i] + 1 + place, length * (0.5 + along)
            model.body(bar, i * length + reach * c + length / 2, reach * s, 0.0,
                       (-reach * s * rate, reach * c * rate, 0.0))
            model.hinge(f"left {bar}", point(bar, -0.5), point(rung[i], along))
            model.hinge(f"right {bar}", point(bar, 0.5), point(rung[i + 1], along))
    return model


def rods(links):
    names = [[f"{c}{i}" for c in ("x", "y", "z", "a", "b", "c", "d")] for i in range(1, links + 1)]
    text = f'name = "Chain of {links} rods in space"\ncoordinates = ['
    text += ", ".join(f'"{name}"' for body in names for name in body)
    text += ']\ngravity = [0, 0, "-g"]\n\n[parameters]\ng = 9.81\nl = 0.25\nm = 0.5\nw = 1\n'
    for i, (x, y, z, a, b, c, d) in enumerate(names, 1):
        text += f'\n[[body]]\nname = "rod{i}"\nmass = "m"\ninertia = ["m*l^2/1200", "m*l^2/12", "m*l^2/12"]\n'
        text += f'position = ["{x}", "{y}", "{z}"]\norientation = {{ quaternion = ["{a}", "{b}", "{c}", "{d}"] }}\n'
    for i in range(1, links + 1):
        before = '"ground"' if i == 1 else f'"rod{i - 1}"'
        at = "[0, 0, 0]" if i == 1 else '["l/2", 0, 0]'
        text += f'\n[[joint]]\nname = "ball{i}"\ntype = "ball"\nbodies = [{before}, "rod{i}"]\n'
        text += f'points = [{at}, ["-l/2", 0, 0]]\n'
    text += "\n[initial]\n"
    for i in range(1, links + 1):
        text += f'x{i} = "{2 * i - 1}*l/2"\n"y{i}\'" = "w*x{i}"\n"d{i}\'" = "w/2"\n'
    return text + "\n[simulation]\nduration = 0.01\nsamples = 2\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["chain", "ladder", "rods"])
    parser.add_argument("size", type=int, help="links of the chain, loops of the ladder")
    parser.add_argument("--loop", action="store_true", help="chain: pin the tip of the last link")
    parser.add_argument("--view", action="store_true", help="chain, ladder: with a drawing")
    parser.add_argument("--redundant", action="store_true", help="ladder: a second coupler in each loop")
    given = parser.parse_args()
    if given.size < 1:
        parser.error("the size must be at least 1")
    if given.loop and given.kind != "chain" or given.redundant and given.kind != "ladder":
        parser.error("--loop is for chains, --redundant for ladders")
    if given.kind == "rods":
        sys.stdout.write(rods(given.size))
        return
    model = chain(given.size, given.loop) if given.kind == "chain" else ladder(given.size, given.redundant)
    model.write(sys.stdout)
    if given.view:
        sys.stdout.write(model.view())


if __name__ == "__main__":
    main()
