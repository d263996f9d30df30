"""Functions of expressions."""

from __future__ import annotations

import operator
from typing import Any, Callable

import numpy as np

from . import _core
from ._core import Condition, Equation, Expr, pi, t

__all__ = [
    "Condition", "Equation", "Expr", "abs_", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "clamp", "cos",
    "cosh", "cot", "csc", "erf", "exp", "floor", "hypot", "log", "log10", "max_", "min_", "pi", "sec", "sign", "sin", "sinh",
    "sqrt", "step", "t", "tan", "tanh", "to_c", "where",
]  # fmt: skip


def _elementwise(function: Callable[..., Expr], *arguments: Any) -> Any:
    """The function of expressions and numbers, or element by element where an array or list is among the arguments."""
    if any(isinstance(a, (np.ndarray, list, tuple)) for a in arguments):
        return np.frompyfunc(function, len(arguments), 1)(*arguments)
    return function(*arguments)


def _restore(names: _core.Names | None, nodes: list[tuple[Any, ...]]) -> Expr:
    """The expression that was pickled."""
    return Expr._from_nodes(names, nodes)


def to_c(name: str, outputs: Any, inputs: Any) -> str:
    """A C function ``void NAME(const double* in, double* out)`` that computes the outputs, as a file that needs only <math.h>.

    `inputs` are symbols, in the order of ``in``: coordinates, rates, parameters, t.

    >>> import dalembert as dal
    >>> s = dal.System("pendulum")
    >>> th = s.coordinate("th")
    >>> "void force(const double* in, double* out)" in dal.to_c("force", [-9.81*dal.sin(th)], [th])
    True
    """
    listed = [outputs] if isinstance(outputs, Expr) else list(outputs)
    return str(_core.to_c(name, listed, [inputs] if isinstance(inputs, Expr) else list(inputs)))


def sin(x: Any, /) -> Any:
    """The sine.

    >>> sin(t).d
    cos(t)
    """
    return _elementwise(_core.sin, x)


def cos(x: Any, /) -> Any:
    """The cosine."""
    return _elementwise(_core.cos, x)


def tan(x: Any, /) -> Any:
    """The tangent."""
    return _elementwise(_core.tan, x)


def sec(x: Any, /) -> Any:
    """The secant, 1/cos(x)."""
    return _elementwise(_core.sec, x)


def csc(x: Any, /) -> Any:
    """The cosecant, 1/sin(x)."""
    return _elementwise(_core.csc, x)


def cot(x: Any, /) -> Any:
    """The cotangent, cos(x)/sin(x)."""
    return _elementwise(_core.cot, x)


def asin(x: Any, /) -> Any:
    """The inverse sine, in [-pi/2, pi/2]."""
    return _elementwise(_core.asin, x)


def acos(x: Any, /) -> Any:
    """The inverse cosine, in [0, pi]."""
    return _elementwise(_core.acos, x)


def atan(x: Any, /) -> Any:
    """The inverse tangent, in (-pi/2, pi/2)."""
    return _elementwise(_core.atan, x)


def atan2(y: Any, x: Any, /) -> Any:
    """The angle of the point (x, y), in (-pi, pi]."""
    return _elementwise(_core.atan2, y, x)


def sinh(x: Any, /) -> Any:
    """The hyperbolic sine."""
    return _elementwise(_core.sinh, x)


def cosh(x: Any, /) -> Any:
    """The hyperbolic cosine."""
    return _elementwise(_core.cosh, x)


def tanh(x: Any, /) -> Any:
    """The hyperbolic tangent."""
    return _elementwise(_core.tanh, x)


def asinh(x: Any, /) -> Any:
    """The inverse hyperbolic sine."""
    return _elementwise(_core.asinh, x)


def acosh(x: Any, /) -> Any:
    """The inverse hyperbolic cosine, of x >= 1."""
    return _elementwise(_core.acosh, x)


