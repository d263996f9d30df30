"""The systems whose trajectories are compared, hand-reduced to as few states as they have, for peers that know
differential equations only. Right-hand sides are written once and serve heyoka's expressions and plain numbers.

Rolling disk (models/rolling_disk.toml): with w1 = theta', w2 = phi' sin(theta), w3 = phi' cos(theta) + psi' the
equations of a thin uniform disk, divided by m r^2, are (Greenwood, Advanced Dynamics, Example 5.3, in other letters)

    5/4 w1' = w2^2 cot(theta)/4 - 3/2 w2 w3 - (g/r) cos(theta)
        w2' = -w1 w2 cot(theta) + 2 w1 w3
    3/2 w3' = w1 w2

The point of contact is left out: nothing depends on it, and a user who reduces by hand would leave it out too."""


def rolling_disk(state, parameters, sin, cos):
    """phi, theta, psi, w1, w2, w3 -> their rates. Parameters: m, r, g."""
    _, theta, _, w1, w2, w3 = state
    _, r, g = parameters
    s, c = sin(theta), cos(theta)
    turn = w2 / s
    lean = turn * c
    return [
        turn,
        w1,
        w3 - lean,
        (0.25 * w2 * lean - 1.5 * w2 * w3 - g / r * c) / 1.25,
        w1 * (2.0 * w3 - lean),
        w1 * w2 / 1.5,
    ]


def rolling_disk_reduced(q, v, sin, cos):
    """(phi, theta, psi) and their rates -> the state above."""
    return [*q[:3], v[1], v[0] * sin(q[1]), v[0] * cos(q[1]) + v[2]]


def rolling_disk_full(y, sin, cos):
    """The state above -> phi, theta, psi and their rates: what is compared."""
    phi, theta, psi, w1, w2, w3 = y
    turn = w2 / sin(theta)
    return [phi, theta, psi, turn, w1, w3 - turn * cos(theta)]


def double_pendulum(state, parameters, sin, cos):
    """th1, th2 and their rates. Parameters: m1, m2, l1, l2, g."""
    a, b, u, v = state
    m1, m2, l1, l2, g = parameters
    s, c = sin(a - b), cos(a - b)
    # (m1 + m2) l1 a'' + m2 l2 c b'' = p,  l1 c a'' + l2 b'' = r
    p = -1.0 * m2 * l2 * s * v * v - (m1 + m2) * g * sin(a)
    r = l1 * s * u * u - g * sin(b)
    first = (p - m2 * c * r) / (l1 * (m1 + m2 - m2 * c * c))
    return [u, v, first, (r - l1 * c * first) / l2]


def stiff_shaft(state, parameters, sin, cos):
    """x, psi, phi, x', psi' (models/stiff_shaft.toml), rolling. Parameters: m, R, J, d, k, c, g."""
    x, psi, phi, u, w = state
    m, R, J, d, k, c, g = parameters
    torque = k * (psi - phi) + c * (w - u / R)
    return [u, w, u / R, torque / (m * R) - g * d * sin(x), -1.0 * torque / J]


SYSTEMS = {
    "rolling_disk": (rolling_disk, rolling_disk_reduced, rolling_disk_full, 6),
    "double_pendulum": (
        double_pendulum,
        lambda q, v, sin, cos: [*q, *v],
        lambda y, sin, cos: list(y),
        4,
    ),
    "stiff_shaft": (
        stiff_shaft,
        lambda q, v, sin, cos: [q[0], q[2], q[1], v[0], v[2]],
        lambda y, sin, cos: [y[0], y[2], y[1], y[3], y[3] / 0.5, y[4]],  # R = 0.5
        5,
    ),
}
