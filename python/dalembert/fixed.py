"""What does not change once it is made: setting something would be accepted and heeded by nothing, so it is refused."""

from __future__ import annotations

from typing import Any, ClassVar, Mapping, NoReturn, TypeVar

from .values import article, did_you_mean

K = TypeVar("K")
V = TypeVar("V")


class Fixed:
    """A result. Its public attributes are those it was made with; `_advice` says what to do instead of setting one."""

    _noun: ClassVar[str] = "result"  #: what it is called in messages
    _advice: ClassVar[Mapping[str, str]] = {}  #: by the attribute that somebody sets
    _instead: ClassVar[str] = ""  #: for all other attributes that there are

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_"):
            raise AttributeError(self._cannot_set(name), name=name, obj=self)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        if not name.startswith("_"):
            raise AttributeError(f"{article(self._noun)} does not change: {name!r} stays", name=name, obj=self)
        super().__delattr__(name)

    def _cannot_set(self, name: str) -> str:
        """Why an attribute cannot be set, and what to do instead."""
        told = f"{article(self._noun)} does not change: "
        if name in self._advice:
            return told + self._advice[name]
        if hasattr(type(self), name) or name in vars(self):
            return f"{told}{name!r} cannot be set{self._instead}"
        known = [*self._advice, *(own for own in dir(self) if not own.startswith("_"))]
        return f"{told}it has no {name!r} to be set{did_you_mean(name, known)}"


class FixedDict(dict[K, V]):
    """A dictionary that refuses to be changed, with a sentence that says what to call instead."""

    __slots__ = ("_sentence",)

    def __init__(self, values: Mapping[K, V], sentence: str) -> None:
        super().__init__(values)
        self._sentence = sentence

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError(self._sentence)

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self), self._sentence)


class FixedList(list[V]):
    """A list that refuses to be changed, likewise."""

    __slots__ = ("_sentence",)

    def __init__(self, values: Any, sentence: str) -> None:
        super().__init__(values)
        self._sentence = sentence

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError(self._sentence)

    __setitem__ = __delitem__ = __iadd__ = __imul__ = append = extend = insert = _refuse
    clear = pop = remove = reverse = sort = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (list(self), self._sentence)


def fixed(value: Any, what: str, instead: str = "") -> Any:
    """The value with all dictionaries and lists in it fixed. `what`: where it was got, "motion.parameters" say."""
    return _fixed(value, f"{what} cannot be changed{instead or ': it only tells; dict(...) or list(...) makes a copy that can'}")


def _fixed(value: Any, sentence: str) -> Any:
    if isinstance(value, dict):
        return FixedDict({key: _fixed(item, sentence) for key, item in value.items()}, sentence)
    if isinstance(value, list):
        return FixedList([_fixed(item, sentence) for item in value], sentence)
    return value
