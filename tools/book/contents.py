"""The contents of the book, from `book.toml`: `python -m tools.book.contents` writes them wherever they stand.

That is README's table, the map and the tours on page 00, and on every page the line under its title that opens (with
the minutes that it takes), in it the way to the map, to the chapters before and after and to the assignment, the links
to the answers of its tasks, and the last line. `--check` writes nothing and names the files that are out of step; names
of files: only those, such as one page that is being edited.
"""

import pathlib
import re
import sys
import tomllib
from dataclasses import dataclass

from tools.book import length

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAP, TOURS = "## Map of the book", "### Tours"
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
FOLD = r"(?m)^# <details><summary>About .*</summary>$"  # under the title of a page
NEEDED = r"\*\*You need:?\*\*((?:.|\n)*?)\n#\n"  # the paragraph of a page that links the pages it builds on


@dataclass(frozen=True)
class Chapter:
    """A chapter of the book: its row in `book.toml`."""

    number: str
    stem: str
    holds: str
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

    @property
    def exercise(self):
        """The source of the chapter's assignment, which may not be there; its release is `release`, from a page."""
        return ROOT / "exercises" / f"{self.name}.py"

    @property
    def release(self):
        return f"../exercises/releases/{self.name}.ipynb"

    @property
    def tasks(self):
        """How much of its assignment is graded, by a check or by hand: a task may have two such parts."""
        return len(re.findall(r"(?m)^# %% .*\bpoints=", self.exercise.read_text())) if self.exercise.exists() else 0

    @property
    def headings(self):
        """How many tasks its assignment has: one a numbered heading."""
        return len(re.findall(r"(?m)^# ## \d+\. ", self.exercise.read_text(encoding="utf-8")))

    @property
    def needs(self):
        """The numbers of the pages that this one says it needs."""
        found = re.search(NEEDED, self.source.read_text(encoding="utf-8"))
        return sorted(set(re.findall(r"\]\((\d\d)_", found[1]))) if found else []

    @property
    def questions(self):
        """How many questions the page asks."""
        return length.measured(self.source).guesses

    @property
    def minutes(self):
        """How long the page takes."""
        return length.measured(self.source).minutes


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
    links = {one: f"[{one.number} {one.stem.replace('_', ' ')}](notebooks/{one.name}.ipynb)" for one in chapters()}
    rows = [f"| {link} | {one.holds} |" for one, link in links.items()]
    return "\n".join(["| chapter | you will see |", "|---|---|", *rows])


def map_calls():
    """The pages on the map of page 00, as calls: `progress.show_map` shows them."""
    rows = [(one.number, one.stem, one.part, tuple(one.needs), one.questions, one.tasks) for one in chapters()]
    return "\n".join(f"    Page{row},".replace("'", '"') for row in rows)


def map_rows():
    """The list below the map on page 00: every chapter of the book, those to come without a link."""
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
        there = [one for number in tour.numbers for one in every if one.number == number and one.is_there]
        links = ", ".join(f"[{chapter.number}]({chapter.name}.ipynb)" for chapter in there)
        hours = sum(chapter.minutes for chapter in there) / 60
        lines.append(f"| **{tour.name}** | {tour.reader} | {hours:.0f} | {links} |")
    return "\n".join(["| tour | for | hours | pages |", "|---|---|---|---|", *lines])


def way(chapter):
    """The line under a page's title, and its last: to the map, the chapter before it and the one after it."""
    there = chapters()
    place = there.index(chapter)
    leads = [("Previous", there[place - 1])] if place else []
    leads += [("Next", there[place + 1])] if place + 1 < len(there) else []
    anchor = MAP.removeprefix("## ").replace(" ", "-")
    to_map = f"[Map]({there[0].name}.ipynb#{anchor})"
    return " · ".join([to_map, *(f"**{word}:** [{other.heading}]({other.name}.ipynb)" for word, other in leads)])


