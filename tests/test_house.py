"""The house as docs and CONTRIBUTING.md describe it: who may import whom, one stem in every place, contents in step.

The arrows are read off the source by grimp (the library under import-linter), lazy imports included.
"""

import graphlib
import importlib
import pathlib
import re
import subprocess
import sys
import tomllib

import grimp
import pytest
from setuptools import find_packages

from dpbook import claims
from tools.book import contents
from tools.book.site import bibliography

ROOT = pathlib.Path(__file__).parents[1]
GROUND = {"amounts", "arguments", "neighbours", "verdict", "laplace", "gaussian", "exponential", "composition"}
SHARED = {"sparse": "16", "search": "10"}  # and the first chapter that uses each
FRAME = {"audit", "check", "claims", "data", "plots", "live", "guesses", "progress"}
# A chapter may lean on another only so. Every arrow here needs a reason that a reader would accept.
ARROWS = {
    ("partitions", "histograms"),  # trees of counts, and their inference, over bins that are merged
    ("clustering", "partitions"),  # how many cells a side: one rule for two chapters
    ("sensing", "partitions"),  # 001's Fourier rival stands in chapter 09
    ("accounting", "gaussian"),
    ("gradients", "regression"),
    ("gradients", "accounting"),
    ("choosing", "accounting"),  # a plan adds up what parts of several kinds lose together
    ("choosing", "histograms"),  # the error of a tree of counts
    ("synthetic", "marginals"),  # tables, and the records that they count
    ("synthetic", "accounting"),  # a budget that is a filter
    ("parties", "local"),  # what is shuffled are chapter 07's reports
    ("parties", "gradients"),  # a user's update is accounted for as a record's gradient
    ("memory", "gradients"),  # what is a table of records with labels
    ("correlated", "gradients"),  # trainings, and the account of their coins
    ("correlated", "accounting"),
}
SCREENS = {
    "matplotlib": {"plots"},
    "ipywidgets": set(),
    "pandas": set(),
    "IPython": {"progress"},
}


@pytest.fixture(scope="module")
def graph():
    return grimp.build_graph("dpbook", "livefig", "tools", include_external_packages=True, cache_dir=None)


def room(module):
    """The room of a module: the second part of its name."""
    return module.split(".")[1] if "." in module else module


@pytest.fixture(scope="module")
def arrows(graph):
    """Which room of dpbook imports which: a set of pairs."""
    inside = {module for module in graph.modules if module.startswith("dpbook.")}
    pairs = {
        (room(one), room(other)) for one in inside for other in graph.find_modules_directly_imported_by(one) & inside
    }
    return {(one, other) for one, other in pairs if one != other}


def chapter_rooms(graph):
    rooms = {room(module) for module in graph.modules if module.startswith("dpbook.")}
    return rooms - GROUND - set(SHARED) - FRAME


def test_the_graph_sees_the_house(graph, arrows):
    assert {"svt", "histograms", "laplace", "alp"} <= {one for one, _ in arrows} and len(arrows) > 50
    assert ("check", "audit") in arrows, "lazy imports are arrows too"


def test_a_chapter_leans_on_the_ground_and_on_few_others(graph, arrows):
    chapters = chapter_rooms(graph)
    assert len(chapters) > 10
    wrong = {
        (one, other)
        for one, other in arrows
        if one in chapters and other not in GROUND | set(SHARED) and (one, other) not in ARROWS
    }
    assert not wrong


def test_the_ground_and_the_shared_rooms_stand_on_the_ground(arrows):
    assert {other for one, other in arrows if one in GROUND | set(SHARED)} <= GROUND


def test_nobody_leans_on_the_claims_and_the_frame_keeps_its_order(graph, arrows):
    assert not [one for one, other in arrows if other == "claims"]
    assert {other for one, other in arrows if one == "check"} <= GROUND | {"audit"}
    assert {other for one, other in arrows if one == "audit"} <= GROUND | {"plots"}, (
        "the meter's picture, when asked for"
    )
    assert {other for one, other in arrows if one == "plots"} <= GROUND
    assert {other for one, other in arrows if one == "live"} <= GROUND | {"guesses"}
    assert {other for one, other in arrows if one == "guesses"} <= GROUND
    assert {other for one, other in arrows if one == "progress"} <= {"guesses", "plots"}
    assert not [one for one, other in arrows if other == "live"]


