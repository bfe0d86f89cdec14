"""`make chapter`: what it writes, what it refuses, and that a chapter begun with it is green at once."""

import os
import pathlib
import shutil
import subprocess
import sys
import tomllib

import pytest

from tools.book import chapter, length, prose
from tools.classroom import assignments

ROOT = pathlib.Path(__file__).parents[1]


@pytest.fixture
def house(tmp_path):
    """A house with the folders that a chapter has files in, and the book's two lists."""
    for place in (*chapter.PLACES.values(), "docs/teaching/questions.toml"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
    for name in ("book.toml", "docs/teaching/questions.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_a_chapter_has_all_its_files_and_a_row_in_its_place(house):
    made = chapter.begin("medians", "32", "Medians", house)
    assert len(made) == len(chapter.PLACES) + 2 and all(path.exists() for path in made)
    texts = {path.name: path.read_text(encoding="utf-8") for path in made[:-2]}
    assert not [name for name, text in texts.items() if "example" in text or "99" in text]
    numbers = [row["number"] for row in chapter.rows(house)]
    assert numbers[numbers.index("32") - 1] < "32" < numbers[numbers.index("32") + 1] and numbers[-1] == "90"
    assert len(numbers) == len(chapter.rows()) + 1
    assert len(tomllib.loads((house / "docs/teaching/questions.toml").read_text())["32"]["questions"]) == 2
    page = house / "notebooks/32_medians.py"
    assert not length.excess(page) and length.measured(page).guesses >= 3
    assert not list(prose.read(page))
    assert len(assignments.read(house / "exercises/32_medians.py").tasks) == 5


@pytest.mark.parametrize(
    ("stem", "number", "words"),
    [
        ("Medians", "32", "STEM must be a lower-case name"),
        ("medians", "5", "NUMBER must be two digits"),
        ("medians", "03", "book.toml has that chapter: 03 laplace"),
        ("svt", "32", "book.toml has that chapter: 14 svt"),
    ],
)
def test_what_cannot_be_a_chapter_is_refused(house, stem, number, words):
    with pytest.raises(ValueError, match=words):
        chapter.begin(stem, number, "Medians", house)
    assert not list(house.glob("dpbook/*.py"))


def test_nothing_is_written_over(house):
    (house / "tests/test_medians.py").write_text("mine")
    with pytest.raises(ValueError, match=r"these are there already: .*test_medians"):
        chapter.begin("medians", "32", "Medians", house)
    assert (house / "book.toml").read_text() == (ROOT / "book.toml").read_text()
    with pytest.raises(ValueError, match="STEM must be a chapter"):
        chapter.begin_assignment("medians", house)
    assert [path.name for path in chapter.begin_assignment("production", house)] == ["23_production.py"]


@pytest.mark.thorough
def test_a_chapter_that_was_begun_is_green(tmp_path):
    """In a copy of what git tracks: what `make chapter` runs, and then the tests that look at every chapter."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    for name in filter(None, listed.decode().split("\0")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for words in (["init", "-q"], ["add", "-A"]):  # some tests ask git what it tracks
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    env = os.environ | {"PYTHONPATH": str(tmp_path), "JUPYTER_CONFIG_PATH": str(tmp_path / "tools/book/jupyter")}

    def run(*words):
        done = subprocess.run([sys.executable, "-m", *words], cwd=tmp_path, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr

    run("tools.book.chapter", "medians", "32", "Medians")
    run("ruff", "check", "--quiet", "--fix", ".")
    run("ruff", "format", "--quiet", ".")
    run("tools.book.contents")
    every = sorted(f"notebooks/{path.name}" for path in (tmp_path / "notebooks").glob("*.py"))
    run("tools.book.notebooks", *every, "exercises/answers/32_medians.py")
    run("tools.classroom.assignments")
    run("tools.classroom.teaching")
    looked_at = "medians house claims refusals notebooks lessons answers exercises length prose".split()
    names = "32 or medians or clipped_totals or house or lessons or claims"
    run("pytest", "-q", "-n", "0", "-k", names, *(f"tests/test_{name}.py" for name in looked_at))
