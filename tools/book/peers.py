"""Hold the book's numbers against other people's programs: `python -m tools.book.peers PYTHON` (`make peers`).

The peers need other versions than the book, so PYTHON is the interpreter of an environment of their own
(constraints-peers.txt). Each `Check` is one quantity: its settings, the book's function, a peer's, and the relative
difference that is allowed, with the reason for it. What the peers say goes into notebooks/23_peers.json with their
versions, the day and the differences. Page 23 shows the largest of each check, and tests/test_peers.py works the book's
side out again. Exit code 1 if a difference is above what is stated.
"""

import argparse
import datetime
import importlib.metadata
import json
import math
import os
import pathlib
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from dpbook import accounting
from dpbook.accounting import sampled_gaussian_losses, zcdp_epsilon, zcdp_gaussian
from dpbook.claims.losses import loss_from_noise
from dpbook.composition import optimal
from dpbook.exponential import selection_probabilities
from dpbook.gaussian import discrete_gaussian_delta, discrete_gaussian_scale, gaussian_epsilon, gaussian_scale
from dpbook.laplace import geometric_log_probability, laplace_mechanism
from dpbook.local import k_ary_log_probability
from dpbook.marginals import maximum_entropy
from dpbook.memory import mean_tries, tuned_divergences
from dpbook.synthetic import Measurement, fit_model

ROOT = pathlib.Path(__file__).resolve().parents[2]
STORED = ROOT / "notebooks/23_peers.json"
PEERS = {
    "dp-accounting": "Google's library of accounts",
    "prv-accountant": "Microsoft's accountant by loss distributions",
    "opendp": "OpenDP: what its `map` says",
    "diffprivlib": "IBM's library: the scales that it uses",
    "mbi": "Private-PGM: graphical models from marginals",
}
BOUND = 2e-6  # between two grids of one width that are rounded in other ways
ROUNDED = 1e-8  # sums and searches in doubles, and what a library rounds up to be safe


class Check(NamedTuple):
    """One quantity: `ours(*setting)` and `theirs(*setting)` are numbers, or lists of numbers; or theirs is an interval.

    `tolerance` is the largest relative difference allowed, `why` says what it is made of. Of an `interval`, which is a
    pair (low, high), the difference is how far ours lies outside.
    """

    peer: str
    what: str
    settings: list
    ours: Callable
    theirs: Callable
    tolerance: float
    why: str
    interval: bool = False


class Found(NamedTuple):
    """What a check found: the largest relative difference, and the setting where it is."""

    largest: float
    setting: list


# The book's side: what is no function of the book as it stands. All that it needs is numpy and scipy, which the peers'
# environment has too.


def our_sampled(q, scale, times, delta, step):
    """Epsilon of so many sums over Poisson samples, with Gaussian noise."""
    one = accounting.gaussian_losses(1, scale, step) if q == 1 else sampled_gaussian_losses(q, 1, scale, step)
    return one.repeat(times).epsilon(delta)


def our_laplace(scale, times, delta, step):
    """Epsilon of so many Laplace releases."""
    return accounting.laplace_losses(1, scale, step).repeat(times).epsilon(delta)


def our_moments(q, scale, *orders):
    """Renyi divergences of a sampled Gaussian sum."""
    return accounting.renyi_sampled_gaussian(q, 1, scale, np.array(orders))


def our_conversion(scale, delta):
    """From the Renyi divergences of Gaussian noise to an epsilon."""
    return accounting.renyi_epsilon(ORDERS, accounting.renyi_gaussian(1, scale, ORDERS), delta).epsilon


def our_laplace_loss(scale):
    """What the Laplace mechanism, run at epsilon 1 / scale, loses on a count: from its steps."""
    return loss_from_noise(lambda count, rng: laplace_mechanism(count, 1, 1 / scale, rng), [(0, 1)])


def our_geometric_loss(scale):
    """The largest log ratio of geometric noise of this scale on a count."""
    counts = np.arange(-50, 52)
    return np.abs(np.subtract(*(geometric_log_probability(counts, at, 1, 1 / scale) for at in (0, 1)))).max()


def our_response(categories, epsilon):
    """The chance of the true answer among so many."""
    return np.exp(k_ary_log_probability(np.arange(categories), 0, categories, epsilon))[0]


def our_selection(epsilon, monotonic, *quality):
    return selection_probabilities(quality, 1, epsilon, monotonic)


