"""Numbers that are not what they seem to be are warned about."""

import warnings

import pytest

import dalembert as dal

LADDER = """
name = "Ladder"
coordinates = ["x", "y", "th"]
[parameters]
mu = 0.2
[let]
foot = "x' - sin(th)*th'"
[energy]
kinetic = "(x'^2 + y'^2)/2 + th'^2/6"
potential = "9.81*y"
[[constraint]]
equation = "y = sin(th)"
[virtual_work]
x = "-mu*abs(ideal.y)*sign(foot)"
th = "mu*abs(ideal.y)*sign(foot)*sin(th)"
[initial]
th = 1.1
y = "sin(th)"
"x'" = 1
[simulation]
duration = 0.1
"""


@pytest.mark.parametrize(
    "act",
    [lambda s: s.compile().simulate(), lambda s: s.check("gauss"), lambda s: s.compile().evaluate()],
    ids=["simulate", "check", "evaluate"])
def test_a_law_that_changes_its_own_reaction_is_a_warning(act):
    with pytest.warns(dal.DoubtWarning, match="uses the reaction without friction, and friction changes it"):
        act(dal.loads(LADDER))


def test_a_law_that_does_not_is_none():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solution = dal.read("coulomb_helix").compile().simulate(duration=0.1)
        assert solution.summary["warnings"] == []
