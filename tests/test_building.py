"""Building pages: what has changed is run, what has only new words is not, what was edited in place is refused."""

import os
import pathlib
import shutil
import subprocess
import sys

import nbformat
import pytest

pytestmark = pytest.mark.depends("tests/test_building.py", "tools/book/notebooks.py", "tools/book/memory.py")

ROOT = pathlib.Path(__file__).parents[1]
SOURCE = """# %% [markdown]
# # A page

# %%
import random

from dpbook import number

print(number(), random.SystemRandom().random())
"""


def run(place, *words):
    return subprocess.run(words, cwd=place, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A book of one page, which prints another number each time it is run, committed as it was built."""
    tmp_path = tmp_path_factory.mktemp("built")
    for name in ("__init__", "book/__init__", "book/notebooks", "book/memory", "book/saving"):
        place = tmp_path / "tools" / f"{name}.py"
        place.parent.mkdir(exist_ok=True, parents=True)
        shutil.copy(ROOT / "tools" / f"{name}.py", place)
    for name, text in (("notebooks/01_page.py", SOURCE), ("dpbook/__init__.py", "def number():\n    return 1\n")):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    (tmp_path / ".gitignore").write_text("build\n__pycache__\n")
    assert "1 run, 0 with new words alone" in make(tmp_path)
    run(tmp_path, "git", "init", "-q")
    commit(tmp_path)
    return tmp_path


@pytest.fixture
def project(built, tmp_path):
    return shutil.copytree(built, tmp_path / "book")


def make(project, *words, code=0):
    command = [sys.executable, "-m", "tools.book.notebooks", *words]
    here = os.environ | {"PYTHONPATH": str(project)}  # before the package that is installed
    done = subprocess.run(command, cwd=project, env=here, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stdout


def commit(project):
    run(project, "git", "add", ".")
    run(project, "git", "-c", "user.name=a", "-c", "user.email=a@b.org", "commit", "-qm", "as built")


def page(project):
    return nbformat.read(project / "notebooks/01_page.ipynb", as_version=4)


def printed(project):
    return page(project).cells[1].outputs[0].text


def change(project, name, old, new):
    text = (project / name).read_text()
    assert old in text
    (project / name).write_text(text.replace(old, new))


@pytest.mark.parametrize("remembered", [True, False], ids=["built here", "a fresh clone"])
def test_new_words_are_carried_over_without_a_run(project, remembered):
    if not remembered:
        shutil.rmtree(project / "build")
    before = printed(project)
    change(project, "notebooks/01_page.py", "# # A page", "# # Another page")
    assert "0 run, 1 with new words alone" in make(project)
    assert page(project).cells[0].source == "# Another page" and printed(project) == before
    assert "0 run, 0 with new words alone, 1 as they were" in make(project)


@pytest.mark.parametrize("remembered", [True, False], ids=["built here", "a fresh clone"])
def test_new_words_do_not_hide_a_module_that_changed_even_if_it_is_committed(project, remembered):
    if not remembered:
        shutil.rmtree(project / "build")
    change(project, "dpbook/__init__.py", "return 1", "return 7")
    commit(project)
    change(project, "notebooks/01_page.py", "# # A page", "# # Another page")
    assert "1 run, 0 with new words alone" in make(project)
    assert printed(project).startswith("7 ")


def test_a_page_committed_with_a_source_ahead_of_it_is_run(project):
    """Its last commit has the code of now, and the outputs of another."""
    change(project, "notebooks/01_page.py", "# # A page", "# # Another page")
    make(project)
    change(project, "notebooks/01_page.py", "print(", "print(2, ")
    commit(project)
    assert "1 run, 0 with new words alone" in make(project)
    assert printed(project).startswith("2 1 ")


def test_a_page_that_was_edited_in_place_is_refused_with_the_name_of_its_source(project):
    change(project, "notebooks/01_page.ipynb", "# A page", "# My page")
    kept = (project / "notebooks/01_page.ipynb").read_bytes()
    said = make(project, code=1)
    assert "notebooks/01_page.ipynb was edited in place" in said and "its source is notebooks/01_page.py" in said
    assert (project / "notebooks/01_page.ipynb").read_bytes() == kept
    change(project, "notebooks/01_page.py", "# # A page", "# # My page")
    assert "1 with new words alone" in make(project), "the same change in both is no conflict"


def test_a_source_that_was_edited_twice_is_no_page_edited_in_place(project):
    for old, new in (("print(", "print(2, "), ("print(2", "print(3")):
        change(project, "notebooks/01_page.py", old, new)
        assert "1 run" in make(project)
    assert printed(project).startswith("3 1 ")


def test_an_answer_of_the_same_name_hides_no_change_of_its_page(project):
    answer = project / "exercises/answers/01_page.py"
    answer.parent.mkdir(parents=True)
    answer.write_text(SOURCE)
    change(project, "notebooks/01_page.py", "print(", "print(2, ")
    make(project, "exercises/answers/01_page.py")
    assert "1 run" in make(project)
    change(project, "exercises/answers/01_page.py", "print(", "print(3, ")
    make(project, "exercises/answers/01_page.py")
    assert printed(project).startswith("2 1 ")


def test_a_page_whose_source_changed_while_it_ran_is_built_again(project):
    change(project, "notebooks/01_page.py", "print(", "open('01_page.py', 'a').write('\\n# %%\\n2\\n')\nprint(")
    assert "1 run" in make(project) and "1 run" in make(project)
