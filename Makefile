# Two commands matter: `make lab` opens the workbook, `make test` checks all of it. Both set up what they need.
# Another Python: `make test PYTHON=python3.13` (it gets an environment of its own).

PYTHON ?= python3
VENV := .venv$(if $(filter-out python3,$(notdir $(PYTHON))),-$(notdir $(PYTHON)))
BIN := $(VENV)/bin
COURSE ?= build/course
NOTEBOOKS := $(wildcard notebooks/*.ipynb)

# Small arrays gain nothing from more threads; two test workers on two cores lose by them.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export JUPYTER_CONFIG_PATH := $(CURDIR)/tools/book/jupyter
export PYDEVD_DISABLE_FILE_VALIDATION := 1

.DEFAULT_GOAL := help
.PHONY: help lab test check notebooks contents assignments seeds classroom autograde formgrader feedback audit bench clean

help:
	@echo "make lab         open the workbook in JupyterLab"
	@echo "make test        set up and run every test (under 10 minutes on 2 cores)"
	@echo "make check       lint, notebooks in step with their sources, fast tests (about a minute)"
	@echo "make notebooks   run the notebooks' sources and store the pages (ONLY=14_svt for one)"
	@echo "make contents    write README's table, the map, the tours, Previous and Next from book.toml"
	@echo "make seeds       grade every solution with 200 seeds instead of 25 (two minutes)"
	@echo "make classroom   make an nbgrader course in build/course (COURSE= for another folder), with its releases"
	@echo "make autograde   grade what came back, in a jail: points, feedback, grades.csv"
	@echo "make formgrader  open the course in the browser: grade explanations by hand, then make feedback"
	@echo "make audit       print every privacy claim of the book with the worst loss found (JSON=claims.json for a file)"
	@echo "make assignments build the students' notebooks and the solution book under build/"
	@echo "make bench       measure the live figures and the mechanisms, side by side with alternatives"

lab: $(VENV)/lab.done
	@echo "Opening the workbook. If no browser appears, open the address printed below; Ctrl-C twice stops it."
	@$(BIN)/python -m tools.book.lab $(if $(filter 0,$(shell id -u)),--allow-root) --log-level=WARN \
	  --LabApp.default_url=/lab/tree/notebooks/00_start_here.ipynb $(LAB)

test: $(VENV)/test.done
	@echo "[1/5] a browser to test with, a jail to grade in"
	@$(BIN)/python -m tools.book.chromium
	@$(BIN)/python -m tools.classroom.bubblewrap
	@echo "[2/5] style"
	@$(BIN)/ruff check --quiet . && $(BIN)/ruff format --quiet --check .
	@echo "[3/5] the notebooks: run each, compare every output with what is stored"
	@$(BIN)/pytest -q -p no:cacheprovider --nbval -n 2 --dist loadfile $(NOTEBOOKS)
	@echo "[4/5] the mechanisms, the data, the live figures, the installation"
	@$(BIN)/pytest -q -n 2 --dist loadfile -m "not browser"
	@echo "[5/5] the pages in a real browser"
	@$(BIN)/pytest -q -n 2 -m browser

check: $(VENV)/test.done
	@$(BIN)/python -m tools.classroom.bubblewrap
	@$(BIN)/ruff check --quiet . && $(BIN)/ruff format --quiet --check .
	@$(BIN)/pytest -q -n 2 -m "not browser and not install and not slow"

notebooks: $(VENV)/test.done
	@$(BIN)/python -m tools.book.notebooks $(ONLY:%=notebooks/%.py)

contents: $(VENV)/test.done
	@$(BIN)/python -m tools.book.contents

seeds: $(VENV)/test.done
	@$(BIN)/pytest -q -n 2 --seeds 200 -k over_many_seeds tests/test_exercises.py

classroom: $(VENV)/classroom.done
	@$(BIN)/python -m tools.classroom.bubblewrap
	@$(BIN)/python -m tools.classroom.course --course $(COURSE) set-up

autograde: $(VENV)/classroom.done
	@$(BIN)/python -m tools.classroom.course --course $(COURSE) autograde $(GRADING)

formgrader: $(VENV)/classroom.done
	@$(BIN)/python -m tools.classroom.course --course $(COURSE) formgrader $(LAB)

feedback: $(VENV)/classroom.done
	@$(BIN)/python -m tools.classroom.course --course $(COURSE) feedback

audit: $(VENV)/test.done
	@$(BIN)/python -m tools.book.claims $(JSON:%=--json %)

assignments: $(VENV)/test.done
	@$(BIN)/python -m tools.classroom.assignments

bench: $(VENV)/test.done
	@$(BIN)/python -m tools.book.chromium
	@$(BIN)/python -m benchmarks.mechanisms
	@$(BIN)/python -m benchmarks.audit
	@$(BIN)/python -m benchmarks.live_figures

clean:
	rm -rf .venv .venv-* build *.egg-info

# An environment is made again when what it is made from changes.
$(VENV)/lab.done: pyproject.toml constraints.txt
	@$(MAKE) --no-print-directory $(VENV)/python.done
	@echo "Installing the workbook into $(VENV) (a minute or two, once)"
	@$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[lab]"
	@touch $@

$(VENV)/classroom.done: pyproject.toml constraints.txt
	@$(MAKE) --no-print-directory $(VENV)/python.done
	@echo "Installing the workbook with nbgrader into $(VENV) (a minute or two, once)"
	@$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[classroom]"
	@touch $@

$(VENV)/test.done: pyproject.toml constraints.txt
	@$(MAKE) --no-print-directory $(VENV)/python.done
	@echo "[0/5] installing the workbook and its test tools into $(VENV) (a minute or two, once)"
	@$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[test]"
	@touch $@

$(VENV)/python.done:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "dpbook needs Python 3.11 or newer as PYTHON (now: $(PYTHON)); try: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "Python's venv module is missing (on Debian: apt-get install python3-venv)"; exit 1; }
	@touch $@
