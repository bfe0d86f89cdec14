"""What stands beside the code: versions that agree, workflows that name what exists, forms that ask enough."""

import pathlib
import re
import subprocess
import sys
import tomllib

import pytest
import yaml

import dpbook
from tools.book import film

ROOT = pathlib.Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
FORMS = [path for path in sorted(ROOT.glob(".github/ISSUE_TEMPLATE/*.yml")) if path.stem != "config"]


def parsed(*parts):
    return yaml.safe_load(ROOT.joinpath(*parts).read_text())


def workflow():
    return parsed(".github", "workflows", "tests.yml")


def steps():
    return [step for job in workflow()["jobs"].values() for step in job["steps"]]


def test_the_version_stands_once_and_is_cited():
    citation = parsed("CITATION.cff")
    assert citation["version"] == PROJECT["version"] and citation["license"] == PROJECT["license"]
    assert citation["authors"] == [{"name": author["name"]} for author in PROJECT["authors"]]
    assert f"## {PROJECT['version']}" in (ROOT / "CHANGELOG.md").read_text()


def test_the_package_knows_its_version_and_no_other_name():
    """The one that is installed: an old environment may have an older one."""
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", dpbook.__version__)
    with pytest.raises(AttributeError, match="no attribute 'versions'"):
        _ = dpbook.versions


def test_a_jailed_answer_starts_without_looking_up_the_version():
    script = "import sys, dpbook; assert 'importlib.metadata' not in sys.modules"
    subprocess.run([sys.executable, "-S", "-c", script], cwd=ROOT, check=True)


def test_actions_are_pinned_by_commit_and_say_their_version():
    text = "\n".join(path.read_text() for path in ROOT.glob(".github/workflows/*.yml"))
    used = re.findall(r"uses: (.*)", text)
    assert used and all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", one) for one in used)


def test_the_workflow_calls_targets_that_exist_and_lets_the_jail_work():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.M))
    called = [step["run"].split()[1] for step in steps() if step.get("run", "").startswith("make ")]
    assert called == ["check", "test-pages", "test-browser", "seeds", "thorough"] and targets >= set(called)
    named = (ROOT / "tools" / "classroom" / "bubblewrap.py").read_text()
    [allowed] = {step["run"].split()[-1] for step in steps() if "sysctl" in step.get("run", "")}
    assert allowed in re.sub(r'"\n\s+"', "", named)


def test_the_site_is_published_as_it_was_tested_by_a_job_that_may_do_nothing_else():
    jobs, makefile = parsed(".github", "workflows", "site.yml")["jobs"], (ROOT / "Makefile").read_text()
    called = [step["run"].split()[1] for step in jobs["build"]["steps"] if step.get("run", "").startswith("make ")]
    assert called == ["site", "site-test"] and all(f"\n{target}:" in makefile for target in called)
    assert jobs["publish"]["needs"] == "build" and "run" not in str(jobs["publish"]["steps"])
    assert jobs["publish"]["permissions"] == {"pages": "write", "id-token": "write"}


def test_the_workflow_tries_every_python_that_is_said_to_work():
    said = {line.split(" :: ")[-1] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)}
    tried = workflow()["jobs"]["check"]["strategy"]["matrix"]["python"]
    assert said <= set(tried) and tried[0] == PROJECT["requires-python"].removeprefix(">=")
    assert workflow()["permissions"] == {"contents": "read"}
    assert "schedule" in workflow()[True]  # YAML reads the key `on` as true


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.stem)
def test_a_form_asks_for_something_and_says_what(form):
    asked = [field for field in parsed(form)["body"] if field["type"] != "markdown"]
    assert len(asked) >= 3 and all(field["attributes"]["label"] for field in asked)
    assert len({field["id"] for field in asked}) == len(asked)
    assert any(field.get("validations", {}).get("required") for field in asked)


def test_hooks_are_local_and_call_tests_that_exist():
    [repository] = parsed(".pre-commit-config.yaml")["repos"]
    assert repository["repo"] == "local"
    entries = [hook["entry"].split() for hook in repository["hooks"]]
    [pages] = [entry for entry in entries if "-k" in entry]
    assert pages[-1] in (ROOT / pages[-3]).read_text()
    assert [entry[0] for entry in entries] == ["ruff", "ruff", "python"]


def test_every_folder_of_tools_is_explained_to_maintainers():
    text = (ROOT / "docs" / "maintaining.md").read_text()
    folders = {f"tools/{path.parent.name}/" for path in ROOT.glob("tools/*/*.py")}
    assert not {folder for folder in folders if f"`{folder}`" not in text}
    said = {path: path.read_text().lstrip()[:3] for path in ROOT.glob("tools/*/*.py")}
    assert set(said.values()) == {'"""'}, "the first line of each file says what it does"
    for target in re.findall(r"`make ([a-z-]+)", text):
        assert f"\n{target}:" in (ROOT / "Makefile").read_text(), target


def test_links_between_the_papers_lead_somewhere():
    for paper in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")):
        for target in re.findall(r"\]\(([^)#:\s]+)\)", paper.read_text()):
            assert (paper.parent / target).exists(), f"{paper.name}: {target}"


def test_the_readme_moves_and_stays_light():
    """The picture that `python -m tools.book.film` makes: many frames, sliders and all, in less than a megabyte."""
    from PIL import Image

    assert f"]({film.TARGET.relative_to(ROOT)})" in (ROOT / "README.md").read_text()
    assert film.TARGET.stat().st_size < film.MOST
    with Image.open(film.TARGET) as picture:
        assert picture.n_frames >= 20 and picture.width >= 600
        shown = []
        for frame in (0, picture.n_frames // 2):
            picture.seek(frame)
            shown.append(picture.convert("RGB").tobytes())
    assert shown[0] != shown[1]


def test_two_licences_one_for_the_code_and_one_for_the_content():
    content = (ROOT / "LICENSE-CONTENT").read_text()
    assert PROJECT["license"] == "BSD-3-Clause" and "BSD 3-Clause" in (ROOT / "LICENSE").read_text()
    assert "CC-BY-4.0" in content and "https://creativecommons.org/licenses/by/4.0/legalcode" in content


def test_docstrings_become_pages(tmp_path):
    """`make api`, for one room."""
    pytest.importorskip("pdoc", reason="the extra [docs] is not installed: make test does it")
    command = [sys.executable, "-m", "pdoc", "dpbook.laplace", "--output-directory", tmp_path]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    page = (tmp_path / "dpbook" / "laplace.html").read_text()
    assert "laplace_mechanism" in page and "Release" in page and "Theorems 2.12 and 2.15" in page
