"""Hold rated documents and their counts over the thresholds."""
