"""What page 22 quotes stands in the sources, word for word: `make quotations` looks it up and keeps a digest of each.

The sources' texts may not be handed on, and lie beside a checkout at most, in `../shared/seeds` or where the variable
DPBOOK_SOURCES says. So notebooks/quotations.json keeps, of each quotation that was found, SHA-256 digests alone: of its
words, and of those around it. Without the texts a quotation that is changed or new is still refused, for it has no
digest; with them every quotation is looked up again.
"""

import hashlib
import json
import os
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ERRATA, RECORD = ROOT / "notebooks/errata.toml", ROOT / "notebooks/quotations.json"
APART = 300  # letters that "..." may leave out
AROUND = 120  # letters on either side of a quotation whose digest is kept
TYPOGRAPHY = {"‘": "'", "’": "'", "“": '"', "”": '"', "ﬁ": "fi", "ﬂ": "fl", r"\varepsilon": r"\epsilon"}


def texts():
    """Where the sources' texts are: a folder, or None."""
    places = [os.environ.get("DPBOOK_SOURCES"), ROOT.parent / "shared/seeds", ROOT.parents[1] / "shared/seeds"]
    return next((Path(place) for place in places if place and Path(place).is_dir()), None)


def read(folder, source):
    """The text of one source, its letters alone."""
    files = sorted(folder.glob(f"{source}_*.txt"))
    return letters("\n".join(file.read_text(encoding="utf-8", errors="replace") for file in files))


def letters(text):
    """A text without what typesetting puts in: spaces, hyphens at an end of line, marks of emphasis and of formulas."""
    for sign, plain in TYPOGRAPHY.items():
        text = text.replace(sign, plain)
    return re.sub(r"[\s*${}]|-\n", "", text).lower()


def quotations(rows):
    """What the rows of sources quote: (id, source, quotation), in their order."""
    return [
        (name, row["source"], quoted)
        for name, row in rows.items()
        if row["source"] != "software"
        for field in ("printed", "around")
        for quoted in re.findall(r'"([^"]+)"', row.get(field, ""))
    ]


def digest(text):
    """SHA-256 of the letters of a text, cut to 80 bits."""
    return hashlib.sha256(letters(text).encode()).hexdigest()[:20]


def found(quoted, text):
    """The match of a quotation in the letters of a source, or None; "..." may stand for a few words."""
    pieces = [re.escape(letters(piece)) for piece in quoted.split("...")]
    return re.search(f".{{0,{APART}}}?".join(pieces), text)


def record(rows, folder):
    """The digests of all quotations and of what stands around them; ValueError for one that is not in its source."""
    sources = {source: read(folder, source) for source in sorted({one[1] for one in quotations(rows)})}
    kept, lost = {}, []
    for name, source, quoted in quotations(rows):
        if (match := found(quoted, sources[source])) is None:
            lost.append(f"{name}: {quoted}")
            continue
        first, last = match.span()
        around = sources[source][max(0, first - AROUND) : last + AROUND]
        kept.setdefault(name, {})[digest(quoted)] = digest(around)
    if lost:
        raise ValueError("quotations must stand in their source; not found: " + "; ".join(lost))
    return {"texts": {source: digest(text) for source, text in sources.items()}, "quotations": kept}


def main():
    """The command line; the exit code."""
    if (folder := texts()) is None:
        print("The sources' texts are not here: put them into ../shared/seeds, or name their folder in DPBOOK_SOURCES.")
        return 1
    rows = tomllib.loads(ERRATA.read_text(encoding="utf-8"))
    try:
        made = record(rows, folder)
    except ValueError as error:
        print(error)
        return 1
    RECORD.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    print(f"{len(quotations(rows))} quotations of {len(made['texts'])} sources found, word for word")
    return 0


if __name__ == "__main__":
    sys.exit(main())
