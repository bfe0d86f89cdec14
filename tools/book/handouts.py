"""What one shows and what one prints: `python -m tools.book.handouts slides [notebooks/NN_stem.ipynb ...]`, or `print`.

`slides` makes build/slides/NN_stem.html of each page, one file with Reveal and MathJax inside that needs no network.
Cells with the tags `slide`, `subslide`, `fragment` or `notes` make the deck (`skip` leaves one out); of a page without
such tags the headings with their first paragraph, the theorems and the figures do, as they are stored in the page.
`print NOTEBOOK ... --to FOLDER` prints notebooks as PDFs, formulas and all: the solutions, for one.
"""

import argparse
import copy
import importlib.util
import pathlib
import re
import sys
import tempfile

import nbformat
from nbconvert import HTMLExporter, SlidesExporter
from tqdm import tqdm

from tools.book.chromium import running_chromium
from tools.book.memory import PROJECT
from tools.book.site.mathematics import mathjax

TAGS = ("slide", "subslide", "fragment", "notes", "skip")
PICTURES = ("image/svg+xml", "image/png", "image/webp", "image/jpeg")
MOST = 90  # words of a paragraph on a slide
TEX = "{inlineMath: [['$', '$']], displayMath: [['$$', '$$']]}"
SETTINGS = f"window.MathJax = {{tex: {TEX}, svg: {{fontCache: 'global'}}}};"
START = "Reveal.initialize({hash: true, slideNumber: true, width: 1180, height: 760, transition: 'none'});"
STYLE = """
.reveal { font-size: 26px; } .reveal h1, .reveal h2, .reveal h3 { text-transform: none; }
.reveal h1 { font-size: 2em; } .reveal h2 { font-size: 1.5em; }
.reveal .slides section { text-align: left; } .reveal img { max-height: 560px; max-width: 100%; }
.reveal blockquote { width: 100%; margin: 0.5em 0; padding: 0.3em 0.8em; }
.jp-InputPrompt, .jp-OutputPrompt { display: none; }
"""


def deck(notebook):
    """The notebook whose cells are the slides of a page, with nbconvert's own marks on them."""
    tagged = any(_tag(cell) for cell in notebook.cells)
    cells = [one for cell in notebook.cells for one in (_by_tag(cell) if tagged else _by_rule(cell))]
    return nbformat.v4.new_notebook(cells=cells, metadata=notebook.metadata)


def _tag(cell):
    return next((tag for tag in TAGS if tag in cell.metadata.get("tags", [])), "")


def _by_tag(cell):
    """The cell as its tag says; without one it goes with the cell before, like a tag `skip`, it is left out."""
    return [_marked(cell, _tag(cell))] if _tag(cell) not in ("", "skip") else []


def _marked(cell, kind):
    cell = copy.deepcopy(cell)
    cell.metadata["slideshow"] = {"slide_type": kind}
    return cell


def _by_rule(cell):
    """The slides of a cell of a page without tags."""
    if cell.cell_type == "code":
        shown = [output for output in cell.outputs if any(kind in output.get("data", {}) for kind in PICTURES)]
        return [_marked(nbformat.from_dict({**cell, "outputs": shown[:1]}), "subslide")] if shown else []
    parts = re.split(r"(?m)^(?=#{1,3} )", cell.source)
    return [_marked(nbformat.v4.new_markdown_cell(text), kind) for part in parts for text, kind in _of_part(part)]


def _of_part(part):
    """Of a heading with its text: the heading and its first paragraph, then each theorem or definition."""
    heading, _, rest = part.partition("\n") if part.startswith("#") else ("", "", part)
    paragraphs = [text.strip("\n") for text in re.split(r"\n\s*\n", rest) if text.strip()]
    plain = [text for text in paragraphs if not text.startswith((">", "|", "[Map]", "**Assignment", "- ", "$$"))]
    if heading:
        first = plain[0] if plain and len(plain[0].split()) <= MOST else ""
        yield f"{heading}\n\n{first}", "subslide" if heading.startswith("###") else "slide"
    for text in paragraphs:
        if text.startswith("> **") and "stop" not in text.split("**")[1]:
            yield text, "fragment" if heading else "subslide"


