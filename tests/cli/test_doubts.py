"""What the command says of friction that is not what it seems to be, and does not say of rest."""

import json
import math

import pytest

from conftest import MODELS

# A rod that leans on floor and wall, with Coulomb's law by the reactions without friction ...
RECIPE = """
name = "Ladder"
coordinates = ["x", "y", "th"]
[parameters]
m = 5
l = 1.2
mu = 0.2
HOW
[initial]
th = 0.9
x = "l*cos(th)"
y = "l*sin(th)"
"th'" = -0.5
"x'" = "-l*sin(th)*th'"
"y'" = "l*cos(th)*th'"
[simulation]
duration = 0.2
samples = 11
"""
BY_LAW = RECIPE.replace("HOW", """
[let]
foot = "x' - l*sin(th)*th'"
top = "y' + l*cos(th)*th'"
[energy]
kinetic = "m*(x'^2 + y'^2)/2 + m*l^2/3*th'^2/2"
potential = "m*9.81*y"
[[constraint]]
equation = "y = l*sin(th)"
[[constraint]]
equation = "x = l*cos(th)"
[virtual_work]
x = "-mu*abs(ideal.y)*sign(foot)"
y = "-mu*abs(ideal.x)*sign(top)"
th = "mu*abs(ideal.y)*sign(foot)*l*sin(th) - mu*abs(ideal.x)*sign(top)*l*cos(th)"
""")
# ... and by friction of joints. The rod lies along its body's x axis; theta turns it back.
BY_JOINTS = RECIPE.replace("[parameters]", "gravity = [0, -9.81, 0]\n[parameters]").replace("HOW", """
[[body]]
name = "rod"
mass = "m"
inertia = [0.01, "m*l^2/3", "m*l^2/3"]
position = ["x", "y", 0]
orientation = { axis = [0, 0, 1], angle = "-th" }
[[joint]]
name = "floor"
type = "point-on-plane"
body = "rod"
points = [[0, 0, 0], ["l", 0, 0]]
normal = [0, 1, 0]
friction = { mu = "mu" }
[[joint]]
name = "wall"
type = "point-on-plane"
body = "rod"
points = [[0, 0, 0], ["-l", 0, 0]]
normal = [1, 0, 0]
friction = { mu = "mu" }
""")
BLOCK = """
name = "Block on an incline"
coordinates = ["x", "y"]
gravity = [0, -9.81, 0]
[parameters]
al = 0.4
mu = 0.6
[[particle]]
name = "block"
mass = 2
position = ["x", "y", 0]
[[joint]]
name = "incline"
type = "point-on-plane"
body = "block"
normal = ["sin(al)", "cos(al)", 0]
friction = { mu = "mu" }
[simulation]
duration = 0.1
"""


def evaluated(dalembert, model, *args):
    result = dalembert("eval", model, "--json", *args)
    assert result.status == 0, result.err
    return json.loads(result.out)


def test_a_law_that_changes_its_own_reaction_is_told_with_its_error_and_the_remedy(dalembert):
    law, joints = dalembert.write("law.toml", BY_LAW), dalembert.write("joints.toml", BY_JOINTS)
    shown, right = evaluated(dalembert, law), evaluated(dalembert, joints)
    assert right["warnings"] == []
    (warning,) = shown["warnings"]
    told = f"x'' is {shown['acceleration']['x']:.4g} instead of {right['acceleration']['x']:.4g}"
    remedy = 'write it as [[friction]], with limit = "mu*reaction.NAME", or as `friction` of a joint'
    assert told in warning and remedy in warning and "% off" in warning
    assert f"warning: {warning}" in dalembert("eval", law).out
    checked = dalembert("check", law)
    assert "warning      [virtual_work] of 'x', 'y' and 'th' uses the reaction without friction" in checked.out
    assert len(json.loads(dalembert("check", law, "--json").out)["warnings"]) == 1
    ran = dalembert("run", law, "--out", "out")
    assert ran.status == 0, ran.err
    assert "  warning       [virtual_work] of 'x', 'y' and 'th' uses" in ran.out
    summary = json.loads((dalembert.directory / "out/summary.json").read_text(encoding="utf-8"))
    assert len(summary["warnings"]) == 1 and "at t = " in summary["warnings"][0]
    assert "uses the reaction without friction" in (dalembert.directory / "out/report.html").read_text(encoding="utf-8")
    assert json.loads(dalembert("run", joints, "--json").out)["warnings"] == []
    study = ("--vary", "mu=[0.1, 0.2]", "--duration", "0.1")
    swept = dalembert("sweep", law, *study)
    assert "  warning       [virtual_work] of 'x', 'y' and 'th' uses the reaction without friction" in swept.out
    assert "at the start of run 0" in swept.out
    assert json.loads(dalembert("sweep", joints, *study, "--json").out)["warnings"] == []


