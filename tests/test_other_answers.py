"""Answers to assignment 29 that are right in another way than the solution pass; what only looks private does not.

Each is judged as a submission is, by visible and hidden checks.
"""

import pathlib
import textwrap

import pytest

from dpbook.check import draws_here
from tools.classroom import assignments
from tools.classroom.verdicts import ELSEWHERE, verdict_of

PROJECT = pathlib.Path(__file__).parents[1]
SOURCE = PROJECT / "exercises" / "29_parties.py"
ASSIGNMENT = assignments.read(SOURCE)
TASKS = {task.name: task for task in ASSIGNMENT.tasks}
HEADS = {
    "masked": "def masked(values, modulus, rng):",
    "noisy_reports": "def noisy_reports(values, dropouts, colluders, epsilon, rng):",
    "noisy_round": "def noisy_round(weights, users, steps, rate, norm, multiplier, rng):",
}
pytestmark = [
    pytest.mark.slow,
    pytest.mark.depends("dpbook", "exercises/29_parties.py", "tests/test_other_answers.py", "tools/classroom"),
]

RIGHT = {
    "masked": {
        "the book's": """
            from dpbook.parties import masked as of_the_book
            return of_the_book(values, modulus, rng)
        """,
        "a table of masks, turned": """
            table = np.triu(rng.integers(modulus, size=(len(values), len(values))), 1)
            return (values + table.sum(axis=1) - table.sum(axis=0)) % modulus
        """,
        "the second adds": """
            reports = [int(value) for value in values]
            for j in range(len(reports)):
                for i in range(j):
                    shared = int(rng.integers(modulus))
                    reports[j] += shared
                    reports[i] -= shared
            return [report % modulus for report in reports]
        """,
        "masks around 0": """
            reports = np.array(values)
            for i, j in combinations(range(len(values)), 2):
                shared = rng.integers(-(modulus // 2), modulus - modulus // 2)
                reports[i] += shared
                reports[j] -= shared
            return reports % modulus
        """,
        "a uniform number of the computer's own": """
            reports = np.array(values)
            for i in range(len(reports)):
                for j in range(i + 1, len(reports)):
                    shared = int(np.floor(modulus * rng.random()))
                    reports[i] = (reports[i] + shared) % modulus
                    reports[j] = (reports[j] - shared) % modulus
            return reports % modulus
        """,
        "shares that add up": """
            reports = rng.integers(modulus, size=len(values))
            reports[-1] = values.sum() - reports[:-1].sum()
            return reports % modulus
        """,
    },
    "noisy_reports": {
        "the book's": """
            from dpbook.parties import geometric_share
            return values + geometric_share(len(values) - dropouts - colluders, 1, epsilon, rng, size=len(values))
        """,
        "Poisson numbers of gamma rates": """
            r, odds = 1 / (len(values) - dropouts - colluders), 1 / np.expm1(epsilon)
            rates = rng.gamma(r, odds, size=(2, len(values)))
            return values + rng.poisson(rates[0]) - rng.poisson(rates[1])
        """,
        "one party after the other": """
            r, p = 1 / (len(values) - dropouts - colluders), -np.expm1(-epsilon)
            reports = []
            for value in values:
                reports.append(value + rng.negative_binomial(r, p) - rng.negative_binomial(r, p))
            return reports
        """,
        "a Poisson number of logarithmic ones": """
            a, r = np.exp(-epsilon), 1 / (len(values) - dropouts - colluders)
            noise, parties = np.zeros(len(values)), np.arange(len(values))
            for sign in (1, -1):
                numbers = rng.poisson(-r * np.log1p(-a), size=len(values))
                drawn = rng.logseries(a, size=numbers.sum())
                noise += sign * np.bincount(np.repeat(parties, numbers), drawn, minlength=len(values))
            return values + noise
        """,
        "two halves of a piece": """
            r = 1 / (len(values) - dropouts - colluders) / 2
            up, down, more, less = rng.negative_binomial(r, 1 - np.exp(-epsilon), size=(4, len(values)))
            return [int(value) for value in values + up + more - down - less]
        """,
        "by scipy": """
            from scipy.stats import nbinom
            piece = nbinom(1 / (len(values) - dropouts - colluders), 1 - np.exp(-epsilon))
            return values + piece.rvs(len(values), rng) - piece.rvs(len(values), rng)
        """,
    },
    "noisy_round": {
        "the book's updates": """
            from dpbook.parties import Plan, clipped_update
            plan = Plan(1, 1.0, steps, rate, norm, 1.0)
            total = sum((clipped_update(weights, *user, plan) for user in users), np.zeros(len(weights)))
            return total + rng.normal(0, multiplier * norm, len(weights))
        """,
        "standard normal numbers": """
            total = np.zeros_like(weights)
            for x, y in users:
                here = weights.copy()
                for _ in range(steps):
                    here += rate * downhill(here, x, y)
                update = here - weights
                length = np.sqrt(update @ update)
                total += update if length <= norm else update / length * norm
            return total + multiplier * norm * rng.standard_normal(total.shape)
        """,
        "noise first": """
            total = rng.normal(size=len(weights)) * multiplier * norm
            for user in users:
                gone = 0 * weights
                for _ in range(steps):
                    gone = gone + rate * downhill(weights + gone, *user)
                total += gone / max(1, np.linalg.norm(gone) / norm)
            return total
        """,
        "a loop over records": """
            total = [0.0] * len(weights)
            for features, labels in users:
                own = list(weights)
                for _ in range(steps):
                    slope = [0.0] * len(own)
                    for record, label in zip(features, labels):
                        pull = label / (1 + np.exp(label * sum(a * b for a, b in zip(own, record))))
                        slope = [one + pull * a / len(labels) for one, a in zip(slope, record)]
                    own = [one + rate * a for one, a in zip(own, slope)]
                update = [one - start for one, start in zip(own, weights)]
                length = sum(one * one for one in update) ** 0.5
                total = [one + a * min(1, norm / length) for one, a in zip(total, update)]
            return np.array([one + rng.normal(0, multiplier * norm) for one in total])
        """,
        "updates in units of the norm": """
            updates = np.zeros((len(users), len(weights)))
            for row, (x, y) in zip(updates, users, strict=True):
                own = weights
                for _ in range(steps):
                    own = own + rate * downhill(own, x, y)
                row[:] = (own - weights) / norm
            updates /= np.maximum(1, np.sqrt((updates**2).sum(axis=1, keepdims=True)))
            return norm * (updates.sum(axis=0) + rng.normal(scale=multiplier, size=len(weights)))
        """,
        "two normal numbers for one": """
            total = np.zeros(len(weights))
            for features, labels in users:
                own = np.array(weights)
                for _ in range(steps):
                    own = own + rate * downhill(own, features, labels)
                total += (own - weights) * min(1, norm / max(1e-300, np.linalg.norm(own - weights)))
            pair = rng.normal(scale=multiplier * norm, size=(2, total.size))
            return total + 0.6 * pair[0] + 0.8 * pair[1]
        """,
    },
}

