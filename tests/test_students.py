"""What students get: everything that they need, and nothing that they may not see."""

import json
import pathlib
import re
import zipfile

import pytest

from tools.classroom import students

PAGES = students.PROJECT / "notebooks"


@pytest.fixture(scope="module")
def handed_out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("students")
    students.build(folder)
    return folder


def test_students_get_the_wheel_the_pages_and_the_releases(handed_out):
    (wheel,) = handed_out.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {"dpbook", "livefig", wheel.name.split("-py3")[0] + ".dist-info"}
    assert {"dpbook/check/laws.py", "dpbook/svt/__init__.py", "dpbook/laplace.py", "livefig/figure.py"} <= set(names)
    given, ours = ({path.relative_to(top) for path in top.rglob("*")} for top in (handed_out / "notebooks", PAGES))
    assert given == {
        path for path in ours if path.suffix not in (".py", ".pyc") and not path.name.startswith((".", "_", "ruff"))
    }
    assert {
        pathlib.Path("22_errata.ipynb"),
        pathlib.Path("errata.toml"),
        pathlib.Path("papers/000_figure_4.csv"),
        pathlib.Path("23_production.json"),
    } <= given
    releases = {f"{source.stem}.ipynb" for source in students.sources()}
    assert {path.name for path in (handed_out / "assignments").iterdir()} == releases
    start = (handed_out / "README.md").read_text()
    assert f'install "./{wheel.name}[lab]"' in start and f'install ".\\{wheel.name}[lab]"' in start
    assert "Run > Run All Cells" in start, "plain JupyterLab runs no page by itself"
    kinds = {path.relative_to(handed_out).parts[0] for path in handed_out.rglob("*") if path.is_file()}
    assert kinds == {"notebooks", "assignments", "README.md", wheel.name}


def test_a_leak_is_seen_wherever_it_is(handed_out, tmp_path):
    assert not [what for path in handed_out.rglob("*") if path.is_file() for what in students.leaks(path)]
    line = sorted(students.secret_lines())[0]
    notebook = {"cells": [{"cell_type": "code", "source": ["x = 1\n", f"    {line}\n"]}]}
    (tmp_path / "page.ipynb").write_text(json.dumps(notebook))
    (tmp_path / "notes.md").write_text("# ### BEGIN SOLUTION")
    with zipfile.ZipFile(tmp_path / "all.whl", "w") as wheel:
        wheel.writestr("tools/classroom/grading.py", "")
    for name in ("page.ipynb", "notes.md", "all.whl"):
        assert students.leaks(tmp_path / name), name


def test_pages_do_not_need_what_students_do_not_get():
    for path in (students.PROJECT / "notebooks").glob("*.ipynb"):
        sources = "\n".join("".join(cell["source"]) for cell in json.loads(path.read_text())["cells"])
        assert not re.search(r"(?m)^\s*(import|from) (tools|exercises)\b", sources), path
