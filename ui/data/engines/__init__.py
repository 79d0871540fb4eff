"""Sources that lie in engines: who named them, how they are asked, and what becomes of their tables."""
