"""Begin a chapter: `make chapter STEM=medians NUMBER=32` writes its files, each one short, whole and green.

`python -m tools.book.chapter medians 32 "A title"`. The files are those of `tools/book/new_chapter`: one mechanism, its
claim, tests and mutants, a page, answers, an assignment and what to ask in class. Replace them one by one, while
`make check` stays green. `assignment` in front (`make new-assignment STEM=medians`) writes the assignment alone, of a
chapter that is there. Nothing that exists is written over.
"""

import argparse
import pathlib
import re
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
NEW = pathlib.Path(__file__).with_name("new_chapter")
PLACES = {
    "mechanisms.py": "dpbook/{stem}.py",
    "claims.py": "dpbook/claims/{stem}.py",
    "tests.py": "tests/test_{stem}.py",
    "mutants.toml": "tools/mutants/{stem}.toml",
    "page.py": "notebooks/{number}_{stem}.py",
    "answers.py": "exercises/answers/{number}_{stem}.py",
    "assignment.py": "exercises/{number}_{stem}.py",
}
ROW = """
[[chapter]]
number = "{number}"
stem = "{stem}"
title = "{title}"
holds = "what a reader sees, in a line"
part = "{part}"
"""
QUESTIONS = """
[{number}]
questions = [
    ["A question about chapter {number} that students can talk about?", "An answer to listen for."],
    ["A second question about chapter {number}?", "Its answer."],
]
"""


def rows(root=ROOT):
    """The chapters of book.toml, in the order of the book: their rows, as dicts."""
    return tomllib.loads((root / "book.toml").read_text(encoding="utf-8"))["chapter"]


def filled(text, stem, number, title):
    """A template of the chapter `99_example`, "An example", as that of another chapter."""
    text = text.replace("An example", title).replace("Example: with", f"{title}: with")
    for old, new in (("99_example", f"{number}_{stem}"), ("example", stem), ("99", number)):
        text = re.sub(rf"\b{old}\b", new, text)
    return text


def written(texts):
    """Write files that are not there; the files. Raises ValueError, and writes none, where one of them is there."""
    if there := [str(path) for path in texts if path.exists()]:
        raise ValueError(f"these are there already: {', '.join(there)}")
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    return list(texts)


def begin(stem, number, title, root=ROOT):
    """Write a new chapter's files and its rows in book.toml and in the teaching questions; the files written.

    Raises ValueError for a stem that is no lower-case name, a number that is not two digits, or one that is taken.
    """
    if not re.fullmatch(r"[a-z][a-z_]*", stem):
        raise ValueError(f"STEM must be a lower-case name such as medians, got {stem!r}")
    if not re.fullmatch(r"\d\d", number):
        raise ValueError(f"NUMBER must be two digits such as 32, got {number!r}")
    book, questions = root / "book.toml", root / "docs/teaching/questions.toml"
    if taken := [row for row in rows(root) if stem == row["stem"] or number == row["number"]]:
        raise ValueError(f"book.toml has that chapter: {taken[0]['number']} {taken[0]['stem']}")
    before = [row for row in rows(root) if row["number"] < number][-1]
    texts = {
        root / place.format(stem=stem, number=number): filled((NEW / name).read_text("utf-8"), stem, number, title)
        for name, place in PLACES.items()
    }
    made = written(texts)
    row = ROW.format(number=number, stem=stem, title=title, part=before["part"])
    text = book.read_text(encoding="utf-8")
    place = text.index("\n[[", text.index(f'\nnumber = "{before["number"]}"'))
    book.write_text(text[:place] + row + text[place:], encoding="utf-8")
    with questions.open("a", encoding="utf-8") as file:
        file.write(QUESTIONS.format(number=number))
    return [*made, book, questions]


def begin_assignment(stem, root=ROOT):
    """Write the assignment of a chapter that is there; the file. Raises ValueError for a chapter that is not."""
    found = [row for row in rows(root) if stem == row["stem"]]
    if not found:
        raise ValueError(f"STEM must be a chapter of book.toml, got {stem!r}")
    number, title = found[0]["number"], found[0]["title"]
    text = filled((NEW / "assignment.py").read_text(encoding="utf-8"), stem, number, title)
    return written({root / PLACES["assignment.py"].format(stem=stem, number=number): text})


def main(words=None):
    parser = argparse.ArgumentParser(prog="python -m tools.book.chapter", description=__doc__.partition("\n\n")[0])
    parser.add_argument("stem", help="its name, such as medians; or the word assignment, and then the name")
    parser.add_argument("number", help="its two digits, such as 32")
    parser.add_argument("title", nargs="?", default="A new chapter")
    options = parser.parse_args(words)
    try:
        alone = options.stem == "assignment"
        made = begin_assignment(options.number) if alone else begin(options.stem, options.number, options.title)
    except ValueError as error:
        parser.error(str(error))
    for path in made:
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
