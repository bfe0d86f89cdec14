# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     name: python3
# ---

# %% [markdown]
# # Answers to 14 The sparse vector technique
#
# A hint and a computed answer for each task "On your own" of the page. Try first; there is more than one good answer.

# %%
import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.optimize import minimize

from dpbook import data, svt
from dpbook.laplace import laplace_mechanism
from dpbook.svt import ALG12, ALG14, ALG15, alg18
from dpbook.verdict import verdict

survey = data.affairs()
CODES = {
    "rate_marriage": [1, 2, 3, 4, 5],
    "age": [17.5, 22, 27, 32, 37, 42],
    "yrs_married": [0.5, 2.5, 6, 9, 13, 16.5, 23],
    "children": [0, 1, 2, 3, 4, 5.5],
    "religious": [1, 2, 3, 4],
    "educ": [9, 12, 14, 16, 17, 20],
    "occupation": [1, 2, 3, 4, 5, 6],
    "occupation_husb": [1, 2, 3, 4, 5, 6],
}
placed = {name: np.searchsorted(codes, survey[name].values) for name, codes in CODES.items()}


def crossed(size):
    """How many women ticked each combination of `size` codes of different questions."""
    counts = []
    for names in combinations(CODES, size):
        shape = [len(CODES[name]) for name in names]
        cells = np.ravel_multi_index([placed[name] for name in names], shape)
        counts.append(np.bincount(cells, minlength=math.prod(shape)))
    return np.concatenate(counts).astype(float)


pairs = crossed(2)
print(f"{pairs.size} pairs, {np.sum(pairs > 700)} answers above 700")

# %% [markdown]
# ## 1. One positive
#
# *Hint.* One run is luck: repeat it. If $m$ queries divide $\varepsilon$ evenly, each gets $\varepsilon/m$, and the
# noise of an answer has the scale $m/\varepsilon$. (The order of the queries is drawn anew for each run here. The
# last line takes the page's `asked`.)

# %%
lengths, hits = [], []
for seed in range(400):
    rng = np.random.default_rng(seed)
    asked = rng.permutation(pairs)
    said = svt.sparse_vector(asked, 1_500, 1, 1, 1.0, rng, variant=ALG12)
    lengths.append(said.size)
    hits.append(said[-1] and asked[said.size - 1] >= 1_500)
low, middle, high = np.quantile(lengths, [0.25, 0.5, 0.75])
scales = ALG12.scales(1, 1, 1.0)
noise = math.sqrt(2 * scales.threshold**2 + 2 * scales.query**2)
print(f"{np.sum(pairs >= 1_500)} of {pairs.size} answers are at or above 1,500")
print(f"queries answered: median {middle:.0f}, quartiles {low:.0f} and {high:.0f};", end=" ")
print(f"the positive was right in {np.mean(hits):.0%} of 400 runs")
print(f"equal parts of {middle:.0f} queries: {1 / middle:.5f} each,", end=" ")
print(f"deviation {math.sqrt(2) * middle:.0f} women; in the comparison of SVT {noise:.1f}")
question = np.repeat(np.arange(8), [len(codes) for codes in CODES.values()])
ticked = np.vstack([placed[name] == np.arange(len(codes))[:, None] for name, codes in CODES.items()]) * 1.0
one, two = np.triu_indices(question.size, 1)
page = (ticked @ ticked.T)[one, two][question[one] != question[two]]
asked = page[np.random.default_rng(0).permutation(page.size)]
rngs = map(np.random.default_rng, range(400))
answered = [svt.sparse_vector(asked, 1_500, 1, 1, 1.0, rng, variant=ALG12).size for rng in rngs]
print(f"in the page's order: {min(answered)} to {max(answered)} queries in 400 runs")

# %% [markdown]
# *Answer.* 388 on the page, all for the price of one positive. How many depends on the place of the one large answer in
# the order. With equal parts each query would get so little that its noise drowns most of the counts. And as nobody
# knows beforehand how long the run will be, one would have to divide by the number of all pairs.
#
# ## 2. Algorithm 14 in the meter
#
# *Hint.* The meter knows few numbers of queries, so compute between them. Its pair with $q$ queries has $q - 1$
# negatives and one released number: $m = q - 1$ in the formula.

