"""The parts below the charts, one module each, in the order of the screen."""
