"""Print every privacy claim of the book with the worst loss found: `make audit`, or `make audit JSON=claims.json`.

`make audit STORE=yes` stores the losses for page 21 as well, if every verdict is the stated one.

A row says what its check ran, the program, or both the program and its law; how many outputs it drew; and the smallest
overspending that they would catch ("any" where the loss was computed from the program). Exit code 1 if a verdict is not
the one that the book states, or if a trial drew too few outputs to catch 1.1 times its epsilon.
"""

import argparse
import json
import pathlib
import sys
from collections import Counter

from tqdm import tqdm

from dpbook.claims import CLAIMS, check, table
from dpbook.claims.stored import store
from dpbook.claims.trial import OVER


def aligned(rows):
    """Rows of words, one dict each, as lines of text under their headings."""
    lines = [list(rows[0]), *(list(row.values()) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join(word.ljust(width) for word, width in zip(line, widths, strict=True)).rstrip() for line in lines]


def record(finding):
    """A finding for `claims.json`; a loss without bound is the word "inf"."""
    claim, loss = finding.claim, finding.loss
    return {
        "mechanism": f"{claim.mechanism.__module__}.{claim.mechanism.__name__}",
        "setting": claim.setting,
        "relation": claim.relation,
        "claim": claim.promise,
        "delta": claim.delta,
        "worst_loss": loss if loss < float("inf") else "inf",
        "verdict": finding.words,
        "how": claim.ran,
        "drawn": finding.drawn,
        "catches": finding.catches if finding.catches < float("inf") else "inf",
        "test": f"tests/test_claims.py::test_the_verdict_is_as_stated[{claim.name}]",
    }


def main(words=None, claims=CLAIMS):
    """The command line; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.book.claims", description="Every privacy claim of the book.")
    parser.add_argument("--json", type=pathlib.Path, help="write the findings into this file as well")
    parser.add_argument("--store", action="store_true", help="store the losses that page 21 shows")
    chosen = parser.parse_args(words)
    findings = [check(claim) for claim in tqdm(claims, unit="claim", disable=None)]
    print("\n".join(aligned(table(findings))))
    if chosen.json:
        chosen.json.write_text(json.dumps([record(finding) for finding in findings], indent=1) + "\n")
    counts = Counter(finding.words for finding in findings)
    print(f"\n{len(findings)} claims: " + "; ".join(f"{count} {words}" for words, count in counts.most_common()))
    print(overspending(findings))
    good = all(finding.as_stated and not blind(finding) for finding in findings)
    if chosen.store and good:
        store(findings)
    return int(not good)


def blind(finding):
    """Whether a program that takes OVER times its epsilon would pass; not of one that takes no epsilon."""
    return finding.catches > OVER and finding.heeds_epsilon


def overspending(findings):
    """In words, what the draws would catch."""
    drew = [finding for finding in findings if finding.draws]
    heed = [finding for finding in drew if finding.heeds_epsilon]
    seen = sum(not blind(finding) for finding in heed)
    words = f"{len(findings) - len(drew)} rows compute the loss from the program, and any overspending shows; "
    words += f"{len(drew)} draw {sum(finding.drawn for finding in drew):,} outputs: {seen} of {len(heed)} would refute "
    words += f"a program that takes {OVER} times its epsilon"
    return words + (f"; {len(drew) - len(heed)} take no epsilon" if len(heed) < len(drew) else "")


if __name__ == "__main__":
    sys.exit(main())
