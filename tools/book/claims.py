"""Print every privacy claim of the book with the worst loss found: `make audit`, or `make audit JSON=claims.json`.

A row says what its check ran: the program, or both the program and its law. Exit code 1 if a verdict is not the one
that the book states.
"""

import argparse
import json
import pathlib
import sys
from collections import Counter

from tqdm import tqdm

from dpbook.claims import CLAIMS, check, table


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
        "test": f"tests/test_claims.py::test_the_verdict_is_as_stated[{claim.name}]",
    }


def main(words=None, claims=CLAIMS):
    """The command line; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.book.claims", description="Every privacy claim of the book.")
    parser.add_argument("--json", type=pathlib.Path, help="write the findings into this file as well")
    chosen = parser.parse_args(words)
    findings = [check(claim) for claim in tqdm(claims, unit="claim", disable=None)]
    print("\n".join(aligned(table(findings))))
    if chosen.json:
        chosen.json.write_text(json.dumps([record(finding) for finding in findings], indent=1) + "\n")
    counts = Counter(finding.words for finding in findings)
    print(f"\n{len(findings)} claims: " + "; ".join(f"{count} {words}" for words, count in counts.most_common()))
    return int(not all(finding.as_stated for finding in findings))


if __name__ == "__main__":
    sys.exit(main())
