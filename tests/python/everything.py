"""Every public call once, or as often as somebody asks: for test_leaks.py, in this process and in ones of its own."""

import copy
import pickle
import tempfile
from pathlib import Path

import numpy as np

import dalembert as dal
from dalembert.executors import Here


def author():
    """A system with something in most sections."""
    s = dal.System("sledge", description="a knife edge on a slope")
    x, y, phi = s.coordinates("x y phi")
    m, g, k = s.parameters(m=2.0, g=9.81, k=0.5)
    h = s.let("h", x * dal.sin(0.1))
    s.kinetic = m * (x.d**2 + y.d**2 + k * phi.d**2) / 2
    s.potential = m * g * h
    s.dissipation = k * phi.d**2 / 10
    s.force({x: dal.cos(dal.t), y: -k * y.d})
    s.constrain(x.d * dal.sin(phi) == y.d * dal.cos(phi), name="knife edge")
    s.virtual_work(x, -0.1 * x.d)
    s.initial(q={x: 0.5}, v={phi: 1.0})
    s.simulation(duration=0.2, samples=5)
    s.outputs(height=h)
    return s


SYSTEM = author()
X, Y, PHI = (SYSTEM[name] for name in ("x", "y", "phi"))
MOTION = SYSTEM.compile()
T = np.linspace(0.0, 1.0, 9)
Q = np.linspace(-1.0, 1.0, 27).reshape(9, 3)
V = Q[::-1].copy()
SOLUTION = MOTION.simulate()
FOLDER = Path(tempfile.mkdtemp())


def fails(call, *kinds):
    """Calls what must raise one of these."""
    try:
        call()
    except kinds:
        return
    raise AssertionError("nothing was raised")


def expressions():
    e = (X + 1) ** 2 * dal.sin(PHI) / 3 - dal.exp(Y) ** 0.5
    cases = dal.where(X < Y, dal.clamp(e, 0, dal.hypot(X, Y)), dal.floor(X) * dal.step(Y))
    fails(lambda: bool(X >= 1), TypeError)
    fails(lambda: dal.where(True, X, Y), TypeError)
    chosen = [cases.diff(X), str(X <= Y), repr(X > 2), dal.where(np.array([1, 2]) < X, X, 0), copy.deepcopy(cases)]
    return [*chosen, e.d, e.dd, e.diff(X), e.subs({X: Y}), e.simplify(), e.evaluate({X: 1.0, Y: 0.5, PHI: 2.0}), e.symbols,
            e.latex, str(e), repr(e), hash(e), e == X, bool(X == X), pickle.loads(pickle.dumps(e)), np.sin(X), abs(-e)]


def states_one():
    return [MOTION.acceleration(0.0, Q[0], V[0]), MOTION.evaluate(0.0, Q[0], V[0]).to_dict(), MOTION.rhs(0.0, np.zeros(6)),
            MOTION.jacobian(0.0, Q, V), MOTION.jacobian(0.0, Q, V, of="ideal", by=["m"]),
            MOTION.inverse_dynamics(0.0, Q[0], V[0], MOTION.acceleration(0.0, Q[0], V[0])), MOTION.linearize(steady=False),
            MOTION.sensitivities(["m", "x"], 0.1, samples=2),
            MOTION.sensitivities(["m", "x"], 0.1, samples=2, order=2), MOTION.gradient("x", ["m", "x"], 0.1), fails(MOTION.equilibrium, ValueError)]


def states_many():
    return [MOTION.acceleration(T, Q, V), MOTION.forces(T, Q, V)["knife edge"], MOTION.mass_matrix(T, Q),
            MOTION.constraint_matrix(T, Q, V), MOTION.constraint_bias(T, Q, V), MOTION.energy(T, Q, V),
            MOTION.residuals(T, Q, V), MOTION.output_values(T, Q, V),
            MOTION.acceleration(T, {"x": Q[:, 0]}, {"phi": V[:, 2]}), MOTION.rhs(0.0, np.zeros((6, 4)))]


def functions():
    rhs = MOTION.rhs
    return [rhs.address, rhs.data, rhs.signature, rhs.ctypes, pickle.loads(pickle.dumps(rhs))]


def solutions():
    sol = MOTION.simulate(duration=0.1, samples=3, parameters={"m": 3.0}, q={"x": 0.2})
    sol.to_csv(FOLDER / "motion.csv")
    return [sol.t, sol["x"], sol["x'"], sol[X.d], sol.q, sol.v, sol.a, sol.forces.ideal, sol.forces["knife edge"],
            sol.columns, sol.summary, sol.outputs, repr(sol), pickle.loads(pickle.dumps(sol))]


