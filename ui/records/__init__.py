"""A decision record on any screen."""
