"""The first page leads into the book: every link of it goes somewhere. Its map is checked in test_house.py."""

import pathlib
import re

NOTEBOOKS = pathlib.Path(__file__).parent.parent / "notebooks"
PAGE = (NOTEBOOKS / "00_start_here.py").read_text(encoding="utf-8")


def test_every_link_of_the_page_leads_somewhere():
    links = re.findall(r"\]\(([^)#]+\.ipynb)\)", PAGE)
    assert links and all((NOTEBOOKS / link).with_suffix(".py").exists() for link in links)
