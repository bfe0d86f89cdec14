"""Decision trees and classifying histograms from private counts: SuLQ-ID3, DiffPID3, DiffGen and PrivPfC.

`people` has what is asked of records and labels, `qualities` the scores of splits with their exact sensitivities.
`induction` has the trees (`plain` the recursion of the book), `additive` boosting, `generalising` DiffGen, `grids`
PrivPfC. `predicting` has what any of them says of a record.
Neighbours are add/remove throughout; under replace each epsilon is at most twice as large.
Source: 004 sections 5.3.2, 5.5.3 and 5.5.4.  Notebook: 12_trees.
"""

from dpbook.trees.additive import Additive, boosted_additive
from dpbook.trees.generalising import Partition, diffgen
from dpbook.trees.grids import (
    OVER,
    SPREAD,
    Grid,
    enumerate_grids,
    flip_probability,
    grid_error,
    halving_taxonomy,
    privpfc,
)
from dpbook.trees.induction import Tree, diffpid3, id3, least_size, random_tree, recomputing_id3, sulq_id3
from dpbook.trees.people import class_counts
from dpbook.trees.plain import plain_diffpid3
from dpbook.trees.predicting import leaf_of, predict
from dpbook.trees.qualities import (
    GINI,
    MAJORITY,
    Quality,
    gain_ratio,
    gini_score,
    information_gain,
    information_score,
    information_sensitivity,
    majority_score,
    normalised_gain,
)
