"""Tests of the way from rated documents to an operating point."""
