.PHONY: install demo test check bench proof soak mutants frameworks proto screenshots recording display clean

VENV ?= .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.installed

install: $(STAMP)

$(STAMP): pyproject.toml Makefile
	test -x $(PY) || python3 -m venv $(VENV)
	$(PY) -m pip install --quiet --disable-pip-version-check "uv>=0.7"
	UV_FIND_LINKS="$$PIP_FIND_LINKS" $(PY) -m uv pip install --quiet --python $(PY) \
	  --group dev -e ".[envs,parquet,tensorboard,ui,video]"
	touch $(STAMP)

PYTHON_IN := src tests bench docs/*.py docs/examples examples

check: install
	$(VENV)/bin/ruff format --check $(PYTHON_IN)
	$(VENV)/bin/ruff check $(PYTHON_IN)
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

# What fails is tried once more, alone and in order: a defect fails again, a machine that was too busy does not.
# Both runs are printed, then what passed only at the second try; more than three of those fail.
TRY := $(PY) tests/second_try.py

display:
	sh tests/display.sh

test: install display
	$(TRY) -n 2 --dist loadfile -m "not heavy and not frameworks"

proof: install
	$(TRY) -m heavy

# All of what `proof` takes a sample of (tests/proof/soak.py): hours, for a quiet machine.
soak: install
	MOSAIC_SOAK=1 $(TRY) -m heavy

# Breaks one line of src/ at a time and sees which tests notice; see tests/mutation. A test that fails without the
# break too is left out.
MUTANTS ?= --count 200 --seed 1

mutants: install display
	$(PY) -m tests.mutation $(MUTANTS)

demo: install
	VENV=$(VENV) sh examples/demo.sh

frameworks: install
	$(PY) tests/envs.py
	$(TRY) -m frameworks

bench: install
	$(PY) -m bench

screenshots: install display
	$(PY) docs/screenshots.py

recording: install display
	$(PY) docs/recording.py

proto: install
	$(PY) -m mosaic.rpc.generate

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache
