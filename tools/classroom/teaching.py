"""A page for whoever teaches a chapter: `python -m tools.classroom.teaching` writes docs/teaching/NN_stem.md.

From what stands elsewhere: the chapter's title (book.toml), what its page says one does and how long it takes, and of
its assignment the goals, minutes and levels, and the mistakes that the checks know by name. Only what to ask in class
is written for these pages, in docs/teaching/questions.toml.
"""

import pathlib
import re
import tomllib

from tools.classroom import assignments
from tools.classroom.lessons import lessons
from tools.classroom.places import PROJECT

FOLDER = PROJECT / "docs" / "teaching"


def chapters():
    """The chapters of the book whose page is there, as book.toml has them."""
    book = tomllib.loads((PROJECT / "book.toml").read_text(encoding="utf-8"))["chapter"]
    return [one for one in book if _page(one).exists()]


def _page(chapter):
    return PROJECT / "notebooks" / f"{chapter['number']}_{chapter['stem']}.py"


def said(chapter, what):
    """What the chapter's page says under one of its bold words, as one line; "" if it has no such words."""
    text = _page(chapter).read_text(encoding="utf-8").split("# %%\n")[0]
    paragraphs = [part.replace("\n# ", " ") for part in re.split(r"\n#\n", text)]
    found = [part for part in paragraphs if part.lstrip("# ").startswith(f"**{what}:**")]
    return found[0].partition(":**")[2].strip() if found else ""


def _minutes(chapter):
    """How long the page says that it takes; "" where it does not say."""
    said = re.search(r"(?:<summary>A|\*\*Time:\*\* a)(bout \d+ minutes)", _page(chapter).read_text(encoding="utf-8"))
    return f" A{said[1]} to read." if said else ""


def page(chapter, questions):
    """The text of a chapter's teaching page."""
    name = f"{chapter['number']}_{chapter['stem']}"
    lines = [f"# Teaching {chapter['number']}: {chapter['title']}", ""]
    lines += [f"[The page](../../notebooks/{name}.ipynb): {chapter['holds']}.{_minutes(chapter)}"]
    if does := said(chapter, "What you will do"):
        lines += ["", f"**What students do:** {does}"]
    source = PROJECT / "exercises" / f"{name}.py"
    if source.exists():
        lines += ["", *_assignment(source, name)]
    lines += ["", "## What to ask", ""]
    for question, answer in questions:
        lines += [f"- **{question}** {answer}"]
    # A page's links to others stand beside it, and not where the teaching pages are.
    return re.sub(r"\]\((\d\d_\w+\.ipynb)", r"](../../notebooks/\1", "\n".join(lines)) + "\n"


def _assignment(source, name):
    taught, tasks = lessons(source), assignments.read(source).tasks
    minutes, points = sum(one.minutes for one in taught), sum(one.points for one in taught)
    yield f"## The assignment: {points} points, about {minutes} minutes\n"
    yield f"[Release](../../exercises/releases/{name}.ipynb), [source](../../exercises/{name}.py) with solutions.\n"
    yield "| task | points | minutes | level | one learns |\n|---|---|---|---|---|"
    for one in taught:
        yield f"| {one.number}. {one.title} | {one.points} | {one.minutes} | {one.level} | {one.goal} |"
    yield "\n## What goes wrong\n\n| task | mistakes that its checks know |\n|---|---|"
    for task in tasks:
        if task.wrong:
            yield f"| `{task.name}` | {'; '.join(wrong.name for wrong in task.wrong)} |"
    yield "\n`make report` counts, after grading, which of these your class made."


def pages():
    """The text of every teaching page, by its file."""
    asked = tomllib.loads((FOLDER / "questions.toml").read_text(encoding="utf-8"))
    texts = [(_page(one).stem, page(one, asked[one["number"]]["questions"])) for one in chapters()]
    return {FOLDER / f"{name}.md": text for name, text in texts}


def main(folder=FOLDER):
    """Write the pages; the files written."""
    made = {folder / file.name: text for file, text in pages().items()}
    for old in {*folder.glob("[0-9]*.md")} - set(made):
        old.unlink()
    for file, text in made.items():
        file.write_text(text, encoding="utf-8")
    return sorted(made)


if __name__ == "__main__":
    for written in main():
        print(pathlib.Path(written).relative_to(PROJECT))
