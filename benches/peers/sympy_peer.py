"""SymPy (and SymEngine): deriving equations of motion. Timed: from the energies, or from bodies and frames, to the
equations; imports, and all that would follow (solving, compiling), are left out. SymPy's cache is emptied before each
derivation, for a user derives a system once."""

import time

import symengine
import sympy
from sympy.core.cache import clear_cache
from sympy.physics import mechanics

from worker import Prepared, serve

t = mechanics.dynamicsymbols._t


def rolling_disk():
    """models/rolling_disk.toml by LagrangesMethod with its two nonholonomic constraints."""
    m, r, g = sympy.symbols("m r g")
    phi, theta, psi, x, y = q = mechanics.dynamicsymbols("phi theta psi x y")
    sin, cos = sympy.sin, sympy.cos
    xc = x - r * sin(phi) * cos(theta)
    yc = y + r * cos(phi) * cos(theta)
    zc = r * sin(theta)
    turn = phi.diff(t) * sin(theta)
    spin = phi.diff(t) * cos(theta) + psi.diff(t)
    kinetic = (
        m * (xc.diff(t) ** 2 + yc.diff(t) ** 2 + zc.diff(t) ** 2) / 2
        + m * r**2 * (turn**2 + theta.diff(t) ** 2) / 8
        + m * r**2 * spin**2 / 4
    )
    rolling = [x.diff(t) + r * psi.diff(t) * cos(phi), y.diff(t) + r * psi.diff(t) * sin(phi)]
    frame = mechanics.ReferenceFrame("N")
    method = mechanics.LagrangesMethod(kinetic - m * g * zc, list(q), nonhol_coneqs=rolling, frame=frame)
    method.form_lagranges_equations()
    return method, [m, r, g], list(q)


def pendulum_lagrange(n):
    m, l, g = sympy.symbols("m l g")
    q = mechanics.dynamicsymbols(f"q1:{n + 1}")
    x = y = sympy.Integer(0)
    lagrangian = 0
    for angle in q:
        x, y = x + l * sympy.sin(angle), y - l * sympy.cos(angle)
        lagrangian += m * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2 - m * g * y
    method = mechanics.LagrangesMethod(lagrangian, list(q))
    method.form_lagranges_equations()
    return method, [m, l, g], list(q)


def pendulum_kane(n):
    """n particles on massless rods, angles from the vertical, by Kane's method as SymPy's own examples do it."""
    m, l, g = sympy.symbols("m l g")
    q = mechanics.dynamicsymbols(f"q1:{n + 1}")
    u = mechanics.dynamicsymbols(f"u1:{n + 1}")
    newton = mechanics.ReferenceFrame("N")
    point = mechanics.Point("P0")
    point.set_vel(newton, 0)
    particles, loads = [], []
    for i in range(n):
        rod = newton.orientnew(f"A{i}", "Axis", [q[i], newton.z])
        rod.set_ang_vel(newton, u[i] * newton.z)
        end = point.locatenew(f"P{i + 1}", -l * rod.y)
        end.v2pt_theory(point, newton, rod)
        particles.append(mechanics.Particle(f"Pa{i}", end, m))
        loads.append((end, -m * g * newton.y))
        point = end
    rates = [a.diff(t) - b for a, b in zip(q, u)]
    method = mechanics.KanesMethod(newton, q_ind=list(q), u_ind=list(u), kd_eqs=rates)
    method.kanes_equations(particles, loads)
    return method, [m, l, g], list(q) + list(u)


def pendulum_symengine(n):
    """M and Q by differentiating the energies with SymEngine, which has no mechanics of its own."""
    se = symengine
    m, l, g = se.symbols("m l g")
    q = se.symbols(f"q1:{n + 1}")
    v = se.symbols(f"v1:{n + 1}")
    x_rate = y_rate = y = se.Integer(0)
    kinetic = potential = se.Integer(0)
    for i in range(n):
        x_rate, y_rate = x_rate + l * se.cos(q[i]) * v[i], y_rate + l * se.sin(q[i]) * v[i]
        y = y - l * se.cos(q[i])
        kinetic += m * (x_rate**2 + y_rate**2) / 2
        potential += m * g * y
    momenta = [se.diff(kinetic, b) for b in v]
    mass = [[se.diff(momenta[i], v[j]) for j in range(i + 1)] for i in range(n)]
    forces = [
        se.diff(kinetic - potential, q[i]) - sum(se.diff(momenta[i], q[j]) * v[j] for j in range(n)) for i in range(n)
    ]
    return mass, forces, [m, l, g], q, v


def accelerations(method, parameters, symbols, request):
    """Numbers from SymPy's equations at the state given, for the comparison."""
    values = dict(zip(parameters, request["parameters"]))
    if isinstance(method, mechanics.KanesMethod):
        state = dict(zip(symbols, request["q"] + request["v"]))
        mass, forcing = method.mass_matrix, method.forcing
    else:
        state = dict(zip(symbols, request["q"]))
        rates = {s.diff(t): v for s, v in zip(symbols, request["v"])}
        mass = method.mass_matrix_full.subs(rates)
        forcing = method.forcing_full.subs(rates)
    numbers = values | state
    mass = sympy.Matrix(mass.subs(numbers)).evalf()
    forcing = sympy.Matrix(forcing.subs(numbers)).evalf()
    solution = list(mass.LUsolve(forcing))
    n = len(request["q"])
    return solution[:n] if isinstance(method, mechanics.KanesMethod) else solution[n : 2 * n]


def symengine_accelerations(derived, request):
    mass, forces, parameters, q, v = derived
    n = len(q)
    numbers = dict(zip(parameters, request["parameters"]))
    numbers |= dict(zip(q, request["q"])) | dict(zip(v, request["v"]))
    import numpy

    matrix = numpy.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            matrix[i, j] = matrix[j, i] = float(mass[i][j].subs(numbers).n(real=True))
    return numpy.linalg.solve(matrix, [float(f.subs(numbers).n(real=True)) for f in forces])


def prepare(request):
    system = request["system"]
    n = request.get("links", 0)
    derive = {
        "rolling disk": rolling_disk,
        "pendulum lagrange": lambda: pendulum_lagrange(n),
        "pendulum kane": lambda: pendulum_kane(n),
        "pendulum symengine": lambda: pendulum_symengine(n),
    }[system]

    start = time.perf_counter()
    derived = derive()
    first = time.perf_counter() - start
    if system == "pendulum symengine":
        values = symengine_accelerations(derived, request)
    else:
        values = accelerations(*derived, request)

    def work():
        clear_cache()
        derive()

    return Prepared(work, values=values, first=first, version=f"{sympy.__version__}, SymEngine {symengine.__version__}")


if __name__ == "__main__":
    serve(prepare)
