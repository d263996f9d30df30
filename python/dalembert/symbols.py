"""Symbols that a system has just declared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    Expressions = tuple[_core.Expr, ...]
else:
    Expressions = tuple


class Declared(Expressions):
    """A tuple of expressions. If you mistake it for one of them, the error says how to get that one."""

    __slots__ = ()

    def _advice(self) -> str:
        raise NotImplementedError

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or not hasattr(_core.Expr, name):
                raise AttributeError(f"a tuple has no {name!r}", name=name, obj=self)
            raise AttributeError(f"a tuple has no {name!r}; {self._advice()}", name=name, obj=self)


class Coordinates(Declared):
    """What `System.coordinates` returns."""

    __slots__ = ()

    def _advice(self) -> str:
        names = [str(x) for x in self[:6]]
        one = f' or {names[0]} = s.coordinate("{names[0]}")' if len(names) == 1 else ""
        left = ", ".join(names) + "," * (len(names) == 1)
        return f'coordinates() returns a tuple: write {left} = s.coordinates("{" ".join(names)}"){one}'


class Parameters(Declared):
    """What `System.parameters` returns."""

    __slots__ = ()

    def _advice(self) -> str:
        names = [str(x) for x in self[:6]]
        one = f' or {names[0]} = s.parameter("{names[0]}", ...)' if len(names) == 1 else ""
        left = ", ".join(names) + "," * (len(names) == 1)
        given = ", ".join(f"{name}=..." for name in names)
        return f"parameters() returns a tuple: write {left} = s.parameters({given}){one}"
