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
# # 90 Reference
#
# Look things up here: words, symbols, what other libraries call them, every mechanism in one table, the data. It also
# shows how to bring your own file, and how to check a mechanism that you have written.
#
# <details><summary>About 10 minutes, after 00: what you do, what you need, the data, other pages</summary>
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [31 What a model remembers, and how to test it](31_memory.ipynb)
#
# **You need:** [00 Start here](00_start_here.ipynb).
#
# **Time:** about 10 minutes, if you read it through.
#
# **Real and synthetic:** health insurance, affairs, election and smoking records are of real people. The four
# histograms whose names say *stand-in* are synthetic.
#
# </details>

# %% jupyter={"source_hidden": true}
# What this page imports
import contextlib
import inspect
import pathlib
import tempfile

import numpy as np
from IPython.display import Markdown
from scipy import stats

from dpbook import data
from dpbook.claims import CHAPTERS
from dpbook.laplace import laplace_mechanism
from dpbook.plots import COLOURS, figure, show, steps

# %% [markdown]
# ## Words and symbols
#
# | word | symbol | meaning |
# |---|---|---|
# | record | | one row of the data: what one person gave, or one person in one year |
# | dataset | $D$ | all the records |
# | neighbours | $D, D'$ | two datasets that differ in one record |
# | ... add/remove | | one has a record that the other lacks; the number of records differs by one (also "unbounded") |
# | ... replace | | same number of records, one of them changed (also "bounded") |
# | query | $q(D)$ | a question whose answer is a number, or several; `value` in the code |
# | sensitivity | $\Delta$ | the most that the answer can differ between neighbours, summed over its numbers ($L_1$); for normal noise its length ($L_2$) |
# | mechanism | $M$ | the random procedure that is run on the data |
# | release | $M(D)$ | what the mechanism gave; once it is out, it cannot be taken back |
# | epsilon | $\varepsilon$ | the privacy parameter: it bounds the log of a ratio of probabilities |
# | privacy loss | | the log of that ratio for one event; the guarantee is that none exceeds $\varepsilon$ |
# | delta | $\delta$ | a slack: every event may exceed $e^\varepsilon$ times its twin by $\delta$. *Not* the probability that the loss exceeds $\varepsilon$ ([02](02_composition.ipynb)) |
# | scale | $b$ | the width of the noise: the mean of its absolute value, for Laplace noise |
# | budget | | the epsilon that all releases together may spend on one dataset |
# | public | | known without looking at the records: bounds, bins, the question itself |
# | post-processing | | whatever is computed from a release without the data: free |
# | privacy profile | $\delta(\varepsilon)$ | the smallest $\delta$ for each $\varepsilon$; each value is a *hockey-stick divergence* |
# | hockey-stick divergence | | see *privacy profile* ([24](24_gaussian.ipynb)) |
# | privacy loss distribution | PLD | the distribution of the privacy loss of a drawn output ([25](25_accounting.ipynb)) |
# | dominating pair | | two distributions that no pair of neighbours exceeds ([25](25_accounting.ipynb)) |
# | Rényi DP | RDP | a bound on the moments $D_a$ of the loss; first the *moments accountant* |
# | moments accountant | | see *Rényi DP* ([25](25_accounting.ipynb)) |
# | zero-concentrated DP | zCDP | $D_a \le \rho a$ for all $a$ ([25](25_accounting.ipynb)) |
# | Gaussian DP | GDP | no easier to attack than a normal variable moved by $\mu$ |
# | analytic Gaussian mechanism | $\sigma$ | normal noise of the exact smallest scale ([24](24_gaussian.ipynb)) |
# | amplification by subsampling | $q$ | what hiding who was drawn is worth ([25](25_accounting.ipynb)) |
# | noise multiplier | $\sigma$ | noise in units of the sensitivity; `multiplier` ([26](26_gradients.ipynb)) |
# | clipping norm | $C$ | the longest gradient that counts; `norm` ([26](26_gradients.ipynb)) |
# | report noisy max | | the index of the largest noisy score ([04](04_exponential.ipynb)) |
# | sufficient statistics perturbation | | noise on the sums that a model needs ([19](19_projection.ipynb)) |
# | user-level privacy | | protects all records of a person; *event-level*: one record ([27](27_choosing.ipynb)) |
# | partition selection | | publish only groups whose noisy count is above a threshold ([27](27_choosing.ipynb)) |
# | private selection | | the best of several private tries ([26](26_gradients.ipynb)) |
# | curator | | who holds all records and adds the noise; without one, privacy is *local* ([07](07_local.ipynb)) |
# | exponential mechanism | | draws one of many answers, the better ones more often ([04](04_exponential.ipynb)) |
# | randomized response | | the true answer with odds $e^\varepsilon$, else another ([07](07_local.ipynb)) |
# | sparse vector technique | SVT | says which answers are above a threshold, and pays for these only ([14](14_svt.ipynb)) |
# | constrained inference | | noisy counts made to agree, by least squares ([08](08_histograms.ipynb)) |
# | marginal table | | counts of all combinations of a few attributes ([13](13_marginals.ipynb)) |
# | total variation | | the most that two distributions differ on any event |
# | canary | | a record put in to test a mechanism ([26](26_gradients.ipynb)) |
# | oracle | | chooses by the true data, for comparison; no release may |
# | stand-in | | synthetic data in place of data that the book may not show |
#
# ## The same things in other libraries
#
# Names of dp-accounting 0.6, OpenDP 0.16, diffprivlib 0.6.6 and Opacus. A dash: we found none.
#
# | here | the field | dp-accounting | OpenDP | diffprivlib | Opacus |
# |---|---|---|---|---|---|
# | add/remove | unbounded | `ADD_OR_REMOVE_ONE` | `symmetric_distance` | – | – |
# | replace | bounded | `REPLACE_ONE` | `change_one_distance` | – | – |
# | `laplace_mechanism` | Laplace mechanism | `LaplaceDpEvent` | `make_laplace` | `Laplace` | – |
# | `geometric_mechanism` | discrete Laplace | `DiscreteLaplaceDpEvent` | `make_geometric` | `Geometric` | – |
# | `gaussian_mechanism` | analytic Gaussian | `get_sigma_gaussian` | `make_gaussian` | `GaussianAnalytic` | – |
# | `discrete_gaussian_mechanism` | discrete Gaussian | `from_discrete_gaussian_mechanism` | `make_gaussian` | `GaussianDiscrete` | – |
# | `exponential_mechanism` | exponential mechanism, noisy max | – | `make_noisy_max` | `Exponential` | – |
# | `randomized_response` | randomized response | `RandomizedResponseDpEvent` | `make_randomized_response_bool` | `Binary` | – |
# | `hierarchical_histogram` | b-ary tree | – | `make_b_ary_tree` | – | – |
# | `private_quantile` | private quantile | – | `make_private_quantile` | `quantile` | – |
# | `objective_perturbation` | objective perturbation | – | – | `Vector` | – |
# | `alp_projection` | ALP | – | `make_alp_queryable` | – | – |
# | `threshold_release` | partition selection | – | `make_laplace_threshold` | – | – |
# | `multiplier` | noise multiplier | `noise_multiplier` | – | – | `noise_multiplier` |
# | `norm` | clipping norm | – | – | – | `max_grad_norm` |
# | `poisson_sample` | Poisson sampling | `PoissonSampledDpEvent` | – | – | `poisson_sampling` |
# | `training_multiplier` | calibration | `calibrate_dp_mechanism` | – | – | `get_noise_multiplier` |
# | `LossDistribution` | PLD, PRV | `PrivacyLossDistribution` | – | – | `PRVAccountant` |
# | split | connect the dots | `use_connect_dots` | – | – | – |
# | `renyi_epsilon` | RDP | `RdpAccountant` | `renyi_divergence` | – | `RDPAccountant` |
# | `zcdp_epsilon` | zCDP | `ZCDpEvent` | `zero_concentrated_divergence` | – | – |
# | profile | hockey-stick divergence | `get_delta_for_epsilon` | `smoothed_max_divergence` | – | – |
# | `Budget` | accountant, filter | `PrivacyAccountant` | `make_privacy_filter` | `BudgetAccountant` | – |
# | `advanced` | advanced composition | `advanced_composition` | – | `slack` | – |
# | – | private selection | `RepeatAndSelectDpEvent` | `make_select_private_candidate` | – | – |
#
# ## One histogram, three sensitivities
#
# A guarantee without its neighbours says nothing. A histogram has three different sensitivities:

