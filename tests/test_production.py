"""Page 23: what it stored was made by the very snippets that it shows, at the pinned versions, and says what it says.

The libraries are not installed here; `make production` runs the snippets. What is tested is that the stored results
belong to the page, and that the verdicts in its text follow from them.
"""

import json
import math
import pathlib
import re

import numpy as np
import pytest
from scipy import stats

from dpbook.audit import clopper_pearson
from dpbook.gaussian import gaussian_scale
from dpbook.laplace import geometric_log_probability
from tests.alarms import FALSE_ALARM, counts_pvalue
from tools.book import production

ROOT = pathlib.Path(__file__).parents[1]
STORED = json.loads(production.STORED.read_text(encoding="utf-8"))
RAN = STORED["snippets"]


def test_the_snippets_that_were_run_are_those_that_are_shown():
    assert {name: row["code"] for name, row in RAN.items()} == production.snippets(), "run `make production`"
    assert list(RAN) == list(production.snippets()) and len(RAN) > 10


def test_they_were_run_at_the_pinned_versions():
    pins = dict(line.split("==") for line in (ROOT / "constraints-production.txt").read_text().split())
    assert {name: pins[name] for name in STORED["versions"]} == STORED["versions"]
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", STORED["date"])
    text = production.PAGE.read_text(encoding="utf-8")
    assert f"OpenDP {pins['opendp']}" in text and f"diffprivlib {pins['diffprivlib']}" in text.replace("\n# ", " ")


def test_the_page_prints_the_output_of_each_snippet_or_uses_what_it_kept():
    text = production.PAGE.read_text(encoding="utf-8")
    for name in RAN:
        assert f'printed("{name}")' in text, name
        assert len(RAN[name]["printed"]) > 5, name
    for name in set(re.findall(r'kept\("([^"{]+)"\)', text)):
        assert RAN[name]["keep"] is not None
    assert production.STORED.stat().st_size < production.MOST


def test_what_is_not_run_has_no_name_and_two_of_one_name_are_refused(tmp_path):
    page = tmp_path / "page.py"
    block = "# ```python\n# # OpenDP: one\n# print(1)\n#\n# for i in ():\n#     pass\n# ```\n"
    page.write_text(f"# %% [markdown]\n# text\n#\n{block}\n# %%\nx = 1\n# ```python\n# # OpenDP: no text\n# ```\n")
    assert production.snippets(page) == {"OpenDP: one": "print(1)\n\nfor i in ():\n    pass\n"}
    page.write_text(f"# %% [markdown]\n{block}#\n{block}")
    with pytest.raises(ValueError, match="different names"):
        production.snippets(page)


def test_a_run_gives_what_was_printed_and_kept_library_by_library(monkeypatch):
    monkeypatch.setattr(production.importlib.metadata, "version", lambda name: f"{name} 1")
    codes = {
        "OpenDP: a": "x = ages[0]\nprint(x)\nkeep = [x]",
        "diffprivlib: a": "print('x' in globals())",
        "OpenDP: b": "print(x + 1)",
    }
    ran = production.run(codes, {"ages": [7]})
    assert [row["printed"] for row in ran["snippets"].values()] == ["7\n", "False\n", "8\n"]
    assert [row["keep"] for row in ran["snippets"].values()] == [[7], None, None]
    assert ran["versions"]["opendp"] == "opendp 1"


# The verdicts that the text gives.


def counts(name, size):
    return {int(value): number for value, number in RAN[name]["keep"][str(size)].items()}


@pytest.mark.parametrize("size", [20, 100])
def test_opendp_and_the_book_have_the_same_law_for_a_count(size):
    """Chi-square at 1e-6, and the law at 1.1 epsilon is refused."""
    stored = counts("OpenDP: a count", size)
    places = np.arange(size - 12, size + 13)
    seen = np.append([stored.get(int(place), 0) for place in places], 0)
    seen[-1] = sum(stored.values()) - seen.sum()
    for factor, fits in ((1.0, True), (1.1, False)):
        chances = np.exp(geometric_log_probability(places, size, 1, factor))
        assert (counts_pvalue(seen, np.append(chances, 1 - chances.sum())) > FALSE_ALARM) == fits


def test_diffprivlibs_count_is_clipped_and_otherwise_the_same():
    for size in (5, 20, 100):
        stored = counts("diffprivlib: a count", size)
        assert max(stored) == size and min(stored) >= 0
    stored = counts("diffprivlib: a count", 100)
    below = np.exp(geometric_log_probability(np.arange(60, 100), 100, 1, 1.0)).sum()
    assert stats.binomtest(sum(stored.values()) - stored[100], sum(stored.values()), below).pvalue > FALSE_ALARM


def test_the_relations_are_mixed_as_the_text_says():
    kept = RAN["diffprivlib: relations"]["keep"]
    (seen, unseen), runs = kept["count 21"], kept["runs"]
    assert unseen == 0 and math.log(clopper_pearson(seen, runs, 5e-4)[0] / clopper_pearson(0, runs, 5e-4)[1]) > 5
    bounds = kept["bounds"]
    assert bounds["sum from 36 to 42, add/remove"] > 4 and 1 < bounds["histogram, replace"] <= 2
    assert bounds["sum from 36 to 42, replace"] <= 1


def test_the_scales_of_the_libraries_are_as_the_text_says():
    for epsilon, scales in RAN["diffprivlib: normal noise"]["keep"].items():
        exact = gaussian_scale(1, float(epsilon), 1e-6)
        assert scales["GaussianAnalytic"] == pytest.approx(exact, rel=1e-4)
        assert 1.02 < RAN["OpenDP: normal noise"]["keep"][epsilon] / exact < 1.2
    assert RAN["OpenDP: normal noise"]["keep"]["1.0"] == pytest.approx(4.5309, abs=1e-4)


def test_the_empty_cluster_and_the_bits_convict_as_the_text_says():
    clusters = RAN["diffprivlib: k-means"]["keep"]
    without, joined = np.array(clusters["without"]), np.array(clusters["with"])
    assert np.all((without > 0.125) & (without < 0.875)) and np.mean((joined < 0.125) | (joined > 0.875)) > 0.1
    losses = {}
    for name in ("OpenDP: bits", "diffprivlib: bits"):
        zero, one = (10_000 - RAN[name]["keep"][value][13] for value in ("0", "1"))
        low, high = clopper_pearson(zero, 10_000, 2.5e-4)[0], clopper_pearson(one, 10_000, 2.5e-4)[1]
        losses[name] = math.log(low / high)
    assert losses["diffprivlib: bits"] > 5 and losses["OpenDP: bits"] < 1
    claimed, seen = RAN["OpenDP: squares"]["keep"]
    assert seen > 1.2 * claimed
