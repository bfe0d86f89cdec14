"""Build the site: `python -m tools.book.site [--no-answers] [--no-papers] [NN_stem ...]`; or `make site`.

build/site is the site, build/dpbook-site.zip the same to take along; what is needed between lies in build/site-work.
"""

import argparse
import contextlib
import json
import pathlib
import shutil
import sys
import time
from concurrent.futures import ProcessPoolExecutor

from tools.book import errata
from tools.book.contents import ROOT
from tools.book.lite import build as lite
from tools.book.site import films, matter, pages
from tools.book.site import live as workers

PLACE = ROOT / "build" / "site"
WORK = ROOT / "build" / "site-work"


def build(place=PLACE, work=WORK, only=(), answered=True, papers=True, live=True):
    """Write the site of all chapters, or of `only` these, into `place`; `work` keeps what need not be made again."""
    chapters = [chapter for chapter in matter.stored() if not only or chapter.name in only]
    names = [chapter.name for chapter in chapters]
    work.mkdir(parents=True, exist_ok=True)
    seconds = {}
    with timed("films", seconds), ProcessPoolExecutor(1) as aside:  # the claims are checked while the films are made
        rows = aside.submit(matter.claim_rows, work / "claims.json")
        films.make(names, work / "films")
        rows.result()
    source, extra = work / "pages", work / "extra"
    for folder in (source, extra):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    with timed("live part", seconds):
        live = live and lives(work / "live", only, answered)
    with timed("pages", seconds):
        write(chapters, source, extra, work / "films", answered, papers, live)
        sphinx(source, place, work, extra, names)
    if papers:
        from tools.book.site import paper

        with timed("PDFs and zip", seconds):
            paper.print_all(names, place)
            paper.pack(place, place.parent / f"dpbook-{place.name}.zip")
    if live:  # last: it is not in the zip
        shutil.move(work / "live", place / "lite")
    (work / "seconds.json").write_text(json.dumps(seconds))
    return place


def lives(folder, only, answered):
    """Make the part of the site that runs in the reader's browser; where it cannot be made, say why in one line."""
    shutil.rmtree(folder, ignore_errors=True)
    try:
        lite.build(folder, names=only, answered=answered)
    except (lite.Missing, RuntimeError) as missing:
        print(f"the live part is left out: {str(missing).splitlines()[0]}")
        return False
    return True


@contextlib.contextmanager
def timed(what, seconds):
    """Note in `seconds` how long a part took, by the clock."""
    begun = time.perf_counter()
    yield
    seconds[what] = time.perf_counter() - begun


def write(chapters, source, extra, filmed, answered, papers, live=False):
    """All pages, as Sphinx reads them."""
    names = [chapter.name for chapter in chapters]
    labels, words, rows = pages.labels(names), matter.glossary_words(), matter.claim_rows(filmed.parent / "claims.json")
    made = {name: json.loads((filmed / name / "films.json").read_text()) for name in names}
    writer = pages.Writer(
        source, extra, names, labels, [word for word, _, _ in words], matter.claimed(), made, answered, live
    )
    for chapter in chapters:
        with_answers = answered and matter.has_answers(chapter)
        writer.chapter(chapter.name, tools_line(chapter, with_answers, papers, live))
        if with_answers:
            writer.answers(chapter.name)
        not_shown = shutil.ignore_patterns("key", "*.json")
        shutil.copytree(filmed / chapter.name, extra / "films" / chapter.name, ignore=not_shown)
        (extra / "notebooks").mkdir(exist_ok=True)
        (extra / "notebooks" / f"{chapter.name}.ipynb").write_text(pages.to_run(chapter.name))
    if live:
        workers.write(names, extra / "live")
    texts = {
        "index": matter.front(chapters, answered, papers, writer.opening, live),
        "tours": matter.tours(chapters),
        "glossary": writer.links(matter.glossary(words)),
        "numbered": matter.numbered(labels),
        "claims": matter.claims(rows),
        "bibliography": matter.works(chapters),
        "accessibility": matter.ACCESSIBILITY,
    }
    if matter.has_errata(chapters):
        texts["errata"] = writer.prose(matter.listed_errata())
        (extra / "errata.json").write_text(json.dumps(errata.records(), indent=1, ensure_ascii=False))
    for name, text in (texts | matter.package()).items():
        (source / f"{name}.md").write_text(text)


def tools_line(chapter, with_answers, papers, live=False):
    """What can be done with a page, under its title."""
    here = f'<a href="{pages.LIVE}notebooks/{chapter.name}.ipynb">Open this page live</a> · '
    links = [f'<a href="notebooks/{chapter.name}.ipynb" download>Notebook</a>']
    links += [f'<a href="papers/{chapter.name}.pdf">PDF</a>'] if papers else []
    links += [f'<a href="{chapter.name}_answers.html">Answers</a>'] if with_answers else []
    return f'<p class="page-tools">{pages.served(here) if live else ""}{" · ".join(links)}</p>'


def sphinx(source, place, work, extra, names, builder="html"):
    """Run Sphinx; a warning is an error."""
    from sphinx.cmd.build import build_main

    here = pathlib.Path(__file__).parent
    settings = {"formula_store": work / "formulas.json", "html_extra_path": extra, "reading_order": ",".join(names)}
    words = ["--quiet", "--fail-on-warning", "--keep-going", "--jobs", "2", "--conf-dir", here, "--builder", builder]
    words += ["--doctree-dir", work / "doctrees", *(f"--define={name}={value}" for name, value in settings.items())]
    shutil.rmtree(place, ignore_errors=True)
    if code := build_main([str(word) for word in [*words, source, place]]):
        raise SystemExit(code)


def main(words):
    parser = argparse.ArgumentParser(prog="python -m tools.book.site", description="Build the book as a site.")
    parser.add_argument("names", nargs="*", help="these chapters only, such as 03_laplace")
    parser.add_argument("--place", type=pathlib.Path, default=PLACE)
    parser.add_argument("--no-answers", action="store_true", help="without the answers to the tasks")
    parser.add_argument("--no-papers", action="store_true", help="without PDFs and zip")
    parser.add_argument("--no-live", action="store_true", help="without the part that runs in the reader's browser")
    asked = parser.parse_args(words)
    place = build(
        asked.place.absolute(), WORK, asked.names, not asked.no_answers, not asked.no_papers, not asked.no_live
    )
    took = ", ".join(f"{what} {part:.0f} s" for what, part in json.loads((WORK / "seconds.json").read_text()).items())
    print(f"{place / 'index.html'} ({took})")


if __name__ == "__main__":
    main(sys.argv[1:])
