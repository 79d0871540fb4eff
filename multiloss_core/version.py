"""The version of the library and the application."""

__version__ = "0.1.0"
