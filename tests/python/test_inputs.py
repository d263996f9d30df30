"""Tables, inputs, and motions that start later, go on, or are asked between their rows."""

import pickle

import numpy as np
import pytest

import dalembert as dal


def cart(force="u"):
    s = dal.System("cart")
    x = s.coordinate("x")
    s.kinetic = x.d**2 / 2
    s.inputs(u=1)
    s.force(x, force)
    s.outputs(force="u")
    return s


def by_hand(t, u):
    """x and x' where the acceleration is linear between points."""
    x = v = 0.0
    for a, b, p, q in zip(t, t[1:], u, u[1:]):
        h, slope = b - a, (q - p) / (b - a)
        x, v = x + v * h + p * h**2 / 2 + slope * h**3 / 6, v + p * h + slope * h**2 / 2
    return x, v


def test_an_input_may_be_a_number_an_array_points_or_a_function():
    motion = cart().compile()
    assert motion.simulate(4, samples=3)["x"][-1] == pytest.approx(8, abs=1e-12)
    assert motion.simulate(4, samples=3, inputs={"u": 2})["x"][-1] == pytest.approx(16, abs=1e-12)
    u = np.array([0.0, 2, -1, 3, 0])
    x, v = by_hand(np.linspace(0, 4, 5), u)
    for given in (u, (np.linspace(0, 4, 5), u), (list(range(5)), list(u))):
        sol = motion.simulate(4, samples=3, inputs={"u": given})
        assert sol["x"][-1] == pytest.approx(x, abs=1e-12) and sol["x'"][-1] == pytest.approx(v, abs=1e-12)
        assert sol["force"][-1] == 0
    sol = motion.simulate(4, samples=3, inputs={"u": lambda t: np.sin(3 * t)})
    assert sol["x"][-1] == pytest.approx(4 / 3 - np.sin(12) / 9, abs=1e-10)


def test_functions_that_jump_are_met_at_the_jump():
    jump = 1.2345678901234567
    sol = cart().compile().simulate(4, samples=3, inputs={"u": lambda t: 1.0 if t < jump else -1.0})
    assert sol["x'"][-1] == pytest.approx(2 * jump - 4, abs=1e-11)


def test_held_inputs_jump():
    u = ([0, 1, 3], [2, 0, -1])
    sol = cart().compile().simulate(4, samples=3, inputs={"u": u}, hold=True)
    assert sol["x'"][-1] == pytest.approx(2 - 1, abs=1e-13)


def test_rates_of_inputs_are_theirs():
    s = dal.loads("""coordinates = ["x"]
[inputs]
u = 0
[let]
y = "u*x"
[energy]
kinetic = "x'^2/2"
[outputs]
rate = "y'"
[initial]
x = 2
"x'" = 3
""")
    sol = s.compile().simulate(1, samples=2, inputs={"u": ([0, 1], [1, 5])})
    assert sol["rate"][0] == pytest.approx(4 * 2 + 1 * 3)


@pytest.mark.parametrize(
    "inputs, sentence",
    [
        ({"w": 1}, "unknown input 'w'"),
        ({"u": ([0, 2, 1], [1, 2, 3])}, "inputs['u']: 'x' does not increase: 1 comes after 2"),
        ({"u": ([0, 1], [1, 2, 3])}, "inputs['u']: 'x' has 2 numbers and 'y' has 3"),
        ({"u": [0, np.nan]}, "inputs['u']: point 2 is not finite"),
        ({"u": lambda t: np.nan}, "inputs['u'] is nan at t = "),
        ({"u": np.zeros((2, 2))}, "inputs['u'] must be one row of numbers, not an array of shape (2, 2)"),
    ],
)
def test_what_will_not_do_is_told(inputs, sentence):
    with pytest.raises(ValueError) as error:
        cart().compile().simulate(4, inputs=inputs)
    assert str(error.value).startswith(sentence)


def test_other_kinds_of_inputs_are_refused():
    motion = cart().compile()
    with pytest.raises(TypeError, match="must be a number, an array"):
        motion.simulate(4, inputs={"u": "sin"})
    with pytest.raises(TypeError, match="inputs must map names to courses"):
        motion.simulate(4, inputs=[1])
    with pytest.raises(ValueError, match="hold needs inputs"):
        motion.simulate(4, hold=True)


def test_solutions_with_inputs_are_kept_with_them():
    sol = cart().compile().simulate(2, samples=3, inputs={"u": ([0, 2], [0, 4])})
    again = pickle.loads(pickle.dumps(sol))
    assert again.forces.applied == pytest.approx(np.array([[0.0], [2], [4]]))


