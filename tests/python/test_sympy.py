"""SymPy's expressions from ours, and back."""

from __future__ import annotations

import math
import operator
import subprocess
import sys
from typing import Any, Callable

import numpy as np
import pytest
import sympy as sp
import sympy.physics.mechanics as mechanics
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as dal
from dalembert import _core
from dalembert.sympy_bridge import from_sympy

NAMES = _core.Names("ours", "names of test_sympy")
X, Y = NAMES.coordinate("x"), NAMES.coordinate("y")
M, L = NAMES.parameter("m"), NAMES.parameter("length")
T = sp.Symbol("t")
SX, SY = mechanics.dynamicsymbols("x y")
SM, SL = sp.symbols("m length")


def ours(expression: Any) -> Any:
    return from_sympy(expression, NAMES)


def there_and_back(e: dal.Expr) -> dal.Expr:
    result = ours(sp.sympify(e))
    assert isinstance(result, dal.Expr)
    return result


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        (X, SX),
        (X.d, mechanics.dynamicsymbols("x", 1)),
        (X.dd, SX.diff(T, 2)),
        (M, SM),
        (dal.t, mechanics.dynamicsymbols._t),
        (dal.pi / 3, sp.pi / 3),
        (dal.Expr(0.1), sp.Rational(1, 10)),
        (M * X.d**2 / 2 - M * L * dal.cos(X), SM * SX.diff(T) ** 2 / 2 - SM * SL * sp.cos(SX)),
        (dal.sqrt(X) ** 3, sp.sqrt(SX) ** 3),
        (1 / dal.sqrt(X + 1), 1 / sp.sqrt(SX + 1)),
        (X**Y, SX**SY),
        (dal.exp(1) + dal.exp(X), sp.E + sp.exp(SX)),
        (dal.atan2(X, Y), sp.atan2(SX, SY)),
        (dal.max_(X, 2), sp.Max(SX, 2)),
        (dal.min_(Y, X), sp.Min(SX, SY)),
        (abs(X) * dal.sign(Y), sp.Abs(SX) * sp.sign(SY)),
        *[
            (getattr(dal, name)(X), getattr(sp, name)(SX))
            for name in "sin cos tan sec csc cot asin acos atan sinh cosh tanh asinh acosh atanh erf exp log sqrt sign floor".split()
        ],
    ],
)
def test_same_in_both(mine: dal.Expr, theirs: Any) -> None:
    assert sp.sympify(mine) == theirs
    assert ours(theirs).same(mine)


def test_cases_and_steps() -> None:
    choice = dal.where(X < Y, X**2, dal.sin(Y))
    theirs = sp.sympify(choice)
    assert isinstance(theirs, sp.Piecewise)
    for x, y in ((1, 2), (2, 1), (1, 1)):
        assert theirs.subs({SX: x, SY: y}) == (x**2 if x < y else sp.sin(y))
    assert there_and_back(choice).same(choice)
    pieces = sp.Piecewise((1, SX < -1), (SX**2, SX <= 2), (SY, SX > 5), (0, True))
    for x, expected in ((-2, 1), (-1, 1), (2, 4), (3, 0), (5, 0), (6, 7)):
        assert ours(pieces).evaluate({X: x, Y: 7}) == expected
    assert sp.sympify(dal.step(X)) == sp.Heaviside(SX, 1)
    for at_zero in (0, sp.Rational(1, 2), 1):
        step = ours(sp.Heaviside(SX, at_zero))
        assert [step.evaluate({X: x}) for x in (-3, 0, 3)] == [0, float(at_zero), 1]
    assert ours(sp.Heaviside(SX)).evaluate({X: 0}) == 0.5
    assert ours(sp.ceiling(SX)).same(-dal.floor(-X))
    assert there_and_back(dal.step(X) * dal.floor(Y)).same(dal.step(X) * dal.floor(Y))
    assert sp.sympify(dal.hypot(X, Y)) == sp.sqrt(SX**2 + SY**2)
    assert sp.sympify(dal.log10(X)) == sp.log(SX, 10)


