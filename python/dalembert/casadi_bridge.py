"""Accelerations as an external function of CasADi, with exact Jacobians."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from dalembert.bridge import Accelerations
from dalembert.numbers import Floats

if TYPE_CHECKING:
    from dalembert.motion import Compiled


def casadi_function(motion: Compiled, parameters: Sequence[Any], name: str) -> Any:
    """See Compiled.casadi_function."""
    import casadi

    core = Accelerations(motion, parameters)
    sizes = (1, core.n, core.n, len(core.names))
    offsets = np.cumsum((0, *sizes[1:]))

    def numbers(given: Any) -> list[Any]:
        t, q, v, p = (np.array(x, np.float64).reshape(-1) for x in given)
        return [t[0], q, v, p]

    def dense(rows: int, columns: int) -> Any:
        return casadi.Sparsity.dense(rows, columns)

    class Slopes(casadi.Callback):
        """By t, q, v and p; the fifth input is the value, of which it makes no use."""

        def __init__(self, own: str, names_in: Sequence[str], names_out: Sequence[str], options: Any) -> None:
            casadi.Callback.__init__(self)
            self._names = list(names_in), list(names_out)
            self.construct(own, options)

        def get_n_in(self) -> int:
            return 5

        def get_n_out(self) -> int:
            return 4

        def get_name_in(self, i: int) -> str:
            return self._names[0][i]

        def get_name_out(self, i: int) -> str:
            return self._names[1][i]

        def get_sparsity_in(self, i: int) -> Any:
            return dense((*sizes, core.n)[i], 1)

        def get_sparsity_out(self, i: int) -> Any:
            return dense(core.n, sizes[i])

        def eval(self, given: Any) -> list[Floats]:
            found = core.slopes(*numbers(given[:4]))
            by_time = np.full((core.n, 1), np.nan)  # not known: whoever asks for it gets no number
            return [by_time, *(found[:, a:b] for a, b in zip(offsets, offsets[1:]))]

    class Acceleration(casadi.Callback):
        def __init__(self) -> None:
            casadi.Callback.__init__(self)
            self._slopes: Any = None
            self.construct(name, {})

        def get_n_in(self) -> int:
            return 4

        def get_n_out(self) -> int:
            return 1

        def get_name_in(self, i: int) -> str:
            return "tqvp"[i]

        def get_name_out(self, i: int) -> str:
            return "a"

        def get_sparsity_in(self, i: int) -> Any:
            return dense(sizes[i], 1)

        def get_sparsity_out(self, i: int) -> Any:
            return dense(core.n, 1)

        def eval(self, given: Any) -> list[Floats]:
            return [core.value(*numbers(given))]

        def has_jacobian(self) -> bool:
            return True

        def get_jacobian(self, own: str, names_in: Sequence[str], names_out: Sequence[str], options: Any) -> Any:
            self._slopes = Slopes(own, names_in, names_out, options)
            return self._slopes

    return Acceleration()
