"""Make the assignments: `python -m tools.classroom.assignments` writes releases and solution books from exercises/*.py.

An exercise is one source in the percent format, with nbgrader's cell metadata. Its cells are
- text; tag `setup`: code that every answer and every check may use (keep it quick: it runs before each batch);
- an answer: a solution cell whose grade_id is the name of the one function it defines, or, in Markdown and with points,
  an explanation that is graded by hand; between BEGIN SOLUTION and END SOLUTION stands what the release leaves out, and
  between BEGIN MARK SCHEME and END MARK SCHEME what only a marker reads;
- a check: grade_id `<function>-check`, with the points; what follows BEGIN HIDDEN TESTS stays hidden, and draws its
  data from the generator `fresh`, anew for each submission. Folded (`source_hidden`), since its hints would spoil the
  task;
- tag `wrong`: a mistake that people make. `# WRONG function: name`, `# DIAGNOSIS: part of the line it must get`, code.
The release has the text, the setup, the stubs and the visible checks; the solution book has all but the wrong answers.
"""

import copy
import functools
import pathlib
import re
from dataclasses import dataclass, field

BUILD = pathlib.Path("build/assignments")
SHIPPED = pathlib.Path("exercises/releases")  # for who learns alone: the pages link them
CODE_STUB = "raise NotImplementedError  # your answer"
TEXT_STUB = "*Your answer.*"
HIDDEN = "### BEGIN HIDDEN TESTS"
REGION = r"^([ \t]*)(?:# )?### BEGIN {0}\n.*?^[ \t]*(?:# )?### END {0}[^\n]*\n?"
WRONG = re.compile(r"# WRONG (\w+): (.+)\n# DIAGNOSIS: (.+)\n")


@dataclass(frozen=True)
class Wrong:
    """A mistake that people make: its name, a part of the line that it must get, and its code."""

    name: str
    diagnosis: str
    code: str


@dataclass(frozen=True)
class Task:
    """One task: the function it asks for, or an explanation (`check` is empty), with its points and wrong answers."""

    name: str
    points: float
    answer: str
    check: str = ""
    wrong: list = field(default_factory=list)


@dataclass(frozen=True)
class Assignment:
    """An assignment as it is graded: what runs before every answer and every check, and the tasks."""

    stem: str
    setup: str
    tasks: list
    source: pathlib.Path


def _cells(source):
    """The notebook in a source, for the caller to change."""
    return copy.deepcopy(_parsed(pathlib.Path(source), pathlib.Path(source).read_bytes()))


@functools.lru_cache(maxsize=64)
def _parsed(source, _):
    """The same, as long as its bytes are the same; the library is loaded here: grading a submission does without it."""
    import jupytext

    return jupytext.read(source)


def read(source):
    """The `Assignment` in a source; ValueError, with the name of the cell, where it is not of the shape above."""
    return _read(pathlib.Path(source), pathlib.Path(source).read_bytes())


@functools.lru_cache(maxsize=64)
def _read(source, _):
    """The same, as long as its bytes are the same."""
    cells = _cells(source).cells
    wrongs = [_wrong(cell) for cell in cells if "wrong" in _tags(cell)]
    answers = {_grader(cell)["grade_id"]: cell.source for cell in cells if _grader(cell).get("solution")}
    tasks = [_task(cell, answers, wrongs) for cell in cells if _grader(cell).get("grade")]
    for name in {*answers, *(name for name, _ in wrongs)} - {task.name for task in tasks}:
        raise ValueError(f"{source}: {name} must have a check or points of its own")
    setup = "\n\n".join(cell.source for cell in cells if "setup" in _tags(cell))
    return Assignment(source.stem, setup, tasks, source)


def _task(cell, answers, wrongs):
    grader = _grader(cell)
    name = grader["grade_id"].removesuffix("-check")
    if name not in answers:
        raise ValueError(f"check of {name}: there must be an answer cell with the grade_id {name!r}")
    check = "" if grader["solution"] else cell.source
    return Task(name, grader["points"], answers[name], check, [wrong for task, wrong in wrongs if task == name])


