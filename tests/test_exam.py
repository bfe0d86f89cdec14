"""Questions on paper: each assignment has enough, schemes say what the grader says, and a page needs nothing else."""

import ast
import builtins
import functools
import pathlib
import re

import numpy as np
import pytest

from tools.book.chromium import running_chromium
from tools.classroom import assignments
from tools.exam import __main__ as command
from tools.exam import paper, questions

PROJECT = pathlib.Path(__file__).parents[1]
SOURCES = {path.stem: path for path in sorted((PROJECT / "exercises").glob("[0-9]*.py"))}
STANDARD = {"np", "math", "itertools", "functools", "pairwise", "polymul", "polypow", "ndtr", "bdtrc"}  # of everybody
STANDARD |= {"ALG17", "LOGISTIC"}  # constants of the book
pytestmark = pytest.mark.depends("exercises", "tools/classroom", "tools/exam", "dpbook", "tests/test_exam.py")


@functools.cache
def bank_of(stem):
    """The `Bank` of an assignment, which several tests look at."""
    return questions.bank(SOURCES[stem])


@pytest.mark.parametrize("stem", SOURCES)
def test_each_assignment_has_mistakes_of_two_tasks_and_an_explanation(stem):
    bank = bank_of(stem)
    assert bank.stem == stem and bank.title.startswith(f"Assignment {stem[:2]}")
    assert sum(len(some) >= 3 for some in bank.mistakes.values()) >= 2, "for three versions"
    asked = [one for some in bank.calls.values() for one in some]
    assert all(len(one.scheme) < 200 and "**[]**" not in one.scheme for one in asked), "what one can write down"
    scheme = bank.explanation.scheme
    marked = questions._plain(assignments.mark_scheme(assignments.read(SOURCES[stem]).tasks[-1]))
    assert "### " not in scheme + bank.explanation.text and len(scheme) > 300
    assert marked and scheme.count(marked) == 1 and scheme.endswith(marked)
    for task in assignments.read(SOURCES[stem]).tasks:
        if task.check:
            assert task.answer.splitlines()[-1].strip() == "### END SOLUTION" and "### " not in questions.written(task)
            fits = [wrong for wrong in questions.told(task) if wrong.code.count("\n") <= 16]
            assert len(bank.mistakes[task.name]) == len(fits), "what is longer takes a page of paper"


@pytest.mark.parametrize("stem", SOURCES)
def test_a_paper_shows_what_its_code_uses_and_says_who_is_a_neighbour(stem, monkeypatch):
    monkeypatch.setattr(questions, "line_on", lambda *_: "the line")
    bank, said = bank_of(stem), questions.conventions(SOURCES[stem])
    asked = [bank.explanation, *(one() for some in bank.mistakes.values() for one in some)]
    asked += [one for some in bank.calls.values() for one in some]
    for one in asked:
        blocks = re.findall(r"```python\n(.*?)\n```", one.text, re.S)
        nodes = [node for block in blocks for node in ast.walk(ast.parse(block))]
        known = {getattr(node, "name", None) or getattr(node, "arg", None) for node in nodes} | set(dir(builtins))
        known |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        known |= set(re.findall(r"^- `(\w+)", one.text, re.M)) | STANDARD
        unknown = {node.id for node in nodes if isinstance(node, ast.Name)} - known
        assert not unknown, (one.title, unknown)
        assert "def requirement(draw)" not in one.text, "it names the mistakes"
        assert one.text.startswith(said)


def test_what_is_said_once_for_all_tasks_is_on_the_paper():
    said = {stem: questions.conventions(source) for stem, source in SOURCES.items()}
    assert "adding or removing" in said["08_histograms"] and "**replacing**" in said["15_stability"]
    assert said["15_stability"].endswith("it is the lower of the two in the middle.")
    assert said["03_laplace"] == "" and not any("invented" in one or "folded" in one for one in said.values())
    shares = bank_of("07_local").mistakes["shares_held"][0]()
    assert "*Task 2:* There are $k$ possible answers." in shares.text, "it names task 2"


def test_what_only_a_machine_can_do_is_a_task_or_a_mistake_that_there_is():
    tasks = [task for source in SOURCES.values() for task in assignments.read(source).tasks]
    assert questions.MACHINE <= {task.name for task in tasks}
    assert questions.UNSEEN <= {wrong.name for task in tasks for wrong in task.wrong}


def test_no_version_has_an_easy_call():
    calls = bank_of("13_marginals").calls["table_over"]
    assert len(calls) == 4 and all(one.scheme.count(",") == 4 for one in calls), "tables of two attributes"


def test_a_scheme_has_what_the_solution_returns_and_what_the_grader_says():
    bank = bank_of("03_laplace")
    call = next(one for one in bank.calls["scale_for_sum"] if "scale_for_sum(0, 40, 0.5)" in one.text)
    assert call.scheme.startswith("**80**") and "largest" not in call.text
    mistake = next(one() for one in bank.mistakes["recover_count"] if "return (first + second) / 2" in one().text)
    assert "an average keeps the noise: find a combination in which it cancels" in mistake.scheme
    assert "first_epsilon * first - second_epsilon * second" in mistake.scheme
    assert "first_epsilon * first - second_epsilon * second" not in mistake.text
    assert bank.explanation.text.startswith("*Task 2:*"), "it says what the clinic is"


