"""Sphinx's settings. `tools.book.site.__main__` calls Sphinx, with the pages already written."""

import html
import pathlib
import re
import sys
import tomllib

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT))

from tools.book.site import mathematics  # noqa: E402

project = "dpbook"
html_title = "dpbook: learn differential privacy"
author = "the dpbook authors"
copyright = "the dpbook authors, text and pictures CC BY 4.0, code BSD 3-Clause"
release = version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
language = "en"

extensions = ["myst_nb"]
nb_execution_mode = "off"
nb_merge_streams = True
nb_code_prompt_show = "How it is drawn"
nb_code_prompt_hide = "How it is drawn"
nb_render_text_lexer = "none"
nb_render_markdown_format = "myst"  # with formulas and links within the site
myst_enable_extensions = ["dollarmath", "amsmath", "deflist", "attrs_inline", "attrs_block"]
myst_dmath_double_inline = True
myst_heading_anchors = 3
myst_links_external_new_tab = False
exclude_patterns = ["_build"]
add_module_names = False

html_theme = "sphinx_book_theme"
templates_path = [str(HERE / "templates")]
html_static_path = [str(HERE / "static")]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
html_copy_source = False
html_show_sourcelink = False
html_show_search_summary = False  # it would have to fetch the pages, which a browser refuses for files
html_show_sphinx = False
html_domain_indices = False
html_permalinks_icon = "#"
html_theme_options = {
    "show_navbar_depth": 1,
    "show_toc_level": 2,
    "use_download_button": False,
    "use_fullscreen_button": False,
    "home_page_in_toc": True,
    "navigation_with_keys": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "logo": {"text": "dpbook"},
    "extra_footer": "",
}


def set_formulas(app, env):
    """When all pages are read: set all formulas of the book at once."""
    from docutils import nodes

    formulas = set()
    for name in env.found_docs:
        for node in env.get_doctree(name).findall(lambda node: isinstance(node, (nodes.math, nodes.math_block))):
            formulas.add((node.astext(), isinstance(node, nodes.math_block)))
    app.formulas = mathematics.typeset(formulas, pathlib.Path(app.config.formula_store))
    app.meanings = {}
    for item in env.get_doctree("glossary").findall(nodes.definition_list_item):
        meaning = " ".join(item.children[-1].astext().split())
        app.meanings |= dict.fromkeys((name for term in item.findall(nodes.term) for name in term["ids"]), meaning)


def visit(self, node):
    """A formula, in a line or on a line of its own."""
    from docutils import nodes

    is_display = isinstance(node, nodes.math_block)
    self.body.append(mathematics.markup(self.builder.app.formulas, node.astext(), is_display))
    raise nodes.SkipNode


def finish_page(app, pagename, templatename, context, doctree):
    """The glyphs of a page's formulas; Previous and Next in the order of the book."""
    body = tidy(context.get("body", ""), app.meanings)
    context["body"] = mathematics.glyphs(app.formulas, body) + body
    order = app.config.reading_order
    if pagename in order:
        place = order.index(pagename)
        for word, there in (("prev", place - 1), ("next", place + 1)):
            context[word] = leads_to(app, pagename, order[there]) if 0 <= there < len(order) else None


def leads_to(app, pagename, other):
    title = app.env.titles[other].astext()
    return {"link": app.builder.get_relative_uri(pagename, other), "title": title}


def tidy(body, meanings):
    """No style within a table's own, no mark where code has the colour of all code (names, commas and blanks: half of a
    page); at each word of the glossary what it means, for the script that shows it.
    """

    def with_meaning(found):
        meaning = html.escape(meanings.get(found[2], ""))
        return f'<a class="reference internal" href="{found[1]}#{found[2]}" data-meaning="{meaning}"'

    body = re.sub(r'<table border="1" class="dataframe">', '<table class="dataframe">', body)
    body = re.sub(r"<style scoped>.*?</style>", "", body, flags=re.S)
    body = re.sub(r'<span class="(?:n|p|w)">([^<]*)</span>', r"\1", body)
    link = r'<a class="reference internal" href="([^"#]*)#(term-[^"]+)"(?=[^>]*><span class="xref std std-term)'
    return re.sub(link, with_meaning, body)


def trim(app, error):
    """When the site is written: every page loads what it needs, and no more."""
    if error or app.builder.name != "html":
        return
    place = pathlib.Path(app.outdir)
    # The theme brings its icons twice: the font is a tenth of the script.
    for page in place.glob("*.html"):
        text = re.sub(r"\s*<(?:script|link)[^>]*fontawesome\.js[^>]*>(?:</script>)?", "", page.read_text())
        page.write_text(re.sub(r"(<details[^>]*><summary)(?=><span)", r'\1 aria-label="more pages"', text))
    for useless in ("*.map", "fontawesome.js", "fa-brands*", ".buildinfo"):
        for file in list(place.rglob(useless)):
            file.unlink()


def setup(app):
    app.add_config_value("formula_store", "", "")
    app.add_config_value("reading_order", [], "")
    app.add_html_math_renderer("set", inline_renderers=(visit, None), block_renderers=(visit, None))
    app.connect("env-updated", set_formulas)
    app.connect("html-page-context", finish_page)
    app.connect("build-finished", trim)


html_math_renderer = "set"