def test_forms_are_those_of_sympy() -> None:
    assert sp.sympify(2 * (X + Y)) == 2 * SX + 2 * SY
    assert sp.sympify(X / (M * Y)) == SX / (SM * SY)
    assert sp.sympify(dal.sqrt(8) + dal.sin(dal.pi / 6)) == 2 * sp.sqrt(2) + sp.Rational(1, 2)
    e = 2 * (X + Y) * (X * Y) ** -1 + dal.sqrt(8) + dal.sin(dal.pi / 6) + dal.exp(X) ** 2
    assert (there_and_back(e) - e).is_zero


def test_forces() -> None:
    e = NAMES.ideal("x") * NAMES.nonideal("y") + NAMES.multiplier("knife edge")
    assert there_and_back(e).same(e)
    assert {s.name for s in sp.sympify(e).free_symbols} == {"ideal.x", "nonideal.y", "lambda.knife edge"}


@pytest.mark.parametrize(
    ("theirs", "mine"),
    [
        (sp.Symbol("x"), X),
        (sp.Symbol("m", positive=True), M),
        (sp.Symbol("x'"), X.d),
        (sp.Float(0.1) * SX, X / 10),
        (sp.Float("0.1", 40) * SX, X / 10),
        (sp.Float("1e400") * SX, 10**400 * X),
        (sp.Derivative(SX**2, T), 2 * X * X.d),
        (sp.Derivative(SX, SX), dal.Expr(1)),
        (sp.Derivative(SX, sp.Symbol("x")), dal.Expr(1)),
        (sp.Derivative(SX, SY), dal.Expr(0)),
        (sp.Derivative(SX, SX.diff(T)), dal.Expr(0)),
        (sp.Derivative(SX, sp.Symbol("m")), dal.Expr(0)),
        (sp.Derivative(SX.diff(T), SX.diff(T)), dal.Expr(1)),
        (sp.Derivative(SX.diff(T), sp.Symbol("x'")), dal.Expr(1)),
        (sp.Derivative(SX.diff(T), SX), dal.Expr(0)),
        (sp.Derivative(SX, SX, SX), dal.Expr(0)),
        (sp.Derivative(SX, SX, T), dal.Expr(0)),
        (sp.Derivative(SX.diff(T, T), SX.diff(T)), dal.Expr(0)),
        (sp.Derivative(SX**2, sp.Symbol("x")), 2 * X),
        (sp.Derivative(sp.Symbol("x") * SX, SX), 2 * X),
        (sp.Derivative(sp.Symbol("x"), SX), dal.Expr(1)),
        (sp.Derivative(sp.Symbol("x") ** 2, T), 2 * X * X.d),
        (sp.Derivative(SM * SX.diff(T) ** 2 / 2, SX.diff(T)), M * X.d),
        (sp.Derivative(SX**3, SX, T), 6 * X * X.d),
        (sp.Max(SX, SY, 2), dal.max_(dal.max_(2, X), Y)),
        (sp.coth(SX), 1 / dal.tanh(X)),
        (sp.UnevaluatedExpr(SX) + 1, X + 1),
        (sp.log(SX, 2), dal.log(X) / dal.log(2)),
        (sp.cbrt(SX), X ** dal.Expr(sp.Rational(1, 3))),
        (sp.Integer(3), dal.Expr(3)),
    ],
)
def test_from_sympy(theirs: Any, mine: dal.Expr) -> None:
    assert ours(theirs).same(mine)


