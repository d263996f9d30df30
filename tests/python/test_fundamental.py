"""The fundamental equation for matrices of one's own, against NumPy's pseudo-inverses."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as dal

ROUTES = ["m-inverse", "scaled", "extended-dalembert", "weighted", "multipliers"]


def problem(rng, n, m, leading=()):
    """A positive definite M, and anything for the others."""
    R = rng.normal(size=(*leading, n, n))
    M = R @ np.swapaxes(R, -1, -2) + 0.1 * np.eye(n)
    return M, rng.normal(size=(*leading, n)), rng.normal(size=(*leading, m, n)), rng.normal(size=(*leading, m))


def root(M, power):
    """M to a power, by its eigenvalues."""
    w, U = np.linalg.eigh(M)
    return (U * w**power) @ U.T


def by_pseudo_inverse(M, Q, A, b, C=None):
    """q'' = a + M^-1/2 B^+ (b - A a) + M^-1/2 (1 - B^+ B) M^-1/2 C with B = A M^-1/2."""
    half = root(M, -0.5)
    B = A @ half
    plus = np.linalg.pinv(B, rcond=1e-10)
    a = np.linalg.solve(M, Q)
    ideal = root(M, 0.5) @ plus @ (b - A @ a)
    nonideal = np.zeros_like(Q) if C is None else root(M, 0.5) @ (np.eye(len(Q)) - plus @ B) @ half @ C
    return a + np.linalg.solve(M, ideal + nonideal), ideal, nonideal


@pytest.mark.parametrize("method", ROUTES)
@pytest.mark.parametrize("with_C", [False, True])
def test_the_formula(method, with_C):
    rng = np.random.default_rng(1)
    M, Q, A, b = problem(rng, 5, 3)
    C = rng.normal(size=5) if with_C else None
    r = dal.fundamental(M, Q, A, b, C, method=method)
    for found, expected in zip((r.acceleration, r.ideal, r.nonideal), by_pseudo_inverse(M, Q, A, b, C)):
        np.testing.assert_allclose(found, expected, atol=1e-10)
    np.testing.assert_allclose(r.unconstrained, np.linalg.solve(M, Q), atol=1e-12)
    np.testing.assert_allclose(A.T @ r.multipliers, r.ideal, atol=1e-11)
    assert r.rank == 3 and r.consistent and r.unique.all() and not r.mass_singular and not r.conflicting.any()
    assert r.residual < 1e-11
    v = np.linalg.svd(A)[2][3:]  # A v = 0: virtual displacements
    np.testing.assert_allclose(v @ (r.ideal + r.nonideal), 0 * v @ Q if C is None else v @ C, atol=1e-11)


@pytest.mark.parametrize("method", ROUTES)
def test_rows_that_say_the_same_twice(method):
    rng = np.random.default_rng(2)
    M, Q, A, b = problem(rng, 4, 2)
    twice = np.vstack([A, A[0] - 3 * A[1]])
    r = dal.fundamental(M, Q, twice, np.append(b, b[0] - 3 * b[1]), method=method)
    expected, ideal, _ = by_pseudo_inverse(M, Q, A, b)
    np.testing.assert_allclose(r.acceleration, expected, atol=1e-10)
    np.testing.assert_allclose(r.ideal, ideal, atol=1e-10)
    np.testing.assert_allclose(r.multipliers, np.linalg.pinv(twice.T) @ ideal, atol=1e-10)
    assert r.rank == 2 and r.consistent and not r.unique.any()


@pytest.mark.parametrize("method", ["m-inverse", "scaled", "extended-dalembert", "multipliers"])
def test_rows_that_contradict_each_other_are_met_in_the_least_squares(method):
    M, Q = np.diag([1.0, 4.0]), np.zeros(2)
    A, b = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), np.array([1.0, 2.0, 5.0])
    r = dal.fundamental(M, Q, A, b, method=method)
    np.testing.assert_allclose(r.acceleration, [1.5, 5.0], atol=1e-12)
    assert r.conflicting.tolist() == [True, True, False]
    assert not r.consistent and r.rank == 2
    np.testing.assert_allclose(r.residual, np.hypot(0.5, 0.5), rtol=1e-12)


def test_weights_decide_a_contradiction():
    A, b = [[1.0, 0.0], [1.0, 0.0]], [1.0, 2.0]
    r = dal.fundamental(np.eye(2), [0, 0], A, b, method="weighted", weights=[3.0, 1.0])
    np.testing.assert_allclose(r.acceleration, [1.25, 0.0], atol=1e-12)


def test_a_singular_mass_matrix():
    # The second coordinate has no inertia of its own, and is tied to the first.
    M = np.diag([2.0, 0.0])
    A, b = np.array([[1.0, -1.0]]), np.array([0.5])
    Q = np.array([1.0, 3.0])
    r = dal.fundamental(M, Q, A, b)
    KKT = np.block([[M, -A.T], [A, np.zeros((1, 1))]])
    expected = np.linalg.solve(KKT, np.append(Q, b))
    np.testing.assert_allclose(r.acceleration, expected[:2], atol=1e-12)
    np.testing.assert_allclose(r.multipliers, expected[2:], atol=1e-12)
    assert r.mass_singular and np.isnan(r.unconstrained).all()
    with pytest.raises(ValueError, match="the problem has no solution"):
        dal.fundamental(M, Q, [[1.0, 0.0]], b)


def test_no_constraints():
    rng = np.random.default_rng(3)
    M, Q, _, _ = problem(rng, 3, 0)
    for A, b in ((np.zeros((0, 3)), np.zeros(0)), ([], [])):
        r = dal.fundamental(M, Q, A, b, C=Q)
        np.testing.assert_allclose(r.acceleration, np.linalg.solve(M, 2 * Q), rtol=1e-10)
        assert r.rank == 0 and r.multipliers.shape == (0,) and (r.ideal == 0).all()


def test_leading_dimensions_are_broadcast():
    rng = np.random.default_rng(4)
    M, Q, A, b = problem(rng, 4, 2, (3, 5))
    r = dal.fundamental(M[:, :1], Q, A[0, 0], b[:1])
    assert r.acceleration.shape == (3, 5, 4) and r.multipliers.shape == (3, 5, 2)
    assert r.rank.shape == r.consistent.shape == r.residual.shape == (3, 5) and r.unique.shape == (3, 5, 2)
    for i in range(3):
        for j in range(5):
            alone = dal.fundamental(M[i, 0], Q[i, j], A[0, 0], b[0, j])
            assert (alone.acceleration == r.acceleration[i, j]).all()
            assert (alone.multipliers == r.multipliers[i, j]).all()
    assert dal.fundamental(M[:0], Q[:0], A[:0], b[:0]).acceleration.shape == (0, 5, 4)


def test_many_problems_and_threads():
    rng = np.random.default_rng(5)
    M, Q, A, b = problem(rng, 3, 1, (5000,))
    one = dal.fundamental(M, Q, A, b, threads=1)
    many = dal.fundamental(M, Q, A, b, threads=3)
    assert (one.acceleration == many.acceleration).all()
    np.testing.assert_allclose(np.einsum("sij,sj->si", A, many.acceleration), b, atol=1e-7)
    M[4321] = np.nan
    with pytest.raises(ValueError, match="problem 4321 has no solution: .*nan"):
        dal.fundamental(M, Q, A, b)
    marked = dal.fundamental(M, Q, A, b, on_error="nan")
    assert marked.rank[4321] == -1 and np.isnan(marked.acceleration[4321]).all()
    assert (np.delete(marked.acceleration, 4321, 0) == np.delete(one.acceleration, 4321, 0)).all()


def test_the_rank_tolerance_decides():
    A, b = [[1.0, 0.0], [1.0, 1e-5]], [0.0, 0.0]
    assert dal.fundamental(np.eye(2), [1, 1], A, b).rank == 2
    assert dal.fundamental(np.eye(2), [1, 1], A, b, rank_tolerance=1e-3).rank == 1


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"M": np.ones((2, 3))}, ValueError, r"M has the shape \(2, 3\); expected \(\.\.\., n, n\)"),
        ({"A": np.ones((1, 3))}, ValueError, r"A has the shape \(1, 3\); expected \(\.\.\., m, 2\)"),
        ({"b": [1.0, 2.0]}, ValueError, r"b has the shape \(2,\); expected \(\.\.\., 1\)"),
        ({"Q": 1.0}, ValueError, r"Q has the shape \(\)"),
        ({"C": [1.0]}, ValueError, r"C has the shape \(1,\)"),
        ({"Q": np.ones((3, 2)), "b": np.ones((4, 1))}, ValueError, r"Q \(3,\).*b \(4,\)"),
        ({"M": [["a", "b"], ["c", "d"]]}, TypeError, "M must be real numbers"),
        ({"M": [[1, 2], [0, 1]]}, ValueError, "the problem has no solution: "),
        ({"M": [[-1, 0], [0, 1]]}, ValueError, "the problem has no solution: "),
        ({"Q": [np.inf, 0]}, ValueError, "the problem has no solution: "),
        ({"method": "suslov"}, ValueError, "no route 'suslov'"),
        ({"method": "m-invers"}, ValueError, "did you mean 'm-inverse'"),
        ({"rank_tolerance": 0.0}, ValueError, "rank_tolerance is 0.0; it must be between 0 and 1"),
        ({"weights": [1.0]}, ValueError, "weights are for method='weighted'"),
        ({"weights": [1.0, 2.0], "method": "weighted"}, ValueError, "one for each of the 1 rows"),
        ({"weights": [-1.0], "method": "weighted"}, ValueError, "weight"),
        ({"on_error": "no"}, ValueError, "on_error"),
    ],
)
def test_bad_problems_are_refused_in_words(changes, error, words):
    arguments = {"M": np.eye(2), "Q": [1.0, 0.0], "A": [[1.0, 1.0]], "b": [0.0], **changes}
    with pytest.raises(error, match=words):
        dal.fundamental(**arguments)


def test_it_can_be_shown():
    r = dal.fundamental(np.eye(2), [1, 0], [[1, 1]], [0])
    assert repr(r) == "<Fundamental: one problem of rank 1, n = 2, m = 1>"
