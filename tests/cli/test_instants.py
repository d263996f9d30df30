"""Events, contacts and friction that sticks, as the command runs, refuses and tells of them."""

import csv
import json
import math
import re

import pytest

BALL = """coordinates = ["x", "z"]

[parameters]
m = 2
e = 0.5
g = 9.81

[discrete]
count = 0

[energy]
kinetic = "m*(x'^2 + z'^2)/2"
potential = "m*g*z"

[[contact]]
name = "floor"
gap = "z"
restitution = "e"

[[event]]
name = "apex, up"
when = "z'"
direction = "falling"
set = { count = "count + 1" }

[initial]
z = 1
"x'" = 1

[simulation]
duration = 2
samples = 21

[outputs]
count = "count"
"""


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_a_run_writes_its_events(dalembert):
    dalembert.write("ball.toml", BALL)
    result = dalembert("run", "ball.toml")
    assert result.status == 0, result.err
    out = dalembert.directory / "out" / "ball"
    events = rows_of(out / "events.csv")
    assert list(events[0])[:3] == ["t", "name", "kind"]
    assert [e["kind"] for e in events[:3]] == ["impact", "event", "impact"]
    fall = math.sqrt(2 / 9.81)
    assert float(events[0]["t"]) == pytest.approx(fall, abs=1e-8)
    assert float(events[1]["t"]) == pytest.approx(1.5 * fall, abs=1e-8)
    assert events[1]["name"] == "apex, up" and events[1]["impulse"] == ""
    speed = 9.81 * fall
    first = events[0]
    assert float(first["rate_before"]) == pytest.approx(-speed, rel=1e-8)
    assert float(first["rate_after"]) == pytest.approx(speed / 2, rel=1e-8)
    assert float(first["impulse"]) == pytest.approx(2 * 1.5 * speed, rel=1e-8)
    assert float(first["energy"]) == pytest.approx(-2 * 9.81 * 0.75, rel=1e-8)
    summary = json.loads((out / "summary.json").read_text())
    bounces = [e for e in events if e["kind"] == "impact"]
    assert summary["events"]["floor"] == {"close": 1, "impact": len(bounces)}
    assert summary["energy_lost"] == pytest.approx(2 * 9.81, rel=1e-9)
    assert f"floor: 1 closing, {len(bounces)} impacts" in result.out
    assert "energy lost   19.6 in impacts and friction" in result.out
    assert "events.csv (" in result.out
    rows = rows_of(out / "trajectory.csv")
    assert len(rows) == 21
    assert {"reaction.floor", "work.friction", "work.impact"} <= set(rows[0])
    last = rows[-1]
    assert float(last["reaction.floor"]) == pytest.approx(2 * 9.81, rel=1e-12)
    assert float(last["work.impact"]) == pytest.approx(-2 * 9.81, rel=1e-9)
    assert float(last["count"]) == summary["events"]["apex, up"]["event"]
    assert float(last["x"]) == pytest.approx(2, abs=1e-12)


def test_event_rows_stand_on_both_sides_of_each_jump(dalembert):
    dalembert.write("ball.toml", BALL)
    assert dalembert("run", "ball.toml", "--event-rows", "--duration", 0.6, "--samples", 4).status == 0
    out = dalembert.directory / "out" / "ball"
    impact = next(e for e in rows_of(out / "events.csv") if e["kind"] == "impact")
    rows = rows_of(out / "trajectory.csv")
    at = [r for r in rows if float(r["t"]) == float(impact["t"])]
    rates = [float(impact["rate_before"]), float(impact["rate_after"])]
    assert [float(r["z'"]) for r in at] == pytest.approx(rates, rel=1e-13)
    assert len(rows) > 4
    assert {f"{0.6 * i / 3:.6f}" for i in range(4)} <= {f"{float(r['t']):.6f}" for r in rows}


