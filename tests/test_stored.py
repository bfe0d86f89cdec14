"""What pages show and do not compute: rows of stored tables come out again, and none is missing or left over."""

import pytest

from tools.book.papers import correlated, marginals, memory, parties, stored, synthetic

PAPERS = [correlated, marginals, memory, parties, synthetic]
VOTERS = {"survey": "election", "pull": 0.01, "epsilon": 0.5}
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
        (synthetic, "races", {"attributes": 8, "method": "independent", "epsilon": 1.0}),
        (synthetic, "races", {"attributes": 8, "method": "MST", "epsilon": 1.0}),
        (synthetic, "predicting", {"method": "real records"}),
        (synthetic, "predicting", {"method": "7 pairs", "epsilon": 0.1}),
        (synthetic, "points", {"axes": 2, "method": "grid", "epsilon": 1.0}),
        (synthetic, "points", {"axes": 2, "method": "Evolution", "epsilon": 1.0}),
        (parties, "rounds", {"users": 50, "local_steps": 1, "epsilon": 1.0}),
        (parties, "rounds", {"users": 500, "local_steps": 1, "epsilon": 0.3}),
        (correlated, "race", VOTERS | {"method": "square root"}),
        (correlated, "race", VOTERS | {"method": correlated.COINS}),
        (memory, "text", {"context": 1, "most": 20}),
        (memory, "audits", {"audit": "one run", "trainings": 1, "claim": 8.0}),
        (memory, "audits", {"audit": "one run, all named", "trainings": 1, "claim": 4.0}),
        (memory, "audits", {"audit": "one canary", "trainings": 256, "claim": 8.0}),
        (memory, "tuning", {"way": "one at random", "epsilon": 1.0}),
    ],
)
def test_a_stored_row_comes_out_again(paper, name, setting):
    ((row, full),) = [
        (row, full)
        for row, full in zip(stored.read(paper.STEM)[name], paper.TABLES[name].settings, strict=True)
        if full.items() >= setting.items()
    ]
    for key, median in stored.again(paper.TABLES[name], full, row["draws"]).items():
        assert row[key] == pytest.approx(median, rel=2e-3, abs=2e-6)
