# Two commands matter: `make lab` opens the workbook, `make test` checks all of it. Both set up what they need.
# Another Python: `make test PYTHON=python3.13`. Other libraries: `make test CONSTRAINTS=oldest` (the lower bounds in
# pyproject.toml), `CONSTRAINTS=none` (the newest). Each gets an environment of its own.

PYTHON ?= python3
CONSTRAINTS ?= pinned
PINS_pinned := constraints.txt
PINS_oldest := constraints-oldest.txt
PINS_none :=
empty :=
ifeq ($(filter $(CONSTRAINTS),pinned oldest none),)
$(error CONSTRAINTS must be pinned, oldest or none; got $(CONSTRAINTS))
endif
PINS := $(PINS_$(CONSTRAINTS))
OWN := $(patsubst %,-%,$(filter-out python3,$(notdir $(PYTHON))) $(filter-out pinned,$(CONSTRAINTS)))
VENV := .venv$(subst $(empty) ,,$(OWN))
BIN := $(VENV)/bin
COURSE ?= course
ARENA ?= count
HUB ?= hub
GRADINGS ?= 1000

# Small arrays gain nothing from more threads; two test workers on two cores lose by them.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export JUPYTER_CONFIG_PATH := $(CURDIR)/tools/book/jupyter
export PYDEVD_DISABLE_FILE_VALIDATION := 1
# Memory that an array leaves is kept for the next: why is said in tools/book/jupyter/jupyter_lab_config.py.
export MALLOC_TRIM_THRESHOLD_ := 67108864
export MALLOC_MMAP_THRESHOLD_ := 33554432
# Hundreds of processes import the same modules: let them be compiled once.
export PYTHONDONTWRITEBYTECODE :=

# Three at a time on two cores, for much of the time they wait: for a jail, a kernel, a browser. Each collects all tests
# first, which takes it 25 s of processor in a fresh clone: a fourth would take more than it gives.
PYTEST := $(BIN)/pytest -q --dist loadscope -n 3
# Each worker that opens pages has a JupyterLab and a Chromium of its own, which take more than most pages.
BROWSE := $(PYTEST) -n 2
# As a processor of 2005 computes: sums in another order, which must not show in what a page prints.
OLDER := OPENBLAS_CORETYPE=Prescott NPY_DISABLE_CPU_FEATURES="X86_V3 X86_V4 AVX512_ICL"
# What has a target of its own.
FIRST := not browser and not seeds and not site and not hub and not arena and not thorough
# Each worker would import every test file, to find that few of them open a browser.
BROWSED = $$(grep -l 'mark\.browser' tests/test_*.py)
# uv installs in 10 s what takes pip 80; it reads none of pip's settings, so where it finds nothing pip has its turn.
# Then all is compiled, on all processors, but for what nobody imports.
INSTALL = install () { \
  $(BIN)/uv pip install --quiet --python $(BIN)/python $(PINS:%=-c %) -e "$$1" 2> build/uv.txt || \
  $(BIN)/pip install --quiet --disable-pip-version-check $(PINS:%=-c %) --no-compile -e "$$1" || return; \
  $(BIN)/python -W ignore -m compileall -qq -j 0 -x '/(tests?|pip|setuptools)/' $(VENV)/lib || true; }; install
STYLE := $(BIN)/ruff check --quiet . && $(BIN)/ruff format --quiet --check .

.DEFAULT_GOAL := help
.PHONY: help lab test thorough check notebooks contents assignments students seeds power classroom variants autograde formgrader
.PHONY: feedback hub hub-test hub-load hand-back arena arena-test audit bench papers errata quotations clean production peers
.PHONY: report teaching exam slides solutions honest chapter new-assignment gradescope classroom50 prose length

