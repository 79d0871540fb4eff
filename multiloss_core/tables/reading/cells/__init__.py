"""What the cells of a column hold: numbers, in whatever way they are written, or text."""
