"""From the bytes of a file to a table: every file is hostile, and is measured before it is decoded."""
