"""The book in a browser: nothing unverified is used, the list of packages says no address, what differs is found.

`make lite-test` runs the pages in Pyodide; `make site-test` opens the live part in a browser.
"""

import ast
import hashlib
import json
import re
import sys
import tarfile
import zipfile

import pytest

from livefig import drawing
from tools.book.lite import batch, build, distribution, needs, packages
from tools.book.lite.static import later

pytestmark = pytest.mark.depends(
    *("tests/test_lite.py", "tools/book/lite", "dpbook", "livefig", "constraints.txt", "constraints-lite.txt"),
    *("notebooks", "exercises/releases", "exercises/answers"),
)
FILE, BYTES = "a-1-py3-none-any.whl", b"a wheel"


@pytest.fixture
def release(tmp_path, monkeypatch):
    """A folder like Pyodide's own release, with one package, its sums among the pins."""
    lock = {"packages": {"a": {"file_name": FILE, "sha256": hashlib.sha256(BYTES).hexdigest(), "depends": ["b_c"]}}}
    lock["packages"]["b-c"] = {"file_name": "b", "sha256": "0", "depends": ["a", "d"]}
    lock["packages"]["d"] = {"file_name": "d", "sha256": "0", "depends": []}
    text = json.dumps(lock).encode()
    (tmp_path / "pyodide-lock.json").write_bytes(text)
    (tmp_path / FILE).write_bytes(BYTES)
    core = {"pyodide-lock.json": hashlib.sha256(text).hexdigest()}
    pins = {"pyodide": {"version": "0", "core": core}, "wheels": {}}
    monkeypatch.setattr(distribution, "pins", lambda: pins)
    monkeypatch.setenv("PYODIDE", str(tmp_path))
    return tmp_path


def test_a_file_with_its_sum_is_taken(release):
    assert distribution.files([FILE])[FILE].read_bytes() == BYTES


@pytest.mark.parametrize("name", [FILE, "pyodide-lock.json"])
def test_a_file_with_another_sum_is_refused(release, name):
    (release / name).write_bytes((release / name).read_bytes() + b" ")
    with pytest.raises(distribution.Missing, match=rf"{re.escape(name)} is refused: its sha256 is"):
        distribution.files([FILE])


def test_a_file_that_nobody_pinned_is_refused(release):
    (release / "more.whl").write_bytes(b"more")
    with pytest.raises(distribution.Missing, match=r"more\.whl is not among the files"):
        distribution.files(["more.whl"])


def test_a_file_that_is_not_there_is_said(release):
    (release / FILE).unlink()
    with pytest.raises(distribution.Missing, match=f"{FILE} is not in"):
        distribution.files([FILE])


def test_what_packages_need_comes_with_them_once(release):
    assert list(distribution.closure(["A"])) == ["a", "b-c", "d"]
    assert list(distribution.closure(["a"], {"b-c": ["d"]})) == ["a", "b-c"]


@pytest.mark.parametrize("source", ["npm", "pypi"])
def test_an_archive_with_another_sum_is_not_unpacked(source, tmp_path, monkeypatch):
    """Whatever a registry answers: nothing of it is kept."""
    pin = distribution.pins()[source]

    def answered(words, folder):
        with tarfile.open(folder / pin["file"], "w"):
            pass

    monkeypatch.setattr(distribution, "_run", answered)
    monkeypatch.setattr(distribution, "KEPT", tmp_path / "kept")
    with pytest.raises(distribution.Missing, match="is refused"):
        distribution._unpack(source)
    assert not list((tmp_path / "kept").glob("*"))


def test_every_pin_has_a_whole_sum():
    pins = distribution.pins()
    sums = [*pins["pyodide"]["core"].values(), pins["npm"]["sha256"], pins["pypi"]["sha256"]]
    sums += [wheel["sha256"] for wheel in pins["wheels"].values()]
    assert all(re.fullmatch(r"[0-9a-f]{64}", one) for one in sums) and len(set(sums)) == len(sums) > 9


def test_widgets_are_those_of_the_book():
    """A page must meet the same widgets in the browser's Python, in its JupyterLab, and in `make lab`."""
    book = dict(line.split("==") for line in (packages.ROOT / "constraints.txt").read_text().split())
    lab = dict(line.split("==") for line in (packages.ROOT / "constraints-lite.txt").read_text().split())
    for name, wheel in distribution.pins()["wheels"].items():
        written = {"typing-extensions": "typing_extensions"}.get(name, name)
        assert wheel["version"] == book[written] and wheel["file"].split("-")[1] == wheel["version"]
    for name in ("anywidget", "ipywidgets", "jupyterlab_widgets"):
        assert lab[name] == book[name]


def test_our_packages_are_whole_and_the_same_each_time(tmp_path):
    """Every module, every table, style sheet and script; the same bytes from the same files."""
    for name in packages.OWN:
        for place in ("one", "two"):
            packages.wheel(name, tmp_path / place)
        assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
        held = set(zipfile.ZipFile(tmp_path / "one").namelist())
        files = [file for file in (packages.ROOT / name).rglob("*") if file.is_file()]
        wanted = {file.relative_to(packages.ROOT).as_posix() for file in files if "__pycache__" not in file.parts}
        assert wanted <= held and len(wanted) > 10


