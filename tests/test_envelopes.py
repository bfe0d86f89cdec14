"""Graders for platforms: what is packed, and what is answered in a root of its own, behind either wall.

The root is made by bubblewrap as a container's is: the system's folders, Python, an empty /tmp, root with all its
rights. Where these tests do not run as root no such root can be made, and the second wall must refuse.
"""

import datetime
import json
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

import nbformat
import pytest

from tests import lighter
from tools.classroom import assignments, bubblewrap, envelopes, jail, variants, verdicts
from tools.classroom.verdicts import Score

ROOT = pathlib.Path(__file__).parents[1]
SOURCE = ROOT / "exercises" / "03_laplace.py"
OTHER = ROOT / "exercises" / "02_composition.py"
TASKS = {task.name: task for task in assignments.read(SOURCE).tasks}
PACKED = ("dpbook", "livefig", "tools/classroom", "tools/debian.py", "constraints.txt", "pyproject.toml")
READ = ("exercises/02_composition.py", "exercises/03_laplace.py", "tests/test_envelopes.py")
pytestmark = pytest.mark.depends(*PACKED, *READ, "README.md", "LICENSE")


def answers(folder, **given):
    """A notebook of assignment 03 with these answers, and no others."""
    release = assignments.release(SOURCE)
    for cell in release.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        cell.source = given.get(name, cell.source)
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(release, folder / "03_laplace.ipynb")
    return folder / "03_laplace.ipynb"


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    """Gradescope's envelope of assignment 03, with a secret that is known, and something for the wheel."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(envelopes.students, "wheel", no_wheel)
        return envelopes.pack("gradescope", "03_laplace", tmp_path_factory.mktemp("envelopes"), b"secret")


def no_wheel(project, folder):
    """In the place of `students.wheel`, which `tests/test_students.py` looks at."""
    (folder / "dpbook.whl").touch()
    return folder / "dpbook.whl"


# What is packed.


def test_an_envelope_holds_the_grader_of_one_assignment(packed):
    with zipfile.ZipFile(packed) as archive:
        names = set(archive.namelist())
        rights = {entry.filename: entry.external_attr >> 16 for entry in archive.infolist()}
    assert {"setup.sh", "run_autograder", "pins.txt", "dpbook.whl"} <= names
    assert {"grader/secret", "grader/exercises/03_laplace.py"} <= names
    assert not [name for name in names if "exercises/" in name and "03_laplace" not in name]
    assert rights["run_autograder"] & 0o111 and rights["setup.sh"] & 0o111, "they can be run"


@pytest.mark.thorough
def test_classroom50_gets_a_folder_that_its_runner_can_fetch(tmp_path):
    folder = envelopes.pack("classroom50", "03_laplace", tmp_path)
    assert (folder / "autograder.py").exists() and (folder / "run.sh").exists()
    assert sum(file.stat().st_size for file in folder.rglob("*")) < 10 * 2**20, "what its runner fetches at most"
    for name in ("autograder.py", "grader/tools/classroom/envelopes.py"):
        compile((folder / name).read_text(), name, "exec")
    for script in (folder / "setup.sh", folder / "run.sh"):
        subprocess.run(["bash", "-n", script], check=True)


def test_what_cannot_be_packed_is_refused(tmp_path):
    for platform, stem, words in (("moodle", "03_laplace", "platform"), ("gradescope", "3", "3")):
        with pytest.raises(ValueError, match=words):
            envelopes.pack(platform, stem, tmp_path)


# What the platforms read.

SCORES = [
    Score("ada", "scale_for_sum", 2, 2, "right"),
    Score("ada", "noisy_sum", 0, 5, "keep going: half the noise", "reads the clock"),
    Score("ada", "explain_rounding", 0, 3, "no answer"),
]


def test_gradescope_reads_a_test_a_task_and_only_the_staff_sees_flags():
    told = envelopes.for_gradescope(SOURCE, SCORES, False)
    shown = [test for test in told["tests"] if test["visibility"] == "visible"]
    points = [(test["name"], test["score"], test["max_score"]) for test in shown]
    assert points == [("scale_for_sum", 2, 2), ("noisy_sum", 0, 5)]
    assert "reads the clock" not in json.dumps(shown) + told["output"] and "explain_rounding" in told["output"]
    assert "bubblewrap" in told["output"]
    right = envelopes.for_gradescope(SOURCE, [Score("ada", "noisy_sum", 5, 5, "right")], False)
    assert right["tests"][0]["output"] == verdicts.told(TASKS["noisy_sum"], "right") != "right"


def test_classroom50_reads_what_its_contract_asks_for():
    env = {"CLASSROOM": "dp", "ASSIGNMENT": "laplace", "SUBMISSION_TAG": "submit/1", "COMMIT_URL": "c"}
    told = envelopes.for_classroom50(SOURCE, SCORES, jail.SECOND, env)
    assert told["schema"] == "classroom50/result/v1" and (told["classroom"], told["submission"]) == ("dp", "submit/1")
    assert (told["score"], told["max-score"]) == (2, 7) and "reads the clock" not in json.dumps(told)
    passed = [(test["test-name"], test["passed"]) for test in told["tests"]]
    assert passed == [("scale_for_sum", True), ("noisy_sum", False)]
    at = datetime.datetime.strptime(told["datetime"] + "+0000", "%Y-%m-%dT%H:%M:%SZ%z")
    assert abs(datetime.datetime.now(datetime.UTC) - at) < datetime.timedelta(minutes=5)


def test_one_notebook_is_found_or_none(tmp_path):
    assert envelopes.handed_in(tmp_path, "03_laplace") is None
    (tmp_path / ".ipynb_checkpoints").mkdir()
    for name in (".ipynb_checkpoints/x.ipynb", "mine.ipynb"):
        (tmp_path / name).touch()
    assert envelopes.handed_in(tmp_path, "03_laplace").name == "mine.ipynb"
    (tmp_path / "other.ipynb").touch()
    assert envelopes.handed_in(tmp_path, "03_laplace") is None
    (tmp_path / "03_laplace.ipynb").touch()
    assert envelopes.handed_in(tmp_path, "03_laplace").name == "03_laplace.ipynb"


@pytest.mark.parametrize("beside", ["._mine.IPYNB", "__MACOSX/._mine.IPYNB", ".trash/mine.ipynb"])
def test_what_a_mac_puts_beside_a_notebook_is_none(tmp_path, beside):
    for name in ("folder/mine.IPYNB", beside):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert envelopes.handed_in(tmp_path, "03_laplace") == tmp_path / "folder" / "mine.IPYNB"


def test_hidden_data_are_the_students_own_and_the_same_each_time(tmp_path, monkeypatch):
    notebook, seeds = answers(tmp_path), []
    monkeypatch.setattr(envelopes.single, "in_a_process", lambda request: seeds.append(request["seed"]) or SimpleResult)
    for student, secret in (("ada", b"1"), ("ada", b"1"), ("bob", b"1"), ("ada", b"2"), ("ada", None), ("ada", None)):
        envelopes.graded(SOURCE, notebook, student, secret)
    assert seeds[0] == seeds[1] and len(set(seeds)) == 5
    envelopes.graded(OTHER, notebook, "ada", b"1")
    envelopes.graded(SOURCE, answers(tmp_path, scale_for_sum="1"), "ada", b"1")
    assert len(set(seeds)) == 7, "another assignment, another file"
    monkeypatch.setattr(envelopes, "LARGEST", 10)
    for text in ("1", "2"):
        envelopes.graded(SOURCE, answers(tmp_path, scale_for_sum=text), "ada", b"1")
    assert seeds[-1] == seeds[-2], "what is too large is not read"


@pytest.fixture
def autograder(tmp_path, monkeypatch):
    """A function that grades as Gradescope would, for these users: what is asked of the grader, and the results."""
    monkeypatch.setattr(envelopes.jail, "wall", lambda: jail.SECOND)
    monkeypatch.setattr(envelopes.jail, "refusal", lambda _: "")
    monkeypatch.setattr(envelopes, "PROJECT", tmp_path / "grader")
    (tmp_path / "grader" / "exercises").mkdir(parents=True)
    shutil.copyfile(SOURCE, tmp_path / "grader" / "exercises" / SOURCE.name)
    (tmp_path / "grader" / "secret").write_bytes(b"secret")
    asked = []
    monkeypatch.setattr(envelopes.single, "in_a_process", lambda request: asked.append(request) or SimpleResult)

    def grade(metadata):
        (tmp_path / "submission_metadata.json").write_text(metadata)
        envelopes.gradescope("03_laplace", tmp_path)
        return asked[-1] if asked else None, json.loads((tmp_path / "results" / "results.json").read_text())

    return grade


def test_gradescope_says_whose_submission_it_is(autograder, tmp_path):
    """The addresses of all who hand in together, in any order; the number of who has none; nobody's is graded too."""
    answers(tmp_path / "submission")
    ada, bob = {"id": 7, "email": "ada@uni.example"}, {"id": 8, "email": "bob@uni.example"}
    both = [autograder(json.dumps({"users": users})) for users in ([ada, bob], [bob, ada])]
    assert [asked["student"] for asked, _ in both] == ["ada@uni.example bob@uni.example"] * 2
    assert both[0][0]["seed"] == both[1][0]["seed"] and both[0][0]["unsafe"] == jail.SECOND
    assert envelopes.WALLS[jail.SECOND] in both[0][1]["output"]
    for users in ([{"id": 7}], [{"id": 7, "email": None}]):
        assert autograder(json.dumps({"users": users}))[0]["student"] == "7"
    for metadata in ("", "{}", "[]", '{"users": [{}]}', '{"users": 3}'):
        assert autograder(metadata)[0]["student"] == "unknown"


