"""The model file that a system writes: readable, exact, and safe whatever it is told to write."""

from __future__ import annotations

import os
import pickle
import random
import re
import subprocess
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import dalembert as dal
from dalembert import _core

COMMAND = os.environ.get("DALEMBERT", str(Path(dal.__file__).parent / "dalembert"))
BUNDLED = sorted(dal.models())


def regenerated(s: dal.System) -> str:
    """The text of a system written anew, though a kept one is there."""
    other = s.copy()
    other.simulation()  # changes nothing, but what was read is no longer the text
    return other.to_toml()


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_models_say_the_same_when_written_anew(name):
    s = dal.read(name)
    text = regenerated(s)
    assert text != s.to_toml()
    a, b = s._model(), dal.loads(text, name)._model()
    assert (a.name, a.description, a.coordinates, a.independent) == (b.name, b.description, b.coordinates, b.independent)
    assert a.parameter_values() == b.parameter_values()
    for energy in ("kinetic", "potential", "dissipation"):
        assert str(getattr(a, energy)) == str(getattr(b, energy))
    assert str(a.mass_matrix) == str(b.mass_matrix)
    for section in ("forces", "virtual_work", "outputs", "reactions", "quasi_velocities", "initial", "joints"):
        assert str(getattr(a, section)) == str(getattr(b, section)), section
    assert [(n, str(e), level, w) for n, e, level, w in a.constraints] == [
        (n, str(e), level, w) for n, e, level, w in b.constraints
    ]
    assert str(a.duration) == str(b.duration)


@pytest.mark.parametrize("name", ["rolling_disk", "coulomb_helix", "four_bar", "two_masses", "gyroscope"])
def test_bundled_models_move_the_same_when_written_anew(name, tmp_path):
    s = dal.read(name)
    s.simulation(duration=0.5, samples=11)
    (tmp_path / "anew").mkdir()
    s.save(tmp_path / "anew" / f"{name}.toml")
    original = dict(_core.bundled_models())[name]
    (tmp_path / "old").mkdir()
    section = original.index("[simulation]")
    shorter = re.sub(r"(?m)^duration = .*$", "duration = 0.5", original[section:])
    shorter = re.sub(r"(?m)^samples = .*$", "samples = 11", shorter)
    (tmp_path / "old" / f"{name}.toml").write_text(original[:section] + shorter, encoding="utf-8")
    for folder in ("anew", "old"):
        done = subprocess.run(
            [COMMAND, "run", f"{folder}/{name}.toml", "--out", f"{folder}/out"],
            cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    (a,) = (tmp_path / "anew" / "out").rglob("trajectory.csv")
    (b,) = (tmp_path / "old" / "out").rglob("trajectory.csv")
    assert a.read_bytes() == b.read_bytes()


def test_text_that_was_read_is_kept_until_something_changes():
    s = dal.read("pendulum")
    original = dict(_core.bundled_models())["pendulum"]
    assert s.to_toml() == original
    assert s.kinetic is not None and s.parameter_values() and s["x"] is not None
    assert s.to_toml() == original
    s.outputs(twice=2)
    assert s.to_toml() != original
    assert "twice = 2" in s.to_toml()


def test_order_of_sections_and_layout():
    s = dal.System("all of it", description="everything")
    x, y = s.coordinates("x y")
    s.outputs(o=x)
    s.simulation(duration=2)
    s.initial(q={x: 1}, v={y: 2})
    s.constrain(x.d == y, name="c")
    s.virtual_work(x, -x.d)
    s.force(x, -x)
    s.independent(x)
    s.quasi_velocities(u=x.d)
    s.kinetic = (x.d**2 + y.d**2) / 2
    s.let("h", x * y + 1)
    s.parameters(m=1)
    s.view(up="y")
    s.view_point([x, y, 0])
    headings = re.findall(r"(?m)^\[.*\]$", s.to_toml())
    assert headings == [
        "[parameters]", "[let]", "[energy]", "[forces]", "[[constraint]]", "[virtual_work]", "[initial]", "[simulation]",
        "[outputs]", "[quasi_velocities]", "[independent]", "[view]", "[[view.point]]",
    ]  # fmt: skip
    assert s.to_toml().startswith('name = "all of it"\ndescription = "everything"\ncoordinates = ["x", "y"]\n\n')
    assert '"y\'" = 2' in s.to_toml()
    s._model()


def test_long_arrays_and_sums_are_broken_and_read_back():
    s = dal.System("chain")
    x = s.coordinates([f"coordinate_{i}" for i in range(40)])
    s.kinetic = sum(q.d**2 for q in x) / 2
    s.potential = sum(dal.sin(a - b) for a, b in zip(x, x[1:]))
    s.mass_matrix = None
    assert max(map(len, s.to_toml().splitlines())) <= 130
    other = dal.loads(s.to_toml())
    assert str(other._model().kinetic) == str(s._model().kinetic)
    assert str(other._model().potential) == str(s._model().potential)
    assert other.coordinate_names == s.coordinate_names


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"), (-3, "-3"), (0.1, "0.1"), (1e-9, "1e-9"), (1e22, "1e22"), (2.0, "2.0"), (5e-324, "5e-324"),
        (Fraction(1, 3), '"1/3"'), (Fraction(4, 2), "2"), (2**63 - 1, str(2**63 - 1)), (2**70, f'"{2**70}"'),
        (np.float64(0.25), "0.25"), (np.int32(7), "7"), (np.array(1.5), "1.5"), ("2*pi", '"2*pi"'),
    ],
)  # fmt: skip
def test_numbers_are_exact(value, text):
    s = dal.System("n")
    s.coordinates("x")
    s.kinetic = "x'^2"
    s.parameter("p", value)
    assert f"p = {text}\n" in s.to_toml()
    if not isinstance(value, str):
        exact = Fraction(int(value)) if float(value).is_integer() and not isinstance(value, Fraction) else None
        (_, read), *_ = s._model().parameters
        wanted = exact if exact is not None else value if isinstance(value, Fraction) else float(value)
        assert float(s.parameter_values()["p"]) == float(wanted)
        assert bool(read == wanted)


