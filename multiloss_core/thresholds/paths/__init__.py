"""Find a ThresholdPath and its operating points."""
