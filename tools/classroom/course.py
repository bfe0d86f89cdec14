"""A course in nbgrader: `python -m tools.classroom.course set-up | collect | autograde | formgrader | feedback | ...`.

`set-up` makes the course (its folder is `--course`) and its releases; run it again when an assignment changed.
`collect 03_laplace downloads/*` takes what students handed in. `autograde` grades what changed and writes the feedback,
`points.csv` and `grades.csv`; `formgrader` opens nbgrader's pages for grading by hand; `feedback` writes feedback and
tables once more afterwards; `roster`, `grades` and `report` are for the class as a whole. A course keeps assignments as
they were handed out (`assignments/`), and the secret that its hidden data come from (`secret`): it is for its owner's
eyes only.
"""

import argparse
import codecs
import dataclasses
import datetime
import hashlib
import json
import locale
import os
import pathlib
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import warnings
import zipfile

import nbformat
from nbgrader.api import MissingEntry
from nbgrader.apps.api import NbGraderAPI
from traitlets.config import PyFileConfigLoader

from tools.classroom import assignments, cluster, grading, history, platforms, roster, single, steps, tables, variants
from tools.classroom import collect as collecting
from tools.classroom.desk import assignments_of
from tools.classroom.places import PROJECT, SECRET, secret, source_of, told
from tools.classroom.progress import progress
from tools.classroom.steps import no_longer_waiting

FORMGRADER = pathlib.Path(__file__).parent / "jupyter"  # settings of the JupyterLab in which explanations are graded
CONFIG = """import sys

sys.path.insert(0, {project!r})
from tools.classroom.steps import configure

c = get_config()
configure(c)
# What you change stands below this line, and stays.
"""


class Refused(RuntimeError):
    """What could not be done without loss, and was not done; the message says what to do."""


def set_up(course, sources):
    """Make the course, or bring it up to date: its settings, its sources, its releases; the stems released anew.

    An assignment that has other tasks than when somebody was graded stays as it was, and `Refused` says so at the end.
    """
    course.mkdir(parents=True, exist_ok=True)
    course.chmod(0o700)
    _settings(course)
    (course / "solutions").mkdir(exist_ok=True)
    changed, refused = [], []
    for source in sources:
        if sentence := _other_tasks(course, source):
            refused.append(sentence)
            continue
        kept = source_of(source.stem, course)
        kept.parent.mkdir(exist_ok=True)
        shutil.copyfile(source, kept)
        nbformat.write(assignments.solution_book(source), course / "solutions" / f"{source.stem}.ipynb")
        target = course / "source" / source.stem / f"{source.stem}.ipynb"
        text = nbformat.writes(assignments.teaching_copy(source)) + "\n"
        if target.exists() and target.read_text() == text and (course / "release" / source.stem).exists():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        _release(course, source.stem)
        changed.append(source.stem)
    if refused:
        raise Refused("\n".join(refused))
    return changed


def _settings(course):
    """The course's settings, with the clone where it is now, and its secret."""
    settings = course / "nbgrader_config.py"
    if not settings.exists() or "configure(c)" not in settings.read_text():
        if settings.exists():
            settings.rename(course / "nbgrader_config.old.py")
        settings.write_text(CONFIG.format(project=str(PROJECT)))
    here = f"sys.path.insert(0, {str(PROJECT)!r})"  # the clone may have moved; all else stays as it was edited
    settings.write_text(re.sub(r"(?m)^sys\.path\.insert\(0, .*\)$", lambda _: here, settings.read_text()))
    if not (course / SECRET).exists():
        (course / SECRET).touch(mode=0o600)
        (course / SECRET).write_bytes(secrets.token_bytes(32))


def _release(course, stem):
    """nbgrader's release; where that fails, the earlier one is put back."""
    release = course / "release" / stem
    with tempfile.TemporaryDirectory() as folder:
        earlier = pathlib.Path(folder) / "release"
        if release.exists():
            shutil.copytree(release, earlier)
        try:
            _done(_nbgrader(course).generate_assignment(stem), f"the release of {stem}")
        except RuntimeError:
            (course / "source" / stem / f"{stem}.ipynb").unlink()  # so that the next set-up tries again
            if earlier.exists() and not release.exists():
                shutil.copytree(earlier, release)
            raise


