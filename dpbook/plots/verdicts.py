"""What a picture decides: a line of words over it, and the meter of privacy losses."""

from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

from dpbook.amounts import amount
from dpbook.plots.figures import COLOURS
from dpbook.verdict import BROKEN, NOT_REFUTED, WITHIN
from dpbook.verdict import verdict as verdict_of

# How each verdict looks: its colour, its hatch, its mark, and the colour of its words on white.
LOOKS = {
    WITHIN: (COLOURS.third, "", "✓", "#00684A"),
    NOT_REFUTED: (COLOURS.amber, "..", "?", "#7A5200"),
    BROKEN: (COLOURS.other, "//", "✗", "#A03C00"),
}
LARGE = {"fontsize": 13, "fontweight": "bold"}  # read from the back of a room


def verdict_text(place):
    """A line over an axes, or over a whole figure, for what the picture decides; fill it with `set_verdict_text`.

    It is large, and its room is kept from the beginning. Returns the artist.
    """
    if isinstance(place, Figure):
        return place.suptitle("–", x=0.01, ha="left", **LARGE)
    return place.set_title("–", loc="left", **LARGE)


def set_verdict_text(line, found, words=None):
    """Say in the picture what was found: by a mark, by words and by colour.

    `found` is a verdict of `dpbook.verdict`; or True or False, right or wrong; or None, nothing yet. `words` stand
    after the mark instead of the verdict's own.
    """
    if found is None:
        return line.set(text=words or "–", color=COLOURS.true)
    known = {True: (WITHIN, "right"), False: (BROKEN, "wrong")}
    looks, said = known[bool(found)] if isinstance(found, (bool, np.bool_)) else (found, found)
    _, _, mark, colour = LOOKS[looks]
    return line.set(text=f"{mark} {words or said}", color=colour)


class Meter(NamedTuple):
    """The artists of a privacy meter: one bar and one verdict a row, and the line of the claim."""

    bars: list
    verdicts: list
    claim: object
    most: float


def meter(ax, names, most, unit="privacy loss (dashed: the claim)"):
    """An empty privacy meter: one row a name, losses from 0 to `most`, and a line at what is claimed.

    Fill it with `set_meter`. A verdict is told by a word, a mark and a hatch as well as by colour.
    """
    bars = ax.barh(range(len(names)), np.zeros(len(names)), height=0.7, edgecolor="black", linewidth=0.8)
    ax.set(xlim=(0, most), ylim=(len(names) - 0.4, -0.6), yticks=range(len(names)), yticklabels=names, xlabel=unit)
    claim = ax.axvline(0, color=COLOURS.true, linewidth=2, linestyle="--", label="claimed")
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
    size = 12 if len(names) <= 8 else 10
    verdicts = [ax.text(0, row, "", va="center", bbox=box, size=size, weight="bold") for row in range(len(names))]
    return Meter(list(bars), verdicts, claim, most)


def set_meter(pieces, losses, claimed, exact=True):
    """Show `losses` (one a row, `inf` and `nan` allowed) against `claimed` (one number, or one a row for the verdicts).

    Exact losses are "within" or "BROKEN". A lower bound on a loss (`exact=False`) can refute a claim and can never
    prove it: then the verdict is "not refuted", in amber.
    """
    claims = np.broadcast_to(claimed, len(losses))
    pieces.claim.set_xdata([np.max(claims)] * 2)
    for bar, verdict, loss, claim in zip(pieces.bars, pieces.verdicts, losses, claims, strict=True):
        if np.isnan(loss):
            colour, hatch, words, ink = COLOURS.pale, "", "– no answer", COLOURS.true
        else:
            found = verdict_of(loss, claim, exact)
            colour, hatch, mark, ink = LOOKS[found]
            words = f"{mark} {amount(loss)} {found}"
        shown = min(np.nan_to_num(loss, posinf=pieces.most), pieces.most)
        bar.set(width=shown, facecolor=colour, hatch=hatch)
        inside = shown > 0.5 * pieces.most
        verdict.set(
            text=words, color=ink, x=shown + (-0.01 if inside else 0.01) * pieces.most, ha="right" if inside else "left"
        )


def result_meter(ax, names, most):
    """A live picture of a claim on `ax`, one row a name, losses from 0 to `most`; returns `read(results, claimed)`.

    `read` sets it in place. `results` has one entry a row: a result, the number of an exact loss, or None for no
    answer. A result has a `loss` and says whether it is `certain` (an `ExactLoss` is, an `EpsilonBound` is not).
    `claimed` is the epsilon claimed, drawn as a line. Words and marks say what the colours say.
    Notebook: 21_audit.
    """
    pieces = meter(ax, names, most)

    def read(results, claimed):
        for row, result in enumerate(results):
            loss = np.nan if result is None else getattr(result, "loss", result)
            one = pieces._replace(bars=pieces.bars[row : row + 1], verdicts=pieces.verdicts[row : row + 1])
            set_meter(one, [loss], claimed, exact=getattr(result, "certain", True))

    return read
