# Two commands do everything: `make play` opens a practice match, `make test` runs every test.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: setup play test lint format coverage slow soak bench wheel clean

setup: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "dealerless needs Python 3.11 or newer; this is %d.%d. Try: make PYTHON=python3.12" % sys.version_info[:2])'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.tested: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	@touch $@

play: setup
	@$(BIN)/dealerless practice poker-bingo

test: $(VENV)/.tested
	$(BIN)/python -m pytest -q -n auto

lint: $(VENV)/.tested
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.tested
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

coverage: $(VENV)/.tested
	$(BIN)/python -m pytest -q -n auto --cov --cov-report=term-missing tests/engine tests/protocol

slow: $(VENV)/.tested
	$(BIN)/python -m pytest -q -n auto -m slow

soak: $(VENV)/.tested
	$(BIN)/python -m tests.soak --kills 200

bench: setup
	$(BIN)/dealerless bench

wheel: $(VENV)/.tested
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .

clean:
	rm -rf $(VENV) dist build *.egg-info .mypy_cache .ruff_cache .import_linter_cache
