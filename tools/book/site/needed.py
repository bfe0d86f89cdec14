"""Which cells of a page its live figures need: a table or a print of which nothing later is read need not be run.

A page is run to film its figures, and half of that time would go into cells that print. What is left out binds no name
that a later cell to be run reads, and neither changes such a name in place nor draws from such a generator.
"""

import ast
import symtable

CHANGING = {"append", "extend", "insert", "pop", "remove", "clear", "update", "setdefault", "add", "discard", "sort"}


class Cell:
    """`binds`: the names that it gives; `surely`: those of them that it gives in any case; `reads`: those it looks at,
    in its functions too; `functions`: what each of these looks at, whenever it is called; `changes`: those it changes
    in place, by page function for `effects`; whether it is `live`.
    """

    def __init__(self, source):
        tree, table = ast.parse(source), symtable.symtable(source, "cell", "exec")
        self.binds = {one.get_name() for one in table.get_symbols() if one.is_assigned() or one.is_imported()}
        added_to = [node.target for node in ast.walk(tree) if isinstance(node, ast.AugAssign)]
        self.reads = _reads(table) | {target.id for target in added_to if isinstance(target, ast.Name)}
        inner = {one.get_name(): _reads(one) for one in table.get_children() if one.get_type() == "function"}
        self.functions = {name: inner[name] for name in self.binds & inner.keys()}
        self.surely = set().union(*map(_given, tree.body)) & self.binds
        self.effects = {one.name: _changed(one) for one in tree.body if isinstance(one, ast.FunctionDef)}
        self.changes = _changed(tree)
        given = [one for one in tree.body if isinstance(one, ast.Assign) and "default_rng" in ast.unparse(one.value)]
        self.generators = set().union(*map(_given, given))
        last = tree.body[-1] if tree.body else None
        self.shown = last.value.id if isinstance(last, ast.Expr) and isinstance(last.value, ast.Name) else None
        self.live = "live" in self.reads


def _reads(table):
    """The names of the page that a scope and those within it read."""
    inside = set().union(*map(_reads, table.get_children()))
    read = [one for one in table.get_symbols() if one.is_referenced()]
    return inside | {one.get_name() for one in read if table.get_type() == "module" or one.is_global()}


def _given(statement):
    """The names that a statement binds whatever happens."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(one.asname or one.name).partition(".")[0] for one in statement.names}
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)}


def _changed(tree):
    """The names of things that are changed in place: stored into, or told to do something of which nothing is kept."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            found.add(_root(node))
        elif isinstance(node, ast.AugAssign):
            found.add(_root(node.target))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            found.add(_root(node.value.func))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING:
            found.add(_root(node.func))
        elif isinstance(node, ast.Global):
            found.update(node.names)
    return found - {None}


def _root(node):
    """The name at the start of `a.b[c].d`; None for `a` alone, which is not changed by what is called or bound."""
    start = node
    while isinstance(start, ast.Attribute | ast.Subscript | ast.Call):
        start = start.func if isinstance(start, ast.Call) else start.value
    return start.id if isinstance(start, ast.Name) and start is not node else None


def needed(sources):
    """Of the sources of a page's code cells, in their order, which are to be run: a list of booleans."""
    cells = [Cell(source) for source in sources]
    figures = set().union(*(cell.binds for cell in cells if cell.live))
    generators = set().union(*(cell.generators for cell in cells))
    effects, functions = {}, {}
    for cell in cells:
        functions |= cell.functions
        for name, changed in cell.effects.items():
            effects[name] = effects.get(name, set()) | changed
    looked_at, kept = set(), []
    for cell in reversed(cells):
        reads = _with_functions(cell.reads, functions)
        changes = cell.changes | (reads & generators)
        for name in reads & effects.keys():
            changes |= effects[name]
        kept.append(cell.live or cell.shown in figures or bool((cell.binds | changes) & looked_at))
        if kept[-1]:
            looked_at = (looked_at - cell.surely) | reads
    return kept[::-1]


def _with_functions(names, functions):
    """These names, and what the functions among them look at when they are called, and so on."""
    found, todo = set(), set(names)
    while todo:
        name = todo.pop()
        found.add(name)
        todo |= functions.get(name, set()) - found
    return found
