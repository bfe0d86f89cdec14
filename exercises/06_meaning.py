# %% [markdown]
# # Assignment 06: What does epsilon promise?
#
# Five tasks, 18 points. You need chapter 06, *What does epsilon promise?*, and of chapter 03 `laplace_mechanism`.
#
# All data here are invented. Yours may differ from those of others.

# %% tags=["setup"]
import numpy as np

from dpbook.check import answers, check, laplace_law, private, repeatable
from dpbook.laplace import laplace_mechanism

VARIANT = 0  # of 6


def mine(size):
    """An order of so many things."""
    return np.random.default_rng(VARIANT).permutation(size)


# %% [markdown]
# ## 1. How far can the odds move? (3 points)
#
# *You learn* which guarantee bounds which belief. About 20 minutes, easy to medium.
#
# Somebody knows all records except those of `members` people, who are all alike. The question may be `"in or out"`:
# either all of them are in the data, with known records, or none is. Or it is `"ill or healthy"`: they are certainly in
# the data, and either all are ill or all are healthy. A release is $\varepsilon$-DP under `relation`, which is
# `"add/remove"` or `"replace"`. Write `odds_move(question, members, relation, epsilon)`: how far a release can move the
# *natural log* of the odds between the two answers. Take the largest move over all such releases. Return -1 if the
# guarantee sets no bound at all.


# %%
def odds_move(question, members, relation, epsilon):
    ### BEGIN SOLUTION
    if relation == "replace":
        # Neighbours have the same number of records: nobody can be added.
        return members * epsilon if question == "ill or healthy" else -1
    return members * epsilon * (2 if question == "ill or healthy" else 1)
    ### END SOLUTION


# %% points=3
# The check
KINDS = [
    (question, members, relation)
    for members in (1, 4)
    for relation in ("add/remove", "replace")
    for question in ("in or out", "ill or healthy")
]
check(
    odds_move,
    answers(
        [(*KINDS[place], 0.5) for place in mine(8)],
        np.array([0.5, 1, -1, 0.5, 2, 4, -1, 2])[mine(8)],
        slips={
            sentence: np.array(moves)[mine(8)]
            for sentence, moves in {
                "under add/remove an ill record and a healthy one are no neighbours: one goes, the other comes": (
                    [0.5, 0.5, -1, 0.5, 2, 2, -1, 2]
                ),
                "under replace an ill record and a healthy one *are* neighbours": [0.5, 1, -1, 1, 2, 4, -1, 4],
                "replace keeps the number of records: it does not guarantee to hide who is in": (
                    [0.5, 1, 0.5, 0.5, 2, 4, 2, 2]
                ),
                "replace keeps the number of records: two replacements do not add one": [0.5, 1, 1, 0.5, 2, 4, 4, 2],
                "members who stand or fall together change together": [0.5, 1, -1, 0.5, 0.5, 1, -1, 0.5],
                "the moves of members add up, in full": [0.5, 1, -1, 0.5, 1, 2, -1, 1],
                "the log of the odds is asked for": (
                    [1.648721271, 2.718281828, -1, 1.648721271, 7.389056099, 54.59815003, -1, 7.389056099]
                ),
                "the odds are asked for, and not how far probabilities are apart": (
                    [0.2449186624, 0.4621171573, -1, 0.2449186624, 0.761594156, 0.9640275801, -1, 0.761594156]
                ),
            }.items()
        },
    ),
)
### BEGIN HIDDEN TESTS
ASKED, MOVES = [], []
for members in (1, 2, int(fresh.integers(3, 100)), int(fresh.integers(1000, 5000))):
    for promise in (0.01, fresh.uniform(0.1, 5), 20.0):
        for relation, moved in (("add/remove", (1, 2)), ("replace", (None, 1))):
            for question, replaced in zip(("in or out", "ill or healthy"), moved, strict=True):
                ASKED.append((question, members, relation, promise))
                MOVES.append(-1 if replaced is None else replaced * members * promise)
check(odds_move, answers(ASKED, MOVES))
### END HIDDEN TESTS


# %% tags=["wrong"]
def odds_move(question, members, relation, epsilon):
    unbounded = relation == "replace" and question == "in or out"
    steps = 2 if relation == "add/remove" and question == "ill or healthy" else 1

    # WRONG neighbours under add/remove | one goes, the other comes
    return -1 if unbounded else members * epsilon

    # WRONG twice for replace, too | *are* neighbours
    return -1 if unbounded else members * epsilon * (2 if question == "ill or healthy" else 1)

    # WRONG replace hides who is in | it does not guarantee to hide who is in
    return steps * members * epsilon

    # WRONG adding by two replacements | two replacements do not add one
    return (2 if unbounded else steps) * members * epsilon

    # WRONG one member only | change together
    return -1 if unbounded else steps * epsilon

    # WRONG the root of the members | the moves of members add up
    return -1 if unbounded else steps * np.sqrt(members) * epsilon

    # WRONG a factor | the log of the odds
    return -1 if unbounded else np.exp(steps * members * epsilon)

    # WRONG a statistical distance | how far probabilities are apart
    return -1 if unbounded else np.tanh(steps * members * epsilon / 2)


# %% [markdown]
# ## 2. A count that protects households (5 points)
#
# *You learn* to give the guarantee to the right unit. About 25 minutes, medium.
#
# People of one household fall ill together, so the guarantee is for households. `ill[i]` is 1 if person $i$ is ill, else 0.
# `household[i]` is the number of that person's household (any whole number; the order of people means nothing).

# %% tags=["setup"]
ill = np.array([1, 1, 1, 1, 1, 1, 0, 0, 1, 0, 0])[mine(11)]
household = np.array([40, 9, 40, 9, -2, 9, 6, 9, -2, 6, 9])[mine(11)] * (1 + VARIANT)

# %% [markdown]
# Write `protected_count(ill, household, most, epsilon, rng)`: the number of ill people, with Laplace noise no larger
# than needed. No more than `most` of them count in each household. The release must be $\varepsilon$-DP when *one
# household*, whatever its size, is added or removed. It is neither rounded nor cut. There may be no people at all.


# %%
def protected_count(ill, household, most, epsilon, rng):
    ### BEGIN SOLUTION
    place = np.unique(household, return_inverse=True)[1]
    counted = np.minimum(np.bincount(place, ill), most).sum()
    return laplace_mechanism(counted, most, epsilon, rng)
    ### END SOLUTION


# %% points=5
# The check
check(
    protected_count,
    laplace_law(
        (ill, household, 2),
        truth=6.0,
        sensitivity=2.0,
        epsilon=0.5,
        centres={
            "three ill people of one household count here: no more than `most` may": 7.0,
            "`most` is for each household, not for all together": 2.0,
            "people are counted, not households": 3.0,
            "the ill are counted, not all people": 8.0,
        },
        sensitivities={
            "that protects one person; the guarantee is to a whole household": 1.0,
            "how many live in the largest household is a secret: `most` is public": 5.0,
            "how many are ill in one household is a secret: `most` is public": 3.0,
            "noise once, on the count, is enough: noise for each of the four households adds up": 2 * 2.1875,
            "this noise is for a household that is *replaced*; twice as much as needed": 4.0,
        },
        samples=5000,
    ),
    repeatable((ill, household, 2, 0.5)),
    private(
        (ill, household, 2, 1.0),
        (ill[household != 9 * (1 + VARIANT)], household[household != 9 * (1 + VARIANT)], 2, 1.0),
        epsilon=1.0,
        samples=3000,
        additive=True,
    ),
)
### BEGIN HIDDEN TESTS
promises = fresh.permutation([0.01, 0.05, 0.4, 1.5, 5.0, 20.0]) * fresh.uniform(0.75, 1.0, 6)
for size, draws, promise in zip(
    (0, 1, 12, 90, 500, 1500), (12_000, 12_000, 8000, 6000, 3000, 1000), promises, strict=True
):
    most = int(fresh.integers(1, 6))
    homes = max(1, size // 4)
    home = fresh.choice(np.arange(-homes, 3 * homes), homes, replace=False)[fresh.integers(0, homes, size)]
    sick = (fresh.random(size) < 0.6).astype(int)
    counted = sum(min(sick[home == one].sum(), most) for one in set(home.tolist()))
    check(protected_count, laplace_law((sick, home, most), float(counted), most, promise, samples=draws))
few, many = np.repeat([3, -8, 5], [2, 1, 3]), np.repeat([3, -8, 5, 77], [2, 1, 3, int(fresh.integers(5, 60))])
calls = [(np.ones(len(home), dtype=int), home, 3, 1.5) for home in (few, many)]
check(protected_count, private(*calls, epsilon=1.5, samples=3000, additive=True))
### END HIDDEN TESTS


# %% tags=["wrong"]
def protected_count(ill, household, most, epsilon, rng):
    place = np.unique(household, return_inverse=True)[1]
    sick = np.bincount(place, ill)
    counted = np.minimum(sick, most).sum()

    # WRONG no noise | NO_NOISE
    return counted

    # WRONG everybody counts | three ill people of one household count here
    return laplace_mechanism(ill.sum(), most, epsilon, rng)

    # WRONG cut as a whole | not for all together
    return laplace_mechanism(min(ill.sum(), most), most, epsilon, rng)

    # WRONG households with an ill person | people are counted, not households
    return laplace_mechanism(len(set(household[ill == 1])), most, epsilon, rng)

    # WRONG a person is protected | that protects one person
    return laplace_mechanism(counted, 1, epsilon, rng)

    # WRONG the largest household | how many live in the largest household
    return laplace_mechanism(counted, np.bincount(place).max(), epsilon, rng)

    # WRONG the most ill of one household | how many are ill in one household
    return laplace_mechanism(counted, sick.max(), epsilon, rng)

    # WRONG a household that is replaced | that is *replaced*
    return laplace_mechanism(counted, 2 * most, epsilon, rng)

    # WRONG healthy people as well | the ill are counted, not all people
    return laplace_mechanism(np.minimum(np.bincount(place), most).sum(), most, epsilon, rng)

    # WRONG noise for each household | noise once, on the count, is enough
    return laplace_mechanism(np.minimum(sick, most), most, epsilon, rng).sum()

    # WRONG normal noise | NORMAL
    return counted + rng.normal(scale=np.sqrt(2) * most / epsilon)

    # WRONG household numbers taken for places | protected_count raised ValueError
    return laplace_mechanism(np.minimum(np.bincount(household, ill), most).sum(), most, epsilon, rng)

    # WRONG empty data forgotten | with other data, which you have not seen
    return laplace_mechanism(counted, most, epsilon, rng) if len(ill) else 0.0


# %% [markdown]
# ## 3. The real world and the ideal one (4 points)
#
# *You learn* to compute what the definition of semantic privacy compares. About 25 minutes, medium.
#
# `law[x, t]` is the probability of output $t$ from dataset $x$, all above 0. `prior[x]` is what somebody believes of
# dataset $x$ beforehand. `without[x]` is the number of the dataset that remains when your record is removed from
# dataset $x$. If you are not in it, it is $x$ itself. After output $t$ there are two beliefs over the datasets. In the
# real world the output came from the dataset itself. In your ideal world it came from the dataset without you. Write
# `world_gap(prior, law, without)`: the statistical distance between the two beliefs, for the output where it is
# largest.


# %%
def world_gap(prior, law, without):
    ### BEGIN SOLUTION
    real, ideal = (prior[:, None] * chances for chances in (law, law[without]))
    return (np.abs(real / real.sum(axis=0) - ideal / ideal.sum(axis=0)).sum(axis=0) / 2).max()
    ### END SOLUTION


# %% points=4
# The check
three_outputs = np.array([[0.6, 0.3, 0.1], [0.4, 0.35, 0.25], [0.2, 0.3, 0.5], [0.1, 0.3, 0.6]])
WORLDS = [
    (np.array([0.1, 0.4, 0.3, 0.2]), three_outputs, np.array([0, 0, 1, 2])),
    (np.array([0.5, 0.5, 0.0, 0.0]), three_outputs, np.array([0, 0, 2, 0])),
]
check(
    world_gap,
    answers(
        [
            (prior[mine(4)], law[mine(4)][:, mine(3)], np.argsort(mine(4))[without[mine(4)]])
            for prior, law, without in WORLDS
        ],
        [0.1467836257, 0.2142857143],
        slips={
            "the statistical distance is half the sum of the differences": [0.2935672515, 0.4285714286],
            "the largest difference of one dataset is no statistical distance": [0.1286549708, 0.2142857143],
            "asked is the worst output, not the average one": [0.09483022169, 0.1175824176],
            "that is the worst output for the beliefs before and after; the ideal world sees an output, too": (
                [0.2333333333, 0.2142857143]
            ),
            "those are chances of outputs; beliefs are asked for": [0.25, 0.5],
            "the prior is the same in both worlds: a dataset keeps its prior, its *output* comes from another": (
                [0.452173913, 0.7142857143]
            ),
            "the prior is the same in both worlds: only the law of the output is that of another dataset": (
                [0.3803921569, 0.380952381]
            ),
            "beliefs add up to 1 after each output": [0.08, 0.05],
            "each world sees the output by itself: the ideal beliefs must add up to 1 by themselves": (
                [0.2666666667, 0.2142857143]
            ),
        },
        tolerance=1e-5,
    ),
)


### BEGIN HIDDEN TESTS
def gap_of(prior, law, without):
    worst = 0.0
    for output in range(law.shape[1]):
        one, other = (prior * law[rows, output] for rows in (np.arange(len(prior)), without))
        worst = max(worst, np.maximum(one / one.sum() - other / other.sum(), 0).sum())
    return worst


tried = [(np.ones(1), np.ones((1, 1)), np.zeros(1, dtype=int))]
for datasets, outputs in ((2, 2), (5, 3), (30, 8), (2000, 6), (8, 1500)):
    for spread in (0.3, 3.0):
        chances = fresh.dirichlet(np.full(outputs, 2.0), datasets) + 1e-9
        believed = fresh.dirichlet(np.full(datasets, spread)) * (fresh.random(datasets) < 0.8) + 1e-12
        chances /= chances.sum(axis=1, keepdims=True)
        tried.append((believed / believed.sum(), chances, fresh.integers(0, datasets, datasets)))
for promise in (0.01, fresh.uniform(0.1, 4), 20.0):  # randomised response: one bit, or nobody
    keep = 1 / (1 + np.exp(-promise))
    tried.append((np.array([0.5, 0.5]), np.array([[keep, 1 - keep], [1 - keep, keep]]), np.array([0, 0])))
check(world_gap, answers(tried, [gap_of(*one) for one in tried], tolerance=1e-6))
### END HIDDEN TESTS


# %% tags=["wrong"]
def world_gap(prior, law, without):
    real, ideal = (prior[:, None] * chances for chances in (law, law[without]))

    # WRONG not halved | half the sum
    return np.abs(real / real.sum(axis=0) - ideal / ideal.sum(axis=0)).sum(axis=0).max()

    # WRONG one dataset | of one dataset is no statistical distance
    return np.abs(real / real.sum(axis=0) - ideal / ideal.sum(axis=0)).max()

    # WRONG the average output | not the average one
    return (np.abs(real / real.sum(axis=0) - ideal / ideal.sum(axis=0)).sum(axis=0) / 2).mean()

    # WRONG before and after | the ideal world sees an output, too
    return (np.abs(real / real.sum(axis=0) - prior[:, None]).sum(axis=0) / 2).max()

    # WRONG distances of laws | beliefs are asked for
    return (np.abs(law - law[without]).sum(axis=1) / 2).max()

    # WRONG the prior moved as well | a dataset keeps its prior
    ideal = np.bincount(without, prior, minlength=len(prior))[:, None] * law
    return (np.abs(real / real.sum(axis=0) - ideal / ideal.sum(axis=0)).sum(axis=0) / 2).max()

    # WRONG the other dataset's prior | only the law of the output is that of another dataset
    ideal = prior[without][:, None] * law[without]
    return (np.abs(real / real.sum(axis=0) - ideal / ideal.sum(axis=0)).sum(axis=0) / 2).max()

    # WRONG joint probabilities | add up to 1 after each output
    return (np.abs(real - ideal).sum(axis=0) / 2).max()

    # WRONG the same divisor | add up to 1 by themselves
    return (np.abs(real - ideal) / real.sum(axis=0)).sum(axis=0).max() / 2


# %% [markdown]
# ## 4. Attack: a promise for each answer (3 points)
#
# *You learn* how beliefs add up over releases. About 20 minutes, easy to medium.
#
# A hospital has set $\varepsilon$ so small that no answer can raise a belief from 1% above 2%. "So nobody can find out
# who was a patient." But it answers many counting queries about patients, each with fresh Laplace noise: count $j$ with
# the budget `epsilons[j]`, released as `releases[j]`. An attacker knows everybody else: without Vera, count $j$ is
# `others[j]`. If Vera was a patient, she is counted in all of them. Write
# `belief_in_vera(prior, releases, others, epsilons)`: the attacker's belief that she was a patient, after all releases.
# Before them the belief was `prior`, $0 < \text{prior} < 1$. There may be no releases, or thousands.


# %%
def belief_in_vera(prior, releases, others, epsilons):
    ### BEGIN SOLUTION
    # The log odds of each release: the noise it would have had without her, less the noise with her.
    moved = (epsilons * (np.abs(releases - others) - np.abs(releases - others - 1))).sum()
    return 1 / (1 + (1 - prior) / prior * np.exp(-moved))
    ### END SOLUTION


# %% points=3
# The check
HEARD = [
    (0.01, np.array([105.2, 40.7, 12.4]), np.array([104.0, 40.0, 12.0]), np.array([0.5, 0.7, 0.6])),
    (0.2, np.array([3.0, 8.6]), np.array([4.0, 7.0]), np.array([1.0, 0.5])),
    (0.5, np.array([20.3]), np.array([20.0]), np.array([2.0])),
]
check(
    belief_in_vera,
    answers(
        [
            (
                prior,
                releases[mine(releases.size)] + VARIANT,
                others[mine(releases.size)] + VARIANT,
                epsilons[mine(releases.size)],
            )
            for prior, releases, others, epsilons in HEARD
        ],
        [0.01916873547, 0.1316675617, 0.3100255189],
        slips={
            "what is believed beforehand counts": [0.6592603885, 0.3775406688, 0.3100255189],
            "odds multiply, beliefs do not": [0.01934792334, 0.1213061319, 0.2246644821],
            "each release speaks: add up the log odds of all": [0.01243017953, 0.1629699204, 0.3100255189],
            "no release can say more than epsilon, however far out it is": [0.02331380235, 0.03604437785, 0.3100255189],
            "a release may also speak against her, or for her less than epsilon": (
                [0.05758846041, 0.5283958222, 0.880797078]
            ),
            "the noise has the scale 1 / epsilon": [0.03244833003, 0.2, 0.4013123399],
            "yours is the belief that she was no patient": [0.9808312645, 0.8683324383, 0.6899744811],
            "this noise is Laplace, not normal": [0.01124392311, 0.1193295645, 0.4013123399],
            "these are odds: which belief has them?": [0.01954335691, 0.1516326649, 0.4493289641],
        },
        tolerance=1e-5,
    ),
)
### BEGIN HIDDEN TESTS
heard, believed = [], []
for size in (0, 1, 2, 9, 60, 300, 3000):
    for there in (0, 1):
        known = fresh.integers(0, 500, size).astype(float)
        promises = fresh.choice([0.01, 0.05, 20.0, 1.0], size) / max(1, size / 40)
        told, before = known + there + fresh.laplace(size=size) / promises, fresh.uniform(0.001, 0.9)
        logs = [-np.abs(told - known - guess) @ promises for guess in (0, 1)]
        weights = np.exp(np.array(logs) - max(logs)) * [1 - before, before]
        heard.append((before, told, known, promises))
        believed.append(weights[1] / weights.sum())
check(belief_in_vera, answers(heard, believed, tolerance=1e-6))
### END HIDDEN TESTS


# %% tags=["wrong"]
def belief_in_vera(prior, releases, others, epsilons):
    moved = (epsilons * (np.abs(releases - others) - np.abs(releases - others - 1))).sum()

    # WRONG no prior | what is believed beforehand counts
    return 1 / (1 + np.exp(-moved))

    # WRONG beliefs multiplied | odds multiply, beliefs do not
    return min(1, prior * np.exp(moved))

    # WRONG the average release | add up the log odds of all
    return 1 / (1 + (1 - prior) / prior * np.exp(-moved / len(releases)))

    # WRONG without a limit | no release can say more than epsilon
    moved = (epsilons * (2 * (releases - others) - 1)).sum()
    return 1 / (1 + (1 - prior) / prior * np.exp(-moved))

    # WRONG the whole of epsilon | for her less than epsilon
    return 1 / (1 + (1 - prior) / prior * np.exp(-epsilons.sum()))

    # WRONG epsilon left out | the noise has the scale
    moved = (np.abs(releases - others) - np.abs(releases - others - 1)).sum()
    return 1 / (1 + (1 - prior) / prior * np.exp(-moved))

    # WRONG the contrary | she was no patient
    return 1 - 1 / (1 + (1 - prior) / prior * np.exp(-moved))

    # WRONG normal noise | Laplace, not normal
    moved = (epsilons**2 * ((releases - others) ** 2 - (releases - others - 1) ** 2) / 4).sum()
    return 1 / (1 + (1 - prior) / prior * np.exp(-moved))

    # WRONG odds | which belief has them
    return prior / (1 - prior) * np.exp(moved)


# %% [markdown]
# ## 5. Explain (3 points)
#
# *You learn* to say in plain words what is guaranteed, and to whom. About 20 minutes, medium.
#
# A study of a gene releases its results with $\varepsilon = 0.5$, add/remove, in all. Its leaflet says: (1) "Nobody can
# learn from the results whether you carry the gene." (2) "Somebody may know that you take part, and believe with 1% that
# you carry the gene. Afterwards they can believe it with 1.6% at most, even if they know all the other participants." (3)
# "Your twin, who does not take part, cannot complain if an insurer now thinks that she probably carries the gene." Which of
# the three are right, which must be changed, and how? Three to six sentences.

# %% [markdown] name="explain_leaflet" points=3
# ### BEGIN SOLUTION
# (1) promises secrecy, which nobody can. If the study finds that nearly everybody of your town carries the gene, much is
# learned about you, whether you take part or not. The guarantee is about results, and so about beliefs and decisions that
# follow from them. They come out nearly as they would without your record: any probability changes by a factor of $e^{0.5}$
# at most. (2) takes $e^{0.5}$ where $e^{1}$ must stand. With the gene and without it are two records, of which one is
# removed and the other added. So the odds of 1 to 99 may grow by $e^{1} = 2.7$, to about 2.7%. (1.6% would be right for
# whether you take part at all, or under replace.) (3) is right by the personal data principle: no data of hers were used,
# her ideal world is the real one. Her twin's record also reveals something about her, but that is bounded as well, since
# this one record moves any odds by $e^{1}$ at most.
# (Twins share their genes. If these are her data as well, nobody can say whether she may complain.)
# ### END SOLUTION
# ### BEGIN MARK SCHEME
# One point each: (1) wrong, it promises secrecy (general conclusions are learned), and the right sentence: nearly the
# same with your record as without it. Both are needed. (2) wrong by the factor: carrier or not under add/remove is two
# steps, 2 epsilon = 1, about 2.7%. Accept "right only under replace, or for in or out" with the number 2.7%. (3) right:
# no personal data of hers are used (or: her world with and without her record is the same). Harm is not denied: do not
# ask for it. Accept "nobody can say", with a reason: the genes of one twin are the other's as well, and whose data are
# they? The chapter asks this where it speaks of genes. No point for "the twins' data are correlated, so DP fails" without
# the bound for the record that is in.
# ### END MARK SCHEME
