"""The page on both papers: stored results of their experiments beside the printed figures."""
