"""Provide an OpenID provider on Django with accounts, passwords and signed tokens."""
