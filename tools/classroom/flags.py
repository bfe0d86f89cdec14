"""Hints for a human: answers whose code could keep something from one call to the next, or look at who is calling.

A mechanism that is private while it is tested and not afterwards passes any test of its outputs. Nothing here takes a
point; a flag asks somebody to read the cell.
"""

import ast
import builtins
import re
import symtable

CHANGES = {
    "append", "add", "update", "extend", "insert", "pop", "popitem", "remove", "discard", "clear", "setdefault", "sort",
    "reverse", "fill", "partition", "itemset", "resize", "put",
}  # fmt: skip
# What changes its first argument.
INTO = {"shuffle", "copyto", "put", "place", "putmask", "put_along_axis", "fill_diagonal"}
LOOKS = {
    "globals", "locals", "vars", "exec", "eval", "compile", "open", "getattr", "setattr", "delattr", "hasattr", "dir",
    "id", "breakpoint", "input", "attrgetter", "methodcaller", "Formatter", "get_ipython",
}  # fmt: skip
PLAIN_MODULES = {
    "numpy", "scipy", "dpbook", "math", "cmath", "itertools", "functools", "collections", "fractions", "statistics",
    "operator", "heapq", "bisect", "dataclasses", "string", "re",
}  # fmt: skip
MODULES = {
    "os", "sys", "gc", "inspect", "ctypes", "time", "datetime", "builtins", "importlib", "threading", "atexit", "copy",
    "random", "pathlib", "io", "pickle", "weakref", "types", "contextvars", "decimal", "locale", "warnings", "logging",
    "tempfile", "platform", "resource", "signal", "subprocess", "socket", "uuid", "secrets",
}  # fmt: skip
SETTINGS = {
    "bit_generator", "flags", "seed_seq", "spawn", "set_printoptions", "get_printoptions", "printoptions", "seterr",
    "geterr", "seterrcall", "setbufsize", "datetime64", "deepcopy", "default_rng", "setflags", "require", "DataSource",
    "busday_count", "busday_offset", "is_busday", "fromfile", "loadtxt", "genfromtxt", "fromregex", "memmap",
    "open_memmap", "load", "add_docstring", "show_config", "show_runtime", "typecodes", "sctypeDict", "register",
    "update_wrapper", "wraps", "singledispatch",
}  # fmt: skip
GENERATORS = {
    "RandomState", "Generator", "PCG64", "PCG64DXSM", "Philox", "SFC64", "MT19937", "SeedSequence", "seed", "get_state",
    "set_state",
}  # fmt: skip
FRAMES = {
    "gi_frame", "cr_frame", "ag_frame", "tb_frame", "f_back", "f_code", "f_globals", "f_locals", "f_lasti", "gi_code",
    "co_name", "tb_next", "with_traceback",
}  # fmt: skip
CACHES = {"cache", "lru_cache", "cached_property"}
TEXTS = {"str", "repr", "hash", "format"}  # of a generator they tell which one it is
FIELD = re.compile(r"\{[^{}:!]*[.\[]")  # of a text that is filled in: an attribute or element of what fills it
CLOCK = {"now", "today"}  # words that numpy takes for a time
ERRORS = {
    "ArithmeticError", "ZeroDivisionError", "FloatingPointError", "OverflowError", "ValueError", "LookupError",
    "IndexError", "KeyError", "StopIteration", "LinAlgError",
}  # fmt: skip
READERS = {
    "len", "sum", "max", "min", "sorted", "list", "tuple", "set", "frozenset", "enumerate", "zip", "range", "any",
    "all", "reversed", "map", "filter", "print", "isinstance",
}  # fmt: skip
VIEWS = {  # of numpy: what they give is the array itself, or stands for it
    "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "atleast_1d", "atleast_2d", "atleast_3d", "nditer",
    "ravel", "reshape", "transpose", "squeeze", "expand_dims", "swapaxes", "moveaxis", "rollaxis", "flip", "fliplr",
    "flipud", "rot90", "diagonal", "diag", "split", "array_split", "hsplit", "vsplit", "dsplit", "broadcast_to",
    "broadcast_arrays", "real", "imag", "nan_to_num", "matrix_transpose", "permute_dims", "unstack", "nested_iters",
    "asmatrix", "ndenumerate", "as_strided", "sliding_window_view", "masked_array",
}  # fmt: skip
READS = {"index", "count", "copy", "size", "shape", "sum", "mean", "min", "max", "items", "keys", "values", "get"}
ONLY_AT_HOME = {"exit", "quit", "help", "copyright", "credits", "license"}  # Python's own, but not the grader's
TURNED = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")  # letters that turn the order round
LONGEST = 30_000  # characters that are looked through: a cell takes seconds then, however it is written
SIZES, BUDGETS = {"shape", "size"}, {"epsilon", "delta", "multiplier"}


