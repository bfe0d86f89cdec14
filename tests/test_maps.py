"""The data of chapter 09: maps that can be counted by hand, public bounds, files that are refused by name."""

import numpy as np
import pytest

from dpbook import data
from dpbook.data import maps


def test_a_grid_counts_each_record_once_rows_upwards():
    counts = maps.grid([0, 9.99, 10, 10], [0, 0, 5, 10], (0, 10), (0, 10), 2)
    assert counts.tolist() == [[1, 1], [0, 2]]


def test_real_maps_hold_every_record_within_public_bounds():
    table = maps.health_table()
    assert {name: len(column) for name, column in table.items()}.keys() == {
        "xage",
        "income",
        "meddol",
        "outpdol",
        "drugdol",
    }
    for column in table.values():
        assert len(column) == 20_190 and not column.synthetic
        assert column.bounds[0] <= column.values.min() and column.values.max() <= column.bounds[1]
    visits = data.health_insurance()["mdvis"]
    assert np.corrcoef(visits.values, np.log1p(table["outpdol"].values))[0, 1] > 0.5, (
        "the same records in the same order"
    )
    for name in ("age, income", "age, spending", "outpatient, drugs"):
        one = maps.health_map(name)
        assert one.counts.shape == (256, 256) and one.counts.sum() == 20_190 and not one.counts.flags.writeable
    assert maps.health_map("age, spending").counts[0].sum() == np.sum(
        table["meddol"].values < 10 ** (5.0000043 / 256) - 1
    )


def test_made_data_are_what_they_say():
    city = maps.city()
    assert city.counts.sum() == 93_000 and city.counts.shape == (256, 256) and np.mean(city.counts == 0) > 0.5
    levels = maps.steps().reshape(8, 128).mean(axis=1)
    assert np.all(np.abs(levels - [2, 40, 5, 0, 300, 8, 1, 20]) < 5 * np.sqrt(np.maximum(levels, 1) / 128))
    assert abs(maps.even().mean() - 20) < 5 * np.sqrt(20 / 1024)
    assert maps.steps(4096).size == 4096 and maps.even(10).size == 10


def test_the_reader_s_own_map(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("east,north,name\n0.5,0.5,a\n1.5,0.5,b\n1.5,1.5,c\n1.6,1.7,d\n")
    mine = maps.read_map(path, "east", "north", (0, 2), (0, 2), 2)
    assert mine.counts.tolist() == [[1, 1], [0, 2]] and (mine.x_label, mine.y_label) == ("east", "north")
    with pytest.raises(ValueError, match="no column 'west'; its columns are east, north, name"):
        maps.read_map(path, "west", "north", (0, 2), (0, 2), 2)
    with pytest.raises(ValueError, match="y must be within the public bounds"):
        maps.read_map(path, "east", "north", (0, 2), (0, 1), 2)
    with pytest.raises(ValueError, match="line 2"):
        maps.read_map(path, "name", "north", (0, 2), (0, 2), 2)
    with pytest.raises(ValueError, match="side"):
        maps.read_map(path, "east", "north", (0, 2), (0, 2), 0)
    with pytest.raises(ValueError, match="x_bounds"):
        maps.read_map(path, "east", "north", (2, 0), (0, 2), 2)


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("x", ([3], [1], (0, 2), (0, 2), 2)),
        ("y", ([1, 1], [1], (0, 2), (0, 2), 2)),
        ("x", ([np.nan], [1], (0, 2), (0, 2), 2)),
    ],
)
def test_bad_records_are_refused_by_name(name, arguments):
    with pytest.raises(ValueError, match=name):
        maps.grid(*arguments)


def test_unknown_maps_are_refused():
    with pytest.raises(ValueError, match="name"):
        maps.health_map("age")
    with pytest.raises(ValueError, match="bins"):
        maps.steps(3)
