"""The rows of ./bench. Each is a function of a Context that yields lines for the table; docs/performance.md explains
them one by one."""

import dataclasses
import json
import math
import os
import pathlib
import subprocess
import time

import models
import stats
from workers import Refused, Worker, interleave

ACCELERATIONS_AGREE = 1e-8  # of the largest; else a row is refused
ACHIEVED_ERROR = 1e-9
PEER_MEMORY = 8 << 30


@dataclasses.dataclass
class Context:
    root: pathlib.Path
    build: pathlib.Path  # where peers and models are
    quick: bool
    cores: set  # those this process may use; all is pinned to one of them
    missing: dict  # peer -> why it is not there

    @property
    def rounds(self):
        return 7 if self.quick else 21

    @property
    def slice(self):
        return 0.01 if self.quick else 0.03

    @property
    def ours(self):
        return str(self.root / "build/release/benches/bench_ours")

    @property
    def command(self):
        return str(self.root / "build/release/src/dalembert/dalembert")

    def model(self, name, model):
        folder = self.build / "models"
        folder.mkdir(parents=True, exist_ok=True)
        return models.write(folder / name, model)

    def bundled(self, name):
        return str(self.root / "models" / f"{name}.toml")

    def peer(self, name):
        """A fresh process of a peer."""
        if name in self.missing:
            raise Refused(self.missing[name])
        script = self.root / "benches/peers" / f"{name}_peer.py"
        if script.exists() and name != "casadi":
            return Worker([str(self.build / "venv/bin/python"), str(script)], memory=PEER_MEMORY)
        program = "casadi_loop" if name == "casadi" else name
        return Worker([str(self.build / "peers" / program)], memory=PEER_MEMORY)


def line(what, unit, ours, peer="", theirs=(), target="", reached=None, note=""):
    return {
        "what": what,
        "unit": unit,
        "ours": list(ours),
        "peer": peer,
        "theirs": list(theirs),
        "target": target,
        "reached": reached,
        "note": note,
    }


def median(samples):
    return stats.quantile(samples, 0.5)


def median_ratio(ours, theirs):
    return median(stats.ratios(ours, theirs))


class Contest:
    """Ours against any number of peers, each first made to show that it computes the same values."""

    def __init__(self, reference, agreement=ACCELERATIONS_AGREE):
        self.reference, self.agreement = reference, agreement
        self.timers, self.refused, self.open = {}, {}, []

    def ours(self, timer):
        self.timers[""] = timer
        return self

    def enter(self, name, start, slice_, **request):
        """start() makes the peer's worker. Returns its notes, None if it is refused."""
        try:
            worker = start()
        except Refused as problem:
            self.refused[name] = f"not measured: {problem}"
            return None
        self.open.append(worker)
        try:
            notes = worker.prepare(**request)
            difference = stats.relative_difference(notes["values"], self.reference)
            if difference > self.agreement:
                raise Refused(f"its accelerations differ from ours by {difference:.1e}")
        except Refused as problem:
            self.refused[name] = f"not measured: {problem}"
            return None
        self.timers[name] = lambda: worker.time(slice_)
        return notes

    def run(self, rounds):
        samples = interleave(self.timers, rounds)
        for worker in self.open:
            worker.close()
        return samples


def cold(context, path, stage, **environment):
    """One process that reads and derives: its own account of the seconds each stage took."""
    completed = subprocess.run(
        [context.ours, "cold", path, stage], capture_output=True, text=True, env=dict(os.environ, **environment)
    )
    answer = json.loads(completed.stdout) if completed.stdout else {"error": completed.stderr.strip()}
    if "error" in answer:
        raise Refused(answer["error"])
    return answer


def timed_process(command, **environment):
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=dict(os.environ, **environment))
    return time.perf_counter() - start


# -- derivation