def kept_state(code, before=None):
    """Why somebody should read an answer's code, in words; "" if nothing was seen, or if it cannot be parsed.

    `before` is the code of the cells that come with the assignment; where it is given, names are looked up too.
    """
    if len(code) > LONGEST:
        return f"is longer than {LONGEST} characters, too long to be looked through"
    try:
        return _seen(code, before)
    except (SyntaxError, ValueError):
        return ""
    except (RecursionError, MemoryError):
        return "is nested so deep that it could not be looked through"


def _seen(code, before):
    tree, tables = ast.parse(code), _tables(code)
    lines = enumerate(code.split("\n"), start=1)
    reasons = [(number, "letters that turn its order round") for number, line in lines if TURNED.search(line)]
    for node in tree.body:
        reasons += _beside_functions(node)
    modules, shared = _modules(tree), {name for table in tables[1:] for name in _names(table, "is_global")}
    lists = [one for one in ast.parse(before or "").body + tree.body if isinstance(one, ast.Assign)]
    lists = [one for one in lists if not (_constant(one.value) or isinstance(one.value, ast.Lambda))]
    lists = {node.id for one in lists for node in one.targets if isinstance(node, ast.Name)}
    reasons += _handed_on(tree, lists & shared)
    if before is not None:
        known = set.union(*(_names(_tables(one)[0], "is_local") for one in (before, code)))
        reasons += _strange(tree, shared | _names(tables[0], "is_global"), known)
    decorating = _decorating_caches(tree)
    for node in ast.walk(tree):
        reasons += [] if node in decorating else _looks(node)
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            reasons += _in_function(node, modules, shared)
    lines = dict.fromkeys(f"line {line}: {words}" for line, words in sorted(reasons))
    return "may keep state between calls, or look who calls (" + "; ".join(lines) + ")" if lines else ""


def _decorating_caches(tree):
    """Caches that decorate: within a function they last for one call, and beside functions every decorator is told."""
    found = [one for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) for one in node.decorator_list]
    found = [one.func if isinstance(one, ast.Call) else one for one in found]
    return {one for one in found if isinstance(one, ast.Name | ast.Attribute) and _name(one) in CACHES}


def _tables(code):
    """Python's own tables of names: the cell's, and those of all that is nested in it."""
    found = [symtable.symtable(code, "answer", "exec")]
    for table in found:
        found += table.get_children()
    return found


def _names(table, test):
    return {one.get_name() for one in table.get_symbols() if getattr(one, test)()}


def _strange(tree, used, known):
    """Names that are there in a notebook, or in no place, and not in the grader."""
    strange = used - known - (set(dir(builtins)) - ONLY_AT_HOME)
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in strange]
    return [(node.lineno, f"{node.id}, which the grader does not have") for node in names]


def _handed_on(tree, lists):
    """Where a list or an array beside the functions is not only read: whoever gets it can change it."""
    found = []
    for parent in ast.walk(tree):
        for node in ast.iter_child_nodes(parent):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in lists:
                if not _only_reads(parent, node):
                    found.append((node.lineno, f"hands on {node.id}, which can change"))
    return found


def _only_reads(parent, node):
    if isinstance(parent, ast.Call):
        owner = _owner(parent.func)
        if owner in ("np", "math"):
            return _name(parent.func) not in VIEWS and all(word.arg != "copy" for word in parent.keywords)
        return owner in READERS and (owner not in ("max", "min") or len(parent.args) == 1)
    if isinstance(parent, ast.Attribute):
        return parent.attr in READS
    if isinstance(parent, ast.For | ast.comprehension):
        return parent.iter is node
    return isinstance(parent, ast.Subscript | ast.Compare | ast.BinOp | ast.Starred | ast.If | ast.UnaryOp)


