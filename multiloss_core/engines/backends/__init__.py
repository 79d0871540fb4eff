"""Engines that answer questions: DuckDB in this process, a Spark cluster, a PostgreSQL database."""