def test_versions_ask_about_the_same_tasks_in_other_words(monkeypatch):
    monkeypatch.setattr(questions, "line_on", lambda assignment, task, wrong: f"the line on {wrong.name}")
    banks = [bank_of(stem) for stem in ("03_laplace", "17_continual")]
    papers = questions.versions(banks, 3, seed=4)
    titles = [[one.title for one in one_paper] for one_paper in papers]
    assert titles[0] == titles[1] == titles[2] and len(titles[0]) == 8
    assert {sum(one.points for one in one_paper) for one_paper in papers} == {26}
    for place in (0, 1, 4, 5):
        assert len({one_paper[place].text for one_paper in papers}) == 3, titles[0][place]
    for seed in range(20):
        for one_paper in questions.versions(banks[:1], 1, seed):
            assert len({one.title for one in one_paper}) == 4, "code of a mistake gives a call away"
    again = questions.versions(banks, 3, seed=4)
    assert papers == again != questions.versions(banks, 3, seed=5)


def test_a_sheet_for_asking_aloud_has_each_checked_task_with_at_most_three_of_its_mistakes(monkeypatch):
    monkeypatch.setattr(questions, "line_on", lambda assignment, task, wrong: f"the line on {wrong.name}")
    parts = questions.aloud(SOURCES["03_laplace"]).split("### ")[1:]
    checked = [task for task in assignments.read(SOURCES["03_laplace"]).tasks if task.check]
    for part, task in zip(parts, checked, strict=True):
        found = re.findall(r"mistake do: \*(.*)\*\? Listen for: the line on (.*)\.", part)
        assert found == [(wrong.name, wrong.name) for wrong in questions.told(task)[:3]] != []
        assert ("if epsilon is halved" in part) == ("epsilon" in questions.written(task))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (np.array([[1.0, 2.5], [0.0, 1 / 3]]), "[[1, 2.5], [0, 0.3333]]"),
        (np.array([1, 0]), "[1, 0]"),
        (("a", [True, 2]), "['a', [True, 2]]"),
        (np.float64(1e-9), "1e-09"),
    ],
)
def test_values_are_as_one_writes_them_down(value, shown):
    assert questions._fits(value) and questions._shown(value) == shown
    assert not questions._fits(np.zeros(9)) and not questions._fits(print) and not questions._fits([[0] * 9])


@pytest.mark.slow
def test_the_command_writes_pages_that_print_and_ask_for_nothing(tmp_path, capsys):
    words = ["03_laplace", "24_gaussian", "--versions", "2", "--folder", str(tmp_path), "--title", "DP <2027>"]
    assert command.main(words) is None
    names = ["A", "A-scheme", "B", "B-scheme", "aloud"]
    assert sorted(path.stem for path in tmp_path.iterdir()) == names
    assert "2 versions of 26 points" in capsys.readouterr().out
    asked = []
    with running_chromium() as browser:
        page = browser.new_page(viewport={"width": 794, "height": 1123})
        page.on("request", lambda request: asked.append(request.url))
        for name in names:
            page.goto((tmp_path / f"{name}.html").as_uri())
            text = page.inner_text("body")
            assert "DP <2027>" in text and "$" not in text and "FORMULA" not in text
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert page.locator(".formula svg").count() > (2 if name != "aloud" else -1)
            assert bool(re.search(r"Name:", text)) == (name in "AB")
            assert ("One point" in text or "one point" in text) == name.endswith("scheme")
    assert all(url.startswith("file:") for url in asked) and len(asked) == len(names)
    assert (tmp_path / "aloud.html").read_text().count("Listen for") >= 12


def test_each_version_has_its_own_scheme_and_shows_none_of_it(tmp_path, monkeypatch):
    monkeypatch.setattr(paper.mathematics, "typeset", lambda *_: {})
    monkeypatch.setattr(paper.mathematics, "glyphs", lambda *_: "")
    one, other = ([questions.Question("T", 4 + n, f"ask {n}", f"key {n}") for n in two] for two in ((1, 2), (2, 3)))
    paths = paper.write(tmp_path, "DP", [one, other], {"03_laplace": "listen"}, tmp_path / "kept.json")
    found = {path.stem: re.findall(r"ask \d|key \d|listen|\d+ points\.", path.read_text()) for path in paths}
    first, second = {"A": "ask", "A-scheme": "key"}, {"B": "ask", "B-scheme": "key"}
    wanted = {name: ["11 points.", f"{kind} 1", f"{kind} 2"] for name, kind in first.items()}
    wanted |= {name: ["13 points.", f"{kind} 2", f"{kind} 3"] for name, kind in second.items()}
    assert found == wanted | {"aloud": ["listen"]}


def test_what_cannot_be_set_is_refused(tmp_path):
    assert "No assignment is called 99_x" in command.main(["99_x", "--folder", str(tmp_path)])
    assert "from 1 to 100; got 0" in command.main(["03_laplace", "--versions", "0", "--folder", str(tmp_path)])
    assert not list(tmp_path.iterdir())
    assert [paper.letter(place) for place in (0, 25, 26, 701, 702)] == ["A", "Z", "AA", "ZZ", "AAA"]
