# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Answers 13: Marginal tables of many attributes
#
# For each task "On your own" of the page: a hint, then an answer that is computed. Try first.

# %%
import itertools
import math

import numpy as np
from scipy import optimize

from dpbook.data.attributes import affairs_attributes, health_attributes
from dpbook.laplace import laplace_mechanism
from dpbook.marginals import (
    Synopsis,
    answer,
    consistent,
    covering_design,
    cube_root_shares,
    direct_error,
    flat_error,
    flat_table,
    fourier_error,
    fourier_marginals,
    marginal,
    marginals,
    mwem,
    noisy_views,
    priview,
    project,
    table_error,
    table_from,
    view_error,
)

_, people = health_attributes()
records = people[:, :16]
N = len(records)


def mean_error(tables, truth):
    """The mean error distance of some tables."""
    return np.mean([table_error(table, t) for table, t in zip(tables, truth, strict=True)])


# %% [markdown]
# ## 1. Fair's survey
#
# *Hint.* All four exact errors are functions of $d$ and $k$ alone; `view_error` takes any views. Try all their sizes.

# %%
_, women = affairs_attributes()
for k in (2, 3):
    sets = list(itertools.combinations(range(8), k))
    designs = [covering_design(8, size, k) for size in range(k, 8)]
    views = min(designs, key=lambda views: np.mean([view_error(views, some) for some in sets]))
    exact = {
        "flat": flat_error(8, k),
        "direct": direct_error(8, k),
        "waves, cube roots": fourier_error(8, k, shares=cube_root_shares(8, k)),
        f"{len(views)} views of up to {max(map(len, views))} attributes": np.mean(
            [view_error(views, some) for some in sets]
        ),
    }
    best = min(exact, key=exact.get)
    print(f"tables of {k}:", ", ".join(f"{name} {error:,.0f} V_u" for name, error in exact.items()), "-> best:", best)
    truth, runs = marginals(women, sets), []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        full = flat_table(women, 0.1, rng)
        waves = fourier_marginals(women, k, 0.1, rng, shares=cube_root_shares(8, k))
        told = [project(full, range(8), some) for some in sets], [table_from(waves, some) for some in sets]
        runs.append([mean_error(tables, truth) for tables in told])
    print(
        "   measured at epsilon 0.1, medians of 20: flat {:.0f}, waves {:.0f} records".format(*np.median(runs, axis=0))
    )

# %% [markdown]
# The full table has 256 cells: 256 noises in every table, whatever its size. For pairs three views of five and six are
# a fifth better. For triples nothing is better; waves and Direct lose. With sixteen questions the 256 have grown to
# 65,536, while the others grow only like powers of $d$.
#
# ## 2. Fifteen pairs around one question
#
# *Hint.* These pairs need the total, sixteen singles and fifteen pairs of coefficients. In which views would you put
# *hospital*?

# %%
hospital, others = 13, [a for a in range(16) if a != 13]
star = [(hospital, a) for a in others]
print(f"direct, 15 tables: {4 * 15**2:,} V_u; flat: {2**16:,}; waves with equal shares: {(1 + 16 + 15) ** 2:,}")
print(f"the same 15 tables, made to agree: {np.mean([view_error(star, pair) for pair in star]):,.0f} V_u")
uses = [15, 15] + [1] * 30  # how many pairs use the total, hospital, each other single, each pair
print(f"waves with cube roots: {np.cbrt(uses).sum() ** 3 / 4 / 15:,.0f}")
for size in (3, 4, 5, 6, 8):
    views = [(hospital, *others[start : start + size - 1]) for start in range(0, 15, size - 1)]
    print(
        f"{len(views)} views of {size} with hospital in each: {np.mean([view_error(views, p) for p in star]):,.1f} V_u"
    )

# %% [markdown]
# A view may hold *hospital* and several others at once: there are fewer views, and each gets more of $\varepsilon$.
# Views of four are best. All of them hold the number of hospital stays, so agreement helps more than usual. Chosen
# for these readers, they are ten times better than the design for all pairs.
#
# ## 3. Protect persons
#
# *Hint.* Up to five records change together, so a release that is $\varepsilon$-DP for one record is
# $5\varepsilon$-DP for one person.

# %%
triples = [tuple(np.random.default_rng([3, s]).choice(16, 3, replace=False).tolist()) for s in range(10)]
truth = marginals(records, triples)
for epsilon, who in ((1, "a record"), (1 / 5, "a person")):
    errors = {}
    for size in (2, 4, 6, 8):
        views = covering_design(16, size, 2)
        synopses = (priview(records, views, epsilon, np.random.default_rng(s)) for s in range(20))
        errors[size] = np.median([mean_error([answer(one, t) for t in triples], truth) for one in synopses]) / N
    told = ", ".join(f"{size}: {error:.4f}" for size, error in errors.items())
    print(f"epsilon 1 for {who} (epsilon {epsilon} a record): error in N by size of view {told}")

# %% [markdown]
# A fifth is left for a record, so five times the noise. At $\varepsilon = 1$ a record views of six are best for these
# ten triples. With a fifth of it noise counts for more, and views of four are level with them, to within a tenth. Other
# triples move this: for those of the page's figure four is best at both.
#
# ## 4. A better design for pairs of sixteen
#
# *Hint.* Views of one size first: `covering_design(16, size, 2)` for all sizes. Then let two sizes meet: what does a
# single view of one attribute more cost?