@pytest.mark.parametrize(
    ("theirs", "message"),
    [
        (sp.Symbol("lenght"), r"'lenght'.*did you mean 'length'"),
        (sp.Symbol("q"), "'q'.*'ours' has length, m, x, y"),
        (sp.Function("f")(T), r"f\(t\): 'f' is not a coordinate"),
        (sp.Function("x")(SM), r"x\(m\): the coordinate 'x' is a function of t alone"),
        (sp.Function("m")(T), r"'m' is a parameter"),
        (sp.Function("f")(T).diff(T), r"Derivative\(f\(t\), t\)"),
        (SX.diff(T, 3), r"Derivative\(x\(t\), \(t, 3\)\) has order 3"),
        (sp.Derivative(SX, (T, sp.Symbol("k"))), "Derivative"),
        (sp.Derivative(SX, sp.Symbol("lenght")), r"'lenght'.*did you mean 'length'"),
        (sp.Derivative(SX, sp.Function("f")(T)), r"Derivative\(x\(t\), f\(t\)\)"),
        (sp.I * SX, r"^I \(ImaginaryUnit\)"),
        (sp.oo, "^oo"),
        (sp.nan, "^nan"),
        (sp.zoo, "^zoo"),
        (sp.Piecewise((SX, SX > 0)), r"^Piecewise\(\(x\(t\)"),
        (sp.Piecewise((SX, (SX > 0) & (SY > 0)), (0, True)), r"^Piecewise\(\(x\(t\)"),
        (sp.Piecewise((SX, sp.Eq(SX, 0)), (0, True)), r"^Piecewise\(\(x\(t\)"),
        (sp.Heaviside(SX, 2), "^Heaviside"),
        (sp.Integral(SX, T), "^Integral"),
        (sp.Sum(SX, (sp.Symbol("i"), 1, 3)), "^Sum"),
        (sp.gamma(SX), "^gamma"),
        (SX > 0, r"^x\(t\) > 0"),
        (sp.true, "^True"),
        (sp.Matrix([SX]), "Matrix"),
    ],
)
def test_what_has_no_counterpart(theirs: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ours(theirs)


def test_equations() -> None:
    assert sp.sympify(X.d == Y) == sp.Eq(SX.diff(T), SY)
    assert ours(sp.Eq(SX.diff(T), SY)) == (X.d == Y)
    with pytest.raises(TypeError, match="equation"):
        X + sp.Eq(SX, SY)


@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow])
def test_mixed_operations(operation: Callable[[Any, Any], Any]) -> None:
    mine = operation(X, SY + SM)
    assert isinstance(mine, dal.Expr)
    assert mine.same(operation(X, Y + M))
    theirs = operation(SY + SM, X)
    assert theirs == operation(SY + SM, SX)
    assert isinstance(dal.t * SX, sp.Expr)  # t belongs to no system: SymPy's turn
    assert (dal.t * sp.Rational(1, 3)).same(dal.t / 3)
    assert isinstance(X == SY, dal.Equation)


def test_matrices_and_vectors_of_sympy() -> None:
    assert X * sp.Matrix([1, SY]) == sp.Matrix([SX, SX * SY])
    frame = mechanics.ReferenceFrame("N")
    assert X * frame.x == SX * frame.x


def test_systems_take_sympy() -> None:
    s = dal.System("pendulum")
    s.coordinates("phi")
    s.parameters(m=1.0, g=9.81, l=0.5)
    phi = mechanics.dynamicsymbols("phi")
    m, g, length = sp.symbols("m g l")
    s.kinetic = m * length**2 * phi.diff() ** 2 / 2
    s.potential = -m * g * length * sp.cos(phi)
    a = s.compile().acceleration(0, [0.3], [0.0])
    np.testing.assert_allclose(a, [-9.81 / 0.5 * math.sin(0.3)], rtol=1e-13)


@pytest.mark.slow
def test_large_graphs() -> None:
    shared = X
    for _ in range(30):
        shared = shared * shared + dal.sin(shared)
    steps: list[Callable[[Any], Any]] = [
        lambda e: dal.sin(e) + 1,
        lambda e: (e + 1) * Y,
        lambda e: (e + 1) ** 2,
        lambda e: 1 / (e + Y),
        lambda e: dal.max_(e, Y) * 2 + 1,
        lambda e: dal.min_(e, dal.cos(e)),
        lambda e: abs(e) - dal.sqrt(e + 1),
    ]
    deep = X
    for i in range(5000):
        deep = steps[i % len(steps)](deep)
    long = sum((M * dal.sin(X * i) for i in range(1, 400)), dal.Expr(0))
    for e in (shared, deep, long):
        values = {X: 0.3, Y: 0.7, M: 2.0}
        assert there_and_back(e).evaluate(values) == pytest.approx(e.evaluate(values), rel=1e-9, nan_ok=True)


