"""Rerun Robles et al. 2020, Tables 1 and 2 and running times, on public sets."""