# %%
for q in (10, 40, 41, 42, 43, 44, 100):
    pair = svt.counterexample(ALG14, 20, q)
    loss = svt.privacy_loss(*pair, 0, 1, 20, 0.5, ALG14)
    formula = (q - 1 - 1) * 0.5 / (2 * 20)
    print(f"{q:>3} queries: exact loss {loss:.4f}, formula {formula:.4f}: {verdict(loss, 0.5, certain=True)}")
    assert math.isclose(loss, formula)

# %% [markdown]
# *Answer.* The loss reaches $\varepsilon$ when $m - 1 = 2c$, for every $\varepsilon$: at 42 queries. The 43rd breaks
# the guarantee. In the meter it shows between 40 and 100. A larger $c$ only needs more queries.
#
# ## 3. Stopping after 50 negatives in succession
#
# *Hint.* What does the rule look at? Cut the run of Algorithm 12 where the rule says, and write the probability of
# what is left as an integral.

# %%
rng, worst = np.random.default_rng(3), 0.0
outputs = {
    "50 below": [False] * 50,
    "above, 50 below": [True] + [False] * 50,
    "30 below, above, 50 below": [False] * 30 + [True] + [False] * 50,
}
for name, output in outputs.items():
    said = np.array(output)
    losses = [svt.privacy_loss(output, said * 1, 1 - said, 0, 1, 2, 1.0, ALG12)]
    for _ in range(60):
        here = rng.normal(0, 5, said.size)
        there = here + rng.choice([-1, 1], said.size)
        losses.append(abs(svt.privacy_loss(output, here, there, 0, 1, 2, 1.0, ALG12)))
    worst = max(worst, *losses)
    print(f"{name}: hardest pair {losses[0]:.4f}, of 60 at random {max(losses[1:]):.4f}")
print(f"largest loss found {worst:.4f} for a claim of 1, c = 2")

# %% [markdown]
# *Answer.* Yes. The rule looks at the *output* only, which is released anyway. Any reader can see the fifty
# negatives, so stopping there is post-processing of a run that goes on. The proof says the same. The probability of
# an output that ends there is the same integral with fewer factors. The line about each *below* holds for any number
# of them. It would be another matter to stop by the true answers, or by the noisy ones.
#
# ## 4. Algorithm 15, mended
#
# *Hint.* The best split is $1 : (2c)^{2/3}$. Solve it for 3, then compare the variances at the whole $c$ on either
# side.

# %%
mended = replace(ALG15, name="15, mended", query_noise=2, query_noise_times_cutoff=True)
print("bounds at epsilon 1:", {c: round(mended.loss_bound(c, 1.0), 6) for c in (1, 2, 5, 20)})
pair = svt.counterexample(mended, 5, 400)
print(f"exact loss at c = 5: {svt.privacy_loss(*pair, 0, 1, 5, 1.0, mended):.6f}")


def variance(row, c, monotonic):
    """Of the noise in a comparison, at epsilon 1."""
    scales = row.scales(1, c, 1.0, monotonic)
    return 2 * scales.threshold**2 + 2 * scales.query**2


for monotonic in (False, True):
    exact = 3**1.5 / (1 if monotonic else 2)
    kind = "monotonic" if monotonic else "general"
    print(f"{kind}: 1 : 3 is the best split at c = {exact:.3f}")
    for c in range(math.floor(exact) - 1, math.ceil(exact) + 2):
        best = alg18(*svt.optimal_split(1.0, c, monotonic))
        excess = variance(mended, c, monotonic) / variance(best, c, monotonic) - 1
        ratio = 1 / best.threshold_share - 1
        print(f"    c = {c}: best 1 : {ratio:.2f}; 1 : 3 has {excess:.3%} more variance")

# %% [markdown]
# *Answer.* Its bound is $\varepsilon$, whatever $c$, and it is reached: it is Algorithm 12 with another split. For
# general queries $c = 3^{3/2}/2$, about 2.6. The nearest whole number is 3, where the split 1 : 3 costs half a per cent
# more variance. For monotonic queries, such as counts, it is twice that: nearest is 5.
#
# ## 5. Triples
#
# *Hint.* Three of eight questions, a code in each. A woman ticks one code in each question, so she is in as many
# triples as there are threes of questions. That is the sensitivity of all triples together.

