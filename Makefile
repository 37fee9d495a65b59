.PHONY: install demo test check bench proof mutants frameworks proto screenshots display clean

VENV ?= .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.installed

install: $(STAMP)

$(STAMP): pyproject.toml Makefile
	test -x $(PY) || python3 -m venv $(VENV)
	$(PY) -m pip install --quiet --disable-pip-version-check uv
	UV_FIND_LINKS="$$PIP_FIND_LINKS" $(PY) -m uv pip install --quiet --python $(PY) -e ".[dev,envs,parquet,tensorboard,ui,video]" "pettingzoo[classic]>=1.24"
	touch $(STAMP)

check: install
	$(VENV)/bin/ruff format --check src tests bench
	$(VENV)/bin/ruff check src tests bench
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

# What fails is tried once more, alone and in order: a defect fails again, a machine that was too busy does not.
# Both runs are printed.
AGAIN := --last-failed --last-failed-no-failures none

display:
	sh tests/display.sh

test: install display
	$(PY) -m pytest -n 2 --dist loadfile -m "not heavy and not frameworks" \
	  || $(PY) -m pytest -m "not heavy and not frameworks" $(AGAIN)

proof: install
	$(PY) -m pytest -m heavy || $(PY) -m pytest -m heavy $(AGAIN)

# Breaks one line of src/ at a time and sees which tests notice; see tests/mutation. A tree whose tests fail anyway
# kills everything: run it after `make test`.
MUTANTS ?= --count 200 --seed 1

mutants: install display
	$(PY) -m tests.mutation $(MUTANTS)

demo: install
	VENV=$(VENV) sh examples/demo.sh

frameworks: install
	$(PY) tests/envs.py
	$(PY) -m pytest -m frameworks || $(PY) -m pytest -m frameworks $(AGAIN)

bench: install
	$(PY) -m bench

screenshots: install display
	$(PY) docs/screenshots.py

proto: install
	$(PY) -m mosaic.rpc.generate

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache
