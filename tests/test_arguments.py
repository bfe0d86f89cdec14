"""arguments: each check lets the good through unchanged and refuses the bad with a sentence that names it."""

import numpy as np
import pytest

from dpbook import arguments

BAD = [
    (arguments.number, [None, "1", True, np.nan, np.inf, [1.0], 1j]),
    (arguments.positive, [0, 0.0, -1, -0.5, np.nan, np.inf, -np.inf, "one", False]),
    (arguments.probability, [0, 1, -0.1, 1.1, np.nan]),
    (arguments.nonnegative, [-1e-300, -1, np.nan, np.inf, None]),
    (arguments.share, [-0.001, 1.001, np.nan, "1", True]),
    (arguments.share_below_one, [-0.001, 1, 1.0, 2, np.nan]),
    (arguments.flag, [0, 1, None, "True", [True]]),
    (arguments.ascending, [[], [1, 1], [2, 1], [0, np.nan], 3]),
    (arguments.table, [[], [[]], [1, 2], [[1, np.inf]], [[[1]]]]),
    (arguments.integers, [[1.5], [np.inf], ["1"], [True], True, 2**62 + 1, [2**63], [2.0**54], [[1], [1, 2]]]),
    (arguments.array, ["abc", np.nan, np.inf, np.float64(-np.inf), [1, np.nan], [[1], [1, 2]], [1j]]),
    (arguments.vector, [[], 3, [[1, 2]], [np.inf], None]),
    (arguments.counts, [[], [-1], [1, np.nan], 4]),
    (arguments.interval, [(1, 1), (2, 1), (0,), (0, 1, 2), (0, np.inf), 3]),
    (arguments.generator, [None, 1, np.random, np.random.RandomState(1)]),
]


@pytest.mark.parametrize(("check", "came"), [(check, came) for check, cases in BAD for came in cases])
def test_refusal_names_the_argument_what_came_and_what_was_expected(check, came):
    with pytest.raises(ValueError, match=r"^thing must be .+; got ") as refusal:
        check("thing", came)
    assert str(refusal.value).endswith(repr(came))


@pytest.mark.parametrize("came", [1.0, 2, 7, True, "3", np.nan])
def test_whole_keeps_to_its_range(came):
    with pytest.raises(ValueError, match="at least 3 and at most 6; got"):
        arguments.whole("bins", came, 3, 6)
    assert arguments.whole("bins", np.int64(4), 3, 6) == 4


def test_good_values_pass_unchanged():
    assert arguments.positive("epsilon", np.float32(0.5)) == 0.5
    assert arguments.probability("p", 0.25) == 0.25
    assert arguments.vector("values", (1, 2)).tolist() == [1.0, 2.0]
    assert arguments.counts("counts", [0, 3]).tolist() == [0.0, 3.0]
    assert [arguments.nonnegative("scale", value) for value in (0, 2.5)] == [0.0, 2.5]
    assert [arguments.share("part", value) for value in (0, 1)] == [0.0, 1.0]
    assert [arguments.share_below_one("delta", value) for value in (0, 0.999)] == [0.0, 0.999]
    assert [arguments.flag("monotonic", value) for value in (True, np.False_)] == [True, False]
    assert arguments.integers("values", [1.0, -3]).tolist() == [1, -3]
    assert arguments.table("records", [[1, 2]]).tolist() == [[1.0, 2.0]]
    assert arguments.interval("bounds", [36, 42]) == (36.0, 42.0)
    rng = np.random.default_rng(1)
    assert arguments.generator("rng", rng) is rng


@pytest.mark.parametrize(
    ("check", "came"),
    [
        (arguments.number, 10**400),
        (arguments.positive, 10**400),
        (arguments.array, [10**400]),
        (arguments.array, np.array(["1", 2], dtype=object)),
        (lambda name, came: arguments.one_of(name, came, ("a", "b")), np.array(["a", "b"])),
    ],
    ids=["number", "positive", "array", "text in an array", "an array among options"],
)
def test_what_numpy_or_python_would_stumble_over_is_refused_by_name(check, came):
    with pytest.raises(ValueError, match=r"^epsilon must be .*; got "):
        check("epsilon", came)