def tables_of(seed, links):
    """Consistent tables of pairs of yes-or-no attributes, of a made joint table of 1,000 records."""
    size = 1 + max(max(pair) for pair in links)
    joint = np.random.default_rng(seed).dirichlet(np.ones(2**size)).reshape((2,) * size) * 1000
    return [joint.sum(axis=tuple(set(range(size)) - set(pair))) for pair in links]


def our_joint(seed, *links):
    """The joint table of largest entropy with these pairs."""
    attributes = tuple(range(1 + max(max(pair) for pair in links)))
    views = [tuple(pair) for pair in links]
    return maximum_entropy(views, tables_of(seed, links), attributes).table


def noisy_tables(seed, links):
    """The same with noise of deviation 20: they contradict each other, but no cell is near 0."""
    rng = np.random.default_rng(seed + 100)
    return [200 + table / 5 + rng.normal(scale=20, size=table.shape) for table in tables_of(seed, links)]


def our_fit(seed, *links):
    """The joint table of the model nearest to noisy pairs."""
    tables = zip(links, noisy_tables(seed, links), strict=True)
    bought = [Measurement(tuple(pair), table, 20.0) for pair, table in tables]
    width = 1 + max(max(pair) for pair in links)
    return fit_model(bought, (2,) * width, rounds=5_000, total=1000).marginal(range(width))


def our_tuned(scale, shape, mean, delta):
    """Epsilon of the best of a random number of Gaussian releases with this mean."""
    gamma = brentq(lambda one: mean_tries(shape, one) - mean, 1e-9, 1 - 1e-9, xtol=1e-15)
    tuned = tuned_divergences(ORDERS, accounting.renyi_gaussian(1, scale, ORDERS), shape, gamma)
    return accounting.renyi_epsilon(ORDERS, tuned, delta).epsilon


# The peers' side, each in its own words.


def google_tuned(scale, shape, mean, delta):
    from dp_accounting.dp_event import GaussianDpEvent, RepeatAndSelectDpEvent
    from dp_accounting.rdp import RdpAccountant

    accountant = RdpAccountant(orders=ORDERS)
    return accountant.compose(RepeatAndSelectDpEvent(GaussianDpEvent(scale), mean, shape)).get_epsilon(delta)


def google_epsilon(scale, delta):
    from dp_accounting import get_epsilon_gaussian

    return get_epsilon_gaussian(scale, delta)


def google_scale(epsilon, delta):
    from dp_accounting import get_sigma_gaussian

    return get_sigma_gaussian(epsilon, delta)


def google_sampled(q, scale, times, delta, step):
    from dp_accounting.pld.privacy_loss_distribution import from_gaussian_mechanism

    one = from_gaussian_mechanism(scale, value_discretization_interval=step, sampling_prob=q)
    return one.self_compose(times).get_epsilon_for_delta(delta)


def google_laplace(scale, times, delta, step):
    from dp_accounting.pld.privacy_loss_distribution import from_laplace_mechanism

    one = from_laplace_mechanism(scale, value_discretization_interval=step)
    return one.self_compose(times).get_epsilon_for_delta(delta)


def google_answers(epsilon, times, delta):
    from dp_accounting.pld.privacy_loss_distribution import from_randomized_response

    noise = 2 / (1 + math.exp(epsilon))  # the chance that an answer is drawn at random
    ends = [from_randomized_response(noise, 2, upper, value_discretization_interval=1e-5) for upper in (False, True)]
    return [end.self_compose(times).get_epsilon_for_delta(delta) for end in ends]


def google_moments(q, scale, *orders):
    from dp_accounting.rdp import rdp_privacy_accountant

    return rdp_privacy_accountant._compute_rdp_poisson_subsampled_gaussian(q, scale, orders).tolist()


def google_conversion(scale, delta):
    from dp_accounting.rdp import rdp_privacy_accountant

    return rdp_privacy_accountant.compute_epsilon(ORDERS, ORDERS / (2 * scale**2), delta)[0]


def google_discrete_delta(scale, epsilon):
    from dp_accounting.pld.privacy_loss_mechanism import DiscreteGaussianPrivacyLoss

    return DiscreteGaussianPrivacyLoss(scale).get_delta_for_epsilon(epsilon)


def microsoft_sampled(q, scale, times, delta, step):
    from prv_accountant import PoissonSubsampledGaussianMechanism, PRVAccountant

    one = PoissonSubsampledGaussianMechanism(sampling_probability=q, noise_multiplier=scale)
    accountant = PRVAccountant(prvs=[one], max_self_compositions=[times], eps_error=0.01, delta_error=delta / 1000)
    low, _, high = accountant.compute_epsilon(delta, [times])
    return [float(low), float(high)]


