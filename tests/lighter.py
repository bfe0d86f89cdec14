"""What checks ask for, made less: for tests of what stands around them, and not of the checks themselves."""

import inspect
import pathlib

import dpbook.check

LAWS = (dpbook.check.laplace_law, dpbook.check.discrete_law)
AUDITS = (dpbook.check.private, dpbook.check.all_private)
FEW = 1_000


def of_few(judge):
    """The same requirement, of so many releases at most."""

    def few(*args, **options):
        asked = inspect.signature(judge).bind(*args, **options)
        asked.apply_defaults()
        asked.arguments["samples"] = min(asked.arguments["samples"], FEW)
        return judge(*asked.args, **asked.kwargs)

    return few


SPARING = {judge.__name__: of_few(judge) for judge in (*LAWS, *AUDITS)}


def fewer_draws(source, folder):
    """A copy of 03 with two laws and one audit among its hidden requirements."""
    text = source.read_text()
    for heavy, light in (
        ("(20_000, 20_000, 20_000, 20_000, 10_000, 4000, 1000)", "(1000,) * 7"),
        (
            "in zip(sizes, draws, promises, kinds, a, b, strict=True):",
            "in [*zip(sizes, draws, promises, kinds, a, b)][:2]:",
        ),
        ("in (((-2, 9), 1e6), ((-30.0, -10.0), -1e6), ((0, 0.6), 1e6)):", "in (((-2, 9), 1e6),):"),
    ):
        assert text.count(heavy) == 1
        text = text.replace(heavy, light)
    copy = pathlib.Path(folder) / source.name
    copy.write_text(text)
    return copy
