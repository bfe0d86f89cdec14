"""A stored notebook as a page of the site: its pictures as files with their texts, its links within the site."""

import base64
import hashlib
import html
import json
import re

import nbformat
from bs4 import BeautifulSoup

from tools.book.contents import ROOT

NAMED = r"(Definition|Theorem|Lemma|Proposition|Corollary) (\d+\.\d+)"
WAY = r"(?m)^\*\*(?:Map|Previous|Next):\*\*.*$"
KEPT_AS_IS = r"(```.*?```|`[^`]*`|\$\$.*?\$\$|\$[^$]*\$|!?\[[^\]]*\]\([^)]*\)|\*\*.*?\*\*|<[^>]+>|^#.*?$|^\|.*?$)"


class MissingText(ValueError):
    """A picture without its alternative text."""


class Writer:
    """Writes pages into `folder` and their pictures into `extra`; knows what can be linked: labels, words, claims."""

    def __init__(self, folder, extra, names, labels=(), words=(), claimed=(), films=None):
        self.folder, self.extra, self.names = folder, extra, set(names)
        self.labels, self.words, self.claimed, self.films = set(labels), list(words), set(claimed), films or {}
        (extra / "pictures").mkdir(parents=True, exist_ok=True)

    def chapter(self, name, tools):
        """The page of a chapter; `tools` is the line of HTML under its title."""
        notebook = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4)
        self._numbered, self._words_seen = 0, set()
        films = self.films.get(name, {})
        for number, cell in enumerate(notebook.cells):
            if cell.cell_type == "markdown":
                cell.source = self.prose(cell.source)
            else:
                self._code(cell, f"{name}/{number}", films.get(str(number)))
        first = notebook.cells[0]
        first.source = re.sub(r"\A(# .*)$", rf"\1\n\n{tools}\n", first.source, count=1, flags=re.M)
        self._write(notebook, name)

    def answers(self, name):
        """The answers to a chapter's tasks: each folded under its hint."""
        notebook = nbformat.read(ROOT / "exercises/answers" / f"{name}.ipynb", as_version=4)
        self._numbered, self._words_seen = 0, {word.lower() for word in self.words}
        for number, cell in enumerate(notebook.cells):
            if cell.cell_type == "markdown":
                cell.source = self.prose(cell.source)
            else:
                self._code(cell, f"{name}_answers/{number}", None)
        notebook.cells = folded(notebook.cells)
        self._write(notebook, f"{name}_answers")

    def _write(self, notebook, name):
        notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
        (self.folder / f"{name}.ipynb").write_text(nbformat.writes(notebook))

    def prose(self, text):
        """A Markdown cell: links within the site, labels on what is numbered, words that lead to the glossary."""
        text = re.sub(WAY, "", text)
        text = re.sub(r"\]\((?:\.\./)+exercises/answers/(\w+)\.ipynb", r"](\1_answers.ipynb", text)
        text = re.sub(r"\]\((?:\.\./)+notebooks/", "](", text)
        if not self.answered:
            text = re.sub(r"(?m)^A hint and an answer for each: .*$", "", text)
            text = re.sub(r"\[([^\]]*)\]\(\w+_answers\.ipynb[^)]*\)", r"\1", text)
        text = re.sub(r"\[([^\]]*)\]\((\d\d_\w+?)(?:_answers)?\.ipynb[^)]*\)", self._leads, text)
        text = re.sub(rf"(?m)^> \*\*{NAMED}", lambda found: f"({anchor(found[1], found[2])})=\n{found[0]}", text)
        pieces = re.split(KEPT_AS_IS, text, flags=re.M | re.S)
        return "".join(piece if place % 2 else self._linked(piece) for place, piece in enumerate(pieces))

    answered = True

    def _leads(self, found):
        """A link to a page, or its text alone where that page is not in this site."""
        return found[0] if found[2] in self.names else found[1]

    def _linked(self, text):
        """Mentions of what is numbered in this book, and the first use of a word of the glossary on the page."""

        def mention(found):
            before = text[: found.start()]
            clause = re.split(r"[.;]\s|\)", before)[-1]
            theirs = re.search(r"\b00\d\b|textbook|book's|paper", clause)
            label = anchor(found[1], found[2])
            return found[0] if theirs or label not in self.labels else f"[{found[0]}](#{label})"

        text = re.sub(rf"(?<![\w\[]){NAMED}(?![\d])", mention, text)
        for word in self.words:
            if word.lower() not in self._words_seen:
                pattern = rf"(?<![\w\[(/-])({re.escape(word)})(?![\w\](/-])"
                pieces = re.split(r"(\[[^\]]*\]\([^)]*\)|\{term\}`[^`]*`)", text)
                for place in range(0, len(pieces), 2):
                    pieces[place], found = re.subn(pattern, rf"{{term}}`\1 <{word}>`", pieces[place], count=1)
                    if found:
                        self._words_seen.add(word.lower())
                        break
                text = "".join(pieces)
        return text

    def _code(self, cell, place, film):
        """A code cell: folded where it is in Lab; its pictures with their texts; links from listings to claims."""
        if cell.metadata.get("jupyter", {}).get("source_hidden"):
            cell.metadata["tags"] = [*cell.metadata.get("tags", []), "hide-input"]
        outputs, shown = [], list(cell.outputs)
        while shown:
            output = shown.pop(0)
            data = output.get("data", {})
            if "image/png" in data:
                below = shown.pop(0).data["text/html"] if shown and "text/html" in shown[0].get("data", {}) else ""
                outputs.append(as_html(self._figure(output, below, place, film)))
                film = None
            elif "text/html" in data:
                outputs.append(as_html(wide(data["text/html"])))
            else:
                outputs.append(output)
        names = re.findall(r"(?m)^\s*show_source\((\w+)\)", cell.source)
        if found := [name for name in names if name in self.claimed]:
            links = ", ".join(f'<a href="claims.html#claim-{name}">{name}</a>' for name in found)
            outputs.append(as_html(f'<p class="claimed">What is claimed of it, and the test: {links}</p>'))
        cell.outputs = outputs

    def _figure(self, output, below, place, film):
        """One picture with its text and its caption; over it the controls of its film, if there is one."""
        about = output.metadata.get("image/png", {})
        if len(about.get("alt", "")) < 10:
            raise MissingText(f"a picture of cell {place} has no alternative text: {about!r}")
        self._numbered += 1
        width, height = about.get("width", 720), about.get("height", 360)
        picture = self._picture(base64.b64decode(data_of(output)))
        lazy = ' loading="lazy"' if self._numbered > 1 else ""
        image = f'<img src="{picture}" alt="{html.escape(about["alt"])}" width="{width}" height="{height}"{lazy}>'
        caption = f'<figcaption><p class="caption"{" aria-live=polite" if film else ""}>{caption_of(below)}</p>'
        number = f"figure-{self._numbered}"
        if not film:
            return f'<figure class="picture" id="{number}">{image}{caption}</figcaption></figure>'
        source = "" if film["remembers"] else f' data-film="films/{place}.js" data-name="{place}"'
        head = f'<figure class="picture live" id="{number}"{source}>'
        return f"{head}{controls(film, number)}{image}{caption}{moves(film)}</figcaption></figure>"

    def _picture(self, png):
        """Where a picture lies, from a page."""
        name = f"pictures/{hashlib.sha256(png).hexdigest()[:16]}.png"
        (self.extra / name).write_bytes(png)
        return name


