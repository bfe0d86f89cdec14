"""What nbgrader does with a submission in our course: three steps, two of them in the place of its own.

`MakeHarmless` takes out what would run in the browser of whoever reads the page. `RunInJail` stands where nbgrader
would run the students' code with the instructor's rights, `SaveScores` where it would believe what that code left
behind. `nbgrader autograde` and the button of its formgrader go through them as well.
"""

import pathlib
import re

import nbformat
from nbgrader import utils
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor, SaveAutoGrades
from traitlets import Bool

from tools.classroom import assignments, grading, pages


class MakeHarmless(NbGraderPreprocessor):
    """Turns HTML in a submission's texts into plain characters and drops all metadata but nbgrader's own."""

    def preprocess(self, nb, resources):
        nb.metadata = nbformat.from_dict({"kernelspec": nb.metadata.get("kernelspec", {})})
        for cell in nb.cells:
            cell.metadata = nbformat.from_dict({k: v for k, v in cell.metadata.items() if k == "nbgrader"})
            if cell.cell_type != "code":
                cell.cell_type, cell.source = "markdown", re.sub(r"<(?=[A-Za-z/!?])", "&lt;", cell.source)
        return nb, resources


class RunInJail(NbGraderPreprocessor):
    """Runs a submission's cells in the jail and keeps what they show."""

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
            record(gradebook, place["assignment"], place["student"], result_of(place, self.unsafe).scores)
        return nb, resources

    def _add_score(self, cell, resources):
        if utils.is_solution(cell):
            super()._add_score(cell, resources)


def result_of(place, unsafe):
    """The `Result` of the submission at this place of the course in which nbgrader runs, graded now if it must be."""
    if sentence := grading.refusal(unsafe):
        raise RuntimeError(sentence)
    stem, course = place["assignment"], pathlib.Path.cwd()
    path = course / "submitted" / place["student"] / stem / f"{stem}.ipynb"
    (result,) = grading.grade_all(source_of(stem), [path], course / "results", unsafe=unsafe, pages=True)
    return result


def source_of(stem):
    """The one source of an assignment."""
    return grading.PROJECT / "exercises" / f"{stem}.py"


def record(gradebook, stem, student, scores):
    """Write scores and their reasons; a flagged answer is put before a human as well, with its points."""
    by_hand = {task.name for task in assignments.read(source_of(stem)).tasks if not task.check}
    for score in scores:
        if score.points is None:
            continue
        name = score.task if score.task in by_hand else f"{score.task}-check"
        grade = gradebook.find_grade(name, stem, stem, student)
        grade.auto_score = float(score.points)
        grade.needs_manual_grade = bool(score.flag and score.points) or grade.manual_score is not None
        gradebook.find_comment(score.task, stem, stem, student).auto_comment = score.reason
    gradebook.db.commit()