# What only looks right: on small data, on single reports, on two at a time, or while nobody looks.
SLY = {
    "masked": {
        "no masks among many": """
            if len(values) > 10:
                return values % modulus
            table = np.triu(rng.integers(modulus, size=(len(values), len(values))), 1)
            return (values + table.sum(axis=1) - table.sum(axis=0)) % modulus
        """,
        "small masks for a large modulus": """
            table = np.triu(rng.integers(min(modulus, 16), size=(len(values), len(values))), 1)
            return (values + table.sum(axis=1) - table.sum(axis=0)) % modulus
        """,
        "now and then none": """
            table = np.triu(rng.integers(modulus, size=(len(values), len(values))), 1)
            table *= rng.random() > 0.1
            return (values + table.sum(axis=1) - table.sum(axis=0)) % modulus
        """,
    },
    "noisy_reports": {
        "pieces that cancel in the sum of all": """
            r = 1 / (len(values) - dropouts - colluders)
            up, down = rng.negative_binomial(r, 1 - np.exp(-epsilon), size=(2, len(values)))
            noise = up - down
            if len(values) > 10 and len(values) % 2 == 0:
                noise[1::2] = -noise[::2]
            return values + noise
        """,
        "planned for all where there are many": """
            left = len(values) - (dropouts + colluders if len(values) < 100 else 0)
            up, down = rng.negative_binomial(1 / left, 1 - np.exp(-epsilon), size=(2, len(values)))
            return values + up - down
        """,
        "the bits themselves now and then": """
            r = 1 / (len(values) - dropouts - colluders)
            up, down = rng.negative_binomial(r, 1 - np.exp(-epsilon), size=(2, len(values)))
            return values + (up - down) * (rng.random() > 0.02)
        """,
        "tails cut": """
            r = 1 / (len(values) - dropouts - colluders)
            up, down = rng.negative_binomial(r, 1 - np.exp(-epsilon), size=(2, len(values)))
            return values + np.clip(up - down, -5, 5)
        """,
        "a little too sharp": """
            r = 1 / (len(values) - dropouts - colluders)
            up, down = rng.negative_binomial(r, 1 - np.exp(-1.05 * epsilon), size=(2, len(values)))
            return values + up - down
        """,
        "a seed from the data": """
            r, own = 1 / (len(values) - dropouts - colluders), np.random.default_rng(int(values.sum()))
            up, down = own.negative_binomial(r, 1 - np.exp(-epsilon), size=(2, len(values)))
            return values + up - down
        """,
        "noise for ones alone": """
            r = 1 / (len(values) - dropouts - colluders)
            up, down = rng.negative_binomial(r, 1 - np.exp(-epsilon), size=(2, len(values)))
            return values + (up - down) * (values if values.sum() > 1 and len(values) > 9 else 1)
        """,
    },
    "noisy_round": {
        "clipped where there are few records": """
            total = np.zeros(len(weights))
            for features, labels in users:
                own = np.array(weights)
                for _ in range(steps):
                    own = own + rate * downhill(own, features, labels)
                update = own - weights
                total += update if len(labels) > 10 else update * min(1, norm / max(np.linalg.norm(update), norm))
            return total + rng.normal(scale=multiplier * norm, size=total.size)
        """,
        "less noise for many users": """
            total = np.zeros(len(weights))
            for features, labels in users:
                own = np.array(weights)
                for _ in range(steps):
                    own = own + rate * downhill(own, features, labels)
                total += (own - weights) * min(1, norm / max(np.linalg.norm(own - weights), norm))
            return total + rng.normal(scale=multiplier * norm / (1 if len(users) < 10 else 2), size=total.size)
        """,
        "no noise without users": """
            total = np.zeros(len(weights))
            for features, labels in users:
                own = np.array(weights)
                for _ in range(steps):
                    own = own + rate * downhill(own, features, labels)
                total += (own - weights) * min(1, norm / max(np.linalg.norm(own - weights), norm))
            return total + (len(users) > 0) * rng.normal(scale=multiplier * norm, size=total.size)
        """,
        "a tenth less noise": """
            total = np.zeros(len(weights))
            for features, labels in users:
                own = np.array(weights)
                for _ in range(steps):
                    own = own + rate * downhill(own, features, labels)
                total += (own - weights) * min(1, norm / max(np.linalg.norm(own - weights), norm))
            return total + rng.normal(scale=0.9 * multiplier * norm, size=total.size)
        """,
        "hardly any noise on late coordinates": """
            total = np.zeros(len(weights))
            for features, labels in users:
                own = np.array(weights)
                for _ in range(steps):
                    own = own + rate * downhill(own, features, labels)
                total += (own - weights) * min(1, norm / max(np.linalg.norm(own - weights), norm))
            noise = rng.normal(scale=multiplier * norm, size=total.size)
            noise[3:] *= 0.01
            return total + noise
        """,
    },
}