def test_our_packages_name_what_they_need():
    """Whatever `dpbook` and `livefig` import, anywhere, comes with them or is loaded when a page imports it."""
    known = set("numpy scipy matplotlib PIL ipywidgets anywidget traitlets IPython isal pygments".split())
    for name in packages.OWN:
        for file in (packages.ROOT / name).rglob("*.py"):
            tree = ast.parse(file.read_text())
            names = {one.name for node in ast.walk(tree) if isinstance(node, ast.Import) for one in node.names}
            names |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and not node.level}
            tops = {one.partition(".")[0] for one in names} - set(packages.OWN)
            assert tops <= known | set(sys.stdlib_module_names), f"{file}: {tops - known}"


def test_a_picture_is_the_same_without_the_fast_compressor(monkeypatch):
    """`isal` is not there in a browser."""
    import io
    import zlib

    import numpy as np
    from PIL import Image

    rgba = np.random.default_rng(1).integers(0, 256, (9, 7, 4), dtype=np.uint8)
    rgba[:, :, 3] = 255
    monkeypatch.setattr(drawing, "compress", zlib.compress)
    assert (np.asarray(Image.open(io.BytesIO(drawing.png(rgba))).convert("RGBA")) == rgba).all()


def test_what_the_reader_gets_has_the_tables_that_pages_read(tmp_path):
    build.contents(tmp_path, ["22_errata", "03_laplace"])
    held = {file.relative_to(tmp_path).as_posix() for file in tmp_path.rglob("*") if file.is_file()}
    tasks = {"exercises/releases/03_laplace.ipynb", "exercises/answers/03_laplace.ipynb"}
    assert {"notebooks/22_errata.ipynb", "notebooks/errata.toml", *tasks} <= held
    assert "notebooks/14_svt.ipynb" not in held and not [name for name in held if name.endswith(".py")]
    build.contents(tmp_path / "without", ["03_laplace"], answered=False)
    assert not list(tmp_path.glob("without/exercises/answers/*"))


def test_another_file_is_another_version(tmp_path):
    (tmp_path / "a").write_text("1")
    one = build.fingerprint(tmp_path)
    assert one == build.fingerprint(tmp_path)
    (tmp_path / "a").write_text("2")
    assert one != build.fingerprint(tmp_path)


def test_without_jupyterlite_one_line_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(build, "JUPYTER", tmp_path)
    assert build.main([str(tmp_path / "lite")]) == 0
    assert capsys.readouterr().out.startswith("the live part is left out: JupyterLite is not installed")
    assert not (tmp_path / "lite").exists()


def test_a_difference_is_told_by_its_first_line():
    told = batch.difference("03_laplace", 7, "printed", "a\nb\n", "a\nc\n")
    assert told == "03_laplace, cell 7, printed\n  stored: b\n  here:   c"
    assert "ValueError" in batch.difference("03_laplace", 7, "raised", "", "ValueError: no")


def test_the_table_has_a_row_a_page():
    result = {"page": "03_laplace", "cells": 9, "seconds": 4.25, "moving": 2.0, "differs": []}
    result["moves"] = [0.01, 0.03, 0.02]
    assert batch.row(result).split() == ["03_laplace", "9", "4.2", "3", "20", "20", "0"]


@pytest.mark.parametrize("found", [0, 1])
def test_a_page_that_differs_fails_the_batch(found, monkeypatch, capsys):
    differs = [[1, "printed", "a", "b"]][:found]
    result = {"page": "03_laplace", "cells": 1, "seconds": 1.0, "moving": 1.0, "moves": [], "differs": differs}
    monkeypatch.setattr(batch.packages, "fill", lambda place: None)
    monkeypatch.setattr(batch.build, "compile_all", lambda place, listed: None)
    monkeypatch.setattr(batch, "page", lambda name: result)
    monkeypatch.setattr(batch, "wide_differs", lambda: [])
    assert batch.main(["03_laplace"]) == found
    assert f"1 pages, {found} differences" in capsys.readouterr().out


def test_scipy_is_loaded_only_for_what_needs_it():
    """Page 03 does without its 21 MB; what computes with it, under whatever name a page has it, is found."""
    table = needs.table()
    assert not {"laplace_mechanism", "*"} & set(table.get("dpbook.laplace", ()))
    for module, name in (("composition", "optimal"), ("gaussian", "gaussian_scale"), ("data", "net_trace")):
        assert name in table[f"dpbook.{module}"]
    assert "Budget" not in table["dpbook.composition"] and "smoking" not in table["dpbook.data"]
    assert table["dpbook.local"] == ["*"]  # it imports from scipy at its start


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        (["from dpbook.composition import Budget, sequential"], [False]),
        (["from dpbook.composition import Budget, optimal"], [True]),
        (["from dpbook import data", "data.smoking()", "data.net_trace()"], [False, False, True]),
        (["from dpbook import local"], [True]),
        (["import dpbook.gaussian as normal", "normal.gaussian_scale(1, 1, 1e-6)"], [False, True]),
        (["%matplotlib inline"], [False]),
        (["%matplotlib inline\nfrom dpbook import local"], [True]),
        (["for _ in range(2):\n    %time 1\n    import dpbook.local", "!ls", "no Python at all"], [True, False, False]),
    ],
)
def test_a_cell_tells_whether_it_uses_scipy(cells, wanted):
    reader = later.Reader(needs.table())
    assert [reader.wants(cell) for cell in cells] == wanted
