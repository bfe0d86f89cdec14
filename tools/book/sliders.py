"""Every control of every live figure of a page, moved to its ends in the kernel that has just run the page, and every
question that a figure asks answered by the figure itself, without a trace in the reader's file; then what each link of
the page asks of a figure; at last all controls at their ends at once, any three of them in every combination, to see
that no figure fails there and no words reach over an edge.

`cell` prints how many figures there are and what went wrong, also where a legend covers what moves, where a picture is
empty and where a move draws more than what moves; `expected` is what it prints where nothing did.
`python -m tools.book.sliders notebooks/NN_stem.ipynb ...` runs pages and prints it. `FIGURES` finds the figures and
`_ends` of their controls, for any other cell (`after`).
"""

import pathlib
import re
import sys
import urllib.parse

import nbformat
from nbclient import NotebookClient

MOVES = r"#move:(?:[^()\s]|\([^()\s]*\))*"  # what a link asks of a figure; it may have brackets of its own
LIVE = r"(?m)^(?:\w+ = )?live\("  # where a page's source makes a live figure
PROJECT = pathlib.Path(__file__).parents[2]  # a page's kernel knows what is installed, and no tools
FIGURES = """
import gc as _gc
from livefig.controls import named_options as _named_options
from livefig.figure import LiveFigure as _LiveFigure

def _ends(control):
    if hasattr(control, "options"):
        values = [value for _, value in _named_options(control)]
        return values if len(values) <= 12 else [values[0], values[-1], values[len(values) // 2]]
    if type(control).__name__ == "Checkbox":
        return [not control.value, control.value]
    if type(control).__name__ == "SeedButton":
        return [control.value + 1, control.value + 2]
    if type(control).__name__ == "IntRangeSlider":
        low, high = control.min, control.max
        return [(low, high), (low, low), (high, high), ((low + high) // 2, high)]
    return [control.min, control.max] if hasattr(control, "min") else []  # a field to type in may name what to type

def _two_ends(control):
    if hasattr(control, "options"):
        (_, first), *_, (_, last) = _named_options(control)
        return first, last
    return _ends(control)[:2] or [control.value]

_figures = [thing for thing in _gc.get_objects() if type(thing) is _LiveFigure and hasattr(thing, "panel")]
"""

CORNERS = """
def _corners(ends):
    # Each control at one of its two ends: any three of them in all their combinations, in as few corners as that takes
    # (the words of a code; its columns are the odd masks, of which no two add up to a third).
    bits = next(bits for bits in range(1, 9) if 2 ** (bits - 1) >= len(ends))
    masks = [mask for mask in range(2**bits) if mask.bit_count() % 2]
    for word in range(2**bits):
        yield [end[(word & mask).bit_count() % len(end)] for end, mask in zip(ends, masks)]
"""

CELL = (
    FIGURES
    + CORNERS
    + """
import sys as _sys
import numpy as _np
_sys.path.append(PROJECT)
from tools.book import faults as _faults

def _is_at(control, words):
    said = {"on": True, "off": False}.get(words, words)
    named = dict(_named_options(control)).get(words, said) if hasattr(control, "options") else said
    if control.value == named or str(control.value) == words:
        return True
    try:
        return bool(_np.allclose(control.value, [float(word) for word in words.split(",")], rtol=0.03))
    except (TypeError, ValueError):
        return False

_reached = {}
print(len(_figures), "live figures, every slider moved to its ends")
for _figure in _figures:
    for _fault in [*_faults.out_of_reach(_figure), *_faults.crowded(_figure)]:
        print(f"{_figure.alt[:50]}: {_fault}")
    _starts = {_name: _control.value for _name, _control in _figure.controls.items()}
    for _question in _figure.panel.questions:
        _truth = _figure.panel.truth(_question)
        if _figure.error or not _question.allows(_truth):
            print(f"{_question.text}: no reader can answer {_truth!r}; {_figure.error}")
        _stand = {_name: _figure.controls[_name].value for _name in _question.at}
        if _stand != _question.at:
            print(f"{_question.text}: asked at {_question.at}, and the sliders stand at {_stand}")
        for _name, _value in _starts.items():
            _figure.controls[_name].value = _value
    for _name, _control in _figure.controls.items():
        _start, _pictures = _control.value, {_figure.picture.value}
        for _value in _ends(_control):
            _control.value = _value
            _pictures.add(_figure.picture.value)
            if _figure.error:
                print(f"{_figure.alt[:50]}: {_name} = {_value}: {_figure.error}")
            for _fault in _faults.unseen(_figure):
                print(f"{_figure.alt[:50]}: {_name} = {_value}: {_fault}")
        if len(_pictures) == 1:
            print(f"{_figure.alt[:50]}: moving {_name} changes nothing")
        _complete = _figure.drawing.complete
        _control.value = _start
        if _figure.drawing.complete > _complete:
            print(f"{_figure.alt[:50]}: moving {_name} draws what does not move")
    for _asked in _links:
        if set(_asked) <= set(_figure.controls) and not _reached.get(str(_asked)):
            _figure.corner.move(_asked)
            _reached[str(_asked)] = all(
                _is_at(_figure.controls[_name], _words) for _name, _words in _asked.items()
            )
            for _name, _value in _starts.items():
                _figure.controls[_name].value = _value
    for _values in _corners([*map(_two_ends, _figure.controls.values())]):
        _corner = dict(zip(_figure.controls, _values))
        try:
            _figure.update(**_corner)
        except Exception as _error:
            print(f"{_figure.alt[:50]}: {_corner}: {type(_error).__name__}: {_error}")
        for _fault in _faults.cut(_figure):
            print(f"{_figure.alt[:50]}: {_corner}: {_fault}")
    _figure.shot(_starts)
for _asked, _there in _reached.items():
    if not _there:
        print(f"a link asks for {_asked}, and no figure goes there")
""".replace("PROJECT", repr(str(PROJECT)))
)


def links(text):
    """What the links in a page's text ask of controls, in order: name -> words."""
    asked = re.findall(rf"\]\(({MOVES})\)", text)
    return [dict(urllib.parse.parse_qsl(one.removeprefix("#move:"), strict_parsing=True)) for one in asked]


def cell(source):
    """`CELL` for the page made from `source`, with its links."""
    return f"_links = {links(source.read_text(encoding='utf-8'))}\n{CELL}"


def live_calls(source):
    """How many live figures a page's source makes."""
    return len(re.findall(LIVE, source.read_text(encoding="utf-8")))


def expected(source):
    """What `CELL` prints on the page made from `source` if every slider works."""
    return f"{live_calls(source)} live figures, every slider moved to its ends\n"


def after(path, cell):
    """What a cell prints in the kernel that has just run a page."""
    page = nbformat.read(path, as_version=4)
    page.cells.append(nbformat.v4.new_code_cell(cell))
    NotebookClient(page, timeout=600, resources={"metadata": {"path": "notebooks"}}).execute()
    return "".join(output.get("text", "") for output in page.cells[-1].outputs)


def main(pages):
    """Run pages, each with its sliders after it, and print what there is to say."""
    for path in pages:
        print(path, after(path, cell(pathlib.Path(path).with_suffix(".py"))), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