def opendp_prelude():
    import opendp.prelude as dp

    dp.enable_features("contrib", "honest-but-curious")
    return dp


def opendp_number(dp):
    return dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)


def opendp_laplace(scale):
    dp = opendp_prelude()
    return dp.m.make_laplace(*opendp_number(dp), scale=scale).map(1.0)


def opendp_geometric(scale):
    dp = opendp_prelude()
    return dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=scale).map(1)


def opendp_gaussian(scale):
    dp = opendp_prelude()
    return dp.m.make_gaussian(*opendp_number(dp), scale=scale).map(1.0)


def opendp_zcdp_epsilon(scale, delta):
    dp = opendp_prelude()
    return dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(*opendp_number(dp), scale=scale)).map(1.0).epsilon(delta)


def opendp_response(categories, epsilon):
    """The chance of the true answer for which its map says this epsilon: found by search."""
    dp = opendp_prelude()

    def above(chance):
        return dp.m.make_randomized_response(list(range(categories)), chance).map(1) > epsilon

    low, high = 1 / categories + 1e-9, 1 - 1e-12
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if above(middle) else (middle, high)
    return low


def opendp_amplified(sampling, epsilon):
    dp = opendp_prelude()
    people = dp.vector_domain(dp.atom_domain(T=int), size=10), dp.symmetric_distance()
    count = people >> dp.t.then_count() >> dp.m.then_laplace(1 / epsilon)
    return dp.c.make_population_amplification(count, round(10 / sampling)).map(1)


def diffprivlib_normal(name, epsilon, delta):
    from diffprivlib import mechanisms

    return float(getattr(mechanisms, name)(epsilon=epsilon, delta=delta, sensitivity=1)._scale)


def diffprivlib_selection(epsilon, monotonic, *quality):
    from diffprivlib import mechanisms

    one = mechanisms.Exponential(epsilon=epsilon, sensitivity=1, utility=list(quality), monotonic=monotonic)
    return np.diff(one._probabilities, prepend=0.0).tolist()  # it holds them summed up


def mbi_joint(seed, *links):
    return mbi_model(links, tables_of(seed, links))


def mbi_fit(seed, *links):
    return mbi_model(links, noisy_tables(seed, links))


def mbi_model(links, tables):
    import jax

    jax.config.update("jax_enable_x64", True)
    import mbi

    names = [str(one) for one in range(1 + max(max(pair) for pair in links))]
    domain = mbi.Domain(names, [2] * len(names))
    pairs = [tuple(names[one] for one in pair) for pair in links]
    measured = [mbi.LinearMeasurement(np.ravel(table), pair) for table, pair in zip(tables, pairs, strict=True)]
    model = mbi.estimation.MirrorDescent().estimate(domain, measured, known_total=1000.0, iters=20_000)
    return np.ravel(model.project(tuple(names)).values).tolist()


