"""Views made to agree, wave by wave.

`dpbook.marginals.views.consistent` takes all means at once; a test holds them together.
Source: 004 section 6.3.3.  Notebook: 13_marginals.
"""

from collections import defaultdict

import numpy as np

from dpbook.marginals.waves import checked_tables, from_waves, to_waves


def plain_consistent(views, tables):
    """The tables of `consistent`, from a dict of the waves that the views hold; post-processing.

    Same arguments and errors. Source: 004 section 6.3.3.  Notebook: 13_marginals.
    """
    views, tables = checked_tables(views, tables)
    waves = [to_waves(table) for table in tables]
    total, weight = defaultdict(float), defaultdict(float)
    for view, coefficients in zip(views, waves, strict=True):
        for place, copy in np.ndenumerate(coefficients):
            total[_wave(view, place)] += copy / coefficients.size
            weight[_wave(view, place)] += 1 / coefficients.size
    agreed = []
    for view, table in zip(views, tables, strict=True):
        means = np.zeros(table.shape)
        for place in np.ndindex(table.shape):
            wave = _wave(view, place)
            means[place] = total[wave] / weight[wave]  # the same in every view that holds this wave
        agreed.append(from_waves(means))
    return agreed


def _wave(view, place):
    """Which wave a coefficient is: its number on each attribute that it sees."""
    return frozenset((attribute, number) for attribute, number in zip(view, place, strict=True) if number > 0)
