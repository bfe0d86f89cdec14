"""Print every privacy claim of the book with the worst loss found: `make audit`.

Exit code 1 if a verdict is not the stated one.
"""

import sys
from collections import Counter

from dpbook.claims import CLAIMS, check, table


def aligned(rows):
    """Rows of words, one dict each, as lines of text under their headings."""
    lines = [list(rows[0]), *(list(row.values()) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join(word.ljust(width) for word, width in zip(line, widths, strict=True)).rstrip() for line in lines]


def main(claims=CLAIMS):
    findings = [check(claim) for claim in claims]
    print("\n".join(aligned(table(findings))))
    counts = Counter(finding.words for finding in findings)
    print(f"\n{len(findings)} claims: " + "; ".join(f"{count} {words}" for words, count in counts.most_common()))
    return int(not all(finding.as_stated for finding in findings))


if __name__ == "__main__":
    sys.exit(main())