@pytest.mark.parametrize("literal", ["0.12345678901234567890123", "1_000", "0x1F", "+2.50", "1e-400", "1e300", "-0.0"])
def test_numbers_of_files_stay_what_they_are(literal):
    s = dal.loads(f'coordinates = ["x"]\n[parameters]\np = {literal}\n[energy]\nkinetic = "x\'^2"\n')
    again = dal.loads(regenerated(s))
    assert bool(dict(s._model().parameters)["p"] == dict(again._model().parameters)["p"])  # numbers are of no system


HOSTILE = [
    'quote " and \\ backslash', "'''", '"""', "]]\n[energy]\nkinetic = 0", "line\nbreak\r\n", "tab\tand\x00nul\x1b[31m\x7f",
    "\u2028\u2029\x85\ufeff", "ünïcödé φ 点 🚲", "# comment", "a = 1", "\\u0041\\", "{}[],=", " ", "",
]  # fmt: skip


HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")  # of those above, in names


def hidden(text, allowed=""):
    """The first character that does not show, as messages call it."""
    return next((f"U\\+{ord(c):04X}" for c in text if HIDDEN.match(c) and c not in allowed), None)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_and_descriptions_are_only_text(text):
    """Those that show are kept, the others refused at the statement that gave them; none is read as anything else."""
    for name, description in ((text, "d"), ("n", text)):
        s = dal.System(name, description=description)
        s.coordinates("x")
        s.kinetic = "x'^2/2"
        written = {key: value for key, value, _ in _core.parse_toml(s.to_toml(), "x")}
        assert written["name"] == name and written.get("description", "") == description
        assert [key for key in written if key not in ("name", "description")] == ["coordinates", "energy"]
        if bad := hidden(name) or hidden(description, allowed="\t\n\r"):
            what = "the description" if name == "n" else "the name of the model"
            with pytest.raises(dal.ModelError, match=f"{what} must not hold {bad}, a character") as told:
                s.compile()
            assert "written by s = dal.System(name, description=description) at " in str(told.value)
            continue
        model = s._model()
        assert (model.name, model.description) == (name, description)
        assert dal.loads(regenerated(s))._model().description == description
        assert model.parameters == [] and str(model.kinetic) == "x'^2/2"


@pytest.mark.parametrize("title", [t for t in HOSTILE if t and not hidden(t)])
def test_hostile_names_of_constraints(title):
    s = dal.System("s")
    x, y = s.coordinates("x y")
    s.kinetic = x.d**2 + y.d**2
    s.constrain(x.d == y.d, name=title)
    s.initial(mu={title: 2})
    assert [c[0] for c in s._model().constraints] == [title]
    assert [name for name, _ in s._model().initial["mu"]] == [title]


@pytest.mark.parametrize("title", [t for t in HOSTILE if hidden(t)])
def test_names_of_constraints_show(title):
    s = dal.System("s")
    x, y = s.coordinates("x y")
    s.kinetic = x.d**2 + y.d**2
    with pytest.raises(ValueError, match=f"must not be empty or hold control characters|must not hold {hidden(title)}, "):
        s.constrain(x.d == y.d, name=title)
        s.compile()


def test_random_texts_are_escaped():
    rng = random.Random(5)
    for _ in range(200):
        text = "".join(chr(rng.choice((rng.randrange(0x80), rng.randrange(0xD7FF), 0x1F6B2))) for _ in range(20))
        s = dal.System(text, description=text)
        s.coordinates("x")
        s.initial(mu={text: 1})
        told = {key: value for key, value, _ in _core.parse_toml(s.to_toml(), "x")}
        assert told["name"] == told["description"] == text
        ((_, ((key, _, _),), _),) = told["initial"]
        assert key == text


def test_texts_that_no_file_can_hold():
    with pytest.raises(ValueError, match="half a character"):
        dal.System("\ud800")
    s = dal.System("s")
    with pytest.raises(ValueError, match="half a character"):
        s.kinetic = "x\udfff"


