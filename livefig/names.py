"""A figure's names are its own: what a later cell binds anew does not reach the figures that stand above it."""

import traceback
import types


def with_names_of_now(function):
    """The function as it would run now, whatever its cell's names mean later; the page's functions it calls, too.

    Names bound anew are not seen; what is changed in place is, for nothing is copied but functions. Anything else than
    a plain function is returned as it is.
    """
    if not isinstance(function, types.FunctionType):
        return function
    page = function.__globals__
    names = {name: page[name] for name in ("__name__", "__builtins__") if name in page}
    copies = {}

    def copy(original):
        if original not in copies:
            parts = original.__name__, original.__defaults__, original.__closure__
            copies[original] = made = types.FunctionType(original.__code__, names, *parts)
            made.__kwdefaults__ = original.__kwdefaults__
            made.__dict__.update(original.__dict__)
            for name in _read(original.__code__) & page.keys() - names.keys():
                value = names[name] = page[name]
                if isinstance(value, types.FunctionType) and value.__globals__ is page:
                    names[name] = copy(value)
        return copies[original]

    return copy(function)


def _read(code):
    """The names that a function's code, or that of a function inside of it, may read from its module."""
    inner = [_read(constant) for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return set(code.co_names).union(*inner)


def what_went_wrong(error, function):
    """The error in a line, with the line of the reader's own code in which it happened, if one is known."""
    words = f"{type(error).__name__}: {error}"
    file = getattr(getattr(function, "__code__", None), "co_filename", None)
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return f"{words} (line {own[-1].lineno}: {own[-1].line})" if own else words
