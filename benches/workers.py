"""The processes that compute: one a library, each answering lines of JSON (worker.hpp)."""

import json
import os
import resource
import subprocess


class Refused(Exception):
    """A peer cannot do what was asked, or is not there; the text says why."""


class Worker:
    def __init__(self, command, memory=None, cores=None):
        """`memory`: bytes it may take, so that a peer that takes too much ends alone. `cores`: those it may use, if not
        the one this process is pinned to."""

        def before():
            if memory:
                resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
            if cores:
                os.sched_setaffinity(0, cores)

        try:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                preexec_fn=before,
            )
        except OSError as problem:
            raise Refused(str(problem)) from None

    def ask(self, **request):
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise Refused(f"the program ended with status {self.process.wait()}")
        answer = json.loads(line)
        if "error" in answer:
            raise Refused(answer["error"])
        return answer

    def prepare(self, **request):
        """The notes, with what the library computes as `values`."""
        return self.ask(do="prepare", **request)

    def time(self, seconds):
        """Of one item, measured over a slice of about this many seconds."""
        return self.ask(do="time", seconds=seconds)["seconds"]

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def interleave(timers, rounds, warm=True):
    """Calls each timer in turn, `rounds` times round: {name: samples}. A first round warms up and is thrown away."""
    samples = {name: [] for name in timers}
    for number in range(rounds + warm):
        for name, timer in timers.items():
            value = timer()
            if number >= warm:
                samples[name].append(value)
    return samples
