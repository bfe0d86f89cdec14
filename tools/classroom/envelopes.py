"""Envelopes for platforms that grade by a program of ours: `python -m tools.classroom.envelopes gradescope 03_laplace`.

`pack` puts one assignment's grader into a file for the platform: Gradescope's autograder zip, or the folder that
Classroom 50 publishes for an assignment. There `answer` grades the one submission with `graded` and writes
what the platform reads. All ask the same jail and the same checks; the results say which wall stood.
"""

import argparse
import dataclasses
import datetime
import hashlib
import hmac
import json
import os
import pathlib
import shutil
import stat
import sys
import tempfile
import zipfile
from collections.abc import Callable

from tools.classroom import assignments, jail, single, students, variants, verdicts
from tools.classroom.places import PROJECT, SECRET
from tools.classroom.submission import LARGEST

FOLDER = pathlib.Path("build/envelopes")
ENVIRONMENT = "/opt/dpbook-grader"  # where setup.sh makes it; anybody may read it
HELD = ("tools/__init__.py", "tools/debian.py", "tools/classroom/*.py")  # of the project, in every envelope
PACKAGES = ("jupytext", "nbformat", "numpy", "scipy")  # what grading imports besides the standard library and dpbook
BY_HAND = "by hand"
WALLS = {
    False: "bubblewrap: no network, no files but the libraries, no other process, few calls",
    jail.SECOND: "another user, few calls: no socket, no new file, no other process (no namespaces can be made here)",
}

SETUP = """#!/usr/bin/env bash
# Run as root, once: Python 3.11 or newer, bubblewrap, and an environment of the grader's own.
set -e
here="$(cd "$(dirname "$0")" && pwd)"
apt-get update --quiet && apt-get install --yes --quiet python3 python3-venv bubblewrap
python=python3
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {{
  apt-get install --yes --quiet python3.11 python3.11-venv && python=python3.11
}}
"$python" -m venv {environment}
{environment}/bin/pip install --quiet --disable-pip-version-check -c "$here/pins.txt" {packages} "$here/{wheel}"
chmod -R go-rwx "$here"
"""
RUN = """#!/usr/bin/env bash
# Run as root, for each submission; a further word is where the submission stands.
cd "$(dirname "$(readlink -f "$0")")/{grader}"
exec {environment}/bin/python -m tools.classroom.envelopes answer {platform} {stem} "$@"
"""
AUTOGRADER = '''"""Classroom 50 runs this in the student's checkout. It needs root, which its runners give by sudo."""

import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
AS_ROOT = ["sudo", "--non-interactive", "--preserve-env", "bash"] if os.geteuid() else ["bash"]
if not pathlib.Path("{environment}").exists():
    subprocess.run([*AS_ROOT, str(HERE / "setup.sh")], check=True, stdout=sys.stderr)
sys.exit(subprocess.run([*AS_ROOT, str(HERE / "run.sh"), os.getcwd()]).returncode)
'''


def graded(source, notebook, student, secret=None, unsafe=False, varied=False):
    """The `Score` of each task of one submission to the assignment `source`: the one call behind every envelope.

    `secret` (bytes) makes the hidden data those of this student and this file, the same each time; without it they are
    drawn afresh. `unsafe` is the wall, as `jail.wall` names it. Where students have variants (`varied`, which needs the
    secret), each is graded with the variant of that name, and else with the plain release, which all have.
    """
    assignment, notebook = assignments.read(source), pathlib.Path(notebook)
    number = variants.number_of(assignment, student, secret) if varied else 0
    content = notebook.read_bytes() if notebook.is_file() and notebook.stat().st_size <= LARGEST else b""
    message = repr((assignment.stem, student)).encode() + hashlib.sha256(content).digest()
    seed = int.from_bytes(hmac.digest(secret or os.urandom(32), message, "sha256")[:8], "big")
    request = single.request_of(assignment, assignments.code(source), notebook, student, seed, unsafe, number)
    return single.in_a_process(request).scores


# What the platforms read.


