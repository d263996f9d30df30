"""What a program of C++ can say, Python can too: families, a Lagrangian, angular velocities at the start, multipliers."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as dal


def test_a_family_is_coordinates_with_numbers():
    s = dal.System("chain")
    th = s.family("th", 1, 3)
    assert [str(x) for x in th] == s.coordinate_names == ["th1", "th2", "th3"]
    s.kinetic = sum(x.d**2 for x in th) / 2
    s.potential = "sum(i = 1..3, th[i]^2)"
    again = dal.loads('coordinates = ["th[1..3]"]\n[energy]\nkinetic = "sum(i = 1..3, th[i]\'^2)/2"\n'
                      'potential = "sum(i = 1..3, th[i]^2)"')  # fmt: skip
    q = [0.1, 0.2, 0.3]
    assert (s.compile().acceleration(0, q, q) == again.compile().acceleration(0, q, q)).all()
    assert s.family("th", 1, 3) == th and len(s.coordinate_names) == 3  # said again
    assert s.family("x", 9, 10)[1] is not None and s.coordinate_names[-1] == "x10"


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        (("th", 3, 1), ValueError, "a family from 3 to 1 has no members"),
        (("th", -1, 1), ValueError, "the index of a name must not be negative, and 'th' begins at -1"),
        (("th", 1.5, 2), TypeError, "a family is said as s.family('th', 1, 6), with whole numbers"),
        (("a b", 1, 2), ValueError, "'a b1'"),
    ],
)
def test_what_no_family_is(arguments, error, sentence):
    s = dal.System("chain")
    with pytest.raises(error) as told:
        s.family(*arguments)
    assert sentence in str(told.value) and s.coordinate_names == []


def test_a_lagrangian_stands_for_both_energies():
    s = dal.System("spring")
    x = s.coordinate("x")
    s.lagrangian = x.d**2 - 3 * x**2
    assert str(s.lagrangian) == "x'^2 - 3*x^2" and s.kinetic is None
    assert {name: str(e) for name, e in s.energies().items() if name != "dissipation"} == {
        "kinetic": "x'^2", "potential": "3*x^2"}  # fmt: skip
    assert float(s.compile().acceleration(0, [2.0], [0.0])[0]) == -6
    assert str(dal.loads(s.to_toml()).lagrangian) == str(s.lagrangian)
    assert "L = " in s._repr_markdown_()
    s.kinetic = x.d**2
    with pytest.raises(dal.ModelError, match="give 'lagrangian', or"):
        s.compile()
    s.lagrangian = None
    s.compile()
    with pytest.raises(AttributeError, match="the energies are s.kinetic and s.potential, or s.lagrangian instead of both"):
        s.L = x.d**2


def top(**options):
    s = dal.System("top")
    angles = s.coordinates("phi th psi")
    body = s.body("top", mass=1, inertia=[2, 2, 3], position=[0, 0, 0], orientation={"axes": "zxz", "angles": list(angles)}, **options)
    s.initial(q={"th": 0.7, "psi": 0.4})
    return s, body


def test_a_body_starts_with_an_angular_velocity():
    s, body = top()
    s.initial_spin(body, [0.1, "0.1 + 0.1", 3])
    text = s.to_toml()
    assert '"top.wx" = 0.1' in text and '"top.wz" = 3' in text
    s.outputs(wx=body.wx, wy=body.wy, wz=body.wz)
    _, v = s.compile().initial_state()[:2]
    w = [float(e) for e in s.compile().output_values().values()]
    np.testing.assert_allclose(w, [0.1, 0.2, 3], rtol=1e-14)
    s.initial_spin("top", [None, None, 1])  # replaces all of it: what is not said is zero
    assert '"top.wx" =' not in s.to_toml()
    np.testing.assert_allclose([float(e) for e in s.compile().output_values().values()], [0, 0, 1], atol=1e-15)
    s.rename("body", "top", "gyro")
    assert '"gyro.wz" = 1' in s.to_toml() and '"top.wz" =' not in s.to_toml()
    s.compile()


def test_an_angular_velocity_has_three_components():
    s, body = top()
    for wrong, error, sentence in (
        ([1, 2], ValueError, "the initial angular velocity of 'top' must have three components, not 2"),
        (3, TypeError, "the initial angular velocity of 'top' must be a list, a tuple or an array, not an int (3)"),
    ):
        with pytest.raises(error) as told:
            s.initial_spin(body, wrong)
        assert str(told.value) == sentence
    s.initial_spin(body, [1, 2, 3])
    s.initial(v={"phi": 1})
    with pytest.raises(dal.ModelError, match="gives 3 numbers for 2 rates that are open"):
        s.compile()


def test_a_multiplier_is_an_output():
    s = dal.System("bob")
    x, y = s.coordinates("x y")
    s.kinetic = (x.d**2 + y.d**2) / 2
    s.potential = 10 * y
    s.constrain((x**2 + y**2) / 2 == 2, name="left rod")
    s.initial(q={y: -2})
    s.outputs(tension=s.multiplier("left rod"))
    assert 'tension = "lambda.\\"left rod\\""' in s.to_toml()
    # At rest below the pin M q'' = 0 = -10 + lambda y.
    assert float(s.compile().output_values()["tension"]) == pytest.approx(-5, rel=1e-14)
    s.rename("constraint", "left rod", "rod")
    assert 'tension = "lambda.rod"' in s.to_toml() and float(s.compile().output_values()["tension"]) == pytest.approx(-5)
    s.outputs(tension=s.multiplier("roof"))
    with pytest.raises(dal.ModelError, match="roof"):
        s.compile()


def test_multipliers_of_all_constraints_are_recorded():
    s = dal.System("bob")
    x, y = s.coordinates("x y")
    s.kinetic = (x.d**2 + y.d**2) / 2
    s.potential = 10 * y
    s.constrain(y == 0, name="left rod")
    s.constrain(x == 0, name="slot")
    s.constrain(2 * x == 0, name="twice")
    s.simulation(duration=1, samples=3, multipliers=True)
    sol = dal.loads(s.to_toml()).compile().simulate()
    assert sol.columns[-3:] == ["lambda.left rod", "lambda.slot", "lambda.twice"]
    np.testing.assert_allclose(sol["lambda.left rod"], 10, rtol=1e-14)  # holds the weight 10
    assert np.isnan(sol["lambda.slot"]).all() and np.isnan(sol["lambda.twice"]).all()
