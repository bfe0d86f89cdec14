"""Grade notebooks: `python -m tools.classroom.grading exercises/03_laplace.py submitted/*.ipynb --csv scores.csv`.

Several submissions at a time, each in a process of its own; what goes wrong with one is a row of that student and
stops no other. With `--keep FOLDER` the results stay there, and the next run grades only what changed. A student is
the file's name, or, where files of several folders have one name, as in nbgrader's, the folder's.
"""

import argparse
import compileall
import csv
import functools
import os
import pathlib
import sys
from concurrent.futures import ThreadPoolExecutor

from tools.classroom import assignments, cluster, kept, single, variants
from tools.classroom import pages as pages_module
from tools.classroom.places import PROJECT
from tools.classroom.progress import progress
from tools.classroom.single import STOPPED
from tools.classroom.submission import LARGEST


def grade_all(
    source, paths, keep=None, seed=None, unsafe=False, pages=False, jobs=None, secret=None, varied=False, dask=None,
    enter=None,
):  # fmt: skip
    """The `Result` of every submission to the assignment `source`, in order; `jobs` (all processors) at a time.

    `keep` is a folder of earlier results: what stands there is graded again only if the submission, the assignment, or
    the code that judges changed. `pages` runs the whole pages as well. `secret` (bytes) gives each submission seeds of
    its own, the same whenever it is graded; without it, and without `seed`, they are fresh. Where students have
    variants (`varied`, which needs the secret), each is graded with the variant of that name. `dask` is the address of
    a cluster that grades instead of this machine (`tools.classroom.cluster`). `enter(path, result)` is called for each
    that was graded now, while others are still at work.
    """
    paths = [pathlib.Path(path) for path in paths]
    assignment, release = assignments.read(source), assignments.code(source)
    students = names(assignment, paths)
    numbers = [variants.number_of(assignment, student, secret) if varied else 0 for student in students]
    numbered = zip(paths, numbers, strict=True)
    keys = [kept.key_of(source, path, seed, unsafe, pages, secret, number) for path, number in numbered]
    results = [kept.known(keep, key) for key in keys]
    new = [place for place, result in enumerate(results) if result is None]
    seeds = [kept.seed_of(secret, source, path) if seed is None else seed for path in paths]
    page_limits, requests = pages_module.LIMITS if pages else None, []
    for place in new:
        whose = paths[place], students[place], seeds[place], unsafe, numbers[place]
        requests.append(single.request_of(assignment, release, *whose, page_limits))
    for place, result in zip(new, progress(_results(requests, jobs, dask), len(new), source.stem), strict=True):
        results[place] = result
        kept.store(keep, keys[place], result)
        if enter is not None:
            enter(paths[place], result)
    return results


def _results(requests, jobs, dask):
    """The `Result` of each request, in order, from processes of this machine or from the workers of a cluster."""
    if requests:
        _compile()
    if dask is None or not requests:
        with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:  # threads that wait for processes, which do the work
            yield from pool.map(single.in_a_process, requests)
        return
    with cluster.client(dask, kept.fingerprint(), requests[0]["unsafe"]) as client:
        futures = [client.submit(cluster.graded, one, _content(one["path"]), pure=False) for one in requests]
        for request, future in zip(requests, futures, strict=True):
            try:
                yield single.as_result(future.result())
            except Exception as error:  # a worker that died, or the network: this one is tried again the next time
                yield single.stopped(request, f"{type(error).__name__}: {str(error)[-300:]}")


@functools.cache
def _compile():
    """Compile what every worker and every jail imports, once: they cannot, or may not, keep it themselves."""
    for folder in ("dpbook", "tools/classroom"):
        compileall.compile_dir(PROJECT / folder, quiet=2)


def _content(path):
    """The bytes of a submission for another machine; None for what is no file of ours, or too large to be read."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            return file.read(LARGEST + 1)
    except OSError:
        return None


def names(assignment, paths):
    """Whose submissions these are: each file's name or, of files with one name, the nearest folder's that differs."""
    paths = [pathlib.Path(path).resolve() for path in paths]
    if all(path.stem != assignment.stem for path in paths) and len({path.stem for path in paths}) == len(paths):
        return [path.stem for path in paths]
    folders = [[part for part in reversed(path.parts[:-1]) if part != assignment.stem] for path in paths]
    for depth in range(min(map(len, folders), default=0)):
        found = [folder[depth] for folder in folders]
        if len(set(found)) == len(paths):
            return found
    return [str(path) for path in paths]


def plain(value):
    """A cell of a table that no spreadsheet takes for a formula: such a text begins with an apostrophe."""
    dangerous = isinstance(value, str) and value.lstrip().startswith(("=", "+", "-", "@", "\t", "\r"))
    return f"'{value}" if dangerous or (isinstance(value, str) and value[:1] in ("\t", "\r", "\n")) else value


def write_csv(scores, file):
    """The scores as a table with a head, one row for each student and task; no points where a human must grade."""
    table = csv.writer(file)
    table.writerow(["student", "task", "points", "of", "reason", "flag"])
    for score in scores:
        points = "" if score.points is None else score.points
        row = [score.student, score.task, points, score.most, score.reason, score.flag]
        table.writerow([plain(value) for value in row])


def summary(results):
    """How many submissions there are, and how many of them need a human, and for what."""

    def some(test):
        return sum(any(test(score) for score in result.scores) for result in results)

    return (
        f"{len(results)} submissions: {some(lambda s: s.points is None)} with explanations to grade by hand, "
        f"{some(lambda s: s.flag and STOPPED not in s.reason)} flagged, "
        f"{sum(not result.taken for result in results) - some(lambda s: STOPPED in s.reason)} unreadable, "
        f"{some(lambda s: STOPPED in s.reason)} not graded"
    )


def main(words=None):
    """The command line; returns a sentence where it refuses."""
    parser = argparse.ArgumentParser(prog="python -m tools.classroom.grading", description="Grade submitted notebooks.")
    parser.add_argument("source", type=pathlib.Path, help="the assignment, for example exercises/03_laplace.py")
    parser.add_argument("submissions", type=pathlib.Path, nargs="+", help="submitted notebooks")
    parser.add_argument("--csv", type=pathlib.Path, help="where to write the scores (default: print them)")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder of results: grade only what changed since")
    parser.add_argument("--jobs", type=int, help="submissions at a time (default: one a processor)")
    parser.add_argument("--seed", type=int, help="repeat a grading exactly (default: fresh noise)")
    parser.add_argument("--dask", help="the address of a Dask cluster that grades, for example tcp://10.0.0.7:8786")
    parser.add_argument("--unsafe", action="store_true", help="no jail: students' code runs with your rights")
    chosen = parser.parse_args(words)
    if sentence := single.refusal(chosen.unsafe):
        return sentence
    options = {"unsafe": chosen.unsafe, "jobs": chosen.jobs, "dask": chosen.dask}
    try:
        results = grade_all(chosen.source, chosen.submissions, chosen.keep, chosen.seed, **options)
    except cluster.Unready as trouble:
        return str(trouble)
    scores = [score for result in results for score in result.scores]
    print(summary(results), file=sys.stderr)
    if chosen.csv is None:
        write_csv(scores, sys.stdout)
    else:
        with chosen.csv.open("w", newline="", encoding="utf-8") as file:
            write_csv(scores, file)
    return None


if __name__ == "__main__":
    sys.exit(main())