def test_a_smooth_model_has_no_events_file(dalembert):
    dalembert.write("ball.toml", BALL)
    assert dalembert("run", "ball.toml", "--out", "o", "--quiet").status == 0
    assert dalembert("run", "pendulum", "--out", "p", "--quiet").status == 0
    assert not (dalembert.directory / "p" / "events.csv").exists()
    assert "events" not in json.loads((dalembert.directory / "p" / "summary.json").read_text())
    result = dalembert("run", "pendulum", "--out", "o")
    assert "of an earlier run: events.csv" in result.out


def test_hdf5_has_the_columns_of_contacts(dalembert):
    dalembert.write("ball.toml", BALL)
    result = dalembert("run", "ball.toml", "--format", "hdf5")
    assert result.status == 0, result.err
    assert "trajectory.h5" in result.out and "events.csv" in result.out
    content = (dalembert.directory / "out" / "ball" / "trajectory.h5").read_bytes()
    assert b"reaction.floor" in content and b"work.impact" in content


@pytest.mark.parametrize(
    "change, sentence",
    [
        (('gap = "z"', "gap = \"z + z'\""), "17:12: error: velocity z' cannot stand here: a gap depends on positions and time only"),
        (('restitution = "e"', "restitution = 1.5"), "18:15: error: contact 'floor': its restitution must be from 0 to 1"),
        (("e = 0.5", "e = 1.5"), "18:16: error: at the start, the restitution of contact 'floor' must not be above 1"),
        (("e = 0.5", "e = -0.5"), "18:16: error: at the start, the restitution of contact 'floor' must not be negative"),
        (('restitution = "e"', "friction = 0.1\nslip = \"x'^2\""), "19:9: error: contact 'floor': its slip is not linear in the velocities"),
        (('restitution = "e"', "friction = \"-m/4\"\nslip = \"x'\""), "18:13: error: at the start, the friction of contact 'floor' must not be negative, and is -0.5"),
        (("z = 1", "z = -1"), "17:8: error: the motion starts in penetration: the gap of contact 'floor' is -1"),
        (("gap = \"z\"", 'gap = "log(-z)"'), "17:8: error: at the start, the gap of contact 'floor' is not a finite number"),
        (
            ("[simulation]", '[[friction]]\nname = "f"\nslip = "x\'"\nlimit = "reaction.f"\n[simulation]'),
            "error: friction 'f': its limit uses its own force, reaction.f",
        ),
        (
            ("[simulation]", '[[friction]]\nname = "f"\nslip = "x\'"\nlimit = "m - 5"\n[simulation]'),
            "error: at the start, the limit of friction 'f' must not be negative, and is -3",
        ),
        (
            ('set = { count = "count + 1" }', 'set = { count = 1 }\n[[event]]\nname = "b"\nwhen = "-z\'"\nset = { count = 2 }'),
            "error: events 'apex, up' and 'b' contradict each other: at the same instant they set 'count' to different values",
        ),
    ],
)
def test_what_cannot_be_is_refused_at_its_place(dalembert, change, sentence):
    assert change[0] in BALL
    dalembert.write("ball.toml", BALL.replace(*change))
    result = dalembert("run", "ball.toml")
    assert result.status == 2 and sentence in result.err, result.err
    assert result.err.startswith("ball.toml:") and result.out == ""
    assert not (dalembert.directory / "out").exists()


def test_a_coefficient_that_turns_negative_ends_the_motion(dalembert):
    dalembert.write("ball.toml", BALL.replace('restitution = "e"', 'restitution = "1/2 - t"'))
    result = dalembert("run", "ball.toml")
    assert result.status == 3
    assert "at t = 0.5 the restitution of contact 'floor' becomes negative" in result.err
    summary = json.loads((dalembert.directory / "out" / "ball" / "summary.json").read_text())
    assert not summary["complete"] and summary["events"]["floor"]["impact"] >= 1
    assert len(rows_of(dalembert.directory / "out" / "ball" / "events.csv")) >= 1


