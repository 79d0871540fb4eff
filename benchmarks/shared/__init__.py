"""What the benchmarks share: populations with known truth, and tables in Markdown."""
