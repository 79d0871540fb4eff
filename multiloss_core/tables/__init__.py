"""Bytes to tables to columns and back; hostile input stops here."""
