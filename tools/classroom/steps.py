"""What nbgrader does with a submission in our course: three steps, all in the place of its own.

`Rebuilt` hands nbgrader the release with the student's answers instead of the student's file. `RunInJail` stands where
nbgrader would run the students' code with the instructor's rights, `SaveScores` where it would believe what that code
left behind. `nbgrader autograde` and the button of its formgrader go through them as well.
"""

import json
import pathlib
import re

import jinja2
import nbformat
from nbconvert.exporters import HTMLExporter, NotebookExporter
from nbconvert.preprocessors import Preprocessor
from nbgrader import utils
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor, SaveAutoGrades
from traitlets import Bool

from tools.classroom import assignments, grading, pages, single, submission, variants, verdicts
from tools.classroom.places import secret, source_of, submitted, told

WAITING = "not graded yet: somebody will read this"
RESULTS = {}  # the result of the submission that is in nbgrader's hands, by its files as they are: all steps ask for it


def configure(settings):
    """nbgrader's settings for a course of ours; its nbgrader_config.py calls this."""
    settings.CourseDirectory.course_id = "dpbook"
    # Students' code runs in a jail, and points come from there: never put nbgrader's own steps here.
    settings.Autograde.exporter_class = "tools.classroom.steps.Rebuilt"
    settings.GenerateFeedback.exporter_class = "tools.classroom.steps.FeedbackPage"
    settings.Autograde.autograde_preprocessors = [
        "tools.classroom.steps.RunInJail",
        "nbgrader.preprocessors.LimitOutput",
        "tools.classroom.steps.SaveScores",
        "nbgrader.preprocessors.AssignLatePenalties",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]
    settings.CourseDirectory.ignore = ["*"]  # no file beside a notebook is copied, nor a link followed
    settings.OverwriteCells.add_missing_cells = True
    settings.ClearSolutions.code_stub = {"python": assignments.CODE_STUB}
    settings.ClearSolutions.text_stub = assignments.TEXT_STUB
    settings.HTMLExporter.template_paths = _templates("formgrade")
    settings.FeedbackPage.template_paths = _templates("feedback")
    settings.HTMLExporter.preprocessors = ["tools.classroom.steps.ShowFlags"]


def _templates(name):
    """Where the templates of one of nbgrader's pages are, ours first: they load nothing from elsewhere."""
    nbgrader = pathlib.Path(utils.__file__).parent / "server_extensions" / "formgrader"
    css = nbgrader / "static" / "node_modules" / "bootstrap" / "dist" / "css"
    folders = {"extra_template_basedirs": [str(nbgrader / "templates")], "extra_template_paths": [str(css)]}
    theirs = HTMLExporter(template_name=name, **folders).template_paths
    return [str(pathlib.Path(__file__).parent / "templates"), *theirs]


class Rebuilt(NotebookExporter):
    """Reads a student's file as `submission.read` does; what nbgrader made of it before, as it is."""

    def from_filename(self, filename, resources=None, **kw):
        place = resources["nbgrader"]
        if pathlib.Path(filename).resolve() != submitted(place).resolve():
            return super().from_filename(filename, resources=resources, **kw)
        taken = result_of(place, self.config.SaveScores.get("unsafe", False)).taken
        assignment = assignments.read(source_of(place["assignment"]))
        answers = submission.Submission(**taken) if taken else submission.Submission({}, {})
        notebook = submission.page(assignment, answers)
        if variants.given(pathlib.Path.cwd()):
            own = variants.number_of(assignment, place["student"], secret(pathlib.Path.cwd()))
            notebook = variants.own_page(notebook, own)
        return self.from_notebook_node(notebook, resources=resources, **kw)


class Compiled(jinja2.BytecodeCache):
    """The templates of pages as they were compiled once in this process; nbgrader makes its exporter anew each time."""

    def __init__(self):
        self.known = {}

    def load_bytecode(self, bucket):
        if (bucket.key, bucket.checksum) in self.known:
            bucket.bytecode_from_string(self.known[bucket.key, bucket.checksum])

    def dump_bytecode(self, bucket):
        self.known[bucket.key, bucket.checksum] = bucket.bytecode_to_string()


TEMPLATES = Compiled()


class FeedbackPage(HTMLExporter):
    """nbgrader's page of feedback without what it would fetch from elsewhere: formulas stand as they are typed."""

    def _create_environment(self):
        environment = super()._create_environment()
        environment.bytecode_cache = TEMPLATES
        return environment

    def from_notebook_node(self, *args, **kw):
        page, resources = super().from_notebook_node(*args, **kw)
        return re.sub(r"<script[^>]*\bsrc=.(https?:)?//[^>]*>\s*</script>", "", page), resources


class ShowFlags(Preprocessor):
    """On formgrader's page only: before a flagged answer its flag, before an explanation its mark scheme.

    Students never see either.
    """

    def preprocess(self, nb, resources):
        if "submission_id" in resources:
            stem = resources.get("assignment_id", "")
            flags, schemes = _flags(stem, resources.get("student", "")), _schemes(stem)
            nb.cells = [s for cell in nb.cells for s in (*_flag(cell, flags), *_scheme(cell, schemes), cell)]
        return nb, resources


