# `make demo` and `make test` need Python 3.11 or newer and make, and set up everything else.
PYTHON ?= $(shell for p in python3.14 python3.13 python3.12 python3.11 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
# A process a core; each takes a test from the others when it has none left.
PYTEST = $(BIN)/python -m pytest -q --dist worksteal
USUAL = -m "not extended and not gpu"

# With an NVIDIA driver, the demo runs on the GPU: the extra for the driver's version of CUDA.
CUDA := $(shell nvidia-smi 2>/dev/null | sed -n 's/.*CUDA Version: \([0-9]*\).*/cu\1/p' | head -1)
GPU_EXTRA := $(filter cu12 cu13,$(CUDA))

# Where tests take an engine; tests/conftest.py leaves out the others on the simulator.
SIMULATED = $(addprefix tests/,contract/backends unit/algorithms unit/backends unit/graph unit/ids unit/kernels unit/solver \
	unit/test_api.py unit/test_errors.py unit/results/test_components.py unit/data/test_offsets.py \
	unit/verify)

# Tests that load the compilers of CUDA: `make test` runs them beside tests that need less memory.
COMPILING = tests/unit/backends tests/unit/kernels

# Tests start many processes, and those that find no bytecode compile the package anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-all test-extended test-plain quick test-kernels test-bounds test-designs test-gpu campaign nets counts ptx-net lint figures docs docs-browser \
	package test-installed test-oldest test-versions installed release clean

demo: $(VENV)/demo
	@$(if $(GPU_EXTRA),echo "NVIDIA driver found ($(GPU_EXTRA)): running on the GPU",\
		echo "No NVIDIA driver found: running on CPU threads")
	@$(BIN)/cc-rapids calculate cc_rapids/datasets/word_ladders.csv --header --top 12 \
		$(if $(GPU_EXTRA),--engine cuda)

# In parts, whose processes start anew: kernels and libraries stay in the memory of a process.
test: $(VENV)/dev
	$(PYTEST) -n auto $(USUAL) tests/unit $(addprefix --ignore ,$(COMPILING))
	$(PYTEST) -n auto $(USUAL) $(filter-out tests/unit/ tests/__pycache__/,$(wildcard tests/*/)) $(COMPILING)
	CC_RAPIDS_SIMULATOR=1 $(PYTEST) -n auto $(USUAL) $(SIMULATED)

# All tests, and the whole product of designs, architectures and bounds: before a release.
test-all: test-extended test-kernels test-bounds test-designs test-plain

test-extended: $(VENV)/dev
	$(PYTEST) -n auto --hypothesis-profile="new examples"
	CC_RAPIDS_SIMULATOR=1 $(PYTEST) -n auto $(SIMULATED)

# The contract of each peer and backend, with all fast paths switched off.
test-plain: $(VENV)/dev
	$(PYTEST) -n auto -m "not gpu" --no-fast-paths tests/contract

# What most mistakes break, in a minute and a half on two cores: before each push.
quick: $(VENV)/dev
	$(PYTEST) -n auto --hypothesis-profile="few examples" -m "not slow and not extended and not gpu" \
		tests/unit tests/contract tests/nets tests/docs/test_docs.py tests/docs/test_docstrings.py

# Every CUDA kernel for each architecture since Turing; `make test` takes the oldest, and fewer kernels.
test-kernels: $(VENV)/dev
	$(PYTEST) --architectures all --designs pairs tests/unit/kernels/test_compiles.py

# All designs with every access to an array checked; `make test` takes some of them.
test-bounds: $(VENV)/dev
	$(PYTEST) -n auto --designs all tests/property/test_bounds.py

# All designs, and on the simulator those in which every two choices meet; `make test` takes some in
# which each choice occurs.
test-designs: $(VENV)/dev
	$(PYTEST) -n auto --designs all tests/unit/algorithms/test_designs.py tests/unit/test_api.py \
		tests/property/test_properties.py tests/contract/test_column_types.py tests/contract/backends \
		tests/unit/incremental/test_connectivity_batches.py
	CC_RAPIDS_SIMULATOR=1 $(PYTEST) -n auto --designs pairs tests/unit/test_api.py \
		tests/contract/backends

lint: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/numpydoc lint $$(find cc_rapids -name '*.py')
	$(BIN)/codespell

# Random trials for as long as there is time: make campaign MINUTES=30
MINUTES ?= 5
campaign: $(VENV)/dev
	PYTHONPATH=tests $(BIN)/python -m campaign --minutes $(MINUTES)

# Write the snapshot of tests/nets anew, in a commit that means to change what it holds.
nets: $(VENV)/dev
	PYTHONPATH=tests $(BIN)/python -m nets

# How long the chains of imports and the main path are.
counts: $(VENV)/dev
	PYTHONPATH=tests $(BIN)/python -m nets.counts

# Compare the PTX of every kernel with that of another commit: four minutes on two cores, no GPU.
BASE ?= HEAD~1
ptx-net: $(VENV)/dev
	PYTHONPATH=tests $(BIN)/python -m nets.ptx $(BASE)

# On a machine with a GPU, cuDF and cuGraph in PYTHON's own environment: what is missing is an error,
# and so is a design that has not run.
test-gpu:
	$(PYTHON) -m pytest -q --gpu tests/gpu tests/contract/backends tests/unit/backends \
		tests/unit/kernels/test_compiles.py

figures: $(VENV)/dev
	$(BIN)/python benchmarks/figures.py

# The wheel in a clean environment of each: make package PYTHONS="python3.11 python3.14"
package: $(VENV)/dev
	$(BIN)/python distribution/package.py $(PYTHONS)

# The tests of the checkout on the installed wheel and the newest releases of all that it needs (NumPy
# 2.5, pandas 3, ...), with an empty home; and on the oldest that the metadata allows.
TESTS ?= tests/unit tests/contract
test-installed: $(VENV)/dev
	$(BIN)/python distribution/package.py --tests "$(TESTS)" $(PYTHONS)

test-oldest: $(VENV)/dev
	$(BIN)/python distribution/package.py --oldest --tests "$(TESTS)" $(PYTHONS)

# For each Python of the classifiers: wheels of all requirements, GPU extras included, and the types.
test-versions: $(VENV)/dev
	$(BIN)/python distribution/resolve.py

# Write the page of installed packages, with licences and sizes: gigabytes of downloads.
installed: $(VENV)/dev
	$(BIN)/python distribution/installed.py $(PYTHONS)

# dist/ of the last commit: sdist, wheel, SHA256SUMS, attestation and conda recipe. With DRY_RUN=1 that is all;
# without it, what publishing needs is said, too. Nothing is published.
release: $(VENV)/dev
	$(BIN)/python distribution/release.py $(if $(DRY_RUN),--dry-run)

# Warnings are errors, and so are broken links, images without alt text, tables that are too wide and
# searches without an answer; no network is needed, and no notebook is run.
docs: $(VENV)/docs
	@rm -rf docs/api/made docs/_build/html  # of names that may be gone
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build/html
	$(BIN)/python docs/check_html.py docs/_build/html
	@echo "docs/_build/html/index.html"

# The built pages in headless Chromium, which has to be installed: on a wide and on a narrow screen,
# light and dark, nothing is wider than its place. After `make docs`, or together with it.
docs-browser: $(VENV)/docs
	@test -d docs/_build/html || $(MAKE) docs
	$(BIN)/python docs/check_browser.py docs/_build/html

$(VENV)/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: install it, or name it by" \
		"make PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "this Python has no venv: on Debian and Ubuntu," \
		"apt-get install python3-venv"; exit 1; }
	@$(BIN)/python -m pip install --quiet --upgrade pip
	@touch $@

$(VENV)/demo: pyproject.toml | $(VENV)/python
	@echo "Setting up $(VENV) (once)"
	@$(BIN)/python -m pip install --quiet -e ".$(if $(GPU_EXTRA),[$(GPU_EXTRA)])"
	@$(if $(GPU_EXTRA),$(BIN)/cc-rapids compile --engine cuda)
	@touch $@

$(VENV)/dev: pyproject.toml | $(VENV)/python
	@echo "Setting up $(VENV) for development (once)"
	@$(BIN)/python -m pip install --quiet -e ".[dev]"
	@touch $@

$(VENV)/docs: pyproject.toml | $(VENV)/python
	@echo "Setting up $(VENV) for the documentation (once)"
	@$(BIN)/python -m pip install --quiet -e ".[docs]"
	@touch $@

clean:
	rm -rf $(VENV) build dist cc_rapids/backends/ptx cc_rapids/backends/objects docs/_build docs/made docs/api/made docs/notebooks
