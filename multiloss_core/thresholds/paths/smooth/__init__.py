"""Find the path of best thresholds under a smooth estimate of the precision."""
