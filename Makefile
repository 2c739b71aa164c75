# `make` lists the targets. Everything is installed in .venv; the system stays as it is.

PYTHON ?= python3
PYTEST_ARGS ?=
BENCH_ARGS ?=

BIN := .venv/bin
BOOTSTRAP = command -v "$(PYTHON)" >/dev/null \
	|| { echo "$(PYTHON) was not found. Try: sudo apt install python3 python3-venv python3-dev" >&2; exit 1; }; \
	"$(PYTHON)" tools/bootstrap.py

# ROS 2 traffic of these targets stays on this machine.
export ROS_AUTOMATIC_DISCOVERY_RANGE ?= LOCALHOST

# Another virtual environment with ROS 2 wheels may have passed on its library path, and a guard that keeps ours from
# setting its own.
ifdef _ROS_WHEELS_BOOTSTRAP_COMPLETE
unexport _ROS_WHEELS_BOOTSTRAP_COMPLETE
unexport LD_LIBRARY_PATH
endif

.PHONY: help setup setup-develop demo test lint format bench colcon clean

help: ## List the targets.
	@echo "Assay: find out by asking what a robot can do."
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo "  Variables: PYTHON=$(PYTHON), PYTEST_ARGS, BENCH_ARGS"

setup: ## Create or update .venv: libraries, ROS 2 unless it is sourced, the built interfaces.
	@$(BOOTSTRAP)

setup-develop: ## The same, and what tests and linters need.
	@$(BOOTSTRAP) --develop

demo: setup ## Start an agent as a ROS 2 node and question it from another process.
	@$(BIN)/assay demo

test: lint ## Check style and types, then run all tests; PYTEST_ARGS chooses, for example PYTEST_ARGS='-k logic'.
	@$(BIN)/python -m pytest -q $(PYTEST_ARGS)

lint: setup-develop ## Check style and types.
	@$(BIN)/python -m ruff check
	@$(BIN)/python -m ruff format --check
	@$(BIN)/python -m mypy

format: setup-develop ## Put the sources into the house style.
	@$(BIN)/python -m ruff check --fix
	@$(BIN)/python -m ruff format

bench: setup-develop ## Run the benchmarks; BENCH_ARGS is passed on, for example BENCH_ARGS='--data DIR'.
	@$(BIN)/python -m benchmarks $(BENCH_ARGS)

colcon: setup-develop ## Build the package with colcon, and run the demo from what it built.
	@tools/colcon_build.sh

clean: ## Remove .venv and everything that was built.
	rm -rf .venv build install log .mypy_cache .pytest_cache .ruff_cache .hypothesis src/*.egg-info
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
