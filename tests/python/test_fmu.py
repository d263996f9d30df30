"""FMUs as an importer meets them: FMPy's validator, its CVode, its co-simulation."""

import csv
import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

pytest.importorskip("fmpy")
from fmpy import extract, instantiate_fmu, read_model_description, simulate_fmu  # noqa: E402
from fmpy.fmi1 import FMICallException  # noqa: E402
from fmpy.validation import validate_fmu  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
MODELS = sorted(path.stem for path in (ROOT / "models").glob("*.toml"))
needs_cc = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler here")


def dalembert(*arguments, compiler=None):
    program = os.environ.get("DALEMBERT")
    command = [program] if program else [sys.executable, "-m", "dalembert"]
    environment = {**os.environ, "CC": compiler} if compiler else dict(os.environ)
    return subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True, env=environment)


def exported(folder, model, version, compiler=None):
    out = folder / f"{Path(model).stem}{version}.fmu"
    done = dalembert("export", model, "--to", "fmu", "--fmi", version, "--out", out, "--quiet", compiler=compiler)
    assert done.returncode == 0, done.stderr
    return str(out)


@pytest.fixture(scope="session")
def shipped(tmp_path_factory):
    """The archive of a model that comes with the program, made once for all tests."""
    folder, made = tmp_path_factory.mktemp("fmus"), {}

    def find(model, version, compiler=None):
        key = (model, version, compiler)
        if key not in made:
            below = folder / (compiler or "cc")
            below.mkdir(exist_ok=True)
            made[key] = exported(below, model, version, compiler)
        return made[key]

    return find


def run_rows(folder, model, *arguments):
    assert dalembert("run", model, "--out", folder / "run", "--quiet", "--no-report", *arguments).returncode == 0
    with open(folder / "run/trajectory.csv", newline="") as file:
        rows = list(csv.reader(file))
    return rows[0], np.array([[float(x or "nan") for x in row] for row in rows[1:]])


# Libraries by the quick compiler, where there is one: the tests below are about what is computed. One that the system's
# compiler makes is in most others.
QUICK = "tcc" if shutil.which("tcc") else None
# How far each model is followed, in seconds, and in how many rows. CVode as FMPy calls it takes 500 steps between rows at most, and
# its formulas of order five need very many of these for errors that do not show: models with fast parts are followed for a
# shorter while. `parallelogram` is singular at 0.315 s, where exported code stops; at 5 s `belt` slips, which a row must not fall on.
FOLLOWED = {"belt": (6.0, 50), "bricard": (0.02, 5), "chain": (0.4, 21), "four_bar": (0.6, 31), "parallelogram": (0.3, 31),
            "rattleback": (0.5, 51), "robot_arm": (0.5, 51), "stiff_shaft": (0.002, 41), "woodpecker": (0.3, 151)}
EVERYWHERE = (1.0, 51)


@needs_cc
@pytest.mark.parametrize("version", ["2", "3"])
@pytest.mark.parametrize("model", MODELS)
def test_every_model_is_valid_and_moves_for_an_importer_as_in_run(shipped, tmp_path, model, version):
    # Both are asked for more than the comparison needs, so that what is compared is the model.
    fmu = shipped(model, version, QUICK)
    assert validate_fmu(fmu) == []
    duration, samples = FOLLOWED.get(model, EVERYWHERE)
    head, rows = run_rows(tmp_path, model, "--rtol", "1e-12", "--duration", duration, "--samples", samples)
    description = read_model_description(fmu)
    names = [v.name for v in description.modelVariables if v.causality == "output"]
    for kind in ("CoSimulation", "ModelExchange"):
        found = simulate_fmu(fmu, fmi_type=kind, stop_time=duration, output_interval=duration / (samples - 1),
                             relative_tolerance=1e-12 if kind == "CoSimulation" else 1e-14,
                             output=[*names, "constraint.residual"], record_events=False)
        assert len(found["time"]) >= len(rows) - 1  # who records the end by an event is the importer's affair
        for name in names:
            wanted = rows[:len(found["time"]), head.index(name)]
            apart = np.max(np.abs(found[name][:len(wanted)] - wanted))
            assert apart <= 1e-8 * max(1, np.max(np.abs(wanted))), (kind, name, apart)
        assert np.max(found["constraint.residual"]) <= (1e-12 if kind == "CoSimulation" else 1e-10)


