# make run      serve everything on http://127.0.0.1:8000 until Ctrl-C (PORT, HOST, DATA_DIR)
# make test     run the tests, on PostgreSQL with DATABASE_URL=postgres://… (ARGS for pytest, JOBS, COVERAGE=file.json of SOURCE=folder)
# make doctor   say what is not in order with the service of DATA_DIR (ARGS, such as --clients)
# make attack   repeat the tests that attack, for as long as it takes (ARGS, DATABASE_URL)
# make wheel    build the wheel of the two apps, and try it in bare projects (CATALOG_SERVER=postgres://…)
# make lint     check style, types, layers, migrations, settings and the OpenAPI description
# make bench    measure the calendar and backups (DATABASE_URL=postgres://… for PostgreSQL, CATALOG_SERVER=… for Bacula, ARGS)
# make install  only make .venv and install what runs need
# make lock     compile the locked requirements anew
# make clean    remove the virtual environment (and nothing that was written)

PYTHON ?= python3
JOBS ?= auto
VENV := .venv
BIN := $(VENV)/bin
# The pip outside installs inside: a Python whose venv module has no pip of its own will do.
PIP := $(PYTHON) -m pip --disable-pip-version-check --python $(BIN)/python
# slipcover adds to modules whose asserts pytest rewrites, plugins among them, what breaks enums.
MEASURED := $(if $(COVERAGE),slipcover --json --out $(COVERAGE) $(if $(SOURCE),--source $(SOURCE) )-m )
PLAIN := $(if $(COVERAGE),--assert=plain)
export DATA_DIR PORT HOST DATABASE_URL

.DEFAULT_GOAL := help
.PHONY: help install run doctor test attack wheel lint bench lock clean

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

install: $(VENV)/run

run: $(VENV)/run
	@exec $(BIN)/python manage.py serve --setup --with-parent

doctor: $(VENV)/run
	@$(BIN)/python manage.py doctor $(ARGS)

test: $(VENV)/test
	$(BIN)/python -m $(MEASURED)pytest -n $(JOBS) $(PLAIN) $(ARGS)

attack: $(VENV)/test
	ATTACK=1 $(BIN)/pytest -m attack $(ARGS)

wheel: $(VENV)/test
	$(BIN)/python -m tests.packaging.matrix

lint: $(VENV)/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.lint

bench: $(VENV)/$(if $(CATALOG_SERVER),test,run)
	$(BIN)/python -m benchmarks.calendar --database $(or $(DATABASE_URL),sqlite) $(ARGS)
	$(if $(CATALOG_SERVER),$(BIN)/python -m benchmarks.bacula --files 20000)

lock: $(VENV)/test
	$(BIN)/uv pip compile -q pyproject.toml --all-extras --universal --python-version 3.11 \
		--generate-hashes --custom-compile-command "make lock" -o requirements.txt
	$(BIN)/uv pip compile -q --group pyproject.toml:test --group pyproject.toml:lint \
		-c requirements.txt --universal --python-version 3.11 \
		--generate-hashes --custom-compile-command "make lock" -o tests/requirements.txt

clean:
	rm -rf $(VENV)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "$(PYTHON) is not Python 3.11 or later: set PYTHON, as in make run PYTHON=python3.12."; \
		exit 1; }
	@echo "Making $(VENV) and installing into it; this takes a minute, once."
	@$(PYTHON) -m venv --without-pip $(VENV)

# Stamps: pip runs again only when a lock has changed.
$(VENV)/run: requirements.txt | $(BIN)/python
	@$(PIP) install -q --require-hashes -r requirements.txt
	@touch $@

$(VENV)/test: tests/requirements.txt $(VENV)/run
	@$(PIP) install -q --require-hashes -r tests/requirements.txt
	@touch $@
