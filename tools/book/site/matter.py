"""What stands before and after the chapters: contents, tours, claims, glossary, sources, the package, accessibility.

Each is read off what the book has: `book.toml`, its pages, the claims, docstrings.
"""

import html
import importlib
import inspect
import json
import pkgutil
import re

import nbformat

import dpbook
from dpbook.claims import CLAIMS, check, table
from tools.book import contents, errata, memory
from tools.book.contents import ROOT
from tools.book.site import bibliography
from tools.book.site.pages import LIVE, served

DRAWS = 1000  # of a mechanism that is compared with its law, as on page 21; `make audit` draws up to a million
GRAVE = {3: "grave", 2: "serious", 1: "slight"}  # as page 22 says it
ZIP = "dpbook-site.zip"  # where somebody puts it beside the pages, the front page offers it
NOT_LISTED = {"plots", "live", "film", "guesses", "claims"}


OPENING = """\
Each dot of this picture is the secret of one of 1,600 people, and nobody may see it. You may ask how many dots are
dark in a random half of it: you get the count plus noise. See what the answers give away, and what stops it.
"""


def stored():
    """The chapters whose pages are stored, in the order of the book."""
    return [chapter for chapter in contents.chapters() if chapter.source.with_suffix(".ipynb").exists()]


def markdown(name):
    """The text of a page's Markdown cells."""
    notebook = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4)
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def front(chapters, answered, papers, opening="", live=False):
    """The first page, which holds a live figure (its HTML) and the contents of everything."""
    parts = {}
    for chapter in chapters:
        parts.setdefault(chapter.part, []).append(chapter)
    lists, trees = [], []
    for part, held in parts.items():
        rows = "\n".join(f"- [{chapter.heading}]({chapter.name}.ipynb): {chapter.holds}" for chapter in held)
        lists.append(f"### {part}\n\n{rows}")
        trees.append(toctree([chapter.name for chapter in held], part))
    back = ["tours", "glossary", "numbered", "claims", "errata", "bibliography", "package", "genindex", "accessibility"]
    back = [name for name in back if name != "errata" or has_errata(chapters)]
    trees.append(toctree(back, "To look up"))
    if answered:
        trees.append(toctree([f"{chapter.name}_answers" for chapter in chapters if has_answers(chapter)], "Answers"))
    offline = f'<p class="page-tools" data-zip="{ZIP}"><a href="papers/dpbook.pdf">The book as PDF</a></p>\n'
    to_change = "get the book's files and run `make lab`."
    if live:
        here = f'<a href="{LIVE}notebooks/{chapters[0].name}.ipynb">open a page live</a>'
        to_change = served(f"{here}: it runs in your browser, with nothing installed. Or ") + to_change
    shown = f"{OPENING}\n```{{raw}} html\n{opening}\n```\n" if opening else ""
    return f"""# Learn differential privacy by moving sliders

A mechanism that is private hides a person in noise; how well, you see when you move epsilon. The figures of this book
move right here, without anything to install. Its mechanisms are short functions that stand beside their formulas, its
promises are tested, and where a published claim is wrong, a page computes the number that shows it.

{offline if papers else ""}
{shown}
**New here?** Begin with [{chapters[0].heading}]({chapters[0].name}.ipynb), or choose [a tour](tours.md).
**A word that you do not know?** [Words and symbols](glossary.md). **Is it true?** [What is claimed, and what the tests
found](claims.md). **To change things** and play with all controls at once, {to_change}

## Contents

{chr(10).join(lists)}

{chr(10).join(trees)}
"""


def toctree(names, caption):
    return "```{{toctree}}\n:hidden:\n:caption: {}\n\n{}\n```\n".format(caption, "\n".join(names))


def has_errata(chapters):
    """Whether the page that the list of errata leads to is among these."""
    return any(chapter.stem == "errata" for chapter in chapters)


def has_answers(chapter):
    return (ROOT / f"exercises/answers/{chapter.name}.ipynb").exists()


def tours(chapters):
    """The reading orders of book.toml."""
    there = {chapter.number: chapter for chapter in chapters}
    sections = []
    for tour in contents.read()[1]:
        stops = [there[number] for number in tour.numbers if number in there]
        hours = sum(chapter.minutes for chapter in stops) / 60
        rows = [f"1. [{one.heading}]({one.name}.ipynb), {one.minutes} minutes: {one.holds}\n" for one in stops]
        sections.append(f"## {tour.name}\n\n{hours:.0f} hours of reading, for {tour.reader}.\n\n{''.join(rows)}")
    opening = f"# Tours\n\nReading orders, each after {chapters[0].heading}. Times are those of a first reading.\n\n"
    return opening + "\n".join(sections)


