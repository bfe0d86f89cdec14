"""`make exam ONLY="03_laplace 14_svt" VERSIONS=4`: papers, schemes and a sheet for asking aloud."""

import argparse
import pathlib
import sys

from tools.classroom.places import PROJECT
from tools.exam import paper, questions


def main(words=None):
    """Write them; returns a sentence where it refuses."""
    parser = argparse.ArgumentParser(prog="python -m tools.exam", description="Questions on paper.")
    parser.add_argument("assignments", nargs="+", help="for example 03_laplace")
    parser.add_argument("--versions", type=int, default=2, help="how many, about equally hard")
    parser.add_argument("--seed", type=int, default=1, help="another draw of the questions")
    parser.add_argument("--title", default="Differential privacy")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("build/exam"))
    chosen = parser.parse_args(words)
    sources = {path.stem: path for path in sorted((PROJECT / "exercises").glob("[0-9]*.py"))}
    if unknown := [stem for stem in chosen.assignments if stem not in sources]:
        return f"No assignment is called {', '.join(unknown)}; there are {', '.join(sources)}."
    if not 1 <= chosen.versions <= 100:
        return f"--versions must be from 1 to 100; got {chosen.versions}."
    banks = [questions.bank(sources[stem]) for stem in chosen.assignments]
    papers = questions.versions(banks, chosen.versions, chosen.seed)
    sheets = {stem: questions.aloud(sources[stem]) for stem in chosen.assignments}
    paths = paper.write(chosen.folder, chosen.title, papers, sheets, PROJECT / "build" / "exam-formulas.json")
    print(f"{len(papers)} versions of {sum(one.points for one in papers[0])} points, print from a browser:")
    print(*(f"  {path}" for path in paths), sep="\n")
    return None


if __name__ == "__main__":
    sys.exit(main())
