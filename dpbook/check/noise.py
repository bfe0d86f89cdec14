"""Whether the noise and the choices of a task are those of its laws: all releases together, at one small risk.

One requirement sees 10,000 releases, a task some hundred thousand. Together they show faults that are too small for
one: a scale 2% off, one true answer in 10,000, a tail cut at 8 scales. Others are too few random bits, noise that
repeats, and a lottery that is 5% too steep. Noise may also depend on other noise, on two others or on all others
together. For right noise each of the statements below is wrong with probability at most its part of the risk. The
bounds are exact: Chernoff, Bernstein, Davidson and Szarek.
Source: beyond the seeds.  Notebooks: the exercises.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from dpbook.check import words

TERMS = 128  # the statements about noise, or about choices, that the risk is divided by: see `shares`
NEAR = range(1, 33)  # |noise| below 2^-k scales
FAR = range(1, 41)  # |noise| above k / 2 scales
NO_NOISE = (1e-3, 3e-3, 1e-2, 3e-2, 0.1)  # shares of the choices
FEWEST = 1_000  # numbers below which nothing is said
TILTS = np.geomspace(1e-3, 0.9, 60)  # how much steeper or flatter a lottery is tried to be
LAGS = ((0, 1), (1, 1), (0, 2))  # the first of releases that are compared, and how far behind the other is
SIDE, AMONG = 8, 8  # of three entries: parts of the range of each, as likely as each other; entries with all threes


@dataclass(frozen=True)
class Noise:
    """Noise in units of its scale, an array (releases, entries), and how exactly it can be known, in the same units."""

    scaled: np.ndarray
    grain: float


@dataclass(frozen=True)
class Choices:
    """How often each outcome came up, its probability, and how much that grows with epsilon: d ln p / d ln epsilon.

    Without `growth` it is that of the exponential mechanism, and of Laplace and geometric noise: ln p.
    """

    hits: np.ndarray
    law: np.ndarray
    growth: np.ndarray | None = None

    def score(self):
        return np.log(np.where(self.law > 0, self.law, 1.0)) if self.growth is None else self.growth


def trouble(heard, risk):
    """What is wrong with all `Noise` and `Choices`, in a sentence; if nothing, "" with probability 1 - `risk`."""
    laws = [one for one in heard if isinstance(one, Noise) and one.scaled.size >= FEWEST]
    choices = [one for one in heard if isinstance(one, Choices)]
    limit = np.log(2 * TERMS * (2 if laws and choices else 1) / risk)  # where a task has both, half the risk each
    return (
        (laws and _noise_trouble(laws, limit))
        or (choices and (_steepness(choices, limit) or _now_and_then_the_best(choices, limit)))
        or ""
    )


def shares():
    """How many parts of the risk, TERMS to each kind, the statements about noise and those about choices take.

    A part is what both sides of one statement take together at the `limit`: 2 exp(-limit).
    """
    pairs = 2  # signs and sizes of each two entries; the limit grows with how many twos there are
    threes = (SIDE**3 + 2**3) / SIDE**3  # likewise
    together = 2 + len(NEAR) + len(FAR) + 2 * len(LAGS)  # sides and the sums of all entries, ...
    noise = TERMS / 4 + 2 / 2 + together + pairs + threes + 1  # scale, repeats, ..., directions
    return noise, (2 * len(TILTS) + len(NO_NOISE)) / 2


def _steepness(choices, limit):
    """Whether the outcomes that came up are those that more epsilon, or less, makes likelier.

    Over all draws the sum of the scores is s or farther out with probability at most exp(L(t) - t s), whatever t is;
    L(t) is the sum of ln sum p exp(t score) (Chernoff).
    """
    logs = [one.score() for one in choices]
    found = sum(one.hits @ log for one, log in zip(choices, logs, strict=True))
    right = sum(one.hits.sum() * (one.law @ log) for one, log in zip(choices, logs, strict=True))
    for t in np.sign(found - right) * TILTS:
        powers = [one.law @ np.exp(t * log) for one, log in zip(choices, logs, strict=True)]
        if t * found - sum(one.hits.sum() * np.log(p) for one, p in zip(choices, powers, strict=True)) > limit:
            return words.TOO_SHARP if t > 0 else words.TOO_FLAT
    return ""


def _now_and_then_the_best(choices, limit):
    """Whether the outcome that most epsilon would give comes up too often, as if some choices had no noise at all.

    Take the likelihood of all draws under such a mixture, divided by that under the law. Its mean is 1 where the law is
    right, so it passes e^limit with probability at most e^-limit (Markov). No test of the same size sees the mixture
    better.
    """
    for share in NO_NOISE:
        gain = 0.0
        for one in choices:
            best = (one.law > 0) & (one.score() >= one.score()[one.law > 0].max() - 1e-9)
            mixed = share * best / best.sum() / np.where(best, one.law, 1.0)
            gain += one.hits @ np.log(1 - share + mixed)
        if gain > limit:
            return words.THE_BEST
    return ""


def _noise_trouble(laws, limit):
    together = np.concatenate([law.scaled.ravel() for law in laws])
    grain = max(law.grain for law in laws)
    return (
        (any(on_grid(law.scaled.ravel(), law.grain) for law in laws) and words.ON_GRID)
        or _repeats(laws, limit)
        or _scale(np.abs(together), limit - np.log(TERMS / 4))  # a quarter of the risk: the most useful one
        or _near(np.abs(together), grain, limit)
        or _far(np.abs(together), limit)
        or _sides(together, limit)
        or _successive(laws, limit)
        or _entries(laws, limit)
        or _three_entries(laws, limit)
        or _all_entries(laws, limit)
    )


def _refuted(share, expected, draws, limit):
    """Whether a share of independent draws is so far from its probability (Chernoff)."""
    return draws * divergence(share, expected) > limit


def divergence(seen, expected):
    """Kullback and Leibler's divergence between two shares, elementwise.

    Let s be the share of n draws that show something of probability p. A share that far from p, or farther on the same
    side, has probability at most exp(-n divergence(s, p)) (Chernoff).
    """
    seen, expected = np.asarray(seen, float), np.asarray(expected, float)
    with np.errstate(divide="ignore", invalid="ignore"):
        hit = np.where(seen > 0, seen * np.log(seen / expected), 0.0)
        miss = np.where(seen < 1, (1 - seen) * np.log((1 - seen) / (1 - expected)), 0.0)
    return hit + miss


def _repeats(laws, limit):
    """Amounts of noise that are the same, up to sign: random bits that are enough give that never.

    Within the laws, and, where the noise of one serves another as well, among the numbers of all of them.
    """
    together = [Noise(np.concatenate([law.scaled.ravel() for law in laws]), max(law.grain for law in laws))]
    for ones in (laws, together):
        found = sum(np.count_nonzero(np.diff(np.sort(np.abs(one.scaled), axis=None)) <= _width(one)) for one in ones)
        # pairs times the chance that two exponentials are so close, twice
        expected = sum(2 * one.scaled.size**2 * _width(one) / 2 for one in ones)
        if found > max(2, expected) and found * (np.log(found / expected) - 1) + expected > limit:
            return words.COMES_AGAIN
    return ""


def on_grid(numbers, grain):
    """Whether all numbers, known to `grain`, are multiples of one power of 1/2: 1, 1/2, 1/4, ...

    The powers tried are far above the grain, so right noise is within the grain of a multiple with probability at most
    1/4. A hundred numbers of it never are.
    """
    steps = 2.0 ** -np.arange(64)
    steps = steps[steps > 8 * grain]
    likely = steps[np.all(off(numbers[:9, None] / steps) <= grain / steps, axis=0)]  # a few first: most fail there
    return len(numbers) >= 100 and any(np.all(off(numbers / step) <= grain / step) for step in likely)


def off(numbers):
    """How far each number is from a whole one."""
    return np.abs(numbers - np.round(numbers))


def _width(law):
    """How close to each other two numbers of a law count as the same."""
    return law.grain + 2.0**-50


def _near(sizes, grain, limit):
    for k in NEAR:
        if 2.0**-k > 1000 * grain:
            expected = -np.expm1(-(2.0**-k))
            share = np.mean(sizes < 2.0**-k)
            if _refuted(share, expected, sizes.size, limit):
                amount = "often" if share > expected else "seldom"
                return words.NEAR_TOO.format(amount=amount)
    return ""


def _far(sizes, limit):
    for k in FAR:
        share = np.mean(sizes > k / 2)
        if _refuted(share, np.exp(-k / 2), sizes.size, limit):
            amount = "often" if share > np.exp(-k / 2) else "seldom"
            return words.FAR_TOO.format(amount=amount)
    return ""


def _scale(sizes, limit):
    """The mean of n exponentials is m or farther out with probability at most exp(-n (m - 1 - ln m)) (Chernoff)."""
    mean = sizes.mean()
    if sizes.size * (mean - 1 - np.log(mean)) <= limit:
        return ""
    return words.scale(mean, words.SIZE, words.OVER_ALL)


def _sides(together, limit):
    above = np.mean(together > 0)
    if not _refuted(above, 0.5, together.size, limit):
        return ""
    return words.LEANING.format(way="up" if above > 0.5 else "down")


def _successive(laws, limit):
    """Signs, and sizes, of releases that follow each other: pairs that have no release in common."""
    for start, lag in LAGS:
        pairs = [_pairs(law.scaled, start, lag) for law in laws]
        first, second = (np.concatenate([pair[place].ravel() for pair in pairs]) for place in (0, 1))
        if _dependent(first, second, limit):
            return words.FOLLOWING
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
    """Each two entries of a release, one law after the other: signs and sizes, as in `_dependent`."""
    pairs = sum(law.scaled.shape[1] * (law.scaled.shape[1] - 1) // 2 for law in laws)
    for law in laws:
        draws, limit_here = len(law.scaled), limit + np.log(max(pairs, 1))
        signs, sizes = np.sign(law.scaled), np.exp(-np.abs(law.scaled)) - 0.5
        agree = np.clip((signs.T @ signs / draws + 1) / 2, 0, 1)
        moved = np.abs(sizes.T @ sizes / draws)
        far = (draws * divergence(agree, 0.5) > limit_here) | (
            draws * moved**2 / (2 * (1 / 144 + moved / 12)) > limit_here
        )
        if np.any(np.triu(far, 1)):
            first, second = np.argwhere(np.triu(far, 1))[0]
            return words.entries(first, second)
    return ""


def _three_entries(laws, limit):
    """Whether three entries of a release stand in some boxes of a grid more often, or less, than independent ones.

    Each two of them may be independent while the third follows from the two. The boxes are SIDE^3 and 2^3, as likely
    as each other; the threes are those among the first AMONG entries, and neighbours all along. All laws together.
    """
    parts = [_parts(law.scaled) for law in laws if law.scaled.shape[1] > 2]
    threes = _threes(max((part.shape[1] for part in parts), default=0))
    for one, two, three in threes:
        cells = [
            (part[:, one] * SIDE + part[:, two]) * SIDE + part[:, three] for part in parts if part.shape[1] > three
        ]
        boxes = sum(np.bincount(cell, minlength=SIDE**3) for cell in cells)
        halves = boxes.reshape(2, SIDE // 2, 2, SIDE // 2, 2, SIDE // 2).sum(axis=(1, 3, 5))
        draws, limit_here = boxes.sum(), limit + np.log(SIDE**3 * len(threes))
        if any(np.any(_refuted(seen / draws, 1 / seen.size, draws, limit_here)) for seen in (boxes, halves)):
            return words.entries(one, two, three)
    return ""


def _all_entries(laws, limit):
    """Whether sums of all entries, or of all with any weights, have as much noise as those of independent entries.

    Each two entries, and each three, may be independent while a sum of many is nearly exact. All numbers are made
    normal first. Their sums over a release are normal again (Chernoff, as in `_scale`). For n releases of k entries the
    smallest singular value is below sqrt(n) - sqrt(k) - t with probability at most exp(-t^2 / 2). The largest exceeds
    sqrt(n) + sqrt(k) + t as rarely (Davidson and Szarek). They bound the noise of every weighted sum.
    """
    wide = [law.scaled for law in laws if law.scaled.shape[1] > 1]
    if not wide:
        return ""
    normal = [_as_normal(scaled) for scaled in wide]
    sums = np.concatenate([one.sum(axis=1) / np.sqrt(one.shape[1]) for one in normal])
    square = np.mean(sums**2)
    if sums.size * (square - 1 - np.log(square)) / 2 > limit:
        return words.ALL_ENTRIES
    stray = np.sqrt(2 * (limit + np.log(len(wide))))
    for one in normal:
        middle, width = np.sqrt(len(one)), np.sqrt(one.shape[1]) + stray
        if width < middle:
            low, high = np.linalg.eigvalsh(one.T @ one)[[0, -1]]
            if low < (middle - width) ** 2 or high > (middle + width) ** 2:
                return words.ALL_ENTRIES
    return ""


def _as_normal(noise):
    """Laplace noise, each number in the place of the normal number that is as far out."""
    from scipy.special import ndtri  # only here: see `requirements`

    return -np.sign(noise) * ndtri(np.exp(-np.abs(noise)) / 2)


def _parts(noise):
    """For each number, in which of SIDE parts of its range it lies."""
    tail = np.exp(-np.abs(noise)) / 2
    return np.minimum((SIDE * np.where(noise < 0, tail, 1 - tail)).astype(int), SIDE - 1)


def _threes(entries):
    """The entries that are looked at by threes."""
    along = ((start, start + 1, start + 2) for start in range(entries - 2))
    return sorted({*combinations(range(min(entries, AMONG)), 3), *along})