def glossary_words():
    """The words of the book's table "Words and symbols": [(word, symbol, meaning), ...]."""
    for name in (chapter.name for chapter in stored()):
        found = re.search(r"(?m)^\| word \| symbol \| meaning \|\n\|[-| ]+\|\n((?:\|.*\n?)+)", markdown(name))
        if found:
            rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in found[1].splitlines()]
            return [(word.removeprefix("... "), symbol, meaning) for word, symbol, meaning in rows]
    return []


def glossary(words):
    """The glossary: every word can be linked and stands in the index."""
    entries = "\n\n".join(f"{word}\n: {symbol + ': ' if symbol else ''}{meaning}" for word, symbol, meaning in words)
    return f"# Words and symbols\n\n```{{glossary}}\n{entries.replace(chr(10) + ': ', chr(10) + '  ')}\n```\n"


def numbered(labels):
    """Every definition and theorem of the book, with a link."""
    rows = "\n".join(f"- [{heading}](#{label})" for label, (_, heading) in labels.items())
    return f"# Definitions and theorems\n\n{rows or 'None on these pages.'}\n"


def claim_rows(store):
    """The table of claims, checked now unless `store` has it from the same files: a list of dicts of words."""
    now = f"{memory.key(('dpbook/claims',))}, {DRAWS} draws"
    kept = json.loads(store.read_text()) if store.exists() else {}
    if kept.get("key") != now:
        kept = {"key": now, "rows": table([check(claim, most=DRAWS) for claim in CLAIMS])}
        store.write_text(json.dumps(kept))
    return kept["rows"]


def claimed():
    """Which claims lead out of a listing: {name of a function: mechanisms with claims that are it or call it}."""
    found = {}
    for mechanism in sorted({claim.mechanism for claim in CLAIMS}, key=lambda mechanism: mechanism.__name__):
        for name in {mechanism.__name__, *called_by(mechanism)}:
            found.setdefault(name, []).append(mechanism.__name__)
    return found | {name: [name] for users in found.values() for name in users}


def called_by(mechanism):
    """The names that a function, or the methods of a class, call by themselves."""
    made = vars(mechanism).values() if inspect.isclass(mechanism) else [inspect.unwrap(mechanism)]
    todo, names = [one.__code__ for one in made if inspect.isfunction(one)], set()
    while todo:
        code = todo.pop()
        names.update(code.co_names)
        todo += [held for held in code.co_consts if inspect.iscode(held)]
    return names


def claims(rows):
    """All claims in one table, those that do not hold first in words; each mechanism has an anchor."""
    body, seen = [], set()
    for row in rows:
        name = row["mechanism"]
        target = "" if name in seen else f' id="claim-{name}"'
        seen.add(name)
        broken = row["verdict"].startswith("BROKEN")
        test = f"test_the_verdict_is_as_stated[{name}: {row['used']}, {row['neighbours']}]"
        ran = {"program": "the program", "both": "the program and its law"}.get(row["ran"], row["ran"])
        cells = [row["used"], row["neighbours"], row["claim"], row["worst loss"], row["verdict"], ran]
        shown = "".join(f"<td>{html.escape(cell)}</td>" for cell in cells)
        shown += f"<td><code>{html.escape(test)}</code></td>"
        look = " class=broken" if broken else ""
        body.append(f'<tr{target}{look}><th scope="row"><code>{html.escape(name)}</code></th>{shown}</tr>')
    heads = "mechanism, used, neighbours, epsilon claimed, worst loss found, verdict, what was run, test"
    head = "".join(f'<th scope="col">{word}</th>' for word in heads.split(", "))
    broken = sum(row["verdict"].startswith("BROKEN") for row in rows)
    return f"""# What is claimed, and what the tests found

Every privacy claim of the book is a row: what it promises under which neighbouring relation, and the worst loss that
was found over chosen pairs of neighbours. {len(rows) - broken} claims were not refuted; {broken} are claims of
published sources, or mistakes that people make, that do not hold, and the verdict says so. The tests are in
`tests/test_claims.py`; `make audit` runs them all. A test can refute a claim; that one holds is proved on the pages.

<div class="wide-table"><table class="claims"><thead><tr>{head}</tr></thead><tbody>
{chr(10).join(body)}
</tbody></table></div>
"""


def works(chapters):
    """The bibliography, by surname, with the pages that name each work."""
    links = {chapter.name: f"[{chapter.number}]({chapter.name}.ipynb)" for chapter in chapters}
    found = bibliography.works({name: markdown(name) for name in links})
    rows = [
        bibliography.line(work, [links[name] for name in found[work]])
        for work in sorted(found, key=lambda work: (bibliography.surname(work), work.who, work.title))
    ]
    return "# Bibliography\n\nEvery work that a page names, with the pages that name it.\n\n" + "\n".join(rows) + "\n"


