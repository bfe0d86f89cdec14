"""Short messages, made: what a keyboard might learn from.

Notebook: 31_memory.
"""

import functools

import numpy as np

NAMES = "anna boris clara david emil fatima greta henry iris jonas karin lena marco nadia oscar paula".split()
VERBS = "meets calls thanks visits helps teaches invites follows".split()
TIMES = ("today", "tonight", "at noon", "on monday", "on friday", "after work", "before lunch", "next week")
PLACES = (
    "in town", "at home", "by the river", "near school", "in the park", "at the market", "on the bridge",
    "in the garden",
)  # fmt: skip
SEED = 31


@functools.cache
def messages():
    """Made by a fixed seed, and so no real person's words: 2,000 messages, "who verb who when where.", as a tuple.

    One message is one person's. They have no digits, and no word in them ends in "de". Installed texts would change
    with their versions, and the numbers of the chapter with them.
    """
    rng = np.random.default_rng(SEED)
    words = (NAMES, VERBS, NAMES, TIMES, PLACES)
    columns = [rng.choice(kind, 2000) for kind in words]
    return tuple(" ".join(parts) + "." for parts in zip(*columns, strict=True))
