"""What a benchmark found of each page, kept beside it with the machine, the commit and the date, to compare with."""

import json
import pathlib
import platform
import subprocess
from datetime import UTC, datetime


def machine():
    """Where and of what this was measured."""
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines() if pathlib.Path("/proc/cpuinfo").exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    return {
        "machine": f"{len(names) or '?'} x {names[0] if names else platform.processor()}",
        "python": platform.python_version(),
        "commit": commit,
        "date": datetime.now(UTC).date().isoformat(),
    }


def read(path):
    """What is stored of each page: where and when it was measured, and its controls."""
    return json.loads(path.read_text()) if path.exists() else {}


def store(path, stem, rows):
    """Keep the rows of a page, a line a control, in place of those that were kept."""
    kept = read(path) | {stem: machine() | {"controls": rows}}
    pages = []
    for page in sorted(kept):
        lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in kept[page].pop("controls"))
        pages.append(f'"{page}": {json.dumps(kept[page])[:-1]}, "controls": [\n{lines}\n]}}')
    path.write_text("{\n" + ",\n".join(pages) + "\n}\n")


def said(kept, stems):
    """A line for each of these pages that is kept: where and when it was measured."""
    names = ("machine", "python", "commit", "date")
    return [f"stored, {stem}: " + ", ".join(kept[stem][name] for name in names) for stem in stems if stem in kept]
