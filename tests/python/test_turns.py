"""Angles of hinges beyond half a turn: simulated, evaluated afterwards, and where nobody counts."""

import warnings

import numpy as np
import pytest

import dalembert as dal

WHEEL = """
name = "Wheel on a spring"
coordinates = ["x", "y", "z", "e0", "e1", "e2", "e3"]
[[body]]
name = "wheel"
mass = 1
inertia = [1, 1, 2]
position = ["x", "y", "z"]
orientation = { quaternion = ["e0", "e1", "e2", "e3"] }
[[joint]]
name = "pin"
type = "hinge"
body = "wheel"
axis = [0, 0, 1]
SPRING
[initial]
e0 = 1
"e3'" = 10
[simulation]
duration = 2
samples = 21
"""
SPRING = '[[spring]]\njoint = "pin"\nstiffness = 8\n'


def test_a_solution_counts_turns_in_all_that_is_computed_from_it():
    """2 th'' = -8 th: th = 10 sin(2 t), and the moment of the spring is -8 th."""
    motion = dal.loads(WHEEL.replace("SPRING", SPRING)).compile()
    solution = motion.simulate()
    angle = 10 * np.sin(2 * solution.t)
    np.testing.assert_allclose(solution["pin.angle"], angle, atol=1e-6)
    np.testing.assert_allclose(solution["energy.potential"], 4 * angle**2, atol=1e-4)
    assert "pin.near" not in motion.parameter_values()


def test_rhs_warns_where_turns_matter():
    counting = dal.loads(WHEEL.replace("SPRING", SPRING)).compile()
    with pytest.warns(dal.DoubtWarning, match="rhs does not count turns: the angle of hinge 'pin'") as told:
        counting.rhs(0, np.concatenate([[0, 0, 0, 1, 0, 0, 0], np.zeros(7)]))
    assert [w.filename for w in told] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert dal.loads(WHEEL.replace("SPRING", "")).compile().rhs.size == 14
