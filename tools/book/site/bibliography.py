"""The bibliography: every work that a page's list of sources names, once, with its address and the pages that name it.

Most works stand in full on a page. What pages name shortly is completed by `bibliography.toml` beside this file.
"""

import pathlib
import re
import tomllib
from typing import NamedTuple

SHORT = pathlib.Path(__file__).with_suffix(".toml")
# Author, title, place and address, as a page gives them.
FULL = r"(?:^|; )(?:\*\*\d+\*\* )?([^*;\[\]]+): \*([^*]+)\*([^\[\]*;]*)\[([^\]]+)\]\((http[^)]+)\)"


class UnknownWork(ValueError):
    """A page names a work that has no row."""


class Work(NamedTuple):
    """One work; `label` and `address` are "" where no address is known."""

    who: str
    title: str
    where: str
    label: str = ""
    address: str = ""
    named: tuple = ()


def section(text):
    """The items of a page's list of sources, each in one line; none if it has no such list."""
    parts = re.split(r"(?m)^## Sources.*$", text)
    lines = re.split(r"(?m)^- ", parts[1])[1:] if len(parts) > 1 else []
    return [" ".join(line.partition("\n\n")[0].split()) for line in lines]


def written_in_full(items):
    """The works that these items give with their addresses."""
    found = [match for item in items for match in re.findall(FULL, item)]
    return [
        Work(who, title, re.sub(r"^\([^)]*\),? ", "", where.strip(" .,")), label, address)
        for who, title, where, label, address in found
    ]


def completed():
    """The works of bibliography.toml."""
    rows = tomllib.loads(SHORT.read_text(encoding="utf-8"))["work"]
    return [
        Work(row["who"], row["title"], row["where"], *addressed(row.get("link", "")), tuple(row.get("named", ())))
        for row in rows
    ]


def addressed(link):
    """What a link is called, and where it leads."""
    places = {"doi": "https://doi.org/", "arXiv": "https://arxiv.org/abs/"}
    kind, _, rest = link.partition(":")
    return (link, places[kind] + rest) if kind in places else (rest.removeprefix("//"), link)


def plain(title):
    """A title without what two writings of it differ in."""
    return re.sub(r"\W+", " ", title).strip().lower()


def works(texts):
    """{work: the pages that name it}, from {page: its text}; UnknownWork if a title on a page is nowhere in full."""
    lists = {page: section(text) for page, text in texts.items()}
    known = {}
    for work in (*completed(), *(work for items in lists.values() for work in written_in_full(items))):
        longer = [other for title, other in known.items() if title.startswith(plain(work.title) + " ")]
        if work.address not in [other.address for other in longer]:
            known.setdefault(plain(work.title), work)
    users = {title: [] for title in known}
    for page, items in lists.items():
        text = " ".join(items)
        named = [title for title, work in known.items() if any(name in text for name in work.named)]
        titles = re.findall(r"(?<!\*)\*([^*]+)\*(?!\*)", text)
        for title in dict.fromkeys(named + [whose(title, known, page) for title in titles]):
            users[title].append(page)
    return {known[title]: pages for title, pages in users.items() if pages}


def whose(title, known, page):
    """The work that a page means by a title: the one called so, or the only one whose title begins so."""
    wanted = plain(title)
    begun = [other for other in known if other.startswith(wanted + " ")]
    means = [other for other, work in known.items() if title in work.named]
    found = [wanted] if wanted in known else means or begun
    if len(found) != 1:
        raise UnknownWork(f"page {page} names {title!r}, which means {len(found)} works of bibliography.toml: {found}")
    return found[0]


def surname(work):
    """The name that a work stands under."""
    first = work.who.partition(",")[0].removesuffix(" and others")
    return plain(first.split()[-1] if first != "Differential Privacy Team" else first)


def line(work, pages):
    """A row of the bibliography; `pages` are links."""
    place = f", [{work.label}]({work.address})" if work.address else ""
    return f"- {work.who}: *{work.title}*, {work.where}{place}. Pages: {', '.join(pages)}"
