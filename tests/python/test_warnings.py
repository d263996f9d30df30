"""Whatever the engine doubts is a warning of Python, at the line that asked for it."""

import json
import pickle
import warnings

import numpy as np
import pytest

import dalembert as dal


def test_stiffness_is_warned_of():
    motion = dal.read("stiff_shaft").compile()
    with pytest.warns(dal.DoubtWarning, match='^stiff: from t = .*: stability, not accuracy.*"bdf" is made for this$') as told:
        sol = motion.simulate(0.2, integrator="rk8", samples=3)
    assert told[0].filename == __file__ and len(told) == 1
    assert sol.summary["warnings"] == [str(told[0].message)] and sol.summary["stiff"]["t"] > 0
    assert pickle.loads(pickle.dumps(sol)).summary["warnings"] == sol.summary["warnings"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert motion.simulate(0.2, samples=3).summary["warnings"] == []


def test_outputs_that_are_not_finite_are_warned_of():
    s = dal.System("ball")
    x = s.coordinate("x")
    s.kinetic = x.d**2 / 2
    s.initial(v={x: 1})
    s.outputs(depth=dal.log(0.5 - x), root=dal.sqrt(0.5 - x))
    with pytest.warns(dal.DoubtWarning) as told:
        sol = s.compile().simulate(2, samples=3)
    assert [str(w.message) for w in told] == [
        "outputs: 'depth' is not finite, first at t = 1",
        "outputs: 'root' is not finite, first at t = 1",
    ]
    assert sol.summary["warnings"] == [str(w.message) for w in told] and not np.isfinite(sol["root"][1:]).any()


CONFLICT = """
name = "torn"
coordinates = ["x", "y"]
[energy]
kinetic = "(x'^2 + y'^2)/2"
[[constraint]]
name = "one"
equation = "y = x"
[[constraint]]
name = "two"
equation = "y = x + t^2"
"""


def test_a_state_without_an_answer_that_fits_is_warned_of(dalembert_command, tmp_path):
    (tmp_path / "torn.toml").write_text(CONFLICT)
    motion = dal.read(tmp_path / "torn.toml").compile()
    for off, begins in (([0, 1], "this state is not on the constraints, and constraint"), ([0, 0], "constraint 'one'")):
        with pytest.warns(dal.DoubtWarning, match=f"^{begins}") as told:
            found = motion.evaluate(0, off, [0, 0])
        assert told[0].filename == __file__
        assert found.to_dict()["warnings"] == found.warnings == [str(told[0].message)]
        assert str(told[0].message).endswith("; the accelerations are a least-squares compromise")
    ran = dalembert_command("eval", "torn.toml", "--json", "--at", "y=1")
    assert ran.status == 0 and ran.err.startswith("note: this state is not on the constraints, and ")
    assert json.loads(ran.out)["warnings"] == [ran.err.removeprefix("note: ").rstrip("\n")]


def test_whatever_a_document_warns_of_comes_through():
    from dalembert.errors import warn_of

    with pytest.warns(dal.DoubtWarning) as told:
        warn_of({"warnings": ["one", "two"], "steps": 3})
    assert [str(w.message) for w in told] == ["one", "two"] and {w.filename for w in told} == {__file__}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of({"steps": 3})


def test_motions_that_are_not_complete_are_warned_of_where_they_are_asked_for():
    s = dal.System("no way")
    x = s.coordinate("x")
    s.kinetic = x.d**2 / 2
    s.potential = dal.log(1 - dal.t) * x
    with pytest.warns(dal.IncompleteWarning, match="^the motion is not complete: ") as told:
        s.compile().simulate(2)
    assert told[0].filename == __file__
    assert issubclass(dal.IncompleteWarning, dal.DalembertWarning) and issubclass(dal.DoubtWarning, dal.DalembertWarning)


def test_quiet_models_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in ("pendulum", "rolling_disk", "dumbbell", "four_bar", "two_masses"):
            motion = dal.read(name).compile()
            assert motion.simulate(1, samples=11).summary["warnings"] == []
            motion.evaluate()
            if name != "four_bar":  # whose proof takes seconds
                dal.read(name).check("m-inverse")
