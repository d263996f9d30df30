"""Accelerations, forces and matrices of many states: against closed forms, the command, and each other."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest

import dalembert as dal

MODELS = Path(os.environ.get("DALEMBERT_MODELS", Path(__file__).parents[2] / "models"))
COMMAND = os.environ.get("DALEMBERT", str(Path(dal.__file__).with_name("dalembert")))

BEAD = """
name = "Bead on a slope"
coordinates = ["x", "y"]
[parameters]
m = 2
g = 9.81
k = 0.5
steep = "k*2"
[energy]
kinetic = "m*(x'^2 + y'^2)/2"
potential = "m*g*y"
[[constraint]]
name = "slope"
equation = "y = steep*x"
[initial]
x = 1
y = 1
"x'" = 3
"y'" = 3
[outputs]
height = "y"
push = "ideal.y"
"""


def model(name, method=None, parameters=None):
    return dal.Compiled(dal.read(MODELS / f"{name}.toml"), method, parameters)


def from_text(text, tmp_path, method=None, parameters=None):
    path = tmp_path / "model.toml"
    path.write_text(text, encoding="utf-8")
    return dal.Compiled(dal.read(path), method, parameters)


@pytest.fixture
def bead(tmp_path):
    return from_text(BEAD, tmp_path)


@pytest.fixture(scope="module")
def disk():
    return model("rolling_disk")


@pytest.fixture(scope="module")
def double():
    return model("double_pendulum")


def double_pendulum(p, q, v):
    """The textbook's accelerations, angles from the vertical."""
    m1, m2, l1, l2, g = (p[name] for name in ("m1", "m2", "l1", "l2", "g"))
    a, b = q[..., 0], q[..., 1]
    d = a - b
    M = np.empty(q.shape[:-1] + (2, 2))
    M[..., 0, 0] = (m1 + m2) * l1**2
    M[..., 1, 1] = m2 * l2**2
    M[..., 0, 1] = M[..., 1, 0] = m2 * l1 * l2 * np.cos(d)
    Q = np.stack(
        [
            -m2 * l1 * l2 * np.sin(d) * v[..., 1] ** 2 - (m1 + m2) * g * l1 * np.sin(a),
            m2 * l1 * l2 * np.sin(d) * v[..., 0] ** 2 - m2 * g * l2 * np.sin(b),
        ],
        axis=-1,
    )
    return np.linalg.solve(M, Q[..., np.newaxis])[..., 0], M, Q