def _other_tasks(course, source):
    """Why an assignment cannot be brought up to date, as a sentence; "" if it can."""
    if not (course / "gradebook.db").exists():
        return ""
    with _nbgrader(course).gradebook as gradebook:
        try:
            notebook = gradebook.find_notebook(source.stem, source.stem)
        except MissingEntry:
            return ""
        graded, known = bool(notebook.submissions), {cell.name for cell in notebook.grade_cells}
    tasks = {f"{task.name}-check" if task.check else task.name for task in assignments.read(source).tasks}
    if not graded or tasks == known:
        return ""
    others = ", ".join(sorted(name.removesuffix("-check") for name in tasks ^ known))
    return (
        f"{source.stem} has other tasks than when it was handed out ({others}), and students have been graded: it "
        f"stays as it was in this course. To give out the new one, copy {source.name} to a new name."
    )


def autograde(course, jobs=None, unsafe=False, dask=None):
    """Grade every submission that changed, and write its scores and its feedback; the number graded.

    `dask` is the address of a cluster that does it (`tools.classroom.cluster`), instead of this machine.

    What goes wrong with one stops no other: `Refused` names them at the end, and the next run tries them again.
    """
    api, everything, entered = _nbgrader(course, unsafe), [], {}

    def enter(path, result):
        if not _is_new(course, path, result):
            return
        stem, student = path.stem, path.parents[1].name
        entered[path] = ""
        try:
            _enter(api, course, path, result)
        except Exception as error:  # nbgrader's, or the disk's: the others go on
            entered[path] = f"{student}, {stem}: {type(error).__name__}: {str(error)[-300:]}"

    options = {"unsafe": unsafe, "pages": True, "jobs": jobs, "dask": dask}
    options |= {"secret": secret(course), "varied": variants.given(course)}
    options |= {"enter": enter}  # while others are still being graded
    for stem in assignments_of(course):
        paths = collecting.submissions(course, stem)
        results = grading.grade_all(source_of(stem, course), paths, course / "results", **options)
        everything += zip(paths, results, strict=True)
    new = [one for one in everything if one[0] not in entered and _is_new(course, *one)]
    for path, result in progress(new, len(new), "gradebook"):
        enter(path, result)
    tables.write(_nbgrader(course), course)
    print(grading.summary([result for _, result in everything]))
    if troubles := list(filter(None, entered.values())):
        raise Refused("Graded, but not in the gradebook (run this again; the others are):\n" + "\n".join(troubles))
    return len(entered)


def _enter(api, course, path, result):
    """Put the result of the submission at `path` into the gradebook and write its feedback."""
    stem, student = path.stem, path.parents[1].name
    steps.remember(path, source_of(stem, course), result)
    _done(api.autograde(stem, student), f"the page of {student}")
    _done(api.generate_feedback(stem, student), f"the feedback for {student}")
    told(course, stem, student).parent.mkdir(parents=True, exist_ok=True)
    told(course, stem, student).write_text(_words(course, stem, result))


def _words(course, stem, result):
    """What the gradebook is told: the result, and the assignment as it is now."""
    source = hashlib.sha256(source_of(stem, course).read_bytes()).hexdigest()
    return json.dumps({"source": source, **dataclasses.asdict(result)}, indent=1)


def _is_new(course, path, result):
    """Whether the gradebook does not have this result of the submission at `path` yet."""
    known = told(course, path.stem, path.parents[1].name)
    return not known.exists() or known.read_text() != _words(course, path.stem, result)


def left(course):
    """What among the submissions nobody looked at, and whose grade has no file any more; a line each."""
    lines = collecting.unmatched(course, assignments_of(course))
    for stem in assignments_of(course):
        graded = {path.stem for path in (course / "results" / stem).glob("*.json")}
        gone = graded - {path.parents[1].name for path in collecting.submissions(course, stem)}
        lines += [f"{student} keeps the grade for {stem}, but the file is gone" for student in sorted(gone)]
    return lines


def collect(course, stem, paths, at=None, times=None, ask=None):
    """Take what students handed in for an assignment, at a time (now), or at those of a platform's table.

    See `tools.classroom.collect`, also for `ask`, and `history`.
    """
    if stem not in assignments_of(course):
        raise collecting.Refused(f"the assignment must be one of {', '.join(assignments_of(course))}; got {stem!r}")
    known = platforms.times(times) if times else None
    taken, left = collecting.take(course, stem, paths, ask, times)
    history.note(course, stem, taken, at, known)
    return taken, left


def _asked(question):
    """Ask whether an earlier submission may be replaced; no, where nobody is there to answer."""
    if not sys.stdin.isatty():
        return False
    return input(f"{question}. May it replace the earlier one? [y/N] ").strip().lower() in ("y", "yes")


