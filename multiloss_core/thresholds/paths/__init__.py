"""ThresholdPath and the ways to find one."""
