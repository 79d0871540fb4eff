"""Robles et al. 2020: from rated documents to an operating point."""
