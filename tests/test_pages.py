"""How pages are checked and remembered: a page that is not as it should be fails, and only what passed is left out."""

import itertools
import os
import pathlib
import re
import subprocess
import sys

import nbformat
import numpy as np
import pytest

from tools.book import changed, memory, notebooks, shares, sliders

PROJECT = pathlib.Path(__file__).parents[1]
SOUND = """# %%
from dpbook.live import live, slider
from dpbook.plots import figure
print("one")

# %%
1 + 1

# %%
fig, ax = figure()
(line,) = ax.plot([0, 1], [0, 1])

def update(height):
    line.set_data([0, 1], [0, height])

live(fig, update, "a line", height=slider(0.0, 1.0, 0.5))
"""
# A figure more, with a slider that stumbles at its end and one that moves nothing.
FAULTY = """
# %%
fig2, ax2 = figure()
(line2,) = ax2.plot([0, 1], [0, 1])

def stumble(height, idle):
    line2.set_data([0, 1], [0, 1 / (2 - height)])

live(fig2, stumble, "a faulty line", height=slider(0, 2, 0), idle=slider(0, 1, 0))
"""


def run(folder, *words):
    """What pytest says of the pages in a folder, and its exit code."""
    command = [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "--rootdir", str(folder), "--color=no", "-rN"]
    command += ["-p", "no:cacheprovider", "-p", "tools.book.nbval_pages", "-p", "tools.book.changed", "--nbval"]
    done = subprocess.run([*command, *words, str(folder / "notebooks")], cwd=PROJECT, capture_output=True, text=True)
    return done.stdout, done.returncode


def built(folder, stem, text):
    """The source of a page, and the page made from it."""
    source = folder / "notebooks" / f"{stem}.py"
    source.parent.mkdir()
    source.write_text(text)
    notebooks.build(source)
    return source


@pytest.mark.slow
def test_a_page_that_passed_is_left_out(tmp_path):
    built(tmp_path, "01_sound", SOUND)
    assert "4 passed" in run(tmp_path)[0]
    assert "4 deselected" in run(tmp_path, "--changed")[0]


@pytest.mark.slow
def test_a_page_that_is_not_as_it_should_be_fails(tmp_path):
    """What was printed, a cell's result, a slider that stumbles, one that changes nothing; nothing is remembered."""
    source = built(tmp_path, "02_faulty", SOUND + FAULTY)
    page = nbformat.read(source.with_suffix(".ipynb"), as_version=4)
    page.cells[0].outputs[0].text = "two\n"
    page.cells[1].outputs[0].data["text/plain"] = "3"
    nbformat.write(page, source.with_suffix(".ipynb"))
    said, code = run(tmp_path)
    assert code == 1 and "3 failed, 2 passed" in said
    assert said.count("Cell outputs differ") == 3
    assert "a faulty line: height = 2: ZeroDivisionError" in said
    assert "a faulty line: moving idle changes nothing" in said
    assert not (tmp_path / "build").exists()


def test_the_cell_with_the_sliders_reads_every_kind_of_control():
    """Each kind that `dpbook.live` makes has its own ends, or has `min` and `max`."""
    from dpbook import live

    kinds = [live.choice([1, 2], 1), live.choice(["a", "b"], "a"), live.switch(True), live.span(0, 9, (1, 2))]
    kinds += [live.new_noise(1), live.log_slider(0.1, 10, 1), live.slider(0, 9, 1)]
    namespace = {}
    exec(sliders.CELL.partition("_figures =")[0], namespace)
    ends = [namespace["_ends"](kind) for kind in kinds]
    assert ends[:4] == [[1, 2], ["a", "b"], [False, True], [(0, 9), (0, 0), (9, 9), (4, 9)]]
    assert ends[4] == [2, 3] and ends[5] == [0.1, 10, 1] and ends[6] == [0, 9]


@pytest.mark.parametrize("controls", range(1, 9))
def test_the_corners_have_every_three_controls_in_all_their_combinations(controls):
    namespace = {}
    exec(sliders.CORNERS, namespace)
    corners = [tuple(corner) for corner in namespace["_corners"]([(0, 1)] * controls)]
    assert len(corners) == len(set(corners)) <= 16
    for some in itertools.combinations(range(controls), min(3, controls)):
        assert len({tuple(corner[place] for place in some) for corner in corners}) == 2 ** len(some)


WIDE = 95  # characters of code beside the outline on a screen of 1280 pixels


