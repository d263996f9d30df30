"""Accelerations in programs that differentiate: JAX and CasADi. Slopes are compared with those of `jacobian`."""

import numpy as np
import pytest

import dalembert as dal


@pytest.fixture(scope="module")
def motion():
    return dal.read("double_pendulum").compile()


Q, V = np.array([0.4, -0.9]), np.array([1.1, 0.3])


def slopes(motion, g=None):
    at = motion if g is None else motion.with_parameters(g=g)
    return np.hstack([at.jacobian(0, Q, V), at.jacobian(0, Q, V, by=["g"])])


def test_jax_maps_and_differentiates(motion):
    jax = pytest.importorskip("jax", reason="JAX is not among what the tests install: its wheels are large")
    jax.config.update("jax_enable_x64", True)
    f = motion.jax_function(["g"])
    p = np.array([9.5])
    at = motion.with_parameters(g=9.5)
    np.testing.assert_array_equal(jax.jit(f)(0.0, Q, V, p), at.acceleration(0, Q, V))
    np.testing.assert_array_equal(f(0.0, Q, V), motion.acceleration(0, Q, V))
    forward = np.hstack(jax.jacfwd(f, argnums=(1, 2, 3))(0.0, Q, V, p))
    backward = np.hstack(jax.jacrev(f, argnums=(1, 2, 3))(0.0, Q, V, p))
    np.testing.assert_allclose(forward, slopes(motion, 9.5), rtol=1e-14)
    np.testing.assert_allclose(backward, slopes(motion, 9.5), rtol=1e-14)
    many = jax.vmap(f, in_axes=(None, 0, None, 0))(0.0, np.stack([Q, V]), V, np.array([[9.5], [9.8]]))
    np.testing.assert_array_equal(many[1], motion.with_parameters(g=9.8).acceleration(0, V, V))
    assert np.isnan(jax.jacfwd(f)(0.0, Q, V, p)).all()


def test_casadi_has_values_and_jacobians(motion):
    casadi = pytest.importorskip("casadi", reason="CasADi is not installed")
    f = motion.casadi_function(["g"])
    np.testing.assert_array_equal(np.array(f(0, Q, V, 9.5)).ravel(), motion.with_parameters(g=9.5).acceleration(0, Q, V))
    x, p = casadi.MX.sym("x", 4), casadi.MX.sym("p")
    whole = f(0, x[:2], x[2:], p)
    jacobian = casadi.Function("J", [x, p], [casadi.jacobian(whole, casadi.vertcat(x, p))])
    np.testing.assert_allclose(jacobian(np.hstack([Q, V]), 9.5), slopes(motion, 9.5), rtol=1e-14)


def test_unknown_parameters_are_refused(motion):
    pytest.importorskip("casadi", reason="CasADi is not installed")
    with pytest.raises(ValueError, match="parameters: no parameter 'gg'; did you mean 'g'?"):
        motion.casadi_function(["gg"])


def test_forces_along_a_path_given_by_functions(motion):
    t = np.linspace(0, 1, 5)

    def q(t):
        return [np.sin(t), t**2]

    def v(t):
        return [np.cos(t), 2 * t]

    def a(t):
        return [-np.sin(t), 2]

    arrays = [np.array([f(x) for x in t]) for f in (q, v, a)]
    np.testing.assert_array_equal(motion.inverse_dynamics(t, q, v, a).force, motion.inverse_dynamics(t, *arrays).force)
