"""Questions set as pages that print: one HTML file a version, one a scheme, with formulas that need no network."""

import html
import re
import string

from markdown_it import MarkdownIt

from tools.book.site import mathematics

FORMULA = re.compile(r"(```.*?```|`[^`\n]+`)|\$\$(.+?)\$\$|\$([^$\n]+(?:\n[^$\n]+)*?)\$", re.S)
STYLE = """
body { font: 11pt/1.4 Georgia, serif; color: #000; max-width: 18cm; margin: 1.5cm auto; padding: 0 .5cm; }
h1 { font-size: 15pt; margin: 0 0 .3cm; }
h2 { font-size: 12pt; margin: .8cm 0 .2cm; break-after: avoid; }
pre { font: 9pt/1.35 monospace; border: 1px solid #888; padding: .2cm .3cm; white-space: pre-wrap; }
pre, li { break-inside: avoid; }
code { font: 9.5pt monospace; }
table { border-collapse: collapse; }
td, th { border: 1px solid #888; padding: .1cm .3cm; }
.name { display: flex; gap: 1cm; margin: .3cm 0 .6cm; }
.name span { flex: 1; border-bottom: 1px solid #000; }
.room { height: 5cm; }
.formula svg { vertical-align: middle; }
.formula-words, .glyphs { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.display { text-align: center; margin: .3cm 0; }
@page { size: A4; margin: 1.8cm; }
@media print { body { margin: 0; padding: 0; max-width: none; } }
"""


def letter(place):
    """What the version at a place is called: A, B, ..., Z, AA, ..."""
    letters = string.ascii_uppercase
    return letters[place] if place < 26 else letter(place // 26 - 1) + letters[place % 26]


def write(folder, title, papers, sheets, store):
    """Write `A.html`, `A-scheme.html`, ..., and `aloud.html`; the paths. `papers` are lists of questions.

    `sheets` is the Markdown of what to ask aloud, by assignment; `store` keeps formulas that were set before.
    """
    pages = {}
    for place, paper in enumerate(papers):
        name, points = letter(place), sum(one.points for one in paper)
        pages[name] = f"# {title}, version {name}\n\n{points} points. You may use a pocket calculator.", paper, False
        pages[f"{name}-scheme"] = f"# {title}, version {name}: mark scheme\n\n{points} points.", paper, True
    texts = {name: _text(head, paper, scheme) for name, (head, paper, scheme) in pages.items()}
    texts["aloud"] = [(None, f"# {title}: to ask aloud\n\nTwo or three of these tell whose answer it is.")]
    texts["aloud"] += [(None, f"## {stem}\n\n{sheet}") for stem, sheet in sheets.items()]
    formulas = {found for parts in texts.values() for _, text in parts for found in _formulas(text)}
    kept = mathematics.typeset(formulas, store)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, parts in texts.items():
        body = "".join(_html(text, kept) + (room or "") for room, text in parts)
        if not name.endswith("scheme") and name != "aloud":
            body = body.replace("</h1>", '</h1><div class="name"><span>Name:</span><span>Number:</span></div>', 1)
        path = folder / f"{name}.html"
        head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)} {name}</title>'
        glyphs = mathematics.glyphs(kept, body)
        path.write_text(f"{head}<style>{STYLE}</style>{glyphs}{body}</html>\n", encoding="utf-8")
        paths.append(path)
    return paths


def _text(head, paper, scheme):
    """The parts of a page: Markdown, and the room below it."""
    parts = [(None, head)]
    for number, one in enumerate(paper, 1):
        shown = f"## {number}. {one.title} ({one.points} points)"
        text = f"{shown}\n\n{one.scheme if scheme else one.text}"
        parts.append(("" if scheme else '<div class="room"></div>', text))
    return parts


def _formulas(text):
    """The formulas of a text, outside of code: pairs (TeX, whether it stands on a line of its own)."""
    return {(one[2] or one[3], bool(one[2])) for one in FORMULA.finditer(text) if not one[1]}


def _html(text, kept):
    """A text as HTML, its formulas set."""
    formulas = []

    def aside(found):
        if found[1]:
            return found[0]
        formulas.append(mathematics.markup(kept, found[2] or found[3], bool(found[2])))
        return f"FORMULA{len(formulas) - 1}END"

    rendered = MarkdownIt("commonmark", {"html": False}).enable("table").render(FORMULA.sub(aside, text))
    return re.sub(r"FORMULA(\d+)END", lambda found: formulas[int(found[1])], rendered)