def test_two_notebooks_get_a_sentence_and_no_wall_no_points(autograder, tmp_path, monkeypatch):
    shutil.copyfile(answers(tmp_path / "submission"), tmp_path / "submission" / "a.ipynb")
    (tmp_path / "submission" / "03_laplace.ipynb").rename(tmp_path / "submission" / "b.ipynb")
    asked, told = autograder("{}")
    assert asked is None and {test["score"] for test in told["tests"]} == {0}
    assert all("hand in one notebook, 03_laplace.ipynb" in test["output"] for test in told["tests"])
    monkeypatch.setattr(envelopes.jail, "wall", lambda: None)
    with pytest.raises(RuntimeError, match="no wall can stand here: root is needed"):
        autograder("{}")


@pytest.mark.parametrize("varied", [False, True])
def test_students_are_graded_with_the_release_that_they_have(tmp_path, monkeypatch, varied):
    """The plain one, number 0, unless the course of the envelope has variants; then with their own."""
    course, numbers = tmp_path / "course", []
    course.mkdir()
    (course / "secret").write_bytes(b"secret")
    if varied:
        variants.build([SOURCE], STUDENTS, b"secret", course)
    monkeypatch.setattr(envelopes.students, "wheel", no_wheel)
    monkeypatch.chdir(tmp_path)
    envelopes.main(["classroom50", "03_laplace", "--course", str(course)])
    monkeypatch.setattr(envelopes, "PROJECT", tmp_path / envelopes.FOLDER / "classroom50" / "03_laplace" / "grader")
    monkeypatch.setattr(envelopes.jail, "wall", lambda: False)
    monkeypatch.setattr(envelopes.single, "in_a_process", lambda request: numbers.append(request) or SimpleResult)
    answers(tmp_path / "handed in")
    for student in STUDENTS:
        monkeypatch.setenv("OWNER", student)
        envelopes.classroom50("03_laplace", tmp_path / "handed in")
    lines = [variants.LINE.search(request["assignment"].setup)[0] for request in numbers]
    assignment = assignments.read(SOURCE)
    own = [variants.number_of(assignment, student, b"secret") if varied else 0 for student in STUDENTS]
    assert lines == [f"VARIANT = {number}  # of 6" for number in own] and (len(set(own)) > 1) == varied
    assert all(line in "".join(code for _, code in one["release"]) for line, one in zip(lines, numbers, strict=True))


