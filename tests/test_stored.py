"""What pages show and do not compute: rows of stored tables come out again, and none is missing or left over."""

import pytest

from tools.book.papers import correlated, marginals, memory, parties, stored, synthetic

PAPERS = [correlated, marginals, memory, parties, synthetic]
pytestmark = pytest.mark.depends("dpbook", "notebooks", "tests/test_stored.py", "tools/book/papers")


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.STEM)
def test_a_stored_table_holds_a_row_for_each_setting(paper):
    rows = stored.read(paper.STEM)
    assert rows.keys() == paper.TABLES.keys()
    for name, table in paper.TABLES.items():
        wanted = [setting | {"draws": table.draws(setting)} for setting in table.settings]
        assert all(row.items() >= one.items() for row, one in zip(rows[name], wanted, strict=True)), name


@pytest.mark.parametrize(
    ("paper", "name", "setting"),
    [
        (marginals, "race", {"noise": "Laplace", "method": "20 views of 4"}),
        (marginals, "race", {"noise": "Gaussian", "method": marginals.DIRECT}),
        (marginals, "race", {"noise": "Gaussian", "method": marginals.WAVES}),
    ],
)
def test_a_stored_row_comes_out_again(paper, name, setting):
    (row,) = [row for row in stored.read(paper.STEM)[name] if row.items() >= setting.items()]
    (full,) = [one for one in paper.TABLES[name].settings if one.items() >= setting.items()]
    for key, median in stored.again(paper.TABLES[name], full, row["draws"]).items():
        assert row[key] == pytest.approx(median, rel=1e-3, abs=2e-6)
