"""004, what chapters 4 to 8 say of experiments, without numbers of their own; the data are ours, most of them real."""

import functools
import itertools
import math

import numpy as np

from dpbook import clustering, data, marginals, partitions, regression, stability, svt, trees
from dpbook.data import maps
from dpbook.data.attributes import affairs_codes, health_attributes
from dpbook.exponential import private_median
from dpbook.histograms import flat_histogram, haar_histogram, hierarchical_histogram, squared_error
from dpbook.laplace import laplace_mechanism
from tools.book.papers import Experiment
from tools.book.papers.sweep import grid

BINS = 1024


@functools.cache
def counts_of(dataset):
    """A histogram of up to 1,024 bins."""
    return {
        "visits": lambda: np.bincount(data.health_insurance()["mdvis"].values, minlength=366),
        "net trace": lambda: data.net_trace().values.reshape(BINS, -1).sum(axis=1),
        "search logs": lambda: data.search_logs().values.reshape(BINS, -1).sum(axis=1),
        "steps": lambda: np.asarray(maps.steps(BINS)),
    }[dataset]()


def ranges(dataset, epsilon, rng):
    """Sections 4.2 and 4.4: root mean squared error over all ranges."""
    counts = counts_of(dataset)
    guard = 2 + 2 * math.log(counts.size)
    methods = {
        "flat": lambda: flat_histogram(counts, epsilon, rng),
        "binary tree": lambda: hierarchical_histogram(counts, 2, epsilon, rng),
        "tree, b = 16": lambda: hierarchical_histogram(counts, 16, epsilon, rng),
        "Haar": lambda: haar_histogram(counts, epsilon, rng),
        "NoisyFirst": lambda: partitions.spread(partitions.noisy_first(counts, guard, epsilon, rng)),
        "DAWA, sound": lambda: partitions.spread(partitions.dawa(counts, 0.25, 16, epsilon, rng)),
        "P-HPartition": lambda: partitions.spread(partitions.p_hpartition(counts, 0.5, 6, epsilon, rng)),
        "EFPA": lambda: partitions.enhanced_fourier(counts, 0.5, epsilon, rng).counts,
    }
    return {name: math.sqrt(squared_error(release(), counts)) for name, release in methods.items()}


@functools.cache
def map_of(dataset):
    return maps.city().counts if dataset == "city" else maps.health_map(dataset).counts


def rectangles(dataset, epsilon, rng):
    """Sections 4.3 and 4.4: root mean squared error over all rectangles, records."""
    truth = map_of(dataset)
    bought = max(laplace_mechanism(truth.sum(), 1, 0.05 * epsilon, rng), 1.0)
    rest = 0.95 * epsilon
    releases = {
        "flat": laplace_mechanism(truth, 1, epsilon, rng),
        "UG": partitions.uniform_grid(truth, partitions.grid_side(bought, 10, rest), rest, rng),
        "AG": partitions.adaptive_grid(truth, partitions.first_side(bought, 10, rest), 0.5, 10, rest, rng),
        "quadtree": partitions.quadtree(truth, 6, epsilon, rng),
        "KD-standard": partitions.kd_tree(truth, 8, 0, 0.3, epsilon, rng),
        "KD-hybrid": partitions.kd_tree(truth, 8, 4, 0.3, epsilon, rng),
        "KD-cell": partitions.kd_cell(truth, 32, 3.0, epsilon, rng),
    }
    filled = {n: partitions.fill(one, truth.shape) if hasattr(one, "boxes") else one for n, one in releases.items()}
    return {name: math.sqrt(partitions.rectangle_error(one, truth)) for name, one in filled.items()}


@functools.cache
def patients():
    """5,912 patients: ln(1 + visits) and the disease index, in the unit box."""
    table = data.health_insurance()
    first = np.unique(data.health_insurance_person(), return_index=True)[1]
    columns = np.column_stack([np.log1p(table["mdvis"].values), table["disea"].values])[first]
    return clustering.unit_box(columns, ([0, 0], [math.log(366), 100]))


@functools.cache
def best_cost():
    """The cost of the best of 20 runs of Lloyd's, without privacy."""
    starts = (clustering.spread_centroids(2, 3, np.random.default_rng(seed)) for seed in range(20))
    return min(clustering.cost(patients(), clustering.lloyd(patients(), start, 50).centroids) for start in starts)


