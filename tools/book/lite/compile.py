"""Runs in Pyodide: packages with byte code instead of sources, so that no browser compiles them again.

`compiled(source, target, keep)` writes a wheel or zip anew; with `keep` the sources stay beside their byte code, for
pages show them. Tests are left out.
"""

import importlib._bootstrap_external as bootstrap
import importlib.util
import re
import zipfile

TESTS = re.compile(r"(^|/)(tests?|testing/tests)/")
DAY = (2026, 1, 1, 0, 0, 0)


def byte_code(source, name):
    """What Python makes of a module, never to be held against its source again."""
    code = compile(source, name, "exec", dont_inherit=True, optimize=0)
    return bytes(bootstrap._code_to_hash_pyc(code, importlib.util.source_hash(source), False))


def compiled(source, target, keep):
    with zipfile.ZipFile(source) as given, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
        for name in given.namelist():
            data = given.read(name)
            if name.endswith("/") or TESTS.search(name):
                continue
            if not name.endswith(".py"):
                put(made, name, data)
                continue
            try:
                code = byte_code(data, name)
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
    archive.writestr(zipfile.ZipInfo(name, DAY), data, zipfile.ZIP_DEFLATED)
