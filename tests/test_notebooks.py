"""The pages: in step with their sources, described, of the promised shape.

That each notebook runs, prints what it printed, and that every slider works at both its ends is checked by nbval and
`tools/book/nbval_pages.py` (`make test`), not here.
"""

import ast
import functools
import pathlib
import re
import symtable

import jupytext
import nbformat
import pytest

from tools.book import nbval_pages, sliders

pytestmark = pytest.mark.depends("exercises", "notebooks", "tests/test_notebooks.py")

FOLDER = pathlib.Path(__file__).parents[1] / "notebooks"
STEMS = sorted(path.stem for path in FOLDER.glob("*.py"))
WIDGET = "application/vnd.jupyter.widget-view+json"
LESSONS = [stem for stem in STEMS if stem != "90_reference"]  # which is not read but looked up
each_page = pytest.mark.parametrize("stem", STEMS)
each_lesson = pytest.mark.parametrize("stem", LESSONS)


@functools.cache
def stored(stem):
    """The page as it is in the repository; not to be changed."""
    return nbformat.read(FOLDER / f"{stem}.ipynb", as_version=4)


def outputs(notebook):
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def text(stem):
    """What is written between the code of a page."""
    return "\n".join(cell.source for cell in stored(stem).cells if cell.cell_type == "markdown")


@each_page
def test_page_is_made_from_its_source(stem):
    """The .ipynb has the cells of the .py, and was run from top to bottom."""
    page, source = stored(stem), jupytext.read(FOLDER / f"{stem}.py")
    assert [(cell.cell_type, cell.source) for cell in page.cells] == [
        (cell.cell_type, cell.source) for cell in source.cells
    ], f"mend notebooks/{stem}.py, not the page made from it; then `make notebooks`"
    ran = [cell.execution_count for cell in page.cells if cell.cell_type == "code"]
    assert ran == list(range(1, len(ran) + 1)), "run `make notebooks`"
    assert not [output for output in outputs(page) if output.output_type == "error"]


@each_lesson
def test_page_has_the_length_of_a_lesson(stem):
    """Between 20 and 70 cells, those that are folded not counted."""
    assert 20 <= len([cell for cell in stored(stem).cells if not is_folded(cell)]) <= 70


def is_folded(cell):
    """Whether JupyterLab and Notebook show one line of this cell, and its output."""
    return cell.metadata.get("jupyter", {}).get("source_hidden", False)


@functools.cache
def code_cells(stem):
    """The code cells of a page, each with its syntax tree; not to be changed."""
    cells = [cell for cell in stored(stem).cells if cell.cell_type == "code"]
    return [(cell, ast.parse(re.sub(r"(?m)^[%!].*$", "", cell.source))) for cell in cells]


def calls(tree):
    """The names of all functions and methods that are called somewhere in a tree."""
    functions = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {getattr(function, "id", getattr(function, "attr", "")) for function in functions}


@each_page
def test_what_makes_a_picture_is_folded_under_one_line(stem):
    """Where a figure is made or shown, or all is imports, a cell is folded, and what only prints may be; no other.

    The line that is seen of it says what it is.
    """
    for cell, tree in code_cells(stem):
        called = calls(tree)
        draws = called & {"figure", "live", "show", "show_map"}
        imports = all(isinstance(node, (ast.Import, ast.ImportFrom)) for node in tree.body)
        line = cell.source.splitlines()[0]
        prints = line.startswith("# Computed: ")
        assert is_folded(cell) == bool(draws or imports or prints), cell.source[:200]
        assert not imports or re.match(r"# What .{4,60} imports?$", line), line
        assert not draws or (re.match(r"# Figure: \S.{20,}", line) and len(line) <= WIDE), line
        if prints:
            assert re.match(r"# Computed: \S.{20,}", line) and len(line) <= WIDE, line
            assert not draws and cell.outputs and "show_source" not in called, line
            assert not [node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))], line


WIDE = 103  # characters of the one line that is seen of a folded cell


DRAWING = {"set_data", "set_xdata", "set_ydata", "set_verts", "set_text", "axhline", "axvline", "bar", "plot", "vlines"}
DRAWING |= {"steps", "set_steps", "meter", "set_meter", "set_xlabel", "set_ylabel", "legend", "add_patch", "set_xticks"}
DRAWING |= {"curves", "set_curves", "own_point", "set_own_point", "maps", "set_maps", "rival_dots", "x_axis", "y_axis"}


