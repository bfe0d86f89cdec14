# %% [markdown]
# # Assignment 18: Compressed sensing on tables
#
# Five tasks, 19 points. You need chapter 18, *Compressed sensing on tables*.
#
# All data here are invented. Yours may differ from those of others. A table $D$ has $d$ rows and $n$ columns; its
# measurements are the $k \times n$ numbers $\Psi D$. The $k \times d$ matrix $\Psi$ is public, and was chosen without
# looking at the table.

# %% tags=["setup"]
import numpy as np

from dpbook.check import answers, check, draws_here, laplace_law, private, repeatable

VARIANT = 0  # of 6
UNIT = 1 + VARIANT / 2  # of your own numbers

# %% [markdown]
# ## 1. Replaced, with noise of several scales (3 points)
#
# *You learn* to read the loss of a replaced record off the matrix that was drawn. About 20 minutes, easy to medium.
#
# One column of a table is measured. Measurement $i$ has Laplace noise of a scale of its own, `scales[i]`. In a
# neighbour one record has moved to another row of the same column. Write `move_loss(matrix, scales)`: the exact privacy
# loss of all $k$ noisy measurements together. That is the largest over all outputs, for the worst of all such moves.


# %%
def move_loss(matrix, scales):
    ### BEGIN SOLUTION
    # The measurements move by the difference of two columns; each part of it counts in units of its own noise.
    columns = (matrix / scales[:, None]).T
    return max(np.abs(columns - one).sum(axis=1).max() for one in columns)
    ### END SOLUTION


# %% points=3
# The check
signs = np.array([[0.5, -0.5, 0.5, -0.5, 0.5], [0.5, 0.5, -0.5, -0.5, 0.5], [-0.5, 0.5, 0.5, -0.5, 0.5]])
signs = np.vstack([signs, [0.5, 0.5, 0.5, 0.5, -0.5]])
uneven = np.array([[1.5, 0.0, -0.5, 2.0], [0.0, -1.0, 0.5, 1.0]])
square = np.array([[2.0, 0.5, -1.0], [1.0, -3.0, 1.0], [0.0, 0.5, 0.5]])
check(
    move_loss,
    answers(
        [
            (UNIT * signs, np.array([1.0, 2.0, 4.0, 0.5])),
            (UNIT * uneven, np.array([0.5, 2.0])),
            (UNIT * square, np.array([1.0, 4.0, 2.0])),
        ],
        [3.75, 5.25, 3.25],
        slips={
            "that is the loss of a record more or less; this one leaves a row and enters another": [1.875, 4.5, 2.25],
            "twice the loss of a record more bounds any move; where two columns agree nothing moves": [3.75, 9, 4.5],
            "a record moves a column of the matrix, not a row": [5, 8, 3.5],
            "each measurement has noise of its own: no average of the scales can stand for all": (
                [2.1333333333, 3.2, 2.5714285714]
            ),
            "each measurement has noise of its own: they do not all have the smallest": [8, 8, 6],
            "each measurement has noise of its own: they do not all have the largest": [1, 2, 1.5],
            "losses of measurements add up; there is no Euclidean length here": (
                [2.3048861143, 5.0062460986, 3.0103986447]
            ),
            "that is the loss of one measurement, and a record is in all of them": [2, 5, 3],
            "the guarantee is for the worst move, not for the average one": [1.85, 3.5416666667, 2.8333333333],
            "more noise hides more: the scale divides": [7.5, 5, 18.5],
            "a record can move to any row, not only to the next one": [3.75, 5.25, 2.75],
            "entries of opposite sign are far apart: take the difference first, its size afterwards": [0, 4, 2.25],
            "moves of opposite sign do not cancel: each shows in a measurement of its own": [1.75, 5.25, 2.75],
        },
        unit=UNIT,
    ),
)


### BEGIN HIDDEN TESTS
def listed_moves(matrix, scales):
    """Over all pairs of rows of the table, one measurement after the other."""
    k, d = matrix.shape
    losses = [
        sum(abs(matrix[i, here] - matrix[i, there]) / scales[i] for i in range(k))
        for here in range(d)
        for there in range(here)
    ]
    return max(losses, default=0.0)


