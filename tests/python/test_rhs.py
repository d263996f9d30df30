"""The right-hand side for integrators, compilers and quadratures of others."""

from __future__ import annotations

import ctypes
import gc
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import scipy
from scipy import integrate, special

import dalembert as dal

MODELS = Path(os.environ.get("DALEMBERT_MODELS", Path(__file__).parents[2] / "models"))

ROD = """
name = "Rod"
coordinates = ["phi"]
[parameters]
g = 9.81
l = 0.5
[energy]
kinetic = "l^2*phi'^2/2"
potential = "-g*l*cos(phi)"
[initial]
phi = 1
"""


@pytest.fixture
def rod(tmp_path):
    path = tmp_path / "rod.toml"
    path.write_text(ROD, encoding="utf-8")
    return dal.Compiled(dal.read(path))


def model(name, method=None):
    return dal.Compiled(dal.read(MODELS / f"{name}.toml"), method)


def test_it_is_the_velocity_and_the_acceleration(rod):
    y = np.array([0.3, -2.0])
    assert rod.rhs(0.0, y).tolist() == [-2.0, rod.acceleration(0.0, y[:1], y[1:])[0]]
    np.testing.assert_allclose(rod.rhs(0, [0.3, -2])[1], -9.81 / 0.5 * np.sin(0.3), rtol=1e-15)
    assert rod.rhs is rod.rhs and rod.rhs.size == 2


def test_columns_are_states(rod):
    y = np.random.default_rng(1).normal(size=(2, 9))
    many = rod.rhs(0.0, y)
    assert many.shape == (2, 9)
    for k in range(9):
        assert (many[:, k] == rod.rhs(0.0, y[:, k])).all()
    assert rod.rhs(0.0, np.empty((2, 0))).shape == (2, 0)


def test_bad_states_are_refused_in_words(rod):
    with pytest.raises(ValueError, match=r"y has the shape \(3,\); expected \(2,\) or \(2, k\)"):
        rod.rhs(0.0, np.zeros(3))
    with pytest.raises(TypeError, match="y must be real numbers"):
        rod.rhs(0.0, ["a", "b"])
    with pytest.raises(ValueError, match="phi is nan"):
        rod.rhs(0.0, np.array([np.nan, 0.0]))
    with pytest.raises(ValueError, match="state 1 has no acceleration: phi' is inf"):
        rod.rhs(0.0, np.array([[0.0, 0.0], [0.0, np.inf]]))


def test_solve_ivp_keeps_the_period_of_a_pendulum(rod):
    amplitude = 1.0
    period = 4 * np.sqrt(0.5 / 9.81) * special.ellipk(np.sin(amplitude / 2) ** 2)
    for method, vectorized in (("DOP853", False), ("DOP853", True), ("Radau", False), ("Radau", True)):
        solution = integrate.solve_ivp(rod.rhs, (0, period), [amplitude, 0.0], method, rtol=1e-10, atol=1e-12,
                                       vectorized=vectorized)  # fmt: skip
        np.testing.assert_allclose(solution.y[:, -1], [amplitude, 0.0], atol=2e-7)
    kinetic, potential = rod.energy(0, solution.y[:1].T, solution.y[1:].T)
    np.testing.assert_allclose(kinetic + potential, -9.81 * 0.5 * np.cos(amplitude), atol=1e-8)


def test_solve_ivp_keeps_the_rolling_constraints_of_a_disk():
    disk = model("rolling_disk")
    start = disk.evaluate()
    solution = integrate.solve_ivp(disk.rhs, (0, 1), np.concatenate([start.q, start.v]), "DOP853", rtol=1e-11, atol=1e-12)
    q, v = solution.y[:5].T, solution.y[5:].T
    residual, _ = disk.residuals(solution.t, q, v)
    assert np.abs(residual).max() < 1e-9
    energy = sum(disk.energy(solution.t, q, v))
    np.testing.assert_allclose(energy, energy[0], rtol=1e-9)


def test_the_function_of_c(rod):
    rhs = rod.rhs
    assert rhs.signature == "int (double, const double *, double *, void *)"
    call = ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.c_double, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double), ctypes.c_void_p
    )(rhs.address)
    y, dydt = (ctypes.c_double * 2)(0.3, -2.0), (ctypes.c_double * 2)()
    assert call(0.0, y, dydt, rhs.data) == 0
    assert list(dydt) == rod.rhs(0.0, np.array([0.3, -2.0])).tolist()
    y[0] = float("nan")
    assert call(0.0, y, dydt, rhs.data) == 1
    assert np.isnan(list(dydt)).all()


def test_what_ctypes_has_outlives_the_motion(rod, tmp_path):
    motion = rod.with_parameters(g=1.0)
    function, data = motion.rhs.ctypes, motion.rhs.data
    del motion
    gc.collect()
    y, dydt = np.array([0.3, -2.0]), np.empty(2)
    assert function(0.0, y.ctypes.data, dydt.ctypes.data, data) == 0
    np.testing.assert_allclose(dydt, [-2.0, -np.sin(0.3) / 0.5], rtol=1e-15)


