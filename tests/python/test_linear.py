"""Linearisation, equilibria, derivatives, inverse dynamics and sensitivities."""

import numpy as np
import pytest

import dalembert as dal

BY_HAND = 1e-13


def rod(rods=1):
    s = dal.System("pendulum")
    x, y = s.coordinates("x y")
    m, l, g, u = s.parameters(m=2.0, l=0.7, g=9.81, u=0.0)
    s.kinetic, s.potential = m * (x.d**2 + y.d**2) / 2, m * g * y
    s.force(x, u)
    for i in range(rods):
        s.constrain((i + 1) * (x**2 + y**2) == (i + 1) * l**2, name=f"rod {i}")
    s.initial(q={y: -l})
    s.outputs(shift=x)
    return s


@pytest.mark.parametrize("rods", [1, 2, 3])
def test_a_pendulum_is_linearised_on_its_rod(rods):
    found = rod(rods).compile().linearize(inputs=["u"])
    assert found.kind == "equilibrium" and found.states == ["x", "x'"] and found.outputs == ["shift"]
    np.testing.assert_allclose(found.A, [[0, 1], [-9.81 / 0.7, 0]], atol=BY_HAND)
    np.testing.assert_allclose(found.B, [[0], [0.5]], atol=BY_HAND)
    np.testing.assert_allclose(found.C, [[1, 0]], atol=BY_HAND)
    assert found.D.shape == (1, 1) and found.D[0, 0] == 0
    np.testing.assert_allclose(found.eigenvalues, [1j * np.sqrt(9.81 / 0.7), -1j * np.sqrt(9.81 / 0.7)], atol=BY_HAND)
    assert found.modes.shape == (2, 2) and found.conditions.shape == (2,)


def test_an_equilibrium_is_found_or_not():
    motion = rod().compile()
    found = motion.equilibrium(0, [0.7 * np.sin(0.5), -0.7 * np.cos(0.5)], [0, 0])
    assert found.kind == "equilibrium"
    np.testing.assert_allclose(found.q, [0, -0.7], atol=1e-12)
    np.testing.assert_allclose(motion.linearize(0, [0.7 * np.sin(0.5), -0.7 * np.cos(0.5)], [0, 0], equilibrium=True).A, [[0, 1], [-9.81 / 0.7, 0]], atol=1e-10)
    with pytest.raises(ValueError, match="the motion is not steady there: "):
        motion.linearize(0, [0.7, 0], [0, 0])
    assert motion.linearize(0, [0.7 * np.sin(0.5), -0.7 * np.cos(0.5)], [0, 0], steady=False).kind == "not steady"


def test_derivatives_agree_with_differences_of_many_states():
    motion = dal.read("coulomb_helix").compile()
    start = motion.initial_state()
    q = start.q + np.linspace(0, 0.1, 6).reshape(2, 3, 1)
    v = np.broadcast_to(start.v, q.shape)
    n, h = len(start.q), 1e-5
    exact = motion.jacobian(0, q, v)
    assert exact.shape == (2, 3, n, 2 * n)
    for j in range(n):
        step = np.eye(n)[j] * h
        np.testing.assert_allclose(
            exact[..., j], (motion.acceleration(0, q + step, v) - motion.acceleration(0, q - step, v)) / (2 * h), atol=1e-5
        )
    name, value = next(iter(motion.parameter_values().items()))
    for of in ("acceleration", "ideal", "nonideal"):
        exact = motion.jacobian(0, q, v, of=of, by=[name])[..., 0]

        def at(x):
            other = motion.with_parameters({name: x})
            return other.acceleration(0, q, v) if of == "acceleration" else getattr(other.forces(0, q, v), of)

        np.testing.assert_allclose(exact, (at(value + h) - at(value - h)) / (2 * h), atol=1e-5)