drawn = []
for k, d in ((1, 1), (1, 9), (12, 2), (5, 30), (40, 12), (3, 200), (2, 301)):
    entries = fresh.normal(size=(k, d)) if d % 2 else fresh.choice([-1.0, 1.0], (k, d)) / np.sqrt(k)
    drawn.append((entries, np.exp(fresh.uniform(-3, 3, k))))
check(move_loss, answers(drawn, [listed_moves(*one) for one in drawn]))
far, wide = fresh.integers(0, 2, (2, 400)) * 3.0, fresh.uniform(0.1, 9, 2)
check(move_loss, answers([(far, wide)], [max(3 / wide[0] + 3 / wide[1], 0)]))  # all four patterns are in 400 rows
### END HIDDEN TESTS


# %% tags=["wrong"]
def move_loss(matrix, scales):
    # WRONG a record more or less | this one leaves a row and enters another
    return (np.abs(matrix) / scales[:, None]).sum(axis=0).max()

    # WRONG twice the loss of a record more | bounds any move
    return 2 * (np.abs(matrix) / scales[:, None]).sum(axis=0).max()

    # WRONG rows for columns | a column of the matrix, not a row
    return (np.abs(matrix).sum(axis=1) / scales).max()

    # WRONG the mean scale | no average of the scales
    return max(np.abs(matrix.T - one).sum(axis=1).max() for one in matrix.T) / scales.mean()

    # WRONG the smallest scale | they do not all have the smallest
    return max(np.abs(matrix.T - one).sum(axis=1).max() for one in matrix.T) / scales.min()

    # WRONG the Euclidean length | there is no Euclidean length here
    columns = (matrix / scales[:, None]).T
    return max(np.linalg.norm(columns - one, axis=1).max() for one in columns)

    # WRONG one measurement | a record is in all of them
    return (np.ptp(matrix, axis=1) / scales).max()

    # WRONG to the next row only | not only to the next one
    return np.abs(np.diff(matrix / scales[:, None], axis=1)).sum(axis=0).max()


# %% [markdown]
# ## 2. A year of months (5 points)
#
# *You learn* to put each record of a person on the bill, and to spread noise unevenly. About 35 minutes, medium.
#
# The columns of a table are months, its rows are places. Every month is measured by the same matrix. Some measurements matter
# more than others: measurement $i$ is to have noise of scale $b/$`weights[i]`, in every month, with one $b$ for all. Here are
# six places in three months, and four measurements of each month:

# %% tags=["setup"]
stays = np.array([[4.0, 0, 1], [2, 3, 0], [0, 0, 5], [1, 7, 2], [3, 3, 3], [0, 1, 0]])
by_place = np.array(
    [
        [1.0, 0.5, -0.5, 0.5, 0.0, 1.0],
        [0.0, -1.0, 0.5, 0.0, 0.5, 0.0],
        [0.5, 0.5, 0.0, -1.0, 2.0, 0.5],
        [0.0, 0.5, 1.0, 1.0, 0.0, -1.5],
    ]
)
stays, by_place = np.roll(stays, VARIANT, axis=0), np.roll(by_place, VARIANT, axis=1)
importance = np.array([2.0, 1.0, 0.5, 1.25])

# %% [markdown]
# Write `noisy_measurements(table, matrix, weights, epsilon, rng)`: the $k \times n$ measurements of the table with
# such Laplace noise. All together are $\varepsilon$-DP, and $b$ is no larger than needed for this matrix and these
# weights. A person has *at most one record in each month*, in any place; neighbours differ by all records of one
# person, added or removed. The number of months is public, and may be another one.


# %%
def noisy_measurements(table, matrix, weights, epsilon, rng):
    ### BEGIN SOLUTION
    # A record in row j of a month moves measurement i by |matrix[i, j]|, that is weights[i] |matrix[i, j]| / b scales.
    a_month = (weights[:, None] * np.abs(matrix)).sum(axis=0).max()
    measured = matrix @ table
    b = table.shape[1] * a_month / epsilon
    return measured + rng.laplace(scale=b / weights[:, None], size=measured.shape)
    ### END SOLUTION