def branches(code):
    """Where an answer takes another way by the size of its data or by epsilon, in words; "" if nowhere.

    An honest answer may: of no data, for instance. One that is private only at sizes that were tested does so too.
    """
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    assigned = [(node.targets[0], node.value) for node in ast.walk(tree) if isinstance(node, ast.Assign)]
    bound = [(target.id, value) for target, value in assigned if isinstance(target, ast.Name)]
    sizes = {name for name, value in bound if _is_size(value, ())}
    numbers = {name for name, value in bound if _is_number(value, ())}
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(_is_size(side, sizes) for side in sides) and any(_is_number(side, numbers) for side in sides):
                found.add((node.lineno, ast.unparse(node)))
    lines = (f"line {line}: {test}" for line, test in sorted(found))
    return f"goes other ways by sizes or epsilon ({'; '.join(lines)})" if found else ""


def _is_size(node, sizes):
    """Whether an expression is epsilon, the size of something, a name among `sizes`, or computed from one."""
    while isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.BinOp):
        return _is_size(node.left, sizes) or _is_size(node.right, sizes)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name | ast.Attribute) and _name(node.func) in ("len", *SIZES)
    if isinstance(node, ast.Attribute):
        return node.attr in SIZES
    return isinstance(node, ast.Name) and (node.id in BUDGETS or node.id in sizes)


def _is_number(node, numbers):
    """Whether an expression is a number beyond 0 and 1, which an honest answer may ask for, or stands for one."""
    if isinstance(node, ast.Name):
        return node.id in numbers
    parts = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
    return _constant(node) and any(isinstance(part, int | float) and part not in (0, 1) for part in parts)