def first_acceleration(context):
    path = context.bundled("rolling_disk")
    answer = cold(context, path, "acceleration")
    q, v = [0, 1.125, 0, 0, 0], [0.5, 0.125, -5, 2.5, 0]
    contest = Contest(answer["values"])
    contest.ours(lambda: timed_process([context.command, "eval", path, "--quiet"]))
    contest.timers["inside"] = lambda: cold(context, path, "acceleration")["acceleration"]
    peer = "SymPy, Lagrange"
    contest.enter(
        peer, lambda: context.peer("sympy"), 0, system="rolling disk", parameters=[2, 0.5, 9.8125], q=q, v=v
    )
    samples = contest.run(3 if context.quick else 7)
    theirs = samples.get(peer, [])
    note = contest.refused.get(peer, "")
    whole, inside = samples[""], samples["inside"]
    ratio = median_ratio(whole, theirs) if theirs else None
    what = "file to first acceleration, rolling disk"
    yield line(what + ", whole process", "s", whole, peer, theirs, "20 times", ratio and ratio >= 20, note)
    yield line(what + ", whole process", "s", whole, target="25 ms", reached=median(whole) < 0.025)
    yield line(what + ", inside the process", "s", inside, peer, theirs)


def derive_and_compile(context):
    links = 10
    path = context.model(f"pendulum_{links}.toml", models.pendulum(links))
    q, v = models.pendulum_state(links)
    answer = cold(context, path, "machine", DALEMBERT_CACHE="off")
    contest = Contest(answer["values"])
    contest.ours(lambda: cold(context, path, "machine", DALEMBERT_CACHE="off")["machine"])
    peer = "SymPy, Kane"
    parameters = list(models.PENDULUM.values())
    contest.enter(
        peer,
        lambda: context.peer("sympy"),
        0,
        system="pendulum kane",
        links=links,
        parameters=parameters,
        q=q,
        v=v,
    )
    samples = contest.run(3 if context.quick else 7)
    ours, theirs = samples[""], samples.get(peer, [])
    ratio = median_ratio(ours, theirs) if theirs else None
    note = contest.refused.get(peer) or f"machine code of {answer['operations']} operations, no kernel cached"
    what = f"derive and compile, {links}-link pendulum"
    yield line(what, "s", ours, peer, theirs, "30 times", ratio and ratio >= 30, note)


def derive_long(context):
    what = "60-link pendulum, derivation"
    path = context.model("pendulum_60.toml", models.pendulum(60))
    if context.quick:
        ours = [cold(context, path, "derive")["derive"] for _ in range(3)]
        yield line(what, "s", ours, target="5 s", reached=median(ours) < 5)
        return
    parameters = list(models.PENDULUM.values())
    for links, system, name in ((60, "pendulum symengine", "SymEngine, by hand"), (20, "pendulum kane", "SymPy, Kane")):
        path = context.model(f"pendulum_{links}.toml", models.pendulum(links))
        q, v = models.pendulum_state(links)
        contest = Contest(cold(context, path, "acceleration")["values"])
        contest.ours(lambda: cold(context, path, "derive")["derive"])
        request = {"system": system, "links": links, "parameters": parameters, "q": q, "v": v}
        contest.enter(name, lambda: context.peer("sympy"), 0, **request)
        samples = interleave(contest.timers, 1, warm=False)
        for worker in contest.open:
            worker.close()
        target, reached = ("5 s", median(samples[""]) < 5) if links == 60 else ("", None)
        note = contest.refused.get(name, "one round")
        title = what if links == 60 else f"{links}-link pendulum, derivation"
        yield line(title, "s", samples[""], name, samples.get(name, []), target, reached, note)


# -- one acceleration