# %%
voters = data.election()
income = voters["income"].values
before = np.bincount(income, minlength=25)[1:]
after = np.bincount(np.delete(income, 100), minlength=25)[1:]
replaced = income.copy()
replaced[100] = 1 if income[100] != 1 else 2
changed = np.bincount(replaced, minlength=25)[1:]
print(f"add or remove a record: the counts move by {np.abs(before - after).sum()}")
print(f"replace a record:       the counts move by {np.abs(before - changed).sum()}")

# %%
YEARS = 5  # public: nobody was enrolled in the study for longer
visits = data.health_insurance()["mdvis"].values
person = data.health_insurance_person()
someone = person[0]
moved = np.bincount(visits) - np.bincount(
    visits[person != someone], minlength=visits.max() + 1
)
print(f"{visits.size:,} records of {np.unique(person).size:,} people, each of one year")
print(
    f"without all records of person {someone} the counts move by {np.abs(moved).sum()}; of "
    f"anybody, by {YEARS} at most"
)
assert np.bincount(person).max() <= YEARS

# %% [markdown]
# In the health insurance data a record is one person *in one year*. Noise for one record does not hide a person who
# took part for years. That takes a sensitivity as large as the number of records that *anybody may* have: five, the
# length of the study, which is public. The largest number that somebody *has* would be read off the data.
#
# ## The mechanisms you will use most
#
# What does each release, and when should you take another one? $q$ is the answer, $\Delta$ its sensitivity, $n$ the
# number of records, $m$ of bins. The table after this one says what testing each guarantee found.
#
# <details><summary>Twenty-four mechanisms: what they release, and what they are not for.</summary>
#
# | mechanism | releases | not for |
# |---|---|---|
# | `laplace_mechanism` | $q + \mathrm{Lap}(\Delta/\varepsilon)$ for each number, $\Delta$ in $L_1$ | many numbers that each record moves: Gaussian noise grows with $\sqrt k$ only |
# | `geometric_mechanism` | $q + Z$, $\Pr[Z=z] \propto e^{-\varepsilon|z|/\Delta}$ | answers that are no whole numbers |
# | `gaussian_mechanism` | $q + \mathcal N(0, \sigma^2)$, $\sigma$ from $(\varepsilon, \delta)$ and $\Delta$ in $L_2$ | a guarantee with $\delta = 0$; one number |
# | `exponential_mechanism` | $r$ with probability $\propto e^{\varepsilon u(r) / 2\Delta_u}$ | a number that noise would do for; candidates too many to list |
# | `private_median` | a place of the domain, probability by its rank's distance from $n/2$ | domains far wider than the data |
# | `clipped_average` | noisy sum of clipped values over the public $n$ | bounds that were read off the records |
# | `randomized_response` | each bit true with $e^\varepsilon/(1+e^\varepsilon)$ | a curator who can be trusted: the error is $\sqrt{n/2}$ times larger |
# | `unary_encoding` | one randomised bit for each possible value | long domains and few people |
# | `flat_histogram` | each count $+ \mathrm{Lap}(1/\varepsilon)$ | long ranges: their error grows with their length |
# | `hierarchical_histogram` | the levels of a tree, noisy, made to agree | single bins; fewer than about 45 of them |
# | `adaptive_grid` | a coarse grid, cut finer where it is full | more than two or three dimensions |
# | `dawa` | buckets of similar bins, found privately, then noisy | data without flat stretches |
# | `dplloyd` | rounds of noisy sums and counts | many rounds on a small budget |
# | `objective_perturbation` | the minimum of a loss with a random linear term | a minimum that is not reached exactly |
# | `privpfc` | one grid of the attributes, chosen privately, noisy | classes that need a deep tree |
# | `priview` | noisy tables of a few attributes each, made to agree | one table that is known beforehand |
# | `mwem` | a model corrected where it is most wrong, round by round | a budget too small for its rounds |
# | `sparse_vector` | above or below, for a stream; pays for the first $c$ above | questions that are all known beforehand: choose by the exponential mechanism |
# | `propose_test_release` | the answer with noise if it is stable, or nothing | data near which the answer jumps |
# | `sample_and_aggregate` | noisy middle of the answers of disjoint blocks | small data: each block must suffice |
# | `compressive_mechanism` | noise on random samples, sparse reconstruction | data that are not sparse: a plain histogram wins if $S k \ge n$ |
# | `binary_counter` | running sums from noisy blocks of powers of two | fewer than about a thousand items; a single total at the end |
# | `alp_projection` | a sketch of noisy bits for a sparse vector | dense vectors |
# | `dp_sgd` | clipped gradients of random batches, with Gaussian noise | a convex problem that perturbation solves at once |
#
# </details>
#
# ## Every mechanism of the book
#
# The next cell makes this table from the claims of the book. *What it is* begins its docstring. *Neighbours* is the
# relation under which it was put to the test. *Verdict* is the book's: within its guarantee, or
# **BROKEN** where a claim is false, be it a source's or a mistake that is easily made. `make audit` says for which call.