def test_a_start_in_penetration_offers_the_nearest_state(dalembert):
    dalembert.write("ball.toml", BALL.replace("z = 1\n", "z = -1\n"))
    result = dalembert("run", "ball.toml")
    assert result.status == 2 and "starts in penetration: the gap of contact 'floor' is -1" in result.err
    nearest = re.search(r"^    z = (\S+)$", result.err, re.MULTILINE)
    assert abs(float(nearest.group(1))) < 1e-15 and not (dalembert.directory / "out").exists()
    dalembert.write("ball.toml", BALL.replace("z = 1\n", 'z = -1\nadjust = "nearest"\n'))
    assert dalembert("run", "ball.toml").status == 0
    assert float(rows_of(dalembert.directory / "out" / "ball" / "trajectory.csv")[0]["z"]) == pytest.approx(0, abs=1e-15)



def test_eval_tells_modes_and_forces(dalembert):
    alpha = math.radians(20)
    normal, weight = 2 * 9.81 * math.cos(alpha), 2 * 9.81 * math.sin(alpha)
    slides = json.loads(dalembert("eval", "brick", "--json").out)
    assert slides["motion"] == "one"
    contact = slides["contacts"][0]
    assert (contact["name"], contact["mode"], contact["unique"]) == ("incline", "closed, slides", True)
    assert contact["normal"] == pytest.approx(normal, rel=1e-14)
    assert contact["friction"] == [pytest.approx(-normal / 2, rel=1e-14)]
    assert slides["acceleration"]["s"] == pytest.approx((weight - normal / 2) / 2, rel=1e-13)
    assert slides["acceleration"]["n"] == pytest.approx(0, abs=1e-14)
    sticks = json.loads(dalembert("eval", "brick", "--json", "--at", "s'=0").out)
    contact = sticks["contacts"][0]
    assert contact["mode"] == "closed, sticks"
    assert contact["friction"] == [pytest.approx(-weight, rel=1e-14)]
    assert contact["limit"] == pytest.approx(normal / 2, rel=1e-14)
    assert sticks["acceleration"] == {"s": pytest.approx(0, abs=1e-14), "n": pytest.approx(0, abs=1e-14)}
    opened = json.loads(dalembert("eval", "brick", "--json", "--at", "n=1").out)
    assert opened["contacts"][0]["mode"] == "open" and opened["contacts"][0]["normal"] == 0
    strikes = dalembert("eval", "brick", "--json", "--at", "n'=-1")
    document = json.loads(strikes.out)
    assert document["motion"] == "impact" and document["acceleration"]["n"] is None
    assert "contact 'incline' is closed and approaching, at -1: an impact comes before any acceleration" in strikes.err


def test_eval_gives_the_set_of_forces_that_are_not_unique(dalembert):
    """A beam on three supports, each of which may carry from nothing to half of its weight or all of it."""
    beam = """coordinates = ["z", "th"]
[energy]
kinetic = "2*z'^2/2 + th'^2/2"
potential = "2*9.81*z"
[[contact]]
name = "left"
gap = "z - th"
[[contact]]
name = "middle"
gap = "z"
[[contact]]
name = "right"
gap = "z + th"
"""
    dalembert.write("beam.toml", beam)
    document = json.loads(dalembert("eval", "beam.toml", "--json").out)
    weight = 2 * 9.81
    ranges = {c["name"]: c["normal_range"] for c in document["contacts"]}
    for name, most in (("left", weight / 2), ("middle", weight), ("right", weight / 2)):
        assert ranges[name] == [pytest.approx(0, abs=1e-9), pytest.approx(most, rel=1e-9)]
    assert [c["unique"] for c in document["contacts"]] == [False, False, False]
    text = dalembert("eval", "beam.toml").out
    assert "not unique" in text and "N of middle may be from 0 to 19.62" in text


