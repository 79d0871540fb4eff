# Shortcuts. Create the environment as in README, "Test it".
PYTHON = PYTHONPATH=. .venv/bin/python
.PHONY: run test-fast test lint types docs lock wheels sbom bench

run:        ## run the application, in the browser
	.venv/bin/streamlit run server.py --server.fileWatcherType=auto

test-fast:  ## run tests without browser, PostgreSQL, Spark and long simulations
	$(PYTHON) -m pytest -q --hypothesis-profile=fast -m "not browser and not database and not spark and not slow"

test:       ## run all tests
	$(PYTHON) -m pytest

lint:       ## check style and the direction of imports
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/lint-imports --no-logo
	.venv/bin/python docs/prose.py

types:      ## check types of Python and of the explorer's browser modules
	.venv/bin/mypy
	npm install --silent --no-package-lock && PYTHON=$(PYTHON) npm run --silent types

docs:       ## write the list of stable names, the outputs of the notebooks, and the reference in site/
	$(PYTHON) docs/api.py
	$(PYTHON) docs/notebooks.py
	$(PYTHON) docs/reference.py

# Locked versions stay; UPGRADE=--upgrade takes the newest that pyproject.toml allows.
LOCK = .venv/bin/uv pip compile --quiet --no-config --system-certs --generate-hashes --no-emit-index-url --no-annotate \
	--universal --python-version 3.11 --custom-compile-command "make lock" $(UPGRADE)

lock:       ## lock all packages with hashes, for development and for running
	$(LOCK) --all-extras pyproject.toml --output-file requirements-dev.txt
	$(LOCK) --extra app --extra cli --constraint requirements-dev.txt pyproject.toml --output-file requirements.txt
	$(MAKE) wheels

PLATFORMS = x86_64-manylinux_2_28 aarch64-manylinux_2_28 x86_64-apple-darwin aarch64-apple-darwin x86_64-pc-windows-msvc

wheels:     ## check that no locked package needs a compiler, on each platform with each Python
	for platform in $(PLATFORMS); do for python in 3.11 3.12 3.13 3.14; do \
		.venv/bin/uv pip compile --quiet --no-config --system-certs --no-deps --only-binary :all: \
			--python-version $$python --python-platform $$platform requirements.txt >/dev/null || exit 1; \
	done; done

sbom:       ## list the image's Python packages as CycloneDX, in site/sbom.json
	mkdir -p site
	.venv/bin/cyclonedx-py requirements --output-reproducible --output-file site/sbom.json requirements.txt

bench:      ## run a benchmark, for example: make bench NAME=engines
	$(PYTHON) -m benchmarks.$(NAME)
