"""Learning by noisy steps: gradient descent on logistic regression in which every record's pull is clipped (DP-SGD).

A record is a vector of features and a label of 1 or -1; the objective is a sum over records. The relation is
add/remove: one record moves a sum of clipped gradients by at most `norm`. A `Recipe` holds the five public numbers.
`account` works out what a training guarantees, `training` trains (one model, or thousands at once), `broken` has two
known bugs.
Source: beyond the seeds.  Notebook: 26_gradients.
"""

from dpbook.gradients.account import Recipe, training_epsilon, training_multiplier
from dpbook.gradients.broken import floored_training, mean_clipped_training
from dpbook.gradients.training import (
    Training,
    add_canary,
    clip_rows,
    clipped_gradient,
    dp_sgd,
    poisson_sample,
    train,
)
