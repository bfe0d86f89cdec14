"""The sentences of pages, answers, assignments and papers: none too long, none with a word we do not use."""

import pytest

from tests import not_yet
from tools.book import prose

FILES = [str(file.relative_to(prose.PROJECT)) for file in prose.everywhere()]
OWN = ("tests/not_yet.toml", "tests/test_prose.py", "tools/book/prose.toml")
pytestmark = pytest.mark.depends("notebooks", "exercises", "docs", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", *OWN)
LONG = "This sentence goes on " + 11 * "and on " + "."


def remarks(tmp_path, text, name="page.md"):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return [(one.line, one.words) for one in prose.read(tmp_path / name)]


def test_a_long_sentence_is_found_where_it_stands(tmp_path):
    assert remarks(tmp_path, f"# A title\n\nShort. {LONG} Short.\n\n- {LONG}\n") == [(3, "26 words"), (5, "26 words")]


def test_formulas_code_and_links_are_a_word_each_and_their_stops_end_nothing(tmp_path):
    formula = r"$\sum_i a_i b_i c_i d_i e_i f_i g_i h_i i_i j_i k_i l_i m_i n_i o_i p_i q_i r_i s_i t_i u_i. V$"
    assert not remarks(tmp_path, f"A sum {formula} is one word, `a b c d e f g h i j k l. M` is another.")
    assert not remarks(tmp_path, "Read [this](https://a.b/" + 30 * "c-" + "), by A. Li et al. (2011), e.g. Fig. 3.")
    assert [prose.count(one) for one in prose.sentences("By A. Li et al. The end. It is 3.5. $ is one.")] == [7, 3, 3]


def test_a_displayed_formula_that_ends_with_a_stop_ends_its_sentence(tmp_path):
    half = 12 * "word " + "\n$$\nx = y%s\n$$\n" + 13 * "word " + "word."
    assert remarks(tmp_path, half % "") == [(1, "27 words")] and not remarks(
        tmp_path, half.replace("\nword", "\nWord") % "."
    )


@pytest.mark.parametrize(
    "quiet",
    [
        f"# {LONG}",
        f"> {LONG}",
        f"```\n{LONG}\n```",
        f"| a |\n|---|\n| {LONG} |",
        f"## Sources\n\n- {LONG}",
        f"<!-- {LONG} -->",
    ],
)
def test_what_is_no_sentence_of_ours_is_left_out(tmp_path, quiet):
    assert not remarks(tmp_path, quiet)


def test_what_is_folded_is_read_and_so_is_its_summary(tmp_path):
    text = f"<details><summary>{LONG}</summary>\n\n{LONG}\n\n</details>"
    assert remarks(tmp_path, text) == [(1, "26 words"), (3, "26 words")]


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("Take 2 in place of 1.", "Take 2 instead of 1."),
        ("It finds the least k.", "It finds at least one, by least squares."),
        ("Choose S in private.", "It stays in private data."),
        ("It keeps the promise.", "It promises much."),
        ("The law of the noise is known.", "By the law of large numbers it converges."),
        ("It loses $x$.", "It loses the game."),
        ("So many bins are empty.", "Many bins are empty."),
        ("Who asks learns a count.", "Who is protected?"),
        ("He hears only a count.", "He hears a count."),
    ],
)
def test_a_phrase_is_found_and_its_neighbour_is_not(tmp_path, said, right):
    assert len(remarks(tmp_path, said)) == 1 and not remarks(tmp_path, right)


def test_questions_and_first_lines_of_figures_are_read(tmp_path):
    cells = """# %% [markdown]
# A page.

# %%
# Figure: the law of the noise
words = "How large is the least error."
live(fig, guess=predict(words, (0, 1), None))
"""
    found = remarks(tmp_path, cells, "01_page.py")
    assert [line for line, _ in found] == [5, 6, 6] and found[2][1] == "a question without a question mark"


def test_the_command_counts_and_its_exit_code_tells(tmp_path, capsys):
    (tmp_path / "good.md").write_text("All is well.")
    assert prose.main([str(tmp_path / "good.md")]) == 0
    (tmp_path / "bad.md").write_text(LONG)
    assert prose.main(["--counts", str(tmp_path / "bad.md")]) == 1
    assert capsys.readouterr().out.endswith("bad.md: 1\n1 in all\n")


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_written_as_an_editor_prints(name):
    not_yet.hold("prose", name, prose.read(prose.PROJECT / name))


def test_all_prose_of_the_project_is_read():
    assert {"README.md", "notebooks/03_laplace.py", "exercises/answers/03_laplace.py", "docs/maintaining.md"} <= set(
        FILES
    )
    assert len(FILES) > 110
