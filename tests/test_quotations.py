"""What page 22 quotes stands in its source, word for word; without the texts digests refuse a changed quotation."""

import json
import tomllib

import pytest

from tools.book import quotations

ROWS = tomllib.loads(quotations.ERRATA.read_text(encoding="utf-8"))
RECORD = json.loads(quotations.RECORD.read_text(encoding="utf-8"))
WORDS = 30  # of a short quotation


def test_each_quotation_was_found_in_its_source():
    """By digest, and no digest is left over; where the texts are, each is looked up again."""
    every = quotations.quotations(ROWS)
    kept = [(name, one) for name, found in RECORD["quotations"].items() for one in found]
    assert [(name, quotations.digest(quoted)) for name, _, quoted in every] == kept and len(every) > 60, (
        "`make quotations` looks up what was changed or added"
    )
    if folder := quotations.texts():
        assert quotations.record(ROWS, folder) == RECORD


def test_quotations_are_short_and_have_their_surroundings():
    assert all(len(quoted.split()) <= WORDS for *_, quoted in quotations.quotations(ROWS))
    bare = [name for name, row in ROWS.items() if row["source"] != "software" and '"' in row.get("printed", "")]
    assert not [name for name in bare if not ROWS[name].get("around")], "say what the source says around it"


SOURCE = r"""Proposition 2.7 suggests that we should use the *unbounded* interpre-
tation of  $\epsilon$ -DP wherever possible. “Therefore,” it ends, we use unbounded DP in this book."""


@pytest.mark.parametrize(
    ("quoted", "there"),
    [
        ("we should use the unbounded interpretation", True),
        (r"interpretation of $\varepsilon$-DP wherever", True),
        ("Proposition 2.7 ... wherever possible", True),
        ("we use the unbounded interpretation wherever possible", False),  # spliced: no such words in a row
        ("wherever possible ... Proposition 2.7", False),
        ("we should use the bounded interpretation", False),
    ],
)
def test_a_quotation_is_found_word_for_word_or_not_at_all(quoted, there, tmp_path):
    (tmp_path / "004_text.txt").write_text(SOURCE, encoding="utf-8")
    assert (quotations.found(quoted, quotations.read(tmp_path, "004")) is not None) == there
    rows = {"E07": {"source": "004", "printed": f'"{quoted}", it says'}}
    if there:
        kept = quotations.record(rows, tmp_path)["quotations"]["E07"]
        assert list(kept) == [quotations.digest(quoted)] and quoted not in json.dumps(kept)
    else:
        with pytest.raises(ValueError, match="not found: E07: " + quoted[:5]):
            quotations.record(rows, tmp_path)


def test_a_changed_quotation_has_no_digest():
    rows = {name: dict(row) for name, row in ROWS.items()}
    rows["E24"]["around"] = rows["E24"]["around"].replace("unclear", "certain")
    changed = [quotations.digest(quoted) for name, _, quoted in quotations.quotations(rows) if name == "E24"]
    assert set(changed) - set(RECORD["quotations"]["E24"])


def test_the_command_writes_digests_and_refuses_what_is_not_there(tmp_path, monkeypatch, capsys):
    (tmp_path / "004_text.txt").write_text(SOURCE, encoding="utf-8")
    rows, record = tmp_path / "errata.toml", tmp_path / "quotations.json"
    monkeypatch.setenv("DPBOOK_SOURCES", str(tmp_path))
    monkeypatch.setattr(quotations, "ERRATA", rows)
    monkeypatch.setattr(quotations, "RECORD", record)
    rows.write_text("[E01]\nsource = '004'\nprinted = '\"in this book\"'\n", encoding="utf-8")
    assert quotations.main() == 0 and "1 quotations of 1 sources" in capsys.readouterr().out
    assert "this book" not in record.read_text() and list(json.loads(record.read_text())["quotations"]) == ["E01"]
    rows.write_text("[E01]\nsource = '004'\nprinted = '\"in that book\"'\n", encoding="utf-8")
    assert quotations.main() == 1 and "not found: E01: in that book" in capsys.readouterr().out
