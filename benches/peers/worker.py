"""The Python side of what worker.hpp describes: a process that holds one peer and answers lines of JSON."""

import json
import sys
import time


class Prepared:
    """Something ready to be timed: `work()` computes `items` of them. The time of `overhead()`, what a call costs in
    Python before the peer begins, is taken off, in the peer's favour."""

    def __init__(self, work, items=1, values=(), overhead=None, **notes):
        self.work, self.items, self.values, self.overhead, self.notes = work, items, values, overhead, notes


def time_slice(work, calls):
    start = time.perf_counter()
    for _ in range(calls):
        work()
    return (time.perf_counter() - start) / calls


def calibrate(work, seconds):
    calls = 1
    while True:
        each = time_slice(work, calls)
        wanted = seconds / max(each, 1e-9)
        if wanted <= 1:
            return 1
        if wanted <= 2 * calls:
            return int(wanted)
        calls = min(10 * calls, int(wanted))


def serve(prepare):
    out = sys.stdout
    sys.stdout = sys.stderr  # what a library prints is no answer
    prepared, calls = None, 0
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if request["do"] == "prepare":
                prepared, calls = prepare(request), 0
                answer = dict(prepared.notes, values=[float(v) for v in prepared.values])
            else:
                if calls == 0:
                    calls = calibrate(prepared.work, request.get("seconds", 0.02))
                seconds = time_slice(prepared.work, calls)
                if prepared.overhead:
                    seconds -= time_slice(prepared.overhead, calls)
                answer = {"seconds": seconds / prepared.items, "calls": calls}
        except Exception as problem:  # the driver tells the user
            answer = {"error": f"{type(problem).__name__}: {problem}"}
        out.write(json.dumps(answer) + "\n")
        out.flush()