@each_page
def test_no_more_than_a_third_of_the_code_that_is_seen_draws(stem):
    """Drawing: the lines of a statement of the cell that calls one of `DRAWING`. Imports are not counted as code."""
    lines = drawn = 0
    for cell, tree in code_cells(stem):
        for statement in [] if is_folded(cell) else tree.body:
            size = statement.end_lineno - statement.lineno + 1
            lines += size * (not isinstance(statement, (ast.Import, ast.ImportFrom)))
            drawn += size * bool(calls(statement) & DRAWING)
    assert 3 * drawn <= lines, f"{drawn} of {lines} lines"


@each_lesson
def test_page_asks_the_reader_to_guess_first(stem):
    """Three questions or more; no truth is typed: a pattern or a function reads it off the figure's caption."""
    questions = [node for _, tree in code_cells(stem) for node in ast.walk(tree) if is_question(node)]
    assert len(questions) >= 3
    for question in questions:
        truth = question.args[2] if len(question.args) > 2 else None
        if isinstance(truth, ast.Lambda):
            assert {node.id for node in ast.walk(truth.body) if isinstance(node, ast.Name)} & {truth.args.args[0].arg}
        elif truth is not None:
            assert "(" in truth.value
        assert question.keywords, "where do the controls stand?"


def is_question(node):
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "predict"


def text_of(node, tree):
    """A text in a cell: written where it is used, or given a name in the same cell."""
    if isinstance(node, ast.Name):
        given = {getattr(part.targets[0], "id", ""): part.value for part in tree.body if isinstance(part, ast.Assign)}
        node = given[node.id]
    return ast.literal_eval(node)


def test_no_question_is_asked_twice():
    """The reader's file knows a question by its text."""
    trees = [tree for stem in STEMS for _, tree in code_cells(stem)]
    texts = [text_of(node.args[0], tree) for tree in trees for node in ast.walk(tree) if is_question(node)]
    assert len(texts) == len(set(texts)) >= 3 * len(LESSONS)


@each_page
def test_every_picture_is_described(stem):
    """Each stored image has an alternative text that says something, and no page stores a widget's random id."""
    page = stored(stem)
    pictures = [output for output in outputs(page) if "image/png" in output.get("data", {})]
    assert pictures
    for picture in pictures:
        assert len(picture.metadata["image/png"]["alt"]) > 30
    assert not [output for output in outputs(page) if WIDGET in output.get("data", {})]
    assert "widgets" not in page.metadata


@each_page
def test_links_lead_somewhere(stem):
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", text(stem))
    missing = [t for t in targets if not t.startswith("http") and not (FOLDER / t).exists()]
    assert not missing
    assert any(target.endswith(".ipynb") for target in targets), "a page links to the next"


def controls_of(tree):
    """The names of the controls of each live figure that a cell makes, where they stand in the call or in a dict."""
    given = {getattr(node.targets[0], "id", ""): node.value for node in ast.walk(tree) if isinstance(node, ast.Assign)}
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "live":
            names = {keyword.arg for keyword in call.keywords if keyword.arg}
            for more in (given.get(getattr(keyword.value, "id", "")) for keyword in call.keywords if not keyword.arg):
                if isinstance(more, ast.Dict):
                    names |= {key.value for key in more.keys}
                elif isinstance(more, ast.Call):
                    names |= {keyword.arg for keyword in more.keywords}
            yield names - {"guess", "task", "play", "pair", "alt"}


@each_page
def test_links_that_move_a_figure_name_controls_of_one(stem):
    figures = [names for _, tree in code_cells(stem) for names in controls_of(tree)]
    for values in sliders.links(text(stem)):
        assert [names for names in figures if set(values) <= names], f"no figure has {list(values)}: {figures}"


@each_page
def test_page_is_light_and_free_of_the_builder(stem):
    """Small enough to load at once; no path of the machine that built it and no warning in the outputs."""
    file = (FOLDER / f"{stem}.ipynb").read_text()
    assert len(file) < 1_500_000
    assert str(FOLDER.parent) not in file and "site-packages" not in file
    assert not [o for o in outputs(stored(stem)) if o.output_type == "stream" and o.name == "stderr"]


def names_read(function, module):
    """The page's names that a function reads when it runs, those of the page's functions that it calls included."""
    defined = {node.name: node for node in ast.walk(module) if isinstance(node, ast.FunctionDef)}
    seen, todo = set(), [function]
    while todo:
        tables = [symtable.symtable(ast.unparse(todo.pop()), "cell", "exec").get_children()[0]]
        while tables:
            table = tables.pop()
            tables += table.get_children()
            read = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global()}
            todo += [defined[name] for name in read - seen if name in defined]
            seen |= read
    return seen