def disk_acceleration(context):
    text = pathlib.Path(context.bundled("rolling_disk")).read_text(encoding="utf-8").split("[outputs]")[0]
    path = context.model("rolling_disk.toml", text)
    q, v = [0.3, 1.125, 0.7, 0.1, 0.2], [0.5, 0.125, -5, 0, 0]
    v[3], v[4] = 2.5 * math.cos(q[0]), 2.5 * math.sin(q[0])
    for lanes, target in ((1, 0.25e-6), (8, 0.06e-6)):
        with Worker([context.ours]) as ours:
            notes = ours.prepare(task="kernel", tape="solution", model=path, q=q, v=v, lanes=lanes)
            contest = Contest(notes["values"]).ours(lambda: ours.time(context.slice))
            contest.enter(
                "CasADi, C code",
                lambda: context.peer("casadi"),
                context.slice,
                library=str(context.build / "casadi/rolling_disk.so"),
                function="rolling_disk",
                arguments=[q, v],
                results=[5, 5],
            )
            samples = contest.run(context.rounds)
        name = "constrained acceleration, rolling disk, " + ("scalar" if lanes == 1 else f"per lane of {lanes}")
        note = contest.refused.get("CasADi, C code") or f"{notes['operations']} operations, form {notes['form']}"
        yield line(
            name,
            "s",
            samples[""],
            "CasADi, C code",
            samples.get("CasADi, C code", []),
            f"{target * 1e6:g} µs",
            median(samples[""]) < target,
            note,
        )


def exported_acceleration(context):
    """The same as C code of `dalembert export`, compiled for this machine."""
    text = pathlib.Path(context.bundled("rolling_disk")).read_text(encoding="utf-8").split("[outputs]")[0]
    path = context.model("rolling_disk.toml", text)
    folder = context.build / "exported"
    subprocess.run([context.command, "export", path, "--to", "c", "--out", folder, "--quiet"], check=True)
    library = folder / "rolling_disk.so"
    flags = ["-std=c99", "-O3", "-march=native", "-ffp-contract=off", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, "-o", library, folder / "rolling_disk.c", "-lm"], check=True)
    with Worker([context.ours]) as machine:
        notes = machine.prepare(task="kernel", tape="derivative", model=path, lanes=1)
        contest = Contest(notes["values"])
        contest.enter(
            "", lambda: Worker([context.ours]), context.slice, task="exported", model=path, prefix="rolling_disk", library=str(library)
        )
        contest.timers["our machine code, one lane"] = lambda: machine.time(context.slice)
        samples = contest.run(context.rounds)
    ours, theirs = samples[""], samples["our machine code, one lane"]
    yield line(
        "y' of the rolling disk, exported as C",
        "s",
        ours,
        "our machine code, one lane",
        theirs,
        "1.1 times",
        median_ratio(ours, theirs) >= 1 / 1.1,
        f"{notes['operations']} operations, form {notes['form']}",
    )


PINOCCHIO_OPEN = ({"algorithm": "aba"}, {"algorithm": "aba-world"})
PINOCCHIO_CLOSED = (
    {"algorithm": "constraint-dynamics"},
    {"algorithm": "lcaba", "mu": 1e-2},
    {"algorithm": "lcaba", "mu": 1e-4},
    {"algorithm": "lcaba", "mu": 1e-6},
)


def enter_pinocchio(context, contest, mechanism):
    """The fastest of its algorithms that computes the right accelerations."""
    algorithms = PINOCCHIO_CLOSED if mechanism["closures"] else PINOCCHIO_OPEN
    best, problems = None, []
    for settings in algorithms:
        try:
            with context.peer("pinocchio") as worker:
                notes = worker.prepare(**settings, **mechanism)
                difference = stats.relative_difference(notes["values"], contest.reference)
                if difference > contest.agreement:
                    raise Refused(f"{settings['algorithm']} differs by {difference:.1e}")
                seconds = min(worker.time(context.slice) for _ in range(3))
                if best is None or seconds < best[0]:
                    best = seconds, settings
        except Refused as problem:
            problems.append(str(problem))
    if best is None:
        contest.refused["Pinocchio"] = "not measured: " + "; ".join(dict.fromkeys(problems))
        return
    contest.algorithm = best[1]["algorithm"]
    contest.enter("Pinocchio", lambda: context.peer("pinocchio"), context.slice, **best[1], **mechanism)