# %%
pages = {path.name[:2]: path.stem for path in pathlib.Path().glob("[0-9]*.ipynb")}
table = {}
for module in CHAPTERS:
    for claim in module.claims():
        table.setdefault((claim.mechanism, module.CHAPTER), []).append(claim)

lines = [
    "| mechanism | what it is | neighbours | delta | verdict | page |",
    "|---|---|---|---|---|---|",
]
for (mechanism, chapter), claims in table.items():
    what = inspect.getdoc(mechanism).splitlines()[0].replace("|", "\\|")
    what = what if what.endswith(".") else what[: what.rfind(". ") + 1] or what
    relations = ", ".join(sorted({claim.relation for claim in claims}))
    stated = [claim.stated for claim in claims]
    verdicts = ", ".join(
        f"{'**BROKEN**' if verdict == 'BROKEN' else verdict}"
        + (
            f" ({stated.count(verdict)} of {len(stated)} calls)"
            if len(set(stated)) > 1
            else ""
        )
        for verdict in sorted(set(stated))
    )
    slack = "0" if all(claim.delta == 0 for claim in claims) else "$\\delta$"
    link = f"[{chapter}]({pages[chapter]}.ipynb)"
    lines.append(
        f"| `{mechanism.__name__}` | {what} | {relations} | {slack} | {verdicts} | {link} |"
    )
