"""What cannot be meant is refused with a sentence: no crash, no endless work, no dump of signatures."""

import decimal
import os
import pickle
from fractions import Fraction

import numpy as np
import pytest

import dalembert as dal

HALF = "\ud800"


def system():
    s = dal.System("particle")
    x, y, z = s.coordinates("x y z")
    s.kinetic = (x.d**2 + y.d**2 + z.d**2) / 2
    s.simulation(duration=1.0, samples=11)
    return s


@pytest.fixture(scope="module")
def motion():
    return system().compile()


@pytest.fixture(scope="module")
def pendulum():
    return dal.read("pendulum").compile()


class Ratio:
    def __init__(self, numerator, denominator):
        self.numerator, self.denominator = numerator, denominator

    def __repr__(self):
        return "a ratio"


def test_fractions_by_their_parts():
    assert dal.Expr(Ratio(6, 4)) == dal.Expr(Fraction(3, 2))
    with pytest.raises(ZeroDivisionError, match="the denominator of a ratio is 0"):
        dal.Expr(Ratio(1, 0))
    with pytest.raises(TypeError, match="the denominator of a ratio must be a whole number, not 0.5"):
        dal.Expr(Ratio(1, 0.5))
    with pytest.raises(TypeError, match="the numerator of a ratio must be a whole number, not None"):
        dal.Expr(Ratio(None, 1))


@pytest.mark.parametrize("text", ["1e99999999", "-1e99999999", "1e-99999999", "1.5e10001"])
def test_decimals_of_absurd_size(text):
    with pytest.raises(ValueError, match="of ordinary size"):
        system().parameters(a=decimal.Decimal(text))
    with pytest.raises(ValueError, match="of ordinary size"):
        dal.Expr(decimal.Decimal(text))


def test_numbers_of_many_digits(motion):
    s = system()
    for value in (2**70000, -(2**70000), Fraction(1, 2**70000), Fraction(2**70000, 3)):
        with pytest.raises(OverflowError, match="a.* is an exact number of 700.. bits; at most 65536 bits are allowed"):
            s.parameters(a=value)
    with pytest.raises(OverflowError, match="parameters.*exact number of 70001 bits"):
        dal.read("pendulum").compile(parameters={"l": 2**70000})
    assert s.compile().coordinate_names == ["x", "y", "z"]
    huge = 3**10000  # 4772 digits: more than Python writes
    s.potential = "a*b*x"
    a, b = s.parameters(a=Fraction(huge, huge + 1), b=Fraction(huge, 3**9999))
    assert s.compile().parameter_values() == {"a": 1.0, "b": 3.0}
    copy = dal.loads(s.to_toml())
    assert copy.compile().parameter_values() == {"a": 1.0, "b": 3.0}
    s.kinetic = s.kinetic + huge * a**2 / huge
    assert s.compile().parameter_values() == {"a": 1.0, "b": 3.0}


@pytest.mark.parametrize("value", [10**400, -(10**5000), Fraction(10**5000, 7)], ids=["large", "larger", "fraction"])
def test_a_parameter_beyond_all_floats_is_refused(value):
    s = system()
    s.parameters(b=1)
    for declare in (lambda: s.parameters(a=value), lambda: s.parameter("a", value), lambda: s.set_parameters(b=value)):
        with pytest.raises(OverflowError, match="the parameter '[ab]' is beyond the range of floating-point numbers"):
            declare()
    assert s.compile().parameter_values() == {"b": 1.0}
    with pytest.raises((ValueError, OverflowError), match="'l'"):
        dal.read("pendulum").compile().simulate(parameters={"l": value})


@pytest.mark.parametrize("write", ["to_csv", "report", "save"])
def test_paths(tmp_path, pendulum, write):
    target = pendulum.simulate(1.0, samples=3) if write != "save" else dal.read("pendulum")
    with pytest.raises(ValueError, match="embedded null byte"):
        getattr(target, write)(str(tmp_path / "a\0b"))
    with pytest.raises(TypeError):
        getattr(target, write)(3)
    assert os.listdir(tmp_path) == []
    for number, name in enumerate((b"plain", b"odd \xff\xfe", "ä€".encode())):
        path = os.path.join(os.fsencode(tmp_path), name)
        getattr(target, write)(os.fsdecode(path))
        by_text = open(path, "rb").read()
        os.unlink(path)
        getattr(target, write)(path)
        assert open(path, "rb").read() == by_text and by_text
        assert len(os.listdir(tmp_path)) == number + 1


