"""The figures of both papers, redrawn from the project's own: `python -m experiments.figures`."""
