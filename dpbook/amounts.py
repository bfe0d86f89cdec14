"""Numbers and counts as people write them: 22,000 and not 2.2e+04, 1 record and not 1 records."""

import math
import numbers

NOTHING = 1e-12  # what rounding leaves of a zero
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def amount(number, digits=3):
    """A number in words that fit into a sentence: this many significant digits and no idle zeros, thousands apart.

    Ten million and more, and what is smaller than a ten-thousandth, as 2.5 × 10⁹; infinity as ∞. What is smaller than
    1e-12 is a zero that has been rounded. Whole numbers below ten million that are given as such keep all digits.
    """
    if isinstance(number, numbers.Integral) and abs(number) < 10**7:
        return f"{int(number):,}"
    number = float(number)
    if math.isnan(number):
        return "–"
    if math.isinf(number):
        return "∞" if number > 0 else "-∞"
    if abs(number) < NOTHING:
        return "0"
    factor, exponent = f"{number:.{digits - 1}e}".split("e")
    if -4 <= int(exponent) < 7:
        words = f"{float(f'{factor}e{exponent}'):,.{max(digits - 1 - int(exponent), 0)}f}"
        return _without_idle_zeros(words)
    power = f"10{str(int(exponent)).translate(SUPERSCRIPTS)}"
    factor = _without_idle_zeros(factor)
    return power if factor == "1" else f"{factor} × {power}"


def percent(share, apart=(0, 1)):
    """A fraction in percent, a number without its sign, with the decimals to tell it from the fractions `apart`.

    One decimal; where more are needed, two digits of the difference, at most six decimals. No trailing zeros: 29.5; 100
    for a fraction of 1; 99.9955 and not 100 for one of 0.999955; "over 99.999999" for one that is closer.
    """
    gap = 100 * min(abs(share - other) for other in apart)
    decimals = min(max(1 - math.floor(math.log10(gap)), 1), 6) if gap > 0 else 1
    return _no_certainty(share, 100, decimals)


def probability(number, decimals=4):
    """A probability with this many decimals; next to 1 with as many as tell it from 1, next to 0 as an amount.

    0.2500, 1.0000 for 1 itself, 0.99997 and not 1.0000 for 0.999968, "over 0.99999999" for what is closer; 2.5 × 10⁻⁹.
    """
    if NOTHING < number < 10.0**-decimals:
        return amount(number)
    if number < 1:
        decimals = min(max(-math.floor(math.log10(1 - number)), decimals), 8)
    return _no_certainty(number, 1, decimals)


def _no_certainty(share, whole, decimals):
    """A fraction of a whole, as words: "over" and "under" where it would be rounded to all or to nothing."""
    words = f"{whole * share:.{decimals}f}"
    if min(share, 1 - share) >= 10 * NOTHING and float(words) in (0, whole):
        last = 10.0**-decimals
        return f"over {whole - last:.{decimals}f}" if float(words) else f"under {last:.{decimals}f}"
    return _without_idle_zeros(words) if whole == 100 else words


def counted(number, one, many=None):
    """A number with its unit: 1 record, 2 records, 1,234 records; `many` where an s is not enough (1 query, 2 queries).

    A whole number below ten million is written in full, any other as `amount` does.
    """
    words = amount(int(number) if float(number).is_integer() else number)
    return f"{words} {one if words == '1' else many or one + 's'}"


def _without_idle_zeros(words):
    return words.rstrip("0").rstrip(".") if "." in words else words