def test_what_cannot_be_written_says_where(tmp_path, pendulum):
    with pytest.raises(OSError, match="nowhere"):
        pendulum.simulate(1.0, samples=3).to_csv(os.fsencode(tmp_path) + b"/nowhere \xff/file")


REFUSED = {
    "parameters": (ValueError, "half a character", lambda m: m.simulate(parameters={"l": HALF})),
    "a name": (ValueError, "half a character", lambda m: m.simulate(parameters={HALF: 1})),
    "duration": (ValueError, "duration holds half a character", lambda m: m.simulate(duration=HALF)),
    "integrator": (ValueError, "integrator holds half a character", lambda m: m.simulate(integrator=HALF)),
    "adjust": (ValueError, "adjust holds half a character", lambda m: m.simulate(adjust=HALF)),
    "a key": (ValueError, "half a character", lambda m: m.simulate(q={HALF: 1})),
    "a statistic": (ValueError, "a statistic holds half", lambda m: dal.sweep(m, {"x": [1]}, statistics=[f"max({HALF})"])),
    "what varies": (ValueError, "half a character", lambda m: dal.sweep(m, {"x": HALF})),
    "its method": (TypeError, "method must be a text", lambda m: dal.sweep(m, {"x": [1]}, method=3)),
    "derive a half": (ValueError, "half a character", lambda m: system().derive(HALF)),
    "derive a number": (TypeError, "the formulation must be a text, not an int", lambda m: system().derive(3)),
    "check": (TypeError, "the method must be a text", lambda m: system().check(3)),
    "compile": (TypeError, "the method must be a text", lambda m: system().compile(3)),
    "loads": (TypeError, "the name of the model must be a text, not an int", lambda m: dal.loads("x=1", 3)),
    "loads a half": (ValueError, "the text of the model holds half", lambda m: dal.loads(HALF)),
    "read": (FileNotFoundError, "there is no file", lambda m: dal.read("\udcff")),
    "many threads": (ValueError, "threads is 10+; expected 1 to 1024", lambda m: m.acceleration(threads=10**30)),
    "no threads": (TypeError, "threads must be a whole number", lambda m: m.acceleration(threads="2")),
    "nothing": (TypeError, "an expression or a number is needed, not None", lambda m: dal.Expr(None)),
    "long duration": (OverflowError, "duration is beyond", lambda m: m.simulate(duration=10**400)),
    "far away": (OverflowError, r"q\['x'\] is beyond", lambda m: m.simulate(q={"x": 10**400})),
    "far away too": (OverflowError, "q is beyond", lambda m: m.acceleration(q=[10**400, 0, 0])),
    "effort": (OverflowError, "effort is beyond", lambda m: system().derive(effort=10**400)),
    "None": (TypeError, "q must be a mapping or 3 numbers, not a list with None in it", lambda m: m.simulate(q=[None] * 3)),
    "None in times": (TypeError, "times must be a sequence of numbers", lambda m: m.simulate(times=[None, 1])),
    "memory": (MemoryError, r"rows of \d+ numbers take .* GB, and the machine has", lambda m: huge_motion().simulate(samples=10**9)),
    "no matrix": (ValueError, "the mass matrix must be a 3 x 3 matrix, and this one is empty",
                  lambda m: setattr(system(), "mass_matrix", [])),
}  # fmt: skip


def huge_motion():
    """A thousand coordinates: 10**9 rows fit into no machine."""
    s = dal.System("many")
    names = s.coordinates([f"x{i}" for i in range(300)])
    s.kinetic = sum(x.d**2 for x in names) / 2
    return s.compile()


@pytest.mark.parametrize("case", REFUSED)
def test_sentences(motion, case):
    kind, words, call = REFUSED[case]
    with pytest.raises(kind, match=words) as error:
        call(motion)
    assert "incompatible function arguments" not in str(error.value)


class Odd:
    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


