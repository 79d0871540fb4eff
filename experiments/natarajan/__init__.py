"""Natarajan et al. 2016, Tables 2 and 3: `python -m experiments.natarajan`."""