def rows(source, scores):
    """For each score: the task's name, the points (None: by hand), points of it, and the line that students read."""
    tasks = {task.name: task for task in assignments.read(source).tasks}
    for score in scores:
        task = tasks[score.task]
        if task.check:
            yield score.task, score.points, score.most, verdicts.told(task, score.reason)
        else:
            yield score.task, None, score.most, BY_HAND


def for_gradescope(source, scores, wall):
    """What Gradescope reads as results.json: a test for each task that a machine grades, and flags for the staff."""
    tests, waiting = [], []
    for name, points, most, line in rows(source, scores):
        if points is None:
            waiting.append(name)
        else:
            tests.append({"name": name, "score": points, "max_score": most, "output": line, "visibility": "visible"})
    flagged = [score for score in scores if score.flag]
    tests += [{"name": f"{one.task}, for the staff", "output": one.flag, "visibility": "hidden"} for one in flagged]
    said = [f"Graded behind this wall: {WALLS[wall]}."] + [f"Graded by hand: {', '.join(waiting)}."] * bool(waiting)
    return {"tests": tests, "output": "\n".join(said), "stdout_visibility": "hidden"}


def for_classroom50(source, scores, wall, env=os.environ):
    """What Classroom 50 reads as result.json (classroom50/result/v1); its scores are whole numbers."""
    tests = [
        {"test-name": name, "passed": points == most, "score": int(points), "max-score": int(most), "message": line}
        for name, points, most, line in rows(source, scores)
        if points is not None
    ]
    known = {"classroom": "CLASSROOM", "assignment": "ASSIGNMENT", "submission": "SUBMISSION_TAG"}
    known |= {"commit": "COMMIT_URL", "release": "RELEASE_URL", "review": "REVIEW_URL"}
    return {
        "schema": "classroom50/result/v1",
        **{key: env.get(name, "") for key, name in known.items()},
        "datetime": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "score": sum(test["score"] for test in tests),
        "max-score": sum(test["max-score"] for test in tests),
        "tests": tests,
        "wall": WALLS[wall],
    }


def handed_in(folder, stem):
    """The one notebook in a folder of a submission; of several the one named like the assignment; or None."""
    parts = {path: path.relative_to(folder).parts for path in pathlib.Path(folder).rglob("*")}
    seen = [path for path, names in parts.items() if not any(name.startswith((".", "__MACOSX")) for name in names)]
    found = sorted(path for path in seen if path.suffix.casefold() == ".ipynb")
    named = [path for path in found if path.stem == stem]
    return (named or found)[0] if len(named or found) == 1 else None


def gradescope(stem, place="/autograder"):
    """Grade what Gradescope put into `place`, and write its results.json."""
    place = pathlib.Path(place)
    try:
        users = json.loads((place / "submission_metadata.json").read_text(encoding="utf-8"))["users"]
        student = " ".join(sorted(str(user.get("email") or user["id"]) for user in users))
    except (OSError, ValueError, LookupError, TypeError):
        student = "unknown"
    result = _answer(stem, place / "submission", student, for_gradescope)
    (place / "results").mkdir(exist_ok=True)
    (place / "results" / "results.json").write_text(json.dumps(result, indent=1), encoding="utf-8")


def classroom50(stem, place):
    """Grade the student's checkout `place`, and write result.json there."""
    result = _answer(stem, place, os.environ.get("OWNER") or os.environ.get("USERNAME", ""), for_classroom50)
    (pathlib.Path(place) / "result.json").write_text(json.dumps(result, indent=1), encoding="utf-8")


def _answer(stem, folder, student, written):
    """What `written` makes of the scores of the one notebook in a folder. RuntimeError where no wall can stand."""
    source, wall = PROJECT / "exercises" / f"{stem}.py", jail.wall()
    secret = PROJECT / SECRET
    if wall is None or (wall and (trouble := jail.refusal([source, secret, PROJECT / "tools" / "classroom"]))):
        raise RuntimeError(f"Nothing was graded: no wall can stand here: {trouble if wall else 'root is needed'}.")
    notebook = handed_in(folder, stem)
    if notebook is None:
        line = f"hand in one notebook, {stem}.ipynb"
        scores = verdicts.unread(assignments.read(source), student, line)
    else:
        scores = graded(source, notebook, student, secret.read_bytes(), wall, variants.given(PROJECT))
    return written(source, scores, wall)


