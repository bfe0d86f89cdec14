"""`make papers`: compute the experiments of the sources that are not there yet, with a progress bar; resumable.

ONLY=word keeps those whose name holds the word; DASK=tcp://... computes on a cluster whose workers can import the
project; FORCE=1 begins anew. Draws are kept under build/papers, by what the experiment is made from: a change of a
module makes the experiments that import it anew. Exit code 1 if a chunk failed twice.
"""

import argparse
import os
import pathlib
import shutil
import sys

from tools.book import memory
from tools.book.papers import experiments
from tools.book.papers.sweep import summaries, sweep, write_table

TABLES = memory.PROJECT / "notebooks/papers"


def made_from(experiment):
    """What an experiment stands for: its file and all that this imports, in 16 letters."""
    return memory.key([f"{experiment.measure.__module__.replace('.', '/')}.py"])[:16]


def main(words=None, tables=TABLES, drafts=memory.PROJECT / "build/papers", chosen=None):
    """The command line; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.book.papers", description="The sources' experiments, again.")
    parser.add_argument("only", nargs="?", default="", help="experiments whose name holds this word")
    parser.add_argument("--dask", help="the address of a Dask cluster, such as tcp://10.0.0.1:8786")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes of this machine")
    parser.add_argument("--force", action="store_true", help="forget what was computed before")
    asked, failed = parser.parse_args(words), 0
    for experiment in chosen or experiments():
        if asked.only not in experiment.name:
            continue
        folder = pathlib.Path(drafts) / f"{experiment.name}-{made_from(experiment)}"
        if asked.force:
            shutil.rmtree(folder, ignore_errors=True)
        print(experiment.name)
        measured = experiment.measure, experiment.settings, experiment.draws, folder
        how = {"chunk": experiment.chunk, "workers": asked.workers, "cluster": asked.dask, "progress": True}
        outcome = sweep(*measured, **how)
        for failure in outcome.failures:
            failed += 1
            print(f"  failed twice: {failure.setting}, draws {failure.draws}: {failure.error}")
        if not outcome.failures:
            pathlib.Path(tables).mkdir(exist_ok=True)
            write_table(pathlib.Path(tables) / f"{experiment.name}.csv", summaries(folder, experiment.settings))
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
