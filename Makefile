# `make help` says what there is. Every target can be repeated; what is there already is not done again.
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 600
SOAK ?= 100
SEED ?= 1
PROGRAMS ?= 300
PYTHON ?= python3
export PYTHON
# The user's cache, or one in this clone where the home cannot be written.
USER_CACHE := $(shell tools/cache_folder.sh)
ifneq ($(USER_CACHE),$(HOME)/.cache)
  export XDG_CACHE_HOME := $(USER_CACHE)
  ifeq ($(USER_CACHE),$(CURDIR)/.cache)
    # An old ~/.ccache comes before XDG_CACHE_HOME.
    export CCACHE_DIR ?= $(USER_CACHE)/ccache
  endif
endif

CTEST := ctest --output-on-failure --no-tests=error --parallel $(JOBS)
# Ninja runs CMake again by itself when a CMake file or the list of sources has changed.
configure = @test -f $(1)/build.ninja || { echo "configure: $(2) in $(1)/"; said=$$(cmake --preset $(2) 2>&1) || { echo "$$said"; rm -f $(1)/build.ninja; exit 1; }; }
compile = @echo "compile: $(1)/ $(2)"; ninja -C $(1) -j $(JOBS) --quiet $(2)

.PHONY: help build demo attacks test test-gpu test-trainers portable bench lint format fuzz soak strategy-table clean packages environments venv module release-tests fuzz-targets
.NOTPARALLEL:
.DEFAULT_GOAL := help

help: ## this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-14s %s\n", $$1, $$2 }'

build: packages ## build/steptp, release
	$(call configure,build,release)
	$(call compile,build,$(if $(wildcard cli/CMakeLists.txt),steptp steptp-replay))

demo: build ## a short tour with the examples, written to demo_out/
	@tools/demo.sh

test: packages environments venv release-tests module ## all tests: ctest, pytest, PyTorch, TVM, datasets
	@tools/write_suites.sh
	@echo "test: C++, pytest, PyTorch, TVM and datasets, on $(JOBS) cores"; $(CTEST) --test-dir build/suites; status=$$?; \
	  grep -hE 'are skipped|^SKIPPED' build/suites/Testing/Temporary/LastTest.log | sort -u; exit $$status

test-trainers: build module ## exported datasets trained on with TRL and ms-swift; large downloads, not part of `make test`
	@tools/run_trainer_tests.sh trl swift

bench: packages ## the benchmarks
	$(call configure,build-bench,bench)
	$(call compile,build-bench,)
	@tools/run_benchmarks.sh build-bench

portable: packages venv ## build/portable: a copy that runs on other machines, for GPUs, with the Python package and wheels
	$(call configure,build,release)
	$(call compile,build,steptp steptp_portable steptp_cursor_portable lowering_cat)
	@tools/make_portable.sh build
	@tools/make_portable_modules.sh build $$(tools/find_pythons.sh)

test-gpu: portable ## programs on this machine's GPU against certified values; exit 4 without one
	@$(PYTHON) build/portable/run_gpu_tests.py

lint: packages-lint ## clang-format, clang-tidy and the layers
	$(call configure,build-lint,lint)
	@tools/lint.sh build-lint $(JOBS)

format: packages-lint ## clang-format over all tracked sources
	@echo "format: all tracked C++ sources"; git ls-files '*.cpp' '*.h' | xargs clang-format -i

fuzz: packages-fuzz fuzz-targets ## libFuzzer for FUZZ_SECONDS (600) per target
	@tools/run_fuzz.sh build-fuzz $(FUZZ_SECONDS)

# The attacks are most of the seeds, and have a run of their own, with progress, that goes on where it was ended.
soak: packages ## 1000 times SOAK (100) attacks, every law broken once, then the tests with SOAK times as many seeds, release and sanitized
	$(call configure,build,release)
	$(call compile,build,)
	@tools/run_attacks.sh $$((1000 * $(SOAK))) $(JOBS)
	@echo "soak: a toy strategy, operator and verb, added as the guides say"; tools/try_guides --jobs $(JOBS)
	@echo "soak: every law broken once"; tools/break_laws --jobs $(JOBS)
	@echo "soak: release, $(SOAK) times the seeds"; STEPTP_SOAK=$(SOAK) $(CTEST) --timeout 86400 --test-dir build -E '^test_attacker$$'
	@echo "soak: strategies on the zoo, what is not equal goes to build/strategy_soak.jsonl"
	@build/testing/strategy_soak 1 $$((85 * $(SOAK))) build/strategy_soak.jsonl
	$(call configure,build-asan,asan)
	$(call compile,build-asan,)
	@echo "soak: asan, the attacker"; $(CTEST) --timeout 86400 --test-dir build-asan -R '^test_attacker$$'
	@echo "soak: asan, $(SOAK) times the seeds"; STEPTP_SOAK=$(SOAK) $(CTEST) --timeout 86400 --test-dir build-asan -E '^test_attacker$$'

attacks: packages ## 1000 times SOAK (100) unequal pairs and 20 times SOAK unsafe ones against the judge; goes on where it was ended
	$(call configure,build,release)
	$(call compile,build,attack)
	@tools/run_attacks.sh $$((1000 * $(SOAK))) $(JOBS)

# Twice built: the binary that prints the page carries what the first has measured.
strategy-table: packages ## data/strategy_measurements.json and docs/strategies.md, steps on PROGRAMS (300) judged
	$(call configure,build,release)
	$(call compile,build,strategy_soak)
	@build/testing/strategy_soak $(SEED) $(PROGRAMS) build/strategy_soak.jsonl --measurements data/strategy_measurements.json
	$(call compile,build,steptp)
	@build/steptp strategies --markdown > docs/strategies.md

clean: ## removes what was built, not .venv
	@echo "clean: build/ build-*/ demo_out/"; rm -rf build build-* demo_out

packages:
	@tools/install_packages.sh build

packages-%:
	@tools/install_packages.sh build $*

venv: packages
	@tools/setup_venv.sh

# What tests need besides is fetched while the compiler works; who wants it first waits until it is there.
environments:
	@mkdir -p build
	@for name in torch tvm datasets datasets-3.6; do tools/setup_environment.sh $$name; done >build/environments.log 2>&1 </dev/null &

release-tests: packages
	$(call configure,build,release)
	$(call compile,build,)

fuzz-targets: packages-fuzz
	$(call configure,build-fuzz,fuzz)
	$(call compile,build-fuzz,fuzz_targets)

# Built with the packages of .venv in build-python/, over the libraries of build/, so that only the module's own files are
# compiled.
module: venv build ## the Python module, into .venv
	@echo "compile: the Python module into .venv"
	@CXX=c++ .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps \
	  --config-settings=build-dir=build-python \
	  --config-settings=cmake.define.STEPTP_LIBRARIES_FROM="$(CURDIR)/build" .
