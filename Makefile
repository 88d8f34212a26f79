# make run     set up what is missing, then serve on http://127.0.0.1:8000 (ARGS="--port 8001" passes options on)
# make test    the same for the tests, Chromium included, then run them (ARGS="-k sentences")
# make check   formatting, lint, types, layers, templates
# make bench   timings
# make soak    what takes long: load, failures, odd files, each promise broken once (ARGS="--minutes 5": so long each)
# make wheel   one file to install elsewhere      make docs    the pages drawn from the code
# make translations   brings the catalogues up to the words in code and templates, for filling in by hand
# make lock    versions for what pyproject.toml names (needs uv; ARGS=--upgrade)
# make clean   remove what make has made
#
# Every step leaves a stamp, so a second run does nothing and asks no network.

# The first Python on the PATH that is new enough.
PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$name && break; done)

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip --disable-pip-version-check --quiet
LOCKED := $(PIP) install --require-hashes --only-binary :all:
HTMX := static/vendor/htmx.min.js
CATALOGUES := $(patsubst %.po,%.mo,$(wildcard webapp/translations/*/LC_MESSAGES/*.po))
COMPILE := uv pip compile pyproject.toml --quiet --universal --python-version 3.11 --generate-hashes \
	--no-annotate --custom-compile-command 'make lock' $(ARGS)

# One thread a call: requests and test workers already run beside each other.
export OMP_NUM_THREADS ?= 1

.PHONY: run test check wheel bench peers soak docs translations lock clean browser
.DELETE_ON_ERROR:

run: $(VENV)/.run $(HTMX) $(CATALOGUES)
	$(BIN)/evidencedesk serve $(ARGS)

test: $(VENV)/.dev $(HTMX) $(CATALOGUES) browser
	$(BIN)/pytest -n 2 --dist worksteal $(ARGS)

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/djlint templates --lint --quiet

bench: $(VENV)/.dev $(HTMX) $(CATALOGUES)
	$(BIN)/python -m bench.answer_page $(ARGS)

# Other projects' splitters and engines, for `python -m bench.chunking FOLDER --peers`.
peers: $(VENV)/.bench

soak: $(VENV)/.bench $(HTMX) $(CATALOGUES) browser
	$(BIN)/python -m bench.soak $(ARGS)
	$(BIN)/python -m bench.load $(ARGS)
	$(BIN)/python -m bench.fuzz_documents $(ARGS)
	$(BIN)/python -m bench.kill run $(ARGS)
	$(BIN)/python -m bench.failover
	$(BIN)/python -m bench.long_texts
	$(BIN)/pytest -n 2 --dist worksteal --every-setting tests/browser/test_accessibility.py
	$(BIN)/python -m bench.promises

wheel: $(VENV)/.dev $(HTMX) $(CATALOGUES)
	$(BIN)/python -m build --wheel --no-isolation

# The pages of docs/ that are drawn from the code.
docs: $(VENV)/.run
	$(BIN)/python -m docs.tables

translations: $(VENV)/.run
	@mkdir -p build
	$(BIN)/pybabel --quiet extract -F babel.cfg -k _l -k lazy_gettext --no-location --sort-output -o build/messages.pot .
	$(BIN)/pybabel --quiet update -i build/messages.pot -d webapp/translations --no-wrap --no-fuzzy-matching \
		--ignore-obsolete --ignore-pot-creation-date

$(VENV)/.python:
	@python="$(PYTHON)"; test -n "$$python" || { echo "EvidenceDesk needs Python 3.11 or newer: install it, or say where it is: make PYTHON=/path/to/python3.11" >&2; exit 1; }; \
	echo "$$python -m venv $(VENV)"; $$python -m venv $(VENV)
	@touch $@

$(VENV)/.run: requirements.lock pyproject.toml $(VENV)/.python
	@echo "Installing Python packages into $(VENV) (about a minute the first time)"
	@$(LOCKED) -r requirements.lock
	@$(PIP) install --no-index --no-deps --no-build-isolation -e .
	@$(BIN)/python -m compileall -q webapp  # else each command compiles anew where no bytecode may be written
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.run
	@echo "Installing what checks and tests need"
	@$(LOCKED) -r requirements-dev.lock
	@touch $@

$(VENV)/.bench: requirements-bench.lock $(VENV)/.dev
	@echo "Installing what benchmarks compare with"
	@$(LOCKED) -r requirements-bench.lock
	@touch $@

$(HTMX): package-lock.json
	@command -v npm >/dev/null || { echo "npm brings htmx: install it (Debian: apt-get install npm), then run make again." >&2; exit 1; }
	npm ci --silent
	@install -D -m 644 node_modules/htmx.org/dist/htmx.min.js $@

# Translations are kept as text; the program reads them compiled.
%.mo: %.po | $(VENV)/.run
	$(BIN)/pybabel --quiet compile --input-file $< --output-file $@

# The tests drive Chromium (through a program that needs libatomic) and look at Bangla pages.
BROWSER := chromium fontconfig fonts-noto-core libatomic1
browser: $(VENV)/.python
	@if command -v chromium >/dev/null && fc-list :lang=bn 2>/dev/null | grep -q . \
		&& $(BIN)/python -c 'import ctypes; ctypes.CDLL("libatomic.so.1")' 2>/dev/null; then exit 0; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing $(BROWSER)"; \
		apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $(BROWSER) >/dev/null; \
	else \
		echo "The tests need Chromium (as the command chromium), fc-list, a Bangla font and libatomic. Debian: sudo apt-get install $(BROWSER)" >&2; exit 1; \
	fi

lock:
	@command -v uv >/dev/null || { echo "make lock needs uv on the PATH (pipx install uv)." >&2; exit 1; }
	$(COMPILE) --group build --output-file requirements.lock
	$(COMPILE) --group build --group dev --constraint requirements.lock --output-file requirements-dev.lock
	$(COMPILE) --group build --group dev --group bench --constraint requirements-dev.lock --output-file requirements-bench.lock
	npm install --package-lock-only

clean:
	rm -rf $(VENV) node_modules static/vendor $(CATALOGUES) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
