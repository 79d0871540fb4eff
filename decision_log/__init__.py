"""Store decision records in a database: an SQLite file or PostgreSQL."""

from decision_log.chain import Audit, Event
from decision_log.connection import ADDRESS, log_address
from decision_log.store import DecisionLog, Deployment, Listing, LogEntry, Remark

__all__ = ["ADDRESS", "Audit", "DecisionLog", "Deployment", "Event", "Listing", "LogEntry", "Remark", "log_address"]