def clusters(epsilon, rng):
    """Sections 5.3 to 5.6: cost of k-means, k = 3, over the best without privacy."""
    points, start = patients(), clustering.spread_centroids(2, 3, rng)
    found = {
        "DPLloyd, 5 rounds": clustering.dplloyd(points, start, 5, epsilon, rng).centroids,
        "DPLloyd, 20 rounds": clustering.dplloyd(points, start, 20, epsilon, rng).centroids,
        "EUGkM": clustering.eugkm(
            points, clustering.grid_side(len(points), 2, epsilon), 3, epsilon, rng, rounds=10, starts=3
        ).centroids,
        "hybrid": clustering.hybrid_kmeans(
            points, clustering.grid_side(len(points), 2, epsilon / 2), 3, epsilon, rng
        ).centroids,
        "GkM": clustering.gkm(points, math.floor(len(points) ** 0.4), 3, 5, epsilon, rng),
        "PrivGene": clustering.privgene_kmeans(
            points, 3, clustering.privgene_rounds(len(points), epsilon), epsilon, rng
        ).candidate,
    }
    return {name: clustering.cost(points, centroids) / best_cost() for name, centroids in found.items()}


@functools.cache
def women():
    """Fair's survey in the unit ball: features and labels, for training and held out."""
    table = data.affairs_prediction()
    features = regression.unit_ball(table.features, table.bounds)
    return features[::2], table.answers[::2], features[1::2], table.answers[1::2]


def classifiers(epsilon, rng):
    """Section 5.2 and 5.4: accuracy of logistic regression on held-out women; the spring of the first two is 10."""
    x, y, held, truth = women()
    rounds = int(np.clip(len(x) * epsilon / 800, 2, 60))
    few = int(np.clip(len(x) * epsilon / 8000, 2, 60))
    log = regression.LOGISTIC
    weights = {
        "output": regression.output_perturbation(x, y, 10.0, log, epsilon, rng),
        "objective": regression.objective_perturbation(x, y, 10.0, log, epsilon, rng),
        "functional": regression.functional_logistic_regression(x, y, epsilon, rng),
        "ExpSearch": regression.search_regression(x, y, log, rounds, epsilon, rng).candidate,
        "PrivGene": regression.privgene_regression(x, y, log, few, epsilon, rng, population=40).candidate,
    }
    found = {name: float(regression.accuracy(w, held, truth)) for name, w in weights.items()}
    return found | {"always the larger": max(np.mean(truth > 0), np.mean(truth < 0))}


@functools.cache
def questionnaires():
    """Fair's survey as codes: sizes, taxonomies, and both halves."""
    _, sizes, records, label = affairs_codes()
    order = np.random.default_rng(12).permutation(len(records))
    held, kept = ((records[part], label[part]) for part in (order[:1500], order[1500:]))
    return sizes, [trees.halving_taxonomy(size) for size in sizes], kept, held


def grown(epsilon, rng):
    """Sections 5.3 to 5.6: accuracy of trees and of histograms on held-out women."""
    sizes, taxonomies, (x, y), (held, truth) = questionnaires()
    made = {
        "SuLQ": trees.sulq_id3(x, y, sizes, 2, 2, epsilon, rng),
        "DiffPID3": trees.diffpid3(x, y, sizes, 2, 2, trees.MAJORITY, epsilon, rng),
        "DiffGen": trees.diffgen(x, y, taxonomies, 2, 4, trees.GINI, epsilon, rng),
        "PrivPfC": trees.privpfc(x, y, taxonomies, 2, 200, epsilon, rng),
    }
    found = {name: float(np.mean(trees.predict(one, held) == truth)) for name, one in made.items()}
    return found | {"always the larger": float(max(np.mean(truth), 1 - np.mean(truth)))}


@functools.cache
def questions():
    """16 yes-or-no answers of 20,190 person-years; which pairs and triples are asked, and their tables."""
    records = health_attributes()[1][:, :16]
    rng = np.random.default_rng(13)
    asked = [tuple(rng.choice(16, size, replace=False).tolist()) for size in (2,) * 20 + (3,) * 8]
    return records, asked, marginals.marginals(records, asked)


