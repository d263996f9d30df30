"""What may be written where a model wants a number, an expression, a vector or a name."""

from __future__ import annotations

import decimal
import math
import numbers
import os
import re
import types
from fractions import Fraction
from typing import Any, Iterable, Sequence, Union

import numpy as np

from . import _core

Scalar = Union[_core.Expr, int, float, Fraction, decimal.Decimal, "np.number[Any]", str]
"""An Expr, a number, a SymPy expression, or a text in the notation of model files."""
VectorLike = Union[str, Sequence[Any], "np.ndarray[Any, Any]"]
"""Three scalars in a list, tuple, array or SymPy matrix, or a text that is a vector."""
EquationLike = Union[_core.Equation, _core.Expr, str, Sequence[Any], "np.ndarray[Any, Any]"]
"""An equation, an expression that vanishes, a SymPy Eq or a text; or three of them."""


def is_sympy(value: Any) -> bool:
    """Whether an object is one of SymPy, which is not imported for that."""
    return (type(value).__module__ or "").partition(".")[0] == "sympy"


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """'; did you mean ...?' or nothing."""
    known = list(candidates)
    for name in known:
        if name.casefold() == word.casefold():
            return f"; did you mean {name!r}?"
    meant = str(_core.did_you_mean(word, known))
    if not meant:
        import difflib

        meant = "".join(f"; did you mean {name!r}?" for name in difflib.get_close_matches(word, known, 1))
    return meant


def suggestion(word: str, candidates: Iterable[str]) -> str:
    """'; did you mean ...?' or, where nothing is near, '; there are ...'."""
    known = list(candidates)
    meant = did_you_mean(word, known)
    if meant or not known:
        return meant
    return f"; there {'is' if len(known) == 1 else 'are'} {', '.join(known[:20])}{', ...' if len(known) > 20 else ''}"


def counted(count: int, noun: str, several: str | None = None) -> str:
    """'1 run', '2 runs'; `several` is the plural where it is not made by an s."""
    return f"{count} {noun if count == 1 else several or noun + 's'}"


def named_after(cls: type) -> None:
    """Calls the methods that a class has from others of this package by its own name, as messages about their arguments
    do then."""
    for base in cls.__mro__[1:]:
        if base.__module__.partition(".")[0] == __package__:
            for name, member in vars(base).items():
                if isinstance(member, types.FunctionType) and not name.startswith("_"):
                    member.__qualname__ = f"{cls.__name__}.{name}"


