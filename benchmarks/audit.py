"""The audit against the methods of StatDP, DP-Sniper and DP-Auditorium, on the same outputs in one run: `make bench`.

Each reads a million outputs of each of two neighbours and answers with a lower bound on epsilon at 99.9 %. The packages
are not found on PyPI, so each method is written out here in a few lines, with its published choices. A bound is good if
it is near the exact loss, and wrong if it is above it.
"""

import statistics
import time

import numpy as np
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression

from dpbook.audit import clopper_pearson, epsilon_lower_bound
from dpbook.averages import clamped_average, clamped_loss
from dpbook.laplace import laplace_mechanism

SAMPLES, RISK, RUNS = 1_000_000, 0.001, 5
MISSING = """\
StatDP, DP-Sniper and DP-Auditorium are not found on PyPI: their methods, written out here, stand in for them.
For the packages: pip install git+https://github.com/cmla-psu/statdp (eth-sri/dp-sniper, google/differential-privacy)
"""


def ours(first, second):
    """Events learnt, judged and certified on separate outputs."""
    samples = {0: first, 1: second}
    rng = np.random.default_rng(1)
    return epsilon_lower_bound(lambda side, rng, size: samples[side], 0, 1, SAMPLES, rng, 1 - RISK).epsilon


def statdp(first, second):
    """Ten half-lines over the densest 70 %, the one of least p-value on one half, a thinned count tested on the other.

    Its hypergeometric tail is taken by the normal law, which at these counts is the same.
    """
    half = SAMPLES // 2
    pooled = np.sort(np.concatenate([first[:half], second[:half]]))
    width = int(0.7 * pooled.size)
    start = np.argmin(pooled[width:] - pooled[:-width])
    cuts = np.linspace(pooled[start], pooled[start + width - 1], 10)
    chosen, tested = (
        [np.searchsorted(np.sort(side[part]), cuts) for side in (first, second)]
        for part in (slice(None, half), slice(half, None))
    )
    rng = np.random.default_rng(1)

    def p_values(counts, epsilon):
        more, less = np.maximum(*counts), np.minimum(*counts)
        thinned = rng.binomial(more, np.exp(-epsilon), (200, cuts.size))
        total = thinned + less
        spread = np.sqrt(total / 4 * (1 - total / (2 * half)))
        p = norm.sf((thinned - total / 2) / np.maximum(spread, 1e-9)).mean(axis=0)
        return np.where(more + less > 0.001 * half * np.exp(epsilon), p, 1)

    def refuted(epsilon):
        return p_values(tested, epsilon)[np.argmin(p_values(chosen, epsilon))] < RISK

    return largest(refuted)


def dp_sniper(first, second):
    """Logistic regression, the 1 % of the second's outputs that look most like the first's, Clopper-Pearson on both."""
    third = SAMPLES // 3
    learn, choose, certify = slice(None, third), slice(third, 2 * third), slice(2 * third, None)
    best = 0.0
    for likelier, other in ((first, second), (second, first)):
        labels = np.repeat([1, 0], third)
        classifier = LogisticRegression().fit(np.concatenate([likelier[learn], other[learn]])[:, None], labels)
        slope = np.sign(classifier.coef_[0, 0])
        scores, target = np.sort(slope * other[choose])[::-1], third // 100
        level = scores[target]
        share = (target - np.count_nonzero(scores > level)) / np.count_nonzero(scores == level)  # of the ties
        hits = [_hits(slope * side[certify], level, share) for side in (likelier, other)]
        size = SAMPLES - 2 * third
        low, high = clopper_pearson(hits[0], size, RISK / 4)[0], clopper_pearson(hits[1], size, RISK / 4)[1]
        best = max(best, float(np.log(low / high)) if low > 0 else 0.0)
    return best


def _hits(scores, level, share):
    ties = np.count_nonzero(scores == level)
    return int(np.count_nonzero(scores > level) + np.random.default_rng(1).binomial(ties, share))


def dp_auditorium(first, second, bins=50):
    """The histogram tester: the largest epsilon at which the delta of a histogram, less its tolerance, is above 0."""
    ends = np.quantile(np.concatenate([first[:10_000], second[:10_000]]), [0.001, 0.999])
    shares = [np.histogram(np.clip(side, *ends), bins, ends)[0] / SAMPLES for side in (first, second)]

    def refuted(epsilon):
        grown = np.exp(epsilon)
        for p, q in (shares, shares[::-1]):
            cells = 2 * (np.sqrt(p).sum() + grown * np.sqrt(q).sum()) / np.sqrt(SAMPLES)
            tolerance = cells + 6 * (1 + grown) * np.sqrt(np.log(8 / RISK) / (2 * SAMPLES))
            if np.maximum(p - grown * q, 0).sum() > tolerance:
                return True
        return False

    return largest(refuted)


def largest(refuted):
    """The largest epsilon from 0 to 8, to 0.001, that is refuted, if all below are."""
    low, high = 0.0, 8.0
    while high - low > 0.001:
        middle = (low + high) / 2
        low, high = (middle, high) if refuted(middle) else (low, middle)
    return low


def laplace_outputs(answer, rng):
    return laplace_mechanism(np.full(SAMPLES, float(answer)), 1, 1.0, rng)


def clamped_outputs(values, rng):
    return clamped_average(values, (0, 1), 0.5, rng, size=SAMPLES)


CASES = {
    "Laplace noise, claims 1.0": (laplace_outputs, 0, 1, 1.0),
    "clamped average, claims 0.5": (clamped_outputs, [0], [0, 1], clamped_loss(0.5)),
}
METHODS = {"dpbook": ours, "StatDP": statdp, "DP-Sniper": dp_sniper, "DP-Auditorium": dp_auditorium}


def main():
    print(MISSING)
    print(f"{'mechanism':30}{'exact':>7}   {'method':16}{'bound':>7}{'ms':>8}")
    for title, (outputs, data, neighbour, exact) in CASES.items():
        rng = np.random.default_rng(1)
        pair = [outputs(side, rng) for side in (data, neighbour)]
        bounds, times = {}, {name: [] for name in METHODS}
        for run in range(RUNS + 1):
            for name, method in METHODS.items():
                begun = time.perf_counter()
                bounds[name] = method(*pair)
                if run:
                    times[name].append(time.perf_counter() - begun)
        for name, bound in bounds.items():
            wrong, took = "  above the exact loss" if bound > exact else "", 1e3 * statistics.median(times[name])
            print(f"{title:30}{exact:>7.3f}   {name:16}{bound:>7.3f}{took:>8.1f}{wrong}")


if __name__ == "__main__":
    main()
