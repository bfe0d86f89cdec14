"""The map on the first page is complete and its links are right, whichever chapters there are."""

import pathlib
import re

NOTEBOOKS = pathlib.Path(__file__).parent.parent / "notebooks"
PAGE = (NOTEBOOKS / "00_start_here.py").read_text(encoding="utf-8")
STEMS = (
    "start_here incidents composition laplace exponential averages meaning local histograms partitions clustering "
    "regression trees marginals svt stability compressive continual sensing projection alp audit errata production"
).split()
CHAPTERS = [f"{number:02}_{stem}" for number, stem in enumerate(STEMS)]


def test_the_map_names_every_chapter_and_links_those_that_exist():
    rows = re.findall(r"^# \| (\d\d) \| (.+?) \| (.+?) \|$", PAGE, flags=re.MULTILINE)
    expected = []
    for chapter, stem in zip(CHAPTERS, STEMS, strict=True):
        written = (NOTEBOOKS / f"{chapter}.py").exists()
        expected.append((chapter[:2], f"[{stem}]({chapter}.ipynb)" if written else f"{stem} (to come)"))
    assert [(number, title) for number, title, _ in rows] == expected


def test_every_notebook_is_on_the_map():
    assert {source.stem for source in NOTEBOOKS.glob("*.py")} <= set(CHAPTERS)


def test_every_link_of_the_page_leads_somewhere():
    links = re.findall(r"\]\(([^)#]+\.ipynb)\)", PAGE)
    assert links and all((NOTEBOOKS / link).with_suffix(".py").exists() for link in links)
