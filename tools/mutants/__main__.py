"""Try mutants: `python -m tools.mutants` all, `python -m tools.mutants svt alp` some; prints those that survive.

`svt-3` is one mutant alone, `svt-3-` that one and all after it in its room.

Works on copies of the files that git tracks, one a worker. Each mutant meets the tests of its room, stopping at the
first that fails; one that would break privacy and survives there meets the verdicts of the room's claims as well. Ends
with 1 if a privacy mutant survives, or if tests fail without any change.
"""

import argparse
import sys
import time

from tools.mutants import read_mutants
from tools.mutants.runs import in_a_copy


def main():
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__.partition("\n\n")[0])
    parser.add_argument("stems", nargs="*", help="the rooms to try, such as svt; all of them if none is named")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    mutants, began, alive, failing = read_mutants(options.stems), time.monotonic(), [], {}
    for number, (mutant, lives) in enumerate(in_a_copy(mutants, options.workers), 1):
        if lives is None and mutant.tests not in failing:
            failing[mutant.tests] = print("fails without any change:", *mutant.tests, flush=True)
        if lives:
            alive.append(mutant)
            print(f"survives: {mutant}" + (f"\n          because {mutant.reason}" if mutant.reason else ""), flush=True)
        if number % 20 == 0:
            print(f"{number} of {len(mutants)} tried, {len(alive)} survive", flush=True)
    puzzling = [mutant for mutant in alive if not mutant.reason]
    worst = [mutant for mutant in puzzling if mutant.kind == "privacy"]
    minutes = (time.monotonic() - began) / 60
    print(f"{len(mutants)} mutants, {len(alive)} survive, {len(puzzling)} of them without a reason, {len(worst)} of")
    print(f"these break privacy; {minutes:.0f} minutes")
    return 1 if worst or failing else 0


if __name__ == "__main__":
    sys.exit(main())