def test_there_is_no_circle(arrows):
    rooms = {}
    for one, other in arrows:
        if (one, other) != ("audit", "plots"):
            rooms.setdefault(one, set()).add(other)
    assert list(graphlib.TopologicalSorter(rooms).static_order())


@pytest.mark.parametrize("house", ["tools.book", "tools.classroom"])
def test_there_is_no_circle_in_the_tools(graph, house):
    """No module of a house of tools needs itself, lazy imports included: packages in it are one room each."""
    inside = {module for module in graph.modules if module.startswith(f"{house}.")}
    rooms = {}
    for one in inside:
        needed = {module.split(".")[2] for module in graph.find_modules_directly_imported_by(one) & inside}
        rooms.setdefault(one.split(".")[2], set()).update(needed - {one.split(".")[2]})
    assert len(rooms) > 10 and sum(map(len, rooms.values())) > 5
    assert list(graphlib.TopologicalSorter(rooms).static_order())


def test_the_live_engine_knows_no_privacy_and_has_no_circle(graph):
    """`livefig` imports nothing of ours, says nothing of privacy, and few rooms of dpbook lean on it."""
    rooms = {module for module in graph.modules if module.startswith("livefig.")}
    asked = {module: graph.find_modules_directly_imported_by(module) for module in rooms}
    assert not [one for found in asked.values() for one in found if one.startswith(("dpbook", "tools"))]
    inner = {module: found & rooms for module, found in asked.items()}
    assert len(rooms) > 8 and list(graphlib.TopologicalSorter(inner).static_order())
    for path in (ROOT / "livefig").iterdir():
        if path.is_file():
            said = re.findall(r"(?i)privacy|private(?! name)|epsilon|ε|dpbook|noise|budget", path.read_text("utf-8"))
            assert not said, (path.name, said)
    leaning = {room(one) for module in rooms for one in graph.find_modules_that_directly_import(module)}
    assert leaning & {room(one) for one in graph.modules if one.startswith("dpbook.")} == {"live", "guesses", "plots"}


JUDGED = """
import json, pathlib, sys
from tools.classroom import assignments, grading, pages, runner, steps, worker
from tools.classroom.jail import Limits
source, path = pathlib.Path("exercises/09_partitions.py"), pathlib.Path(sys.argv[1])
assignment, release = assignments.read(source), assignments.code(source)
answers = {task.name: task.answer for task in assignment.tasks if task.check}
meta = [{"nbgrader": {"grade_id": name}} for name in answers]
cells = [{"cell_type": "code", "metadata": m, "source": s} for m, s in zip(meta, answers.values())]
path.write_text(json.dumps({"cells": cells}))
judged = worker.graded(assignment, release, path, "student", 1, True, Limits(), None)
assert sum(row["points"] for row in judged["scores"]) > 0, judged["scores"]
assert "dpbook.check" in sys.modules and "dpbook.audit" in sys.modules
print(sorted(name for name in sys.modules if name.partition(".")[0] == "livefig"))
"""


def test_grading_never_imports_the_live_engine(tmp_path):
    """So the grader's key need not hold it: a submission is judged, and what was imported is looked at."""
    command = [sys.executable, "-c", JUDGED, str(tmp_path / "student.ipynb")]
    judged = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert judged.stdout == "[]\n", judged.stdout + judged.stderr


@pytest.mark.parametrize("library", SCREENS)
def test_only_the_rooms_that_show_know_screens(graph, library):
    users = {
        room(module) for module in graph.modules if module.startswith("dpbook.") and imports(graph, module, library)
    }
    assert users <= SCREENS[library]
    assert users or not SCREENS[library], "the graph sees libraries"


def imports(graph, module, library):
    return any(other.split(".")[0] == library for other in graph.find_modules_directly_imported_by(module))


def test_the_package_knows_no_tools_and_the_two_houses_of_tools_not_each_other(graph):
    inside = [module for module in graph.modules if module.startswith(("dpbook", "livefig"))]
    assert not [m for m in inside for o in graph.find_modules_directly_imported_by(m) if o.startswith("tools")]
    for one, other in (("book", "classroom"), ("classroom", "book")):
        modules = [module for module in graph.modules if module.startswith(f"tools.{one}")]
        assert modules
        assert not [
            m for m in modules for o in graph.find_modules_directly_imported_by(m) if o.startswith(f"tools.{other}")
        ]