def _wrong(cell):
    head = WRONG.match(cell.source)
    if not head:
        raise ValueError(f"a wrong answer must begin with its WRONG and DIAGNOSIS lines; got {cell.source[:60]!r}")
    return head[1], Wrong(head[2], head[3], cell.source[head.end() :])


def _grader(cell):
    return cell.metadata.get("nbgrader", {})


def _tags(cell):
    return cell.metadata.get("tags", [])


def _without(text, region, stub=""):
    return re.sub(REGION.format(region), lambda found: found[1] + stub + "\n" if stub else "", text, flags=re.M | re.S)


def stub(task):
    """What the release has in the place of a task's answer."""
    return _released(task.answer, CODE_STUB if task.check else TEXT_STUB)


def _released(text, stub):
    return visible(_without(_without(text, "SOLUTION", stub), "MARK SCHEME"))


def hidden(text):
    """The part of a check that only the grader asks; it finds a generator of its own there, `fresh`."""
    return "\n".join(found[0] for found in re.finditer(REGION.format("HIDDEN TESTS"), text, flags=re.M | re.S))


def visible(text):
    """The part of a check that students see."""
    return _without(text, "HIDDEN TESTS").rstrip()


def mark_scheme(task):
    """What only a marker reads of an explanation; "" for a task of the machine's."""
    found = re.search(REGION.format("MARK SCHEME"), task.answer, flags=re.M | re.S)
    return "\n".join(found[0].strip().splitlines()[1:-1]) if found else ""


def release(source):
    """The notebook that students get."""
    notebook = _notebook(source)
    for cell in notebook.cells:
        cell.source = _released(cell.source, TEXT_STUB if cell.cell_type == "markdown" else CODE_STUB)
    return notebook


def code(source):
    """The code cells of the release, as (grade_id or None, source)."""
    cells = [cell for cell in release(source).cells if cell.cell_type == "code"]
    return [(_grader(cell).get("grade_id"), cell.source) for cell in cells]


def solution_book(source):
    """The notebook with solutions, hidden checks and mark schemes; it draws its own hidden data."""
    notebook = _notebook(source)
    for cell in notebook.cells:
        cell.source = cell.source.replace(HIDDEN, f"{HIDDEN}\nfresh = np.random.default_rng()")
    return notebook


def teaching_copy(source):
    """The notebook that a course in nbgrader starts from: with the solutions, without hidden checks and mark schemes.

    The grader asks the hidden checks from the source: nothing that nbgrader shows, stores or runs can give them away.
    """
    notebook = _notebook(source)
    for cell in notebook.cells:
        cell.source = visible(_without(cell.source, "MARK SCHEME"))
    return notebook


def _notebook(source):
    """The source without its wrong answers; ids that stay the same, and cells that students cannot edit by mistake."""
    import nbformat

    notebook = _cells(source)
    notebook.cells = [cell for cell in notebook.cells if "wrong" not in _tags(cell)]
    for place, cell in enumerate(notebook.cells):
        cell.metadata.pop("lines_to_next_cell", None)
        cell.id = _grader(cell).get("grade_id", f"cell-{place}")
        if not _grader(cell).get("solution"):
            cell.metadata.update(editable=False, deletable=False)
    notebook.metadata = nbformat.from_dict({"kernelspec": notebook.metadata["kernelspec"]})
    notebook.nbformat_minor = 5
    nbformat.validate(notebook)
    return notebook


def build(sources, folder=BUILD):
    """Write both notebooks of each source below `folder`; the paths written."""
    import nbformat

    written = []
    for source in sources:
        for kind, make in (("release", release), ("solutions", solution_book)):
            target = folder / kind / f"{source.stem}.ipynb"
            target.parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(make(source), target)
            written.append(target)
    return written


def ship(sources, folder=SHIPPED):
    """Write the release of each source into `folder`, and nothing else; the paths written."""
    import nbformat

    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.ipynb"):
        old.unlink()
    written = [folder / f"{source.stem}.ipynb" for source in sources]
    for source, target in zip(sources, written, strict=True):
        nbformat.write(release(source), target)
    return written


if __name__ == "__main__":
    every = sorted(pathlib.Path("exercises").glob("[0-9]*.py"))
    for path in [*build(every), *ship(every)]:
        print(path)
