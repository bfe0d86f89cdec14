"""The program inside the jail: it runs one answer and writes its outputs, 8 bytes for each number, and nothing else.

`python runner.py seconds megabytes folder...`, with the request pickled on standard input. An exit code of
FIRST or more says what went wrong (`failures.OF_CODE` has the words). Whatever an answer does here, it can only change
the bytes it is judged by.
Or it runs all the cells of a page and writes what they show: IPython, without sockets, threads or other processes. Or
it reads a submitted file, and writes the answers in it. What only one of them needs is imported there.
"""

import functools
import gc
import os
import pickle
import resource
import sys

FIRST = 40
UNREAD = ("numpy._core._add_newdocs", "numpy._core._add_newdocs_scalars")  # docstrings: a seventh of numpy's start
LATER = ("numpy._typing", "secrets")  # what numpy's start asks for and does not use, another seventh: see `start_numpy`
TEXT, PICTURE = 20_000, 400_000  # characters of a text, and of a picture in base 64, that a page keeps
CODES = NO_ANSWER, SYNTAX, CELL, MISSING, OUTPUT, NOTHING, NAME, TYPE, MEMORY, ERROR, IMPORT = tuple(
    range(FIRST, FIRST + 11)
)
ERRORS = (
    ValueError, IndexError, KeyError, ZeroDivisionError, AttributeError, AssertionError, OverflowError,
    FloatingPointError, RecursionError, UnboundLocalError, RuntimeError,
)  # fmt: skip
OF_ERRORS = {kind: FIRST + 20 + place for place, kind in enumerate(ERRORS)}  # a type tells nothing of hidden data


def main():
    pipe = os.dup(1)
    os.dup2(2, 1)
    limit(int(sys.argv[1]), int(sys.argv[2]) * 2**20)
    sys.path[:0] = sys.argv[3:]
    request = pickle.load(sys.stdin.buffer)
    if "notebook" in request:
        write(pipe, take(**request))
    elif "cells" in request:
        show_page(request["cells"], request["said"], pipe)
    else:
        write(pipe, batch(request))
    os._exit(0)


def start_numpy():
    """Import numpy and its generators, without what takes time and is not needed for that.

    Who asks for one of `LATER` afterwards gets the real one.
    """
    gc.disable()  # nothing that imports make is garbage, and to look for it takes an eighth of their time
    for name in UNREAD + LATER:
        sys.modules[name] = type(sys)(name)
    sys.modules["numpy._typing"].__getattr__ = _any_type
    sys.modules["secrets"].randbits = _random_bits
    import numpy
    import numpy.random

    for name in LATER:
        del sys.modules[name]
    vars(numpy).pop("_typing", None)


def _any_type(name):
    """Something that stands in an annotation."""
    if name.startswith("__"):
        raise AttributeError(name)
    return list


