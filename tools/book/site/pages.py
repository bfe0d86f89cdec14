"""A stored notebook as a page of the site: its pictures as files with their texts, its links within the site."""

import base64
import hashlib
import re
import shutil

import nbformat
from bs4 import BeautifulSoup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from tools.book import sliders
from tools.book.contents import ROOT
from tools.book.site import figures

NAMED = r"(Definition|Theorem|Lemma|Proposition|Corollary) (\d+\.\d+)"
WAY = r"(?m)^(?:\[Map\]\(.*|\*\*(?:Previous|Next):\*\*.*)$"
LIVE = "lite/lab/index.html?path="  # where a notebook runs in the reader's browser
KEPT_AS_IS = (
    r"(```.*?```|`[^`]*`|\$\$.*?\$\$|\$[^$]*\$|!?\[[^\]]*\]\([^)]*\)|\*\*.*?\*\*|<a\b.*?</a>|<summary>.*?</summary>|<[^>]+>"
    r"|^#.*?$|^\|.*?$)"
)


def served(html):
    """What is shown only where the site comes from a server: from files no browser runs Python."""
    return f'<span class="live">{html}</span>'


class MissingText(ValueError):
    """A picture without its alternative text."""


class Writer:
    """Writes pages into `folder` and their pictures into `extra`; knows what can be linked: labels, words, claims.

    `claimed` maps the name of a function to the mechanisms whose claims its listing leads to.
    """

    def __init__(self, folder, extra, names, labels=(), words=(), claimed=None, films=None, answered=True, live=False):
        self.folder, self.extra, self.names, self.answered, self.live = folder, extra, set(names), answered, live
        self.labels, self.words, self.claimed, self.films = set(labels), list(words), claimed or {}, films or {}
        self.opening = ""  # the first live figure of page 00, for the front page
        (extra / "pictures").mkdir(parents=True, exist_ok=True)

    def chapter(self, name, tools):
        """The page of a chapter; `tools` is the line of HTML under its title."""
        notebook = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4)
        self._cells(notebook, name, set(), self.films.get(name, {}))
        first, *after = notebook.cells
        if len(after) > 1 and after[1].cell_type == "code" and re.match("# What .* imports?\n", after[0].source):
            notebook.cells[1:3] = after[1::-1]  # here nothing runs: the figure that opens a page comes first
        first.source = re.sub(r"\A(# .*)$", rf"\1\n\n{tools}\n", first.source, count=1, flags=re.M)
        self._write(notebook, name)

    def answers(self, name):
        """The answers to a chapter's tasks: each folded under its hint."""
        notebook = nbformat.read(ROOT / "exercises/answers" / f"{name}.ipynb", as_version=4)
        self._cells(notebook, f"{name}_answers", {word.lower() for word in self.words}, {})
        notebook.cells = folded(notebook.cells)
        self._write(notebook, f"{name}_answers")

    def _cells(self, notebook, name, words_seen, films):
        """Change each cell as the site shows it; `films` are those of its figures, by their cells."""
        self._numbered, self._words_seen = 0, words_seen
        for number, cell in enumerate(notebook.cells):
            if cell.cell_type == "markdown":
                cell.source = self.prose(cell.source)
            else:
                self._code(cell, f"{name}/{number}", films.get(str(number)))

    def _write(self, notebook, name):
        notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
        (self.folder / f"{name}.ipynb").write_text(nbformat.writes(notebook))

    def prose(self, text):
        """A Markdown cell: links within the site, labels on what is numbered, words that lead to the glossary."""
        text = re.sub(WAY, "", text)
        text = re.sub(r"\]\((?:\.\./)+exercises/answers/(\w+)\.ipynb", r"](\1_answers.ipynb", text)
        text = re.sub(r"\]\((?:\.\./)+notebooks/", "](", text)
        text = re.sub(r"\[([^\]]*)\]\((?:\.\./)+exercises/releases/(\w+\.ipynb)\)", self._assignment, text)
        if not self.answered:
            text = re.sub(r"(?m)^A hint and an answer for each: .*$", "", text)
            text = re.sub(r"\[([^\]]*)\]\(\w+_answers\.ipynb[^)]*\)", r"\1", text)
        text = re.sub(r"\[([^\]]*)\]\(#([EPS]\d+)\)", lambda row: f'<a href="#{row[2].lower()}">{row[1]}</a>', text)
        text = re.sub(rf"\[([^\]]*)\]\(({sliders.MOVES})\)", r'<a class="move" href="\2">\1</a>', text)
        text = self.links(text)
        text = re.sub(rf"(?m)^> \*\*{NAMED}(?: \(([^;,)*]*))?", marked, text)
        pieces = re.split(KEPT_AS_IS, text, flags=re.M | re.S)
        return "".join(piece if place % 2 else self._linked(piece) for place, piece in enumerate(pieces))

    def links(self, text):
        """A text with its links to pages; one to a page that is not in this site leaves its words."""
        return re.sub(r"\[([^\[\]]*)\]\((\d\d_\w+\.ipynb)(#[^)]*)?\)", self._leads, text)

    def _assignment(self, found):
        """A link to an assignment: its notebook, to take along into Lab, and where it can be done at once."""
        (self.extra / "exercises").mkdir(exist_ok=True)
        shutil.copy(ROOT / "exercises/releases" / found[2], self.extra / "exercises")
        here = served(f' (<a href="{LIVE}exercises/releases/{found[2]}">Do it here</a>)') if self.live else ""
        return f'<a href="exercises/{found[2]}" download>{found[1]}</a>{here}'

    def _leads(self, found):
        """A link to a page, or its text alone where that page is not in this site."""
        here = found[2].removesuffix(".ipynb").removesuffix("_answers") in self.names
        if here and re.fullmatch(r"#[EPS]\d+", found[3] or ""):  # a heading that a cell wrote: Sphinx does not know it
            return f'<a href="{found[2].removesuffix(".ipynb")}.html{found[3].lower()}">{found[1]}</a>'
        slug = re.sub(r"[^\w#-]", "", (found[3] or "").lower())  # a heading's mark (#Map-of-the-book) as it is here
        return f"[{found[1]}]({found[2]}{slug})" if here else found[1]

    def _led(self, text):
        """HTML that a cell stored (the map), its links within the site; a page that is not in it is the contents."""

        def leads(found):
            return f'href="{found[1]}.html' if found[1] in self.names else 'href="index.html'

        return re.sub(r'href="(\d\d_\w+)\.ipynb', leads, text)

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
            words = prompt(cell.source)
            cell.metadata["mystnb"] = {"code_prompt_show": words, "code_prompt_hide": words}
        outputs, shown = [], list(cell.outputs)
        while shown:
            output = shown.pop(0)
            data = output.get("data", {})
            if "image/png" in data:
                below = shown.pop(0).data["text/html"] if shown and "text/html" in shown[0].get("data", {}) else ""
                outputs.append(as_html(self._figure(output, below, place, film)))
                film = None
            elif "text/markdown" in data:
                output.data["text/markdown"] = self.prose(data["text/markdown"])
                outputs.append(output)
            elif "text/html" in data:
                outputs.append(as_html(wide(listing(self._led(data["text/html"])))))
            else:
                outputs.append(output)
        names = re.findall(r"(?m)^\s*show_source\(([\w.]+)\)", cell.source)
        outputs += [as_html(line) for name in names if (line := self._claims(name))]
        cell.outputs = outputs

    def _claims(self, listed):
        """The line under a listing that leads to the claims of what is listed, or of what it is a part of; or ""."""
        names = listed.split(".")
        own = [name for name in names if name in self.claimed.get(name, ())]
        is_method = len(names) > 1 and names[-2][0].isupper()
        found = own or ([] if is_method else self.claimed.get(names[-1], ()))
        links = ", ".join(f'<a href="claims.html#claim-{name}">{name}</a>' for name in found)
        words = "What is claimed of it, and the test" if own else "It is a part of what is claimed, and tested, here"
        return f'<p class="claimed">{words}: {links}</p>' if links else ""

    def _figure(self, output, below, place, film):
        """One picture with its text and its caption; over it the controls of its film, if there is one."""
        about = output.metadata.get("image/png", {})
        if len(about.get("alt", "")) < 10:
            raise MissingText(f"a picture of cell {place} has no alternative text: {about!r}")
        self._numbered += 1
        picture, size = self._picture(base64.b64decode(output.data["image/png"])), (about["width"], about["height"])
        made = figures.figure(picture, about["alt"], size, below, film, place, self._numbered)
        if not self.opening and film and not film["remembers"] and place.startswith("00_"):
            self.opening = made
        return made

    def _picture(self, png):
        """Where a picture lies, from a page."""
        name = f"pictures/{hashlib.sha256(png).hexdigest()[:16]}.png"
        (self.extra / name).write_bytes(png)
        return name


