"""The book on paper and in the pocket: a tagged PDF with an outline for each chapter and one of all, and a zip.

Chromium prints the pages of the site; what is for a screen only is left out by the style sheet.
"""

import pathlib
import zipfile
from concurrent.futures import ThreadPoolExecutor

from bs4 import BeautifulSoup
from tqdm import tqdm

from tools.book.chromium import running_chromium

# A picture that the reader has not come near is not loaded, and would not be printed.
LOADED = """async () => {
    document.querySelectorAll('details').forEach(one => { one.open = one.classList.contains('answer'); });
    const pictures = [...document.querySelectorAll('img[src]')];
    pictures.forEach(image => { image.loading = 'eager'; });
    await Promise.all(pictures.map(image => image.complete || new Promise(done => {
        image.onload = image.onerror = done; })));
    return pictures.filter(image => !image.naturalWidth).map(image => image.src);
}"""
FOOT = '<div style="font-size: 8px; width: 100%; text-align: center"><span class="pageNumber"></span></div>'
BOOK = """<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8"><title>{title}</title>
{styles}</head>
<body><main class="bd-main"><div class="bd-content"><div class="bd-article-container"><article class="bd-article">
<h1>{title}</h1><nav aria-label="Contents"><ol class="simple">{contents}</ol></nav>
{glyphs}{chapters}</article></div></div></main></body></html>"""


def print_all(names, place):
    """Write papers/NN_stem.pdf for each chapter of the site in `place`, and papers/dpbook.pdf."""
    papers = place / "papers"
    papers.mkdir(exist_ok=True)
    whole = place / "dpbook-on-paper.html"
    whole.write_text(book(names, place))
    pages = [(whole, papers / "dpbook.pdf")] + [(place / f"{name}.html", papers / f"{name}.pdf") for name in names]
    todo = iter(pages)  # the book first: it takes as long as ten chapters
    with ThreadPoolExecutor(2) as pool, tqdm(total=len(pages), unit="page", desc="papers", disable=None) as bar:
        for printer in [pool.submit(_print_next, todo, bar) for _ in range(2)]:
            printer.result()
    whole.unlink()


def _print_next(todo, bar):
    """Print, in a browser of this thread's own, what nobody else prints."""
    with running_chromium() as browser:
        for page, paper in todo:
            print_page(browser, page, paper)
            bar.update()


def print_page(browser, page, paper):
    """Print one page; raises ValueError if a picture is missing."""
    tab = browser.new_page(color_scheme="light", java_script_enabled=True)
    tab.set_default_timeout(300_000)
    tab.goto(page.as_uri())
    if missing := tab.evaluate(LOADED):
        raise ValueError(f"{page.name}: these pictures do not load: {missing}")
    shown = {"display_header_footer": True, "header_template": "<span></span>", "footer_template": FOOT}
    tab.pdf(path=paper, tagged=True, outline=True, prefer_css_page_size=True, **shown)
    tab.close()
    pack_tags(paper)


def pack_tags(paper):
    """Store what a PDF is made of compressed; Chromium writes its tags, half of the file, as plain text."""
    import pikepdf

    with pikepdf.open(paper, allow_overwriting_input=True) as stored:
        stored.save(object_stream_mode=pikepdf.ObjectStreamMode.generate, recompress_flate=True)


def book(names, place):
    """All chapters as one page, its links within itself."""
    chapters, contents, glyphs, styles = [], [], {}, ""
    for name in names:
        soup = BeautifulSoup((place / f"{name}.html").read_text(), "html.parser")
        styles = styles or "".join(map(str, soup.find_all("link", rel="stylesheet")))
        article = soup.select_one("article.bd-article")
        for path in article.select(".glyphs path"):
            glyphs[path["id"]] = str(path)
        for useless in article.select(".glyphs, .headerlink, .page-tools, .controls, script"):
            useless.decompose()
        for element in article.find_all(id=True):
            element["id"] = f"{name}-{element['id']}"
        for link in article.select("a[href]"):
            relink(link, name, names)
        article.name = "section"
        article["id"] = name
        contents.append(f'<li><a href="#{name}">{article.h1.get_text()}</a></li>')
        chapters.append(str(article))
    defs = f'<svg class="glyphs" aria-hidden="true"><defs>{"".join(glyphs.values())}</defs></svg>'
    title = "dpbook: learn differential privacy"
    parts = {"contents": "".join(contents), "glyphs": defs, "chapters": "".join(chapters)}
    return BOOK.format(title=title, styles=styles, **parts)


def relink(link, name, names):
    """A link of a chapter within the one page; to a page that is not on it, its text alone."""
    target, _, mark = link["href"].partition("#")
    if "://" in target:
        return
    page = pathlib.PurePosixPath(target).stem if target else name
    if page in names:
        link["href"] = f"#{page}-{mark}" if mark else f"#{page}"
    else:
        link.unwrap()


def pack(place, target):
    """The site as a zip: unpacked anywhere, its index.html is the book. Pictures and PDFs are packed already."""
    folder = target.stem
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as packed:
        for file in sorted(path for path in place.rglob("*") if path.is_file()):
            how = zipfile.ZIP_STORED if file.suffix in {".png", ".pdf", ".woff2"} else zipfile.ZIP_DEFLATED
            packed.write(file, f"{folder}/{file.relative_to(place)}", compress_type=how)
    return target