def test_check_lists_what_happens_at_instants(dalembert):
    text = dalembert("check", "bouncing_ball").out
    assert "contacts     floor   gap z - r, newton, restitution e" in text
    assert "events       apex   when z' = 0, falling" in text
    assert "conserved    not looked for: impacts, friction and events change" in text
    assert "friction     belt   slip x' - v, limit mu_k*weight, static mu_s*weight" in dalembert("check", "belt").out
    document = json.loads(dalembert("check", "escapement", "--json").out)
    assert document["events"] == [
        {
            "name": "tick", "when": "th", "direction": "both", "every": None,
            "set": {"th'": "sign(th')*sqrt(th'^2 + 2*E/J)", "ticks": "ticks + 1"}, "stop": False,
        }
    ]  # fmt: skip
    document = json.loads(dalembert("check", "brick", "--json").out)
    assert document["contacts"][0]["friction"] == "mu" and document["contacts"][0]["slip"] == ["s'"]
    assert document["frictions"] == []


def test_derivations_say_the_equations_of_the_modes(dalembert):
    text = dalembert("derive", "brick", "--method", "multipliers").out
    for line in ("g_1 >= 0, N_1 >= 0, g_1*N_1 = 0", "slides: R_1 = -mu*N_1 s_1/|s_1|", "sticks: s_1 = 0, |R_1| <= mu*N_1",
                 "It closes by an impact, without a bounce."):  # fmt: skip
        assert line in text
    ball = dalembert("derive", "bouncing_ball", "--method", "multipliers").out
    assert "By Newton's law g_1'+ >= -e*g_1'-, with equality where there is an impulse." in " ".join(ball.split())
    latex = dalembert("derive", "brick", "--method", "multipliers", "--format", "latex").out
    assert r"0 \le g_{1} \perp N_{1} \ge 0" in latex
    assert "Event 'tick': where th changes its sign" in dalembert("derive", "escapement", "--method", "multipliers").out
    assert "Contacts and friction" not in dalembert("derive", "pendulum", "--method", "multipliers").out


@pytest.mark.parametrize(
    ("model", "name", "values"),
    [("bouncing_ball", "e", [0.3, 0.5, 0.8]), ("belt", "v", [0.1, 0.2, 0.3]), ("brick", "v0", [0.5, 1, 1.5])],
)
def test_a_run_of_a_sweep_has_its_contacts(dalembert, model, name, values):
    result = dalembert("sweep", model, "--vary", f"{name}={values}", "--device", "auto", "--lanes", "8", "--out", "sweep")
    assert result.status == 0, result.err
    swept = rows_of(dalembert.directory / "sweep" / "results.csv")
    assert [row["status"] for row in swept] == ["complete"] * 3
    for value, row in zip(values, swept, strict=True):
        assert dalembert("run", model, "--set", f"{name}={value}", "--out", "run").status == 0
        last = rows_of(dalembert.directory / "run" / "trajectory.csv")[-1]
        state = [key for key in row if key in last and key != "t"]
        assert len(state) >= 2
        assert [float(row[key]) for key in state] == [float(last[key]) for key in state]


CLOCK = """
coordinates = ["x"]
[discrete]
n = 0
[parameters]
period = 0.7
[energy]
kinetic = "x'^2/2"
[[event]]
name = "clock"
every = "period"
set = { n = "n + 1" }
[initial]
x = 1
"x'" = 1
[simulation]
duration = 2
samples = 3
"""


def test_a_clock_strikes_after_the_start_only(dalembert):
    dalembert.write("clock.toml", CLOCK)
    assert dalembert("run", "clock.toml", "--from", "1.4", "--out", "out", "--no-report").status == 0
    rows = list(csv.DictReader((dalembert.directory / "out/events.csv").read_text().splitlines()))
    assert [float(row["t"]) for row in rows] == pytest.approx([2.1, 2.8], rel=1e-15)
    last = list(csv.DictReader((dalembert.directory / "out/trajectory.csv").read_text().splitlines()))[-1]
    assert float(last["x"]) == pytest.approx(3, rel=1e-15)