def _modules(tree):
    """The names under which the answer has modules; the setup brings numpy as np."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
    return {"np", "numpy"} | {(alias.asname or alias.name).split(".")[0] for node in imports for alias in node.names}


def _beside_functions(node):
    """Code of the cell outside functions that is more than imports, constants and a word printed."""
    plain = isinstance(node, ast.FunctionDef | ast.Import | ast.ImportFrom | ast.Pass)
    if isinstance(node, ast.FunctionDef):
        decorated = [(one.lineno, f"@{ast.unparse(one)}") for one in node.decorator_list]
        notes = [node.args, *filter(None, [node.returns])]
        return decorated + [(node.lineno, "an annotation that does something")] * any(map(_acts, notes))
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.Expr):
        value = node.value
        if isinstance(node, ast.Assign) and isinstance(value, ast.Lambda | ast.List):
            plain = isinstance(value, ast.Lambda) or all(_constant(part) for part in value.elts)
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "print":
            plain = all(_constant(argument) for argument in value.args)
        else:
            plain = value is None or _constant(value)
        if not isinstance(node, ast.Expr):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = all(isinstance(one, ast.Name | ast.Tuple | ast.Store) for part in targets for one in ast.walk(part))
            plain = plain and names and not _acts(node)
    return [] if plain else [(node.lineno, "code outside its functions")]


def _acts(node):
    """Whether there is more to evaluate than names and constants; what a lambda does, it does later."""
    if isinstance(node, ast.Lambda):
        return False
    acts = isinstance(node, ast.Call | ast.NamedExpr | ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp)
    return acts or any(map(_acts, ast.iter_child_nodes(node)))


def _constant(node):
    """Whether an expression is made of constants that cannot change: -1, (1, 2), 1 / 2."""
    parts = (ast.Constant, ast.Tuple, ast.UnaryOp, ast.BinOp, ast.unaryop, ast.operator, ast.Load)
    return all(isinstance(part, parts) for part in ast.walk(node))


def _looks(node):
    if isinstance(node, ast.Global | ast.Nonlocal):
        return [(node.lineno, f"{type(node).__name__.lower()} {', '.join(node.names)}")]
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in CLOCK:
        return [(node.lineno, repr(node.value))]
    if isinstance(node, ast.FormattedValue) and _owner(node.value) == "rng":
        return [(node.lineno, "rng as a text")]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in TEXTS:
        return [(node.lineno, f"{node.func.id}(rng)") for one in node.args if _owner(one) == "rng"]
    if isinstance(node, ast.Try | ast.TryStar):
        caught = [(one.lineno, "catches what only a jail may raise") for one in node.handlers if not _usual(one.type)]
        tried = [one for one in ast.walk(node) if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store)]
        return caught + [(one.lineno, f"tries {ast.unparse(one)} = ...") for one in tried]
    if isinstance(node, ast.Name) and (node.id in LOOKS or node.id.startswith("__")):
        return [(node.lineno, node.id)]
    if isinstance(node, ast.Attribute) and node.attr in ("format", "format_map"):
        text = node.value.value if isinstance(node.value, ast.Constant) else None
        return [] if isinstance(text, str) and not FIELD.search(text) else [(node.lineno, f".{node.attr}")]
    if isinstance(node, ast.MatchClass) and node.kwd_attrs:
        return [(node.lineno, f"case with .{name}") for name in node.kwd_attrs]
    if isinstance(node, ast.Name | ast.Attribute) and _name(node) in CACHES:
        return [(node.lineno, _name(node))]
    seen = SETTINGS | GENERATORS | FRAMES | {"attrgetter", "methodcaller", "Formatter"} | MODULES - {"random", "copy"}
    if isinstance(node, ast.Attribute) and (node.attr.startswith("__") or node.attr in seen):
        return [(node.lineno, f".{node.attr}")]
    if isinstance(node, ast.Import | ast.ImportFrom):
        whole = isinstance(node, ast.Import)
        names = [alias.name for alias in node.names] if whole else [node.module or ""]
        found = [(node.lineno, f"import {name}") for name in names if name.split(".")[0] not in PLAIN_MODULES]
        parts = [] if whole else [alias.name for alias in node.names]
        told = SETTINGS | GENERATORS | MODULES | {"*"}
        return found + [(node.lineno, f"import {part}") for part in parts if part in told]
    return []


def _usual(kind):
    """Whether an answer may catch errors of this kind: they come of its numbers, and not of where it runs."""
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return all(isinstance(one, ast.Name | ast.Attribute) and _name(one) in ERRORS for one in kinds)


def _in_function(function, modules, shared):
    """Default values that can change, and changes to what is not the function's own."""
    arguments = function.args
    own = {argument.arg for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]}
    own |= {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    own -= shared  # what has the name of something beside the function may be that
    own -= _aliases(function, own)
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
        if isinstance(node, ast.Call) and any(_owner(one) not in own for one in _written(node)):
            found.append((node.lineno, f"writes with {ast.unparse(node.func)}"))
    return found


def _written(call):
    """The arguments that a call writes into: names, attributes and elements; what is made in the call is nobody's."""
    first = call.args[:1] if isinstance(call.func, ast.Attribute) and call.func.attr in INTO else []
    given = [word.value for word in call.keywords if word.arg == "out"]
    return [part for one in [*first, *given] for part in _parts(one)]


def _aliases(function, own):
    """The names that a function gives to what is not its own: to a list of a module, or one beside the function."""
    gives = {}  # by what a name may stand for: the sets of such names
    for node in ast.walk(function):
        if isinstance(node, ast.Assign | ast.NamedExpr | ast.For | ast.comprehension):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            others = _parts(node.iter if isinstance(node, ast.For | ast.comprehension) else node.value)
            inside = [node for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
            names = {name.id for name in inside if isinstance(name.ctx, ast.Store)}
            for part in others:
                gives.setdefault(_owner(part), []).append(names)
    found, left = set(), [owner for owner in gives if owner not in own]
    while left:
        for names in gives.pop(left.pop(), ()):
            left += names - found
            found |= names
            names.clear()
    return found


def _parts(node):
    """What a name that gets this value may be another name of: names, attributes, elements; not what calls give."""
    if isinstance(node, ast.Tuple | ast.List):
        return [part for element in node.elts for part in _parts(element)]
    if isinstance(node, ast.IfExp):
        return [*_parts(node.body), *_parts(node.orelse)]
    if isinstance(node, ast.BoolOp):
        return [part for value in node.values for part in _parts(value)]
    return [node] if isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and _owner(node) else []


def _owner(node):
    """The name that an attribute or an element hangs on; None if it hangs on something else."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _name(node):
    return node.id if isinstance(node, ast.Name) else node.attr
