"""Make the assignments: `python -m tools.classroom.assignments` writes releases and solution books from exercises/*.py.

An exercise is one source in the percent format. It says only what cannot be derived: the kernel, the rules that every
assignment opens with, the folded checks and nbgrader's metadata are put in here. Its cells are
- text; the first has the title, the points in all, and what holds in all tasks;
- tag `setup`: code that every answer and every check may use (keep it quick: it runs before each batch);
- an answer: the function of a task. Between BEGIN SOLUTION and END SOLUTION stands what the release leaves out. With a
  `name` and `points`, a Markdown cell is an explanation that is graded by hand; between BEGIN MARK SCHEME and END MARK
  SCHEME stands what only a marker reads;
- `points=3`: the check of the answer above it. What follows BEGIN HIDDEN TESTS stays hidden, and draws its data from
  the generator `fresh`, anew for each submission. Folded, since its hints would spoil the task;
- tag `wrong`: the mistakes that people make, all in one function, one after another. Each begins with the line
  `# WRONG name | part of the line it must get`, or the name that this line has in `dpbook.check.words`. What stands
  above the first is theirs all: the function's head, and the lines that each would begin with.
"""

import ast
import copy
import functools
import pathlib
import re
from dataclasses import dataclass, field

BUILD = pathlib.Path("build/assignments")
SHIPPED = pathlib.Path("exercises/releases")  # for readers on their own: the pages link them
CODE_STUB = "raise NotImplementedError  # your answer"
TEXT_STUB = "*Your answer.*"
HIDDEN = "### BEGIN HIDDEN TESTS"
REGION = r"^([ \t]*)(?:# )?### BEGIN {0}\n.*?^[ \t]*(?:# )?### END {0}[^\n]*\n?"
REGIONS = ("SOLUTION", "HIDDEN TESTS", "MARK SCHEME")
EDGE = re.compile(r"^.*###.*$|^[ \t]*#+[ \t]*(?:BEGIN|END)\b.*$", re.M)  # of a region, or one misspelt
HEAD = re.compile(r"def (\w+)\(")
WRONG = re.compile(r"^ *# WRONG\b *(.*)\n", re.M)
KEYS = {"tags", "points", "name", "jupyter"}  # what a cell of a source may say of itself
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
RULES = """\
Write your answers where it says so, and run the folded cell below each: it tells you in one line whether you are
there. "right" means that no check here found a fault: the grader asks the same questions about other data, and whether
a mechanism is private is a matter of proof.
Every answer is run on its own: it sees the cells that we wrote, but neither the checks nor your other answers.
Keep what a function needs inside its cell; besides Python the grader has numpy, scipy and `dpbook`.
Build on the book's functions if you like, but hand in none that does the whole task.
The grader runs an answer thousands of times, on larger data too, and stops it after 20 seconds of computing.
Take all randomness from `rng`, and leave the arrays you are given unchanged.
What is folded you need not read; a click on its dots opens it."""  # after the first cell's second paragraph


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
    return copy.deepcopy(_parsed(pathlib.Path(source), pathlib.Path(source).read_bytes())[0])


def read(source):
    """The `Assignment` in a source; ValueError, with file, line and task, where it is not of the shape above."""
    return _parsed(pathlib.Path(source), pathlib.Path(source).read_bytes())[1]


def defined(assignment, code, name):
    """The function of this name that code of ours defines after the set-up. Students' code is run by `jail` alone."""
    namespace = {}
    exec(assignment.setup, namespace)
    exec(code, namespace)
    return namespace[name]


@functools.lru_cache(maxsize=64)
def _parsed(source, _):
    """Notebook and `Assignment`, as long as its bytes are the same; grading a submission does without the library."""
    import jupytext
    import nbformat

    text = source.read_text(encoding="utf-8")
    notebook, reader = jupytext.reads(text, fmt="py:percent"), _Reader(source)
    notebook.metadata = nbformat.from_dict({"kernelspec": KERNEL})
    lines = [line for line, words in enumerate(text.splitlines(), 1) if words.startswith("# %%")]
    if not text.startswith("# %%") or len(lines) != len(notebook.cells):
        raise reader.refused("must begin with its first cell, '# %% [markdown]'", text[:20])
    for reader.line, cell in zip(lines, notebook.cells, strict=True):
        cell.metadata = nbformat.from_dict(reader.derived(cell))
    _put_in_the_rules(notebook.cells[0])
    return notebook, reader.assignment()


def _put_in_the_rules(cell):
    if cell.cell_type == "markdown":
        first = cell.source.split("\n\n")
        cell.source = "\n\n".join([*first[:2], RULES, *first[2:]])


