"""Run the snippets of page 23 where their libraries are: `python -m tools.book.production PYTHON` (`make production`).

The libraries need other versions than the book, so PYTHON is the interpreter of an environment of their own
(constraints-production.txt). A snippet is a fenced Python block in the page's text whose first line names it, such as
`# OpenDP: a count`. They are run in the order of the page, those of one library after another in one namespace, which
begins with the women's answers as lists (`ages`, `religious`, `affairs`). What each printed, and what it put into
`keep`, goes into notebooks/23_production.json with the versions and the day. The page reads that file, and so does
everybody who does not have the libraries.
"""

import argparse
import contextlib
import datetime
import importlib.metadata
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "notebooks/23_production.py"
STORED = PAGE.with_suffix(".json")
LIBRARIES = {"OpenDP": "opendp", "diffprivlib": "diffprivlib"}
BESIDE = ("numpy", "scikit-learn", "scipy")  # their versions are stored, too
MOST = 200_000  # letters of the stored file


def snippets(source=PAGE):
    """The snippets of a page, name -> code, in its order; ValueError if two have one name."""
    text = "\n".join(line.removeprefix("#").removeprefix(" ") for line in markdown(source))
    found = re.findall(rf"(?ms)^```python\n(# (?:{'|'.join(LIBRARIES)}): [^\n]+)\n(.*?)^```$", text)
    names = [title.removeprefix("# ") for title, _ in found]
    if len(set(names)) < len(names):
        raise ValueError(f"snippets must have different names; got {names}")
    return {name: code for name, (_, code) in zip(names, found, strict=True)}


def markdown(source):
    """The lines of the markdown cells of a page."""
    inside = False
    for line in source.read_text(encoding="utf-8").splitlines():
        inside = line.startswith("# %% [markdown]") if line.startswith("# %%") else inside
        if inside and not line.startswith("# %%"):
            yield line


def run(codes, given):
    """Run snippets, name -> code, where the libraries are: what each printed and kept, with the versions."""
    warnings.simplefilter("ignore")
    spaces, ran = {library: dict(given) for library in LIBRARIES}, {}
    for name, code in codes.items():
        print(f"running {name}", file=sys.stderr, flush=True)
        space, printed = spaces[name.partition(":")[0]], io.StringIO()
        space.pop("keep", None)
        with contextlib.redirect_stdout(printed):
            exec(compile(code, name, "exec"), space)
        ran[name] = {"code": code, "printed": printed.getvalue(), "keep": space.get("keep")}
    versions = {name: importlib.metadata.version(name) for name in (*LIBRARIES.values(), *BESIDE)}
    return {"versions": versions, "snippets": ran}


def women():
    """The women's answers, as lists that any environment can read."""
    from dpbook import data

    survey = data.affairs()
    return {
        "ages": survey["age"].values.tolist(),
        "religious": survey["religious"].values.tolist(),
        "affairs": [int(number > 0) for number in survey["affairs"].values],
    }


def main(words):
    """Hand the snippets to the other Python and store what comes back; with --here, be that other Python."""
    parser = argparse.ArgumentParser(description="Run the snippets of page 23 and store what they print.")
    parser.add_argument("python", help="the interpreter of the environment with the libraries; --here: this one")
    asked = parser.parse_args([word for word in words if word != "--here"] or ["."])
    if "--here" in words:
        order = json.load(sys.stdin)
        json.dump(run(order["codes"], order["given"]), sys.stdout)
        return
    order = json.dumps({"codes": snippets(), "given": women()})
    there = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [asked.python, "-m", "tools.book.production", "--here"]
    came = subprocess.run(command, input=order, env=there, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    stored = {"date": datetime.datetime.now(datetime.UTC).date().isoformat(), **json.loads(came.stdout)}
    text = json.dumps(stored, indent=1) + "\n"
    if len(text) > MOST:
        raise ValueError(f"what the snippets keep must be at most {MOST:,} letters together; got {len(text):,}")
    STORED.write_text(text, encoding="utf-8")
    print(f"{len(stored['snippets'])} snippets run with {stored['versions']}: {STORED.relative_to(ROOT)}")


if __name__ == "__main__":
    main(sys.argv[1:])
