"""Accelerations as a function of JAX: compiled by jit, mapped by vmap, differentiated by jvp and grad."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Sequence

import numpy as np

from dalembert.bridge import Accelerations

if TYPE_CHECKING:
    from dalembert.motion import Compiled


def jax_function(motion: Compiled, parameters: Sequence[Any]) -> Callable[..., Any]:
    """See Compiled.jax_function."""
    import jax
    import jax.numpy as jnp

    core = Accelerations(motion, parameters)
    n, k = core.n, len(core.names)

    def call(what: Callable[..., Any], tail: tuple[int, ...], t: Any, q: Any, v: Any, p: Any) -> Any:
        batch = np.broadcast_shapes(t.shape, q.shape[:-1], v.shape[:-1], p.shape[:-1])
        shape = jax.ShapeDtypeStruct(batch + tail, q.dtype)
        return jax.pure_callback(lambda *state: what(*state).astype(q.dtype), shape, t, q, v, p, vmap_method="expand_dims")

    function = jax.custom_jvp(lambda t, q, v, p: call(core.value, (n,), t, q, v, p))

    def rule(primals: Any, tangents: Any) -> Any:
        slopes = call(core.slopes, (n, 2 * n + k), *primals)
        value = function(*primals)
        change = jnp.zeros_like(value)
        moves = [not isinstance(x, jax.custom_derivatives.SymbolicZero) for x in tangents]
        if moves[0]:  # no slope by time is known: whoever asks for it gets no number
            change += jnp.nan * tangents[0][..., None]
        for i, columns in ((1, slice(n)), (2, slice(n, 2 * n)), (3, slice(2 * n, None))):
            if moves[i]:
                change += jnp.einsum("...ij,...j->...i", slopes[..., columns], tangents[i])
        return value, change

    function.defjvp(rule, symbolic_zeros=True)
    default = core.defaults()

    def acceleration(t: Any, q: Any, v: Any, p: Any = None) -> Any:
        kind = jnp.result_type(jnp.asarray(q), jnp.asarray(v), float)
        return function(*(jnp.asarray(x, kind) for x in (t, q, v, default if p is None else p)))

    return acceleration