# %% points=5
# The check
over = 1 / importance[:, None]
right = np.array([[5.5, 6.0, -0.5], [-0.5, -1.5, 4.0], [8.0, 1.0, 4.5], [2.0, 7.0, 7.0]])
known = {
    "a person may be there in every month, not in one": 4.125 * over,
    "in how many months a person may be is known: their losses add up, not their squares": 4.125 * 3**0.5 * over,
    "all measurements have the same noise: use the weights": 9.0,
    "the weights change the noise of each measurement, so they change the loss": 9.0 * over,
    "a larger weight is for less noise": 12.375 / over,
    "these weights are used the other way round, at the same price": 13.5 / over,
    "Laplace noise needs the sum of absolute values, not the Euclidean length": 8.2585183295 * over,
    "entries of opposite sign do not cancel: each of them moves a measurement": 6.75 * over,
    "this noise is for records that *move* to another row; here they are added or removed": 20.625 * over,
    "twice the noise is for replaced records; here they are added or removed": 24.75 * over,
}


def known_sizes(draw):
    """A requirement: not the noise of a known mistake, in all measurements together. To 2%: five of its deviations."""
    noise = draw([(stays, by_place, importance, 1.0)], 5000, right.shape)[0] - right
    sizes = np.abs(noise - np.median(noise, axis=0)).mean(axis=0)
    near = {sentence: sizes / np.broadcast_to(scale, right.shape) - 1 for sentence, scale in known.items()}
    return next((name for name, off in near.items() if np.abs(off).max() < 0.1 and abs(off.mean()) < 0.02), "")


check(
    noisy_measurements,
    known_sizes,
    laplace_law((stays, by_place, importance), right, sensitivity=12.375 * over, epsilon=0.5, samples=3000),
    repeatable((stays, by_place, importance, 0.5), shape=(4, 3)),
    private(
        (stays, by_place, importance, 1.0),
        (stays + np.roll(np.eye(6), VARIANT, axis=0)[:, [5, 5, 5]], by_place, importance, 1.0),
        epsilon=1.0,
        shape=(4, 3),
        samples=3000,
        additive=True,
    ),
)
### BEGIN HIDDEN TESTS
promises = fresh.permutation([0.01, 0.1, 0.7, 3.0, 20.0]) * fresh.uniform(0.75, 1.0, 5)
shapes = fresh.integers(
    [[1, 1, 1], [2, 3, 1], [2, 20, 6], [4, 150, 2], [3, 1500, 2]],
    [[3, 2, 2], [5, 15, 2], [5, 90, 15], [9, 700, 5], [6, 3000, 4]],
)
for (k, rows, months), draws, promise in zip(shapes, (4000, 2000, 1000, 1000, 1000), promises, strict=True):
    drawn_matrix = fresh.normal(size=(k, rows)).round(2) * (fresh.random((k, rows)) < 0.7)
    drawn_matrix[0, 0] = -1.5
    counted, weighing = fresh.integers(0, 90, (rows, months)).astype(float), np.exp(fresh.uniform(-1.5, 1.5, k))
    moved = max(sum(weighing[i] * abs(drawn_matrix[i, j]) for i in range(k)) for j in range(rows)) * months
    parts = np.array([[row @ month for month in counted.T] for row in drawn_matrix])
    law = laplace_law((counted, drawn_matrix, weighing), parts, moved / weighing[:, None], promise, samples=draws)
    check(noisy_measurements, law)
seldom = fresh.integers(1, 9, (3, 5)) * np.array([0.0, 1, 0, 0, 1])  # months in which nobody came count as well
weighing, parts = np.array([1.0, 2.0]), np.array([[1.0, -2.0, 0.0], [0.5, 1.0, 1.0]])
law = laplace_law((seldom, parts, weighing), parts @ seldom, 20 / weighing[:, None], 0.9, samples=2000)
check(noisy_measurements, law)
quiet, joined = np.zeros((2, 4)), np.array([[0.0] * 4, [1.0] * 4])
twice = np.array([[0.5, 1.0], [0.0, -2.0]]), np.array([1.0, 3.0])
check(
    noisy_measurements,
    private((quiet, *twice, 1.5), (joined, *twice, 1.5), epsilon=1.5, shape=(2, 4), samples=2000, additive=True),
)
### END HIDDEN TESTS