def slides(notebook, title):
    """The deck as one page of HTML that fetches nothing."""
    exporter = SlidesExporter(exclude_input=True, exclude_anchor_links=True, reveal_url_prefix="reveal")
    page, _ = exporter.from_notebook_node(deck(notebook), resources={"metadata": {"name": title}})
    page = page[: page.rindex("<script>")]  # nbconvert's own start, which fetches Reveal
    page = re.sub(r"<script[^>]*>.*?</script>", "", page, flags=re.S)  # what it fetches in the head
    page = re.sub(r'<link rel="stylesheet" href="reveal/[^>]*>', "", page)
    reveal = revealjs() / "dist"
    styles = [(reveal / name).read_text() for name in ("reset.css", "reveal.css", "theme/white.css")] + [STYLE]
    styles = re.sub(r"@import url\([^)]*\);?|@font-face\s*{[^}]*}", "", "\n".join(styles))
    scripts = [(reveal / "reveal.js").read_text(), START, SETTINGS, mathjax().read_text()]
    inside = "".join(f"<script>{text.replace('</script', '<' + chr(92) + '/script')}</script>" for text in scripts)
    page = page.replace("</head>", f"<style>{styles}</style></head>", 1).replace("</body>", "")
    return f"{page}{inside}</body></html>"


def revealjs():
    """Where Reveal lies in this environment: the package sphinx-revealjs holds its files."""
    found = importlib.util.find_spec("sphinx_revealjs")
    if found is None:
        raise RuntimeError("slides need Reveal: pip install -e '.[site]'")
    return pathlib.Path(found.origin).parent / "_static" / "revealjs"


def paper(notebook, title):
    """A notebook as a page of HTML to be printed, with MathJax inside."""
    exporter = HTMLExporter(exclude_anchor_links=True, exclude_input_prompt=True, exclude_output_prompt=True)
    page, _ = exporter.from_notebook_node(notebook, resources={"metadata": {"name": title}})
    page = re.sub(r"<script[^>]*>.*?</script>", "", page, flags=re.S)
    wrap = "<style>pre { white-space: pre-wrap !important; overflow-wrap: anywhere; } @page { margin: 18mm; }</style>"
    inside = f"<script>{SETTINGS}</script><script>{mathjax().read_text()}</script>"
    return page.replace("</head>", f"{wrap}{inside}</head>", 1)


def print_all(browser, notebooks, folder):
    """Print notebooks as FOLDER/<name>.pdf with a headless Chromium; the files."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    with tempfile.TemporaryDirectory() as place:
        for path in notebooks:
            html = pathlib.Path(place) / f"{path.stem}.html"
            html.write_text(paper(nbformat.read(path, 4), path.stem), encoding="utf-8")
            tab = browser.new_page()
            tab.goto(html.as_uri())
            tab.evaluate("MathJax.startup.promise")
            made.append(folder / f"{path.stem}.pdf")
            tab.pdf(path=made[-1], format="A4", outline=True, tagged=True)
            tab.close()
    return made


def main(words=None):
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.book.handouts", description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("slides", "print"))
    parser.add_argument("notebooks", nargs="*", type=pathlib.Path, help="slides: all pages of the book by default")
    parser.add_argument("--to", type=pathlib.Path, help="a folder (build/slides, build/print)")
    chosen = parser.parse_args(words)
    folder = chosen.to or PROJECT / "build" / chosen.what
    if chosen.what == "print":
        with running_chromium() as browser:
            print(*print_all(browser, chosen.notebooks, folder), sep="\n")
        return
    folder.mkdir(parents=True, exist_ok=True)
    for path in tqdm(chosen.notebooks or sorted((PROJECT / "notebooks").glob("*.ipynb")), unit="deck", disable=None):
        (folder / f"{path.stem}.html").write_text(slides(nbformat.read(path, 4), path.stem), encoding="utf-8")
    print(f"Open {folder}/*.html; a deck needs no network.")


if __name__ == "__main__":
    sys.exit(main())