@pytest.mark.parametrize("model", ["coulomb_helix", "pendulum", "rolling_disk"])
def test_nothing_is_said_where_nothing_is_wrong(dalembert, model):
    assert evaluated(dalembert, model)["warnings"] == []
    assert json.loads(dalembert("run", model, "--json", "--duration", "0.1").out)["warnings"] == []
    assert json.loads(dalembert("check", model, "--json", "--method", "gibbs-appell").out)["warnings"] == []


def test_friction_of_joints_sticks_at_rest_or_gives_way(dalembert):
    model = dalembert.write("block.toml", BLOCK)
    held = evaluated(dalembert, model)
    assert held["warnings"] == [] and abs(held["acceleration"]["x"]) < 1e-12
    (friction,) = held["frictions"]
    assert friction["name"] == "incline.friction" and friction["mode"] == "sticks" and friction["unique"]
    weight = 2 * 9.81
    assert max(abs(f) for f in friction["friction"]) == pytest.approx(weight * math.sin(0.4), rel=1e-12)
    assert friction["limit"] == pytest.approx(0.6 * weight * math.cos(0.4), rel=1e-12)
    assert held["joints"][0]["friction"] == pytest.approx(weight * math.cos(0.4), rel=1e-12)
    slides = evaluated(dalembert, model, "--set", "mu=0.2")
    assert slides["warnings"] == [] and slides["frictions"][0]["mode"] == "slides"
    along = 9.81 * (math.sin(0.4) - 0.2 * math.cos(0.4))
    assert slides["acceleration"]["x"] == pytest.approx(along * math.cos(0.4), rel=1e-12)
    run = dalembert("run", model, "--set", "mu=0.2")
    assert run.status == 0 and "friction at rest" not in run.out
    assert dalembert("export", model, "--format", "c", "--out", "code").status == 2


def test_a_law_by_hand_at_rest_is_told_with_what_it_could_hold(dalembert):
    by_hand = BLOCK.split("[[joint]]")[0] + """
[let]
F = "-mu*2*9.81*cos(al)*sign(x'*cos(al) - y'*sin(al))"
[[joint]]
name = "incline"
type = "point-on-plane"
body = "block"
normal = ["sin(al)", "cos(al)", 0]
[forces]
x = "F*cos(al)"
y = "-F*sin(al)"
[simulation]
duration = 0.1
"""
    model = dalembert.write("hand.toml", by_hand)
    (warning,) = evaluated(dalembert, model)["warnings"]
    assert "friction at rest: the law along 'x' and 'y' has no direction here, only joints, [[friction]] and contacts stick" in warning
    assert "x'' = 3.519 is without it; it is strong enough to hold: the system would stay at rest" in warning
    (warning,) = evaluated(dalembert, model, "--set", "mu=0.2")["warnings"]
    assert "it is too weak to hold, and once sliding x'' is 1.854" in warning
    assert evaluated(dalembert, model, "--at", "x'=cos(al),y'=-sin(al)")["warnings"] == []


def test_a_rank_that_rises_by_drift_is_said(dalembert):
    model = (MODELS / "slider_crank.toml").read_text(encoding="utf-8")
    assert model.count("rtol = 1e-9") == 1
    loose = dalembert.write("loose.toml", model.replace("rtol = 1e-9", 'rtol = 1e-6\nproject = "none"'))
    summary = json.loads(dalembert("run", loose, "--json").out)
    # Redundant rows that have drifted apart hold the crank back: the ideal forces take energy, which no ideal force can.
    assert summary["largest_residual"] > 1e-8 and abs(summary["work"]["ideal"]) > 1
    (warning,) = [w for w in summary["warnings"] if "rose from 2 to 3" in w]
    assert "do not trust this motion from there on" in warning and 'project = "both"' in warning
    assert json.loads(dalembert("run", "slider_crank", "--json", "--rtol", "1e-6").out)["warnings"] == []


def test_rest_is_no_imbalance(dalembert):
    model = dalembert.write("truss.toml", """
name = "Truss"
coordinates = ["x1", "y1", "x2", "y2"]
[energy]
kinetic = "(x1'^2 + y1'^2 + x2'^2 + y2'^2)/2"
potential = "9.81*(y1 + y2)"
[[constraint]]
equation = "x1^2 + y1^2 = 2"
[[constraint]]
equation = "(x1 - 2)^2 + y1^2 = 2"
[[constraint]]
equation = "(x2 - x1)^2 + (y2 - y1)^2 = 4"
[[constraint]]
equation = "(x2 - 2)^2 + y2^2 = 2"
[initial]
adjust = "nearest"
x1 = 1
y1 = 1.01
x2 = 3
y2 = 1
""")
    result = dalembert("run", model)
    assert result.status == 0, result.err
    assert "do not trust this motion" not in result.out
