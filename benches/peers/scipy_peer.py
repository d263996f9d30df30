"""SciPy's solve_ivp on the hand-reduced equations, the right-hand side in Python as its users write it. `settings` name the
method, DOP853 if they do not."""

import math

import scipy
from scipy.integrate import solve_ivp

import motions
from worker import Prepared, serve


def prepare(request):
    rates, reduce, full, _ = motions.SYSTEMS[request["system"]]
    parameters, tolerance, duration = request["parameters"], request["tolerance"], request["duration"]
    method = request.get("settings", {}).get("method", "DOP853")
    starts = [reduce(q, v, math.sin, math.cos) for q, v in request["starts"]]

    def run(start):
        solution = solve_ivp(
            lambda _, y: rates(y, parameters, math.sin, math.cos),
            (0, duration),
            start,
            method=method,
            rtol=max(tolerance, 2.3e-14),
            atol=tolerance,
        )
        return full(solution.y[:, -1], math.sin, math.cos)

    values = [x for start in starts for x in run(start)]
    return Prepared(lambda: [run(s) for s in starts], items=len(starts), values=values, version=scipy.__version__)


if __name__ == "__main__":
    serve(prepare)
