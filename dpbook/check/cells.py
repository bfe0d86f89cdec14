"""Whether the cell of a notebook that a function comes from has been run otherwise since: an error, another name.

Source: beyond the seeds.  Notebooks: the exercises.
"""

import linecache
import re
import sys


class Runs:
    """The texts of the cells that have run in this notebook, each with the id of its cell where the kernel knows it."""

    def __init__(self):
        self.all = []

    def note(self, info):
        """Take up a cell that is about to run."""
        self.all.append((getattr(info, "cell_id", None), info.raw_cell))

    def stale(self, function):
        """Whether the cell that defines this function was run once more and did not define it."""
        source = "".join(linecache.getlines(function.__code__.co_filename)).strip()
        homes = [cell for cell, text in self.all if text.strip() == source]
        if not source or not homes:  # of a file, or of a cell with magics, whose text is another one
            return False
        name = re.compile(rf"^(async )?def {re.escape(function.__name__)}\b", re.M)
        texts = [text for cell, text in self.all if (cell == homes[-1] if homes[-1] else name.search(text))]
        return texts[-1].strip() != source


def runs():
    """The `Runs` of the notebook that this runs in, from the first time that this is asked; None elsewhere."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None:
        return None
    if not hasattr(shell, "dpbook_runs"):
        shell.dpbook_runs = Runs()
        shell.events.register("pre_run_cell", shell.dpbook_runs.note)
    return shell.dpbook_runs


def stale(function):
    """Whether a notebook's `check` would judge a function that the cell above it no longer gives."""
    known = runs()
    return known is not None and hasattr(function, "__code__") and known.stale(function)