help:
	@echo "For readers"
	@echo "  make lab         open the workbook in JupyterLab"
	@echo "For instructors (exercises/README.md)"
	@echo "  make students    what students get, in build/students: the wheel, the pages, the releases; no solution, no grader"
	@echo "  make classroom   make an nbgrader course in course/ (COURSE= for another folder, ONLY=03_laplace for one release)"
	@echo "  make variants    each student's own data in that course, for its roster (NAMES=names.txt for others)"
	@echo "  make autograde   grade what came back, in a jail: points, feedback, grades.csv (DASK=tcp://... on a cluster)"
	@echo "  make formgrader  open the course in the browser and grade explanations by hand"
	@echo "  make feedback    feedback again, once explanations are graded (ONLY=03_laplace also packs it for Canvas or Moodle)"
	@echo "  make gradescope  pack the grader of ONLY=03_laplace for Gradescope (docs/gradescope.md); make classroom50 for Classroom 50"
	@echo "  make report      the class's mistakes as a table and a picture, and who wrote alike"
	@echo "  make solutions   the solution books as PDFs in build/solutions"
	@echo "  make slides      a deck of each page in build/slides, needing no network (ONLY=03_laplace for one)"
	@echo "  make exam        papers, mark schemes and questions to ask aloud, from ONLY=\"03_laplace 14_svt\" (VERSIONS=4, SEED=2)"
	@echo "  make hub         everybody's JupyterLab on this machine (docs/hub.md; HUB= for another folder)"
	@echo "  make hand-back   put the feedback into each student's folder on that hub (after make feedback)"
	@echo "  make arena       mechanisms against attacks, everybody's: ARENA=count ENTRIES=folder (without ENTRIES the house plays alone)"
	@echo "For authors (CONTRIBUTING.md)"
	@echo "  make check       style, and the tests, pages and exercises that have changed since they last passed"
	@echo "  make test        set up and run every test (README says how long it takes)"
	@echo "  make notebooks   run the sources that have changed and store the pages (ONLY=14_svt for one, FORCE=1 for all)"
	@echo "  make chapter     begin a chapter: STEM=medians NUMBER=32 TITLE='Medians' writes all its files, short, whole and green"
	@echo "  make new-assignment  begin the assignment of a chapter that has none: STEM=medians"
	@echo "  make contents    write README's table, the map, the tours, Previous and Next from book.toml"
	@echo "  make prose       sentences too long, and words that the book does not use, file by file (FILES= for some)"
	@echo "  make length      words, open code, figure cells and minutes of each page, against their limits"
	@echo "  make assignments build the students' notebooks (those in exercises/releases too) and the solution book"
	@echo "  make teaching    write docs/teaching: goals, minutes, mistakes and questions of each chapter"
	@echo "  make audit       print every privacy claim of the book with the worst loss found (JSON=file; STORE=yes: page 21 shows them)"
	@echo "  make errata      print the list of page 22, errata and papers (JSON=errata.json for a file)"
	@echo "  make quotations  look up in the sources' texts (../shared/seeds) what page 22 quotes, and keep digests of it"
	@echo "  make papers      compute the sources' experiments again (ONLY=000_figure_4, DASK=tcp://..., FORCE=1)"
	@echo "  make production  run page 23's snippets with OpenDP and diffprivlib, in an environment of their own, and store them"
	@echo "  make peers       hold the accounts and scales against five other libraries, in an environment of their own"
	@echo "  make site        the book as a site in build/site, with PDFs and a zip to take along (ANSWERS=no, PAPERS=no, LIVE=no)"
	@echo "  make lite        the part of the site that runs Python in the reader's browser, alone, in build/lite/site"
	@echo "  make api         pages of the package's docstrings in build/api"
	@echo "For maintainers (docs/maintaining.md)"
	@echo "  make test-pages  a part of make test: run all pages and compare them with what is stored"
	@echo "  make test-browser  a part of make test: open the pages in a real browser"
	@echo "  make thorough    what make test leaves out: every page in the browser, the answers, every mistake, an old processor"
	@echo "  make mutants     try many small wrong changes: which do the tests miss? (25 minutes; ONLY=svt for one room)"
	@echo "  make seeds       grade every solution with 200 seeds"
	@echo "  make power       the smallest violation that each task's checks catch (20 minutes)"
	@echo "  make honest      grade every solution GRADINGS=1000 times, with what exercises/honest.json counts (hours)"
	@echo "  make site-test   build the site and test all of it: links, texts, every slider, accessibility"
	@echo "  make lite-test   run all pages in the browser's Python (Pyodide, under node) and compare (ONLY=03_laplace for one)"
	@echo "  make hub-test    start hubs with students, attack them, kill parts of them (hub-load: 20 students)"
	@echo "  make arena-test  play whole arenas"
	@echo "  make bench       measure the live figures and the mechanisms, side by side with alternatives (ONLY=08_histograms)"
	@echo "  make clean       remove what all of this has built, environments included"

lab: $(VENV)/lab.done
	@echo "Opening the workbook. If no browser appears, open the address printed below; Ctrl-C twice stops it."
	@$(BIN)/python -m tools.book.lab $(if $(filter 0,$(shell id -u)),--allow-root) --log-level=WARN \
	  --LabApp.default_url=/lab/tree/notebooks/00_start_here.ipynb $(LAB)

