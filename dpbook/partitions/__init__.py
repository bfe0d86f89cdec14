"""Where do the cells come from? Blocks of a histogram, cells of a map, and waves, chosen privately or before the data.

One dimension: `blocks` (merging after the noise), `structure` (edges first), `dyadic` (DAWA: blocks that look alike),
`fourier` (waves). Two: `grids` (uniform and adaptive), `cuts` (quadtree and k-d trees), `privtree`. All for
neighbours that add or remove one record; a replaced record costs 2 epsilon.
Source: 004 section 4.3.  Notebook: 09_partitions.
"""

from dpbook.partitions.blocks import (
    Blocks,
    best_blocks,
    interval_deviations,
    merge_small,
    noisy_first,
    pool_small,
    spread,
)
from dpbook.partitions.cuts import balanced_tree, cut_quality, kd_cell, kd_tree, quadtree, tree_inference
from dpbook.partitions.dyadic import (
    alone_log_probability,
    block_sensitivity,
    dawa,
    noisy_partition,
    partition_law,
    sampled_partition,
    shipped_loss,
    shipped_partition,
    split_chances,
)
from dpbook.partitions.fourier import (
    Waves,
    enhanced_fourier,
    fourier_histogram,
    fourier_sensitivity,
    kept_law,
    magnitude_only_fourier,
    wave_noise,
    wave_quality,
)
from dpbook.partitions.grids import (
    Cells,
    adaptive_grid,
    boundaries,
    consistent_leaves,
    corner_sums,
    fill,
    first_side,
    grid_noise_error,
    grid_side,
    leaf_side,
    own_leaves,
    printed_leaves,
    rectangle_error,
    uniform_grid,
)
from dpbook.partitions.privtree import privtree, privtree_boxes
from dpbook.partitions.structure import (
    median_costs,
    p_hpartition,
    structure_first,
    structure_law,
)
