"""The list of mutants does not rot: each still finds its text, once, changes it, and leaves a program; not run here."""

import ast
import subprocess
import sys

import pytest

from tools.mutants import KINDS, ROOT, read_mutants

MUTANTS = read_mutants()


def test_there_are_enough():
    assert len(MUTANTS) >= 200 and len({mutant.stem for mutant in MUTANTS}) >= 20
    assert len({(mutant.file, mutant.find, mutant.replace) for mutant in MUTANTS}) == len(MUTANTS)


@pytest.mark.parametrize("stem", sorted({mutant.stem for mutant in MUTANTS}))
def test_mutants_find_their_text_once_and_the_program_stays_one(stem):
    for mutant in MUTANTS:
        if mutant.stem == stem:
            source = (ROOT / mutant.file).read_text(encoding="utf-8")
            changed = mutant.changed(source)
            ast.parse(changed)
            assert changed != source and mutant.kind in KINDS, mutant
            assert mutant.tests and all((ROOT / name).exists() for name in mutant.tests), mutant


def test_a_text_that_is_gone_or_there_twice_is_refused():
    mutant = MUTANTS[0]
    for source in ("", 2 * mutant.find):
        with pytest.raises(ValueError, match=r"stands \d times in"):
            mutant.changed(source)
    with pytest.raises(ValueError, match=r"^stems must be among"):
        read_mutants(["no_such_room"])


def test_one_mutant_alone_and_all_from_one_on():
    names = [mutant.name for mutant in read_mutants(["svt-3", "alp-20-"])]
    assert names[0] == "alp-20" and names[-1] == "svt-3" and len(names) == 6
    assert len(read_mutants(["svt", "svt-3"])) == len(read_mutants(["svt"]))


def test_a_run_of_pytest_that_comes_to_grief_is_no_verdict(tmp_path):
    """Tests that pass, tests that fail, and tests that are not there.

    In a process of its own: what forks for the mutants must not fork the kernels of pages.
    """
    (tmp_path / "test_good.py").write_text("def test(): pass\n")
    (tmp_path / "test_bad.py").write_text("def test(): assert False\n")
    command = (
        "import sys; from tools.mutants import runs; [print(runs.passes((one,), sys.argv[1])) for one in sys.argv[2:]]"
    )
    words = [sys.executable, "-c", command, tmp_path, "test_good.py", "test_bad.py", "test_none.py"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.split() == ["True", "False"] and "RuntimeError: pytest test_none.py ended with" in done.stderr
