"""Answer questions with DuckDB in this process, a Spark cluster or PostgreSQL."""
