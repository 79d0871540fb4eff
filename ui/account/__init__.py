"""Signing in, who one is here, and signing out."""
