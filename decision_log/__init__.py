"""Decision records kept in a database: an SQLite file, or PostgreSQL by its URL."""

from decision_log.store import DecisionLog, Deployment, Listing, LogEntry, Remark

__all__ = ["DecisionLog", "Deployment", "Listing", "LogEntry", "Remark"]