def enrol(course, file):
    """Take in the roster that a file holds; its members."""
    members = roster.understood(file)
    roster.write(course, members)
    with _nbgrader(course).gradebook as gradebook:
        roster.enrol(gradebook, members)
    return members


def platform_table(course, file, stem=None):
    """Fill the points of this course into a platform's own export.

    Returns the new file, what is missing in it, and where the platform counts out of other points, a line each.
    """
    members = roster.known(course)
    if not members:
        raise Refused("The course has no roster: run `course roster EXPORT` first, with an export of the platform.")
    text, missing = platforms.filled(file, (tables.grades(course), members), stem)
    target = course / "import" / file.name
    target.parent.mkdir(exist_ok=True)
    target.write_text(text, encoding="utf-8", newline="")
    return target, missing, platforms.other_maxima(file, tables.maxima(course), stem)


def feedback(course):
    """Write all feedback and both tables again, with what was graded by hand since; the number of pages."""
    api, written = _nbgrader(course), 0
    with api.gradebook as gradebook:
        no_longer_waiting(gradebook)
    for page in sorted((course / "autograded").glob("*/*/*.ipynb")):
        _done(api.generate_feedback(page.stem, page.parents[1].name), f"the feedback for {page.parents[1].name}")
        written += 1
    tables.write(_nbgrader(course), course)
    return written


def feedback_archive(course, stem):
    """The feedback of an assignment as a zip for Canvas or Moodle, `import/<stem>-feedback.zip`; who is not in it.

    In it are those whose last file came from a platform. `Refused` where that is nobody.
    """
    pages, origins = {}, history.origins(course, stem)
    found = {page.parents[1].name: page for page in sorted((course / "feedback").glob(f"*/{stem}/{stem}.html"))}
    for student, page in found.items():
        if name := platforms.feedback_name(origins.get(student, ""), stem):
            pages[name] = page
    if not pages:
        raise Refused(f"no feedback on {stem} is about a file from Canvas or Moodle")
    target = course / "import" / f"{stem}-feedback.zip"
    target.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, page in pages.items():
            archive.write(page, name)
    return target, sorted(set(found) - {page.parents[1].name for page in pages.values()})


def formgrader(course, more=()):
    """Open the course in JupyterLab, at the pages where explanations are graded by hand, until it is stopped.

    Without nbgrader's Validate button, and without kernels: they would run what students handed in without any jail.
    """
    root = ["--allow-root"] if os.geteuid() == 0 else []
    words = [*root, "--log-level=WARN", "--LabApp.default_url=/formgrader", *more]
    settings = os.environ | {"JUPYTER_CONFIG_PATH": str(FORMGRADER)}
    lab = PROJECT / "tools" / "book" / "lab.py"
    subprocess.run([sys.executable, str(lab), *words], cwd=course, env=settings, check=False)


def _nbgrader(course, unsafe=False):
    """nbgrader's own interface, with the settings of this course."""
    warnings.filterwarnings("ignore", module="nbgrader")  # SQLAlchemy, about nbgrader's own tables
    if not shutil.which("alembic"):  # nbgrader calls this program, which stands beside Python, by its bare name
        os.environ["PATH"] = f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    if codecs.lookup(locale.getencoding()).name != "utf-8":  # alembic reads paths in that
        os.environ["LC_ALL"] = "C.UTF-8"
    config = PyFileConfigLoader("nbgrader_config.py", path=str(course)).load_config()
    config.CourseDirectory.root = str(course.resolve())
    config.RunInJail.unsafe = config.SaveScores.unsafe = unsafe
    return NbGraderAPI(config=config)


def _done(result, what):
    if not result["success"]:
        raise RuntimeError(f"nbgrader could not make {what}: {_cause(result)}")


def _cause(result):
    """The error under nbgrader's own, which only points to it; all that was written if there is none."""
    written = f"{result.get('log')}\n{result.get('error')}"
    errors = re.findall(r"^ *((?!.*NbGraderException)[\w.]*(?:Error|Exception)\b.*)", written, flags=re.M)
    return errors[-1] if errors else written


def _sources(only):
    """The sources of the assignments of these names, or of all."""
    sources = {path.stem: path for path in sorted((PROJECT / "exercises").glob("[0-9]*.py"))}
    if unknown := [stem for stem in only if stem not in sources]:
        raise Refused(f"no assignment is called {', '.join(unknown)}; there are {', '.join(sources)}")
    return [sources[stem] for stem in only or sources]