def co_simulation(fmu, folder):
    """An instance; several of one folder share the library."""
    description = read_model_description(fmu)
    where = str(folder)
    if not folder.exists():
        extract(fmu, unzipdir=where)
    instance = instantiate_fmu(where, description, "CoSimulation")
    references = {v.name: v.valueReference for v in description.modelVariables}
    return instance, references


def begin(instance, description_version):
    if description_version == "2":
        instance.setupExperiment(startTime=0.0)
        instance.enterInitializationMode()
    else:
        instance.enterInitializationMode(startTime=0.0)
    instance.exitInitializationMode()


def numbers(instance, references):
    get = instance.getReal if hasattr(instance, "getReal") else instance.getFloat64
    return list(get([references[name] for name in references if name != "time"]))


@needs_cc
@pytest.mark.parametrize("version", ["2", "3"])
@pytest.mark.parametrize("model", ["slider_crank", "bouncing_ball"])
def test_instances_do_not_feel_each_other_and_states_are_replayed(shipped, tmp_path, model, version):
    fmu = shipped(model, version)
    one, references = co_simulation(fmu, tmp_path / "one")
    two, _ = co_simulation(fmu, tmp_path / "one")
    alone, _ = co_simulation(fmu, tmp_path / "one")
    for instance in (one, two, alone):
        begin(instance, version)
    for i in range(20):
        one.doStep(0.05 * i, 0.05)
        if i % 3 == 0:
            two.doStep(0.15 * (i // 3), 0.15)
        alone.doStep(0.05 * i, 0.05)
    assert numbers(one, references) == numbers(alone, references) != numbers(two, references)
    get_state = one.getFMUstate if version == "2" else one.getFMUState
    set_state = one.setFMUstate if version == "2" else one.setFMUState
    serialize = one.serializeFMUstate if version == "2" else one.serializeFMUState
    deserialize = two.deSerializeFMUstate if version == "2" else two.deserializeFMUState
    state = get_state()
    saved = serialize(state)
    one.doStep(1.0, 0.5)
    after = numbers(one, references)
    set_state(state)
    one.doStep(1.0, 0.5)
    assert numbers(one, references) == after
    (two.setFMUstate if version == "2" else two.setFMUState)(deserialize(saved))
    two.doStep(1.0, 0.5)
    assert numbers(two, references) == after


@needs_cc
@pytest.mark.parametrize("version", ["2", "3"])
def test_directional_derivatives_are_those_of_differences(shipped, tmp_path, version):
    fmu = shipped("rolling_disk", version)
    description = read_model_description(fmu)
    states = [d.variable.derivative.valueReference for d in description.derivatives]
    rates = [d.variable.valueReference for d in description.derivatives]
    instance = instantiate_fmu(extract(fmu, unzipdir=str(tmp_path / "x")), description, "ModelExchange")
    begin(instance, version)
    if version == "2":
        instance.newDiscreteStates()
    instance.enterContinuousTimeMode()
    n = len(states)
    y = (ctypes.c_double * n)()
    f = (ctypes.c_double * n)()
    instance.getContinuousStates(y, n)
    get = instance.getDerivatives if version == "2" else instance.getContinuousStateDerivatives
    rng = np.random.default_rng(1)
    seed = rng.standard_normal(n)
    start = np.array(y)
    direction = instance.getDirectionalDerivative(rates, states, list(seed))
    h = 1e-5
    sides = []
    for side in (h, -h):
        y[:] = list(start + side * seed)
        instance.setContinuousStates(y, n)
        get(f, n)
        sides.append(np.array(f))
    # Central differences: h^2 and rounding / h.
    assert np.allclose(direction, (sides[0] - sides[1]) / (2 * h), rtol=1e-7, atol=1e-7)
    if version == "3":
        y[:] = list(start)
        instance.setContinuousStates(y, n)
        other = rng.standard_normal(n)
        adjoint = instance.getAdjointDerivative(rates, states, list(other))
        assert np.dot(adjoint, seed) == pytest.approx(np.dot(other, direction), rel=1e-12)


CART = """
coordinates = ["x"]
[inputs]
u = 0.5
[energy]
kinetic = "x'^2/2"
[forces]
x = "u - 0.2*x'"
"""


@needs_cc
@pytest.mark.parametrize("version", ["2", "3"])
def test_inputs_are_followed(tmp_path, version):
    (tmp_path / "cart.toml").write_text(CART)
    fmu = exported(tmp_path, tmp_path / "cart.toml", version)
    description = read_model_description(fmu)
    assert [v.name for v in description.modelVariables if v.causality == "input"] == ["u"]
    assert validate_fmu(fmu) == []
    kind = [("time", float), ("u", float)]
    options = {"stop_time": 4, "output_interval": 0.5, "relative_tolerance": 1e-12, "output": ["x'", "u"]}
    # v' = u - v/5, and at t = 2 u changes from 1 to 3.
    jump = np.array([(0.0, 1.0), (2.0, 1.0), (2.0, 3.0), (4.0, 3.0)], dtype=kind)
    found = simulate_fmu(fmu, fmi_type="ModelExchange", record_events=False, input=jump, **options)
    t = found["time"]
    wanted = 5 * (1 - np.exp(-0.2 * t)) + 10 * (1 - np.exp(-0.2 * np.maximum(t - 2, 0)))
    assert np.allclose(found["x'"], wanted, rtol=0, atol=1e-9)
    # Constant between communication points: v' = u(t_k) - v/5.
    ramp = np.array([(0.0, 0.0), (4.0, 4.0)], dtype=kind)
    found = simulate_fmu(fmu, fmi_type="CoSimulation", input=ramp, **options)
    v = 0.0
    for k in range(9):
        assert found["x'"][k] == pytest.approx(v, abs=1e-11)
        v = 2.5 * k + (v - 2.5 * k) * np.exp(-0.1)
    instance, references = co_simulation(fmu, tmp_path / "x")
    begin(instance, version)
    unknown, known = [references["der(x')"], references["energy.kinetic"]], [references["u"], references["x'"]]
    instance.doStep(0.0, 1.0)
    (speed,) = (instance.getReal if version == "2" else instance.getFloat64)([references["x'"]])
    assert instance.getDirectionalDerivative(unknown, known, [2.0, 10.0]) == pytest.approx([0, 10 * speed], abs=1e-15)
    if version == "3":
        assert instance.getAdjointDerivative(unknown, known, [3.0, 1.0]) == pytest.approx([3, speed - 0.6], abs=1e-15)


KICKED = """
coordinates = ["x", "y"]
[parameters]
l = 2
[discrete]
kicks = 0
side = 1
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
[[constraint]]
equation = "x^2 + y^2 = l^2"
[[event]]
name = "kick"
every = "l/5"
set = { "x'" = "x' + 0.3*side", kicks = "kicks + 1" }
[[event]]
name = "pass"
when = "x = 0.1*kicks"
direction = "rising"
set = { x = "x + 0.01", side = "-side" }
[[event]]
name = "end"
when = "kicks = 9.5"
stop = true
[initial]
x = "l"
[simulation]
duration = 10
[outputs]
kicks = "kicks"
"""


@needs_cc
@pytest.mark.parametrize("version", ["2", "3"])
@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
def test_events_come_and_end_the_motion(tmp_path, kind, version):
    # A clock, an expression that a discrete value moves, and an end that comes by another event's doing.
    (tmp_path / "kicked.toml").write_text(KICKED)
    fmu = exported(tmp_path, tmp_path / "kicked.toml", version)
    assert validate_fmu(fmu) == []
    head, rows = run_rows(tmp_path, tmp_path / "kicked.toml", "--rtol", "1e-12", "--samples", "51")
    assert rows[-1, 0] == pytest.approx(4.0, rel=1e-14)
    names = ["x", "y", "x'", "y'", "kicks", "energy.kinetic"]
    found = simulate_fmu(fmu, fmi_type=kind, stop_time=10, output_interval=0.2, relative_tolerance=1e-12, output=names,
                         record_events=False)
    assert found["time"][-1] == pytest.approx(4.0, abs=0.2)
    for k in range(20):  # the last row is that of the end, and who records it when is the importer's affair
        assert found["time"][k] == pytest.approx(rows[k, 0], abs=1e-12)
        if k % 2 == 0:
            continue  # at a strike: before or behind it
        for name in names:
            assert found[name][k] == pytest.approx(rows[k, head.index(name)], rel=1e-8, abs=1e-8), (k, name)


@needs_cc
def test_a_long_co_simulation_stays_on_the_constraints(shipped, tmp_path):
    instance, references = co_simulation(shipped("pendulum", "2"), tmp_path / "x")
    begin(instance, "2")
    worst = 0.0
    for i in range(1000):
        instance.doStep(10.0 * i, 10.0)
        worst = max(worst, instance.getReal([references["constraint.residual"]])[0])
    assert worst <= 1e-12


@needs_cc
@pytest.mark.parametrize("version", ["2", "3"])
def test_reference_results_travel_along(shipped, tmp_path, version):
    fmu = shipped("escapement", version)
    folder = Path(extract(fmu, unzipdir=str(tmp_path / "x"))) / "extra/org.fmi-standard.fmi-ls-ref"
    (related,) = ElementTree.parse(folder / "fmi-ls-manifest.xml").getroot()
    assert (related.tag, related.get("source"), related.get("role")) == ("Related", "reference.csv", "result")
    with open(folder / "reference.csv", newline="") as file:
        head, *rows = csv.reader(file)
    rows = np.array(rows, dtype=float)
    assert head[0] == "time" and len(rows) == 51
    found = simulate_fmu(fmu, fmi_type="CoSimulation", stop_time=15, output_interval=0.3, output=head[1:])
    for i, name in enumerate(head):
        assert np.allclose(found[name], rows[:, i], rtol=1e-9, atol=1e-9), name


@needs_cc
@pytest.mark.parametrize("version", ["2", "3"])
def test_log_categories_are_obeyed(shipped, tmp_path, version):
    fmu = shipped("escapement", version)
    description = read_model_description(fmu)
    folder = extract(fmu, unzipdir=str(tmp_path / "x"))
    references = {v.name: v.valueReference for v in description.modelVariables}
    for categories, wanted in ((["logEvents"], {"logEvents"}), (["logStatusError"], {"logStatusError"}),
                               ([], {"logEvents", "logStatusError"})):
        told = []
        instance = instantiate_fmu(folder, description, "CoSimulation", logger=lambda *words: told.append(words[-2]))
        begin(instance, version)
        for on in ("logEvents", "logStatusError"):
            instance.setDebugLogging(False, [on])
        instance.setDebugLogging(True, categories)
        instance.doStep(0.0, 2.0)
        with pytest.raises(FMICallException):  # a state cannot be set on the way
            (instance.setReal if version == "2" else instance.setFloat64)([references["th"]], [1.0])
        assert {word.decode() if isinstance(word, bytes) else word for word in told} == wanted


@needs_cc
@pytest.mark.parametrize("model, duration", [("pendulum", 300), ("slider_crank", 300), ("four_bar", 2), ("rocking_block", 2)])
def test_model_exchange_stays_on_the_constraints_at_loose_tolerances(shipped, model, duration):
    # The state is projected where a step of the importer's has left them by 1e-10, or further than the importer looked.
    fmu = shipped(model, "2", QUICK)
    found = simulate_fmu(fmu, fmi_type="ModelExchange", stop_time=duration, output_interval=0.1, relative_tolerance=1e-6,
                         output=["constraint.residual"], record_events=False)
    assert len(found["time"]) == 10 * duration + 1
    assert np.max(found["constraint.residual"]) <= 1e-9


@needs_cc
def test_an_importer_cannot_start_off_the_constraints(shipped, tmp_path):
    fmu = shipped("pendulum", "3")
    found = simulate_fmu(fmu, fmi_type="CoSimulation", stop_time=0.1, output_interval=0.05, start_values={"x": 0.9},
                         output=["x", "constraint.residual"])
    assert np.max(found["constraint.residual"]) <= 1e-12


@needs_cc
@pytest.mark.parametrize("early", [True, False])
def test_co_simulation_ends_its_steps_at_events_where_the_importer_wants_that(tmp_path, early):
    """In event mode rows stand on both sides of a bounce; where steps may not end early, it happens within them."""
    (tmp_path / "kicked.toml").write_text(KICKED)
    fmu = exported(tmp_path, tmp_path / "kicked.toml", "3", QUICK)
    assert validate_fmu(fmu) == []
    cs = read_model_description(fmu).coSimulation
    assert cs.hasEventMode and cs.canReturnEarlyAfterIntermediateUpdate and cs.mightReturnEarlyFromDoStep
    names = ["x", "y", "x'", "y'", "kicks", "energy.kinetic"]
    options = {"fmi_type": "CoSimulation", "stop_time": 3.9, "output_interval": 0.3, "relative_tolerance": 1e-12, "output": names}
    within = simulate_fmu(fmu, **options)
    found = simulate_fmu(fmu, use_event_mode=True, early_return_allowed=early, **options)
    # The same motion, to rounding of the tolerance: steps end elsewhere.
    for row in within:
        same = found[np.isclose(found["time"], row["time"], rtol=0, atol=1e-12)]
        # At a strike of the clock, 0.4 k, the last row is the one behind it.
        for name in names:
            assert same[name][-1] == pytest.approx(row[name], rel=1e-9, abs=1e-9), (row["time"], name)
    struck = [t for t in np.arange(0.4, 3.9, 0.4) if np.sum(np.isclose(found["time"], t, rtol=0, atol=1e-12)) >= 2]
    assert len(struck) == (9 if early else 0)
    if early:
        for t in struck:
            before, *_, behind = found[np.isclose(found["time"], t, rtol=0, atol=1e-12)]
            assert behind["kicks"] == before["kicks"] + 1 and behind["x'"] != before["x'"]


@needs_cc
def test_an_importer_is_told_of_steps_and_may_end_doStep_there(shipped, tmp_path):
    fmu = shipped("bouncing_ball", "3", QUICK)
    description = read_model_description(fmu)
    folder = extract(fmu, unzipdir=str(tmp_path / "x"))
    library = ctypes.CDLL(str(next(Path(folder).glob("binaries/*/*.so"))))
    told = []
    update_type = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_double, ctypes.c_bool, ctypes.c_bool, ctypes.c_bool, ctypes.c_bool,
                                   ctypes.POINTER(ctypes.c_bool), ctypes.POINTER(ctypes.c_double))

    @update_type
    def update(environment, t, may_set, may_get, finished, may_return, wants, until):
        told.append((t, may_set, may_get, finished, may_return))
        if t > 0.1:
            wants[0], until[0] = True, 0.25

    library.fmi3InstantiateCoSimulation.restype = ctypes.c_void_p
    for may_return, end in ((True, 0.25), (False, 0.4)):
        told.clear()
        instance = ctypes.c_void_p(library.fmi3InstantiateCoSimulation(
            b"ball", description.instantiationToken.encode(), None, False, False, False, may_return, None, ctypes.c_size_t(0), None, None, update))
        number = ctypes.c_double
        library.fmi3EnterInitializationMode(instance, False, number(0), number(0), False, number(0))
        library.fmi3ExitInitializationMode(instance)
        event, terminate, early, last = ctypes.c_bool(), ctypes.c_bool(), ctypes.c_bool(), number()
        assert library.fmi3DoStep(instance, number(0), number(0.4), False, *map(ctypes.byref, (event, terminate, early, last))) == 0
        assert (event.value, terminate.value, early.value, last.value) == (False, False, may_return, end)
        times = [t for t, *_ in told]
        assert times == sorted(times) and times[-1] == end
        assert [flags for _, *flags in told] == [[False, True, True, may_return and t < end] for t in times]
        library.fmi3FreeInstance(instance)


@needs_cc
@pytest.mark.parametrize("model", ["slider_crank", "rolling_disk"])
def test_ten_thousand_seconds_of_co_simulation_stay_on_the_constraints(shipped, tmp_path, model):
    instance, references = co_simulation(shipped(model, "2"), tmp_path / "x")
    instance.setupExperiment(startTime=0.0, tolerance=1e-6)
    instance.enterInitializationMode()
    instance.exitInitializationMode()
    worst = 0.0
    for i in range(500):
        instance.doStep(20.0 * i, 20.0)
        worst = max(worst, instance.getReal([references["constraint.residual"]])[0])
    assert worst <= 1e-12