# %% tags=["wrong"]
def noisy_measurements(table, matrix, weights, epsilon, rng):
    moved = (weights[:, None] * np.abs(matrix)).sum(axis=0)  # in one month, by a record in each row
    months = table.shape[1]

    def noisy(b):
        return matrix @ table + rng.laplace(scale=b / weights[:, None], size=(len(matrix), months))

    # WRONG no noise | NO_NOISE
    return matrix @ table

    # WRONG one month | in every month, not in one
    return noisy(moved.max() / epsilon)

    # WRONG squares of the months added up | their losses add up, not their squares
    return noisy(moved.max() * np.sqrt(months) / epsilon)

    # WRONG no weights | use the weights
    b = np.abs(matrix).sum(axis=0).max() * months / epsilon
    return matrix @ table + rng.laplace(scale=b, size=(len(matrix), months))

    # WRONG weights that cost nothing | so they change the loss
    return noisy(np.abs(matrix).sum(axis=0).max() * months / epsilon)

    # WRONG more noise for more weight | a larger weight is for less noise
    b = moved.max() * months / epsilon
    return matrix @ table + rng.laplace(scale=b * weights[:, None], size=(len(matrix), months))

    # WRONG weights the other way round | used the other way round
    b = (np.abs(matrix) / weights[:, None]).sum(axis=0).max() * months / epsilon
    return matrix @ table + rng.laplace(scale=b * weights[:, None], size=(len(matrix), months))

    # WRONG the Euclidean length | not the Euclidean length
    return noisy(np.linalg.norm(weights[:, None] * matrix, axis=0).max() * months / epsilon)

    # WRONG the places that are occupied | with other data, which you have not seen
    return noisy(moved[table.sum(axis=1) > 0].max(initial=0.1) * months / epsilon)

    # WRONG one noise for all months | SHARED
    return matrix @ table + rng.laplace(scale=moved.max() * months / epsilon / weights)[:, None]


# %% [markdown]
# ## 3. What rebuilding leaves (4 points)
#
# *You learn* that a rebuilt column has two errors, and how the matrix mixes them. About 30 minutes, medium.
#
# `atoms` is a $d \times S$ matrix of $S$ atoms, any columns of numbers. A column of a table is released as a weighted
# sum of these atoms. It is the sum whose measurements come nearest to the $k$ noisy measurements, by least squares;
# $k \ge S$, and the $S$ measured atoms are linearly independent. Each measurement has Laplace noise of scale `scale`.
# The column need not be a sum of these atoms. Write `rebuilt_error(column, matrix, atoms, scale)`: the expected squared
# error of the released column, summed over its $d$ rows, exactly.


# %%
def rebuilt_error(column, matrix, atoms, scale):
    ### BEGIN SOLUTION
    # The release is linear in the noisy measurements: what it makes of exact ones, and of noise of variance 2 scale^2.
    rebuild = atoms @ np.linalg.pinv(matrix @ atoms)
    return np.sum((rebuild @ matrix @ column - column) ** 2) + 2 * scale**2 * np.sum(rebuild**2)
    ### END SOLUTION


# %% points=4
# The check
patient_days = np.array([5.0, 4, 6, 0, 1, 0, 9, 3])
five_by_eight = (
    np.array(
        [
            [1.0, -1, 1, 1, -1, 1, -1, -1],
            [-1, 1, 1, 1, 1, 1, -1, 1],
            [1, 1, -1, 1, -1, -1, -1, 1],
            [1, 1, 1, -1, 1, -1, 1, 1],
            [-1, 1, 1, -1, -1, 1, 1, 1],
        ]
    )
    / 2
)
two_steps = np.array([[1.0, 0], [1, 0], [1, 0], [0, 0], [0, 0], [0, 0], [0, 1], [0, 1]])
half = np.array([[0.5], [0.5], [0.5], [0.5], [0], [0], [0], [0]])


def exact_errors(calls, expected, slips):
    """The requirement of `answers`; of those that are near, and no known mistake, it says that nothing need be drawn."""
    requirement = answers(calls, expected, slips)

    def or_nearly(draw):
        given = draw(*requirement.asks)
        sentence, near = requirement(lambda *_: given), np.abs(given[:, 0] / expected - 1) < 0.05
        if sentence.endswith("answers are wrong") and near.all():
            return "near, but exactly is asked: no random draws are needed, both errors have a formula"
        return sentence

    or_nearly.asks = requirement.asks
    return or_nearly


