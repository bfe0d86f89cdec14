"""Private k-means: rounds of noisy sums, one noisy grid, blocks that vote, and evolution.

Points live in the unit box [-1, 1]^d: `unit_box` takes them there, from public bounds. Every mechanism refuses a
point outside; nothing is clipped. Costs and distances are those of the box. A point belongs to the FIRST of its
nearest centroids, and a round's clusters are made once, before any centroid moves. A noisy round's centroids are
post-processing of its noisy sums and counts. Where the noisy count is above 1, the centroid becomes the quotient,
cut to the box; else it stays. Guarantees are for add/remove unless a docstring says otherwise; k, rounds, sides,
blocks and starts are public. The clusters are exact arithmetic: rounding may send a point that lies just between
two centroids to either.

`points`: the box, Lloyd's algorithm without privacy, starts. `rounds`: DPLloyd. `grids`: histograms, EUGkM and the
hybrid. `rivals`: GkM and PrivGene.
Source: 004 sections 5.1.1, 5.3.1, 5.4.1, 5.5.1, 5.5.2 and 8.2.  Notebook: 10_clustering.
"""

from dpbook.clustering.grids import (
    GridClusters,
    eugkm,
    grid_centres,
    grid_counts,
    grid_side,
    hybrid_kmeans,
    lei_side,
)
from dpbook.clustering.points import (
    Clusters,
    cost,
    forgy_centroids,
    from_unit_box,
    lloyd,
    nearest,
    spread_centroids,
    unit_box,
)
from dpbook.clustering.rivals import (
    breed_centroids,
    candidate_spread,
    gkm,
    printed_gkm,
    privgene_kmeans,
    privgene_rounds,
)
from dpbook.clustering.rounds import (
    balanced_count_share,
    dplloyd,
    growing_shares,
    halving_shares,
    inplace_dplloyd,
    suggested_rounds,
)