def assignment(chapter):
    """The sentence that leads to the chapter's assignment, "" where there is none."""
    if not chapter.tasks:
        return ""
    tasks = f"{NUMBERS[chapter.headings]} tasks, checked in a second"
    return f"**Assignment {chapter.number}:** [{tasks}]({chapter.release})"


def head(chapter):
    """What leads on from a page's first cell: the way, and the assignment."""
    return "\n#\n".join(f"# {line}" for line in (way(chapter), assignment(chapter)) if line)


def fold(chapter):
    """The line under a page's title that opens what one needs, does and finds there, and where it leads."""
    needs = f", after {listed(chapter.needs)}" if chapter.needs else ""
    tasks = ", the assignment" if chapter.tasks else ""
    holds = f"what you do, what you need, the data{tasks}, other pages"
    return f"# <details><summary>About {chapter.minutes} minutes{needs}: {holds}</summary>\n#\n{head(chapter)}"


def listed(words):
    """A list as it is said: 02, 03 and 14."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def own_lines(chapter):
    """The lines under "On your own" that link the answers and the assignment, where there are any."""
    place = f"exercises/answers/{chapter.name}"
    there = (ROOT / f"{place}.py").exists()
    lines = [f"A hint and an answer for each: [{place}](../{place}.ipynb)."] if there else []
    lines += [f"{assignment(chapter)}."] if chapter.tasks else []
    return "".join(f"#\n# {line}\n" for line in lines)


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
        text = re.sub(r"\n#\n# (?:\[Map\]\(|\*\*(?:Previous|Next):\*\*)[^\n]*", "", text)
        text = re.sub(r"\n#\n# (?:\*\*Assignment \d\d:\*\*|A hint and an answer for each:) \[[^\n]*", "", text)
        opened = re.search(FOLD, text.partition("\n# %%")[2].partition("\n# %%")[0])
        if opened:
            text = text.replace(f"{opened[0]}\n", f"{fold(chapter)}\n", 1)
        else:
            text = text.replace(f"\n# # {chapter.heading}\n", f"\n# # {chapter.heading}\n#\n{head(chapter)}\n", 1)
        text = re.sub(r"(?m)^(# \*\*Time:\*\* about) \d+ minutes", rf"\1 {chapter.minutes} minutes", text, count=1)
        text = text.replace("\n# ## On your own\n", "\n# ## On your own\n" + own_lines(chapter), 1)
        texts[chapter.source] = f"{text}\n#\n{as_comment(way(chapter))}\n"
    start = chapters()[0].source
    rows = r"# \| number \| chapter \| what it holds \|\n(# \|.*\n)+"
    text = re.sub(rows, lambda _: as_comment(map_rows()) + "\n", texts[start])
    calls = r"(?m)^    Page\((?:.|\n)*?(?=^\])"
    text = re.sub(calls, lambda _: map_calls() + "\n", text)
    lines = r"(# " + re.escape(TOURS) + r"\n#\n)(?:# [^\n]*\n)+"
    texts[start] = re.sub(lines, lambda found: found[1] + as_comment(tour_lines()) + "\n", text)
    return texts


def out_of_step():
    """The files that do not show the contents as they are."""
    return [path for path, text in wanted().items() if path.read_text(encoding="utf-8") != text]


def main(words):
    """Write the contents, or only say where they are out of step: the exit code."""
    named = {pathlib.Path(word).absolute() for word in words if word != "--check"}
    behind = [path for path in out_of_step() if path in named or not named]
    for path in behind:
        print(path.relative_to(ROOT))
    if "--check" in words:
        return int(bool(behind))
    for _ in range(3):  # the minutes of a page follow its words, and other files follow its minutes
        texts = wanted()
        for path in behind:
            path.write_text(texts[path], encoding="utf-8")
        behind = [path for path in out_of_step() if path in named or not named]
    return int(bool(behind))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