# %%
pairs = list(itertools.combinations(range(16), 2))


def mean_pair_error(views):
    return np.mean([view_error(views, pair) for pair in pairs])


for size in (2, 3, 4, 5, 6, 7, 8):
    views = covering_design(16, size, 2)
    smallest = min(map(len, views))
    told = f"size {size}" if smallest == size else f"sizes {smallest} to {size}"
    print(f"{told}: {len(views)} views, {mean_pair_error(views):,.1f} V_u")
affine = covering_design(16, 4, 2)
print(f"20 views of 4 and one more of no attributes, the total: {mean_pair_error([*affine, ()]):,.1f} V_u")

# %% [markdown]
# None of these beats the twenty lines, where each pair is bought exactly once and each single five times. By convexity
# $w$ views of size $\ell$ have at least $w\,2^{\ell-2}\,(1 + 32/\ell + 240/(\ell(\ell-1)))\,V_u$, and the lines attain
# it. With at least `covering_bound(16, size, 2)` views, this excludes all other sizes but 5 and 6. (There a design with
# fewer views than those found could still be better.) A further view raises the price of all the others, even one that
# buys the total alone.
#
# ## 5. MWEM with a total that is paid for
#
# *Hint.* A fraction $s$ buys the total with noise of scale $1/(s\varepsilon)$; the rest, $(1-s)\varepsilon$, goes to
# MWEM.

# %%
ten, ten_pairs = records[:, :10], list(itertools.combinations(range(10), 2))
ten_truth = marginals(ten, ten_pairs)


def with_share(share, seed, epsilon=0.01):
    """MWEM with a bought total; share 0 stands for the exact one, which is not private under add/remove."""
    rng = np.random.default_rng(seed)
    total = max(1.0, laplace_mechanism(N, 1, share * epsilon, rng)) if share else N
    table = mwem(ten, 2, 4, total, (1 - share) * epsilon, rng, passes=4)
    return mean_error([project(table, range(10), pair) for pair in ten_pairs], ten_truth) / N


for share in (0, 0.01, 0.05, 0.1, 0.2, 0.5):
    errors = [with_share(share, seed) for seed in range(20)]
    print(f"share {share}: median error of a pair {np.median(errors):.4f} N" + (" (exact total)" if not share else ""))

# %% [markdown]
# Of these fractions a fifth does best, and a tenth is level with it. With a fifth the total has a standard deviation
# of 707 records. The error is about a tenth larger than with the forbidden exact total. A hundredth is too little
# (14,142 records); a half leaves too little for the tables.
#
# ## 6. Unequal fractions
#
# *Hint.* With the fraction $s_V$ the copy of a wave in view $V$ has variance $2^{|V|} / s_V^2$ (in $V_u$); weights
# are the inverse. The error is then a smooth function of the fractions.


# %%
def error_with_shares(views, shares):
    """The exact mean error of pairs, in V_u, with a share of epsilon for each view."""
    precision = [(set(view), share**2 / 2 ** len(view)) for view, share in zip(views, shares, strict=True)]

    def held(chosen):
        return sum(weight for view, weight in precision if view.issuperset(chosen))

    waves = {c: 1 / held(c) for size in range(3) for c in itertools.combinations(range(16), size)}
    return np.mean([(waves[()] + waves[(a,)] + waves[(b,)] + waves[(a, b)]) / 4 for a, b in pairs])


print(f"equal shares, 20 views of 4: {error_with_shares(affine, np.full(20, 1 / 20)):,.1f} V_u")
for extra in ([], [()], [(0,)]):
    views = [*affine, *extra]

    def of_logs(logs, views=views):
        weights = np.exp(logs - logs.max())
        return error_with_shares(views, weights / weights.sum())

    starts = [np.random.default_rng(seed).normal(0, 0.5, len(views)) for seed in range(3)]
    best = min((optimize.minimize(of_logs, start, method="L-BFGS-B") for start in starts), key=lambda one: one.fun)
    shares = np.exp(best.x) / np.exp(best.x).sum()
    told = f"the lines {shares[:20].min():.4f} to {shares[:20].max():.4f}"
    told += "".join(f", a view of {len(view)} attributes {shares[-1]:.4f}" for view in extra)
    print(f"all fractions free: {told}; error {best.fun:,.1f} V_u")
agreed = consistent(affine, noisy_views(records, affine, 1, np.random.default_rng(1)))
synopsis = Synopsis(affine, agreed)
off = np.mean([table_error(answer(synopsis, pair), marginal(records, pair)) ** 2 for pair in pairs]) / 2
print(
    f"one release with equal shares, mean squared error over all pairs: {off:,.0f} V_u; root {math.sqrt(2 * off) / N:.4f} N"
)

# %% [markdown]
# No: the best fraction for a further view, of none or of one attribute, is practically 0. The twenty lines end with
# equal fractions. (Symmetry alone does not settle this: a view of one attribute treats the lines unequally. And
# single terms of the error are not convex in the fractions.) What a small view could add, twenty views already
# say together.
