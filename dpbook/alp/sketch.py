"""Sketches of sparse vectors: what ALP releases, how it is saved and read back, and the hash functions under it.

Nothing here is private by itself; `alp` makes the releases.  Source: 003.  Notebook: 20_alp.
"""

import zipfile
from dataclasses import asdict, dataclass

import numpy as np

from dpbook import arguments


@dataclass(frozen=True)
class Sketch:
    """What `alp_projection` releases: `bits`, one row a level, its buckets packed 8 to a byte.

    `seed` makes the public hash functions, one a level. Nothing but `bits` has seen the data.
    """

    bits: np.ndarray
    d: int
    buckets: int
    alpha: float
    beta: float
    epsilon: float
    seed: int

    @property
    def levels(self):
        return len(self.bits)

    @property
    def size_in_bits(self):
        return self.levels * self.buckets

    @property
    def ones(self):
        """The fraction of ones among the buckets of each level."""
        return np.unpackbits(self.bits, axis=1, count=self.buckets, bitorder="little").mean(axis=1)


@dataclass(frozen=True)
class ThresholdRelease:
    """What `threshold_alp` releases: the noisy entries above the threshold, and a sketch of all."""

    indices: np.ndarray
    values: np.ndarray
    sketch: Sketch

    @property
    def size_in_bits(self):
        """A stored entry counts with the bits of its index and 64 for its value."""
        return self.indices.size * (64 + (self.sketch.d - 1).bit_length()) + self.sketch.size_in_bits


def save_sketch(file, release):
    """Write a `Sketch` or a `ThresholdRelease` to a path that ends in .npz, or to an open binary file.

    Notebook: 20_alp.
    """
    sketch = release.sketch if isinstance(release, ThresholdRelease) else release
    stored = {} if sketch is release else {"indices": release.indices, "values": release.values}
    np.savez(file, **asdict(sketch), **stored)


def read_sketch(file):
    """The `Sketch` or `ThresholdRelease` that `save_sketch` wrote.

    Raises ValueError for a file that holds neither.  Notebook: 20_alp.
    """
    try:
        with np.load(file, allow_pickle=False) as stored:
            parts = dict(stored)
    except (ValueError, TypeError, EOFError, zipfile.BadZipFile):
        parts = {}
    entries = [parts.pop(name) for name in ("indices", "values") if name in parts]
    if set(parts) != set(Sketch.__dataclass_fields__) or len(entries) == 1:
        arguments.refuse("file", sorted(parts), "a file written by save_sketch")
    sketch = Sketch(**{name: part if part.ndim else part.item() for name, part in parts.items()})
    return ThresholdRelease(*entries, sketch) if entries else sketch


def sparse_entries(x):
    """The entries of x above 0 as (ascending indices, values, d).

    `x` is a list of d numbers, or (indices, values, d). Raises ValueError for numbers below 0 or
    not finite, and for indices that are not whole, repeated, or outside 0 ... d - 1.
    """
    if isinstance(x, tuple) and len(x) == 3 and np.ndim(x[0]) == 1:
        d = arguments.whole("d", x[2], 1, 2**62)
        keys, values = arguments.integers("indices", x[0]), arguments.array("values", x[1])
        if keys.shape != values.shape:
            arguments.refuse("values", f"shape {values.shape}", f"one number an index, shape {keys.shape}")
        order = np.argsort(keys)
        keys, values = keys[order], values[order]
        if keys.size and (keys[0] < 0 or keys[-1] >= d or np.any(np.diff(keys) == 0)):
            arguments.refuse("indices", x[0], f"distinct whole numbers from 0 to {d - 1}")
    else:
        values = arguments.vector("x", x, "a non-empty list of finite numbers, or (indices, values, d)")
        keys, d = np.arange(values.size), values.size
    if np.any(values < 0):
        arguments.refuse("x", values.min(), "numbers, none below 0")
    return keys[values > 0], values[values > 0], d


def hashed(keys, levels, buckets, seed):
    """The bucket of each key at each level: two rounds of splitmix64 mixing over the seed.

    `keys` and `levels` are whole-number arrays that broadcast against each other.
    """
    stream = mixed(np.asarray(levels).astype(np.uint64) + np.uint64(seed))
    words = mixed(np.asarray(keys).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + stream)
    words >>= np.uint64(32)
    words *= np.uint64(buckets)
    words >>= np.uint64(32)
    return words.view(np.int64)


def mixed(words):
    """The mixing step of splitmix64: each bit of the result hangs on every bit of a 64-bit word."""
    words = words ^ (words >> np.uint64(30))
    words *= np.uint64(0xBF58476D1CE4E5B9)
    words ^= words >> np.uint64(27)
    words *= np.uint64(0x94D049BB133111EB)
    words ^= words >> np.uint64(31)
    return words


def read_bits(sketch, keys, levels):
    """The bits of `keys` on each of `levels`, one row a level: nothing else of the table is read."""
    rows = levels[:, None]
    places = hashed(keys, rows, sketch.buckets, sketch.seed)
    where = ((places >> 3) + rows * sketch.bits.shape[1]).astype(np.intp)
    read = np.take(sketch.bits, where)  # a third of the time of [rows, places >> 3]
    return (read >> (places & 7).astype(np.uint8)) & 1