STUDENTS = ("ada", "bob", "cem", "dan")


class SimpleResult:
    scores = ()


# Answered in a root of its own.


def in_a_root(place, namespaces):
    """The start of a command that runs in a root like a container's, `place` being its /autograder."""
    base = pathlib.Path(sys.base_prefix)
    command = [bubblewrap.installed(), "--die-with-parent", "--cap-add", "ALL", "--dev", "/dev", "--proc", "/proc"]
    command += ["--tmpfs", "/tmp", "--bind", str(place), "/autograder"]
    for folder in ("/usr", "/etc", "/lib", "/lib64", "/bin", "/sbin"):
        same = ["--symlink", os.readlink(folder), folder] if os.path.islink(folder) else ["--ro-bind", folder, folder]
        command += same if os.path.exists(folder) else []
    ours = [one for one in (base, pathlib.Path(sys.prefix), ROOT / "dpbook") if not one.is_relative_to("/usr")]
    for folder in sorted({parent for one in ours for parent in one.parents[:-1]} | {pathlib.Path("/opt")}):
        command += ["--perms", "0755", "--dir", str(folder)]
    for folder in ours:
        command += ["--ro-bind", str(folder), str(folder)]
    command += ["--symlink", sys.prefix, envelopes.ENVIRONMENT]
    if not namespaces:
        command += ["--ro-bind", "/bin/false", bubblewrap.installed()]
    return [*command, "--"]


