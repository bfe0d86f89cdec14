"""amounts: what people would write, never what Python prints."""

import numpy as np
import pytest

from dpbook.amounts import amount, counted, percent, probability


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0.1, "0.1"),
        (0.00100, "0.001"),
        (1e4, "10,000"),
        (2.203e4, "22,000"),
        (22_034, "22,034"),
        (np.int64(65_536), "65,536"),
        (-8.88e-16, "0"),
        (-1234.5, "-1,230"),
        (0.99951, "1"),
        (999.7, "1,000"),
        (9.9999e-5, "0.0001"),
        (2.5e-9, "2.5 × 10⁻⁹"),
        (1e-6, "10⁻⁶"),
        (1.234e12, "1.23 × 10¹²"),
        (10**9, "10⁹"),
        (np.inf, "∞"),
        (-np.inf, "-∞"),
        (np.nan, "–"),
        (100.0, "100"),
        (3, "3"),
    ],
)
def test_amounts_are_what_people_write(number, words):
    assert amount(number) == words


def test_an_amount_has_the_digits_that_are_asked_for():
    assert [amount(np.pi, digits) for digits in (1, 2, 5)] == ["3", "3.1", "3.1416"]


def test_amounts_say_the_number_to_half_of_the_last_digit():
    """For those without a power of ten, read back."""
    numbers = 10 ** np.random.default_rng(1).uniform(-4, 7, 500)
    read = np.array([float(amount(number).replace(",", "")) for number in numbers if "×" not in amount(number)])
    assert len(read) > 490 and np.abs(read / numbers[: len(read)] - 1).max() <= 0.0051


@pytest.mark.parametrize(
    ("share", "words"),
    [(0, "0"), (1, "100"), (0.5, "50"), (0.2951, "29.5"), (5.2e-5, "0.0052"), (0.999955, "99.9955"), (1e-12, "0")],
)
def test_a_percentage_is_not_taken_for_nothing_or_for_all(share, words):
    assert percent(share) == words


@pytest.mark.parametrize(
    ("share", "words"),
    [(1 - 1e-10, "over 99.999999"), (1e-10, "under 0.000001"), (1 - 2e-8, "99.999998"), (1 - 1e-13, "100")],
)
def test_a_percentage_beyond_its_decimals_is_no_certainty(share, words):
    assert percent(share) == words


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "0.0000"),
        (1, "1.0000"),
        (0.25, "0.2500"),
        (0.99996, "0.99996"),
        (0.9999968, "0.999997"),
        (0.999968, "0.99997"),
        (3.2e-6, "3.2 × 10⁻⁶"),
        (1 - 1e-10, "over 0.99999999"),
        (2.5e-9, "2.5 × 10⁻⁹"),
    ],
)
def test_a_probability_is_never_called_certain(number, words):
    assert probability(number) == words


def test_a_percentage_is_told_from_the_shares_that_are_named():
    assert [percent(share, apart=(0.5, 1)) for share in (0.5, 0.50025, 0.731)] == ["50", "50.025", "73.1"]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (counted(1, "record"), "1 record"),
        (counted(0, "zero"), "0 zeros"),
        (counted(2.0, "query", "queries"), "2 queries"),
        (counted(np.float64(1), "query", "queries"), "1 query"),
        (counted(1.5, "vote"), "1.5 votes"),
        (counted(12_345, "voter"), "12,345 voters"),
    ],
)
def test_counts_have_their_unit(said, words):
    assert said == words


def test_what_rounds_to_one_is_one_record():
    assert [counted(number, "record") for number in (0.9999, 1.00001, 0.9, 1.1)] == [
        "1 record",
        "1 record",
        "0.9 records",
        "1.1 records",
    ]


def test_a_percentage_keeps_its_decimal_beside_an_equal_share():
    assert percent(0.295, apart=(0.295, 1)) == "29.5"
    assert percent(0.999, apart=(0.999, 1)) == "99.9"