def chain_lines(context, what, ours, notes, mechanism, peers, targets, rounds):
    """One line a peer: ours and all of them in turn. `targets`: peer -> ratio to reach."""
    contest = Contest(notes["values"]).ours(lambda: ours.time(context.slice))
    contest.algorithm = ""
    for peer in peers:
        if peer == "Pinocchio":
            enter_pinocchio(context, contest, mechanism)
        else:
            contest.enter(peer, lambda: context.peer(peer.lower()), context.slice, **mechanism)
    samples = contest.run(rounds)
    for peer in peers:
        theirs = samples.get(peer, [])
        wanted = targets.get(peer)
        reached = median_ratio(samples[""], theirs) > wanted if wanted and theirs else None
        note = contest.refused.get(peer, "")
        if peer == "Pinocchio" and theirs:
            note = f"its {contest.algorithm}"
        yield line(what, "s", samples[""], peer, theirs, "faster" if wanted else "", reached, note)


def short_chain(context):
    links = 10
    mechanism, _, _ = models.chain(links)
    path = context.model(f"rods_{links}.toml", models.rods(links))
    with Worker([context.ours]) as ours:
        notes = ours.prepare(task="kernel", tape="derivative", model=path)
        yield from chain_lines(
            context,
            f"{links}-link chain, one acceleration",
            ours,
            notes,
            mechanism,
            ["MuJoCo", "Pinocchio", "Simbody"],
            {"MuJoCo": 1},
            context.rounds,
        )


def long_chains(context):
    sizes = (100, 1000) if context.quick else (100, 1000, 10000)
    for loop in (False, True):
        each = {}
        for links in sizes:
            mechanism, angles, rates = models.chain(links, loop)
            q, v = models.chain_state(angles, rates)
            path = context.model(f"chain_{links}{'_loop' if loop else ''}.toml", models.chain_model(links, loop))
            what = f"{links}-link chain, {'one loop' if loop else 'open'}, absolute coordinates"
            with Worker([context.ours]) as ours:
                try:
                    notes = ours.prepare(task="evaluate", model=path, q=q, v=v, **models.ANGLES)
                except Refused as problem:
                    yield line(what, "s", [], note=f"not measured: {problem}")
                    continue
                peers = ["Simbody", "Pinocchio"] if links <= 1000 else ["Simbody"]
                rounds = context.rounds if links <= 1000 else 7
                for made in chain_lines(
                    context, what, ours, notes, mechanism, peers, {"Simbody": 1} if links == 1000 else {}, rounds
                ):
                    each[links] = median(made["ours"]) / links
                    if not made["note"]:
                        made["note"] = f"ours {each[links] * 1e6:.2f} µs a link"
                    yield made
        if 100 in each and sizes[-1] in each:
            growth = each[sizes[-1]] / each[100]
            yield line(
                f"cost per link at {sizes[-1]} of that at 100, chain {'with one loop' if loop else 'open'}",
                "times",
                [growth],
                target="1.5 times",
                reached=growth <= 1.5 if sizes[-1] == 10000 else None,
            )


def ladders(context):
    for loops in (10,) if context.quick else (10, 50):
        for redundant in (False, True):
            mechanism = models.ladder(loops, redundant)
            kind = "_redundant" if redundant else ""
            path = context.model(f"ladder_{loops}{kind}.toml", models.ladder_model(loops, redundant))
            what = f"ladder of {loops} four-bar loops" + (", couplers doubled" if redundant else "")
            with Worker([context.ours]) as ours:
                try:
                    notes = ours.prepare(task="evaluate", model=path, **models.ANGLES)
                except Refused as problem:
                    yield line(what, "s", [], note=f"not measured: {problem}")
                    continue
                yield from chain_lines(
                    context, what, ours, notes, mechanism, ["Pinocchio", "Simbody"], {}, context.rounds
                )


# -- motions

