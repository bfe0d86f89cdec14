"""What a trained model remembers of one person, what differential privacy forbids, and tests that could show it.

One person is one message, one record or one canary, and neighbours add or remove one, unless a first line says
otherwise. Logs are natural; exposure is in bits. `text` holds a model of counts, `exposure` how far a secret shows in
it, and `membership` the attacks on a trained model. `one_run` holds the audit by coins, `reconstruction` tables from
published sums, and `tuning` what it costs to keep the best of many runs.
Source: beyond the seeds.  Notebook: 31_memory.
"""

from dpbook.memory.broken import best_by_training_accuracy, best_of_fixed, seen_cells_model
from dpbook.memory.exposure import code_scores, exposure, exposure_limit
from dpbook.memory.membership import hits_at, lira_scores, shadow_margins
from dpbook.memory.one_run import coin_canaries, one_run_bound, one_run_p_value
from dpbook.memory.reconstruction import consistent_blocks, linear_decoding
from dpbook.memory.text import LETTERS, complete, gaussian_model, gram_counts, laplace_model
from dpbook.memory.tuning import (
    best_log_probability,
    best_of_tries,
    draw_tries,
    mean_tries,
    tries_probability,
    tuned_divergences,
    tuned_epsilon,
)