def names_bound(cell):
    """The names that running a cell binds: assignments, loops, functions, not those inside a function."""
    bound, todo = set(), list(cell.body)
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif not isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)):
            todo += ast.iter_child_nodes(node)
    return bound


@each_page
def test_later_cells_leave_a_live_figure_its_names(stem):
    """`update` reads names when a slider moves; a later cell that rebinds one would break the earlier figure."""
    cells = [tree for _, tree in code_cells(stem)]
    page = ast.Module(body=[node for cell in cells for node in cell.body], type_ignores=[])
    taken = []
    for number, cell in enumerate(cells):
        for call in ast.walk(cell):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "live":
                updates = [node for node in cell.body if getattr(node, "name", "") == getattr(call.args[1], "id", None)]
                read = set().union(*(names_read(update, page) for update in updates)) & names_bound(page)
                later = set().union(*(names_bound(after) for after in cells[number + 1 :]))
                taken += sorted(read & later)
    assert not taken, "give these names of their own"


@each_page
def test_page_is_not_paired(stem):
    """A paired page fails to open after a fresh clone, when git gave source and page times in the wrong order."""
    assert "formats" not in stored(stem).metadata.get("jupytext", {})
    assert "formats:" not in (FOLDER / f"{stem}.py").read_text().split("# %%")[0]


@each_page
def test_page_leads_to_its_neighbours(stem):
    """The line under the title and the last line link the map and, by their titles, the chapters before and after."""
    place = STEMS.index(stem)
    leads = [("Previous", STEMS[place - 1])] if place else []
    leads += [("Next", STEMS[place + 1])] if place + 1 < len(STEMS) else []
    links = [f"**{way}:** [{title(other)}]({other}.ipynb)" for way, other in leads]
    wanted = " · ".join([f"[Map]({STEMS[0]}.ipynb#Map-of-the-book)", *links])
    cells = stored(stem).cells
    assert wanted in cells[0].source.splitlines() and wanted == cells[-1].source.splitlines()[-1]


def title(stem):
    return stored(stem).cells[0].source.splitlines()[0].removeprefix("# ")


@each_page
def test_page_leads_to_its_assignment(stem):
    """Under its title and where its tasks are; how many tasks it says is how many the release grades."""
    release = FOLDER.parent / "exercises" / "releases" / f"{stem}.ipynb"
    said = re.findall(
        r"\*\*Assignment (\d\d):\*\* \[(\w+) tasks, checked in a second\]\(([^)]*)\)",
        text(stem),
    )
    if not release.exists():
        assert not said
        return
    texts = [cell.source for cell in nbformat.read(release, as_version=4).cells if cell.cell_type == "markdown"]
    tasks = len(re.findall(r"(?m)^## \d+\. ", "\n".join(texts)))
    assert said == 2 * [(stem[:2], {5: "five", 6: "six"}[tasks], f"../exercises/releases/{stem}.ipynb")]


@pytest.mark.parametrize("deaths", [0, 1, 2, 3])
def test_a_kernel_that_dies_at_its_start_is_started_again_but_not_for_ever(deaths):
    left = [RuntimeError("Kernel died before replying to kernel_info")] * deaths

    def start(name):
        if left:
            raise left.pop()
        return name

    if deaths < 3:
        assert nbval_pages.started(start, name="python3") == "python3"
    else:
        with pytest.raises(RuntimeError, match="Kernel died"):
            nbval_pages.started(start, name="python3")


@each_page
def test_a_heading_has_no_formula(stem):
    """Beside the page, JupyterLab's outline shows a formula as it is typed."""
    assert not [line for line in text(stem).splitlines() if line.startswith("#") and "$" in line]


@each_page
def test_a_percentage_is_written_without_a_space(stem):
    """As Python's own format writes it: one way in the text, in what is printed and in the words of the figures."""
    texts = [text(stem)]
    texts += [said for output in outputs(stored(stem)) for said in (output.get("text"), printed(output)) if said]
    source = ast.parse((FOLDER / f"{stem}.py").read_text(encoding="utf-8").replace("\n# %%", "\n#"))
    for node in ast.walk(source):
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "0" for part in node.values]
            texts.append("".join(map(str, parts)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.append(node.value)
    assert not [found for said in texts for found in re.findall(r".{0,30}[0-9$∞] %(?!\w).{0,10}", said)]


def printed(output):
    return output.get("data", {}).get("text/plain")
