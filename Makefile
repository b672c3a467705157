# What is needed: Make, Python 3.11 or later, pip. Everything else goes into .venv.
PYTHON ?= python3
PORT ?= 8501
VENV := .venv
BIN := $(VENV)/bin
APP := $(VENV)/.installed-app
DEV := $(VENV)/.installed-test
REQUIREMENTS := pyproject.toml constraints.txt
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input

.DEFAULT_GOAL := help
.PHONY: help app install test quick lint types unit browser coverage audit slow paper format clean

help:
	@echo "make app [PORT=8501]   start pmwpub in the browser, on this machine only"
	@echo "make test              lint, types and tests"
	@echo "make quick             lint, types and the fast tests, in under two minutes"
	@echo "make browser           the tests that drive a browser, alone"
	@echo "make coverage          which lines no test runs"
	@echo "make audit             audits at ten times the sample size, 1,000 kills, and a table of all planted faults"
	@echo "make slow              the long figures: audits, kills, fuzzing, a server under load; hours, on a quiet machine"
	@echo "make paper [PAPER=...] the paper's experiments again, then docs/results.md; goes on where it was stopped"
	@echo "make format            format the code and mend what the linter can"
	@echo "make clean             remove the environment and every cache"

app: $(APP)
	@echo "pmwpub: http://localhost:$(PORT)  (stop with Ctrl+C)"
	@exec $(BIN)/streamlit run app.py --server.port $(PORT)

install: $(APP)

test: lint types unit

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV)
	$(BIN)/mypy

unit: $(DEV)
	$(BIN)/pytest -n 2 --dist loadscope

# No browser, no audit, no server, no worker process: what an edit is likely to break, soon.
FAST := tests/test_house.py tests/test_imports.py tests/test_examples.py tests/test_domain.py tests/test_records.py \
	tests/test_plans.py tests/test_outputs.py tests/test_rounding.py tests/privacy/test_budget.py \
	tests/privacy/test_measurement.py tests/queries tests/theory tests/figures tests/tabular/schema tests/tabular/coding \
	tests/ledger/test_bookings.py tests/ledger/test_model.py tests/release/test_checking.py \
	tests/mechanisms/pmw_pub/test_reweight.py tests/mechanisms/noisy_error/test_precision.py \
	tests/service/purchases

quick: lint types
	$(BIN)/pytest -q -n 2 --dist loadscope -m "not audit and not browser and not spreadsheet and not data" $(FAST)

browser: $(DEV)
	PMWPUB_REQUIRE_BROWSER=1 $(BIN)/pytest -m browser tests/browser

coverage: $(DEV)
	$(BIN)/pytest -n 2 --dist loadscope -m "not audit and not browser" --cov --cov-report=term

audit: $(DEV)
	PMWPUB_AUDIT=$${PMWPUB_AUDIT:-10} $(BIN)/pytest -n 2 --dist loadscope -m "audit or fault" --faults

# What `make test` has in a short form: audits and 1,000 kills, 20,000 files that are made up, ten minutes of a crowd, twice, on
# SQLite and on PostgreSQL, and the processor time of commands where the census is at hand.
slow: audit
	PMWPUB_AUDIT=500 $(BIN)/pytest -m audit tests/tabular/test_fuzz.py
	$(BIN)/python benchmarks/load.py --again
	$(BIN)/python benchmarks/load.py --again --postgres
	[ -z "$$PMWPUB_DATA" ] || $(BIN)/python benchmarks/command_cost.py

# Hours of processor time the first time. PAPER passes options on, such as PAPER="--seeds 5 --workers 2"; finished runs are
# kept in scratch/paper. By hand: AIM and MST, mbi's weights (peers.py and
# public_peers.py there, with the extra peers), table fit's lines (table_fit_lines.py).
EXPERIMENTS := figure_adult figure_reduced figure_census figure_variants figure_public_size table_validated table_run_time
PAPER ?= --seeds 2 --small

paper: $(DEV)
	set -e; for script in $(EXPERIMENTS); do $(BIN)/python benchmarks/paper/$$script.py $(PAPER); done
	$(BIN)/python benchmarks/paper/report.py

format: $(DEV)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +

# The environment is made once; its packages are installed again only when the requirements change.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("pmwpub needs Python 3.11 or later; this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else 0'
	$(PYTHON) -m venv $(VENV)

$(APP): $(REQUIREMENTS) | $(BIN)/python
	$(PIP) -c constraints.txt -e .
	@touch $@

$(DEV): $(REQUIREMENTS) | $(BIN)/python
	$(PIP) -c constraints.txt -e '.[accounts,codebooks,dask,ipums,peers,postgres,records,signing,test]'
	@touch $(APP) $@