def test_stepping_goes_on_with_what_the_caller_says():
    sim = cart().compile().start(v=[0.5], t0=1)
    assert (sim.t, sim["x'"]) == (1, 0.5)
    x, v, t = 0.0, 0.5, 1.0
    for until, u in ((1.5, 2), (2.75, -1), (4, None)):
        piece = sim.step(until, **({} if u is None else {"u": u}))
        u = -1 if u is None else u
        x, v, t = x + v * (until - t) + u * (until - t) ** 2 / 2, v + u * (until - t), until
        assert piece.t[-1] == until == sim.t
        assert sim["x"] == pytest.approx(x, abs=1e-12) and sim.v[0] == pytest.approx(v, abs=1e-12)
    assert sim.inputs == {"u": -1}
    with pytest.raises(ValueError, match="does not go on"):
        sim.step(4)
    with pytest.raises(dal.UnknownName, match="unknown input 'w'"):
        sim.step(5, w=1)


def test_tables_are_functions_of_expressions_and_numbers():
    s = dal.System("spring")
    x = s.coordinate("x")
    F = s.table("F", [0, 1, 2], [0, 3, 1], interpolation="cubic")
    s.kinetic = x.d**2 / 2
    s.force(x, -F(x))
    s.outputs(slope="F'(x)")
    assert str(F(x)) == "F(x)"
    assert F(1.0) == 3 and F([0, 2]).tolist() == [0, 1]
    assert F.derivative(0.5) == pytest.approx((F(0.5 + 1e-6) - F(0.5 - 1e-6)) / 2e-6, abs=1e-8)
    text = s.to_toml()
    again = dal.loads(text)
    assert again.to_toml() == text
    a = s.compile().acceleration(0, [0.4], [0.0])[0]
    assert a == again.compile().acceleration(0, [0.4], [0.0])[0] == -F(0.4)
    sol = again.compile().simulate(1, q=[0.4], samples=3)
    assert sol["slope"][0] == F.derivative(0.4)


def test_tables_of_files(tmp_path):
    (tmp_path / "F.csv").write_text("t,force\n0,1\n2,5\n")
    s = dal.System("m")
    assert s.table("F", file=tmp_path / "F.csv", columns=("t", "force"))(1.0) == 3
    (tmp_path / "m.toml").write_text(
        'coordinates = ["x"]\n[energy]\nkinetic = "x\'^2/2"\n[forces]\nx = "F(t)"\n'
        '[[table]]\nname = "F"\nfile = "F.csv"\ncolumns = ["t", "force"]\n'
    )
    system = dal.read(tmp_path / "m.toml")
    assert system["F"](0.5) == 2
    assert system.compile().simulate(2, samples=2)["x'"][-1] == pytest.approx(6, abs=1e-13)
    with pytest.raises(ValueError, match="no column 'f'; there are 't', 'force'"):
        s.table("G", file=tmp_path / "F.csv", columns=("t", "f"))


def test_tables_that_will_not_do():
    s = dal.System("m")
    with pytest.raises(ValueError, match="table 'F': 'x' does not increase"):
        s.table("F", [0, 0], [1, 2])
    with pytest.raises(ValueError, match="no interpolation 'quintic'; there are 'linear', 'hold', 'cubic', 'spline'"):
        s.table("F", [0, 1], [1, 2], interpolation="quintic")
    with pytest.raises(ValueError, match="give x and y, or file and columns"):
        s.table("F", [0, 1])


def test_a_solution_is_known_between_its_rows():
    motion = dal.read("pendulum").compile()
    fine = motion.simulate(2, samples=201)
    coarse = motion.simulate(2, samples=3)
    times = np.array([[1.99, 0.37], [1.0, 0.0]])
    found = coarse(times)
    rows = np.rint(times * 100).astype(int)
    assert found.q.shape == (2, 2, 2)
    assert found.q == pytest.approx(fine.q[rows], abs=1e-8)
    assert found["x'"] == pytest.approx(fine["x'"][rows], abs=1e-8)
    assert float(coarse(2.0)["x"]) == pytest.approx(coarse["x"][-1], abs=1e-8)
    with pytest.raises(ValueError, match="the motion is known from t = 0 to 2"):
        coarse(2.1)


def test_a_motion_is_extended():
    motion = dal.read("pendulum").compile()
    whole = motion.simulate(3, samples=31)
    part = motion.simulate(2, samples=21)
    more = part.extend(1)
    assert more.t == pytest.approx(whole.t[20:], abs=1e-14)
    assert more.q == pytest.approx(whole.q[20:], abs=1e-8)


def test_motions_start_at_any_time():
    sol = cart("u*cos(t)").compile().simulate(2, v=[0.5], t0=1, samples=5)
    assert sol.t.tolist() == [1, 1.5, 2, 2.5, 3]
    assert sol["x"][-1] == pytest.approx(1 + np.cos(1) - np.cos(3) - 2 * np.sin(1), abs=1e-9)
