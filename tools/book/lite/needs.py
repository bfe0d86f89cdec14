"""Which names of `dpbook` need scipy, found in the sources: a page that uses none of them does not load its 21 MB.

A function needs scipy if its text names it, or what its text names does. A module that is imported runs what stands
outside its functions and classes, and so do the modules that it imports. What is not sure counts as a need.
`static/later.py`, in the browser, reads what `table()` gives.
"""

import ast
import functools
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
PACKAGES = ("dpbook", "livefig")
WHAT = "scipy"


def table():
    """Module -> its names that need scipy; "*" among them where importing the module alone does."""
    needs = {}
    for module in modules():
        body = _reaches((module, ""))
        names = [name for name in sorted(_read(module)[0]) if name and _reaches((module, name))]
        if body or names:
            needs[module] = ["*"] if body else names
    return needs


@functools.cache
def modules():
    """Every module -> its file."""
    found = {}
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            words = file.relative_to(ROOT).with_suffix("").parts
            found[".".join(words[:-1] if words[-1] == "__init__" else words)] = file
    return found


def _reaches(start):
    """Whether scipy is reached from a name of a module, or with the name "" from importing it."""
    seen, todo = set(), [start]
    while todo:
        here = todo.pop()
        if here == WHAT:
            return True
        if here in seen:
            continue
        seen.add(here)
        module, name = here
        bindings = _read(module)[0]
        todo.append((module, ""))
        if name in bindings:
            todo += bindings[name]
        elif f"{module}.{name}" in modules():
            todo.append((f"{module}.{name}", ""))
    return False


@functools.cache
def _read(module):
    """Name -> what it leads to, and the names that stand for modules; the name "" is what importing does."""
    tree = ast.parse(modules()[module].read_text(encoding="utf-8"))
    bindings, aliases, loose = {"": []}, {}, []
    for statement in tree.body:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            _imported(statement, bindings, aliases)
        elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bindings[statement.name] = []
            loose.append((statement.name, statement))
        else:
            named = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
            bindings |= {one.id: [] for one in named if isinstance(one.ctx, ast.Store) and one.id not in bindings}
            loose.append(("", statement))
    for name, statement in loose:
        bindings[name] += _named(statement, module, bindings, aliases)
        for decorator in getattr(statement, "decorator_list", []):
            bindings[""] += _named(decorator, module, bindings, aliases)
    return bindings, aliases


def _imported(statement, bindings, aliases):
    """What an import statement binds, and what it runs at once."""
    for one in statement.names:
        bound = one.asname or one.name.partition(".")[0]
        if isinstance(statement, ast.Import):
            if one.name == WHAT:  # put off until an attribute of it is asked for: `static/later.py`
                bindings[bound] = [WHAT]
            elif one.name.partition(".")[0] == WHAT:
                bindings[""].append(WHAT)
            elif one.name in modules():
                bindings[""].append((one.name, ""))
                bindings[bound] = [(one.name, each) for each in _read(one.name)[0]]
        elif (statement.module or "").partition(".")[0] == WHAT:
            bindings[""].append(WHAT)
        elif statement.module in modules():
            bindings[""].append((statement.module, ""))
            inner = f"{statement.module}.{one.name}"
            if inner in modules():
                aliases[bound] = inner
                bindings[""].append((inner, ""))
                bindings[bound] = []
            else:
                bindings[bound] = [(statement.module, one.name)]


def _named(statement, module, bindings, aliases):
    """What a statement's text leads to."""
    found, aliases = [], dict(aliases)
    for node in ast.walk(statement):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            inside = {"": []}
            _imported(node, inside, aliases)
            found += [each for leads in inside.values() for each in leads]
    dotted = {}
    for node in ast.walk(statement):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in aliases:
            dotted[id(node.value)] = (aliases[node.value.id], node.attr)
    for node in (one for one in ast.walk(statement) if isinstance(one, ast.Name)):
        if id(node) in dotted:
            found.append(dotted[id(node)])
        elif node.id in aliases:
            found += [(aliases[node.id], name) for name in _read(aliases[node.id])[0]]
        elif node.id in bindings:
            found.append((module, node.id))
    return found


if __name__ == "__main__":
    for name, needed in table().items():
        print(name, *needed)