def main(words=None):
    """The command line; returns a sentence where it refuses."""
    parser = argparse.ArgumentParser(prog="python -m tools.classroom.course", description="A course in nbgrader.")
    parser.add_argument("--course", type=pathlib.Path, default=pathlib.Path("course"), help="its folder")
    commands = parser.add_subparsers(dest="command", required=True)
    maker = commands.add_parser("set-up", help="make the course, or bring it up to date")
    maker.add_argument("only", nargs="*", help="these assignments alone, for example 03_laplace (default: all)")
    collector = commands.add_parser("collect", help="take files, folders or archives of submissions")
    collector.add_argument("assignment", help="for example 03_laplace")
    collector.add_argument("files", type=pathlib.Path, nargs="+")
    collector.add_argument("--at", type=datetime.datetime.fromisoformat, help="when: 2027-03-01T23:59 (now)")
    collector.add_argument("--times", type=pathlib.Path, help="a platform's table with the time of each submission")
    roll = commands.add_parser("roster", help="who is in the course, from names or a platform's export")
    roll.add_argument("file", type=pathlib.Path)
    exporter = commands.add_parser("grades", help="fill the points into Canvas's export or Moodle's worksheet")
    exporter.add_argument("file", type=pathlib.Path)
    exporter.add_argument("assignment", nargs="?", help="whose worksheet it is (Moodle)")
    commands.add_parser("report", help="the class's mistakes, as a table and a picture, and who wrote alike")
    grader = commands.add_parser("autograde", help="grade what changed")
    grader.add_argument("--jobs", type=int, help="submissions at a time (default: one a processor)")
    grader.add_argument("--dask", help="the address of a Dask cluster that grades, for example tcp://10.0.0.7:8786")
    grader.add_argument("--unsafe", action="store_true", help="no jail: students' code runs with your rights")
    viewer = commands.add_parser("formgrader", help="open nbgrader's pages to grade explanations by hand")
    viewer.add_argument("more", nargs="*", help="further words for JupyterLab, after --")
    writer = commands.add_parser("feedback", help="write feedback and tables again, after grading by hand")
    writer.add_argument("assignment", nargs="?", help="and its pages as a zip for Canvas or Moodle")
    chosen = parser.parse_args(words)
    course = chosen.course
    os.umask(0o077)
    if chosen.command != "set-up" and not (course / "nbgrader_config.py").exists():
        return f"There is no course in {course}: run make classroom first."
    try:
        return _run(course, chosen)
    except (Refused, collecting.Refused, roster.Unclear, cluster.Unready) as refused:
        return str(refused)


def _run(course, chosen):
    if chosen.command == "set-up":
        released = set_up(course, _sources(chosen.only))
        print(f"The course is in {course}; released: {', '.join(released) or 'nothing new'}.")
        print(f"Hand out {course}/release; take what comes back with collect.")
    elif chosen.command == "collect":
        taken, aside = collect(course, chosen.assignment, chosen.files, chosen.at, chosen.times, _asked)
        names = [f"{who} from {one.origin}" for who, one in taken.items()]
        print(f"{len(taken)} taken for {chosen.assignment}:", *names, sep="\n  ")
        members = {one.student for one in roster.known(course)}
        strangers = [who for who in taken if members and who not in members]
        _say([*(f"left aside: {one}" for one in aside), *(f"not on the roster: {who}" for who in strangers)])
    elif chosen.command == "roster":
        print(f"{len(enrol(course, chosen.file))} students are on the roster, {course / roster.FILE}.")
    elif chosen.command == "grades":
        target, missing, others = platform_table(course, chosen.file, chosen.assignment)
        print(f"Import {target}." + (" Still empty there:" if missing else ""), *missing, sep="\n  ")
        _say(others)
    elif chosen.command == "report":
        _say(tables.report(course, assignments_of(course)))
    elif chosen.command == "formgrader":
        formgrader(course, chosen.more)
    elif chosen.command == "feedback":
        print(f"{feedback(course)} pages of feedback; they, points.csv and grades.csv are in {course}.")
        if chosen.assignment:
            target, others = feedback_archive(course, chosen.assignment)
            print(f"Upload {target}." + (" Not in it:" if others else ""), *others, sep="\n  ")
    elif sentence := single.refusal(chosen.unsafe):
        return sentence
    else:
        graded = autograde(course, chosen.jobs, chosen.unsafe, chosen.dask)
        print(f"{graded} submissions graded; feedback, points.csv and grades.csv are in {course}.")
        _say(left(course))
    return None


def _say(lines):
    """Print them, a line each; nothing, and no empty line, if there are none."""
    for line in lines:
        print(line)


if __name__ == "__main__":
    sys.exit(main())
