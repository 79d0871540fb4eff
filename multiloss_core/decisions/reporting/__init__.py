"""A decision for people: one sentence, a first page, everything else in words and tables."""
