"""From a path and a target to an operating point."""