@pytest.mark.parametrize("text", [HALF, "ä" * 100, "x" * 79 + "€" * 5])
def test_representations_that_are_no_utf8(text):
    with pytest.raises(TypeError, match="an expression or a number is needed, not ") as error:
        dal.Expr(Odd(text))
    cut = text[:80].encode("utf-8", "backslashreplace").decode()
    assert f"not {cut} (Odd)" in str(error.value)


@pytest.mark.parametrize("row", [
    ("symbol", "coordinate", -5, "x"), ("symbol", "coordinate", 2**31 - 1, "x"), ("symbol", "coordinate", 2**40, "x"),
    ("symbol", "coordinate", 0, ""), ("symbol", "time", 3, "t"), ("symbol", 3, 0, "x"), ("symbol", "coordinate", 0, HALF),
    ("symbol", "coordinate", "0", "x"), (3,), "sin", ("sin", -1), ("sin", "0"),
])  # fmt: skip
def test_lists_that_are_no_expression(row):
    with pytest.raises(ValueError, match="not the list of the nodes"):
        dal.Expr._from_nodes(None, [("symbol", "coordinate", 0, "x"), row])


def test_states_that_are_no_solution(pendulum):
    solution = pendulum.simulate(1.0, samples=3)
    state = solution.__getstate__()
    empty = dal.Solution.__new__(dal.Solution)
    for wrong in ({}, None, {**state, "_table": [1]}, {**state, "_table": np.zeros(3)}, {**state, "_state": {}},
                  {**state, "_columns": [1]}, {**state, "_name": 3}, {**state, "_joints": [3]}):
        with pytest.raises(ValueError, match="not the state of a Solution"):
            empty.__setstate__(wrong)
    recording = solution._state
    restore = type(solution._native()).restore
    assert restore(recording, np.array(solution._table)).name == "Pendulum"
    for key in recording:
        for wrong in (None, 3, [], HALF, (1, 2, 3), "{"):
            if (key, wrong) != ("file", "{"):
                with pytest.raises((ValueError, TypeError, IndexError)):
                    restore({**recording, key: wrong}, np.array(solution._table))
    for key in recording:
        with pytest.raises(KeyError, match=key):
            restore({name: value for name, value in recording.items() if name != key}, np.array(solution._table))
    for wrong in (None, 3, np.zeros(3), np.zeros((2, 2)), "table"):
        with pytest.raises(ValueError):
            restore(recording, wrong)
    with pytest.raises(ValueError):
        restore(None, np.array(solution._table))
    assert len(pickle.loads(pickle.dumps(solution))) == 3


def test_masked_numbers(motion):
    masked = np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False])
    whole = np.ma.array([1.0, 2.0, 3.0], mask=[False, False, False])
    for call in (lambda a: motion.acceleration(0, a), lambda a: motion.acceleration(0, None, a), lambda a: motion.simulate(q=a),
                 lambda a: motion.simulate(v=a), lambda a: motion.acceleration(a, {}, {}), lambda a: motion.simulate(times=a - 1),
                 lambda a: dal.sweep(motion, {"x": a}, duration=1)):  # fmt: skip
        call(whole)
        with pytest.raises(ValueError, match="masked values have no number"):
            call(masked)
    eye, zero = np.eye(3), np.zeros(3)
    for arguments in ((np.ma.array(eye, mask=eye == 0), zero, eye, zero), (eye, masked, eye, zero),
                      (eye, zero, np.ma.array(eye, mask=eye == 0), zero), (eye, zero, eye, masked)):  # fmt: skip
        with pytest.raises(ValueError, match="masked values have no number"):
            dal.fundamental(*arguments)
    assert dal.fundamental(eye, whole, eye, zero).acceleration.shape == (3,)


SIMPLIFIED = """
import signal, time
import dalembert as dal
e = dal.System("s").coordinate("x")
for i in range(4000):
    e = dal.sin(e)

def handler(number, frame):
    raise TimeoutError

signal.signal(signal.SIGALRM, handler)
begin = time.monotonic()
signal.setitimer(signal.ITIMER_REAL, 0.1)
try:
    e.simplify()
except TimeoutError:
    print(time.monotonic() - begin)
"""


@pytest.mark.slow
def test_simplify_can_be_interrupted(python):
    ran = python(SIMPLIFIED)
    assert ran.status == 0, ran.err
    assert float(ran.out) < 1.0