def _scheme(cell, schemes):
    """The cell that shows the mark scheme of an explanation, if it is one."""
    words = schemes.get(cell.metadata.get("nbgrader", {}).get("grade_id"))
    head = "**Mark scheme, for you alone:**\n"
    return [nbformat.v4.new_markdown_cell(head + submission.as_typed(words))] if words else []


def _schemes(stem):
    """The mark schemes of an assignment's explanations: a dict from tasks to words."""
    tasks = assignments.read(source_of(stem)).tasks if source_of(stem).exists() else []
    return {task.name: assignments.mark_scheme(task) for task in tasks if not task.check}


def _flag(cell, flags):
    """The cell that shows the flag of an answer, if it has one."""
    words = flags.get(cell.metadata.get("nbgrader", {}).get("grade_id"))
    return [nbformat.v4.new_markdown_cell(f"**Flag, for you alone:**\n{submission.as_typed(words)}")] if words else []


def _flags(stem, student):
    """What the last grading flagged: a dict from tasks to words."""
    known = told(pathlib.Path.cwd(), stem, student)
    scores = json.loads(known.read_text())["scores"] if known.exists() else []
    return {score["task"]: score["flag"] for score in scores if score["flag"]}


class RunInJail(NbGraderPreprocessor):
    """Puts what a submission's cells showed when they ran in the jail."""

    unsafe = Bool(False, help="no jail: students' code runs with your rights").tag(config=True)

    def preprocess(self, nb, resources):
        code = [cell for cell in nb.cells if cell.cell_type == "code"]
        sources = [cell.source for cell in code]
        page = result_of(resources["nbgrader"], self.unsafe).page
        known = page and page["cells"] == pages.fingerprint(sources)
        shown = page["outputs"] if known else pages.outputs(sources, unsafe=self.unsafe)
        for count, (cell, outputs) in enumerate(zip(code, shown, strict=True), start=1):
            cell.execution_count, cell.outputs = count, [nbformat.from_dict(output) for output in outputs]
        return nb, resources


class SaveScores(SaveAutoGrades):
    """Saves the points and reasons of `tools.classroom.grading`; explanations wait for a human, as nbgrader has it."""

    unsafe = Bool(False, help="no jail: students' code runs with your rights").tag(config=True)

    def preprocess(self, nb, resources):
        nb, resources = super().preprocess(nb, resources)
        place = resources["nbgrader"]
        with Gradebook(place["db_url"]) as gradebook:
            _record(gradebook, place["assignment"], place["student"], result_of(place, self.unsafe).scores)
        RESULTS.clear()
        return nb, resources

    def _add_score(self, cell, resources):
        """Nothing: `_record` writes the points, of explanations too."""


def result_of(place, unsafe):
    """The `Result` of the submission at this place of the course in which nbgrader runs: graded now, or just before."""
    course, path, source = pathlib.Path.cwd(), submitted(place), source_of(place["assignment"])
    if result := RESULTS.get(_stamp(path, source)):
        return result
    if sentence := single.refusal(unsafe):
        raise RuntimeError(sentence)
    options = {"unsafe": unsafe, "pages": True, "secret": secret(course), "varied": variants.given(course)}
    (result,) = grading.grade_all(source, [path], course / "results", **options)
    remember(path, source, result)
    return result


def remember(path, source, result):
    """Have nbgrader's steps take this result of the submission at `path`, until it is saved or the file changes."""
    RESULTS.clear()
    RESULTS[_stamp(path, source)] = result


def _stamp(*files):
    """These files as they are now: each one's place, time of change and size."""
    found = [(file.resolve(), file.stat()) for file in files]
    return tuple((path, stat.st_mtime_ns, stat.st_size) for path, stat in found)


def _record(gradebook, stem, student, scores):
    """Write scores and their reasons; a flagged answer, with its points, is put before a human, as explanations are."""
    tasks = {task.name: task for task in assignments.read(source_of(stem)).tasks}
    for score in scores:
        waits = score.points is None
        task = tasks[score.task]
        name = f"{task.name}-check" if task.check else task.name
        grade = gradebook.find_grade(name, stem, stem, student)
        grade.auto_score = None if waits else float(score.points)
        grade.needs_manual_grade = waits or bool(score.flag and score.points) or grade.manual_score is not None
        comment = WAITING if waits else verdicts.told(task, score.reason)
        gradebook.find_comment(task.name, stem, stem, student).auto_comment = comment
    gradebook.db.commit()


def no_longer_waiting(gradebook):
    """Take the word that an explanation waits away from those that a human has graded since."""
    submitted_ones = [one for assignment in gradebook.assignments for one in assignment.submissions]
    for notebook in (notebook for one in submitted_ones for notebook in one.notebooks):
        graded = {grade.name for grade in notebook.grades if not grade.needs_manual_grade}
        for comment in notebook.comments:
            if comment.auto_comment == WAITING and comment.name in graded:
                comment.auto_comment = None
    gradebook.db.commit()
