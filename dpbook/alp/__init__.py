"""The ALP mechanism (approximate Laplace projection): a sparse vector in a small table of noisy bits.

`mechanism` makes and reads the releases, and `plain` does the same in loops that can be read. `sketch` holds them,
`exact` knows their privacy loss.
Source: 003, with the corrections that the notebook shows.  Notebook: 20_alp.
"""

from dpbook.alp.exact import alp_log_probability, move_loss, one_entry_epsilon, tail_bound
from dpbook.alp.mechanism import (
    alp_estimate,
    alp_projection,
    coins,
    likelihood_steps,
    threshold_alp,
    threshold_estimate,
    threshold_vector,
    threshold_vector_as_printed,
    unit_steps,
    zero_threshold,
)
from dpbook.alp.plain import plain_alp_estimate, plain_alp_projection
from dpbook.alp.sketch import Sketch, ThresholdRelease, read_bits, read_sketch, save_sketch