# What is packed.


def pack(platform, stem, folder=FOLDER, secret=None, project=PROJECT, varied=False):
    """Write the envelope of one assignment: Gradescope's zip, or the folder that Classroom 50 bundles. Its path.

    `secret` (bytes) gives the hidden data, as a course's does; without it the envelope has one of its own. `varied`:
    each student is graded with the variant that this secret gives to the name that the platform has, an address say.
    Whoever has the envelope has solutions, hidden checks and secret: give it to the platform alone.
    """
    source = project / "exercises" / f"{stem}.py"
    if platform not in PLATFORMS:
        raise ValueError(f"platform must be one of {', '.join(PLATFORMS)}, got {platform!r}")
    if not source.exists():
        raise ValueError(f"there is no assignment {stem}: give the name of a file in exercises/, such as 03_laplace")
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        wheel = students.wheel(project, place)
        grader = place / "grader"
        for file in sorted(file for pattern in HELD for file in project.glob(pattern)):
            target = grader / file.relative_to(project)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
        (grader / "exercises").mkdir()
        shutil.copyfile(source, grader / "exercises" / source.name)
        (grader / SECRET).write_bytes(secret or os.urandom(32))
        if varied:
            (grader / variants.FOLDER).mkdir()
            (grader / variants.FOLDER / "README").write_text("Students have variants: see `variants.given`.\n")
        shutil.copyfile(project / "constraints.txt", place / "pins.txt")
        known = {"environment": ENVIRONMENT, "packages": " ".join(PACKAGES), "wheel": wheel.name, "grader": "grader"}
        known |= {"platform": platform, "stem": stem}
        texts = {"setup.sh": SETUP, **PLATFORMS[platform].texts}
        for name, text in texts.items():
            (place / name).write_text(text.format(**known), encoding="utf-8")
            (place / name).chmod(0o755)
        return PLATFORMS[platform].close(place, pathlib.Path(folder) / platform, stem)


def _zipped(place, folder, stem):
    """A zip with the files of `place`, their rights kept."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{stem}.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(file for file in place.rglob("*") if file.is_file()):
            entry = zipfile.ZipInfo(str(file.relative_to(place)))
            entry.external_attr, entry.compress_type = stat.S_IMODE(file.stat().st_mode) << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, file.read_bytes())
    return target


def _copied(place, folder, stem):
    """A folder with the files of `place`."""
    shutil.rmtree(folder / stem, ignore_errors=True)
    shutil.copytree(place, folder / stem)
    return folder / stem


@dataclasses.dataclass(frozen=True)
class Platform:
    """How a platform is served: the files at the top of its envelope, how that is closed, what grades there."""

    texts: dict
    close: Callable
    answer: Callable


PLATFORMS = {
    "gradescope": Platform({"run_autograder": RUN}, _zipped, gradescope),
    "classroom50": Platform({"run.sh": RUN, "autograder.py": AUTOGRADER}, _copied, classroom50),
}


def main(words=None):
    """The command line: `answer PLATFORM STEM [PLACE]` grades there; `PLATFORM STEM` packs here."""
    words = list(sys.argv[1:] if words is None else words)
    if words[:1] == ["answer"]:
        PLATFORMS[words[1]].answer(*words[2:])
        return
    parser = argparse.ArgumentParser(prog="python -m tools.classroom.envelopes", description="Pack a grader.")
    parser.add_argument("platform", choices=PLATFORMS)
    parser.add_argument("assignment", help="such as 03_laplace")
    parser.add_argument("--course", type=pathlib.Path, help="a course, for its secret and its variants")
    chosen = parser.parse_args(words)
    try:
        secret = (chosen.course / SECRET).read_bytes() if chosen.course else None
        varied = chosen.course is not None and variants.given(chosen.course)
        print(pack(chosen.platform, chosen.assignment, secret=secret, varied=varied))
    except (OSError, ValueError) as trouble:
        parser.error(str(trouble))


if __name__ == "__main__":
    main()