@pytest.mark.parametrize("period", ["-1", "0", "sqrt(-1)", "1e300*1e300"])
def test_a_clock_needs_a_period(dalembert, period):
    dalembert.write("clock.toml", CLOCK.replace("period = 0.7", f'period = "{period}"' if "*" not in period else "period = 1e300")
                    .replace('every = "period"', 'every = "period^2"' if "*" in period else 'every = "period"'))
    result = dalembert("run", "clock.toml", "--no-report")
    assert result.status == 2 and result.out == ""
    assert "clock.toml:" in result.err and not (dalembert.directory / "out").exists()


def test_the_period_of_a_clock_is_fixed(dalembert):
    dalembert.write("clock.toml", CLOCK.replace('every = "period"', 'every = "n + 1"'))
    result = dalembert("check", "clock.toml")
    assert result.status == 2 and "the period of event 'clock' cannot depend on 'n', which events change" in result.err


def test_what_happened_before_stays_when_a_motion_goes_on(dalembert):
    for more in ([], ["--resume"]):
        assert dalembert("run", "belt", "--duration", "10", "--out", "out", "--no-report", *more).status == 0
    assert dalembert("run", "belt", "--duration", "20", "--out", "whole", "--no-report").status == 0
    times = [[float(row["t"]) for row in csv.DictReader((dalembert.directory / name / "events.csv").read_text().splitlines())]
             for name in ("out", "whole")]
    assert times[0] == pytest.approx(times[1], abs=1e-9) and len(times[0]) >= 4
    counted, whole = (json.loads((dalembert.directory / name / "summary.json").read_text()) for name in ("out", "whole"))
    assert counted["events"] == whole["events"]
    assert counted["energy_lost"] == pytest.approx(whole["energy_lost"], rel=1e-9)


COUNTER = """
coordinates = ["x"]
[discrete]
n = 0
[energy]
kinetic = "x'^2/2"
potential = "x^2/2"
[[event]]
name = "up"
when = "x = 0.5"
direction = "rising"
set = { n = "n + 1" }
[initial]
"x'" = 1
[simulation]
duration = 10
samples = 11
rtol = 1e-12
[outputs]
count = "n"
"""


def test_discrete_values_go_on_where_they_were(dalembert):
    dalembert.write("counter.toml", COUNTER)
    run = ("run", "counter.toml", "--no-report", "--out")
    assert dalembert(*run, "parts").status == 0
    assert json.loads((dalembert.directory / "parts/summary.json").read_text())["discrete"] == {"n": 2}
    result = dalembert(*run, "parts", "--resume")
    assert result.status == 0 and "up: 4 events" in result.out and "events.csv (4 rows)" in result.out
    assert dalembert(*run, "whole", "--duration", 20).status == 0
    ends = [list(csv.DictReader((dalembert.directory / name / "trajectory.csv").read_text().splitlines()))[-1] for name in ("parts", "whole")]
    assert ends[0]["count"] == ends[1]["count"] == "4"
    assert float(ends[0]["x"]) == pytest.approx(float(ends[1]["x"]), abs=1e-9)
    (dalembert.directory / "parts/summary.json").unlink()
    refused = dalembert(*run, "parts", "--duration", 30, "--resume")
    assert refused.status == 2
    assert refused.err == "error: --resume: parts/summary.json does not have the value of 'n', which events have set\n"


GAP = """coordinates = ["x", "z"]
[energy]
kinetic = "(x'^2 + z'^2)/2"
potential = "9.81*z"
[[contact]]
name = "floor"
gap = "GAP"
[initial]
z = 1
x = 1
"""


@pytest.mark.parametrize("gap, part", [("abs(z)", "abs(z)"), ("min(z, x)", "min(x, z)"), ("sqrt(z^2)", "sqrt(z^2)"), ("z*sign(z)", "sign(z)"),
                                       ("z - abs(x)", "abs(x)"), ("floor(z)", "floor(z)")])
