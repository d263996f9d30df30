"""CasADi: the constrained acceleration of the rolling disk as an SX function, written out as C and compiled.

    casadi_peer.py FOLDER    writes FOLDER/rolling_disk.c and FOLDER/casadi.json, which names the version

M, Q, A, b are made by CasADi's differentiation from the energies of models/rolling_disk.toml, as a user would; then M
is factored by CasADi's symbolic L D L^T, and so is A M^-1 A^T: the cheapest of its ways for this system. The function
is (q, v) -> (q'', ideal force) with the parameters bound, as dalembert binds them, and common subexpressions shared
(casadi.cse). benches/peers/casadi_loop.cpp calls it."""

import json
import pathlib
import sys

import casadi
from casadi import SX, cos, gradient, jacobian, jtimes, sin, vertcat


def ldl_solver(matrix):
    """x = matrix^-1 b by L D L^T."""
    d, upper, order = casadi.ldl(matrix)
    return lambda b: casadi.ldl_solve(b, d, upper, order)


def rolling_disk(m, r, g):
    q, v = SX.sym("q", 5), SX.sym("v", 5)
    phi, theta, _, x, y = casadi.vertsplit(q)
    centre = vertcat(x - r * sin(phi) * cos(theta), y + r * cos(phi) * cos(theta), r * sin(theta))
    velocity = jtimes(centre, q, v)
    turn = v[0] * sin(theta)
    spin = v[0] * cos(theta) + v[2]
    kinetic = m * casadi.dot(velocity, velocity) / 2 + m * r**2 * (turn**2 + v[1] ** 2) / 8 + m * r**2 * spin**2 / 4
    momenta = gradient(kinetic, v)
    mass = jacobian(momenta, v)
    force = gradient(kinetic - m * g * centre[2], q) - jtimes(momenta, q, v)
    rolling = vertcat(v[3] + r * v[2] * cos(phi), v[4] + r * v[2] * sin(phi))
    a = jacobian(rolling, v)
    b = -jtimes(rolling, q, v)
    solve_mass = ldl_solver(mass)
    free, columns = solve_mass(force), solve_mass(a.T)
    multipliers = ldl_solver(a @ columns)(b - a @ free)
    ideal = casadi.densify(a.T @ multipliers)
    outputs = casadi.cse([free + columns @ multipliers, ideal])
    return casadi.Function("rolling_disk", [q, v], outputs)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    function = rolling_disk(2, 0.5, 9.8125)
    generator = casadi.CodeGenerator("rolling_disk.c")
    generator.add(function)
    generator.generate(str(folder) + "/")
    (folder / "casadi.json").write_text(
        json.dumps({"version": casadi.__version__, "instructions": function.n_instructions()})
    )


if __name__ == "__main__":
    main()
