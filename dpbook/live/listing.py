"""The source of a function of the book, as a listing in the page: its call, its promise, what it does."""

import ast
import html
import inspect
import textwrap

from IPython.display import display
from pygments.lexers import PythonLexer
from pygments.token import Comment, Keyword, Literal, Name, Number, Operator, String

# The colours of JupyterLab's own editor, which a dark theme changes; elsewhere those after the comma.
COLOURS = {
    Keyword: "keyword-color, #008000",
    Operator.Word: "keyword-color, #008000",
    Operator: "operator-color, #555555",
    Name.Function: "def-color, #0000FF",
    Name.Class: "def-color, #0000FF",
    Name.Builtin: "builtin-color, #008000",
    Name.Decorator: "meta-color, #7A3E9D",
    String.Doc: "comment-color, #408080",
    String: "string-color, #BA2121",
    Number: "number-color, #B5500A",
    Literal: "atom-color, #7A3E9D",
    Comment: "comment-color, #408080",
}
BOX = "border-left: 3px solid #0072B2; padding-left: 0.8em; margin: 0.4em 0; font-size: 0.92em; overflow-x: auto"
CODE = "margin: 0; white-space: pre; word-break: normal; overflow: visible; background: none; line-height: 1.35"
CLICK = "cursor: pointer; font-family: monospace; display: block"


def show_source(function):
    """Show the source of a function or class of the book; of each docstring the first line, the rest on a click."""
    source = inspect.getsource(function)
    listing = f'<div style="{BOX}">{"".join(_parts(textwrap.dedent(source)))}</div>'
    display({"text/html": listing, "text/plain": source}, raw=True)


def _parts(source):
    """The listing from top to bottom: code, and docstrings that open."""
    lines, done = source.splitlines(keepends=True), 0
    for first, last in _docstrings(source):
        yield _code(lines[done:first])
        promise, rest = "".join(lines[first : first + 1]), "".join(lines[first + 1 : last])
        if rest:
            summary = (
                f'<summary style="{CODE}; {CLICK}">{_words(promise)}<span style="opacity: 0.6"> …</span></summary>'
            )
            yield f'<details>{summary}<pre style="{CODE}">{_words(rest)}</pre></details>'
        else:
            yield _code([promise])
        done = last
    yield _code(lines[done:])


def _docstrings(source):
    """The lines, from and to, of each docstring, in order."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, kinds) and ast.get_docstring(node)]
    return sorted((node.body[0].lineno - 1, node.body[0].end_lineno) for node in nodes)


def _words(text):
    return f'<span style="color: var(--jp-mirror-editor-{COLOURS[String.Doc]})">{html.escape(text.rstrip())}</span>'


def _code(lines):
    """Some lines of Python with their colours."""
    text = "".join(lines)
    if not text:
        return ""
    spans = "".join(_span(kind, word) for kind, word in PythonLexer(stripnl=False).get_tokens(text))
    return f'<pre style="{CODE}">{spans}</pre>'


def _span(kind, word):
    while kind is not None and kind not in COLOURS:
        kind = kind.parent
    words = html.escape(word)
    return words if kind is None else f'<span style="color: var(--jp-mirror-editor-{COLOURS[kind]})">{words}</span>'
