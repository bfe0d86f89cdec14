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
    """Show the source of a function or class; of each docstring the first line, the rest on a click.

    Two lines or more that only check arguments open on a click, too.
    """
    source = inspect.getsource(function)
    display({"text/html": listing(source), "text/plain": source}, raw=True)


def listing(source):
    """The HTML that `show_source` shows for this Python text of one function or class."""
    return f'<div style="{BOX}">{"".join(_parts(textwrap.dedent(source)))}</div>'


def _parts(source):
    """The listing from top to bottom: code, and docstrings and checks that open."""
    lines, done, tree = source.splitlines(keepends=True), 0, ast.parse(source)
    for first, last, checked in sorted([*_docstrings(tree), *_checks(tree)]):
        yield _code(lines[done:first])
        if checked:
            begins = " " * (len(lines[first]) - len(lines[first].lstrip()))
            said = f"{begins}# {', '.join(checked)}: checked\n"
            yield _folded(said, _words(said.rstrip() + " …"), _code(lines[first:last]))
        else:
            promise, rest = "".join(lines[first : first + 1]), "".join(lines[first + 1 : last])
            words = "".join(_line(line, _words(line)) for line in rest.rstrip().splitlines(keepends=True))
            below = f'<pre style="{CODE}">{words}</pre>'
            yield _folded(promise, _words(promise.rstrip() + " …"), below) if rest else _code([promise])
        done = last
    yield _code(lines[done:])


def _folded(line, words, below):
    return f'<details><summary style="{CODE}; {CLICK}">{_line(line, words)}</summary>{below}</details>'


def _docstrings(tree):
    """The lines, from and to, of each docstring, in order; and None."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    nodes = [node for node in ast.walk(tree) if isinstance(node, kinds) and ast.get_docstring(node)]
    return [(node.body[0].lineno - 1, node.body[0].end_lineno, None) for node in nodes]


def _checks(tree):
    """The lines, from and to, of each stretch of two lines or more that only checks arguments; and which."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        given = {argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)}
        stretches, last = [], None
        for statement in function.body:
            checked = _checked(statement, given)
            if checked and last is not None and statement.lineno == last + 1:
                stretches[-1].append((statement, checked))
            elif checked:
                stretches.append([(statement, checked)])
            last = statement.end_lineno if checked else None
        for stretch in stretches:
            first, last = stretch[0][0].lineno - 1, stretch[-1][0].end_lineno
            if last - first > 1:
                yield first, last, [*dict.fromkeys(name for _, checked in stretch for name in checked)]


def _checked(statement, given):
    """Which of the arguments `given` a statement checks, if it does nothing else: it names nothing new."""
    if isinstance(statement, ast.If) and not statement.orelse and all(map(_is_check, statement.body)):
        tested = {node.id for node in ast.walk(statement.test) if isinstance(node, ast.Name)} & given
        return sorted(tested)
    if isinstance(statement, ast.Expr) and _is_check(statement):
        return [node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and node.id in given]
    if not isinstance(statement, ast.Assign):
        return []
    values = statement.value.elts if isinstance(statement.value, ast.Tuple) else [statement.value]
    named = [node for target in statement.targets for node in ast.walk(target) if not isinstance(node, ast.Tuple)]
    names = [getattr(node, "id", None) for node in named if not isinstance(node, ast.Store)]
    return names if all(map(_is_check, values)) and set(names) <= given else []


def _is_check(node):
    """Whether all that this does is to call `arguments....(...)` or `checked_...(...)`."""
    node = node.value if isinstance(node, ast.Expr) else node
    called = ast.unparse(node.func).rpartition(".") if isinstance(node, ast.Call) else ("", "", "")
    return called[0] == "arguments" or called[2].startswith(("checked_", "_checked_"))


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