def off(told, truth, total):
    return float(np.mean([marginals.table_error(a, b) for a, b in zip(told, truth, strict=True)]) / total)


def tables(epsilon, rng):
    """Sections 6.2 and 6.3: mean error of pairs, as a share of the records."""
    records, asked, truth = questions()
    pairs, shown = asked[:20], truth[:20]
    every = list(itertools.combinations(range(16), 2))
    full = marginals.flat_table(records, epsilon, rng)
    direct = dict(zip(every, marginals.direct_marginals(records, every, epsilon, rng), strict=True))
    ordered = [direct[tuple(sorted(p))] if tuple(sorted(p)) == p else direct[tuple(sorted(p))].T for p in pairs]
    waves = marginals.fourier_marginals(records, 2, epsilon, rng)
    views = marginals.priview(records, marginals.covering_design(16, 8, 2), epsilon, rng)
    told = {
        "flat": [marginals.project(full, range(16), p) for p in pairs],
        "direct": ordered,
        "Fourier": [marginals.table_from(waves, p) for p in pairs],
        "PriView": [marginals.answer(views, p) for p in pairs],
    }
    return {name: off(some, shown, len(records)) for name, some in told.items()}


def remedies(epsilon, rng):
    """Section 6.3.3: cells below zero left, cut, or rippled once or four times, six views of eight; pairs."""
    records, asked, truth = questions()
    views = marginals.covering_design(16, 8, 2)
    agreed = marginals.consistent(views, marginals.noisy_views(records, views, epsilon, rng))
    small = len(views) / (4 * epsilon)
    rippled = [agreed]
    for _ in range(4):
        rippled.append(marginals.consistent(views, [marginals.ripple(table, small, 5) for table in rippled[-1]]))
    cut = marginals.consistent(views, [marginals.cut_at_zero(table) for table in agreed])
    ways = {"left": agreed, "cut": cut, "ripple once": rippled[1], "ripple four times": rippled[4]}
    found = {}
    for name, some in ways.items():
        synopsis = marginals.Synopsis(views, some)
        found[name] = off([marginals.answer(synopsis, one) for one in asked[:20]], truth[:20], len(records))
    return found


def rebuilt(epsilon, rng):
    """Section 6.3.2: triples that no view holds, by three ways, from 20 views of 4."""
    records, asked, truth = questions()
    views = marginals.covering_design(16, 4, 2)
    synopsis = marginals.priview(records, views, epsilon, rng)
    uncovered = [i for i in range(20, 28) if not any(set(asked[i]) <= set(view) for view in views)]
    ways = {
        "maximum entropy": marginals.maximum_entropy,
        "least squares": marginals.least_norm,
        "linear programme": marginals.least_violation,
    }
    shown, found = [truth[i] for i in uncovered], {}
    for name, way in ways.items():
        told = [marginals.answer(synopsis, asked[i], reconstruct=way) for i in uncovered]
        found[name] = off(told, shown, len(records))
    return found


def multiplicative(rounds, passes, rng):
    """Section 6.2.5: MWEM on ten attributes at epsilon 1, one pass a round or 100."""
    records = health_attributes()[1][:, :10]
    pairs = list(itertools.combinations(range(10), 2))
    truth = marginals.marginals(records, pairs)
    full = marginals.mwem(records, 2, rounds, len(records), 1.0, rng, passes=passes)
    return {"error": off([marginals.project(full, range(10), pair) for pair in pairs], truth, len(records))}


@functools.cache
def together():
    """How many women ticked each two answers of Fair's survey: 923 counts, a woman in 28 of them."""
    codes, records = affairs_codes()[1:3]
    ticked = np.concatenate([records[:, [i]] == np.arange(size) for i, size in enumerate(codes)], axis=1).astype(float)
    owner = np.repeat(np.arange(len(codes)), codes)
    both = ticked.T @ ticked
    return np.array([both[i, j] for i, j in itertools.combinations(range(owner.size), 2) if owner[i] != owner[j]])