class _Reader:
    """Reads the cells of a source in order: what its nbgrader metadata are, and what it says of the tasks."""

    def __init__(self, source):
        self.source, self.line, self.told = source, 1, ""  # where the reader is: `told` is the task that errors name
        self.name, self.waiting = "", 0  # of the last answer, and its line while it waits for its check
        self.setup, self.answers, self.tasks = [], {}, {}

    def refused(self, wanted, got, line=None):
        """The error that names file, line and task."""
        task = f"{self.told}: " if self.told else ""
        return ValueError(f"{self.source}, line {line or self.line}: {task}{wanted}; got {got!r}")

    def derived(self, cell):
        """The metadata of a cell in the notebook; the cell is noted."""
        said = {key: value for key, value in cell.metadata.items() if key != "lines_to_next_cell"}
        head = HEAD.match(cell.source)
        self.told = said.get("name") or (head[1] if head else self.name)
        if (said.keys() - KEYS) or not set(said.get("tags", ())) <= {"setup", "wrong"}:
            wanted = 'a cell says tags=["setup"] or ["wrong"], points=, name= or jupyter= of itself, and no more'
            raise self.refused(wanted, said)
        self._look_at_the_edges(cell.source)
        points, name, tags = said.pop("points", None), said.pop("name", None), said.get("tags", ())
        if "setup" in tags:
            self.setup.append(cell.source)
        elif "wrong" in tags:
            self._wrong(cell.source)
        elif points is not None and cell.cell_type == "markdown":
            self._answer(cell.source, name)
            return said | self._graded(points)
        elif points is not None:
            self._check(cell.source)
            return said | {"jupyter": {"source_hidden": True}} | self._graded(points, cell.source)
        elif cell.cell_type == "code" and "### BEGIN SOLUTION" in cell.source:
            self._answer(cell.source, head and head[1])
            return said | {"nbgrader": _metadata(self.name, grade=False, solution=True)}
        return said

    def _look_at_the_edges(self, text):
        """ValueError for a region that is misspelt, not opened or not closed: the release would show it."""
        opened = None
        for edge in EDGE.finditer(text):
            kind, _, region = edge[0].strip().removeprefix("# ").removeprefix("### ").partition(" ")
            if region not in REGIONS or (kind, opened) not in (("BEGIN", None), ("END", region)):
                wanted = f"'### BEGIN ...' and '### END ...' are for {', '.join(REGIONS)}, one after another"
                raise self.refused(wanted, edge[0].strip(), self.line + 1 + text[: edge.start()].count("\n"))
            opened = region if kind == "BEGIN" else None
        if opened:
            raise self.refused(f"'### BEGIN {opened}' must have its '### END {opened}'", "none")

    def _answer(self, text, name):
        self._all_is_checked()
        if not name or name in self.answers:
            wanted = 'an answer must begin with its own function, an explanation have a name="..." of its own'
            raise self.refused(wanted, name or text.partition("\n")[0])
        self.name, self.waiting, self.answers[name] = name, self.line, text

    def _check(self, text):
        if not self.waiting:
            raise self.refused("a cell with points must stand below the answer that it checks", text[:60])
        if not re.search(rf"^check\(\s*{self.name}\b", visible(text), re.M):
            raise self.refused(f"the check must call check({self.name}, ...)", text[:60])

    def _graded(self, points, check=""):
        self.waiting = 0
        self.tasks[self.name] = Task(self.name, points, self.answers[self.name], check)
        name = f"{self.name}-check" if check else self.name
        metadata = _metadata(name, grade=True, solution=not check, locked=bool(check))
        return {"nbgrader": metadata | {"points": points}}

    def _wrong(self, text):
        head, *parts = WRONG.split(text)
        if not head.startswith(f"def {self.name}(") or self.name not in self.tasks or self.tasks[self.name].wrong:
            wanted = "the mistakes of a task stand below its check, in one cell, in a function of that name"
            raise self.refused(wanted, text.partition("\n")[0])
        if not parts or not _ends_once(head + "    pass"):
            raise self.refused("below its head, each mistake begins with '# WRONG name | diagnosis'", text[:60])
        line = self.line + 1 + head.count("\n")
        for words, body in zip(parts[::2], parts[1::2], strict=True):
            name, _, diagnosis = map(str.strip, words.partition(" | "))
            if not (name and diagnosis):
                raise self.refused("a mistake begins with '# WRONG name | diagnosis'", words, line)
            code = head + body.rstrip()
            if not _ends_once(code):
                wanted = f"the mistake {name!r} must be code and end with its first return; the next begins '# WRONG'"
                raise self.refused(wanted, body.rstrip(), line)
            self.tasks[self.name].wrong.append(Wrong(name, diagnosis, code))
            line += 1 + body.count("\n")

    def _all_is_checked(self):
        if self.waiting:
            self.told = self.name
            raise self.refused("an answer must have a check below it, with points", "none", self.waiting)

    def assignment(self):
        self._all_is_checked()
        return Assignment(self.source.stem, "\n\n".join(self.setup), [*self.tasks.values()], self.source)


def _ends_once(code):
    """Whether a function has a body with nothing below its first return: a head of a mistake that is misspelt shows."""
    try:
        (function,) = ast.parse(code).body
    except SyntaxError:
        return False
    return not any(isinstance(one, ast.Return) for one in function.body[:-1])


def _metadata(name, grade, solution, locked=False):
    keys = {"grade_id": name, "grade": grade, "solution": solution, "locked": locked}
    return keys | {"schema_version": 3, "task": False}


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
        cell.id = _grader(cell).get("grade_id", f"cell-{place}")
        if not _grader(cell).get("solution"):
            cell.metadata.update(editable=False, deletable=False)
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