def driven():
    s = dal.System("driven")
    x = s.coordinate("x")
    s.kinetic = x.d**2 / 2
    u = s.input("u")
    table = s.table("F", [0, 1, 2], [0, 3, 1], interpolation="spline")
    s.force(x, u * table(x))
    motion = s.compile()
    sim = motion.start(q=[0.1])
    sim.step(0.1, u=1)
    sol = motion.simulate(0.2, inputs={"u": lambda t: t}, samples=3)
    fails(lambda: motion.simulate(0.2, inputs={"w": 1}), ValueError)
    fails(lambda: s.table("G", [0, 0], [0, 1]), ValueError)
    return [sim["x"], sim.q, repr(sim), table.derivative(0.5), table([0.1, 0.2]), s["F"], s.to_toml(), sol(0.15)["x"], sol.extend(0.1),
            motion.simulate(0.2, inputs={"u": ([0, 1], [1, 2])}, hold=True, t0=1, samples=2)]


def reports():
    SOLUTION.report(FOLDER / "report.html")


def exports():
    """FMUs with the C compiler are for test_fmu.py."""
    fails(lambda: MOTION.export("cc"), ValueError)
    fails(lambda: dal.read("bouncing_ball").compile().export("js", FOLDER / "refused"), ValueError)
    return [MOTION.export("c", FOLDER / "c"), MOTION.export("python", FOLDER / "sledge.py"), MOTION.export("js", FOLDER / "sledge.mjs")]


def motions():
    return [pickle.loads(pickle.dumps(MOTION)), MOTION.with_parameters(m=3.0), MOTION.parameter_values(), repr(MOTION)]


def systems():
    s = author()
    other = copy.copy(s)
    s.save(FOLDER / "sledge.toml")
    led = dal.System("led")
    (x,), (u,) = led.coordinates("x"), led.inputs(u=0)
    led.kinetic = x.d**2 / 2
    led.force(x, u)
    led.constrain(x == dal.t**2, by=u)
    return [led.compile().output_values(), other.to_toml(), pickle.loads(pickle.dumps(s)), dal.read(FOLDER / "sledge.toml"), dal.loads(s.to_toml()),
            dal.read("rolling_disk"), dal.models(), repr(s), s.kinetic, s.constraints]


def bodies():
    s = dal.System("rod")
    (theta,) = s.coordinates("theta")
    s.gravity = [0, 0, -9.81]
    rod = s.body("rod", mass=1.0, inertia=[0.1, 0.1, 0.1], position=[dal.sin(theta), 0, -dal.cos(theta)],
                 orientation=["y", theta])
    return [rod.position, rod.velocity, rod.spin, rod.point([0, 0, 1]), s.compile().acceleration()]


def derivations():
    derived = SYSTEM.derive("m-inverse")
    return [derived.latex, derived.text, derived.markdown, derived.html, derived.equations, derived.steps, SYSTEM.equations]


def checks():
    return [bool(SYSTEM.check("m-inverse")), str(SYSTEM.check("m-inverse"))]


def sweeps():
    study = dal.sweep(MOTION, vary={"m": [1.0, 2.0, 3.0]}, statistics=["max(x)"], samples=2, threads=1)
    with tempfile.TemporaryDirectory() as folder:
        handed = dal.sweep(MOTION, vary={"m": [1.0, 2.0]}, duration=0.1, executor=Here(), out=Path(folder) / "s")
    return [study["m"], study.statistics["max(x)"], study.complete, study.summary, repr(study), handed.complete]


def matrices():
    return dal.fundamental(np.eye(3), np.ones(3), [[1.0, 1.0, 0.0]], [0.0]).acceleration


def errors():
    fails(lambda: dal.loads("coordinates = 3")._model(), dal.ModelError)
    fails(lambda: MOTION.acceleration(0.0, [1.0], V[0]), ValueError)
    fails(lambda: MOTION.acceleration(0.0, [np.nan, 0, 0], V[0]), ValueError)
    fails(lambda: MOTION.acceleration(0.0, {"z": 1.0}), KeyError, ValueError)
    fails(lambda: X + dal.System("other").coordinate("x"), ValueError)
    fails(lambda: X + "y", TypeError)
    fails(lambda: SOLUTION["z"], KeyError)
    fails(lambda: dal.fundamental(np.eye(3), np.ones(2), [[1.0, 1.0, 0.0]], [0.0]), ValueError)
    fails(lambda: MOTION.simulate(duration=-1.0), ValueError)
    fails(lambda: SYSTEM.compile(method="no such"), ValueError, KeyError)
    fails(lambda: SYSTEM.compile(parameters={"no such": 1}), ValueError, KeyError)


CALLS = [expressions, states_one, states_many, functions, solutions, driven, reports, exports, motions, systems, bodies, derivations,
         checks, sweeps, matrices, errors]


if __name__ == "__main__":
    for call in CALLS:
        call()
