"""Records of many attributes, real, synthetic, and the reader's own."""

import numpy as np
import pytest

from dpbook import data
from dpbook.data.attributes import affairs_attributes, exclusive_or, health_attributes, read_categories
from dpbook.marginals import marginal


def test_health_has_32_real_questions():
    names, records = health_attributes()
    assert len(set(names)) == 32 and records.shape == (20_190, 32) and not records.flags.writeable
    assert set(np.unique(records)) == {0, 1}
    assert len(np.unique(records[:, :16], axis=0)) == 4116
    table = data.health_insurance()
    assert np.array_equal(records[:, names.index("doctor")], table["mdvis"].values > 0)
    assert np.array_equal(records[:, names.index("good health")], table["hlthg"].values == 1)
    assert not (records[:, names.index("doctor 5+")] > records[:, names.index("doctor")]).any()


def test_affairs_has_eight():
    names, records = affairs_attributes()
    assert len(names) == 8 and records.shape == (6366, 8)
    assert records[:, names.index("affair")].sum() == (data.affairs()["affairs"].values > 0).sum()


def test_exclusive_or_is_seen_by_three_only():
    names, records = exclusive_or()
    assert len(names) == 9 and np.array_equal(records[:, 2], records[:, 0] ^ records[:, 1])
    assert np.abs(marginal(records, (0, 2)) / 5000 - 1).max() < 0.05
    assert not np.array_equal(exclusive_or(0.5)[1], records)


def test_the_readers_own_categories(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("city,age,smokes\nParis,young,no\n Rome ,old,yes\n\nParis,old,no\n")
    names, records, sizes = read_categories(path, {"smokes": ["no", "yes"], "city": ["Oslo", "Paris", "Rome"]})
    assert names == ("smokes", "city") and sizes == (2, 3) and records.tolist() == [[0, 1], [1, 2], [0, 1]]
    assert marginal(records, (1, 0), sizes=sizes).tolist() == [[0, 0], [2, 0], [0, 1]]


@pytest.mark.parametrize(
    ("text", "categories", "words"),
    [
        ("", {"a": ["x"]}, "it is empty"),
        ("a,b\n1,2\n", {"c": ["1"]}, "no column 'c'; its columns are a, b"),
        ("a,a\n1,2\n", {"a": ["1"]}, "more than one column"),
        ("a,b\n1,2\n1\n", {"a": ["1"]}, "line 3: expected 2 cells; got 1"),
        ("a,b\n1,2\n3,2\n", {"a": ["1", "2"]}, "line 3: expected one of 1, 2 in column 'a'; got '3'"),
        ("a,b\n1,2\n", {"a": ["1", "1"]}, "different possible cells"),
        ("a,b\n1,2\n", {"a": []}, "different possible cells"),
        ("a,b\n1,2\n", {"a": "1"}, "different possible cells"),
        ("a,b\n1,2\n", {}, "at least one column"),
        ("a,b\n", {"a": ["1"]}, "records below"),
    ],
)
def test_a_file_that_will_not_do_is_told_why(tmp_path, text, categories, words):
    path = tmp_path / "mine.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=words):
        read_categories(path, categories)