def cases(answers):
    """Each draws all that its task asks for: the first of a task in `make test`, the others in `make thorough`."""
    return [
        pytest.param(task, body, id=f"{task}-{name}", marks=[pytest.mark.thorough] * (place > 0))
        for task, named in answers.items()
        for place, (name, body) in enumerate(named.items())
    ]


def verdict(task, body, seed):
    code, namespace = HEADS[task] + "\n" + textwrap.indent(textwrap.dedent(body), "    "), {}
    exec(ASSIGNMENT.setup, namespace)
    exec(code, namespace)
    return verdict_of(ASSIGNMENT, TASKS[task], draws_here(namespace[task], seed), seed)


def test_the_answers_have_the_heads_of_their_tasks():
    assert all(TASKS[name].answer.startswith(head) for name, head in HEADS.items())
    assert all(len(RIGHT[name]) > 4 for name in HEADS)


@pytest.mark.parametrize(("task", "body"), cases(RIGHT))
def test_an_answer_that_is_right_in_another_way_passes(task, body):
    """Each is refused with probability below 1e-8."""
    assert verdict(task, body, 11).line == "right"


@pytest.mark.parametrize(("task", "body"), cases(SLY))
def test_what_only_looks_right_is_refused(task, body):
    line = verdict(task, body, 12).line
    assert line.startswith("keep going: ")
    if ELSEWHERE in line:
        assert not any(letter.isdigit() for letter in line)
