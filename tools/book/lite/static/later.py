"""In the reader's browser: scipy, 21 MB, is loaded once a cell uses what needs it.

`install()`, before the kernel starts, looks at each cell that runs. `needs.json` has a row for each module of `dpbook`:
its names that need scipy, or "*". Until it is there, `import scipy` in a module of `dpbook` gives a place-holder.
"""

import ast
import importlib.abc
import importlib.machinery
import json
import pathlib
import re
import sys
import types

WHAT = "scipy"
MAGIC = re.compile(r"^([ \t]*)[%!].*$", re.M)
MISSING = "scipy is not loaded here: write `import scipy` in this cell, and run it again"


class Later(types.ModuleType):
    """Stands for scipy where a module has imported it, and is it as soon as it has been loaded."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if sys.modules.get(WHAT) is self:
            make_way()
        if sys.modules.get(WHAT) is self:
            raise ModuleNotFoundError(MISSING, name=WHAT)
        return getattr(importlib.import_module(WHAT), name)


def make_way():
    """If scipy has been loaded, it is what is imported from now on."""
    if isinstance(sys.modules.get(WHAT), Later) and importlib.machinery.PathFinder.find_spec(WHAT):
        del sys.modules[WHAT]


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Asked last: where nobody else has scipy."""

    def find_spec(self, name, path=None, target=None):
        if name.startswith(f"{WHAT}.") and isinstance(sys.modules.get(WHAT), Later):
            raise ModuleNotFoundError(MISSING, name=name)
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name == WHAT else None

    def create_module(self, spec):
        return Later(WHAT)

    def exec_module(self, module):
        pass


class Reader:
    """Reads the cells of a page one after another, and knows which modules its names stand for."""

    def __init__(self, needs):
        self.needs = {module: set(names) for module, names in needs.items()}
        self.modules = {}

    def wants(self, code):
        """Whether a cell uses what needs scipy. Lines that are no Python, for they have a magic, are left out."""
        try:
            tree = ast.parse(MAGIC.sub(r"\1pass", code))
        except SyntaxError:
            return False
        return any([self._asks(node) for node in ast.walk(tree)])  # all of them: each may bind a name

    def _asks(self, node):
        if isinstance(node, ast.Import):
            names = [(one.name, None, one.asname or one.name) for one in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [(node.module, one.name, one.asname or one.name) for one in node.names]
        elif isinstance(node, ast.Attribute):
            module = self.modules.get(ast.unparse(node.value))
            return module is not None and self._needed(module, node.attr)
        else:
            return False
        return any([self._imported(*name) for name in names])

    def _imported(self, module, name, bound):
        inner = module if name is None else f"{module}.{name}"
        self.modules[bound] = inner
        if name == "*":
            return bool(self.needs.get(module))
        return "*" in self.needs.get(inner, ()) or (name is not None and self._needed(module, name))

    def _needed(self, module, name):
        return bool({"*", name} & self.needs.get(module, set())) or "*" in self.needs.get(f"{module}.{name}", ())


def install():
    """From now on each cell that runs loads what it uses."""
    import pyodide_js

    needs = json.loads(pathlib.Path(__file__).with_name("needs.json").read_text())
    load, reader = pyodide_js.loadPackagesFromImports, Reader(needs)
    sys.meta_path.append(Finder())

    async def loaded(code, *more, **options):
        await load(code, *more, **options)
        if reader.wants(code):
            await load(f"import {WHAT}", *more, **options)
        make_way()

    pyodide_js.loadPackagesFromImports = loaded