MOTIONS = {
    "rolling_disk": {
        "title": "rolling disk to t = 10",
        "starts": models.disk_starts,
        "duration": 10,
        "parameters": [2, 0.5, 9.8125],
        "compared": 3,
        "further errors": (1e-6, 1e-12),
    },
    "double_pendulum": {
        "title": "double pendulum to t = 5",
        "starts": models.pendulum_starts,
        "duration": 5,
        "parameters": [2, 1, 1, 0.75, 9.8125],
        "compared": 2,
        "further errors": (),
    },
}


def tuned(worker, reference, coarsest, finest, runs, achieved=ACHIEVED_ERROR, **request):
    """Prepares `runs` motions from the starts, again and again, with the loosest tolerance that achieves the error asked
    for. Returns the notes, that tolerance and the error."""

    def error_of(tolerance):
        values = worker.prepare(tolerance=tolerance, rtol=tolerance, atol=tolerance, **request)["values"]
        return stats.absolute_difference(values, reference)

    tolerance = stats.loosest(error_of, achieved, coarsest, finest, 6)
    if tolerance is None:
        raise Refused(f"error {error_of(finest):.1e} even at tolerance {finest:g}")
    notes = worker.prepare(tolerance=tolerance, rtol=tolerance, atol=tolerance, runs=runs, **request)
    return notes, tolerance, stats.absolute_difference(notes["values"], reference)


# What heyoka may be told; the fastest counts. Contraction to fused multiply-add is off unless asked for.
HEYOKA_ALONE = [{"fast_math": True}, {}]
HEYOKA_LANES = [
    {"lanes": lanes, "fast_math": True, "force_avx512": wide} for lanes, wide in ((4, False), (8, False), (8, True), (16, True))
]


def described(settings):
    return "".join(f", {name}={value}" for name, value in settings.items())


def at_its_best(context, worker, reference, finest, candidates, achieved=ACHIEVED_ERROR, coarsest=1e-6, **request):
    """Leaves the worker prepared with the settings that are fastest at the error asked for. Returns them, the tolerance
    and the error."""
    best, problems = None, []
    for settings in candidates:
        try:
            _, tolerance, error = tuned(
                worker, reference, coarsest, finest, 0, achieved=achieved, settings=settings, **request
            )
        except Refused as problem:
            problems.append(str(problem))
            continue
        seconds = min(worker.time(context.slice) for _ in range(3))
        if best is None or seconds < best[0]:
            best = seconds, settings, tolerance, error
    if best is None:
        raise Refused("; ".join(dict.fromkeys(problems)))
    _, settings, tolerance, error = best
    worker.prepare(tolerance=tolerance, rtol=tolerance, atol=tolerance, runs=0, settings=settings, **request)
    return settings, tolerance, error


def motions(context):
    for system, facts in MOTIONS.items():
        starts = facts["starts"](64)
        count = facts["compared"]
        request = {"system": system, "duration": facts["duration"], "parameters": facts["parameters"]}
        try:
            with context.peer("heyoka") as worker:
                cut = [[q[:count], v[:count]] for q, v in starts]
                reference = worker.prepare(reference=True, starts=cut, **request)["values"]
        except Refused as problem:
            yield line(facts["title"], "rate", [], note=f"not measured: no reference of high precision, {problem}")
            continue
        for lanes in (1, 8):
            for integrator in ("rk8", "taylor"):
                yield from motion_lines(context, system, facts, starts, reference, request, lanes, integrator)
            for achieved in facts["further errors"]:
                yield from motion_lines(
                    context, system, facts, starts, reference, request, lanes, "taylor", achieved
                )