def _random_bits(number):
    """As the one in `secrets`: the seed of generators that get none."""
    return int.from_bytes(os.urandom(number // 8 + 1), "little") >> (number // 8 * 8 + 8 - number)


def batch(request):
    """The bytes of the outputs of one answer, called as the request says: some calls after the others."""
    start_numpy()
    from dpbook.check import GaveNothing, WrongOutput, collect

    codes = {
        NotImplementedError: NO_ANSWER, WrongOutput: OUTPUT, GaveNothing: NOTHING, NameError: NAME, TypeError: TYPE,
        MemoryError: MEMORY, ModuleNotFoundError: IMPORT,
    }  # fmt: skip
    namespace = {"__name__": "answer"}
    exec(request["setup"], namespace)
    gc.freeze()
    gc.enable()
    try:
        program = compile(request["answer"], "answer", "exec")
    except (SyntaxError, ValueError):
        os._exit(SYNTAX)
    try:
        exec(program, namespace)
    except BaseException as error:
        os._exit(codes.get(type(error), CELL))
    if not callable(namespace.get(request["name"])):
        os._exit(MISSING)
    ask = from_a_cell if request.get("from_a_cell") else collect
    try:
        return b"".join(ask(namespace[request["name"]], *calls).tobytes() for calls in request["batches"])
    except BaseException as error:
        codes = OF_ERRORS | codes
        os._exit(next((codes[kind] for kind in type(error).__mro__ if kind in codes), ERROR))


def from_a_cell(function, calls, samples, shape, seed):
    """What `dpbook.check.collect` gives, asked for as a reader's cell does: nothing is read-only."""
    import numpy as np

    rng, outputs = np.random.default_rng(seed), []
    program = compile("for own in each:\n    outputs.append(function(*own, rng))", "cell", "exec")
    for call in calls:
        each = ([np.copy(one) if isinstance(one, np.ndarray) else one for one in call] for _ in range(samples))
        exec(program, {"__name__": "__main__", "function": function, "each": each, "rng": rng, "outputs": outputs})
    return np.array(outputs, float).reshape(len(calls), samples, *shape)


def take(notebook, most):
    """The kinds and texts of the cells of a notebook that bear the ids in `most`, by their ids, as JSON.

    The id is nbgrader's, or, where none has it, the cell's own, which is the same in a release. Of each id come no
    more than twice so many characters as `most` says, whatever stands in the file.
    """
    import json

    try:
        cells = json.loads(notebook)["cells"]
        named, own = {name: [] for name in most}, {name: [] for name in most}
        for cell in cells:
            text = [cell["cell_type"], "".join(cell["source"])]
            named.get(cell.get("metadata", {}).get("nbgrader", {}).get("grade_id"), []).append(text)
            own.get(cell.get("id"), []).append(text)
        found = {name: _no_more(named[name] or own[name], most[name]) for name in most}
        return json.dumps(found).encode("utf-8", "replace")
    except MemoryError:
        os._exit(MEMORY)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return b""


def _no_more(cells, most):
    kept, left = [], 2 * most
    for kind, text in cells[:100]:
        text = text[: min(left, most + 1)].encode("utf-8", "replace").decode()
        kept, left = [*kept, [kind[:10], text]], left - len(text)
    return kept


class Said:
    """What a check that was made already has said."""

    def __init__(self, line, *_):
        self.line = line

    def __repr__(self):
        return self.line


def show_page(cells, said, pipe):
    """Run the cells of a page as its kernel would; a line of JSON for each, with the texts and pictures it shows.

    In those in `said`, by their place, `check` gives that line and asks nothing again.
    """
    import json
    import threading

    os.environ.update(MPLBACKEND="module://matplotlib_inline.backend_inline", MPLCONFIGDIR="/tmp", IPYTHONDIR="/tmp")
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.core.profiledir import ProfileDir
    from IPython.utils.capture import capture_output
    from traitlets.config import Config

    ProfileDir.check_startup_dir = lambda *_: None  # it would copy a file, and no file can be written here
    threading.Timer.start = lambda _: None  # no thread can start here; an older matplotlib would, to look for fonts
    settings = {"HistoryManager": {"enabled": False}, "InteractiveShell": {"colors": "nocolor"}}
    shell = InteractiveShell.instance(config=Config(settings))
    shell.displayhook.write_output_prompt = lambda: None
    errors = []
    shell._showtraceback = lambda kind, error, lines: errors.append(["error", f"{kind.__name__}: {error}"[:TEXT]])
    for place, cell in enumerate(cells):
        errors.clear()
        if place in said:
            shell.user_ns["check"] = functools.partial(Said, said[place])
        with capture_output() as shown:
            shell.run_cell(cell, store_history=True)
        texts = [["text", shown.stdout[:TEXT]]] if shown.stdout else []
        outputs = texts + [output for rich in shown.outputs for output in _kept(rich.data)] + errors
        write(pipe, json.dumps(outputs).encode() + b"\n")


def _kept(data):
    """The picture if there is one that is small enough, else the text; nothing else leaves."""
    import base64

    picture = data.get("image/png", "")
    picture = base64.b64encode(picture).decode() if isinstance(picture, bytes) else picture
    if picture and len(picture) <= PICTURE:
        return [["picture", picture]]
    return [["text", data["text/plain"][:TEXT]]] if "text/plain" in data else []


def write(pipe, content):
    left = memoryview(content)
    while left:
        left = left[os.write(pipe, left) :]


def limit(seconds, size):
    """No more than so much time and memory, no further processes, no files written."""
    for what, most in (
        (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, size), (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, 64), (resource.RLIMIT_CORE, 0), (resource.RLIMIT_NPROC, 0),
    ):  # fmt: skip
        resource.setrlimit(what, (most, most))


if __name__ == "__main__":
    main()
