"""The tables of page 90: what each thing is called here and elsewhere."""

import importlib
import inspect
import pathlib
import pkgutil
import re

import pytest

import dpbook
from tools.book.site import matter

pytestmark = pytest.mark.depends("notebooks", "dpbook", "book.toml")
PAGE = pathlib.Path(__file__).parents[1] / "notebooks" / "90_reference.py"
LIBRARIES = ["dp-accounting", "OpenDP", "diffprivlib", "Opacus"]


def rows():
    """The table of names: one list of cells a row, the head first."""
    table = re.search(r"(?m)^# \| here \| the field \|.*\n(?:# \|.*\n)+", PAGE.read_text(encoding="utf-8"))[0]
    head, _, *rest = table.splitlines()
    return [[cell.strip() for cell in row.strip("# |").split(" | ")] for row in (head, *rest)]


def names_of_the_package():
    """Every public function and class of the chapters, and every parameter and field of theirs."""
    found = set()
    for module in pkgutil.walk_packages(dpbook.__path__, "dpbook."):
        if module.name.startswith(("dpbook.claims", "dpbook.check", "dpbook.live")):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            if callable(value) and getattr(value, "__module__", "").startswith("dpbook"):
                found |= {name, *inspect.signature(value).parameters} if inspect.isfunction(value) else {name}
                found |= set(getattr(value, "_fields", ()))
    return found


def test_what_is_named_here_is_here():
    head, *table = rows()
    assert head == ["here", "the field", *LIBRARIES] and len(table) > 20
    ours = {name for row in table for name in re.findall(r"`(\w+)`", row[0])}
    assert len(ours) > 15 and not ours - names_of_the_package()


def test_a_row_names_it_in_some_library_and_no_cell_is_empty():
    for row in rows()[1:]:
        assert len(row) == 6 and all(row), row
        assert any(cell.startswith("`") for cell in row[2:]), row
        assert all(cell == "–" or re.fullmatch(r"`\w+`", cell) for cell in row[2:]), row


FIELD = {"privacy loss distribution", "hockey-stick divergence", "dominating pair", "Rényi DP", "moments accountant"}
FIELD |= {"analytic Gaussian mechanism", "noise multiplier", "report noisy max", "user-level privacy"}
FIELD |= {"sufficient statistics perturbation", "partition selection", "amplification by subsampling"}


def test_the_words_of_the_field_stand_in_the_index():
    assert not FIELD - {word for word, _, _ in matter.glossary_words()}