def motion_lines(context, system, facts, starts, reference, request, lanes, integrator, achieved=ACHIEVED_ERROR):
    count = facts["compared"]
    cut = [[q[:count], v[:count]] for q, v in starts]
    coarsest = 1e3 * achieved
    what = f"{facts['title']}, error {achieved:.0e}, ".replace("e-0", "e-") + ("one at a time" if lanes == 1 else f"{lanes} lanes")
    what += ", by taylor" if integrator == "taylor" else ""
    peers = {"heyoka, hand-reduced": ("heyoka", cut, HEYOKA_ALONE if lanes == 1 else HEYOKA_LANES)}
    if lanes == 1 and integrator == "rk8":
        peers["SciPy DOP853, hand-reduced"] = ("scipy", cut[:2], [{}])
    timers, notes, refused, opened = {}, {}, {}, []
    ours = Worker([context.ours])
    opened.append(ours)
    try:
        made, tolerance, error = tuned(
            ours,
            reference,
            coarsest,
            min(1e-13, achieved / 1e3),
            runs=256 if lanes == 1 else 1024,
            task="motions",
            model=context.bundled(system),
            starts=starts,
            duration=facts["duration"],
            lanes=lanes,
            threads=1,
            compared=count,
            integrator=integrator,
            achieved=achieved,
        )
    except Refused as problem:
        yield line(what, "rate", [], note=f"not measured: {problem}")
        ours.close()
        return
    about = f"ours at tolerance {tolerance:.1e}, error {error:.1e}, {made['steps']:.0f} steps"
    timers[""] = lambda: ours.time(context.slice)
    for peer, (name, their_starts, settings) in peers.items():
        try:
            worker = context.peer(name)
            opened.append(worker)
            part = reference[: len(their_starts) * 2 * count]
            finest = 1e-15 if name == "heyoka" else 1e-13
            best, tolerance, error = at_its_best(
                context, worker, part, finest, settings, achieved, coarsest, starts=their_starts, lanes=lanes, **request
            )
            notes[peer] = f"{about}; theirs at {tolerance:.1e}, error {error:.1e}{described(best)}"
            timers[peer] = lambda worker=worker: worker.time(context.slice)
        except Refused as problem:
            refused[peer] = f"not measured: {problem}"
    samples = interleave(timers, context.rounds)
    for worker in opened:
        worker.close()
    for peer in peers:
        theirs = samples.get(peer, [])
        target = "as many" if system == "rolling_disk" and peer.startswith("heyoka") else ""
        reached = median_ratio(samples[""], theirs) >= 1 if target and theirs else None
        yield line(what, "rate", samples[""], peer, theirs, target, reached, refused.get(peer) or notes.get(peer, ""))


SIMULATIONS = {  # by `simulate`, which writes rows with forces and work, as `run` does
    "rk8": {
        "title": "rolling disk to t = 10 by rk8, 501 rows, error 1e-9",
        "system": "rolling_disk",
        "starts": models.disk_starts(4),
        "compared": 3,
        "parameters": [2, 0.5, 9.8125],
        "achieved": 1e-9,
        "methods": ["DOP853"],
    },
    "bdf": {
        "title": "stiff shaft to t = 10 by bdf, 501 rows, error 1e-6",
        "system": "stiff_shaft",
        "starts": [[[1.0, 0.0, 0.0], [0.0, 0.0, 2.0]]],
        "compared": 3,
        "parameters": [1, 0.5, 0.25, 0.5, 2e5, 2e3, 9.8125],
        "achieved": 1e-6,
        "methods": ["LSODA", "Radau", "BDF"],
    },
}