# %%
triples, touched = crossed(3), math.comb(8, 3)
assert triples.sum() == touched * 6_366
epsilon, cutoffs = 1.0, (10, 30, 50, 60, 70, 90, 120)
ways = ("EM", "SVT, best split", "Laplace on all")
print(f"{triples.size:,} queries, median answer {np.median(triples):.0f};", end=" ")
print(f"a woman touches {touched}")


def selected(way, queries, c, rng):
    """What a way selects; SVT with an oracle's threshold, the true answer at rank c."""
    if way == "EM":
        return svt.exponential_selection(queries, 1, c, epsilon, rng, monotonic=True)
    if way == "Laplace on all":
        return np.argsort(-laplace_mechanism(queries, touched, epsilon, rng))[:c]
    row, threshold = alg18(*svt.optimal_split(epsilon, c, True)), np.sort(queries)[-c]
    options = {"variant": row, "monotonic": True}
    said = svt.sparse_vector(queries, threshold, 1, c, epsilon, rng, **options)
    return np.flatnonzero(said)


table = pd.DataFrame(index=pd.Index(ways), columns=[f"c = {c}" for c in cutoffs], dtype=float)
for c in cutoffs:
    for way in ways:
        errors = []
        for seed in range(20):
            rng = np.random.default_rng(seed)
            queries = rng.permutation(triples)
            chosen = selected(way, queries, c, rng)
            errors.append(svt.score_error_rate(chosen, queries, c))
        table.loc[way, f"c = {c}"] = np.mean(errors)
print(f"score error at epsilon {epsilon}, means of 20 runs")
print(table.round(3).to_string())
equal = touched * math.sqrt(2) * math.sqrt(6) / math.pi
print(f"EM's Gumbel noise, c pi / sqrt 6, and Laplace's, {touched} sqrt 2, are", end=" ")
print(f"equally large at c = {equal:.0f}")

# %% [markdown]
# *Answer.* There are many more queries, and twice as many for each woman, so the border lies twice as far out. The
# noise of Laplace does not grow with $c$. Near the number of triples that a woman touches it passes EM, here between
# $c = 50$ and 60, and SVT already before 50. The last line, where the two noises are equally large, says where
# without any data.
#
# ## 6. Challenge: three queries
#
# *Hint.* Let the neighbour be as hard as it may. The integrand of $D'$ is smallest, at every $z$, if each *below* goes
# up by $\Delta$ and each *above* goes down. So only the answers of $D$ are left to search, for each kind of output.
# Their order does not matter.


# %%
def hardest(output, answers):
    """The exact loss against the hardest neighbour for this output; c = 2, epsilon = 1."""
    there = answers + np.where(output, -1, 1)
    return svt.privacy_loss(output, answers, there, 0, 1, 2, 1.0, ALG12)


for output in ([False] * 3, [False, False, True], [False, True, True], [True, True]):
    start = np.where(output, -1.0, 1.0)
    found = minimize(lambda x, said=output: -hardest(said, x), start, method="Nelder-Mead")
    far = [hardest(output, start * distance) for distance in (0, 10, 40, 100)]
    words = " ".join("above" if above else "below" for above in output)
    print(f"{words:<17} found {-found.fun:.6f}; answers at 0, 10, 40, 100:", np.round(far, 6))
query = ALG12.scales(1, 2, 1.0).query
print(f"scale of the query noise {query:g}: one factor changes by e^{1 / query:g},", end=" ")
print(f"three by e^{3 / query:g}")
for m in (1, 2, 5, 10, 20, 40, 100):
    pair = svt.counterexample(ALG12, 2, m + 2)
    print(f"{m:>3} below, 2 above: {svt.privacy_loss(*pair, 0, 1, 2, 1.0, ALG12):.4f}")

# %% [markdown]
# *Answer.* Every output of three verdicts comes to the same value and no further: three times what one factor can
# change. Leave $z$ where it is. Each of the three factors of the integrand changes by at most
# $e^{\Delta/\text{scale}}$; the scale of the query noise is $2c\Delta/\varepsilon_2$. So with $n$ queries the loss is
# at most $n\,\varepsilon_2/(2c)$, far below $\varepsilon$ for three. It comes near when all answers lie far on the
# wrong side of the threshold, each on the exponential tail of its noise. No finite answers reach it. To come close to
# $\varepsilon$, the *threshold's* half must be used up as well. Only many negatives can force the threshold up: the
# last line.
