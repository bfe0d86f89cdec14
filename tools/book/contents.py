"""The contents of the book, from `book.toml`: `python -m tools.book.contents` writes them wherever they stand.

That is README's table, the map and the tours on page 00, and on every page the link to the answers of its tasks and the
last line, which leads to the chapters before and after. `--check` writes nothing and names the files that are out of
step.
"""

import pathlib
import re
import sys
import tomllib
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAP, TOURS = "## Map of the book", "### Tours"


@dataclass(frozen=True)
class Chapter:
    """A chapter of the book: its row in `book.toml`."""

    number: str
    stem: str
    holds: str
    minutes: int
    part: str
    title: str = ""

    @property
    def name(self):
        return f"{self.number}_{self.stem}"

    @property
    def source(self):
        return ROOT / "notebooks" / f"{self.name}.py"

    @property
    def is_there(self):
        return self.source.exists()

    @property
    def heading(self):
        return f"{self.number} {self.title}"


@dataclass(frozen=True)
class Tour:
    """A reading order: the numbers of its chapters."""

    name: str
    reader: str
    numbers: list


def read():
    """The chapters, in the order of the book, and the tours."""
    book = tomllib.loads((ROOT / "book.toml").read_text(encoding="utf-8"))
    tours = [Tour(tour["name"], tour["for"], tour["chapters"]) for tour in book["tour"]]
    return [Chapter(**row) for row in book["chapter"]], tours


def chapters():
    """The chapters whose pages are there, in the order of the book."""
    return [chapter for chapter in read()[0] if chapter.is_there]


def readme_table():
    """README's table of what is inside."""
    rows = [
        f"| [{chapter.number} {chapter.stem.replace('_', ' ')}](notebooks/{chapter.name}.ipynb) | {chapter.holds} |"
        for chapter in chapters()
    ]
    return "\n".join(["| chapter | you will see |", "|---|---|", *rows])


def map_rows():
    """The map on page 00: every chapter of the book, those to come without a link."""
    rows = []
    for chapter in read()[0]:
        place = f"[{chapter.stem}]({chapter.name}.ipynb)" if chapter.is_there else f"{chapter.stem} (to come)"
        rows.append(f"| {chapter.number} | {place} | {chapter.holds} |")
    return "\n".join(["| number | chapter | what it holds |", "|---|---|---|", *rows])


def tour_lines():
    """The tours on page 00, with the time that their chapters take."""
    every, tours = read()
    lines = []
    for tour in tours:
        there = [
            chapter for number in tour.numbers for chapter in every if chapter.number == number and chapter.is_there
        ]
        links = ", ".join(f"[{chapter.number}]({chapter.name}.ipynb)" for chapter in there)
        hours = sum(chapter.minutes for chapter in there) / 60
        lines.append(f"- **{tour.name}** ({hours:.0f} hours of reading), for {tour.reader}: {links}.")
    return "\n".join(lines)


def way(chapter):
    """The last line of a page: to the chapter before it and the one after it."""
    there = chapters()
    place = there.index(chapter)
    leads = [("Previous", there[place - 1])] if place else []
    leads += [("Next", there[place + 1])] if place + 1 < len(there) else []
    return " · ".join(f"**{word}:** [{other.heading}]({other.name}.ipynb)" for word, other in leads)


def answers_line(chapter):
    """The lines under "On your own" that link the answers, where there are any."""
    place = f"exercises/answers/{chapter.name}"
    there = (ROOT / f"{place}.py").exists()
    return f"#\n# A hint and an answer for each: [{place}](../{place}.ipynb).\n" if there else ""


def as_comment(text):
    """A Markdown text as lines of a page's source."""
    return "\n".join(f"# {line}".rstrip() for line in text.splitlines())


def wanted():
    """What every file that shows contents should hold: a dict from its path to its text."""
    texts = {}
    readme = ROOT / "README.md"
    table = r"\| chapter \| you will see \|\n(\|.*\n)+"
    texts[readme] = re.sub(table, lambda _: readme_table() + "\n", readme.read_text(encoding="utf-8"))
    for chapter in chapters():
        text = chapter.source.read_text(encoding="utf-8").rstrip("\n")
        text = re.sub(r"\n# \*\*(?:Previous|Next):\*\*[^\n]*\Z", "", text).rstrip("\n")
        text = text.removesuffix("\n#")
        text = re.sub(r"\n#\n# A hint and an answer for each: \[[^\n]*", "", text)
        text = text.replace("\n# ## On your own\n", "\n# ## On your own\n" + answers_line(chapter), 1)
        texts[chapter.source] = f"{text}\n#\n{as_comment(way(chapter))}\n"
    start = chapters()[0].source
    rows = r"# \| number \| chapter \| what it holds \|\n(# \|.*\n)+"
    text = re.sub(rows, lambda _: as_comment(map_rows()) + "\n", texts[start])
    lines = r"(# " + re.escape(TOURS) + r"\n#\n)(?:# [^\n]*\n)+"
    texts[start] = re.sub(lines, lambda found: found[1] + as_comment(tour_lines()) + "\n", text)
    return texts


def out_of_step():
    """The files that do not show the contents as they are."""
    return [path for path, text in wanted().items() if path.read_text(encoding="utf-8") != text]


def main(words):
    """Write the contents, or only say where they are out of step: the exit code."""
    behind = out_of_step()
    for path in behind:
        print(path.relative_to(ROOT))
    if "--check" in words:
        return int(bool(behind))
    for path, text in wanted().items():
        if path in behind:
            path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
