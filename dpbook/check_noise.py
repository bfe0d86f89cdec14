"""Whether noise that should be independent Laplace noise is that: all releases of a task together, at one small risk.

One requirement sees 10,000 releases, a task some hundred thousand. What they say together catches what is far too
little for one: a scale that is 2 % off, one true answer in ten thousand, a tail that is cut at 8 scales, too few random
bits, noise that repeats or answers to other noise. Each of the `TERMS` statements below is wrong for right noise
with probability at most RISK / TERMS, by an exact bound (Chernoff, Bernstein); no limit is estimated.
Source: beyond the seeds.  Notebooks: the exercises.
"""

from dataclasses import dataclass

import numpy as np

TERMS = 128
NEAR = range(1, 33)  # |noise| below 2^-k scales
FAR = range(1, 41)  # |noise| above k / 2 scales
FEWEST = 1_000  # releases below which nothing is said


@dataclass(frozen=True)
class Noise:
    """Noise in units of its scale, an array (releases, entries), and how exactly it can be known, in the same units."""

    scaled: np.ndarray
    grain: float


def noise_trouble(laws, risk):
    """What is wrong with the `Noise` of all laws together, in a sentence; "" with probability 1 - `risk` if nothing."""
    laws = [law for law in laws if len(law.scaled) >= FEWEST]
    if not laws:
        return ""
    limit = np.log(2 * TERMS / risk)
    together = np.concatenate([law.scaled.ravel() for law in laws])
    grain = max(law.grain for law in laws)
    return (
        _repeats(laws, limit)
        or _near(np.abs(together), grain, limit)
        or _far(np.abs(together), limit)
        or _scale(np.abs(together), limit)
        or _sides(together, limit)
        or _successive(laws, limit)
        or _entries(laws, limit)
    )


def _refuted(share, expected, draws, limit):
    """Whether a share of independent draws is so far from its probability (Chernoff)."""
    return draws * divergence(share, expected) > limit


def divergence(seen, expected):
    """Kullback and Leibler's divergence between two shares, elementwise.

    Of n draws of something with probability p, a share s, or one on the same side and farther from p, comes up with
    probability at most exp(-n divergence(s, p)) (Chernoff).
    """
    seen, expected = np.asarray(seen, float), np.asarray(expected, float)
    with np.errstate(divide="ignore", invalid="ignore"):
        hit = np.where(seen > 0, seen * np.log(seen / expected), 0.0)
        miss = np.where(seen < 1, (1 - seen) * np.log((1 - seen) / (1 - expected)), 0.0)
    return hit + miss


def _repeats(laws, limit):
    """Two amounts of noise in one law that are the same, up to sign: random bits that are enough give that never."""
    found = expected = 0.0
    for law in laws:
        size, width = law.scaled.size, law.grain + 2.0**-50
        found += np.count_nonzero(np.diff(np.sort(np.abs(law.scaled), axis=None)) <= width)
        expected += 2 * size**2 * width / 2  # pairs times the chance that two exponentials are so close, twice
    if found > 2 and found * (np.log(found / expected) - 1) + expected > limit:
        return "the same noise comes again, or too few random bits are in it: each release needs fresh noise"
    return ""


def _near(sizes, grain, limit):
    for k in NEAR:
        if 2.0**-k > 1000 * grain:
            expected = -np.expm1(-(2.0**-k))
            share = np.mean(sizes < 2.0**-k)
            if _refuted(share, expected, sizes.size, limit):
                amount = "often" if share > expected else "seldom"
                return f"the releases lie very close to the right answer too {amount}: that is not Laplace noise"
    return ""


def _far(sizes, limit):
    for k in FAR:
        share = np.mean(sizes > k / 2)
        if _refuted(share, np.exp(-k / 2), sizes.size, limit):
            amount = "often" if share > np.exp(-k / 2) else "seldom"
            return f"the releases lie far from the right answer too {amount}: that is not Laplace noise of this scale"
    return ""


def _scale(sizes, limit):
    """The mean of n exponentials is m or farther out with probability at most exp(-n (m - 1 - ln m)) (Chernoff)."""
    mean = sizes.mean()
    if sizes.size * (mean - 1 - np.log(mean)) <= limit:
        return ""
    return f"over all releases the spread is {mean:.3g} times what it must be"


def _sides(together, limit):
    above = np.mean(together > 0)
    if not _refuted(above, 0.5, together.size, limit):
        return ""
    return f"the noise goes {'up' if above > 0.5 else 'down'} more often: it must be centred on the right answer"


def _successive(laws, limit):
    """Signs, and sizes, of releases that follow each other: pairs that have no release in common."""
    for start, lag in ((0, 1), (1, 1), (0, 2)):
        pairs = [_pairs(law.scaled, start, lag) for law in laws]
        first, second = (np.concatenate([pair[place].ravel() for pair in pairs]) for place in (0, 1))
        if _dependent(first, second, limit):
            return "the noise of a release tells about the noise of the next: each needs fresh noise of its own"
    return ""


def _pairs(scaled, start, lag):
    """Rows and those `lag` behind them, from blocks of 2 `lag` rows."""
    rows = scaled[start : start + (len(scaled) - start) // (2 * lag) * 2 * lag]
    blocks = rows.reshape(-1, 2, lag, scaled.shape[1])
    return blocks[:, 0], blocks[:, 1]


def _dependent(first, second, limit):
    """Whether signs agree, or sizes go together, as those of independent noise do not.

    Products of two centred uniform numbers are below 1/4 and have the variance 1/144 (Bernstein).
    """
    if _refuted(np.mean((first > 0) == (second > 0)), 0.5, first.size, limit):
        return True
    mean = np.mean((np.exp(-np.abs(first)) - 0.5) * (np.exp(-np.abs(second)) - 0.5))
    return first.size * mean**2 / (2 * (1 / 144 + abs(mean) / 12)) > limit


def _entries(laws, limit):
    """Each two entries of a release, one law after the other."""
    pairs = sum(law.scaled.shape[1] * (law.scaled.shape[1] - 1) // 2 for law in laws)
    for law in laws:
        for first, second in zip(*np.triu_indices(law.scaled.shape[1], 1), strict=True):
            if _dependent(law.scaled[:, first], law.scaled[:, second], limit + np.log(pairs)):
                return f"entries {first} and {second} (from 0) share their noise: each needs fresh noise of its own"
    return ""
