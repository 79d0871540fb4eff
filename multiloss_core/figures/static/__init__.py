"""Charts as SVG text, for files that must open anywhere without a program: nothing to load, nothing to run."""