check(
    rebuilt_error,
    exact_errors(
        [
            (UNIT * patient_days, five_by_eight, two_steps, 0.5 * UNIT),
            (UNIT * patient_days, five_by_eight[:4], half, 2.0 * UNIT),
            (UNIT * two_steps @ [3.0, 7.0], five_by_eight, two_steps, UNIT),
        ],
        UNIT**2 * np.array([25.255555556, 128.75, 4.133333333]),
        slips={
            "the squared error is asked for, not its root": UNIT * np.array([5.025490579, 11.346805718, 2.033060091])
        }
        | {
            sentence: UNIT**2 * np.array(errors)
            for sentence, errors in {
                "that is the noise alone; what the atoms cannot say is an error as well": [1.033333333, 8, 4.133333333],
                "that is what the release misses without noise; and the noise?": [24.222222222, 120.75, 0],
                "Laplace noise of scale b has the variance 2 b^2": [24.738888889, 124.75, 2.066666667],
                "what the atoms cannot say is measured too, and disturbs their weights": (
                    [22.033333333, 119.75, 4.133333333]
                ),
                "that is the noise of the weights; an atom spreads it over its rows": (
                    [24.638888889, 128.75, 1.666666667]
                ),
                "measured atoms are not orthonormal here: a weight has more or less than the noise of one measurement": (
                    [25.222222222, 128.75, 4]
                ),
                "most of the noise in the measurements looks like no atom and does not come through": (
                    [26.722222222, 152.75, 10]
                ),
                "the sum over the rows is asked for, not the mean": [3.156944444, 16.09375, 0.516666667],
            }.items()
        },
    ),
)


### BEGIN HIDDEN TESTS
def error_of_one(column, matrix, atoms, scale):
    """One measurement's noise after the other, by least squares on each."""
    measured = matrix @ atoms

    def fitted(seen):
        return atoms @ np.linalg.solve(measured.T @ measured, measured.T @ seen)

    missed = fitted(matrix @ column) - column
    return missed @ missed + sum(2 * scale**2 * (fitted(unit) @ fitted(unit)) for unit in np.eye(len(matrix)))


columns = []
for d, k, size in ((1, 1, 1), (6, 3, 3), (16, 9, 4), (64, 20, 3), (400, 90, 30), (1500, 60, 2)):
    made = fresh.normal(size=(k, d)) if d % 4 else fresh.choice([-1.0, 1.0], (k, d)) / np.sqrt(k)
    words = np.where(fresh.random((d, size)) < 0.3, fresh.normal(size=(d, size)), 0.0) + np.eye(d, size)
    some = words @ fresh.normal(size=size) + fresh.normal(size=d) * int(fresh.integers(0, 2))
    if np.linalg.cond(made @ words) < 1e4:
        columns.append((some, made, words, np.exp(fresh.uniform(-3, 1))))
right = [error_of_one(*one) for one in columns]
check(rebuilt_error, answers(columns, right, tolerance=1e-6 * max(right)))
### END HIDDEN TESTS


# %% tags=["wrong"]
def rebuilt_error(column, matrix, atoms, scale):
    weights = np.linalg.pinv(matrix @ atoms)
    rebuild = atoms @ weights
    missed = np.sum((rebuild @ matrix @ column - column) ** 2)

    # WRONG the noise alone | what the atoms cannot say is an error as well
    return 2 * scale**2 * np.sum(rebuild**2)

    # WRONG without noise | and the noise?
    return missed

    # WRONG the variance of a scale | has the variance 2 b^2
    return missed + scale**2 * np.sum(rebuild**2)

    # WRONG the best that the atoms can do | is measured too
    return np.sum((atoms @ np.linalg.pinv(atoms) @ column - column) ** 2) + 2 * scale**2 * np.sum(rebuild**2)

    # WRONG the noise of the weights | an atom spreads it
    return missed + 2 * scale**2 * np.sum(weights**2)

    # WRONG S times the noise of a measurement | are not orthonormal here
    return missed + 2 * scale**2 * atoms.shape[1]

    # WRONG a mean over draws | no random draws are needed
    noise = np.random.default_rng(0).laplace(scale=scale, size=(20_000, len(matrix)))
    return np.mean(np.sum(((matrix @ column + noise) @ rebuild.T - column) ** 2, axis=1))

    # WRONG all the noise | looks like no atom
    return missed + 2 * scale**2 * len(matrix)


