"""Hints for a human: answers whose code could keep something from one call to the next, or look at who is calling.

A mechanism that is private while it is tested and not afterwards passes any test of its outputs. Nothing here takes a
point; a flag asks somebody to read the cell.
"""

import ast

CHANGES = {"append", "add", "update", "extend", "insert", "pop", "popitem", "remove", "discard", "clear", "setdefault"}
LOOKS = {
    "globals", "locals", "vars", "exec", "eval", "compile", "open", "getattr", "setattr", "delattr", "hasattr", "dir",
    "id", "next", "breakpoint", "input",
}  # fmt: skip
MODULES = {
    "os", "sys", "gc", "inspect", "ctypes", "time", "datetime", "builtins", "importlib", "threading", "atexit", "copy",
    "random", "pathlib", "io", "pickle", "weakref", "types", "contextvars", "decimal", "locale", "warnings", "logging",
    "tempfile", "platform", "resource", "signal", "subprocess", "socket", "uuid", "secrets", "itertools",
}  # fmt: skip
SETTINGS = {
    "bit_generator", "flags", "seed_seq", "spawn", "set_printoptions", "get_printoptions", "printoptions", "seterr",
    "geterr", "seterrcall", "errstate", "setbufsize", "datetime64", "deepcopy", "default_rng",
    "RandomState", "setflags",
}  # fmt: skip
CACHES = {"cache", "lru_cache", "cached_property"}


def kept_state(code):
    """Why somebody should read an answer's code, in words; "" if nothing was seen, or if it cannot be parsed."""
    try:
        return _seen(ast.parse(code))
    except (SyntaxError, ValueError):
        return ""
    except (RecursionError, MemoryError):
        return "is nested so deep that it could not be looked through"


def _seen(tree):
    reasons = []
    for node in tree.body:
        reasons += _beside_functions(node)
    modules = _modules(tree)
    for node in ast.walk(tree):
        reasons += _looks(node)
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            reasons += _in_function(node, modules)
    lines = dict.fromkeys(f"line {line}: {words}" for line, words in sorted(reasons))
    return "may keep state between calls, or look who calls (" + "; ".join(lines) + ")" if lines else ""


def _modules(tree):
    """The names under which the answer has modules; the setup brings numpy as np."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
    return {"np", "numpy"} | {(alias.asname or alias.name).split(".")[0] for node in imports for alias in node.names}


def _beside_functions(node):
    """Code of the cell outside functions that is more than imports, constants and a word printed."""
    plain = isinstance(node, ast.FunctionDef | ast.Import | ast.ImportFrom | ast.Pass)
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.Expr):
        value = node.value
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "print":
            plain = all(_constant(argument) for argument in value.args)
        else:
            plain = value is None or _constant(value)
    return [] if plain else [(node.lineno, "code outside its functions")]


def _constant(node):
    """Whether an expression is made of constants that cannot change: -1, (1, 2), 1 / 2."""
    parts = (ast.Constant, ast.Tuple, ast.UnaryOp, ast.BinOp, ast.unaryop, ast.operator, ast.Load)
    return all(isinstance(part, parts) for part in ast.walk(node))


def _looks(node):
    if isinstance(node, ast.Global | ast.Nonlocal):
        return [(node.lineno, f"{type(node).__name__.lower()} {', '.join(node.names)}")]
    if isinstance(node, ast.Try):
        return [(node.lineno, "a try")]
    if isinstance(node, ast.Name) and (node.id in LOOKS or node.id.startswith("__")):
        return [(node.lineno, node.id)]
    if isinstance(node, ast.Name | ast.Attribute) and _name(node) in CACHES:
        return [(node.lineno, _name(node))]
    if isinstance(node, ast.Attribute) and (node.attr.startswith("__") or node.attr in SETTINGS | MODULES - {"random"}):
        return [(node.lineno, f".{node.attr}")]
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        return [(node.lineno, f"import {name}") for name in names if name.split(".")[0] in MODULES]
    return []


def _in_function(function, modules):
    """Default values that can change, and changes to what is not the function's own."""
    arguments = function.args
    own = {argument.arg for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]}
    own |= {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    defaults = [d for d in [*arguments.defaults, *arguments.kw_defaults] if d is not None]
    found = [(d.lineno, "a default value that can change") for d in defaults if not _constant(d)]
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            if _owner(node) not in own or isinstance(node, ast.Attribute):
                found.append((node.lineno, f"changes {ast.unparse(node)}"))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGES:
            of_module = isinstance(node.func.value, ast.Name) and node.func.value.id in modules - own
            if _owner(node.func) not in own and not of_module:
                found.append((node.lineno, f"calls {ast.unparse(node.func)}"))
    return found


def _owner(node):
    """The name that an attribute or an element hangs on; None if it hangs on something else."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _name(node):
    return node.id if isinstance(node, ast.Name) else node.attr