def test_forces_along_a_path_make_the_motion():
    motion = rod().compile()
    t = np.linspace(0, 1, 20)
    angle, rate = 0.3 * np.sin(t), 0.3 * np.cos(t)
    q = 0.7 * np.stack([np.sin(angle), -np.cos(angle)], axis=-1)
    v = 0.7 * rate[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    a = 0.7 * (
        -0.3 * np.sin(t)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        + rate[:, None] ** 2 * np.stack([-np.sin(angle), np.cos(angle)], axis=-1)
    )
    found = motion.inverse_dynamics(t, q, v, a, along=["x"])
    for i in range(len(t)):
        driven = motion.with_parameters(u=found.force[i, 0])
        np.testing.assert_allclose(driven.acceleration(t[i], q[i], v[i]), a[i], atol=1e-12)
        np.testing.assert_allclose(driven.forces(t[i], q[i], v[i]).ideal, found.ideal[i], atol=1e-10)
    with pytest.raises(ValueError, match="the acceleration breaks the constraint 'rod 0'"):
        motion.inverse_dynamics(0, [0, -0.7], [0, 0], [0, 1])


def test_sensitivities_of_a_spring():
    s = dal.System("spring")
    x, c = s.coordinate("x"), s.parameter("c", 4)
    s.kinetic, s.potential = x.d**2 / 2, c * x**2 / 2
    found = s.compile().sensitivities(["c", x, "x'"], 3, q={x: 1}, samples=7, rtol=1e-12, atol=1e-13)
    assert found.complete and found.quantities == ["x", "x'", "x''"]
    np.testing.assert_allclose(found("x", "x"), np.cos(2 * found.t), atol=1e-10)
    np.testing.assert_allclose(found("x'", "x'"), np.cos(2 * found.t), atol=1e-10)
    np.testing.assert_allclose(found("x", "c"), -found.t * np.sin(2 * found.t) / 4, atol=1e-10)
    with pytest.raises(ValueError, match="'k' is neither a parameter nor an initial value"):
        s.compile().sensitivities(["k"], 1)


def test_sensitivities_through_bounces_are_those_of_their_sum():
    s = dal.System("ball")
    z = s.coordinate("z")
    e, h = s.parameters(e=0.5, h=1.0)
    s.kinetic, s.potential = z.d**2 / 2, 8 * z
    s.contact("floor", gap=z, restitution=e)
    s.initial(q={z: h})
    found = s.compile().sensitivities([e, h], 2, samples=3, rtol=1e-12, atol=1e-13)
    assert found.complete
    impacts = [row for row in found.events if row["kind"] == "impact"]
    np.testing.assert_allclose([row["by"] for row in impacts[:2]], [[0, 0.25], [1, 0.5]], atol=1e-10)
    assert found.events[-1]["kind"] == "close"
    np.testing.assert_allclose(found.events[-1]["by"], [4, 0.75], atol=1e-6)


def test_parameters_are_fitted_with_exact_jacobians():
    optimize = pytest.importorskip("scipy.optimize")
    motion = dal.read("pendulum").compile()
    t = np.linspace(0, 2, 41)
    truth = motion.with_parameters(g=9.7).simulate(times=t)["x"]
    found = optimize.least_squares(
        lambda p: motion.with_parameters(g=p[0]).simulate(times=t)["x"] - truth,
        [9.0],
        jac=lambda p: motion.with_parameters(g=p[0]).sensitivities(["g"], times=t)("x", "g")[:, None],
        xtol=1e-14,
        ftol=1e-14,
        gtol=1e-14,
    )
    assert abs(found.x[0] - 9.7) < 1e-8


def spring():
    s = dal.System("spring")
    x, c = s.coordinate("x"), s.parameter("c", 4)
    s.kinetic, s.potential = x.d**2 / 2, c * x**2 / 2
    return s, x, c


def test_second_derivatives_of_a_spring():
    s, x, c = spring()
    found = s.compile().sensitivities(["c", x], 1, q={x: 0.5}, samples=2, rtol=1e-12, atol=1e-13, order=2)
    assert found.second.shape == (2, 2, 2, 2)
    # x = s cos(w), w = sqrt(c) = 2
    expected = [[0.5 * (-np.cos(2) / 16 + np.sin(2) / 32), -np.sin(2) / 4], [-np.sin(2) / 4, 0]]
    np.testing.assert_allclose(found.second[-1, 0], expected, atol=1e-10)
    assert s.compile().sensitivities(["c"], 1, samples=2).second is None
    with pytest.raises(ValueError, match="order is 3: it must be 1 or 2"):
        s.compile().sensitivities(["c"], 1, order=3)


def test_the_gradient_of_a_spring():
    s, x, c = spring()
    motion = s.compile()
    for of in (x**2 + c, "x^2 + c"):
        found = motion.gradient(of, ["c", x, "x'"], 1, q={x: 0.5}, rtol=1e-12, atol=1e-13)
        assert list(found.by) == ["c", "x", "x'"]
        assert abs(found.value - (0.25 * np.cos(2) ** 2 + 4)) < 1e-11
        expected = [-np.cos(2) * np.sin(2) / 8 + 1, np.cos(2) * np.cos(2), np.cos(2) * np.sin(2) / 2]
        np.testing.assert_allclose(list(found.by.values()), expected, atol=1e-11)
    assert list(motion.gradient("x", duration=1).by) == ["c"]
    with pytest.raises(ValueError, match="unknown name 'y'"):
        motion.gradient("y", ["c"], 1)


def test_a_sweep_has_the_sensitivities_of_each_motion():
    s, x, c = spring()
    found = dal.sweep(s, {"c": [3, 4], "x": [1]}, sensitivity=["c", x], statistics=["max(d(x)/d(x))"], duration=1)
    assert list(found.statistics) == ["max(d(x)/d(x))", "d(x)/d(c)", "d(x)/d(x)", "d(x')/d(c)", "d(x')/d(x)"]
    for run, value in enumerate([3, 4]):
        alone = s.compile().with_parameters(c=value).sensitivities(["c", "x"], 1, q={"x": 1})
        for quantity in ("x", "x'"):
            for name in ("c", "x"):
                assert found[f"d({quantity})/d({name})"][run] == alone(quantity, name)[-1]
        assert found["max(d(x)/d(x))"][run] == alone("x", "x").max()
    with pytest.raises(ValueError, match="'k' is neither a parameter nor an initial value"):
        dal.sweep(s, {"c": [3, 4]}, sensitivity="k", duration=1)