def prompt(code):
    """What is seen of a folded cell: its first line, where that says what it computes or imports."""
    line = code.split("\n", 1)[0].removeprefix("# ")
    return line if re.match(r"Computed: |What .* imports?$", line) else "How it is drawn"


def marked(found):
    """The first line of something numbered, with a label that links find and a place in the index."""
    name = (found[3] or "").replace("`", "").strip()
    index = f"```{{index}} single: {name} ({found[1]} {found[2]})\n```\n\n" if name and "$" not in name else ""
    return f"{index}({anchor(found[1], found[2])})=\n{found[0]}"


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


def to_run(name):
    """A stored notebook to take along into Lab, which runs it: without what it showed, which is what is on the page."""
    notebook = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return nbformat.writes(notebook)


def as_html(text):
    return nbformat.v4.new_output("display_data", data={"text/html": text, "text/plain": ""})


def listing(text):
    """A listing in the colours of the site's theme, which are legible in the light and in the dark."""
    text = text.replace("; opacity: 0.6", "").replace("opacity: 0.6", "")
    if 'class="highlight"' not in text:
        return text
    soup = BeautifulSoup(text, "html.parser")
    for box in soup.select(".highlight"):
        coloured = highlight(box.get_text(), PythonLexer(), HtmlFormatter())
        box.replace_with(BeautifulSoup(f'<div class="highlight-python notranslate">{coloured}</div>', "html.parser"))
    return str(soup)


def wide(text):
    """A table in a box of its own, which can be scrolled sideways."""
    return re.sub(r"(?s)<table.*?</table>", r'<div class="wide-table">\g<0></div>', text)


def hint_and_rest(text):
    """A task with its hint, and what comes after it: from the word Answer on, or from the paragraph after the hint."""
    marked = re.search(r"(?m)^\*{1,2}Answer", text)
    hint = re.search(r"(?ms)^\*{1,2}Hint.*?(?:\n[ ]*\n|\Z)", text)
    end = marked.start() if marked else hint.end() if hint else text.find("\n") + 1 or len(text)
    return text[:end], text[end:]


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
            hint, answer = hint_and_rest(part)
            pieces.append(nbformat.v4.new_markdown_cell(hint))
            pieces.append(nbformat.v4.new_markdown_cell('<details class="answer"><summary>The answer</summary>'))
            is_open = True
            pieces += [nbformat.v4.new_markdown_cell(answer)] if answer.strip() else []
    if is_open:
        pieces.append(nbformat.v4.new_markdown_cell("</details>"))
    return pieces
