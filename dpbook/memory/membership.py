"""Was this record in the training data? Margins of models with and without it, and the likelihood ratio of two normals.

Attacks: nothing here is private. A record is a row of features and a label of 1 or -1.
Source: beyond the seeds; Carlini and others 2022.  Notebook: 31_memory.
"""

import math

import numpy as np
from scipy.special import expit

from dpbook import arguments
from dpbook.gradients.training import checked_records

LEAST_DEVIATION = 1e-3  # of margins: equal shadows would else be infinitely sure


def shadow_margins(features, labels, members, regularisation, steps):
    """Train one logistic regression for each row of `members`, without noise, and give its margins. NOT private.

    `members` (models, records) is 1 where a record trains a model, else 0. Returns y (w . x) for all records, members
    or not: an array (models, records), the logit of the confidence in the right label. Gradient descent from 0 on the
    sum of log losses + regularisation |w|^2 / 2, step 1 / (largest singular value^2 / 4 + regularisation).
    Raises ValueError for features that are not finite, labels other than 1 and -1, or members other than 0 and 1. Also
    raises it for unlike lengths, a regularisation not above 0, or steps below 1.
    Source: Carlini and others 2022.  Notebook: 31_memory.
    """
    (features, labels), members = checked_records(features, labels), _bits("members", members)
    if members.shape[1] != len(features):
        arguments.refuse("members", f"shape {members.shape}", f"one row a model, of {len(features)} columns")
    regularisation = arguments.positive("regularisation", regularisation)
    signed = labels[:, None] * features
    step = 1 / (np.linalg.norm(signed, 2) ** 2 / 4 + regularisation)
    weights = np.zeros((len(members), features.shape[1]))
    for _ in range(arguments.whole("steps", steps, 1)):
        pulls = members * expit(-(weights @ signed.T))
        weights += step * (pulls @ signed - regularisation * weights)
    return weights @ signed.T


def lira_scores(margins, shadows, members):
    """How much likelier each margin is from models that had the record than from those that had not: log ratios.

    `margins` is (records,) or (targets, records); `shadows` and `members` are (models, records). Each record has two
    normals of its own, fitted to its shadows' margins; a deviation counts as at least 0.001. The target must not be
    among its own shadows. Returns scores of the shape of `margins`; high says "member". An attack.
    Raises ValueError for unlike shapes, members other than 0 and 1, or a record with fewer than two shadows in or out.
    Source: Carlini and others 2022, Algorithm 1.  Notebook: 31_memory.
    """
    margins, shadows = arguments.array("margins", margins), arguments.table("shadows", shadows)
    members = _bits("members", members)
    if members.shape != shadows.shape:
        arguments.refuse("members", f"shape {members.shape}", f"the shape of shadows, {shadows.shape}")
    if margins.ndim not in (1, 2) or margins.shape[-1] != shadows.shape[1]:
        arguments.refuse("margins", f"shape {margins.shape}", f"one number a record, {shadows.shape[1]} in a row")
    return _log_normal(margins, shadows, members) - _log_normal(margins, shadows, 1 - members)


def hits_at(inside, outside, false_alarms):
    """The share of members found by the lowest cut that accuses at most this share of the others. An attack's score.

    `inside` and `outside` are scores of members and of others. At most floor(false_alarms x others) of the others lie
    strictly above the cut; returned is the share of `inside` strictly above it.
    Raises ValueError for no scores, scores that are not finite, or false_alarms outside (0, 1).
    Source: Carlini and others 2022.  Notebook: 31_memory.
    """
    inside, outside = arguments.vector("inside", inside), np.sort(arguments.vector("outside", outside))
    allowed = math.floor(arguments.probability("false_alarms", false_alarms) * outside.size + 1e-9)
    allowed = min(allowed, outside.size - 1)  # a share below 1 spares somebody
    return float(np.mean(inside > outside[-1 - allowed]))


def _log_normal(margins, shadows, chosen):
    """The log density, but for a constant, of each margin under the normal law of the chosen shadows of its record."""
    number = chosen.sum(axis=0)
    if number.min() < 2:
        arguments.refuse("members", f"a record with {int(number.min())}", "at least 2 shadows with and without each")
    mean = (chosen * shadows).sum(axis=0) / number
    deviation = np.maximum(np.sqrt((chosen * (shadows - mean) ** 2).sum(axis=0) / number), LEAST_DEVIATION)
    return -(((margins - mean) / deviation) ** 2) / 2 - np.log(deviation)


def _bits(name, values):
    values = arguments.table(name, values)
    if not np.isin(values, (0, 1)).all():
        arguments.refuse(name, values, "0 or 1 for each record")
    return values