def test_texts_of_expressions_cannot_leave_their_quotes():
    s = dal.System("s")
    s.coordinates("x")
    s.kinetic = 'x\'^2"\n[forces]\nx = "1'
    with pytest.raises(dal.ModelError):
        s._model()
    assert "[forces]\nx" not in s.to_toml()


def test_save_is_whole_or_nothing(tmp_path):
    s = dal.read("pendulum")
    path = tmp_path / "p.toml"
    s.save(path)
    assert path.read_bytes().decode() == s.to_toml()
    s.save(str(path))
    assert [p.name for p in tmp_path.iterdir()] == ["p.toml"]
    with pytest.raises(FileNotFoundError):
        s.save(tmp_path / "no" / "p.toml")
    s.coordinates("φ")
    s.save(path)
    assert dal.read(path).coordinate_names[-1] == "φ"


def test_reading_files(tmp_path):
    with pytest.raises(FileNotFoundError, match="did you mean 'rolling_disk'"):
        dal.read("roling_disk")
    path = tmp_path / "wrong.toml"
    path.write_text('coordinates = ["x"]\n[energy]\nkinetic = "y\'^2"\n', encoding="utf-8")
    with pytest.raises(dal.ModelError, match=re.escape(f"{path}:3:12: error: unknown name 'y'")):
        dal.read(path)
    path.write_bytes(b'name = "\xff"')
    with pytest.raises(dal.ModelError, match="is not UTF-8"):
        dal.read(path)
    path.write_bytes(b"\xef\xbb\xbf" + b'coordinates = ["x"]\r\n[energy]\r\nkinetic = "x\'^2"\r\n')
    s = dal.read(path)
    assert s.name == "wrong" and s.to_toml().startswith("coordinates")
    assert regenerated(s).startswith('name = "wrong"\n')
    with pytest.raises(TypeError):
        dal.loads(b"")
    with pytest.raises(dal.ModelError, match="here:1:1"):
        dal.loads("=", "here")


def test_models_lists_all():
    assert dal.models()["dumbbell"] and len(dal.models()) == len(list(_core.bundled_models()))


def test_pickles_keep_text_and_identity():
    s = dal.read("rolling_disk")
    t = pickle.loads(pickle.dumps(s))
    assert t.to_toml() == s.to_toml() and t == s
    t.outputs(sum=s["x"] + t["y"])  # expressions of the one are expressions of the other
    t._model()
    unfinished = dal.System("u")
    x = unfinished.coordinate("x")
    unfinished.let("b", "x^2")
    again = pickle.loads(pickle.dumps(unfinished))
    again.let("c", "b + 1")
    again.kinetic = x.d**2 * again["c"]
    assert "x'^2" in again.to_toml() and str(again._model().kinetic) == "(x^2 + 1)*x'^2"


def random_expressions(rng: random.Random, symbols: list, count: int) -> list:
    """Expressions made of those before them, so that much is shared."""
    made = list(symbols)
    for _ in range(count):
        a, b = rng.choice(made[-12:]), rng.choice(made)
        made.append(
            rng.choice(
                [
                    lambda a=a, b=b: a + b, lambda a=a, b=b: a * b - Fraction(1, 3), lambda a=a: dal.sin(a) ** 2,
                    lambda a=a, b=b: a / (2 + b**2), lambda a=a: dal.sqrt(1 + a**2), lambda a=a, b=b: dal.atan2(a, 1 + b**2),
                    lambda a=a, b=b: dal.min_(a, b, 0.25), lambda a=a: dal.abs_(a) ** 1.5 - 2, lambda a=a: -a * dal.pi,
                ]
            )()
        )  # fmt: skip
    return made[len(symbols) :]


@pytest.mark.parametrize("seed", range(12))
def test_expressions_are_read_back_as_they_were(seed):
    rng = random.Random(seed)
    s = dal.System("random")
    q = s.coordinates("x y z")
    p = s.parameters(a=1, b=2)
    made = random_expressions(rng, [*q, *p, dal.t], 30)
    named = rng.sample(made, 5)
    for i, e in enumerate(named):
        s.let(f"h{i}", e)
    s.kinetic = sum(x.d**2 for x in q)
    s.outputs({f"o{i}": e for i, e in enumerate(made)})
    s.outputs({f"rate{i}": e.d for i, e in enumerate(named)})
    read = dict(s._model().outputs)
    for i, e in enumerate(made):
        assert bool(read[f"o{i}"] == e)
    for i, e in enumerate(named):
        assert bool(read[f"rate{i}"] == e.d)


def test_texts_of_shared_graphs_stay_short():
    s = dal.System("shared")
    x = s.coordinate("x")
    e = x
    for _ in range(60):
        e = dal.sin(e) * e + 1  # as a tree this has 2^60 leaves
    s.kinetic = x.d**2
    s.potential = e
    assert len(s.to_toml()) < 20_000
    assert bool(s._model().potential == e)
