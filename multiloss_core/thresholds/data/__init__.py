"""What was rated, and counted over the thresholds."""