test: $(VENV)/test.done
	@mkdir -p build && date +%s > build/started
	@echo "[1/4] a browser to test with, a jail to grade in"
	@$(BIN)/python -m tools.book.chromium
	@$(BIN)/python -m tools.classroom.bubblewrap
	@echo "[2/4] style"
	@$(STYLE)
	@echo "[3/4] the pages, run and compared with what is stored; mechanisms, data, grading"
	@$(PYTEST) --nbval -m "$(FIRST)" notebooks tests
	@echo "[4/4] the pages in a real browser"
	@$(BROWSE) -m "browser and not thorough" $(BROWSED)
	@echo "all as it should be, in $$(( $$(date +%s) - $$(cat build/started) )) s (without the installation)"

check: $(VENV)/test.done
	@$(BIN)/python -m tools.classroom.bubblewrap
	@$(STYLE)
	@$(PYTEST) --nbval --changed -m "$(FIRST) and not install and (depends or not slow)" notebooks exercises/answers tests

notebooks: $(VENV)/test.done
	@$(BIN)/python -m tools.book.notebooks $(FORCE:%=--force) $(ONLY:%=notebooks/%.py)

# What a new chapter shows elsewhere is made at once: contents, pages, releases, teaching pages.
SHOWN = $(BIN)/ruff check --quiet --fix . && $(BIN)/ruff format --quiet . && $(BIN)/python -m tools.book.contents && $(BIN)/python -m tools.book.notebooks && \
  mkdir -p build && $(BIN)/python -m tools.classroom.assignments > build/assignments.txt && \
  $(BIN)/python -m tools.classroom.teaching

chapter: $(VENV)/test.done
	@$(BIN)/python -m tools.book.chapter "$(STEM)" "$(NUMBER)" $(if $(TITLE),"$(TITLE)")
	@$(SHOWN)

new-assignment: $(VENV)/test.done
	@$(BIN)/python -m tools.book.chapter assignment "$(STEM)"
	@$(SHOWN)

contents: $(VENV)/test.done
	@$(BIN)/python -m tools.book.contents

prose: $(VENV)/test.done
	@$(BIN)/python -m tools.book.prose $(FILES)

length: $(VENV)/test.done
	@$(BIN)/python -m tools.book.length $(ONLY:%=notebooks/%.py)

thorough: $(VENV)/test.done
	@$(BIN)/python -m tools.book.chromium
	@$(BIN)/python -m tools.classroom.bubblewrap
	@$(PYTEST) --nbval exercises/answers
	@$(OLDER) $(PYTEST) --nbval -m "not browser" notebooks
	@$(PYTEST) -m thorough tests

seeds: $(VENV)/test.done
	@$(PYTEST) --seeds 200 -m seeds tests/test_exercises.py

classroom: $(VENV)/classroom.done
	@$(BIN)/python -m tools.classroom.bubblewrap
	@$(BIN)/python -m tools.classroom.course --course "$(COURSE)" set-up $(ONLY)

variants: $(VENV)/classroom.done
	@$(BIN)/python -m tools.classroom.variants "$(COURSE)" $(if $(NAMES),"$(NAMES)")

autograde: $(VENV)/classroom.done
	@$(BIN)/python -m tools.classroom.course --course "$(COURSE)" autograde $(GRADING) $(DASK:%=--dask %)

formgrader: $(VENV)/classroom.done
	@$(BIN)/python -m tools.classroom.course --course "$(COURSE)" formgrader $(LAB)

gradescope classroom50: $(VENV)/classroom.done
	@test -e "$(COURSE)/secret" && set -- --course "$(COURSE)"; \
	  $(BIN)/python -m tools.classroom.envelopes $@ "$(ONLY)" "$$@"

feedback: $(VENV)/classroom.done
	@$(BIN)/python -m tools.classroom.course --course "$(COURSE)" feedback $(ONLY)

arena: $(VENV)/classroom.done
	@$(BIN)/python -m tools.classroom.bubblewrap
	@$(BIN)/python -m tools.classroom.arena "$(ARENA)" $(if $(ENTRIES),--entries "$(ENTRIES)") $(ROUND:%=--round %) \
	  $(SEED:%=--seed "%") $(PLAY)

arena-test: $(VENV)/test.done
	@$(PYTEST) -m arena tests/test_arena.py