@pytest.mark.parametrize("module", ["dpbook.check", "dpbook.audit"])
def test_feedback_starts_without_scipy(module):
    """A jailed batch of a student's answers starts it anew: half a second each."""
    code = f"import sys, {module}; sys.exit(any(name.split('.')[0] in ('scipy', 'matplotlib') for name in sys.modules))"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_the_wheel_holds_every_package():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]["find"]
    found = {name.replace(".", "/") for name in find_packages(ROOT, **settings)}
    inits = [init for name in ("dpbook", "livefig") for init in ROOT.glob(f"{name}/**/__init__.py")]
    assert found == {str(init.parent.relative_to(ROOT)) for init in inits} and len(found) >= 8


# One stem, one name, in every place.


def test_the_stems_are_those_of_the_book():
    names = {chapter.name for chapter in contents.read()[0]}
    places = ("notebooks/*.py", "exercises/[0-9]*.py", "exercises/answers/[0-9]*.py")
    for place in places:
        found = {path.stem for path in ROOT.glob(place)}
        assert found <= names, f"{place}: give these a row in book.toml"
    assert {path.stem for path in ROOT.glob("notebooks/*.py")} == {path.stem for path in ROOT.glob("notebooks/*.ipynb")}


def test_each_chapter_of_mechanisms_has_its_claims_and_its_tests(graph):
    numbers = {chapter.stem: chapter.number for chapter in contents.read()[0]}
    for module in claims.CHAPTERS:
        stem = module.__name__.rpartition(".")[2]
        expected = SHARED[stem] if stem in SHARED else numbers[stem]
        assert module.CHAPTER == expected, f"dpbook/claims/{stem}.py"
    for stem in chapter_rooms(graph):
        assert stem in numbers, f"dpbook/{stem} is no chapter of book.toml, and no room that test_house knows"
        assert (ROOT / f"tests/test_{stem}.py").exists()
        importlib.import_module(f"dpbook.{stem}")


def test_headings_are_the_titles_of_the_book():
    for chapter in contents.chapters():
        lines = chapter.source.read_text(encoding="utf-8").splitlines()
        heading = next(line for line in lines if line.startswith("# # "))
        assert heading == f"# # {chapter.heading}"


def test_contents_are_in_step():
    """README's table, the map, the tours, and where each page leads: `make contents` writes them."""
    assert not contents.out_of_step()


def test_contents_know_what_is_out_of_step(monkeypatch):
    chapters, tours = contents.read()
    last = [chapter for chapter in chapters if chapter.is_there][-1]
    monkeypatch.setattr(contents, "read", lambda: ([c for c in chapters if c is not last], tours))
    assert len(contents.out_of_step()) == 3, "README, the map, and the page before"


def test_the_bibliography_knows_every_work_that_a_page_names():
    pages = {chapter.name: chapter.source.read_text(encoding="utf-8") for chapter in contents.chapters()}
    texts = {name: re.sub(r"(?m)^# ?", "", text.partition("# ## Sources")[2]) for name, text in pages.items()}
    assert len(bibliography.works({name: "## Sources" + text for name, text in texts.items()})) > 100


def test_the_top_level_holds_what_newcomers_are_told_of():
    """No log, no settings and no secret of a Lab that was started here."""
    folders = {".ci", ".github", "benchmarks", "docs", "dpbook", "exercises", "livefig", "notebooks", "tests", "tools"}
    papers = {"CHANGELOG", "CITATION", "CODE_OF_CONDUCT", "CONTRIBUTING", "LICENSE", "LICENSE-CONTENT", "README"}
    papers |= {"SECURITY", "Makefile", "book", "conftest", "environment", "jupytext", "pyproject"}
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    top = {line.partition("/")[0] for line in tracked.splitlines()}
    known = folders | {name for name in top if name.partition(".")[0] in papers or name.startswith("constraints")}
    assert top <= known | {".editorconfig", ".gitignore", ".pre-commit-config.yaml"}


def test_tours_lead_through_chapters_of_the_book():
    chapters, tours = contents.read()
    numbers = {chapter.number for chapter in chapters}
    assert len(tours) >= 3 and all(set(tour.numbers) <= numbers for tour in tours)
