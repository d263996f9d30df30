"""simulate(precision="extended"): its numbers, and that pickles and files keep them."""

import pickle

import numpy as np
import pytest

import dalembert as dal


def swing():
    s = dal.System("swing")
    theta = s.coordinate("theta")
    s.kinetic, s.potential = theta.d**2 / 2, -dal.cos(theta)
    s.initial(q={theta: 1})
    return s.compile()


def test_the_columns_are_long_doubles_and_stay_so(tmp_path):
    motion = swing()
    sol = motion.simulate(5, samples=6, rtol=1e-18, precision="extended")
    fine = sol.extended
    assert fine["theta"].dtype == np.longdouble
    assert list(fine) == list(sol.columns)
    energy = fine["energy.kinetic"] + fine["energy.potential"]
    assert np.abs(energy - energy[0]).max() < 1e-17
    assert all(float(x) == y for x, y in zip(fine["theta"], sol["theta"]))
    assert motion.simulate(1, samples=2).extended is None
    again = pickle.loads(pickle.dumps(sol))
    for kept in (sol, again):
        kept.to_csv(tmp_path / "swing.csv")
        rows = (tmp_path / "swing.csv").read_text().splitlines()
        assert np.longdouble(rows[-1].split(",")[1]) == fine["theta"][-1]
        assert (kept.extended["theta"] == fine["theta"]).all()


def test_it_is_for_single_runs():
    motion = swing()
    with pytest.raises(ValueError, match="precision extended: it uses taylor, not bdf"):
        motion.simulate(1, precision="extended", integrator="bdf")
    with pytest.raises(ValueError, match="there are double and extended"):
        motion.simulate(1, precision="quadruple")
