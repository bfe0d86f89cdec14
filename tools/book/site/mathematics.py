"""Formulas, set when the site is built: a reader loads no script for them, and sees them without JavaScript.

MathJax runs once in our Chromium. Each formula becomes a small SVG picture whose glyphs stand once on the page, with
MathML beside it for screen readers. What was set before is kept in a file.
"""

import importlib.util
import json
import pathlib
import re

from tools.book.chromium import running_chromium

SETTINGS = {"startup": {"typeset": False}, "svg": {"fontCache": "global"}, "options": {"enableMenu": False}}
TYPESET = """async formulas => {
    await MathJax.startup.promise;
    const set = [];
    for (const [tex, display] of formulas) set.push((await MathJax.tex2svgPromise(tex, {display})).outerHTML);
    const glyphs = {};
    for (const path of MathJax.startup.document.outputJax.fontCache.getCache().querySelectorAll('path'))
        glyphs[path.id] = path.getAttribute('d');
    return {set, glyphs};
}"""


def mathjax():
    """Where MathJax lies in this environment: the package django-static-mathjax holds its files, and no Django."""
    found = importlib.util.find_spec("mathjax")
    return pathlib.Path(found.origin).parent / "static/mathjax/es5/tex-svg.js"


def typeset(formulas, store):
    """Set (tex, display) pairs that are not yet in `store`, a JSON file of all that were: returns its contents.

    Raises ValueError for a formula that MathJax does not understand.
    """
    kept = json.loads(store.read_text()) if store.exists() else {"formulas": {}, "glyphs": {}}
    new = sorted({(tex, display) for tex, display in formulas if name(tex, display) not in kept["formulas"]})
    if new:
        with running_chromium() as browser:
            page = browser.new_page()
            page.set_content("<!doctype html><title>formulas</title>")
            page.evaluate("settings => { window.MathJax = settings; }", SETTINGS)
            page.add_script_tag(path=mathjax())
            result = page.evaluate(TYPESET, [list(formula) for formula in new])
        for formula, markup in zip(new, result["set"], strict=True):
            kept["formulas"][name(*formula)] = slim(formula[0], markup)
        kept["glyphs"] |= result["glyphs"]
        store.parent.mkdir(parents=True, exist_ok=True)
        store.write_text(json.dumps(kept))
    return kept


def name(tex, display):
    """What a formula is called in the store."""
    return ("display " if display else "inline ") + tex


def slim(tex, markup):
    """What a page needs of MathJax's markup: the picture without notes to itself, and the MathML."""
    if "data-mjx-error" in markup or 'data-mml-node="merror"' in markup:
        raise ValueError(f"MathJax does not understand the formula {tex!r}")
    picture, words = re.search(r"(<svg.*</svg>).*?(<math.*</math>)", markup, re.S).groups()
    picture = re.sub(r' (?:data-[\w-]+|xmlns:xlink|xmlns|role|focusable)="[^"]*"', "", picture)
    return {"svg": picture.replace("xlink:href", "href"), "mathml": words}


def markup(kept, tex, display):
    """The HTML of one formula."""
    found = kept["formulas"][name(tex, display)]
    wide = float(re.search(r'width="([\d.]+)ex"', found["svg"])[1]) > 34
    kind = "display" if display else "inline"
    tag = "div" if display else "span"
    words = f'<span class="formula-words">{found["mathml"]}</span>'
    return f'<{tag} class="formula {kind}{" wide" * wide}">{found["svg"]}{words}</{tag}>'


def glyphs(kept, body):
    """The drawings of the glyphs that a page's formulas use, to stand once on it."""
    used = sorted(set(re.findall(r'href="#(MJX-[^"]+)"', body)))
    paths = "".join(f'<path id="{glyph}" d="{kept["glyphs"][glyph]}"></path>' for glyph in used)
    return f'<svg class="glyphs" aria-hidden="true"><defs>{paths}</defs></svg>' if used else ""
