"""Hints for a human: answers whose code could keep something from one call to the next, or look at who is calling.

A mechanism that is private while it is tested and not afterwards passes any test of its outputs. Nothing here takes a
point; a flag asks somebody to read the cell.
"""

import ast

CHANGES = {"append", "add", "update", "extend", "insert", "pop", "popitem", "remove", "discard", "clear", "setdefault"}
LOOKS = {"globals", "locals", "vars", "exec", "eval", "compile", "open", "setattr", "delattr", "__import__", "next"}
MODULES = {"os", "sys", "gc", "inspect", "ctypes", "time", "datetime", "builtins", "importlib", "threading", "atexit"}
CACHES = {"cache", "lru_cache", "cached_property"}


def kept_state(code):
    """Why somebody should read an answer's code, in words; "" if nothing was seen, or if it cannot be parsed."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    reasons = []
    for node in tree.body:
        reasons += _beside_functions(node)
    for node in ast.walk(tree):
        reasons += _looks(node)
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            reasons += _in_function(node)
    lines = dict.fromkeys(f"line {line}: {words}" for line, words in sorted(reasons))
    return "may keep state between calls (" + "; ".join(lines) + ")" if lines else ""


def _beside_functions(node):
    """Code of the cell outside functions that is more than imports and constants."""
    plain = (ast.FunctionDef, ast.Import, ast.ImportFrom)
    constant = isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Constant)
    text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return [] if isinstance(node, plain) or constant or text else [(node.lineno, "code outside its functions")]


def _looks(node):
    if isinstance(node, ast.Global | ast.Nonlocal):
        return [(node.lineno, f"{type(node).__name__.lower()} {', '.join(node.names)}")]
    if isinstance(node, ast.Name) and node.id in LOOKS:
        return [(node.lineno, node.id)]
    if isinstance(node, ast.Name | ast.Attribute) and _name(node) in CACHES:
        return [(node.lineno, _name(node))]
    if isinstance(node, ast.Attribute) and (node.attr.startswith("__") or node.attr in {"bit_generator", "flags"}):
        return [(node.lineno, f".{node.attr}")]
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        return [(node.lineno, f"import {name}") for name in names if name.split(".")[0] in MODULES]
    return []


def _in_function(function):
    """Default values that can change, and changes to what is not the function's own."""
    arguments = function.args
    own = {argument.arg for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]}
    own |= {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    defaults = [d for d in [*arguments.defaults, *arguments.kw_defaults] if d is not None]
    found = [(d.lineno, "a default value that can change") for d in defaults if not isinstance(d, ast.Constant)]
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            if _owner(node) not in own or isinstance(node, ast.Attribute):
                found.append((node.lineno, f"changes {ast.unparse(node)}"))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGES:
            if _owner(node.func) not in own:
                found.append((node.lineno, f"calls {ast.unparse(node.func)}"))
    return found


def _owner(node):
    """The name that an attribute or an element hangs on; None if it hangs on something else."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _name(node):
    return node.id if isinstance(node, ast.Name) else node.attr