def test_no_line_of_code_is_wider_than_its_page():
    """In a page's own cells; what a page lists of the package is broken by the browser (`dpbook.live.listing`)."""
    for source in sorted((PROJECT / "notebooks").glob("*.py")):
        text = False
        for number, line in enumerate(source.read_text().splitlines(), 1):
            text = "[markdown]" in line if line.startswith("# %%") else text
            said = line.startswith(("# Figure: ", "# Computed: "))  # seen when all else is folded: test_notebooks
            assert text or said or len(line) <= WIDE, f"{source.name}, line {number}: {len(line)} characters"


# What is left out.

REPORT = {"nodeid": "t", "location": ("t", 1, "t"), "keywords": {}, "longrepr": None}


def heard(memory_file, *outcomes, size=2):
    """What is remembered of a group of `size` tests after calls and teardowns that went as `outcomes` say."""
    kept = memory.Memory("checked", memory_file)
    passed = changed.Passed(kept)
    for when, outcome in outcomes:
        properties = [("depends", ["a group", "its key", size])]
        passed.pytest_runtest_logreport(
            pytest.TestReport(**REPORT, when=when, outcome=outcome, user_properties=properties)
        )
    passed.pytest_sessionfinish()
    return kept.has("a group", "its key")


def test_only_a_whole_group_that_passed_is_remembered(tmp_path):
    call, end = ("call", "passed"), ("teardown", "passed")
    assert heard(tmp_path / "1", call, end, call, end)
    assert not heard(tmp_path / "2", call, end), "one was not run"
    assert not heard(tmp_path / "3", call, end, ("call", "failed"), end)
    assert not heard(tmp_path / "4", call, ("teardown", "failed"), call, end)
    assert not heard(tmp_path / "5", call, end, ("call", "skipped"), end)
    assert not heard(tmp_path / "6", call, ("teardown", "failed"), call, end, call, end, size=3)