ORDERS = 1 + np.geomspace(0.05, 500, 400)
STEP = 1e-3
SAMPLED = [
    [0.01, 1.0, 100, 1e-5, STEP], [0.01, 1.0, 1000, 1e-5, STEP], [0.1, 2.0, 100, 1e-6, STEP],
    [0.05, 0.7, 50, 1e-6, STEP], [0.001, 0.6, 2000, 1e-5, STEP], [0.2, 4.0, 300, 1e-7, STEP],
    [0.5, 3.0, 20, 1e-5, STEP], [0.02, 1.5, 500, 1e-8, STEP], [1, 5.0, 10, 1e-5, STEP], [1, 30.0, 100, 1e-5, STEP],
]  # fmt: skip
WIDE = [[scale, delta] for scale in (0.5, 1.0, 4.0, 20.0) for delta in (1e-3, 1e-10)]
PROMISES = [[epsilon, delta] for epsilon in (0.1, 1.0, 5.0) for delta in (1e-5, 1e-9)]
CHECKS = [
    Check("dp-accounting", "epsilon of Gaussian noise", WIDE, lambda *s: gaussian_epsilon(1, *s),
          google_epsilon, ROUNDED, "two searches for one root"),
    Check("dp-accounting", "scale of Gaussian noise", PROMISES, lambda *s: gaussian_scale(1, *s),
          google_scale, ROUNDED, "two searches for one root"),
    Check("dp-accounting", "epsilon of sampled Gaussian sums, composed", SAMPLED, our_sampled, google_sampled, BOUND,
          "upper bounds on one grid of 0.001"),
    Check("dp-accounting", "epsilon of Laplace releases, composed",
          [[1.0, 10, 1e-6, STEP], [2.0, 30, 1e-6, STEP], [5.0, 100, 1e-8, STEP], [10.0, 200, 1e-5, STEP]],
          our_laplace, google_laplace, BOUND, "upper bounds on one grid of 0.001"),
    Check("dp-accounting", "epsilon of randomized responses, composed",
          [[0.1, 100, 1e-5], [0.5, 10, 1e-6], [0.05, 400, 1e-6], [1.0, 5, 1e-3]],
          optimal, google_answers, ROUNDED, "it gives two ends, and ours lies between or on one", interval=True),
    Check("dp-accounting", "Renyi divergences of a sampled Gaussian sum",
          [[0.01, 1.0, 2, 8, 32], [0.1, 2.0, 2, 8, 32], [0.5, 1.0, 2, 3, 5], [0.001, 0.7, 2, 4, 16]],
          our_moments, google_moments, ROUNDED, "two sums of one series"),
    Check("dp-accounting", "epsilon from Renyi divergences", [[s, d] for s in (1.0, 5.0) for d in (1e-5, 1e-9)],
          our_conversion, google_conversion, ROUNDED, "one formula"),
    Check("dp-accounting", "epsilon of the best of a random number of Gaussian releases",
          [[4.22, 1.0, 10.0, 1e-6], [4.22, 0.5, 10.0, 1e-6], [4.22, 0.0, 100.0, 1e-6], [1.0, 2.0, 30.0, 1e-5]],
          our_tuned, google_tuned, ROUNDED, "one formula over the same orders"),
    Check("dp-accounting", "delta of discrete Gaussian noise",
          [[0.7, 1.0], [1.0, 1.0], [2.0, 0.5], [4.23, 1.0], [10.0, 0.2]], discrete_gaussian_delta,
          google_discrete_delta, ROUNDED, "two sums of one series"),
    Check("prv-accountant", "epsilon of sampled Gaussian sums, composed", [s for s in SAMPLED if s[0] < 1],
          our_sampled, microsoft_sampled, 0.0, "it gives an interval, and ours lies in it", interval=True),
    Check("opendp", "epsilon of Laplace noise", [[s] for s in (0.3, 1.0, 7.0)], our_laplace_loss, opendp_laplace,
          ROUNDED, "its map rounds up"),
    Check("opendp", "epsilon of geometric noise", [[s] for s in (0.3, 1.0, 7.0)], our_geometric_loss,
          opendp_geometric, ROUNDED, "its map rounds up"),
    Check("opendp", "rho of Gaussian noise", [[s] for s in (0.5, 2.0, 30.0)], lambda scale: zcdp_gaussian(1, scale),
          opendp_gaussian, ROUNDED, "its map rounds up"),
    Check("opendp", "epsilon from rho", [[s, d] for s in (0.5, 2.0, 30.0) for d in (1e-5, 1e-9)],
          lambda scale, delta: zcdp_epsilon(zcdp_gaussian(1, scale), delta), opendp_zcdp_epsilon, 1e-6,
          "two searches for the best order"),
    Check("opendp", "chance of the true answer, k categories", [[2, 1.0], [3, 0.5], [10, 3.0]], our_response,
          opendp_response, ROUNDED, "a search in its map"),
    Check("opendp", "epsilon on a sample", [[q, e] for q in (0.1, 0.01) for e in (0.5, 2.0)],
          lambda *s: accounting.amplified(*s, 0).epsilon, opendp_amplified, ROUNDED, "its map rounds up"),
    Check("diffprivlib", "scale of Gaussian noise", PROMISES, lambda *s: gaussian_scale(1, *s),
          lambda *s: diffprivlib_normal("GaussianAnalytic", *s), 1e-6, "its search ends early"),
    Check("diffprivlib", "scale of discrete Gaussian noise", PROMISES[:4],
          lambda *s: discrete_gaussian_scale(1, *s),
          lambda *s: diffprivlib_normal("GaussianDiscrete", *s), 1e-5, "its search ends early"),
    Check("diffprivlib", "chances of the exponential mechanism",
          [[1.0, False, 0, 1, 2], [0.5, True, 3, 3, 9, 1], [4.0, False, -2, 0, 5]], our_selection,
          diffprivlib_selection, ROUNDED, "one formula"),
    Check("mbi", "the joint table of largest entropy with given pairs",
          [[1, [0, 1], [1, 2]], [2, [0, 1], [1, 2], [0, 2]], [3, [0, 1], [2, 3]], [4, [0, 1], [1, 2], [2, 3]],
           [5, [0, 1], [1, 2], [2, 3], [0, 3]], [6, [0, 3], [1, 3], [2, 3]]],
          our_joint, mbi_joint, 1e-5, "its descent ends after 20,000 steps"),
    Check("mbi", "the model nearest to noisy pairs, Private-PGM",
          [[1, [0, 1], [1, 2]], [2, [0, 1], [1, 2], [0, 2]], [3, [0, 1], [1, 2], [2, 3]],
           [4, [0, 1], [1, 2], [2, 3], [0, 3]]],
          our_fit, mbi_fit, 1e-5, "two descents that end near one table"),
]  # fmt: skip