def listed_errata():
    """The list of page 22 on one page: each row with its number, the page that tells its story, and its verdict."""
    parts, names = {}, {"software": "Software that many use"}
    for row in (row for row in errata.records() if "withdrawn" not in row):
        parts.setdefault("What the papers found" if "verdict" in row else row["source"], []).append(row)
    texts = []
    for source, rows in parts.items():
        heading = names.get(source, f"Source {source}" if source.isdigit() else source)
        texts.append(f"## {heading}\n\n" + "\n".join(map(erratum, rows)))
    return f"""# Errata: what is wrong or unclear, each with its number

The list of [page 22](22_errata.ipynb), short: what a source says, and what came out when it was computed. A number
leads to the full row, with what is right and whom it harms; the page behind it tells the story. A row's number stays.
<a href="errata.json" download>The same for machines</a>.

{chr(10).join(texts)}
"""


def erratum(row):
    """One row of the list."""
    page, _, section = row["story"].removeprefix("notebooks/").partition(".ipynb#")
    story = f"[page {page[:2]}]({page}.ipynb#{section})"
    said = row.get("printed") or row["says"]
    found = row.get("computed") or f"{row['verdict']}: {row['found']}"
    kind = f" ({row['kind']}, {GRAVE[row['grave']]})" if "kind" in row else f" ({row['source']})"
    here = f'<a href="22_errata.html#{row["id"].lower()}">{row["id"]}</a>'
    return f"- {here} **{row['where']}**{kind}. *It says:* {said}. **Computed:** {found}. {story}"


def package():
    """The names of dpbook: a page for each room, from the docstrings. Returns {page name: text}."""
    pages = {}
    for found in pkgutil.iter_modules(dpbook.__path__):
        if found.name in NOT_LISTED:
            continue
        module = importlib.import_module(f"dpbook.{found.name}")
        entries = [entry(module, name) for name in public(module)]
        title = f"# dpbook.{found.name}\n\n```{{py:module}} dpbook.{found.name}\n```\n"
        pages[f"package_{found.name}"] = "\n\n".join([title, docstring(module), *filter(None, entries)])
    names = "\n".join(pages)
    text = f"""# The package

What the pages import: the mechanisms, each once, as plain functions. `dpbook` is for learning, not for real releases.

```{{toctree}}
:maxdepth: 1

{names}
```
"""
    return {"package": text} | pages


def public(module):
    """The names that a module shows: those that it lists, a package's imports from the book, or a room's own."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    home = "dpbook." if hasattr(module, "__path__") else module.__name__
    shown = {name: thing for name, thing in vars(module).items() if not name.startswith("_") and is_listed(thing)}
    return [name for name, thing in shown.items() if thing.__module__.startswith(home)]


def is_listed(thing):
    return inspect.isfunction(thing) or inspect.isclass(thing)


def entry(module, name):
    """A function or a class with its signature and its docstring; "" for another kind of thing."""
    thing = getattr(module, name)
    if not is_listed(thing):
        return ""
    kind = "class" if inspect.isclass(thing) else "function"
    try:
        signature = re.sub(r"<[^>]*>|(?:\w+\.)+(?=\w+\()", "...", str(inspect.signature(thing)))
    except ValueError:
        signature = "()"
    signature = signature.split(" -> ")[0]
    return f"````{{py:{kind}}} {name}{signature}\n:module: {module.__name__}\n\n{docstring(thing)}\n````"


def docstring(thing):
    """A docstring as paragraphs of HTML; what stands in backquotes is code."""
    text = html.escape(inspect.cleandoc(thing.__doc__ or ""))
    text = re.sub(r"`([^`\n]+)`", r"<code>\1</code>", text)
    paragraphs = [f"<p>{part.strip()}</p>" for part in text.split("\n\n") if part.strip()]
    return '```{raw} html\n<div class="docstring">' + "\n".join(paragraphs) + "</div>\n```"


ACCESSIBILITY = """# Accessibility

What we hold this site to, and test with every change: the rules of WCAG 2.1, levels A and AA, that axe-core can check,
in the light and in the dark theme.

- **Keyboard.** Every control is your browser's own: *Tab* reaches it, arrow keys move it, *Home* and *End* go to its
  ends. Wide formulas, tables and listings can be reached and scrolled by the keyboard. The first *Tab* of a page offers
  to skip to the text.
- **Screen readers.** Every picture has a text that says what it shows. When a slider moves, the line under the picture,
  which holds its numbers, is read out. Formulas are MathML.
- **Colour.** The figures' colours are those of Okabe and Ito, which people with any colour vision tell apart; words or
  shapes say what colours say.
- **Without JavaScript** the pages can be read; each figure then shows where it starts, and its text.
- **Phones.** No page scrolls sideways on a screen of 390 pixels; wide tables scroll within themselves.
- **Paper.** The PDFs are tagged and have an outline.

What is not as we want it: a picture has one text for all places of its sliders, and the numbers are in its caption; the
pictures keep a white ground in the dark theme; nobody who uses a screen reader daily has tried the site yet. Tell us
what is in your way: the project has a form for errors.
"""