def data_of(output):
    return output.data["image/png"]


def anchor(kind, number):
    """The label of "Definition 3.1"."""
    return f"{kind}-{number}".lower().replace(".", "-")


def labels(names):
    """The labels of everything that is numbered on these pages, with its heading: {label: "Definition 3.1 (...)"}."""
    found = {}
    for name in names:
        notebook = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4)
        text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
        for kind, number, rest in re.findall(rf"(?m)^> \*\*{NAMED}(.*?)\*\*", text):
            found[anchor(kind, number)] = (name, f"{kind} {number}{rest}".rstrip("."))
    return found


def as_html(text):
    return nbformat.v4.new_output("display_data", data={"text/html": text, "text/plain": ""})


def wide(text):
    """A table in a box of its own, which can be scrolled sideways."""
    return re.sub(r"(?s)<table.*?</table>", r'<div class="wide-table">\g<0></div>', text)


def caption_of(below):
    """The caption among what was stored under a picture (the description for screen readers is the picture's text)."""
    soup = BeautifulSoup(below, "html.parser")
    for hidden in soup.find_all("div", style=re.compile("clip")):
        hidden.decompose()
    return html.escape(" ".join(soup.get_text(" ").split()))


def controls(film, number):
    """The controls of a film as a browser's own inputs; they wait for the script that shows them."""
    if film["remembers"]:
        return ""
    rows = "".join(control(reel, f"{number}-{reel['name']}") for reel in film["reels"])
    odds = '<p class="odds"></p>' if film["promises"] else ""
    asked = html.escape(json.dumps(film["asked"]))
    return f'<div class="controls" data-asked="{asked}" data-pair="{html.escape(json.dumps(film["pair"]))}" hidden>{rows}{odds}</div>'


