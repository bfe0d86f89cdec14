"""A figure of the site as HTML: its picture, its caption, and the controls of its film as a browser's own inputs."""

import html
import json
import re
import sys

from bs4 import BeautifulSoup

REMEMBERS = "This figure remembers what was done to it: it plays in Lab (<code>make lab</code>)."


def figure(picture, alt, size, below, film, place, number):
    """One picture with its text and its caption; over it the controls of its film, if there is one.

    `picture` is where it lies, `below` what was stored under it, `place` the name of its film, `number` counts the
    figures of a page. All but the first are loaded when the reader comes near them.
    """
    lazy = ' loading="lazy"' if number > 1 else ""
    width, height = size
    image = f'<img src="{picture}" alt="{html.escape(alt)}" width="{width}" height="{height}"{lazy}>'
    spoken = ' aria-live="polite"' if film else ""
    caption = f'<figcaption><p class="caption"{spoken}>{caption_of(below)}</p>'
    name = f"figure-{number}"
    if not film:
        return f'<figure class="picture" id="{name}">{image}{caption}</figcaption></figure>'
    source = "" if film["remembers"] else f' data-film="films/{place}.js" data-name="{place}"'
    head = f'<figure class="picture live" id="{name}"{source}>'
    shown = f'<div class="shown">{image}<img class="over" alt="" hidden></div>' if source else image
    return f"{head}{controls(film, name)}{shown}{caption}{moves(film)}</figcaption></figure>"


def caption_of(below):
    """The caption among what was stored under a picture (the description for screen readers is the picture's text)."""
    soup = BeautifulSoup(below, "html.parser")
    for unsaid in (*soup.find_all("div", style=re.compile("clip")), *soup.select("style, .live-stored")):
        unsaid.decompose()
    return html.escape(" ".join(soup.get_text(" ").split()))


def controls(film, number):
    """The controls of a film as a browser's own inputs; they wait for the script that shows them."""
    if film["remembers"]:
        return ""
    rows = "".join(control(reel, f"{number}-{reel['name']}") for reel in film["reels"])
    odds = '<p class="odds"></p>' if film["promises"] else ""
    data = f'data-asked="{for_script(film["asked"])}" data-pair="{for_script(film["pair"])}"'
    data += f' data-play="{html.escape(film["play"])}"' if film["play"] else ""
    return f'<div class="controls" {data} hidden>{rows}{odds}</div>'


def for_script(thing):
    """A thing as an attribute that the page's script reads."""
    return html.escape(json.dumps(thing, allow_nan=False))


def finite(values):
    """Values that JSON can say: what has no bound becomes the largest number there is."""
    return [value if value is None else max(min(value, sys.float_info.max), -sys.float_info.max) for value in values]


def control(reel, number):
    """One control: a range, radio buttons, a check box, a button, or two ranges for a span."""
    label, start, name = html.escape(reel["label"]), reel["start"], html.escape(reel["name"])
    box = f'<div class="control {reel["kind"]}" data-name="{name}" data-values="{for_script(finite(reel["values"]))}"'
    if reel["kind"] == "range":
        return f'{box}><label for="{number}">{label}</label>{scale(number, reel["words"], start)}</div>'
    if reel["kind"] == "span":
        pairs = [word.split(" to ") for word in reel["words"]]
        ends = list(dict.fromkeys(low for low, _ in pairs))
        low, high = (ends.index(end) for end in pairs[start])
        box += f' data-pairs="{for_script([[ends.index(one), ends.index(other)] for one, other in pairs])}"'
        rows = f'<label for="{number}-from">from</label>{scale(f"{number}-from", ends, low)}'
        rows += f'<label for="{number}-to">to</label>{scale(f"{number}-to", ends, high)}'
        return f'{box} role="group" aria-label="{label}"><span>{label}</span>{rows}</div>'
    if reel["kind"] == "switch":
        on = " checked" if start else ""
        return f'{box}><label><input type="checkbox"{on}> {label}</label></div>'
    if reel["kind"] == "press":
        return f'{box}><button type="button" data-count="{len(reel["words"])}">{label}</button></div>'
    choices = '<span class="choices">'
    for place, word in enumerate(reel["words"]):
        on = " checked" if place == start else ""
        choices += f'<label><input type="radio" name="{number}" value="{place}"{on}> {html.escape(word)}</label>'
    choices += "</span>"
    return f'{box} role="radiogroup" aria-label="{label}"><span>{label}</span>{choices}</div>'


def scale(number, words, start):
    """A slider over places that have words."""
    here = html.escape(words[start])
    return (
        f'<input type="range" id="{number}" min="0" max="{len(words) - 1}" step="1" value="{start}" '
        f'aria-valuetext="{here}" data-words="{for_script(words)}"><output for="{number}">{here}</output>'
    )


def moves(film):
    """The line that says what moves here and what in Lab."""
    if film["remembers"]:
        return f'<p class="moves">{REMEMBERS}</p>'
    names = {reel["name"]: reel["label"] for reel in film["reels"]}
    pair = [names[name] for name in film["pair"] if name in names]
    others = [label for name, label in names.items() if name not in film["pair"]]
    here = f"<em>{html.escape(pair[0])}</em> and <em>{html.escape(pair[1])}</em> together" if len(pair) > 1 else ""
    if len(pair) == 1:
        others = pair + others
    alone = ", ".join(f"<em>{html.escape(label)}</em>" for label in others)
    alone += " by itself" if len(others) == 1 and here else " each by itself" if len(others) > 1 else ""
    lab = "everything together, at every step"
    if film["still"]:
        lab += "; only there: " + ", ".join(f"<em>{html.escape(label)}</em>" for label in film["still"])
    first = "; ".join(part for part in (here, alone) if part)
    script = "<noscript> (with JavaScript; without it you see its start)</noscript>"
    return f'<p class="moves">Moves here{script}: {first}. In Lab: {lab}.</p>'