print(
    f"{len({mechanism for mechanism, _ in table})} mechanisms, "
    f"{sum(map(len, table.values()))} claims"
)
Markdown("\n".join(lines))

# %% [markdown]
# ## The data
#
# `dpbook.data` holds arrays that say what they are. First the tables: real records, one function each.

# %%
TABLES = [data.health_insurance, data.affairs, data.election, data.smoking]
lines = ["| function | what it holds | source | licence |", "|---|---|---|---|"]
for table in TABLES:
    first = next(iter(table().values()))
    held = table.__doc__.splitlines()[0]
    lines.append(f"| `data.{table.__name__}()` | {held} | {first.source} | {first.licence} |")
Markdown("\n".join(lines))


# %%
def listing(datasets):
    """A table of name, unit, public bounds and meaning of some columns."""
    lines = ["| column | unit | bounds | meaning |", "|---|---|---|---|"]
    for column in datasets:
        (low, high), meaning = column.bounds, column.meaning.replace("$", "USD ")
        lines.append(
            f"| `{column.name}` | {column.unit} | {low:g} to {high:.4g} | {meaning} |"
        )
    return Markdown("\n".join(lines))


listing(data.health_insurance().values())

# %%
listing(data.affairs().values())

# %%
listing(data.election().values())

# %%
for city, people in data.smoking().items():
    (sick_smokers, well_smokers), (sick_others, well_others) = people.values
    odds_ratio = sick_smokers * well_others / (well_smokers * sick_others)
    print(
        f"{city:10} {people.values.sum():5,} people, odds ratio of lung cancer "
        f"{odds_ratio:.2f}"
    )

# %% [markdown]
# The bounds come from the codebooks or from common knowledge. They must not be read off the records: the largest
# value in the data belongs to somebody.

# %%
for column in (data.health_insurance()["mdvis"], data.affairs()["affairs"], voters["age"]):
    low, high = column.bounds
    largest = column.values.max()
    print(
        f"{column.name}: public bounds {low:g} to {high:g} {column.unit}; the records end at "
        f"{largest:g}"
    )
    assert low <= column.values.min() and largest <= high

# %% [markdown]
# The original network data of Li, Zhang, Winslett and Yang (2011, section 7) are in no package. Four synthetic
# histograms stand in for them. Three have the number of bins, the total and the Euclidean length of the originals. Of
# the TCP trace only the number of bins is matched. Their shapes are invented. No number computed from them is a result
# about the originals.

# %%
STAND_INS = [data.social_network(), data.search_logs(), data.net_trace(), data.tcp_trace()]
for histogram in STAND_INS:
    counts = histogram.values
    print(f"{histogram.name}: {counts.size:,} bins, {histogram.meaning}")
    print(
        f"    total {counts.sum():,}, largest {counts.max():,}, {np.mean(counts == 0):.0%} of "
        "the bins are zero"
    )
