"""The rolling disk to t = 10 by JAX on a graphics processor: jax.vmap of a while loop over steps of DOP853, each run with steps of
its own, as diffrax does it; equations reduced by hand to six states.

    python3 benches/peers/disk_jax.py [RTOL ATOL]

Starts as in benches/record_for_gpu: theta uniform in 0.8 to 1.4, else those of models/rolling_disk.toml. Coefficients from SciPy.
"""

import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from scipy.integrate._ivp import dop853_coefficients as dop853

jax.config.update("jax_enable_x64", True)
A, B, C, E3, E5 = dop853.A, dop853.B, dop853.C, dop853.E3, dop853.E5
G, R, END = 9.8125, 0.5, 10.0


def rates(y):
    _, theta, _, lean, turn, spin = y
    s, c = jnp.sin(theta), jnp.cos(theta)
    heading = turn / s
    across = heading * c
    return jnp.stack([heading, lean, spin - across, (0.25 * turn * across - 1.5 * turn * spin - G / R * c) / 1.25,
                      lean * (2 * spin - across), lean * turn / 1.5])


def weighted(weights, k):
    return sum(float(w) * x for w, x in zip(weights, k) if w != 0)


def run(y, h, rtol, atol):
    def attempt(state):
        y, t, h, refused, attempts = state
        last = t + 1.01 * h >= END
        h = jnp.where(last, END - t, h)
        k = [rates(y)]
        for i in range(1, 12):
            k.append(rates(y + h * weighted(A[i, :i], k)))
        new = y + h * weighted(B, k)
        scale = atol + rtol * jnp.maximum(abs(y), abs(new))
        e5 = jnp.sum((weighted(E5[:12], k) / scale) ** 2)
        e3 = jnp.sum((weighted(E3[:12], k) / scale) ** 2)
        error = abs(h) * e5 / jnp.sqrt(6 * (e5 + 0.01 * e3))
        good = error <= 1
        factor = jnp.clip(0.8 * error**-0.125, 1 / 3, jnp.where(good & ~refused, 6.0, 1.0))
        return jnp.where(good, new, y), jnp.where(good, jnp.where(last, END, t + h), t), h * factor, ~good, attempts + 1

    y, _, _, _, attempts = jax.lax.while_loop(lambda s: s[1] < END, attempt, (y, 0.0, h, False, 0))
    return y, attempts


def main():
    rtol, atol = (float(x) for x in sys.argv[1:3]) if len(sys.argv) > 2 else (1e-9, 1e-12)
    n = 1 << 20
    theta = 0.8 + 0.6 * np.random.default_rng(1).random(n)
    start = jnp.array(np.stack([0 * theta, theta, 0 * theta, 0 * theta + 0.125, 0.5 * np.sin(theta), 0.5 * np.cos(theta) - 5]))
    all_runs = jax.jit(jax.vmap(lambda y, h: run(y, h, rtol, atol), in_axes=(1, 0), out_axes=(1, 0)))
    h = jnp.full(n, 0.01)
    begin = time.perf_counter()
    all_runs(start, h)[0].block_until_ready()
    first = time.perf_counter() - begin
    best = float("inf")
    for _ in range(4):
        begin = time.perf_counter()
        _, attempts = all_runs(start, h)
        attempts.block_until_ready()
        best = min(best, time.perf_counter() - begin)
    print(f"JAX {jax.__version__}, {jax.devices()[0].device_kind}: {n} runs, rtol {rtol:g}, atol {atol:g}: {best * 1e3:.1f} ms, "
          f"{n / best:.4g} runs/s, {float(attempts.mean()):.1f} attempts a run, first call {first:.1f} s", flush=True)


main()