def atanh(x: Any, /) -> Any:
    """The inverse hyperbolic tangent, of -1 < x < 1."""
    return _elementwise(_core.atanh, x)


def exp(x: Any, /) -> Any:
    """The exponential function."""
    return _elementwise(_core.exp, x)


def log(x: Any, /) -> Any:
    """The natural logarithm."""
    return _elementwise(_core.log, x)


def log10(x: Any, /) -> Any:
    """The logarithm to base 10."""
    return _elementwise(_core.log10, x)


def hypot(x: Any, y: Any, /) -> Any:
    """sqrt(x^2 + y^2), even if the squares are too large or too small for a float."""
    return _elementwise(_core.hypot, x, y)


def erf(x: Any, /) -> Any:
    """The error function, the integral of 2 exp(-u^2)/sqrt(pi) from 0 to x."""
    return _elementwise(_core.erf, x)


def sqrt(x: Any, /) -> Any:
    """The square root.

    >>> sqrt(2.25)
    3/2
    """
    return _elementwise(_core.sqrt, x)


def abs_(x: Any, /) -> Any:
    """The absolute value, like Python's abs(); its derivative at zero is zero."""
    return _elementwise(_core.abs, x)


def sign(x: Any, /) -> Any:
    """The sign: 1, 0 or -1."""
    return _elementwise(_core.sign, x)


def floor(x: Any, /) -> Any:
    """The largest whole number that is not larger; its derivative is zero.

    >>> floor(-2.5)
    -3
    """
    return _elementwise(_core.floor, x)


def step(x: Any, /) -> Any:
    """1 where x >= 0, else 0; its derivative is zero."""
    return _elementwise(_core.step, x)


def where(condition: Any, a: Any, b: Any, /) -> Any:
    """a where the condition holds, otherwise b; as text, if(x < y, a, b).

    The condition compares two expressions with <, <=, > or >=.

    >>> where(t < 2, t, 0)
    if(t < 2, t, 0)
    """
    return _elementwise(_core.where, condition, a, b)


def clamp(x: Any, low: Any, high: Any, /) -> Any:
    """x limited to the range from low to high: max_(low, min_(x, high))."""
    return max_(low, min_(x, high))


def _fold(function: Callable[..., Expr], first: Any, second: Any, more: tuple[Any, ...]) -> Any:
    # Two at a time: the derivative multiplies selectors along the way to an argument.
    parts: list[Any] = [first, second, *more]
    while len(parts) > 1:
        pairs = [_elementwise(function, *parts[i:i + 2]) for i in range(0, len(parts) - 1, 2)]
        parts = pairs + parts[len(parts) - len(parts) % 2:]
    return parts[0]


def min_(first: Any, second: Any, /, *more: Any) -> Any:
    """The smallest of two or more expressions."""
    return _fold(_core.min, first, second, more)


def max_(first: Any, second: Any, /, *more: Any) -> Any:
    """The largest of two or more expressions."""
    return _fold(_core.max, first, second, more)


# NumPy's own loops over objects compare the values of these, or make truth values of equations.
_OWN: dict[str, Callable[..., Any]] = {
    "maximum": _core.max,
    "minimum": _core.min,
    "sign": _core.sign,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}


def _ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """What NumPy's functions do with an expression among their arguments: the same, element by element."""
    arguments = [_objects(value) for value in inputs]
    function = _OWN.get(ufunc.__name__)
    if function is not None and method == "__call__" and not options:
        return np.frompyfunc(function, len(arguments), 1)(*arguments)
    return getattr(ufunc, method)(*arguments, **options)


def _objects(value: Any) -> Any:
    """An array whose elements are expressions, so that a number in single precision is the decimal it shows."""
    array = np.asarray(value) if not isinstance(value, Expr) else None
    if array is not None and array.dtype == object:
        return array
    result = np.empty(() if array is None else array.shape, dtype=object)
    if array is None:
        result[()] = value
    else:
        for index in np.ndindex(array.shape):
            result[index] = Expr(array[index])
    return result
