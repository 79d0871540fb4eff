"""The command `multiloss`: thresholds chosen and watched without a screen, by the same code."""