# %% [markdown]
# ## 4. Attack: the theorem as printed (4 points)
#
# *You learn* what a wrong constant gives away, and which misfit goes with Laplace noise. About 30 minutes, medium to hard.
#
# Theorem 2 of the chapter's paper, in our copy, says that noise of scale $b$, its "sensing sensitivity", has a privacy
# loss of $2r/b$. Here $r$ is its "compression coefficient", taken for $k/d$. A colleague believes it of every scale,
# and so takes noise of scale $2r/\varepsilon$. The entries of the matrix are $\pm1/\sqrt k$:


# %% tags=["setup"]
def colleague(column, matrix, epsilon, rng):
    """BROKEN: noisy measurements of a column, with the noise that a false theorem asks for."""
    k, d = matrix.shape
    return matrix @ column + rng.laplace(scale=2 * k / d / epsilon, size=k)


# %% [markdown]
# Somebody knows all records of a column but one: `others` is the column without it. Write
# `find_row(released, others, matrix)`: the row of that record, from 0, from the measurements that the colleague has
# released. There are hundreds of rows, all equally likely beforehand. With a thousand rows and $\varepsilon$ near 1,
# nobody could be right in 2% of the releases if the colleague's claim held. You must be right in 88% of the releases.


# %% jupyter={"source_hidden": true} tags=["setup"]
# What the check needs
def finds_rows(d, k, epsilon, seed, least=0.88):
    """A requirement: of 100 releases, in so many the row of the unknown record is found."""
    rng = np.random.default_rng(seed)
    matrix = rng.choice([-1.0, 1.0], (k, d)) / np.sqrt(k)
    rows, others = rng.integers(0, d, 100), rng.integers(0, 9, (10, d)).astype(float)
    known = np.repeat(others, 10, axis=0)
    released = [
        colleague(column + np.eye(1, d, row)[0], matrix, epsilon, rng) for column, row in zip(known, rows, strict=True)
    ]

    def requirement(draw):
        given = draw([(seen, others[play // 10], matrix) for play, seen in enumerate(released)])[:, 0]
        share = np.mean(given == rows)
        if share >= least:
            return ""
        rest = np.array(released) - known @ matrix.T
        hint = "which row's column is what is left, when the measurements of the others are taken away?"
        if not np.isin(given, np.arange(d)).all():
            hint = f"the rows are numbered from 0 to {d - 1}"
        elif np.ptp(given) == 0:
            hint = "you name the same row whatever was released"
        elif np.mean(given == rows + 1) > share:
            hint = "the rows are numbered from 0"
        elif np.mean(given == np.argmin(rest @ matrix, axis=1)) > 0.9:
            hint = "that is the row whose column is least like it: sign and all"
        elif np.mean(given == np.argmax(np.array(released) @ matrix, axis=1)) > 0.9:
            hint = "you look at all measurements; the others' are known: take them away"
        elif np.mean(given == np.argmax(rest @ matrix, axis=1)) > 0.9:
            hint = "least squares is for normal noise: how likely is a misfit under Laplace noise?"
        return f"{share:.0%} of the rows are found, where {least:.0%} are asked; {hint}"

    return requirement


# %%
def find_row(released, others, matrix):
    ### BEGIN SOLUTION
    # What is left is one column of the matrix and noise; under Laplace noise the likeliest has the least sum of sizes.
    rest = released - matrix @ others
    return np.argmin(np.abs(rest[:, None] - matrix).sum(axis=0))
    ### END SOLUTION


# %% points=4
# The check
check(find_row, finds_rows(1000, 100, 1.2, seed=18 + 8 * VARIANT))


### BEGIN HIDDEN TESTS
def likeliest(released, others, matrix):
    """By the distances of what is left from all columns, each the sum of the sizes of its parts."""
    from scipy.spatial.distance import cdist

    return int(cdist((released - others @ matrix.T)[None], matrix.T, "cityblock").argmin())


for d, k, promise in ((1000, 100, 1.3), (256, 90, 3.5), (int(fresh.integers(600, 900)), 100, 1.7)):
    trouble = "draw again"
    while trouble:
        seed = int(fresh.integers(2**40))
        trouble = finds_rows(d, k, promise, seed, least=0.92)(draws_here(likeliest))
    check(find_row, finds_rows(d, k, promise, seed))
### END HIDDEN TESTS


# %% tags=["wrong"]
def find_row(released, others, matrix):
    # WRONG least squares | least squares is for normal noise
    return np.argmin((((released - matrix @ others)[:, None] - matrix) ** 2).sum(axis=0))

    # WRONG the others left in | the others' are known
    return np.argmax(matrix.T @ released)

    # WRONG counted from 1 | the rows are numbered from 0
    rest = released - matrix @ others
    return 1 + np.argmin(np.abs(rest[:, None] - matrix).sum(axis=0))

    # WRONG the least likely | sign and all
    return np.argmin(matrix.T @ (released - matrix @ others))

    # WRONG the largest misfit | of the rows are found
    return np.argmin(np.abs((released - matrix @ others)[:, None] - matrix).max(axis=0))


# %% [markdown]
# Laplace noise of scale $2r/\varepsilon$ on $k$ measurements has loss $\sqrt k\,\varepsilon/2r = \sqrt
# d\,\varepsilon/(2\sqrt r)$. With a thousand rows and a tenth as many measurements that is fifty times what the
# colleague says.

# %% [markdown]
# ## 5. Explain (3 points)
#
# *You learn* to tell what compression saves from what it costs, and which choices must not look. About 20 minutes, medium.
#
# An office releases a table by CSM with the ratio $r = 0.3$. (1) "We measure three tenths as many numbers as the
# table has rows, so there is three tenths of the noise." What is right in this, and what does it leave out? For which
# columns would CSM beat Laplace noise on every row? (2) It tries three dictionaries and $S = 1, \dots, 30$ on the
# true table. It keeps the pair with the smallest error, and says which. "The noise comes afterwards, so the release
# is $\varepsilon$-DP all the same." Is it? What could the office do instead? (3) "We keep the matrix secret. Nobody
# can undo what he does not know, so half of the noise is enough for $\varepsilon$." What does the theorem say about
# this? Three to six sentences.

# %% [markdown] name="explain_office" points=3
# ### BEGIN SOLUTION
# Fewer numbers get noise, but each record is in all $k$ of them. So the noise of each has the scale $\sqrt
# k/\varepsilon$ instead of $1/\varepsilon$. A fitted weight has $k$ times the variance. A column of $S$ atoms that
# are all found has $S\,r$ times the error of Laplace noise on every row. At $r = 0.3$ this is a gain for at most
# three atoms, if they are found from so few measurements at all. The second release is not $\varepsilon$-DP: the
# dictionary and $S$ are read off the true table without noise, and are printed. Where one record tips the choice, two
# neighbours are told apart with certainty. They can be fixed beforehand, chosen on public data, or chosen by the
# exponential mechanism with a part of $\varepsilon$. The proof of the theorem holds the matrix fixed. For anybody who
# knows the matrix, half the noise has a loss of up to $2\varepsilon$. Nothing in the proof pays for a secret, which may
# also come out or be estimated from releases.
# ### END SOLUTION
# ### BEGIN MARK SCHEME
# One point each.
# - (a) Each record moves all k measurements, so the noise on each is larger (scale sqrt k / epsilon, or k times the
#   variance). *And* when it pays: S r < 1, or at most three atoms that are found. "It pays for sparse columns"
#   without a number is not enough.
# - (b) Not epsilon-DP, because the choice looks at the table without noise and is shown, *and* one repair. The choice
#   may be made beforehand, on public data, from the noisy measurements alone, or privately with a part of the budget.
# - (c) Half the noise has a loss of up to 2 epsilon for anyone who knows the matrix. The proof gives nothing for a
#   secret. Accept "the guarantee must hold against an adversary who knows the method". No point for "a secret matrix
#   may not be used" alone.
# ### END MARK SCHEME
