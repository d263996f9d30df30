"""What a study, a derivation or a check is about: a model, and the values its parameters have."""

from __future__ import annotations

import math
import numbers
import os
from pathlib import Path
from typing import Any, Iterable, Mapping, NamedTuple

import numpy as np

from . import _core
from .errors import ModelError, UnknownParameter
from .values import printable, suggestion, whole


class Subject(NamedTuple):
    """A model, parameters replaced as in ``--set`` of the command, and a method if one is chosen already."""

    model: _core.Model
    settings: dict[str, str]
    method: str | None
    names: Any


def subject_of(target: Any, parameters: Mapping[Any, Any] | None, *, varied: Iterable[str] = ()) -> Subject:
    """The model of a System, of a compiled system with the parameters it has, or of a file or bundled model.

    `parameters` come on top. What a system was compiled with does not count for names that are varied.
    """
    from .motion import Compiled
    from .system import System, read

    if isinstance(target, (str, os.PathLike)):
        target = read(Path(target) if isinstance(target, os.PathLike) else target)
    if isinstance(target, System):
        model, settings, method, names = target._model(), {}, None, target._names
    elif isinstance(target, Compiled):
        model, settings, method = _core.model_of(target._core), dict(target._settings), target.method
        names = target._system._names
        for name in varied:
            settings.pop(name, None)
    else:
        raise TypeError(f"expected a System, a compiled one or the path of a model file, not '{type(target).__name__}'")
    if parameters is not None and not isinstance(parameters, Mapping):
        raise TypeError(f"parameters must map names to values, not be '{type(parameters).__name__}'")
    given = {
        name_text(key, names): number_text(value, f"parameters[{str(key)!r}]", names)
        for key, value in (parameters or {}).items()
    }
    check_parameters(given, (name for name, _ in model.parameters))
    settings.update(given)
    return Subject(model, settings, method, names)


def name_text(key: Any, names: Any) -> str:
    """The name that a text or a symbol stands for."""
    if isinstance(key, str):
        name = printable(key, "a name").strip()
        if not name or "=" in name:
            raise ValueError(f"{key!r} is not a name")
        return name
    if isinstance(key, _core.Expr):
        return _core.symbol_name(key, names)
    raise TypeError(f"a name is a text or a symbol of the system, not '{type(key).__name__}'")


def one_number(value: Any) -> Any:
    """A scalar of NumPy of another precision as the float of the decimal it shows, as an expression takes it."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    return _core.plain_number(value)


def number_text(value: Any, what: str, names: Any = None) -> str:
    """A number as the engine reads it, to the last bit; expressions of parameters may stand for one."""
    if isinstance(value, bool):
        raise TypeError(f"{what}: a number is needed, not a bool")
    if isinstance(value, str):
        if not value.strip():
            raise ValueError(f"{what}: a number is needed, not an empty text")
        return printable(value, what)
    if isinstance(value, _core.Expr):
        return _core.text_of(value, names)
    value = one_number(value)
    if isinstance(value, numbers.Integral):
        return str(_core.Expr(whole(int(value), what)))
    if isinstance(value, numbers.Real) or hasattr(value, "__float__") and getattr(value, "ndim", 0) == 0:
        try:
            x = float(value)
        except OverflowError:
            raise OverflowError(f"{what} is beyond the range of floating-point numbers") from None
        if not math.isfinite(x):
            raise ValueError(f"{what}: {x} is not a finite number")
        return repr(x)
    raise TypeError(f"{what}: a number is needed, not '{type(value).__name__}'")


def check_parameters(settings: Iterable[str], known: Iterable[str]) -> None:
    """Raises UnknownParameter for a name that is none of the parameters."""
    names = list(known)
    for name in settings:
        if name not in names:
            message = f"unknown parameter {name!r:.60}{suggestion(name, names) or '; there are none'}"
            raise UnknownParameter(message, [(message, 0, 0, 0, [])])


_OTHER_NAMES = {
    "lagrange": "'lagrange' is 'multipliers' here",
    "euler-lagrange": "'euler-lagrange' is 'multipliers' here",
    "udwadia-kalaba": "'udwadia-kalaba' is 'm-inverse' here",
    "kane": "'kane' is nearest to 'gibbs-appell' or 'maggi'",
}


def refuse_other_names(method: Any) -> None:
    """Raises ModelError for a method by a name that others have for it, and says what it is called here."""
    known = _OTHER_NAMES.get(method.lower()) if isinstance(method, str) else None
    if known is not None:
        raise _wrong(f"no method {method!r}; {known}")


def _wrong(message: str) -> ModelError:
    return ModelError(message, [(message, 0, 0, 0, [])])
