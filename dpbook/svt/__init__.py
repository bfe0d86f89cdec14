"""The sparse vector technique (SVT): the rows of the book's Figure 7.2 run as written, and their exact probabilities.

`variants` says what each row draws and guarantees, and `runs` runs it. `selection` chooses the top, and `plain` does
the same as these two in loops that can be read. `exact` knows the probability of every output.
Source: 004 chapter 7.  Notebook: 14_svt.
"""

from dpbook.svt.exact import log_cdf, log_density, log_output_probability, output_probability, privacy_loss
from dpbook.svt.plain import plain_retraversal_selection, plain_sparse_vector
from dpbook.svt.runs import Trace, generalized_sparse_vector, sparse_vector, trace
from dpbook.svt.selection import exponential_selection, false_negative_rate, retraversal_selection, score_error_rate
from dpbook.svt.variants import (
    ALG12,
    ALG13,
    ALG14,
    ALG15,
    ALG16,
    ALG17,
    NOISE_INSIDE,
    Variant,
    alg18,
    counterexample,
    optimal_split,
)