def simulations(context):
    """One motion with its rows, by each integrator, against the best of SciPy's methods; rk8 against our own ensemble too,
    which has one lane and writes nothing."""
    for integrator, facts in SIMULATIONS.items():
        count, achieved = facts["compared"], facts["achieved"]
        cut = [[q[:count], v[:count]] for q, v in facts["starts"]]
        request = {"system": facts["system"], "duration": 10, "parameters": facts["parameters"]}
        own = {"model": context.bundled(facts["system"]), "starts": facts["starts"], "duration": 10, "compared": count}
        try:
            with context.peer("heyoka") as worker:
                reference = worker.prepare(reference=True, starts=cut, **request)["values"]
        except Refused as problem:
            yield line(facts["title"], "s", [], note=f"not measured: no reference of high precision, {problem}")
            continue
        timers, notes, opened = {}, {}, []

        def enter(name, start, prepare):
            try:
                worker = start()
                opened.append(worker)
                notes[name] = prepare(worker)
                timers[name] = lambda: worker.time(context.slice)
            except Refused as problem:
                notes[name] = f"not measured: {problem}"

        def ours(worker, **task):
            _, tolerance, error = tuned(
                worker, reference, 1e-4, 1e-13, len(facts["starts"]), achieved=achieved, **task, **own
            )
            return f"at tolerance {tolerance:.1e}, error {error:.1e}"

        def theirs(worker, methods=facts["methods"]):
            settings = [{"method": method} for method in methods]
            best, tolerance, error = at_its_best(
                context, worker, reference, 1e-13, settings, achieved, starts=cut, **request
            )
            return f"theirs {best['method']} at {tolerance:.1e}, error {error:.1e}"

        enter("", lambda: Worker([context.ours]), lambda worker: ours(worker, task="simulate", integrator=integrator))
        if "" not in timers:
            yield line(facts["title"], "s", [], note=notes[""])
            continue
        peers = ["SciPy, hand-reduced"]
        enter(peers[0], lambda: context.peer("scipy"), theirs)
        if integrator == "rk8":
            peers.append("our ensemble, no rows")
            enter(peers[1], lambda: Worker([context.ours]), lambda worker: ours(worker, task="motions", lanes=1))
        else:
            peers.append("CVODE, hand-reduced, in C")
            enter(peers[1], lambda: context.peer("cvode"), lambda worker: theirs(worker, ["BDF"]))
        samples = interleave(timers, context.rounds)
        for worker in opened:
            worker.close()
        for peer in peers:
            yield line(facts["title"], "s", samples[""], peer, samples.get(peer, []), note=f"ours {notes['']}; {notes[peer]}")


def first_calls(context):
    """What comes before the first step by series: the whole command with nothing cached, and the kernel alone."""
    path, out = context.bundled("rolling_disk"), str(context.build / "first_call")

    def run(integrator):
        command = [context.command, "run", path, "--integrator", integrator, "--quiet", "--no-report", "--out", out]
        return lambda: timed_process(command, DALEMBERT_CACHE="off")

    samples = interleave({"": run("taylor"), "rk8": run("rk8")}, 3 if context.quick else 7)
    reached = median_ratio(samples[""], samples["rk8"]) >= 1
    yield line("first call: run rolling disk by taylor, nothing cached", "s", samples[""], "by rk8", samples["rk8"], "no slower", reached)
    kernels = [cold(context, path, "series", DALEMBERT_CACHE="off")["kernel"] for _ in range(3 if context.quick else 7)]
    yield line("first kernel of its series, with what loads LLVM", "s", kernels, target="30 ms", reached=median(kernels) < 0.03)


MECHANISMS = {"bicycle": ("bicycle", 2), "Bricard's linkage": ("bricard", 2), "slider-crank": ("slider_crank", 10), "10-link chain": (None, 1)}


