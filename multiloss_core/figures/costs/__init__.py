"""Figures of what thresholds bring."""
