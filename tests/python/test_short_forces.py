"""Short forces in long motions, the longest step, and children of a process."""

import multiprocessing
import warnings

import dalembert as dal
import numpy as np
import pytest


def pushed(force):
    s = dal.System("pushed")
    x = s.coordinate("x")
    t1 = s.parameter("t1", 7)
    s.kinetic = x.d**2 / 2
    s.force(x, force(t1))
    return s


def tent(t1):
    return dal.max_(0, 1 - dal.abs_(dal.t - t1) / 0.2)


@pytest.mark.parametrize("integrator", ["rk8", "bdf"])
def test_a_short_force_is_not_missed(integrator):
    sol = pushed(tent).compile().simulate(30, integrator=integrator)
    assert sol.v[-1, 0] == pytest.approx(0.2, abs=1e-8)


def test_nor_in_a_sweep():
    swept = dal.sweep(pushed(tent), {"t1": np.linspace(3, 20, 9)}, duration=30, statistics=["final(x')"])
    assert swept.statistics["final(x')"] == pytest.approx(np.full(9, 0.2), abs=1e-8)


def test_max_step_bounds_the_steps():
    motion = pushed(lambda t1: 1).compile()
    assert motion.simulate(30).summary["max_step"] is None
    bounded = motion.simulate(30, max_step="t1/28")
    assert bounded.summary["max_step"] == 0.25 and bounded.summary["steps"] >= 120
    swept = dal.sweep(motion, {"t1": [1]}, duration=30, max_step=0.25)
    assert swept.steps[0] == bounded.summary["steps"]
    s = pushed(lambda t1: 1)
    s.simulation(max_step=0.5)
    assert s.compile().simulate(30).summary["max_step"] == 0.5
    with pytest.raises(ValueError, match="max_step -1: must be positive"):
        dal.sweep(motion, {"t1": [1]}, max_step=-1)


def steps_of(motion):
    return motion.simulate(200).summary["steps"]


def test_children_of_fork_simulate_as_their_parent():
    motion = dal.read("double_pendulum").compile()
    expected = steps_of(motion)  # long enough for machine code to be asked for
    with warnings.catch_warnings(), multiprocessing.get_context("fork").Pool(2) as pool:
        warnings.simplefilter("ignore")
        assert pool.map_async(steps_of, [motion] * 2).get(timeout=60) == [expected] * 2
