"""The source of a function, as a listing in the page: its call, its promise, what it does.

A line that is longer than the page is wide goes on in the next one, further in; none breaks inside a word.
"""

import ast
import html
import inspect
import textwrap

from IPython.display import display
from pygments.lexers import PythonLexer
from pygments.token import Comment, Keyword, Literal, Name, Number, Operator, String

from livefig.palette import BLUE

# The colours of JupyterLab's own editor, which a dark theme changes; elsewhere those after the comma. Two of
# them are too faint on a dark page: they go a quarter of the way to the colour of the text.
SAID = "color-mix(in srgb, var(--jp-mirror-editor-comment-color, #408080), currentcolor 25%)"
META = "color-mix(in srgb, var(--jp-mirror-editor-meta-color, #7A3E9D), currentcolor 25%)"
COLOURS = {
    Keyword: "var(--jp-mirror-editor-keyword-color, #008000)",
    Operator.Word: "var(--jp-mirror-editor-keyword-color, #008000)",
    Operator: "var(--jp-mirror-editor-operator-color, #555555)",
    Name.Function: "var(--jp-mirror-editor-def-color, #0000FF)",
    Name.Class: "var(--jp-mirror-editor-def-color, #0000FF)",
    Name.Builtin: "var(--jp-mirror-editor-builtin-color, #008000)",
    Name.Decorator: META,
    String.Doc: SAID,
    String: "var(--jp-mirror-editor-string-color, #BA2121)",
    Number: "var(--jp-mirror-editor-number-color, #B5500A)",
    Literal: "var(--jp-mirror-editor-atom-color, #7A3E9D)",
    Comment: SAID,
}
BOX = f"border-left: 3px solid {BLUE}; padding-left: 0.8em; margin: 0.4em 0; font-size: 0.86em; overflow-x: auto"
CODE = "margin: 0; white-space: pre-wrap; word-break: normal; overflow: visible; background: none; line-height: 1.35"
STEP = 4  # characters that a line which goes on is further in than it began
CLICK = "cursor: pointer; font-family: monospace; display: block"


def show_source(function):
    """Show the source of a function or class; of each docstring the first line, the rest on a click."""
    source = inspect.getsource(function)
    display({"text/html": listing(source), "text/plain": source}, raw=True)


def listing(source):
    """The HTML that `show_source` shows for this Python text of one function or class."""
    return f'<div style="{BOX}">{"".join(_parts(textwrap.dedent(source)))}</div>'


def _parts(source):
    """The listing from top to bottom: code, and docstrings that open."""
    lines, done = source.splitlines(keepends=True), 0
    for first, last in _docstrings(source):
        yield _code(lines[done:first])
        promise, rest = "".join(lines[first : first + 1]), "".join(lines[first + 1 : last])
        if rest:
            more = _words(promise.rstrip() + " …")
            summary = f'<summary style="{CODE}; {CLICK}">{_line(promise, more)}</summary>'
            words = "".join(_line(line, _words(line)) for line in rest.rstrip().splitlines(keepends=True))
            yield f'<details>{summary}<pre style="{CODE}">{words}</pre></details>'
        else:
            yield _code([promise])
        done = last
    yield _code(lines[done:])


def _docstrings(source):
    """The lines, from and to, of each docstring, in order."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, kinds) and ast.get_docstring(node)]
    return sorted((node.body[0].lineno - 1, node.body[0].end_lineno) for node in nodes)


def _line(line, words):
    """One line of the source, drawn as `words`: what does not fit beside it goes on below, further in."""
    further = len(line) - len(line.lstrip(" ")) + STEP
    return f'<span style="display: block; padding-left: {further}ch; text-indent: -{further}ch">{words}</span>'


def _words(text):
    return f'<span style="color: {COLOURS[String.Doc]}">{html.escape(text)}</span>'


def _code(lines):
    """Some lines of Python with their colours."""
    if not lines:
        return ""
    text, drawn = "".join(lines), [""]
    for kind, words in PythonLexer(stripnl=False).get_tokens(text):
        for part in words.splitlines(keepends=True):
            drawn[-1] += _span(kind, part)
            if part.endswith("\n"):
                drawn.append("")
    return f'<pre style="{CODE}">{"".join(map(_line, lines, drawn))}</pre>'


def _span(kind, word):
    while kind is not None and kind not in COLOURS:
        kind = kind.parent
    words = html.escape(word)
    return words if kind is None else f'<span style="color: {COLOURS[kind]}">{words}</span>'