def control(reel, number):
    """One control: a range, radio buttons, a check box, a button, or two ranges for a span."""
    label, start, name = html.escape(reel["label"]), reel["start"], html.escape(reel["name"])
    box = f'<div class="control {reel["kind"]}" data-name="{name}" data-values="{html.escape(json.dumps(reel["values"]))}"'
    if reel["kind"] == "range":
        return f'{box}><label for="{number}">{label}</label>{scale(number, reel["words"], start)}</div>'
    if reel["kind"] == "span":
        pairs = [word.split(" to ") for word in reel["words"]]
        ends = list(dict.fromkeys(low for low, _ in pairs))
        low, high = (ends.index(end) for end in pairs[start])
        box += f' data-pairs="{html.escape(json.dumps([[ends.index(one), ends.index(other)] for one, other in pairs]))}"'
        rows = f'<label for="{number}-from">from</label>{scale(f"{number}-from", ends, low)}'
        rows += f'<label for="{number}-to">to</label>{scale(f"{number}-to", ends, high)}'
        return f'{box} role="group" aria-label="{label}"><span>{label}</span>{rows}</div>'
    if reel["kind"] == "switch":
        on = " checked" if start else ""
        return f'{box}><label><input type="checkbox"{on}> {label}</label></div>'
    if reel["kind"] == "press":
        return f'{box}><button type="button" data-count="{len(reel["words"])}">{label}</button></div>'
    buttons = "".join(
        f'<label><input type="radio" name="{number}" value="{place}"{" checked" if place == start else ""}> '
        f"{html.escape(word)}</label>"
        for place, word in enumerate(reel["words"])
    )
    return f'{box} role="radiogroup" aria-label="{label}"><span>{label}</span><span class="choices">{buttons}</span></div>'


def scale(number, words, start):
    """A slider over places that have words."""
    said = html.escape(json.dumps(words))
    here = html.escape(words[start])
    return (
        f'<input type="range" id="{number}" min="0" max="{len(words) - 1}" step="1" value="{start}" '
        f'aria-valuetext="{here}" data-words="{said}"><output for="{number}">{here}</output>'
    )


def moves(film):
    """The line that says what moves here and what in Lab."""
    if film["remembers"]:
        return '<p class="moves">This figure remembers what was done to it: it plays in Lab (<code>make lab</code>).</p>'
    names = {reel["name"]: reel["label"] for reel in film["reels"]}
    pair = [names[name] for name in film["pair"] if name in names]
    others = [label for name, label in names.items() if name not in film["pair"]]
    here = f"<em>{html.escape(pair[0])}</em> and <em>{html.escape(pair[1])}</em> together" if len(pair) > 1 else ""
    if len(pair) == 1:
        others = pair + others
    alone = ", ".join(f"<em>{html.escape(label)}</em>" for label in others)
    alone += " by itself" if len(others) == 1 and here else " each by itself" if len(others) > 1 else ""
    lab = "everything together, at every step"
    if film["still"]:
        lab += "; only there: " + ", ".join(f"<em>{html.escape(label)}</em>" for label in film["still"])
    first = "; ".join(part for part in (here, alone) if part)
    script = '<noscript> (with JavaScript; without it you see its start)</noscript>'
    return f'<p class="moves">Moves here{script}: {first}. In Lab: {lab}.</p>'


def folded(cells):
    """The cells of an answers page, with all that comes after a task's hint folded."""
    pieces, is_open = [], False
    for cell in cells:
        parts = re.split(r"(?m)^(?=## )", cell.source) if cell.cell_type == "markdown" else [cell]
        for part in parts:
            if isinstance(part, str) and not part.strip():
                continue
            starts = isinstance(part, str) and part.startswith("## ")
            if starts and is_open:
                pieces.append(nbformat.v4.new_markdown_cell("</details>"))
                is_open = False
            if not starts:
                pieces.append(nbformat.v4.new_markdown_cell(part) if isinstance(part, str) else part)
                continue
            hint, answer, rest = re.split(r"(?m)^(\*Answer)", part, maxsplit=1) if "\n*Answer" in part else (part, "", "")
            pieces.append(nbformat.v4.new_markdown_cell(hint))
            pieces.append(nbformat.v4.new_markdown_cell('<details class="answer"><summary>The answer</summary>'))
            is_open = True
            if answer:
                pieces.append(nbformat.v4.new_markdown_cell(answer + rest))
    if is_open:
        pieces.append(nbformat.v4.new_markdown_cell("</details>"))
    return pieces
