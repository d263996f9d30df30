"""What people are told who try what a new user tries: messages that say what to write instead."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import dalembert as dal


def pendulum() -> dal.System:
    s = dal.System("pendulum")
    x, y = s.coordinates("x y")
    m, g, l = s.parameters(m=1.0, g=9.81, l=2.0)
    s.kinetic = m * (x.d**2 + y.d**2) / 2
    s.potential = m * g * y
    s.constrain(x**2 + y**2 == l**2, name="rod")
    return s


def no_way() -> dal.System:
    """A system whose motion ends at t = 1, where its force is infinite."""
    s = dal.System("no way")
    x = s.coordinate("x")
    c = s.parameter("c", 1.0)
    s.kinetic = x.d**2 / 2
    s.potential = c * dal.log(1 - dal.t) * x
    return s


def test_the_statement_that_is_wrong_is_told_once():
    for use in (dal.System.compile, dal.System.derive, dal.System.check):
        s = pendulum()
        s.potential = "m*g*z"
        with pytest.raises(dal.ModelError, match="unknown name 'z'") as told:
            use(s)
        assert str(told.value).count("written by") == 1


def test_duration_and_times_exclude_each_other():
    motion = pendulum().compile()
    with pytest.raises(ValueError, match="give duration or times, not both"):
        motion.simulate(duration=5, q={"x": 2}, times=[0, 1])
    with pytest.raises(ValueError, match="give samples or times, not both"):
        dal.sweep("pendulum", {"alpha": [0.1]}, samples=5, times=[0, 1])


def test_runs_that_fail_are_told():
    with pytest.warns(dal.IncompleteWarning, match="^2 of 2 runs failed; the first: .") as told:
        study = dal.sweep(no_way(), {"c": [1.0, 2.0]}, duration=2)
    assert study.failed.all() and study.reason[0] in str(told[0].message)
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert dal.sweep(no_way(), {"c": [1.0, 2.0]}, duration=0.5).complete.all()


def test_one_is_singular():
    s = pendulum()
    s.initial(q={"x": 2})
    assert repr(s.check("maggi")).endswith("1 degree of freedom>")
    assert "1 degree of freedom " in s.check("maggi")._repr_html_()
    assert repr(s.equations) == "<Equations of 2 coordinates and 1 constraint>"
    assert repr(s.derive("maggi")).endswith("1 equation>")
    assert "2 degrees of freedom" in repr(dal.read("dumbbell").check("maggi"))
    assert ": 1 run, 1 complete" in repr(dal.sweep(s, {"m": [1.0]}, duration=0.1))
    assert ": 2 runs, 2 complete" in repr(dal.sweep(s, {"m": [1.0, 2.0]}, duration=0.1))
    with pytest.raises(ValueError, match="^initial positions are one for each of 2 coordinates, not 3"):
        s.initial(q=[1, 2, 3])


def test_unknown_parameters():
    s = pendulum()
    s.initial(q={"x": 2})
    motion = s.compile()
    for use in (
        lambda **p: motion.with_parameters(**p),
        lambda **p: motion.simulate(0.1, parameters=p),
        lambda **p: s.compile(parameters=p),
        lambda **p: s.derive("maggi", parameters=p),
        lambda **p: dal.sweep(motion, {"x": [2]}, parameters=p),
    ):
        with pytest.raises(dal.ModelError, match="^unknown parameter 'G'; did you mean 'g'\\?$"):
            use(G=1)
        with pytest.raises(dal.ModelError, match="^unknown parameter 'stiffness'; there are m, g, l$"):
            use(stiffness=1)
    with pytest.raises(dal.ModelError, match="parameter m=2/0: ") as told:
        motion.with_parameters(m="2/0")
    assert "--set" not in str(told.value)


def test_methods_by_the_names_others_have_for_them():
    s = pendulum()
    s.initial(q={"x": 2})
    motion = s.compile()
    for use in (s.derive, s.compile, s.check, lambda m: motion.simulate(method=m), lambda m: dal.sweep(s, {"m": [1]}, method=m)):
        with pytest.raises(dal.ModelError, match="'lagrange' is 'multipliers' here"):
            use("lagrange")
        with pytest.raises(dal.ModelError, match="'kane' is nearest to 'gibbs-appell' or 'maggi'"):
            use("kane")
    for named in ("multipliers", "m-inverse", "gibbs-appell", "maggi"):
        assert s.compile(named).method == named


def test_the_order_of_arguments_of_rhs():
    s = pendulum()
    rhs = s.compile().rhs
    with pytest.raises(ValueError, match=r"rhs is called as rhs\(t, y\): odeint needs tfirst=True"):
        rhs(np.array([2.0, 0.0, 0.0, 0.0]), 0.0)
    with pytest.raises(ValueError, match=r"needed is \(4,\) or \(4, k\)$"):
        rhs(0.0, np.zeros(3))


def test_a_column_that_is_an_expression():
    s = pendulum()
    sol = s.compile().simulate(0.1, q={"x": 2})
    with pytest.raises(KeyError, match=r"for an expression write sol\[m\*x.d\*\*2\]"):
        sol["m*x'^2"]
    with pytest.raises(KeyError, match="no column 'energy.kinetik'; did you mean 'energy.kinetic'"):
        sol["energy.kinetik"]


def test_fundamental_of_one_problem_gives_plain_numbers():
    one = dal.fundamental(np.eye(2), [0, -1], [[1, -1]], [0])
    assert [type(x) for x in (one.rank, one.consistent, one.mass_singular, one.residual)] == [int, bool, bool, float]
    assert one.rank == 1 and one.consistent and not one.mass_singular and one.residual < 1e-12
    many = dal.fundamental(np.eye(2), [[0, -1]], [[1, -1]], [0])
    assert many.rank.shape == many.consistent.shape == many.residual.shape == (1,)


def test_the_markdown_that_notebooks_render():
    found = dal.read("dumbbell").derive("maggi")
    assert "$$" in found.notebook and "```math" not in found.notebook
    assert "```math" in found.markdown
    assert found._repr_markdown_() == found.notebook
