"""User interface of the pages."""