def test_a_gap_with_a_kink_at_its_surface_is_refused(dalembert, gap, part):
    dalembert.write("gap.toml", GAP.replace("GAP", gap))
    result = dalembert("run", "gap.toml", "--no-report")
    assert result.status == 2 and result.out == ""
    assert result.err.startswith("gap.toml:7:8: error: contact 'floor': its gap has a kink or jump where it may be zero, in "), result.err
    assert not (dalembert.directory / "out").exists()


@pytest.mark.parametrize("gap", ["abs(z) - 0.25", "sqrt(x^2 + z^2) - 0.25", "(z - x^2)/sqrt(1 + 4*x^2)"])
def test_a_gap_with_a_kink_elsewhere_is_one(dalembert, gap):
    dalembert.write("gap.toml", GAP.replace("GAP", gap).replace("z = 1", "z = 1.5") + "[simulation]\nduration = 0.1\n")
    result = dalembert("run", "gap.toml", "--no-report")
    assert result.status == 0, result.err


def test_a_let_may_contain_a_reaction(dalembert):
    text = GAP.replace("GAP", "z") + """[simulation]
duration = 1
samples = 3
[let]
N = "reaction.floor"
twice = "2*N"
[[event]]
name = "pressed"
when = "N - 5"
[outputs]
load = "twice"
"""
    dalembert.write("let.toml", text)
    result = dalembert("run", "let.toml", "--no-report")
    assert result.status == 0, result.err
    rows = list(csv.DictReader((dalembert.directory / "out/let/trajectory.csv").read_text().splitlines()))
    assert [float(row["load"]) for row in rows] == pytest.approx([2*float(row["reaction.floor"]) for row in rows])
    assert float(rows[-1]["load"]) == pytest.approx(2*9.81)
    dalembert.write("force.toml", text + '[forces]\nx = "-N"\n')
    refused = dalembert("run", "force.toml")
    assert refused.status == 2 and "let 'N' contains 'reaction.floor' and may be used in [outputs], [[event]]" in refused.err
    dalembert.write("rate.toml", text.replace('load = "twice"', 'load = "N\'"'))
    refused = dalembert("run", "rate.toml")
    assert refused.status == 2 and "let 'N' contains 'reaction.floor', a constraint force, which has no rate" in refused.err
    dalembert.write("unknown.toml", text.replace("reaction.floor", "reaction.flor"))
    refused = dalembert("run", "unknown.toml")
    assert refused.status == 2 and "let 'N': unknown constraint, joint, contact or friction 'flor' in 'reaction.flor'" in refused.err


def test_bdf_goes_through_contacts_and_taylor_says_that_it_does_not(dalembert):
    result = dalembert("run", "bouncing_ball", "--integrator", "bdf", "--rtol", "1e-7", "--no-report")
    assert result.status == 0 and "bdf, rtol 1e-7" in result.out and "impacts" in result.out
    refused = dalembert("run", "bouncing_ball", "--integrator", "taylor")
    assert refused.status == 2 and "integrated by rk8 or bdf, and not by taylor" in refused.err


PAD = """coordinates = ["x", "y"]

[energy]
kinetic = "(x'^2 + y'^2)/2"

[forces]
x = "t/2"
y = "FORCE"

[[friction]]
name = "pad"
slip = ["x'", "y'"]
limit = 1

[simulation]
duration = 4
"""


