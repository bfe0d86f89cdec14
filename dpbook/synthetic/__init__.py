"""Synthetic records: choose tables, buy them with noise, fit one model, draw records from it.

Records are rows of whole numbers, tables are counts, as in `dpbook.marginals`. Neighbours add or remove one record
unless a first line says otherwise: a table moves by 1 in one cell. Budgets are rho-zCDP, made of (epsilon, delta) by
`gaussian.zcdp_rho`. What costs is choosing and buying; fitting, drawing and judging the model are post-processing.
Source: beyond the seeds; McKenna, Miklau, Sheldon 2021.  Notebook: 28_synthetic.
"""

from dpbook.synthetic.broken import (
    avoiding_records,
    copied_records,
    smoothed_loss,
    smoothed_records,
    unpaid_tree,
)
from dpbook.synthetic.evolution import Evolution, nearest_votes, private_evolution
from dpbook.synthetic.judging import closest_distances, empty_balls, table_variation, workload_error
from dpbook.synthetic.junction import JunctionTree, junction_tree, tree_cells
from dpbook.synthetic.model import Measurement, Model, estimated_total, fit_model, measure
from dpbook.synthetic.records import draw_records, whole_counts
from dpbook.synthetic.selection import (
    Synthesis,
    aim,
    edge_scores,
    independent,
    mst,
    selection_epsilon,
    spanning_tree,
)