def test_the_closed_form_of_the_double_pendulum(double):
    rng = np.random.default_rng(1)
    q, v = rng.uniform(-3, 3, (2, 4000, 2))
    expected, M, Q = double_pendulum(double.parameter_values(), q, v)
    np.testing.assert_allclose(double.acceleration(0, q, v), expected, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(double.mass_matrix(0, q), M, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(double.forces(0, q, v).applied, Q, rtol=1e-11, atol=1e-11)


def test_a_state_depends_on_no_other_and_on_no_thread(disk):
    rng = np.random.default_rng(2)
    q = disk.evaluate().q + rng.uniform(-0.1, 0.1, (5003, 5))
    v = disk.evaluate().v + rng.uniform(-0.1, 0.1, (5003, 5))
    many = disk.acceleration(0.0, q, v)
    assert (many == disk.acceleration(0.0, q, v, threads=1)).all()
    assert (many[::-1] == disk.acceleration(0.0, q[::-1], v[::-1], threads=3)).all()
    for i in range(0, 5003, 500):
        assert (many[i] == disk.acceleration(0.0, q[i], v[i])).all()
        assert (many[i] == disk.acceleration(0.0, q[i].tolist(), v[i].tolist())).all()
        assert (many[i] == disk.forces(0.0, q[i], v[i]).acceleration).all()


def test_everything_as_the_command_evaluates_it(disk):
    found = subprocess.run([COMMAND, "eval", str(MODELS / "rolling_disk.toml"), "--json"], capture_output=True, text=True)
    expected = json.loads(found.stdout)
    e = disk.evaluate()
    assert e.to_dict() == expected
    assert e.acceleration.tolist() == list(expected["acceleration"].values())
    assert e.mass_matrix.tolist() == expected["mass_matrix"]
    forces = disk.forces()
    for constraint in expected["constraints"]:
        share = list(constraint["force"].values())
        np.testing.assert_allclose(forces[constraint["name"]], share, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(e.constraint(constraint["name"])["force"], share, rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(sum(forces.values()), forces.ideal, atol=1e-13)


def knows_contacts(path):
    text = path.read_text(encoding="utf-8")
    return "[[contact]]" in text or "[[friction]]" in text


@pytest.mark.parametrize("name", sorted(path.stem for path in MODELS.glob("*.toml") if not knows_contacts(path)))
def test_the_equation_of_motion_holds_for_every_model(name):
    motion = model(name)
    start = motion.evaluate()
    n = len(motion.coordinate_names)
    rng = np.random.default_rng(3)
    q = start.q + rng.uniform(-1e-3, 1e-3, (3, n))
    q[0] = start.q
    v = np.broadcast_to(start.v, (3, n))
    forces = motion.forces(start.t, q, v)
    M, A, b = (f(start.t, q, v) for f in (motion.mass_matrix, motion.constraint_matrix, motion.constraint_bias))
    sum_of_forces = forces.applied + forces.ideal + forces.nonideal
    scale = 1 + np.abs(forces.applied).max()
    np.testing.assert_allclose(np.einsum("sij,sj->si", M, forces.acceleration), sum_of_forces, atol=1e-9 * scale)
    np.testing.assert_allclose(np.einsum("sji,sj->si", A, forces.multipliers), forces.ideal, atol=1e-9 * scale)
    np.testing.assert_allclose(A[0] @ forces.acceleration[0], b[0], atol=1e-9 * scale)
    np.testing.assert_allclose(forces.acceleration[0], start.acceleration, atol=1e-9 * scale)
    np.testing.assert_allclose(M[0], start.mass_matrix, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(A[0], start.constraint_matrix, rtol=1e-12, atol=1e-14)


def test_shapes_are_broadcast(bead):
    n = 2
    assert bead.acceleration().shape == (n,)
    assert bead.acceleration(np.zeros(4), {}, {}).shape == (4, n)
    assert bead.acceleration(np.zeros((3, 1)), np.ones((4, n)), {}).shape == (3, 4, n)
    assert bead.acceleration(0, np.ones((3, 1, n)), np.ones((1, 5, n))).shape == (3, 5, n)
    assert bead.mass_matrix(0, np.ones((7, n))).shape == (7, n, n)
    assert bead.constraint_matrix(np.zeros((2, 2)), [1, 1], {}).shape == (2, 2, 1, n)
    assert bead.acceleration(0, np.empty((0, n)), np.empty((0, n))).shape == (0, n)
    assert bead.forces(0, np.empty((4, 0, n)), [1, 1])["slope"].shape == (4, 0, n)
    q = np.arange(24.0).reshape(3, 4, 2)
    v = np.arange(2.0)
    a = bead.acceleration(0, q, v)
    for i in range(3):
        for j in range(4):
            assert (a[i, j] == bead.acceleration(0, q[i, j], v)).all()


def test_other_arrays_are_converted(bead):
    q = np.arange(12).reshape(6, 2)
    v = np.ones((6, 2), np.float32)
    expected = bead.acceleration(0, q.astype(float), v.astype(float))
    assert (bead.acceleration(0, q, v) == expected).all()
    assert (bead.acceleration(0, np.asfortranarray(q.astype(float)), v) == expected).all()
    wide = np.zeros((6, 4))
    wide[:, ::2] = q
    assert (bead.acceleration(0, wide[:, ::2], v) == expected).all()
    assert (bead.acceleration(0, [list(row) for row in q], v) == expected).all()


def test_names_and_initial_values(bead):
    a = bead.acceleration(0, {"x": [0.0, 1.0], "y": 2.0}, {"x'": 1.0})
    assert a.shape == (2, 2)
    assert (a[1] == bead.acceleration(0, [1.0, 2.0], [1.0, 3.0])).all()
    assert (bead.acceleration(0, {}, {"x": 1.0, "y'": 2.0}) == bead.acceleration(0, [1, 1], [1, 2])).all()
    assert (bead.acceleration() == bead.acceleration(0, [1, 1], [3, 3])).all()


def test_coordinates_stand_for_their_names():
    s = dal.System("pendulum")
    x, y = s.coordinates("x y")
    m, g = s.parameters(m=1.0, g=9.81)
    s.kinetic = m * (x.d**2 + y.d**2) / 2
    s.potential = m * g * y
    s.constrain(x**2 + y**2 == 4, name="rod")
    motion = s.compile()
    expected = motion.acceleration(0, [0, -2], [1, 0])
    np.testing.assert_allclose(expected, [0, 0.5], atol=1e-14)
    assert (motion.acceleration(0, {x: 0, y: -2}, {x: 1, y.d: 0}) == expected).all()
    assert motion.with_parameters({g: 2.0}).parameter_values()["g"] == 2
    stranger = dal.System("other").coordinate("x")
    for ask in (lambda: motion.acceleration(0, {stranger: 0}), lambda: motion.with_parameters({stranger: 0})):
        with pytest.raises(ValueError, match="other"):
            ask()
    with pytest.raises(KeyError, match="no 'x''"):
        motion.acceleration(0, {x.d: 1})
    with pytest.raises(ValueError):
        motion.acceleration(0, {x + y: 1})


def test_forces_of_a_bead_on_a_slope(bead):
    g, slope = 9.81, 1.0
    along = -g * slope / (1 + slope**2)
    f = bead.forces(0, np.zeros((3, 2)), 0.0 * np.ones(2))
    np.testing.assert_allclose(f.acceleration, [[along, along * slope]] * 3, rtol=1e-14)
    np.testing.assert_allclose(f.applied, [[0, -2 * g]] * 3, rtol=1e-15)
    np.testing.assert_allclose(f.ideal, [[2 * along, 2 * along + 2 * g]] * 3, rtol=1e-13)
    assert (f.nonideal == 0).all() and f.unique.all() and f.multipliers.shape == (3, 1)
    assert list(f) == ["slope"] and len(f) == 1
    with pytest.raises(KeyError, match="did you mean 'slope'"):
        f["sloep"]


def test_outputs_energy_and_residuals(bead):
    x = np.linspace(-1, 1, 5)
    outputs = bead.output_values(0, {"x": x, "y": x}, {"x": 0, "y": 0})
    assert (outputs["height"] == x).all()
    np.testing.assert_allclose(outputs["push"], 9.81, rtol=1e-13)
    kinetic, potential = bead.energy(0, np.stack([x, x], -1), [3, 4])
    np.testing.assert_allclose(kinetic, 25.0)
    np.testing.assert_allclose(potential, 2 * 9.81 * x)
    residual, rate = bead.residuals(0, [0, 2], [1, 4])
    assert residual.tolist() == [2.0] and rate.tolist() == [3.0]


def test_reactions_of_joints_are_outputs():
    motion = model("slider_crank")
    joints = motion.evaluate().joints
    outputs = motion.output_values()
    for name, joint in joints.items():
        for axis, value in zip("xyz", joint["force"]["world"]):
            own = f"{name}.f{axis}"
            if own in outputs:
                np.testing.assert_allclose(outputs[own], value, atol=1e-9)


def test_results_go_where_they_are_wanted(bead):
    q, v = np.random.default_rng(4).normal(size=(2, 100, 2))
    expected = bead.acceleration(0, q, v)
    out = np.full((100, 2), np.nan)
    assert bead.acceleration(0, q, v, out=out) is out
    assert (out == expected).all()
    for wrong in (np.empty((99, 2)), np.empty((2, 100)).T, np.empty((100, 4))[:, ::2]):
        with pytest.raises(ValueError, match="out"):
            bead.acceleration(0, q, v, out=wrong)
    with pytest.raises(TypeError, match="float32"):
        bead.acceleration(0, q, v, out=np.empty((100, 2), np.float32))
    frozen = np.empty((100, 2))
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="writable"):
        bead.acceleration(0, q, v, out=frozen)
    q[50] = np.nan  # solved again by the decision about the rank, after its row was written
    own = q.copy()
    expected = bead.acceleration(0, own, v, on_error="nan")
    assert bead.acceleration(0, own, v, out=own, on_error="nan") is own
    np.testing.assert_array_equal(own, expected)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((0, [1.0, 2.0, 3.0], [0, 0]), ValueError, r"q has the shape \(3,\); expected \(\.\.\., 2\).*x, y"),
        ((0, 1.0, [0, 0]), ValueError, r"q has the shape \(\)"),
        ((0, np.ones((3, 2)), np.ones((4, 2))), ValueError, r"do not go together: t \(\), q \(3,\), v \(4,\)"),
        ((0, ["a", "b"], [0, 0]), TypeError, "q must be real numbers"),
        ((0, [1j, 0], [0, 0]), TypeError, r"q must be real numbers, and q\[0\] is 1j, which is complex"),
        ((0, np.array([1j, 0]), [0, 0]), TypeError, "q must be real numbers, not complex128"),
        ((0, [[1, 2], [3]], [0, 0]), TypeError, r"and q\[0\] has 2 entries where q\[1\] has 1 entry"),
        ((0, [[1, 2], 3], [0, 0]), TypeError, r"and q\[0\] has 2 entries where q\[1\] is one number"),
        ((0, [[[1, 2], [3]]], [0, 0]), TypeError, r"and q\[0\]\[0\] has 2 entries where q\[0\]\[1\] has 1 entry"),
        ((0, [1, None], [0, 0]), TypeError, r"and q\[1\] is None$"),
        (("now", [1, 0], [0, 0]), TypeError, "t must be real numbers"),
        ((None, [1, 0], [0, 0]), TypeError, "t must be real numbers"),
        ((0, {"z": 1}, [0, 0]), KeyError, "no 'z'; there are x, y"),
        ((0, {3: 1}, [0, 0]), TypeError, "not 'int'"),
        ((0, {"x": [1, 2], "y": [1, 2, 3]}, [0, 0]), ValueError, r"x \(2,\), y \(3,\)"),
        ((0, [1, 0], {"x": 1, "x'": 2}), ValueError, "'x' is given twice"),
        ((0, [np.nan, 0], [0, 0]), ValueError, "this state has no acceleration: x is nan"),
        ((0, [0, 0], [[0, 0], [0, np.inf]]), ValueError, "state 1 has no acceleration: y' is inf"),
        ((np.zeros((2, 3)) - [[0], [np.inf]], [0, 0], [0, 0]), ValueError, r"state \(1, 0\).*t is -inf.*2 more"),
    ],
)
def test_bad_states_are_refused_in_words(bead, arguments, error, words):
    with pytest.raises(error, match=words):
        bead.acceleration(*arguments)


def test_bad_options_are_refused_in_words(bead):
    with pytest.raises(ValueError, match="on_error is 'ignore'"):
        bead.acceleration(on_error="ignore")
    with pytest.raises(ValueError, match="threads is -1; expected 1 to 1024, or 0 or None for one per core"):
        bead.forces(threads=-1)
    with pytest.raises(TypeError):
        bead.forces(threads=1.5)
    with pytest.raises(ValueError, match="vakonomic only"):
        bead.acceleration(mu=[0.0])
    with pytest.raises(ValueError, match="one state"):
        bead.evaluate(0, np.zeros((2, 2)), [0, 0])
    with pytest.raises(ValueError, match="not finite"):
        bead.evaluate(0, [np.nan, 0], [0, 0])
    with pytest.raises(ValueError, match="state 1: q is not finite"):
        bead.mass_matrix(0, [[0, 0], [np.nan, 0]])


def test_states_without_an_acceleration_may_be_nan(tmp_path):
    pole = from_text(
        'coordinates = ["x", "y"]\n[energy]\nkinetic = "x\'^2/2 + x^2*y\'^2/2"\npotential = "sqrt(x)"\n'
        "[initial]\nx = 1\n",
        tmp_path,
    )
    q = np.ones((20, 2))
    q[7] = -1
    q[13] = 0
    a = pole.acceleration(0, q, np.zeros(2), on_error="nan")
    assert np.isnan(a[[7, 13]]).all() and np.isfinite(np.delete(a, [7, 13], 0)).all()
    with pytest.raises(ValueError, match=r"state 7 has no acceleration: .*sqrt.*and 1 more"):
        pole.acceleration(0, q, np.zeros(2))
    assert np.isnan(pole.forces(0, q, np.zeros(2), on_error="nan").applied[7]).all()
    assert np.isnan(pole.output_values(0, q, np.zeros(2), on_error="nan").get("none", np.nan)).all()


def test_parameters(bead, tmp_path):
    assert bead.parameter_values() == {"m": 2.0, "g": 9.81, "k": 0.5, "steep": 1.0}
    moon = bead.with_parameters(g=1.62, k="1/4")
    assert moon.parameter_values() == {"m": 2.0, "g": 1.62, "k": 0.25, "steep": 0.5}
    np.testing.assert_allclose(moon.acceleration()[0], -1.62 * 0.5 / 1.25, rtol=1e-14)
    again = moon.with_parameters({"m": np.float64(3)})
    assert again.parameter_values()["g"] == 1.62 and again.parameter_values()["m"] == 3
    assert bead.parameter_values()["g"] == 9.81
    compiled = from_text(BEAD, tmp_path, parameters={"g": 1.62, "k": 0.25})
    q, v = np.random.default_rng(5).normal(size=(2, 50, 2))
    assert (moon.acceleration(0, q, v) == compiled.acceleration(0, q, v)).all()
    assert (moon.mass_matrix(0, q) == compiled.mass_matrix(0, q)).all()
    with pytest.raises(dal.ModelError, match="gg"):
        bead.with_parameters(gg=1)
    for wrong, error in ((float("nan"), ValueError), (True, TypeError), (None, TypeError), ([1], TypeError)):
        with pytest.raises(error):
            bead.with_parameters(m=wrong)


def test_methods_agree(disk):
    rng = np.random.default_rng(6)
    start = disk.evaluate()
    q = start.q + rng.uniform(-0.1, 0.1, (4, 5))
    expected = disk.acceleration(0, start.q, start.v)
    for method in ("scaled", "extended-dalembert", "multipliers", "maggi", "suslov", "gauss", "voronets"):
        other = model("rolling_disk", method)
        assert other.method == method
        np.testing.assert_allclose(other.acceleration(0, start.q, start.v), expected, atol=1e-9)
        assert other.acceleration(0, q, start.v).shape == (4, 5)
        np.testing.assert_allclose(other.forces().ideal, disk.forces().ideal, atol=1e-9)


def test_vakonomic_needs_mu():
    motion = model("skate_on_incline", "vakonomic")
    q, v = motion.evaluate(mu=[0.0]).q, motion.evaluate(mu=[0.0]).v
    m = len(motion.constraints)
    one = motion.acceleration(0, q, v, mu=np.full(m, 0.3))
    many = motion.acceleration(0, q, v, mu=np.linspace(0, 0.3, 4)[:, np.newaxis] * np.ones(m))
    assert many.shape == (4, len(q)) and (many[3] == one).all() and not (many[0] == one).all()
    assert (one == motion.acceleration(0, q, v, mu={motion.constraints[0]: 0.3})).all()
    e = motion.evaluate(0, q, v, mu=np.full(m, 0.3))
    np.testing.assert_allclose(e.acceleration, one, rtol=1e-14)
    assert e.mu.tolist() == [0.3] * m and e.mu_rate.shape == (m,)
    assert np.isnan(motion.forces(0, q, v, mu=np.full(m, 0.3)).multipliers).all()
    with pytest.raises(ValueError, match="expected"):
        motion.acceleration(0, q, v, mu=np.zeros(m + 1))


def test_redundant_constraints(tmp_path):
    twice = from_text(BEAD + '\n[[constraint]]\nname = "again"\nequation = "2*y = 2*steep*x"\n', tmp_path)
    plain = from_text(BEAD, tmp_path)
    q, v = np.random.default_rng(7).normal(size=(2, 30, 2))
    np.testing.assert_allclose(twice.acceleration(0, q, v), plain.acceleration(0, q, v), atol=1e-12)
    f = twice.forces(0, q, v)
    assert not f.unique.any()
    np.testing.assert_allclose(f.multipliers[:, 1], 2 * f.multipliers[:, 0], rtol=1e-10)
    np.testing.assert_allclose(f["slope"] + f["again"], plain.forces(0, q, v).ideal, atol=1e-11)
    assert twice.evaluate().rank == 1 and twice.evaluate().consistent


def test_contradictions_are_told(tmp_path):
    torn = from_text(BEAD + '\n[[constraint]]\nname = "other"\nequation = "y = steep*x + t^2"\n', tmp_path)
    with pytest.warns(dal.DoubtWarning, match="'slope' and constraint 'other' contradict .* are a least-squares compromise"):
        e = torn.evaluate(0, [0, 0], [0, 0])
    assert not e.consistent and e.conflicting.all()
    assert torn.acceleration(0, [0, 0], [0, 0]).shape == (2,)


def test_a_motion_can_be_shown_and_pickled(bead):
    assert repr(bead) == "<Compiled 'Bead on a slope': 2 coordinates, 1 constraint, by m-inverse>"
    assert repr(bead.with_parameters(g=1)).endswith("by m-inverse, g = 1>")
    assert "x'' = " in repr(bead.evaluate())
    assert "slope" in repr(bead.forces())
    moon = pickle.loads(pickle.dumps(bead.with_parameters(g=1.62)))
    assert moon.parameter_values()["g"] == 1.62
    assert (moon.acceleration() == bead.with_parameters(g=1.62).acceleration()).all()
    assert pickle.loads(pickle.dumps(model("rolling_disk", "suslov"))).method == "suslov"


def test_threads_of_python_may_ask_at_once(disk):
    rng = np.random.default_rng(8)
    q = disk.evaluate().q + rng.uniform(-0.1, 0.1, (3000, 5))
    v = disk.evaluate().v
    fresh = disk.with_parameters()
    expected = disk.acceleration(0, q, v)
    wrong = []

    def ask():
        for _ in range(5):
            if not (fresh.acceleration(0, q, v) == expected).all():
                wrong.append(1)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
