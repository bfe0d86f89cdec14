"""A board as a page that opens in JupyterLab, and as one HTML file that loads nothing from elsewhere.

Whatever students wrote (names, code) is shown letter by letter; in the notebook code stands in raw cells, so that
running the page runs none of it.
"""

import base64
import html

from tools.classroom.submission import PLAIN

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff }
body { max-width: 75rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: 1rem 0 }
th, td { padding: .3rem .8rem; text-align: left; border-bottom: 1px solid #ccc }
td.number { text-align: right; font-variant-numeric: tabular-nums }
tr.struck { background: #fbeee6 }
tr.out { color: #555 }
img { max-width: 100% }
pre { background: #f4f4f4; padding: .8rem; overflow-x: auto }
"""
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
SAFE = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def as_html(parts):
    """The board as one HTML file."""
    parts = list(parts)
    title = html.escape(next(words for kind, words in parts if kind == "title"))
    body = "\n".join(_html(*part) for part in parts)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{SAFE}">'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>\n'
        f"<body>\n{body}\n</body></html>\n"
    )


def _html(kind, *content):
    if kind == "table":
        head, rows, looks = content
        heads = "".join(f'<th scope="col">{html.escape(words)}</th>' for words in head)
        lines = [f"<table><thead><tr>{heads}</tr></thead><tbody>"]
        for row, look in zip(rows, looks, strict=True):
            lines += [f'<tr class="{look}">', *map(_html_cell, row), "</tr>"]
        return "".join([*lines, "</tbody></table>"])
    if kind == "picture":
        png = base64.b64encode(content[0]).decode()
        return f'<img alt="{html.escape(content[1])}" src="data:image/png;base64,{png}">'
    tag = {"title": "h1", "heading": "h2", "subheading": "h3", "text": "p", "code": "pre"}[kind]
    return f"<{tag}>{html.escape(content[0])}</{tag}>"


def _html_cell(cell):
    words, struck = cell if isinstance(cell, tuple) else (cell, False)
    number = ' class="number"' if words[:1].isdigit() else ""
    shown = f"<del>{html.escape(words)}</del>" if struck else html.escape(words)
    return f"<td{number}>{shown}</td>"


def as_notebook(parts):
    """The board as a notebook of texts, tables and a picture, with nothing in it to be run."""
    from nbformat import v4

    cells = []
    for number, (kind, *content) in enumerate(parts):
        name = f"board-{number}"
        if kind == "code":
            cells.append(v4.new_raw_cell(content[0], id=name))
        elif kind == "picture":
            cell = v4.new_markdown_cell(f"![{_letters(content[1])}](attachment:board.png)", id=name)
            cell["attachments"] = {"board.png": {"image/png": base64.b64encode(content[0]).decode()}}
            cells.append(cell)
        else:
            cells.append(v4.new_markdown_cell(_markdown(kind, *content), id=name))
    return v4.new_notebook(cells=cells, metadata=METADATA)


def _markdown(kind, *content):
    if kind == "table":
        head, rows, _ = content
        lines = [[_letters(words) or " " for words in head], ["---"] * len(head)]
        lines += [map(_markdown_cell, row) for row in rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)
    marks = {"title": "# ", "heading": "## ", "subheading": "### ", "text": ""}
    return marks[kind] + _letters(content[0])


def _markdown_cell(cell):
    words, struck = cell if isinstance(cell, tuple) else (cell, False)
    return f"~~{_letters(words)}~~" if struck else _letters(words)


def _letters(words):
    """Words as Markdown that shows them letter by letter: whatever is no letter, digit or blank by its number."""
    return "".join(letter if letter in PLAIN or letter > "\x7f" else f"&#{ord(letter)};" for letter in words)