hub: $(VENV)/hub.done
	@$(BIN)/python -m tools.classroom.bubblewrap
	@test -e "$(COURSE)/nbgrader_config.py" || $(BIN)/python -m tools.classroom.course --course "$(COURSE)" set-up
	@$(BIN)/python -m tools.classroom.hub --hub "$(HUB)" --course "$(COURSE)" start $(if $(filter yes,$(ANYONE)),--anyone)

hand-back: $(VENV)/classroom.done
	@$(BIN)/python -m tools.classroom.hub --hub "$(HUB)" --course "$(COURSE)" hand-back

hub-test: $(VENV)/test.done $(VENV)/hub.done
	@$(BIN)/python -m tools.book.chromium
	@$(BIN)/python -m tools.classroom.bubblewrap
	@$(BIN)/pytest -q -n 0 -m hub tests/test_hub_running.py
	@$(BIN)/python -m benchmarks.hub --students 3 --minutes 1

hub-load: $(VENV)/test.done $(VENV)/hub.done
	@$(BIN)/python -m tools.book.chromium
	@$(BIN)/python -m benchmarks.hub --students 20 --minutes 20

report: $(VENV)/classroom.done
	@$(BIN)/python -m tools.classroom.course --course "$(COURSE)" report

exam: $(VENV)/test.done
	@$(BIN)/python -m tools.book.chromium
	@$(BIN)/python -m tools.exam $(ONLY) $(VERSIONS:%=--versions %) $(SEED:%=--seed %)

teaching: $(VENV)/test.done
	@$(BIN)/python -m tools.classroom.teaching

slides: $(VENV)/site.done
	@$(BIN)/python -m tools.book.handouts slides $(ONLY:%=notebooks/%.ipynb)

