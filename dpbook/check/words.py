"""What a check says: one sentence for each fault, here and nowhere else, under a name that diagnoses and tests quote.

A name in braces is a place for what was found. Tasks have slips of their own; where one is a fault of this list, it is
quoted from here.
Source: beyond the seeds.  Notebooks: the exercises.
"""

import re

# Noise and choices
NO_NOISE = "this is the true answer, without any noise"
SAME_EACH_TIME = "the release is the same each time: use the generator you are given, not one with a seed of its own"
NOT_DRAWN = "the output is the same each time: draw it with the generator you are given; if you do, it is far too sharp"
NOT_FROM_RNG = "with the same generator twice, the releases differ: draw all noise from rng"
CALLER = "called from a cell of a notebook, with the same data and generator, it releases other numbers"
OFF_CENTRE = "the releases do not centre on the right answer"
OFF_CENTRE_BY = OFF_CENTRE + ": half of them are above a value that is {off:+.3g} off"
ONE_SIDED = "the noise has only one sign: it must go up and down"
LEANING = "the noise goes {way} more often: it must be centred on the right answer"
SHARED = "entries {entries} (from 0) share their noise: each needs fresh noise of its own"
ALL_ENTRIES = "a sum of all entries, or of all with weights, has other noise than fresh noise on each gives it"
FOLLOWING = "the noise of a release tells about the noise of the next: each needs fresh noise of its own"
COMES_AGAIN = "the same noise comes again, or too few random bits are in it: each release needs fresh noise"
REPEATED = "now and then the very same number is released: noise never repeats"
WHOLE = "every release is a whole number: rounding costs no privacy, but here the noise is asked for unrounded"
DECIMALS = "every {what} has {digits}: here the {what} is asked for unrounded"
ON_GRID = "the noise lies on a grid, and lets through what of the answer lies between: draw it with all its digits"
CUT = "many releases are the same number, so the release is cut or rounded: only the records have bounds"
ENTRY = "entry {entry} (from 0) of the release: {fault}"
UNCHANGED, MULTIPLIED = "did not change", "was multiplied by {ratio:.2g}"
EPSILON = "with epsilon doubled the noise should halve; yours {yours}"
NORMAL = "this noise is normal, not Laplace: far out its ratios have no limit"
LAPLACE = "this noise is Laplace: it is paid for by every single entry, where normal noise is paid for by the length"
OTHER_SHAPE = "the noise does not have the Laplace distribution: look at its shape, not at its size"
NEAR_TOO = "the releases lie very close to the right answer too {amount}: the noise has another distribution"
FAR_TOO = "the releases lie far from the right answer too {amount}: the noise has another distribution"
SCALE = "{over}the {size} is {ratio:.3g} times what it must be, {cost}"
HALF = "the noise is half of what it must be, so the guarantee does not hold"
TWICE = "the noise is twice what it must be, which is private but wastes accuracy"
OF_ONE = "the noise is that of a query with sensitivity 1: how far can one record move this one?"
NOT_DEVIATION = "the scale is the mean absolute noise, not the standard deviation"
NO_ROOT = "the scale is the mean absolute noise: no square root of 2 belongs there"
TOO_SHARP = "over all draws the choice is too sharp: its privacy loss is larger than asked"
TOO_FLAT = "over all draws the choice is flatter than it must be"
THE_BEST = "over all draws the best comes up too often: now and then, it seems, the choice has no noise"
IMPOSSIBLE = "an output is none of those that are possible"
OFTEN = "{outcome} comes up in {share} of the runs, where {right} is right"
OFTEN_UNSEEN = "an output comes up in more of the runs, or in fewer, than is right"

# Answers, and what they are asked for besides
SOME_RIGHT = "{right} of {calls} answers are right; {needed} are asked"
SOME_WRONG = "{wrong} of {calls} answers are wrong"
NOT_NEAR = "{share:.0%} of the releases are within {within:g} of the right answer; {needed:.0%} are asked"
LOSS = "between two neighbours the privacy loss is at least {bound:.2f}, above epsilon = {epsilon:g}"
UNLIKE = "the same seed gives neighbours unlike noise"
OUTSIDE = "a record lies outside the public bounds"
TOO_LITTLE = "on these records the audit certifies {bound:.2f}; {least:g} is asked"

# Nothing to judge
NO_ANSWER = "write your answer into the cell above, and run it"
STALE = "the cell above did not define {name} when it ran last: mend its error, or its name, and run it again"
NOT_FINITE = "a result is NaN or infinite: return finite numbers, whatever the data"
GAVE = "{name} gave {what}"
NOTHING = "nothing: did you forget return?"
OTHER = "{what} where {wanted} was asked for"
A_NUMBER, AN_ARRAY = "a number", "an array of shape {shape}"
RAISED = "{name} raised {kind}: {message}"

TOO_SMALL, TOO_LARGE = "so the guarantee does not hold", "which is private but wastes accuracy"
OVER_ALL = "over all releases "
SIZE, DEVIATION = "scale of the noise", "standard deviation"
RIGHT = "right"
NOT_A_PROOF = "right: no test found a violation; the proof that it is private is in the solution"
NUMBER = re.compile(r"[-+]?\d[\d.,]*(e[-+]?\d+)?%?")
ABOUT_ENTRIES = ((r"entry \S+ \(from 0\) of", "an entry of"), (r"entries [^:]+ \(from 0\) share", "entries share"))


def scale(ratio, size, over=""):
    """What a scale that is `ratio` times the right one means; `size` is what was measured."""
    return SCALE.format(over=over, size=size, ratio=ratio, cost=TOO_SMALL if ratio < 1 else TOO_LARGE)


def entries(*numbers):
    """Which entries share their noise."""
    two = " and ".join(map(str, numbers)) if len(numbers) == 2 else ", ".join(map(str, numbers))
    return SHARED.format(entries=two)


def unseen(line):
    """A sentence about data that its reader has not seen, with none of their numbers."""
    if " comes up in " in line and " of the runs, where " in line:
        return OFTEN_UNSEEN
    for numbered, plain in ABOUT_ENTRIES:
        line = re.sub(numbered, plain, line)
    return NUMBER.sub("…", line)


def says(quoted, line):
    """Whether a line says what is quoted: these words, or the sentence of this name with anything in its places.

    Where the line is about data that its reader has not seen, the sentence is as `unseen` has it.
    """
    sentence = globals().get(quoted) if quoted.isupper() else None
    if not isinstance(sentence, str):
        return quoted in line
    bare = re.sub(r"\{.*?\}", "\0", sentence)
    patterns = (re.escape(text).replace(re.escape("\0"), ".*") for text in (bare, unseen(bare)))
    return any(re.search(pattern, line) for pattern in patterns)
