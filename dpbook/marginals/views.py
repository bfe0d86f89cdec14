"""PriView: buy a few overlapping tables (views), make them agree and non-negative, and answer any table from them.

Only `noisy_views` sees the data. In the basis of waves (Walsh coefficients; cosines where an attribute has more than
two values) the views hold noisy copies of the same numbers. Making them agree is one weighted mean a number.
Source: 004 section 6.3; Qardaji, Yang, Li, 2014.  Notebook: 13_marginals.
"""

import itertools
import math
from typing import NamedTuple

import numpy as np

from dpbook import arguments
from dpbook.laplace import laplace_mechanism
from dpbook.marginals.fits import maximum_entropy
from dpbook.marginals.negatives import ripple
from dpbook.marginals.tables import checked_order, checked_set, checked_sets, marginals, project
from dpbook.marginals.waves import checked_tables, from_waves, view_waves


class Synopsis(NamedTuple):
    """What PriView publishes: the `views` (tuples of attributes) and their `tables`, one axis an attribute."""

    views: list
    tables: list


def noisy_views(records, views, epsilon, rng, *, sizes=None):
    """Release the tables over `views` with epsilon-DP (add/remove): noise of scale len(views)/epsilon on every cell.

    `views` are sets of attributes, chosen without looking at the records; `sizes` as for `marginal`. Returns a list of
    tables, which disagree where views overlap. Raises ValueError as `marginal` does, for no views or a bad epsilon.
    Source: 004 section 6.3.1, step 2.  Notebook: 13_marginals.
    """
    truth = marginals(records, checked_sets("views", views), sizes=sizes)
    return [laplace_mechanism(table, len(truth), epsilon, rng) for table in truth]


def mutual_consistency(views, tables, attributes):
    """Make the views that hold all of `attributes` agree on the table over them; the others are left as they are.

    Their projections are averaged with weights 1/cells (equal for views of one size, as 004 has it). Each view's
    difference is then spread evenly over the cells that a cell of the projection sums. Post-processing. Returns a list.
    Raises ValueError for tables that do not fit their views. Source: 004 equation (6.6) and the update after it, whose
    denominator 2^|V| - |A| should be 2^(|V| - |A|) (E51).  Notebook: 13_marginals.
    """
    return _agree(views, tables, attributes, lambda cells, part: cells / part)


def printed_consistency(views, tables, attributes):
    """As `mutual_consistency`, with the denominator that 004 prints, 2^|V| - |A|: the views still do NOT agree.

    Source: 004 section 6.3.3 (E51).  Notebook: 13_marginals.
    """
    return _agree(views, tables, attributes, lambda cells, part: cells - len(attributes))


def _agree(views, tables, attributes, denominator):
    views, tables = checked_tables(views, tables)
    attributes = checked_set("attributes", attributes)
    holding = [place for place, view in enumerate(views) if set(attributes) <= set(view)]
    if not holding:
        return tables
    parts = [project(tables[place], views[place], attributes) for place in holding]
    best = np.average(parts, axis=0, weights=[1 / tables[place].size for place in holding])
    for place, part in zip(holding, parts, strict=True):
        view = views[place]
        spread = (best - part) / denominator(tables[place].size, part.size)
        inner = sorted(attributes, key=view.index)
        shape = [size if a in attributes else 1 for a, size in zip(view, tables[place].shape, strict=True)]
        turned = spread.transpose([attributes.index(a) for a in inner])
        tables[place] = tables[place] + turned.reshape(shape)
    return tables


def consistent(views, tables):
    """The tables over `views` that agree on all they share and are closest to the given ones, in least squares.

    Each wave coefficient is averaged over the views that hold it, with weights 1/cells of a view: no order of steps,
    any sizes. For noise of one scale this is the best linear unbiased estimate. Post-processing. Returns a list.
    Raises ValueError for tables that do not fit their views, or views that give an attribute different sizes.
    Source: 004 section 6.3.3 does it step by step, for views of one size (Lemma 6.2).  Notebook: 13_marginals.
    """
    views, tables = checked_tables(views, tables)
    _, which, mean = view_waves(views, tables)
    ends = np.cumsum([table.size for table in tables])[:-1]
    best = np.split(mean[which], ends)
    return [from_waves(part.reshape(table.shape)) for part, table in zip(best, tables, strict=True)]


def priview(records, views, epsilon, rng, *, threshold=None, rounds=5, sizes=None):
    """Release a `Synopsis` of the records over `views` with epsilon-DP (add/remove): any table comes of it by `answer`.

    Noisy views, made consistent, rippled (cells below -threshold, for at most `rounds`), made consistent again; all
    after the first is post-processing. `threshold` is in records, by default len(views) / (4 epsilon), our choice: 004
    says small. Raises ValueError as `noisy_views` and `ripple` do.
    Source: 004 section 6.3; Qardaji, Yang, Li, 2014.  Notebook: 13_marginals.
    """
    views = checked_sets("views", views)
    noisy = noisy_views(records, views, epsilon, rng, sizes=sizes)
    threshold = len(views) / (4 * epsilon) if threshold is None else threshold
    agreed = consistent(views, noisy)
    return Synopsis(views, consistent(views, [ripple(table, threshold, rounds) for table in agreed]))


def answer(synopsis, attributes, *, reconstruct=maximum_entropy):
    """The table over `attributes` from the views of a `Synopsis`: summed from a view that holds them all, else fitted.

    `reconstruct` is `maximum_entropy`, `least_norm` or `least_violation`. Summed tables may have cells below zero,
    fitted ones do not. Post-processing. Raises ValueError for an attribute that no view holds.
    Source: 004 section 6.3.2.  Notebook: 13_marginals.
    """
    attributes = checked_set("attributes", attributes)
    for view, table in zip(*synopsis, strict=True):
        if set(attributes) <= set(view):
            return project(table, view, attributes)
    return reconstruct(*synopsis, attributes).table


def view_error(views, attributes, *, sizes=None):
    """Expected squared error in V_u of the table over `attributes`, held by a view, after `consistent` alone. Exact.

    Every wave of the table is averaged over all views that hold it. `sizes` as for `marginal`.
    Raises ValueError if no view holds all attributes. Source: ours; 004 (6.7) is an overestimate.
    Notebook: 13_marginals.
    """
    views, attributes = checked_sets("views", views), checked_set("attributes", attributes)
    if not any(set(attributes) <= set(view) for view in views):
        arguments.refuse("attributes", attributes, "a set that lies within a view")
    size = dict(enumerate(sizes)) if sizes is not None else dict.fromkeys(itertools.chain(*views), 2)
    precision = [(set(view), 1 / math.prod(size[a] for a in view)) for view in views]
    total = 0.0
    for number in range(len(attributes) + 1):
        for chosen in itertools.combinations(attributes, number):
            held = sum(weight for view, weight in precision if view.issuperset(chosen))
            total += math.prod(size[a] - 1 for a in chosen) / held
    return len(views) ** 2 * total / math.prod(size[a] for a in attributes)


def guideline_error(d, size, views):
    """004's guide to the squared error of a pair from `views` views of `size` attributes: (6.7) squared, in V_u.

    Source: 004 equation (6.7), without the N.  Notebook: 13_marginals.
    """
    d, size = checked_order(d, arguments.whole("size", size, 2))
    return 2.0**size * arguments.whole("views", views, 1) * d * (d - 1) / (size * (size - 1))