def integrators(context):
    """One motion of a mechanism with its 501 rows: taylor and auto beside rk8, each as loose as error 1e-9 allows."""
    for name, (model, duration) in MECHANISMS.items():
        path = context.bundled(model) if model else context.model("rods_10.toml", models.rods(10))
        request = {"task": "simulate", "model": path, "duration": duration}
        what = f"{name} to t = {duration}, 501 rows, error 1e-9"
        reference = None
        for finest in ({"precision": "extended", "rtol": 1e-16, "atol": 1e-19}, {"rtol": 1e-13, "atol": 1e-16}):
            try:  # without a tape there is no extended precision
                with Worker([context.ours]) as worker:
                    reference = worker.prepare(integrator="taylor", **finest, **request)["values"]
                break
            except Refused as problem:
                refused = problem
        if reference is None:
            yield line(what, "s", [], note=f"not measured: {refused}")
            continue
        timers, notes, opened = {}, {}, []
        for integrator in ("rk8", "taylor", "auto"):
            worker = Worker([context.ours])
            opened.append(worker)
            try:
                made, tolerance, error = tuned(worker, reference, 1e-5, 1e-13, 1, integrator=integrator, **request)
                notes[integrator] = f"{made['integrator']} at {tolerance:.1e}, error {error:.1e}, {made['steps']} steps"
                timers[integrator] = lambda worker=worker: worker.time(context.slice)
            except Refused as problem:
                notes[integrator] = f"not measured: {problem}"
        samples = interleave(timers, context.rounds) if timers else {}
        for worker in opened:
            worker.close()
        for integrator in ("taylor", "auto"):
            ours, theirs = samples.get(integrator, []), samples.get("rk8", [])
            target, reached = "", None
            if integrator == "auto" and ours and theirs:
                target, reached = "no loss", median_ratio(ours, theirs) >= 0.9
            yield line(f"{what}, by {integrator}", "s", ours, "by rk8", theirs, target, reached,
                       f"{notes[integrator]}; {notes['rk8']}")


def threads(context):
    """The same ensemble on one core and on two."""
    if len(context.cores) < 2:
        yield line("ensemble on two cores, of one", "times", [], note="not measured: there is one core")
        return
    facts = MOTIONS["rolling_disk"]
    timers, opened = {}, []
    for count in (1, 2):
        worker = Worker([context.ours], cores=context.cores)
        opened.append(worker)
        worker.prepare(
            task="motions",
            model=context.bundled("rolling_disk"),
            starts=facts["starts"](64),
            runs=2048,
            duration=10,
            rtol=1e-9,
            atol=1e-9,
            lanes=8,
            threads=count,
            compared=3,
        )
        timers[count] = lambda worker=worker: worker.time(0.2)
    samples = interleave(timers, context.rounds)
    for worker in opened:
        worker.close()
    gain = stats.ratios(samples[2], samples[1])
    yield line("ensemble of 2048 rolling disks, two threads", "rate", samples[2], "one thread", samples[1],
               note=f"gain {median(gain):.2f}")


# -- memory


def peak_memory(command):
    """Megabytes (1e6) a process had resident at most."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    problem = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise Refused(problem.strip().splitlines()[-1] if problem.strip() else f"status {process.returncode}")
    return usage.ru_maxrss * 1024 / 1e6


def memory(context):
    links = 1000 if context.quick else 10000
    path = context.model(f"chain_{links}.toml", models.chain_model(links, False))
    what = f"{links}-link chain, memory of one acceleration"
    try:
        peak = peak_memory([context.command, "eval", path, "--quiet"])
        yield line(what, "MB", [peak], target="1000 MB", reached=peak < 1000 if links == 10000 else None)
    except Refused as problem:
        yield line(what, "MB", [], target="1000 MB", reached=False, note=f"not measured: {problem}")
    out = str(context.build / "memory")
    runs = {}
    for duration in (10, 100):
        command = [context.command, "run", context.bundled("rolling_disk"), "--quiet", "--out", out]
        runs[duration] = peak_memory(command + ["--duration", str(duration), "--samples", str(50 * duration)])
    yield line(
        "rolling disk for 100 s, memory",
        "MB",
        [runs[100]],
        "for 10 s",
        [runs[10]],
        "the same",
        runs[100] < 1.05 * runs[10],
    )


ROWS = {
    "first acceleration": first_acceleration,
    "derive and compile": derive_and_compile,
    "60-link derivation": derive_long,
    "disk acceleration": disk_acceleration,
    "exported acceleration": exported_acceleration,
    "motions": motions,
    "simulate": simulations,
    "first calls": first_calls,
    "integrators": integrators,
    "10-link chain": short_chain,
    "long chains": long_chains,
    "ladders": ladders,
    "memory": memory,
    "threads": threads,
}
