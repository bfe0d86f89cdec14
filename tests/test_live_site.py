"""The live part of the site: the pages lead to it where it is, and it is made of what was verified.

`make site-test` runs this on the whole site, which SITE names.
"""

import json
import os
import re

import pytest
from bs4 import BeautifulSoup

from tools.book.contents import ROOT
from tools.book.lite import distribution

SITE = ROOT / os.environ.get("SITE", "build/site")
LITE = SITE / "lite"
pytestmark = pytest.mark.site


def test_pages_lead_to_the_live_part_where_it_is():
    for path in SITE.glob("[0-9][0-9]_*.html"):
        soup = BeautifulSoup(path.read_text(), "html.parser")
        links = [link["href"].partition("?path=")[2] for link in soup.select('a[href^="lite/"]')]
        assert bool(links) == (LITE.exists() and "_answers" not in path.name) or "_answers" in path.name
        assert all((LITE / "files" / name).is_file() for name in links), links


def test_what_the_live_part_is_made_of_has_its_sums_and_no_address():
    if not LITE.exists():  # left out, and no page leads to it
        return
    lock = (LITE / "static/python/pyodide-lock.json").read_text()
    for one in json.loads(lock)["packages"].values():
        distribution.verified(LITE / "static/python" / one["file_name"], one["sha256"])
    settings = (LITE / "jupyter-lite.json").read_text()
    for text in (lock, settings, (LITE / "static/python/dpbook.json").read_text()):
        assert "http" not in re.sub(r'"\$schema"[^\n]*', "", text) and str(ROOT) not in text