def heading(folder, *words):
    """What pytest says in its last line of the tests in a folder, and its exit code."""
    command = [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "--rootdir", str(folder), "--color=no"]
    command += [
        "-p",
        "no:cacheprovider",
        "-W",
        "ignore",
        "-p",
        "tools.book.changed",
        *(words or [str(folder)]),
        "--changed",
    ]
    environment = os.environ | {"PYTHONPATH": str(PROJECT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    return re.sub(r" in [\d.]+s.*", "", done.stdout.splitlines()[-1]), done.returncode


@pytest.fixture
def tests(tmp_path):
    """Two tests that open no file, one that opens one and says so, and one whose file imports what opens files."""
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    reads = "def test_{0}():\n    assert open('{0}.txt').read()\n"
    texts = {
        ".gitignore": "build/\n__pycache__/\n",
        "dpbook/__init__.py": "one = 1\n",
        "read.txt": "1",
        "unsaid.txt": "1",
        "test_blind.py": "from dpbook import one\ndef test_a():\n    assert one\ndef test_b():\n    assert one\n",
        "test_said.py": f"import pytest\n@pytest.mark.depends('test_said.py', 'read.txt')\n{reads.format('read')}",
        "test_any.py": f"import pathlib\n{reads.format('unsaid')}",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_what_has_passed_runs_again_when_what_it_depends_on_changes(tests):
    """A test of which nothing is known depends on every file that git keeps or would keep."""
    assert heading(tests) == ("4 passed", 0)
    assert heading(tests) == ("4 deselected", 0)
    for name, again in {"read.txt": 2, "unsaid.txt": 1, "new.py": 1}.items():
        (tests / name).write_text("changed")
        assert heading(tests) == (f"{again} passed, {4 - again} deselected", 0), name
    (tests / "dpbook" / "__init__.py").write_text("one = 2")
    assert heading(tests) == ("4 passed", 0)


def test_a_part_is_not_taken_for_all(tests):
    """A part of a file, or one of two files with the same mark."""
    (tests / "test_too.py").write_text((tests / "test_said.py").read_text())
    assert heading(tests, "test_blind.py::test_a") == ("1 passed", 0)
    assert heading(tests, "test_said.py") == ("1 passed", 0)
    assert heading(tests) == ("4 passed, 1 deselected", 0)


def test_a_test_that_opens_what_it_does_not_say_fails(tests):
    (tests / "test_blind.py").write_text("def test_a():\n    assert open('unsaid.txt').read()\ndef test_b(): ...\n")
    assert heading(tests) == ("1 failed, 3 passed", 1)
    assert heading(tests) == ("1 failed, 1 passed, 2 deselected", 1)


@pytest.fixture
def project(tmp_path):
    """A small book: a page that reads a module, which reads a folder's; and a module that nobody reads."""
    texts = {
        "notebooks/01_page.py": "# %%\n%matplotlib inline\nfrom dpbook import first\n",
        "notebooks/01_page.ipynb": "{}",
        "dpbook/__init__.py": "",
        "dpbook/first.py": "from .rows import table\n",
        "dpbook/rows/__init__.py": "import pkgutil\n",
        "dpbook/rows/found.py": "import dpbook.ground as ground\n",
        "dpbook/ground.py": "def f():\n    from dpbook.late import g\n",
        "dpbook/late.py": "g = 1\n",
        "dpbook/other.py": "h = 1\n",
        "tools/book/sliders.py": "",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def key(project):
    return memory.key(memory.page(project / "notebooks" / "01_page.py"), project)


@pytest.mark.parametrize(
    "name",
    [
        "notebooks/01_page.py",
        "notebooks/01_page.ipynb",
        "tools/book/sliders.py",
        *(f"dpbook/{name}.py" for name in ("__init__", "first", "rows/__init__", "rows/found", "ground", "late")),
    ],
)
def test_a_page_changes_with_whatever_it_is_made_from(project, name):
    before = key(project)
    (project / name).write_text((project / name).read_text() + "\n")
    assert key(project) != before


def test_a_page_does_not_change_with_others(project):
    before = key(project)
    (project / "dpbook" / "other.py").write_text("h = 2\n")
    assert key(project) == before


def test_a_file_of_tests_changes_with_what_it_imports_and_what_the_folders_hold_that_it_names(project):
    texts = {
        "tests/test_first.py": "from tests import shared\nfrom tools.book.made import x\n",
        **{f"tests/{name}.py": "" for name in ("shared", "other")},
        **{f"tools/{name}.py": "" for name in ("__init__", "book/__init__", "book/made", "book/other")},
        **{f"tables/{name}": "" for name in ("deep/a.csv", ".checkpoints/a.csv", "__pycache__/a.pyc")},
    }
    for name, text in texts.items():
        (project / name).parent.mkdir(exist_ok=True, parents=True)
        (project / name).write_text(text)
    found = {str(file.relative_to(project)) for file in memory.files(["tests/test_first.py", "tables"], project)}
    others = {"tests/other.py", "tools/book/other.py", "tables/.checkpoints/a.csv", "tables/__pycache__/a.pyc"}
    assert found == {*texts, "dpbook/__init__.py"} - others


def test_a_page_changes_with_the_versions(project, monkeypatch):
    before = key(project)
    assert f" numpy-{np.__version__} " in memory.versions()
    monkeypatch.setattr(memory, "versions", lambda: "numpy==0")
    assert key(project) != before


def test_the_memories_do_not_get_in_each_others_way(tmp_path):
    done, checked = memory.Memory("built", tmp_path), memory.Memory("checked", tmp_path)
    done.keep({"a": "1", "b": "2"})
    assert done.has("a", "1") and not checked.has("a", "1")
    checked.keep({"a": "3"})
    done.keep({"b": "4"})
    assert done.has("a", "1") and done.has("b", "4") and not done.has("b", "2") and checked.has("a", "3")


def test_every_page_and_exercise_reads_some_of_the_package():
    """One whose imports were not seen would be left out for ever."""
    sources = [*(PROJECT / "notebooks").glob("*.py"), *(PROJECT / "exercises").glob("*.py")]
    assert len(sources) > 20
    for source in sources:
        found = memory.files([str(source.relative_to(PROJECT))])
        assert len([file for file in found if file.is_relative_to(PROJECT / "dpbook")]) >= 4, source


# How the work is shared out.


def test_what_belongs_together_is_one_piece(tmp_path):
    (tmp_path / "test_a.py").write_text('@pytest.fixture(scope="module")\ndef f(): ...\n')
    (tmp_path / "test_b.py").write_text("")
    pieces = [shares.piece(f"test_{x}.py::test_{y}", tmp_path) for x in "ab" for y in (1, 2)]
    assert pieces == ["test_a.py", "test_a.py", "test_b.py::test_1", "test_b.py::test_2"]
    rows = [shares.piece(f"test_b.py::test_{x}", tmp_path) for x in ("1[a: b[0]]", "2[a: b[0]]", "2[c]")]
    assert rows[0] == rows[1] != rows[2]
    assert shares.piece("notebooks/01_page.ipynb::Cell 3", tmp_path) == "notebooks/01_page.ipynb"
