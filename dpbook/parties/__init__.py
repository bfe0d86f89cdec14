"""Without a curator: sums of masked numbers, noise in pieces, shuffled reports, users who train together.

The list of parties is known, so that neighbours replace one party's value, but for federated training, where a user
is added or removed. `local` is the epsilon of one report, `epsilon` that of what comes out; `honest` is the least
number of parties that stay and do not tell. There is no network and no cryptography here: one generator plays all
keys, so that this is for teaching, not for releases.
Source: beyond the seeds; Bonawitz and others 2017; Feldman, McMillan, Talwar 2021.  Notebook: 29_parties.
"""

from dpbook.parties.masks import (
    additive_shares,
    bits_proved,
    masked,
    modular_sum,
    pairwise_masks,
    shamir_secret,
    shamir_shares,
)
from dpbook.parties.noise import (
    geometric_share,
    geometric_share_loss,
    lattice_sum,
    lattice_sum_delta,
    rounded_sum,
    rounded_sum_delta,
    share_probabilities,
    skellam_delta,
    skellam_epsilon,
    wrap_chance,
)
from dpbook.parties.shuffling import (
    blanket_delta,
    blanket_epsilon,
    clones_delta,
    clones_epsilon,
    clones_formula,
    lie_gain,
    shuffled_delta,
    shuffled_epsilon,
    shuffled_reports,
)
from dpbook.parties.sums import bare_threshold, secure_histogram, secure_sum
from dpbook.parties.users import Plan, averaged_training, clipped_update, federated_training