def test_powers_that_must_not_be_worked_out() -> None:
    e = 3 * dal.Expr(2) ** (10**9) + X * dal.Expr(2) ** (10**9 + dal.Expr(1) / 3)
    assert there_and_back(e).same(e)


def test_numbers_agree_with_lambdify() -> None:
    e = M * X.d**2 / 2 + dal.atan2(X, 2 * Y) * dal.exp(-(X**2)) - dal.sqrt(1 + Y**2) * dal.cot(X) + dal.sec(Y)
    f = sp.lambdify([SX.diff(T), SX, SY, SM], sp.sympify(e))
    x, y = np.random.default_rng(0).uniform(0.1, 1.4, (2, 50))
    np.testing.assert_allclose(f(0.7, x, y, 2.0), e.evaluate({X: x, Y: y, "x'": 0.7, "m": 2}), rtol=1e-12)


def test_derivatives_agree() -> None:
    e = dal.sin(X * Y) * X.d + dal.exp(Y) / (1 + X**2)
    assert sp.simplify(sp.sympify(e.d) - sp.diff(sp.sympify(e), T)) == 0


def test_without_sympy() -> None:
    code = """
import sys
sys.modules["sympy"] = None
import dalembert as dal
x = dal.System("s").coordinate("x")
assert str(x * 2) == "2*x"
try:
    x._sympy_()
except ImportError as error:
    assert "pip install sympy" in str(error)
else:
    raise SystemExit("no error")
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_numbers_that_are_not_real_are_not_compared() -> None:
    """SymPy's own Max(x, (-3/7)**pi) raises."""
    for e in (dal.max_(X, (dal.Expr(-3) / 7) ** dal.pi), dal.min_(dal.Expr(-2) ** dal.pi, Y)):
        assert ours(sp.sympify(e)).same(e) and str(sp.sympify(e)).startswith("M")


LEAVES = [X, Y, X.d, X.dd, M, L, dal.t, dal.pi, dal.Expr(2), dal.Expr(-3) / 7, dal.Expr(8)]
FUNCTIONS = [
    dal.sin, dal.cos, dal.tan, dal.sec, dal.csc, dal.cot, dal.asin, dal.acos, dal.atan, dal.sinh, dal.cosh, dal.tanh,
    dal.exp, dal.log, dal.sqrt, dal.abs_, dal.sign,
]  # fmt: skip


def _extend(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    pairs = st.tuples(inner, inner)
    return st.one_of(
        pairs.map(lambda p: p[0] + p[1]),
        pairs.map(lambda p: p[0] * p[1]),
        pairs.map(lambda p: p[0] if p[1].same(0) else p[0] / p[1]),
        pairs.map(lambda p: dal.max_(*p)),
        pairs.map(lambda p: dal.atan2(*p)),
        pairs.map(lambda p: p[0] if p[0].same(0) else p[0] ** p[1]),
        st.lists(inner, min_size=3, max_size=20).map(lambda items: sum(items, dal.Expr(0))),
        st.tuples(inner, st.sampled_from([2, 3, -1, -2, 0.5, 1.5, sp.Rational(1, 3)])).map(
            lambda p: p[0] if p[0].same(0) else p[0] ** p[1]
        ),
        st.tuples(st.sampled_from(FUNCTIONS), inner).map(lambda p: p[0](p[1])),
    )


VALUES = {X: 0.3, Y: 0.7, X.d: -1.1, X.dd: 0.9, M: 2.0, L: 1.3, dal.t: 0.4}


@settings(max_examples=300, derandomize=True, database=None, deadline=None)
@given(st.recursive(st.sampled_from(LEAVES), _extend, max_leaves=20))
def test_random_expressions_have_the_same_value_back(e: Any) -> None:
    value = e.evaluate(VALUES)
    # What SymPy finds out to be infinite or no real number has no expression here, and none of ours has a value there.
    theirs = sp.sympify(e)
    if theirs.has(sp.zoo, sp.nan, sp.oo, -sp.oo, sp.I):
        return
    if np.isfinite(value) and abs(value) < 1e12:
        np.testing.assert_allclose(ours(theirs).evaluate(VALUES), value, rtol=1e-6, atol=1e-6)
