"""heyoka: trajectories by Taylor series, one at a time or W in SIMD lanes. Timed: start written, propagated to the end.
`settings` go to heyoka as they are (fast_math, force_avx512). Compilation is left out. What the call from Python costs with nothing to propagate is measured and taken off."""

import math

import heyoka
import numpy

import motions
from worker import Prepared, serve


def system_of(name, parameters):
    rates, _, _, size = motions.SYSTEMS[name]
    symbols = heyoka.make_vars(*[f"y{i}" for i in range(size)])
    return list(zip(symbols, rates(symbols, parameters, heyoka.sin, heyoka.cos)))


def starts_of(request, sin=math.sin, cos=math.cos):
    _, reduce, _, _ = motions.SYSTEMS[request["system"]]
    return [reduce(q, v, sin, cos) for q, v in request["starts"]]


def reference(request):
    """The end of each trajectory in extended precision (64-bit mantissa), tolerance 1e-18."""
    real = numpy.longdouble
    _, reduce, full, size = motions.SYSTEMS[request["system"]]
    system = system_of(request["system"], [real(p) for p in request["parameters"]])
    propagator = heyoka.taylor_adaptive(system, numpy.zeros(size, real), fp_type=real, tol=real(1e-18))
    ends = []
    for q, v in request["starts"]:
        start = reduce([real(x) for x in q], [real(x) for x in v], numpy.sin, numpy.cos)
        propagator.time = real(0)
        propagator.state[:] = start
        propagator.propagate_until(real(request["duration"]))
        ends += [float(x) for x in full(propagator.state, numpy.sin, numpy.cos)]
    return ends


def prepare(request):
    if request.get("reference"):
        return Prepared(lambda: None, values=reference(request), version=heyoka.__version__)
    _, _, full, size = motions.SYSTEMS[request["system"]]
    settings = dict(request.get("settings", {}))
    lanes = settings.pop("lanes", request["lanes"])
    tolerance, duration = request["tolerance"], request["duration"]
    system = system_of(request["system"], request["parameters"])
    starts = numpy.array(starts_of(request))
    ends = numpy.zeros_like(starts)
    if lanes == 1:
        propagator = heyoka.taylor_adaptive(system, starts[0], tol=tolerance, **settings)

        def each(end_time):
            for i, start in enumerate(starts):
                propagator.time = 0.0
                propagator.state[:] = start
                propagator.propagate_until(end_time)
                ends[i] = propagator.state

        begin, end = 0.0, duration
    else:
        propagator = heyoka.taylor_adaptive_batch(system, numpy.zeros((size, lanes)), tol=tolerance, **settings)
        blocks = [starts[i : i + lanes].T.copy() for i in range(0, len(starts), lanes)]

        def each(end_time):
            for i, block in enumerate(blocks):
                propagator.set_time(0.0)
                propagator.state[:] = block
                propagator.propagate_until(end_time)
                ends[i * lanes : (i + 1) * lanes] = propagator.state.T

        begin, end = [0.0] * lanes, [duration] * lanes
    each(end)
    values = [x for y in ends for x in full(y, math.sin, math.cos)]
    return Prepared(
        lambda: each(end), items=len(starts), values=values, overhead=lambda: each(begin), version=heyoka.__version__
    )


if __name__ == "__main__":
    serve(prepare)
