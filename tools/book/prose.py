"""Sentences that an editor would break or mend: `make prose`, or `python -m tools.book.prose [files]`.

Of pages, answers, assignments, README, changes and docs: what has more than 25 words, what matches `prose.toml`, and
questions of figures that are no question. A formula and a piece of code are one word each, a link the words that are
seen of it. Headings, tables, displayed code, what is quoted (lines with >) and lists of sources are left out. The exit
code says whether all is well.
"""

import argparse
import ast
import functools
import pathlib
import re
import sys
import tomllib
from typing import NamedTuple

import jupytext
from markdown_it import MarkdownIt

PROJECT = pathlib.Path(__file__).parents[2]
PLACES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/**/*.md", "exercises/README.md")
PLACES += ("notebooks/*.py", "exercises/answers/[0-9]*.py", "exercises/[0-9]*.py")
LONGEST = 25  # words a sentence
CODE, FORMULA = "⌘", "$"  # each one word
NOTHING = "\u2060"  # keeps the lines of a formula, or the lines of the file would be counted wrong
ENDS = re.compile(r"(?<=[.!?])[)\"'”’]*\s+(?=[\"'“‘(\[]*[A-Z0-9⌘$])")
SHORT = r"\b(?:e\.g|i\.e|cf|vs|etc|al|Fig|Figs|Sec|Eq|Thm|No|pp?|Dr|Mr|Ms|St|resp|approx|ca|[A-Z])\."
WORD = re.compile(r"[\w⌘$%€ε]+(?:[-'’.,/][\w⌘$%]+)*")


class Remark(NamedTuple):
    """What an editor would say of one sentence."""

    line: int
    words: str
    sentence: str


@functools.cache
def phrases():
    """What is not said, and what is said for it: pairs of a pattern and words."""
    rows = tomllib.loads(pathlib.Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["phrase"]
    return [(re.compile(row["not"], re.IGNORECASE), row["say"]) for row in rows]


def without_formulas(text):
    """A Markdown text with each formula as one sign; a displayed one that ends with a full stop ends its sentence."""

    def sign(found):
        stop = re.search(r"[.!?]\s*(?:\\end\{\w+\*?\})?\s*\$\$\Z", found[0])
        return f"{FORMULA}{'.' if stop else ''}" + f"\n{NOTHING}" * found[0].count("\n")

    text = re.sub(r"(?s)\$\$.*?\$\$", sign, text)
    return re.sub(r"(?s)(?<![\\$])\$(?!\s)[^$]+?\$", sign, text)


def spoken(inline):
    """The words of a piece of Markdown as they are read."""
    parts = []
    for token in inline.children:
        if token.type == "code_inline":
            parts.append(CODE)
        elif token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif token.type in ("text", "text_special"):
            parts.append(token.content)
        elif token.type == "image":
            parts.append(CODE)
    return " ".join("".join(parts).replace(NOTHING, "").split())


def paragraphs(text):
    """The paragraphs and list items of a Markdown text, each with its first line's number (from 0)."""
    inside, sources = [], False
    for token in MarkdownIt("commonmark").enable("table").parse(without_formulas(text)):
        kind = token.type.removesuffix("_open").removesuffix("_close")
        if kind in ("blockquote", "heading", "table"):
            inside = [*inside, kind] if token.nesting > 0 else inside[:-1]
        if token.type == "inline" and inside == ["heading"]:
            sources = bool(re.match(r"(?:Sources|Literature|Further reading)\b", token.content))
        elif token.type == "inline" and not (inside or sources):
            yield token.map[0], spoken(token)
        elif token.type == "html_block":
            words = re.sub(r"(?s)<!--.*?-->|<(?:style|script|pre).*?</(?:style|script|pre)>", "", token.content)
            for said in re.findall(r"(?s)<summary>(.*?)</summary>", words):
                yield token.map[0], " ".join(re.sub(r"<[^>]+>", "", said).split())


def sentences(paragraph):
    """The sentences of a paragraph: a stop, and a capital or a number after it; not after e.g., Fig. or an initial."""
    kept = re.sub(SHORT, lambda found: found[0].replace(".", "\0"), paragraph)
    return [one.replace("\0", ".").strip() for one in ENDS.split(kept) if one.strip()]


def count(sentence):
    """How many words it has: a formula and a piece of code are one each."""
    return len(WORD.findall(sentence))


def remarks(sentence, line):
    """What is wrong with a sentence."""
    if count(sentence) > LONGEST:
        yield Remark(line, f"{count(sentence)} words", sentence)
    for pattern, say in phrases():
        if found := pattern.search(sentence):
            yield Remark(line, f'"{found[0].strip()}": {say}', sentence)


def prose(file):
    """The Markdown of a file, cell by cell, and its code cells: triples of a kind, a first line and a text."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".md":
        return [("markdown", 1, text)]
    cells, lines, _at = jupytext.reads(text, fmt="py:percent").cells, text.splitlines(), 0
    starts = [number for number, line in enumerate(lines, 1) if re.match(r"# %%(?:\s|$)", line)]
    assert len(starts) == len(cells), file
    return [(cell.cell_type, starts[at] + 1, cell.source) for at, cell in enumerate(cells)]


def asked(code, line):
    """What is wrong with the questions and the first comment of a code cell."""
    first = code.split("\n", 1)[0]
    if re.match(r"# (?:Figure|Computed): ", first):
        yield from remarks(first.partition(": ")[2], line)
    tree = ast.parse(re.sub(r"(?m)^[%!].*$", "", code))
    given = {getattr(node.targets[0], "id", ""): node.value for node in tree.body if isinstance(node, ast.Assign)}
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "predict" and node.args):
            continue
        text = given.get(getattr(node.args[0], "id", ""), node.args[0])
        if isinstance(text, ast.Constant):
            where = line + text.lineno - 1
            for sentence in sentences(text.value):
                yield from remarks(sentence, where)
            if not text.value.endswith("?"):
                yield Remark(where, "a question without a question mark", text.value)


def read(file):
    """All remarks on a file, in the order of its lines."""
    found = []
    for kind, line, text in prose(file):
        if kind == "markdown":
            for at, paragraph in paragraphs(text):
                found += [one for sentence in sentences(paragraph) for one in remarks(sentence, line + at)]
        elif kind == "code":
            found += asked(text, line)
    return sorted(found, key=lambda one: one.line)


def everywhere():
    """The files of the project whose prose is read."""
    return [file for place in PLACES for file in sorted(PROJECT.glob(place))]


def main(words):
    """Print the remarks, file by file, with a count: the exit code is 1 where there are any."""
    parser = argparse.ArgumentParser(description="Sentences that an editor would break or mend.")
    parser.add_argument("files", nargs="*", type=pathlib.Path, help="these; by default all prose of the project")
    parser.add_argument("--counts", action="store_true", help="only how many there are in each file")
    said = parser.parse_args(words)
    total = 0
    for file in map(pathlib.Path.absolute, said.files or everywhere()):
        found, total = read(file), total + len(read(file))
        name = file.relative_to(PROJECT) if file.is_relative_to(PROJECT) else file
        for one in [] if said.counts else found:
            print(f"{name}:{one.line}: {one.words}\n    {one.sentence}")
        print(f"{name}: {len(found)}")
    print(f"{total} in all")
    return int(total > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