def answered(packed, place, namespaces, rights="go-rwx", **changed):
    """What Gradescope would show of these answers."""
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(place / "source")
    lighter.fewer_draws(SOURCE, place / "source" / "grader" / "exercises")
    place.chmod(0o755)
    (place / "submission").mkdir()
    (place / "submission_metadata.json").write_text(json.dumps({"users": [{"email": "ada@uni.example", "id": 7}]}))
    shutil.copyfile(answers(place / "answers", **changed), place / "submission" / "homework.ipynb")
    subprocess.run(["chmod", "-R", rights, place / "source"], check=True)  # as the last line of setup.sh
    command = [*in_a_root(place, namespaces), "bash", "/autograder/source/run_autograder"]
    done = subprocess.run(command, capture_output=True, text=True, cwd="/", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads((place / "results" / "results.json").read_text())


def is_root():
    if os.geteuid() != 0:
        assert jail.wall() in (False, None), "the second wall needs root"
    return os.geteuid() == 0


SPY = """
def scale_for_sum(low, high, epsilon):
    import os, socket
    here = "/autograder/source/grader/"
    read = [place for place in (here + "secret", here + "exercises/03_laplace.py") if os.access(place, os.R_OK)]
    made = 0
    for attempt in (lambda: open("/tmp/seen", "w"), lambda: open("/autograder/results/x", "w"), socket.socket, os.fork):
        try:
            attempt()
            made += 1
        except (OSError, NotImplementedError):
            pass
    return 1e9 if read or made else max(abs(low), abs(high)) / epsilon
"""


WRONG = "def recover_count(first, first_epsilon, second, second_epsilon):\n    return (first + second) / 2"


@pytest.mark.parametrize("namespaces", [pytest.param(True, marks=pytest.mark.thorough), False])
def test_a_submission_is_answered_behind_the_wall_that_can_stand(packed, tmp_path, namespaces):
    """A spy that gets out of its wall gives a wrong number; behind the wall it is a right answer."""
    if not is_root():
        return
    told = answered(packed, tmp_path, namespaces, scale_for_sum=SPY, recover_count=WRONG)
    shown = {test["name"]: test for test in told["tests"] if test["visibility"] == "visible"}
    assert shown["scale_for_sum"]["score"] == shown["scale_for_sum"]["max_score"] == 2, told
    assert shown["recover_count"]["score"] == 0 and "keeps the noise" in shown["recover_count"]["output"]
    assert f"this wall: {envelopes.WALLS[False if namespaces else jail.SECOND]}" in told["output"]


def test_nothing_is_graded_where_the_graders_files_can_be_read(packed, tmp_path):
    if not is_root():
        return
    with pytest.raises(AssertionError, match="of the grader's own files can be read from behind it"):
        answered(packed, tmp_path, namespaces=False, rights="go+rX")
