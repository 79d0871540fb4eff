# Shortcuts. The environment itself: README, "Try it".
PYTHON = PYTHONPATH=. .venv/bin/python
.PHONY: run test-fast test lint types docs bench

run:        ## the application, in the browser
	.venv/bin/streamlit run server.py

test-fast:  ## under a minute: no browser, no PostgreSQL, no Spark, no long simulations
	$(PYTHON) -m pytest -q --hypothesis-profile=fast -m "not browser and not database and not spark and not slow"

test:       ## everything
	$(PYTHON) -m pytest

lint:       ## style, and who may import whom
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/lint-imports --no-logo

types:      ## of Python, and of the explorer's browser modules
	.venv/bin/mypy
	npm install --silent --no-package-lock && PYTHON=$(PYTHON) npm run --silent types

docs:       ## the library's reference, in site/
	$(PYTHON) docs/reference.py

bench:      ## for example: make bench NAME=thresholds
	$(PYTHON) -m benchmarks.$(NAME)