def selections(c, epsilon, rng):
    """Section 7.4.1: the share of the top c that is missed; SVT gets the true answer at rank c as its threshold."""
    queries = rng.permutation(together())
    threshold = np.sort(queries)[-c]
    best = svt.alg18(*svt.optimal_split(epsilon, c, True))
    high = threshold + math.sqrt(2) * best.scales(1, c, epsilon, True).query
    found = {
        "EM": svt.exponential_selection(queries, 1, c, epsilon, rng, monotonic=True),
        "retraversal": svt.retraversal_selection(queries, high, 1, c, epsilon, rng, variant=best, monotonic=True),
    }
    for name, variant in {"best split": best, "Algorithm 12": svt.ALG12, "Algorithm 13": svt.ALG13}.items():
        said = svt.sparse_vector(queries, threshold, 1, c, epsilon, rng, variant=variant, monotonic=True)
        found[f"SVT, {name}"] = np.flatnonzero(said)
    found["Laplace on all"] = np.argsort(-laplace_mechanism(queries, 28, epsilon, rng))[:c]
    return {name: float(svt.false_negative_rate(chosen, queries, c)) for name, chosen in found.items()}


MEDIANS = {
    "ages": (lambda: data.election()["age"].values, (18, 120)),
    "visits": (lambda: data.health_insurance()["mdvis"].values, (0, 365)),
}


def middles(dataset, epsilon, rng):
    """Section 8.1: the absolute error of a private median under replace; EM on the known whole numbers, or on 1,001."""
    values, bounds = MEDIANS[dataset][0](), MEDIANS[dataset][1]
    truth, beta = stability.lower_median(values), epsilon / 6
    half, laplace_beta = epsilon / 2, stability.smooth_laplace_beta(epsilon, 1e-6)
    smooth = {at: stability.median_smooth_sensitivity(values, bounds, at) for at in (beta, half, laplace_beta)}
    found = {
        "EM, known grid": private_median(values, np.arange(bounds[0], bounds[1] + 1), epsilon / 2, rng),
        "EM, 1,001 points": private_median(values, np.linspace(*bounds, 1001), epsilon / 2, rng),
        "smooth, published": stability.cauchy_release(truth, smooth[beta], beta, epsilon, rng, scale=6 / epsilon),
        "smooth, half": stability.cauchy_release(truth, smooth[half], half, epsilon, rng),
        "smooth Laplace, delta": stability.smooth_laplace_release(truth, smooth[laplace_beta], epsilon, rng),
    }
    return {name: float(abs(one - truth)) for name, one in found.items()}


HISTOGRAMS = grid(dataset=["visits", "net trace", "search logs", "steps"], epsilon=[0.01, 0.1, 1.0])
MAPS = grid(dataset=["age, spending", "age, income", "city"], epsilon=[0.1, 1.0])
OF_MEDIANS = grid(dataset=list(MEDIANS), epsilon=[0.05, 0.1, 0.2, 1.0])
EXPERIMENTS = [
    Experiment("004_section_4_ranges", ranges, HISTOGRAMS, draws=400),
    Experiment("004_section_4_maps", rectangles, MAPS),
    Experiment("004_section_5_clusters", clusters, grid(epsilon=[0.05, 0.2, 1.0]), chunk=5),
    Experiment("004_section_5_regression", classifiers, grid(epsilon=[0.01, 0.1, 1.0]), chunk=5),
    Experiment("004_section_5_trees", grown, grid(epsilon=[0.05, 0.1, 0.5, 1.0]), chunk=5),
    Experiment("004_section_6_tables", tables, grid(epsilon=[0.1, 1.0]), chunk=5),
    Experiment("004_section_6_negatives", remedies, grid(epsilon=[0.1, 1.0]), chunk=5),
    Experiment("004_section_6_uncovered", rebuilt, grid(epsilon=[0.1, 1.0]), chunk=5),
    Experiment("004_section_6_mwem", multiplicative, grid(rounds=[4, 8, 16], passes=[1, 100]), chunk=5),
    Experiment("004_section_7_selection", selections, grid(c=[5, 10, 20, 50], epsilon=[0.2]), draws=1000, chunk=100),
    Experiment("004_section_8_median", middles, OF_MEDIANS, draws=200, chunk=50),
]
