"""Medians and spread of what was measured."""

import dataclasses


def quantile(samples, fraction):
    """Linear between the order statistics, as numpy's default."""
    ordered = sorted(samples)
    if not ordered:
        raise ValueError("no samples")
    place = fraction * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


@dataclasses.dataclass(frozen=True)
class Spread:
    """Median and quartiles."""

    low: float
    median: float
    high: float

    @staticmethod
    def of(samples):
        return Spread(quantile(samples, 0.25), quantile(samples, 0.5), quantile(samples, 0.75))


def ratios(ours, peer):
    """How many times longer the peer took, round by round. Samples of one round were taken one after the other, so
    that a change in the machine's speed during the run cancels."""
    if len(ours) != len(peer):
        raise ValueError("not the same number of rounds")
    return [p / o for o, p in zip(ours, peer)]


def relative_difference(values, reference):
    """Largest difference, of the largest value of the reference."""
    if len(values) != len(reference):
        return float("inf")
    scale = max(map(abs, reference), default=0.0)
    differences = [abs(a - b) for a, b in zip(values, reference)]
    if any(d != d for d in differences):
        return float("inf")
    largest = max(differences, default=0.0)
    return largest / scale if scale > 0 else largest


def absolute_difference(values, reference):
    if len(values) != len(reference) or any(v != v for v in values):
        return float("inf")
    return max(abs(a - b) for a, b in zip(values, reference))


def loosest(error_of, target, coarsest, finest, steps):
    """The largest tolerance with error_of(tolerance) <= target, by bisection of its logarithm between `coarsest` and
    `finest`, after `steps` halvings. None if the finest does not reach the target. The error need not fall evenly with
    the tolerance: what is returned reaches the target, which is all that counts."""
    if error_of(finest) > target:
        return None
    if error_of(coarsest) <= target:
        return coarsest
    bad, good = coarsest, finest
    for _ in range(steps):
        middle = (bad * good) ** 0.5
        if error_of(middle) <= target:
            good = middle
        else:
            bad = middle
    return good