def printable(text: str, what: str) -> str:
    """The text, unless it cannot be written as UTF-8."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"{what} holds half a character, {text[error.start]!r}, which no file can hold") from None
    return text


def check_owner(expression: _core.Expr, names: _core.Names) -> _core.Expr:
    """The expression, unless it belongs to another system."""
    owner = _core.owner(expression)
    if owner is not None and owner.id != names.id:
        text = str(expression)
        shown = text if len(text) <= 60 else f"{text[:57]}..."
        raise ValueError(_core.stranger(shown, owner.system, names.system))
    return expression


_MOST_BITS = 65536
"""Of an exact number; expressions have the same bound."""
_MOST_EXPONENT = 10000
"""Of a decimal number, as the engine reads them."""


def whole(value: int, what: str) -> int:
    """A whole number, unless it is larger than any that the engine takes."""
    if value.bit_length() > _MOST_BITS:
        raise OverflowError(f"{what} is an exact number of {value.bit_length()} bits; at most {_MOST_BITS} bits are allowed")
    return value


def fraction(value: Any, what: str) -> Fraction:
    """A fraction whose parts are not too large."""
    return Fraction(whole(int(value.numerator), what), whole(int(value.denominator), what))


def within_floats(value: Any, what: str) -> Any:
    """The value of a parameter, unless it is a number that no float comes near."""
    if isinstance(value, (int, Fraction)):
        try:
            float(value)
        except OverflowError:
            raise OverflowError(f"{what} is beyond the range of floating-point numbers") from None
    return value


def from_decimal(value: decimal.Decimal, what: str) -> Fraction:
    """A decimal number, exactly."""
    if not value.is_finite():
        raise ValueError(f"{what} must be finite, and {value} is not")
    exponent = value.as_tuple().exponent
    if abs(value.adjusted()) > _MOST_EXPONENT or (isinstance(exponent, int) and abs(exponent) > _MOST_EXPONENT):
        raise ValueError(f"{what}: {value!s:.60} is not a number of ordinary size")
    return fraction(Fraction(value), what)


def file_path(path: Any) -> str:
    """The path of a file, given as a text, as bytes or as a path object."""
    given = os.fsdecode(path)
    if "\0" in given:
        raise ValueError(f"embedded null byte in the path {given!r:.80}")
    return given


def scalar(value: Any, names: _core.Names, what: str) -> Any:
    """A value that is a number or an expression, as a document keeps it; `what` begins messages."""
    if isinstance(value, _core.Expr):
        return check_owner(value, names)
    if isinstance(value, str):
        return printable(value, what)
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{what} must be a number or an expression, not the truth value {value}")
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return scalar(value[()], names, what)
    if isinstance(value, numbers.Integral):
        return whole(int(value), what)
    if isinstance(value, (float, np.floating)):
        plain = float(_core.plain_number(value))
        if not math.isfinite(plain):
            raise ValueError(f"{what} must be finite, and {plain} is not")
        return plain
    if isinstance(value, decimal.Decimal):
        return from_decimal(value, what)
    if isinstance(value, numbers.Rational):
        return fraction(value, what)
    if is_sympy(value) and not hasattr(value, "shape"):
        return check_owner(_core.to_expr(value, names), names)
    if isinstance(value, _core.Equation):
        raise TypeError(f"{what} must be a number or an expression, and {value} is an equation: == makes one")
    if hasattr(value, "__len__"):
        raise TypeError(f"{what} must be one number or expression, not {_count(value)}")
    raise TypeError(
        f"{what} must be an expression, a number or a text, not {article(type(value).__name__)} ({value!r:.60})"
    )


def article(word: str) -> str:
    """'a list', 'an array'."""
    return f"{'an' if word[:1].lower() in 'aeiou' else 'a'} {word}"


def _count(value: Any) -> str:
    return f"{article(type(value).__name__)} of {len(value)}"


def items(value: Any, what: str) -> list[Any]:
    """The items of a list, tuple, array or SymPy matrix; one column or one row counts as a list."""
    if hasattr(value, "tolist") and hasattr(value, "shape"):
        shape = tuple(int(n) for n in value.shape)
        nested = value.tolist()
        if isinstance(value, np.ndarray) and value.dtype.kind == "f" and shape:
            return list(value)  # as they are: a float32 is the decimal it shows
        if len(shape) == 2 and is_sympy(value) and 1 in shape:
            return [item for row in nested for item in row]
        return list(nested) if len(shape) > 0 else [nested]
    if isinstance(value, (list, tuple)):
        return list(value)
    raise TypeError(f"{what} must be a list, a tuple or an array, not {article(type(value).__name__)} ({value!r:.60})")


def vector(value: Any, names: _core.Names, what: str) -> Any:
    """Three components, or a text that is a vector."""
    if isinstance(value, str):
        return printable(value, what)
    if isinstance(value, (_core.Expr, numbers.Number)):
        raise TypeError(f"{what} must have three components, and {value} is one number")
    components = items(value, what)
    if len(components) != 3:
        raise ValueError(f"{what} must have three components, not {len(components)}")
    return tuple(scalar(c, names, f"component {xyz} of {what}") for xyz, c in zip("xyz", components))


def matrix(value: Any, names: _core.Names, what: str, size: int | None = None) -> tuple[Any, ...]:
    """A square matrix as rows."""
    if is_sympy(value) and hasattr(value, "tolist"):
        rows = value.tolist()
    else:
        rows = [items(row, f"row {i} of {what}") for i, row in enumerate(items(value, what), 1)]
    wanted = len(rows) if size is None else size
    if not rows and wanted:
        raise ValueError(f"{what} must be a {wanted} x {wanted} matrix, and this one is empty")
    if len(rows) != wanted or any(len(row) != wanted for row in rows):
        shape = f"{len(rows)} rows of {', '.join(sorted({str(len(row)) for row in rows}))}"
        raise ValueError(f"{what} must be a {wanted} x {wanted} matrix, not {shape} entries")
    return tuple(
        tuple(scalar(e, names, f"entry ({i}, {j}) of {what}") for j, e in enumerate(row, 1))
        for i, row in enumerate(rows, 1)
    )


def same_value(one: Any, other: Any) -> bool:
    """Whether two values of statements say the same in the same way."""
    if type(one) is not type(other):
        return False
    if isinstance(one, _core.Expr):
        return bool(one.same(other))
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same_value, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same_value(item, other[key]) for key, item in one.items())
    return bool(one == other)


def is_nested(value: Any) -> bool:
    """Whether a value is a list of lists rather than of scalars."""
    shape = getattr(value, "shape", None)
    if shape is not None:
        return len(shape) == 2 and 1 not in shape
    return isinstance(value, (list, tuple)) and len(value) > 0 and hasattr(value[0], "__len__") and not isinstance(
        value[0], str
    )


def word(value: Any, what: str) -> str:
    """A text that is no expression: a type of joint, say."""
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a text, not {article(type(value).__name__)} ({value!r:.60})")
    return printable(value, what)


def word_or_none(value: Any, what: str) -> str | None:
    """The same where nothing may be given."""
    return None if value is None else word(value, what)


def title(value: Any, what: str) -> str:
    """The name of something that expressions do not use: any line of text."""
    text = word(value, what)
    if not text or re.search("[\x00-\x1f\x7f]", text):
        raise ValueError(f"{what} must not be empty or hold control characters: {text!r}")
    return text


def flag(value: Any, what: str) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{what} must be True or False, not {value!r:.60}")
    return bool(value)


def equation(value: Any, names: _core.Names) -> Any:
    """An equation as statements keep it: a text with '=', or an Equation."""
    if isinstance(value, str):
        if re.search("[<>]", value):
            raise ValueError(f"constraints are equations; inequalities are not supported: {value!r:.60}")
        return printable(value, "an equation")
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(
            f"an equation is needed, not the truth value {value}: one side of == must be an expression of the system"
        )
    if isinstance(value, _core.Equation):
        check_owner(value.left, names)
        check_owner(value.right, names)
        return value
    if is_sympy(value) and getattr(value, "is_Relational", False):
        if type(value).__name__ != "Equality":
            raise TypeError(f"constraints are equations; inequalities are not supported: {value}")
        return _core.to_expr(value.lhs, names) == _core.to_expr(value.rhs, names)
    residual = scalar(value, names, "an equation")
    if not isinstance(residual, _core.Expr):
        raise TypeError(f"an equation is needed, and {value!r:.60} is a number")
    return residual == 0


def name_error(name: str, what: str, taken: dict[str, str]) -> str | None:
    """Why a name cannot be that of `what`, "a coordinate" say; None if it can."""
    if not _core.is_name(name):
        meant = re.sub(r"\W+", "_", name).strip("_")
        if meant[:1].isdigit():
            meant = f"_{meant}"
        hint = f"; did you mean {meant!r}?" if _core.is_name(meant) and not _core.is_reserved(meant) else ""
        return (
            f"{name!r} cannot be the name of {what}: a name is a letter or '_', then letters, digits and '_'{hint}"
        )
    if _core.is_reserved(name) or (name == "adjust" and what == "a coordinate") or (name == "ground" and what != "a parameter"):
        return f"{name!r} has a meaning of its own and cannot be the name of {what}; {_free(name, taken)!r} would do"
    if name in taken:
        free = _free(name, taken)
        return (
            f"{name!r} is already the name of {taken[name]} of this system; {free!r} is free; "
            f's["{name}"] is the one there is'
        )
    return None


def _free(name: str, taken: dict[str, str]) -> str:
    """A name near to one that cannot be had."""
    number = 2
    stem = name if name[-1:].isalpha() else f"{name}_"
    while f"{stem}{number}" in taken or _core.is_reserved(f"{stem}{number}"):
        number += 1
    return f"{stem}{number}"