@pytest.mark.parametrize("force, square", [("0.1", "1 - 0.1**2"), ("t/5", "1/(1 + 4/25)")])
def test_what_gives_way_to_a_growing_force_does_so_once_and_in_few_steps(dalembert, force, square):
    """The direction of the friction turns the faster the slower the pad is, while its motion is smooth."""
    dalembert.write("pad.toml", PAD.replace("FORCE", force))
    ends = []
    for rtol in ("1e-9", "1e-12"):
        result = dalembert("run", "pad.toml", "--rtol", rtol, "--out", rtol)
        assert result.status == 0, result.err
        out = dalembert.directory / rtol
        (slip,) = rows_of(out / "events.csv")
        assert slip["kind"] == "slip" and float(slip["t"]) == pytest.approx(2 * math.sqrt(eval(square)), rel=1e-12)
        summary = json.loads((out / "summary.json").read_text())
        assert summary["steps"] < 2000  # 33 000 by steps that follow v/|v|
        ends.append([float(x) for x in list(rows_of(out / "trajectory.csv")[-1].values())[1:5]])
    # The work of friction along its path, whose direction is that of the velocity: to the coarser tolerance.
    assert ends[0] == pytest.approx(ends[1], abs=1e-8)
    if force == "t/5":  # straight: s'' = |F| - 1
        c = math.hypot(1 / 2, 1 / 5)
        tau = 4 - 1 / c
        s, v = c * tau**3 / 6, c * tau**2 / 2
        assert ends[1] == pytest.approx([s / 2 / c, s / 5 / c, v / 2 / c, v / 5 / c], abs=1e-10)


@pytest.mark.parametrize("when, time", [("floor(x) = 3", 4), ("sign(x - 1) + sign(x - 2)", 2), ("max(0, x - 4) - max(0, 3 - x)", 4)])
@pytest.mark.parametrize("integrator", ["rk8", "bdf"])
def test_zero_for_a_while_is_no_sign(dalembert, when, time, integrator):
    dalembert.write(
        "z.toml",
        f"""coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
[[event]]
name = "e"
when = "{when}"
[initial]
"x'" = 1
[simulation]
duration = 5
""",
    )
    result = dalembert("run", "z.toml", "--integrator", integrator)
    assert result.status == 0, result.err
    (event,) = rows_of(dalembert.directory / "out" / "z" / "events.csv")
    assert float(event["t"]) == pytest.approx(time, rel=1e-12 if integrator == "rk8" else 1e-7)


GLOBE = """coordinates = ["x", "y", "z", "q0", "q1", "q2", "q3"]
gravity = [0, 0, -10]

[parameters]
T = 1.2
S = 0.5

[[body]]
name = "b"
mass = 1
inertia = [0.1, 0.1, 0.1]
position = ["x", "y", "z"]
orientation = { quaternion = ["q0", "q1", "q2", "q3"] }

[[joint]]
name = "j"
type = "ball"
body = "b"
friction = { mu = 0.1, radius = 1 }

[[force]]
body = "b"
torque = ["T", "S", 0]

[initial]
q0 = 1

[outputs]
w = "b.wx*T + b.wy*S"

[simulation]
duration = 1
"""


@pytest.mark.parametrize("torque", [(1.2, 0.5), (1.01, 0.1), (0.8, 0.7), (2, 1)])
def test_a_ball_joint_gives_way_along_its_load(dalembert, torque):
    """N = 10, so that the friction takes 1 of the torque, and the rest turns the globe about it."""
    dalembert.write("globe.toml", GLOBE)
    result = dalembert("run", "globe.toml", "--set", f"T={torque[0]}", "--set", f"S={torque[1]}")
    assert result.status == 0, result.err
    last = rows_of(dalembert.directory / "out" / "globe" / "trajectory.csv")[-1]
    size = math.hypot(*torque)
    assert float(last["w"]) == pytest.approx((size - 1) / 0.1 * size, rel=1e-8)


def test_friction_that_sticks_needs_a_velocity_of_its_own(dalembert):
    driven = GLOBE.replace('type = "ball"', 'type = "hinge"\naxis = [0, 0, 1]\nmotion = "2*t"')
    dalembert.write("driven.toml", driven)
    result = dalembert("check", "driven.toml")
    assert result.status == 2
    assert "joint 'j': its motion is prescribed, and what sticks needs a velocity of its own: give the friction a slip" in result.err
    assert re.search(r"^driven\.toml:\d+:\d+: error", result.err, re.M), result.err
