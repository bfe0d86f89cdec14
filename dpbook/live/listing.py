"""The source of a function of the book, as a listing in the page."""

import inspect

from IPython.display import display
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

LISTING = "border-left: 3px solid #0072B2; padding-left: 0.8em; overflow-x: auto; font-size: 0.92em"


def show_source(function):
    """The source of a function or class of the book as a highlighted listing in the page."""
    listing = HtmlFormatter(noclasses=True, nobackground=True, cssstyles=LISTING)
    source = inspect.getsource(function)
    display({"text/html": highlight(source, PythonLexer(), listing), "text/plain": source}, raw=True)
