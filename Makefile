# Every target sets up what it needs: a virtual environment in the tree and the package installed in it, editable.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Versions of Triton that dotload works with, and the tests that must pass with each.
COMPAT := 3.6 3.7 3.8 3.9
COMPAT_TESTS := test/unit/tools/test_cpp_passes.py test/unit/plugin test/unit/passes/test_nvidia_kernels.py \
	test/unit/passes/test_host_descriptors.py test/unit/passes/test_every_version.py \
	test/unit/passes/test_kernels_at_large.py

.DEFAULT_GOAL := help
.PHONY: help xpu-env demo check check-lit check-unit check-style check-compat types format clean

help: ## show this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(READY) ## lower the loads of a real GEMM for Intel's matrix units, each rewrite proved
	@$(BIN)/python -m dotload.tools.demo

check: $(READY) types ## run every test: style, lit, unit
	@$(MAKE) -s xpu-env || echo 'no triton-xpu here: the tests that need it are skipped'
	@$(BIN)/cmake -S . -B build/check -G Ninja -DPython3_EXECUTABLE=$(CURDIR)/$(BIN)/python -DPython3_FIND_VIRTUALENV=ONLY >build/check.log || (cat build/check.log; exit 1)
	@$(BIN)/cmake --build build/check --target check

check-lit: $(READY) ## run the FileCheck tests
	@$(BIN)/lit -sv test/lit

check-unit: $(READY) ## run the unit tests
	@$(BIN)/python -m pytest -q -n 2 test/unit

check-style: $(READY) types ## lint, format check, types
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/pyright

check-compat: types $(COMPAT:%=.venvs/triton-%/.ready) ## what depends on the Triton version, with each that is supported
	@for version in $(COMPAT); do \
	  echo "Triton $$version"; \
	  PYTHONPATH=build/types .venvs/triton-$$version/bin/python -m pytest -q --import-mode=importlib -p no:cacheprovider \
	    $(COMPAT_TESTS) || exit 1; \
	done

.venvs/triton-%/.ready:
	@test -x .venvs/triton-$*/bin/python || $(PYTHON) -m venv .venvs/triton-$*
	@.venvs/triton-$*/bin/python -m pip install -q 'triton==$*.*' xdsl numpy llvmlite pytest hypothesis
	@touch $@

types: # the folders under the names they install as, for pyright
	@mkdir -p build/types/dotload
	@for folder in layout dialect_ext passes plugin emulator tools; do ln -sfn ../../../$$folder build/types/dotload/$$folder; done
	@for file in package/dotload/*.py; do ln -sf ../../../$$file build/types/dotload/; done

format: $(READY) ## format the code
	@$(BIN)/ruff check -q --fix . ; $(BIN)/ruff format .

XPU := .venvs/triton-xpu
xpu-env: $(XPU)/.ready ## an environment with triton-xpu, for the tests of Intel's backend (about a minute, once)

$(XPU)/.ready:
	@test -x $(XPU)/bin/python || $(PYTHON) -m venv $(XPU)
	@$(XPU)/bin/python -m pip install -q triton-xpu==3.3.0b1 'numpy>=1.26' 'xdsl>=0.73' setuptools
	@touch $@

clean: ## remove everything that was built
	rm -rf build $(VENV) .venvs

$(READY): pyproject.toml CMakeLists.txt $(wildcard emulator/native/*)
	@echo "Setting up $(VENV) (once, a minute or two) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -q --upgrade pip scikit-build-core cmake ninja
	@$(BIN)/python -m pip install -q --no-build-isolation -e '.[dev]'
	@touch $@
