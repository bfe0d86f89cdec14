"""The list of page 22 for machines: `make errata` prints it, `make errata JSON=errata.json` writes it as well.

The rows stand in notebooks/errata.toml and notebooks/papers.toml, their numbers and verdicts in the outputs of page 22,
which nbval compares with a fresh run.
"""

import argparse
import json
import pathlib
import sys
import tomllib
from collections import Counter

import nbformat

NOTEBOOKS = pathlib.Path(__file__).resolve().parents[2] / "notebooks"
TABLES = ("errata.toml", "papers.toml")


def rows():
    """The rows of both tables, id -> row, in their order; rows that were withdrawn come after the other errata."""
    errata, papers = (tomllib.loads((NOTEBOOKS / table).read_text(encoding="utf-8")) for table in TABLES)
    return dict(sorted(errata.items(), key=lambda item: "withdrawn" in item[1])) | papers


def told():
    """What page 22 tells of each row, id -> what it computed, in its order; ValueError if one comes twice."""
    page, found = nbformat.read(NOTEBOOKS / "22_errata.ipynb", as_version=4), {}
    outputs = [output for cell in page.cells if cell.cell_type == "code" for output in cell.outputs]
    for told_here in (dict(output.get("metadata", {})) for output in outputs):
        if name := told_here.pop("id", ""):
            if name in found:
                raise ValueError(f"page 22 must tell each row once, got {name!r} twice")
            found[name] = told_here
    return found


def anchor(section):
    """How JupyterLab names a heading in an address."""
    return section.replace(" ", "-")


def records():
    """Every row with what was computed, and the addresses of the row and of its story."""
    computed, found = told(), []
    for name, row in rows().items():
        story = f"notebooks/{row['page']}.ipynb#{anchor(row['section'])}"
        places = {"id": name, "row": f"notebooks/22_errata.ipynb#{name}", "story": story}
        said = {field: value for field, value in row.items() if field not in ("page", "section", "number")}
        found.append(places | said | computed[name])
    return found


def main(words=None):
    """The command line; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.book.errata", description="Errata, and papers beside ours.")
    parser.add_argument("--json", type=pathlib.Path, help="write the list into this file as well")
    asked, every = parser.parse_args(words), records()
    for one in every:
        said = one.get("computed") or one.get("verdict") or "withdrawn"
        print(f"{one['id']}  {one['source']}, {one['where']}: {said}")
    if asked.json:
        asked.json.write_text(json.dumps(every, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    papers = {one["id"]: f"papers: {one['verdict']}" for one in every if "verdict" in one}
    kinds = Counter(one.get("kind") or papers.get(one["id"], "withdrawn") for one in every)
    print("\n" + "; ".join(f"{count} {kind}" for kind, count in kinds.most_common()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