@pytest.mark.slow
def test_numba_calls_it_in_its_loops(rod):
    import numba  # which takes long

    f, data = rod.rhs.ctypes, rod.rhs.data

    @numba.njit
    def runge_kutta(y, duration, steps):
        h = duration / steps
        k = np.empty((4, 2))
        for i in range(steps):
            bad = f(i * h, y.ctypes, k[0].ctypes, data)
            bad += f((i + 0.5) * h, (y + h / 2 * k[0]).ctypes, k[1].ctypes, data)
            bad += f((i + 0.5) * h, (y + h / 2 * k[1]).ctypes, k[2].ctypes, data)
            bad += f((i + 1) * h, (y + h * k[2]).ctypes, k[3].ctypes, data)
            if bad != 0:
                return y * np.nan
            y = y + h / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3])
        return y

    def plain(y, duration, steps):
        h = duration / steps
        for i in range(steps):
            a = rod.rhs(i * h, y)
            b = rod.rhs((i + 0.5) * h, y + h / 2 * a)
            c = rod.rhs((i + 0.5) * h, y + h / 2 * b)
            d = rod.rhs((i + 1) * h, y + h * c)
            y = y + h / 6 * (a + 2 * b + 2 * c + d)
        return y

    start = np.array([1.0, 0.0])
    np.testing.assert_allclose(runge_kutta(start, 1.0, 200), plain(start, 1.0, 200), rtol=1e-13)

    @numba.njit(parallel=True)
    def fan(amplitudes):
        ends = np.empty((amplitudes.size, 2))
        for i in numba.prange(amplitudes.size):
            y = np.zeros(2)
            y[0] = amplitudes[i]
            ends[i] = runge_kutta(y, 1.0, 100)
        return ends

    amplitudes = np.linspace(0.1, 2.0, 64)
    ends = fan(amplitudes)
    for i in (0, 31, 63):
        np.testing.assert_allclose(ends[i], plain(np.array([amplitudes[i], 0.0]), 1.0, 100), rtol=1e-12)


def test_quadratures_take_a_component():
    double = model("double_pendulum")
    first, second = double.coordinate_names
    for name in (f"{second}''", second):
        component = double.rhs.component(name)
        assert component.signature == "double (int, double *, void *)"
        # of x = (t, q, v), over t and q, the velocities held
        found, _ = integrate.nquad(component, [(0, 1), (0.1, 0.9), (0.2, 0.7)], args=(0.5, -0.4))
    x, w = np.polynomial.legendre.leggauss(20)
    a, b = 0.5 + 0.4 * x, 0.45 + 0.25 * x
    q = np.stack(np.meshgrid(a, b, indexing="ij"), axis=-1)
    values = double.acceleration(0, q, [0.5, -0.4])[..., 1]
    np.testing.assert_allclose(found, 0.4 * 0.25 * np.einsum("i,j,ij", w, w, values), rtol=1e-9)
    one, _ = integrate.quad(double.rhs.component(first), 0, 1, args=(0.3, 0.2, 0.5, -0.4))
    np.testing.assert_allclose(one, double.acceleration(0, [0.3, 0.2], [0.5, -0.4])[0], rtol=1e-12)
    with pytest.warns(integrate.IntegrationWarning):  # not a number: there are five arguments
        assert np.isnan(integrate.quad(double.rhs.component(first), 0, 1, args=(0.3,))[0])
    with pytest.raises(KeyError, match="no coordinate"):
        double.rhs.component("nothing")


def test_a_low_level_callable_keeps_what_it_needs(rod):
    callable_ = rod.with_parameters(g=2.0).rhs.low_level_callable()
    assert isinstance(callable_, scipy.LowLevelCallable)
    assert callable_.signature == rod.rhs.signature
    component = rod.with_parameters(g=2.0).rhs.component("phi")
    gc.collect()
    found, _ = integrate.quad(component, 0, 1, args=(0.3, 0.0))
    np.testing.assert_allclose(found, -2.0 / 0.5 * np.sin(0.3), rtol=1e-14)


def test_threads_without_the_interpreter_agree(rod):
    rhs = rod.rhs
    f, data = rhs.ctypes, rhs.data  # ctypes lets go of the interpreter while the function runs
    states = np.random.default_rng(2).normal(size=(400, 2))
    expected = np.array([rhs(0.0, y) for y in states])
    wrong = []

    def ask():
        for _ in range(5):
            for y, value in zip(states, expected):
                dydt = np.empty(2)
                if f(0.0, y.ctypes.data, dydt.ctypes.data, data) != 0 or not (dydt == value).all():
                    wrong.append(y)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_vakonomic_has_a_longer_state():
    skate = model("skate_on_incline", "vakonomic")
    n, m = len(skate.coordinate_names), len(skate.constraints)
    e = skate.evaluate(mu=np.full(m, 0.2))
    assert skate.rhs.size == 2 * n + m
    y = np.concatenate([e.q, e.v, np.full(m, 0.2)])
    expected = np.concatenate([e.v, e.acceleration, e.mu_rate])
    np.testing.assert_allclose(skate.rhs(0.0, y), expected, rtol=1e-13)
    np.testing.assert_allclose(skate.rhs(0.0, np.stack([y, y], 1)), np.stack([expected, expected], 1), rtol=1e-13)
    y[0] = np.nan
    with pytest.raises(ValueError, match="is nan"):
        skate.rhs(0.0, y)


def test_it_can_be_shown_and_pickled(rod):
    assert repr(rod.rhs).startswith("<Rhs of <Compiled 'Rod'")
    y = np.array([0.3, -2.0])
    assert (pickle.loads(pickle.dumps(rod.rhs))(0.0, y) == rod.rhs(0.0, y)).all()


def test_scipy_is_asked_for_in_words(rod, tmp_path):
    script = (
        "import sys; sys.modules['scipy'] = None\n"
        f"import dalembert as dal; motion = dal.Compiled(dal.read({str(MODELS / 'pendulum.toml')!r}))\n"
        "try:\n    motion.rhs.low_level_callable()\nexcept ImportError as e:\n    print(e)\n"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "pip install scipy" in found.stdout