def difference(check, ours, theirs):
    """The relative difference of two answers to one setting, the largest of several; or how far outside an interval."""
    ours, theirs = np.ravel(ours).astype(float), np.ravel(theirs).astype(float)
    low, high = (theirs[:1], theirs[1:]) if check.interval else (theirs, theirs)
    if not np.isfinite(np.concatenate([ours, low, high])).all() or ours.shape != low.shape:
        return math.inf
    outside = np.maximum(np.maximum(low - ours, ours - high), 0)
    return float(np.max(outside / np.maximum(np.abs(high), 1e-300)))


def compared(checks, answers):
    """A `Found` for each check, given the peers' answers to its settings."""
    found = []
    for check, theirs in zip(checks, answers, strict=True):
        both = zip(check.settings, theirs, strict=True)
        gaps = [difference(check, check.ours(*setting), answer) for setting, answer in both]
        worst = int(np.argmax(gaps))
        found.append(Found(gaps[worst], check.settings[worst]))
    return found


def asked_here(checks):
    """The answers of the peers that are installed here, and their versions."""
    warnings.simplefilter("ignore")
    answers = []
    for check in checks:
        print(f"asking {check.peer}: {check.what}", file=sys.stderr, flush=True)
        answers.append([check.theirs(*setting) for setting in check.settings])
    return {"versions": {peer: importlib.metadata.version(peer) for peer in PEERS}, "answers": answers}


def rows(checks, stored):
    """What is printed and shown of each check, one dict of words each."""
    words = []
    for check, found in zip(checks, compared(checks, stored["answers"]), strict=True):
        far = f"{found.largest:.1e}" if found.largest else "none"
        allowed = f"{check.tolerance:.0e}" if check.tolerance else "none: an interval"
        row = {"peer": check.peer, "quantity": check.what, "settings": len(check.settings)}
        words.append(row | {"difference": far, "allowed": allowed, "because": check.why})
    return words


def main(words=None, checks=CHECKS):
    """Ask the other Python, store its answers and compare; with --here, be that other Python. The exit code."""
    parser = argparse.ArgumentParser(description="Hold the book's numbers against other people's programs.")
    parser.add_argument("python", nargs="?", help="the interpreter of the environment with the peers")
    parser.add_argument("--here", action="store_true", help="be that interpreter")
    chosen = parser.parse_args(words)
    if chosen.here:
        json.dump(asked_here(checks), sys.stdout)
        return 0
    there = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    command = [chosen.python, "-m", "tools.book.peers", "--here"]
    came = subprocess.run(command, env=there, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    stored = {"date": datetime.datetime.now(datetime.UTC).date().isoformat(), **json.loads(came.stdout)}
    stored["rows"] = rows(checks, stored)
    STORED.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    return told(checks, stored)


def told(checks, stored):
    """Print the differences; 1 if one is above what is stated."""
    found = compared(checks, stored["answers"])
    for check, row, one in zip(checks, rows(checks, stored), found, strict=True):
        words = f"{row['peer']}, {row['quantity']}: {row['settings']} settings, largest difference {row['difference']}"
        print(f"{words} (allowed {row['allowed']}: {check.why}) at {one.setting}")
    above = [check.what for check, one in zip(checks, found, strict=True) if one.largest > check.tolerance]
    settings = sum(len(check.settings) for check in checks)
    print(f"\n{settings} settings of {len(checks)} quantities; above what is stated: {', '.join(above) or 'none'}")
    return int(bool(above))


if __name__ == "__main__":
    sys.exit(main())