solutions: $(VENV)/test.done
	@$(BIN)/python -m tools.book.chromium
	@mkdir -p build && $(BIN)/python -m tools.classroom.assignments > build/assignments.txt
	@$(BIN)/python -m tools.book.handouts print build/assignments/solutions/*.ipynb --to build/solutions

audit: $(VENV)/test.done
	@$(BIN)/python -m tools.book.claims $(JSON:%=--json %) $(if $(STORE),--store)

errata: $(VENV)/test.done
	@$(BIN)/python -m tools.book.errata $(JSON:%=--json %)

quotations: $(VENV)/test.done
	@$(BIN)/python -m tools.book.quotations

papers: $(VENV)/test.done
	@$(BIN)/python -m tools.book.papers $(ONLY) $(DASK:%=--dask %) $(FORCE:%=--force)

assignments: $(VENV)/test.done
	@$(BIN)/python -m tools.classroom.assignments

students: $(VENV)/test.done
	@$(BIN)/python -m tools.classroom.students

power: $(VENV)/test.done
	@$(BIN)/python -m tools.classroom.power

honest: $(VENV)/test.done
	@nice $(BIN)/python -m tools.classroom.honest $(GRADINGS) $(if $(ONLY),--only $(ONLY))

production: .venv-production/done $(VENV)/test.done
	@$(BIN)/python -m tools.book.production .venv-production/bin/python
	@$(BIN)/python -m tools.book.notebooks notebooks/23_production.py exercises/answers/23_production.py

peers: .venv-peers/done $(VENV)/test.done
	@$(BIN)/python -m tools.book.peers .venv-peers/bin/python

BENCHMARKS = mechanisms audit partitions clustering marginals synthetic regression accounting trees stability gradients live_figures live_site
bench: $(VENV)/test.done
	@$(BIN)/python -m tools.book.chromium
	@$(BIN)/python -m benchmarks.kernel $(ONLY)
	@$(if $(ONLY),$(BIN)/python -m benchmarks.live_figures $(ONLY),\
	  for one in $(BENCHMARKS); do $(BIN)/python -m benchmarks.$$one || exit 1; done)

clean:
	rm -rf .venv .venv-* build *.egg-info

# The parts of `make test` that CI runs each in a runner of its own (.github/workflows), and what maintainers run.
.PHONY: test-pages test-browser mutants api site site-test lite lite-test

# The book on the web, from the stored notebooks. ANSWERS=no leaves the answers to the tasks out, PAPERS=no the PDFs and
# the zip, LIVE=no the part that runs in the reader's browser. Where that part cannot be made, one line says so.
site: $(VENV)/site.done
	@$(BIN)/python -m tools.book.chromium > build/chromium.txt || { cat build/chromium.txt; exit 1; }
	@$(if $(filter no,$(LIVE)),,$(MAKE) --no-print-directory .venv-lite/done || true)
	@$(BIN)/python -m tools.book.site $(if $(filter no,$(ANSWERS)),--no-answers) $(if $(filter no,$(PAPERS)),--no-papers) \
	  $(if $(filter no,$(LIVE)),--no-live)

# That part alone, in build/lite/site, and all pages in the Python of the browser, under node.
lite: $(VENV)/site.done .venv-lite/done
	@$(BIN)/python -m tools.book.lite.build

lite-test: $(VENV)/test.done
	@$(BIN)/python -m tools.book.lite.batch $(ONLY)

# Its long tests are cut into shares of the pages, which any worker takes: the site is there already.
site-test: $(VENV)/test.done
	@$(MAKE) --no-print-directory site
	@SITE=build/site $(PYTEST) -p no:tools.book.shares --dist load -m site tests/test_site.py tests/test_live_site.py

test-pages: $(VENV)/test.done
	@$(PYTEST) --nbval -m "not browser" notebooks

test-browser: $(VENV)/test.done
	@$(BIN)/python -m tools.book.chromium
	@$(BROWSE) -m browser $(BROWSED)

mutants: $(VENV)/test.done
	@nice $(BIN)/python -m tools.mutants $(ONLY)

api: $(VENV)/test.done
	@$(BIN)/python -m pdoc dpbook livefig --output-directory build/api
	@echo "build/api/index.html"

# An environment is made again when what it is made from changes.
$(VENV)/lab.done: pyproject.toml $(PINS)
	@$(MAKE) --no-print-directory $(VENV)/python.done
	@echo "Installing the workbook into $(VENV) (a minute, once)"
	@$(INSTALL) ".[lab]"
	@touch $@

$(VENV)/site.done: pyproject.toml $(PINS)
	@$(MAKE) --no-print-directory $(VENV)/python.done
	@echo "Installing what makes the site into $(VENV) (a minute or two, once)"
	@$(INSTALL) ".[site]"
	@mkdir -p build
	@touch $@

$(VENV)/classroom.done: pyproject.toml $(PINS)
	@$(MAKE) --no-print-directory $(VENV)/python.done
	@echo "Installing the workbook with nbgrader into $(VENV) (a minute or two, once)"
	@$(INSTALL) ".[classroom]"
	@touch $@

$(VENV)/hub.done: pyproject.toml $(PINS) tools/classroom/hub/package-lock.json
	@$(MAKE) --no-print-directory $(VENV)/python.done
	@command -v npm > /dev/null || \
	  { echo "The hub's proxy needs Node 20 or newer, with npm (on Debian: apt-get install nodejs npm)"; exit 1; }
	@echo "Installing JupyterHub and its proxy into $(VENV) (a minute or two, once)"
	@$(INSTALL) ".[hub]"
	@mkdir -p $(VENV)/proxy && cp tools/classroom/hub/package.json tools/classroom/hub/package-lock.json $(VENV)/proxy
	@npm ci --prefix $(VENV)/proxy --no-audit --no-fund --loglevel=error
	@touch $@

$(VENV)/test.done: pyproject.toml $(PINS)
	@$(MAKE) --no-print-directory $(VENV)/python.done
	@echo "[0/4] installing the workbook and its test tools into $(VENV) (a minute, once)"
	@$(INSTALL) ".[test]"
	@touch $@

.venv-lite/done: constraints-lite.txt
	@echo "Installing JupyterLite into .venv-lite (a minute, once)"
	@$(PYTHON) -m venv .venv-lite
	@.venv-lite/bin/pip install --quiet --disable-pip-version-check -r constraints-lite.txt
	@touch $@

.venv-peers/done: constraints-peers.txt
	@echo "Installing the peers of make peers into .venv-peers (some minutes, once)"
	@$(PYTHON) -m venv .venv-peers
	@.venv-peers/bin/pip install --quiet --disable-pip-version-check -r constraints-peers.txt
	@touch $@

.venv-production/done: constraints-production.txt
	@echo "Installing OpenDP and diffprivlib into .venv-production (a minute, once)"
	@$(PYTHON) -m venv .venv-production
	@.venv-production/bin/pip install --quiet --disable-pip-version-check -r constraints-production.txt
	@touch $@

$(VENV)/python.done:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "dpbook needs Python 3.11 or newer as PYTHON (now: $(PYTHON)); try: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "Python's venv module is missing (on Debian: apt-get install python3-venv)"; exit 1; }
	@mkdir -p build
	@$(BIN)/pip install --quiet --disable-pip-version-check $(PINS:%=-c %) uv || true
	@touch $@