assert all(histogram.synthetic for histogram in STAND_INS)
print("source:", *STAND_INS[0].source.split("; "), sep="\n    ")

# %% jupyter={"source_hidden": true}
# Figure: the four synthetic histograms
fig, axes = figure(columns=2, rows=2, height=4.6)
for ax, histogram in zip(axes.flat, STAND_INS, strict=True):
    steps(ax, histogram.values, colour=COLOURS.noisy)
    ax.set(title=histogram.name, xlabel="bin", ylabel=histogram.unit)
    ax.set_xticks([0, len(histogram)], ["0", f"{len(histogram):,}"])
show(
    fig,
    "Four synthetic histograms: a curve with a steep end, quiet and then bursts, "
    "a spike at the left end over zeros, and thirty even waves with the noise of counts.",
)

# %% [markdown]
# The arrays are read-only, so that no cell changes by mistake what another cell uses. Take a copy if you want to edit.

# %%
try:
    income[0] = 24
except ValueError as error:
    print(f"ValueError: {error}")
mine = income.copy()
mine[0] = 24

# %% [markdown]
# ## Your own file
#
# `data.read_counts(path)` reads one count a line, `data.read_column(path, column)` one column of a CSV file with names
# in its first line. (Maps: [09](09_partitions.ipynb); categories: [13](13_marginals.ipynb).) Put the file beside the notebooks and give its name. What they return can
# take the place of the arrays in any chapter; only you can say what is publicly known of its bounds.

# %%
with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
    pathlib.Path("my_counts.txt").write_text("12\n0\n7\n", encoding="utf-8")
    pathlib.Path("my_table.csv").write_text("age,visits\n34,2\n51,0\n", encoding="utf-8")
    print(data.read_counts("my_counts.txt"), data.read_column("my_table.csv", "age"))

# %% [markdown]
# Nothing is dropped or repaired for you. What cannot be used is refused, with the place where it stands:

# %%
with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
    for text in ("12\n-3\n", "12\nseven\n", "12\n\nnan\n", ""):
        pathlib.Path("my_counts.txt").write_text(text, encoding="utf-8")
        try:
            data.read_counts("my_counts.txt")
        except ValueError as error:
            print(error)
    pathlib.Path("my_table.csv").write_text("age,visits\n34,2\n", encoding="utf-8")
    try:
        data.read_column("my_table.csv", "income")
    except ValueError as error:
        print(error)

# %% [markdown]
# ## How to check your work
#
# When you write a mechanism, test three things. At a huge $\varepsilon$ it gives the truth; its noise has the
# distribution that the proof asks for; wrong arguments are refused. Here somebody has multiplied where they should have divided:


# %%
def my_mechanism(value, sensitivity, epsilon, rng):
    return value + rng.laplace(scale=sensitivity * epsilon, size=np.shape(value))


def p_value(mechanism, epsilon):
    """Of the hypothesis that the noise is Laplace with scale 1 / epsilon."""
    noise = mechanism(np.zeros(20_000), 1, epsilon, np.random.default_rng(1))
    return stats.kstest(noise, stats.laplace(scale=1 / epsilon).cdf).pvalue


for epsilon in (1, 0.5):
    right, wrong = (
        p_value(laplace_mechanism, epsilon),
        p_value(my_mechanism, epsilon),
    )
    print(
        f"epsilon {epsilon}: laplace_mechanism p = {right:.2f}, my_mechanism p = {wrong:.2f}"
    )

# %% [markdown]
# At $\varepsilon = 1$ the mistake cannot be seen: test at more than one setting. And remember what a test can do.
# It can show that a mechanism is *not* private; that it *is* private takes a proof. The chapters therefore compute
# the exact privacy loss wherever they can, and the tests in `tests/` do so for every mechanism of the book. Run
# them all with `make test`.
#
# ## Where things are
#
# `notebooks/` has the pages, `dpbook/` the mechanisms, `exercises/` the assignments and the answers to the tasks, `tests/`
# what could have refuted them. One stem, one name: chapter 14 is `notebooks/14_svt`, its mechanisms are `dpbook/svt/`,
# its assignment is `exercises/releases/14_svt`, its tests are `tests/test_svt.py`.
#
# [Map](00_start_here.ipynb#Map-of-the-book) · **Previous:** [31 What a model remembers, and how to test it](31_memory.ipynb)
