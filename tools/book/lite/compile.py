"""Runs in Pyodide: packages with byte code instead of sources, so that no browser compiles them again.

`compiled(source, target, keep)` writes a wheel or zip anew; with `keep` the sources stay beside their byte code, for
pages show them. Tests are left out.
"""

import ast
import importlib._bootstrap_external as bootstrap
import importlib.util
import re
import zipfile

TESTS = re.compile(r"(^|/)(tests?|testing/tests)/")
BRIEF = ("matplotlib-", "pandas-")  # whose docstrings are a third of what a reader would wait for
# What is only for those who compile, type or print: sources in C, stubs, fonts and icons of other back ends. Of the
# languages that Pygments colours, Python alone is seen here.
UNUSED = re.compile(
    r"\.(pyi|pxd|pyx|pyx\.in|c|cpp|h|hpp|a)$|^matplotlib/mpl-data/(sample_data|images|fonts/(afm|pdfcorefonts))/"
    r"|/DejaVuSerif[^/]*$|/DejaVuSansMono-[^/]*$|^pygments/lexers/(?!(__init__|_mapping|python|special)\.py)"
)
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
DAY = (2026, 1, 1, 0, 0, 0)


def byte_code(source, name, brief=False):
    """What Python makes of a module, never to be held against its source again; if `brief`, without docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree) if brief else ():
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            node.body[0] = ast.copy_location(ast.Pass(), node.body[0])
    code = compile(tree, name, "exec", dont_inherit=True, optimize=0)
    return bytes(bootstrap._code_to_hash_pyc(code, importlib.util.source_hash(source), False))


def compiled(source, target, keep):
    brief = source.rpartition("/")[2].startswith(BRIEF)
    with zipfile.ZipFile(source) as given, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
        for name in given.namelist():
            data = given.read(name)
            if name.endswith("/") or TESTS.search(name) or (UNUSED.search(name) and not keep):
                continue
            if not name.endswith(".py"):
                put(made, name, data)
                continue
            try:
                code = byte_code(data, name, brief)
            except SyntaxError:  # a template that is no Python
                put(made, name, data)
                continue
            if keep:
                put(made, name, data)
                folder, _, file = name.rpartition("/")
                put(made, f"{folder}/__pycache__/{file.removesuffix('.py')}.cpython-312.pyc", code)
            else:
                put(made, f"{name}c", code)


def put(archive, name, data):
    archive.writestr(zipfile.ZipInfo(name, DAY), data, zipfile.ZIP_DEFLATED, 9)
