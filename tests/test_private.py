"""No private name of matplotlib or ipywidgets in what draws and in what moves: the next version may rename any of them.

A name that begins with an underscore is either defined in our own sources or belongs to a library.
"""

import ast
import pathlib

import pytest

from livefig.lettering import KNOWN

ROOT = pathlib.Path(__file__).parents[1]
SOURCES = sorted(
    [*ROOT.glob("livefig/*.py"), *ROOT.glob("dpbook/plots/*.py"), ROOT / "dpbook/live.py", ROOT / "dpbook/guesses.py"]
)
PROTOCOLS = {
    "_css",
    "_esm",
    "_repr_mimebundle_",
    "_ipython_display_",
    "_replace",
}  # of anywidget, IPython, named tuples
# Behind `KNOWN`: any other matplotlib draws as it always did (tests/test_live.py draws with and without them).
LETTERING = {
    "_draw_text_glyphs_and_boxes",
    "_find_fonts_by_props",
    "_get_font_height_metrics",
    "_layout",
    "_prepare_font",
    "_render_glyph",
    "_renderer",
    "_set_transform",
}
GUARDED = {"lettering.py": LETTERING}


def private_names(source):
    """The names beginning with one underscore that a file reads off an object, defines, or asks for by a string."""
    read, own = set(), set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute):
            (own if isinstance(node.ctx, ast.Store) else read).add(node.attr)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            own.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            own.add(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            read |= {node.value} if node.value.isidentifier() and node.value[-1] != "_" else set()  # "_of_" is a part
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            read |= {part for alias in node.names for part in alias.name.split(".")}
    hidden = [
        {name for name in some if name.strip("_") and name.startswith("_") and name[1] != "_"} for some in (read, own)
    ]
    return hidden[0], hidden[1]


def overridden(source):
    """The private methods that a file's classes give to what they inherit, by the libraries that are looked for."""
    import ipywidgets.widgets.widget_selection as selection
    from matplotlib import axis, backend_bases, patches
    from matplotlib.backends import backend_agg

    kinds = [selection.SelectionSlider, axis.Axis, patches.StepPatch, backend_bases.RendererBase]
    kinds += [backend_agg.RendererAgg, backend_agg.FigureCanvasAgg]
    theirs = {name for kind in kinds for name in dir(kind) if name.startswith("_") and not name.startswith("__")}
    methods = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef) and node.bases:
            methods |= {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
    return methods & theirs


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_source_asks_no_library_for_a_private_name(path):
    source = path.read_text(encoding="utf-8")
    read, own = private_names(source)
    allowed = PROTOCOLS | GUARDED.get(path.name, set())
    assert read - own - allowed == set() and overridden(source) - allowed == set()


def test_private_names_are_found():
    source = (
        "import a\nclass B(a.C):\n    def _mine(self):\n        return self._mine, self._theirs, getattr(self, '_t')\n"
    )
    assert private_names(source)[0] - private_names(source)[1] == {"_theirs", "_t"}
    assert overridden("class B(C):\n    def _validate_value(self):\n        pass\n") == {"_validate_value"}
    lettering = (ROOT / "livefig/lettering.py").read_text(encoding="utf-8")
    read, own = private_names(lettering)
    assert LETTERING <= read | own
    assert LETTERING & overridden(lettering) or not KNOWN, "another matplotlib calls its methods otherwise"
